//! Prints what a merge settled automatically.

use super::ui::{Screen, Style};
use crate::say::decisions::{Voice, line_in};
use brv_commands::vc::merge::Record;

/// Print a line for each settled difference, below the name of its file.
pub fn settled(screen: &mut Screen, records: &[Record], voice: Voice) {
    let mut last = None;
    for record in records {
        if last.replace(&record.path) != Some(&record.path) {
            screen.plain(" ").word(Style::Name, &record.path).plain(":").end();
        }
        screen.plain("   ").word(Style::Plain, line_in(voice, record)).end();
    }
}
