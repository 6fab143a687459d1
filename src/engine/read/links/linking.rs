//! How many documents link to each of a few entries, or name it otherwise: one pass over the tree, in which only what may name
//! one is parsed.

use super::link_graph::{end, ends};
use super::pointing::{LinkPattern, each};
use super::references::LinkTarget;
use crate::Stop;
use crate::read::history::source::Reading;
use brv_base::path::TreePath;
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};

/// For each entry how many other documents link to it, name it as related, or write its path or `[[name]]`.
///
/// # Errors
/// The tree cannot be read.
pub fn linking<'p>(
    reading: &Reading,
    curated: &[TreePath],
    entries: impl IntoIterator<Item = &'p TreePath>,
) -> Result<BTreeMap<TreePath, usize>, Stop> {
    let of = |path: &TreePath| (path.clone(), LinkPattern::of(&LinkTarget::Entry(path.to_string())));
    let patterns: Vec<(TreePath, LinkPattern)> = entries.into_iter().map(of).collect();
    let found = each(reading, curated, |document, bytes| {
        let others = patterns.iter().filter(|(path, _)| path != document);
        let (written, rest): (Vec<_>, Vec<_>) = others.partition(|(path, _)| is_written(path, bytes));
        let may: Vec<_> = rest.into_iter().filter(|(_, pattern)| pattern.may_be_in(bytes)).collect();
        let ends = if may.is_empty() { BTreeSet::new() } else { ends(document, bytes) };
        let linked = may.into_iter().filter(|(path, _)| ends.contains(end(path.as_str())));
        Ok(written.into_iter().chain(linked).map(|(path, _)| path.clone()).collect())
    })?;
    let mut counts: BTreeMap<TreePath, usize> = patterns.into_iter().map(|(path, _)| (path, 0)).collect();
    for path in found {
        counts.entry(path).and_modify(|count| *count += 1);
    }
    Ok(counts)
}

/// Whether a text has the path of an entry, or its name as wikis link it.
fn is_written(path: &TreePath, bytes: &[u8]) -> bool {
    let whole = end(path.as_str());
    let name = whole.rsplit('/').next().unwrap_or(whole);
    whole.contains('/') && bytes.find(whole).is_some() || bytes.find(format!("[[{name}")).is_some()
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
            ("b/three.md", "[one](../a/one.md), and [[two]]\n"),
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
        assert_eq!(counts.into_values().collect::<Vec<_>>(), [1, 3, 0, 1]);
    }
}
