//! The parts of a statement: words, amounts, and the punctuation between them.

use brv_base::english::{Dimension, is_same_amount};

/// What is counted by an amount.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Measure {
    /// A length of time: `90 s`.
    Span,
    /// How often something happens, as the time between: `every 5 minutes`, `weekly`.
    Period,
    /// Another unit.
    Of(Dimension),
    /// So many things of that name in a second: `100 requests per minute`.
    Rate(String),
    /// A time of the day, in minutes.
    Clock,
    /// So many things, or the number of one: `3 approvals`, `level 19`, `Rust 1.63`. Empty if nothing is named.
    Count(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amount {
    pub measure: Measure,
    pub value: f64,
    /// A number with several dots, which is not an amount: `1.2.3`.
    pub version: Option<String>,
}

impl Amount {
    /// Whether both are the same, or one names a release and the other a version of it: `20` and `20.11`.
    pub fn is_same(&self, other: &Self) -> bool {
        let time = |measure: &Measure| matches!(measure, Measure::Span | Measure::Period);
        let dimension = if time(&self.measure) { Dimension::Time } else { Dimension::Times };
        match (&self.version, &other.version) {
            (Some(one), Some(other)) => is_part_of(one, other) || is_part_of(other, one),
            (Some(one), None) => is_part_of(&other.value.to_string(), one),
            (None, Some(other)) => is_part_of(&self.value.to_string(), other),
            (None, None) => {
                let counts = matches!(self.measure, Measure::Count(_));
                let [one, other] = [self.value, other.value];
                let is_release =
                    || one.trunc() == other.trunc() && (one.fract() == 0.0) != (other.fract() == 0.0);
                is_same_amount(dimension, one, other) || counts && is_release()
            }
        }
    }

    /// Whether two amounts measure the same thing, so that only one of them can hold.
    pub fn is_comparable(&self, other: &Self) -> bool {
        match (&self.measure, &other.measure) {
            (Measure::Count(one), Measure::Count(other)) => {
                one == other || one.is_empty() || other.is_empty()
            }
            (Measure::Rate(one), Measure::Rate(other)) => one == other || one.is_empty() || other.is_empty(),
            (one, other) => one == other,
        }
    }
}

/// Whether a version is the other, or names it with fewer numbers: `1.29` and `1.29.3`.
fn is_part_of(one: &str, other: &str) -> bool {
    other.strip_prefix(one).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A word of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StatementPart {
    /// In lower case, without marks around it.
    Word(String),
    Amount(Amount),
    /// Punctuation between two parts of a sentence.
    Break,
    /// A colon or a dash, behind what a statement is about.
    Colon,
}

impl StatementPart {
    /// Whether both say the same, in whatever unit.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Amount(one), Self::Amount(other)) => one.measure == other.measure && one.is_same(other),
            (one, other) => one == other,
        }
    }
}

/// The words among the parts, in order.
pub(super) fn words(parts: &[StatementPart]) -> impl Iterator<Item = &str> {
    parts
        .iter()
        .filter_map(|part| if let StatementPart::Word(word) = part { Some(word.as_str()) } else { None })
}

/// The amounts among the parts, in order.
pub(super) fn amounts(parts: &[StatementPart]) -> impl Iterator<Item = &Amount> {
    parts.iter().filter_map(|part| if let StatementPart::Amount(amount) = part { Some(amount) } else { None })
}

/// The stem of a word, for comparison only: endings of plural and tense are cut, and a doubled last consonant.
pub(super) fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let cut = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() > 2);
    let cut = match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => return format!("{stem}y"),
        _ if kept => word,
        _ => cut("ing").or_else(|| cut("ed")).or_else(|| cut("es")).or_else(|| cut("s")).unwrap_or(word),
    };
    let cut = cut.strip_suffix('e').unwrap_or(cut);
    let bytes = cut.as_bytes();
    let is_doubled =
        bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] && cut.len() < word.len();
    let is_doubled = is_doubled && !cut.ends_with(['s', 'l']);
    cut[..cut.len() - usize::from(is_doubled)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (one, other) in
            [("caches", "cached"), ("logging", "logged"), ("entries", "entry"), ("polls", "polled")]
        {
            assert_eq!(stem(one), stem(other));
        }
        assert_eq!(["status", "class", "größe", "s3"].map(stem), ["status", "class", "größe", "s3"]);
    }
}
