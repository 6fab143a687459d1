//! Gets the commit message from an editor, if none was given and brv runs at a terminal.

use crate::cli::session::Session;
use crate::cli::ui::{Form, editor};
use crate::say::Failure;
use crate::say::words::many;
use brv_base::escape::quote_path;
use brv_commands::vc::commit::{self, Options, Outcome, Prepared, Replaces};
use brv_engine::outcome::change::What;

/// Number of files listed below the message.
const NAMED: usize = 100;

/// Whether an editor may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editing {
    /// If there is no message, and brv runs at a terminal.
    Auto,
    /// Never (`--no-edit`).
    Off,
}

impl From<bool> for Editing {
    fn from(is_off: bool) -> Self {
        if is_off { Self::Off } else { Self::Auto }
    }
}

/// Commit, with a message from an editor if none was given.
///
/// # Errors
/// The failure to print.
pub fn committed(session: &Session, mut options: Options, editing: Editing) -> Result<Outcome, Failure> {
    let is_terminal = session.ui.is_interactive() && session.ui.form() == Form::Text;
    let context = session.context();
    if editing == Editing::Auto && is_terminal && options.message.is_empty() {
        let prepared = commit::prepare(&context, &options)?;
        if let Some(prepared) = prepared {
            session.bar.clear();
            let editor = editor(&session.environment).ok_or_else(no_editor)?;
            let notes = |mark| notes(&prepared, &options, mark);
            let written = prepared.edit(&editor, &session.environment, notes)?;
            if written.is_empty() {
                return Err(Failure::usage("empty commit message: nothing was committed"));
            }
            options.message = vec![written];
            options.basis = Some(prepared.basis);
        }
    }
    Ok(commit::run(&context, &options)?)
}

/// The comment below the message in the editor.
fn notes(prepared: &Prepared, options: &Options, mark: char) -> String {
    let what = match options.replaces {
        Replaces::Nothing => "the commit",
        Replaces::Head => "the commit that replaces the last one",
    };
    let branch = prepared
        .branch
        .as_ref()
        .map_or_else(|| "HEAD detached".to_owned(), |name| format!("On branch {name}"));
    let mut lines = vec![
        format!("Write the message of {what}. Lines that start with '{mark}' are ignored,"),
        "and an empty message aborts the commit.".to_owned(),
        String::new(),
        branch,
    ];
    if !prepared.changes.is_empty() {
        lines.push("Changes to be committed:".to_owned());
    }
    for entry in prepared.changes.iter().take(NAMED) {
        let change = match entry.change {
            What::Added => "new file",
            What::Modified => "modified",
            What::Deleted => "deleted",
            What::Renamed => "renamed",
            What::TypeChanged => "typechange",
        };
        lines.push(format!("  {change}: {}", quote_path(&entry.path)));
    }
    let more = prepared.changes.len().saturating_sub(NAMED);
    if more > 0 {
        lines.push(format!("  and {} more", many(more, "file", "files")));
    }
    lines.join("\n")
}

fn no_editor() -> Failure {
    Failure::usage("no editor is configured, and the terminal is dumb")
        .hinting(Some("pass the message with `-m MSG`"))
}
