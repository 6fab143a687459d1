//! `brv vc show`: show a commit with its changes, a tag, or a file or folder of a revision.

use brv_base::content::ContentId;
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::outcome::bytes::{Bytes, utf8};
use brv_engine::outcome::change::FileDifference;
use brv_engine::read::history::changes::{ChangedFiles, Contents, Detail};
use brv_engine::read::history::decorations;
use brv_engine::read::history::decorations::ShownCommit;
use brv_engine::read::history::knowledge;
use brv_git as git;
use brv_git::revision::{self, RevisionError, RevisionObject};
use brv_git::trees::{self, Renames, TreeItem};
use brv_git::{CommitId, ObjectName, Scope, TreeId};
use brv_text::diff::knowledge::Entry;
use bstr::ByteSlice;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone)]
pub struct Options {
    /// `REV`, or `REV:PATH`.
    pub object: String,
    /// How much of a commit's changes to show.
    pub detail: Detail,
    /// Whether the changed lines and entries are data.
    pub with_lines: bool,
    /// Whether secrets are shown as `****`.
    pub is_masked: bool,
}

/// `brv.vc.show/1`
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[schemars(rename = "Show")]
pub enum Outcome {
    /// A commit with its changes compared to its first parent.
    Commit {
        /// The commit.
        commit: Box<ShownCommit>,
        /// The files it changes.
        #[schemars(with = "Vec<FileDifference>")]
        files: ChangedFiles,
        /// Its changes by meaning: fields, facts and sections; absent with `--stat` and the name flags.
        #[serde(skip_serializing_if = "Option::is_none")]
        entries: Option<Vec<Entry>>,
        /// The shortest unambiguous forms of its parents' ids.
        #[serde(skip)]
        parents: Vec<String>,
    },
    /// An annotated tag.
    Tag {
        /// Headers and message.
        text: Bytes,
        /// The tagged object.
        target: Box<Outcome>,
    },
    /// A file in a revision.
    File {
        /// Its size in bytes.
        size: usize,
        /// Its text; `null` if it is not UTF-8.
        #[serde(serialize_with = "utf8")]
        #[schemars(with = "Option<String>")]
        text: Bytes,
    },
    /// A folder in a revision.
    Folder {
        /// The names in it; folders end with a slash.
        names: Vec<Bytes>,
        /// The folder as named on the command line.
        #[serde(skip)]
        name: String,
    },
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    if let Some((revision, path)) = revision::split_path(&options.object) {
        // as in git: from the root, unless the path begins with `./` or `../`
        let is_relative = path.starts_with("./") || path.starts_with("../");
        let base = if is_relative { cx.cwd.clone() } else { scope.root() };
        let spec = paths::pathspecs(&scope.root(), &base, &[path.to_owned()])?.remove(0);
        return match revision::path_in(scope, revision, &spec.as_bstr().to_str_lossy()).map_err(unborn)? {
            TreeItem::File(version) => file(scope, version.id),
            TreeItem::Folder(id) => folder(scope, &options.object, id),
        };
    }
    let id = revision::object(scope, &options.object).map_err(unborn)?;
    object(scope, id, options)
}

fn unborn(error: RevisionError) -> Stop {
    let is_unborn = matches!(error, RevisionError::Unborn(_));
    Stop::from(error).hinting(is_unborn.then_some("create the first commit with `brv vc commit -m MSG`"))
}

fn object(scope: &Scope, id: ObjectName, options: &Options) -> Result<Outcome, Stop> {
    match revision::describe(scope, id)? {
        RevisionObject::Commit(id) => commit(scope, id, options),
        RevisionObject::Tag { bytes, target } => {
            let target = Box::new(object(scope, target, options)?);
            Ok(Outcome::Tag { text: Bytes::from(&bytes), target })
        }
        RevisionObject::File(id) => file(scope, id),
        RevisionObject::Folder(id) => folder(scope, &options.object, id),
    }
}

fn file(scope: &Scope, id: ContentId) -> Result<Outcome, Stop> {
    let bytes = trees::blob(scope, id)?;
    Ok(Outcome::File { size: bytes.len(), text: bytes.into() })
}

fn folder(scope: &Scope, name: &str, id: TreeId) -> Result<Outcome, Stop> {
    Ok(Outcome::Folder { name: name.to_owned(), names: Bytes::of(&trees::names(scope, id)?) })
}

fn commit(scope: &Scope, id: CommitId, options: &Options) -> Result<Outcome, Stop> {
    let commit = git::history::read(scope, id)?;
    let before = match commit.parents.first() {
        Some(parent) => scope.tree_of(*parent).unwrap_or(TreeId::empty()),
        None => TreeId::empty(),
    };
    let changes = trees::diff(scope, before, commit.tree, Renames::Detect)?;
    let contents = if options.is_masked { Contents::default().masked() } else { Contents::default() };
    let told = knowledge::tell_all(scope, changes, options.detail, &contents)?;
    let names = decorations::pointing(scope)?.remove(&id).unwrap_or_default();
    Ok(Outcome::Commit {
        parents: commit.parents.iter().map(|id| revision::shorten(scope, *id)).collect::<Result<_, _>>()?,
        files: ChangedFiles { drawn: told.files, with_lines: options.with_lines },
        entries: options.with_lines.then_some(told.entries),
        commit: Box::new(ShownCommit::new(&commit, names)),
    })
}
