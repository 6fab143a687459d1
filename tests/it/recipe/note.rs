//! `brv note`: append a fact to an entry, and commit it.

use brv_base::path::TreePath;
use brv_engine::journal::OperationKind;
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::write::landing::{self, Draft, Item, Note, Saved};
use brv_engine::write::operation::files_only::Rewrite;
use brv_engine::{Context, Stop};
use bstr::{BStr, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

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
    if text.trim().is_empty() || text.contains(['\n', '\r']) {
        return Err(Stop::usage("a note is one line of text"));
    }
    let opened = cx.open()?;
    let line = format!("- {}", text.trim());
    // made again if another program changes the entry meanwhile
    let (saved, entry) = landing::settled(cx.parts(&opened), || {
        let unknown = || Stop::usage(format!("`{name}` is not an entry")).nearest(&[]);
        let found = resolve::resolve(&opened.scope.root(), &cx.cwd, name)?;
        let Some(Named::File(entry)) = found else { return Err(unknown()) };
        let file = Rewrite::edit(&opened.scope, &entry, |before| {
            let before = before.ok_or_else(unknown)?;
            // repeated after an interruption, it adds nothing
            if before.lines().any(|known| known == line.as_bytes()) {
                return Ok(Some(before.to_vec()));
            }
            let gap: &[u8] = if before.is_empty() || before.ends_with(b"\n") { b"" } else { b"\n" };
            Ok(Some([before, gap, line.as_bytes(), b"\n"].concat()))
        })?;
        let note = Note { path: entry.as_str().into(), reason: line.clone(), review: None };
        let words = |_: &BTreeSet<&BStr>| (format!("note in {entry}"), vec![line.clone()]);
        let draft = Draft { notes: vec![note], ..Draft::new(vec![Item::of(file)], &words) };
        Ok((landing::save(cx.parts(&opened), OperationKind::Curate, &draft)?, entry.clone()))
    })?;
    Ok(Outcome { entry, line, saved: saved.complete()? })
}
