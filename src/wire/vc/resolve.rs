//! The data of `brv vc resolve`: what is open, what was decided.

use crate::merge::Choice;
use crate::ops::Keeper;
use crate::ops::vc::resolve::{self, LeftBy, Outcome, Standing as Stands};
use crate::wire::bytes::Bytes;
use crate::wire::decision::{Place, Record, Why, inside};
use crate::wire::text;
use crate::wire::written::{Rewritten, Written, rewritten};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.resolve/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Resolve {
    /// Each file that was looked at, by path.
    pub files: Vec<ResolvedFile>,
    /// The disputed subject that was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// How many files of the tree are unmerged now.
    pub unmerged: usize,
    /// Whether a merge waits for its decisions.
    pub merging: bool,
    /// Whose merge it is.
    #[serde(skip)]
    pub keeper: Option<Keeper>,
    /// The rest.
    #[serde(flatten, serialize_with = "rewritten")]
    #[schemars(with = "Rewritten")]
    pub written: Written,
}

/// A subject that is no longer in dispute.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Settled {
    /// The file; the change is not recorded.
    pub path: String,
    /// The subject.
    pub subject: String,
}

/// A file with its decisions.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ResolvedFile {
    /// Where it is in the tree.
    pub path: Bytes,
    /// What the index has of it.
    pub standing: Standing,
    /// What was open before; those with `open` still are.
    pub decisions: Vec<Numbered>,
    /// Whether the markers in it are of another tool's merge, around more than what is in conflict: `--merge` may leave less
    /// to decide.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mergeable: bool,
    /// Whether its versions were merged by meaning now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub merged: bool,
    /// What that merge settled without a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Record>,
    /// Headings that are listed in `disputed` now, since both versions below them were kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
}

/// What the index has of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// More than one version.
    Unmerged,
    /// More than one version until now; now the one on disk.
    Recorded,
    /// The same until now; the file is gone, and that is recorded.
    RecordedGone,
    /// One version, as before: what changed on disk is not recorded.
    NotRecorded,
}

/// One decision, with the number it is chosen by.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Numbered {
    /// `auth/a.md#1`: the path and the number.
    pub id: String,
    /// Counted from 1 within the file: what `--pick` takes. It stays while others are decided.
    pub number: usize,
    /// The line of its markers, counted from 1; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Where.
    pub place: Place,
    /// Why it is to be decided.
    pub reason: Why,
    /// What stood there in the base; `null` where it is not known or there was nothing.
    pub base: Option<String>,
    /// What stands there in ours.
    pub ours: Option<String>,
    /// What stands there in theirs.
    pub theirs: Option<String>,
    /// What was taken: `ours`, `theirs`, `both` or `base`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<&'static str>,
    /// Whether it is still to be decided.
    pub open: bool,
    /// Why what was asked for could not be taken.
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
            place: Place::from(&decision.place),
            reason: decision.why.into(),
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
            records: file.merged.iter().flatten().map(|record| inside(&text(&file.path), record)).collect(),
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

impl From<resolve::Why> for Why {
    fn from(why: resolve::Why) -> Self {
        match why {
            resolve::Why::DeletedByUs => Self::DeletedByUs,
            resolve::Why::DeletedByThem => Self::DeletedByThem,
            resolve::Why::OneSided => Self::Renamed,
            resolve::Why::FolderInItsPlace => Self::FolderInItsPlace,
            resolve::Why::Both(reason) => reason.into(),
        }
    }
}
