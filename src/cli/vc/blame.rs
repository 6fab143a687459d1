//! `brv vc blame`: who wrote each line of a file, or stated what is said about a subject.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style, width};
use crate::clock::format_iso;
use crate::ops::vc::blame::{self, Answer, Hunk, Options, Origin, Outcome, Stated, What};
use crate::say::escape::quote_path;
use crate::say::{Exit, Failure};
use crate::wire;
use bstr::{BString, ByteSlice as _};
use clap::Args;

/// The arguments of `brv vc blame`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc blame auth/jwt/token.md
  brv vc blame -L 10,+5 HEAD~3 auth/jwt/token.md
  brv vc blame -L '/^## Facts/,/^## /' auth/jwt/token.md
  brv vc blame --fact token_lifetime auth/jwt/token.md
  brv vc blame --fact \"token lifetime\" auth/jwt/token.md --json")]
pub struct Arguments {
    /// A revision, or none for the file as it is; then the path
    #[arg(value_name = "REV|PATH")]
    arguments: Vec<String>,
    /// The path, behind --
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<String>,
    /// Only these lines: 10,20 or 10,+5 or /START/,/END/; may be given more than once
    #[arg(short = 'L', value_name = "RANGE", conflicts_with = "fact", allow_hyphen_values = true)]
    lines: Vec<String>,
    /// Who stated what is said about SUBJECT, why, from where, and what was stated before
    #[arg(long, value_name = "SUBJECT")]
    fact: Option<String>,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc blame";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let what = self.fact.map_or(What::Lines(self.lines), What::Fact);
        let options = Options { arguments: self.arguments, paths: self.paths, what };
        let outcome = blame::run(&session.context(), &options)?;
        let report = Report::new(wire::Blame::from(&outcome)).long();
        let now = session.clock.seconds();
        Ok(session.report(report, |screen| match &outcome.answer {
            Answer::Lines { lines, hunks } => draw_lines(screen, &outcome, lines, hunks, now),
            Answer::Fact { subject, current, earlier } => {
                draw_fact(screen, &outcome, subject, current, earlier, now);
            }
        }))
    }
}

/// What stands before a line.
struct Label {
    id: String,
    path: String,
    who: String,
    when: String,
}

/// Digits of an id, and one for the sign of a boundary.
const LEAST_ID: usize = 8;

fn label(outcome: &Outcome, hunk: &Hunk, digits: usize, now: i64) -> Label {
    let path = quote_path(&hunk.path).into_owned();
    let Some(origin) = hunk.commit.and_then(|id| outcome.commits.get(&id)) else {
        let (who, when) = ("Not Committed Yet".to_owned(), format_iso(now, 0));
        return Label { id: "0".repeat(digits), path, who, when };
    };
    let author = &origin.commit.author;
    let id = match hunk.is_boundary {
        true => format!("^{}", origin.commit.id.prefix(digits - 1)),
        false => origin.commit.id.prefix(digits),
    };
    let who = author.name.to_str_lossy().into_owned();
    Label { id, path, who, when: format_iso(author.seconds, author.offset) }
}

/// As `git blame` shows them.
fn draw_lines(screen: &mut Screen, outcome: &Outcome, lines: &[BString], hunks: &[Hunk], now: i64) {
    let longest = outcome.commits.values().map(|origin| origin.short.len() + 1).max();
    let digits = longest.unwrap_or(LEAST_ID).max(LEAST_ID);
    let labels: Vec<Label> = hunks.iter().map(|hunk| label(outcome, hunk, digits, now)).collect();
    let shows_paths = hunks.iter().any(|hunk| hunk.path != outcome.path);
    let path_width = labels.iter().map(|label| width(&label.path)).max().unwrap_or(0);
    let who_width = labels.iter().map(|label| width(&label.who)).max().unwrap_or(0);
    let number_width = hunks.last().map_or(1, |hunk| hunk.lines.end.to_string().len());
    for (hunk, label) in hunks.iter().zip(&labels) {
        for number in hunk.lines.clone() {
            screen.text(Style::Notable, &label.id);
            if shows_paths {
                let space = " ".repeat(path_width - width(&label.path));
                screen.plain(" ").word(Style::Plain, &label.path).plain(space);
            }
            let space = " ".repeat(who_width - width(&label.who));
            screen.plain(" (").word(Style::Name, &label.who).plain(space);
            screen.plain(format!(" {} {:>number_width$}) ", label.when, number + 1));
            screen.bytes(Style::Plain, lines[number].trim_end_with(|sign| sign == '\n')).end();
        }
    }
}

fn draw_fact(
    screen: &mut Screen,
    outcome: &Outcome,
    subject: &str,
    current: &[(usize, Stated)],
    earlier: &[Stated],
    now: i64,
) {
    if current.is_empty() {
        screen.word(Style::Strong, subject).line(": nothing is stated any more");
    }
    for (line, stated) in current {
        screen.word(Style::Strong, subject).plain(": ").word(Style::Plain, &stated.statement);
        screen.text(Style::Dim, format!("  (line {line})")).end();
        draw_origin(screen, outcome, stated, now);
    }
    if !earlier.is_empty() {
        screen.end().text(Style::Strong, "Before").end();
    }
    for stated in earlier {
        screen.plain("- ").word(Style::Plain, &stated.statement).end();
        draw_origin(screen, outcome, stated, now);
    }
}

/// Who, when, why and from where, a line each; what nobody said is left out.
fn draw_origin(screen: &mut Screen, outcome: &Outcome, stated: &Stated, now: i64) {
    let mut row = |name: &str, value: &str| {
        screen.text(Style::Dim, format!("    {name:<10}")).word(Style::Plain, value).end();
    };
    let Some(origin) = stated.commit.and_then(|id| outcome.commits.get(&id)) else {
        row("who", &format!("not committed yet, {}", format_iso(now, 0)));
        return;
    };
    let Origin { commit, short, provenance } = origin;
    let author = &commit.author;
    row("who", &format!("{author}, {}", format_iso(author.seconds, author.offset)));
    row("commit", &format!("{short} {}", commit.subject().to_str_lossy()));
    if stated.path != outcome.path {
        row("in", &stated.path.to_str_lossy());
    }
    let by_author = provenance.actor.as_deref() == Some(author.to_string().as_str());
    for (name, value) in [
        ("agent", provenance.actor.as_ref().filter(|_| !by_author)),
        ("session", provenance.session.as_ref()),
        ("why", provenance.reason.as_ref()),
        ("source", provenance.source_commit.as_ref()),
        ("operation", provenance.operation.as_ref()),
    ] {
        if let Some(value) = value {
            row(name, value);
        }
    }
}
