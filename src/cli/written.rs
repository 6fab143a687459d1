//! What became of a command that writes, on the screen.

use super::ui::Screen;
use crate::say::words;
use crate::wire;

/// How many derived files were made again.
pub fn derived(screen: &mut Screen, data: &wire::Written) {
    let changed = data.rewritten.derived.as_ref().map_or(0, |done| done.written.len() + done.removed.len());
    if changed > 0 {
        screen.line(format!(" {} brought up to date", words::many(changed, "derived file", "derived files")));
    }
}
