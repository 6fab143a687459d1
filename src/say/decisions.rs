//! The words for what a merge settled and for what it leaves to decide.

use super::escape::escape_line;
use super::{Exit, Failure, guards, words};
use crate::ops::Mode;
use crate::ops::steps::merging::integrate::Made;
use crate::wire::{Conflict, Decision, Done, Integrated, MergeRecord, Party, Place, Why};

/// What the two sides are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Ours and theirs of a merge.
    Merge,
    /// What is there now, and what was before an operation.
    Undo,
}

/// What stopped it or is to be decided, as the failure that it is.
#[must_use]
pub fn conflicts(data: &Integrated, made: Made, mode: Mode) -> Option<Failure> {
    if let Some(stopped) = &data.stopped {
        return Some(guards::stopped(stopped));
    }
    if data.conflicts.is_empty() {
        return None;
    }
    let count = data.conflicts.len();
    let files = match mode {
        Mode::Write => words::many(count, "file needs", "files need"),
        Mode::DryRun => words::many(count, "file would need", "files would need"),
    };
    Some(
        Failure::new(Exit::Conflict, format!("{files} a decision"))
            .detailing(open(&data.conflicts, Voice::Merge))
            .hinting(Some(match made {
                _ if mode == Mode::DryRun => {
                    "nothing was written; without `--dry-run` the merge begins, and `--on-conflict` decides beforehand"
                }
                Made::Commit => {
                    "`brv vc resolve --list` shows what is open, `brv vc resolve PATH` decides it; then `brv vc merge --continue` ends the merge, and `brv vc merge --abort` goes back"
                }
                Made::Staged => {
                    "`brv vc resolve --list` shows what is open, `brv vc resolve PATH` decides it; then `brv vc commit`"
                }
            })),
    )
}

/// The rows that say what must be decided: one for each file, and one for each place in it.
#[must_use]
pub fn open(conflicts: &[Conflict], voice: Voice) -> Vec<String> {
    let mut rows = Vec::new();
    for conflict in conflicts {
        let other = match &conflict.other {
            Some(other) => format!(": see `{}`", escape_line(other.as_bytes())),
            None => String::new(),
        };
        let kind = match voice {
            Voice::Merge => conflict.kind,
            Voice::Undo => undone(conflict.kind),
        };
        rows.push(format!("{} ({kind}{other})", escape_line(conflict.path.as_bytes())));
        rows.extend(conflict.decisions.iter().filter_map(|one| decision(voice, one)));
    }
    rows
}

/// What is left to decide in one place, `None` where the file's own row says it all.
fn decision(voice: Voice, decision: &Decision) -> Option<String> {
    if decision.reason == Why::Lines && decision.place == Place::File {
        return None;
    }
    let why = match voice {
        Voice::Merge => why(decision.reason),
        Voice::Undo => why_undone(decision.reason),
    };
    Some(match place(&decision.place) {
        Some(place) => format!("  {}: {why}", escape_line(place.as_bytes())),
        None => format!("  {why}"),
    })
}

/// The kind of a conflict, where one side is now and the other before an operation.
fn undone(kind: &'static str) -> &'static str {
    match kind {
        "both modified" => "edited since",
        "both added" => "made anew since",
        "deleted by us" => "deleted since",
        "deleted by them" => "it was not there before, and was edited since",
        kind => kind,
    }
}

const fn why_undone(reason: Why) -> &'static str {
    match reason {
        Why::Lines => "these lines were edited since",
        Why::Prose => "this text was edited since",
        Why::Heading => "this heading was edited since",
        Why::Fence => "this code block was edited since",
        Why::Table => "this table was edited since",
        Why::NumberedList => "this numbered list was edited since",
        Why::Fact => "it claims something else since",
        Why::OurFrontmatter => "the frontmatter as it is now cannot be read",
        Why::TheirFrontmatter => "the frontmatter as it was before cannot be read",
        Why::BothFrontmatters => "neither frontmatter can be read, that of now or that of before",
        Why::NotText => "it is not text",
        Why::Unrelated => "another entry was added under this name since",
        Why::DeletedByUs => "it was deleted since",
        Why::DeletedByThem => "it was not there before, and was edited since",
        Why::Renamed => "it has another name since, or had one before",
        Why::FolderInItsPlace => "there is a folder where it was",
    }
}

/// Why something is to be decided.
#[must_use]
pub const fn why(reason: Why) -> &'static str {
    match reason {
        Why::Lines => "both changed these lines",
        Why::Prose => "both changed this text",
        Why::Heading => "both changed this heading",
        Why::Fence => "both changed this code block",
        Why::Table => "both changed this table",
        Why::NumberedList => "both changed this numbered list",
        Why::Fact => "both claim something else",
        Why::OurFrontmatter => "our frontmatter cannot be read, and theirs stands",
        Why::TheirFrontmatter => "their frontmatter cannot be read, and ours stands",
        Why::BothFrontmatters => "neither frontmatter can be read, and ours stands",
        Why::NotText => "it is not text, and ours stands",
        Why::Unrelated => "two different entries under one name; ours stands",
        Why::DeletedByUs => "we deleted it, they changed it",
        Why::DeletedByThem => "we changed it, they deleted it",
        Why::Renamed => "one side gave it another name",
        Why::FolderInItsPlace => "there is a folder where it was",
    }
}

/// What was settled, and where in the file.
#[must_use]
pub fn line(record: &MergeRecord) -> String {
    line_in(Voice::Merge, record)
}

/// The same, by what the two sides are called.
#[must_use]
pub fn line_in(voice: Voice, record: &MergeRecord) -> String {
    let what = match &record.place {
        Place::File => file(voice, record),
        _ => inside(voice, record),
    };
    match place(&record.place) {
        Some(place) => format!("{place}: {what}"),
        None => what,
    }
}

/// Where in the file; `None` for all of it.
#[must_use]
pub fn place(place: &Place) -> Option<String> {
    match place {
        Place::Field { field } => Some(format!("`{field}`")),
        Place::Fact { subject } => Some(format!("fact `{}`", short(subject))),
        Place::Block { headings, starts } => {
            let section = headings.join(" > ");
            let starts = short(starts);
            Some(match (section.is_empty(), starts.is_empty()) {
                (true, true) => return None,
                (true, false) => format!("`{starts}`"),
                (false, true) => format!("in {section}"),
                (false, false) => format!("in {section}, `{starts}`"),
            })
        }
        Place::Attribute { attribute } => Some(attribute.replace('_', " ")),
        Place::File => None,
    }
}

fn file(voice: Voice, record: &MergeRecord) -> String {
    let whose = voice.possessive(record.side);
    let they = match (voice, record.side) {
        (Voice::Merge, Some(Party::Theirs)) => "we",
        (Voice::Merge, _) => "they",
        (Voice::Undo, Some(Party::Theirs)) => "somebody since",
        (Voice::Undo, _) => "the way back",
    };
    let other = record.other.as_deref().unwrap_or_default();
    if let (Voice::Merge, Done::ChangeKept, None) = (voice, record.settled, &record.other) {
        return match record.side {
            Some(Party::Theirs) => "deleted here, modified there: kept theirs".to_owned(),
            _ => "modified here, deleted there: kept ours".to_owned(),
        };
    }
    match (record.settled, record.other.is_some()) {
        (Done::ChangeKept, true) => format!("{they} removed `{other}`, which moved here: it stays"),
        (Done::ChangeKept, false) => format!("{they} removed it; {whose} change stays"),
        (Done::Followed, _) => format!("moved here from `{other}`, with the changes of both sides"),
        (Done::Renamed, _) => format!("there is a folder where {whose} `{other}` was: it has this name now"),
        (Done::BothKept, true) => format!("both sides moved it: it is also at `{other}`"),
        (Done::Chosen, true) => format!("both sides moved `{other}`: this is {whose} place for it"),
        _ => inside(voice, record),
    }
}

fn inside(voice: Voice, record: &MergeRecord) -> String {
    let (whose, others) = (voice.possessive(record.side), voice.possessive(record.side.map(other)));
    let text = |side: Option<Party>| match side {
        Some(Party::Ours) => record.ours.as_deref(),
        Some(Party::Theirs) => record.theirs.as_deref(),
        None => None,
    };
    match record.settled {
        Done::Chosen => {
            let taken = text(record.side).map(quoted);
            let lost = text(record.side.map(other)).map(quoted);
            match (taken, lost) {
                (Some(taken), Some(lost)) => format!("{whose} {taken} taken, {others} {lost} given up"),
                (Some(taken), None) => format!("{whose} {taken} taken"),
                (None, Some(lost)) => format!("{whose} side taken, {others} {lost} given up"),
                (None, None) => format!("{whose} side taken"),
            }
        }
        Done::Disputed => "both claims kept, and marked as disputed".into(),
        Done::ChangeKept => format!("the other side removed it; {whose} change stays"),
        Done::BothKept => "both kept".into(),
        Done::Combined => "put together from both sides".into(),
        Done::BaseTaken => "left as it was before both changes".into(),
        Done::Followed | Done::Renamed => String::new(),
    }
}

const fn other(side: Party) -> Party {
    match side {
        Party::Ours => Party::Theirs,
        Party::Theirs => Party::Ours,
    }
}

impl Voice {
    const fn possessive(self, side: Option<Party>) -> &'static str {
        match (self, side) {
            (Self::Merge, Some(Party::Ours)) => "our",
            (Self::Merge, Some(Party::Theirs)) => "their",
            (Self::Undo, Some(Party::Ours)) => "the present",
            (Self::Undo, Some(Party::Theirs)) => "the former",
            (_, None) => "one",
        }
    }
}

/// The text, as far as it is one: a few bytes of an image tell nobody anything.
fn quoted(text: &str) -> String {
    match text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        true => "binary version".into(),
        false => format!("`{}`", short(text)),
    }
}

/// One line, and not all of a long one.
fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_told_in_a_line_and_the_bytes_of_an_image_are_not() {
        assert_eq!(quoted("two\n  lines"), "`two lines`");
        assert_eq!(quoted("\u{fffd}PNG\r\n\u{1a}\0"), "binary version");
        assert_eq!(quoted(&"ä".repeat(61)), format!("`{}…`", "ä".repeat(60)));
    }
}
