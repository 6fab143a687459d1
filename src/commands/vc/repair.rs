//! `brv vc repair`: redo the merge of a file that a host or another tool merged line by line.
//!
//! Finds the merge in the history and repeats it with its own versions. Commits nothing.

use brv_engine::Stop;
use brv_engine::journal::{Discarded, OperationKind};
use brv_engine::merge::decisions::{self, OpenFile};
use brv_engine::merge::discarded;
use brv_engine::merge::reconcile::Record;
use brv_engine::open::context::Context;
use brv_engine::outcome::bytes::text;
use brv_engine::outcome::json::utf8;
use brv_engine::write::operation::files_only::{self, Recording, Rewrite};
use brv_engine::write::operation::{self, Derived, Purpose, Writing};
use brv_engine::write::written::{Rewritten, WrittenEffects, rewritten};
use brv_git as git;
use brv_git::trees::{self, TreeItem};
use brv_git::{CommitId, FileMode, Scope, history};
use brv_text::doc::Document;
use brv_text::merge::{self, Names, Rules, Undecided, Versions};
use bstr::{BStr, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::Mode;

#[derive(Debug, Clone)]
pub struct Options {
    /// Files, as typed.
    pub paths: Vec<String>,
    /// Whether anything is written.
    pub mode: Mode,
}

/// `brv.vc.repair/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Repair")]
pub struct Outcome {
    /// The files, by path.
    pub files: Vec<RepairedFile>,
    /// The operation and the derived files.
    #[serde(flatten, serialize_with = "rewritten")]
    #[schemars(with = "Rewritten")]
    pub written: WrittenEffects,
}

/// A file.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "RepairedFile")]
pub struct RepairedFile {
    /// Its path in the tree.
    pub path: String,
    /// The result for the file.
    #[serde(flatten)]
    pub state: RepairState,
}

/// The result for a file.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[schemars(rename = "RepairState")]
pub enum RepairState {
    /// Nothing to repair.
    Sound,
    /// Its merge was redone, or would be.
    Repaired {
        /// The merge commit that broke it.
        merge: CommitId,
        /// The repaired text; `null` if it is not UTF-8.
        #[serde(rename = "result", serialize_with = "utf8")]
        #[schemars(with = "Option<String>")]
        bytes: Vec<u8>,
        /// Number of differences settled automatically.
        settled: usize,
        /// The settled differences.
        records: Vec<Record>,
        /// Number of conflicts left.
        open: usize,
        /// The values that they discarded.
        #[serde(skip)]
        discarded: Vec<Discarded>,
    },
    /// Lines written in or after the merge collide with the repair, or would be lost. Nothing was written.
    InTheWay {
        /// The merge commit that broke it.
        merge: CommitId,
        /// Those lines.
        lines: Vec<String>,
    },
    /// No merge in history produced the markers.
    NoMerge {
        /// Number of conflicts in the file.
        open: usize,
    },
    /// The file is in conflict in a merge in progress.
    Unmerged,
}

/// Repair what the options name.
///
/// # Errors
/// [`Stop`]; a file that cannot be repaired is part of the outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let index = git::index::read(scope)?;
    let found = decisions::find(scope, &index, &cx.cwd, &options.paths)?;
    let (mut files, mut rewrites, mut discarded) = (Vec::new(), Vec::new(), Vec::new());
    for file in found {
        let mut state = repair(scope, &file)?;
        if let RepairState::Repaired { bytes, discarded: lost, .. } = &mut state {
            discarded.append(lost);
            rewrites.push(Rewrite {
                path: file.path.clone(),
                before: file.disk,
                after: Some(bytes.clone()),
                recording: Recording::Leave,
            });
        }
        files.push(RepairedFile { path: text(&file.path), state });
    }
    if options.mode == Mode::Write {
        let paths: Vec<String> = rewrites.iter().map(|file| file.path.to_string()).collect();
        let purpose = Purpose::new(OperationKind::Repair, paths.join(", ")).discarding(discarded);
        files_only::carry_out(&mut writing, &rewrites, &purpose)?;
    }
    Ok(Outcome { files, written: WrittenEffects::from(&writing.finish(Derived::Changed)) })
}

fn repair(scope: &Scope, file: &OpenFile) -> Result<RepairState, Stop> {
    let Some(today) = file.disk.as_deref() else { return Ok(RepairState::Sound) };
    if file.is_unmerged {
        return Ok(RepairState::Unmerged);
    }
    if !merge::is_broken(today) {
        return Ok(RepairState::Sound);
    }
    let Some(broken) = find(scope, file.path.as_bstr())? else {
        return Ok(RepairState::NoMerge { open: file.decisions.len() });
    };
    let base = base(scope, file.path.as_bstr(), &broken.parents)?;
    let sides = Versions { base: base.as_deref(), ours: &broken.ours, theirs: &broken.theirs };
    let names = broken.parents.each_ref().map(|parent| parent.id.prefix(7));
    let rules = Rules {
        names: Names { base: "base", ours: &names[0], theirs: &names[1] },
        committed: broken.parents.each_ref().map(|parent| parent.committer.seconds),
        format: decisions::format_of(file.path.as_bstr()),
        ..Rules::default()
    };
    let merged = merge::merge(&sides, &rules);
    let merge = broken.merge;
    // if the frontmatter cannot be parsed, it has no markers to resolve
    if let Some(hidden) = merged.conflicts.iter().find(|conflict| conflict.span.is_none()) {
        let texts = [&hidden.texts.ours, &hidden.texts.theirs].into_iter().flatten();
        let lines = texts.flat_map(|text| text.lines()).map(str::to_owned).collect();
        return Ok(RepairState::InTheWay { merge, lines });
    }
    Ok(match merge::again(&sides, &broken.by_line, today, &merged.bytes) {
        Ok(bytes) if bytes == today => RepairState::NoMerge { open: file.decisions.len() },
        Ok(bytes) => {
            let open = Document::parse(bytes.as_slice()).conflicts().len();
            let inside = |record| Record::inside(&file.path, record);
            RepairState::Repaired {
                merge,
                bytes,
                settled: merged.records.len(),
                records: merged.records.iter().map(inside).collect(),
                open,
                discarded: discarded::of_file(file.path.as_bstr(), &merged.records).collect(),
            }
        }
        Err(lines) => RepairState::InTheWay { merge, lines },
    })
}

/// A merge that broke a file although both sides were intact.
struct Broken {
    merge: CommitId,
    parents: [git::commit::Commit; 2],
    by_line: Vec<u8>,
    ours: Vec<u8>,
    theirs: Vec<u8>,
}

/// Walk back from `HEAD` through the commits in which the file is broken, to the one whose parents are intact.
fn find(scope: &Scope, path: &BStr) -> Result<Option<Broken>, Stop> {
    let Some(head) = scope.head()?.commit() else { return Ok(None) };
    let mut commit = history::read(scope, head)?;
    let Some(mut here) = blob_of(scope, &commit, path)?.filter(|bytes| merge::is_broken(bytes)) else {
        return Ok(None);
    };
    loop {
        let parents: Vec<_> =
            commit.parents.iter().map(|id| history::read(scope, *id)).collect::<Result<_, _>>()?;
        let mut versions = Vec::with_capacity(parents.len());
        for parent in &parents {
            versions.push(blob_of(scope, parent, path)?);
        }
        let is_broken = |version: &Option<Vec<u8>>| version.as_deref().is_some_and(merge::is_broken);
        if let Some(at) = versions.iter().position(is_broken) {
            here = versions.swap_remove(at).unwrap_or_default();
            commit = parents.into_iter().nth(at).unwrap_or(commit);
            continue;
        }
        let Ok(parents) = <[git::commit::Commit; 2]>::try_from(parents) else { return Ok(None) };
        let merge = commit.id;
        return Ok(match versions.as_mut_slice() {
            [Some(ours), Some(theirs)] => {
                let (ours, theirs) = (std::mem::take(ours), std::mem::take(theirs));
                Some(Broken { merge, parents, by_line: here, ours, theirs })
            }
            _ => None,
        });
    }
}

fn blob_of(scope: &Scope, commit: &git::commit::Commit, path: &BStr) -> Result<Option<Vec<u8>>, git::Error> {
    match trees::find(scope, commit.tree, path)? {
        Some(TreeItem::File(version)) if version.mode != FileMode::Gitlink => {
            trees::blob(scope, version.id).map(Some)
        }
        _ => Ok(None),
    }
}

/// The base of the merge. Several merge bases are merged into one; where they conflict, their own base is used.
fn base(
    scope: &Scope,
    path: &BStr,
    [ours, theirs]: &[git::commit::Commit; 2],
) -> Result<Option<Vec<u8>>, git::Error> {
    let bases = history::merge_bases(scope, ours.id, theirs.id)?;
    let Some((first, others)) = bases.split_first() else { return Ok(None) };
    let version = |id: CommitId| blob_of(scope, &history::read(scope, id)?, path);
    let mut folded = version(*first)?;
    for other in others {
        let common = match history::merge_bases(scope, *first, *other)?.first() {
            Some(common) => version(*common)?,
            None => None,
        };
        folded = match (folded, version(*other)?) {
            (Some(ours), Some(theirs)) => {
                let versions = Versions { base: common.as_deref(), ours: &ours, theirs: &theirs };
                let rules = Rules {
                    undecided: Undecided::Base,
                    format: decisions::format_of(path),
                    ..Rules::default()
                };
                Some(merge::merge(&versions, &rules).bytes)
            }
            (one, other) => one.or(other),
        };
    }
    Ok(folded)
}
