//! `brv vc branch`: lists, creates, renames and deletes branches, and sets their upstreams.

use crate::cli::format::choice;
use crate::cli::ui::{Screen, Style, width};
use crate::cli::vc::filtering::Filtering;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::branch::{
    self, Branch, BranchListing, Deleted, Detached, Existing, Kinds, Options, Outcome, Track, UnmergedPolicy,
    Upstream,
};
use brv_engine::{Context, Stop};
use clap::builder::TypedValueParser;
use clap::{ArgAction, Args};

/// The arguments of `brv vc branch`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc branch -vv
  brv vc branch topic origin/main
  brv vc branch -m topic auth/tokens
  brv vc branch -d auth/tokens
  brv vc branch --set-upstream-to origin/main")]
pub struct Arguments {
    /// New branch and its start point; with -m, old and new name; with -d, branches to delete; with --list, patterns
    #[arg(value_name = "BRANCH")]
    names: Vec<String>,
    #[command(flatten)]
    listing: BranchListFlags,
    #[command(flatten)]
    change: BranchChangeFlags,
}

#[derive(Debug, Args)]
struct BranchListFlags {
    /// List the branches that match the patterns
    #[arg(short, long)]
    list: bool,
    /// Also list remote-tracking branches
    #[arg(short, long)]
    all: bool,
    /// List, or with -d delete, remote-tracking branches
    #[arg(short, long)]
    remotes: bool,
    /// Show the commit, and commits ahead of and behind the upstream; twice: also the name of the upstream
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    #[command(flatten)]
    filtering: Filtering,
    /// Print the name of the current branch
    #[arg(long)]
    show_current: bool,
}

#[derive(Debug, Args)]
struct BranchChangeFlags {
    /// Delete branches that are merged into their upstream, or into HEAD if they have none
    #[arg(short, long)]
    delete: bool,
    /// Delete branches even if not merged; `brv undo` restores them
    #[arg(short = 'D')]
    delete_unmerged: bool,
    /// Rename a branch, with its reflog and settings
    #[arg(short = 'm', long = "move")]
    rename: bool,
    /// Rename a branch even if the new name exists
    #[arg(short = 'M')]
    rename_over: bool,
    /// Move the branch if it exists; with -d, delete it even if not merged
    #[arg(short, long)]
    force: bool,
    /// Set the branch's upstream to REV
    #[arg(short = 'u', long, value_name = "REV")]
    set_upstream_to: Option<String>,
    /// Remove the branch's upstream
    #[arg(long)]
    unset_upstream: bool,
    #[command(flatten)]
    tracking: Tracking,
}

/// The upstream of a new branch.
#[derive(Debug, Args)]
pub struct Tracking {
    /// Make the new branch track its start point (direct), or the upstream of that (inherit)
    #[arg(short, long, value_name = "HOW", value_parser = tracks(), num_args = 0..=1, require_equals = true, default_missing_value = "direct", hide_possible_values = true, conflicts_with = "no_track")]
    track: Option<Track>,
    /// Do not set an upstream for the new branch
    #[arg(long)]
    no_track: bool,
}

fn tracks() -> impl TypedValueParser<Value = Track> {
    choice([
        (Track::Start, "direct", "Track the start point"),
        (Track::Inherited, "inherit", "Track the upstream of the start point"),
    ])
}

impl Tracking {
    /// Convert to the type that the command takes.
    pub const fn track(&self) -> Track {
        match self.track {
            Some(track) => track,
            None if self.no_track => Track::Nothing,
            None => Track::Settings,
        }
    }

    /// Whether `--track` is given.
    pub fn is_asked(&self) -> bool {
        self.track.is_some()
    }
}

impl Verb for Arguments {
    const NAME: &'static str = "vc branch";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = branch::run(cx, &self.options()?)?;
        let gone = outcome.deleted.iter().filter(|gone| gone.ahead_of_head);
        let ahead: Vec<String> = gone
            .map(|gone| {
                let name = escape_line(gone.name.as_bytes());
                format!("`{name}` was merged into its upstream, but not yet into HEAD")
            })
            .collect();
        Ok(Answer::new(outcome).warning(ahead))
    }

    fn purpose(&self) -> Purpose {
        match self.options() {
            Ok(Options::List(_)) => Purpose::LongAnswer,
            Ok(Options::ShowCurrent) => Purpose::Answer,
            _ => Purpose::Account,
        }
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match &outcome.branches {
            Some(branches) => {
                let (kinds, verbose) = (self.listing.kinds(), self.listing.verbose);
                rows(screen, branches, outcome.detached.as_ref(), kinds, verbose);
            }
            None => changed(screen, outcome),
        }
    }
}

impl BranchListFlags {
    const fn kinds(&self) -> Kinds {
        match (self.all, self.remotes) {
            (true, _) => Kinds::All,
            (_, true) => Kinds::Remembered,
            _ => Kinds::Local,
        }
    }
}

impl Arguments {
    fn options(&self) -> Result<Options, Stop> {
        let Self { names, listing, change, .. } = self;
        let mut names = names.clone();
        let filters = listing.filtering.filters();
        let is_rename = change.rename || change.rename_over;
        let acts = [
            change.delete || change.delete_unmerged,
            is_rename,
            change.set_upstream_to.is_some(),
            change.unset_upstream,
            listing.show_current,
            listing.list || !filters.is_empty(),
        ];
        if acts.iter().filter(|act| **act).count() > 1 {
            return Err(Stop::usage("these flags cannot be combined"));
        }
        let existing = if change.force || change.rename_over { Existing::Moves } else { Existing::Stays };
        let most = |most: usize, names: &[String]| match names.len() > most {
            true => Err(Stop::usage(format!("unexpected name `{}`", names[most]))),
            false => Ok(()),
        };
        if change.delete || change.delete_unmerged {
            if names.is_empty() {
                return Err(Stop::usage("name the branches to delete"));
            }
            let kinds = if listing.remotes { Deleted::Remembered } else { Deleted::Local };
            let is_forced = change.delete_unmerged || change.force;
            let unmerged = if is_forced { UnmergedPolicy::Allow } else { UnmergedPolicy::Refuse };
            return Ok(Options::Delete { names, kinds, unmerged });
        }
        if is_rename {
            most(2, &names)?;
            let after = names.pop().ok_or_else(|| Stop::usage("the new name is missing"))?;
            return Ok(Options::Rename { before: names.pop(), after, existing });
        }
        if let Some(upstream) = change.set_upstream_to.clone() {
            most(1, &names)?;
            return Ok(Options::Follow { branch: names.pop(), upstream });
        }
        if change.unset_upstream {
            most(1, &names)?;
            return Ok(Options::Unfollow { branch: names.pop() });
        }
        if listing.show_current {
            most(0, &names)?;
            return Ok(Options::ShowCurrent);
        }
        let lists = listing.list || !filters.is_empty() || names.is_empty();
        if lists {
            return Ok(Options::List(BranchListing { kinds: listing.kinds(), patterns: names, filters }));
        }
        if listing.all || listing.remotes {
            return Err(Stop::usage("with names, `--all` and `--remotes` require `--list`"));
        }
        most(2, &names)?;
        let start = if names.len() == 2 { names.pop() } else { None };
        let name = names.pop().unwrap_or_default();
        Ok(Options::Create { name, start, existing, track: change.tracking.track() })
    }
}

/// Print the branches as git does.
fn rows(screen: &mut Screen, branches: &[Branch], detached: Option<&Detached>, kinds: Kinds, verbose: u8) {
    let name = |branch: &Branch| {
        let remote = branch.full.starts_with("refs/remotes/") && kinds == Kinds::All;
        let name = if remote { format!("remotes/{}", branch.name) } else { branch.name.clone() };
        escape_line(name.as_bytes()).into_owned()
    };
    let head = detached.map(|at| {
        let word = if at.at { "at" } else { "from" };
        let named = at.from.as_deref().unwrap_or(&at.commit);
        let is_id = named.len() == 40 && named.bytes().all(|byte| byte.is_ascii_hexdigit());
        let named = if is_id { &named[..7] } else { named };
        format!("(HEAD detached {word} {})", escape_line(named.as_bytes()))
    });
    let names = branches.iter().map(&name).chain(head.clone());
    let columns = names.map(|name| width(&name)).max().unwrap_or_default();
    let pad = |name: &str| " ".repeat(columns - width(name));
    if let (Some(name), Some(at)) = (&head, detached) {
        screen.plain("* ").text(Style::Good, name);
        if verbose > 0 {
            screen.plain(format!("{} {} ", pad(name), &at.commit[..7])).word(Style::Plain, &at.subject);
        }
        screen.end();
    }
    for branch in branches {
        let name = name(branch);
        let (sign, style) = match (branch.current, &branch.checked_out_in) {
            (true, _) => ("* ", Style::Good),
            (_, Some(_)) => ("+ ", Style::Notable),
            _ if branch.full.starts_with("refs/remotes/") => ("  ", Style::Dim),
            _ => ("  ", Style::Plain),
        };
        screen.plain(sign).text(style, &name);
        if let Some(of) = &branch.stands_for {
            let of = ["refs/remotes/", "refs/heads/"]
                .iter()
                .find_map(|known| of.strip_prefix(known))
                .unwrap_or(of);
            screen
                .plain(format!("{} -> ", if verbose > 0 { pad(&name) } else { String::new() }))
                .word(Style::Plain, of);
        } else if verbose > 0 {
            details(screen, branch, &pad(&name), verbose);
        }
        screen.end();
    }
}

fn details(screen: &mut Screen, branch: &Branch, pad: &str, verbose: u8) {
    screen.plain(format!("{pad} {} ", &branch.commit[..7]));
    if let Some(place) = branch.checked_out_in.as_ref().filter(|_| verbose > 1) {
        screen.plain("(").word(Style::Plain, place).plain(") ");
    }
    if let Some(upstream) = &branch.upstream {
        let distance = distance(upstream);
        match (verbose > 1, distance.is_empty()) {
            (true, true) => {
                screen.plain("[").word(Style::Name, &upstream.name).plain("] ");
            }
            (true, false) => {
                screen.plain("[").word(Style::Name, &upstream.name).plain(format!(": {distance}] "));
            }
            (false, false) => {
                screen.plain(format!("[{distance}] "));
            }
            (false, true) => {}
        }
    }
    screen.word(Style::Plain, &branch.subject);
}

/// `ahead 1, behind 2`, `gone`, or nothing.
fn distance(upstream: &Upstream) -> String {
    match (upstream.ahead, upstream.behind) {
        (Some(0), Some(0)) => String::new(),
        (Some(ahead), Some(0)) => format!("ahead {ahead}"),
        (Some(0), Some(behind)) => format!("behind {behind}"),
        (Some(ahead), Some(behind)) => format!("ahead {ahead}, behind {behind}"),
        _ => "gone".to_owned(),
    }
}

fn changed(screen: &mut Screen, data: &Outcome) {
    if let Some(current) = &data.current {
        screen.word(Style::Plain, current).end();
    }
    if let Some(made) = &data.made {
        screen.plain("Branch ").word(Style::Name, &made.name).plain(" is at ");
        screen.text(Style::Notable, &made.commit[..7]).line(".");
    }
    if let Some(renamed) = &data.renamed {
        screen.plain("Renamed ").word(Style::Name, &renamed.before).plain(" to ");
        screen.word(Style::Name, &renamed.after).line(".");
    }
    for gone in &data.deleted {
        screen.plain("Deleted branch ").word(Style::Name, &gone.name).plain(" (was ");
        screen.word(Style::Notable, &gone.was).line(").");
    }
    if let Some(follows) = &data.follows {
        screen.word(Style::Name, &follows.branch).plain(" now tracks ");
        screen.word(Style::Name, &follows.upstream).line(".");
    }
    if let Some(branch) = &data.unfollowed {
        screen.word(Style::Name, branch).line(" no longer tracks a branch.");
    }
}
