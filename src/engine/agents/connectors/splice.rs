//! Changes of a text by position.

use std::ops::Range;

/// Bytes of a text that are replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    pub at: Range<usize>,
    pub text: String,
}

impl Splice {
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { at: at..at, text: text.into() }
    }

    pub const fn cut(at: Range<usize>) -> Self {
        Self { at, text: String::new() }
    }
}

/// The text with all splices made. They do not overlap.
pub fn apply(bytes: &[u8], splices: &[Splice]) -> Vec<u8> {
    let mut sorted: Vec<&Splice> = splices.iter().collect();
    brv_base::sorting::sort_by_key(&mut sorted, |splice| splice.at.start);
    let (mut after, mut end) = (Vec::with_capacity(bytes.len()), 0);
    for splice in sorted {
        after.extend_from_slice(&bytes[end..splice.at.start]);
        after.extend_from_slice(splice.text.as_bytes());
        end = splice.at.end;
    }
    after.extend_from_slice(&bytes[end..]);
    after
}
