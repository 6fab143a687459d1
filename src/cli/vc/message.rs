//! Gets the commit message from an editor, if none was given and brv runs at a terminal.

use crate::cli::session::Session;
use crate::cli::ui::editor;
use crate::say::Failure;
use crate::say::words::many;
use brv_base::escape::quote_path;
use brv_commands::vc::commit::{self, Basis, Options, PreparedCommit, Replaces};
use brv_engine::Stop;
use brv_engine::outcome::change::What;

/// Number of files listed below the message.
const NAMED: usize = 100;

/// A message from an editor, with the state that it was written for; `None`: there is nothing to commit.
///
/// # Errors
/// The failure to print.
pub fn written(session: &Session, options: &Options) -> Result<Option<(String, Basis)>, Failure> {
    let Some(prepared) = commit::prepare(&session.context(), options)? else { return Ok(None) };
    session.bar.clear();
    let editor = editor(&session.environment).ok_or_else(|| {
        Stop::usage("no editor is configured, and the terminal is dumb")
            .hint("pass the message with `-m MSG`")
    })?;
    let notes = |mark| notes(&prepared, options, mark);
    let written = prepared.edit(&editor, &session.environment, notes).map_err(|stop| {
        stop.hint("nothing was committed; pass the message with `-m MSG` instead of an editor")
    })?;
    match written.is_empty() {
        true => Err(Failure::usage("empty commit message: nothing was committed")),
        false => Ok(Some((written, prepared.basis))),
    }
}

/// The comment below the message in the editor.
fn notes(prepared: &PreparedCommit, options: &Options, mark: char) -> String {
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
