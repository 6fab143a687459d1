//! Shell completion: the names in the tree that a half-typed word may become.
//!
//! Never fails, never prompts and writes nothing: where a list is not available, it is empty. Knows no shell.

use brv_engine::open::context::Context;
use brv_engine::open::naming::candidates;
use brv_engine::read::archive;
use brv_engine::review::{self, ReviewExtent};

/// What kind of name is being completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Options {
    Remote,
    Branch,
    Tag,
    /// A branch of a remote, as far as its tracking refs are known here.
    BranchOf {
        remote: String,
    },
    /// A branch, a remote branch, a tag.
    Revision,
    /// A path of the tree; what has been typed of it.
    Path(String),
    /// A path with changes to stage; what has been typed of it.
    ChangedPath(String),
    /// A folder of the tree, by its path in the tree.
    TreeFolder,
    /// An archived entry, by its path in the tree.
    Archived,
    PathIn {
        /// The revision; empty for `HEAD`.
        revision: String,
        /// What has been typed of the path.
        typed: String,
    },
    GitSetting,
    /// A change that waits for review.
    Review,
}

/// Whole words; those that do not begin with what was typed are included.
pub fn run(cx: &Context<'_>, options: &Options) -> Vec<String> {
    let Ok(opened) = cx.open() else { return Vec::new() };
    let scope = &opened.scope;
    match options {
        Options::Remote => candidates::remotes(scope),
        Options::Branch => candidates::below(scope, "refs/heads/"),
        Options::Tag => candidates::below(scope, "refs/tags/"),
        Options::BranchOf { remote } => candidates::below(scope, &format!("refs/remotes/{remote}/")),
        Options::Revision => candidates::revisions(scope),
        Options::Path(typed) => match candidates::way_in(scope, &cx.cwd, typed) {
            Some(way) => vec![way],
            None => candidates::paths(scope, &cx.cwd, typed),
        },
        Options::ChangedPath(typed) => match candidates::way_in(scope, &cx.cwd, typed) {
            Some(way) => vec![way],
            None => candidates::changed_paths(scope, &cx.cwd, typed),
        },
        Options::TreeFolder => candidates::folders(scope),
        Options::Archived => {
            let archived = archive::inventory(&opened).unwrap_or_default();
            archived.items.into_iter().map(|item| item.path.to_string()).collect()
        }
        Options::PathIn { revision, typed } => candidates::paths_in(scope, revision, typed),
        Options::GitSetting => candidates::git_settings(scope),
        Options::Review => {
            let reviewed = review::read(&opened, ReviewExtent::Outgoing).unwrap_or_default();
            reviewed.pending().map(|flag| flag.id.clone()).collect()
        }
    }
}
