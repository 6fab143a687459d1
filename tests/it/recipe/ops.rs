//! `brv note`: append a fact to an entry, and commit it.

use brv::journal::Kind;
use brv::ops::steps::landing::{self, Draft, Note, Saved};
use brv::ops::steps::naming::resolve::{self, Named};
use brv::ops::steps::writing::files_only::Rewrite;
use brv::ops::{Context, Stop};
use brv::path::TreePath;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.note/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Note")]
pub struct Outcome {
    /// The entry.
    pub entry: TreePath,
    /// The line that was added.
    pub line: String,
    /// What was written.
    #[serde(flatten)]
    pub saved: Saved,
}

/// Append `text` to the entry that is called `name`.
///
/// # Errors
/// A text of several lines, or no such entry: nothing is written.
pub fn run(cx: &Context<'_>, text: &str, name: &str) -> Result<Outcome, Stop> {
    if text.trim().is_empty() || text.contains('\n') {
        return Err(Stop::usage("a note is one line of text"));
    }
    let opened = cx.open()?;
    let entry = match resolve::resolve(&opened.scope.root(), &cx.cwd, name)? {
        Some(Named::File(path)) => path,
        _ => return Err(Stop::usage(format!("`{name}` is no entry")).nearest(Vec::new())),
    };
    let line = format!("- {}", text.trim());
    let (saved, ()) = landing::settled(cx.parts(&opened), || {
        let file = Rewrite::edit(&opened.scope, &entry, |before| {
            let before = before.unwrap_or_default();
            let gap: &[u8] = if before.is_empty() || before.ends_with(b"\n") { b"" } else { b"\n" };
            Some([before, gap, line.as_bytes(), b"\n"].concat())
        })?;
        let note = Note { path: entry.as_str().into(), reason: format!("note: {text}"), review: None };
        let draft = Draft {
            notes: vec![note],
            words: &|_| (format!("note in {entry}"), vec![line.clone()]),
            ..Draft::of(vec![vec![file]])
        };
        Ok((landing::save(cx.parts(&opened), Kind::Curate, &draft)?, ()))
    })?;
    Ok(Outcome { entry, line, saved: saved.complete()? })
}
