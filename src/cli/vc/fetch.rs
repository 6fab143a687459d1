//! `brv vc fetch`: objects and refs of a remote, no file of the tree.

use crate::cli::args::Format;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::session::{Report, Run, Session};
use crate::cli::transfer;
use crate::cli::ui::{Form, Style};
use crate::ops::vc::fetch::{self, Error, Options};
use crate::wire::{self, Moved, Ref};
use clap::Args;

/// The arguments of `brv vc fetch`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc fetch
  brv vc fetch origin
  brv vc fetch origin main")]
pub struct Arguments {
    /// A remote or an address; the one that the branch follows when left out
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// What to fetch; what the remote's settings say when left out
    #[arg(value_name = "REFSPEC")]
    refspecs: Vec<String>,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc fetch";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options { remote: self.remote, refspecs: self.refspecs };
        let outcome = fetch::run(&mut session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::Fetch::from(&outcome);
        let report = Report::new(&data).account().failing(transfer::rejected(&data.refs, |_| true));
        Ok(session.report(report, |screen| {
            let (unchanged, changed): (Vec<Ref>, Vec<Ref>) = outcome
                .fetched
                .updates
                .iter()
                .map(Ref::from)
                .partition(|moved| moved.status == Moved::Unchanged);
            if changed.is_empty() {
                let refs = if unchanged.is_empty() {
                    "There is nothing to fetch from "
                } else {
                    "Nothing new from "
                };
                screen.plain(refs).word(Style::Name, &data.source).line(".");
            } else {
                screen.plain("From ").word(Style::Name, &data.source).end();
                transfer::refs(screen, &changed);
            }
        }))
    }
}

fn failure(error: &Error) -> Failure {
    Failure::of(error.kind(), error).hinting(match error {
        Error::Choice(error) => transfer::which(error),
        _ => None,
    })
}
