//! `brv vc blame`: shows who wrote each line of a file, or who stated a fact.

use crate::cli::ui::{Screen, Style, width};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::clock::format_iso;
use brv_base::escape::quote_path;
use brv_commands::vc::blame::{
    self, BlameTarget, BlamedCommit, BlamedFact, BlamedLine, BlamedSource, BlamedStatement, Options, Outcome,
};
use brv_commands::vc::log::ShownCommit;
use brv_engine::Context;
use bstr::ByteSlice as _;
use clap::Args;
use std::collections::HashMap;

/// The arguments of `brv vc blame`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc blame auth/jwt/token.md
  brv vc blame -L 10,+5 HEAD~3 auth/jwt/token.md
  brv vc blame -L '/^## Facts/,/^## /' auth/jwt/token.md
  brv vc blame --fact token_lifetime auth/jwt/token.md
  brv vc blame --fact \"token lifetime\" auth/jwt/token.md --json")]
pub struct Arguments {
    /// Revision to start at, default: the file on disk; then the path
    #[arg(value_name = "REV|PATH")]
    arguments: Vec<String>,
    /// The path, after --
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<String>,
    /// Show only these lines: 10,20 or 10,+5 or /START/,/END/; may be repeated
    #[arg(short = 'L', value_name = "RANGE", conflicts_with = "fact", allow_hyphen_values = true)]
    lines: Vec<String>,
    /// Show who stated the fact about SUBJECT, when, why and from which source, and the statements before it
    #[arg(long, value_name = "SUBJECT")]
    fact: Option<String>,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc blame";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let what =
            self.fact.clone().map_or_else(|| BlameTarget::Lines(self.lines.clone()), BlameTarget::Fact);
        let options = Options { arguments: self.arguments.clone(), paths: self.paths.clone(), what };
        Ok(Answer::new(blame::run(cx, &options)?))
    }

    fn text(&self, data: &Outcome, screen: &mut Screen) {
        draw_lines(screen, data, data.lines.as_deref().unwrap_or_default(), data.now);
        if let Some(fact) = &data.fact {
            draw_fact(screen, data, fact, data.now);
        }
    }
}

/// The label before a line.
struct Label {
    id: String,
    path: String,
    who: String,
    when: String,
}

/// Minimum length of an id: seven digits, and one column for the boundary sign.
const LEAST_ID: usize = 8;

fn label(line: &BlamedLine, origin: Option<&BlamedCommit>, digits: usize, now: i64) -> Label {
    let path = quote_path(&line.path).into_owned();
    let Some(BlamedCommit { commit: ShownCommit { id, author, .. }, .. }) = origin else {
        let (who, when) = ("Not Committed Yet".to_owned(), format_iso(now, 0));
        return Label { id: "0".repeat(digits), path, who, when };
    };
    let id = match line.boundary {
        true => format!("^{id:.0$}", digits - 1),
        false => format!("{id:.digits$}"),
    };
    let who = author.name.to_str_lossy().into_owned();
    Label { id, path, who, when: format_iso(author.seconds, author.offset) }
}

/// Print lines as `git blame` does.
fn draw_lines(screen: &mut Screen, data: &Outcome, lines: &[BlamedLine], now: i64) {
    let longest = data.commits.iter().map(|origin| origin.short.len() + 1).max();
    let digits = longest.unwrap_or(LEAST_ID).max(LEAST_ID);
    let commits: HashMap<&str, &BlamedCommit> =
        data.commits.iter().map(|origin| (origin.commit.id.as_str(), origin)).collect();
    let origin = |line: &BlamedLine| commits.get(line.commit.as_deref()?).copied();
    let labels: Vec<Label> = lines.iter().map(|line| label(line, origin(line), digits, now)).collect();
    let shows_paths = lines.iter().any(|line| line.path != data.path);
    let path_width = labels.iter().map(|label| width(&label.path)).max().unwrap_or(0);
    let who_width = labels.iter().map(|label| width(&label.who)).max().unwrap_or(0);
    let number_width = lines.last().map_or(1, |line| line.line.to_string().len());
    for (line, label) in lines.iter().zip(&labels) {
        screen.text(Style::Notable, &label.id);
        if shows_paths {
            let space = " ".repeat(path_width - width(&label.path));
            screen.plain(" ").word(Style::Plain, &label.path).plain(space);
        }
        let space = " ".repeat(who_width - width(&label.who));
        screen.plain(" (").word(Style::Name, &label.who).plain(space);
        screen.plain(format!(" {} {:>number_width$}) ", label.when, line.line));
        screen.bytes(Style::Plain, &line.text).end();
    }
    draw_sources(screen, data);
}

/// Print which commits of the code the commits of the lines were learned from.
fn draw_sources(screen: &mut Screen, data: &Outcome) {
    let told = |origin: &BlamedCommit| {
        let source = sourced(
            (origin.source.as_ref()?, origin.source_commit.as_deref()),
            origin.source_author.as_deref(),
        );
        Some((origin.short.clone(), source))
    };
    let rows: Vec<(String, String)> = data.commits.iter().filter_map(told).collect();
    if !rows.is_empty() {
        screen.end();
    }
    for (short, source) in rows {
        screen.text(Style::Notable, short).plain(" was learned from ").word(Style::Plain, &source).end();
    }
}

fn draw_fact(screen: &mut Screen, data: &Outcome, fact: &BlamedFact, now: i64) {
    let subject = &fact.subject;
    if fact.current.is_empty() {
        screen.word(Style::Strong, subject).line(": no longer stated");
    }
    for stated in &fact.current {
        screen.word(Style::Strong, subject).plain(": ").word(Style::Plain, &stated.statement);
        let line = stated.line.unwrap_or_default();
        screen.text(Style::Dim, format!("  (line {line})")).end();
        draw_origin(screen, data, stated, now);
    }
    if !fact.earlier.is_empty() {
        screen.end().text(Style::Strong, "Before").end();
    }
    for stated in &fact.earlier {
        screen.plain("- ").word(Style::Plain, &stated.statement).end();
        draw_origin(screen, data, stated, now);
    }
}

/// Print who, when, why and from which source, a line each; unknown values are left out.
fn draw_origin(screen: &mut Screen, data: &Outcome, stated: &BlamedStatement, now: i64) {
    let mut row = |name: &str, value: &str| {
        screen.text(Style::Dim, format!("    {name:<10}")).word(Style::Plain, value).end();
    };
    let is_its = |origin: &&BlamedCommit| stated.commit.as_ref() == Some(&origin.commit.id);
    let Some(origin) = data.commits.iter().find(is_its) else {
        row("who", &format!("not committed yet, {}", format_iso(now, 0)));
        if let Some(source) = source(stated, None) {
            row("source", &source);
        }
        return;
    };
    let ShownCommit { author, subject, .. } = &origin.commit;
    row("who", &format!("{author}, {}", format_iso(author.seconds, author.offset)));
    row("commit", &format!("{} {}", origin.short, subject.to_str_lossy()));
    if stated.path != data.path {
        row("in", &stated.path.to_str_lossy());
    }
    let by_author = origin.actor.as_deref() == Some(author.to_string().as_str());
    for (name, value) in [
        ("agent", origin.actor.as_ref().filter(|_| !by_author)),
        ("session", origin.session.as_ref()),
        ("why", origin.reason.as_ref()),
        ("source", source(stated, origin.source_author.as_deref()).as_ref()),
        ("operation", origin.operation.as_ref()),
    ] {
        if let Some(value) = value {
            row(name, value);
        }
    }
}

/// The commit of the code that a statement was learned from, the recorded one where that is another, and who wrote it where
/// that is somebody else.
fn source(stated: &BlamedStatement, author: Option<&str>) -> Option<String> {
    Some(sourced((stated.source.as_ref()?, stated.source_commit.as_deref()), author))
}

/// A source, the commit that stands for it today, and its author.
fn sourced((source, commit): (&BlamedSource, Option<&str>), author: Option<&str>) -> String {
    let (recorded, by) = (&source.recorded, source.by);
    let text = match commit {
        Some(commit) if by == "same" => commit.to_owned(),
        Some(commit) => format!("{commit} (replaces {recorded}, found by {by})"),
        None => format!("unknown (recorded: {recorded})"),
    };
    match author {
        Some(author) => format!("{text}, by {author}"),
        None => text,
    }
}
