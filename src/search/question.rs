//! Read a question: its words, the dates in it, `"phrases"` and `tag:name`.
//!
//! There is no other syntax: operators, brackets, wildcards and whatever stands in a pasted log are text. Of long
//! questions the first [`MOST_TERMS`] distinct words with a meaning count, and the first [`MOST_PHRASES`] phrases.
//! Knows no index.

use super::item::{tag_term, title_term};
use super::text::Language;
use super::text::dates::{self, Asked};
use super::text::language;
use super::text::stems::Stems;
use super::text::stop_words;
use super::text::tokens::{self, Kind};

/// How many distinct words count: as many as a `u64` has bits, by which ranking notes what an entry has.
pub const MOST_TERMS: usize = 64;

/// How many phrases count, and how many tags.
const MOST_PHRASES: usize = 8;

/// How many words of a phrase count.
const LONGEST_PHRASE: usize = 32;

/// What `how` asks the measure of. The answer is a measure, and rarely has these words.
const MEASURES: [&str; 16] = [
    "big",
    "close",
    "deep",
    "far",
    "fast",
    "frequently",
    "high",
    "large",
    "late",
    "long",
    "often",
    "old",
    "quickly",
    "small",
    "soon",
    "wide",
];

/// Whether `how` with this word after it (in lower case) asks for a measure.
pub fn asks_a_measure(word: &str) -> bool {
    MEASURES.contains(&word)
}

/// A question, read.
#[derive(Debug, Default)]
pub struct Question {
    /// Its distinct words with a meaning, in order.
    pub words: Vec<Asking>,
    pub dates: Vec<Asked>,
    /// The term of an item that has the whole question as its title.
    pub title: Option<String>,
    /// Word sequences that an entry must have, in lower case.
    pub phrases: Vec<Vec<String>>,
    /// The terms of tags that an entry must have.
    pub tags: Vec<String>,
    /// Whether it has function words only; then they count.
    pub is_vague: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// In lower case.
    pub word: String,
    /// Its stems in the languages of the index.
    pub stems: Vec<String>,
    /// Its parts if it is in `camelCase`, as words of their own.
    pub parts: Vec<Asking>,
    /// Whether it seems to be a name: it has a capital letter where none is needed.
    pub is_name: bool,
    /// Whether it should occur in what answers the question: it has at least four letters and is neither a function word
    /// nor a date, nor optional.
    pub is_significant: bool,
    /// Whether it only says what kind of answer is wanted (`how long`): it counts where something has it.
    pub is_optional: bool,
}

/// A token of a question with what is needed of it.
struct Read {
    raw: String,
    low: String,
    opens: bool,
    kind: Kind,
}

/// Read a question for an index with items in these languages (bits by number).
pub fn read(text: &str, languages: u8, stems: &mut Stems) -> Question {
    let mut question = Question::default();
    let text = take_tags(text, &mut question.tags);
    question.phrases = phrases(&text);
    question.title = title_term(&text);
    let tokens = read_tokens(&text);
    let words: Vec<dates::Word<'_>> = tokens
        .iter()
        .map(|token| dates::Word { low: &token.low, is_capital: token.raw.starts_with(char::is_uppercase) })
        .collect();
    let (dates, is_date) = dates::find(&words);
    question.dates = dates;
    let own = language::language_of_question(&text, languages);
    let is_stop = |token: &Read| match token.kind {
        Kind::Word => stop_words::contains(&token.low, own),
        // pairs of hiragana are mostly endings and particles
        _ => token.low.chars().count() > 1 && token.low.chars().all(|c| matches!(c, '\u{3041}'..='\u{309f}')),
    };
    question.is_vague = tokens.iter().all(is_stop);
    // in a question in capitals they mean nothing
    let shouts = !text.chars().any(char::is_lowercase);
    let mut seen = std::collections::HashSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_capital = !shouts && token.raw.starts_with(char::is_uppercase);
        let is_kept = at > 0 && !token.opens && is_capital && token.raw.chars().nth(1).is_some();
        let is_letter = token.low.len() == 1 && !token.low.as_bytes()[0].is_ascii_digit();
        if !question.is_vague && !is_date[at] && !is_kept && (is_stop(token) || is_letter) {
            continue;
        }
        let stems = &mut |word: &str| stems_of(word, languages, stems);
        let is_optional = at > 0 && tokens[at - 1].low == "how" && asks_a_measure(&token.low);
        let mut asking = Asking {
            word: token.low.clone(),
            stems: stems(&token.low),
            parts: Vec::new(),
            is_name: is_capital && (!token.opens || at > 0) && !is_date[at],
            is_optional,
            is_significant: !is_date[at]
                && !is_stop(token)
                && !is_optional
                && (token.kind == Kind::Pair || token.low.chars().nth(3).is_some()),
        };
        if !seen.insert(asking.stems[0].clone()) {
            continue;
        }
        for part in tokens::parts(&token.raw) {
            let word = tokens::lower(part).into_owned();
            let is_significant = word.chars().nth(3).is_some();
            let stems = stems(&word);
            asking.parts.push(Asking {
                word,
                stems,
                parts: Vec::new(),
                is_name: false,
                is_significant,
                is_optional: false,
            });
        }
        question.words.push(asking);
        if question.words.len() == MOST_TERMS {
            break;
        }
    }
    question
}

/// The distinct stems of a word, that of English first.
fn stems_of(word: &str, languages: u8, stems: &mut Stems) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for language in Language::ALL.into_iter().filter(|&one| (languages | 1) >> (one as u8) & 1 == 1) {
        let stem = stems.of(word, language);
        if !found.iter().any(|found| found == stem) {
            found.push(stem.to_owned());
        }
    }
    found
}

impl Question {
    /// Replace a word by those of its parts that the question does not have yet, as far as there is room.
    pub fn split(&mut self, number: usize) {
        let parts = std::mem::take(&mut self.words[number].parts);
        self.words.remove(number);
        let is_new = |part: &Asking| !self.words.iter().any(|word| word.stems[0] == part.stems[0]);
        let mut new: Vec<Asking> = parts.into_iter().filter(is_new).collect();
        new.dedup_by(|a, b| a.stems[0] == b.stems[0]);
        new.truncate(MOST_TERMS - self.words.len());
        self.words.splice(number..number, new);
    }
}

fn read_tokens(text: &str) -> Vec<Read> {
    let mut tokens = Vec::new();
    tokens::each(text, |token| {
        if token.kind != Kind::Tail {
            let (raw, low) = (token.raw.to_owned(), token.low.to_owned());
            tokens.push(Read { raw, low, opens: token.opens, kind: token.kind });
        }
    });
    tokens
}

/// Take `tag:name` and `tag:"two words"` out of a question.
fn take_tags(text: &str, tags: &mut Vec<String>) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some(at) = rest.find("tag:") {
        let (before, after) = (&rest[..at], &rest[at + 4..]);
        let begins = before.chars().next_back().is_none_or(char::is_whitespace);
        let (name, end) = match after.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((name, _)) => (name, name.len() + 2),
            None => {
                let end = after.find(char::is_whitespace).unwrap_or(after.len());
                (&after[..end], end)
            }
        };
        let term = tag_term(&name[..name.floor_char_boundary(200)]);
        kept.push_str(before);
        if begins && term.len() > 1 && tags.len() < MOST_PHRASES {
            tags.push(term);
            rest = &after[end..];
        } else {
            kept.push_str("tag:");
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

/// The words of each `"…"`; a quote that is not closed is text.
fn phrases(text: &str) -> Vec<Vec<String>> {
    let pieces: Vec<&str> = text.split('"').collect();
    // an even number of quotes closes them all
    let closed = &pieces[..(pieces.len() - 1) / 2 * 2];
    let inside = closed.iter().skip(1).step_by(2).map(|piece| {
        read_tokens(piece).into_iter().map(|token| token.low).take(LONGEST_PHRASE).collect::<Vec<_>>()
    });
    inside.filter(|words| !words.is_empty()).take(MOST_PHRASES).collect()
}

/// Whether a text has these words one after the other.
pub fn has_phrase(text: &str, phrase: &[String]) -> bool {
    let words: Vec<String> = read_tokens(text).into_iter().map(|token| token.low).collect();
    words.windows(phrase.len().max(1)).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        read(text, 1, &mut Stems::new()).words.into_iter().map(|word| word.stems[0].clone()).collect()
    }

    #[test]
    fn function_words_go_unless_there_is_nothing_else() {
        assert_eq!(words("How long do the refresh tokens live?"), ["long", "refresh", "token", "live"]);
        assert_eq!(words("to be or not to be"), ["to", "be", "or", "not"]);
        assert_eq!(words("bands like The Who"), ["band", "like", "the", "who"]);
        assert!(words("").is_empty() && words("?!\u{7}").is_empty());
    }

    #[test]
    fn what_how_asks_the_measure_of_is_optional() {
        let optional = |text: &str| -> Vec<bool> {
            read(text, 1, &mut Stems::new()).words.iter().map(|word| word.is_optional).collect()
        };
        assert_eq!(optional("How long do tokens live?"), [true, false, false]);
        assert_eq!(optional("How tokens live long"), [false, false, false]);
    }

    #[test]
    fn capitals_inside_a_question_are_names() {
        let names = |text: &str| -> Vec<bool> {
            read(text, 1, &mut Stems::new()).words.iter().map(|word| word.is_name).collect()
        };
        assert_eq!(names("Does Anna like Rust reviews"), [true, false, true, false]);
        assert_eq!(names("DOES ANNA LIKE"), [false, false]);
    }

    #[test]
    fn phrases_and_tags_are_the_only_syntax() {
        let question =
            read("tag:jwt \"access token\" AND (x OR *) -y tag:\"two words\" 5\" \"", 1, &mut Stems::new());
        assert_eq!(question.tags, ["#jwt", "#two-words"]);
        assert_eq!(question.phrases, [["access", "token"].map(str::to_owned).to_vec()]);
        assert!(has_phrase("the Access-Token is", &question.phrases[0]));
        assert!(!has_phrase("token access", &question.phrases[0]));
        assert_eq!(read("metatag:x tag:", 1, &mut Stems::new()).tags, Vec::<String>::new());
    }

    #[test]
    fn a_word_has_a_stem_for_each_language() {
        let question = read("Laufzeiten", 0b11, &mut Stems::new());
        assert_eq!(question.words[0].stems.len(), 2);
    }

    #[test]
    fn a_very_long_question_is_cut() {
        let long: String = (0..20_000).map(|number| format!("word{number} \"")).collect();
        let question = read(&long, 63, &mut Stems::new());
        assert_eq!((question.words.len(), question.phrases.len()), (MOST_TERMS, MOST_PHRASES));
    }
}
