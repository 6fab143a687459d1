//! Decide what happens to each stream, from its three versions alone. Reads no file.

use super::outcome::{ConflictKind, Event};
use super::streams::{FileStream, TreeFile};
use super::{Options, Removals, preferred};
use brv_base::path::{self, PathKind};
use brv_git::{BlobId, FileMode, Scope, Version};
use brv_text::merge::{Side, Undecided};
use bstr::{BStr, BString, ByteSlice as _};

/// A file of the merged tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergedFile {
    pub path: BString,
    pub content: MergedFileSource,
    /// The side that has the file under this name; ours if both have.
    pub by: Side,
    /// Base, ours, theirs: for the index, if the file is in conflict.
    pub versions: [Option<Version>; 3],
    /// The path of the file on each side, if it is another one.
    pub names: [Option<BString>; 2],
    /// What happened to the file as a whole, settled without a person.
    pub event: Option<Event>,
    /// Why a person must decide, whatever the merged content is, and the other path of the file.
    pub conflict: Option<(ConflictKind, Option<BString>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MergedFileSource {
    Take(Version),
    Merge { base: Option<BlobId>, ours: BlobId, theirs: BlobId, mode: FileMode },
}

/// The effect of the merge on our tree.
#[derive(Debug, Default)]
pub(super) struct MergeEffect {
    pub landings: Vec<MergedFile>,
    /// Our files of the streams: each is removed unless a landing has its path.
    pub left: Vec<TreeFile>,
}

pub(super) fn decide(scope: &Scope, streams: Vec<FileStream>, options: &Options<'_>) -> MergeEffect {
    let mut fates = MergeEffect::default();
    for stream in streams {
        fates.left.extend(stream.ours.clone());
        match (&stream.ours, &stream.theirs) {
            (None, None) => {}
            (Some(ours), Some(theirs)) => both(scope, &stream, ours, theirs, options, &mut fates.landings),
            (Some(kept), None) => fates.landings.extend(one(scope, &stream, kept, Side::Ours, options)),
            (None, Some(kept)) => fates.landings.extend(one(scope, &stream, kept, Side::Theirs, options)),
        }
    }
    fates
}

/// Only one side has the file.
fn one(
    scope: &Scope,
    stream: &FileStream,
    kept: &TreeFile,
    by: Side,
    options: &Options<'_>,
) -> Option<MergedFile> {
    let mut landing = MergedFile {
        path: kept.path.clone(),
        content: MergedFileSource::Take(kept.version),
        by,
        versions: versions(stream),
        names: [None, None],
        event: None,
        conflict: None,
    };
    let Some(base) = &stream.base else { return Some(landing) };
    if base == kept || is_derived(scope, kept.path.as_bstr()) {
        return None;
    }
    match (options.undecided, options.removals) {
        (Undecided::Base, _) => {
            landing.path.clone_from(&base.path);
            landing.content = MergedFileSource::Take(base.version);
        }
        (Undecided::Mark, Removals::Conflict) => {
            let kind = match by {
                Side::Ours => ConflictKind::DeletedByThem,
                Side::Theirs => ConflictKind::DeletedByUs,
            };
            landing.conflict = Some((kind, None));
        }
        (Undecided::Ours | Undecided::Theirs, Removals::Conflict) if by != preferred(options.undecided) => {
            return None;
        }
        _ => {
            let from = (base.path != kept.path).then(|| base.path.clone());
            landing.event = Some(Event::ChangeKept { by, from, is_archived: false });
        }
    }
    Some(landing)
}

/// Both sides have the file.
fn both(
    scope: &Scope,
    stream: &FileStream,
    ours: &TreeFile,
    theirs: &TreeFile,
    options: &Options<'_>,
    landings: &mut Vec<MergedFile>,
) {
    let base = stream.base.as_ref();
    let moved =
        |placed: &TreeFile| base.filter(|base| base.path != placed.path).map(|base| base.path.clone());
    let (path, by, from) = match (moved(ours), moved(theirs)) {
        (None, None) => (&ours.path, Side::Ours, None),
        (None, Some(from)) => (&theirs.path, Side::Theirs, Some(from)),
        (Some(from), None) => (&ours.path, Side::Ours, Some(from)),
        (Some(from), Some(_)) if ours.path == theirs.path => (&ours.path, Side::Ours, Some(from)),
        (Some(from), Some(_)) => return apart(scope, stream, (ours, theirs), &from, options, landings),
    };
    let mut landing = blend(scope, stream, (ours, theirs), path, options);
    landing.by = by;
    let is_followed = matches!(landing.content, MergedFileSource::Merge { .. })
        || landing.content
            != MergedFileSource::Take(match by {
                Side::Ours => ours.version,
                Side::Theirs => theirs.version,
            });
    landing.event = from.filter(|_| is_followed).map(|from| Event::Followed { from, by });
    landings.push(landing);
}

/// Both sides moved the file to different places: it stays in both until a person decides.
fn apart(
    scope: &Scope,
    stream: &FileStream,
    (ours, theirs): (&TreeFile, &TreeFile),
    from: &BString,
    options: &Options<'_>,
    landings: &mut Vec<MergedFile>,
) {
    let mut at = |placed: &TreeFile, by: Side, event, conflict| {
        let mut landing = blend(scope, stream, (ours, theirs), &placed.path, options);
        landing.by = by;
        landing.versions = match by {
            Side::Ours => [None, Some(ours.version), None],
            Side::Theirs => [None, None, Some(theirs.version)],
        };
        landing.event = event;
        landing.conflict = conflict;
        landings.push(landing);
    };
    let one = |by| Some(Event::OneNameKept { from: from.clone(), by });
    let both = |by, other: &TreeFile| {
        Some(Event::BothNamesKept { from: from.clone(), by, other: other.path.clone() })
    };
    let apart = |other: &TreeFile| Some((ConflictKind::MovedApart, Some(other.path.clone())));
    match options.undecided {
        Undecided::Mark => {
            at(ours, Side::Ours, None, apart(theirs));
            at(theirs, Side::Theirs, None, apart(ours));
        }
        Undecided::Ours => at(ours, Side::Ours, one(Side::Ours), None),
        Undecided::Theirs => at(theirs, Side::Theirs, one(Side::Theirs), None),
        Undecided::Both => {
            at(ours, Side::Ours, both(Side::Ours, theirs), None);
            at(theirs, Side::Theirs, both(Side::Theirs, ours), None);
        }
        Undecided::Base => {
            at(&TreeFile { path: from.clone(), version: ours.version }, Side::Ours, None, None);
        }
    }
}

/// The content of a file that both sides have.
fn blend(
    scope: &Scope,
    stream: &FileStream,
    (ours, theirs): (&TreeFile, &TreeFile),
    path: &BString,
    options: &Options<'_>,
) -> MergedFile {
    let base = stream.base.as_ref().map(|base| base.version);
    let name = |placed: &TreeFile| (placed.path != *path).then(|| placed.path.clone());
    let mut landing = MergedFile {
        path: path.clone(),
        content: MergedFileSource::Take(ours.version),
        by: Side::Ours,
        versions: versions(stream),
        names: [name(ours), name(theirs)],
        event: None,
        conflict: None,
    };
    let (ours, theirs) = (ours.version, theirs.version);
    let is_file = |version: Version| matches!(version.mode, FileMode::Regular | FileMode::Executable);
    let are_files = is_file(ours) && is_file(theirs) && base.is_none_or(is_file);
    let pick = three_way(base.map(|base| base.id), ours.id, theirs.id);
    if base == Some(ours) {
        landing.content = MergedFileSource::Take(theirs);
    } else if ours == theirs || base == Some(theirs) {
        landing.content = MergedFileSource::Take(ours);
    } else if !are_files {
        match (options.undecided, base) {
            (Undecided::Base, Some(base)) => landing.content = MergedFileSource::Take(base),
            (Undecided::Mark | Undecided::Both | Undecided::Base, _) => {
                landing.conflict = Some((ConflictKind::NotAFile, None));
            }
            (Undecided::Ours, _) => landing.event = Some(Event::OneSideTaken(Side::Ours)),
            (Undecided::Theirs, _) => {
                landing.content = MergedFileSource::Take(theirs);
                landing.event = Some(Event::OneSideTaken(Side::Theirs));
            }
        }
    } else {
        let mode = mode(base.map(|base| base.mode), ours.mode, theirs.mode);
        landing.content = match pick {
            Some(id) => MergedFileSource::Take(Version { mode, id }),
            // regenerated in any case; take the same version whoever merges
            None if is_derived(scope, path.as_bstr()) => {
                MergedFileSource::Take(Version { mode, id: ours.id.max(theirs.id) })
            }
            None => MergedFileSource::Merge {
                base: base.map(|base| base.id),
                ours: ours.id,
                theirs: theirs.id,
                mode,
            },
        };
    }
    landing
}

/// The result of a three-way merge that does not look inside.
fn three_way<T: PartialEq>(base: Option<T>, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || base.as_ref() == Some(&theirs) {
        Some(ours)
    } else if base.as_ref() == Some(&ours) {
        Some(theirs)
    } else {
        None
    }
}

/// The executable bit means nothing here: if in doubt, the file is not executable.
fn mode(base: Option<FileMode>, ours: FileMode, theirs: FileMode) -> FileMode {
    three_way(base, ours, theirs).unwrap_or(FileMode::Regular)
}

fn versions(stream: &FileStream) -> [Option<Version>; 3] {
    [&stream.base, &stream.ours, &stream.theirs].map(|placed| placed.as_ref().map(|placed| placed.version))
}

fn is_derived(scope: &Scope, path: &BStr) -> bool {
    kind(scope, path).is_some_and(|kind| matches!(kind, PathKind::Derived(_)))
}

/// The kind of a full path; `None` outside the tree.
pub(super) fn kind(scope: &Scope, path: &BStr) -> Option<PathKind> {
    scope.strip(path).map(|path| path::kind_of(&path.to_str_lossy()))
}
