//! `brv demo`: two people share a real tree through a bare repository, using the running program itself.
//!
//! Every command is started as a user would start it, so the demo shows only what really happens. The tree is brv's
//! own: what a new developer of brv reads first. Nothing is printed here: each [`Scene`] is handed out as it ends.

mod play;
mod stage;

use brv_engine::Stop;
use brv_engine::open::context::Context;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// The path and the bytes of each file of a tree, in order. The program embeds one; here it is data.
pub type DemoTree = &'static [(&'static str, &'static [u8])];

#[derive(Debug, Clone)]
pub struct Options {
    /// The tree that is shared.
    pub tree: DemoTree,
    /// The folder, absent or empty; `None`: a new temporary folder.
    pub folder: Option<PathBuf>,
    /// The executable whose commands are shown.
    pub program: PathBuf,
}

/// `brv.demo/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Demo")]
pub struct Outcome {
    /// The folder left for you to explore, absolute.
    // `team.git`, `alice`, `bob` and `home` are in it
    pub folder: String,
    /// Number of files in each tree; they are the same on both sides.
    pub files: usize,
    /// Number of derived files among them, which each machine generated itself.
    pub derived: usize,
    // what was shown, in order
    pub steps: Vec<Scene>,
}

#[derive(Debug, Clone, Copy)]
enum DemoPerson {
    /// Alice, who shares the tree.
    Alice,
    /// Bob, who joins.
    Bob,
}

impl DemoPerson {
    /// `alice`: also the name of the folder.
    const fn name(self) -> &'static str {
        match self {
            Self::Alice => "alice",
            Self::Bob => "bob",
        }
    }
}

/// A step of the demo.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "Step")]
pub enum Scene {
    /// Start of a part.
    Part {
        /// The title of the part.
        title: &'static str,
    },
    /// Something that happened without a brv command.
    Told {
        /// Description.
        text: String,
    },
    /// A command that was run.
    Ran {
        /// Who ran it.
        person: &'static str,
        /// The arguments, without the program.
        arguments: Vec<String>,
        /// Its exit code.
        exit: i32,
        /// Its standard output.
        stdout: String,
        /// Its standard error.
        stderr: String,
    },
    /// The start of a file.
    Shown {
        /// Whose machine it is on.
        person: &'static str,
        /// Its path in the tree.
        path: &'static str,
        /// Its first lines.
        lines: Vec<String>,
    },
    /// Derived files that the last command created, changed or removed.
    Derived {
        /// Whose machine they are on.
        person: &'static str,
        /// Their paths in the tree.
        paths: Vec<String>,
    },
}

/// Run the demo from beginning to end; `watch` gets each scene as it ends.
///
/// # Errors
/// The first step that does not do what it should. What was made until then is kept for inspection.
pub fn run(cx: &Context<'_>, options: &Options, watch: &mut dyn FnMut(&Scene)) -> Result<Outcome, Stop> {
    let folder = options.folder.as_ref().map(|folder| cx.cwd.join(folder));
    let mut stage = stage::DemoStage::open(folder, (&options.program, &cx.environment), watch)?;
    let outcome = play::play(&mut stage, options.tree)?;
    Ok(Outcome { steps: stage.scenes(), ..outcome })
}
