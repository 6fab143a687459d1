//! `brv eval`: measures the search on questions whose answers are known.

use super::ui::Screen;
use super::verb::{Answer, Verb};
use crate::say::{Failure, warnings};
use brv_commands::eval::{self, Options, Outcome};
use brv_engine::{Context, FailureKind};
use clap::Args;
use std::path::PathBuf;

/// The arguments of `brv eval`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv eval golden.jsonl
  brv eval golden.jsonl --min-recall 0.8 --min-ood 0.6
  brv eval - --json

Each line of the file is one question with the entries that answer it:
  {\"question\": \"How long do tokens live?\", \"expected\": [\"auth/tokens.md\"]}
  {\"question\": \"What is our holiday policy?\", \"expected\": [], \"kind\": \"far\"}

`kind` may say more: `covered`; `near`: about the tree's subject, but not in it;
`far`: about another subject. `phrase` is what a direct answer must contain.")]
pub struct Arguments {
    /// The questions; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Exit 1 if the recall at 5 is below X, from 0 to 1
    #[arg(long, value_name = "X", value_parser = share)]
    min_recall: Option<f64>,
    /// Exit 1 if brv declines fewer than X of the questions that no entry covers, from 0 to 1
    #[arg(long, value_name = "X", value_parser = share)]
    min_ood: Option<f64>,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

impl Verb for Arguments {
    const NAME: &'static str = "eval";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let questions = cx
            .read_input(&self.file, eval::MAX_INPUT_BYTES)
            .map_err(|error| Failure::because(FailureKind::Usage, &error))?;
        let options = Options { questions, min_recall: self.min_recall, min_ood: self.min_ood };
        let (outcome, missed) = eval::run(cx, &options)?;
        let failure = (!missed.is_empty()).then(|| Failure::new(FailureKind::Failed, missed.join("; ")));
        let absent = warnings::absent(&outcome.absent);
        Ok(Answer::new(outcome).warning(absent).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
        let count = |value: Option<usize>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
        let Outcome { recall, not_covered, direct, near, far, passages, .. } = outcome;
        for (name, figure) in [
            ("questions", outcome.questions.to_string()),
            ("recall at 1", share(recall.at_1)),
            ("recall at 5", share(recall.at_5)),
            ("recall at 10", share(recall.at_10)),
            ("reciprocal rank", share(outcome.mrr)),
            ("covered over near", share(outcome.auroc)),
            ("not covered: found", share(not_covered.found)),
            ("false alarms", share(not_covered.false_alarms)),
            ("direct answers", share(direct.share)),
            ("  of expected entries", share(direct.precision)),
            ("  with the phrase", share(direct.phrase)),
            ("near: found", share(near.found)),
            ("  answered directly", share(near.answered)),
            ("far: found", share(far.found)),
            ("  answered directly", share(far.answered)),
            ("passages: median", count(passages.median_chars)),
            ("  with an expected one", share(passages.kept)),
        ] {
            screen.line(format!("{name:<24}{figure}"));
        }
        for (tier, count) in &outcome.tiers {
            screen.line(format!("answered by tier {tier}      {count}"));
        }
    }
}
