//! What a merge settled, on the screen.

use super::ui::{Screen, Style};
use crate::say::decisions::{Voice, line_in};
use crate::wire::MergeRecord;

/// A line for each thing that was settled, below the file that it is in.
pub fn settled(screen: &mut Screen, records: &[MergeRecord], voice: Voice) {
    let mut last = None;
    for record in records {
        if last.replace(&record.path) != Some(&record.path) {
            screen.plain(" ").word(Style::Name, &record.path).plain(":").end();
        }
        screen.plain("   ").word(Style::Plain, line_in(voice, record)).end();
    }
}
