//! `brv curate`: apply operations to entries, and learn what became of each.

mod again;
pub mod commits;
mod grouped;
mod history;
pub mod model;
mod named;
mod one;
pub mod plan;
pub mod propose;
mod taking;

use brv_engine::Stop;
use brv_engine::agents::model::Spent;
use brv_engine::curate;
use brv_engine::open::context::Context;
use brv_engine::open::hosting;
use brv_engine::read::history::changes::FileChange;
use brv_engine::write::landing::Uncommitted;
use brv_engine::write::written::WrittenEffects;
use brv_git::CommitId;
use brv_text::diff::knowledge::Entry;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

pub use brv_engine::Mode;
pub use brv_engine::curate::{Applied, CurateAtomicity, Done, Options, Similar};
pub use brv_text::curate::{
    Act, Code, CurateKind, Fate, MAX_INPUT_BYTES, Operations, SectionOutcome, Why as Review,
};
pub use named::followed;
pub use one::One;
pub use taking::AgainResult;

/// `brv.curate/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Curate")]
pub struct Outcome {
    /// One for each operation, in order.
    pub applied: Vec<Applied>,
    /// How many operations did what.
    pub summary: CurateSummary,
    /// The commit; `null` if none was made.
    pub commit: Option<CommitId>,
    /// Files that were written and are not in the commit.
    #[serde(serialize_with = "paths")]
    #[schemars(with = "Vec<String>")]
    pub uncommitted: Vec<Uncommitted>,
    /// With `--dry-run`: the changes by meaning, as in `brv vc diff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// With `--model --dry-run`: the operations of the model, in the form of `brv schema curate.ops`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<serde_json::Value>>,
    /// With `--detach`: the job, for `brv jobs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// With `--model`: what was asked of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Spent>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WrittenEffects,
    /// The changed files of a dry run.
    #[serde(skip)]
    pub files: Vec<FileChange>,
    /// What went wrong with the signals of the entries.
    #[serde(skip)]
    pub trouble: Option<Stop>,
    /// Whether a change was marked for a person to look at.
    #[serde(skip)]
    pub waits: bool,
}

/// How many operations did what.
#[derive(Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Summary")]
pub struct CurateSummary {
    /// New entries.
    pub added: usize,
    /// Deleted entries and folders.
    pub deleted: usize,
    /// Changed entries.
    pub updated: usize,
    /// Entries that went into another one.
    pub merged: usize,
    /// Operations that failed.
    pub failed: usize,
}

fn paths<S: Serializer>(files: &[Uncommitted], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(files.iter().map(|file| file.path.to_str_lossy()))
}

impl Outcome {
    fn of(outcome: curate::Outcome, mode: Mode) -> Self {
        let did = |act: Act| {
            let done = outcome.applied.iter().filter_map(|one| one.result.as_ref().ok());
            done.filter(|done| done.act == act).count()
        };
        let summary = CurateSummary {
            added: did(Act::Added),
            deleted: did(Act::Deleted),
            updated: did(Act::Updated),
            merged: did(Act::Merged),
            failed: outcome.refusals().count(),
        };
        Self {
            summary,
            applied: outcome.applied,
            commit: outcome.commit,
            uncommitted: outcome.uncommitted,
            entries: (mode == Mode::DryRun).then_some(outcome.told.entries),
            written: WrittenEffects::from(&outcome.written),
            files: outcome.told.files,
            trouble: outcome.trouble,
            waits: outcome.waits,
            ..Self::default()
        }
    }
}

/// Apply the operations, in order.
///
/// # Errors
/// [`Stop`]; then nothing was written. An operation that fails is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let options = Options { code_head: hosting::code_head(&opened, &cx.cwd), ..options.clone() };
    if grouped::have_sources(&options.operations) {
        return Ok(Outcome::of(grouped::curate(cx, &opened, &options)?, options.mode));
    }
    Ok(Outcome::of(curate::curate(cx.parts(&opened), &options)?, options.mode))
}
