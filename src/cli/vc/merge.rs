//! `brv vc merge`: bring another branch or commit into the current branch.

use super::message::Editing;
use crate::cli::format::Format;
use crate::cli::guarding::Doors;
use crate::cli::integration::{self, Merging};
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Style};
use crate::ops::steps::merging::abort;
use crate::ops::steps::merging::integrate::{self, Derive, Made, Mode, Relation, Unrelated};
use crate::ops::vc::commit::{self, Takes};
use crate::ops::vc::merge::{self, Error, Options};
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use clap::{ArgGroup, Args};

/// The arguments of `brv vc merge`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv vc merge topic
  brv vc merge --no-ff -m \"auth: the review's findings\" topic
  brv vc merge --squash topic
  brv vc merge --on-conflict both topic
  brv vc merge --dry-run origin/main
  brv vc merge --continue
  brv vc merge --abort",
    group = ArgGroup::new("what").args(["revisions", "abort", "resume"]).required(true)
)]
pub struct Arguments {
    /// A branch, a tag or a commit
    #[arg(value_name = "REV")]
    revisions: Vec<String>,
    #[command(flatten)]
    merging: Merging,
    #[command(flatten)]
    doors: Doors,
    /// Stage the result for a commit of its own, without the other side's history
    #[arg(long, conflicts_with = "no_ff")]
    squash: bool,
    /// The message of the merge; each further one is a paragraph
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,
    /// Merge also where the two histories have no common commit
    #[arg(long)]
    allow_unrelated_histories: bool,
    /// Leave the derived files for later
    #[arg(long)]
    no_derive: bool,
    /// Only say what would change
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Go back to before the merge that is waiting
    #[arg(long, conflicts_with_all = ["squash", "message", "dry_run", "allow_unrelated_histories"])]
    abort: bool,
    /// Make the commit of the merge that is waiting, when all is decided
    #[arg(long = "continue", conflicts_with_all = ["squash", "dry_run", "allow_unrelated_histories"])]
    resume: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc merge";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        match (self.abort, self.resume, &self.revisions[..]) {
            (true, ..) => abort(session),
            (_, true, _) => resume(session, self.message),
            (.., [revision]) => {
                let revision = revision.clone();
                self.merge(session, revision)
            }
            _ => Err(Failure::usage("several commits cannot be merged at once")
                .hinting(Some("merge one after the other"))),
        }
    }
}

impl Arguments {
    fn merge(self, session: &Session, revision: String) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let options = Options {
            revision,
            message: self.message,
            forward: self.merging.forward(),
            made: if self.squash { Made::Staged } else { Made::Commit },
            undecided: self.merging.undecided(),
            allowed: self.doors.allowed(),
            unrelated: if self.allow_unrelated_histories { Unrelated::Allow } else { Unrelated::Refuse },
            derive: if self.no_derive { Derive::Later } else { Derive::Now },
            mode,
        };
        let made = options.made;
        let outcome = merge::run(&session.context(), &options).map_err(|error| failure(&error))?;
        let (data, brought) = (wire::Merge::from(&outcome), &outcome.brought);
        let shown = wire::Integrated::from(brought);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&wire::Written::from(&brought.written)))
            .next(integration::details(brought))
            .next(words::tidying(outcome.tidying))
            .failing(integration::conflicts(&shown, made, mode));
        Ok(session.report(report, |screen| {
            integration::heading(screen, brought, &outcome.name, mode);
            if !matches!(brought.relation, Relation::UpToDate | Relation::Stopped) {
                integration::body(screen, brought, &shown);
            }
        }))
    }
}

fn abort(session: &Session) -> Result<Exit, Failure> {
    let outcome = merge::abort(&session.context()).map_err(|error| failure(&error))?;
    let data = wire::Merge::from(&outcome);
    let report =
        Report::new(&data).account().warning(warnings::written(&wire::Written::from(&outcome.written)));
    Ok(session.report(report, |screen| {
        let files = words::many(outcome.restored.len(), "file is", "files are");
        screen.plain("Gave up merging ").text(Style::Notable, outcome.theirs.prefix(7));
        screen.line(format!(": {files} as before."));
    }))
}

fn resume(session: &Session, message: Vec<String>) -> Result<Exit, Failure> {
    let options = commit::Options { message, takes: Takes::MergeOnly, ..commit::Options::default() };
    let outcome = super::message::committed(session, options, Editing::Auto)?;
    let data = wire::Merge::from(&outcome);
    let report = Report::new(&data)
        .account()
        .warning(warnings::recovery(data.recovered.as_ref()))
        .warning(data.commit.iter().flat_map(|commit| warnings::findings(&commit.findings)))
        .warning(warnings::derived(outcome.written.derived.as_ref()));
    Ok(session.report(report, |screen| {
        if let Some(commit) = &data.commit {
            super::commit::committed(screen, commit);
        }
    }))
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Integrate(integrate::Error::Unrelated) => failure.hinting(Some(
            "`--allow-unrelated-histories` merges them all the same; in a repository without all its history `brv vc fetch --unshallow` brings what they share",
        )),
        Error::Integrate(error) => integration::advised(failure, error),
        Error::Merging => failure.hinting(Some(integration::WAITING)),
        Error::UnderWay(error) => integration::under_way(failure, error),
        Error::Abort(abort::Error::OtherInProgress(kind)) => {
            failure.hinting(Some(integration::unfinished(*kind)))
        }
        Error::Abort(abort::Error::NotMerging) => {
            failure.hinting(Some("`brv vc merge REV` begins one; `brv vc status` shows how the tree stands"))
        }
        _ => failure,
    }
}
