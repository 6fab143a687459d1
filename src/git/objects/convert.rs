//! Converts files between their form on disk and in git: line endings, encodings and filters, by the attributes of an
//! enclosing repository.
//!
//! Only this module and code that reads or writes files knows the form on disk; the rest of brv uses git's. A
//! repository that brv made for a tree converts nothing, at no cost.

use crate::Scope;
use crate::error::{During, Error};
use crate::id::BlobId;
use brv_base::content::ContentId;
use bstr::{BStr, BString, ByteSlice as _};
use gix::filter::plumbing;
use gix::objs::Find as _;
use std::borrow::Cow;
use std::io::Read as _;
use std::sync::Mutex;

/// Converts files of one scope.
pub struct Converter {
    /// `None` for a tree with a repository of its own. Created on first use: reading the rules takes a moment.
    rules: Option<Mutex<ConversionRules>>,
}

/// The sources of the rules, and the rules read so far.
struct ConversionRules {
    repo: gix::Repository,
    prefix: String,
    read: Option<LoadedRules>,
}

struct LoadedRules {
    pipeline: plumbing::Pipeline,
    attributes: gix::worktree::Stack,
    index: gix::worktree::IndexPersistedOrInMemory,
}

impl Converter {
    pub fn of(scope: &Scope) -> Self {
        let rules =
            ConversionRules { repo: scope.repo.clone(), prefix: scope.prefix().to_owned(), read: None };
        Self { rules: (!scope.prefix().is_empty()).then(|| Mutex::new(rules)) }
    }

    /// Whether any conversion applies.
    pub const fn converts(&self) -> bool {
        self.rules.is_some()
    }

    /// The bytes that git stores for a file of the tree.
    ///
    /// # Errors
    /// Rules that cannot be read, a filter that fails, or text that is not in the declared encoding.
    pub fn to_git<'a>(&self, path: &BStr, bytes: Cow<'a, [u8]>) -> Result<Cow<'a, [u8]>, Error> {
        let Some(rules) = &self.rules else { return Ok(bytes) };
        let mut rules = rules.lock().expect("no thread panics while it holds the lock");
        let full = rules.full(path);
        let (path, act) = (full.as_bstr(), || format!("apply the attributes to `{full}`"));
        let (repo, LoadedRules { pipeline, attributes, index }) = rules.read()?;
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

    /// The bytes that git writes to disk for a stored file of the tree.
    pub fn to_disk(&self, path: &BStr, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let Some(rules) = &self.rules else { return Ok(bytes) };
        let mut rules = rules.lock().expect("no thread panics while it holds the lock");
        let full = rules.full(path);
        let (path, act) = (full.as_bstr(), || format!("apply the attributes to `{full}`"));
        let (repo, LoadedRules { pipeline, attributes, .. }) = rules.read()?;
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

    /// The id under which git stores a file of the tree.
    pub fn id(&self, path: &BStr, bytes: &[u8]) -> Result<BlobId, Error> {
        Ok(ContentId::of(&self.to_git(path, bytes.into())?))
    }
}

impl ConversionRules {
    fn full(&self, path: &BStr) -> BString {
        [self.prefix.as_bytes(), b"/", path].concat().into()
    }

    fn read(&mut self) -> Result<(&gix::Repository, &mut LoadedRules), Error> {
        let Self { repo, read, .. } = self;
        let read = match read {
            Some(read) => read,
            None => {
                let act = "read the rules for line endings";
                let (pipeline, index) = repo.filter_pipeline(None).during(act)?;
                let (pipeline, attributes) = pipeline.into_parts();
                read.insert(LoadedRules { pipeline, attributes, index })
            }
        };
        Ok((repo, read))
    }
}
