//! `brv brain`: a file for each command of the family, and for the answer about files of the code.

mod for_files;
pub mod prime;
pub mod served;
pub mod show;
pub mod unwrite;
pub mod write;

use crate::cli::ui::{Screen, Style};
use brv_commands::brain::file::{FileState, InFile};

/// What became of a file, on one line.
pub(super) fn told(screen: &mut Screen, file: &InFile) {
    let (style, word) = match file.state {
        FileState::Written => (Style::Good, "written "),
        FileState::Unchanged => (Style::Dim, "unchanged "),
        FileState::Removed => (Style::Good, "removed from "),
    };
    screen.text(style, word).word(Style::Name, &file.file).end();
}
