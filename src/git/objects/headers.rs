//! Reads the headers of a commit as git does: tree and parents must be right; author, committer and encoding are taken
//! as they are.
//!
//! gitoxide's parser rejects a commit whose author line it cannot read. [`Lenient`] shows such commits to gitoxide's
//! walks with lines that it can.

use super::encoding;
use crate::error::{During, Error};
use crate::signature::Signature;
use bstr::{BString, ByteSlice as _};
use gix::ObjectId;
use gix::objs::{Data, Find, FindExt as _};

const SHA1: gix::hash::Kind = gix::hash::Kind::Sha1;

/// A commit, split at its headers.
pub(crate) struct Headers<'a> {
    pub tree: ObjectId,
    pub parents: Vec<ObjectId>,
    /// The line after `author`; empty if there is none.
    author: &'a [u8],
    /// The line after `committer`; empty if there is none.
    committer: &'a [u8],
    encoding: Option<&'a [u8]>,
    message: &'a [u8],
}

/// A commit without a tree, or with a tree or parent that is not an id.
#[derive(Debug, thiserror::Error)]
#[error("the commit has no valid `{0}` line")]
struct MalformedCommit(&'static str);

impl<'a> Headers<'a> {
    /// Finds a commit and splits it. The buffer holds its bytes.
    pub fn find(objects: &impl Find, id: ObjectId, buffer: &'a mut Vec<u8>) -> Result<Self, Error> {
        let act = || format!("read commit {id}");
        // of the right kind or an error
        objects.find_commit_iter(&id, buffer).during(act)?;
        Self::of(id, buffer)
    }

    /// Splits the commit `id`.
    pub fn of(id: ObjectId, bytes: &'a [u8]) -> Result<Self, Error> {
        Self::split(bytes).during(|| format!("read commit {id}"))
    }

    fn split(bytes: &'a [u8]) -> Result<Self, MalformedCommit> {
        let mut rest = bytes;
        let tree = id(line(&mut rest), b"tree ").ok_or(MalformedCommit("tree"))?;
        let mut parents = Vec::new();
        while rest.starts_with(b"parent ") {
            parents.push(id(line(&mut rest), b"parent ").ok_or(MalformedCommit("parent"))?);
        }
        let (mut author, mut committer, mut encoding) = (None, None, None);
        while !rest.is_empty() {
            let header = line(&mut rest);
            if header.is_empty() {
                break;
            }
            // the first of each counts
            let fields: [(&[u8], &mut Option<&[u8]>); 3] =
                [(b"author ", &mut author), (b"committer ", &mut committer), (b"encoding ", &mut encoding)];
            for (name, field) in fields {
                *field = field.or_else(|| header.strip_prefix(name));
            }
        }
        let (author, committer) = (author.unwrap_or_default(), committer.unwrap_or_default());
        Ok(Self { tree, parents, author, committer, encoding, message: rest })
    }

    /// Who wrote the change.
    pub fn author(&self) -> Signature {
        Signature::parse(&encoding::to_utf8(self.author, self.encoding))
    }

    pub fn committer(&self) -> Signature {
        Signature::parse(&encoding::to_utf8(self.committer, self.encoding))
    }

    /// The committer time in seconds since 1970; 0 if the line has none.
    pub fn seconds(&self) -> i64 {
        Signature::parse(self.committer).seconds
    }

    /// The message, in UTF-8 if its encoding is known.
    pub fn message(&self) -> BString {
        encoding::to_utf8(self.message, self.encoding).into_owned().into()
    }
}

/// Takes the first line, without its end.
fn line<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let (line, after) = rest.split_once_str("\n").unwrap_or((rest, b""));
    *rest = after;
    line
}

fn id(line: &[u8], name: &[u8]) -> Option<ObjectId> {
    ObjectId::from_hex(line.strip_prefix(name)?).ok().filter(|id| id.kind() == SHA1)
}

/// Objects for gitoxide's walks, which read parents and times: a commit whose author or committer line gitoxide cannot
/// parse has the same tree, parents and time, and nobody's name.
pub(crate) struct Lenient<T>(pub T);

impl<T: Find> Find for Lenient<T> {
    fn try_find<'a>(&self, id: &gix::oid, buffer: &'a mut Vec<u8>) -> gix::Result<Option<Data<'a>>> {
        let Some(found) = self.0.try_find(id, buffer)? else { return Ok(None) };
        let (kind, object_hash) = (found.kind, found.object_hash);
        if kind == gix::objs::Kind::Commit
            && let Some(readable) = readable(found.data)
        {
            *buffer = readable;
        }
        Ok(Some(Data { kind, object_hash, data: buffer }))
    }
}

/// The commit as gitoxide can read it; `None` if it can already, or if there is no tree or parent to show.
fn readable(bytes: &[u8]) -> Option<Vec<u8>> {
    let signatures = gix::objs::CommitRefIter::from_bytes(bytes, SHA1).signatures();
    if signatures.take(2).count() == 2 {
        return None;
    }
    let headers = Headers::split(bytes).ok()?;
    let mut text = format!("tree {}\n", headers.tree);
    text.extend(headers.parents.iter().map(|parent| format!("parent {parent}\n")));
    let time = headers.seconds();
    text.push_str(&format!("author  <> {time} +0000\ncommitter  <> {time} +0000\n\n"));
    Some(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";
    const PARENT: &str = "parent 1111111111111111111111111111111111111111\n";

    #[test]
    fn parents_are_read_whatever_the_author_line_is() {
        for author in ["author \n", "author A <a 1\n", "author\n", "", "gpgsig x\n author B <b> 1 +0000\n"] {
            let bytes = format!("{TREE}{PARENT}{PARENT}{author}committer C <c> 7 +0000\n\nsubject\n");
            let headers = Headers::split(bytes.as_bytes()).unwrap();
            assert_eq!((headers.parents.len(), headers.seconds()), (2, 7), "{author}");
            assert_eq!(headers.message(), "subject\n");
            let readable = readable(bytes.as_bytes()).unwrap();
            let again = gix::objs::CommitRef::from_bytes(&readable, SHA1).unwrap();
            assert_eq!((again.parents.len(), again.committer().unwrap().seconds()), (2, 7));
        }
        let good = format!("{TREE}author A <a> 1 +0000\ncommitter C <c> 7 +0000\n\nx");
        assert_eq!(readable(good.as_bytes()), None);
    }

    #[test]
    fn a_commit_without_a_tree_or_with_a_parent_that_is_no_id_is_malformed() {
        for bytes in ["", "tree 1\n", "author A <a> 1 +0000\n", &format!("{TREE}parent 1\n\nx")] {
            assert!(Headers::split(bytes.as_bytes()).is_err(), "{bytes}");
        }
        let bare = Headers::split(TREE.as_bytes()).unwrap();
        assert_eq!((bare.message(), bare.author().seconds), ("".into(), 0));
    }
}
