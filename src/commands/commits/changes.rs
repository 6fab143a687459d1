//! All that a commit changes in the tree: what it teaches, what it takes back, and what was filed of it before.

use super::placing::Place;
use super::plan::{self, Plan};
use super::speaker::Speaker;
use super::{Intake, marking};
use brv_engine::Stop;
use brv_engine::curate::Outranked;
use brv_engine::jobs::Filed;
use brv_engine::read::history::filings::{Filings, Writer};
use brv_engine::read::history::learned::{Same, Since, learned};
use brv_text::commits::Lesson;
use brv_text::curate::Read;
use brv_text::doc::Item;
use brv_text::doc::saying::Form;

/// What is to be written of a commit.
pub(super) struct Planned {
    pub operations: Vec<Read>,
    /// What the rules filed of the commit before.
    pub replacing: Vec<Outranked>,
    pub filed: Filed,
}

/// Plan it.
///
/// # Errors
/// The tree, its history or that of the code cannot be read.
pub(super) fn plan(
    speaker: &Speaker<'_>,
    lesson: Option<(&Lesson, Place)>,
    is_again: bool,
) -> Result<Planned, Stop> {
    let note = lesson.as_ref().and_then(|(lesson, _)| lesson.notes.iter().find(|note| note.is_prose));
    let reason = note.map(|note| note.lead.clone());
    let Plan { operations, mut filed, replaced } = match lesson {
        Some((lesson, place)) => plan::plan(speaker, lesson, place)?,
        None => Plan::default(),
    };
    let mut planned = Planned { operations, replacing: Vec::new(), filed: Filed::default() };
    let reverted = speaker.commit.reverts();
    if !reverted.is_empty() || !replaced.is_empty() || is_again {
        let filings = Filings::of(speaker.intake.parts.scope())?;
        let commit = speaker.commit;
        let of_reverts =
            marking::of_reverts(speaker.intake, &filings, (commit, &reverted), reason.as_deref())?;
        filed.reverts_edited.clone_from(&of_reverts.edited);
        let of_superseded = marking::of_superseded(speaker.intake, &filings, commit, &replaced)?;
        let why = format!("{} (commit {})", commit.subject, commit.short());
        for marks in [of_reverts, of_superseded] {
            planned.add(marks.operations(speaker.intake, &why)?);
        }
        if is_again {
            planned.replacing = of_before(speaker.intake, &filings, (speaker, &filed))?;
        }
    }
    Ok(Planned { filed, ..planned })
}

impl Planned {
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

/// What the rules filed of the commit before, of what is not filed again.
fn of_before(
    intake: &Intake<'_>,
    filings: &Filings,
    (speaker, filed): (&Speaker<'_>, &Filed),
) -> Result<Vec<Outranked>, Stop> {
    let opened = intake.parts.opened;
    let same = Same::of(opened, intake.host, speaker.commit.id)?;
    let mut found: Vec<Outranked> = Vec::new();
    for one in learned(opened, filings, &same)? {
        let is_of_rules = one.writer == Writer::Rules && one.saying.form == Form::Item;
        let title = one.saying.title.clone().unwrap_or_default();
        let Some(item) = Item::read(&format!("- **{title}**: {}", one.saying.text)) else { continue };
        let stays = |new: &brv_engine::jobs::FiledItem| {
            new.path == one.path.as_str() && new.title == item.title && new.text == item.text
        };
        if !is_of_rules || one.since != Since::Unchanged(None) || filed.items.iter().any(stays) {
            continue;
        }
        match found.last_mut().filter(|last| last.path == one.path) {
            Some(last) => last.items.push(item),
            None => found.push(Outranked { path: one.path, items: vec![item] }),
        }
    }
    Ok(found)
}
