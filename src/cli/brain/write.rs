//! `brv brain write FILE`: keeps the summary in a file that agents read.

use super::told;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::brain::file::{self, InFile};
use brv_engine::Context;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `brv brain write`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv brain write AGENTS.md
  brv brain write CLAUDE.md")]
pub struct Arguments {
    /// The file; it is created if it does not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Verb for Arguments {
    const NAME: &'static str = "brain write";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = InFile;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, InFile>, Failure> {
        Ok(Answer::new(file::write(cx, &self.file)?))
    }

    fn text(&self, file: &InFile, screen: &mut Screen) {
        told(screen, file);
    }
}
