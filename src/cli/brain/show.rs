//! `brv brain`: prints what an agent should know at the start of a session.

use super::for_files;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::cli::withheld;
use crate::say::described::{Described, described};
use crate::say::{Failure, last_changes};
use brv_commands::brain::{self, Budgets, Options, Outcome, served};
use brv_engine::Context;
use clap::{Args, value_parser};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// The arguments of `brv brain`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv brain show
  brv brain show --budget 3000 --scope auth
  brv brain show --task \"rotate the signing keys\"
  brv brain show --since last
  brv brain show --for src/net/retry.rs
  brv brain show --json --if-none-match 0123456789abcdef",
    after_help = "The text is markdown, and `--format markdown` asks for it, too. `brv help briefing` describes the layers.

The score of a statement is kind x writer x weight x recency x state. Kind: warning 1.3, disputed 1.2, rejected 1.1, \
decision, rule and limit 1, trap and effect 0.7, note 0.6. Writer: 1.5; an item filed from a commit 1. Weight: the weights \
of its sentences (at most 8) by eight; of what people wrote 6. Recency: halves every 18 months before the newest \
statement, down to 0.2. State: 0 if superseded, deprecated, 30 days on no branch, or all cited code is gone; 0.5 if some \
of it changed; 1.5 for important entries, 0.7 for unimportant ones.

Layer 3, which is only counted, takes superseded and deprecated entries; lists of files; drafts with a confidence below \
0.4 after 14 days; implementations of little importance after 90 days; and bugs done 60 days ago."
)]
pub struct Arguments {
    /// The budget of the whole document, in tokens of about four characters
    #[arg(long, value_name = "N", default_value_t = Budgets::DEFAULT.total, value_parser = value_parser!(u64).range(1..))]
    budget: u64,
    /// The budget of layer 0, the project brief
    #[arg(long, value_name = "N", default_value_t = Budgets::DEFAULT.layers[0], value_parser = value_parser!(u64).range(1..))]
    l0: u64,
    /// The budget of layer 1, active knowledge
    #[arg(long, value_name = "N", default_value_t = Budgets::DEFAULT.layers[1], value_parser = value_parser!(u64).range(1..))]
    l1: u64,
    /// The budget of layer 2, reference knowledge
    #[arg(long, value_name = "N", default_value_t = Budgets::DEFAULT.layers[2], value_parser = value_parser!(u64).range(1..))]
    l2: u64,
    /// Leave out layer 0
    #[arg(long)]
    no_brief: bool,
    /// Add the passages that a task needs
    #[arg(long, value_name = "WORDS")]
    task: Option<String>,
    /// Print what is known about these files of the code
    #[arg(long = "for", value_name = "PATH", num_args = 1..,
          conflicts_with_all = ["task", "since", "summary", "no_brief", "explain", "budget", "l0", "l1", "l2", "scope",
                                "if_none_match"])]
    for_files: Vec<PathBuf>,
    /// Add what changed since a document with this hash, since the last one (last), or since a commit
    #[arg(long, value_name = "HASH|REV")]
    since: Option<String>,
    /// Restrict the document to this folder of the tree
    #[arg(long, value_name = "PATH")]
    scope: Option<String>,
    /// Repeat the document that this session got first, and add what changed since; with --for, leave out what it got in
    /// the last 30 minutes
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Print the summary only: the brief, recent decisions and known issues
    #[arg(long)]
    summary: bool,
    /// Print nothing if the document still has this hash
    #[arg(long, value_name = "HASH")]
    if_none_match: Option<String>,
    /// Show for each entry why it is in, out, or cut
    #[arg(long)]
    explain: bool,
}

/// What is answered: the document, or what is known about files.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Answered")]
#[serde(untagged)]
pub enum BrainAnswer {
    Brain(Box<Outcome>),
    Files(for_files::Outcome),
}

const NAME: &str = "brain";
const FOR: &str = "brain for";

impl Verb for Arguments {
    const NAME: &'static str = "brain show";
    const TEXT: Purpose = Purpose::LongAnswer;
    const SCHEMAS: &'static [Described] = &[described::<Outcome>(NAME), described::<for_files::Outcome>(FOR)];
    type Outcome = BrainAnswer;

    fn schema(&self) -> &'static str {
        if self.for_files.is_empty() { NAME } else { FOR }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, BrainAnswer>, Failure> {
        if !self.for_files.is_empty() {
            let found = for_files::run(cx, &self.for_files, self.session.as_deref())?;
            let said: Vec<String> = found.absent.iter().map(|path| for_files::absent(path)).collect();
            let given = served::of_files(&found);
            let after = move || served::note(cx, &given);
            return Ok(Answer::new(BrainAnswer::Files(found)).warning(said).after(after));
        }
        let options = self.options();
        let (outcome, said) = brain::run(cx, &options)?;
        let given = served::of_document(&outcome, &options);
        let after = move || served::note(cx, &given);
        Ok(Answer::new(BrainAnswer::Brain(Box::new(outcome))).warning(said).after(after))
    }

    fn text(&self, answered: &BrainAnswer, screen: &mut Screen) {
        match answered {
            BrainAnswer::Brain(outcome) => draw(screen, outcome),
            BrainAnswer::Files(found) => for_files::draw(screen, found),
        }
    }
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            budgets: Budgets { total: self.budget, layers: [self.l0, self.l1, self.l2] },
            no_brief: self.no_brief,
            task: self.task.clone(),
            since: self.since.clone(),
            scope: self.scope.clone(),
            session: self.session.clone(),
            summary: self.summary,
            if_none_match: self.if_none_match.clone(),
            explain: self.explain,
            unnoted: false,
        }
    }
}

fn draw(screen: &mut Screen, outcome: &Outcome) {
    if outcome.not_modified {
        screen.line("not_modified");
        return;
    }
    screen.bytes(Style::Plain, outcome.document.as_bytes());
    screen.bytes(Style::Plain, last_changes::lines(&outcome.last_changes));
    withheld::count(screen, outcome.withheld);
    let Some(rows) = &outcome.explain else { return };
    screen.end();
    for row in rows {
        screen.text(Style::Dim, format!("{:<8} layer {}  ", row.state, row.layer));
        screen.word(Style::Name, &row.path).plain(": ").word(Style::Plain, &row.why).end();
    }
}
