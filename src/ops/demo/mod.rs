//! `brv demo`: two people share a real tree through a bare repository, by the very program that runs it.
//!
//! Every command is started as a user would start it, so that nothing is shown that does not happen. The tree is
//! brv's own: what a new developer of it reads first. Nothing is printed here: each [`Scene`] is handed out as it ends.

mod play;
mod stage;

use super::FailureKind;
use super::context::Context;
use super::steps::cause::{Cause, caused};
use crate::git;
use std::path::PathBuf;

/// Where it plays.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder, absent or empty; `None`: a new one among the temporary files.
    pub folder: Option<PathBuf>,
    /// The file of the program whose commands are shown.
    pub program: PathBuf,
}

/// What is left when all went well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The folder: `team.git`, `alice`, `bob` and `home`.
    pub folder: PathBuf,
    /// How many files each of the two has in their tree; all are the same, byte by byte.
    pub files: usize,
    /// How many of them were made on each machine and never sent.
    pub derived: usize,
}

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// She shares the tree.
    Alice,
    /// He joins.
    Bob,
}

impl Person {
    /// `alice`: also the name of the folder.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alice => "alice",
            Self::Bob => "bob",
        }
    }
}

/// A step that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scene {
    /// The beginning of a part.
    Part(&'static str),
    /// What happened without a command of brv's.
    Told(String),
    /// A command.
    Ran(Ran),
    /// The beginning of a file.
    Shown {
        /// Whose.
        person: Person,
        /// Its path in the tree.
        path: &'static str,
        /// Its first lines.
        lines: Vec<String>,
    },
    /// Derived files that the last command made, changed or removed.
    Derived {
        /// Whose.
        person: Person,
        /// Their paths in the tree, in order.
        paths: Vec<String>,
    },
}

/// A command that has ended as it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// In whose folder.
    pub person: Person,
    /// What was typed after `brv`.
    pub arguments: Vec<String>,
    /// The exit code.
    pub exit: i32,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub messages: String,
}

/// Why the demonstration ended early. What was made so far stays for a look.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something is there.
    #[error("`{}` is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// The bare repository.
    #[error(transparent)]
    Bare(#[from] git::InitError),
    /// The program could not be started.
    #[error("cannot run `{}`", program.display())]
    Start {
        /// Its file.
        program: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A command ended otherwise than it should.
    #[error(
        "`brv {}` in `{}` ended with {}, not with {expected}: {}",
        ran.arguments.join(" "),
        folder.display(),
        ran.exit,
        ran.messages.trim_end(),
    )]
    Unexpected {
        /// The command.
        ran: Box<Ran>,
        /// Where it ran.
        folder: PathBuf,
        /// The exit code that it should have ended with.
        expected: i32,
    },
    /// The two trees are not the same.
    #[error("the trees in `{}` differ: {}", folder.display(), paths.join(", "))]
    Different {
        /// The folder of the demonstration.
        folder: PathBuf,
        /// The files that differ or that only one has.
        paths: Vec<String>,
    },
    /// What is no fault of what was played.
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::NotEmpty(_) => FailureKind::Refused,
            Self::Bare(_) | Self::Start { .. } | Self::Unexpected { .. } | Self::Different { .. } => {
                FailureKind::Failed
            }
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Play it from beginning to end; `watch` gets each scene as it ends.
///
/// # Errors
/// [`Error`], at the first step that does not do what it should.
pub fn run(cx: &Context<'_>, options: &Options, watch: &mut dyn FnMut(Scene)) -> Result<Outcome, Error> {
    let folder = options.folder.as_ref().map(|folder| cx.cwd.join(folder));
    let mut stage = stage::Stage::open(folder, (&options.program, &cx.environment), watch)?;
    play::play(&mut stage)
}
