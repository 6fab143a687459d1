//! Which entries learned what from commits of the code, which files these commits changed, and what files were called before.
//!
//! The trailers of the tree's history say which commit of the tree learned from which commit of the code; in a repository
//! that the tree is a folder of, the journal does. Both are read once: one small file, which may be lost at any time, has
//! what was found up to a commit of the tree, and only newer commits are looked at.

use super::digests;
use brv_base::fs::{self, Durability, Form};
use brv_base::path::{PathKind, TreePath};
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::journal::{self, SourceCommit};
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_engine::read::history::curations;
use brv_engine::read::history::learned::sources::{Recorded, standings_of};
use brv_engine::read::history::provenance::{SOURCE, Trailers};
use brv_git as git;
use brv_git::history::{self, patch_id};
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId, revision};
use brv_text::brain::for_files;
use bstr::ByteSlice as _;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

const FORMAT: u32 = 2;

/// A commit that changes more files than this says nothing about any of them.
const MOST_FILES: usize = 200;

/// In how many of the last commits of the code earlier names of a file are looked for.
const MOST_COMMITS: usize = 2_000;

/// What was found.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct BrainSources {
    format: u32,
    /// The commit of the tree up to which it was looked for; the newest operation where the journal was read.
    until: String,
    learned: Vec<LearnedSource>,
    /// By operation: those that undid it.
    undone: BTreeMap<String, Vec<String>>,
    /// By commit of the code, as recorded: the files that it changed.
    changed: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    names: FormerNames,
}

/// What files of the code were called before.
#[derive(Debug, Default, Serialize, Deserialize)]
struct FormerNames {
    /// The commit of the code that it holds for.
    head: String,
    /// By path: the earlier names that no other file has today.
    earlier: BTreeMap<String, Vec<String>>,
}

/// What a commit of the tree learned from.
#[derive(Debug, Serialize, Deserialize)]
struct LearnedSource {
    /// As the trailer has it.
    source: String,
    seconds: i64,
    operation: Option<String>,
    entries: Vec<LearnedEntry>,
}

/// An entry that learned.
#[derive(Debug, Serialize, Deserialize)]
struct LearnedEntry {
    path: String,
    /// The subjects of the facts and the leads of the items that it got.
    titles: Vec<String>,
}

/// What entries learned from commits, by path, the newest first.
pub type ByEntry = BTreeMap<String, Vec<for_files::LearnedCommit>>;

fn file(opened: &Opened) -> PathBuf {
    digests::folder(opened).join("sources.json")
}

impl BrainSources {
    /// What the tree of today learned from the code. What cannot be found out is left out.
    pub fn read(opened: &Opened, host: &Host) -> Result<Self, Stop> {
        let bytes = fs::read_shipped(&file(opened), Form::Json).ok().flatten().unwrap_or_default();
        let known = serde_json::from_slice::<Self>(&bytes).ok().filter(|known| known.format == FORMAT);
        let known = known.unwrap_or_else(|| Self { format: FORMAT, ..Self::default() });
        let scope = &opened.scope;
        let now = match scope.prefix().is_empty() {
            true => scope.head()?.commit().map(|commit| commit.to_string()),
            false => journal::latest(scope)?.map(|record| record.id.to_string()),
        };
        let Some(now) = now.filter(|now| *now != known.until) else { return Ok(known) };
        let mut found = match scope.prefix().is_empty() {
            true => known.newer(scope, &now)?,
            false => Self { changed: known.changed, names: known.names, ..Self::of_journal(scope)? },
        };
        found.look_at_code(opened, host)?;
        found.until = now;
        found.keep(opened);
        Ok(found)
    }

    fn keep(&self, opened: &Opened) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = fs::replace(&file(opened), &bytes, Durability::Later);
        }
    }

    /// What these files of the code were called before.
    pub fn earlier_names(
        &mut self,
        opened: &Opened,
        host: &Host,
        paths: &[String],
    ) -> Result<Vec<String>, git::Error> {
        let Some(head) = host.scope.head()?.commit() else { return Ok(Vec::new()) };
        if self.names.head != head.to_string() {
            self.names = FormerNames { head: head.to_string(), earlier: BTreeMap::new() };
        }
        let new: Vec<&String> = paths.iter().filter(|path| !self.names.earlier.contains_key(*path)).collect();
        if !new.is_empty() {
            let tree = host.scope.tree_of(head)?;
            for path in new {
                self.names.earlier.insert(path.clone(), earlier_names(host, head, tree, path)?);
            }
            self.keep(opened);
        }
        Ok(paths.iter().flat_map(|path| self.names.earlier[path].clone()).collect())
    }

    /// By entry: the files of each commit of the code that it learned from.
    pub fn files_by_entry(&self) -> HashMap<TreePath, Vec<Vec<String>>> {
        let mut found: HashMap<TreePath, Vec<Vec<String>>> = HashMap::new();
        for (learned, files) in self.standing() {
            let paths =
                learned.entries.iter().filter_map(|entry| TreePath::parse(entry.path.as_bytes()).ok());
            paths.for_each(|path| found.entry(path).or_default().push(files.clone()));
        }
        found
    }

    /// What was learned and not undone, with the files of the commit, where they are known.
    fn standing(&self) -> impl Iterator<Item = (&LearnedSource, &Vec<String>)> {
        self.learned.iter().filter_map(|learned| {
            let is_undone = learned.operation.as_ref().is_some_and(|operation| self.is_undone(operation));
            Some((learned, self.changed.get(&learned.source).filter(|_| !is_undone)?))
        })
    }

    /// What each entry learned, and whether the commit changed one of the files for which `is_meant` holds. Leaves out
    /// what was undone, and what came from a commit whose files are unknown.
    pub fn by_entry(&self, is_meant: impl Fn(&str) -> bool) -> ByEntry {
        let mut learned: Vec<(&LearnedSource, &Vec<String>)> =
            self.standing().filter(|(_, files)| !files.is_empty()).collect();
        sorting::sort_by_key(&mut learned, |(one, _)| std::cmp::Reverse(one.seconds));
        let mut found = ByEntry::new();
        for (one, files) in learned {
            let is_about = files.iter().any(|file| is_meant(file));
            for LearnedEntry { path, titles } in &one.entries {
                let learned =
                    for_files::LearnedCommit { titles: titles.clone(), files: files.len(), is_about };
                found.entry(path.clone()).or_default().push(learned);
            }
        }
        found
    }

    /// Whether an operation was undone, and that was not undone in its turn.
    fn is_undone(&self, operation: &str) -> bool {
        let by = self.undone.get(operation).into_iter().flatten();
        // an operation is newer than what it undoes: no circle is possible in what brv writes
        by.filter(|by| by.as_str() > operation).any(|by| !self.is_undone(by))
    }

    /// With the commits of the tree that were made since; all of them if what is known is not of this history.
    fn newer(self, scope: &Scope, now: &str) -> Result<Self, git::Error> {
        let Some(head) = CommitId::from_hex(now) else { return Ok(self) };
        let before = CommitId::from_hex(&self.until);
        let is_earlier = |commit: &CommitId| {
            Ok::<_, git::Error>(
                revision::is_commit(scope, *commit)? && history::is_ancestor(scope, *commit, head)?,
            )
        };
        let before = match before {
            Some(before) if is_earlier(&before)? => Some(before),
            _ => None,
        };
        let mut found = match before {
            Some(_) => self,
            None => Self { format: FORMAT, changed: self.changed, names: self.names, ..Self::default() },
        };
        let hidden: Vec<CommitId> = before.into_iter().collect();
        for commit in history::between(scope, &[head], &hidden)? {
            let commit = history::read(scope, commit)?;
            let trailers = Trailers::of(&commit.message);
            let operation = trailers.operation().map(|operation| operation.to_string());
            for undone in trailers.undoes() {
                found.undone.entry(undone.to_string()).or_default().extend(operation.clone());
            }
            let Some(source) = trailers.get(SOURCE).and_then(SourceCommit::parse) else { continue };
            let Some(sides) = patch_id::sides(scope, commit.id)? else { continue };
            let entries = entries(scope, sides)?;
            let seconds = commit.author.seconds;
            found.learned.push(LearnedSource { source: source.to_string(), seconds, operation, entries });
        }
        Ok(found)
    }

    /// By the operations of this clone; undone ones are not among them.
    fn of_journal(scope: &Scope) -> Result<Self, Stop> {
        let listed = journal::list(scope)?;
        let mut found = Self { format: FORMAT, ..Self::default() };
        for (record, source) in curations::standing(scope, &listed) {
            let sides = [scope.tree_of(record.before)?, scope.tree_of(record.after)?];
            let entries = entries(scope, sides)?;
            let (source, seconds) = (source.to_string(), record.seconds);
            found.learned.push(LearnedSource { source, seconds, operation: None, entries });
        }
        Ok(found)
    }

    /// Find the files that the commits of the code changed, where that is not known. A commit that is gone is looked for by
    /// what stands for it today.
    fn look_at_code(&mut self, opened: &Opened, host: &Host) -> Result<(), git::Error> {
        let (mut gone, mut looked_at) = (Vec::new(), BTreeSet::new());
        for learned in &self.learned {
            let Some(recorded) = SourceCommit::parse(&learned.source) else { continue };
            if self.changed.contains_key(&learned.source) || !looked_at.insert(&learned.source) {
                continue;
            }
            match revision::is_commit(&host.scope, recorded.commit)? {
                true => drop(self.changed.insert(learned.source.clone(), files(host, recorded.commit)?)),
                false => gone.push((recorded, learned.seconds)),
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        let all: Vec<Recorded> =
            gone.iter().map(|(recorded, since)| Recorded::of(*recorded, *since)).collect();
        for ((recorded, _), standing) in gone.iter().zip(standings_of(opened, host, &all)?) {
            if let Some(commit) = standing.commit {
                self.changed.insert(recorded.to_string(), files(host, commit)?);
            }
        }
        Ok(())
    }
}

/// The entries that differ between two trees and are in the second, with the titles that they got.
fn entries(scope: &Scope, [before, after]: [TreeId; 2]) -> Result<Vec<LearnedEntry>, git::Error> {
    let mut found = Vec::new();
    for change in trees::diff(scope, before, after, Renames::Ignore)? {
        let path = TreePath::parse(&change.path).ok().filter(|path| path.kind() == PathKind::Entry);
        let (Some(path), Some(after)) = (path, change.after) else { continue };
        let after = trees::blob(scope, after.id)?;
        let before =
            change.before.map(|before| trees::blob(scope, before.id)).transpose()?.unwrap_or_default();
        found.push(LearnedEntry { path: path.to_string(), titles: titles(&before, &after) });
    }
    Ok(found)
}

/// The bold leads of the list items that a text got.
fn titles(before: &[u8], after: &[u8]) -> Vec<String> {
    let known: BTreeSet<&[u8]> = before.lines().collect();
    let title = |line: &[u8]| {
        let (title, _) = line.strip_prefix(b"- **")?.split_once_str("**")?;
        Some(title.strip_suffix(b":").unwrap_or(title).to_str_lossy().into_owned())
    };
    after.lines().filter(|line| !known.contains(line)).filter_map(title).collect()
}

/// The files that a commit of the code changed; none of one that changed too many, or of a merge.
fn files(host: &Host, commit: CommitId) -> Result<Vec<String>, git::Error> {
    let Some([before, after]) = patch_id::sides(&host.scope, commit)? else { return Ok(Vec::new()) };
    let changes = trees::diff(&host.scope, before, after, Renames::Ignore)?;
    if changes.len() > MOST_FILES {
        return Ok(Vec::new());
    }
    Ok(changes.iter().map(|change| change.path.to_str_lossy().into_owned()).collect())
}

/// What a file was called before; nothing of a folder, and no name that another file has today.
fn earlier_names(host: &Host, head: CommitId, tree: TreeId, path: &str) -> Result<Vec<String>, git::Error> {
    let Some(trees::TreeItem::File(_)) = trees::find(&host.scope, tree, path.into())? else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for name in history::earlier_names(&host.scope, head, path.into(), MOST_COMMITS)? {
        if trees::find(&host.scope, tree, name.as_bstr())?.is_none() {
            names.push(name.to_str_lossy().into_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_undone_counts_again_once_the_undo_is_undone() {
        let learned = |source: &str, operation: &str, seconds: i64| LearnedSource {
            source: source.into(),
            seconds,
            operation: Some(operation.into()),
            entries: vec![LearnedEntry { path: "a.md".into(), titles: vec![operation.into()] }],
        };
        let mut sources = BrainSources {
            learned: vec![learned("c", "1", 5), learned("d", "2", 6)],
            changed: [("c".into(), vec!["a.rs".into()]), ("d".into(), vec!["b.rs".into(), "c.rs".into()])]
                .into(),
            ..BrainSources::default()
        };
        let of = |sources: &BrainSources, file: &str| -> Vec<(String, usize, bool)> {
            let mut found = sources.by_entry(|path| path == file);
            let all = found.remove("a.md").unwrap_or_default();
            all.into_iter().map(|one| (one.titles[0].clone(), one.files, one.is_about)).collect()
        };
        let row = |title: &str, files, is_about| (title.to_owned(), files, is_about);
        assert_eq!(of(&sources, "a.rs"), [row("2", 2, false), row("1", 1, true)], "the newest first");
        sources.undone.insert("1".into(), vec!["3".into()]);
        assert_eq!(of(&sources, "b.rs"), [row("2", 2, true)]);
        sources.undone.insert("3".into(), vec!["4".into()]);
        assert_eq!(of(&sources, "a.rs").len(), 2);
        sources.changed.remove("c");
        assert_eq!(of(&sources, "a.rs"), [row("2", 2, false)], "its files are not known");
    }

    #[test]
    fn titles_are_those_of_new_lines() {
        let before = b"- **a**: b\n- **c**: d\n";
        let after = b"- **a**: b\r\n- **c**: e\n- **f:** g\n- h\n- **open\n";
        assert_eq!(titles(before, after), ["c", "f"]);
        assert_eq!(titles(b"", b"- **a**: b"), ["a"]);
    }
}
