//! What counts as brv's own: bytes that may be replaced, and our side of a conflict.

use super::Why;
use brv_text::derive::stamp::{self, Stamp};
use brv_text::merge::{self, Choice, Format};
use bstr::ByteSlice as _;

/// In a file with committed conflict markers our side counts, as in a file that is still in conflict.
pub fn our_side(bytes: Vec<u8>) -> Vec<u8> {
    match bytes.contains_str("<<<<<<<") {
        true => merge::decide(&bytes, Format::Document, &|_| Some(Choice::Ours)).bytes,
        false => bytes,
    }
}

/// Why a file with these bytes must not be replaced; `None` if it may be.
pub(super) fn not_ours(bytes: &[u8]) -> Option<Why> {
    // derived files are not synced: a power cut may leave a file of zeros, which is safe to replace
    if bytes.iter().all(|byte| *byte == 0) {
        return None;
    }
    match stamp::read(bytes) {
        Stamp::Ours { .. } => None,
        Stamp::Altered => Some(Why::Altered),
        Stamp::Foreign => Some(Why::Foreign),
    }
}
