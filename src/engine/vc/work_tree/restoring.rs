//! Restore paths from the index, a commit or a side of a conflict: on disk, in the index or in both.
//!
//! The current versions are stored in the operation before they are replaced. References do not move.

use super::hard_reset::{self, Here, on_disk};
use crate::Stop;
use crate::derive;
use crate::journal::{IndexSides, OperationKind, Staged, Transition};
use crate::merge::integrate::Derive;
use crate::open::context::Parts;
use crate::open::survey::{self, Survey};
use crate::outcome::json::texts;
use crate::outcome::unknown_name::UnknownName;
use crate::write::operation::{Derived, Purpose, Work, Writing};
use crate::write::policy::own_files::{self, LocalFiles};
use crate::write::written::WrittenEffects;
use brv_base::fs::WriteGuard;
use brv_git as git;
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::status::StatusError;
use brv_git::switch::{Admission, Content};
use brv_git::trees::{self, Change, TreeItem};
use brv_git::{Scope, TreeId, Version};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreSource {
    Index,
    /// The index, and one side of files in conflict.
    Side(RestoreSide),
    Tree(TreeId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreSide {
    Ours,
    /// The side of the branch being merged.
    Theirs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    Files,
    Index,
    Both,
}

/// What happens to tracked files that the source does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbsentFilePolicy {
    Goes,
    Stays,
}

#[derive(Debug)]
pub struct RestoreRequest {
    pub specs: Vec<Pathspec>,
    pub source: RestoreSource,
    /// Whether to restore files, the index, or both.
    pub places: Places,
    /// What happens to files that the source does not have.
    pub absent: AbsentFilePolicy,
    /// The command, for the operation log.
    pub kind: OperationKind,
    /// The reason, in one line.
    pub reason: String,
}

/// `brv.vc.restore/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Restore")]
pub struct Restored {
    /// Files that were written or removed.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub files: Vec<BString>,
    /// Paths that changed in the index.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub recorded: Vec<BString>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WrittenEffects,
}

/// Restore the requested paths.
///
/// # Errors
/// A path that matches nothing, files in conflict, a side that has no version, files in the way; the next command finishes
/// an interrupted operation.
pub fn restore(mut writing: Writing<'_>, request: &RestoreRequest, derive: Derive) -> Result<Restored, Stop> {
    let scope = writing.scope();
    let parts = writing.parts();
    let survey = writing.survey(|index| look(&parts, index, &request.specs))?;
    let wanted = wanted(scope, &survey, request)?;
    let kept = keep_named(scope, writing.guard(), request, &wanted)?;
    let mut transition = transition(scope, &survey, request, &wanted)?;
    let withheld = leave_off_disk(scope, &survey.index, &kept, &mut transition.files);
    let mut restored = Restored {
        files: transition.files.iter().map(|change| change.path.clone()).collect(),
        recorded: staged(scope, &transition.index),
        ..Restored::default()
    };
    let admit = kept.into_admit();
    let derived = match derive == Derive::Now && !transition.files.is_empty() {
        true => Derived::Changed,
        false => Derived::Leave,
    };
    let purpose = Purpose::new(request.kind, request.reason.clone());
    let work = Work::exact(transition).admitting(&*admit).reporting_obstacles();
    writing.carry_out(Some(survey.index), work, &purpose)?;
    let mut written = writing.finish(derived);
    let is_withheld = |path: &BString| written.withheld.iter().any(|(other, _)| other == path);
    restored.files.retain(|path| !written.blocked.contains(path) && !is_withheld(path));
    written.withheld.extend(withheld);
    written.withheld.sort();
    Ok(Restored { written: WrittenEffects::from(&written), ..restored })
}

/// A file named by its full path is written to disk even if brv does not manage it, and whatever its bytes are.
fn keep_named(
    scope: &Scope,
    guard: &WriteGuard,
    request: &RestoreRequest,
    wanted: &BTreeMap<BString, Option<Version>>,
) -> Result<LocalFiles, Stop> {
    let specs = Pathspecs::of(&request.specs);
    let is_named = |path: &BString| request.places != Places::Index && specs.is_exactly(path.as_bstr());
    let named = wanted.iter().filter(|(path, _)| is_named(path));
    let mut kept = LocalFiles::read(scope)?;
    for (path, id) in named.filter_map(|(path, after)| Some((path, (*after)?.id))) {
        kept.extend([(path, id)]);
        if own_files::is_unfit(scope, path.as_bstr(), id)? {
            kept.add_unfit(id);
        }
    }
    kept.save(scope, guard)?;
    Ok(kept)
}

/// Remove files that are withheld in the wanted version already, and stay so, and those that a sparse checkout leaves
/// out.
fn leave_off_disk(
    scope: &Scope,
    index: &git::Index,
    kept: &LocalFiles,
    files: &mut Vec<Change>,
) -> Vec<(BString, &'static str)> {
    let mut withheld = Vec::new();
    files.retain(|change| {
        let (path, full) = (change.path.as_bstr(), scope.full(&change.path));
        let is_as_wanted = index.is_withheld(full.as_bstr()) && index.version(full.as_bstr()) == change.after;
        let Some(after) = change.after.filter(|_| change.before.is_none()) else { return true };
        match kept.admit(path, Content::Unread(after)) {
            Admission::Withheld(reason) if is_as_wanted => {
                withheld.push((change.path.clone(), reason));
                false
            }
            Admission::LeftOut => false,
            Admission::Admitted | Admission::Withheld(_) => true,
        }
    });
    withheld
}

/// Survey only the named paths if they are plain paths.
fn look(parts: &Parts<'_>, index: git::Index, specs: &[Pathspec]) -> Result<Survey, StatusError> {
    let is_plain = |spec: &Pathspec| !spec.has_wildcard() && !spec.as_bstr().is_empty();
    if specs.iter().all(is_plain) {
        survey::survey_at(parts.scope(), index, specs)
    } else {
        derive::quick_survey(parts.opened, index)
    }
}

fn wanted(
    scope: &Scope,
    survey: &Survey,
    request: &RestoreRequest,
) -> Result<BTreeMap<BString, Option<Version>>, Stop> {
    let index = &survey.index;
    let specs = Pathspecs::of(&request.specs);
    let named = |full: &BString| {
        scope.strip(full.as_bstr()).filter(|path| specs.matches(path)).map(ToOwned::to_owned)
    };
    let unmerged: BTreeSet<BString> = index.unmerged().iter().filter_map(named).collect();
    let recorded: BTreeMap<BString, Version> = index
        .versions()
        .filter_map(|(full, version)| {
            Some((scope.strip(full).filter(|path| specs.matches(path))?.to_owned(), version))
        })
        .collect();
    let mut wanted: BTreeMap<BString, Option<Version>> = BTreeMap::new();
    match request.source {
        RestoreSource::Tree(tree) => {
            let theirs = listed(scope, tree, &request.specs)?;
            if request.absent == AbsentFilePolicy::Goes {
                wanted.extend(recorded.into_keys().chain(unmerged).map(|path| (path, None)));
            } else {
                refuse_unmatched(request, theirs.keys().chain(recorded.keys()).chain(&unmerged))?;
            }
            wanted.extend(theirs.into_iter().map(|(path, version)| (path, Some(version))));
        }
        RestoreSource::Index if !unmerged.is_empty() => {
            let stop = Stop::conflict("files are still in conflict");
            return Err(stop.listing(&unmerged.into_iter().collect::<Vec<_>>()).hint(
                "resolve it with `brv vc resolve PATH`; or take one side with `--ours` or `--theirs`",
            ));
        }
        RestoreSource::Index => {
            wanted.extend(recorded.into_iter().map(|(path, version)| (path, Some(version))))
        }
        RestoreSource::Side(side) => {
            wanted.extend(recorded.into_iter().map(|(path, version)| (path, Some(version))));
            for path in unmerged {
                let [_, ours, theirs] = index.stages(scope.full(&path).as_bstr());
                let (version, whose) = match side {
                    RestoreSide::Ours => (ours, "our"),
                    RestoreSide::Theirs => (theirs, "their"),
                };
                let absent = || Stop::usage(format!("`{path}` does not exist on {whose} side"));
                let version = version.ok_or_else(absent)?;
                wanted.insert(path, Some(version));
            }
        }
    }
    if request.absent == AbsentFilePolicy::Goes || !matches!(request.source, RestoreSource::Tree(_)) {
        refuse_unmatched(request, wanted.keys())?;
    }
    Ok(wanted)
}

fn refuse_unmatched<'a>(
    request: &RestoreRequest,
    paths: impl Iterator<Item = &'a BString>,
) -> Result<(), Stop> {
    let mut open: Vec<&Pathspec> = request.specs.iter().filter(|spec| !spec.as_bstr().is_empty()).collect();
    for path in paths {
        if open.is_empty() {
            break;
        }
        open.retain(|spec| !spec.matches(path.as_bstr()));
    }
    match open.first() {
        Some(spec) => {
            let path = spec.as_bstr().to_string();
            let stop = Stop::usage(format!("`{path}` matches no tracked file"));
            Err(stop.seeking(UnknownName::Path(path)))
        }
        None => Ok(()),
    }
}

/// The files of a tree that match; only plain paths' subtrees are read.
fn listed(scope: &Scope, tree: TreeId, specs: &[Pathspec]) -> Result<BTreeMap<BString, Version>, git::Error> {
    let mut found = BTreeMap::new();
    for spec in specs {
        if spec.has_wildcard() {
            let all = trees::list(scope, tree)?;
            found.extend(all.into_iter().filter(|(path, _)| spec.matches(path.as_bstr())));
            continue;
        }
        match trees::find(scope, tree, spec.as_bstr())? {
            Some(TreeItem::File(version)) => {
                found.insert(spec.as_bstr().to_owned(), version);
            }
            Some(TreeItem::Folder(folder)) => {
                let inside = trees::list(&scope.whole(), folder)?;
                found.extend(inside.into_iter().map(|(path, version)| (joined(spec, &path), version)));
            }
            None => {}
        }
    }
    Ok(found)
}

fn joined(folder: &Pathspec, path: &BString) -> BString {
    let mut joined = folder.as_bstr().to_owned();
    if !joined.is_empty() {
        joined.push(b'/');
    }
    joined.extend_from_slice(path);
    joined
}

fn transition(
    scope: &Scope,
    survey: &Survey,
    request: &RestoreRequest,
    wanted: &BTreeMap<BString, Option<Version>>,
) -> Result<Transition, Stop> {
    let index = &survey.index;
    let mut files = Vec::new();
    let (specs, hidden) = (Pathspecs::of(&request.specs), survey.work_tree.hidden());
    if request.places != Places::Index {
        let here = on_disk(scope, survey, wanted.iter().map(|(path, after)| (path, *after)))?;
        for ((path, after), here) in wanted.iter().zip(here) {
            let is_recorded = index.contains(scope.full(path).as_bstr());
            // the user hides an edit in order to keep it
            let is_meant = !hidden.contains(path.as_bstr()) || specs.is_exactly(path.as_bstr());
            if let Here::Is(before) = here
                && before != *after
                && (is_recorded || after.is_some())
                && is_meant
            {
                files.push(Change { path: path.clone(), renamed_from: None, before, after: *after });
            }
        }
    }
    hard_reset::check(scope, &files)?;
    let staged = |version: &Option<Version>| version.map_or(Staged::Nothing, Staged::Version);
    let entries: Vec<(BString, Staged)> = match request.places {
        Places::Files => {
            // nothing changes but the cached stats of the files
            let same = |change: &Change| {
                let full = scope.full(&change.path);
                (Staged::of(index, full.as_bstr()) == staged(&change.after))
                    .then(|| (full, staged(&change.after)))
            };
            files.iter().filter_map(same).collect()
        }
        Places::Index | Places::Both => {
            wanted.iter().map(|(path, version)| (scope.full(path), staged(version))).collect()
        }
    };
    Ok(Transition { files, index: IndexSides::of(scope, index, entries)?, ..Transition::default() })
}

/// The paths whose index entries change.
fn staged(scope: &Scope, sides: &IndexSides) -> Vec<BString> {
    let changed =
        sides.after.entries.iter().filter(|(path, after)| sides.before.entries.get(*path) != Some(after));
    changed.filter_map(|(path, _)| Some(scope.strip(path.as_bstr())?.to_owned())).collect()
}
