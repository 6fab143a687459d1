//! `brv brain unwrite FILE`: takes the summary out of a file.

use super::told;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::brain::file::{self, Unwritten};
use brv_engine::Context;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `brv brain unwrite`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv brain unwrite AGENTS.md")]
pub struct Arguments {
    /// The file; if brv created it and nothing else is in it, it is deleted
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Verb for Arguments {
    const NAME: &'static str = "brain unwrite";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Unwritten;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Unwritten>, Failure> {
        Ok(Answer::new(file::unwrite(cx, &self.file)?))
    }

    fn text(&self, unwritten: &Unwritten, screen: &mut Screen) {
        told(screen, &unwritten.0);
    }
}
