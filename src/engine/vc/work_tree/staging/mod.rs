//! Stage files of the work tree in the index: the code of `add` and `commit -a`.

mod storing;

use crate::Mode;
use crate::merge::decisions;
use crate::open::survey::{Class, NOT_A_FILE, Survey};
use crate::outcome::bytes::{Bytes, text};
use crate::outcome::stop::Stop;
use crate::outcome::unknown_name::UnknownName;
use crate::vc::check::{CheckFinding, Reported, gate};
use crate::write::overriding::{Allowed, Guard};
use crate::write::policy::case_collisions::Spellings;
use crate::write::policy::own_files;
use brv_base::fs;
use brv_base::path::{TreePath, Unportable, kind_of};
use brv_base::progress::Progress;
use brv_base::sorting;
use brv_git as git;
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::status::{Now, StatusChange};
use brv_git::{Edit, Edits, FileMode, Presence, Scope, Version, store};
use brv_text::derive::stamp::{self, Stamp};
use brv_text::doc::Document;
use brv_text::lint::secrets;
use brv_text::merge::MergePlace;
use bstr::{BStr, BString, ByteSlice};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;
use storing::Read;

/// Why a file is rejected whose edits a flag of the index hides.
const HIDDEN: &str = "skip-worktree or assume-unchanged hides its edits (see `git help update-index`)";

/// Why a file is rejected that is neither curated nor support.
const FOREIGN: &str = "it is not managed by brv";

#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Paths of the tree. Empty only for a selection that needs none.
    pub specs: Vec<Pathspec>,
    /// All of the tree, or only the paths.
    pub selection: Selection,
    /// Whether ignored and unmanaged files are staged when they are named.
    pub unusual: Unusual,
    pub content: StagingContent,
    /// Files that are not in the index but are treated as tracked, because a commit has them.
    pub known: Vec<BString>,
    /// Whether objects are stored.
    pub mode: Mode,
    pub allowed: Allowed,
}

/// Whether the content of new files is staged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StagingContent {
    /// The content of new and of tracked files is staged.
    #[default]
    Now,
    /// Only the intent to add is staged (`--intent-to-add`).
    Later,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Selection {
    #[default]
    Paths,
    /// All files (`--all`).
    Everything,
    /// Only tracked files (`commit -a`, `add --update`): all, or those that match the paths.
    Recorded,
    /// As [`Selection::Recorded`], where the caller knows that every path matches something, if only in a commit.
    Named,
}

/// What happens to files that are neither curated nor support.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unusual {
    /// They are left out; named ones are rejected.
    #[default]
    LeaveOut,
    /// They are staged (`--force`).
    Take,
}

/// What was staged; all lists sorted, all paths relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Staged")]
pub struct StagingResult {
    /// New files that were staged.
    pub added: Vec<Bytes>,
    /// Tracked files whose new version was staged.
    pub updated: Vec<Bytes>,
    /// Files whose deletion was staged.
    pub removed: Vec<Bytes>,
    /// With `--intent-to-add`: new files, marked as to be added later.
    pub intended: Vec<Bytes>,
    /// Files that were not staged.
    pub refused: Vec<Refused>,
    /// Files that look like entries but are not, and were skipped: symlinks, repositories, `X.MD`.
    pub passed_over: Vec<Refused>,
    /// Errors in the staged files that would block a push.
    pub findings: Vec<Reported>,
    /// The secrets in them that are allowed.
    #[serde(skip)]
    pub opened: Vec<Guard>,
}

/// A file that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Refused {
    /// Its path.
    pub path: String,
    /// Why it was rejected.
    pub reason: String,
    /// The secrets in it, if it was rejected for those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Reported>,
    #[serde(skip)]
    pub cause: RefusalCause,
    /// The path as the disk has it, also if a secret stands in it.
    #[serde(skip)]
    pub file: BString,
}

/// Why a file was rejected, as far as that decides what may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCause {
    /// It is still in conflict.
    Open,
    /// It is ignored, or not managed by brv.
    Unusual,
    Other,
}

impl Refused {
    fn new(file: BString, reason: impl Into<String>) -> Self {
        Self {
            path: secrets::masked(&text(&file)).into_owned(),
            reason: reason.into(),
            findings: Vec::new(),
            cause: RefusalCause::Other,
            file,
        }
    }

    fn open(file: &BStr, reason: impl Into<String>) -> Self {
        Self { cause: RefusalCause::Open, ..Self::new(file.to_owned(), reason) }
    }

    fn unusual(file: &BStr, reason: &str) -> Self {
        Self { cause: RefusalCause::Unusual, ..Self::new(file.to_owned(), reason) }
    }

    /// A link, a folder with a repository of its own, a device.
    fn irregular(file: &BStr) -> Self {
        Self::new(file.to_owned(), format!("it is {NOT_A_FILE}"))
    }

    fn unportable(file: &BStr, why: Unportable) -> Self {
        Self::new(file.to_owned(), format!("its path {why}"))
    }
}

fn frontmatter(place: &MergePlace) -> String {
    match place {
        MergePlace::Field { field } => format!("its field `{field}`"),
        _ => "its frontmatter".to_owned(),
    }
}

/// Select the files, store their bytes durably, and return the edits for the index.
///
/// # Errors
/// A path matches nothing; a rejected file is part of the outcome.
pub fn stage(
    scope: &Scope,
    survey: &Survey,
    wanted: &Wanted,
    progress: &dyn Progress,
) -> Result<(StagingResult, Edits), Stop> {
    let selected = Selected { wanted, specs: Pathspecs::of(&wanted.specs) };
    let mut outcome = StagingResult::default();
    let mut edits = Edits::new();
    let (mut reads, mut found) = (Vec::new(), Vec::new());
    let conflicted = survey.index.unmerged();
    for changed in &survey.work_tree.changed {
        let is_recorded = wanted.content == StagingContent::Now || changed.now == Now::Deleted;
        if changed.is_hidden {
            let is_named = selected.specs.is_exactly(changed.path.as_bstr());
            if is_named && changed.now != Now::Deleted {
                outcome.refused.push(Refused::new(changed.path.clone(), HIDDEN));
            }
        } else if is_recorded && selected.takes(changed.path.as_bstr()) {
            stage_changed(scope, changed, &mut reads, &mut edits, &mut outcome);
        }
    }
    for full in conflicted.iter().filter(|_| wanted.content == StagingContent::Now) {
        resolve_same(scope, survey, full, &selected, &mut edits, &mut outcome)?;
    }
    match wanted.selection {
        Selection::Paths | Selection::Everything => {
            stage_unrecorded(scope, survey, &selected, &mut reads, &mut outcome)?;
            stage_withheld(scope, survey, wanted, &mut reads, &mut outcome)?;
            no_match(scope, survey, &wanted.specs)?;
        }
        Selection::Recorded => none_recorded(scope, survey, &wanted.specs)?,
        Selection::Named => {}
    }
    reads.extend(wanted.known.iter().map(|path| Read::new(path.clone())));
    if wanted.unusual != Unusual::Take {
        refuse_open(scope, survey, &conflicted, &mut reads, &mut outcome)?;
    }
    let stores = if wanted.content == StagingContent::Now { wanted.mode } else { Mode::DryRun };
    let taken = storing::store(scope, &reads, (stores, &wanted.allowed), progress)?;
    for (read, stored) in reads.into_iter().zip(taken) {
        match stored {
            Ok(_) if wanted.content == StagingContent::Later => {
                edits.insert(scope.full(&read.path), Edit::Intend);
                outcome.intended.push(Bytes::from(&read.path));
            }
            Ok(stored) => {
                let version = Version { mode: read.mode, id: stored.id };
                edits.insert(scope.full(&read.path), Edit::Put(version, Presence::OnDisk(stored.stat)));
                outcome.opened.extend(stored.found.iter().filter_map(gate::guard));
                found.extend(stored.found);
                let path = Bytes::from(&read.path);
                if read.is_new { outcome.added.push(path) } else { outcome.updated.push(path) }
            }
            Err(refused) => outcome.refused.push(refused),
        }
    }
    CheckFinding::sort(&mut found);
    outcome.findings = found.iter().map(Reported::from).collect();
    if wanted.mode == Mode::Write && !outcome.intended.is_empty() {
        store::write_blobs(scope, &[Vec::new()])?;
    }
    outcome.added.sort();
    outcome.intended.sort();
    outcome.updated.sort();
    sorting::sort_by(&mut outcome.refused, |a, b| a.file.cmp(&b.file));
    Ok((outcome, edits))
}

struct Selected<'a> {
    wanted: &'a Wanted,
    specs: Pathspecs<'a>,
}

impl Selected<'_> {
    fn takes(&self, path: &BStr) -> bool {
        let everything = self.wanted.selection != Selection::Paths && self.specs.is_empty();
        everything || self.specs.matches(path)
    }
}

fn stage_changed(
    scope: &Scope,
    changed: &StatusChange,
    reads: &mut Vec<Read>,
    edits: &mut Edits,
    outcome: &mut StagingResult,
) {
    match changed.now {
        Now::Deleted => {
            edits.insert(scope.full(&changed.path), Edit::Remove);
            outcome.removed.push(Bytes::from(&changed.path));
        }
        Now::NotAFile => {
            outcome.refused.push(Refused::irregular(changed.path.as_bstr()));
        }
        Now::Modified(..) => reads.push(Read {
            kind: kind_of(&changed.path.to_str_lossy()),
            path: changed.path.clone(),
            mode: match changed.recorded.mode {
                FileMode::Executable => FileMode::Executable,
                _ => FileMode::Regular,
            },
            is_new: false,
        }),
    }
}

/// Reject files in conflict that are still as the merge left them: staging them would hide the conflict.
fn refuse_open(
    scope: &Scope,
    survey: &Survey,
    conflicted: &[BString],
    reads: &mut Vec<Read>,
    outcome: &mut StagingResult,
) -> Result<(), Stop> {
    if conflicted.is_empty() {
        return Ok(());
    }
    let (open, rest): (Vec<Read>, Vec<Read>) =
        std::mem::take(reads).into_iter().partition(|read| conflicted.contains(&scope.full(&read.path)));
    *reads = rest;
    for read in open {
        match open_in(scope, survey, read.path.as_bstr())? {
            Some(refused) => outcome.refused.push(refused),
            None => reads.push(read),
        }
    }
    Ok(())
}

/// Why a file in conflict cannot be staged as it is on disk.
fn open_in(scope: &Scope, survey: &Survey, path: &BStr) -> Result<Option<Refused>, Stop> {
    let bytes = fs::read(&fs::below(&scope.root(), path)?)?;
    let bytes = git::Converter::of(scope).to_git(path, bytes.into())?.into_owned();
    let document = Document::parse(bytes);
    if !document.conflicts().is_empty() {
        return Ok(Some(Refused::open(path, "it still has conflict markers")));
    }
    let open = decisions::in_frontmatter(scope, &survey.index, path, document.into_bytes())?;
    // the merge leaves no markers there
    Ok(open.map(|place| Refused::open(path, format!("{} is still in conflict", frontmatter(&place)))))
}

/// `add` also resolves a file in conflict whose bytes on disk equal the side that the survey compared with.
fn resolve_same(
    scope: &Scope,
    survey: &Survey,
    full: &BString,
    selected: &Selected<'_>,
    edits: &mut Edits,
    outcome: &mut StagingResult,
) -> Result<(), Stop> {
    let Some(path) = scope.strip(full.as_bstr()) else { return Ok(()) };
    let changed = &survey.work_tree.changed;
    let is_changed = changed.binary_search_by(|changed| changed.path.as_bstr().cmp(path)).is_ok();
    if is_changed || !selected.takes(path) {
        return Ok(());
    }
    if selected.wanted.unusual != Unusual::Take
        && let Some(refused) = open_in(scope, survey, path)?
    {
        outcome.refused.push(refused);
        return Ok(());
    }
    let first = survey.index.stages(full.as_bstr()).into_iter().flatten().next();
    if let Some(version) = first {
        edits.insert(full.clone(), Edit::Put(version, Presence::Unknown));
        outcome.updated.push(path.into());
    }
    Ok(())
}

fn stage_unrecorded(
    scope: &Scope,
    survey: &Survey,
    selected: &Selected<'_>,
    reads: &mut Vec<Read>,
    outcome: &mut StagingResult,
) -> Result<(), Stop> {
    let spellings = spellings(scope, survey, selected);
    for file in survey.unrecorded(scope)? {
        let path = file.path.as_bstr();
        if !selected.takes(path) {
            continue;
        }
        let forced = selected.wanted.unusual == Unusual::Take;
        let unusual = |reason| (!forced).then(|| Refused::unusual(path, reason));
        let refused = match (file.class, selected.specs.is_exactly(path)) {
            (Class::Untracked, _) => None,
            (Class::Derived, false) | (Class::Ignored | Class::Foreign(_), false) => {
                pass_over(scope, path, file.class, outcome);
                continue;
            }
            // brv's own is never staged, another tool's with `--force` only
            (Class::Derived, true) => (!forced || is_stamped(scope, path)?)
                .then(|| Refused::new(path.to_owned(), "it has the name of a derived file")),
            (Class::Ignored, true) => unusual("it is ignored"),
            (Class::Foreign(NOT_A_FILE), true) => Some(Refused::irregular(path)),
            (Class::Foreign(_), true) => unusual(FOREIGN),
        };
        let broken = TreePath::parse(path).err().map(|why| Refused::unportable(path, why));
        // it only differs in case from this path, or stands in a folder that does
        let twin = || {
            let other = spellings.other(path)?;
            Some(Refused::new(path.to_owned(), format!("it differs from `{other}` only in case")))
        };
        match broken.or(refused).or_else(twin) {
            Some(refused) => outcome.refused.push(refused),
            None => reads.push(Read::new(file.path)),
        }
    }
    Ok(())
}

/// Whether brv wrote the file.
fn is_stamped(scope: &Scope, path: &BStr) -> Result<bool, fs::Error> {
    let root = scope.root();
    let bytes = fs::read_below(&root, &fs::below(&root, path)?)?;
    Ok(bytes.is_some_and(|bytes| stamp::read(&bytes) != Stamp::Foreign))
}

/// A file at the path of a tracked file that is withheld from the disk: to be staged it must be named, like an
/// untracked file.
fn stage_withheld(
    scope: &Scope,
    survey: &Survey,
    wanted: &Wanted,
    reads: &mut Vec<Read>,
    outcome: &mut StagingResult,
) -> Result<(), Stop> {
    let root = scope.root();
    for path in wanted.specs.iter().map(|spec| spec.as_bstr()) {
        if !survey.index.is_withheld(scope.full(path).as_bstr()) || !own_files::is_foreign(path) {
            continue;
        }
        let file = fs::below(&root, path)?;
        let stands = if fs::is_reached_by_folders(&root, &file)? { fs::stat(&file)? } else { None };
        outcome.refused.push(match (stands.map(|stat| stat.kind), wanted.unusual) {
            (None, _) => continue,
            (Some(fs::FileKind::Regular), Unusual::Take) => {
                reads.push(Read { is_new: false, ..Read::new(path.to_owned()) });
                continue;
            }
            (Some(fs::FileKind::Regular), Unusual::LeaveOut) => Refused::unusual(path, FOREIGN),
            (Some(_), _) => Refused::irregular(path),
        });
    }
    Ok(())
}

/// A markdown file that is left out only for its path is rejected by name, not skipped. Other files that look like
/// entries are skipped with a warning.
fn pass_over(scope: &Scope, path: &BStr, class: Class, outcome: &mut StagingResult) {
    match (class, TreePath::parse(path)) {
        (Class::Foreign(NOT_A_FILE), _) if is_near_knowledge(scope, path) => {
            outcome.passed_over.push(Refused::irregular(path));
        }
        (_, Err(why)) if path.ends_with(b".md") => outcome.refused.push(Refused::unportable(path, why)),
        (Class::Foreign(_), Ok(_)) if has_markdown_name(path) => {
            let reason = format!("its name ends with `{}`, not with `.md`", path[path.len() - 3..].as_bstr());
            outcome.passed_over.push(Refused::new(path.to_owned(), reason));
        }
        _ => {}
    }
}

/// Whether something that is not a regular file looks like an entry, or may contain some: a nested repository.
fn is_near_knowledge(scope: &Scope, path: &BStr) -> bool {
    has_markdown_name(path)
        || fs::below(&scope.root(), path)
            .and_then(|path| fs::stat(&path))
            .is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == fs::FileKind::Folder))
}

fn has_markdown_name(path: &BStr) -> bool {
    path.len() >= 3 && path[path.len() - 3..].eq_ignore_ascii_case(b".md")
}

/// The spellings of paths that stay tracked, then of new paths.
fn spellings(scope: &Scope, survey: &Survey, selected: &Selected<'_>) -> Spellings {
    let new = survey.work_tree.unexpected.iter().map(|file| file.path.as_bstr());
    if new.len() == 0 {
        return Spellings::default();
    }
    let is_leaving =
        |changed: &&StatusChange| changed.now == Now::Deleted && selected.takes(changed.path.as_bstr());
    let leaving: HashSet<&BStr> =
        survey.work_tree.shown().filter(is_leaving).map(|changed| changed.path.as_bstr()).collect();
    let recorded = survey.index.versions().filter_map(|(path, _)| scope.strip(path));
    Spellings::of(recorded.filter(|path| !leaving.contains(path)).chain(new))
}

fn no_match(scope: &Scope, survey: &Survey, specs: &[Pathspec]) -> Result<(), Stop> {
    for spec in specs.iter().filter(|spec| !spec.as_bstr().is_empty()) {
        let path = spec.as_bstr();
        let is_there = || fs::below(&scope.root(), path).is_ok_and(|folder| folder.is_dir());
        let is_matched = || spec.has_wildcard() && matches_something(scope, survey, spec);
        if !(names_something(scope, survey, path) || is_there() || is_matched()) {
            let stop = Stop::usage(format!("`{path}` matches no file"));
            return Err(stop.seeking(UnknownName::Path(path.to_string())));
        }
    }
    Ok(())
}

/// As [`no_match`], for tracked files only.
fn none_recorded(scope: &Scope, survey: &Survey, specs: &[Pathspec]) -> Result<(), Stop> {
    let all = || survey.index.first_versions().chain(survey.index.versions());
    let recorded = || all().filter_map(|(path, _)| scope.strip(path));
    match specs.iter().find(|spec| !recorded().any(|path| spec.matches(path))) {
        Some(spec) => Err(untracked(spec)),
        None => Ok(()),
    }
}

/// The reason that a path matches no tracked file.
pub fn untracked(spec: &Pathspec) -> Stop {
    Stop::usage(format!("`{}` matches no tracked file", spec.as_bstr()))
}

/// Whether a tracked or new file is at or below the path.
fn names_something(scope: &Scope, survey: &Survey, path: &BStr) -> bool {
    let mut inside = path.to_owned();
    inside.push(b'/');
    let new = &survey.work_tree.unexpected;
    let from = |start: &BStr| new[new.partition_point(|file| file.path < start)..].first();
    survey.index.names_something(scope.full(path).as_bstr())
        || from(path).is_some_and(|file| file.path == path)
        || from(inside.as_bstr()).is_some_and(|file| file.path.starts_with(&inside))
}

/// Whether a tracked or new file matches a pattern.
fn matches_something(scope: &Scope, survey: &Survey, spec: &Pathspec) -> bool {
    let unmerged = survey.index.unmerged();
    let unmerged = unmerged.iter().filter_map(|path| scope.strip(path.as_bstr()));
    let mut recorded = survey.index.versions().filter_map(|(path, _)| scope.strip(path)).chain(unmerged);
    let mut new = survey.work_tree.unexpected.iter().map(|file| file.path.as_bstr());
    recorded.any(|path| spec.matches(path)) || new.any(|path| spec.matches(path))
}
