//! JSON of `brv vc resolve`: open and resolved conflicts.

use brv_commands::vc::resolve::{self, LeftBy, Outcome, Standing as Stands};
use brv_engine::Keeper;
use brv_engine::merge::reconcile::Record;
use brv_engine::outcome::bytes::{Bytes, text};
use brv_engine::write::written::{Rewritten, Written, rewritten};
use brv_text::merge::{Choice, Place, Reason};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.resolve/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Resolve {
    /// The files, by path.
    pub files: Vec<ResolvedFile>,
    /// The disputed subject that was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Number of unmerged files in the tree now.
    pub unmerged: usize,
    /// Whether a merge is in progress.
    pub merging: bool,
    /// The repository that the merge is in.
    #[serde(skip)]
    pub keeper: Option<Keeper>,
    /// The operation and the derived files.
    #[serde(flatten, serialize_with = "rewritten")]
    #[schemars(with = "Rewritten")]
    pub written: Written,
}

/// A subject that is no longer disputed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Settled {
    /// The path of the file; the change is not staged.
    pub path: String,
    /// The subject.
    pub subject: String,
}

/// A file with its conflicts.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ResolvedFile {
    /// Its path in the tree.
    pub path: Bytes,
    /// Its state in the index.
    pub standing: Standing,
    /// Its conflicts; those with `open` are not resolved yet.
    pub decisions: Vec<Numbered>,
    /// Whether its markers are from another tool's merge, around more than the real conflicts: `--merge` may leave
    /// fewer conflicts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mergeable: bool,
    /// Whether `--merge` merged its versions by meaning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub merged: bool,
    /// Differences that `--merge` settled automatically.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Record>,
    /// Headings that are now listed in `disputed`, because both versions below them were kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
}

/// The state of a file in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// In conflict.
    Unmerged,
    /// Was in conflict; the version on disk is staged now.
    Recorded,
    /// Was in conflict; its deletion is staged now.
    RecordedGone,
    /// Not in conflict in the index; the change on disk is not staged.
    NotRecorded,
}

/// A conflict, with the number that `--pick` takes.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Numbered {
    /// The path and the number: `auth/a.md#1`
    pub id: String,
    /// Its number for `--pick`, from 1 within the file. It does not change when other conflicts are resolved.
    pub number: usize,
    /// The line of its markers, from 1; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Its place in the file.
    pub place: Place,
    /// The reason of the conflict.
    pub reason: Reason,
    /// The base version; `null` if it is unknown or there was none.
    pub base: Option<String>,
    /// Our version.
    pub ours: Option<String>,
    /// Their version.
    pub theirs: Option<String>,
    /// The side that was taken: `ours`, `theirs`, `both` or `base`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<&'static str>,
    /// Whether it is not resolved yet.
    pub open: bool,
    /// Why the requested side could not be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
}

impl Numbered {
    fn of(file: &resolve::File, decision: &resolve::Decision) -> Self {
        let number = decision.number;
        let open = file.open.iter().find(|(open, _)| *open == number);
        let taken = file.made.iter().find(|(made, _)| *made == number);
        Self {
            id: format!("{}#{number}", text(&file.path)),
            number,
            line: decision.line,
            place: decision.place.clone(),
            reason: decision.why,
            base: decision.texts.base.clone(),
            ours: decision.texts.ours.clone(),
            theirs: decision.texts.theirs.clone(),
            taken: taken.map(|(_, choice)| choice_word(*choice)),
            open: open.is_some(),
            unfit: open.and_then(|(_, unfit)| Some((*unfit)?.to_string())),
        }
    }
}

impl From<&Outcome> for Resolve {
    fn from(outcome: &Outcome) -> Self {
        Self {
            files: outcome.files.iter().map(ResolvedFile::from).collect(),
            settled: outcome
                .settled
                .as_ref()
                .map(|(path, subject)| Settled { path: text(path), subject: subject.clone() }),
            unmerged: outcome.unmerged,
            merging: outcome.merging.is_some(),
            keeper: outcome.merging,
            written: Written::from(&outcome.written),
        }
    }
}

impl From<&resolve::File> for ResolvedFile {
    fn from(file: &resolve::File) -> Self {
        Self {
            path: Bytes::from(&file.path),
            standing: match file.standing {
                Stands::Unmerged => Standing::Unmerged,
                Stands::Recorded => Standing::Recorded,
                Stands::RecordedGone => Standing::RecordedGone,
                Stands::NotRecorded => Standing::NotRecorded,
            },
            decisions: file.decisions.iter().map(|decision| Numbered::of(file, decision)).collect(),
            mergeable: file.left_by == LeftBy::AnotherTool && !file.open.is_empty(),
            merged: file.merged.is_some(),
            records: file.merged.iter().flatten().map(|record| Record::inside(&file.path, record)).collect(),
            disputed: file.disputed.clone(),
        }
    }
}

const fn choice_word(choice: Choice) -> &'static str {
    match choice {
        Choice::Ours => "ours",
        Choice::Theirs => "theirs",
        Choice::Both => "both",
        Choice::Base => "base",
    }
}
