//! `brv merge-driver`: the merge of one file, for git.
//!
//! git reads the exit code: 0 clean, 1 in conflict, above 128 no merge at all. Nothing is printed but what was settled.

use super::format::Format;
use super::session::{Report, Run, Session};
use super::ui::{Form, Style};
use crate::ops::merge_driver::{self, Labels, MARKER_SIZE, Options, Outcome, Purpose};
use crate::say::escape::quote_path;
use crate::say::words::many;
use crate::say::{Exit, Failure, decisions};
use crate::wire;
use clap::Args;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Of so many differences it is said how they were settled; a merge of many files says this for each.
const MOST_TOLD: usize = 10;

/// The arguments of `brv merge-driver`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv merge-driver base.md ours.md theirs.md
  brv merge-driver base.md ours.md theirs.md auth/jwt/token.md --marker-size=7")]
pub struct Arguments {
    /// The file of the base (%O); empty where there is none
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// The file of ours (%A), which gets the result
    #[arg(value_name = "OURS")]
    ours: PathBuf,
    /// The file of theirs (%B)
    #[arg(value_name = "THEIRS")]
    theirs: PathBuf,
    /// Where the result belongs in the repository (%P): tells knowledge from other files
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// How many signs a conflict marker has (%L)
    #[arg(long, value_name = "N", default_value_t = MARKER_SIZE)]
    marker_size: usize,
    /// What stands behind the marker of the base (%S)
    #[arg(long, value_name = "NAME", default_value = "base")]
    base_name: String,
    /// What stands behind the marker of ours (%X)
    #[arg(long, value_name = "NAME", default_value = "ours")]
    ours_name: String,
    /// What stands behind the marker of theirs (%Y)
    #[arg(long, value_name = "NAME", default_value = "theirs")]
    theirs_name: String,
    /// Make the common base of several merge bases: what would be in conflict stays as in the base
    #[arg(long)]
    common_base: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "merge-driver";

    fn form(&self) -> Form {
        self.format.form()
    }

    /// git's merge must not depend on brv's settings.
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
            purpose: if self.common_base { Purpose::CommonBase } else { Purpose::Result },
        };
        // a panic would end with a number that git takes for a conflict, though ours is all that is there
        let outcome = catch_unwind(AssertUnwindSafe(|| merge_driver::run(&session.context(), &options)))
            .map_err(|_| Failure::new(Exit::Unmerged, "the merge came to no end"))?
            .map_err(|error| Failure::because(Exit::Unmerged, &error))?;
        let data = wire::MergeDriver::new(&outcome, options.path.as_deref().unwrap_or_default());
        if session.ui.form() == Form::Text {
            if options.purpose == Purpose::Result {
                tell(session, &data.records);
            }
            return Ok(exit(&outcome));
        }
        let report = Report::new(data).exit(exit(&outcome));
        Ok(session.report(report, |_| {}))
    }
}

fn exit(outcome: &Outcome) -> Exit {
    if outcome.merged.is_clean() { Exit::Done } else { Exit::Failed }
}

/// The name that git gave; older ones leave the placeholder as it is.
fn label(given: String, otherwise: &str) -> String {
    if given.is_empty() || given.starts_with('%') {
        return otherwise.to_owned();
    }
    given.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

/// What was settled, beside git's own words.
fn tell(session: &Session, records: &[wire::MergeRecord]) {
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
