//! The data of `brv demo`.

use crate::ops::demo::{Outcome, Scene};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.demo/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Demo {
    /// The folder that is left for exploring, absolute.
    folder: String,
    /// The files of each tree; all are the same on both sides.
    files: usize,
    /// How many of them were made on each machine.
    derived: usize,
    steps: Vec<Step>,
}

/// What happened, in order.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Step {
    Part { title: &'static str },
    Told { text: String },
    Ran { person: &'static str, arguments: Vec<String>, exit: i32, stdout: String, stderr: String },
    Shown { person: &'static str, path: &'static str, lines: Vec<String> },
    Derived { person: &'static str, paths: Vec<String> },
}

impl Demo {
    /// The data.
    #[must_use]
    pub fn new(outcome: &Outcome, scenes: Vec<Scene>) -> Self {
        Self {
            folder: outcome.folder.to_string_lossy().into_owned(),
            files: outcome.files,
            derived: outcome.derived,
            steps: scenes.into_iter().map(Step::from).collect(),
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
