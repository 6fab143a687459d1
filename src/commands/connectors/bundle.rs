//! `brv connectors bundle`: writes packages that hosts install by themselves.

pub use brv_engine::agents::connectors::Package;

use brv_base::fs::{self, Durability};
use brv_engine::{Context, FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// `brv.connectors.bundle/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorsBundle")]
pub struct Outcome {
    /// The files that were written, relative to the folder.
    pub files: Vec<String>,
}

/// Write the packages, each into a folder of its name.
///
/// # Errors
/// A folder that has files already, or is none: nothing is written.
pub fn run(cx: &Context<'_>, output: &Path, packages: &[Package]) -> Result<Outcome, Stop> {
    let root = cx.cwd.join(output);
    if root.symlink_metadata().is_ok() && !root.is_dir() {
        return Err(Stop::usage(format!("`{}` is not a folder", output.display())));
    }
    for package in packages {
        let folder = root.join(package.word());
        let shown = output.join(package.word());
        let refused = |why: &str| {
            Stop::new(FailureKind::Refused, format!("`{}` {why}", shown.display()))
                .hint("name another folder, or empty this one; nothing was written")
        };
        match folder.symlink_metadata() {
            Ok(found) if !found.is_dir() => return Err(refused("is not a folder")),
            Ok(_) if !fs::names(&folder)?.is_empty() => return Err(refused("is not empty")),
            _ => {}
        }
    }
    let mut files = Vec::new();
    for package in packages {
        for (path, text) in package.files() {
            let name = format!("{}/{path}", package.word());
            fs::replace(&root.join(&name), text.as_bytes(), Durability::Later)?;
            files.push(name);
        }
    }
    Ok(Outcome { files })
}
