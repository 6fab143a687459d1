//! The patterns of the word lists: a small part of regular expressions, expanded into sequences without alternatives.
//!
//! Has `(?:a|b|)`, `(?!a|b)`, `[ab]` without ranges, `.`, `\w \d \s \S \b \n`, `$`, and `?` after any of them; `*` and
//! `+` only after a class. Any other character, and any after `\`, is itself.

use super::characters::{after, is_apart, is_edge, is_space, is_word};
use std::iter::Peekable;
use std::str::Chars;

/// One step of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    /// These characters.
    Literal(String),
    /// One character of a class.
    One(Class),
    /// As many characters of a class as there are, at least so many.
    Many(Class, usize),
    /// None of these sequences follows.
    Not(Vec<Sequence>),
    /// A word begins or ends here.
    Edge,
    /// Neither a character of a word nor a hyphen follows.
    Apart,
    /// The text or the line ends here.
    End,
}

/// Steps one after the other.
pub(super) type Sequence = Vec<Element>;

/// A class of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Digit,
    Space,
    NotSpace,
    /// All but the end of a line.
    Any,
    /// One of these.
    Set(String),
}

impl Class {
    fn has(&self, char: char) -> bool {
        match self {
            Self::Word => is_word(char),
            Self::Digit => char.is_ascii_digit(),
            Self::Space => is_space(char),
            Self::NotSpace => !is_space(char),
            Self::Any => char != '\n',
            Self::Set(set) => set.contains(char),
        }
    }
}

/// The sequences that a pattern stands for, the longer ones first.
pub(super) fn expand(pattern: &str) -> Vec<Sequence> {
    let mut rest = pattern.chars().peekable();
    alternatives(&mut rest)
}

fn alternatives(rest: &mut Peekable<Chars>) -> Vec<Sequence> {
    let mut all = sequence(rest);
    while rest.next_if_eq(&'|').is_some() {
        all.extend(sequence(rest));
    }
    all
}

fn sequence(rest: &mut Peekable<Chars>) -> Vec<Sequence> {
    let mut all = vec![Sequence::new()];
    while rest.peek().is_some_and(|char| !matches!(char, '|' | ')')) {
        let choices = item(rest);
        all = all.iter().flat_map(|start| choices.iter().map(|next| joined(start, next))).collect();
    }
    all
}

/// Two sequences as one; literals that meet become one.
fn joined(start: &[Element], next: &[Element]) -> Sequence {
    let mut all = start.to_vec();
    for element in next {
        match (all.last_mut(), element) {
            (Some(Element::Literal(text)), Element::Literal(more)) => text.push_str(more),
            _ => all.push(element.clone()),
        }
    }
    all
}

/// An atom with its quantifier.
fn item(rest: &mut Peekable<Chars>) -> Vec<Sequence> {
    let mut choices = atom(rest);
    while let Some(quantifier) = rest.next_if(|char| matches!(char, '?' | '*' | '+')) {
        match (quantifier, choices.as_mut_slice()) {
            ('?', _) => choices.push(Sequence::new()),
            (_, [only]) => {
                if let [Element::One(class)] = only.as_slice() {
                    *only = vec![Element::Many(class.clone(), usize::from(quantifier == '+'))];
                }
            }
            _ => {}
        }
    }
    choices
}

fn atom(rest: &mut Peekable<Chars>) -> Vec<Sequence> {
    let one = |element| vec![vec![element]];
    match rest.next() {
        Some('(') => group(rest),
        Some('[') => set(rest),
        Some('.') => one(Element::One(Class::Any)),
        Some('$') => one(Element::End),
        Some('\\') => one(escaped(rest.next())),
        Some(char) => one(Element::Literal(char.into())),
        None => vec![Sequence::new()],
    }
}

/// What follows `[`, with its `]`: a class if it is repeated, else the characters one by one.
fn set(rest: &mut Peekable<Chars>) -> Vec<Sequence> {
    let set: String = rest.by_ref().take_while(|char| *char != ']').collect();
    if rest.peek().is_some_and(|char| matches!(char, '*' | '+')) {
        return vec![vec![Element::One(Class::Set(set))]];
    }
    set.chars().map(|char| vec![Element::Literal(char.into())]).collect()
}

/// What `\` and a character stand for.
fn escaped(char: Option<char>) -> Element {
    match char {
        Some('w') => Element::One(Class::Word),
        Some('d') => Element::One(Class::Digit),
        Some('s') => Element::One(Class::Space),
        Some('S') => Element::One(Class::NotSpace),
        Some('b') => Element::Edge,
        Some('n') => Element::Literal("\n".into()),
        other => Element::Literal(other.map(String::from).unwrap_or_default()),
    }
}

/// What follows `(`, with its `)`.
fn group(rest: &mut Peekable<Chars>) -> Vec<Sequence> {
    let mut is_negative = false;
    if rest.next_if_eq(&'?').is_some() {
        is_negative = rest.next() == Some('!');
    }
    let inside = alternatives(rest);
    rest.next_if_eq(&')');
    if is_negative { vec![vec![Element::Not(inside)]] } else { inside }
}

/// Where a sequence ends that begins at a position: the longest way that fits. Letters of ASCII match without case
/// unless `cased`.
pub(super) fn end_of(sequence: &[Element], text: &str, at: usize, cased: bool) -> Option<usize> {
    let Some((first, rest)) = sequence.split_first() else {
        return Some(at);
    };
    let next = match first {
        Element::Literal(literal) => {
            let found = text.as_bytes().get(at..at + literal.len())?;
            let is_same =
                found == literal.as_bytes() || !cased && found.eq_ignore_ascii_case(literal.as_bytes());
            is_same.then_some(at + literal.len())?
        }
        Element::One(class) => at + after(text, at).filter(|char| class.has(*char))?.len_utf8(),
        Element::Many(class, least) => return end_of_many((class, *least), rest, text, at, cased),
        Element::Not(others) => {
            others.iter().all(|other| end_of(other, text, at, cased).is_none()).then_some(at)?
        }
        Element::Edge => is_edge(text, at).then_some(at)?,
        Element::Apart => is_apart(after(text, at)).then_some(at)?,
        Element::End => matches!(after(text, at), None | Some('\n')).then_some(at)?,
    };
    end_of(rest, text, next, cased)
}

/// As [`end_of`] for characters of a class, at least so many, and what follows them.
fn end_of_many(many: (&Class, usize), rest: &[Element], text: &str, at: usize, cased: bool) -> Option<usize> {
    let (class, least) = many;
    let own = text.get(at..)?;
    let ends = own.char_indices().take_while(|(_, char)| class.has(*char));
    let ends = ends.map(|(start, char)| at + start + char.len_utf8());
    let ends: Vec<usize> = std::iter::once(at).chain(ends).skip(least).collect();
    ends.into_iter().rev().find_map(|end| end_of(rest, text, end, cased))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(pattern: &str) -> Vec<String> {
        let text = |sequence: Sequence| match sequence.as_slice() {
            [] => String::new(),
            [Element::Literal(text)] => text.clone(),
            other => panic!("{other:?}"),
        };
        expand(pattern).into_iter().map(text).collect()
    }

    #[test]
    fn alternatives_are_expanded_into_literals() {
        assert_eq!(literals("too (?:big|slow)"), ["too big", "too slow"]);
        assert_eq!(literals("le(?:ad|t)s?"), ["leads", "lead", "lets", "let"]);
        assert_eq!(literals("a(?:b(?:c|)|d)?"), ["abc", "ab", "ad", "a"]);
        assert_eq!(literals("to[- ]?do|e\\.g"), ["to-do", "to do", "todo", "e.g"]);
        assert_eq!(literals("a(b"), ["ab"], "what is not closed ends with the pattern");
        assert_eq!(literals(""), [""]);
    }

    #[test]
    fn classes_take_as_much_as_fits() {
        let end = |pattern: &str, text: &str| {
            expand(pattern).iter().find_map(|sequence| end_of(sequence, text, 0, false))
        };
        assert_eq!(end("a\\w* b", "AÄ_1 b!"), Some(7));
        assert_eq!(end("a\\w+ b", "a b"), None);
        assert_eq!(end("\\d[,.0]*0\\s?x", "1,0.00x"), Some(7), "a class gives back what follows");
        assert_eq!(end("a.c$", "a’c\nd"), Some(5));
        assert_eq!(end("a.c", "a\nc"), None);
        assert_eq!(end("a(?! b|c)\\S", "a b"), None);
        assert_eq!(end("a(?! b|c)\\S", "ad"), Some(2));
        assert_eq!(end("a\\b-\\n", "a-\n"), Some(3));
        assert_eq!(end("a\\b", "ab"), None);
    }
}
