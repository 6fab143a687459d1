//! `brv brain --for PATH…`: prints what is known about files of the code.

use crate::cli::ui::{Screen, Style};
use crate::cli::withheld;
use crate::say::last_changes;
use brv_base::escape::escape_line;

pub(super) use brv_commands::brain::for_files::{Outcome, run};

/// What is said of a file that is not there.
pub(super) fn absent(path: &str) -> String {
    format!("`{}` is not a file of this project", escape_line(path.as_bytes()))
}

/// Draw what is known. That nothing is known is said to a person only: a program finds no text.
pub(super) fn draw(screen: &mut Screen, found: &Outcome) {
    if found.document.is_empty() && found.withheld == 0 && screen.is_terminal() {
        let files: Vec<&str> = found.paths.iter().map(String::as_str).collect();
        screen.text(Style::Dim, "Nothing is known of ").word(Style::Name, files.join(", ")).plain(".").end();
    }
    screen.bytes(Style::Plain, &found.document);
    screen.bytes(Style::Plain, last_changes::lines(&found.last_changes));
    withheld::count(screen, found.withheld);
}
