//! What is remembered of a change to a file of a host, so that it can be undone.

use super::json::{self, Dialect};
use super::wanted::Form;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;

/// What was done to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Traces {
    /// What was added, in this order; taking it out begins at the end.
    pub inserted: Vec<String>,
    /// What was there already, and was mended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<Mended>,
}

/// A piece that somebody else wrote, before and after it was mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mended {
    /// Its number in the form of the file.
    pub(super) piece: usize,
    pub(super) before: String,
    after: String,
}

impl Mended {
    /// `at` is where the piece was before. `None` if it did not change, or is not text.
    pub(super) fn of(piece: usize, at: Range<usize>, before: &[u8], after: &[u8]) -> Option<Self> {
        let end = (at.end + after.len()).checked_sub(before.len())?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let old = text(before.get(at.clone())?)?;
        let new = text(after.get(at.start..end)?)?;
        (old != new).then_some(Self { piece, before: old, after: new })
    }

    /// Whether a piece still is as it was left; a host may have laid it out anew.
    pub(super) fn is_left(&self, form: &Form, found: &[u8]) -> bool {
        let value = |text: &[u8]| -> Option<Value> {
            Some(json::parse(text, Dialect::LOOSE).ok()?.root.as_ref()?.value())
        };
        found == self.after.as_bytes()
            || matches!(form, Form::Json { .. })
                && value(found).is_some_and(|found| Some(found) == value(self.after.as_bytes()))
    }
}

impl Traces {
    /// What is to be undone after one more change: what was mended once keeps what it was at first, if nobody else changed it
    /// in between; what brv made is not somebody else's.
    pub fn renew(&mut self, later: &Self) {
        for old in &mut self.mended {
            if let Some(new) = later.mended.iter().find(|new| new.piece == old.piece) {
                if new.before != old.after {
                    old.before.clone_from(&new.before);
                }
                old.after.clone_from(&new.after);
            }
        }
    }
}
