//! What changed since an earlier document, or since a commit.

use super::Options;
use super::kept::{self, Served};
use crate::brain::digests::{EpochChanges, Version};
use brv_base::content::ContentId;
use brv_base::path::PathKind;
use brv_engine::open::context::Opened;
use brv_engine::read::history::source::Reading;
use brv_engine::review::Comments;
use brv_git as git;
use brv_text::brain::{Digest, Since, SinceComment};
use std::collections::BTreeMap;

/// Find out what `--since` asks for: a hash that was served here, `last`, else a revision. If that is not known, the
/// warning to show.
pub(super) fn find(
    opened: &Opened,
    digests: &[Digest],
    version: Option<Version>,
    options: &Options,
    name: &str,
) -> Result<Since, String> {
    let served = kept::served(opened);
    let session = options.session.as_deref();
    let is_of_session = |one: &&Served| session.is_none() || one.session.as_deref() == session;
    let earlier = match name {
        "last" => served.iter().rev().find(is_of_session),
        hash => served.iter().rev().find(|one| one.hash == hash),
    };
    let since = match earlier {
        Some(earlier) => version
            .and_then(|version| between(opened, version, earlier.version, &earlier.hash))
            .map(|since| with_comments(opened, since, earlier.at))
            .ok_or_else(|| unknown(name, "what changed since is not known any more")),
        None if name == "last" => Err(unknown(name, "none was served here yet")),
        None => of_revision(opened, digests, name)
            .ok_or_else(|| unknown(name, "no such document was served here, and no commit has that name")),
    };
    since.map(|since| inside(since, options.scope.as_deref()))
}

fn unknown(name: &str, why: &str) -> String {
    format!("--since `{name}`: {why}; this is the full document")
}

/// What changed since an earlier version of the files.
pub(super) fn between(opened: &Opened, now: Version, earlier: Version, from: &str) -> Option<Since> {
    let [added, changed, removed] = EpochChanges::read(opened, now).since(earlier)?;
    Some(Since { from: from.to_owned(), added, changed, removed, ..Since::default() })
}

/// With the comments that wait for an answer and came at this time or later, in seconds since 1970.
pub(super) fn with_comments(opened: &Opened, since: Since, time: i64) -> Since {
    let known = Comments::read(opened).unwrap_or_default();
    let new = known.open().filter(|comment| comment.time >= time);
    let comments = new.map(|comment| SinceComment { id: comment.id.clone(), path: comment.path.clone() });
    Since { comments: comments.collect(), ..since }
}

fn of_revision(opened: &Opened, digests: &[Digest], name: &str) -> Option<Since> {
    let reading = Reading::open(&opened.scope, Some(name)).ok()?;
    let time = git::commit::read(&opened.scope, reading.commit()?).ok()?.committer.seconds;
    let then = reading.curated()?;
    let then: BTreeMap<&str, ContentId> = then
        .iter()
        .filter(|file| file.path.kind() == PathKind::Entry)
        .map(|file| (file.path.as_str(), file.id))
        .collect();
    let now: BTreeMap<&str, ContentId> = digests
        .iter()
        .filter(|digest| digest.entry().is_some())
        .map(|digest| (digest.path.as_str(), digest.blob))
        .collect();
    let mut since = Since { from: name.to_owned(), ..Since::default() };
    for (path, id) in &now {
        match then.get(path) {
            None => since.added.push((*path).to_owned()),
            Some(before) if before != id => since.changed.push((*path).to_owned()),
            Some(_) => {}
        }
    }
    since.removed.extend(then.keys().filter(|path| !now.contains_key(*path)).map(|path| (*path).to_owned()));
    Some(with_comments(opened, since, time))
}

/// Only what is in the scope.
pub(super) fn inside(mut since: Since, scope: Option<&str>) -> Since {
    let scope = scope.map(|scope| scope.trim_matches('/')).filter(|scope| !matches!(*scope, "" | "."));
    if let Some(scope) = scope {
        let is_inside = |path: &String| path.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/'));
        [&mut since.added, &mut since.changed, &mut since.removed]
            .into_iter()
            .for_each(|paths| paths.retain(is_inside));
        since.comments.retain(|comment| is_inside(&comment.path));
    }
    since
}
