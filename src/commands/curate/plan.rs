//! `brv curate --commit A..B --plan`: what commits say, and the entries that cover it, for a caller that decides itself.

use super::history::{self, CuratedCommits, HostHistory};
use crate::commits::{Authors, Covering, HostCommit, Intake, Route, covering, covering_entries};
use brv_base::clock::format_utc;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::jobs::Store;
use brv_engine::open::context::Context;
use brv_engine::outcome::json;
use brv_engine::query::search::{ScanFreshness, SearchSession};
use brv_engine::{Mode, Stop};
use brv_search::COVERS;
use brv_text::commits::{Lesson, Reading};
use brv_text::lint::secrets;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// The most files of a commit that are named.
const FILES: usize = 60;

/// The most entries that cover one commit.
const COVERING: usize = 3;

/// How many words of a commit are searched for.
const WORDS: usize = 60;

/// `brv.curate.plan/1`
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "CuratePlan")]
pub struct CuratePlan {
    /// Commits that are not known, the oldest first.
    pub commits: Vec<CommitEvidence>,
    /// Entries that may say what the commits say, or something else about it.
    pub covering: Vec<CoveringEntry>,
}

/// What a commit says.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CommitEvidence")]
pub struct CommitEvidence {
    /// Its id: `source_commit` of the operations that it leads to.
    pub commit: String,
    /// Its subject.
    pub subject: String,
    /// Its message after the subject.
    pub body: String,
    /// The name of its author.
    pub author: String,
    /// When it was written.
    pub time: String,
    /// The files that it changed; at most 60.
    pub files: Vec<String>,
    /// Why the rules decline it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declined: Option<String>,
}

/// An entry that covers commits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CoveringEntry")]
pub struct CoveringEntry {
    /// Its path.
    pub path: TreePath,
    /// Its blob id: `base` of an update.
    pub blob: ContentId,
    /// Its title.
    pub title: String,
    /// How well it fits the best of the commits, 0 to 1.
    pub relevance: f64,
    /// The commits that it covers.
    #[serde(rename = "for")]
    pub commits: Vec<String>,
}

/// The evidence of at most `limit` commits. The second value is the last of them, if there are more.
///
/// # Errors
/// As of [`super::commits::run`].
pub fn run(
    cx: &Context<'_>,
    range: &str,
    (after, limit): (Option<&str>, usize),
) -> Result<(CuratePlan, Option<String>), Stop> {
    let opened = cx.open()?;
    let HostHistory { host, commits, .. } = history::of(cx, &opened, range)?;
    let first = match after {
        Some(after) => {
            let place = commits.iter().position(|id| id.to_string() == after);
            place.ok_or_else(|| {
                Stop::usage(format!("`{after}` is not a commit of the range: give its full id"))
            })? + 1
        }
        None => 0,
    };
    let store = Store::of(&opened)?;
    let known = CuratedCommits::of(&opened, &store)?;
    let authors = Authors::of(&host);
    let intake = Intake {
        parts: cx.parts(&opened),
        host: &host,
        authors: &authors,
        mode: Mode::DryRun,
        route: Route::Import,
        placing: None,
        aside: None,
    };
    let mut session = SearchSession::open(&opened, ScanFreshness::Window, cx.progress)?;
    let mut plan = CuratePlan::default();
    for id in commits.into_iter().skip(first) {
        if known.has(id)? {
            continue;
        }
        if plan.commits.len() == limit {
            let last = plan.commits.last().map(|one| one.commit.clone());
            return Ok((plan, last));
        }
        let (commit, reading) = intake.read(id)?;
        let declined = match &reading {
            Reading::Declined(why) => Some(why.to_string()),
            Reading::Lesson(_) => None,
        };
        if let Reading::Lesson(lesson) = &reading {
            plan.cover(&intake, &mut session, (&commit, lesson))?;
        }
        plan.commits.push(evidence(&commit, declined));
    }
    Ok((plan, None))
}

impl CuratePlan {
    /// Add the entries that state something about a subject of the commit, and those that fit its words.
    fn cover(
        &mut self,
        intake: &Intake<'_>,
        session: &mut SearchSession<'_>,
        (commit, lesson): (&HostCommit, &Lesson),
    ) -> Result<(), Stop> {
        let words = commit.subject.split_whitespace().chain(commit.body.split_whitespace()).take(WORDS);
        let text = words.map(|word| word.replace('"', "")).collect::<Vec<_>>().join(" ");
        for subject in lesson.facts.iter().filter_map(|fact| fact.subject.as_deref()) {
            covering(intake, session, (subject, &text))?
                .into_iter()
                .for_each(|entry| self.add(entry, commit));
        }
        let fitting = covering_entries(intake, session, &text, COVERING)?;
        fitting
            .into_iter()
            .filter(|entry| entry.relevance >= COVERS)
            .for_each(|entry| self.add(entry, commit));
        Ok(())
    }

    fn add(&mut self, entry: Covering, commit: &HostCommit) {
        let id = commit.id.to_string();
        let relevance = json::to(entry.relevance, 4);
        let Some(known) = self.covering.iter_mut().find(|known| known.path == entry.path) else {
            self.covering.push(CoveringEntry {
                blob: ContentId::of(&entry.bytes),
                path: entry.path,
                title: entry.title,
                relevance,
                commits: vec![id],
            });
            return;
        };
        known.relevance = known.relevance.max(relevance);
        if !known.commits.contains(&id) {
            known.commits.push(id);
        }
    }
}

/// What is shown of a commit; without the values of secrets.
fn evidence(commit: &HostCommit, declined: Option<String>) -> CommitEvidence {
    CommitEvidence {
        commit: commit.id.to_string(),
        subject: secrets::masked(&commit.subject).into_owned(),
        body: secrets::masked(commit.body.trim_end()).into_owned(),
        author: commit.author.name.to_str_lossy().into_owned(),
        time: format_utc(commit.author.seconds),
        files: commit.files.iter().map(|file| file.path.clone()).take(FILES).collect(),
        declined,
    }
}
