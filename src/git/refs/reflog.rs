//! Reads the reflog of `HEAD` for previous branches (`@{-1}`), and moves the log of a renamed branch.

use crate::fs;
use crate::git::Scope;
use crate::git::error::{During as _, Error};
use crate::git::id::CommitId;
use bstr::{BStr, ByteSlice as _};
use std::path::PathBuf;

/// How many bytes the last lines of a log have.
const END: u64 = 8 << 10;

/// The branch name or commit id that `HEAD` was on `back` switches ago (1: before the last one). git calls it `@{-1}`,
/// or `-` for short.
pub fn previous(scope: &Scope, back: usize) -> Result<Option<String>, Error> {
    let log = read(scope, "HEAD".into())?;
    let mut switches = log.lines().rev().filter_map(|line| {
        let (_, message) = line.split_once_str("\t")?;
        let (from, _) = message.strip_prefix(b"checkout: moving from ")?.split_once_str(" to ")?;
        Some(from.to_str_lossy().into_owned())
    });
    Ok(back.checked_sub(1).and_then(|skipped| switches.nth(skipped)))
}

/// The log of a reference (full name); empty if there is none.
pub fn read(scope: &Scope, name: &BStr) -> Result<Vec<u8>, Error> {
    let path = place(scope, name)?;
    Ok(fs::read_if_there(&path).during(format!("read the log of `{name}`"))?.unwrap_or_default())
}

/// The last lines of the log of a reference (full name), the first of them perhaps cut.
pub fn end(scope: &Scope, name: &BStr) -> Result<Vec<u8>, Error> {
    let path = place(scope, name)?;
    let text = fs::read_end(&path, END).during(format!("read the log of `{name}`"))?;
    Ok(text.unwrap_or_default())
}

/// Moves the log of a renamed branch (full name), which is removed with the old name. The branch's own log has one line
/// for the rename, to which git gives the same commit on both sides.
pub fn go_on(scope: &Scope, name: &BStr, before: &[u8]) -> Result<(), Error> {
    let own = read(scope, name)?;
    let line = own.lines_with_terminator().next_back().unwrap_or_default();
    let mut text = before.to_vec();
    if let Some((_, rest)) = line.split_once_str(" ") {
        text.extend_from_slice(rest.split_once_str(" ").map_or(rest, |(new, _)| new));
        text.push(b' ');
        text.extend_from_slice(rest);
    }
    if text.is_empty() {
        return Ok(());
    }
    fs::replace(&place(scope, name)?, &text, fs::Durability::Now).during(format!("write the log of `{name}`"))
}

/// The name that `HEAD` was last switched to, and its commit; `None` if it never was.
pub fn last_switch(scope: &Scope) -> Result<Option<(String, Option<CommitId>)>, Error> {
    let log = read(scope, "HEAD".into())?;
    let found = log.lines().rev().find_map(|line| {
        let (ids, message) = line.split_once_str("\t")?;
        let (_, to) = message.strip_prefix(b"checkout: moving from ")?.split_once_str(" to ")?;
        let id = ids.split_str(" ").nth(1).and_then(|id| CommitId::from_hex(id.to_str().ok()?));
        Some((to.to_str_lossy().into_owned(), id))
    });
    Ok(found)
}

fn place(scope: &Scope, name: &BStr) -> Result<PathBuf, Error> {
    let base = if name.contains(&b'/') { scope.common_dir() } else { scope.git_dir() };
    fs::below(&base.join("logs"), name).during(format!("find the log of `{name}`"))
}
