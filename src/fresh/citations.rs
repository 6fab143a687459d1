//! What an entry cites of the code and names in it, line by line.

use crate::doc::Document;

/// A line of an entry that cites files or has names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitingLine {
    /// Counted from 1.
    pub line: usize,
    /// Paths of the code that it may cite, as they were written, without a line number and `./`.
    pub paths: Vec<String>,
    /// Names that may stand in the code: other code spans and identifiers.
    pub names: Vec<String>,
}

/// The lines of an entry that may cite or name something, in their order. Whether a path is one of the code, and a name
/// stands in it, only the code can say.
pub fn citing_lines(_document: &Document) -> Vec<CitingLine> {
    Vec::new()
}

/// The paths that an entry may cite, each once, in their order.
pub fn cited_paths(document: &Document) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for path in citing_lines(document).into_iter().flat_map(|line| line.paths) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}
