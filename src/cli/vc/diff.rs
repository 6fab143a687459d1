//! `brv vc diff`: shows the differences between two states of the tree.

use crate::cli::differences::DiffFlags;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::cli::withheld;
use crate::say::page::{Page, PageFront};
use crate::say::{Exit, Failure};
use brv_base::escape::quote_path;
use brv_commands::vc::diff::{self, Against, Options, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv vc diff`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc diff
  brv vc diff --staged --stat
  brv vc diff HEAD~3 -- auth
  brv vc diff main..origin/main --format text
  brv vc diff --format unified > edits.patch
  brv vc diff main..origin/main --format html --output review.html")]
pub struct Arguments {
    /// A..B, A B, REV, or nothing (changes not staged); then paths
    #[arg(value_name = "REV|PATH")]
    arguments: Vec<String>,
    /// Paths, after --
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<String>,
    /// Show what is staged for the next commit
    #[arg(long, visible_alias = "cached")]
    staged: bool,
    /// Exit 1 if there are differences
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    shape: DiffFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc diff";
    const TEXT: Purpose = Purpose::LongAnswer;
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = Outcome;

    fn differences(&mut self) -> Option<&mut DiffFlags> {
        Some(&mut self.shape)
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        self.shape.check()?;
        let options = Options {
            arguments: self.arguments.clone(),
            paths: self.paths.clone(),
            against: if self.staged { Against::Index } else { Against::WorkTree },
            detail: self.shape.detail(),
            with_lines: self.shape.shows_lines(),
            is_masked: false,
        };
        let data = diff::run(cx, &options)?;
        let is_empty = data.files.drawn.is_empty() && data.unmerged.is_empty();
        let exit = if self.exit_code && !is_empty { Exit::Failed } else { Exit::Done };
        Ok(Answer::new(data).exit(exit))
    }

    fn text(&self, data: &Outcome, screen: &mut Screen) {
        let entries = data.entries.as_deref().unwrap_or_default();
        let page = || {
            let front = PageFront::between(&data.before, &data.after);
            Page::new(front, entries, &data.files.drawn, &data.unmerged)
        };
        if let Some(page) = self.shape.page(page) {
            screen.bytes(Style::Plain, page);
            return withheld::count(screen, data.withheld);
        }
        for path in &data.unmerged {
            screen.line(format!("* Unmerged path {}", quote_path(path)));
        }
        self.shape.draw(screen, &data.files.drawn, entries);
        withheld::count(screen, data.withheld);
    }
}
