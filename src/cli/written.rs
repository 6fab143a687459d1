//! Prints how many derived files a command updated.

use super::ui::Screen;
use crate::say::words;

/// Print how many derived files were updated.
pub fn derived(screen: &mut Screen, data: &brv_engine::write::written::WrittenEffects) {
    let changed = data.rewritten.derived.as_ref().map_or(0, |done| done.written.len() + done.removed.len());
    if changed > 0 {
        screen.line(format!(" {} updated", words::many(changed, "derived file", "derived files")));
    }
}
