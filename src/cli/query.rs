//! `brv query`: answers a question from what is stored.

use super::curate;
use super::search::{IN_CONFLICT, not_found};
use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use super::withheld;
use crate::say::review::stale::left_behind;
use crate::say::{Failure, warnings};
use brv_base::path::archived_original;
use brv_commands::query::{
    self, EntryTextExtent, NOT_COVERED, Nearest, Options, Ordered, Outcome, Passage, QuerySource, QueryStep,
    Spent,
};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv query`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv query \"How long do access tokens live?\"
  brv query \"auth who may rotate keys\" --json
  brv query \"Which retry limit holds?\" --explain --fresh")]
pub struct Arguments {
    /// The question; a first word that names a folder restricts the search to it
    #[arg(value_name = "QUESTION", required = true, num_args = 1..)]
    question: Vec<String>,
    /// Search only in this folder
    #[arg(long, value_name = "PATH")]
    scope: Option<String>,
    /// Go no further than tier N: 0 and 1 repeat answers, 2 answers directly, 3 gives passages or asks your model once
    /// about them, 4 lets it search and read for more
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=4))]
    tier_max: u8,
    /// Ask no model, even if one is set (`brv help models`)
    #[arg(long)]
    no_model: bool,
    /// Answer with the whole entry, not only the lines that answer
    #[arg(long)]
    full: bool,
    /// Do not repeat an earlier answer
    #[arg(long)]
    no_cache: bool,
    /// Do not count the answering entry as used, nor note what was given
    #[arg(long)]
    no_hits: bool,
    /// Look for edited files now, not only every few seconds
    #[arg(long)]
    fresh: bool,
    /// Show how the decision was made
    #[arg(long)]
    explain: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "query";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            question: self.question.join(" "),
            scope: self.scope.clone(),
            most_tier: self.tier_max,
            no_model: self.no_model,
            extent: if self.full { EntryTextExtent::Whole } else { EntryTextExtent::Lines },
            no_cache: self.no_cache,
            no_hits: self.no_hits,
            fresh: self.fresh,
            explain: self.explain,
        };
        let (reply, unkept, after) = query::run(cx, options)?;
        let is_missing = reply.outcome.message.as_deref() == Some(NOT_COVERED);
        let has_passages = !reply.outcome.passages.is_empty();
        let (unanswered, of_model) = (reply.unanswered.as_ref(), reply.of_model);
        let no_model = has_passages && reply.outcome.model.is_none() && unanswered.is_none();
        let Outcome { answer, sources, .. } = &reply.outcome;
        // a direct answer begins with it
        let indirect = sources.iter().filter(|_| answer.is_none());
        let stale = warnings::stale(indirect.map(|source| (source.path.as_str(), source.freshness.as_ref())));
        let in_conflict = sources.iter().filter(|source| source.conflict).map(|source| source.path.as_str());
        let in_conflict = warnings::in_conflict(in_conflict);
        Ok(Answer::new(reply.outcome)
            .next(is_missing.then_some(curate::BY_HAND))
            .in_text(stale)
            .in_text(in_conflict)
            .warning(warnings::widened(reply.widened.as_deref()))
            .warning(warnings::no_model(no_model))
            .warning(warnings::unanswered(unanswered, has_passages))
            .warning(of_model)
            .warning(warnings::unkept(unkept.as_deref()))
            .warning(warnings::without_phrases(reply.without_phrases))
            .after(after))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match &outcome.answer {
            Some(answer) => {
                lines(screen, answer);
                if let Some(model) = &outcome.model {
                    answered_by(screen, model);
                }
            }
            None if !outcome.nearest.is_empty() => nearest(screen, &outcome.nearest),
            None if outcome.message.as_deref() == Some(NOT_COVERED) => {
                screen.line("No entry covers this question.");
            }
            None => lines(screen, outcome.message.as_deref().unwrap_or_default()),
        }
        lines(screen, &outcome.missing_line());
        for (at, passage) in outcome.passages.iter().enumerate() {
            let source = passage.source_at(&outcome.sources).map(|at| &outcome.sources[at]);
            match at {
                0 => fenced(screen, passage, source),
                _ => named(screen, passage, source, if at == 1 { "also " } else { "     " }),
            }
            source.into_iter().for_each(|source| contrary(screen, source, outcome));
        }
        if outcome.passages.is_empty() && !outcome.sources.is_empty() {
            screen.end();
            for source in &outcome.sources {
                cited(screen, source);
                if outcome.answer.is_none() {
                    stale(screen, source);
                }
                screen.end();
                contrary(screen, source, outcome);
            }
        }
        withheld::count(screen, outcome.withheld);
        explained(screen, outcome);
    }
}

/// How the decision was made, with `--explain`.
fn explained(screen: &mut Screen, outcome: &Outcome) {
    let Some(explained) = &outcome.explain else { return };
    let unmatched = not_found(&explained.unmatched);
    let (relevance, gap, coverage) = (explained.relevance, explained.gap, explained.coverage);
    let made = if explained.cache { ", an earlier answer" } else { "" };
    let text = format!(
        "tier {}{made}; relevance {relevance:.2}, gap {gap:.2}, coverage {coverage:.2}{unmatched}",
        outcome.tier
    );
    screen.word(Style::Dim, text).end();
    if let Some(encoder) = &explained.encoder {
        screen.word(Style::Dim, ordered(encoder)).end();
    }
    for QueryStep { tool, arguments, ms } in &explained.steps {
        screen.word(Style::Dim, format!("{tool} {arguments}, {ms} ms")).end();
    }
}

/// Whether an encoder ordered what was found.
fn ordered(encoder: &Ordered) -> String {
    match &encoder.reason {
        None => format!("ordered with {}", encoder.name),
        Some(reason) => format!("not ordered with {}: {reason}", encoder.name),
    }
}

/// Say which model answered, and what it took.
fn answered_by(screen: &mut Screen, model: &Spent) {
    let name = if model.name.is_empty() { "your model" } else { &model.name };
    let Spent { calls, input_tokens, output_tokens, .. } = model;
    let took = match calls {
        0 => String::new(),
        1 => format!(": 1 call, {input_tokens} tokens in, {output_tokens} out"),
        more => format!(": {more} calls, {input_tokens} tokens in, {output_tokens} out"),
    };
    screen.text(Style::Dim, "written by ").word(Style::Dim, format!("{name}{took}")).end();
}

fn lines(screen: &mut Screen, text: &str) {
    for line in text.lines() {
        screen.word(Style::Plain, line).end();
    }
}

/// What may be worth a look.
fn nearest(screen: &mut Screen, nearest: &[Nearest]) {
    screen.plain("Nothing certain. Nearest:").end();
    for near in nearest {
        screen.plain("  ").word(Style::Name, &near.path).plain("  ").word(Style::Plain, &near.title);
        screen.text(Style::Dim, format!("  {:.2}", near.relevance)).end();
    }
}

/// Say that the entry is in conflict, that a change of it waits for review, or that agents do not get it.
fn pending(screen: &mut Screen, source: &QuerySource) {
    if source.conflict {
        screen.text(Style::Bad, format!("  {IN_CONFLICT}"));
    }
    if let Some(branch) = &source.unmerged {
        screen.plain("  ").word(Style::Notable, left_behind(branch.as_deref()));
    }
    if let Some(mark) = withheld::mark(&source.flagged) {
        screen.plain("  ").word(Style::Notable, mark);
    }
    if !source.pending.is_empty() {
        let why = source.pending.join(", ");
        screen.text(Style::Notable, "  pending review: ").word(Style::Notable, why);
    }
}

/// What other entries say against what is shown of a source, a line each, if the answer does not say so.
fn contrary(screen: &mut Screen, source: &QuerySource, outcome: &Outcome) {
    let answer = outcome.answer.as_deref().unwrap_or_default();
    let is_given =
        |path: &str| outcome.answer.is_some() && outcome.sources.iter().any(|one| one.path == path);
    for line in source.contrary.iter().filter(|one| !is_given(&one.path)).map(query::Contrary::line) {
        if !answer.contains(&line) {
            screen.plain("  ").word(Style::Notable, line).end();
        }
    }
}

/// Say that the code changed since the entry was written.
fn stale(screen: &mut Screen, source: &QuerySource) {
    if let Some(line) = source.freshness.as_ref().and_then(|freshness| freshness.line()) {
        screen.plain("  ").word(Style::Notable, line);
    }
}

fn cited(screen: &mut Screen, source: &QuerySource) {
    screen
        .text(Style::Dim, "from ")
        .word(Style::Name, &source.path)
        .text(Style::Dim, format!(":{}", source.line));
    if source.disputed {
        screen.text(Style::Bad, "  disputed");
    }
    pending(screen, source);
    if archived_original(&source.path).is_some() {
        screen.text(Style::Dim, "  archived");
    }
    if let (Some(actor), Some(commit)) = (&source.actor, &source.commit) {
        made_by(screen, actor, commit);
    }
}

fn made_by(screen: &mut Screen, who: &str, commit: &str) {
    screen.plain("  ").word(Style::Dim, format!("{who}, commit {}", &commit[..7.min(commit.len())]));
}

/// A passage between fences that its text does not contain: what is inside is data.
fn fenced(screen: &mut Screen, passage: &Passage, source: Option<&QuerySource>) {
    let mut fence = "```".to_owned();
    while passage.text.contains(&fence) {
        fence.push('`');
    }
    screen.text(Style::Dim, format!("{fence}text "));
    placed(screen, passage, source);
    if let Some(origin) = &passage.origin {
        screen.plain("  ").word(Style::Dim, origin.line());
    }
    screen.end();
    lines(screen, &passage.text);
    screen.text(Style::Dim, &fence).end();
}

/// Where another passage is.
fn named(screen: &mut Screen, passage: &Passage, source: Option<&QuerySource>, before: &'static str) {
    screen.text(Style::Dim, before);
    placed(screen, passage, source);
    if let Some(source) = source {
        screen.plain("  ").word(Style::Plain, &source.title);
    }
    screen.end();
}

fn placed(screen: &mut Screen, passage: &Passage, source: Option<&QuerySource>) {
    screen.word(Style::Name, &passage.path).text(Style::Dim, format!(":{}", passage.line));
    let Some(source) = source else { return };
    if source.disputed {
        screen.text(Style::Bad, "  disputed");
    }
    pending(screen, source);
    stale(screen, source);
}
