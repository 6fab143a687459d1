//! Command-line parser: the list of commands with their one-line help, and the global flags.
//!
//! Each command's own flags are in its own file.

use super::ui::{Loudness, Paging, Showing};
use super::{
    archive, completions, config as settings, curate, demo, derive, eval, help, init, links, man,
    merge_driver, op, query, read, schema, search, signals, status, tree, undo, vc,
};
use crate::config;
use crate::say::Exit;
use clap::builder::Resettable;
use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Version control for the knowledge of coding agents
#[derive(Debug, Parser)]
#[command(
    name = "brv",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    before_help = "Examples:\n  brv init\n  brv vc clone https://git.example.org/team/knowledge.git\n  brv vc pull",
    after_help = after_help()
)]
pub struct Cli {
    /// The global flags, before or after the command.
    #[command(flatten)]
    pub globals: Globals,
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create the context tree of this project, or adopt an existing one
    Init(Lazily<init::Arguments>),
    /// Version control: stage, commit, compare and share the tree
    #[command(
        before_help = "Examples:\n  brv vc status\n  brv vc add .\n  brv vc commit -m \"auth: tokens live 12 hours\"\n  brv vc push"
    )]
    Vc {
        /// The command to run.
        #[command(subcommand)]
        verb: Verb,
    },
    /// Add, change, merge and delete entries, from JSON or flags
    Curate(Lazily<curate::Arguments>),
    /// Archive: entries that left the tree, with a stub that stays and their bytes kept
    #[command(
        before_help = "Examples:\n  brv archive run auth/old_draft\n  brv archive list\n  brv archive restore auth/old_draft"
    )]
    Archive {
        /// The command to run.
        #[command(subcommand)]
        verb: ArchiveVerb,
    },
    /// Undo an operation: the last one of this session, or any other
    Undo(Lazily<undo::Arguments>),
    /// Operation log: what was done here, by whom and why
    #[command(before_help = "Examples:\n  brv op log\n  brv op log --path auth -n 5\n  brv op diff last")]
    Op {
        /// The command to run.
        #[command(subcommand)]
        verb: OpVerb,
    },
    /// Regenerate out-of-date summaries and other derived files
    Derive(Lazily<derive::Arguments>),
    /// Show an overview of the project: what is in the tree, what changed, what is out of date
    Status(Lazily<status::Arguments>),
    /// List folders and entries with their titles and summaries
    Tree(Lazily<tree::Arguments>),
    /// Print an entry or a folder, in full or in short
    Read(Lazily<read::Arguments>),
    /// Show the links from and to an entry or folder
    Links(Lazily<links::Arguments>),
    /// Find the entries that match a text, the best first
    Search(Lazily<search::Arguments>),
    /// Answer a question from what is stored, without a model
    Query(Lazily<query::Arguments>),
    /// Measure the search on questions whose answers are known
    Eval(Lazily<eval::Arguments>),
    /// Show how important, recent and settled entries are, by their use on this machine
    Signals(Lazily<signals::Arguments>),
    /// Get and set brv's own settings
    Config(Lazily<settings::Arguments>),
    /// Print the JSON Schema of a command's --json output
    Schema(Lazily<schema::Arguments>),
    /// Run a demo: two people share a tree, in a folder left for you to explore
    Demo(Lazily<demo::Arguments>),
    /// Print a shell script that completes brv's commands, names and paths
    Completions(Lazily<completions::Arguments>),
    /// Print the manual page of a command, or write all manual pages
    Man(Lazily<man::Arguments>),
    /// Merge one file for git: git runs this on merge, rebase, cherry-pick and stash in the tree
    MergeDriver(Lazily<merge_driver::Arguments>),
    /// Show help for a command or a topic
    Help(Lazily<help::Arguments>),
}

/// The commands of `brv archive`.
#[derive(Debug, Subcommand)]
pub enum ArchiveVerb {
    /// Move entries out of the tree into the archive
    Run(Lazily<archive::run::Arguments>),
    /// List archived entries
    List(Lazily<archive::list::Arguments>),
    /// Print an archived entry in full
    Show(Lazily<archive::show::Arguments>),
    /// Bring archived entries back into the tree
    Restore(Lazily<archive::restore::Arguments>),
}

/// The commands of `brv vc`; those that git has mean the same as in git.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create the context tree of this project
    Init(Lazily<init::AsVerb>),
    /// Clone a tree from a remote into a project
    Clone(Lazily<vc::clone::Arguments>),
    /// Get and set the tree's git settings, such as user.name
    Config(Lazily<vc::config::Arguments>),
    /// Stage files for the next commit
    Add(Lazily<vc::add::Arguments>),
    /// Commit what is staged
    Commit(Lazily<vc::commit::Arguments>),
    /// Show the branch, and what changed since the last commit
    Status(Lazily<vc::status::Arguments>),
    /// Show differences between commits, the index and the files
    Diff(Lazily<vc::diff::Arguments>),
    /// Show the commit history
    Log(Lazily<vc::log::Arguments>),
    /// Show a commit, a tag, or a file at a commit
    Show(Lazily<vc::show::Arguments>),
    /// Show who wrote each line of a file, or who stated a fact
    Blame(Lazily<vc::blame::Arguments>),
    /// List, create, rename and delete branches
    Branch(Lazily<vc::branch::Arguments>),
    /// List, create, move and delete tags
    Tag(Lazily<vc::tag::Arguments>),
    /// Switch to another branch, or create one
    Switch(Lazily<vc::switch::Arguments>),
    /// Switch to a branch or commit, or restore paths
    Checkout(Lazily<vc::checkout::Arguments>),
    /// Restore files from the index or from a commit
    Restore(Lazily<vc::restore::Arguments>),
    /// Move the branch to another commit, or unstage paths
    Reset(Lazily<vc::reset::Arguments>),
    /// Set up the remotes that the tree is shared through
    Remote(Lazily<vc::remote::Arguments>),
    /// Fetch commits from a remote, without changing files
    Fetch(Lazily<vc::fetch::Arguments>),
    /// Merge another branch or commit into the current branch
    Merge(Lazily<vc::merge::Arguments>),
    /// Move entries and folders, and update the links to them
    Mv(Lazily<vc::mv::Arguments>),
    /// Fetch from a remote and merge into the current branch
    Pull(Lazily<vc::pull::Arguments>),
    /// Send commits to a remote
    Push(Lazily<vc::push::Arguments>),
    /// Pull, then push; retry while others push at the same time
    Sync(Lazily<vc::sync::Arguments>),
    /// Check what a change does to the knowledge: a review, and findings such as secrets and broken links
    Check(Lazily<vc::check::Arguments>),
    /// Redo the merge of a file that a git host or another tool merged line by line
    Repair(Lazily<vc::repair::Arguments>),
    /// Revert commits with new ones, by meaning
    Revert(Lazily<vc::revert::Arguments>),
    /// Remove files from the index and the work tree
    Rm(Lazily<vc::rm::Arguments>),
    /// Resolve conflicts of a merge, and settle disputed facts
    Resolve(Lazily<vc::resolve::Arguments>),
    /// Pack all reachable objects into one file, and remove what is no longer needed
    Gc(Lazily<vc::gc::Arguments>),
}

/// The commands of `brv op`.
#[derive(Debug, Subcommand)]
pub enum OpVerb {
    /// List logged operations, newest first
    Log(Lazily<op::log::Arguments>),
    /// Show an operation: who, when and why, what it changed, and whether it was undone
    Show(Lazily<op::show::Arguments>),
    /// Show what an operation changed in the files
    Diff(Lazily<op::diff::Arguments>),
    /// Delete old operations from the log, or those that hold a file
    Prune(Lazily<op::prune::Arguments>),
}

/// The arguments of a command, described to the parser only when that command is called: describing all of them at
/// every start would take longer than most commands.
#[derive(Debug)]
pub struct Lazily<T>(pub T);

impl<T: Args> Args for Lazily<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.defer(described::<T>)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        T::augment_args_for_update(command)
    }
}

fn described<T: Args>(command: clap::Command) -> clap::Command {
    // the description of the command is in the list of commands, not beside its arguments
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    T::augment_args(command).about(Resettable::from(about)).long_about(Resettable::from(long_about))
}

impl<T: Args> FromArgMatches for Lazily<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The global flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Globals {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Print one JSON object, also for errors; short for --format json
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only data and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colours: auto, always or never
    #[arg(long, value_name = "WHEN", global = true, hide_possible_values = true)]
    pub color: Option<When>,
    /// Show progress, even if standard error is not a terminal
    #[arg(long, global = true)]
    pub progress: bool,
    /// Do not page long output
    #[arg(long, global = true)]
    pub no_pager: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Into pipes and files, too
    Always,
    /// Never
    Never,
}

impl Globals {
    /// The settings that the flags override.
    #[must_use]
    pub fn settings(&self) -> config::Flags {
        config::Flags {
            color: self.color.map(|when| match when {
                When::Auto => config::Color::Auto,
                When::Always => config::Color::Always,
                When::Never => config::Color::Never,
            }),
        }
    }

    /// How much is printed beside the data.
    #[must_use]
    pub const fn loudness(&self) -> Loudness {
        if self.quiet { Loudness::Quiet } else { Loudness::Normal }
    }

    /// Whether progress is shown.
    #[must_use]
    pub const fn showing(&self) -> Showing {
        if self.progress { Showing::Always } else { Showing::Auto }
    }

    /// Whether a pager may be used.
    #[must_use]
    pub const fn paging(&self) -> Paging {
        if self.no_pager { Paging::Off } else { Paging::Auto }
    }
}

/// The help topics and exit codes, printed at the end of the help.
fn after_help() -> String {
    let topics = help::Topic::ALL.map(help::Topic::name).join(", ");
    let lines = Exit::ALL.map(|exit| format!("{:>5}  {}", exit.number(), exit.meaning()));
    format!("Topics of `brv help`: {topics}\n\nExit codes:\n{}", lines.join("\n"))
}

/// All commands as the parser knows them, each with its full name.
#[must_use]
pub fn root() -> clap::Command {
    let mut root = Cli::command();
    root.build();
    root
}
