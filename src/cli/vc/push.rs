//! `brv vc push`: send what the remote lacks, and move its refs.

use crate::cli::format::Format;
use crate::cli::integration;
use crate::cli::session::{Report, Run, Session};
use crate::cli::transfer;
use crate::cli::ui::{Form, Screen, Style};
use crate::ops::steps::remotes::outgoing::{Finding, Standing};
use crate::ops::steps::remotes::{push_choice, remote_choice};
use crate::ops::steps::work_tree::ongoing;
use crate::ops::vc::push::{
    self, Atomicity, Error, Evidence, Force, Mode, Options, Outcome, Selection, Upstream, Verify,
};
use crate::say::escape::escape_line;
use crate::say::{Exit, Failure, warnings, words};
use crate::wire::{self, Moved, Ref};
use clap::Args;

/// The arguments of `brv vc push`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc push
  brv vc push -u origin main
  brv vc push --atomic --follow-tags origin main
  brv vc push --dry-run --all origin")]
pub struct Arguments {
    /// A remote or an address; the one that the branch is pushed to when left out
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// [+]SOURCE[:DESTINATION], also with a star on both sides; what push.default says when left out
    #[arg(value_name = "REFSPEC")]
    refspecs: Vec<String>,
    /// Make the branch follow what it is pushed to, once the server has it
    #[arg(short = 'u', long)]
    set_upstream: bool,
    /// Push all branches
    #[arg(long, visible_alias = "branches", conflicts_with_all = ["tags", "delete"])]
    all: bool,
    /// Push all tags, and what the refspecs name
    #[arg(long, conflicts_with = "delete")]
    tags: bool,
    /// Push annotated tags that point into what is pushed and that the remote lacks, too
    #[arg(long, overrides_with = "no_follow_tags", conflicts_with = "delete")]
    follow_tags: bool,
    /// Do not, whatever push.followTags says
    #[arg(long)]
    no_follow_tags: bool,
    /// Delete these refs of the remote
    #[arg(short = 'd', long)]
    delete: bool,
    /// Let refs move to something that is no descendant, if the remote still has what its tracking ref (or EXPECT) says
    #[arg(
        long,
        value_name = "REF[:EXPECT]",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "force"
    )]
    force_with_lease: Vec<String>,
    /// Let refs move to something that is no descendant, whatever the remote has
    #[arg(short, long)]
    force: bool,
    /// Move all refs, or none
    #[arg(long)]
    atomic: bool,
    /// Ask the server what it has, and send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not look at the content first
    #[arg(long)]
    no_verify: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc push";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let outcome = push::run(&session.context(), &self.options()).map_err(|error| failure(&error))?;
        let data = wire::Push::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&wire::Written::from(&outcome.written)))
            .warning(warnings(&outcome))
            .failing(failed(&outcome, &data));
        Ok(session.report(report, |screen| text(screen, &data)))
    }
}

impl Arguments {
    fn options(self) -> Options {
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
            (true, _) => Force::Everything,
            (_, false) => Force::Leased(self.force_with_lease),
            _ => Force::AsWritten,
        };
        Options {
            remote: self.remote,
            refspecs: self.refspecs,
            selection,
            tags,
            force,
            atomicity: if self.atomic { Atomicity::AllOrNothing } else { Atomicity::EachRef },
            upstream: if self.set_upstream { Upstream::Set } else { Upstream::Keep },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Send },
            verify: if self.no_verify { Verify::Nothing } else { Verify::Content },
        }
    }
}

fn text(screen: &mut Screen, data: &wire::Push) {
    let unchanged = data.refs.iter().all(|moved| moved.status == Moved::Unchanged);
    if unchanged && data.failed.is_empty() {
        screen.line("Everything is up to date.");
    } else {
        // refs of one address stand together
        for refs in data.refs.chunk_by(|one, next| one.address == next.address) {
            let address = refs.first().and_then(|moved| moved.address.as_ref());
            screen.plain("To ").word(Style::Name, address.unwrap_or(&data.destination)).end();
            transfer::refs(screen, refs.iter().filter(|moved| moved.status != Moved::Unchanged));
        }
    }
    for followed in &data.followed {
        screen.plain("The branch ").word(Style::Name, &followed.branch).plain(" follows ");
        screen.word(Style::Name, &followed.upstream).line(".");
    }
}

fn warnings(outcome: &Outcome) -> impl Iterator<Item = String> {
    let seen = outcome.pushed.iter().filter(|pushed| pushed.outcome.evidence == Evidence::SeenAgain);
    seen.map(|pushed| {
        format!(
            "`{}` did not say what became of the push; it was looked at again, and this is what it has",
            pushed.address
        )
    })
}

/// What was not reached: refs that were rejected, then addresses that failed.
fn failed(outcome: &Outcome, data: &wire::Push) -> Option<Failure> {
    let unreached = outcome.failed.iter().map(|(address, error)| {
        let failure = failure(error);
        let named = failure.message.contains(address.as_str());
        let message = if named { failure.message } else { format!("{address}: {}", failure.message) };
        Failure { message, ..failure }
    });
    let mut failures: Vec<Failure> = unreached.collect();
    let count = words::many(failures.len(), "address", "addresses");
    let mut first = match rejected(&data.refs, outcome.in_progress) {
        Some(rejected) if failures.is_empty() => return Some(rejected),
        Some(rejected) => {
            let message = format!("{}, and {count} could not be pushed to", rejected.message);
            Failure { message, ..rejected }
        }
        None if failures.len() < 2 => return failures.pop(),
        None => {
            let first = failures[0].clone();
            Failure { message: format!("{count} could not be pushed to"), ..first }
        }
    };
    first.details.extend(failures.into_iter().map(|failure| failure.message));
    Some(first)
}

fn rejected(refs: &[Ref], in_progress: Option<ongoing::Kind>) -> Option<Failure> {
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
    let failure = transfer::rejected(refs, guarded)?;
    let any = |words: &[&str]| refs.iter().any(|moved| reason(moved, words));
    let pulling = |lack: &str, verb: &str| match in_progress {
        None => format!("the remote has commits that {lack}: `brv vc pull` {verb} them, then push again"),
        Some(kind) => format!(
            "the remote has commits that {lack}, and {kind} is in progress: finish it with `{}`, then `brv vc pull`, then push again",
            integration::continuing(kind)
        ),
    };
    let hint = if any(&["non-fast-forward"]) {
        Some(pulling("this branch lacks", "merges"))
    } else if any(&["fetch first"]) {
        Some(pulling("are not here", "brings"))
    } else if any(&["stale lease"]) {
        Some(
            "the remote is not where the lease says: `brv vc fetch` shows what it has now, look at that first"
                .to_owned(),
        )
    } else {
        None
    };
    Some(failure.hinting(hint))
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Choice(error) => failure.hinting(choice_hint(error)),
        Error::Mirror(_) => failure.hinting(Some(
            "a mirror loses every ref that is not here, and gets those of operations; name what to push without `remote.NAME.mirror`",
        )),
        Error::Push(error) => failure.hinting(push_hint(error)),
        Error::NoName(_) => failure.hinting(Some(NO_NAME)),
        Error::NotFollowed(_) => failure.hinting(Some(NOT_FOLLOWED)),
        Error::Blocked(findings) => blocked(failure, findings),
        _ => failure,
    }
}

/// What helps where a branch cannot follow an address.
pub(super) const NO_NAME: &str = "`brv vc remote add NAME ADDRESS` gives it a name; nothing was sent";

/// What helps where a branch does not follow what the remote has.
pub(super) const NOT_FOLLOWED: &str = "`brv vc branch --set-upstream-to REMOTE/BRANCH` sets it";

fn choice_hint(error: &push_choice::Error) -> Option<String> {
    let fixed = match error {
        push_choice::Error::NoUpstream { branch, remote } => {
            let (branch, remote) = (words::typed(branch), words::typed(remote));
            return Some(format!(
                "`brv vc push -u {remote} {branch}` pushes it, and makes it track that branch"
            ));
        }
        push_choice::Error::Remote(remote_choice::Error::Detached) => {
            Some("name what is pushed, and where to: `brv vc push REMOTE HEAD:refs/heads/NAME`")
        }
        push_choice::Error::Remote(error) => transfer::which(error),
        push_choice::Error::Unborn(_) => Some("`brv vc commit -m MSG` makes the first commit"),
        push_choice::Error::OtherName { .. } => Some("name both sides: `brv vc push REMOTE BRANCH:OTHER`"),
        push_choice::Error::OtherRemote { .. } | push_choice::Error::Nothing => {
            Some("name remote and branch: `brv vc push REMOTE BRANCH`")
        }
        _ => None,
    };
    fixed.map(str::to_owned)
}

const fn push_hint(error: &push::PushError) -> Option<&'static str> {
    match error {
        push::PushError::Unqualified { .. } | push::PushError::Nameless(_) => {
            Some("write the full name, as in `brv vc push REMOTE SOURCE:refs/heads/NAME`")
        }
        push::PushError::AmbiguousHere(_) | push::PushError::AmbiguousThere(_) => {
            Some("write the full name: refs/heads/NAME is a branch, refs/tags/NAME a tag")
        }
        push::PushError::NotThere(_) => Some("`brv vc fetch --prune` forgets what the remote no longer has"),
        push::PushError::Unanswered(_) => {
            Some("push again when the remote can be reached: what it has is not sent twice")
        }
        _ => None,
    }
}

fn finding(found: &Finding) -> String {
    format!(
        "{}:{}:{}: {} {} (commit {}{})",
        escape_line(&found.path),
        found.line,
        found.column,
        found.rule.id(),
        escape_line(found.message.as_bytes()),
        found.commit.prefix(7),
        if found.standing == Standing::Corrected { ", corrected later" } else { "" },
    )
}

/// What must not leave, and what helps.
pub(super) fn blocked(failure: Failure, findings: &[Finding]) -> Failure {
    failure.detailing(findings.iter().map(finding)).hinting(Some(blocked_hint(findings)))
}

fn blocked_hint(findings: &[Finding]) -> &'static str {
    if findings.iter().all(|found| found.standing == Standing::Corrected) {
        "the files are right again, but the commits named still bring the old ones: put the correction into them with \
         `git rebase --interactive` in the tree, or let them leave as they are with `--no-verify`"
    } else {
        "correct the files (`brv vc repair PATH` merges again what was merged by line), and let the correction be part of the \
         commits named: `brv vc commit -a --amend` for the last one, `git rebase --interactive` in the tree for earlier ones"
    }
}
