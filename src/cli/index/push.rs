//! `brv index push`: bring the index up to date with the trees of many remotes.

use super::PlaceFlags;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, words};
use brv_commands::index::push::{self, Options, Outcome, PushState, PushedTree};
use brv_engine::Context;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `brv index push`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv index push --remotes trees.txt
  brv index push --remote https://git.example/team/notes.git
  brv index push --remotes trees.txt --dry-run")]
pub struct Arguments {
    #[command(flatten)]
    place: PlaceFlags,
    /// Read the remotes from a file, or `-`: `URL [branch] [prefix] [name]` a line, `-` for what is not named
    #[arg(long, value_name = "FILE")]
    remotes: Option<PathBuf>,
    /// Push the tree of this remote; may be repeated
    #[arg(long, value_name = "URL")]
    remote: Vec<String>,
    /// Push this branch where none is named
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Send everything again
    #[arg(long)]
    full: bool,
    /// Send nothing, and show what would be sent
    #[arg(long)]
    dry_run: bool,
    /// Create the index with N primary shards, if it is not there
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    shards: u32,
}

impl Verb for Arguments {
    const NAME: &'static str = "index push";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = push::run(
            cx,
            &Options {
                place: self.place.place(),
                list: self.remotes.clone(),
                remotes: self.remote.clone(),
                branch: self.branch.clone(),
                full: self.full,
                dry_run: self.dry_run,
                shards: self.shards,
            },
        )?;
        let failure = outcome.failure().map(Failure::from);
        Ok(Answer::new(outcome).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let changed = outcome.trees.iter().filter(|tree| is_shown(tree));
        changed.for_each(|tree| row(screen, tree, outcome.dry_run));
        let same = outcome.trees.iter().filter(|tree| !is_shown(tree)).count();
        if same > 0 {
            screen.line(format!("{} up to date", words::many(same, "tree", "trees")));
        }
        let sums = &outcome.summary;
        let sent = if outcome.dry_run { "would send" } else { "sent" };
        screen.plain(format!("{sent} {}", words::many(sums.sent, "entry", "entries")));
        screen.plain(format!(", {} gone, to ", sums.gone));
        screen.word(Style::Name, &outcome.index);
        screen
            .plain(" on ")
            .word(Style::Plain, format!("{} {}", outcome.engine.name, outcome.engine.version))
            .end();
    }
}

/// Whether a tree has a line of its own: something of it was sent or kept back, or it did not end well.
fn is_shown(tree: &PushedTree) -> bool {
    tree.state != PushState::Done
        || tree.sent + tree.newer + tree.gone > 0
        || !tree.withheld.is_empty()
        || tree.message.is_some()
}

/// `h/team/notes 1a2b3c4d5..9f8e7d6c5 +12 -3`
fn row(screen: &mut Screen, tree: &PushedTree, is_planned: bool) {
    let (style, word) = match tree.state {
        PushState::Done if is_planned => (Style::Notable, "would push "),
        PushState::Done => (Style::Good, "pushed "),
        PushState::Behind => (Style::Notable, "behind "),
        PushState::Failed => (Style::Bad, "failed "),
    };
    screen.text(style, word).word(Style::Name, &tree.tree);
    let short = |commit: &str| commit.chars().take(9).collect::<String>();
    if let Some(to) = &tree.to {
        let from = tree.from.as_deref().map(|from| format!("{}..", short(from))).unwrap_or_default();
        screen.plain(" ").text(Style::Dim, format!("{from}{}", short(to)));
        screen.plain(format!(" +{} -{}", tree.sent, tree.gone));
    }
    if tree.newer > 0 {
        screen.plain(format!(" ({} were newer)", tree.newer));
    }
    if let Some(message) = &tree.message {
        screen.plain(": ").word(Style::Plain, message);
    }
    screen.end();
    for kept in &tree.withheld {
        screen.text(Style::Notable, "  kept back ").word(Style::Name, &kept.path);
        screen.plain(": ").word(Style::Plain, &kept.why).end();
    }
}
