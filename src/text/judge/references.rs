//! References in brackets, which a note does not need.

use super::scanner::{Border, List, Scanner};
use std::sync::OnceLock;

/// The length of `[1]`, `(#12)`, `(see #12)` or `(https://…)` at the start of a text, if one is there.
pub(super) fn length(text: &str) -> Option<usize> {
    static LIST: OnceLock<Scanner> = OnceLock::new();
    let list = List { cased: true, ..List::new(0, Border::Free, include_str!("lists/brackets.txt")) };
    let scanner = LIST.get_or_init(|| Scanner::new([list]));
    scanner.at(text, 0).first().map(|(_, end)| *end)
}
