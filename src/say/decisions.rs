//! Words for the conflicts of a merge or an undo, and for what was settled automatically.

use super::{Failure, guards, words};
use brv_base::escape::escape_line;
use brv_engine::FailureKind;
use brv_engine::Mode;
use brv_engine::merge::integrate;
use brv_engine::merge::integrate::Made;
use brv_engine::merge::reconcile::{Conflict, ConflictKind, Done, Record};
use brv_text::merge::{self, MergePlace, Reason, Side};

/// How the two sides are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Ours and theirs, for a merge.
    Merge,
    /// The current version and the version before the operation, for an undo.
    Undo,
}

/// The failure for a merge that a guard stopped or that has conflicts.
pub fn conflicts(data: &integrate::Outcome, made: Made, mode: Mode) -> Option<Failure> {
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

/// The failure for files in conflict, each with its conflicts; `rest` ends the message.
pub fn failure(found: &[Conflict], voice: Voice, rest: &str) -> Option<Failure> {
    let files = words::many(found.len(), "file has", "files have");
    let failed = || Failure::new(FailureKind::Conflict, format!("{files} conflicts{rest}"));
    (!found.is_empty()).then(|| failed().detailing(open(found, voice)))
}

/// The lines that list conflicts: one for each file, and one for each place in it.
pub fn open(conflicts: &[Conflict], voice: Voice) -> Vec<String> {
    let mut rows = Vec::new();
    for conflict in conflicts {
        let other = match &conflict.other {
            Some(other) => format!(": see `{}`", escape_line(other)),
            None => String::new(),
        };
        let kind = match voice {
            Voice::Merge => conflict.kind.words(),
            Voice::Undo => undone(conflict.kind),
        };
        rows.push(format!("{} ({kind}{other})", escape_line(&conflict.path)));
        rows.extend(conflict.decisions.iter().filter_map(|one| decision(voice, one)));
    }
    rows
}

/// The conflict in one place; `None` if the line of the file says it all.
pub fn decision(voice: Voice, decision: &merge::Conflict) -> Option<String> {
    if decision.reason == Reason::Lines && decision.place == MergePlace::Whole {
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
const fn undone(kind: ConflictKind) -> &'static str {
    match kind {
        ConflictKind::BothModified => "edited since",
        ConflictKind::BothAdded => "created again since",
        ConflictKind::DeletedByUs => "deleted since",
        ConflictKind::DeletedByThem => "it was not there before, and was edited since",
        kind => kind.words(),
    }
}

const fn why_undone(reason: Reason) -> &'static str {
    match reason {
        Reason::Lines => "these lines were edited since",
        Reason::Prose => "this text was edited since",
        Reason::Heading => "this heading was edited since",
        Reason::Fence => "this code block was edited since",
        Reason::Table => "this table was edited since",
        Reason::NumberedList => "this numbered list was edited since",
        Reason::Fact => "this claim was changed since",
        Reason::Field => "this field was edited since",
        Reason::OurFrontmatter => "the current frontmatter cannot be read",
        Reason::TheirFrontmatter => "the earlier frontmatter cannot be read",
        Reason::BothFrontmatters => "neither the current nor the earlier frontmatter can be read",
        Reason::NotText => "not a text file",
        Reason::Unrelated => "another entry was added under this name since",
        Reason::DeletedByUs => "it was deleted since",
        Reason::DeletedByThem => "it was not there before, and was edited since",
        Reason::Renamed => "it was renamed since, or before that",
        Reason::FolderInItsPlace => "a folder is in its place",
    }
}

pub const fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::Lines => "both changed these lines",
        Reason::Prose => "both changed this text",
        Reason::Heading => "both changed this heading",
        Reason::Fence => "both changed this code block",
        Reason::Table => "both changed this table",
        Reason::NumberedList => "both changed this numbered list",
        Reason::Fact => "the claims differ",
        Reason::Field => "both changed this field; kept ours",
        Reason::OurFrontmatter => "our frontmatter cannot be read; kept theirs",
        Reason::TheirFrontmatter => "their frontmatter cannot be read; kept ours",
        Reason::BothFrontmatters => "neither frontmatter can be read; kept ours",
        Reason::NotText => "not a text file; kept ours",
        Reason::Unrelated => "two different entries with one name; kept ours",
        Reason::DeletedByUs => "deleted by us, changed by them",
        Reason::DeletedByThem => "changed by us, deleted by them",
        Reason::Renamed => "renamed by one side",
        Reason::FolderInItsPlace => "a folder is in its place",
    }
}

/// How a difference was settled, and where in the file.
pub fn line(record: &Record) -> String {
    line_in(Voice::Merge, record)
}

/// As [`line()`], with the sides named by `voice`.
pub fn line_in(voice: Voice, record: &Record) -> String {
    let what = match &record.place {
        MergePlace::Whole => file(voice, record),
        _ => inside(voice, record),
    };
    match place(&record.place) {
        Some(place) => format!("{place}: {what}"),
        None => what,
    }
}

/// The place in the file; `None` for the whole file.
pub fn place(place: &MergePlace) -> Option<String> {
    match place {
        MergePlace::Field { field } => Some(format!("`{field}`")),
        MergePlace::Fact { subject } => Some(format!("fact `{}`", short(subject))),
        MergePlace::Block { headings, starts } => {
            let section = headings.join(" > ");
            let starts = short(starts);
            Some(match (section.is_empty(), starts.is_empty()) {
                (true, true) => return None,
                (true, false) => format!("`{starts}`"),
                (false, true) => format!("in {section}"),
                (false, false) => format!("in {section}, `{starts}`"),
            })
        }
        MergePlace::Attribute { attribute } => Some(attribute.words().to_owned()),
        MergePlace::Whole => None,
    }
}

fn file(voice: Voice, record: &Record) -> String {
    let whose = voice.possessive(record.side);
    let they = match (voice, record.side) {
        (Voice::Merge, Some(Side::Theirs)) => "we",
        (Voice::Merge, _) => "they",
        (Voice::Undo, Some(Side::Theirs)) => "a later change",
        (Voice::Undo, _) => "the undo",
    };
    let other = record.other.as_deref().unwrap_or_default();
    let gone = gone(record);
    if let (Voice::Merge, Done::ChangeKept, None) = (voice, record.settled, &record.other) {
        return match record.side {
            Some(Side::Theirs) => format!("{gone} here, modified there: kept theirs"),
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
pub const fn gone(record: &Record) -> &'static str {
    if record.archived { "archived" } else { "deleted" }
}

fn inside(voice: Voice, record: &Record) -> String {
    let (whose, others) = (voice.possessive(record.side), voice.possessive(record.side.map(Side::other)));
    let text = |side: Option<Side>| side.and_then(|side| record.texts.of(side));
    match record.settled {
        Done::Chosen => {
            let taken = text(record.side).map(quoted);
            let lost = text(record.side.map(Side::other)).map(quoted);
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

impl Voice {
    const fn possessive(self, side: Option<Side>) -> &'static str {
        match (self, side) {
            (Self::Merge, Some(Side::Ours)) => "our",
            (Self::Merge, Some(Side::Theirs)) => "their",
            (Self::Undo, Some(Side::Ours)) => "the current",
            (Self::Undo, Some(Side::Theirs)) => "the earlier",
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
