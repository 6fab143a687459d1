//! What `brv help`, `brv man` and `brv completions` give: texts with their names.

use schemars::JsonSchema;
use serde::Serialize;

/// `brv.help/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Help {
    /// The command or topic; `brv` for the program itself.
    pub name: String,
    /// The whole text, without colours.
    pub text: String,
}

/// `brv.completions/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Completions {
    /// `bash`, `zsh`, `fish` or `powershell`.
    pub shell: String,
    /// The script, for the shell to read.
    pub script: &'static str,
}

/// `brv.man/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Man {
    /// The pages, the program's own first.
    pub pages: Vec<ManPage>,
}

/// A manual page.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ManPage {
    /// `brv-vc-push`
    pub name: String,
    /// The file it was written to, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The page in the language of troff, where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
