//! `brv vc switch`: go to another branch, make one, or leave all of them for a commit.

use super::branch::Tracking;
use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::cli::written;
use crate::ops::vc::switch::{self, Derive, Existing, Guess, Local, Options, To};
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use clap::Args;

/// The arguments of `brv vc switch`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc switch topic
  brv vc switch -
  brv vc switch -c topic origin/main
  brv vc switch --detach HEAD~2")]
pub struct Arguments {
    /// The branch; with -c where the new one starts, with --detach a commit
    #[arg(value_name = "REV")]
    target: Option<String>,
    /// Make the branch NAME
    #[arg(short, long, value_name = "NAME", conflicts_with_all = ["force_create", "detach"])]
    create: Option<String>,
    /// Make the branch NAME, or move it where it exists; git's -C is a folder in brv
    #[arg(long, value_name = "NAME", conflicts_with = "detach")]
    force_create: Option<String>,
    /// Go to the commit itself
    #[arg(short, long)]
    detach: bool,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    format: Format,
}

/// How it is gone to a branch or commit.
#[derive(Debug, Args)]
pub struct Manner {
    /// Give local changes up; they stay on record
    #[arg(short, long, visible_alias = "discard-changes")]
    force: bool,
    #[command(flatten)]
    tracking: Tracking,
    /// Make no branch where only a remote has one of the name
    #[arg(long)]
    no_guess: bool,
    /// Leave the derived files for later
    #[arg(long)]
    no_derive: bool,
}

impl Manner {
    /// What becomes of local changes.
    #[must_use]
    pub const fn local(&self) -> Local {
        if self.force { Local::Discard } else { Local::Keep }
    }

    /// Whether the derived files are made again.
    #[must_use]
    pub const fn derive(&self) -> Derive {
        if self.no_derive { Derive::Later } else { Derive::Now }
    }

    /// Whether a branch is made that only a remote has.
    #[must_use]
    pub const fn guess(&self) -> Guess {
        if self.no_guess { Guess::Refuse } else { Guess::Allow }
    }

    /// What a new branch follows.
    #[must_use]
    pub const fn tracking(&self) -> &Tracking {
        &self.tracking
    }
}

impl Run for Arguments {
    const NAME: &'static str = "vc switch";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = self.options()?;
        let outcome = switch::run(&session.context(), &options)?;
        let data = wire::Switch::from(&outcome);
        let report = Report::new(&data).account().warning(warnings::written(&data.written));
        Ok(session.report(report, |screen| account(screen, &data)))
    }
}

impl Arguments {
    fn options(self) -> Result<Options, Failure> {
        let track = self.manner.tracking.track();
        let (local, derive, guess) = (self.manner.local(), self.manner.derive(), self.manner.guess());
        let to = match (self.create, self.force_create, self.target) {
            (Some(name), _, start) => To::New { name, start, existing: Existing::Stays, track },
            (_, Some(name), start) => To::New { name, start, existing: Existing::Moves, track },
            (.., target) if self.detach => To::Commit(target),
            (.., Some(start)) if self.manner.tracking.is_asked() => {
                let name = name_of(&start)?;
                To::New { name, start: Some(start), existing: Existing::Stays, track }
            }
            (.., Some(name)) => To::Branch { name, guess },
            _ => return Err(Failure::usage("name the branch to go to")),
        };
        Ok(Options { to, local, derive })
    }
}

/// The name of a branch that is to follow `origin/topic`: `topic`.
pub fn name_of(start: &str) -> Result<String, Failure> {
    let short = start.strip_prefix("refs/").unwrap_or(start);
    let short = short.strip_prefix("remotes/").unwrap_or(short);
    match short.split_once('/') {
        Some((_, name)) if !name.is_empty() => Ok(name.to_owned()),
        _ => Err(Failure::usage("the new branch needs a name")),
    }
}

/// Where `HEAD` is now, what came along, and what was given up.
pub fn account(screen: &mut Screen, data: &wire::Switch) {
    let commit = data.after.commit.as_deref().map(|id| &id[..7]);
    match (&data.after.branch, commit) {
        (Some(branch), _) if data.made.as_deref() == Some(branch) => {
            screen.plain(made(data)).word(Style::Name, branch);
            if let Some(upstream) = &data.follows {
                screen.plain(", which follows ").word(Style::Name, upstream);
            }
            screen.line(".");
        }
        (Some(branch), _) if data.before.branch.as_deref() == Some(branch) => {
            screen.plain("On ").word(Style::Name, branch).line(" already.");
        }
        (Some(branch), _) => {
            screen.plain("Switched to ").word(Style::Name, branch).line(".");
        }
        (None, Some(commit)) => {
            screen.plain("HEAD is at ").text(Style::Notable, commit).line(", on no branch.");
        }
        (None, None) => {}
    }
    if data.files > 0 {
        screen.line(format!(" {}", words::many(data.files, "file changed", "files changed")));
    }
    for (paths, word) in [(&data.kept, "came along"), (&data.discarded, "given up")] {
        if !paths.is_empty() {
            screen.line(format!(" {} {word}", words::many(paths.len(), "local change", "local changes")));
        }
    }
    if let (Some(upstream), Some(branch)) = (&data.upstream, &data.after.branch) {
        standing(screen, branch, upstream);
    }
    written::derived(screen, &data.written);
}

/// As git tells a branch that was made from one that was moved.
fn made(data: &wire::Switch) -> &'static str {
    match data.moved_from {
        None => "Switched to the new branch ",
        Some(_) if data.before.branch == data.after.branch => "Reset branch ",
        Some(_) => "Switched to and reset branch ",
    }
}

fn standing(screen: &mut Screen, branch: &str, upstream: &wire::BranchUpstream) {
    let commits = |count| words::many(count, "commit", "commits");
    let distance = match (upstream.ahead, upstream.behind) {
        (Some(0), Some(0)) | (None, _) | (_, None) => return,
        (Some(ahead), Some(0)) => format!("{} ahead of ", commits(ahead)),
        (Some(0), Some(behind)) => format!("{} behind ", commits(behind)),
        (Some(ahead), Some(behind)) => format!("{ahead} ahead of and {} behind ", commits(behind)),
    };
    screen.plain(" ").word(Style::Name, branch).plain(format!(" is {distance}"));
    screen.word(Style::Name, &upstream.name).end();
}
