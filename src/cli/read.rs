//! `brv read`: prints an entry or a folder, in full or in short.

use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use super::withheld;
use crate::say::words::many;
use crate::say::{Failure, last_changes, warnings};
use brv_base::escape::escape_line;
use brv_commands::read::{
    self, Absence, InConflict, Level, MissingName, Options, Outcome, PieceKind, ReadPiece, steering,
};
use brv_engine::{Context, FailureKind};
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
    /// Entries or folders, with or without .md, relative to the current folder or to the tree; a folder prints its
    /// index
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// How much to print: l0 (one line), l1 (key points) or full
    #[arg(short, long, value_name = "LEVEL", hide_possible_values = true)]
    level: Option<Length>,
    /// Read from the commit REV, not from disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,
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

impl Verb for Arguments {
    const NAME: &'static str = "read";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let level = self.level.map(Into::into);
        let options = Options { names: self.paths.clone(), level, at: self.at.clone() };
        let (outcome, after) = read::run(cx, &options)?;
        let warnings: Vec<String> = outcome.pieces.iter().flat_map(warnings::read).collect();
        let failure = failing(&outcome.missing);
        Ok(Answer::new(outcome).warning(warnings).failing(failure).after(after))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        draw(screen, &outcome.pieces);
        withheld::count(screen, outcome.withheld);
    }
}

/// For an agent: what it reads, who wrote it, and whether that is still so. A person knows what he asked for.
fn origin(screen: &mut Screen, piece: &ReadPiece) {
    let Some(made) = &piece.last_change else { return };
    let path = if piece.path.is_empty() { "." } else { &piece.path };
    screen.text(Style::Dim, "[").word(Style::Name, path);
    match piece.subject {
        PieceKind::Folder => screen.text(Style::Dim, ": made of its entries"),
        _ => screen.plain(": ").word(Style::Dim, last_changes::by(made)),
    };
    if let Some(line) = piece.freshness.as_ref().and_then(|freshness| freshness.line()) {
        screen.plain("; ").word(Style::Notable, line);
    }
    screen.text(Style::Dim, "]").end();
}

/// Print one piece byte for byte, or several under headings like those of `head` and `tail`.
fn draw(screen: &mut Screen, pieces: &[ReadPiece]) {
    if let [piece] = pieces {
        origin(screen, piece);
        screen.bytes(Style::Plain, &piece.text);
        marks(screen, piece);
        return;
    }
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            screen.end();
        }
        let path = if piece.path.is_empty() { "." } else { &piece.path };
        screen.plain("==> ").word(Style::Strong, path).plain(" <==").end();
        origin(screen, piece);
        screen.bytes(Style::Plain, &piece.text);
        if !piece.text.ends_with(b"\n") {
            screen.end();
        }
        marks(screen, piece);
    }
}

/// Print, after the text, what a reader must know before believing it; on standard output, so that every reader sees
/// it.
fn marks(screen: &mut Screen, piece: &ReadPiece) {
    if piece.subject == PieceKind::Archived {
        if !piece.text.ends_with(b"\n") {
            screen.end();
        }
        screen.end();
        let rest = match &piece.restore {
            Some(restore) => format!("`{restore}` restores the entry"),
            None => "the other tool left nothing else of the entry".to_owned(),
        };
        mark(screen, "archived", &format!("this is its stub; {rest}"));
    }
    if !piece.flagged.is_empty() {
        if !piece.text.ends_with(b"\n") {
            screen.end();
        }
        screen.end();
        let words = piece.flagged.join(", ");
        let text =
            format!("{words}; from elsewhere, withheld from agents; `brv review approve PATH` accepts it");
        mark(screen, "flagged", &text);
    }
    let Some(source) = &piece.source else { return };
    if source.conflict.is_none() && source.disputed.is_empty() {
        return;
    }
    if !piece.text.ends_with(b"\n") {
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
            "this is our side of conflict markers in the last commit; `brv vc repair PATH` redoes the merge",
        ),
        None => {}
    }
    for dispute in &source.disputed {
        mark(screen, "disputed", &dispute.subject);
        for (claim, number) in dispute.claims.iter().zip(1..) {
            let category = claim.category.map_or_else(String::new, |known| format!(" [{}]", known.as_str()));
            screen
                .text(Style::Dim, ">   ")
                .word(Style::Plain, format!("{number}. {}{category}", claim.statement));
            screen.end();
        }
        if dispute.claims.is_empty() {
            screen.text(Style::Dim, ">   ").line("both versions of a merge are below this heading");
        }
    }
    if !source.disputed.is_empty() {
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

/// Names that were not found.
pub fn failing(missing: &[MissingName]) -> Option<Failure> {
    let first = missing.first()?;
    let why = |missing: &MissingName| {
        let name = escape_line(missing.name.as_bytes());
        match missing.why {
            Absence::NotThere => format!("`{name}` is not in the context tree"),
            Absence::NotKnowledge => format!("`{name}` is not managed by brv"),
            Absence::Empty => format!("`{name}` has no entries"),
            Absence::Elsewhere => format!("`{name}` is archived, and its content is not in this clone"),
            Absence::OffDisk => format!("`{name}` is not on this disk: `--at HEAD` reads it"),
            Absence::Withheld => {
                let found: Vec<&str> = missing.flagged.iter().map(|word| steering(word)).collect();
                format!("`{name}` is withheld: it came from elsewhere and has {}", found.join(" and "))
            }
        }
    };
    if missing.iter().any(|missing| missing.why == Absence::Withheld) {
        let message = match missing.len() {
            1 => why(first),
            count => format!("cannot read {}", many(count, "name", "names")),
        };
        let failure = Failure::new(FailureKind::Blocked, message)
            .detailing(missing.iter().skip(usize::from(missing.len() == 1)).map(why));
        return Some(failure.hinting(Some(
            "a person can look at it with `brv review pending`, and accept it with `brv review approve`",
        )));
    }
    let mut nearest: Vec<String> = Vec::new();
    for name in missing.iter().flat_map(|missing| &missing.nearest) {
        let name = format!("`{name}`");
        if !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    let hint = if nearest.is_empty() {
        "`brv tree` lists all entries".to_owned()
    } else {
        format!("perhaps {}; `brv tree` lists all entries", nearest.join(", "))
    };
    let failure = if missing.len() == 1 {
        Failure::usage(why(first))
    } else {
        let names = many(missing.len(), "name", "names");
        Failure::usage(format!("cannot read {names}")).detailing(missing.iter().map(why))
    };
    Some(failure.hinting(Some(hint)))
}
