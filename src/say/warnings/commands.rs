//! Warnings of single commands, made from their data.

use crate::say::words::{self, many};
use crate::say::{blocked, decisions};
use brv_base::escape::escape_line;
use brv_commands::read::{Level, PieceKind, ReadPiece};
use brv_commands::undo;
use brv_commands::vc;
use brv_commands::vc::rm;
use brv_commands::vc::switch::Switched;
use brv_engine::merge::reconcile::{Done, Record};
use brv_engine::outcome::bytes::Bytes;
use brv_text::merge::{MergePlace, Side};
use brv_text::stale::Freshness;
use bstr::BString;

/// Warnings of a switch: commits that have no name now, and effects on files.
pub fn switched(data: &Switched) -> Vec<String> {
    let left = data.left_behind.as_ref().map(|left| {
        let (commit, has_one) = (words::short(&left.commit), left.commits == 1);
        let (are, them) = if has_one { ("is", "it") } else { ("are", "them") };
        format!(
            "{} {are} on no branch, up to {commit}; keep {them} with `brv vc branch NAME {commit}`",
            many(left.commits, "commit", "commits")
        )
    });
    left.into_iter().chain(super::written(&data.written)).collect()
}

/// Warnings of `undo`: skipped operations, files left alone, effects on the remote, and secrets that were not restored.
pub fn undo(data: &undo::Outcome) -> Vec<String> {
    let mut said: Vec<String> = passed_over(data).into_iter().collect();
    // with conflicts and without an operation nothing happened
    if !data.conflicts.is_empty() && data.written.operation.is_none() {
        return said;
    }
    said.extend(remaining(data));
    said.extend(left(data));
    said.extend(reverts_on_remote(data));
    said.extend(without_secrets(data));
    said
}

/// The warning about newer operations of others.
fn passed_over(data: &undo::Outcome) -> Option<String> {
    let others: Vec<String> = data
        .passed_over
        .iter()
        .map(|one| {
            let actor = if one.actor.is_empty() { "an unknown actor" } else { one.actor.as_str() };
            format!("by {}: {}", escape_line(actor.as_bytes()), one.id.short())
        })
        .collect();
    match &others[..] {
        [] => None,
        [only] => Some(format!("skipped 1 newer operation, {only}")),
        [first, ..] => Some(format!("skipped {} newer operations, the newest {first}", others.len())),
    }
}

/// The warning about operations of a session that are not undone.
fn remaining(data: &undo::Outcome) -> Option<String> {
    let session = data.session.as_ref()?;
    let newest = session.remaining.first()?.id.short();
    let count = many(session.remaining.len(), "operation", "operations");
    let why = match data.conflicts.is_empty() {
        true => "their changes are gone, or the current version is kept",
        false => "they come before the one with conflicts",
    };
    Some(format!("{count} of the session not undone, the newest {newest}: {why}"))
}

/// Warnings about files that are not fully restored.
fn left(data: &undo::Outcome) -> Vec<String> {
    let uncommitted = data.uncommitted.iter().map(|path| {
        format!("`{}` has uncommitted edits: it was restored, but not committed", escape_line(path))
    });
    let kept =
        data.kept.iter().map(|path| format!("`{}` was not written by brv; left alone", escape_line(path)));
    uncommitted.chain(kept).collect()
}

/// The warning that a push of the undo changes files at the remote.
fn reverts_on_remote(data: &undo::Outcome) -> Option<String> {
    let reverted = data.reverts_on_remote.as_ref()?;
    let named = |verb: &str, paths: &[BString]| {
        const SHOWN: usize = 10;
        let mut names: Vec<String> =
            paths.iter().take(SHOWN).map(|path| format!("`{}`", escape_line(path))).collect();
        if paths.len() > SHOWN {
            names.push(format!("{} more", paths.len() - SHOWN));
        }
        (!names.is_empty()).then(|| format!("{verb} {}", names.join(", ")))
    };
    let parts: Vec<String> =
        named("removes", &reverted.removed).into_iter().chain(named("restores", &reverted.changed)).collect();
    let redo = data.written.operation.as_ref();
    let redo = redo.map(|id| format!("; `brv undo {}` redoes the {}", id.short(), data.undone.word()));
    Some(format!(
        "the next push also {} on {}{}",
        parts.join(" and "),
        escape_line(reverted.upstream.as_bytes()),
        redo.unwrap_or_default()
    ))
}

/// Warnings about secrets, which are never stored in the log, and so are not restored.
fn without_secrets(data: &undo::Outcome) -> Vec<String> {
    // all others are tokens and the like
    const ADDRESSES: [&str; 4] = ["url", "pushurl", "remote", "pushremote"];
    let lost = data.without_secrets.iter();
    lost.map(|name| {
        let key = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let how = match ADDRESSES.contains(&key.as_str()) {
            true => "is restored without its user name or password, which is not stored",
            false => "is not restored: secrets are not stored",
        };
        format!("`{}` {how}", escape_line(name.as_bytes()))
    })
    .collect()
}

/// Warnings of `vc sync`: uncommitted files, and deleted files that were kept.
pub fn sync(data: &vc::sync::Outcome) -> Vec<String> {
    uncommitted(&data.uncommitted)
        .into_iter()
        .chain(kept(data))
        .chain(blocked::warnings(&data.unreviewed))
        .collect()
}

/// The warning about uncommitted files.
fn uncommitted(paths: &[Bytes]) -> Option<String> {
    const SHOWN: usize = 5;
    if paths.is_empty() {
        return None;
    }
    let names: Vec<_> = paths.iter().take(SHOWN).map(|path| escape_line(path).into_owned()).collect();
    let more = if paths.len() > SHOWN { ", …" } else { "" };
    let files = many(paths.len(), "file is", "files are");
    Some(format!("{files} not committed, and not synced: {}{more}", names.join(", ")))
}

/// The warning about files that one side deleted and that both have now: nobody saw this merge before it was pushed.
fn kept(data: &vc::sync::Outcome) -> Option<String> {
    const SHOWN: usize = 5;
    if data.brought.stopped.is_some() || !data.brought.conflicts.is_empty() {
        return None;
    }
    let is_kept = |record: &&Record| record.settled == Done::ChangeKept && record.place == MergePlace::Whole;
    let records = Record::all(&data.brought.settled);
    let kept: Vec<&Record> = records.iter().filter(is_kept).collect();
    if kept.is_empty() {
        return None;
    }
    let whose = |record: &Record| if record.side == Some(Side::Theirs) { "here" } else { "there" };
    let name = |record: &&Record| {
        format!("{} ({} {})", escape_line(record.path.as_bytes()), decisions::gone(record), whose(record))
    };
    let names: Vec<_> = kept.iter().take(SHOWN).map(name).collect();
    let more = if kept.len() > SHOWN { ", …" } else { "" };
    let files = many(kept.len(), "removed file is", "removed files are");
    let names = names.join(", ");
    Some(format!(
        "{files} kept, modified by the other side: {names}{more}; to delete a file on both sides, use `brv vc rm PATH`"
    ))
}

/// Warnings about links that `vc rm` broke, and about archive records that it deleted.
pub fn rm(data: &rm::Outcome) -> impl Iterator<Item = String> {
    let records = words::archive_records(&data.unrecorded);
    let links = data.dangling.iter().map(|link| {
        let line = link.line.map_or_else(|| "related".to_owned(), |line| format!("line {line}"));
        let written = escape_line(link.written.as_bytes());
        format!("`{}` ({line}) points to `{written}`, which is deleted", link.from)
    });
    links.chain(records)
}

/// The entries in conflict, shown with our side only.
pub fn in_conflict<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<String> {
    paths.map(|path| format!("`{path}` is in conflict: this is our side")).collect()
}

/// The entries behind which the code moved on.
pub fn stale<'f>(found: impl Iterator<Item = (&'f str, Option<&'f Freshness>)>) -> Vec<String> {
    found.filter_map(|(path, freshness)| Some(format!("`{path}`: {}", freshness?.line()?))).collect()
}

/// Warnings of `read`: another length than requested, or a file in conflict.
pub fn read(piece: &ReadPiece) -> Vec<String> {
    let name = if piece.path.is_empty() { "the tree".into() } else { format!("`{}`", piece.path) };
    let given = match piece.level {
        Level::Abstract => "its abstract",
        Level::Overview => "its overview",
        Level::Full => "the full text",
    };
    // a folder is its index, and an archived entry its stub: nobody expects more
    let fallback = piece.fallback.as_ref().filter(|fallback| match piece.subject {
        PieceKind::Folder => fallback.asked != Level::Full,
        subject => subject != PieceKind::Archived,
    });
    let fallback = fallback.map(|fallback| format!("{name}: {}; this is {given}", fallback.reason));
    let is_in_conflict = piece.source.as_ref().is_some_and(|source| source.conflict.is_some());
    let conflict = is_in_conflict.then(|| format!("{name} is in conflict: this is our side"));
    let stale = piece.freshness.as_ref().and_then(|known| known.line()).map(|line| format!("{name}: {line}"));
    fallback.into_iter().chain(conflict).chain(stale).collect()
}
