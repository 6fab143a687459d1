//! `brv derive`: regenerates out-of-date derived files, or only lists them.

use super::session::{Report, Run, Session};
use super::ui::{Screen, Style};
use crate::ops::derive::{self, Options};
use crate::say::words::many;
use crate::say::{Exit, Failure, failing, warnings};
use crate::wire;
use clap::Args;

/// The arguments of `brv derive`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv derive
  brv derive --check
  brv derive --all")]
pub struct Arguments {
    /// Write nothing; exit 1 if a derived file is missing, out of date or modified
    #[arg(long)]
    check: bool,
    /// Regenerate every derived file, not only those out of date
    #[arg(long, conflicts_with = "check")]
    all: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "derive";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = match (self.check, self.all) {
            (true, _) => Options::Check,
            (false, true) => Options::All,
            (false, false) => Options::Refresh,
        };
        let data = wire::Derive::from(&derive::run(&session.context(), &options)?);
        let failure = failing::derive(&data);
        let to_set_up = !data.is_set_up && failure.is_none();
        let report = Report::new(&data)
            .warning(warnings::derive(&data))
            .failing(failure)
            .next(to_set_up.then_some("brv init"));
        let report = if self.check { report } else { report.account() };
        Ok(session.report(report, |screen| text(screen, &data)))
    }
}

fn text(screen: &mut Screen, data: &wire::Derive) {
    if let Some(found) = &data.found {
        found.iter().for_each(|file| row(screen, file));
        if found.is_empty() {
            screen.line("All derived files are up to date.");
        }
    }
    let Some(done) = &data.refreshed else { return };
    screen.line(match (done.written.len(), done.removed.len()) {
        (0, 0) => "All derived files are up to date.".to_string(),
        (written, 0) => format!("{} written.", many(written, "derived file", "derived files")),
        (written, removed) => {
            format!("{} written, {removed} removed.", many(written, "derived file", "derived files"))
        }
    });
    if !done.kept.is_empty() {
        screen.line("Left alone, because brv did not write these versions:");
        done.kept.iter().for_each(|file| row(screen, file));
    }
}

fn row(screen: &mut Screen, file: &wire::NotInOrder) {
    screen
        .plain("  ")
        .text(Style::Notable, format!("{:<9}", file.why))
        .plain(" ")
        .word(Style::Plain, &file.path)
        .end();
}

#[cfg(test)]
mod tests {
    use super::super::ui::{Colour, Kind, drawn};
    use super::*;

    #[test]
    fn a_check_lists_what_is_wrong_and_a_refresh_what_was_done() {
        let file = || wire::NotInOrder { path: "auth/_index.md".into(), why: "outdated" };
        let checked =
            wire::Derive { refreshed: None, found: Some(vec![file()]), malformed: vec![], is_set_up: true };
        assert_eq!(
            drawn(Kind::Pipe, Colour::Off, |screen| text(screen, &checked)),
            "  outdated  auth/_index.md\n"
        );
        let refreshed = wire::Refreshed {
            written: vec!["a".into(), "b".into()],
            removed: vec![],
            kept: vec![file()],
            missing: vec![],
        };
        let done =
            wire::Derive { refreshed: Some(refreshed), found: None, malformed: vec![], is_set_up: true };
        assert_eq!(
            drawn(Kind::Pipe, Colour::Off, |screen| text(screen, &done)),
            "2 derived files written.\nLeft alone, because brv did not write these versions:\n  outdated  auth/_index.md\n"
        );
    }
}
