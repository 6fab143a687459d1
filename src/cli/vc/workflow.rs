//! The files for CI that `--workflow` prints or writes.

use crate::cli::ui::Screen;
use crate::say::{Failure, words, workflow};
use brv_engine::{Context, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// `brv.stale.workflow/1`
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StaleWorkflow")]
pub struct Workflow {
    /// The files, with their paths in the repository of the code.
    pub files: Vec<workflow::WorkflowFile>,
    /// Where they were written, with `--output`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
}

impl Workflow {
    /// The files; written, if a folder is named.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn of(
        cx: &Context<'_>,
        files: Vec<workflow::WorkflowFile>,
        folder: Option<&Path>,
    ) -> Result<Self, Failure> {
        let Some(folder) = folder else { return Ok(Self { files, written: Vec::new() }) };
        let texts = files.iter().map(|file| (file.path.to_owned(), file.text.clone()));
        let written = cx.write_files(folder, texts).map_err(Stop::from)?;
        let written = written.iter().map(|file| words::place(file, &cx.cwd)).collect();
        Ok(Self { files, written })
    }

    /// Draw where they are, or all of them.
    pub fn text(&self, screen: &mut Screen) {
        for file in &self.written {
            screen.line(format!("Wrote {file}"));
        }
        if self.written.is_empty() {
            screen.plain(workflow::stream(&self.files));
        }
    }
}
