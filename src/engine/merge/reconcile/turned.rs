//! Ignore edits that only rewrote links, as `vc mv` does when targets move, if the other side deleted the file: a
//! rewritten link is not an edit, so the deletion wins.
//!
//! A link counts as rewritten if the same side moved its target: by a rename, or by removing one file and adding
//! another, since a short entry with rewritten links may be too dissimilar to count as renamed. Any other change is an
//! edit.

use super::Trees;
use super::streams::{FileStream, TreeFile};
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{FileMode, Scope, TreeId};
use brv_text::doc::link_target;
use brv_text::doc::{Document, percent_decoded};
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};

/// Treat a side that only rewrote links as unchanged if the other side deleted the file.
pub(super) fn disregard(
    scope: &Scope,
    whole: &Scope,
    trees: Trees,
    streams: &mut [FileStream],
) -> Result<(), git::Error> {
    let mut sides =
        [trees.ours, trees.theirs].map(|tree| RepointingSide { scope, whole, trees, tree, moves: None });
    for stream in streams {
        let Some(base) = &stream.base else { continue };
        let (kept, side) = match (&mut stream.ours, &mut stream.theirs) {
            (Some(kept), None) => (kept, &mut sides[0]),
            (None, Some(kept)) => (kept, &mut sides[1]),
            _ => continue,
        };
        if side.only_turned_links(base, kept)? {
            kept.clone_from(base);
        }
    }
    Ok(())
}

/// Where files moved; paths in the tree.
#[derive(Default)]
struct MergeMoves {
    /// Old path to new.
    renamed: BTreeMap<String, String>,
    gone: BTreeSet<String>,
    new: BTreeSet<String>,
}

impl MergeMoves {
    fn went(&self, old: &str, new: &str) -> bool {
        self.renamed.get(old).is_some_and(|now| now == new)
            || self.gone.contains(old) && self.new.contains(new)
    }
}

struct RepointingSide<'a> {
    scope: &'a Scope,
    whole: &'a Scope,
    trees: Trees,
    tree: TreeId,
    /// Read when the first file needs it.
    moves: Option<MergeMoves>,
}

impl RepointingSide<'_> {
    fn only_turned_links(&mut self, base: &TreeFile, kept: &TreeFile) -> Result<bool, git::Error> {
        let (before, after) = (base.version, kept.version);
        let is_file = before.mode == FileMode::Regular && after.mode == before.mode;
        if !is_file || base.path != kept.path || before.id == after.id {
            return Ok(false);
        }
        let path = self.scope.strip(base.path.as_bstr()).and_then(|path| TreePath::parse(path).ok());
        let Some(path) = path.filter(|path| path.kind().is_curated()) else { return Ok(false) };
        let before = Document::parse(trees::blob(self.whole, before.id)?);
        let after = Document::parse(trees::blob(self.whole, after.id)?);
        let Some(turns) = link_changes(before, &after) else { return Ok(false) };
        let moves = self.moves()?;
        Ok(turns.iter().all(|(kind, old, new)| {
            let (old, new) = (link_target(path.folder(), *kind, old), link_target(path.folder(), *kind, new));
            old.zip(new).is_some_and(|(old, new)| has_moved(moves, &old, &new))
        }))
    }

    fn moves(&mut self) -> Result<&MergeMoves, git::Error> {
        let found = match self.moves.take() {
            Some(found) => found,
            None => self.read_moves()?,
        };
        Ok(self.moves.insert(found))
    }

    fn read_moves(&self) -> Result<MergeMoves, git::Error> {
        let inside = |path: &bstr::BString| Some(self.scope.strip(path.as_bstr())?.to_str().ok()?.to_owned());
        let changes = trees::diff(self.whole, self.trees.base, self.tree, Renames::Always)?;
        let mut moves = MergeMoves::default();
        for change in &changes {
            let Some(path) = inside(&change.path) else { continue };
            match (&change.renamed_from, change.before, change.after) {
                (Some(from), ..) => moves.renamed.extend(inside(from).map(|from| (from, path))),
                (None, None, Some(_)) => drop(moves.new.insert(path)),
                (None, Some(_), None) => drop(moves.gone.insert(path)),
                (None, ..) => {}
            }
        }
        Ok(moves)
    }
}

type LinkChange = (brv_text::doc::LinkKind, String, String);

/// The links that differ, if rewriting them makes the documents equal byte for byte.
fn link_changes(mut before: Document, after: &Document) -> Option<Vec<LinkChange>> {
    let (old, new) = (before.pointers(), after.pointers());
    if old.len() != new.len() {
        return None;
    }
    let plain = |target: &str| percent_decoded(target).unwrap_or_else(|| target.to_owned());
    let mut turns = Vec::new();
    for (at, (old, new)) in old.into_iter().zip(new).enumerate() {
        if old.kind != new.kind {
            return None;
        }
        if old.target != new.target {
            before.turn(at, &plain(&new.target)).ok()?;
            turns.push((old.kind, plain(&old.target), plain(&new.target)));
        }
    }
    (before.as_bytes() == after.as_bytes()).then_some(turns)
}

/// Whether the target at `old` is at `new` now: a file (named with or without its extension), a file derived from it,
/// or a folder.
fn has_moved(moves: &MergeMoves, old: &str, new: &str) -> bool {
    let went = |old: &str, new: &str| moves.went(old, new);
    let with_ending = |path: &str| if path.ends_with(".md") { path.to_owned() } else { format!("{path}.md") };
    let is_derived = [".abstract.md", ".overview.md"].iter().any(|suffix| {
        let source = |path: &str| path.strip_suffix(suffix).map(|stem| format!("{stem}.md"));
        source(old).zip(source(new)).is_some_and(|(old, new)| went(&old, &new))
    });
    let folder = |path: &str| path.strip_suffix("/_index.md").unwrap_or(path).to_owned();
    let (from, to) = (folder(old), folder(new));
    let inside = |path: &str, folder: &str| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
    let is_folder = moves.renamed.iter().any(|(old, new)| {
        inside(old, &from).zip(inside(new, &to)).is_some_and(|(old_rest, new_rest)| old_rest == new_rest)
    });
    went(old, new) || went(&with_ending(old), &with_ending(new)) || is_derived || is_folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_what_moved_are_turned() {
        let moves = [("a/q.md", "b/qq.md"), ("c/d/x.md", "e/x.md"), ("f.csv", "g.csv")];
        let renamed = moves.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
        let (gone, new) = (["short.md".to_owned()].into(), ["k/short.md".to_owned()].into());
        let moves = MergeMoves { renamed, gone, new };
        for (old, new, moved) in [
            ("a/q.md", "b/qq.md", true),
            ("a/q", "b/qq", true),
            ("a/q", "b/qq.md", true),
            ("a/q.abstract.md", "b/qq.abstract.md", true),
            ("c/d", "e", true),
            ("c/d/_index.md", "e/_index.md", true),
            ("f.csv", "g.csv", true),
            ("short", "k/short", true),
            ("short.md", "k/other.md", false),
            ("a/q.md", "b/other.md", false),
            ("a", "b", false),
            ("x", "y", false),
        ] {
            assert_eq!(has_moved(&moves, old, new), moved, "{old} {new}");
        }
    }

    #[test]
    fn a_word_beside_the_link_is_an_edit() {
        let read = |text: &str| Document::parse(text);
        let before = "---\nrelated: [a/q]\n---\nSee [q](../a/q.md).\n";
        let after = before.replace("a/q", "b/qq");
        assert_eq!(link_changes(read(before), &read(&after)).map(|turns| turns.len()), Some(2));
        assert!(link_changes(read(before), &read(&after.replace("See", "Read"))).is_none());
        assert!(link_changes(read(before), &read(&format!("{after}\n[x](y.md)\n"))).is_none());
    }
}
