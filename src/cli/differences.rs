//! What `diff` and `show` share: the flags that choose a form, and the drawing of changed files.

use super::patch::{self, File};
use super::ui::{Form, Screen, Ui};
use super::{counts, knowledge};
use crate::diff::CONTEXT;
use crate::diff::knowledge::Entry;
use crate::ops::vc::diff::{Detail, FileChange};
use crate::say::Failure;
use crate::say::escape::quote_path;
use crate::say::page::{Page, html, markdown};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The flags that choose how changed files are shown.
#[derive(Debug, Args)]
pub struct Shape {
    /// text: entries by fields, facts and sections, the default on a terminal; words: lines with their changed words
    /// marked; unified: an exact patch, the default elsewhere; markdown: entries for a comment on a pull request; html: a
    /// page that needs nothing else; or json
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
    /// Write into FILE instead of on standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The forms of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    Text,
    Words,
    Unified,
    Json,
    Markdown,
    Html,
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
    /// Refuse what cannot be had together.
    ///
    /// # Errors
    /// Counts or names as a page.
    pub fn check(&self) -> Result<(), Failure> {
        let format = match self.format {
            Some(Style::Html) => "html",
            Some(Style::Markdown) => "markdown",
            _ => return Ok(()),
        };
        let flag = match self.part() {
            Part::Lines => return Ok(()),
            Part::Counts => "--stat",
            Part::Names => "--name-only",
            Part::NamesAndLetters => "--name-status",
        };
        Err(Failure::usage(format!("`{flag}` and `--format {format}` cannot be had together"))
            .hinting(Some("a page has the names and the counts beside what the entries say")))
    }

    /// Whether counts or names are asked for.
    #[must_use]
    pub fn is_asked_for(&self) -> bool {
        self.part() != Part::Lines
    }

    /// Whether the form is a page of its own.
    #[must_use]
    pub fn is_page(&self) -> bool {
        matches!(self.format, Some(Style::Html | Style::Markdown))
    }

    /// The form asked for.
    #[must_use]
    pub fn form(&self) -> Form {
        if self.format == Some(Style::Json) { Form::Json } else { Form::Text }
    }

    /// The file that the output goes into.
    #[must_use]
    pub fn output(&self) -> Option<PathBuf> {
        self.output.clone()
    }

    /// How much the use case must find out.
    #[must_use]
    pub fn detail(&self, ui: &Ui) -> Detail {
        let context = self.context;
        match (self.part(), self.style(ui)) {
            (Part::Names | Part::NamesAndLetters, _) => Detail::Names,
            // binary files are told by their difference, not by their counts
            (Part::Counts, _) => Detail::Lines { context: 0 },
            (Part::Lines, Style::Json) => Detail::Everything { context },
            (Part::Lines, Style::Text | Style::Markdown | Style::Html) => Detail::Meaning { context },
            (Part::Lines, Style::Words) => Detail::Words { context },
            // the patch that is asked for by its name has no colours, whatever the settings say
            (Part::Lines, Style::Unified) if self.format.is_none() && ui.is_coloured() => {
                Detail::Words { context }
            }
            (Part::Lines, Style::Unified) => Detail::Lines { context },
        }
    }

    /// The form that is given: for people by meaning, for programs a patch, unless they ask.
    fn style(&self, ui: &Ui) -> Style {
        match self.format {
            _ if ui.form() == Form::Json => Style::Json,
            Some(style) => style,
            None if ui.is_terminal() && self.output.is_none() => Style::Text,
            None => Style::Unified,
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

    /// The entries as a page of their own, if that is asked for; `page` is what is on it.
    #[must_use]
    pub fn page<'a>(&self, page: impl FnOnce() -> Page<'a>) -> Option<String> {
        match (self.part(), self.format?) {
            (Part::Lines, Style::Markdown) => Some(markdown::render(&page())),
            (Part::Lines, Style::Html) => Some(html::render(&page())),
            _ => None,
        }
    }

    /// Put the files on the screen, or the entries.
    pub fn draw(&self, ui: &Ui, screen: &mut Screen, changes: &[FileChange], entries: &[Entry]) {
        match (self.part(), self.style(ui)) {
            (Part::Names, _) => changes.iter().for_each(|change| {
                screen.line(quote_path(&change.path).as_bytes());
            }),
            (Part::NamesAndLetters, _) => changes.iter().for_each(|change| name_and_letter(screen, change)),
            (Part::Counts, _) => {
                let files: Vec<File<'_>> = changes.iter().map(File::from).collect();
                let columns = ui.environment().get("COLUMNS").and_then(|columns| columns.parse().ok());
                counts::counts(screen, &files, columns);
            }
            // the text of the JSON form is not shown, and pages are no text
            (Part::Lines, Style::Text | Style::Json | Style::Markdown | Style::Html) => {
                knowledge::text(screen, entries, changes)
            }
            (Part::Lines, Style::Words) => {
                changes.iter().map(File::from).for_each(|file| patch::by_words(screen, &file));
            }
            (Part::Lines, Style::Unified) => {
                let screen = if self.format.is_some() { screen.without_colours() } else { screen };
                changes.iter().map(File::from).for_each(|file| patch::unified(screen, &file));
            }
        }
    }
}

/// The letter, and the path; for a moved file how much of it stayed, in percent, and both paths. Tabs stand between them.
fn name_and_letter(screen: &mut Screen, change: &FileChange) {
    let path = quote_path(&change.path);
    screen.line(match (&change.renamed_from, change.before, change.after) {
        (Some(old), ..) => {
            format!("R{:03}\t{}\t{path}", change.similarity.unwrap_or_default(), quote_path(old))
        }
        (None, None, _) => format!("A\t{path}"),
        (None, _, None) => format!("D\t{path}"),
        (None, Some(before), Some(after)) if !before.mode.is_of_same_type(after.mode) => {
            format!("T\t{path}")
        }
        _ => format!("M\t{path}"),
    });
}
