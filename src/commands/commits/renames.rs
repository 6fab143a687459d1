//! What files of the code are called today.

use brv_engine::open::hosting::Host;
use brv_git::patch_id;
use brv_git::trees::{self, Renames};
use brv_git::{self as git, CommitId};
use brv_text::topics::is_code_path;
use bstr::ByteSlice as _;
use std::collections::{HashMap, HashSet};

/// The files of a commit, and what files of earlier commits are called in it.
#[derive(Debug, Default)]
pub struct Today {
    there: HashSet<String>,
    names: HashMap<String, String>,
}

impl Today {
    /// As of `tip`, for the files of `commits`, the oldest first.
    ///
    /// # Errors
    /// A commit or tree that cannot be read.
    pub fn of(host: &Host, tip: CommitId, commits: &[CommitId]) -> Result<Self, git::Error> {
        let tree = host.scope.tree_of(tip)?;
        let there = trees::list(&host.scope, tree)?;
        let there = there.into_iter().map(|(path, _)| path.to_str_lossy().into_owned()).collect();
        let mut today = Self { there, names: HashMap::new() };
        for commit in commits.iter().rev() {
            today.follow(host, *commit)?;
        }
        Ok(today)
    }

    /// Follow the renames of a commit, after those of all later ones.
    fn follow(&mut self, host: &Host, commit: CommitId) -> Result<(), git::Error> {
        let Some([before, after]) = patch_id::sides(&host.scope, commit)? else { return Ok(()) };
        let changes = trees::diff(&host.scope, before, after, Renames::Ignore)?;
        let is = |has_before: bool| {
            changes.iter().any(|one| one.before.is_some() == has_before && one.after.is_none() == has_before)
        };
        if !(is(true) && is(false)) {
            return Ok(());
        }
        let renamed = trees::join_renames(&host.scope, changes, Renames::Always)?;
        let pairs = renamed.into_iter().filter_map(|one| {
            let old = one.renamed_from?.to_str_lossy().into_owned();
            let new = one.path.to_str_lossy().into_owned();
            Some((old, self.names.get(&new).cloned().unwrap_or(new)))
        });
        let pairs: Vec<(String, String)> = pairs.collect();
        self.names.extend(pairs);
        Ok(())
    }

    /// What a file is called today; its own name if it is gone.
    pub fn name(&self, path: &str) -> String {
        if self.there.contains(path) {
            return path.to_owned();
        }
        let today = self.names.get(path).filter(|today| self.there.contains(*today));
        today.map_or(path, String::as_str).to_owned()
    }

    /// Those files that are there; all of them if none is.
    pub fn standing(&self, files: Vec<String>) -> Vec<String> {
        let there: Vec<String> = files.iter().filter(|path| self.there.contains(*path)).cloned().collect();
        if there.is_empty() { files } else { there }
    }

    /// Whether all code among these files is gone.
    pub fn is_gone(&self, files: &[String]) -> bool {
        let mut code = files.iter().filter(|path| is_code_path(path)).peekable();
        !self.there.is_empty() && code.peek().is_some() && code.all(|path| !self.there.contains(path))
    }
}
