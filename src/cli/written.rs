//! What became of a command that writes, beside its own answer: the same words for all of them.

use super::transfer;
use super::ui::Screen;
use super::words;
use crate::ops::steps::writing::Written;
use crate::wire;

/// What is to be known of an interrupted command, of files that are not as they should be, and of derived ones.
#[must_use]
pub fn warnings(written: &Written) -> Vec<String> {
    let mut said = recovery(written);
    said.extend(files(written));
    said
}

/// Of an interrupted command.
#[must_use]
pub fn recovery(written: &Written) -> Vec<String> {
    words::recovery(written.recovered.as_ref().map(wire::Recovered::from).as_ref())
}

/// Of files.
#[must_use]
pub fn files(written: &Written) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(transfer::not_written(&wire::Written::from(written).withheld));
    said.extend(transfer::left_alone(&written.left_alone, &written.blocked));
    said.extend(words::derived(written.derived.as_ref()));
    said
}

/// How many derived files were made again.
pub fn derived(screen: &mut Screen, data: &wire::Written) {
    let changed = data.rewritten.derived.as_ref().map_or(0, |done| done.written.len() + done.removed.len());
    if changed > 0 {
        screen.line(format!(" {} brought up to date", words::many(changed, "derived file", "derived files")));
    }
}
