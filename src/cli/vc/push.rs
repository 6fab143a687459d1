//! `brv vc push`: sends commits to a remote, and updates its refs.

use crate::cli::guarding::{Doors, SendingGuards};
use crate::cli::ui::{Screen, Style};
use crate::cli::vc::transfer;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::blocked::{self, Reader};
use crate::say::{Failure, refs, warnings, words};
use brv_commands::vc::push::{
    self, Atomicity, ForcePolicy, InProgress, Mode, Moved, Options, Outcome, PushUpstream, Ref, Selection,
    Unreached, Verify,
};
use brv_engine::Context;
use brv_engine::outcome::in_progress::continuing;
use clap::Args;

/// The arguments of `brv vc push`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc push
  brv vc push -u origin main
  brv vc push --atomic --follow-tags origin main
  brv vc push --dry-run --all origin")]
pub struct Arguments {
    /// Remote or address; default: the branch's push remote
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// [+]SOURCE[:DESTINATION], optionally with `*` on both sides; default: as push.default says
    #[arg(value_name = "REFSPEC")]
    refspecs: Vec<String>,
    /// Set the upstream of each pushed branch
    #[arg(short = 'u', long)]
    set_upstream: bool,
    /// Push all branches
    #[arg(long, visible_alias = "branches", conflicts_with_all = ["tags", "delete"])]
    all: bool,
    /// Push all tags, in addition to the refspecs
    #[arg(long, conflicts_with = "delete")]
    tags: bool,
    /// Also push annotated tags that point to pushed commits and are missing at the remote
    #[arg(long, overrides_with = "no_follow_tags", conflicts_with = "delete")]
    follow_tags: bool,
    /// Do not push tags along, whatever push.followTags says
    #[arg(long)]
    no_follow_tags: bool,
    /// Delete these refs at the remote
    #[arg(short = 'd', long)]
    delete: bool,
    /// Allow non-fast-forward updates, if the remote ref is still where its remote-tracking branch (or EXPECT) says
    #[arg(
        long,
        value_name = "REF[:EXPECT]",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "force"
    )]
    force_with_lease: Vec<String>,
    /// Allow non-fast-forward updates, wherever the remote ref is
    #[arg(short, long)]
    force: bool,
    /// Update all refs, or none
    #[arg(long)]
    atomic: bool,
    /// Send nothing; compare with the remote and show what would be pushed
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Push conflict markers (BRV001) and invalid frontmatter (BRV003) as they are; secrets, and what brv.yaml adds,
    /// still block the push
    #[arg(long)]
    no_verify: bool,
    #[command(flatten)]
    doors: Doors<SendingGuards>,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc push";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = push::run(cx, &self.options())?;
        let seen_again: Vec<String> = outcome.seen_again.iter().map(|address| {
            format!("`{address}` did not report the result of the push; brv checked it again, and shows what it has now")
        }).collect();
        let unreviewed = blocked::warnings(&outcome.unreviewed);
        let unused: Vec<String> = warnings::unused(&outcome.unused).collect();
        let failure = failing(&outcome, Reader::of(cx));
        Ok(Answer::new(outcome).warning(seen_again).warning(unreviewed).warning(unused).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        draw(screen, outcome);
    }
}

impl Arguments {
    fn options(&self) -> Options {
        let selection = match (self.all, self.tags, self.delete) {
            (true, ..) => Selection::Branches,
            (_, true, _) => Selection::Tags,
            (.., true) => Selection::Deletion,
            _ => Selection::Refs,
        };
        let tags = match (self.follow_tags, self.no_follow_tags) {
            (true, _) => Some(push::FollowTags::Yes),
            (_, true) => Some(push::FollowTags::No),
            _ => None,
        };
        let force = match (self.force, self.force_with_lease.is_empty()) {
            (true, _) => ForcePolicy::Everything,
            (_, false) => ForcePolicy::Leased(self.force_with_lease.clone()),
            _ => ForcePolicy::AsWritten,
        };
        Options {
            remote: self.remote.clone(),
            refspecs: self.refspecs.clone(),
            selection,
            tags,
            force,
            atomicity: if self.atomic { Atomicity::AllOrNothing } else { Atomicity::EachRef },
            upstream: if self.set_upstream { PushUpstream::Set } else { PushUpstream::Keep },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
            verify: if self.no_verify { Verify::Nothing } else { Verify::Content },
            allowed: self.doors.allowed(),
        }
    }
}

fn draw(screen: &mut Screen, data: &Outcome) {
    let unchanged = data.refs.iter().all(|moved| moved.status == Moved::Unchanged);
    if unchanged && (!data.findings.is_empty() || data.unreviewed.stops) {
        // the failure says it all
    } else if unchanged && data.failed.is_empty() {
        screen.line("Everything is up to date.");
    } else {
        // refs of one address are listed together
        for refs in data.refs.chunk_by(|one, next| one.address == next.address) {
            let address = refs.first().and_then(|moved| moved.address.as_ref());
            screen.plain("To ").word(Style::Name, address.unwrap_or(&data.destination)).end();
            transfer::refs(screen, refs.iter().filter(|moved| moved.status != Moved::Unchanged));
        }
    }
    for followed in &data.followed {
        screen.word(Style::Name, &followed.branch).plain(" now tracks ");
        screen.word(Style::Name, &followed.upstream).line(".");
    }
}

/// The failure for content that blocked the push, refs that were rejected and addresses that failed.
fn failing(data: &Outcome, reader: Reader) -> Option<Failure> {
    let unreached = data.failed.iter().zip(&data.stopped).map(|(Unreached { address, .. }, stop)| {
        let failure = Failure::from(stop.clone());
        match failure.stop.message.contains(address.as_str()) {
            true => failure,
            false => {
                let message = format!("{address}: {}", failure.stop.message);
                failure.saying(message)
            }
        }
    });
    let mut failures: Vec<Failure> = unreached.collect();
    let count = words::many(failures.len(), "address", "addresses");
    let rejected = rejected(&data.refs, data.in_progress);
    if let Some(mut blocked) = blocked::failure(&data.findings, &data.unreviewed, reader) {
        blocked.stop.details.extend(rejected.into_iter().chain(failures).map(|failure| failure.stop.message));
        return Some(blocked);
    }
    let mut first = match rejected {
        Some(rejected) if failures.is_empty() => return Some(rejected),
        Some(rejected) => {
            let message = format!("{}, and the push to {count} failed", rejected.stop.message);
            rejected.saying(message)
        }
        None if failures.len() < 2 => return failures.pop(),
        None => {
            let first = failures[0].clone();
            first.saying(format!("cannot push to {count}"))
        }
    };
    first.stop.details.extend(failures.into_iter().map(|failure| failure.stop.message));
    Some(first)
}

fn rejected(moved: &[Ref], in_progress: Option<InProgress>) -> Option<Failure> {
    let reason =
        |moved: &Ref, words: &[&str]| moved.reason.as_deref().is_some_and(|reason| words.contains(&reason));
    let guarded = |moved: &Ref| {
        reason(
            moved,
            &[
                "non-fast-forward",
                "fetch first",
                "stale lease",
                "would change a tag",
                "another ref was rejected",
            ],
        )
    };
    let failure = refs::rejected(moved, guarded)?;
    let any = |words: &[&str]| moved.iter().any(|moved| reason(moved, words));
    let pulling = |lack: &str, verb: &str| match in_progress {
        None => format!("the remote has commits that {lack}: `brv vc pull` {verb} them, then push again"),
        Some(kind) => format!(
            "the remote has commits that {lack}, and {kind} is in progress: finish it with `{}`, then `brv vc pull`, then push again",
            continuing(kind)
        ),
    };
    let hint = if any(&["non-fast-forward"]) {
        Some(pulling("this branch lacks", "merges"))
    } else if any(&["fetch first"]) {
        Some(pulling("are not here", "brings"))
    } else if any(&["stale lease"]) {
        Some(
            "the remote has changed since it was last fetched: run `brv vc fetch` and check what it has now"
                .to_owned(),
        )
    } else {
        None
    };
    Some(failure.hinting(hint))
}
