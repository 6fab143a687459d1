//! `brv brain --for PATH…`: prints what is known about files of the code.

use crate::cli::ui::{Screen, Style};
use crate::cli::withheld;
use crate::say::escape::escape_line;
use crate::say::last_changes;

pub(super) use brv_commands::brain::for_files::{Outcome, run};

/// What is said of a file that is not there.
pub(super) fn absent(path: &str) -> String {
    format!("`{}` is not a file of this project", escape_line(path.as_bytes()))
}

/// Draw what is known: nothing, if that is nothing.
pub(super) fn draw(screen: &mut Screen, found: &Outcome) {
    screen.bytes(Style::Plain, &found.document);
    screen.bytes(Style::Plain, last_changes::lines(&found.last_changes));
    withheld::count(screen, found.withheld);
}
