//! From the bytes on disk to those that git stores, and back: line endings, encodings and filters as the attributes of a
//! bigger repository say.
//!
//! All of brv but this and what reads or writes a file knows files as git stores them.
//!
//! A repository that brv made for a tree converts nothing; there all of this costs nothing.

use crate::content::ContentId;
use crate::git::Scope;
use crate::git::error::{During, Error};
use crate::git::id::BlobId;
use bstr::{BStr, BString, ByteSlice as _};
use gix::filter::plumbing;
use gix::objs::Find as _;
use std::borrow::Cow;
use std::io::Read as _;
use std::sync::Mutex;

/// Converts files of one scope.
pub struct Converter {
    /// Nothing for a tree with a repository of its own. Made at the first use: reading the rules takes a moment.
    rules: Option<Mutex<Rules>>,
}

/// Where the rules are, and what was read of them.
struct Rules {
    repo: gix::Repository,
    prefix: String,
    read: Option<Read>,
}

struct Read {
    pipeline: plumbing::Pipeline,
    attributes: gix::worktree::Stack,
    index: gix::worktree::IndexPersistedOrInMemory,
}

impl Converter {
    /// By the rules for the scope.
    #[must_use]
    pub fn of(scope: &Scope) -> Self {
        let rules = Rules { repo: scope.repo.clone(), prefix: scope.prefix().to_owned(), read: None };
        Self { rules: (!scope.prefix().is_empty()).then(|| Mutex::new(rules)) }
    }

    /// Whether it converts anything.
    #[must_use]
    pub const fn converts(&self) -> bool {
        self.rules.is_some()
    }

    /// What git stores for a file of the tree with these bytes.
    ///
    /// # Errors
    /// Rules that cannot be read, a filter that fails, an encoding that is not what it is said to be.
    pub fn to_git<'a>(&self, path: &BStr, bytes: Cow<'a, [u8]>) -> Result<Cow<'a, [u8]>, Error> {
        let Some(rules) = &self.rules else { return Ok(bytes) };
        let mut rules = rules.lock().expect("nobody panics while he holds the lock");
        let full = rules.full(path);
        let (path, act) = (full.as_bstr(), || format!("apply the attributes to `{full}`"));
        let (repo, Read { pipeline, attributes, index }) = rules.read()?;
        let on_disk = gix::path::from_bstr(path).during(act())?;
        let entry = attributes.at_path(&*on_disk, None, &repo.objects).during(act)?;
        let converted = pipeline
            .convert_to_git(
                bytes.as_ref(),
                &on_disk,
                &mut |_, wanted| {
                    entry.matching_attributes(wanted);
                },
                &mut |buffer| -> Result<_, gix::Error> {
                    let Some(entry) = index.entry_by_path(path) else { return Ok(None) };
                    let found = repo.objects.try_find(&entry.id, buffer)?;
                    Ok(found.filter(|object| object.kind == gix::object::Kind::Blob).map(|_| ()))
                },
            )
            .during(act)?;
        let stored = match converted {
            plumbing::pipeline::convert::ToGitOutcome::Unchanged(_) => None,
            plumbing::pipeline::convert::ToGitOutcome::Buffer(stored) => Some(stored.to_vec()),
            plumbing::pipeline::convert::ToGitOutcome::Process(mut filter) => {
                let mut stored = Vec::new();
                filter.read_to_end(&mut stored).during(act)?;
                Some(stored)
            }
        };
        Ok(stored.map_or(bytes, Cow::Owned))
    }

    /// What git writes to disk for a file of the tree that it stores so.
    ///
    /// # Errors
    /// As [`Converter::to_git`].
    pub fn to_disk(&self, path: &BStr, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let Some(rules) = &self.rules else { return Ok(bytes) };
        let mut rules = rules.lock().expect("nobody panics while he holds the lock");
        let full = rules.full(path);
        let (path, act) = (full.as_bstr(), || format!("apply the attributes to `{full}`"));
        let (repo, Read { pipeline, attributes, .. }) = rules.read()?;
        let entry =
            attributes.at_entry(path, Some(gix::index::entry::Mode::FILE), &repo.objects).during(act)?;
        let options = plumbing::pipeline::convert::to_worktree::Options {
            can_delay: plumbing::driver::apply::Delay::Forbid,
            ..Default::default()
        };
        let mut converted = pipeline
            .convert_to_worktree(
                &bytes,
                path,
                &mut |_, wanted| {
                    entry.matching_attributes(wanted);
                },
                options,
            )
            .during(act)?;
        if !converted.is_changed() {
            drop(converted);
            return Ok(bytes);
        }
        let mut written = Vec::with_capacity(bytes.len());
        converted.read_to_end(&mut written).during(act)?;
        Ok(written)
    }

    /// The id that git stores a file of the tree with these bytes under.
    ///
    /// # Errors
    /// As [`Converter::to_git`].
    pub fn id(&self, path: &BStr, bytes: &[u8]) -> Result<BlobId, Error> {
        Ok(ContentId::of(&self.to_git(path, bytes.into())?))
    }
}

impl Rules {
    fn full(&self, path: &BStr) -> BString {
        [self.prefix.as_bytes(), b"/", path].concat().into()
    }

    fn read(&mut self) -> Result<(&gix::Repository, &mut Read), Error> {
        let Self { repo, read, .. } = self;
        let read = match read {
            Some(read) => read,
            None => {
                let act = "read the rules for line endings";
                let (pipeline, index) = repo.filter_pipeline(None).during(act)?;
                let (pipeline, attributes) = pipeline.into_parts();
                read.insert(Read { pipeline, attributes, index })
            }
        };
        Ok((repo, read))
    }
}
