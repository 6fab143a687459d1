//! Filter the branches or tags of a listing: by patterns, and by the commits they contain.

use super::branches::expand;
use crate::Stop;
use brv_git as git;
use brv_git::pathspec::Pathspec;
use brv_git::{CommitId, Scope, history, revision};
use bstr::BStr;

/// Filters on the commits that refs contain; revisions as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Only refs whose commits this revision contains.
    Merged(String),
    /// Only refs with commits that this revision does not contain.
    NotMerged(String),
    /// Only refs that contain this commit.
    Contains(String),
    /// Only refs that do not contain this commit.
    NotContains(String),
}

/// Whether a name matches one of the patterns (`*`, `?`, `[`), or there are none.
pub fn fits(patterns: &[String], name: &BStr) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| Pathspec::new(pattern).matches_whole(name))
}

pub struct RefMatcher(Vec<(Test, CommitId)>);

enum Test {
    Merged,
    NotMerged,
    Contains,
    NotContains,
}

impl RefMatcher {
    /// Resolve the revisions.
    ///
    /// # Errors
    /// There is no such revision, or there was no such branch.
    pub fn of(scope: &Scope, filters: &[Filter]) -> Result<Self, Stop> {
        let resolved = filters.iter().map(|filter| {
            let (test, typed) = match filter {
                Filter::Merged(typed) => (Test::Merged, typed),
                Filter::NotMerged(typed) => (Test::NotMerged, typed),
                Filter::Contains(typed) => (Test::Contains, typed),
                Filter::NotContains(typed) => (Test::NotContains, typed),
            };
            Ok((test, revision::commit(scope, &expand(scope, typed)?)?))
        });
        resolved.collect::<Result<_, Stop>>().map(Self)
    }

    /// Whether a ref at `tip` is listed.
    pub fn pass(&self, scope: &Scope, tip: CommitId) -> Result<bool, git::Error> {
        for (test, commit) in &self.0 {
            let passes = match test {
                Test::Merged => history::is_ancestor(scope, tip, *commit)?,
                Test::NotMerged => !history::is_ancestor(scope, tip, *commit)?,
                Test::Contains => history::is_ancestor(scope, *commit, tip)?,
                Test::NotContains => !history::is_ancestor(scope, *commit, tip)?,
            };
            if !passes {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
