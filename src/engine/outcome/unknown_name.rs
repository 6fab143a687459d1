//! The name that was not found.

/// The name that was not found, as typed. [`crate::vc::suggest`] finds the one that was probably meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownName {
    Revision(String),
    RevisionOrPath(String),
    Path(String),
    PathIn { revision: String, path: String },
    Remote(String),
    RemoteBranch(String),
    GitSetting(String),
}

impl UnknownName {
    /// The branch of a remote, by its name or by its full name there.
    pub fn remote_branch(name: &str) -> Self {
        Self::RemoteBranch(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
    }
}
