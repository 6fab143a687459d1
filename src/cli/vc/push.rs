//! `brv vc push`: send what the remote lacks, and move its refs.

use crate::cli::args::Format;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::session::{Report, Run, Session};
use crate::cli::transfer;
use crate::cli::ui::{Form, Screen, Style, escape_line};
use crate::ops::steps::outgoing::Finding;
use crate::ops::vc::push::{self, Error, Mode, Options, Upstream, Verify};
use crate::wire::{self, Moved, Ref};
use clap::Args;

/// The arguments of `brv vc push`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc push
  brv vc push -u origin main
  brv vc push --dry-run")]
pub struct Arguments {
    /// A remote or an address; the one that the branch follows when left out
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// [+]SOURCE[:DESTINATION]; the current branch when left out
    #[arg(value_name = "REFSPEC")]
    refspecs: Vec<String>,
    /// Make the branch follow what it is pushed to, once the server has it
    #[arg(short = 'u', long)]
    set_upstream: bool,
    /// Ask the server what it has, and send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not look at the content first
    #[arg(long)]
    no_verify: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc push";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            remote: self.remote,
            refspecs: self.refspecs,
            upstream: if self.set_upstream { Upstream::Set } else { Upstream::Keep },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Send },
            verify: if self.no_verify { Verify::Nothing } else { Verify::Content },
        };
        let outcome = push::run(&mut session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::Push::from(&outcome);
        let report = Report::new(&data).account().failing(rejected(&data.refs));
        Ok(session.report(report, |screen| text(screen, &data)))
    }
}

fn text(screen: &mut Screen, data: &wire::Push) {
    if data.refs.iter().all(|moved| moved.status == Moved::Unchanged) {
        screen.line("Everything is up to date.");
    } else {
        screen.plain("To ").word(Style::Name, &data.destination).end();
        transfer::refs(screen, &data.refs);
    }
    for followed in &data.followed {
        screen.plain("The branch ").word(Style::Name, &followed.branch).plain(" follows ");
        screen.word(Style::Name, &followed.upstream).line(".");
    }
}

fn rejected(refs: &[Ref]) -> Option<Failure> {
    let reason =
        |moved: &Ref, words: &[&str]| moved.reason.as_deref().is_some_and(|reason| words.contains(&reason));
    let guarded = |moved: &Ref| {
        reason(
            moved,
            &[
                "non-fast-forward",
                "fetch first",
                "stale lease",
                "would change a tag",
                "another ref was rejected",
            ],
        )
    };
    let failure = transfer::rejected(refs, guarded)?;
    let behind = refs.iter().any(|moved| reason(moved, &["non-fast-forward", "fetch first"]));
    Some(failure.hinting(
        behind.then_some(
            "the remote has commits that are not here: `brv vc pull` brings them, then push again",
        ),
    ))
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Choice(error) => failure.hinting(transfer::which(error)),
        Error::Unborn(_) => failure.hinting(Some("`brv vc commit -m MSG` makes the first commit")),
        Error::OtherName { .. } => {
            failure.hinting(Some("name both sides: `brv vc push REMOTE BRANCH:OTHER`"))
        }
        Error::Blocked(findings) => {
            let line = |found: &Finding| {
                format!(
                    "{}:{}:{}: {} {}",
                    escape_line(&found.path),
                    found.line,
                    found.column,
                    found.rule.id(),
                    escape_line(found.message.as_bytes())
                )
            };
            failure.detailing(findings.iter().map(line)).hinting(Some(
                "correct the files and commit; what was committed in between is not looked at again",
            ))
        }
        _ => failure,
    }
}
