//! Reads the reflogs of `HEAD`: previous branches (`@{-1}`), and which commits were made here. Moves the log of a renamed
//! branch.

use crate::Scope;
use crate::error::{During as _, Error};
use crate::id::CommitId;
use brv_base::fs;
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

/// A log of `HEAD`: that of the main work tree, or of a linked one.
pub struct HeadLog {
    /// Its path below the common folder.
    pub name: String,
    pub file: PathBuf,
    /// The folder with the state of this work tree.
    pub git_dir: PathBuf,
}

/// The logs of `HEAD` of all work trees.
pub fn of_heads(scope: &Scope) -> Result<Vec<HeadLog>, fs::Error> {
    let common = scope.common_dir();
    let log =
        |git_dir: PathBuf, name: String| HeadLog { file: git_dir.join("logs").join("HEAD"), name, git_dir };
    let mut logs = vec![log(common.to_path_buf(), "HEAD".to_owned())];
    let linked = common.join("worktrees");
    let names = if linked.is_dir() { fs::names(&linked)? } else { Vec::new() };
    for name in names {
        logs.push(log(linked.join(&name), format!("worktrees/{name}/HEAD")));
    }
    Ok(logs)
}

/// A line of a log.
pub struct Line<'a> {
    /// The commit before; `None` if there was none.
    pub old: Option<CommitId>,
    pub new: CommitId,
    /// When, in seconds since 1970.
    pub seconds: i64,
    /// What git did, before the colon: `commit (amend)`.
    action: &'a BStr,
    /// What stands after it.
    rest: &'a BStr,
}

/// What a line of a log says about its new commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// It was written here: by `commit`.
    Written,
    /// It was made here after another commit: by `cherry-pick`, `revert`, `am`, or a rebase that picked one.
    Repeated,
    /// It merges others, and was made here.
    Merged,
}

impl<'a> Line<'a> {
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let (start, message) = line.split_once_str("\t")?;
        let mut ids = start.split_str(" ");
        let mut id = || CommitId::from_hex(ids.next()?.to_str().ok()?);
        let (old, new) = (id(), id()?);
        let seconds = start.rsplit_str(" ").nth(1).and_then(|text| text.to_str().ok()?.parse().ok());
        let (action, rest) = message.split_once_str(":").unwrap_or((message, b""));
        Some(Self {
            old,
            new,
            seconds: seconds.unwrap_or_default(),
            action: action.trim().as_bstr(),
            rest: rest.trim().as_bstr(),
        })
    }

    /// Whether the words and the author of the commit are those of whoever worked here: `commit` and `revert` write a new
    /// commit, while others repeat one that somebody may have written elsewhere.
    pub fn is_of_committer(&self) -> bool {
        let own: [&[u8]; 5] =
            [b"commit", b"commit (amend)", b"commit (initial)", b"commit (merge)", b"revert"];
        own.contains(&self.action.as_bytes())
    }

    /// Whether the commit was written in place of the one before.
    pub fn is_amend(&self) -> bool {
        self.action == "commit (amend)"
    }

    /// Whether the commit was made here, by the words that git and brv write.
    pub fn making(&self) -> Option<Making> {
        let (command, step) = match self.action.split_once_str(" (") {
            Some((command, step)) => (command.as_bstr(), step.strip_suffix(b")").unwrap_or(step).as_bstr()),
            None => (self.action, BStr::new("")),
        };
        let word = command.split_str(" ").next().unwrap_or_default();
        match word {
            b"commit" => Some(Making::Written),
            b"cherry-pick" | b"revert" | b"am" => Some(Making::Repeated),
            b"rebase" | b"pull" if is_pick(command, step) => Some(Making::Repeated),
            b"merge" | b"pull" | b"sync" if self.rest.starts_with(b"Merge made by") => Some(Making::Merged),
            _ => None,
        }
    }
}

/// Whether a rebase took over a commit.
fn is_pick(command: &BStr, step: &BStr) -> bool {
    let picks: [&[u8]; 6] = [b"pick", b"reword", b"edit", b"squash", b"fixup", b"continue"];
    let rebases =
        command.starts_with(b"rebase") || command.contains_str("--rebase") || command.contains_str("-r");
    rebases && picks.contains(&step.as_bytes())
}

fn place(scope: &Scope, name: &BStr) -> Result<PathBuf, Error> {
    let base = if name.contains(&b'/') { scope.common_dir() } else { scope.git_dir() };
    fs::below(&base.join("logs"), name).during(format!("find the log of `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_git_says_it_made_here_counts() {
        const IDS: &str = "0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 A <a@b> 1 +0000";
        for (message, making) in [
            ("commit (initial): one", Some(Making::Written)),
            ("commit (amend): one: two", Some(Making::Written)),
            ("commit (merge): one", Some(Making::Written)),
            ("commit: one", Some(Making::Written)),
            ("cherry-pick: one", Some(Making::Repeated)),
            ("revert: Revert \"one\"", Some(Making::Repeated)),
            ("am: one", Some(Making::Repeated)),
            ("rebase (pick): one", Some(Making::Repeated)),
            ("rebase (continue): one", Some(Making::Repeated)),
            ("pull --rebase origin main (pick): one", Some(Making::Repeated)),
            ("pull origin main: Merge made by the 'ort' strategy.", Some(Making::Merged)),
            ("merge topic: Merge made by brv.", Some(Making::Merged)),
            ("rebase (start): checkout main", None),
            ("rebase (finish): returning to refs/heads/x", None),
            ("pull: Fast-forward", None),
            ("merge topic: Fast-forward", None),
            ("checkout: moving from a to b", None),
            ("reset: moving to HEAD", None),
            ("clone: from x", None),
        ] {
            let line = format!("{IDS}\t{message}\n");
            let line = Line::parse(line.as_bytes()).unwrap();
            assert_eq!(line.making(), making, "{message}");
        }
    }
}
