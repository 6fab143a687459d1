//! Merge flags and merge output shared by `pull`, `merge` and `sync`.

use super::counts;
use super::decisions;
use super::format::choice;
use super::knowledge;
use super::patch::File;
use super::ui::{Screen, Style};
use super::written;
use crate::say::decisions::Voice;
use brv_commands::vc::diff::FileChange;
use brv_commands::vc::merge::{Forward, Integrated, Record, Relation, Undecided};
use brv_engine::Mode;
use brv_engine::write::written::WrittenEffects;
use brv_text::diff::knowledge::Entry;
use clap::Args;
use clap::builder::TypedValueParser;

/// The flags that choose how another commit is merged.
#[derive(Debug, Args)]
pub struct Merging {
    /// Only fast-forward; do nothing if that is not possible
    #[arg(long, overrides_with_all = ["ff", "no_ff"])]
    ff_only: bool,
    /// Create a merge commit even when a fast-forward is possible
    #[arg(long, overrides_with_all = ["ff", "ff_only"])]
    no_ff: bool,
    /// Fast-forward when possible, whatever the settings say
    #[arg(long, overrides_with_all = ["ff_only", "no_ff"])]
    ff: bool,
    /// What to do with conflicts
    #[arg(long, value_name = "HOW", value_parser = on_conflict(), default_value = "stop")]
    pub on_conflict: Undecided,
}

/// Parse what to do with conflicts.
pub fn on_conflict() -> impl TypedValueParser<Value = Undecided> {
    choice([
        (Undecided::Mark, "stop", "Stop without taking a side"),
        (Undecided::Ours, "ours", "Take our side"),
        (Undecided::Theirs, "theirs", "Take their side"),
        (Undecided::Both, "both", "Keep both sides, and mark them as disputed"),
    ])
}

impl Merging {
    /// The fast-forward mode; `None`: as the settings say.
    pub const fn forward(&self) -> Option<Forward> {
        match (self.ff_only, self.no_ff, self.ff) {
            (true, ..) => Some(Forward::Only),
            (_, true, _) => Some(Forward::Never),
            (.., true) => Some(Forward::Allow),
            _ => None,
        }
    }
}

/// Print the first line: what was done with the other side, `name`; or that there is nothing new.
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
        Relation::Followed => ("Switched to the new history of ", "Would switch to the new history of "),
        Relation::Stopped => ("Nothing merged from ", "Nothing would be merged from "),
    };
    screen.plain(if mode == Mode::Write { done } else { planned }).word(Style::Name, name);
    if let (Relation::FastForward | Relation::Followed, Some(range)) = (data.relation, range(data)) {
        screen.plain(" (").text(Style::Notable, range).plain(")");
    }
    screen.end();
}

/// Print a summary of the changed entries, what was settled in them, and what was derived.
pub fn body(screen: &mut Screen, data: &Integrated) {
    changed(screen, data.entries.as_deref().unwrap_or_default(), &data.files);
    decisions::settled(screen, &Record::all(&data.settled), Voice::Merge);
    written::derived(screen, &WrittenEffects::from(&data.written));
}

/// Print a summary of the changed entries, and the number of changed lines.
pub fn changed(screen: &mut Screen, entries: &[Entry], files: &[FileChange]) {
    knowledge::account(screen, entries, files);
    counts::sums(screen, files.iter().filter(|file| file.stat.is_some()).map(File::from));
}

/// The command that shows the details, if there are too many entries to list one by one.
pub fn details(data: &Integrated) -> Option<String> {
    if data.files.len() <= knowledge::MOST_LINES {
        return None;
    }
    match data.relation {
        Relation::Squashed if data.written.operation.is_some() => Some("brv vc diff --staged".to_owned()),
        _ => range(data).map(|range| format!("brv vc diff {range}")),
    }
}

/// `1a2b3c4..5d6e7f8`, if the branch moved.
fn range(data: &Integrated) -> Option<String> {
    let (before, after) = (data.before.as_ref()?, data.after.as_ref()?);
    (before != after).then(|| format!("{}..{}", before.prefix(7), after.prefix(7)))
}
