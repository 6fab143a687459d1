//! What can go wrong with signals. No command fails because of it.

use crate::open::state;
use crate::open::tree::DiscoverError;
use brv_git as git;
use std::path::PathBuf;

/// Why signals were not read or changed, or what happened to them.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("the signals of entries were left out")]
    Place(#[from] DiscoverError),
    #[error("the signals of entries were left out")]
    State(#[from] state::Error),
    #[error("the signals of entries were left out")]
    Git(#[from] git::Error),
    #[error("the signals of entries were damaged and start again; the damaged file is `{}`", .0.display())]
    SetAside(PathBuf),
}
