//! `brv vc merge`: merges another branch or commit into the current branch.

use crate::cli::guarding::{Doors, Losses};
use crate::cli::integration::{self, Merging};
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::Style;
use crate::say::{Exit, Failure, decisions, warnings, words};
use crate::wire::{self, Relation};
use brv_commands::vc::commit::{self, Takes};
use brv_commands::vc::merge::{self, Derive, Made, Mode, Options, Unrelated};
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
    /// Branch, tag or commit to merge
    #[arg(value_name = "REV")]
    revisions: Vec<String>,
    #[command(flatten)]
    merging: Merging,
    #[command(flatten)]
    doors: Doors<Losses>,
    /// Stage the result for an ordinary commit, without the other side as a parent
    #[arg(long, conflicts_with = "no_ff")]
    squash: bool,
    /// Message of the merge commit; each further -m adds a paragraph
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,
    /// Merge even if the two histories have no common commit
    #[arg(long)]
    allow_unrelated_histories: bool,
    /// Do not update derived files
    #[arg(long)]
    no_derive: bool,
    /// Write nothing; show what would change
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Abort the merge in progress and restore the state before it
    #[arg(long, conflicts_with_all = ["squash", "message", "dry_run", "allow_unrelated_histories"])]
    abort: bool,
    /// Commit the merge in progress, once all conflicts are resolved
    #[arg(long = "continue", conflicts_with_all = ["squash", "dry_run", "allow_unrelated_histories"])]
    resume: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "vc merge";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        match (self.abort, self.resume, &self.revisions[..]) {
            (true, ..) => abort(session),
            (_, true, _) => resume(session, self.message),
            (.., [revision]) => {
                let revision = revision.clone();
                self.merge(session, revision)
            }
            _ => Err(Failure::usage("cannot merge several commits at once")
                .hinting(Some("merge them one after the other"))),
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
        let outcome = merge::run(&session.context(), &options)?;
        let next = words::tidying(outcome.tidying);
        let data = wire::Merge::from(outcome);
        let brought = data.brought.as_ref();
        let report = Report::new(&data)
            .account()
            .warning(brought.iter().flat_map(|brought| warnings::written(&brought.written)))
            .next(brought.and_then(integration::details))
            .next(next)
            .failing(brought.and_then(|brought| decisions::conflicts(brought, made, mode)));
        Ok(session.report(report, |screen| {
            let Some(brought) = brought else { return };
            integration::heading(screen, brought, &options.revision, mode);
            if !matches!(brought.relation, Relation::UpToDate | Relation::Stopped) {
                integration::body(screen, brought);
            }
        }))
    }
}

fn abort(session: &Session) -> Result<Exit, Failure> {
    let data = wire::Merge::from(&merge::abort(&session.context())?);
    let aborted = data.aborted.as_ref();
    let report = Report::new(&data)
        .account()
        .warning(aborted.iter().flat_map(|aborted| warnings::written(&aborted.written)));
    Ok(session.report(report, |screen| {
        let Some(aborted) = aborted else { return };
        let files = words::many(aborted.restored.len(), "file", "files");
        screen.plain("Aborted the merge of ").text(Style::Notable, &aborted.theirs[..7]);
        screen.line(format!("; {files} restored."));
    }))
}

fn resume(session: &Session, mut message: Vec<String>) -> Result<Exit, Failure> {
    let mut options = commit::Options { takes: Takes::MergeOnly, ..commit::Options::default() };
    if message.is_empty() && session.ui.is_interactive() && session.ui.form() == crate::cli::ui::Form::Text {
        if let Some((written, basis)) = super::message::written(session, &options)? {
            (message, options.basis) = (vec![written], Some(basis));
        }
    }
    let options = commit::Options { message, ..options };
    let data = wire::Merge::from(commit::run(&session.context(), &options)?);
    let report = Report::new(&data)
        .account()
        .warning(warnings::written(&data.written))
        .warning(data.commit.iter().flat_map(|commit| warnings::findings(&commit.findings)));
    Ok(session.report(report, |screen| {
        if let Some(commit) = &data.commit {
            super::commit::committed(screen, commit);
        }
    }))
}
