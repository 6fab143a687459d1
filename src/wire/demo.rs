//! JSON of `brv demo`.

use brv_commands::demo::{Outcome, Scene};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.demo/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Demo {
    /// The folder left for you to explore, absolute.
    pub folder: String,
    /// Number of files in each tree; they are the same on both sides.
    pub files: usize,
    /// Number of derived files among them, which each machine generated itself.
    pub derived: usize,
    steps: Vec<Step>,
}

/// A step of the demo.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
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

impl Demo {
    pub fn new(outcome: &Outcome, steps: Vec<Step>) -> Self {
        Self {
            folder: outcome.folder.to_string_lossy().into_owned(),
            files: outcome.files,
            derived: outcome.derived,
            steps,
        }
    }
}

impl From<Scene> for Step {
    fn from(scene: Scene) -> Self {
        match scene {
            Scene::Part(title) => Self::Part { title },
            Scene::Told(text) => Self::Told { text },
            Scene::Ran(ran) => Self::Ran {
                person: ran.person.name(),
                arguments: ran.arguments,
                exit: ran.exit,
                stdout: ran.output,
                stderr: ran.messages,
            },
            Scene::Shown { person, path, lines } => Self::Shown { person: person.name(), path, lines },
            Scene::Derived { person, paths } => Self::Derived { person: person.name(), paths },
        }
    }
}
