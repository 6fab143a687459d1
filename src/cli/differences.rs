//! Diff output shared by `diff`, `show` and `log`: the format flags, and printing changed files.

use super::patch::{self, File};
use super::ui::{Destination, Form, Screen};
use super::{counts, knowledge};
use crate::say::Failure;
use crate::say::page::{Page, html, markdown};
use brv_base::escape::quote_path;
use brv_commands::vc::diff::{Detail, FileChange};
use brv_text::diff::CONTEXT;
use brv_text::diff::knowledge::Entry;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The flags that choose how changed files are shown.
#[derive(Debug, Args)]
pub struct DiffFlags {
    /// text: entries by fields, facts and sections, the default on a terminal; unified: git's patch, the default in a
    /// pipe or a file; words: lines with changed words marked; markdown: entries, for a pull request comment; html: a
    /// self-contained page; or json
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<DiffFormat>,
    /// Show only the number of changed lines of each file
    #[arg(long)]
    stat: bool,
    /// Show only the paths
    #[arg(long, conflicts_with = "stat")]
    name_only: bool,
    /// Show only the paths, with a status letter
    #[arg(long, conflicts_with_all = ["stat", "name_only"])]
    name_status: bool,
    /// Show N unchanged lines around each change
    #[arg(short = 'U', long = "unified", value_name = "N", default_value_t = CONTEXT, hide_default_value = true)]
    context: usize,
    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Where the answer is shown.
    #[arg(skip)]
    pub destination: Destination,
}

/// The diff formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    Text,
    Words,
    Unified,
    Json,
    Markdown,
    Html,
}

/// What is shown of each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiffPart {
    Lines,
    Counts,
    Names,
    NamesAndLetters,
}

impl DiffFlags {
    /// Reject flags that cannot be combined.
    ///
    /// # Errors
    /// `--stat` or names together with a page format.
    pub fn check(&self) -> Result<(), Failure> {
        let format = match self.format {
            Some(DiffFormat::Html) => "html",
            Some(DiffFormat::Markdown) => "markdown",
            _ => return Ok(()),
        };
        let flag = match self.part() {
            DiffPart::Lines => return Ok(()),
            DiffPart::Counts => "--stat",
            DiffPart::Names => "--name-only",
            DiffPart::NamesAndLetters => "--name-status",
        };
        Err(Failure::usage(format!("`{flag}` cannot be used with `--format {format}`"))
            .hinting(Some("a page already shows the names and the counts")))
    }

    /// Whether `--stat` or one of the name flags is given.
    pub fn is_asked_for(&self) -> bool {
        self.part() != DiffPart::Lines
    }

    /// Whether the format is a page of its own.
    pub fn is_page(&self) -> bool {
        matches!(self.format, Some(DiffFormat::Html | DiffFormat::Markdown))
    }

    pub fn form(&self) -> Form {
        if self.format == Some(DiffFormat::Json) { Form::Json } else { Form::Text }
    }

    /// The file that the output is written to.
    pub fn output(&self) -> Option<PathBuf> {
        self.output.clone()
    }

    /// How much the command must find out.
    pub fn detail(&self) -> Detail {
        let context = self.context;
        match (self.part(), self.style()) {
            (DiffPart::Names | DiffPart::NamesAndLetters, _) => Detail::Names,
            (DiffPart::Counts, _) => Detail::Counts,
            (DiffPart::Lines, DiffFormat::Json) => Detail::Everything { context },
            (DiffPart::Lines, DiffFormat::Text | DiffFormat::Markdown | DiffFormat::Html) => {
                Detail::Meaning { context }
            }
            (DiffPart::Lines, DiffFormat::Words) => Detail::Words { context },
            // a patch requested with `--format unified` has no colours, whatever the settings say
            (DiffPart::Lines, DiffFormat::Unified)
                if self.format.is_none() && self.destination.is_coloured =>
            {
                Detail::Words { context }
            }
            (DiffPart::Lines, DiffFormat::Unified) => Detail::Lines { context },
        }
    }

    /// The format to use: by default text on a terminal, and a patch for programs.
    fn style(&self) -> DiffFormat {
        match self.format {
            _ if self.destination.form == Form::Json => DiffFormat::Json,
            Some(style) => style,
            None if self.destination.is_terminal && self.output.is_none() => DiffFormat::Text,
            None => DiffFormat::Unified,
        }
    }

    /// Whether the JSON output has the changed lines.
    pub fn shows_lines(&self) -> bool {
        self.part() == DiffPart::Lines
    }

    const fn part(&self) -> DiffPart {
        match (self.stat, self.name_only, self.name_status) {
            (true, ..) => DiffPart::Counts,
            (_, true, _) => DiffPart::Names,
            (.., true) => DiffPart::NamesAndLetters,
            _ => DiffPart::Lines,
        }
    }

    /// The entries as a page, if a page format is requested; `page` makes its content.
    pub fn page<'a>(&self, page: impl FnOnce() -> Page<'a>) -> Option<String> {
        match (self.part(), self.format?) {
            (DiffPart::Lines, DiffFormat::Markdown) => Some(markdown::render(&page())),
            (DiffPart::Lines, DiffFormat::Html) => Some(html::render(&page())),
            _ => None,
        }
    }

    /// Print the files, or the entries.
    pub fn draw(&self, screen: &mut Screen, changes: &[FileChange], entries: &[Entry]) {
        match (self.part(), self.style()) {
            (DiffPart::Names, _) => changes.iter().for_each(|change| {
                screen.line(quote_path(&change.path).as_bytes());
            }),
            (DiffPart::NamesAndLetters, _) => {
                changes.iter().for_each(|change| name_and_letter(screen, change))
            }
            (DiffPart::Counts, _) => {
                counts::counts(screen, changes.iter().map(File::from), self.destination.columns);
            }
            // JSON output prints no text, and pages are printed elsewhere
            (
                DiffPart::Lines,
                DiffFormat::Text | DiffFormat::Json | DiffFormat::Markdown | DiffFormat::Html,
            ) => knowledge::text(screen, entries, changes),
            (DiffPart::Lines, DiffFormat::Words) => {
                changes.iter().map(File::from).for_each(|file| patch::by_words(screen, &file));
            }
            (DiffPart::Lines, DiffFormat::Unified) => {
                let screen = if self.format.is_some() { screen.without_colours() } else { screen };
                changes.iter().map(File::from).for_each(|file| patch::unified(screen, &file));
            }
        }
    }
}

/// The status letter and the path, separated by tabs; for a renamed file the similarity in percent and both paths.
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
