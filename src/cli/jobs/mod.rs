//! `brv jobs`: a file for each command of the family, and the row of a job, which `brv hooks log` has, too.

pub mod cancel;
pub mod list;
pub mod wait;

use super::ui::{Screen, Style};
use brv_commands::jobs::{Job, Verdict};

/// A job on one line: `job-7  1a2b3c4d5  curated   auth/tokens.md`.
pub(super) fn row(screen: &mut Screen, job: &Job) {
    let commit = job.commit.as_deref().map_or("         ", |id| &id[..id.len().min(9)]);
    screen.text(Style::Dim, format!("{:<8} ", job.id)).text(Style::Notable, commit).plain("  ");
    let (style, word) = match job.outcome {
        None => (Style::Notable, job.state),
        Some(one @ (Verdict::Curated | Verdict::Dreamed)) => (Style::Good, one.word()),
        Some(Verdict::Failed) => (Style::Bad, Verdict::Failed.word()),
        Some(one) => (Style::Dim, one.word()),
    };
    screen.text(style, format!("{word:<10} "));
    match (job.outcome, &job.reason) {
        (Some(Verdict::Curated), _) => screen.word(Style::Name, job.entries.join(", ")),
        (Some(Verdict::Replaced), Some(new)) => {
            screen.plain("by ").text(Style::Notable, &new[..new.len().min(9)])
        }
        (_, reason) => screen.word(Style::Plain, reason.as_deref().unwrap_or_default()),
    };
    screen.end();
}
