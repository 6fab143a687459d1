//! How `pull` and `merge` are told to bring another commit in, and what both put on the screen.

use super::counts;
use super::decisions;
use super::knowledge;
use super::patch::File;
use super::ui::{Screen, Style};
use super::written;
use crate::diff::knowledge::Entry;
use crate::ops::Mode;
use crate::ops::vc::diff::FileChange;
use crate::ops::vc::merge::{Forward, Undecided};
use crate::say::decisions::Voice;
use crate::wire::{Integrated, Relation};
use clap::{Args, ValueEnum};

/// The arguments that say how another commit is brought in.
#[derive(Debug, Args)]
pub struct Merging {
    /// Only move the branch forward, or do nothing
    #[arg(long, overrides_with_all = ["ff", "no_ff"])]
    ff_only: bool,
    /// Make a merge commit also where the branch could only move forward
    #[arg(long, overrides_with_all = ["ff", "ff_only"])]
    no_ff: bool,
    /// Move the branch forward where that is enough, whatever the settings say
    #[arg(long, overrides_with_all = ["ff_only", "no_ff"])]
    ff: bool,
    /// What to do where a person would have to decide
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    on_conflict: OnConflict,
}

/// What to do where a person would have to decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum OnConflict {
    /// Leave it to be decided
    #[default]
    Stop,
    /// Take ours
    Ours,
    /// Take theirs
    Theirs,
    /// Keep both, and mark them as disputed
    Both,
}

impl OnConflict {
    /// As `ops` has it.
    #[must_use]
    pub const fn undecided(self) -> Undecided {
        match self {
            Self::Stop => Undecided::Mark,
            Self::Ours => Undecided::Ours,
            Self::Theirs => Undecided::Theirs,
            Self::Both => Undecided::Both,
        }
    }
}

impl Merging {
    /// Whether the branch may or must only move forward; `None`: as the settings say.
    #[must_use]
    pub const fn forward(&self) -> Option<Forward> {
        match (self.ff_only, self.no_ff, self.ff) {
            (true, ..) => Some(Forward::Only),
            (_, true, _) => Some(Forward::Never),
            (.., true) => Some(Forward::Allow),
            _ => None,
        }
    }

    /// As `ops` has it.
    #[must_use]
    pub const fn undecided(&self) -> Undecided {
        self.on_conflict.undecided()
    }
}

/// The first line: what was done with what. `name` is the other side; nothing more is said where there was nothing new.
pub fn heading(screen: &mut Screen, data: &Integrated, name: &str, mode: Mode) {
    let (done, planned) = match data.relation {
        Relation::UpToDate => {
            screen.line("Already up to date.");
            return;
        }
        Relation::FastForward => ("Fast-forwarded to ", "Would fast-forward to "),
        Relation::Merged => ("Merged ", "Would merge "),
        Relation::Squashed => ("Staged the changes of ", "Would stage the changes of "),
        Relation::Conflicted => ("Merging ", "Would conflict with "),
        Relation::Followed => ("Went over to the new history of ", "Would go over to the new history of "),
        Relation::Stopped => ("Nothing was taken from ", "Nothing would be taken from "),
    };
    screen.plain(if mode == Mode::Write { done } else { planned }).word(Style::Name, name);
    if let (Relation::FastForward | Relation::Followed, Some(range)) = (data.relation, range(data)) {
        screen.plain(" (").text(Style::Notable, range).plain(")");
    }
    screen.end();
}

/// The entries in few words, what was settled in them, and what was derived.
pub fn body(screen: &mut Screen, data: &Integrated) {
    changed(screen, &data.told, &data.counted);
    decisions::settled(screen, &data.records, Voice::Merge);
    written::derived(screen, &data.written);
}

/// The entries in few words, and how many lines of the files differ.
pub fn changed(screen: &mut Screen, entries: &[Entry], files: &[FileChange]) {
    knowledge::account(screen, entries, files);
    let counted: Vec<File<'_>> = files.iter().filter(|file| file.stat.is_some()).map(File::from).collect();
    counts::sums(screen, &counted);
}

/// Where more is told, if the entries are too many to be told one by one.
#[must_use]
pub fn details(data: &Integrated) -> Option<String> {
    if data.counted.len() <= knowledge::MOST_LINES {
        return None;
    }
    match data.relation {
        Relation::Squashed if data.written.rewritten.operation.is_some() => {
            Some("brv vc diff --staged".to_owned())
        }
        _ => range(data).map(|range| format!("brv vc diff {range}")),
    }
}

/// `1a2b3c4..5d6e7f8`, if the branch moved.
fn range(data: &Integrated) -> Option<String> {
    let (before, after) = (data.before.as_ref()?, data.after.as_ref()?);
    (before != after).then(|| format!("{}..{}", &before[..7], &after[..7]))
}
