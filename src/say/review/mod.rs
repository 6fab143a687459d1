//! A review: what `brv vc check` found, for a pull request, for CI and for other programs. One file per format.
//!
//! Pure: the data in, text out, the same bytes on every machine; no clock, no absolute path, no width of a terminal.
//! Everything from the tree and its history is escaped for the place where it is shown. The form for a terminal is drawn
//! from the same words and the same order by the command line.

mod comment;
mod github;
mod gitlab;
#[cfg(test)]
pub(crate) mod nasty;
mod order;
mod rules;
#[cfg(test)]
pub(crate) mod samples;
mod sarif;
pub mod stale;
pub mod verdict;

pub use comment::{MARKER, MAX_LENGTH, comment, summary};
pub use github::annotations;
pub use gitlab::code_quality;
pub use order::{findings, is_error};
pub use rules::help;
pub use sarif::sarif;

use brv_base::escape::escape_json;
use brv_commands::vc::check::Finding;
use brv_text::lint::Rule;
use serde::Serialize;

/// The title of the rule that a finding breaks.
pub fn title(finding: &Finding) -> &'static str {
    Rule::from_id(finding.rule).map_or("", Rule::title)
}

/// Whether the finding is about the tree as a whole, which has no line.
pub fn is_of_tree(finding: &Finding) -> bool {
    finding.path == "."
}

/// The path of a finding as seen from the repository's root; the tree is at `prefix`.
fn at(prefix: &str, finding: &Finding) -> String {
    match (is_of_tree(finding), prefix) {
        (true, "") => finding.path.clone(),
        (true, prefix) => prefix.to_owned(),
        (false, prefix) => format!("{prefix}{}", finding.path),
    }
}

/// JSON over several lines, as files of CI are read by people, too.
fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("plain data is JSON");
    text.push('\n');
    escape_json(text)
}
