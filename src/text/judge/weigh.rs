//! How much a sentence of a commit message tells: a sum of whole numbers.

use super::characters::{is_space, is_word};
use super::kind::{NoteKind, kind};
use super::marks::{Mark, SentenceMarks};
use super::scanner::{Border, List, Scanner};
use super::{about_tests, first_person, measures, names, steps};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The longest sentence that is weighed, in characters: a longer one is not a sentence.
pub const LONGEST_SENTENCE: usize = 2000;

/// The weight of a sentence that is too long: below all that the lists can take away.
const TOO_LONG: i32 = -100;

/// The weight of a sentence, and what was found in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighed {
    pub weight: i32,
    pub marks: SentenceMarks,
}

/// Weighs a sentence on one line, by itself. The weight of one that is too long is below that of any other.
pub fn weigh(sentence: &str) -> Weighed {
    if is_too_long(sentence) {
        return Weighed { weight: TOO_LONG, marks: SentenceMarks::default() };
    }
    let marks = marks(sentence);
    let weight = weight_of_marks(marks) + weight_of_length(sentence);
    Weighed { weight, marks }
}

/// The kind of a sentence, without its weight.
pub(super) fn kind_alone(sentence: &str) -> NoteKind {
    if is_too_long(sentence) {
        return kind(SentenceMarks::default());
    }
    let plain = plain(sentence);
    match kind(SentenceMarks::from_bits(scanner().found(&plain))) {
        NoteKind::Note if measures::has_measure(&plain) => NoteKind::Effect,
        found => found,
    }
}

fn is_too_long(sentence: &str) -> bool {
    sentence.len() > LONGEST_SENTENCE && sentence.chars().count() > LONGEST_SENTENCE
}

/// What the marks add and take.
fn weight_of_marks(marks: SentenceMarks) -> i32 {
    const ADDED: [(Mark, i32); 17] = [
        (Mark::Reason, 2),
        (Mark::Strong, 2),
        (Mark::Reject, 2),
        (Mark::Trap, 1),
        (Mark::Effect, 1),
        (Mark::Platform, 1),
        (Mark::Condition, 1),
        (Mark::Name, 1),
        (Mark::Step, -2),
        (Mark::Plan, -4),
        (Mark::Noise, -4),
        (Mark::Doubt, -1),
        (Mark::First, -1),
        (Mark::Test, -3),
        (Mark::Question, -4),
        (Mark::Colon, -3),
        (Mark::Link, -1),
    ];
    let sum: i32 = ADDED.iter().filter(|(mark, _)| marks.has(*mark)).map(|(_, weight)| weight).sum();
    let is_weak_rule = marks.has(Mark::Rule) && !marks.has(Mark::Strong);
    let is_reasoned = marks.has(Mark::Step) && marks.has_any(&[Mark::Reason, Mark::Strong, Mark::Reject]);
    sum + i32::from(is_weak_rule) + i32::from(is_reasoned)
}

/// What few words take.
fn weight_of_length(sentence: &str) -> i32 {
    match sentence.split(is_space).filter(|word| word.contains(is_word)).take(8).count() {
        0..5 => -3,
        5..8 => -1,
        _ => 0,
    }
}

/// What is found in a sentence.
fn marks(sentence: &str) -> SentenceMarks {
    let plain = plain(sentence);
    let mut marks = SentenceMarks::from_bits(scanner().found(&plain));
    let is_effect = marks.has(Mark::Effect) || measures::has_measure(&plain);
    marks.set(Mark::Effect, is_effect);
    let is_noise = marks.has(Mark::Noise) || names::begins_with_reference(&plain);
    marks.set(Mark::Noise, is_noise);
    marks.set(Mark::Name, names::has_name(sentence));
    marks.set(Mark::Step, steps::is_step(sentence));
    marks.set(Mark::First, !marks.has(Mark::Doubt) && first_person::is_first(&plain));
    marks.set(Mark::Test, about_tests::is_about_tests(&plain));
    marks.set(Mark::Question, ends_with_question(sentence));
    marks.set(Mark::Colon, sentence.trim_end_matches(is_space).ends_with(':'));
    marks.set(Mark::Link, sentence.contains("http://") || sentence.contains("https://"));
    marks
}

/// A sentence with `` `x` `` for each code span.
fn plain(sentence: &str) -> Cow<'_, str> {
    if !sentence.contains('`') {
        return Cow::Borrowed(sentence);
    }
    let mut plain = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((text, code)) = rest.split_once('`') {
        plain.push_str(text);
        let Some((_, after)) = code.split_once('`') else {
            plain.push('`');
            rest = code;
            break;
        };
        plain.push_str("`x`");
        rest = after;
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Whether a `?` is the last mark but for others.
fn ends_with_question(sentence: &str) -> bool {
    let last = sentence.trim_end_matches(|char| char != '?' && !is_word(char));
    last.ends_with('?')
}

/// The automaton of the lists that may stand anywhere in a sentence.
fn scanner() -> &'static Scanner {
    static SCANNER: OnceLock<Scanner> = OnceLock::new();
    SCANNER.get_or_init(|| Scanner::new(LISTS))
}

pub(super) const LISTS: [List; 18] = [
    whole(Mark::Reason, include_str!("lists/reason.txt")),
    whole(Mark::Strong, include_str!("lists/strong.txt")),
    whole(Mark::Rule, include_str!("lists/rule.txt")),
    whole(Mark::Reject, include_str!("lists/reject.txt")),
    whole(Mark::Trap, include_str!("lists/trap.txt")),
    whole(Mark::Condition, include_str!("lists/condition.txt")),
    List { cased: true, ..word(Mark::Platform, include_str!("lists/platform.txt")) },
    word(Mark::Plan, include_str!("lists/plan.txt")),
    word(Mark::Doubt, include_str!("lists/doubt.txt")),
    word(Mark::Noise, include_str!("lists/noise.txt")),
    List::new(Mark::Effect as u8, Border::Start, include_str!("lists/gain.txt")),
    List::new(Mark::Effect as u8, Border::Free, include_str!("lists/range.txt")),
    word(Mark::Earlier, include_str!("lists/earlier.txt")),
    word(Mark::Decision, include_str!("lists/decision.txt")),
    word(Mark::Limit, include_str!("lists/limit.txt")),
    word(Mark::Holds, include_str!("lists/holds.txt")),
    word(Mark::Order, include_str!("lists/order.txt")),
    word(Mark::Past, include_str!("lists/past.txt")),
];

const fn whole(mark: Mark, text: &'static str) -> List {
    List::new(mark as u8, Border::Whole, text)
}

const fn word(mark: Mark, text: &'static str) -> List {
    List::new(mark as u8, Border::Word, text)
}
