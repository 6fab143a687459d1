//! `brv init` and `brv vc init`: create the tree of a project, or take over an existing one.

use super::ui::{Destination, Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use super::{curate, hooks};
use crate::cli::connectors::init_agents::{self as agents, Consent};
use crate::say::words::{self, many};
use crate::say::{Failure, warnings};
use brv_commands::hooks::install::{self, Via};
use brv_commands::init::{self, Adopted, HostRule, InitOrigin, Options, Outcome, TreeHome};
use brv_engine::Context;
use clap::Args;
use std::path::Path;

/// The arguments of `brv init`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv init
  brv init --initial-branch trunk
  brv init --gitignore
  brv init --in-repo
  brv init --hooks
  brv init --agents")]
pub struct Arguments {
    #[command(flatten)]
    choices: InitFlags,
}

/// The arguments of `brv vc init`: the same command under the name that git users look for.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc init
  brv vc init --initial-branch trunk")]
pub struct AsVerb {
    #[command(flatten)]
    choices: InitFlags,
}

#[derive(Debug, Args)]
struct InitFlags {
    /// Name of the branch in a new tree
    #[arg(short = 'b', long, value_name = "NAME", default_value = "main")]
    initial_branch: String,
    /// Exclude .brv/ in the project's .gitignore instead of .git/info/exclude
    #[arg(long)]
    gitignore: bool,
    /// Keep the tree in the project's own repository, instead of in a repository of its own
    #[arg(long, conflicts_with_all = ["gitignore", "initial_branch"])]
    in_repo: bool,
    /// Also install the git hooks, as brv hooks install does
    #[arg(long)]
    hooks: bool,
    /// Also register brv with the coding agents found here: shows the plan, and asks on a terminal
    #[arg(long)]
    agents: bool,
    /// Register brv with them without asking
    #[arg(long, requires = "agents")]
    yes: bool,
    #[arg(skip)]
    destination: Destination,
}

impl Verb for Arguments {
    const NAME: &'static str = "init";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn shown_in(&mut self, destination: Destination) {
        self.choices.destination = destination;
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        self.choices.run(cx)
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        text(screen, outcome);
    }
}

impl Verb for AsVerb {
    const NAME: &'static str = "vc init";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn shown_in(&mut self, destination: Destination) {
        self.choices.destination = destination;
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        self.choices.run(cx)
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        text(screen, outcome);
    }
}

impl InitFlags {
    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            initial_branch: self.initial_branch.clone(),
            home: if self.in_repo { TreeHome::Host } else { TreeHome::Own },
            host: if self.gitignore { HostRule::Gitignore } else { HostRule::Exclude },
        };
        let mut outcome = init::run(cx, &options)?;
        let mut said = warnings::written(&outcome.written);
        said.extend(waiting(&outcome));
        if self.hooks {
            // the tree is there, with or without hooks
            match install::run(cx, &hooks::LINES, Via::Auto) {
                Ok((changes, shared)) => {
                    outcome.hooks = changes.hooks;
                    said.extend(warnings::shared_hooks(&shared));
                }
                Err(stop) => said.push(warnings::left_undone(stop)),
            }
        }
        let mut next = match outcome.origin {
            InitOrigin::New | InitOrigin::Repository if outcome.shared.is_some() => joining(&outcome).into(),
            InitOrigin::New => {
                taking(outcome.recent).into_iter().chain([curate::BY_HAND.to_owned()]).collect()
            }
            InitOrigin::Files => vec!["brv vc add .".to_owned(), "brv vc commit -m MSG".to_owned()],
            InitOrigin::Repository => Vec::new(),
        };
        if self.agents {
            let consent = if self.yes { Consent::Given } else { Consent::Asked };
            let connected = agents::connect(self.destination, cx, consent)?;
            next.extend(connected.next.map(str::to_owned));
            said.extend(connected.refused);
            outcome.agents = Some(connected.changes);
        }
        Ok(Answer::new(outcome).warning(said).next(next))
    }
}

/// The warning about files that are taken over later.
fn waiting(outcome: &Outcome) -> Option<String> {
    let counts = [
        (outcome.waiting.len(), "derived file", "derived files"),
        (outcome.archived.len(), "archived file", "archived files"),
    ];
    let found = counts.into_iter().filter(|(count, ..)| *count > 0);
    let found: Vec<String> = found.map(|(count, one, more)| many(count, one, more)).collect();
    let files = found.join(" and ");
    (!outcome.waiting.is_empty()).then(|| {
        format!(
            "a merge, rebase or cherry-pick is in progress: {files} of another tool left alone; run `brv init` again after committing"
        )
    })
}

/// The commands that take over what is at the remote of the code.
fn joining(data: &Outcome) -> [String; 2] {
    let there = data.shared.as_deref().and_then(|branch| branch.strip_prefix("brv/"));
    let pull = match there.filter(|there| data.branch.as_deref() != Some(there)) {
        Some(other) => format!("brv vc pull origin {other}"),
        None => "brv vc pull".to_owned(),
    };
    ["brv vc remote add origin --host".to_owned(), pull]
}

/// The command that takes the last commits of the code in.
fn taking(recent: usize) -> Option<String> {
    match recent {
        0 => None,
        1 => Some("brv curate --commit HEAD".to_owned()),
        more => Some(format!("brv curate --commit HEAD~{}..HEAD", more - 1)),
    }
}

fn text(screen: &mut Screen, data: &Outcome) {
    let what = match data.origin {
        InitOrigin::New => "New context tree in ",
        InitOrigin::Files => "The files are now a context tree in ",
        InitOrigin::Repository => "Context tree set up in ",
    };
    screen.plain(what).text(Style::Strong, words::place(Path::new(&data.tree), &data.cwd));
    if data.host.is_some() {
        screen.plain(", tracked by the project's own repository");
    }
    if let Some(branch) = &data.branch {
        screen.plain(", on branch ").word(Style::Name, branch);
    }
    screen.line(".");
    if let Some(file) = &data.excluded_in {
        screen.line(format!("The project's git ignores .brv/: {}", words::place(Path::new(file), &data.cwd)));
    }
    if let Some(branch) = &data.shared {
        screen.plain("The remote of the code has a tree in ").word(Style::Name, branch);
        let [add, pull] = joining(data);
        screen.line(format!(": `{add}` and `{pull}` take it."));
    }
    if !data.staged.is_empty() {
        let files = words::many(data.staged.len(), "file", "files");
        screen.line(format!("Staged {files} that another tool had merged only on disk:"));
        for path in &data.staged {
            screen.plain("  ").word(Style::Name, path).end();
        }
    }
    if let Some(adopted) = &data.adopted {
        taken_over(screen, adopted);
    }
    if !data.hooks.is_empty() {
        screen.line("Git hooks:");
        hooks::rows(screen, &data.hooks);
    }
    if let Some(agents) = &data.agents {
        agents::text(screen, agents);
    }
}

fn taken_over(screen: &mut Screen, adopted: &Adopted) {
    screen.line(format!("Taken over from another tool; operation {} keeps every byte:", adopted.operation));
    let rows = [
        (adopted.replaced.len(), "replaced by brv's own derived files"),
        (adopted.untracked.len(), "no longer tracked; the deletion is staged"),
        (adopted.archived.len(), "archived, left alone; `brv archive list` shows the entries"),
    ];
    for (count, what) in rows.into_iter().filter(|(count, _)| *count > 0) {
        screen.line(format!("  {} {what}", many(count, "file", "files")));
    }
}
