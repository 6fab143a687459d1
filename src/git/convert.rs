//! From the bytes on disk to those that git stores: line endings, encodings and filters as the attributes of a bigger
//! repository say.
//!
//! A repository that brv made for a tree converts nothing; there all of this costs nothing.

use super::Scope;
use super::error::{During, Error};
use bstr::{BStr, ByteSlice as _};
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

    /// What git stores for a file of the tree with these bytes.
    ///
    /// # Errors
    /// Rules that cannot be read, a filter that fails, an encoding that is not what it is said to be.
    pub fn to_git<'a>(&self, path: &BStr, bytes: Cow<'a, [u8]>) -> Result<Cow<'a, [u8]>, Error> {
        let Some(rules) = &self.rules else { return Ok(bytes) };
        let mut rules = rules.lock().expect("nobody panics while he holds the lock");
        let Rules { repo, prefix, read } = &mut *rules;
        let full = [prefix.as_bytes(), b"/", path].concat();
        let path = full.as_bstr();
        if read.is_none() {
            let act = "read the rules for line endings";
            let (pipeline, index) = repo.filter_pipeline(None).during(act)?;
            let (pipeline, attributes) = pipeline.into_parts();
            *read = Some(Read { pipeline, attributes, index });
        }
        let Some(Read { pipeline, attributes, index }) = read else { return Ok(bytes) };
        let act = || format!("convert `{path}` as the attributes say");
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
}
