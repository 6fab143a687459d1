//! What `pull` and `merge` are told and say in the same way.

use super::counts;
use super::decisions::{self, Voice};
use super::error::Failure;
use super::exit::Exit;
use super::guarding;
use super::knowledge;
use super::patch::File;
use super::transfer;
use super::ui::{Screen, Style, escape_line};
use super::words;
use super::written;
use crate::ops::Keeper;
use crate::ops::steps::cause::Cause;
use crate::ops::steps::integrate::{Error, Forward, Made, Mode, Outcome, Relation, SigningError, Undecided};
use crate::ops::steps::under_way::{self, Kind};
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

/// What helps where a merge waits already.
pub const WAITING: &str = "`brv vc resolve --list` shows what is left; `brv vc merge --continue` ends the merge, `brv vc merge --abort` goes back";

/// What helps where git is in the middle of something.
#[must_use]
pub fn unfinished(kind: Kind) -> String {
    match kind {
        Kind::Merge => WAITING.to_owned(),
        kind => {
            format!("`brv vc status` shows what is open; `{}` in the tree continues it", kind.continuing())
        }
    }
}

/// The command that finishes it in a tree with a repository of its own.
#[must_use]
pub const fn continuing(kind: Kind) -> &'static str {
    match kind {
        Kind::Merge => "brv vc merge --continue",
        kind => kind.continuing(),
    }
}

/// What helps where a command that makes commits did not begin.
#[must_use]
pub fn under_way(failure: Failure, error: &under_way::Error) -> Failure {
    match error {
        under_way::Error::InProgress(kind) => failure.hinting(Some(unfinished(*kind))),
        under_way::Error::File(_) => failure,
    }
}

/// The same, by whose merge it is.
#[must_use]
pub const fn waiting(keeper: Keeper) -> &'static str {
    match keeper {
        Keeper::Tree => WAITING,
        Keeper::Host => {
            "`brv vc resolve --list` shows what is left in the tree; `git merge --continue` ends the merge, `git merge --abort` goes back"
        }
    }
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

/// What stopped it or is to be decided, as the failure that it is.
#[must_use]
pub fn conflicts(data: &Integrated, made: Made, mode: Mode) -> Option<Failure> {
    if let Some(stopped) = &data.stopped {
        return Some(guarding::stopped(stopped));
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
            .detailing(decisions::open(&data.conflicts, Voice::Merge))
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

/// What may help.
#[must_use]
pub fn advised(failure: Failure, error: &Error) -> Failure {
    match error {
        Error::Cause(Cause::Write(error)) => transfer::stopped(failure, error),
        Error::NotForward => {
            failure.hinting(Some("nothing was written; without `--ff-only` they are merged"))
        }
        Error::Staged(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("commit what is recorded, then try again")),
        Error::Signing(SigningError::Git(_) | SigningError::File(_)) => failure,
        Error::Signing(_) => failure.hinting(Some(
            "nothing was merged; the settings `gpg.format` and `user.signingKey` say how commits are signed",
        )),
        Error::Identity(_) => failure.hinting(Some(
            "a merge needs an author: `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
        )),
        _ => failure,
    }
}
