//! `brv vc mv`: move entries and folders, and update every link to them.
//!
//! Files, index and links change in one operation. Unstaged edits move with their file and stay unstaged.

mod routes;

use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::derive;
use brv_engine::journal::{IndexSides, OperationKind, Staged, Transition};
use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::open::survey::Survey;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::outcome::json::{shown, texts};
use brv_engine::read::history::source::Reading;
use brv_engine::read::links::repointing::{self, PathMoves, Repointed};
use brv_engine::write::operation::{self, Derived, Locking, Purpose, Work, Writing};
use brv_engine::write::policy::own_files;
use brv_engine::write::written::WrittenEffects;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::trees::Change;
use brv_git::{Scope, Version, store};
use bstr::{BString, ByteSlice as _};
use routes::{MoveContext, MovePlan};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

pub use brv_engine::Mode;
pub use brv_engine::read::links::repointing::RepointedLink;
pub use routes::{MoveRoute, SkippedPath};

/// What to move, and where.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Files and folders, as typed.
    pub sources: Vec<String>,
    /// The new name, or the folder to move into, as typed.
    pub target: String,
    /// What to do if a file already has the new name.
    pub standing: NameClashPolicy,
    /// What to do about a source that cannot be moved.
    pub immovable: Immovable,
    /// Whether anything is written.
    pub mode: Mode,
}

/// What to do if a file already has the new name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NameClashPolicy {
    #[default]
    Refuse,
    /// Replace the file (`--force`); the operation keeps it.
    GivesWay,
}

/// What to do about a source that cannot be moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Immovable {
    #[default]
    Refuse,
    /// Skip it and move the others (`-k`).
    Skip,
}

/// `brv.vc.mv/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Mv")]
pub struct Outcome {
    /// The given paths, and their new paths.
    pub routes: Vec<MoveRoute>,
    /// All moved files.
    pub files: Vec<MovedFile>,
    /// Documents with links to update.
    pub links: Vec<LinkingDocument>,
    /// With `-k`: paths that were skipped.
    pub skipped: Vec<SkippedPath>,
    /// Files of moved folders that were not moved: untracked, and not managed by brv.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<Bytes>")]
    pub left_behind: Vec<BString>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WrittenEffects,
}

/// A moved file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MovedFile {
    pub from: Bytes,
    pub to: Bytes,
}

/// A document with links to update.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Document")]
pub struct LinkingDocument {
    /// Its new path.
    #[serde(serialize_with = "shown")]
    #[schemars(with = "Bytes")]
    pub path: BString,
    /// Whether the updated links are staged; not if the file has unstaged edits.
    pub staged: bool,
    /// The links, in the order of the document.
    pub links: Vec<RepointedLink>,
}

/// Fail because of what cannot be moved.
fn refuse(refused: &[SkippedPath]) -> Stop {
    let message = match refused {
        [one] => format!("cannot move `{}`", one.route.from),
        all => format!("cannot move {} of the files and folders", all.len()),
    };
    let is_mistaken = refused.iter().all(|one| one.why.is_mistaken);
    let kind = if is_mistaken { FailureKind::Usage } else { FailureKind::Refused };
    Stop::new(kind, message)
        .detailing(refused.iter().map(SkippedPath::sentence))
        .hinting(refused.iter().find_map(|one| one.why.hint.clone()))
}

/// Move what the options name.
///
/// # Errors
/// Something that cannot be moved, several sources without a folder to move into: nothing was moved.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |locking| once(cx, options, locking))
}

fn once(cx: &Context<'_>, options: &Options, locking: Locking) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let sources = paths::pathspecs(&scope.root(), &cx.cwd, &options.sources)?;
    let targets = paths::pathspecs(&scope.root(), &cx.cwd, std::slice::from_ref(&options.target))?;
    let mut writing = Writing::begin(cx.parts(&opened))?.locking(locking);
    let survey = writing.survey(|index| derive::quick_survey(&opened, index))?;
    let question = MoveContext { scope, survey: &survey, standing: options.standing };
    let names = sources.iter().map(|source| source.as_bstr());
    let target = targets.first().map(|target| target.as_bstr()).unwrap_or_default();
    let plan = question.plan(names, target, options.target.ends_with(['/', std::path::MAIN_SEPARATOR]))?;
    if !plan.refused.is_empty() && options.immovable == Immovable::Refuse {
        return Err(refuse(&plan.refused));
    }
    let curated = derive::curated_paths(scope, &survey)?;
    let turned =
        as_stored(scope, repointing::repointed(&Reading::on_disk(scope.root()), &curated, &moves(&plan))?)?;
    let mut change = MoveWriter { scope, survey: &survey, plan: &plan, transition: Transition::default() };
    let links = change.make(turned, options.mode)?;
    let transition = change.transition;
    let mut outcome = Outcome {
        files: plan.files.iter().map(|(from, to)| MovedFile { from: from.into(), to: to.into() }).collect(),
        routes: plan.routes,
        links,
        skipped: plan.refused,
        left_behind: plan.left_behind,
        ..Outcome::default()
    };
    if options.mode == Mode::Write {
        // a file that stands in the tree may move to another place in it, managed by brv or not
        let admits = own_files::admits(scope, OperationKind::Move)?;
        let reason = format!("move {} to {}", options.sources.join(" "), options.target);
        let purpose = Purpose::new(OperationKind::Move, reason).logged("mv");
        let work = Work::exact(transition).admitting(&*admits);
        writing.carry_out(Some(survey.index), work, &purpose)?;
    }
    outcome.written = WrittenEffects::from(&writing.finish(Derived::Changed));
    Ok(outcome)
}

/// The documents as git stores them, where attributes of a bigger repository give them another form on disk.
fn as_stored(scope: &Scope, mut turned: Vec<Repointed>) -> Result<Vec<Repointed>, Stop> {
    let converter = git::Converter::of(scope);
    for one in turned.iter_mut().filter(|_| converter.converts()) {
        let path = path_of(&one.path);
        let here = brv_base::fs::read_if_there(&one.path.on_disk(&scope.root()))?;
        let here = here.filter(|bytes| ContentId::of(bytes) == one.source);
        let here = here.ok_or_else(|| saved(&one.path))?;
        one.source = converter.id(path.as_bstr(), &here)?;
        if let Some(bytes) = one.bytes.take() {
            one.bytes = Some(converter.to_git(path.as_bstr(), bytes.into())?.into_owned());
        }
    }
    Ok(turned)
}

/// The moves whose paths are portable, as the paths in links always are.
fn moves(plan: &MovePlan) -> PathMoves {
    let parsed = |path: &BString| TreePath::parse(path).ok();
    let files = plan.files.iter().filter_map(|(old, new)| Some((parsed(old)?, parsed(new)?)));
    let folders = plan.routes.iter().filter(|route| route.is_folder);
    PathMoves {
        files: files.collect(),
        folders: folders.map(|route| (route.from.to_string(), route.to.to_string())).collect(),
    }
}

/// Updates files and index to their state after the moves.
struct MoveWriter<'a> {
    scope: &'a Scope,
    survey: &'a Survey,
    plan: &'a MovePlan,
    transition: Transition,
}

impl MoveWriter<'_> {
    /// Store the new versions, unless nothing is to be written.
    fn make(&mut self, turned: Vec<Repointed>, mode: Mode) -> Result<Vec<LinkingDocument>, Stop> {
        let (scope, index) = (self.scope, &self.survey.index);
        let stays = |one: &Repointed| !self.plan.overwritten.contains(one.path.as_str().as_bytes().as_bstr());
        let turned: Vec<Repointed> = turned.into_iter().filter(stays).collect();
        let moved = self.plan.files.keys().chain(&self.plan.overwritten).cloned();
        // an untracked file at the path of one that is kept off the disk is not a version of it
        let moved = moved.filter(|path| !index.is_withheld(scope.full(path).as_bstr()));
        let with_links = turned.iter().filter(|one| one.bytes.is_some());
        let mut paths: Vec<BString> = moved.chain(with_links.map(|one| path_of(&one.path))).collect();
        paths.sort();
        paths.dedup();
        if mode == Mode::DryRun {
            return Ok(turned.into_iter().map(|one| self.document(one)).collect());
        }
        let versions = operation::on_disk(scope, index, &paths)?;
        let versions: BTreeMap<BString, Option<Version>> = paths.into_iter().zip(versions).collect();
        let on_disk = |path: &BString| versions.get(path).copied().flatten();
        let new = self.store(&turned, on_disk)?;
        let mut files: BTreeMap<BString, (Option<Version>, Option<Version>)> = BTreeMap::new();
        let mut entries: BTreeMap<BString, Staged> = BTreeMap::new();
        for (old, target) in &self.plan.files {
            if let Some(before) = on_disk(old) {
                files.insert(old.clone(), (Some(before), None));
                let after = new.get(old).copied().unwrap_or(before);
                files.insert(target.clone(), (on_disk(target), Some(after)));
            }
            if let Some(recorded) = self.recorded(old) {
                let is_unedited = on_disk(old).is_some_and(|version| version.id == recorded.id);
                let staged = new.get(old).copied().filter(|_| is_unedited).unwrap_or(recorded);
                entries.insert(scope.full(old), Staged::Nothing);
                entries.insert(scope.full(target), Staged::Version(staged));
            } else if index.is_intended(scope.full(old).as_bstr()) {
                entries.insert(scope.full(old), Staged::Nothing);
                entries.insert(scope.full(target), Staged::Intended);
            }
        }
        for (path, after) in new.iter().filter(|(path, _)| !self.plan.files.contains_key(*path)) {
            files.insert(path.clone(), (on_disk(path), Some(*after)));
            if self.is_staged(path, on_disk(path).map(|version| version.id)) {
                entries.insert(scope.full(path), Staged::Version(*after));
            }
        }
        let change = |(path, (before, after))| Change { path, renamed_from: None, before, after };
        self.transition.files = files.into_iter().map(change).collect();
        self.transition.index = IndexSides::of(scope, index, entries)?;
        for (old, target) in &self.plan.files {
            self.transition.index.hide_moved(scope.full(old).as_bstr(), scope.full(target));
        }
        Ok(turned.into_iter().map(|one| self.document(one)).collect())
    }

    /// The new versions of documents, by their old paths.
    fn store(
        &self,
        turned: &[Repointed],
        on_disk: impl Fn(&BString) -> Option<Version>,
    ) -> Result<BTreeMap<BString, Version>, Stop> {
        let (mut modes, mut blobs) = (Vec::new(), Vec::new());
        for one in turned {
            let Some(bytes) = &one.bytes else { continue };
            let path = path_of(&one.path);
            let before = on_disk(&path).filter(|version| version.id == one.source);
            modes.push((path, before.ok_or_else(|| saved(&one.path))?.mode));
            blobs.push(bytes.clone());
        }
        let ids = store::write_blobs(self.scope, &blobs)?;
        Ok(modes.into_iter().zip(ids).map(|((path, mode), id)| (path, Version { mode, id })).collect())
    }

    /// The version of a path in the index, if it is a file.
    fn recorded(&self, path: &BString) -> Option<Version> {
        let full = self.scope.full(path);
        let index = &self.survey.index;
        index.version(full.as_bstr()).filter(|_| !index.is_intended(full.as_bstr()))
    }

    /// Whether links change in the index, too: not in a file that has unstaged edits, or is not tracked.
    fn is_staged(&self, path: &BString, on_disk: Option<git::BlobId>) -> bool {
        let recorded = self.recorded(path).map(|version| version.id);
        recorded.is_some() && recorded == on_disk
    }

    fn document(&self, one: Repointed) -> LinkingDocument {
        let path = path_of(&one.path);
        let staged = self.is_staged(&path, Some(one.source));
        LinkingDocument {
            path: self.plan.files.get(&path).cloned().unwrap_or(path),
            staged,
            links: one.links,
        }
    }
}

fn saved(path: &TreePath) -> Stop {
    Stop::new(FailureKind::Changed, format!("`{path}` was saved in the meantime")).hint("run it again")
}

fn path_of(path: &TreePath) -> BString {
    path.as_str().into()
}
