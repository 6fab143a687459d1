//! `brv --version --json`: which program this is, and the formats that it writes.

use brv_text::derive;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.version/1`: a program.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Version")]
pub struct Program {
    /// Its version: `0.1.0`
    pub version: &'static str,
    /// The commit that it was built from; absent if it was built in a work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'static str>,
    /// The platform that it was built for: `x86_64-unknown-linux-musl`
    pub target: &'static str,
    /// The profile that it was built with: `dist`, `release`, `dev`
    pub profile: &'static str,
    /// The versions of the formats that it writes.
    pub formats: WrittenFormats,
}

/// The versions of what a program writes. It reads all older ones.
#[derive(Debug, JsonSchema, Serialize)]
pub struct WrittenFormats {
    /// Of derived files.
    pub derived: u32,
    /// Of `state.db`. A program stops at a newer one.
    pub state: i64,
}

/// This program: what its build script knows of it. `commit` is empty if that is not known.
pub fn program(commit: &'static str, target: &'static str, profile: &'static str) -> Program {
    Program {
        version: env!("CARGO_PKG_VERSION"),
        commit: (!commit.is_empty()).then_some(commit),
        target,
        profile,
        formats: WrittenFormats { derived: derive::FORMAT, state: brv_engine::STATE_FORMAT },
    }
}
