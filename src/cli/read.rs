//! `brv read`: an entry, or a folder, in the length that the reader has room for.

use super::format::Format;
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::ops::read::{self, Absence, InConflict, Level, Options, Outcome, Piece};
use crate::say::escape::escape_line;
use crate::say::words::many;
use crate::say::{Exit, Failure};
use crate::wire;
use clap::{Args, ValueEnum};

/// The arguments of `brv read`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv read auth/sessions/token_lifetime
  brv read auth/sessions/token_lifetime --level l0
  brv read auth --level l1
  brv read auth/sessions/token_lifetime --at HEAD~5
  brv read auth/context.md ops/deploy.md --json")]
pub struct Arguments {
    /// Entries or folders, with or without .md, from here or from the root of the tree; a folder is read by its index
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// How much: l0 (one line), l1 (key points) or full
    #[arg(short, long, value_name = "LEVEL", hide_possible_values = true)]
    level: Option<Length>,
    /// As REV has it, not as it is on disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Length {
    #[value(alias = "abstract")]
    L0,
    #[value(alias = "overview")]
    L1,
    Full,
}

impl From<Length> for Level {
    fn from(length: Length) -> Self {
        match length {
            Length::L0 => Self::Abstract,
            Length::L1 => Self::Overview,
            Length::Full => Self::Full,
        }
    }
}

impl Run for Arguments {
    const NAME: &'static str = "read";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options { names: self.paths, level: self.level.map(Into::into), at: self.at };
        let outcome = read::run(&session.context(), &options)?;
        let report = Report::new(wire::Read::from(&outcome))
            .long()
            .warning(outcome.pieces.iter().flat_map(remarks))
            .failing(failure(&outcome));
        Ok(session.report(report, |screen| draw(screen, &outcome.pieces)))
    }
}

/// What a reader should know who takes the text for what was asked for.
fn remarks(piece: &Piece) -> Vec<String> {
    let name = if piece.path.is_empty() { "the tree".into() } else { format!("`{}`", piece.path) };
    let given = match piece.given {
        Level::Abstract => "its abstract",
        Level::Overview => "its overview",
        Level::Full => "all of it",
    };
    // that a folder is read by its index is what everybody expects
    let fallback = piece.fallback.filter(|why| *why != read::Fallback::IsAFolder);
    let fallback = fallback.map(|why| format!("{name}: {why}; this is {given}"));
    let is_in_conflict = piece.source.as_ref().is_some_and(|source| source.conflict.is_some());
    let conflict = is_in_conflict.then(|| format!("{name} is in conflict: this is our side"));
    fallback.into_iter().chain(conflict).collect()
}

fn failure(outcome: &Outcome) -> Option<Failure> {
    let first = outcome.missing.first()?;
    let why = |missing: &read::Missing| {
        let name = escape_line(missing.name.as_bytes());
        match missing.why {
            Absence::NotThere => format!("`{name}` is not in the context tree"),
            Absence::NotKnowledge => format!("`{name}` is no knowledge"),
            Absence::Empty => format!("there is no knowledge in `{name}`"),
        }
    };
    let mut nearest: Vec<String> = Vec::new();
    for name in outcome.missing.iter().flat_map(|missing| &missing.nearest) {
        let name = format!("`{name}`");
        if !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    let hint = if nearest.is_empty() {
        "`brv tree` shows what there is".to_owned()
    } else {
        format!("perhaps {}; `brv tree` shows what there is", nearest.join(", "))
    };
    let failure = if outcome.missing.len() == 1 {
        Failure::usage(why(first))
    } else {
        let names = many(outcome.missing.len(), "name", "names");
        Failure::usage(format!("{names} cannot be read")).detailing(outcome.missing.iter().map(why))
    };
    Some(failure.hinting(Some(hint)))
}

/// One piece byte for byte; several under headings like those of `head` and `tail`.
fn draw(screen: &mut Screen, pieces: &[Piece]) {
    if let [piece] = pieces {
        screen.bytes(Style::Plain, &piece.bytes);
        marks(screen, piece);
        return;
    }
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            screen.end();
        }
        let path = if piece.path.is_empty() { "." } else { &piece.path };
        screen.plain("==> ").word(Style::Strong, path).plain(" <==").end();
        screen.bytes(Style::Plain, &piece.bytes);
        if !piece.bytes.ends_with(b"\n") {
            screen.end();
        }
        marks(screen, piece);
    }
}

/// Behind the text: what a reader must know before believing it. Also who reads nothing but standard output sees it.
fn marks(screen: &mut Screen, piece: &Piece) {
    let Some(source) = &piece.source else { return };
    if source.conflict.is_none() && source.disputes.is_empty() {
        return;
    }
    if !piece.bytes.ends_with(b"\n") {
        screen.end();
    }
    screen.end();
    match source.conflict {
        Some(InConflict::Unmerged) => {
            mark(screen, "in conflict", "this is our side; `brv vc resolve --list PATH` shows both");
        }
        Some(InConflict::Recorded) => mark(
            screen,
            "in conflict",
            "this is our side of markers that were recorded; `brv vc repair PATH` merges it again",
        ),
        None => {}
    }
    for dispute in &source.disputes {
        mark(screen, "disputed", &dispute.subject);
        for (at, claim) in dispute.claims.iter().enumerate() {
            let category = claim.category.map_or_else(String::new, |known| format!(" [{}]", known.as_str()));
            screen
                .text(Style::Dim, ">   ")
                .word(Style::Plain, format!("{}. {}{category}", at + 1, claim.statement));
            screen.end();
        }
        if dispute.claims.is_empty() {
            screen.text(Style::Dim, ">   ").line("both versions of a merge stand below this heading");
        }
    }
    if !source.disputes.is_empty() {
        screen.text(Style::Dim, "> ").line("`brv vc resolve PATH --fact SUBJECT --keep N` settles it");
    }
}

fn mark(screen: &mut Screen, what: &str, text: &str) {
    screen
        .text(Style::Dim, "> ")
        .text(Style::Notable, format!("[{what}]"))
        .plain(" ")
        .word(Style::Plain, text)
        .end();
}
