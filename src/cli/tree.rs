//! `brv tree`: folders and entries with what they are about.

use super::format::{Format, above_zero};
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style, width};
use crate::ops::tree::{self, About, Node, Options, Outcome, Row};
use crate::say::Exit;
use crate::say::Failure;
use crate::say::words::many;
use crate::wire;
use clap::Args;
use std::num::NonZeroU16;

/// The columns of a row, what stands before it not counted.
const COLUMNS: usize = 120;

/// The arguments of `brv tree`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv tree
  brv tree auth
  brv tree --depth 1
  brv tree --at origin/main")]
pub struct Arguments {
    /// A folder, from here or from the root of the tree; without it the whole tree
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// How many levels; without it as many as fit into 200 lines
    #[arg(short = 'L', long, value_name = "N", value_parser = above_zero::<NonZeroU16>, allow_negative_numbers = true)]
    depth: Option<NonZeroU16>,
    /// As REV has it, not as it is on disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "tree";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options =
            Options { name: self.path, depth: self.depth.map(|depth| depth.get().into()), at: self.at };
        let outcome = tree::run(&mut session.context(), &options)?;
        let report = Report::new(wire::Tree::from(&outcome)).long();
        Ok(session.report(report, |screen| draw(screen, &outcome)))
    }
}

fn draw(screen: &mut Screen, outcome: &Outcome) {
    let is_entry = matches!(&outcome.rows[..], [row] if row.path == outcome.path);
    if !is_entry {
        let folders = match outcome.path.is_empty() {
            true => many(outcome.folders, "domain", "domains"),
            false => many(outcome.folders, "folder", "folders"),
        };
        let place = if outcome.path.is_empty() { String::new() } else { format!("{}/: ", outcome.path) };
        let entries = many(outcome.entries, "entry", "entries");
        screen.word(Style::Strong, place).plain(format!("{entries} in {folders}"));
        about(screen, "", &outcome.about);
    }
    outcome.rows.iter().for_each(|row| self::row(screen, row));
    if outcome.depth < outcome.deepest {
        let levels = format!("{} of {} levels.", outcome.depth, outcome.deepest);
        screen.end().text(Style::Dim, format!("{levels} Name a folder, or give --depth.")).end();
    }
}

fn row(screen: &mut Screen, row: &Row) {
    let name = row.path.rsplit('/').next().unwrap_or(&row.path);
    screen.plain("  ".repeat(row.level - 1));
    match row.node {
        Node::Folder { entries } => {
            screen.word(Style::Name, format!("{name}/")).text(Style::Dim, format!(" ({entries})"));
        }
        Node::Entry { status, .. } => {
            screen.word(Style::Plain, name);
            if let Some(status) = status {
                screen.text(Style::Notable, format!(" [{}]", status.as_str()));
            }
        }
    }
    about(screen, name, &row.about);
}

/// The title, unless it is the name again, and the summary, as far as the line goes.
fn about(screen: &mut Screen, name: &str, about: &About) {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let title = about.title.as_deref().filter(|title| letters(title) != letters(stem));
    let text = match (title, about.summary.as_deref()) {
        (Some(title), Some(summary)) => format!("{title}: {summary}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) => String::new(),
    };
    if !text.is_empty() {
        screen.plain("  ").word(Style::Dim, shortened(&text, COLUMNS));
    }
    screen.end();
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `text` in at most `columns`, cut at a word where it is too long.
fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split_inclusive(' ') {
        if width(&short) + width(word) > columns {
            break;
        }
        short.push_str(word);
    }
    if short.is_empty() {
        short = text.chars().take(columns / 2).collect();
    }
    format!("{}…", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_summary_ends_at_a_word() {
        assert_eq!(shortened("one two three", 13), "one two three");
        assert_eq!(shortened("one two three", 10), "one two…");
        assert_eq!(shortened(&"令".repeat(30), 20), format!("{}…", "令".repeat(10)));
    }
}
