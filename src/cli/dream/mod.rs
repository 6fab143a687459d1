//! `brv dream`: consolidates, synthesizes and prunes.

mod listing;

use crate::cli::guarding::{Doors, Removing};
use crate::cli::ui::{Screen, Style};
use crate::cli::undo::failing;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::described::{Described, described};
use crate::say::words::many;
use crate::say::{self, Failure, warnings};
use brv_commands::dream::{self, Action, DreamStatus, LIMIT, Options, Outcome, Planned, Row, RowStatus};
use brv_engine::write::written::WrittenEffects;
use brv_engine::{Context, Mode};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The arguments of `brv dream`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv dream
  brv dream --plan --json
  brv dream --decisions decisions.json
  brv dream --model --dry-run
  brv dream --branch
  brv dream --undo",
    after_help = "Without `--decisions` or `--model`, a dream does only what is certain, and leaves the rest for a writer. `brv help dreaming` \
describes the actions, `brv schema dream.decisions` prints the form of the decisions.

A dream is due if the last one, here or on the upstream, is 12 hours old, `brv curate` ran three times since, no job is \
queued, and no other dream runs. It stops after five minutes; what it applied stays."
)]
pub struct Arguments {
    /// Dream even if the last dream is recent, little was curated since, or jobs are queued
    #[arg(long)]
    force: bool,
    /// Write nothing; show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Write nothing; list what there is to decide, for whoever answers with --decisions
    #[arg(long, conflicts_with = "dry_run")]
    plan: bool,
    /// Carry out the decisions in FILE, or from standard input (-), as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    decisions: Option<PathBuf>,
    /// Let the model of your settings decide, with one request for each domain; its text waits for review
    #[arg(long, conflicts_with_all = ["plan", "decisions"])]
    model: bool,
    /// Commit to a new branch instead: NAME, or dream/ and the name of the dream
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    branch: Option<String>,
    /// The largest number of candidates to consolidate, from 1 to 500
    #[arg(long, value_name = "N", default_value_t = LIMIT as u16, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
    /// Queue the dream for the background, and return at once
    #[arg(long, conflicts_with_all = ["plan", "dry_run", "undo", "cancel", "decisions", "allow"])]
    detach: bool,
    /// Cancel a queued or running dream
    #[arg(long, value_name = "ID", conflicts_with_all = ["plan", "dry_run", "decisions", "model", "branch", "force", "if_due"])]
    cancel: Option<String>,
    /// Undo a dream: the last one, or ID
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "",
          conflicts_with_all = ["plan", "dry_run", "decisions", "model", "branch", "force", "if_due", "cancel"])]
    undo: Option<String>,
    /// For hooks and schedulers: dream only if one is due
    #[arg(long, conflicts_with_all = ["plan", "decisions", "force", "detach"])]
    if_due: bool,
    #[command(flatten)]
    doors: Doors<Removing>,
}

/// What is answered: by `--plan`, or by a dream.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Answered")]
#[serde(untagged)]
pub enum DreamAnswer {
    Dream(Box<Outcome>),
    Plan(Planned),
}

/// The name of the schema of a plan.
const PLAN: &str = "dream plan";

impl Verb for Arguments {
    const NAME: &'static str = "dream";
    const TEXT: Purpose = Purpose::Account;
    const SCHEMAS: &'static [Described] = &[described::<Outcome>(Self::NAME), described::<Planned>(PLAN)];
    type Outcome = DreamAnswer;

    fn schema(&self) -> &'static str {
        if self.plan { PLAN } else { Self::NAME }
    }

    fn purpose(&self) -> Purpose {
        if self.plan { Purpose::LongAnswer } else { Self::TEXT }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, DreamAnswer>, Failure> {
        if self.plan {
            return Ok(Answer::new(DreamAnswer::Plan(dream::plan(cx, &self.options())?)));
        }
        if let Some(name) = &self.undo {
            return undo(cx, Some(name.as_str()).filter(|name| !name.is_empty()));
        }
        let outcome = match &self.cancel {
            Some(name) => dream::cancel(cx, name)?,
            None if self.detach => dream::queue(cx, &self.options())?,
            None => dream::run(cx, &self.options())?,
        };
        let unlogged = outcome.unlogged.as_ref();
        let unlogged = unlogged.map(|why| format!("the log of this dream is not complete: {why}"));
        let said = warnings::saved(&outcome.saved).into_iter().chain(unlogged);
        let said: Vec<String> = said.chain(outcome.warnings.iter().cloned()).collect();
        let failure = if self.cancel.is_some() { None } else { say::dream::failure(&outcome) };
        let next = say::dream::next(&outcome);
        Ok(Answer::new(DreamAnswer::Dream(Box::new(outcome))).warning(said).next(next).failing(failure))
    }

    fn text(&self, answered: &DreamAnswer, screen: &mut Screen) {
        match answered {
            DreamAnswer::Plan(Planned::Plan(plan)) => listing::plan(plan, screen),
            DreamAnswer::Plan(Planned::Skipped(outcome)) => told(outcome, screen),
            DreamAnswer::Dream(outcome) => told(outcome, screen),
        }
    }
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            force: self.force,
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
            decisions: self.decisions.clone(),
            model: self.model,
            branch: self.branch.clone(),
            if_due: self.if_due,
            limit: usize::from(self.limit),
            allowed: self.doors.allowed(),
        }
    }
}

fn undo<'a>(cx: &'a Context<'_>, name: Option<&str>) -> Result<Answer<'a, DreamAnswer>, Failure> {
    let dream::UndoneDream { outcome, undo } = dream::undo(cx, name)?;
    let answer = Answer::new(DreamAnswer::Dream(Box::new(outcome)));
    let Some(undo) = undo else { return Ok(answer) };
    let said = [warnings::undo(&undo), warnings::written(&WrittenEffects::from(&undo.written))].concat();
    let hint =
        format!("nothing was written; `brv undo {} --on-conflict HOW` decides the conflicts", undo.undone.id);
    Ok(answer.warning(said).failing(failing(&undo).map(|failure| failure.hinting(Some(hint)))))
}

fn told(outcome: &Outcome, screen: &mut Screen) {
    let id = outcome.id.map(|id| id.to_string()).unwrap_or_default();
    let reason = outcome.reason.as_deref().unwrap_or_default();
    let is_whole = outcome.operations.is_empty();
    let (style, word) = match outcome.status {
        DreamStatus::Skipped => {
            screen.plain("Dream skipped: ").word(Style::Plain, reason).end();
            return;
        }
        DreamStatus::Queued => (Style::Good, "Dream queued"),
        DreamStatus::Undone => (Style::Good, "Dream undone"),
        DreamStatus::Completed => (Style::Good, "Dream completed"),
        DreamStatus::Planned => (Style::Plain, "Would dream"),
        DreamStatus::Partial => (Style::Notable, "Dream ended early"),
        // what failed is an undo, and the error says it
        DreamStatus::Error => return,
    };
    screen.text(style, word).plain(format!(" ({id})"));
    if !reason.is_empty() {
        screen.plain(": ").word(Style::Plain, reason);
    }
    screen.end();
    if is_whole && outcome.status != DreamStatus::Completed && outcome.status != DreamStatus::Planned {
        return;
    }
    let summary = outcome.summary;
    screen.line(format!(
        "{} consolidated | {} synthesized | {} pruned",
        summary.consolidated, summary.synthesized, summary.pruned
    ));
    if summary.flagged_for_review > 0 {
        let flagged = many(summary.flagged_for_review, "operation", "operations");
        screen.line(format!("{flagged} flagged for review"));
    }
    if let Some(branch) = &outcome.branch {
        screen.plain("On branch ").word(Style::Name, branch).end();
    }
    let (skipped, told): (Vec<&Row>, Vec<&Row>) =
        outcome.operations.iter().partition(|row| row.status == RowStatus::Skipped);
    told.into_iter().for_each(|row| line(row, screen));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in skipped {
        *counts.entry(row.message.as_deref().unwrap_or("as decided")).or_default() += 1;
    }
    for (why, count) in counts {
        screen.text(Style::Dim, format!(" {count} skipped: ")).word(Style::Plain, why).end();
    }
    listing::candidates(&outcome.candidates, screen);
}

/// A decision on one line: ` applied  MERGE auth/a.md, auth/b.md: same flow`.
fn line(row: &Row, screen: &mut Screen) {
    let (style, status) = match row.status {
        RowStatus::Applied => (Style::Good, "applied"),
        RowStatus::Refused => (Style::Bad, "refused"),
        RowStatus::Deferred => (Style::Notable, "deferred"),
        RowStatus::Skipped => (Style::Dim, "skipped"),
    };
    screen
        .text(style, format!(" {status:<8} "))
        .plain(row.action.map(Action::word).unwrap_or("-"))
        .plain(" ");
    let files = match (&row.inputs[..], &row.output) {
        (_, Some(output)) if row.action == Some(Action::Create) => output.clone(),
        ([], Some(output)) => output.clone(),
        ([], None) => row.candidate.clone(),
        (inputs, _) => inputs.join(", "),
    };
    screen.word(Style::Name, files);
    if let Some(why) = row.message.as_ref().or(Some(&row.reason)).filter(|why| !why.is_empty()) {
        screen.plain(": ").word(Style::Plain, why);
    }
    screen.end();
    for dropped in &row.dropped {
        screen.text(Style::Bad, "          - ").word(Style::Plain, dropped).end();
    }
}
