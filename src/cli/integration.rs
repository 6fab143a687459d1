//! How `pull` and `merge` are told to bring another commit in, and what both put on the screen.

use super::counts;
use super::decisions;
use super::knowledge;
use super::patch::File;
use super::ui::{Screen, Style};
use super::written;
use crate::ops::steps::merging::integrate::{Forward, Mode, Outcome, Relation, Undecided};
use crate::say::decisions::Voice;
pub use crate::say::decisions::conflicts;
pub use crate::say::hints::{WAITING, continuing, integrate as advised, under_way, unfinished, waiting};
use crate::wire::Integrated;
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
pub fn heading(screen: &mut Screen, outcome: &Outcome, name: &str, mode: Mode) {
    let (done, planned) = match outcome.relation {
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
    if let (Relation::FastForward | Relation::Followed, Some(before), Some(after)) =
        (outcome.relation, outcome.before, outcome.after)
        && before != after
    {
        let range = format!("{}..{}", before.prefix(7), after.prefix(7));
        screen.plain(" (").text(Style::Notable, range).plain(")");
    }
    screen.end();
}

/// The entries in few words, what was settled in them, and what was derived.
pub fn body(screen: &mut Screen, outcome: &Outcome, data: &Integrated) {
    let counted = outcome.files.iter().filter(|file| file.stat.is_some());
    let files: Vec<File<'_>> = counted.map(File::from).collect();
    knowledge::account(screen, &outcome.entries, &outcome.files);
    counts::sums(screen, &files);
    decisions::settled(screen, &data.records, Voice::Merge);
    written::derived(screen, &data.written);
}

/// Where more is told, if the entries are too many to be told one by one.
#[must_use]
pub fn details(outcome: &Outcome) -> Option<String> {
    if outcome.files.len() <= knowledge::MOST_LINES {
        return None;
    }
    match (outcome.relation, outcome.before, outcome.after) {
        (Relation::Squashed, ..) if outcome.written.operation.is_some() => {
            Some("brv vc diff --staged".to_owned())
        }
        (_, Some(before), Some(after)) if before != after => {
            Some(format!("brv vc diff {}..{}", before.prefix(7), after.prefix(7)))
        }
        _ => None,
    }
}
