//! How many documents link to each of a few entries: one pass over the tree, in which only what may name one is parsed.

use super::link_graph::{end, ends};
use super::pointing::{LinkPattern, each};
use super::references::Target;
use crate::read::history::source::{self, Reading};
use brv_base::path::TreePath;
use std::collections::BTreeMap;

/// For each entry how many other documents link to it or name it as related.
///
/// # Errors
/// The tree cannot be read.
pub fn linking<'p>(
    reading: &Reading,
    curated: &[TreePath],
    entries: impl IntoIterator<Item = &'p TreePath>,
) -> Result<BTreeMap<TreePath, usize>, source::Error> {
    let of = |path: &TreePath| (path.clone(), LinkPattern::of(&Target::Entry(path.to_string())));
    let patterns: Vec<(TreePath, LinkPattern)> = entries.into_iter().map(of).collect();
    let found = each(reading, curated, |document, bytes| {
        let may = |(path, pattern): &&(TreePath, LinkPattern)| path != document && pattern.may_be_in(bytes);
        let named: Vec<&TreePath> = patterns.iter().filter(may).map(|(path, _)| path).collect();
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let ends = ends(document, bytes);
        Ok(named.into_iter().filter(|path| ends.contains(end(path.as_str()))).cloned().collect())
    })?;
    let mut counts: BTreeMap<TreePath, usize> = patterns.into_iter().map(|(path, _)| (path, 0)).collect();
    for path in found {
        counts.entry(path).and_modify(|count| *count += 1);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the files of a test")]
    fn each_document_that_links_counts_once_and_an_entry_never_for_itself() {
        let root = tempfile::tempdir().unwrap();
        let path = |text: &str| TreePath::parse(text.as_bytes()).unwrap();
        let files = [
            ("a/one.md", "See [two](two.md), [again](two.md) and [itself](one.md).\n"),
            ("a/two.md", "---\nrelated: [b/three]\n---\nOf one.md nothing.\n"),
            ("b/three.md", "[one](../a/one.md)\n"),
            ("b/context.md", "## Relations\n@a/two.md\n"),
        ];
        for (name, text) in files {
            let file = root.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let curated: Vec<TreePath> = ["a/one.md", "a/two.md", "b/context.md", "b/three.md"].map(path).into();
        let sought = ["a/one.md", "a/two.md", "b/three.md", "b/gone.md"].map(path);
        let counts = linking(&Reading::on_disk(root.path().to_path_buf()), &curated, &sought).unwrap();
        assert_eq!(counts.into_values().collect::<Vec<_>>(), [1, 2, 0, 1]);
    }
}
