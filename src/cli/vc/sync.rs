//! `brv vc sync`: pulls and pushes in one command.

use crate::cli::format::above_zero;
use crate::cli::guarding::{Doors, SyncingGuards};
use crate::cli::integration::{self, on_conflict};
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::blocked::{self, Reader};
use crate::say::decisions::{self, Voice};
use crate::say::{Failure, guards, warnings, words};
use brv_commands::vc::merge::Undecided;
use brv_commands::vc::sync::{self, Mode, Options, Outcome, PushUpstream, Queueing, Relation, TRIES};
use brv_engine::Context;
use brv_engine::write::written::WrittenEffects;
use clap::Args;
use std::num::NonZeroU32;

/// The arguments of `brv vc sync`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc sync
  brv vc sync -u origin
  brv vc sync --on-conflict both
  brv vc sync --dry-run")]
pub struct Arguments {
    /// Remote or address; default: the remote of the branch's upstream
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// Remote branch; default: the upstream, or the branch of the same name
    #[arg(value_name = "BRANCH")]
    branch: Option<String>,
    /// Set the upstream to the remote branch; without an upstream, sync with the branch of the same name
    #[arg(short = 'u', long)]
    set_upstream: bool,
    /// What to do with conflicts; `stop` changes nothing, here or at the remote
    #[arg(long, value_name = "HOW", value_parser = on_conflict(), default_value = "stop")]
    on_conflict: Undecided,
    #[command(flatten)]
    doors: Doors<SyncingGuards>,
    /// Give up after N attempts
    #[arg(long, value_name = "N", value_parser = above_zero::<NonZeroU32>, default_value_t = TRIES, allow_negative_numbers = true)]
    tries: NonZeroU32,
    /// Fetch, then only show what would change, here and at the remote
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc sync";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            remote: self.remote.clone(),
            branch: self.branch.clone(),
            undecided: self.on_conflict,
            allowed: self.doors.allowed(),
            upstream: if self.set_upstream { PushUpstream::Set } else { PushUpstream::Keep },
            tries: self.tries,
            turns: Queueing::Taken,
            mode: self.mode(),
        };
        let data = sync::run(cx, &options)?;
        let next = words::tidying(data.tidying);
        let mut said = warnings::written(&WrittenEffects::from(&data.brought.written));
        said.extend(warnings::sync(&data));
        said.extend(warnings::unused(&data.unused));
        let (details, failure) = (integration::details(&data.brought), failing(&data, Reader::of(cx)));
        Ok(Answer::new(data).warning(said).next(details).next(next).failing(failure))
    }

    fn text(&self, data: &Outcome, screen: &mut Screen) {
        text(screen, data, self.mode());
    }
}

impl Arguments {
    const fn mode(&self) -> Mode {
        if self.dry_run { Mode::DryRun } else { Mode::Write }
    }
}

/// Conflicts, and content that must not be sent.
fn failing(data: &Outcome, reader: Reader) -> Option<Failure> {
    if let Some(stopped) = &data.brought.stopped {
        return Some(guards::stopped(stopped));
    }
    if let Some(blocked) = blocked::failure(&data.findings, &data.unreviewed, reader) {
        return Some(blocked);
    }
    let failure = decisions::failure(&data.brought.conflicts, Voice::Merge, "")?;
    // a merge starts from committed files
    let first =
        if data.uncommitted.is_empty() { "" } else { "commit the other files with `brv vc commit`; then " };
    Some(failure.hinting(Some(format!(
        "{first}start the merge with `brv vc pull`, resolve the conflicts and finish it, then run `brv vc sync` again; or choose a side with `--on-conflict`",
    ))))
}

fn text(screen: &mut Screen, data: &Outcome, mode: Mode) {
    let name = format!("{}/{}", data.source, data.branch);
    let brought = &data.brought;
    if !data.findings.is_empty() || data.unreviewed.stops {
        return;
    }
    if brought.relation == Relation::Stopped {
        integration::heading(screen, brought, &name, mode);
        return;
    }
    if brought.relation == Relation::Conflicted {
        screen
            .plain("Conflicts with ")
            .word(Style::Name, &name)
            .line(": nothing was changed, here or at the remote.");
        return;
    }
    if brought.relation != Relation::UpToDate || data.sent.is_none() {
        integration::heading(screen, brought, &name, mode);
    }
    if brought.relation != Relation::UpToDate {
        integration::body(screen, brought);
    }
    if let Some(sent) = &data.sent {
        let commits = words::many(sent.commits, "commit", "commits");
        screen.plain(match mode {
            Mode::Write => "Sent ",
            Mode::DryRun => "Would send ",
        });
        screen.plain(commits).plain(" to ").word(Style::Name, &name);
        if let Some(before) = &sent.before {
            let range = format!("{}..{}", &before[..7], sent.after.prefix(7));
            screen.plain(" (").text(Style::Notable, range).plain(")");
        }
        screen.end();
    }
    for followed in &data.followed {
        screen.word(Style::Name, &followed.branch).plain(" now tracks ");
        screen.word(Style::Name, &followed.upstream).line(".");
    }
    if data.tries > 1 {
        screen
            .text(Style::Dim, format!("Needed {} attempts: others were pushing as well.", data.tries))
            .end();
    }
}
