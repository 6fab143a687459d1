//! `brv derive`: regenerates out-of-date derived files, or only lists them; `--model` has a model propose summaries, and
//! `--embed` an encoder make vectors.

use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use crate::say::described::{Described, described};
use crate::say::words::many;
use crate::say::{Failure, warnings};
use brv_base::escape::{escape_line, quote_path};
use brv_commands::derive::{self, ForeignFile, Options, Outcome, SetUp, embed, model};
use brv_engine::{Context, FailureKind};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

/// The arguments of `brv derive`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv derive
  brv derive --check
  brv derive --all
  brv derive --model
  brv derive --model auth/sessions --overviews
  brv derive --embed")]
pub struct Arguments {
    /// Write nothing; exit 1 if a derived file is missing, out of date or modified
    #[arg(long)]
    check: bool,
    /// Regenerate every derived file, not only those out of date
    #[arg(long, conflicts_with = "check")]
    all: bool,
    /// Let the model of your settings propose summaries for entries without one, as one curation to review
    #[arg(long, conflicts_with_all = ["check", "all"])]
    model: bool,
    /// With --model: only these entries and folders; a named entry gets a new summary even if it has one
    #[arg(value_name = "PATH", requires = "model")]
    paths: Vec<String>,
    /// With --model: also let it write overviews, which stay on this machine
    #[arg(long, requires = "model")]
    overviews: bool,
    /// Let the encoder of your settings embed what it has not yet, for this machine; with --all everything anew
    #[arg(long, conflicts_with_all = ["check", "model"])]
    embed: bool,
}

/// What is answered: by a refresh or a check, with `--model`, or with `--embed`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Answered")]
#[serde(untagged)]
pub enum DeriveAnswer {
    Files(Outcome),
    Model(Box<model::Outcome>),
    Embedded(embed::Outcome),
}

/// The name of the schema with `--model`.
const MODEL: &str = "derive model";

/// The name of the schema with `--embed`.
const EMBED: &str = "derive embed";

impl Verb for Arguments {
    const NAME: &'static str = "derive";
    const SCHEMAS: &'static [Described] = &[
        described::<Outcome>(Self::NAME),
        described::<model::Outcome>(MODEL),
        described::<embed::Outcome>(EMBED),
    ];
    type Outcome = DeriveAnswer;

    fn schema(&self) -> &'static str {
        match (self.model, self.embed) {
            (true, _) => MODEL,
            (false, true) => EMBED,
            (false, false) => Self::NAME,
        }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, DeriveAnswer>, Failure> {
        if self.model {
            return ask(cx, &model::Options { names: self.paths.clone(), overviews: self.overviews });
        }
        if self.embed {
            return Ok(Answer::new(DeriveAnswer::Embedded(embed::run(
                cx,
                &embed::Options { all: self.all },
            )?)));
        }
        let options = match (self.check, self.all) {
            (true, _) => Options::Check,
            (false, true) => Options::All,
            (false, false) => Options::Refresh,
        };
        let (outcome, beside) = derive::run(cx, &options)?;
        let failure = out_of_order(&outcome, beside.setting_up);
        let to_set_up = beside.setting_up != SetUp::Done && failure.is_none();
        let warnings = warnings::derive(&outcome, &beside);
        let answer = Answer::new(DeriveAnswer::Files(outcome)).warning(warnings).failing(failure);
        Ok(answer.next(to_set_up.then_some("brv init")))
    }

    fn purpose(&self) -> Purpose {
        if self.check { Purpose::Answer } else { Purpose::Account }
    }

    fn text(&self, answered: &DeriveAnswer, screen: &mut Screen) {
        match answered {
            DeriveAnswer::Files(outcome) => files(outcome, screen),
            DeriveAnswer::Model(outcome) => {
                rows(screen, &outcome.summaries, ("summary", "summaries"));
                rows(screen, &outcome.overviews, ("overview", "overviews"));
            }
            DeriveAnswer::Embedded(outcome) => embedded(screen, outcome),
        }
    }
}

fn ask<'a>(cx: &'a Context<'_>, options: &model::Options) -> Result<Answer<'a, DeriveAnswer>, Failure> {
    let outcome = model::run(cx, options)?;
    let said = [outcome.warnings.clone(), warnings::saved(&outcome.saved)].concat();
    let failure = unanswered(&outcome);
    let is_proposed = outcome.summaries.iter().any(|row| row.status == model::Status::Proposed);
    let answer = Answer::new(DeriveAnswer::Model(Box::new(outcome))).warning(said).failing(failure);
    Ok(answer.next(is_proposed.then_some("brv review pending")))
}

/// How many passages an encoder embedded, and how many entries it did not get.
fn embedded(screen: &mut Screen, outcome: &embed::Outcome) {
    let embed::Outcome { name, entries, withheld, passages, embedded, .. } = outcome;
    let of = format!("{} of {}", many(*passages, "passage", "passages"), many(*entries, "entry", "entries"));
    match embedded {
        0 => screen.word(Style::Plain, format!("{name} has embedded all {of}.")),
        _ => screen.word(Style::Plain, format!("{name} embedded {embedded} of {of}.")),
    };
    screen.end();
    if *withheld > 0 {
        let entries = many(*withheld, "entry was", "entries were");
        screen.line(format!("{entries} not sent: withheld from agents, waiting for review, or in conflict."));
    }
}

/// What became of the entries that a model was asked about: how many, and each with its text or the reason.
fn rows(screen: &mut Screen, rows: &[model::Row], (one, several): (&str, &str)) {
    let made = rows.iter().filter(|row| matches!(row.status, model::Status::Proposed | model::Status::Kept));
    let is_kept = one == "overview";
    match made.count() {
        0 if rows.is_empty() && is_kept => {}
        0 if rows.is_empty() => drop(screen.line("Every entry has a summary.")),
        count => {
            let verb = if is_kept { "written for this machine" } else { "proposed" };
            screen.line(format!("{} {verb}.", many(count, one, several)));
        }
    }
    for row in rows {
        let (style, word) = match row.status {
            model::Status::Proposed => (Style::Good, "proposed"),
            model::Status::Kept => (Style::Good, "written"),
            model::Status::Unchanged => (Style::Dim, "unchanged"),
            model::Status::Left => (Style::Notable, "left"),
            model::Status::Failed => (Style::Bad, "failed"),
        };
        screen.plain("  ").text(style, format!("{word:<9}")).plain(" ").word(Style::Name, row.path.as_str());
        let text = row.text.as_ref().filter(|_| row.status == model::Status::Proposed);
        if let Some(words) = row.reason.as_ref().or(text) {
            screen.plain(": ").word(Style::Plain, words);
        }
        screen.end();
    }
}

fn files(outcome: &Outcome, screen: &mut Screen) {
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

fn row(screen: &mut Screen, file: &ForeignFile) {
    screen
        .plain("  ")
        .text(Style::Notable, format!("{:<9}", file.why.word()))
        .plain(" ")
        .word(Style::Plain, file.path.as_str())
        .end();
}

/// Derived files that `--check` found missing, out of date or modified.
fn out_of_order(outcome: &Outcome, setting_up: SetUp) -> Option<Failure> {
    let found = outcome.found.as_ref().filter(|found| !found.is_empty())?.len();
    let files = many(found, "derived file is out of order", "derived files are out of order");
    Some(Failure::new(FailureKind::Failed, files).hinting(Some(if setting_up == SetUp::Done {
        "`brv derive` regenerates what is missing or out of date; edited files and files of other tools are left alone"
    } else {
        "brv has not set up this tree yet: `brv init` adopts it, derived files included"
    })))
}

/// A model that failed before it was asked about every entry, or that gave no usable answer about some.
fn unanswered(outcome: &model::Outcome) -> Option<Failure> {
    if let Some(stop) = &outcome.ended {
        return Some(Failure::from(stop.clone()));
    }
    let rows = || outcome.summaries.iter().chain(&outcome.overviews);
    let failed = rows().filter(|row| row.status == model::Status::Failed);
    let lines: Vec<String> = failed
        .map(|row| {
            let why = row.reason.as_deref().unwrap_or_default();
            format!("{}: {}", quote_path(row.path.as_bytes()), escape_line(why.as_bytes()))
        })
        .collect();
    let count = lines.len();
    let message = || format!("no usable text for {}", many(count, "entry", "entries"));
    (count > 0).then(|| Failure::new(FailureKind::Failed, message()).code("model_invalid").detailing(lines))
}

#[cfg(test)]
mod tests {
    use super::super::ui::{Colour, ScreenKind, drawn};
    use super::*;
    use brv_base::path::TreePath;
    use brv_commands::derive::{Refreshed, Why};

    #[test]
    fn a_check_lists_what_is_wrong_and_a_refresh_what_was_done() {
        let path = |path: &str| TreePath::parse(path.as_bytes()).unwrap();
        let file = || ForeignFile { path: path("auth/_index.md"), why: Why::Outdated };
        let text = |outcome: &Outcome| drawn(ScreenKind::Pipe, Colour::Off, |screen| files(outcome, screen));
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
