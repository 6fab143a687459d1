//! `brv derive`: regenerates out-of-date derived files, or only lists them.

use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use crate::ops::Context;
use crate::ops::derive::{self, ForeignFile, Options, Outcome, SetUp};
use crate::say::words::many;
use crate::say::{Failure, failing, warnings};
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

impl Verb for Arguments {
    const NAME: &'static str = "derive";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = match (self.check, self.all) {
            (true, _) => Options::Check,
            (false, true) => Options::All,
            (false, false) => Options::Refresh,
        };
        let (outcome, beside) = derive::run(cx, &options)?;
        let failure = failing::derive(&outcome, beside.setting_up);
        let to_set_up = beside.setting_up != SetUp::Done && failure.is_none();
        let warnings = warnings::derive(&outcome, &beside);
        Ok(Answer::new(outcome).warning(warnings).failing(failure).next(to_set_up.then_some("brv init")))
    }

    fn purpose(&self) -> Purpose {
        if self.check { Purpose::Answer } else { Purpose::Account }
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if let Some(found) = &outcome.found {
            found.iter().for_each(|file| row(screen, file));
            if found.is_empty() {
                screen.line("All derived files are up to date.");
            }
        }
        let Some(done) = &outcome.refreshed else { return };
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
}

fn row(screen: &mut Screen, file: &ForeignFile) {
    screen
        .plain("  ")
        .text(Style::Notable, format!("{:<9}", file.why.word()))
        .plain(" ")
        .word(Style::Plain, file.path.as_str())
        .end();
}

#[cfg(test)]
mod tests {
    use super::super::ui::{Colour, Kind, drawn};
    use super::*;
    use crate::ops::derive::{Refreshed, Why};
    use crate::path::TreePath;

    #[test]
    fn a_check_lists_what_is_wrong_and_a_refresh_what_was_done() {
        let path = |path: &str| TreePath::parse(path.as_bytes()).unwrap();
        let file = || ForeignFile { path: path("auth/_index.md"), why: Why::Outdated };
        let text = |outcome: &Outcome| {
            let verb = Arguments { check: outcome.found.is_some(), all: false };
            drawn(Kind::Pipe, Colour::Off, |screen| verb.text(outcome, screen))
        };
        let checked = Outcome { refreshed: None, found: Some(vec![file()]) };
        assert_eq!(text(&checked), "  outdated  auth/_index.md\n");
        let refreshed = Refreshed {
            written: vec![path("a.md"), path("b.md")],
            kept: vec![file()],
            ..Refreshed::default()
        };
        let done = Outcome { refreshed: Some(refreshed), found: None };
        assert_eq!(
            text(&done),
            "2 derived files written.\nLeft alone, because brv did not write these versions:\n  outdated  auth/_index.md\n"
        );
    }
}
