//! The form of a command: arguments that give an [`Answer`], which any surface can show.
//!
//! A verb prints nothing and knows no terminal: what it answers is its JSON, and its text is drawn from that alone.
//! [`super::table`] makes the rest of a row.

use super::differences::DiffFlags;
use super::session::{Catalog, Session};
use super::ui::{Destination, Form, Screen};
use crate::say::described::{Described, described};
use crate::say::{Exit, Failure};
use brv_engine::Context;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

pub use super::ui::Purpose;

/// A command that serves every surface. Its fields are its arguments.
pub trait Verb: Args {
    /// What is typed after `brv`, such as `archive run`; the schema is named after it.
    const NAME: &'static str;
    const TEXT: Purpose = Purpose::Answer;
    /// The schemas of its JSON; several where a flag asks for another answer.
    const SCHEMAS: &'static [Described] = &[described::<Self::Outcome>(Self::NAME)];
    /// Whether its own flags choose the form of the output; else the flag `--format` is added, with text and JSON.
    const HAS_OWN_FORMATS: bool = false;
    type Outcome: Serialize + JsonSchema;

    /// Whether it runs even if the settings are invalid, because it is what fixes them.
    fn mends_settings(&self) -> bool {
        false
    }

    /// Tell the arguments where they are given, and what is known of all commands, before they run.
    fn prepare(&mut self, _cx: &Context<'_>, _all: Catalog) {}

    /// Ask the person at the terminal what the arguments leave open. An exit code: nothing is left to do.
    ///
    /// # Errors
    /// The failure to show; nothing was done.
    fn ask(&mut self, _session: &Session) -> Result<Option<Exit>, Failure> {
        Ok(None)
    }

    /// Do it.
    ///
    /// # Errors
    /// The failure to show where there is no outcome.
    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Self::Outcome>, Failure>;

    /// Which of the schemas the answer has, where that depends on the arguments.
    fn schema(&self) -> &'static str {
        Self::NAME
    }

    /// The form of the output that its own flags choose.
    fn form(&self) -> Form {
        Form::Text
    }

    /// Tell the arguments where the answer is shown, before they run, if its form depends on that.
    fn shown_in(&mut self, destination: Destination) {
        if let Some(flags) = self.differences() {
            flags.destination = destination;
        }
    }

    /// The flags that choose how differences are shown, if it has them: they say the form of its output and the file.
    fn differences(&mut self) -> Option<&mut DiffFlags> {
        None
    }

    /// The file that gets the output, instead of standard output.
    fn output(&self) -> Option<PathBuf> {
        None
    }

    /// What the text is for, where that depends on the arguments.
    fn purpose(&self) -> Purpose {
        Self::TEXT
    }

    /// Draw an outcome for people.
    fn text(&self, outcome: &Self::Outcome, screen: &mut Screen);
}

/// An outcome, and its warnings.
pub struct Answer<'a, T> {
    /// The data.
    pub outcome: T,
    /// Warnings of the command.
    pub warnings: Vec<String>,
    /// Warnings that the text shows by itself: only programs are given them.
    pub in_text: Vec<String>,
    /// Commands to run next; never a destructive one.
    pub next: Vec<String>,
    /// The exit code, where it is an answer and not a failure.
    pub exit: Exit,
    /// Why the command failed in part; the outcome shows how far it got.
    pub failure: Option<Failure>,
    /// Work that nobody waits for: it is done after the answer was shown.
    pub after: Option<Box<dyn FnOnce() + 'a>>,
}

impl<'a, T> Answer<'a, T> {
    pub const fn new(outcome: T) -> Self {
        Self {
            outcome,
            warnings: Vec::new(),
            in_text: Vec::new(),
            next: Vec::new(),
            exit: Exit::Done,
            failure: None,
            after: None,
        }
    }

    pub fn warning(mut self, warnings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.warnings.extend(warnings.into_iter().map(Into::into));
        self
    }

    /// Add warnings that the text shows by itself.
    pub fn in_text(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.in_text.extend(warnings);
        self
    }

    /// Add commands to run next.
    pub fn next(mut self, next: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.next.extend(next.into_iter().map(Into::into));
        self
    }

    /// Set the exit code, where it is an answer and not a failure.
    pub const fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Mark the command as failed in part.
    pub fn failing(mut self, failure: Option<Failure>) -> Self {
        self.failure = failure;
        self
    }

    /// Set the work that is done after the answer was shown.
    pub fn after(mut self, work: impl FnOnce() + 'a) -> Self {
        self.after = Some(Box::new(work));
        self
    }
}
