//! `brv vc merge`: merges another branch or commit into the current branch.

use super::commit::committed;
use super::message;
use crate::cli::guarding::{Doors, Losses};
use crate::cli::integration::{self, Merging};
use crate::cli::session::Session;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Exit, Failure, decisions, warnings, words};
use brv_commands::vc::commit::{self, Basis, Takes};
use brv_commands::vc::merge::{self, Derive, Made, Mode, Options, Outcome, Relation, Unrelated};
use brv_engine::{Context, Stop};
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
    /// The state that the message was written for.
    #[arg(skip)]
    basis: Option<Basis>,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc merge";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn ask(&mut self, session: &Session) -> Result<Option<Exit>, Failure> {
        if self.resume && self.message.is_empty() {
            let options = self.concluding();
            if let Some((message, basis)) = message::written(session, &options)? {
                (self.message, self.basis) = (vec![message], Some(basis));
            }
        }
        Ok(None)
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = match (self.abort, self.resume, &self.revisions[..]) {
            (true, ..) => merge::abort(cx)?,
            (_, true, _) => merge::resume(cx, &self.concluding())?,
            (.., [revision]) => merge::run(cx, &self.options(revision))?,
            _ => {
                return Err(Stop::usage("cannot merge several commits at once")
                    .hint("merge them one after the other")
                    .into());
            }
        };
        let mut said = warnings::written(&outcome.written);
        said.extend(outcome.commit.iter().flat_map(|commit| warnings::findings(&commit.findings)));
        let brought = outcome.brought.as_ref();
        let (details, next) = (brought.and_then(integration::details), words::tidying(outcome.tidying));
        let failure = brought.and_then(|brought| decisions::conflicts(brought, self.made(), self.mode()));
        Ok(Answer::new(outcome).warning(said).next(details).next(next).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if let (Some(brought), [revision]) = (&outcome.brought, &self.revisions[..]) {
            integration::heading(screen, brought, revision, self.mode());
            if !matches!(brought.relation, Relation::UpToDate | Relation::Stopped) {
                integration::body(screen, brought);
            }
        }
        if let Some(aborted) = &outcome.aborted {
            let files = words::many(aborted.restored.len(), "file", "files");
            screen.plain("Aborted the merge of ").text(Style::Notable, aborted.theirs.prefix(7));
            screen.line(format!("; {files} restored."));
        }
        if let Some(commit) = &outcome.commit {
            committed(screen, commit);
        }
    }
}

impl Arguments {
    const fn mode(&self) -> Mode {
        if self.dry_run { Mode::DryRun } else { Mode::Write }
    }

    const fn made(&self) -> Made {
        if self.squash { Made::Staged } else { Made::Commit }
    }

    fn options(&self, revision: &str) -> Options {
        Options {
            revision: revision.to_owned(),
            message: self.message.clone(),
            forward: self.merging.forward(),
            made: self.made(),
            undecided: self.merging.on_conflict,
            allowed: self.doors.allowed(),
            unrelated: if self.allow_unrelated_histories { Unrelated::Allow } else { Unrelated::Refuse },
            derive: if self.no_derive { Derive::Later } else { Derive::Now },
            mode: self.mode(),
        }
    }

    /// For the commit of `--continue`.
    fn concluding(&self) -> commit::Options {
        commit::Options {
            message: self.message.clone(),
            basis: self.basis.clone(),
            takes: Takes::MergeOnly,
            ..commit::Options::default()
        }
    }
}
