//! A row of the table of commands, and the groups in which help lists them.

use super::session::{Caller, Catalog};
use crate::say::described::Described;
use crate::say::{Exit, Reply};
use brv_engine::Context;
use clap::{ArgMatches, Command};

/// A command, or a family of commands such as `vc`.
#[derive(Debug)]
pub struct Row {
    /// What is typed after `brv`: `vc push`
    pub name: &'static str,
    /// Where help lists it.
    pub group: Group,
    /// What it does, in one line without a full stop.
    pub about: &'static str,
    /// What it is.
    pub kind: CommandRowKind,
}

/// What a row is.
#[derive(Debug)]
pub enum CommandRowKind {
    /// Commands that share a first word.
    Family {
        /// What its help begins with.
        examples: &'static str,
        /// The member that runs where only the first word is typed; without one, help is shown.
        bare: Option<&'static str>,
    },
    /// A command.
    Command(CommandDetails),
}

/// What the row of a command knows beside its name.
#[derive(Debug)]
pub struct CommandDetails {
    /// Describes its arguments to the parser.
    pub describe: fn(Command) -> Command,
    /// Runs it on the terminal.
    pub call: CommandFunction,
    /// Runs it for another surface; `None` of a command that prints by itself.
    pub reply: Option<Replier>,
    /// The schemas of its JSON.
    pub schemas: &'static [Described],
}

/// Runs a command, and prints its result.
pub type CommandFunction = fn(&ArgMatches, Caller) -> Result<Exit, clap::Error>;

/// Runs a command, and hands on what it answers.
pub type Replier = fn(&ArgMatches, &Context<'_>, Catalog, &mut dyn FnMut(Reply)) -> Result<(), clap::Error>;

/// The groups of commands: the sections of `brv help commands`, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Start,
    Read,
    Change,
    Curate,
    Hooks,
    Agents,
    Inspect,
    Review,
    Branches,
    Sync,
    Merge,
    Undo,
    Maintain,
    Tools,
}

impl Group {
    /// All, in their order.
    pub const ALL: [Self; 14] = [
        Self::Start,
        Self::Read,
        Self::Change,
        Self::Curate,
        Self::Hooks,
        Self::Agents,
        Self::Inspect,
        Self::Review,
        Self::Branches,
        Self::Sync,
        Self::Merge,
        Self::Undo,
        Self::Maintain,
        Self::Tools,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Read => "Read",
            Self::Change => "Change",
            Self::Curate => "Curate",
            Self::Hooks => "Hooks and jobs",
            Self::Agents => "Agents",
            Self::Inspect => "Inspect",
            Self::Review => "Review",
            Self::Branches => "Branches and tags",
            Self::Sync => "Sync",
            Self::Merge => "Merge",
            Self::Undo => "Undo",
            Self::Maintain => "Maintain",
            Self::Tools => "Help and tools",
        }
    }

    /// Its commands, in the order of the rows.
    pub fn commands(self, rows: &[Row]) -> impl Iterator<Item = &Row> {
        rows.iter().filter(move |row| row.group == self && row.is_command())
    }
}

impl Row {
    /// The family it belongs to: `vc` of `vc push`.
    pub fn family(&self) -> Option<&'static str> {
        self.name.split_once(' ').map(|(family, _)| family)
    }

    /// Its last word: `push` of `vc push`.
    pub fn word(&self) -> &'static str {
        self.name.split_once(' ').map_or(self.name, |(_, word)| word)
    }

    /// Whether it is a command, and no family.
    pub const fn is_command(&self) -> bool {
        matches!(self.kind, CommandRowKind::Command(_))
    }

    /// What it knows of itself, if it is a command.
    pub const fn own(&self) -> Option<&CommandDetails> {
        match &self.kind {
            CommandRowKind::Command(own) => Some(own),
            CommandRowKind::Family { .. } => None,
        }
    }
}
