//! `brv tree`: lists folders and entries with their titles and summaries.

use super::format::above_zero;
use super::ui::{Screen, Style, keep_start};
use super::verb::{Answer, Purpose, Verb};
use super::withheld;
use crate::say::Failure;
use crate::say::words::many;
use brv_commands::tree::{self, Options, Outcome, TreeRow};
use brv_engine::Context;
use clap::Args;
use std::num::NonZeroU16;

/// Width of a row, without its indentation.
const COLUMNS: usize = 120;

/// The arguments of `brv tree`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv tree
  brv tree auth
  brv tree --depth 1
  brv tree --at origin/main")]
pub struct Arguments {
    /// A folder, relative to the current folder or to the tree; default: the whole tree
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Number of levels to show; default: as many as fit into 200 lines
    #[arg(short = 'L', long, value_name = "N", value_parser = above_zero::<NonZeroU16>, allow_negative_numbers = true)]
    depth: Option<NonZeroU16>,
    /// Read from the commit REV, not from disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,
}

impl Verb for Arguments {
    const NAME: &'static str = "tree";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let depth = self.depth.map(|depth| depth.get().into());
        let options = Options { name: self.path.clone(), depth, at: self.at.clone() };
        Ok(Answer::new(tree::run(cx, &options)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let is_entry = matches!(&outcome.rows[..], [TreeRow::Entry { path, .. }] if *path == outcome.path);
        if !is_entry {
            let folders = match outcome.path.is_empty() {
                true => many(outcome.folders, "domain", "domains"),
                false => many(outcome.folders, "folder", "folders"),
            };
            let place = if outcome.path.is_empty() { String::new() } else { format!("{}/: ", outcome.path) };
            let entries = many(outcome.entries, "entry", "entries");
            screen.word(Style::Strong, place).plain(format!("{entries} in {folders}"));
            about(screen, "", outcome.title.as_deref(), outcome.summary.as_deref());
        }
        outcome.rows.iter().for_each(|row| self::row(screen, row));
        withheld::count(screen, outcome.withheld);
        if outcome.unlisted_levels > 0 {
            let deepest = outcome.depth + outcome.unlisted_levels;
            let levels = format!("{} of {deepest} levels.", outcome.depth);
            screen.end().text(Style::Dim, format!("{levels} Name a folder, or use --depth.")).end();
        }
    }
}

fn row(screen: &mut Screen, row: &TreeRow) {
    let (TreeRow::Folder { path, level, title, summary, .. }
    | TreeRow::Entry { path, level, title, summary, .. }) = row;
    let name = path.rsplit('/').next().unwrap_or(path);
    screen.plain("  ".repeat(level - 1));
    match row {
        TreeRow::Folder { entries, .. } => {
            screen.word(Style::Name, format!("{name}/")).text(Style::Dim, format!(" ({entries})"));
        }
        TreeRow::Entry { status, .. } => {
            screen.word(Style::Plain, name);
            if let Some(status) = status {
                screen.text(Style::Notable, format!(" [{status}]"));
            }
        }
    }
    let (TreeRow::Folder { flagged, .. } | TreeRow::Entry { flagged, .. }) = row;
    if let Some(mark) = withheld::mark(flagged) {
        screen.text(Style::Notable, format!(" [{mark}]"));
    }
    about(screen, name, title.as_deref(), summary.as_deref());
}

/// Print the title, unless it repeats the name, and as much of the summary as fits on the line.
fn about(screen: &mut Screen, name: &str, title: Option<&str>, summary: Option<&str>) {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let title = title.filter(|title| letters(title) != letters(stem));
    let text = match (title, summary) {
        (Some(title), Some(summary)) => format!("{title}: {summary}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) => String::new(),
    };
    if !text.is_empty() {
        screen.plain("  ").word(Style::Dim, keep_start(&text, COLUMNS));
    }
    screen.end();
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
