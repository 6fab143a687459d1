//! `brv vc rm`: removes files from the index and the work tree.

use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, warnings};
use brv_base::escape::quote_path;
use brv_commands::vc::rm::{self, EditPolicy, FolderPolicy, From, Mode, Options, Outcome, UnmatchedPolicy};
use brv_engine::Context;
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

impl Verb for Arguments {
    const NAME: &'static str = "vc rm";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            paths: self.paths.clone(),
            folders: if self.recursive { FolderPolicy::Recurse } else { FolderPolicy::Refuse },
            from: if self.cached { From::Index } else { From::Everywhere },
            edits: if self.force { EditPolicy::Remove } else { EditPolicy::Refuse },
            unmatched: if self.ignore_unmatch { UnmatchedPolicy::Ignore } else { UnmatchedPolicy::Refuse },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
        };
        let outcome = rm::run(cx, &options)?;
        let warnings = warnings::rm(&outcome).chain(warnings::written(&outcome.written)).collect::<Vec<_>>();
        Ok(Answer::new(outcome).warning(warnings))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        for path in &outcome.removed {
            screen.line(format!("rm '{}'", quote_path(path)));
        }
    }
}
