//! `brv demo`: two people share a real tree through a bare repository, using the running program itself.
//!
//! Every command is started as a user would start it, so the demo shows only what really happens. The tree is brv's
//! own: what a new developer of brv reads first. Nothing is printed here: each [`Scene`] is handed out as it ends.

mod play;
mod stage;

use brv_engine::FailureKind;
use brv_engine::open::context::Context;
use brv_engine::outcome::cause::{Cause, caused};
use brv_git as git;
use std::path::PathBuf;

/// The path and the bytes of each file of a tree, in order. The program embeds one; here it is data.
pub type Tree = &'static [(&'static str, &'static [u8])];

#[derive(Debug, Clone)]
pub struct Options {
    /// The tree that is shared.
    pub tree: Tree,
    /// The folder, absent or empty; `None`: a new temporary folder.
    pub folder: Option<PathBuf>,
    /// The executable whose commands are shown.
    pub program: PathBuf,
}

/// The result of a complete run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The folder: `team.git`, `alice`, `bob` and `home`.
    pub folder: PathBuf,
    /// How many files each of the two trees has; they are identical byte for byte.
    pub files: usize,
    /// How many of those files were generated on each machine and never sent.
    pub derived: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// Alice, who shares the tree.
    Alice,
    /// Bob, who joins.
    Bob,
}

impl Person {
    /// `alice`: also the name of the folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alice => "alice",
            Self::Bob => "bob",
        }
    }
}

/// A step of the demo that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scene {
    Part(&'static str),
    /// Something that happened without a brv command.
    Told(String),
    Ran(Ran),
    /// The first lines of a file.
    Shown {
        person: Person,
        path: &'static str,
        lines: Vec<String>,
    },
    /// Derived files that the last command added, changed or removed.
    Derived {
        person: Person,
        /// Their paths in the tree, in order.
        paths: Vec<String>,
    },
}

/// A command that ended as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub person: Person,
    /// The arguments after `brv`.
    pub arguments: Vec<String>,
    pub exit: i32,
    pub output: String,
    pub messages: String,
}

/// Why the demo ended early. What it has made so far is kept for inspection.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{}` is not empty", .0.display())]
    NotEmpty(PathBuf),
    #[error(transparent)]
    Bare(#[from] git::InitError),
    #[error("cannot run `{}`", program.display())]
    Start { program: PathBuf, source: std::io::Error },
    #[error(
        "`brv {}` in `{}` ended with {}, not with {expected}: {}",
        ran.arguments.join(" "),
        folder.display(),
        ran.exit,
        ran.messages.trim_end(),
    )]
    Unexpected {
        ran: Box<Ran>,
        folder: PathBuf,
        /// The exit code that it should have ended with.
        expected: i32,
    },
    #[error("the trees in `{}` differ: {}", folder.display(), paths.join(", "))]
    Different {
        folder: PathBuf,
        /// The files that differ, or that only one of the trees has.
        paths: Vec<String>,
    },
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
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

/// Run the demo from beginning to end; `watch` gets each scene as it ends.
///
/// # Errors
/// [`Error`], at the first step that does not do what it should.
pub fn run(cx: &Context<'_>, options: &Options, watch: &mut dyn FnMut(Scene)) -> Result<Outcome, Error> {
    let folder = options.folder.as_ref().map(|folder| cx.cwd.join(folder));
    let mut stage = stage::Stage::open(folder, (&options.program, &cx.environment), watch)?;
    play::play(&mut stage, options.tree)
}
