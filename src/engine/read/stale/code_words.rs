//! Which words stand in many files of the code: counted in some of its files where that is first needed, and kept for its head.

use super::cache;
use crate::open::context::Opened;
use brv_base::fs::{self, Durability, Form};
use brv_git::trees;
use brv_git::{CommitId, Scope};
use brv_text::stale::{CodeWords, Counter, is_prose};
use bstr::ByteSlice as _;
use std::path::PathBuf;
use std::time::Instant;

/// In how many files words are counted at most: evenly spread over all.
const MOST_FILES: usize = 400;

/// The largest file in which they are, in bytes.
const LARGEST: usize = 128 << 10;

/// The hexadecimal digits of a commit.
const DIGITS: usize = 40;

pub struct CodeWordReader<'a> {
    scope: &'a Scope,
    /// The commit whose files are counted.
    tip: Option<CommitId>,
    file: PathBuf,
    until: Option<Instant>,
    /// `Some(None)`: there was no time.
    found: Option<Option<CodeWords>>,
}

impl<'a> CodeWordReader<'a> {
    pub fn new(opened: &Opened, scope: &'a Scope, tip: Option<CommitId>, until: Option<Instant>) -> Self {
        Self { scope, tip, file: cache::file_of_words(opened), until, found: None }
    }

    /// The words; `None` if the caller does not wait for them, or the code has no commit.
    pub fn get(&mut self) -> Option<&CodeWords> {
        if self.found.is_none() {
            self.found = Some(self.find());
        }
        self.found.as_ref().and_then(Option::as_ref)
    }

    fn find(&self) -> Option<CodeWords> {
        let tip = self.tip?;
        let known = fs::read_shipped(&self.file, Form::Table).ok().flatten().unwrap_or_default();
        let head = tip.to_string();
        // which words are rare seldom changes: who does not wait takes what there is
        if known.len() >= DIGITS && (known.starts_with(head.as_bytes()) || self.until.is_some()) {
            return Some(CodeWords::from_bytes(&known[DIGITS..]));
        }
        let words = self.count(tip)?;
        let mut bytes = head.into_bytes();
        bytes.extend(words.to_bytes());
        let _ = fs::replace(&self.file, &bytes, Durability::Later);
        Some(words)
    }

    fn count(&self, tip: CommitId) -> Option<CodeWords> {
        let mut files = trees::list(self.scope, self.scope.tree_of(tip).ok()?).ok()?;
        files.retain(|(path, version)| {
            version.mode.is_file() && path.to_str().is_ok_and(|path| !is_prose(path))
        });
        let step = files.len().div_ceil(MOST_FILES).max(1);
        let mut counter = Counter::default();
        for (_, version) in files.iter().step_by(step) {
            if self.until.is_some_and(|until| Instant::now() >= until) {
                return None;
            }
            let bytes = trees::find_blob(self.scope, version.id).ok().flatten().unwrap_or_default();
            if bytes.len() <= LARGEST && !bytes.contains(&0) {
                counter.add(&bytes.to_str_lossy());
            }
        }
        Some(counter.finish())
    }
}
