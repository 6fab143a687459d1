//! Resolve path collisions between streams: two files of one name, and a file where a folder must be. Both are kept.

use super::Trees;
use super::fate::{MergeEffect, MergedFile};
use super::outcome::{ConflictKind, Event};
use super::streams::TreeFile;
use brv_base::sorting;
use brv_git as git;
use brv_git::{Scope, trees};
use brv_text::merge::{Side, Undecided};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

/// The files of the merged tree that a side changed, by path: usually one, or two (ours first) if both sides brought a
/// file of that name.
#[derive(Debug, Default)]
pub(super) struct Arranged {
    pub files: BTreeMap<BString, Vec<MergedFile>>,
    /// Our files among them: each is removed unless it is in `files`.
    pub left: Vec<TreeFile>,
}

/// Give every landing a path of its own, or one that it shares with a file of the same name.
pub(super) fn arrange(
    whole: &Scope,
    trees: Trees,
    fates: MergeEffect,
    undecided: Undecided,
) -> Result<Arranged, git::Error> {
    let mut arranged = Arranged { files: BTreeMap::new(), left: fates.left };
    for landing in fates.landings {
        arranged.files.entry(landing.path.clone()).or_default().push(landing);
    }
    for landings in arranged.files.values_mut() {
        sorting::sort_by_key(landings, |landing| landing.by == Side::Theirs);
    }
    for wanted in files_with_inner_files(&arranged.files) {
        let Some(landings) = arranged.files.remove(&wanted) else { continue };
        let by = landings[0].by;
        let path = free_name(whole, trees, &arranged.files, wanted.as_bstr(), by)?;
        let landings =
            landings.into_iter().map(|landing| renamed(landing, &path, &wanted, undecided)).collect();
        arranged.files.insert(path, landings);
    }
    Ok(arranged)
}

/// A file and a folder can only collide if both sides touched them, so it is enough to check the touched paths.
fn files_with_inner_files(files: &BTreeMap<BString, Vec<MergedFile>>) -> Vec<BString> {
    let mut found: Vec<BString> = Vec::new();
    for path in files.keys() {
        let mut above = path.as_bstr();
        while let Some(slash) = above.rfind_byte(b'/') {
            above = above[..slash].as_bstr();
            if files.contains_key(above) {
                found.push(above.to_owned());
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn renamed(mut landing: MergedFile, path: &BString, wanted: &BString, undecided: Undecided) -> MergedFile {
    landing.path.clone_from(path);
    landing.versions = match landing.by {
        Side::Ours => [None, landing.versions[1], None],
        Side::Theirs => [None, None, landing.versions[2]],
    };
    let wanted = wanted.clone();
    match undecided {
        Undecided::Mark => landing.conflict = Some((ConflictKind::FileAndFolder, Some(wanted))),
        Undecided::Ours | Undecided::Theirs | Undecided::Both => {
            landing.event = Some(Event::Renamed { wanted, by: landing.by });
        }
        Undecided::Base => {}
    }
    landing
}

/// `a/b.md` becomes `a/b.ours.md`, or `a/b.ours-2.md` if that is taken.
fn free_name(
    whole: &Scope,
    trees: Trees,
    files: &BTreeMap<BString, Vec<MergedFile>>,
    wanted: &BStr,
    by: Side,
) -> Result<BString, git::Error> {
    let side = match by {
        Side::Ours => "ours",
        Side::Theirs => "theirs",
    };
    let (stem, suffix) = match wanted.strip_suffix(b".md") {
        Some(stem) => (stem.as_bstr(), ".md"),
        None => (wanted, ""),
    };
    let mut number = 1;
    loop {
        let count = if number == 1 { String::new() } else { format!("-{number}") };
        let name = BString::from(format!("{stem}.{side}{count}{suffix}"));
        let is_taken = files.contains_key(&name)
            || trees::find(whole, trees.ours, name.as_bstr())?.is_some()
            || trees::find(whole, trees.theirs, name.as_bstr())?.is_some();
        if !is_taken {
            return Ok(name);
        }
        number += 1;
    }
}
