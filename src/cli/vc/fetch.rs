//! `brv vc fetch`: fetches objects and refs from remotes; changes no files.

use super::fetching::Fetching;
use crate::cli::ui::{Screen, Style};
use crate::cli::vc::transfer;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, refs, words};
use brv_commands::vc::fetch::{self, FetchSource, FetchedRemote, Mode, Moved, Options, Outcome, Roots};
use brv_engine::{Context, FailureKind};
use clap::Args;

/// The arguments of `brv vc fetch`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc fetch
  brv vc fetch origin main
  brv vc fetch --all --prune
  brv vc fetch --unshallow")]
pub struct Arguments {
    /// Remote or address; default: the remote of the branch's upstream
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// Refs to fetch; default: the refspecs in the remote's settings
    #[arg(value_name = "REFSPEC")]
    refspecs: Vec<String>,
    /// Fetch from every remote
    #[arg(long, conflicts_with = "remote")]
    all: bool,
    #[command(flatten)]
    fetching: Fetching,
    /// Accept the remote's shallow refs, which makes the history shallow here as well
    #[arg(long)]
    update_shallow: bool,
    /// Update no refs; show which would be updated
    #[arg(long, conflicts_with_all = ["depth", "deepen", "unshallow", "update_shallow"])]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc fetch";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            from: if self.all { FetchSource::All } else { FetchSource::One(self.remote.clone()) },
            refspecs: self.refspecs.clone(),
            manner: self.fetching.manner(),
            roots: if self.update_shallow { Roots::Accept } else { Roots::Refuse },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
        };
        let outcome = fetch::run(cx, &options)?;
        let failure = failing(&outcome);
        Ok(Answer::new(outcome).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        outcome.remotes.iter().for_each(|remote| draw(screen, remote));
    }
}

/// Remotes that could not be reached, or refs that could not be updated.
fn failing(outcome: &Outcome) -> Option<Failure> {
    if outcome.failed.is_empty() {
        return refs::rejected(&outcome.refs, |_| true);
    }
    let rows = outcome.failed.iter().map(|remote| format!("{}: {}", remote.address, remote.reason));
    let count = words::many(outcome.failed.len(), "remote", "remotes");
    Some(Failure::new(FailureKind::Remote, format!("cannot fetch from {count}")).detailing(rows))
}

fn draw(screen: &mut Screen, remote: &FetchedRemote) {
    let mut changed = remote.refs.iter().filter(|moved| moved.status != Moved::Unchanged).peekable();
    let history = refs::history(remote.history);
    if changed.peek().is_none() && history.is_none() {
        let nothing = if remote.refs.is_empty() { "No refs to fetch from " } else { "Nothing new from " };
        screen.plain(nothing).word(Style::Name, &remote.source).line(".");
    } else {
        screen.plain("From ").word(Style::Name, &remote.source).end();
        transfer::refs(screen, changed);
        if let Some(history) = history {
            screen.line(history);
        }
    }
}
