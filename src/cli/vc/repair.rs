//! `brv vc repair`: redoes the merge of a file that a git host or another tool merged line by line.

use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::Screen;
use crate::say::words::many;
use crate::say::{Exit, Failure, decisions, failing, warnings};
use crate::wire::{self, RepairState};
use brv_base::escape::{escape_line, quote_path};
use brv_commands::vc::repair::{self, Mode, Options};
use clap::Args;

/// The arguments of `brv vc repair`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc repair auth/jwt/token.md
  brv vc repair auth/jwt/token.md --dry-run")]
pub struct Arguments {
    /// Files with committed conflict markers, or with a duplicate key in the frontmatter
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
    /// Write nothing; show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "vc repair";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let options = Options { paths: self.paths, mode };
        let data = wire::Repair::from(&repair::run(&session.context(), &options)?);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&data.written))
            .next(data.written.rewritten.operation.as_ref().map(|_| "brv vc diff"))
            .failing(failing::repair(&data));
        Ok(session.report(report, |screen| text(screen, &data, mode)))
    }
}

fn text(screen: &mut Screen, data: &wire::Repair, mode: Mode) {
    if data.files.is_empty() {
        screen.line("Nothing to repair.");
    }
    for file in &data.files {
        let path = quote_path(file.path.as_bytes());
        match &file.state {
            RepairState::Sound => {
                screen.line(format!("{path}: nothing to repair"));
            }
            RepairState::Repaired { merge, settled, records, open, .. } => {
                let done = match mode {
                    Mode::Write => "was redone, not staged yet",
                    Mode::DryRun => "would be redone",
                };
                let settled = match settled {
                    0 => String::new(),
                    settled => format!("; {} settled by rule", many(*settled, "difference", "differences")),
                };
                let open = match open {
                    0 => String::new(),
                    open => format!("; {} left", many(*open, "conflict", "conflicts")),
                };
                screen.line(format!("{path}: the merge {} {done}{settled}{open}", &merge[..7]));
                for record in records {
                    screen.line(format!("  {}", escape_line(decisions::line(record).as_bytes())));
                }
            }
            RepairState::InTheWay { .. } | RepairState::NoMerge { .. } | RepairState::Unmerged => {}
        }
    }
}
