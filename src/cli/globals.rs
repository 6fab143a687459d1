//! The flags that every command has.

use super::format::choice;
use super::ui::{Loudness, Paging, Showing};
use crate::say::Failure;
use brv_base::config::{self, Color};
use brv_engine::FailureKind;
use clap::Args;
use clap::builder::TypedValueParser;
use std::path::PathBuf;

/// The global flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Globals {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Print one JSON object, even for errors; short for --format json. With =N, version N of its schema
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, value_parser = number, global = true)]
    pub json: Option<Option<u32>>,
    /// Print only data and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_parser = colors(), global = true, hide_possible_values = true)]
    pub color: Option<Color>,
    /// Show progress, even if standard error is not a terminal
    #[arg(long, global = true)]
    pub progress: bool,
    /// Do not page long output
    #[arg(long, global = true)]
    pub no_pager: bool,
}

fn number(text: &str) -> Result<u32, &'static str> {
    text.parse().map_err(|_| "must be the number of a version, such as --json=1")
}

fn colors() -> impl TypedValueParser<Value = Color> {
    choice([
        (Color::Auto, "auto", "On a terminal"),
        (Color::Always, "always", "Even in pipes and files"),
        (Color::Never, "never", "Never"),
    ])
}

impl Globals {
    pub fn settings(&self) -> config::Flags {
        config::Flags { color: self.color }
    }

    /// The folder to run in: the current one, or the one that `-C` names.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn folder(&self) -> Result<PathBuf, Failure> {
        let current = std::env::current_dir().map_err(|error| {
            Failure::new(FailureKind::Failed, format!("cannot find the current folder: {error}"))
        })?;
        let Some(directory) = &self.directory else { return Ok(current) };
        let folder = current.join(directory);
        if folder.is_dir() {
            return Ok(real(folder));
        }
        Err(Failure::usage(format!("`{}` is not a folder", directory.display())))
    }

    /// How much is printed beside the data.
    pub const fn loudness(&self) -> Loudness {
        if self.quiet { Loudness::Quiet } else { Loudness::Normal }
    }

    /// Whether progress is shown.
    pub const fn showing(&self) -> Showing {
        if self.progress { Showing::Always } else { Showing::Auto }
    }

    /// Whether a pager may be used.
    pub const fn paging(&self) -> Paging {
        if self.no_pager { Paging::Off } else { Paging::Auto }
    }
}

/// Resolve `..` and symlinks, as the system does for the current folder of a program.
pub fn real(folder: PathBuf) -> PathBuf {
    // few programs accept the form that Windows returns for such a path
    if cfg!(windows) { folder } else { folder.canonicalize().unwrap_or(folder) }
}
