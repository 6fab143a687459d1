//! `brv index status`: which trees the index has.

use super::PlaceFlags;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, words};
use brv_commands::index::status::{self, IndexedTreeState, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv index status`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv index status
  brv index status --engine http://127.0.0.1:9200 --json")]
pub struct Arguments {
    #[command(flatten)]
    place: PlaceFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "index status";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        Ok(Answer::new(status::run(cx, &self.place.place())?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        outcome.trees.iter().for_each(|tree| row(screen, tree));
        screen.word(Style::Name, &outcome.index).plain(" on ");
        screen.word(Style::Plain, format!("{} {}", outcome.engine.name, outcome.engine.version));
        let trees = words::many(outcome.trees.len(), "tree", "trees");
        let documents = usize::try_from(outcome.documents).unwrap_or(usize::MAX);
        screen.plain(format!(": {trees}, {}", words::many(documents, "entry", "entries")));
        if let (Some(one), Some(all)) = (outcome.bytes_per_entry, outcome.bytes_of_100_million) {
            screen.plain(format!(
                ", {one} bytes each (an estimate for 100 million: {:.1} TB)",
                all as f64 / 1e12
            ));
        }
        screen.end();
    }
}

/// `h/team/notes  1a2b3c4d5  231 entries`
fn row(screen: &mut Screen, tree: &IndexedTreeState) {
    let short = |commit: &str| commit.chars().take(9).collect::<String>();
    let commit = tree.commit.as_deref().map_or_else(|| "not complete".to_owned(), short);
    screen.word(Style::Name, &tree.tree).plain("  ").word(Style::Dim, commit);
    let documents = usize::try_from(tree.documents).unwrap_or(usize::MAX);
    screen.plain(format!("  {}", words::many(documents, "entry", "entries")));
    if tree.pending > 0 {
        let pushes = words::many(tree.pending, "push", "pushes");
        screen.text(Style::Notable, format!("  {pushes} under way or interrupted"));
    }
    screen.end();
}
