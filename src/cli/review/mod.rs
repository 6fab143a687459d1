//! `brv review`: a file for each command of the family, and the row of a change.

pub mod answer;
pub mod approve;
pub mod comment;
pub mod comments;
pub mod log;
pub mod pending;
pub mod reject;
pub mod reopen;
pub mod show;

use super::ui::{Screen, Style};
use crate::say::words::short;
use brv_commands::review::{Decided, Decision, ReviewRow};
use clap::Args;

/// What to decide about.
#[derive(Debug, Args)]
pub struct ReviewFlags {
    /// ID of a change, an operation or a dream, or its beginning; or the path of an entry that is withheld
    #[arg(value_name = "ID")]
    id: String,
    /// Only these paths of it
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Why, for the log
    #[arg(short = 'm', long = "comment", value_name = "C")]
    comment: Option<String>,
}

impl ReviewFlags {
    fn options(&self) -> brv_commands::review::Options {
        brv_commands::review::Options {
            id: self.id.clone(),
            paths: self.paths.clone(),
            comment: self.comment.clone(),
        }
    }
}

/// A change on a few lines: id and line, then why, by whom, and what is lost.
fn row(screen: &mut Screen, row: &ReviewRow) {
    screen.text(Style::Notable, &row.id).plain("  ").word(Style::Plain, &row.line).end();
    screen.plain("            ").word(Style::Bad, row.why.join(", "));
    screen.plain("  by ").word(Style::Name, &row.actor);
    if let Some(commit) = &row.commit {
        screen.text(Style::Dim, "  commit ").text(Style::Dim, short(commit));
    }
    screen.end();
    const SHOWN: usize = 5;
    for fact in row.dropped.iter().take(SHOWN) {
        screen.plain("            ").text(Style::Bad, "- ").word(Style::Plain, fact).end();
    }
    if row.dropped.len() > SHOWN {
        let more = row.dropped.len() - SHOWN;
        screen.plain("            ").line(format!("and {more} more"));
    }
}

const fn word(decision: Decision) -> (Style, &'static str) {
    match decision {
        Decision::Approved => (Style::Good, "approved"),
        Decision::Rejected => (Style::Bad, "rejected"),
        Decision::Reopened => (Style::Notable, "reopened"),
        Decision::Published => (Style::Dim, "published"),
    }
}

/// What was decided, a line each.
fn decided(screen: &mut Screen, decided: &[Decided]) {
    for one in decided {
        let (style, word) = word(one.decision);
        let word = if one.is_old { format!("already {word}") } else { word.to_owned() };
        screen.text(style, word).plain(" ").text(Style::Notable, &one.id).plain(" ");
        screen.word(Style::Name, &one.path).end();
    }
}
