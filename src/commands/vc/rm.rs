//! `brv vc rm`: remove files from the index and from the work tree.
//!
//! The operation keeps what is lost: the bytes of the files, tracked or not.

use brv_base::escape::quote_path;
use brv_base::fs::{self, FileKind};
use brv_base::path::{self, TreePath};
use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::journal::{IndexSides, OperationKind, Staged, Transition};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::paths;
use brv_engine::open::survey::{self, Survey};
use brv_engine::outcome::bytes::Bytes;
use brv_engine::read::archive;
use brv_engine::read::links::{Link, repointing};
use brv_engine::write::operation::{self, Derived, Locking, Purpose, Work, Writing};
use brv_engine::write::written::WrittenEffects;
use brv_git as git;
use brv_git::pathspec::Pathspec;
use brv_git::status::Now;
use brv_git::trees::{self, Change, Renames};
use brv_git::{Scope, Version};
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

pub use brv_engine::Mode;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// As typed; see [`paths::pathspecs`].
    pub paths: Vec<String>,
    pub folders: FolderPolicy,
    pub from: From,
    /// Whether to remove uncommitted edits.
    pub edits: EditPolicy,
    /// What to do about a path that matches nothing.
    pub unmatched: UnmatchedPolicy,
    /// Whether anything is written.
    pub mode: Mode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FolderPolicy {
    /// No: files only.
    #[default]
    Refuse,
    /// Yes, with everything in them (`-r`).
    Recurse,
}

/// Where to remove files from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum From {
    /// The index and the work tree.
    #[default]
    Everywhere,
    /// Only the index (`--cached`).
    Index,
}

/// Whether to remove uncommitted edits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EditPolicy {
    /// No: refuse the command.
    #[default]
    Refuse,
    /// Yes (`--force`); the operation keeps them.
    Remove,
}

/// What to do about a path that matches nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnmatchedPolicy {
    #[default]
    Refuse,
    /// Ignore it (`--ignore-unmatch`).
    Ignore,
}

/// `brv.vc.rm/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Rm")]
pub struct Outcome {
    /// Files that were removed from the index, or would be.
    pub removed: Vec<Bytes>,
    /// Links to them, which are broken now; not with `--cached`.
    pub dangling: Vec<Link>,
    /// Archived entries whose records are in removed overviews: `brv archive restore` no longer finds them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<String>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WrittenEffects,
}

/// Remove what the options name.
///
/// # Errors
/// A path that matches nothing, a folder without `-r`, changes or special files that would be lost: nothing was removed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |locking| once(cx, options, locking))
}

fn once(cx: &Context<'_>, options: &Options, locking: Locking) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let mut writing = Writing::begin(cx.parts(&opened))?.locking(locking);
    let survey = writing.survey(|index| survey::survey_at(scope, index, &specs))?;
    let removed = select(scope, &survey, &specs, options)?;
    if options.edits == EditPolicy::Refuse {
        refuse_unsaved(scope, &survey, &removed, options.from)?;
    }
    let mut outcome = Outcome { removed: removed.iter().map(Bytes::from).collect(), ..Outcome::default() };
    if options.from == From::Everywhere {
        refuse_special(scope, &survey, &removed)?;
        outcome.dangling = dangling(&opened, &removed)?;
    }
    outcome.unrecorded = unrecorded(scope, &survey, &removed, options.from)?;
    if options.mode == Mode::Write {
        let change = transition_of(scope, &survey, &removed, options.from)?;
        if options.edits == EditPolicy::Refuse && is_saved_since(scope, &survey, &change.files) {
            let again = survey::survey_at(scope, git::index::read(scope)?, &specs)?;
            refuse_unsaved(scope, &again, &removed, options.from)?;
        }
        let purpose =
            Purpose::new(OperationKind::Remove, format!("remove {}", options.paths.join(" "))).logged("rm");
        writing.carry_out(Some(survey.index), Work::exact(change), &purpose)?;
    }
    outcome.written = WrittenEffects::from(&writing.finish(Derived::Changed));
    Ok(outcome)
}

fn dangling(opened: &Opened, removed: &BTreeSet<BString>) -> Result<Vec<Link>, Stop> {
    let gone: BTreeSet<TreePath> = removed.iter().filter_map(|path| TreePath::parse(path).ok()).collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let scope = &opened.scope;
    let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
    let curated = derive::curated_paths(scope, &survey)?;
    repointing::dangling(&scope.root(), &curated, &gone)
}

/// The archived entries that the removed overviews record. The record of a version that is there is void.
fn unrecorded(
    scope: &Scope,
    survey: &Survey,
    removed: &BTreeSet<BString>,
    from: From,
) -> Result<Vec<String>, Stop> {
    let version = |path: &TreePath| survey.index.version(scope.full(path.as_bytes().as_bstr()).as_bstr());
    let root = scope.root();
    let mut found = Vec::new();
    let paths = removed.iter().filter_map(|path| TreePath::parse(path).ok());
    for path in paths.filter(|path| path.kind() == path::PathKind::NodeOverview) {
        let on_disk = match from {
            From::Everywhere => fs::read_below(&root, &path.on_disk(&root))?,
            From::Index => None,
        };
        let bytes = match (on_disk, version(&path)) {
            (Some(bytes), _) => bytes,
            (None, Some(version)) => trees::blob(scope, version.id)?,
            (None, None) => continue,
        };
        let recorded = archive::recorded_in(&path, bytes).into_iter();
        let lost = recorded.filter(|(entry, blob)| version(entry).is_none_or(|there| there.id != *blob));
        found.extend(lost.map(|(entry, _)| entry.to_string()));
    }
    found.dedup();
    Ok(found)
}

/// The tracked paths (relative to the tree) that the options name.
fn select(
    scope: &Scope,
    survey: &Survey,
    specs: &[Pathspec],
    options: &Options,
) -> Result<BTreeSet<BString>, Stop> {
    let recorded: Vec<&BStr> =
        survey.index.first_versions().filter_map(|(path, _)| scope.strip(path)).collect();
    let mut removed = BTreeSet::new();
    for (spec, typed) in specs.iter().zip(&options.paths) {
        let mut matching: Vec<&BStr> = recorded.iter().copied().filter(|path| spec.matches(path)).collect();
        // a file that is kept off the disk is removed if it is named
        if survey.index.is_withheld(scope.full(spec.as_bstr()).as_bstr()) {
            matching.push(spec.as_bstr());
        }
        if matching.is_empty() && options.unmatched == UnmatchedPolicy::Refuse {
            return Err(Stop::usage(format!("`{typed}` matches no tracked file")));
        }
        let is_folder = matching.iter().any(|path| *path != spec.as_bstr());
        if is_folder && !spec.has_wildcard() && options.folders == FolderPolicy::Refuse {
            let stop = Stop::usage(format!("`{typed}` is a folder"));
            return Err(stop.hint("remove a folder with its files with `-r`"));
        }
        removed.extend(matching.into_iter().map(ToOwned::to_owned));
    }
    Ok(removed)
}

/// Fail if changes would be lost, by git's rules: a file must match `HEAD`; with `--cached`, the staged version must match
/// the file or `HEAD`.
fn refuse_unsaved(
    scope: &Scope,
    survey: &Survey,
    removed: &BTreeSet<BString>,
    from: From,
) -> Result<(), Stop> {
    let staged: BTreeMap<BString, Change> = survey
        .staged(scope, Renames::Ignore)?
        .into_iter()
        .map(|change| (change.path.clone(), change))
        .collect();
    let edited: BTreeSet<&BStr> = survey
        .work_tree
        .changed
        .iter()
        .filter(|file| !matches!(file.now, Now::Deleted))
        .map(|file| file.path.as_bstr())
        .collect();
    let mut found = Vec::new();
    for path in removed {
        let is_unmerged = survey.index.version(scope.full(path).as_bstr()).is_none();
        let (is_staged, is_edited) = (staged.contains_key(path), edited.contains(path.as_bstr()));
        let what = match (is_staged, is_edited, from) {
            _ if is_unmerged => continue,
            (true, true, _) => "the staged version differs from both the file and the last commit",
            (true, false, From::Everywhere) => "has staged changes",
            (false, true, From::Everywhere) => "has unstaged edits",
            _ => continue,
        };
        found.push(format!("{}: {what}", quote_path(path)));
    }
    if found.is_empty() {
        return Ok(());
    }
    let stop = Stop::refused(format!("uncommitted changes would be lost (files: {})", found.len()));
    Err(stop
        .detailing(found)
        .hint("keep the files with `--cached`, or remove them with their edits with `--force`"))
}

/// Whether another program may have saved one of these files after the survey judged it: what is about to be removed is
/// not the version in the index.
fn is_saved_since(scope: &Scope, survey: &Survey, files: &[Change]) -> bool {
    let recorded = |path: &BString| survey.index.version(scope.full(path).as_bstr());
    files.iter().any(|file| recorded(&file.path).is_some_and(|version| file.before != Some(version)))
}

/// Fail where a symlink, a pipe or another special file stands: the operation log cannot store it, so an undo could not
/// restore it. A folder is not an obstacle: it is kept, as in git.
fn refuse_special(scope: &Scope, survey: &Survey, removed: &BTreeSet<BString>) -> Result<(), Stop> {
    let root = scope.root();
    let changed = survey.work_tree.changed.iter();
    let replaced = changed.filter(|file| file.now == Now::NotAFile && removed.contains(&file.path));
    let mut found = Vec::new();
    for file in replaced {
        let place = fs::below(&root, file.path.as_bstr())?;
        let kind = fs::stat(&place)?.map(|stat| stat.kind);
        if fs::is_reached_by_folders(&root, &place)?
            && kind.is_some_and(|kind| !matches!(kind, FileKind::Regular | FileKind::Folder))
        {
            found.push(quote_path(&file.path).into_owned());
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(Stop::refused("a symlink or special file is in the place of a tracked file").detailing(found).hint(
        "nothing was removed, because an undo could not restore it: move it away, or keep it with `--cached`",
    ))
}

fn transition_of(
    scope: &Scope,
    survey: &Survey,
    removed: &BTreeSet<BString>,
    from: From,
) -> Result<Transition, Stop> {
    let index =
        IndexSides::of(scope, &survey.index, removed.iter().map(|path| (scope.full(path), Staged::Nothing)))?;
    let mut files = Vec::new();
    if from == From::Everywhere {
        let there: Vec<BString> = removed
            .iter()
            .filter(|path| !survey.index.is_withheld(scope.full(path).as_bstr()))
            .cloned()
            .collect();
        let versions: Vec<Option<Version>> = operation::on_disk(scope, &survey.index, &there)?;
        for (path, before) in there.into_iter().zip(versions) {
            if before.is_some() {
                files.push(Change { path, renamed_from: None, before, after: None });
            }
        }
    }
    Ok(Transition { files, index, ..Transition::default() })
}
