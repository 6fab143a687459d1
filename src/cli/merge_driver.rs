//! `brv merge-driver`: merges one file for git.
//!
//! git reads the exit code: 0 clean, 1 in conflict, above 128 no merge at all. Prints what was settled, and
//! the conflicts that have no markers.

use super::session::{Report, Run, Session};
use super::ui::{Form, Style};
use crate::say::words::many;
use crate::say::{Exit, Failure, decisions};
use brv_base::escape::quote_path;
use brv_commands::merge_driver::{
    self, Conflict, Labels, MARKER_SIZE, MergeDriverPurpose, Options, Outcome, Record,
};
use brv_engine::Stop;
use clap::Args;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Number of settled differences that are listed; kept small, because a merge of many files prints this for each file.
const MOST_TOLD: usize = 10;

/// The arguments of `brv merge-driver`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv merge-driver base.md ours.md theirs.md
  brv merge-driver base.md ours.md theirs.md auth/jwt/token.md --marker-size=7")]
pub struct Arguments {
    /// File with the base version (%O); empty if there is none
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// File with our version (%A); the result is written to it
    #[arg(value_name = "OURS")]
    ours: PathBuf,
    /// File with their version (%B)
    #[arg(value_name = "THEIRS")]
    theirs: PathBuf,
    /// Path of the file in the repository (%P): decides whether it is merged as an entry
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Length of the conflict markers (%L)
    #[arg(long, value_name = "N", default_value_t = MARKER_SIZE)]
    marker_size: usize,
    /// Label of the base in conflict markers (%S)
    #[arg(long, value_name = "NAME", default_value = "base")]
    base_name: String,
    /// Label of our side in conflict markers (%X)
    #[arg(long, value_name = "NAME", default_value = "ours")]
    ours_name: String,
    /// Label of their side in conflict markers (%Y)
    #[arg(long, value_name = "NAME", default_value = "theirs")]
    theirs_name: String,
    /// Merge several merge bases into one: conflicts keep the text of the base
    #[arg(long)]
    common_base: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "merge-driver";

    /// Always true: git's merge must not depend on brv's settings.
    fn mends_settings(&self) -> bool {
        true
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            base: self.base,
            ours: self.ours,
            theirs: self.theirs,
            path: self.path,
            labels: Labels {
                base: label(self.base_name, "base"),
                ours: label(self.ours_name, "ours"),
                theirs: label(self.theirs_name, "theirs"),
            },
            marker_size: self.marker_size,
            purpose: if self.common_base {
                MergeDriverPurpose::CommonBase
            } else {
                MergeDriverPurpose::Result
            },
        };
        // a panic would exit with a number that git takes for a conflict, though the file holds only our side
        let outcome = catch_unwind(AssertUnwindSafe(|| merge_driver::run(&session.context(), &options)))
            .map_err(|_| unmerged(Stop::failed("the merge failed unexpectedly")))?
            .map_err(unmerged)?;
        if session.ui.form() == Form::Text {
            if options.purpose == MergeDriverPurpose::Result {
                tell(session, &outcome.records);
                tell_hidden(session, options.path.as_deref(), &outcome.decisions);
            }
            return Ok(exit(&outcome));
        }
        let report = Report::new(&outcome).exit(exit(&outcome));
        Ok(session.report(report, |_| {}))
    }
}

fn exit(outcome: &Outcome) -> Exit {
    if outcome.clean { Exit::Done } else { Exit::Failed }
}

/// Name the conflicts that nothing in the file shows.
fn tell_hidden(session: &Session, path: Option<&str>, conflicts: &[Conflict]) {
    let path = path.map_or_else(String::new, |path| format!("{}: ", quote_path(path.as_bytes())));
    let hidden = conflicts.iter().filter(|one| one.span.is_none());
    for words in hidden.filter_map(|one| decisions::decision(decisions::Voice::Merge, one)) {
        session.ui.note("brv", Style::Dim, &format!("{path}{}", words.trim_start()));
    }
}

/// A failure whose exit code git does not take for a conflict.
fn unmerged(stop: Stop) -> Failure {
    Failure { exit: Exit::Unmerged, stop }
}

/// The label that git passed; older versions of git leave the placeholder unexpanded.
fn label(given: String, otherwise: &str) -> String {
    if given.is_empty() || given.starts_with('%') {
        return otherwise.to_owned();
    }
    given.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

/// Print what was settled, beside git's own output.
fn tell(session: &Session, records: &[Record]) {
    let say = |words: String| session.ui.note("brv", Style::Dim, &words);
    for record in records.iter().take(MOST_TOLD) {
        let words = decisions::line(record);
        let is_named = !record.path.is_empty();
        say(if is_named { format!("{}: {words}", quote_path(record.path.as_bytes())) } else { words });
    }
    if records.len() > MOST_TOLD {
        say(format!("{} settled", many(records.len() - MOST_TOLD, "more difference", "more differences")));
    }
}
