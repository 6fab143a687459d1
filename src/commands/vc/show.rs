//! `brv vc show`: show a commit with its changes, a tag, or a file or folder of a revision.

use brv_engine::FailureKind;
use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::read::history::changes::{Contents, Detail, FileChange};
use brv_engine::read::history::decorations::{self, Name};
use brv_engine::read::history::knowledge;
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::revision::{self, Described};
use brv_git::trees::{self, Found, Renames};
use brv_git::{CommitId, ObjectName, Scope, TreeId};
use brv_text::diff::knowledge::Entry;
use bstr::{BString, ByteSlice};

pub use brv_git::revision::RevisionError;

#[derive(Debug, Clone)]
pub struct Options {
    /// `REV`, or `REV:PATH`.
    pub object: String,
    /// How much of a commit's changes to show.
    pub detail: Detail,
}

#[derive(Debug)]
pub enum Outcome {
    Commit(Box<ShownCommit>),
    /// An annotated tag, with its target.
    Tag {
        /// Its headers and message, as git stores them.
        text: BString,
        target: Box<Outcome>,
    },
    File {
        bytes: Vec<u8>,
    },
    Folder {
        name: String,
        /// The names in it; folders end with a slash.
        names: Vec<BString>,
    },
}

#[derive(Debug)]
pub struct ShownCommit {
    pub commit: Commit,
    /// Its parents, abbreviated as far as they are unambiguous.
    pub parents: Vec<String>,
    /// The branches and tags that point to it.
    pub names: Vec<Name>,
    pub files: Vec<FileChange>,
    /// The changes by entry; empty if only lines were requested.
    pub entries: Vec<Entry>,
}

/// Why nothing was shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Revision(#[from] RevisionError),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Revision(error) => FailureKind::of_revision(error),
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    if let Some((revision, path)) = revision::split_path(&options.object) {
        // as in git: from the root, unless the path begins with `./` or `../`
        let is_relative = path.starts_with("./") || path.starts_with("../");
        let base = if is_relative { cx.cwd.clone() } else { scope.root() };
        let spec = paths::pathspecs(&scope.root(), &base, &[path.to_owned()])?.remove(0);
        return Ok(match revision::path_in(scope, revision, &spec.as_bstr().to_str_lossy())? {
            Found::File(version) => Outcome::File { bytes: trees::blob(scope, version.id)? },
            Found::Folder(id) => folder(scope, &options.object, id)?,
        });
    }
    let id = revision::object(scope, &options.object)?;
    object(scope, id, options)
}

fn object(scope: &Scope, id: ObjectName, options: &Options) -> Result<Outcome, Error> {
    Ok(match revision::describe(scope, id)? {
        Described::Commit(id) => Outcome::Commit(Box::new(commit(scope, id, options.detail)?)),
        Described::Tag { bytes, target } => {
            Outcome::Tag { text: bytes, target: Box::new(object(scope, target, options)?) }
        }
        Described::File(id) => Outcome::File { bytes: trees::blob(scope, id)? },
        Described::Folder(id) => folder(scope, &options.object, id)?,
    })
}

fn folder(scope: &Scope, name: &str, id: TreeId) -> Result<Outcome, Error> {
    Ok(Outcome::Folder { name: name.to_owned(), names: trees::names(scope, id)? })
}

fn commit(scope: &Scope, id: CommitId, detail: Detail) -> Result<ShownCommit, Error> {
    let commit = git::history::read(scope, id)?;
    let before = match commit.parents.first() {
        Some(parent) => scope.tree_of(*parent).unwrap_or(TreeId::empty()),
        None => TreeId::empty(),
    };
    let changes = trees::diff(scope, before, commit.tree, Renames::Detect)?;
    let told = knowledge::tell(scope, &changes, detail, &Contents::default())?;
    Ok(ShownCommit {
        parents: commit.parents.iter().map(|id| revision::shorten(scope, *id)).collect::<Result<_, _>>()?,
        names: decorations::pointing(scope)?.remove(&id).unwrap_or_default(),
        files: told.files,
        entries: told.entries,
        commit,
    })
}
