//! `brv merge-driver`: the merge driver that git runs for each file that both sides of a merge, rebase, pick or stash
//! changed.
//!
//! Works on the three files that git names, even outside of any tree. It cannot know when a side was committed, so two
//! values without a readable `updatedAt` are settled by comparing their bytes.

use brv_base::fs::{self, Durability};
use brv_base::path;
use brv_engine::Stop;
use brv_engine::journal;
use brv_engine::merge::discarded;
use brv_engine::merge::reconcile;
use brv_engine::open::context::Context;
use brv_engine::open::tree::{BRV_FOLDER, TREE_FOLDER};
use brv_text::doc::{self, Document};
use brv_text::merge::{self, Format, Method, Names, Rules, Undecided, Versions};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

pub use brv_engine::merge::reconcile::Record;
pub use brv_text::merge::Conflict;

/// The arguments that git passes.
#[derive(Debug, Clone)]
pub struct Options {
    /// The file with the base; empty if there is none.
    pub base: PathBuf,
    /// The file with our version, which is overwritten with the result.
    pub ours: PathBuf,
    pub theirs: PathBuf,
    /// The path of the result in the repository, if git passes it.
    pub path: Option<String>,
    pub labels: Labels,
    /// The length of a conflict marker, in characters.
    pub marker_size: usize,
    pub purpose: MergeDriverPurpose,
}

#[derive(Debug, Clone)]
pub struct Labels {
    pub base: String,
    pub ours: String,
    pub theirs: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeDriverPurpose {
    /// The work tree: a person resolves what is marked.
    #[default]
    Result,
    /// The virtual common ancestor that git merges from several merge bases: it is never shown, and markers would count
    /// as its text.
    CommonBase,
}

/// `brv.merge-driver/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "MergeDriver")]
pub struct Outcome {
    /// Whether there are no conflicts; the exit code is then 0, else 1.
    pub clean: bool,
    /// The merge method that made the result: `equal`, `one_sided`, `lines`, `meaning` or `markers`.
    method: &'static str,
    /// Number of differences settled automatically.
    settled: usize,
    /// Number of conflicts.
    undecided: usize,
    /// The settled differences.
    pub records: Vec<Record>,
    /// The conflicts.
    pub decisions: Vec<Conflict>,
}

/// The default length of a conflict marker, unless git asks for more.
pub const MARKER_SIZE: usize = 7;

/// Merge the three files into our file.
///
/// # Errors
/// A file that cannot be read or written. Our file is unchanged.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let read = |file: &PathBuf| fs::read(&cx.cwd.join(file));
    let (base, ours, theirs) = (read(&options.base)?, read(&options.ours)?, read(&options.theirs)?);
    let is_knowledge = options.path.as_deref().is_none_or(|path| path::kind_of(in_tree(path)).is_curated());
    let rules = Rules {
        names: Names {
            base: &options.labels.base,
            ours: &options.labels.ours,
            theirs: &options.labels.theirs,
        },
        undecided: match options.purpose {
            MergeDriverPurpose::Result => Undecided::Mark,
            MergeDriverPurpose::CommonBase => Undecided::Base,
        },
        additions: merge::Additions::Sorted,
        format: if is_knowledge { Format::Document } else { Format::Lines },
        ..Rules::default()
    };
    let base = Some(base.as_slice()).filter(|base| !base.is_empty());
    let mut merged = merge::merge(&Versions { base, ours: &ours, theirs: &theirs }, &rules);
    if options.marker_size > MARKER_SIZE && !merged.is_clean() {
        merged.bytes = with_longer_markers(merged.bytes, options.marker_size - MARKER_SIZE);
    }
    if merged.bytes != ours {
        fs::replace(&cx.cwd.join(&options.ours), &merged.bytes, Durability::Later)?;
    }
    if let (MergeDriverPurpose::Result, Some(path)) = (options.purpose, &options.path) {
        log(cx, path, &merged.records);
    }
    Ok(outcome(merged, options.path.as_deref().unwrap_or_default()))
}

fn outcome(merged: merge::Outcome, path: &str) -> Outcome {
    Outcome {
        clean: merged.is_clean(),
        method: match merged.method {
            Method::Equal => "equal",
            Method::OneSided(_) => "one_sided",
            Method::Lines => "lines",
            Method::Meaning => "meaning",
            Method::Markers => "markers",
        },
        settled: merged.records.len(),
        undecided: merged.conflicts.len(),
        records: merged.records.iter().map(|record| Record::inside(path.as_bytes(), record)).collect(),
        decisions: merged.conflicts,
    }
}

/// The path inside the tree: git passes the path in the repository, and the tree may be a folder of it.
fn in_tree(path: &str) -> &str {
    let folder = format!("{BRV_FOLDER}/{TREE_FOLDER}/");
    path.rsplit_once(folder.as_str()).map_or(path, |(_, rest)| rest)
}

/// Log the values that the merge discarded, for merges that git itself runs in the tree: no operation could hold them.
/// A failure to log does not fail the merge, since the same values are printed.
fn log(cx: &Context<'_>, path: &str, records: &[merge::Record]) {
    let settled = reconcile::Settled { path: path.into(), event: None, records: records.to_vec() };
    let discarded = discarded::of(&[settled]);
    if discarded.is_empty() {
        return;
    }
    let Ok(opened) = cx.open() else { return };
    let is_tree = cx.cwd.canonicalize().is_ok_and(|cwd| opened.scope.work_tree() == cwd);
    if is_tree {
        let _ = journal::log_discarded(&opened.scope, cx.clock.seconds(), &discarded);
    }
}

/// git asks for longer markers where the text between the markers may itself contain markers.
fn with_longer_markers(bytes: Vec<u8>, by: usize) -> Vec<u8> {
    let document = Document::parse(bytes);
    let mut markers: Vec<usize> = document.conflicts().iter().flat_map(doc::Conflict::marker_lines).collect();
    markers.sort_unstable_by(|one, other| other.cmp(one));
    let mut bytes = document.into_bytes();
    for at in markers {
        let sign = bytes[at];
        bytes.splice(at..at, std::iter::repeat_n(sign, by));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_markers_are_longer_in_all_their_lines() {
        let short = "a\n<<<<<<< x\nb\n||||||| y\nc\n=======\nd\n>>>>>>> z\ne\n";
        let long = "a\n<<<<<<<<< x\nb\n||||||||| y\nc\n=========\nd\n>>>>>>>>> z\ne\n";
        assert_eq!(with_longer_markers(short.into(), 2), long.as_bytes());
    }
}
