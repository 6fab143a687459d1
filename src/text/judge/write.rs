//! From the sentences of a commit to the text of a note, and from such a text to its lead.

use super::kind::{NoteKind, kind};
use super::marks::{Mark, SentenceMarks};
use super::sentences::sentences;
use super::steps::{connective, leans};
use super::weigh::{Weighed, kind_alone, weigh};

/// A commit is taken if the weights of its sentences of at least [`COUNTED`] sum up to this.
pub const TAKEN: i32 = 4;
const COUNTED: i32 = 2;

/// What is written has this weight, unless nothing has.
const WRITTEN: i32 = 3;
/// So many candidates are tried.
const CANDIDATES: usize = 3;
/// The most characters of a text, but for the best sentence, which is written always.
const MOST_CHARACTERS: usize = 400;
/// A sentence with more characters is not brought by the one that leans on it.
const LONGEST_BEFORE: usize = 250;
/// A sentence with more characters leads less well.
const LONGEST_LEAD: usize = 260;
/// What a section about breaking changes adds to the weight.
const BREAKING: i32 = 3;

/// A sentence of a commit message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'a> {
    pub text: &'a str,
    /// The number of its paragraph or list item in the message.
    pub paragraph: usize,
    pub weight: i32,
    pub marks: SentenceMarks,
}

impl<'a> Sentence<'a> {
    /// A sentence with its weight. `is_breaking`: it stands below a `BREAKING CHANGE:`.
    pub fn new(text: &'a str, paragraph: usize, is_breaking: bool) -> Self {
        let Weighed { weight, marks } = weigh(text);
        let weight = if is_breaking { weight + BREAKING } else { weight };
        Self { text, paragraph, weight, marks }
    }

    /// The weight by which it is chosen.
    fn rank(&self) -> i32 {
        self.weight - if self.marks.has(Mark::First) { 2 } else { 0 }
    }

    /// Whether the next sentence may bring it.
    fn can_be_brought(&self) -> bool {
        !self.marks.has_any(&[Mark::Plan, Mark::Noise, Mark::Test, Mark::Colon])
            && self.text.chars().count() <= LONGEST_BEFORE
    }
}

/// A text as it is written into a note, with what a reader makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    pub text: String,
    pub weight: i32,
    pub lead: String,
    pub lead_weight: i32,
    pub kind: NoteKind,
}

/// What the text of a note says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted<'a> {
    /// The weight of its heaviest sentence; 0 if it has none.
    pub weight: i32,
    /// The sentence that stands for all; empty if it has none.
    pub lead: &'a str,
    pub lead_weight: i32,
    pub kind: NoteKind,
}

/// The sum that decides whether a commit is taken: [`TAKEN`] is enough.
pub fn sum(sentences: &[Sentence]) -> i32 {
    sentences.iter().map(|sentence| sentence.weight).filter(|weight| *weight >= COUNTED).sum()
}

/// The text of a note from all sentences of a commit in their order; nothing if their sum is too small. Weight, lead and
/// kind are those of the text, as [`note`] tells them.
pub fn write(sentences: &[Sentence]) -> Option<NoteText> {
    if sum(sentences) < TAKEN {
        return None;
    }
    let text = text(sentences, &chosen(sentences));
    let Noted { weight, lead, lead_weight, kind } = note(&text);
    Some(NoteText { weight, lead: lead.to_string(), lead_weight, kind, text })
}

/// Weight, lead and kind of a text.
pub fn note(text: &str) -> Noted<'_> {
    let mut noted = Noted { weight: 0, lead: "", lead_weight: 0, kind: NoteKind::Note };
    for (number, sentence) in sentences(text).into_iter().enumerate() {
        let Weighed { weight, marks } = weigh(sentence);
        let lead_weight = lead_weight(sentence, weight, marks);
        if number == 0 || lead_weight > noted.lead_weight {
            noted = Noted { lead: sentence, lead_weight, kind: kind(marks), ..noted };
        }
        noted.weight = if number == 0 { weight } else { noted.weight.max(weight) };
    }
    noted
}

/// The kind of a text, as [`note`] tells it.
pub fn kind_of(text: &str) -> NoteKind {
    let sentences = sentences(text);
    let mut kinds = sentences.iter().map(|sentence| kind_alone(sentence));
    let first = kinds.next().unwrap_or(NoteKind::Note);
    // which of them leads makes no difference then
    if kinds.all(|kind| kind == first) { first } else { note(text).kind }
}

/// How well a sentence leads a note.
fn lead_weight(sentence: &str, weight: i32, marks: SentenceMarks) -> i32 {
    weight
        - 2 * i32::from(leans(sentence))
        - 2 * i32::from(marks.has(Mark::First))
        - i32::from(marks.has(Mark::Doubt))
        - i32::from(marks.has(Mark::Step))
        - i32::from(sentence.chars().count() > LONGEST_LEAD)
        - 2 * i32::from(marks.has(Mark::Earlier))
}

/// The places of the sentences that are written, in order.
fn chosen(sentences: &[Sentence]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(sentences[*at].rank()));
    let good = order.iter().take_while(|at| sentences[**at].rank() >= WRITTEN).count();
    let mut chosen: Vec<usize> = Vec::new();
    let mut length = 0;
    for at in order.into_iter().take(good.clamp(1, CANDIDATES)) {
        let first = if brings(sentences, at) { at - 1 } else { at };
        let new: Vec<usize> = (first..=at).filter(|at| !chosen.contains(at)).collect();
        let more: usize = new.iter().map(|at| sentences[*at].text.chars().count() + 1).sum();
        if chosen.is_empty() || length + more <= MOST_CHARACTERS {
            chosen.extend(new);
            length += more;
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Whether a sentence brings the one before it.
fn brings(sentences: &[Sentence], at: usize) -> bool {
    at > 0
        && sentences[at - 1].paragraph == sentences[at].paragraph
        && sentences[at - 1].can_be_brought()
        && leans(sentences[at].text)
}

/// The chosen sentences as one text.
fn text(sentences: &[Sentence], chosen: &[usize]) -> String {
    let mut text = String::new();
    for (number, at) in chosen.iter().enumerate() {
        let follows = number > 0 && chosen[number - 1] + 1 == *at;
        let own = sentences[*at].text;
        let own = without_references(&if follows { own.to_string() } else { alone(own) });
        if own.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&own);
        // what ends within quotes has ended
        let end = own.trim_end_matches(['"', '\'', '\u{201d}', '*', '_', '`']);
        if !own.ends_with([':', ';', ')']) && !end.ends_with(['.', '!', '?']) {
            text.push('.');
        }
    }
    text
}

/// A sentence without the word that connects it with the one before, if what remains is a sentence of more than this.
fn alone(sentence: &str) -> String {
    const LEAST: usize = 20;
    let rest = connective(sentence).map(|end| &sentence[end..]);
    let Some(rest) = rest.filter(|rest| rest.chars().count() > LEAST) else {
        return sentence.to_string();
    };
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    // a name is spelled as it is: `iOS`, `max_depth`, `foo()`
    let is_ordinary = |c: char| c.is_lowercase() || ['\'', '\u{2019}', '-'].contains(&c);
    if !word.trim_end_matches(',').chars().all(is_ordinary) {
        return rest.to_string();
    }
    let mut chars = rest.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// A sentence without `[1]`, `(#12)`, `(see #12)` and `(https://…)`, each with the blanks before it.
fn without_references(sentence: &str) -> String {
    let mut text = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(at) = rest.find(['[', '(']) {
        let (before, own) = rest.split_at(at);
        match super::references::length(own) {
            Some(length) => {
                text.push_str(before);
                text.truncate(text.trim_end_matches(super::characters::is_space).len());
                rest = &own[length..];
            }
            None => {
                text.push_str(before);
                text.push_str(&own[..1]);
                rest = &own[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weighs 4: a reason and a rule.
    const REASON: &str = "The lock is never shared here, because two writers would tear it apart.";
    /// Weighs 0.
    const PLAIN: &str = "The folder has eleven files of very different sizes.";

    fn written(message: &[(&str, usize)]) -> Option<String> {
        let message: Vec<Sentence> =
            message.iter().map(|(text, paragraph)| Sentence::new(text, *paragraph, false)).collect();
        write(&message).map(|written| written.text)
    }

    fn text_of(sentences: &[&str]) -> String {
        written(&sentences.iter().map(|text| (*text, 0)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_weights_from_two_decide() {
        assert_eq!(weigh(REASON).weight, 4);
        assert_eq!(written(&[(REASON, 0)]).as_deref(), Some(REASON));
        let two = "It is slow when many of the names are long enough to wrap.";
        let one = "It is slow for many of the names that are long.";
        assert_eq!([weigh(two).weight, weigh(one).weight], [2, 1]);
        assert_eq!(written(&[(two, 0), (one, 0), (one, 0), (one, 0)]), None);
        assert_eq!(written(&[(two, 0), (two, 1)]).as_deref(), Some(two), "only the best below 3");
        assert_eq!(written(&[]), None);
        let breaking = Sentence::new(one, 0, true);
        assert_eq!(breaking.weight, 4);
        assert_eq!(write(&[breaking]).unwrap().weight, 1, "a reader sees only the text");
    }

    #[test]
    fn at_most_three_candidates_are_written_in_their_order() {
        let all: Vec<String> =
            (1..6).map(|n| format!("Lock {n} must never be shared, since two would tear it.")).collect();
        let best = format!("Before all, {REASON} It is rejected.");
        let message = [&all[0], PLAIN, &all[1], &best, &all[2], &all[3]];
        assert_eq!(text_of(&message), format!("{} {} {best}", all[0], all[1]));
    }

    #[test]
    fn what_leans_brings_the_sentence_before_it() {
        let leaning = "This is because the server must never see both of them.";
        assert_eq!(text_of(&[PLAIN, leaning]), format!("{PLAIN} {leaning}"));
        assert_eq!(written(&[(PLAIN, 0), (leaning, 1)]).as_deref(), Some(leaning));
        for before in ["Thanks to all who have helped with that change so much.", "The files are these:"] {
            assert_eq!(text_of(&[before, leaning]), leaning);
        }
        let long = format!("The folder {}.", "of files ".repeat(30));
        assert_eq!(text_of(&[&long, leaning]), leaning);
        assert_eq!(text_of(&[REASON, leaning]), format!("{REASON} {leaning}"), "not twice");
    }

    #[test]
    fn four_hundred_characters_are_enough_but_the_best_is_whole() {
        let sentence = |length: usize, weight: &str| {
            let start = format!("The lock must never be shared because {weight}");
            format!("{start}{}.", " x".repeat((length - start.len() - 1) / 2))
        };
        let best = sentence(301, "it fails ");
        let [long, short] = [sentence(199, "it is wide "), sentence(89, "it is thin ")];
        assert_eq!(text_of(&[&best, &long, &short]), format!("{best} {short}"));
        let huge = sentence(901, "it fails ");
        assert_eq!(text_of(&[&huge, &short]), huge);
        let endless = sentence(2101, "it fails ");
        assert_eq!(text_of(&[&endless, &short]), short);
        assert_eq!(written(&[(&endless, 0)]), None);
    }

    #[test]
    fn a_sentence_alone_loses_what_connects_it() {
        let text = |sentence: &str| written(&[(PLAIN, 0), (sentence, 1)]).unwrap();
        assert_eq!(
            text("In particular, éclairs are never shared because two would tear them"),
            "Éclairs are never shared because two would tear them."
        );
        assert_eq!(alone("So, it is what remains."), "So, it is what remains.");
        assert_eq!(alone("So, it is what remained."), "So, it is what remained.");
        assert_eq!(alone("So, it is what remained!?"), "It is what remained!?");
        assert_eq!(alone("Also, iOS must never see the lock."), "iOS must never see the lock.");
        assert_eq!(alone("Note that one lock is enough for all."), "One lock is enough for all.");
        for whole in [
            "Instead of calling current_dir() for every entry, cache it once.",
            "So that if multiple flags are given, the last one wins.",
            "But for this flag, the parser must fail at once.",
            "So far, nobody may share the lock with another.",
            "However small the file is, the lock must be held.",
            "In addition to A, the lock must guard B as well.",
            "Also known as X, the lock must never be shared.",
            "Additionally signed files must never be opened.",
            "In general, the lock must never be shared by two.",
            "And never share the lock, because it fails.",
        ] {
            assert_eq!(alone(whole), whole);
        }
        assert_eq!(
            text_of(&[REASON, "And it must never be, because it fails."]),
            format!("{REASON} And it must never be, because it fails.")
        );
    }

    #[test]
    fn references_in_brackets_go() {
        let text = "It must [1] never [x] be [23] (#4), because (it) fails (#5) a[6].";
        assert_eq!(text_of(&[text]), "It must never [x] be, because (it) fails a.");
        assert_eq!(without_references("a (https://a.b/(c)) (see #5) b (http://c d)"), "a b (http://c d)");
        assert_eq!(without_references("(#1) a (#x) (See #1) (http://) ["), " a (#x) (See #1) (http://) [");
    }

    #[test]
    fn the_lead_stands_for_all() {
        let lead = |text: &'static str| note(text).lead;
        assert_eq!(
            lead(
                "This must never be, because it fails. The lock must never be shared by two writers at once."
            ),
            "The lock must never be shared by two writers at once."
        );
        for (sentence, loss) in [
            ("The lock must never be shared, because two writers tear it.", 0),
            ("It must never be shared, because two writers tear it apart.", 2),
            ("I must never share the lock, because two writers tear it.", 2),
            ("Perhaps the lock must never be shared, because two writers tear it.", 1),
            ("Share the lock never again, because two writers would tear it apart.", 1),
            ("The old lock must never be shared, because two writers tear it.", 2),
        ] {
            let noted = note(sentence);
            assert_eq!(noted.weight - noted.lead_weight, loss, "{sentence}");
        }
        let mixed = format!(
            "{REASON} It was two. {PLAIN} At most five are read. Do not call it twice, because it hangs."
        );
        let texts =
            [REASON, PLAIN, "It is 20% smaller.", "Windows `has` 3 ms. It was at most five.", "", &mixed];
        for text in texts {
            assert_eq!(kind_of(text), note(text).kind, "{text}");
        }
        let twice = format!("{REASON} {REASON}");
        assert_eq!(note(&twice).lead.as_ptr(), twice.as_ptr(), "the first of equals");
        let long = format!("The lock must never be shared {}because it fails.", "by two of them ".repeat(20));
        assert_eq!(note(&long).lead_weight, note(&long).weight - 1);
        assert_eq!(note(""), Noted { weight: 0, lead: "", lead_weight: 0, kind: NoteKind::Note });
        assert_eq!(note("No.").weight, -3);
    }
}
