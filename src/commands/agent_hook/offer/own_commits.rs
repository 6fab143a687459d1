//! The commits that the user's own agents made in this work tree, by the log of `HEAD`.

use brv_engine::open::hosting::Host;
use brv_git as git;
use brv_git::mailmap::Mailmap;
use brv_git::reflog::{self, Line};
use brv_git::{CommitId, history, in_progress};
use bstr::ByteSlice as _;

/// The most commits that are looked at.
const MOST: usize = 10;

/// The commits that were written here since a time and that `HEAD` still has, the newest first. Who amends what somebody
/// else wrote makes it no own commit.
pub(super) fn since(host: &Host, began: i64) -> Option<Vec<CommitId>> {
    let scope = &host.scope;
    let text = reflog::end(scope, "HEAD".into()).ok()?;
    let lines: Vec<Line<'_>> = text.lines().filter_map(Line::parse).filter(Line::is_of_committer).collect();
    let is_new = |at: &usize| lines[*at].seconds >= began;
    let recent: Vec<usize> = (0..lines.len()).rev().filter(is_new).take(MOST).collect();
    if recent.is_empty() || in_progress::is_rebasing(scope.git_dir()) {
        return Some(Vec::new());
    }
    let head = scope.head().ok()?.commit()?;
    let mailmap = Mailmap::of(scope);
    let has_own_author =
        |id: CommitId| git::commit::read(scope, id).is_ok_and(|commit| mailmap.is_own(&commit.author));
    let mut found = Vec::new();
    for at in recent {
        let id = lines[at].new;
        let stands = || history::is_ancestor(scope, id, head).unwrap_or(false);
        if !found.contains(&id) && is_own(&lines, at, &has_own_author) && stands() {
            found.push(id);
        }
    }
    Some(found)
}

/// Whether a line, and each that it amends, has an author of the user.
fn is_own(lines: &[Line<'_>], at: usize, has_own_author: &dyn Fn(CommitId) -> bool) -> bool {
    let line = &lines[at];
    let amended = || lines[..at].iter().rposition(|before| Some(before.new) == line.old);
    has_own_author(line.new)
        && (!line.is_amend() || amended().is_some_and(|before| is_own(lines, before, has_own_author)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amend_is_as_own_as_what_it_amends() {
        let line = |old: u8, new: u8, action: &str| {
            let [old, new] = [old, new].map(|digit| digit.to_string().repeat(40));
            format!("{old} {new} A <a@b> 1 +0000\t{action}: x")
        };
        let texts = [
            line(0, 1, "commit (initial)"),
            line(1, 2, "commit (amend)"),
            line(7, 8, "commit (amend)"),
            line(8, 9, "commit (amend)"),
        ];
        let lines: Vec<Line<'_>> = texts.iter().filter_map(|text| Line::parse(text.as_bytes())).collect();
        let all = |_| true;
        assert_eq!([0, 1, 2, 3].map(|at| is_own(&lines, at, &all)), [true, true, false, false]);
        let but_first = |id: CommitId| !id.to_string().starts_with('1');
        assert!(!is_own(&lines, 1, &but_first));
    }
}
