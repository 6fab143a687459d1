//! JSON of `brv curate`: what became of each operation.

use brv_commands::curate::{self, Done, Outcome};
use brv_engine::agents::model::Spent;
use brv_engine::outcome::bytes::text;
use brv_engine::read::history::knowledge::Told;
use brv_engine::write::landing::{NoCommit, Uncommitted, Why};
use brv_engine::write::written::Written;
use brv_text::curate::{Act, Fate, SectionChange};
use brv_text::diff::knowledge::Entry;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.curate/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Curate {
    /// One for each operation, in order.
    pub applied: Vec<Applied>,
    /// How many operations did what.
    pub summary: Summary,
    /// The commit; `null` if none was made.
    pub commit: Option<String>,
    /// Files that were written and are not in the commit.
    pub uncommitted: Vec<String>,
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
    pub written: Written,
    /// The exact changes of a dry run.
    #[serde(skip)]
    pub told: Told,
    /// Why files are not committed; printed as warnings.
    #[serde(skip)]
    pub left: Left,
}

/// Files that were written and not committed, by reason.
#[derive(Debug, Default)]
pub struct Left {
    /// They had uncommitted changes before.
    pub dirty: Vec<String>,
    /// There is no identity for a commit: why.
    pub no_identity: Option<String>,
    /// They are staged for a commit that the user makes.
    pub staged: usize,
}

/// What became of an operation.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Applied {
    /// Its type, as written.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its path, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `success` or `failed`
    pub status: &'static str,
    /// What it did, or why it failed.
    pub message: String,
    /// Why it failed: `invalid`, `exists`, `not_found`, `changed`, `conflict`, `over_limit`, `blocked` or `too_deep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The file of the entry, or the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The blob id of the entry before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The blob id of the entry after: `base` or `expect` of the next operation on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Why a person should review it: `deleted`, `merged`, `fact_removed`, `body_removed`, `pinned`, `unsupported`, `again`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review: Vec<&'static str>,
    /// The sections of the entry that changed. Facts do not count: they are replaced by subject.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Relations that were left out because their target does not exist, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped_relations: Vec<String>,
    /// Subjects with more than one claim.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
    /// With `--model`: subjects of facts that the text they were made of does not support; of a fact without one, what it says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// With `source_commit`: the titles of the items that brv had filed from that commit, and that were replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    /// Entries similar to an added one, which might be updated instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<Similar>,
    /// Overviews that were made for the first entry of their folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// Other files that were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Archived entries whose records were deleted with the overview of their folder: `brv archive restore` no longer
    /// finds them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<String>,
    /// Other entries whose links were updated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relinked: Vec<String>,
    /// Where operations name the commit of the code that they come from: the operation that this one is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Likewise: the commit of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether an archived version of the new entry exists.
    #[serde(skip)]
    pub is_archived: bool,
}

/// A section of an entry that changed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Section {
    /// Its headings, without the title of the entry above them; none for the text before the first heading.
    pub headings: Vec<String>,
    /// `added`, `extended`, `replaced` or `removed`
    pub change: &'static str,
    /// How many lines of its text are gone.
    pub lines_lost: usize,
    /// Where several sections have its headings: which of them it is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<usize>,
    /// How many have its headings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

/// An entry that is similar to a new one.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Similar {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// How well it matches the title and the subjects of the new entry, 0 to 1.
    pub relevance: f64,
}

/// How many operations did what.
#[derive(Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Summary {
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

impl Curate {
    /// What was done; `is_dry`: what would be.
    pub fn new(outcome: Outcome, is_dry: bool) -> Self {
        let mut summary = Summary::default();
        for one in &outcome.applied {
            match one.result.as_ref().map(|done| done.act) {
                Ok(Act::Added) => summary.added += 1,
                Ok(Act::Updated) => summary.updated += 1,
                Ok(Act::Merged) => summary.merged += 1,
                Ok(Act::Deleted) => summary.deleted += 1,
                Ok(Act::Unchanged) => {}
                Err(_) => summary.failed += 1,
            }
        }
        let similar = |at: usize| outcome.similar.get(&at).into_iter().flatten().map(Similar::from).collect();
        let applied = outcome.applied.iter().enumerate().map(|(at, one)| {
            let (kind, path) = (one.kind.clone(), one.path.clone());
            let (operation, commit) = one.landed.clone().unwrap_or_default();
            let (operation, commit) = (operation.map(|id| id.to_string()), commit.map(|id| id.to_string()));
            match &one.result {
                Ok(done) => {
                    Applied { kind, path, similar: similar(at), operation, commit, ..Applied::done(done) }
                }
                Err(refused) => Applied {
                    kind,
                    path,
                    status: "failed",
                    message: refused.message.clone(),
                    code: Some(refused.code.as_str()),
                    ..Applied::default()
                },
            }
        });
        Self {
            applied: applied.collect(),
            summary,
            commit: outcome.commit.map(|id| id.to_string()),
            left: Left::of(&outcome.uncommitted),
            uncommitted: outcome.uncommitted.iter().map(|file| text(&file.path)).collect(),
            entries: is_dry.then(|| outcome.told.entries.clone()),
            operations: None,
            job: None,
            model: None,
            written: Written::from(&outcome.written),
            told: outcome.told,
        }
    }
}

impl Default for Applied {
    fn default() -> Self {
        Self {
            kind: None,
            path: None,
            status: "success",
            message: String::new(),
            code: None,
            file: None,
            before: None,
            after: None,
            review: Vec::new(),
            sections: Vec::new(),
            dropped_relations: Vec::new(),
            disputed: Vec::new(),
            unsupported: Vec::new(),
            replaced: Vec::new(),
            similar: Vec::new(),
            made: Vec::new(),
            removed: Vec::new(),
            unrecorded: Vec::new(),
            relinked: Vec::new(),
            operation: None,
            commit: None,
            is_archived: false,
        }
    }
}

impl Applied {
    fn done(done: &Done) -> Self {
        let id = |id: &Option<brv_git::BlobId>| id.as_ref().map(ToString::to_string);
        let names = |paths: &[brv_base::path::TreePath]| paths.iter().map(ToString::to_string).collect();
        Self {
            message: word(done.act).to_owned(),
            file: Some(done.file.to_string()),
            before: id(&done.before),
            after: id(&done.after),
            review: done.review.iter().map(|why| why.as_str()).collect(),
            sections: done.sections.iter().map(Section::from).collect(),
            dropped_relations: done.dropped_relations.clone(),
            disputed: done.disputed.clone(),
            unsupported: done.unsupported.clone(),
            replaced: done.replaced.clone(),
            made: names(&done.made),
            removed: names(&done.removed),
            unrecorded: names(&done.unrecorded),
            relinked: names(&done.turned),
            is_archived: done.archived,
            ..Self::default()
        }
    }
}

impl From<&SectionChange> for Section {
    fn from(section: &SectionChange) -> Self {
        Self {
            headings: section.headings.clone(),
            change: match section.fate {
                Fate::Added => "added",
                Fate::Extended => "extended",
                Fate::Replaced => "replaced",
                Fate::Removed => "removed",
            },
            lines_lost: section.lost,
            nth: section.choice.map(|(nth, _)| nth),
            of: section.choice.map(|(_, of)| of),
        }
    }
}

impl From<&curate::Similar> for Similar {
    fn from(similar: &curate::Similar) -> Self {
        Self {
            path: similar.path.to_string(),
            title: similar.title.clone(),
            relevance: brv_engine::outcome::json::to(similar.relevance, 4),
        }
    }
}

/// What became of the entry, in a word.
const fn word(act: Act) -> &'static str {
    match act {
        Act::Added => "added",
        Act::Updated => "updated",
        Act::Unchanged => "unchanged",
        Act::Merged => "merged",
        Act::Deleted => "deleted",
    }
}

impl Left {
    /// Sort files by the reason.
    pub fn of(uncommitted: &[Uncommitted]) -> Self {
        let mut left = Self::default();
        for file in uncommitted {
            match &file.why {
                Why::Dirty => left.dirty.push(text(&file.path)),
                Why::NoCommit(NoCommit::NoIdentity(why)) => left.no_identity = Some(why.clone()),
                Why::NoCommit(NoCommit::Setting) => left.staged += 1,
                Why::NoCommit(NoCommit::InRepo) => {}
            }
        }
        left
    }
}
