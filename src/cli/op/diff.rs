//! `brv op diff`: shows what an operation changed in the files, in the formats of `brv vc diff`.

use super::show::moved;
use crate::cli::differences::DiffFlags;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::page::{Page, PageFront};
use crate::say::words::short_operation;
use brv_commands::op::diff::{self, Outcome};
use brv_commands::op::show::Options;
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv op diff`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv op diff last
  brv op diff 1a2b3c4d --stat
  brv op diff 1a2b3c4d --format text")]
pub struct Arguments {
    /// Operation ID from `brv op log`, or `last`
    #[arg(value_name = "ID")]
    operation: String,
    #[command(flatten)]
    shape: DiffFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "op diff";
    const TEXT: Purpose = Purpose::LongAnswer;
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = Outcome;

    fn differences(&mut self) -> Option<&mut DiffFlags> {
        Some(&mut self.shape)
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        self.shape.check()?;
        let options = Options { operation: self.operation.clone(), detail: self.shape.detail() };
        Ok(Answer::new(diff::run(cx, &options, self.shape.shows_lines())?))
    }

    fn text(&self, data: &Outcome, screen: &mut Screen) {
        let entries = data.entries.as_deref().unwrap_or_default();
        let page = || {
            let short = short_operation(&data.id);
            let front =
                PageFront::Between { before: format!("before {short}"), after: format!("after {short}") };
            Page::new(front, entries, &data.changed, &[])
        };
        if let Some(page) = self.shape.page(page) {
            screen.bytes(Style::Plain, page);
            return;
        }
        if data.changed.is_empty() && self.shape.shows_lines() {
            moved(screen, &data.moves, &data.settings);
        }
        self.shape.draw(screen, &data.changed, entries);
    }
}
