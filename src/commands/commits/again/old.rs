//! The entries of a tree that earlier rules wrote: by blame, each line of the body comes from a commit of the tree that says so,
//! also where undo brought it back.
//!
//! Knows the tree and its history; not whether the commits of the code that the lines come from are there.

use super::restored::Undos;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::journal::SourceCommit;
use brv_engine::open::context::Opened;
use brv_engine::read::history::learned::filings::{Filing, Filings, Writer};
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Converter, Index, TreeId, blame};
use brv_text::commits::RULES_VERSION;
use brv_text::doc::Document;
use bstr::{BStr, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Why an entry with lines of earlier rules stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AgainKeptWhy")]
pub enum KeptEntryReason {
    /// Somebody wrote a line of it.
    Edited,
    /// It has changes that no commit has.
    NotCommitted,
    Pinned,
    /// Somebody confirmed it against the code.
    Verified,
    /// A commit of the code that it comes from is not known here.
    SourceNotHere,
    /// A commit of the code that it comes from is not in the range.
    SourceNotInRange,
    /// An entry that stays comes from the same commit of the code.
    SharesSource,
    /// A commit of the code that it comes from could not be filed.
    SourceNotFiled,
    /// It was changed while its commits were filed.
    Changed,
}

impl KeptEntryReason {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Edited => "somebody edited it",
            Self::NotCommitted => "it has changes that are not committed",
            Self::Pinned => "it is pinned",
            Self::Verified => "it is verified",
            Self::SourceNotHere => "source not here",
            Self::SourceNotInRange => "source not in the range",
            Self::SharesSource => "an entry that stays has the same source",
            Self::SourceNotFiled => "source not filed",
            Self::Changed => "it was changed meanwhile",
        }
    }
}

/// A commit of the code that an entry comes from, and when it was filed, in seconds since 1970.
pub type FiledCommit = (SourceCommit, i64);

/// A file with lines of earlier rules.
#[derive(Debug)]
pub struct Old {
    pub path: TreePath,
    /// The version on disk.
    pub blob: ContentId,
    /// Why it stays, whatever becomes of its sources.
    pub stays: Option<KeptEntryReason>,
    /// The sources of its lines.
    pub sources: Vec<FiledCommit>,
    /// Sources without a line left.
    pub earlier: Vec<FiledCommit>,
}

/// All entries and overviews with lines of earlier rules, by path.
///
/// # Errors
/// A history or a file that cannot be read.
pub fn find(opened: &Opened, filings: &Filings) -> Result<Vec<Old>, Stop> {
    let scope = &opened.scope;
    let of_rules = |one: &&Filing| one.writer == Writer::Rules && one.rules < RULES_VERSION;
    let made: HashMap<CommitId, &Filing> =
        filings.standing().filter(of_rules).filter_map(|one| Some((one.commit?, one))).collect();
    let (Some(head), false) = (scope.head()?.commit(), made.is_empty()) else { return Ok(Vec::new()) };
    let mut by_path: BTreeMap<TreePath, Vec<&Filing>> = BTreeMap::new();
    for filing in made.values() {
        let before = filing.before.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
        for change in trees::diff(scope, before, scope.tree_of(filing.after)?, Renames::Ignore)? {
            let path = TreePath::parse(&change.path).ok();
            if let Some(path) =
                path.filter(|path| matches!(path.kind(), PathKind::Entry | PathKind::NodeOverview))
            {
                by_path.entry(path).or_default().push(filing);
            }
        }
    }
    let (tree, undos) = (scope.tree_of(head)?, Undos::of(scope, head)?);
    let look = OldEntryReader { opened, head, tree, undos, index: git::index::read(scope)?, made: &made };
    let found = by_path.into_iter().map(|(path, filings)| look.at(path, &filings));
    Ok(found.collect::<Result<Vec<_>, Stop>>()?.into_iter().flatten().collect())
}

struct OldEntryReader<'a> {
    opened: &'a Opened,
    head: CommitId,
    tree: TreeId,
    undos: Undos,
    index: Index,
    /// By commit of the tree: what earlier rules filed.
    made: &'a HashMap<CommitId, &'a Filing>,
}

impl OldEntryReader<'_> {
    /// A file that was written by these; `None`: nothing of that is left.
    fn at(&self, path: TreePath, filings: &[&Filing]) -> Result<Option<Old>, Stop> {
        let scope = &self.opened.scope;
        let root = scope.root();
        let name: &BStr = path.as_bytes().into();
        let Some(bytes) = fs::read_below(&root, &path.on_disk(&root))? else { return Ok(None) };
        let Some(subject) = blame::recorded(scope, self.head, name)? else { return Ok(None) };
        let lines = lines_of_body(&subject.bytes);
        let (mut sources, mut is_edited) = (BTreeMap::new(), lines.is_empty());
        for origin in self.undos.origins(scope, (self.head, name), &lines)? {
            match origin.and_then(|commit| self.made.get(&commit)) {
                Some(filing) => drop(sources.insert(filing.source.commit, source(filing))),
                None => is_edited = true,
            }
        }
        if sources.is_empty() {
            return Ok(None);
        }
        let stored = Converter::of(scope).to_git(name, bytes.as_slice().into())?;
        let meta = Document::parse(bytes.as_slice()).meta().clone();
        let stays = [
            (KeptEntryReason::NotCommitted, !self.is_committed(name, ContentId::of(&stored))?),
            (KeptEntryReason::Pinned, meta.pinned),
            (KeptEntryReason::Verified, meta.verified.is_some()),
            (KeptEntryReason::Edited, is_edited),
        ];
        let stays = stays.into_iter().find(|(_, holds)| *holds).map(|(why, _)| why);
        let is_gone = |filing: &&&Filing| !sources.contains_key(&filing.source.commit);
        let earlier = filings.iter().filter(is_gone).map(|filing| source(filing)).collect();
        let sources = sources.into_values().collect();
        Ok(Some(Old { blob: ContentId::of(&bytes), path, stays, sources, earlier }))
    }

    /// Whether `HEAD` and the index have this version.
    fn is_committed(&self, path: &BStr, blob: ContentId) -> Result<bool, git::Error> {
        let scope = &self.opened.scope;
        let id = |version: Option<git::Version>| version.map(|version| version.id);
        let there = trees::file(scope, self.tree, path)?;
        let staged = self.index.version(scope.full(path).as_bstr());
        Ok(id(there) == Some(blob) && id(staged) == Some(blob))
    }
}

fn source(filing: &Filing) -> FiledCommit {
    (filing.source, filing.seconds)
}

/// The lines of the body that say something, counted from 0, in runs.
fn lines_of_body(bytes: &[u8]) -> Vec<Range<usize>> {
    let document = Document::parse(bytes);
    let first = bytes[..document.body_start()].iter().filter(|byte| **byte == b'\n').count();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, line) in document.body().lines().enumerate() {
        let at = first + at;
        match runs.last_mut() {
            _ if line.trim().is_empty() => {}
            Some(last) if last.end == at => last.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// The folders of these files, the deepest first.
pub fn folders<'a>(files: impl IntoIterator<Item = &'a TreePath>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in files {
        let mut folder = file.folder();
        while !folder.is_empty() && found.insert(folder.to_owned()) {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort_by_key(|folder| std::cmp::Reverse(folder.matches('/').count()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_body_are_counted_behind_the_frontmatter() {
        assert_eq!(lines_of_body(b"---\ntitle: A\n---\n# A\n\nb\nc\n"), [3..4, 5..7]);
        assert_eq!(lines_of_body(b"# A\n"), vec![0..1]);
        assert!(lines_of_body(b"---\ntitle: A\n---\n\n \n").is_empty());
    }

    #[test]
    fn folders_come_before_those_that_they_are_in() {
        let paths = ["a/b/c.md", "d/e.md", "a/f.md"].map(|path| TreePath::parse(path.as_bytes()).unwrap());
        assert_eq!(folders(&paths), ["a/b", "a", "d"]);
    }
}
