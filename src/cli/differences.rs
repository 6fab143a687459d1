//! What `diff` and `show` share: the flags that choose a form, and the drawing of changed files.

use super::counts;
use super::patch::{self, File};
use super::ui::{Form, Screen, Ui, quote_path};
use crate::diff::CONTEXT;
use crate::ops::steps::changes::{Detail, FileChange};
use clap::{Args, ValueEnum};

/// The flags that choose how changed files are shown.
#[derive(Debug, Args)]
pub struct Shape {
    /// text; words: changed words marked inside their lines; unified: an exact patch; or json
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Style>,
    /// Only how many lines changed in each file
    #[arg(long)]
    stat: bool,
    /// Only the paths
    #[arg(long, conflicts_with = "stat")]
    name_only: bool,
    /// Only the paths, with a letter for what happened
    #[arg(long, conflicts_with_all = ["stat", "name_only"])]
    name_status: bool,
    /// Unchanged lines around each change
    #[arg(short = 'U', long = "unified", value_name = "N", default_value_t = CONTEXT, hide_default_value = true)]
    context: usize,
}

/// The forms of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    Text,
    Words,
    Unified,
    Json,
}

/// What is shown of each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Lines,
    Counts,
    Names,
    NamesAndLetters,
}

impl Shape {
    /// The form asked for.
    #[must_use]
    pub fn form(&self) -> Form {
        if self.format == Some(Style::Json) { Form::Json } else { Form::Text }
    }

    /// How much the use case must find out.
    #[must_use]
    pub fn detail(&self, ui: &Ui) -> Detail {
        let context = self.context;
        let words = ui.form() == Form::Json
            || self.format == Some(Style::Words)
            || (self.format != Some(Style::Unified) && ui.is_coloured());
        match self.part() {
            Part::Names | Part::NamesAndLetters => Detail::Names,
            // binary files are told by their difference, not by their counts
            Part::Counts => Detail::Lines { context: 0 },
            Part::Lines if words => Detail::Words { context },
            Part::Lines => Detail::Lines { context },
        }
    }

    /// Whether the JSON form carries the changed lines.
    #[must_use]
    pub fn shows_lines(&self) -> bool {
        self.part() == Part::Lines
    }

    const fn part(&self) -> Part {
        match (self.stat, self.name_only, self.name_status) {
            (true, ..) => Part::Counts,
            (_, true, _) => Part::Names,
            (.., true) => Part::NamesAndLetters,
            _ => Part::Lines,
        }
    }

    /// Put the files on the screen.
    pub fn draw(&self, screen: &mut Screen, changes: &[FileChange]) {
        match self.part() {
            Part::Names => changes.iter().for_each(|change| {
                screen.line(quote_path(&change.path).as_bytes());
            }),
            Part::NamesAndLetters => changes.iter().for_each(|change| name_and_letter(screen, change)),
            Part::Counts => {
                let files: Vec<File<'_>> = changes.iter().map(File::from).collect();
                let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
                counts::counts(screen, &files, columns);
            }
            Part::Lines => changes.iter().map(File::from).for_each(|file| match self.format {
                Some(Style::Words) => patch::by_words(screen, &file),
                Some(Style::Unified) => patch::unified(screen.without_colours(), &file),
                _ => patch::unified(screen, &file),
            }),
        }
    }
}

/// The letter, and the path; for a moved file both paths. Tabs stand between them.
fn name_and_letter(screen: &mut Screen, change: &FileChange) {
    let path = quote_path(&change.path);
    screen.line(match (&change.renamed_from, change.before, change.after) {
        (Some(old), ..) => format!("R\t{}\t{path}", quote_path(old)),
        (None, None, _) => format!("A\t{path}"),
        (None, _, None) => format!("D\t{path}"),
        _ => format!("M\t{path}"),
    });
}
