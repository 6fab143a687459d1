//! A name in a file of then and of now, and what it became.

use super::text::{Introduction, NameQuery, Text};

/// A name that is no longer as it was in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Altered {
    pub name: String,
    /// Where to look in the file of now, counted from 1: where the name is introduced, else where it was.
    pub line: usize,
    /// Whether it is gone: nothing in the file introduces it any more.
    pub is_gone: bool,
    /// What introduced it, and what does now, as they may be shown.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A name in a file of then and of now, with what introduces it in each.
pub(super) struct Sides<'s> {
    pub before: &'s Text,
    pub after: &'s Text,
    pub asked: NameQuery<'s>,
    pub was: Vec<Introduction>,
    pub now: Vec<Introduction>,
}
