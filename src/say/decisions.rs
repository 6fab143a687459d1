//! Words for the conflicts of a merge or an undo, and for what was settled automatically.

use super::{Failure, guards, words};
use crate::wire::{Conflict, Decision, Done, Integrated, MergeRecord, Party, Place, Why};
use brv_base::escape::escape_line;
use brv_engine::FailureKind;
use brv_engine::Mode;
use brv_engine::merge::integrate::Made;

/// How the two sides are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Ours and theirs, for a merge.
    Merge,
    /// The current version and the version before the operation, for an undo.
    Undo,
}

/// The failure for a merge that a guard stopped or that has conflicts.
pub fn conflicts(data: &Integrated, made: Made, mode: Mode) -> Option<Failure> {
    if let Some(stopped) = &data.stopped {
        return Some(guards::stopped(stopped));
    }
    if data.conflicts.is_empty() {
        return None;
    }
    let count = data.conflicts.len();
    let files = match mode {
        Mode::Write => words::many(count, "file has", "files have"),
        Mode::DryRun => words::many(count, "file would have", "files would have"),
    };
    Some(
        Failure::new(FailureKind::Conflict, format!("{files} conflicts"))
            .detailing(open(&data.conflicts, Voice::Merge))
            .hinting(Some(match made {
                _ if mode == Mode::DryRun => {
                    "nothing was written; run without `--dry-run` to start the merge, or choose a side with `--on-conflict`"
                }
                Made::Commit => {
                    "list the conflicts with `brv vc resolve --list`, resolve them with `brv vc resolve PATH`, then run `brv vc merge --continue`; or undo the merge with `brv vc merge --abort`"
                }
                Made::Staged => {
                    "list the conflicts with `brv vc resolve --list`, resolve them with `brv vc resolve PATH`, then run `brv vc commit`"
                }
            })),
    )
}

/// The lines that list conflicts: one for each file, and one for each place in it.
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

/// The conflict in one place; `None` if the line of the file says it all.
pub fn decision(voice: Voice, decision: &Decision) -> Option<String> {
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

/// The kind of a conflict of an undo, whose sides are the current version and the one before the operation.
fn undone(kind: &'static str) -> &'static str {
    match kind {
        "both modified" => "edited since",
        "both added" => "created again since",
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
        Why::Fact => "this claim was changed since",
        Why::Field => "this field was edited since",
        Why::OurFrontmatter => "the current frontmatter cannot be read",
        Why::TheirFrontmatter => "the earlier frontmatter cannot be read",
        Why::BothFrontmatters => "neither the current nor the earlier frontmatter can be read",
        Why::NotText => "not a text file",
        Why::Unrelated => "another entry was added under this name since",
        Why::DeletedByUs => "it was deleted since",
        Why::DeletedByThem => "it was not there before, and was edited since",
        Why::Renamed => "it was renamed since, or before that",
        Why::FolderInItsPlace => "a folder is in its place",
    }
}

pub const fn why(reason: Why) -> &'static str {
    match reason {
        Why::Lines => "both changed these lines",
        Why::Prose => "both changed this text",
        Why::Heading => "both changed this heading",
        Why::Fence => "both changed this code block",
        Why::Table => "both changed this table",
        Why::NumberedList => "both changed this numbered list",
        Why::Fact => "the claims differ",
        Why::Field => "both changed this field; kept ours",
        Why::OurFrontmatter => "our frontmatter cannot be read; kept theirs",
        Why::TheirFrontmatter => "their frontmatter cannot be read; kept ours",
        Why::BothFrontmatters => "neither frontmatter can be read; kept ours",
        Why::NotText => "not a text file; kept ours",
        Why::Unrelated => "two different entries with one name; kept ours",
        Why::DeletedByUs => "deleted by us, changed by them",
        Why::DeletedByThem => "changed by us, deleted by them",
        Why::Renamed => "renamed by one side",
        Why::FolderInItsPlace => "a folder is in its place",
    }
}

/// How a difference was settled, and where in the file.
pub fn line(record: &MergeRecord) -> String {
    line_in(Voice::Merge, record)
}

/// As [`line()`], with the sides named by `voice`.
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

/// The place in the file; `None` for the whole file.
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
        (Voice::Undo, Some(Party::Theirs)) => "a later change",
        (Voice::Undo, _) => "the undo",
    };
    let other = record.other.as_deref().unwrap_or_default();
    let gone = gone(record);
    if let (Voice::Merge, Done::ChangeKept, None) = (voice, record.settled, &record.other) {
        return match record.side {
            Some(Party::Theirs) => format!("{gone} here, modified there: kept theirs"),
            _ => format!("modified here, {gone} there: kept ours"),
        };
    }
    match (record.settled, record.other.is_some()) {
        (Done::ChangeKept, true) => format!("{they} {gone} `{other}`, which was moved here: kept"),
        (Done::ChangeKept, false) => format!("{they} {gone} it; kept {whose} version"),
        (Done::Followed, _) => format!("moved here from `{other}`, with the changes of both sides"),
        (Done::Renamed, _) => format!("renamed from {whose} `{other}`, because a folder is in its place"),
        (Done::BothKept, true) => format!("both sides moved it: also kept at `{other}`"),
        (Done::Chosen, true) => format!("both sides moved `{other}`: took {whose} path"),
        _ => inside(voice, record),
    }
}

/// What one side did to a file that the other side changed.
pub const fn gone(record: &MergeRecord) -> &'static str {
    if record.archived { "archived" } else { "deleted" }
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
                (Some(taken), Some(lost)) => format!("took {whose} {taken}, dropped {others} {lost}"),
                (Some(taken), None) => format!("took {whose} {taken}"),
                (None, Some(lost)) => format!("took {whose} side, dropped {others} {lost}"),
                (None, None) => format!("took {whose} side"),
            }
        }
        Done::Disputed => "kept both claims, marked as disputed".into(),
        Done::ChangeKept => format!("removed by the other side; kept {whose} change"),
        Done::BothKept => "kept both".into(),
        Done::Combined => "combined from both sides".into(),
        Done::BaseTaken => "kept the base version".into(),
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
            (Self::Undo, Some(Party::Ours)) => "the current",
            (Self::Undo, Some(Party::Theirs)) => "the earlier",
            (_, None) => "one",
        }
    }
}

/// Quote a text; a binary version is only named, as its bytes would tell the reader nothing.
fn quoted(text: &str) -> String {
    match text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        true => "binary version".into(),
        false => format!("`{}`", short(text)),
    }
}

/// Shorten a text to one line of limited length.
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
