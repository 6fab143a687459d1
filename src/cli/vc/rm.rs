//! `brv vc rm`: removes files from the index and the work tree.

use crate::cli::session::{Report, Run, Session};
use crate::say::{Exit, Failure, warnings};
use crate::wire;
use brv_base::escape::quote_path;
use brv_commands::vc::rm::{self, Edits, Folders, From, Mode, Options, Unmatched};
use clap::Args;

/// The arguments of `brv vc rm`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc rm auth/jwt/token.md
  brv vc rm --dry-run -r auth/jwt
  brv vc rm --cached notes.txt")]
pub struct Arguments {
    /// Tracked files, and folders with -r
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
    /// Also remove folders, with all tracked files in them
    #[arg(short)]
    recursive: bool,
    /// Remove only from the index; keep the files
    #[arg(long)]
    cached: bool,
    /// Also remove files with uncommitted edits; `brv undo` restores them
    #[arg(short, long)]
    force: bool,
    /// Exit 0 even if a path matches no file
    #[arg(long)]
    ignore_unmatch: bool,
    /// Write nothing; show what would be removed
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "vc rm";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            paths: self.paths,
            folders: if self.recursive { Folders::Recurse } else { Folders::Refuse },
            from: if self.cached { From::Index } else { From::Everywhere },
            edits: if self.force { Edits::Remove } else { Edits::Refuse },
            unmatched: if self.ignore_unmatch { Unmatched::Ignore } else { Unmatched::Refuse },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
        };
        let data = wire::Rm::from(&rm::run(&session.context(), &options)?);
        let report = Report::new(&data)
            .account()
            .warning(warnings::rm(&data))
            .warning(warnings::written(&data.written));
        Ok(session.report(report, |screen| {
            for path in &data.removed {
                screen.line(format!("rm '{}'", quote_path(path)));
            }
        }))
    }
}
