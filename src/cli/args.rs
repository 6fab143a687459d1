//! The arguments: a line for each command, and the flags that all of them share.
//!
//! Each command's own flags stand in its own file.

use super::ui::{Loudness, Paging, Showing};
use super::{
    completions, config as settings, demo, derive, help, init, links, man, merge_driver, op, read, schema,
    status, tree, undo, vc,
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
    /// The flags before or after the command.
    #[command(flatten)]
    pub globals: Globals,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the context tree of this project, or take over one that is there
    Init(Lazily<init::Arguments>),
    /// Version control: record, compare and share the tree
    #[command(
        before_help = "Examples:\n  brv vc status\n  brv vc add .\n  brv vc commit -m \"auth: tokens live 12 hours\"\n  brv vc push"
    )]
    Vc {
        /// What to do.
        #[command(subcommand)]
        verb: Verb,
    },
    /// Take an operation back: the last one of this session, or any
    Undo(Lazily<undo::Arguments>),
    /// Operations: what was done here, by whom and why
    #[command(before_help = "Examples:\n  brv op log\n  brv op log --path auth -n 5\n  brv op diff last")]
    Op {
        /// What to do.
        #[command(subcommand)]
        verb: OpVerb,
    },
    /// Make summaries and other derived files again where they are out of date
    Derive(Lazily<derive::Arguments>),
    /// Show the whole picture of a project: what is in the tree, what changed, what is out of date
    Status(Lazily<status::Arguments>),
    /// Show what there is: folders and entries, with what they are about
    Tree(Lazily<tree::Arguments>),
    /// Read an entry or a folder, whole or in short
    Read(Lazily<read::Arguments>),
    /// Show where an entry or folder points, and what points to it
    Links(Lazily<links::Arguments>),
    /// Read and change brv's own settings
    Config(Lazily<settings::Arguments>),
    /// Give the JSON Schema of what each command prints under --json
    Schema(Lazily<schema::Arguments>),
    /// Show the main job: two people share a tree, in a folder that is left for exploring
    Demo(Lazily<demo::Arguments>),
    /// Print the script that teaches a shell to complete brv's commands, names and paths
    Completions(Lazily<completions::Arguments>),
    /// Print the manual page of a command, or write those of all
    Man(Lazily<man::Arguments>),
    /// Merge one file for git: what a merge, rebase, pick or stash in the tree starts by itself
    MergeDriver(Lazily<merge_driver::Arguments>),
    /// Show the help of a command or a topic
    Help(Lazily<help::Arguments>),
}

/// The verbs of `brv vc`, each with git's meaning where git has it.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Make the context tree of this project
    Init(Lazily<init::AsVerb>),
    /// Bring a tree from a remote into a project
    Clone(Lazily<vc::clone::Arguments>),
    /// Read and change git's settings of the tree, such as who you are
    Config(Lazily<vc::config::Arguments>),
    /// Record files for the next commit
    Add(Lazily<vc::add::Arguments>),
    /// Make what is recorded a commit
    Commit(Lazily<vc::commit::Arguments>),
    /// Show what changed since the last commit
    Status(Lazily<vc::status::Arguments>),
    /// Show what differs between commits, the index and the files
    Diff(Lazily<vc::diff::Arguments>),
    /// Show the history
    Log(Lazily<vc::log::Arguments>),
    /// Show a commit, a tag, or a file of a commit
    Show(Lazily<vc::show::Arguments>),
    /// Show who wrote each line of a file, or stated a fact
    Blame(Lazily<vc::blame::Arguments>),
    /// Name, make, rename and delete branches
    Branch(Lazily<vc::branch::Arguments>),
    /// List, make, move and delete tags
    Tag(Lazily<vc::tag::Arguments>),
    /// Go to another branch, or make one
    Switch(Lazily<vc::switch::Arguments>),
    /// Go to a branch or commit, or bring paths back
    Checkout(Lazily<vc::checkout::Arguments>),
    /// Bring files back to what is recorded or what a commit has
    Restore(Lazily<vc::restore::Arguments>),
    /// Take the branch to another commit, or unrecord paths
    Reset(Lazily<vc::reset::Arguments>),
    /// Say where the tree is shared
    Remote(Lazily<vc::remote::Arguments>),
    /// Receive what a remote has, without touching the files
    Fetch(Lazily<vc::fetch::Arguments>),
    /// Bring another branch or commit into the current branch
    Merge(Lazily<vc::merge::Arguments>),
    /// Move entries and folders, and turn the links that led to them
    Mv(Lazily<vc::mv::Arguments>),
    /// Receive what a remote has and bring the files up to it
    Pull(Lazily<vc::pull::Arguments>),
    /// Send what a remote lacks
    Push(Lazily<vc::push::Arguments>),
    /// Pull and push in one, again and again while others do so too
    Sync(Lazily<vc::sync::Arguments>),
    /// Merge a file again that a host or another tool merged by line
    Repair(Lazily<vc::repair::Arguments>),
    /// Take commits of the history back by new ones, by meaning
    Revert(Lazily<vc::revert::Arguments>),
    /// Take files out of what is recorded, and of the tree
    Rm(Lazily<vc::rm::Arguments>),
    /// Decide what a merge left open, and settle disputed facts
    Resolve(Lazily<vc::resolve::Arguments>),
    /// Pack what the history needs into one file, and remove what nobody needs
    Gc(Lazily<vc::gc::Arguments>),
}

/// The verbs of `brv op`.
#[derive(Debug, Subcommand)]
pub enum OpVerb {
    /// Show the operations on record, newest first
    Log(Lazily<op::log::Arguments>),
    /// Show an operation: who, when, why, what it changed, what became of it
    Show(Lazily<op::show::Arguments>),
    /// Show what an operation changed in the files
    Diff(Lazily<op::diff::Arguments>),
    /// Take operations from the journal that have had their time, or that hold a file
    Prune(Lazily<op::prune::Arguments>),
}

/// The arguments of a command, which are described only when it is the one that was called: describing all of them at
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
    // what the command is about is said where it is listed, not where its arguments are
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

/// The flags that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Globals {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Print one JSON object, also for errors; short for --format json
    #[arg(long, global = true)]
    pub json: bool,
    /// Say nothing but data and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colours: auto, always or never
    #[arg(long, value_name = "WHEN", global = true, hide_possible_values = true)]
    pub color: Option<When>,
    /// Show how far long work is, also where standard error is no terminal
    #[arg(long, global = true)]
    pub progress: bool,
    /// Print long output as it is
    #[arg(long, global = true)]
    pub no_pager: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Also into pipes and files
    Always,
    /// Not at all
    Never,
}

impl Globals {
    /// What the flags say about settings.
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

    /// How much is said.
    #[must_use]
    pub const fn loudness(&self) -> Loudness {
        if self.quiet { Loudness::Quiet } else { Loudness::Normal }
    }

    /// Whether long work shows how far it is.
    #[must_use]
    pub const fn showing(&self) -> Showing {
        if self.progress { Showing::Always } else { Showing::Auto }
    }

    /// Whether pages are allowed.
    #[must_use]
    pub const fn paging(&self) -> Paging {
        if self.no_pager { Paging::Off } else { Paging::Auto }
    }
}

/// The topics and the exit codes, for the end of the help.
fn after_help() -> String {
    let topics = help::Topic::ALL.map(help::Topic::name).join(", ");
    let lines = Exit::ALL.map(|exit| format!("{:>5}  {}", exit.number(), exit.meaning()));
    format!("Topics of `brv help`: {topics}\n\nExit codes:\n{}", lines.join("\n"))
}

/// All commands, as the parser knows them, each with its whole name.
#[must_use]
pub fn root() -> clap::Command {
    let mut root = Cli::command();
    root.build();
    root
}
