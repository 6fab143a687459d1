//! In which tree of a bigger repository, and in which of its work trees, an operation is made.

use super::one_line;
use crate::content::ContentId;
use crate::git::{self, Scope};
use bstr::BString;

/// Points to the operation that is under way.
const PENDING: &str = "refs/brv/pending";

/// The ref that points to the operation that is under way. Trees that are folders of one repository, and its linked work
/// trees, have one each: only who can write the files may finish it.
pub(super) fn pending_ref(scope: &Scope) -> BString {
    match place(scope) {
        Some(place) => {
            let id = ContentId::of(place.as_bytes()).to_string();
            format!("{PENDING}/{}", &id[..PLACE_DIGITS]).into()
        }
        None => PENDING.into(),
    }
}

/// So many digits tell one tree of a repository from another.
const PLACE_DIGITS: usize = 12;

/// Which tree of a bigger repository the scope is: its folder, and the work tree if it is a linked one. `None` for a tree
/// with a repository of its own.
pub(super) fn place(scope: &Scope) -> Option<String> {
    let prefix = scope.prefix();
    if prefix.is_empty() {
        return None;
    }
    Some(match git::worktrees::linked(scope) {
        Some(name) => one_line(&format!("{prefix} in {name}")),
        None => one_line(prefix),
    })
}

/// Where an operation was made that was not made in the tree that the scope is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// In the main work tree of the repository.
    Main,
    /// In a linked work tree, by the name that git has for it.
    Linked(String),
    /// In one that git knows no more.
    Removed(String),
    /// In a tree in another folder.
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

/// What a [`place`] is that is not the scope's own.
pub(super) fn elsewhere(scope: &Scope, of: Option<&str>) -> Option<Elsewhere> {
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
