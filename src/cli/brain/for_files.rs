//! `brv brain --for PATH…`: prints what is known about files of the code.

use crate::cli::ui::{Screen, Style};
use crate::cli::withheld;
use crate::say::last_changes;
use brv_base::escape::escape_line;

pub(super) use brv_commands::brain::for_files::{Outcome, run};

/// The remark on a file that does not exist.
pub(super) fn absent(path: &str) -> String {
    format!("`{}` is not a file of this project", escape_line(path.as_bytes()))
}

/// Draw what is known. Only a person reads that nothing is known: a program gets no text.
pub(super) fn draw(screen: &mut Screen, found: &Outcome) {
    if found.document.is_empty() && found.withheld == 0 && screen.is_terminal() {
        let files: Vec<&str> = found.paths.iter().map(String::as_str).collect();
        screen
            .text(Style::Dim, "Nothing is known about ")
            .word(Style::Name, files.join(", "))
            .plain(".")
            .end();
    }
    screen.bytes(Style::Plain, &found.document);
    screen.bytes(Style::Plain, last_changes::lines(&found.last_changes));
    withheld::count(screen, found.withheld);
}
