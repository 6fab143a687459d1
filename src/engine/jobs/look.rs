//! Look at the logs of the host for commits that no hook queued: `git am` and `rebase --apply` call none, a hook may be
//! quiet, and a queue may be lost.
//!
//! Only commits that were made here count, by the words that git writes into the log of `HEAD`; what was pulled, merged,
//! reset to or checked out was made elsewhere, or earlier. What was rewritten since is passed over.

use super::Store;
use crate::Stop;
use crate::open::hosting::Host;
use crate::open::state::{LogPosition, NewJob};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_git as git;
use brv_git::in_progress;
use brv_git::reflog::{self, Line, Making};
use brv_git::{CommitId, Scope, history, refs};
use bstr::ByteSlice as _;

/// Queue the commits that were made here since the last look. `in_tree` says which commits the tree has already: where
/// nothing is remembered of a log, the look begins behind the last one that it has, or that has a job.
pub fn look(store: &Store, host: &Host, in_tree: &dyn Fn(CommitId) -> bool) -> Result<Vec<i64>, Stop> {
    let mut queued = Vec::new();
    let is_first = !store.read(|state| state.has_marks())?;
    let has_job =
        |id: CommitId| store.read(|state| state.job_of(&id.to_string())).is_ok_and(|job| job.is_some());
    let is_known = |id: CommitId| has_job(id) || in_tree(id);
    for log in reflog::of_heads(&host.scope)? {
        // its commits are taken when it ends
        if in_progress::is_rebasing(&log.git_dir) {
            continue;
        }
        let mark = store.read(|state| state.mark(&log.name))?;
        let text = fs::read_if_there(&log.file)?.unwrap_or_default();
        let start = start(&text, mark.as_ref(), is_first, &is_known);
        let made = made(&host.scope, &text[start..])?;
        let event = |(commit, branch): (CommitId, Option<String>)| NewJob {
            kind: "commit".to_owned(),
            commit: Some(commit.to_string()),
            branch,
            event: "log".to_owned(),
            actor: None,
            ..NewJob::default()
        };
        let jobs: Vec<NewJob> = made.into_iter().map(event).collect();
        let (now, end) = (store.now(), end(&text));
        queued.extend(store.with(|state| {
            let made = state.enqueue(&jobs, now)?;
            state.set_mark(&log.name, &end)?;
            Ok(made)
        })?);
    }
    Ok(queued)
}

/// Begin to look: what the logs have by now was made before. What is begun already goes on.
pub fn begin(store: &Store, scope: &Scope) -> Result<(), Stop> {
    mark(store, scope, false)
}

/// Pass over what the logs have by now.
pub fn pass(store: &Store, scope: &Scope) -> Result<(), Stop> {
    mark(store, scope, true)
}

fn mark(store: &Store, scope: &Scope, is_anew: bool) -> Result<(), Stop> {
    for log in reflog::of_heads(scope)? {
        let text = fs::read_if_there(&log.file)?.unwrap_or_default();
        let end = end(&text);
        store.with(|state| match state.mark(&log.name)? {
            Some(_) if !is_anew => Ok(()),
            _ => state.set_mark(&log.name, &end),
        })?;
    }
    Ok(())
}

/// Where the part of a log begins that was not looked at yet. If that is not known, it begins behind the last commit that
/// is known; a log that came after the first look is new as a whole.
fn start(
    text: &[u8],
    mark: Option<&LogPosition>,
    is_first: bool,
    is_known: &dyn Fn(CommitId) -> bool,
) -> usize {
    let lines = || {
        let mut at = 0;
        text.lines_with_terminator().map(move |line| {
            at += line.len();
            (at, line)
        })
    };
    let behind_known = || {
        let known = lines().filter(|(_, line)| Line::parse(line).is_some_and(|line| is_known(line.new)));
        known.map(|(end, _)| end).max().unwrap_or(text.len())
    };
    let Some(mark) = mark else { return if is_first { behind_known() } else { 0 } };
    let offset = usize::try_from(mark.offset).unwrap_or(usize::MAX);
    if text.get(..offset).is_some_and(|before| name(last_line(before)) == mark.line) {
        return offset;
    }
    // git removed lines
    let same = lines().filter(|(_, line)| name(line) == mark.line);
    same.map(|(end, _)| end).max().unwrap_or_else(behind_known)
}

fn last_line(text: &[u8]) -> &[u8] {
    text.lines_with_terminator().next_back().unwrap_or_default()
}

/// What a line is recognised by, whatever its bytes.
fn name(line: &[u8]) -> String {
    ContentId::of(line).to_string()
}

fn end(text: &[u8]) -> LogPosition {
    LogPosition { offset: text.len() as u64, line: name(last_line(text)) }
}

/// The commits that these lines say were made, and that a branch or `HEAD` still has, in order, with the branch.
fn made(scope: &Scope, lines: &[u8]) -> Result<Vec<(CommitId, Option<String>)>, git::Error> {
    let mut found: Vec<CommitId> = Vec::new();
    let is_making = |line: &Line<'_>| matches!(line.making(), Some(Making::Written | Making::Repeated));
    for line in lines.lines().filter_map(Line::parse).filter(is_making) {
        if !found.contains(&line.new) {
            found.push(line.new);
        }
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let head = scope.head()?;
    let mut tips: Vec<(Option<String>, CommitId)> =
        head.commit().map(|commit| (head.short_branch(), commit)).into_iter().collect();
    for (name, commit) in refs::commits(scope, "refs/heads/")? {
        tips.push((Some(name.to_str_lossy().trim_start_matches("refs/heads/").to_owned()), commit));
    }
    let mut standing = Vec::new();
    for commit in found {
        for (branch, tip) in &tips {
            // a commit that is not here any more is on no branch
            if history::is_ancestor(scope, commit, *tip).unwrap_or(false) {
                standing.push((commit, branch.clone()));
                break;
            }
        }
    }
    Ok(standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 A <a@b> 1 +0000\t";

    #[test]
    fn a_look_goes_on_where_the_last_one_ended() {
        let text = ["a", "b\u{e9}", "c"].map(|message| format!("{LINE}commit: {message}\n").into_bytes());
        let text = text
            .map(|line| line.iter().map(|byte| if *byte == 0xc3 { 0xf6 } else { *byte }).collect::<Vec<_>>());
        let all = text.concat();
        let never = |_| false;
        let mark = end(&text[..2].concat());
        assert_eq!(start(&all, Some(&mark), false, &never), text[..2].concat().len());
        // git removed the first line
        assert_eq!(start(&text[1..].concat(), Some(&mark), false, &never), text[1].len());
        // all that was looked at is gone
        assert_eq!(start(&text[2], Some(&mark), false, &never), text[2].len());
        assert_eq!(start(&all, None, true, &never), all.len());
        assert_eq!(start(&all, None, true, &|_| true), all.len());
        // a work tree that was added later
        assert_eq!(start(&all, None, false, &never), 0);
    }
}
