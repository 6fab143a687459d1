//! JSON of `brv help`, `brv man` and `brv completions`.

use schemars::JsonSchema;
use serde::Serialize;

/// `brv.help/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Help {
    /// The command or topic; `brv` for the program itself.
    pub name: String,
    /// The full text, without colours.
    pub text: String,
}

/// `brv.completions/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Completions {
    /// `bash`, `zsh`, `fish` or `powershell`.
    pub shell: String,
    /// The shell script.
    pub script: &'static str,
}

/// `brv.man/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Man {
    /// The pages, beginning with the program's own.
    pub pages: Vec<ManPage>,
}

/// A manual page.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ManPage {
    /// Its name: `brv-vc-push`
    pub name: String,
    /// The file it was written to, with `--out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The page in troff format, without `--out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
