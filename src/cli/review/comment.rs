//! `brv review comment`: says something about an entry or a change; and the row of a comment.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::clock::format_utc;
use brv_commands::review::comment::{self, Comment, CommentSpot, CommentState, Options, Outcome};
use brv_engine::Context;
use clap::{Args, value_parser};

/// The arguments of `brv review comment`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv review comment 1a2b3c4d5e -m \"who asked for that?\"
  brv review comment auth/tokens --fact lifetime -m \"12 hours since May\"
  brv review comment auth/tokens.md --line 14 -m \"unclear\"",
    after_help = "A comment stays on this clone: it is in no commit, and no push sends it. Agents are shown it at the start of a session \
until it is answered. Approving or rejecting the change closes it. The same comment is not kept twice. A text with a \
secret is refused (exit 7)."
)]
pub struct Arguments {
    /// ID of a change, or its beginning; or the path of an entry
    #[arg(value_name = "ID|PATH")]
    id: String,
    /// On the fact with this subject
    #[arg(long, value_name = "SUBJECT", conflicts_with = "line")]
    fact: Option<String>,
    /// On this line
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    line: Option<u32>,
    /// What to say, in at most 4,000 characters
    #[arg(short = 'm', long = "message", value_name = "TEXT")]
    text: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "review comment";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let spot = match (&self.fact, self.line) {
            (Some(subject), _) => CommentSpot::Fact(subject.clone()),
            (None, Some(line)) => CommentSpot::Line(line),
            (None, None) => CommentSpot::Entry,
        };
        let options = Options { id: self.id.clone(), spot, text: self.text.clone(), expect: None };
        Ok(Answer::new(comment::run(cx, &options)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        row(screen, &outcome.comment);
    }
}

/// A comment on a few lines: where it is, the quote, what was said, and the answer.
pub(super) fn row(screen: &mut Screen, comment: &Comment) {
    let (style, word) = match comment.state {
        CommentState::Open => (Style::Notable, "open"),
        CommentState::Answered => (Style::Good, "answered"),
        CommentState::Outdated => (Style::Dim, "outdated"),
        CommentState::Closed => (Style::Dim, "closed"),
    };
    screen.text(Style::Notable, &comment.id).plain("  ").text(style, word).plain("  ");
    screen.word(Style::Name, &comment.path);
    if let Some(subject) = &comment.fact {
        screen.plain("  fact ").word(Style::Plain, subject);
    }
    if let Some(line) = comment.line {
        screen.plain(format!("  line {line}"));
    }
    if let Some(change) = &comment.change {
        screen.plain("  change ").text(Style::Notable, change);
    }
    screen.end();
    if !comment.quote.is_empty() {
        screen.plain("            ").text(Style::Dim, "> ").word(Style::Dim, &comment.quote).end();
    }
    remark(screen, (&comment.actor, comment.time), &comment.text);
    if let Some(answer) = &comment.answer {
        remark(screen, (&answer.actor, answer.time), &answer.text);
    }
}

fn remark(screen: &mut Screen, (actor, time): (&str, i64), text: &str) {
    screen.plain("            ").text(Style::Dim, format_utc(time)).plain(" ").word(Style::Name, actor);
    screen.plain(":").end();
    for line in text.lines() {
        screen.plain("              ").word(Style::Plain, line).end();
    }
}
