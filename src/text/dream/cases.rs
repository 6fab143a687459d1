//! Which case an entry is about, as its title and its path say: entries about different cases are not the same, whatever
//! their text says.

use super::said::Said;
use super::side::Side;
use super::tokens::{Sort, tokens};
use crate::doc::normal;
use crate::words::stems::stem;
use brv_base::english::list;
use std::collections::BTreeSet;

/// Words that name a case wherever they stand, in any of their forms.
pub(super) static CASES: list::Set = list::Set::of_words(include_str!("lists/cases.txt"));

/// Whether titles and paths speak of the same case: the same dates, numbers and names in both titles, no `staging` beside
/// `production`, and no word in the place of another one. For the parts of paths see [`unspoken`].
pub(super) fn same_case(source: &Side<'_>, target: &Side<'_>) -> bool {
    let claims = |side: &Side<'_>| -> BTreeSet<String> {
        let tokens = tokens(&side.title).into_iter().filter(|token| token.sort != Sort::Name);
        tokens.map(|token| token.key).collect()
    };
    let cases = |side: &Side<'_>| -> BTreeSet<String> {
        let folders = [side.path.as_str(), &side.title].join(" ");
        let stems = words(&folders).into_iter().map(|word| stem(&word));
        stems.filter(|word| CASES.iter().any(|case| stem(case) == *word)).collect()
    };
    let dates = |side: &Side<'_>| -> BTreeSet<String> {
        let parts = side.path.as_str().trim_end_matches(".md").split(['/', '_', ' ']).flat_map(tokens);
        parts.filter(|token| token.sort == Sort::Date).map(|token| token.key).collect()
    };
    let [one, other] = [source, target].map(|side| words(&side.title));
    claims(source) == claims(target)
        && cases(source) == cases(target)
        && dates(source) == dates(target)
        && !name_others(&one, &other, &target.said)
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(normal).collect()
}

/// Words of a path that name a form or only join others, and do not say what an entry is about.
static FORMS: list::Set = list::Set::of_words(include_str!("lists/path_forms.txt"));

/// The words in which the two paths differ and that the text of the target does not mention: `payments` and `search` of
/// `services/payments/timeouts` and `services/search/timeouts`. A path is context: the same text says other things
/// there. A word of form (`retry-notes` beside `retry`) and the number of a copy (`retry_2`) name nothing, and a name
/// that repeats the title is compared with it.
pub(super) fn unspoken(source: &Side<'_>, target: &Side<'_>) -> Vec<String> {
    let [own, theirs] =
        [source, target].map(|side| words(side.path.as_str().trim_end_matches(".md")).concat());
    if own == theirs {
        return Vec::new();
    }
    let [one, other] = path_words(source, target);
    let is_in = |words: &[Word], word: &Word| words.iter().any(|own| own.is_same(word));
    let counts = |word: &&Word| !word.is_title && !word.is_form();
    let own: Vec<&Word> = one.iter().filter(|word| !is_in(&other, word)).filter(counts).collect();
    let theirs: Vec<&Word> = other.iter().filter(|word| !is_in(&one, word)).filter(counts).collect();
    let all: Vec<&Word> = own.iter().chain(&theirs).copied().collect();
    let is_together = || {
        let has = |text: &str, words: &[&Word]| words.iter().any(|word| names(text, &word.text));
        target.said.claims().any(|text| has(text, &own) && has(text, &theirs))
    };
    // two names say what differs only where they stand together: each alone may be a word like others
    if !own.is_empty() && !theirs.is_empty() && !is_together() {
        return all.into_iter().map(|word| word.text.clone()).collect();
    }
    let is_named = |word: &&&Word| target.said.claims().any(|text| names(text, &word.text));
    all.iter().filter(|word| !is_named(word)).map(|word| word.text.clone()).collect()
}

/// Whether a text names a word of a path: as [`speaks_of`], but a function word such as `us` only in capitals.
fn names(text: &str, word: &str) -> bool {
    if crate::words::is_function_word(word) {
        let capitals = word.to_uppercase();
        return text.split(|c: char| !c.is_alphanumeric()).any(|own| own == capitals);
    }
    speaks_of(&normal(text), word)
}

/// A word of a path.
struct Word {
    text: String,
    stem: String,
    /// Whether it is of the name of the file, and the title has it, too.
    is_title: bool,
}

impl Word {
    fn of(text: String, is_title: bool) -> Self {
        Self { stem: stem(&text), text, is_title }
    }

    /// Whether the other one is the same word, another form of it, or short for it: `env` for `environment`.
    fn is_same(&self, other: &Self) -> bool {
        let is_short = |short: &Self, long: &Self| {
            let length = short.stem.len();
            (3..).contains(&length) && long.text.len() > 2 * length && long.text.starts_with(&short.stem)
        };
        self.stem == other.stem || is_short(self, other) || is_short(other, self)
    }

    fn is_form(&self) -> bool {
        FORMS.contains(self.text.trim_end_matches('s'))
    }
}

/// The words of the two paths. The number that makes the name of a copy another one is none: `retry_2` beside `retry`.
fn path_words(one: &Side<'_>, other: &Side<'_>) -> [Vec<Word>; 2] {
    let plain = [one, other].map(|side| words(side.path.as_str().trim_end_matches(".md")));
    let is_copy = |own: usize| {
        let number = |last: &String| last.len() <= 2 && last.bytes().all(|byte| byte.is_ascii_digit());
        plain[own].split_last().is_some_and(|(last, rest)| number(last) && *rest == plain[1 - own][..])
    };
    let words_of = |at: usize, side: &Side<'_>| {
        let folders = words(side.path.folder()).len();
        let title: Vec<String> = words(&side.title).iter().map(|word| stem(word)).collect();
        let end = plain[at].len() - usize::from(is_copy(at));
        let is_title = |place: usize, word: &str| place >= folders && title.contains(&stem(word));
        let own = plain[at][..end].iter().enumerate();
        own.map(|(place, word)| Word::of(word.clone(), is_title(place, word))).collect()
    };
    [words_of(0, one), words_of(1, other)]
}

/// Whether two titles name different things that the text does not mention: `Limits of the mail API` beside `Limits of
/// the search API` or `Limits`, or `Mail` beside `Search` over a template that nobody filled in.
fn name_others(one: &[String], other: &[String], said: &Said) -> bool {
    let same = |a: &[String], b: &[String]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let first = same(one, other);
    let (ends, others): (Vec<String>, Vec<String>) =
        (one[first..].iter().rev().cloned().collect(), other[first..].iter().rev().cloned().collect());
    let last = same(&ends, &others);
    let own = [&one[first..one.len() - last], &other[first..other.len() - last]];
    // one letter is not a term, but tells service B from service C
    let says = |word: &&String| !crate::words::terms_of(word).is_empty() || word.len() == 1 && *word != "a";
    let text = said.texts_of_claims();
    let is_spoken_of = |word: &String| speaks_of(&text, word);
    if one[..first].iter().chain(&one[one.len() - last..]).any(|word| says(&word)) {
        let are_short = own.iter().all(|words| words.len() <= SLOT);
        return are_short && !own.iter().all(|words| words.iter().filter(says).all(is_spoken_of));
    }
    let shares = one.iter().filter(says).any(|word| other.contains(word));
    !shares
        && own
            .iter()
            .all(|words| words.iter().any(|word| says(&word)) && !words.iter().filter(says).any(is_spoken_of))
}

/// A word in the place of another one, with the words around it: `of the mail API`.
const SLOT: usize = 4;

/// Whether a text in normal form has the word, or one with the same first four letters: `building` beside `built`.
fn speaks_of(text: &str, word: &str) -> bool {
    let stem: String = word.chars().take(4).collect();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|own| own == word || word.chars().count() > 4 && own.starts_with(&stem))
}
