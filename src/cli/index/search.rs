//! `brv index search`: one question over all trees of an index.

use super::PlaceFlags;
use crate::cli::search::{one, parts};
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::cli::withheld;
use crate::say::{Failure, words};
use brv_commands::index::search::{self, IndexedResult, Options, Outcome};
use brv_commands::search::MOST;
use brv_engine::{Context, FailureKind, Stop};
use clap::Args;

/// The arguments of `brv index search`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv index search \"which team decided on retries\"
  brv index search rotation --tree 'git.example/payments/*'
  brv index search \"signing keys\" --mine --json")]
pub struct Arguments {
    #[command(flatten)]
    place: PlaceFlags,
    /// Words, "phrases" and tag:NAME
    #[arg(value_name = "TEXT", required = true, num_args = 1..)]
    text: Vec<String>,
    /// Show at most N results, from 1 to 50
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=MOST as i64))]
    limit: u8,
    /// Only trees whose names match; `*` and `?` stand for any characters and for one
    #[arg(long, value_name = "GLOB")]
    tree: Option<String>,
    /// Leave out trees that your git credentials cannot read: a convenience, no protection
    #[arg(long)]
    mine: bool,
    /// Show the parts of the relevance
    #[arg(long)]
    explain: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "index search";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            place: self.place.place(),
            text: self.text.join(" "),
            limit: usize::from(self.limit),
            tree: self.tree.clone(),
            mine: self.mine,
            explain: self.explain,
        };
        let outcome = search::run(cx, &options)?;
        let shards = &outcome.stats.shards;
        let failure = (shards.failed > 0).then(|| {
            let message = format!("{} of {} shards of the index did not answer", shards.failed, shards.total);
            Failure::from(Stop::new(FailureKind::Failed, message))
        });
        Ok(Answer::new(outcome).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.results.is_empty() {
            screen.line("Nothing found.");
        }
        outcome.results.iter().for_each(|result| row(screen, result));
        withheld::count(screen, outcome.withheld);
        if outcome.unreadable > 0 {
            let left_out = words::many(outcome.unreadable, "result", "results");
            screen.text(Style::Dim, format!("{left_out} left out: you cannot read their remotes")).end();
        }
        if !outcome.covered && !outcome.results.is_empty() {
            screen.text(Style::Dim, "The best match is weak: this seems not to be covered.").end();
        }
        if let Some(explained) = &outcome.explain {
            screen.word(Style::Dim, parts(explained)).end();
        }
    }
}

/// The row of `brv search`, and below it where it comes from.
fn row(screen: &mut Screen, result: &IndexedResult) {
    one(screen, &result.row);
    screen.plain("      ").word(Style::Dim, &result.tree);
    let short = |commit: &str| commit.chars().take(9).collect::<String>();
    screen.plain(" ").word(Style::Dim, short(&result.commit));
    screen.plain(" ").word(Style::Dim, &result.actor);
    if let Some(as_of) = result.as_of.as_deref().filter(|as_of| *as_of != result.commit) {
        screen.word(Style::Dim, format!(", unchanged until {}", short(as_of)));
    }
    screen.end();
}
