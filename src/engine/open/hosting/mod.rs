//! The host: the repository of the code that a tree is about. It is the git work tree around `.brv/`, or, where the tree
//! is tracked as a folder, the repository that tracks it.
//!
//! [`current_commit`] finds the commit that stands today for one that was recorded, [`subjects`] one that is called the same,
//! [`branch`] what a branch changes as a whole.

pub mod branch;
pub mod current_commit;
pub mod subjects;

use crate::FailureKind;
use crate::journal::CodeHead;
use crate::open::context::Opened;
use crate::outcome::stop::{Stop, message};
use brv_git as git;
use brv_git::Scope;
use std::path::Path;

/// The head of the code around the project; `None` where there is none, or where the commit of the entry will be one of the
/// code itself.
pub fn code_head(opened: &Opened, cwd: &Path) -> Option<CodeHead> {
    let host = Host::of(opened, cwd).ok().flatten().filter(|_| opened.scope.prefix().is_empty())?;
    let commit = host.scope.head().ok()?.commit()?;
    let base = branch::fork(&host, commit).ok().flatten().filter(|base| *base != commit);
    Some(CodeHead { commit, base })
}

/// The repository of the code, opened at the work tree that the command was called in.
#[derive(Clone)]
pub struct Host {
    pub scope: Scope,
}

impl Host {
    /// The host of a tree; `None` if the project is in no git repository. `cwd` is the folder that the command was called
    /// in: in a linked work tree, `HEAD` is that of this one.
    ///
    /// # Errors
    /// A repository that brv cannot open.
    pub fn of(opened: &Opened, cwd: &Path) -> Result<Option<Self>, Stop> {
        if !opened.scope.prefix().is_empty() {
            return Ok(Some(Self { scope: opened.scope.whole() }));
        }
        let Some(work_tree) = opened.places.host_called_from(cwd)? else { return Ok(None) };
        Self::at(opened, &work_tree).map(Some)
    }

    /// The repository that a folder is in.
    ///
    /// # Errors
    /// A folder in no repository, or one that brv cannot open.
    pub fn at(opened: &Opened, folder: &Path) -> Result<Self, Stop> {
        let scope = git::open(folder, "", opened.scope.environment()).map_err(|error| {
            let why = message(&error);
            Stop::new(FailureKind::of_open(&error), format!("cannot open the host repository: {why}"))
        })?;
        Ok(Self { scope })
    }
}
