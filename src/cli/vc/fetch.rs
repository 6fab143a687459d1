//! `brv vc fetch`: fetches objects and refs from remotes; changes no files.

use super::fetching::Fetching;
use crate::cli::session::{Report, Run, Session};
use crate::cli::transfer;
use crate::cli::ui::{Screen, Style};
use crate::say::{Exit, Failure, failing, refs};
use crate::wire;
use brv_commands::vc::fetch::{self, From, Mode, Options, Roots};
use brv_engine::vc::remotes::transfer::Moved;
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

impl Run for Arguments {
    const NAME: &'static str = "vc fetch";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            from: if self.all { From::All } else { From::One(self.remote) },
            refspecs: self.refspecs,
            manner: self.fetching.manner(),
            roots: if self.update_shallow { Roots::Accept } else { Roots::Refuse },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
        };
        let data = wire::Fetch::from(&fetch::run(&session.context(), &options)?);
        let report = Report::new(&data).account().failing(failing::fetch(&data));
        Ok(session.report(report, |screen| {
            for remote in &data.remotes {
                text(screen, remote);
            }
        }))
    }
}

fn text(screen: &mut Screen, remote: &wire::FetchedRemote) {
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
