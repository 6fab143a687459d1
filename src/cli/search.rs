//! `brv search`: lists what matches a text.

use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use super::withheld;
use crate::say::review::stale::left_behind;
use crate::say::{Failure, warnings};
use brv_commands::search::{self, Features, MOST, Options, Origin, Outcome, SearchExplanation, SearchResult};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv search`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv search \"refresh token rotation\"
  brv search auth rotation
  brv search 'tag:decision \"signing key\"' --limit 5
  brv search retries --related --json")]
pub struct Arguments {
    /// Words, "phrases" and tag:NAME; a first word that names a folder restricts the search to it
    #[arg(value_name = "TEXT", required = true, num_args = 1..)]
    text: Vec<String>,
    /// Show at most N results, from 1 to 50
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=MOST as i64))]
    limit: u8,
    /// Search only in this folder
    #[arg(long, value_name = "PATH")]
    scope: Option<String>,
    /// Also show what the results link to, and what links to them
    #[arg(long)]
    related: bool,
    /// Do not count the first result as used, nor note what was given
    #[arg(long)]
    no_hits: bool,
    /// Look for edited files now, not only every few seconds
    #[arg(long)]
    fresh: bool,
    /// Show the parts of the relevance
    #[arg(long)]
    explain: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "search";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            text: self.text.join(" "),
            limit: usize::from(self.limit),
            scope: self.scope.clone(),
            related: self.related,
            no_hits: self.no_hits,
            fresh: self.fresh,
            explain: self.explain,
        };
        let (outcome, beside, after) = search::run(cx, &options)?;
        let found = outcome.results.iter().map(|row| (row.path.as_str(), row.freshness.as_ref()));
        let stale = warnings::stale(found);
        let in_conflict = outcome.results.iter().filter(|row| row.conflict).map(|row| row.path.as_str());
        let in_conflict = warnings::in_conflict(in_conflict);
        Ok(Answer::new(outcome)
            .warning(warnings::widened(beside.widened.as_deref()))
            .warning(warnings::unkept(beside.unkept.as_deref()))
            .in_text(stale)
            .in_text(in_conflict)
            .warning(warnings::without_phrases(beside.without_phrases))
            .after(after))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.results.is_empty() {
            screen.line("Nothing found.");
        }
        for row in &outcome.results {
            one(screen, row);
        }
        withheld::count(screen, outcome.withheld);
        if !outcome.covered && !outcome.results.is_empty() {
            screen.text(Style::Dim, "The best match is weak: this seems not to be covered.").end();
        }
        if let Some(explained) = &outcome.explain {
            screen.word(Style::Dim, parts(explained));
            screen.end();
        }
    }
}

/// The parts of relevance, by the names that the help uses.
pub(super) fn parts(explained: &SearchExplanation) -> String {
    let Features { passage, coverage, names, missing, unknown, speaker, length, lead, covered, right } =
        explained.features;
    let exact = match &*explained.anchors {
        [] => String::new(),
        anchors => format!("; exactly there: {}", anchors.join(", ")),
    };
    format!(
        "best match: passage {passage:.2}, coverage {coverage:.2}, names {names:.2}, missing {missing:.2}, unknown {unknown:.2}, \
         speaker {speaker:.2}, length {length:.2}, lead {lead:.2}; covered {covered:+.2}, right {right:+.2}{}{exact}",
        not_found(&explained.unmatched)
    )
}
/// The mark of an entry in conflict.
pub(super) const IN_CONFLICT: &str = "in conflict: our side";

pub(super) fn not_found(words: &[String]) -> String {
    if words.is_empty() { String::new() } else { format!("; not found: {}", words.join(", ")) }
}

/// A result on two lines.
pub(super) fn one(screen: &mut Screen, result: &SearchResult) {
    screen.text(Style::Dim, format!("{:.2}  ", result.score));
    screen.word(Style::Name, result.path.as_str());
    if result.line > 1 {
        screen.text(Style::Dim, format!(":{}", result.line));
    }
    screen.plain("  ").word(Style::Plain, &result.title);
    let kind = result.kind.word();
    let notes = [
        result.date.clone(),
        (kind != "entry").then(|| kind.to_owned()),
        result.disputed.then(|| "disputed".to_owned()),
        result.conflict.then(|| IN_CONFLICT.to_owned()),
        (!result.pending.is_empty()).then(|| format!("pending review: {}", result.pending.join(", "))),
        result.unmerged.as_ref().map(|branch| left_behind(branch.as_deref())),
        withheld::mark(&result.flagged),
        result.freshness.as_ref().and_then(|freshness| freshness.line()),
        result.via.as_ref().map(|via| format!("related to {via}")),
        result.last_change.as_ref().map(Origin::line),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if !notes.is_empty() {
        screen.plain("  ").word(Style::Dim, format!("[{}]", notes.join(", ")));
    }
    screen.end();
    if !result.excerpt.is_empty() {
        screen.plain("      ").word(Style::Plain, &result.excerpt).end();
    }
}
