//! `brv vc push`: sends commits to a remote, and updates its refs.

use crate::cli::guarding::{Doors, Sending};
use crate::cli::session::{Report, Run, Session};
use crate::cli::transfer;
use crate::cli::ui::{Screen, Style};
use crate::say::blocked::Reader;
use crate::say::{Exit, Failure, hints, warnings};
use crate::wire;
use brv_commands::vc::push::{self, Atomicity, Force, Mode, Options, Selection, Upstream, Verify};
use brv_engine::vc::remotes::transfer::Moved;
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
    doors: Doors<Sending>,
}

impl Run for Arguments {
    const NAME: &'static str = "vc push";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let cx = session.context();
        let outcome = push::run(&cx, &self.options())?;
        let data = wire::Push::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(warnings::push(&data))
            .warning(warnings::unused(&data.unused))
            .failing(hints::unreached(outcome.failed, &data, Reader::of(&cx)));
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
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
            verify: if self.no_verify { Verify::Nothing } else { Verify::Content },
            allowed: self.doors.allowed(),
        }
    }
}

fn text(screen: &mut Screen, data: &wire::Push) {
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
