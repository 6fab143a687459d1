//! `brv vc restore`: restores files, or the index, from the index or a commit.

use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::cli::written;
use crate::say::{Failure, warnings, words};
use brv_commands::vc::restore::{self, Derive, Options, Places, RestoreSide, RestoreVersion, Restored};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv vc restore`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc restore auth/tokens.md
  brv vc restore --staged auth/tokens.md
  brv vc restore --source HEAD~2 --staged --worktree auth
  brv vc restore --ours auth/tokens.md")]
pub struct Arguments {
    /// Files, folders or patterns
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
    /// Restore from this commit; default: the index, or HEAD with --staged
    #[arg(short, long, value_name = "REV")]
    source: Option<String>,
    /// Restore the index
    #[arg(short = 'S', long)]
    staged: bool,
    /// Restore the files; the default without --staged
    #[arg(short = 'W', long)]
    worktree: bool,
    /// Take our side of files in conflict
    #[arg(short = '2', long, conflicts_with_all = ["theirs", "source"])]
    ours: bool,
    /// Take their side of files in conflict
    #[arg(short = '3', long, conflicts_with = "source")]
    theirs: bool,
    /// Do not update derived files
    #[arg(long)]
    no_derive: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc restore";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Restored;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Restored>, Failure> {
        let places = match (self.staged, self.worktree) {
            (true, true) => Places::Both,
            (true, false) => Places::Index,
            (false, _) => Places::Files,
        };
        let source = match (self.ours, self.theirs, &self.source) {
            (true, ..) => RestoreVersion::Side(RestoreSide::Ours),
            (_, true, _) => RestoreVersion::Side(RestoreSide::Theirs),
            (.., Some(revision)) => RestoreVersion::Revision(revision.clone()),
            _ => RestoreVersion::Usual,
        };
        let derive = if self.no_derive { Derive::Later } else { Derive::Now };
        let options = Options { paths: self.paths.clone(), source, places, derive };
        let restored = restore::run(cx, &options)?;
        let warnings = warnings::written(&restored.written);
        Ok(Answer::new(restored).warning(warnings))
    }

    fn text(&self, restored: &Restored, screen: &mut Screen) {
        account(screen, restored);
    }
}

/// Print how much was restored.
pub fn account(screen: &mut Screen, data: &Restored) {
    let files = words::many(data.files.len(), "file", "files");
    let entries = words::many(data.recorded.len(), "entry", "entries");
    screen.line(match (data.files.is_empty(), data.recorded.is_empty()) {
        (true, true) => "Nothing to restore.".to_owned(),
        (false, true) => format!("Restored {files}."),
        (true, false) => format!("Restored {entries} in the index."),
        (false, false) => format!("Restored {files} and {entries} in the index."),
    });
    written::derived(screen, &data.written);
}
