//! The data of `brv demo`.

use crate::ops::demo::{Outcome, Scene};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.demo/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Demo {
    /// The folder that is left for exploring, absolute.
    pub folder: String,
    /// The files of each tree; all are the same on both sides.
    pub files: usize,
    /// How many of them were made on each machine.
    pub derived: usize,
    steps: Vec<Step>,
}

/// What happened, in order.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// The beginning of a part.
    Part {
        /// What it is about.
        title: &'static str,
    },
    /// What happened without a command of brv's.
    Told {
        /// In words.
        text: String,
    },
    /// A command.
    Ran {
        /// Whose.
        person: &'static str,
        /// Without the program.
        arguments: Vec<String>,
        /// Its exit code.
        exit: i32,
        /// What it printed.
        stdout: String,
        /// What it said beside.
        stderr: String,
    },
    /// The beginning of a file.
    Shown {
        /// Whose.
        person: &'static str,
        /// Its path in the tree.
        path: &'static str,
        /// Its first lines.
        lines: Vec<String>,
    },
    /// Derived files that the last command made, changed or removed.
    Derived {
        /// Whose.
        person: &'static str,
        /// Their paths in the tree.
        paths: Vec<String>,
    },
}

impl Demo {
    /// The data.
    #[must_use]
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
