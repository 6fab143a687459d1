//! `brv vc switch`: switches to another branch, creates one, or detaches HEAD at a commit.

use super::branch::Tracking;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::cli::written;
use crate::say::{Failure, warnings, words};
use brv_commands::vc::switch::{self, Derive, Existing, Guess, Local, Options, Switched, To, Upstream};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv vc switch`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc switch topic
  brv vc switch -
  brv vc switch -c topic origin/main
  brv vc switch --detach HEAD~2")]
pub struct Arguments {
    /// Branch to switch to; with -c, the start point of the new branch; with --detach, a commit
    #[arg(value_name = "REV")]
    target: Option<String>,
    /// Create the branch NAME and switch to it
    #[arg(short, long, value_name = "NAME", conflicts_with_all = ["force_create", "detach"])]
    create: Option<String>,
    /// Create or reset the branch NAME and switch to it (git's -C; in brv, -C sets the folder)
    #[arg(long, value_name = "NAME", conflicts_with = "detach")]
    force_create: Option<String>,
    /// Detach HEAD at the commit
    #[arg(short, long)]
    detach: bool,
    #[command(flatten)]
    manner: SwitchFlags,
}

/// Flags shared by `switch` and `checkout`.
#[derive(Debug, Args)]
pub struct SwitchFlags {
    /// Discard local changes; `brv undo` restores them
    #[arg(short, long, visible_alias = "discard-changes")]
    force: bool,
    #[command(flatten)]
    tracking: Tracking,
    /// Do not create a branch from a remote branch of the same name
    #[arg(long)]
    no_guess: bool,
    /// Do not update derived files
    #[arg(long)]
    no_derive: bool,
}

impl SwitchFlags {
    /// Whether local changes are kept or discarded.
    pub const fn local(&self) -> Local {
        if self.force { Local::Discard } else { Local::Keep }
    }

    /// Whether derived files are updated.
    pub const fn derive(&self) -> Derive {
        if self.no_derive { Derive::Later } else { Derive::Now }
    }

    /// Whether a missing branch is created from a remote branch of the same name.
    pub const fn guess(&self) -> Guess {
        if self.no_guess { Guess::Refuse } else { Guess::Allow }
    }

    /// The upstream of a new branch.
    pub const fn tracking(&self) -> &Tracking {
        &self.tracking
    }
}

impl Verb for Arguments {
    const NAME: &'static str = "vc switch";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Switched;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Switched>, Failure> {
        let switched = switch::run(cx, &self.options()?)?;
        let warnings = warnings::switched(&switched);
        Ok(Answer::new(switched).warning(warnings))
    }

    fn text(&self, switched: &Switched, screen: &mut Screen) {
        account(screen, switched);
    }
}

impl Arguments {
    fn options(&self) -> Result<Options, Failure> {
        let track = self.manner.tracking.track();
        let (local, derive, guess) = (self.manner.local(), self.manner.derive(), self.manner.guess());
        let to = match (self.create.clone(), self.force_create.clone(), self.target.clone()) {
            (Some(name), _, start) => To::New { name, start, existing: Existing::Stays, track },
            (_, Some(name), start) => To::New { name, start, existing: Existing::Moves, track },
            (.., target) if self.detach => To::Commit(target),
            (.., Some(start)) if self.manner.tracking.is_asked() => {
                let name = name_of(&start)?;
                To::New { name, start: Some(start), existing: Existing::Stays, track }
            }
            (.., Some(name)) => To::Branch { name, guess },
            _ => return Err(Failure::usage("name the branch to switch to")),
        };
        Ok(Options { to, local, derive })
    }
}

/// The name of a new branch that tracks `origin/topic`: `topic`.
pub fn name_of(start: &str) -> Result<String, Failure> {
    let short = start.strip_prefix("refs/").unwrap_or(start);
    let short = short.strip_prefix("remotes/").unwrap_or(short);
    match short.split_once('/') {
        Some((_, name)) if !name.is_empty() => Ok(name.to_owned()),
        _ => Err(Failure::usage("the new branch needs a name")),
    }
}

/// Print where `HEAD` is now, and which local changes were kept or discarded.
pub fn account(screen: &mut Screen, data: &Switched) {
    let commit = data.after.commit.as_ref().map(words::short);
    match (&data.after.branch, commit) {
        (Some(branch), _) if data.made.as_deref() == Some(branch) => {
            screen.plain(made(data)).word(Style::Name, branch);
            if let Some(upstream) = &data.follows {
                screen.plain(", which tracks ").word(Style::Name, upstream);
            }
            screen.line(".");
        }
        (Some(branch), _) if data.before.branch.as_deref() == Some(branch) => {
            screen.plain("Already on ").word(Style::Name, branch).line(".");
        }
        (Some(branch), _) => {
            screen.plain("Switched to ").word(Style::Name, branch).line(".");
        }
        (None, Some(commit)) => {
            screen.plain("HEAD detached at ").text(Style::Notable, commit).line(".");
        }
        (None, None) => {}
    }
    if data.files > 0 {
        screen.line(format!(" {}", words::many(data.files, "file changed", "files changed")));
    }
    for (paths, word) in [(&data.kept, "kept"), (&data.discarded, "discarded")] {
        if !paths.is_empty() {
            screen.line(format!(" {} {word}", words::many(paths.len(), "local change", "local changes")));
        }
    }
    if let (Some(upstream), Some(branch)) = (&data.upstream, &data.after.branch) {
        standing(screen, branch, upstream);
    }
    written::derived(screen, &data.written);
}

/// As in git: a created branch is worded differently from one that was moved.
fn made(data: &Switched) -> &'static str {
    match data.moved_from {
        None => "Switched to a new branch ",
        Some(_) if data.before.branch == data.after.branch => "Reset branch ",
        Some(_) => "Switched to and reset branch ",
    }
}

fn standing(screen: &mut Screen, branch: &str, upstream: &Upstream) {
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
