//! Who states something, in which commit and when.

use super::written::CommitAuthor;
use super::{HostCommit, Intake};
use brv_base::clock::format_utc;
use brv_git as git;
use brv_git::history::{self, Range};
use brv_text::commits::{CommitFact, CommitNote, attribution};
use brv_text::doc::{Document, Item, Statement};
use brv_text::lint::Steering;
use std::ops::ControlFlow;

/// For how many seconds before its commit a commit may have been written without a look at how old the project is.
const USUAL: i64 = 90 * 86_400;

/// Who states something, and in which commit.
pub(super) struct Speaker<'s> {
    pub intake: &'s Intake<'s>,
    pub commit: &'s HostCommit,
    pub written: &'s CommitAuthor,
    /// When it was written, in seconds since 1970: the time of its author, as far as that can be.
    pub seconds: i64,
}

impl<'s> Speaker<'s> {
    pub fn new(
        intake: &'s Intake<'s>,
        commit: &'s HostCommit,
        written: &'s CommitAuthor,
    ) -> Result<Self, git::Error> {
        let seconds = time_of(intake, commit)?;
        Ok(Self { intake, commit, written, seconds })
    }

    /// Whether a text of somebody else instructs: it goes into an entry of its own, which waits as a whole.
    pub fn instructs(&self, text: &str) -> bool {
        let document = Document::parse(text.as_bytes());
        self.written.by.is_some() && Steering::instructs_anew(&document, [].into_iter())
    }

    pub fn statement(&self, stated: &CommitFact) -> Statement {
        let statement = match self.named() {
            Some(name) => attribution::with(&stated.statement, &self.month(), name),
            None => stated.statement.clone(),
        };
        Statement { subject: stated.subject.clone(), statement, category: stated.category }
    }

    /// A note as an item of this title.
    pub fn item(&self, title: &str, note: &CommitNote) -> Item {
        Item {
            title: title.to_owned(),
            mark: None,
            prefix: note.prefix,
            text: note.text.clone(),
            month: Some(self.month()),
            by: self.named().map(str::to_owned),
            span: 0..0,
        }
    }

    /// The month, as in `2026-07`.
    fn month(&self) -> String {
        format_utc(self.seconds).get(..7).unwrap_or_default().to_owned()
    }

    /// Whose it is, where no commit of the tree can say it.
    fn named(&self) -> Option<&'s str> {
        let is_in_host = !self.intake.parts.scope().prefix().is_empty();
        self.written.by.as_deref().filter(|_| is_in_host && self.written.is_named)
    }
}

/// The time of the author: not before the first commit, and neither after the commit was made nor in the future.
fn time_of(intake: &Intake<'_>, commit: &HostCommit) -> Result<i64, git::Error> {
    let latest = commit.committed.min(intake.now());
    let seconds = commit.author.seconds.min(latest);
    if latest - seconds <= USUAL {
        return Ok(seconds);
    }
    let mut first = latest;
    let range = Range { tips: vec![commit.id], ..Range::default() };
    history::walk(&intake.host.scope, &range, |walked| {
        if walked.commit.parents.is_empty() {
            first = first.min(walked.commit.committer.seconds);
        }
        ControlFlow::Continue(())
    })?;
    Ok(seconds.max(first))
}
