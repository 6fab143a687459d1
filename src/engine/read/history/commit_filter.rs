//! Filter commits by author, message, number of parents and time.
//!
//! Patterns are git's basic regular expressions unless another syntax is set. Knows no repository.

use crate::Stop;
use brv_git::commit::Commit;
use regex_lite::Regex;
use std::borrow::Cow;

/// The conditions that a commit must meet.
#[derive(Debug, Clone, Default)]
pub struct CommitFilter {
    /// Patterns for the author's name and address; one must match.
    pub authors: Vec<String>,
    /// Patterns for a line of the message.
    pub messages: Vec<String>,
    /// How many of the message patterns must match.
    pub matching: PatternMatching,
    /// Whether the message must match the patterns or must not.
    pub sense: Sense,
    pub syntax: Syntax,
    pub case: Case,
    /// By number of parents.
    pub merges: Merges,
    /// The latest commit time, in seconds.
    pub until: Option<i64>,
}

/// How many patterns must match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PatternMatching {
    #[default]
    Any,
    /// All of them, on any line.
    All,
}

/// Whether patterns must match or must not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sense {
    #[default]
    Having,
    Lacking,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Syntax {
    /// Basic regular expressions: `\(a\|b\)\+`.
    #[default]
    Basic,
    /// Extended ones: `(a|b)+`.
    Extended,
    Fixed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Case {
    #[default]
    Sensitive,
    Ignored,
}

/// By number of parents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Merges {
    #[default]
    Shown,
    Only,
    Omitted,
}

/// [`CommitFilter`], compiled for many commits.
#[derive(Debug)]
pub struct Sieve {
    authors: Vec<Regex>,
    messages: Vec<Regex>,
    matching: PatternMatching,
    sense: Sense,
    case: Case,
    merges: Merges,
    until: Option<i64>,
}

impl Sieve {
    pub fn new(wanted: &CommitFilter) -> Result<Self, Stop> {
        let read = |patterns: &[String]| {
            patterns.iter().map(|pattern| compile(pattern, wanted)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            authors: read(&wanted.authors)?,
            messages: read(&wanted.messages)?,
            matching: wanted.matching,
            sense: wanted.sense,
            case: wanted.case,
            merges: wanted.merges,
            until: wanted.until,
        })
    }

    /// Whether the commit meets the conditions.
    pub fn keeps(&self, commit: &Commit) -> bool {
        let by_parents = match self.merges {
            Merges::Shown => true,
            Merges::Only => commit.parents.len() > 1,
            Merges::Omitted => commit.parents.len() < 2,
        };
        by_parents
            && self.until.is_none_or(|until| commit.committer.seconds <= until)
            && (self.authors.is_empty() || self.is_by(&commit.author.to_string()))
            && (self.messages.is_empty() || self.says(&String::from_utf8_lossy(&commit.message)))
    }

    fn is_by(&self, author: &str) -> bool {
        let author = self.case.folded(author);
        self.authors.iter().any(|pattern| pattern.is_match(&author))
    }

    fn says(&self, message: &str) -> bool {
        let message = self.case.folded(message);
        let has = |pattern: &Regex| message.lines().any(|line| pattern.is_match(line));
        let found = match self.matching {
            PatternMatching::Any => self.messages.iter().any(has),
            PatternMatching::All => self.messages.iter().all(has),
        };
        found == (self.sense == Sense::Having)
    }
}

pub fn basic(pattern: &str) -> Result<Regex, Stop> {
    compile(pattern, &CommitFilter::default())
}

fn compile(pattern: &str, wanted: &CommitFilter) -> Result<Regex, Stop> {
    let folded = match (wanted.case, wanted.syntax) {
        (Case::Sensitive, _) => pattern.to_owned(),
        (Case::Ignored, Syntax::Fixed) => pattern.to_lowercase(),
        (Case::Ignored, _) => lowered(pattern),
    };
    let text = match wanted.syntax {
        Syntax::Fixed => regex_lite::escape(&folded),
        syntax => translated(&folded, syntax),
    };
    Regex::new(&text).map_err(|_| Stop::usage(format!("`{pattern}` is not a valid regular expression")))
}

impl Case {
    fn folded(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Sensitive => text.into(),
            Self::Ignored => text.to_lowercase().into(),
        }
    }
}

/// The pattern in lower case, except for characters after a backslash, which are operators.
fn lowered(pattern: &str) -> String {
    let mut is_escaped = false;
    let mut out = String::with_capacity(pattern.len());
    for sign in pattern.chars() {
        match is_escaped {
            true => out.push(sign),
            false => out.extend(sign.to_lowercase()),
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    out
}

/// A basic or extended expression in the syntax of the regex engine. In a basic expression an operator has a backslash,
/// and without it the character is literal.
fn translated(pattern: &str, syntax: Syntax) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut signs = pattern.chars().peekable();
    let mut is_start = true;
    while let Some(sign) = signs.next() {
        let was_start = std::mem::replace(&mut is_start, false);
        match sign {
            '\\' => match (signs.next(), syntax) {
                (Some(sign @ ('(' | ')' | '|' | '{' | '}' | '+' | '?')), Syntax::Basic) => {
                    out.push(sign);
                    is_start = matches!(sign, '(' | '|');
                }
                (Some('<'), _) => out.push_str(r"\b{start}"),
                (Some('>'), _) => out.push_str(r"\b{end}"),
                (Some(sign @ ('w' | 'W' | 's' | 'S' | 'b' | 'B')), _) => out.extend(['\\', sign]),
                (Some(sign), _) => out.push_str(&regex_lite::escape(sign.encode_utf8(&mut [0; 4]))),
                (None, _) => out.push('\\'),
            },
            '[' => class(&mut signs, &mut out),
            '(' | ')' | '|' | '{' | '}' | '+' | '?' if syntax == Syntax::Basic => out.extend(['\\', sign]),
            '*' if was_start => out.push_str(r"\*"),
            '^' if syntax == Syntax::Basic && !was_start => out.push_str(r"\^"),
            '^' => {
                out.push('^');
                is_start = true;
            }
            '$' if syntax == Syntax::Basic && !ends_here(&signs) => out.push_str(r"\$"),
            '(' | '|' => {
                out.push(sign);
                is_start = true;
            }
            sign => out.push(sign),
        }
    }
    out
}

fn ends_here(rest: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let rest: String = rest.clone().take(2).collect();
    rest.is_empty() || rest == r"\)" || rest == r"\|"
}

/// A bracket expression, in which a backslash is literal and `]` may be the first character.
fn class(signs: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    out.push('[');
    if signs.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut is_first = true;
    while let Some(sign) = signs.next() {
        match sign {
            ']' if !is_first => {
                out.push(']');
                return;
            }
            '[' if signs.peek() == Some(&':') => {
                // `[:alpha:]`
                out.push('[');
                while let Some(sign) = signs.next() {
                    out.push(sign);
                    if sign == ':' && signs.next_if_eq(&']').is_some() {
                        out.push(']');
                        break;
                    }
                }
            }
            '\\' | '[' | ']' | '&' | '~' => out.extend(['\\', sign]),
            sign => out.push(sign),
        }
        is_first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(pattern: &str, syntax: Syntax, text: &str) -> bool {
        let wanted = CommitFilter { syntax, ..CommitFilter::default() };
        compile(pattern, &wanted).unwrap().is_match(text)
    }

    #[test]
    fn in_a_basic_expression_operators_have_a_backslash() {
        for (pattern, text, found) in [
            (r"a\|b", "xb", true),
            ("a|b", "b", false),
            ("a|b", "a|b", true),
            (r"\(ab\)\{2\}", "abab", true),
            ("f(x)", "f(x)", true),
            ("*a", "*a", true),
            ("^auth: .*$", "auth: x", true),
            ("a^b$c", "a^b$c", true),
            (r"[]a\]", r"\", true),
            ("[[:digit:]]+", "1+", true),
            (r"1\.5", "125", false),
            (r"\<end\>", "the end", true),
        ] {
            assert_eq!(has(pattern, Syntax::Basic, text), found, "{pattern} in {text}");
        }
        assert!(has("(a|b)+c", Syntax::Extended, "abac") && !has("(a|b)+c", Syntax::Extended, "(a|b)+c"));
        assert!(has("(a|b)+", Syntax::Fixed, "(a|b)+") && !has("a.c", Syntax::Fixed, "abc"));
        assert!(compile(r"\(a", &CommitFilter::default()).is_err());
    }
}
