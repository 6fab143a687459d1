//! Which tree of a bigger repository, and which of its work trees, an operation was made in.

use crate::journal::one_line;
use brv_base::content::ContentId;
use brv_git as git;
use brv_git::Scope;
use bstr::BString;

const PENDING: &str = "refs/brv/pending";

/// The reference to the pending operation. Trees that are folders of one repository, and its linked work trees, each
/// have their own: only a process that can write the files may finish an operation.
pub(in crate::journal) fn pending_ref(scope: &Scope) -> BString {
    match place(scope) {
        Some(place) => {
            let id = ContentId::of(place.as_bytes()).to_string();
            format!("{PENDING}/{}", &id[..PLACE_DIGITS]).into()
        }
        None => PENDING.into(),
    }
}

/// How many hex digits distinguish the trees of a repository.
const PLACE_DIGITS: usize = 12;

/// The tree of a bigger repository that the scope is: its folder and, if linked, its work tree. `None` for a tree with
/// its own repository.
pub(in crate::journal) fn place(scope: &Scope) -> Option<String> {
    let prefix = scope.prefix();
    if prefix.is_empty() {
        return None;
    }
    Some(match git::worktrees::linked(scope) {
        Some(name) => one_line(&format!("{prefix} in {name}")),
        None => one_line(prefix),
    })
}

/// The other tree in which an operation was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// The main work tree of the repository.
    Main,
    /// A linked work tree, by git's name for it.
    Linked(String),
    /// A work tree that git no longer knows.
    Removed(String),
    Folder(String),
}

impl std::fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Main => f.write_str("the main work tree"),
            Self::Linked(name) => write!(f, "the work tree `{name}`"),
            Self::Removed(name) => write!(f, "the removed work tree `{name}`"),
            Self::Folder(name) => write!(f, "the tree `{name}`"),
        }
    }
}

/// The place that a [`place`] describes, if it is not the scope's own.
pub(in crate::journal) fn elsewhere(scope: &Scope, of: Option<&str>) -> Option<Elsewhere> {
    if of == place(scope).as_deref() {
        return None;
    }
    let of = of.unwrap_or_default();
    let Some(rest) = of.strip_prefix(&one_line(scope.prefix())) else {
        return Some(Elsewhere::Folder(of.to_owned()));
    };
    Some(match rest.strip_prefix(" in ") {
        Some(name) if git::worktrees::is_known(scope, name) => Elsewhere::Linked(name.to_owned()),
        Some(name) => Elsewhere::Removed(name.to_owned()),
        None if rest.is_empty() => Elsewhere::Main,
        None => Elsewhere::Folder(of.to_owned()),
    })
}
