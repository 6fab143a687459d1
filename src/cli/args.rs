//! The arguments: a line for each command, and the flags that all of them share.
//!
//! Each command's own flags stand in its own file.

use super::exit::Exit;
use super::ui::{Form, Loudness, Paging};
use super::{config as settings, demo, derive, init, links, read, schema, status, tree, vc};
use crate::config;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Version control for the knowledge of coding agents
#[derive(Debug, Parser)]
#[command(
    name = "brv",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    before_help = "Examples:\n  brv init\n  brv vc clone https://git.example.org/team/knowledge.git\n  brv vc pull",
    after_help = exit_codes()
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
    Init(init::Arguments),
    /// Version control: record, compare and share the tree
    #[command(
        before_help = "Examples:\n  brv vc status\n  brv vc add .\n  brv vc commit -m \"auth: tokens live 12 hours\"\n  brv vc push"
    )]
    Vc {
        /// What to do.
        #[command(subcommand)]
        verb: Verb,
    },
    /// Make summaries and other derived files again where they are out of date
    Derive(derive::Arguments),
    /// Show the whole picture of a project: what is in the tree, what changed, what is out of date
    Status(status::Arguments),
    /// Show what there is: folders and entries, with what they are about
    Tree(tree::Arguments),
    /// Read an entry or a folder, whole or in short
    Read(read::Arguments),
    /// Show where an entry or folder points, and what points to it
    Links(links::Arguments),
    /// Read and change brv's own settings
    Config(settings::Arguments),
    /// Give the JSON Schema of what each command prints under --json
    Schema(schema::Arguments),
    /// Show the main job: two people share a tree, in a folder that is left for exploring
    Demo(demo::Arguments),
}

/// The verbs of `brv vc`, each with git's meaning where git has it.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Make the context tree of this project
    Init(init::AsVerb),
    /// Bring a tree from a remote into a project
    Clone(vc::clone::Arguments),
    /// Read and change git's settings of the tree, such as who you are
    Config(vc::config::Arguments),
    /// Record files for the next commit
    Add(vc::add::Arguments),
    /// Make what is recorded a commit
    Commit(vc::commit::Arguments),
    /// Show what changed since the last commit
    Status(vc::status::Arguments),
    /// Show what differs between commits, the index and the files
    Diff(vc::diff::Arguments),
    /// Show the history
    Log(vc::log::Arguments),
    /// Show a commit, a tag, or a file of a commit
    Show(vc::show::Arguments),
    /// Say where the tree is shared
    Remote(vc::remote::Arguments),
    /// Receive what a remote has, without touching the files
    Fetch(vc::fetch::Arguments),
    /// Receive what a remote has and bring the files up to it
    Pull(vc::pull::Arguments),
    /// Send what a remote lacks
    Push(vc::push::Arguments),
    /// Pack what the history needs into one file, and remove what nobody needs
    Gc(vc::gc::Arguments),
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
    /// Print long output as it is
    #[arg(long, global = true)]
    pub no_pager: bool,
}

/// The form of the output, for commands that know no others.
#[derive(Debug, Args)]
pub struct Format {
    /// The form of the output: text or json
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<TextOrJson>,
}

/// The forms that every command knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextOrJson {
    /// For people
    Text,
    /// For programs
    Json,
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

    /// Whether pages are allowed.
    #[must_use]
    pub const fn paging(&self) -> Paging {
        if self.no_pager { Paging::Off } else { Paging::Auto }
    }
}

impl Format {
    /// The form asked for.
    #[must_use]
    pub fn form(&self) -> Form {
        if self.format == Some(TextOrJson::Json) { Form::Json } else { Form::Text }
    }
}

/// The exit codes, for the end of the help.
fn exit_codes() -> String {
    let lines = Exit::ALL.map(|exit| format!("{:>5}  {}", exit.number(), exit.meaning()));
    format!("Exit codes:\n{}", lines.join("\n"))
}
