//! Resolves revisions as users write them: branches, tags, short ids, `HEAD~1`, `A..B`, `REV:PATH`.

use super::{reflog_dates, shallow};
use crate::error::{During, Error};
use crate::id::{CommitId, ObjectName, TreeId, blob_id};
use crate::objects::headers::Headers;
use crate::{Head, Scope, trees};
use bstr::{BString, ByteSlice};
use std::collections::HashSet;

#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    #[error("unknown revision `{0}`")]
    Unknown(String),
    #[error("the branch `{0}` has no commits yet")]
    Unborn(String),
    #[error("`{0}` is not a commit")]
    NotACommit(String),
    #[error("`{path}` does not exist in `{revision}`")]
    NoSuchPath { revision: String, path: String },
    #[error(transparent)]
    Git(#[from] Error),
}

/// The commit that a revision names.
///
/// # Errors
/// [`RevisionError::Unknown`] or [`RevisionError::NotACommit`].
pub fn commit(scope: &Scope, name: &str) -> Result<CommitId, RevisionError> {
    let object = object(scope, name)?;
    let found = scope.repo.find_object(object.0).during(format!("read {name}"))?;
    let commit = found.peel_to_commit().map_err(|_| RevisionError::NotACommit(name.to_owned()))?;
    Ok(CommitId(commit.id))
}

/// The commit whose id these hexadecimal digits (four or more) begin, or are; `None` if there is none, or more than one.
pub fn abbreviated(scope: &Scope, digits: &str) -> Result<Option<CommitId>, Error> {
    let Ok(prefix) = gix::hash::Prefix::from_hex(digits) else { return Ok(None) };
    let act = || format!("look up the id {digits}");
    let mut ids = HashSet::new();
    scope.repo.objects.lookup_prefix(prefix, Some(&mut ids)).during(act)?;
    let mut commits = Vec::new();
    for id in ids {
        if is_commit(scope, CommitId(id))? {
            commits.push(CommitId(id));
        }
    }
    Ok(match commits[..] {
        [only] => Some(only),
        _ => None,
    })
}

/// Whether the object is here, and is a commit.
pub fn is_commit(scope: &Scope, id: CommitId) -> Result<bool, Error> {
    let header = scope.repo.try_find_header(id.0).during(|| format!("read object {id}"))?;
    Ok(header.is_some_and(|header| header.kind() == gix::object::Kind::Commit))
}

/// The object that a revision names, tags not peeled.
pub fn object(scope: &Scope, name: &str) -> Result<ObjectName, RevisionError> {
    let name = if name == "@" { "HEAD" } else { name };
    let (start, steps) = split_steps(name);
    let found = reflog_dates::settled(start, scope.environment())
        .and_then(|start| scope.repo.rev_parse_single(&*start).ok().map(gix::Id::detach));
    let reached = match found {
        Some(id) if !steps.is_empty() => walk(scope, id, steps)?,
        found => found,
    };
    reached.map(ObjectName).ok_or_else(|| match scope.head() {
        Ok(head @ Head::Unborn { .. }) if is_about_head(name) => {
            RevisionError::Unborn(head.short_branch().unwrap_or_default())
        }
        _ => RevisionError::Unknown(name.to_owned()),
    })
}

/// Splits the steps to ancestors at the end of a revision from where they start: `HEAD` and `~2^`.
///
/// gitoxide passes over a commit that it cannot parse, and would name another one.
fn split_steps(name: &str) -> (&str, &str) {
    let (mut start, mut digits) = (name, 0);
    while let Some(last) = start[..start.len() - digits].bytes().next_back() {
        match last {
            b'0'..=b'9' => digits += 1,
            b'~' | b'^' => (start, digits) = (&start[..start.len() - digits - 1], 0),
            _ => break,
        }
    }
    // `REV:PATH` and `:/TEXT` may end in anything
    if start.is_empty() || name.contains(':') { (name, "") } else { name.split_at(start.len()) }
}

/// Goes from an object to an ancestor; `None` if there is no such one.
fn walk(scope: &Scope, start: gix::ObjectId, steps: &str) -> Result<Option<gix::ObjectId>, Error> {
    let boundary = shallow::read(&scope.repo)?;
    let start = scope.repo.find_object(start).during("read a revision")?.peel_to_commit();
    let Ok(mut id) = start.map(|commit| commit.id) else { return Ok(None) };
    let mut buffer = Vec::new();
    let mut parent = |id: gix::ObjectId, number: usize| -> Result<Option<gix::ObjectId>, Error> {
        if boundary.contains(&id) {
            return Ok(None);
        }
        Ok(Headers::find(&scope.repo.objects, id, &mut buffer)?.parents.get(number).copied())
    };
    for (at, step) in steps.match_indices(['~', '^']) {
        let count = steps[at + 1..].split(['~', '^']).next().filter(|digits| !digits.is_empty());
        let Ok(count) = count.unwrap_or("1").parse::<usize>() else { return Ok(None) };
        // `~3` is three first parents, `^3` the third parent, `^0` the commit itself
        let parents = if step == "~" { vec![0; count] } else { count.checked_sub(1).into_iter().collect() };
        for number in parents {
            match parent(id, number)? {
                Some(next) => id = next,
                None => return Ok(None),
            }
        }
    }
    Ok(Some(id))
}

/// `HEAD`, `HEAD~1`, `HEAD^{tree}`
fn is_about_head(name: &str) -> bool {
    name.strip_prefix("HEAD").is_some_and(|rest| rest.is_empty() || rest.starts_with(['~', '^', '@']))
}

pub fn exists(scope: &Scope, name: &str) -> bool {
    !name.is_empty() && object(scope, name).is_ok()
}

/// Splits `REV:PATH`. A `:` in braces belongs to the revision: `main@{10:00}`.
pub fn split_path(name: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let at = name.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    })?;
    Some((&name[..at], &name[at + 1..]))
}

/// Resolves `REV:PATH`, with the path relative to the tree.
///
/// # Errors
/// [`RevisionError`], also [`RevisionError::NoSuchPath`].
pub fn path_in(scope: &Scope, revision: &str, path: &str) -> Result<trees::TreeItem, RevisionError> {
    let name = if revision.is_empty() { "HEAD" } else { revision };
    let tree = tree(scope, name)?;
    let clean = path.trim_start_matches("./").trim_end_matches('/');
    trees::find(scope, tree, clean.as_bytes().as_bstr())?
        .ok_or_else(|| RevisionError::NoSuchPath { revision: name.to_owned(), path: path.to_owned() })
}

pub fn tree(scope: &Scope, name: &str) -> Result<TreeId, RevisionError> {
    let id = commit(scope, name)?;
    Ok(scope.tree_of(id)?)
}

/// The shortest prefix of the id, at least seven digits, that is unique.
pub fn shorten(scope: &Scope, id: impl Into<ObjectName>) -> Result<String, Error> {
    shortener(scope)(id.into())
}

/// [`shorten`] for many ids.
pub fn shortener(scope: &Scope) -> impl Fn(ObjectName) -> Result<String, Error> {
    use gix::prelude::ObjectIdExt as _;
    let mut repo = scope.repo.clone();
    // mostly no other object has the prefix, and gitoxide would look for new packs each time
    repo.objects.refresh_never();
    move |id| {
        let short = id.0.attach(&repo).shorten().during(|| format!("shorten {id}"))?;
        let text = short.to_string();
        Ok(if text.len() < 7 { id.prefix(7) } else { text })
    }
}

/// The full name of the reference that a short name means: branch before tag before remote branch, as in git.
pub fn full_reference(scope: &Scope, name: &str) -> Option<BString> {
    let reference = scope.repo.try_find_reference(name).ok()??;
    Some(reference.name().as_bstr().to_owned())
}

/// The kind of an object, in one word, and its bytes, for showing tags.
///
/// # Errors
/// An object that is missing.
pub fn describe(scope: &Scope, id: ObjectName) -> Result<RevisionObject, Error> {
    let object = scope.repo.find_object(id.0).during(format!("read {id}"))?;
    Ok(match object.kind {
        gix::object::Kind::Commit => RevisionObject::Commit(CommitId(object.id)),
        gix::object::Kind::Tree => RevisionObject::Folder(TreeId(object.id)),
        gix::object::Kind::Blob => RevisionObject::File(blob_id(&object.id)),
        gix::object::Kind::Tag => {
            let target = gix::objs::TagRefIter::from_bytes(&object.data, gix::hash::Kind::Sha1)
                .target_id()
                .during(format!("read tag {id}"))?;
            RevisionObject::Tag { bytes: object.data.clone().into(), target: ObjectName(target) }
        }
    })
}

#[derive(Debug, Clone)]
pub enum RevisionObject {
    Commit(CommitId),
    Folder(TreeId),
    File(brv_base::content::ContentId),
    /// An annotated tag: its text and what it tags.
    Tag {
        bytes: BString,
        target: ObjectName,
    },
}

#[cfg(test)]
mod tests {
    use super::{split_path, split_steps};

    #[test]
    fn a_path_begins_after_the_first_colon_outside_of_braces() {
        assert_eq!(split_path("HEAD:a:b"), Some(("HEAD", "a:b")));
        assert_eq!(split_path("main@{10:00}:a"), Some(("main@{10:00}", "a")));
        assert_eq!(split_path("main@{10:00}"), None);
        assert_eq!(split_path(":/text"), Some(("", "/text")));
    }

    #[test]
    fn the_steps_of_a_revision_are_split_from_its_start() {
        for (name, start, steps) in [
            ("HEAD", "HEAD", ""),
            ("HEAD~2^", "HEAD", "~2^"),
            ("v1.10", "v1.10", ""),
            ("a-12~3^2~", "a-12", "~3^2~"),
            ("main@{1}~1", "main@{1}", "~1"),
            ("main^{tree}", "main^{tree}", ""),
            ("main^{commit}^0", "main^{commit}", "^0"),
            ("HEAD:a~1", "HEAD:a~1", ""),
            (":/text^", ":/text^", ""),
            ("^HEAD", "^HEAD", ""),
            ("~1", "~1", ""),
            ("123", "123", ""),
            ("", "", ""),
        ] {
            assert_eq!(split_steps(name), (start, steps), "{name}");
        }
    }
}
