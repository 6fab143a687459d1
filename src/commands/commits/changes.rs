//! All that a commit changes in the tree: what it teaches, what it takes back, and what was filed of it before.

use super::placing::CommitPlace;
use super::plan::{self, LessonPlan};
use super::speaker::Speaker;
use super::{Intake, marking, replacing};
use brv_engine::Stop;
use brv_engine::curate::Outranked;
use brv_engine::jobs::{Filed, FiledItem};
use brv_engine::read::history::learned::filings::Filings;
use brv_engine::read::history::learned::{self, Same};
use brv_text::commits::Lesson;
use brv_text::curate::Read;

/// What is to be written of a commit.
pub(super) struct PlannedCommit {
    pub operations: Vec<Read>,
    /// What the rules filed of the commit before, and what a merge brought twice.
    pub replacing: Vec<Outranked>,
    pub filed: Filed,
}

/// Plan it.
///
/// # Errors
/// The tree, its history or that of the code cannot be read.
pub(super) fn plan(
    speaker: &Speaker<'_>,
    lesson: Option<(&Lesson, CommitPlace)>,
    is_again: bool,
) -> Result<PlannedCommit, Stop> {
    let note = lesson.as_ref().and_then(|(lesson, _)| lesson.notes.iter().find(|note| note.is_prose));
    let reason = note.map(|note| note.lead.clone());
    let LessonPlan { operations, mut filed, replaced } = match lesson {
        Some((lesson, place)) => plan::plan(speaker, lesson, place)?,
        None => LessonPlan::default(),
    };
    let mut planned = PlannedCommit { operations, replacing: Vec::new(), filed: Filed::default() };
    let reverted = speaker.commit.reverts();
    if !reverted.is_empty() || !replaced.is_empty() || is_again {
        let filings = Filings::of(speaker.intake.parts.scope())?;
        let commit = speaker.commit;
        let reverting = (commit, speaker.seconds, reverted.as_slice());
        let of_reverts = marking::of_reverts(speaker.intake, &filings, reverting, reason.as_deref())?;
        filed.reverts_edited.clone_from(&of_reverts.edited);
        let of_superseded = marking::of_superseded(speaker.intake, &filings, speaker.seconds, &replaced)?;
        let why = format!("{} (commit {})", commit.subject, commit.short());
        for marks in [of_reverts, of_superseded] {
            planned.add(marks.operations(speaker.intake, &why)?);
        }
        if is_again {
            planned.replacing = of_before(speaker.intake, &filings, (speaker, &filed))?;
        }
    }
    if !planned.operations.is_empty() {
        planned.replacing.extend(doubled(speaker.intake)?);
    }
    if let Some(aside) = speaker.intake.aside {
        planned.operations = aside.making_way(planned.operations);
    }
    Ok(PlannedCommit { filed, ..planned })
}

impl PlannedCommit {
    /// More operations: on an entry that is changed already they find what they change by itself.
    fn add(&mut self, more: Vec<Read>) {
        let paths: Vec<Option<String>> = self.operations.iter().map(|read| read.path.clone()).collect();
        for mut read in more {
            if let Some(operation) = read.operation.as_mut().ok().filter(|_| paths.contains(&read.path)) {
                operation.base = None;
            }
            self.operations.push(read);
        }
    }
}

/// What two clones filed of one commit, once a merge has brought both: that of the greater commit of the tree goes with what the
/// rules file next. An undo of that brings it back, until something else is filed.
fn doubled(intake: &Intake<'_>) -> Result<Vec<Outranked>, Stop> {
    let opened = intake.parts.opened;
    if intake.aside.is_some() || !learned::was_merged(&opened.scope)? {
        return Ok(Vec::new());
    }
    let filings = Filings::of(&opened.scope)?;
    Ok(replacing::by_entry(learned::doubled_items(opened, &filings)?))
}

/// What the rules filed of the commit before, of what is not filed again.
fn of_before(
    intake: &Intake<'_>,
    filings: &Filings,
    (speaker, filed): (&Speaker<'_>, &Filed),
) -> Result<Vec<Outranked>, Stop> {
    let same = Same::of(intake.parts.opened, intake.host, (filings, speaker.commit.id))?;
    let mut items = replacing::of_rules(intake.parts.opened, filings, &same)?;
    items.retain(|(path, item)| {
        let stays =
            |new: &FiledItem| new.path == path.as_str() && new.title == item.title && new.text == item.text;
        !intake.is_aside(path) && !filed.items.iter().any(stays)
    });
    Ok(replacing::by_entry(items))
}
