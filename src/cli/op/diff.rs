//! `brv op diff`: shows what an operation changed in the files, in the formats of `brv vc diff`.

use super::show::moved;
use crate::cli::differences::Shape;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Style};
use crate::say::page::{Front, Page};
use crate::say::words::short_operation;
use crate::say::{Exit, Failure};
use crate::wire;
use brv_commands::op::show::{self, Options};
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
    shape: Shape,
}

impl Run for Arguments {
    const NAME: &'static str = "op diff";
    const HAS_OWN_FORMATS: bool = true;

    fn form(&self) -> Form {
        self.shape.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        self.shape.check()?;
        let options =
            Options { operation: self.operation, detail: self.shape.detail(session.ui.destination()) };
        let data = wire::OpDiff::new(show::run(&session.context(), &options)?, self.shape.shows_lines());
        let report = Report::new(&data).long().output(self.shape.output());
        let page = || {
            let short = short_operation(&data.id);
            let front = Front::Between { before: format!("before {short}"), after: format!("after {short}") };
            Page::new(front, &data.told.entries, &data.told.files, &[])
        };
        Ok(session.report(report, |screen| {
            if let Some(page) = self.shape.page(page) {
                screen.bytes(Style::Plain, page);
                return;
            }
            if data.told.files.is_empty() && self.shape.shows_lines() {
                moved(screen, &data.moves, &data.settings);
            }
            self.shape.draw(session.ui.destination(), screen, &data.told.files, &data.told.entries);
        }))
    }
}
