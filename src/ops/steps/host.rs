//! The git repository that the project itself may be: it is told to leave `.brv/` alone.

use crate::fs::{self, Durability};
use crate::tree::BRV_FOLDER;
use std::path::Path;

/// Whether a line was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// Now.
    Added,
    /// It was there.
    AlreadyThere,
}

/// Add the line `.brv/` to a file of ignore rules where it is missing.
///
/// # Errors
/// A file that cannot be read or written.
pub fn exclude(file: &Path) -> Result<Exclusion, fs::Error> {
    let mut text = fs::read_if_there(file)?.unwrap_or_default();
    let forms = [".brv/", ".brv", "/.brv/", "/.brv"];
    let is_there = text
        .split(|byte| *byte == b'\n')
        .any(|line| forms.iter().any(|form| line.trim_ascii() == form.as_bytes()));
    if is_there {
        return Ok(Exclusion::AlreadyThere);
    }
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(format!("{BRV_FOLDER}/\n").as_bytes());
    fs::replace(file, &text, Durability::Now)?;
    Ok(Exclusion::Added)
}
