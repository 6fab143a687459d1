//! The paths that the code has ever had: where many entries are judged, those that cite none of them are left alone. Kept as
//! hashes, and continued from the head that they go up to.

use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form};
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

/// The first eight bytes of the hashes of paths.
pub struct PastPaths(HashSet<[u8; 8]>);

/// The hexadecimal digits of a commit.
const DIGITS: usize = 40;

impl PastPaths {
    /// Up to the head of the code, and up to another commit. `file` is where they are kept, of the same code; `None`: nowhere.
    pub fn read(
        file: Option<&Path>,
        scope: &Scope,
        head: Option<CommitId>,
        other: Option<CommitId>,
    ) -> Result<Self, git::Error> {
        let mut paths = Self(HashSet::new());
        if let Some(head) = head {
            paths.up_to_head(file, scope, head)?;
        }
        if let Some(other) = other.filter(|other| Some(*other) != head) {
            paths.add(scope, other, head)?;
        }
        Ok(paths)
    }

    pub fn has(&self, path: &str) -> bool {
        self.0.contains(&hash(path.as_bytes()))
    }

    fn up_to_head(&mut self, file: Option<&Path>, scope: &Scope, head: CommitId) -> Result<(), git::Error> {
        let known =
            file.and_then(|file| fs::read_shipped(file, Form::Table).ok().flatten()).unwrap_or_default();
        let earlier = known.get(..DIGITS).and_then(|hex| CommitId::from_hex(std::str::from_utf8(hex).ok()?));
        let earlier = match earlier {
            Some(earlier) if earlier == head => Some(earlier),
            Some(earlier) if git::revision::is_commit(scope, earlier)? => {
                Some(earlier).filter(|earlier| history::is_ancestor(scope, *earlier, head).unwrap_or(false))
            }
            _ => None,
        };
        if earlier.is_some() {
            let (hashes, _) = known[DIGITS..].as_chunks::<8>();
            self.0.extend(hashes);
        }
        if earlier == Some(head) {
            return Ok(());
        }
        self.add(scope, head, earlier)?;
        if let Some(file) = file {
            let mut bytes = head.to_string().into_bytes();
            bytes.extend(self.0.iter().flatten());
            let _ = fs::replace(file, &bytes, Durability::Later);
        }
        Ok(())
    }

    /// The paths that commits up to `tip` added, without those that `hidden` has.
    fn add(&mut self, scope: &Scope, tip: CommitId, hidden: Option<CommitId>) -> Result<(), git::Error> {
        let range = Range { tips: vec![tip], hidden: hidden.into_iter().collect(), ..Range::default() };
        let mut failed = None;
        history::walk(scope, &range, |walked| {
            let before = walked.commit.parents.first().map_or(Ok(TreeId::empty()), |one| scope.tree_of(*one));
            let changes =
                before.and_then(|before| trees::diff(scope, before, walked.commit.tree, Renames::Ignore));
            match changes {
                Ok(changes) => {
                    let added = changes.iter().filter(|change| change.before.is_none());
                    self.0.extend(added.map(|change| hash(&change.path)));
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        failed.map_or(Ok(()), Err)
    }
}

fn hash(path: &[u8]) -> [u8; 8] {
    let id = ContentId::of(path);
    let mut hash = [0; 8];
    hash.copy_from_slice(&id.as_bytes()[..8]);
    hash
}
