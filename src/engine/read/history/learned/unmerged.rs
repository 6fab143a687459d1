//! Statements whose commit of the host was left behind: it is here, but no branch, tag or work tree has it, and no
//! commit in the history of `HEAD` stands for it. Without the commit here nothing is known, and nothing shown.
//!
//! The result is kept until a reference of the host or the tree moves, with the time when a commit was first seen so: git
//! does not tell when a branch went away.

use super::filings::{Filing, Filings};
use super::{Same, StatementFate, learned};
use crate::Stop;
use crate::journal::OPERATIONS;
use crate::open::context::Opened;
use crate::open::hosting::Host;
use crate::open::state::{self, Missing, StatePlace};
use crate::read::history::learned::sources::{Recorded, standings_of};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form as FileForm};
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, patch_id, reflog, refs, revision};
use brv_text::commits::is_called;
use brv_text::doc::saying::{Saying, StatementForm};
use brv_text::doc::{Document, item, normal};
use bstr::{BString, ByteSlice as _};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

/// After so many days such a statement is shown only if somebody asks for it.
pub const SHOWN_DAYS: i64 = 30;

const DAY: i64 = 86_400;

/// The most commits of `HEAD`'s history in which one of the same subject is looked for.
const MOST_COMMITS: usize = 20_000;

/// A commit of the host that was left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Its id.
    pub commit: String,
    /// The branch that it was made on, if that is known.
    pub branch: Option<String>,
    /// When it was first seen so, in seconds since 1970.
    pub since: i64,
}

impl Left {
    /// Whether that is so long ago that the statement is shown only if somebody asks for it.
    pub const fn is_long_ago(&self, now: i64) -> bool {
        now - self.since > SHOWN_DAYS * DAY
    }
}

/// A statement of such a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct UnmergedStatement {
    path: String,
    is_item: bool,
    /// In normal form.
    title: String,
    /// As it is written.
    written: String,
    left: Left,
}

/// Statements whose commit was left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unmerged(Vec<UnmergedStatement>);

/// What is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
struct UnmergedCache {
    key: String,
    /// The part of the key that is the tree's.
    #[serde(default)]
    tree: String,
    /// Whether nothing in the tree comes from a commit: then the references of the host do not matter.
    #[serde(default)]
    is_without_sources: bool,
    rows: Vec<UnmergedStatement>,
    /// When each commit was first seen so.
    since: BTreeMap<String, i64>,
}

impl Unmerged {
    /// The same from a folder of the host; nothing where it cannot be found out.
    pub fn known(opened: &Opened, cwd: &Path, now: i64) -> Self {
        let host = Host::of(opened, cwd).ok().flatten();
        host.and_then(|host| Self::of(opened, &host, now).ok()).unwrap_or_default()
    }

    /// `now` is in seconds since 1970.
    ///
    /// # Errors
    /// A history or an operation log that cannot be read.
    pub fn of(opened: &Opened, host: &Host, now: i64) -> Result<Self, Stop> {
        let tree = tree_key(opened)?;
        let file = opened.places.cache().join("unmerged");
        let known: UnmergedCache = read(&file).unwrap_or_default();
        if known.is_without_sources && known.tree == tree {
            return Ok(Self::default());
        }
        let tips = tips(&host.scope)?;
        let key = key(&tree, &tips);
        if known.key == key {
            return Ok(Self(known.rows));
        }
        let filings = Filings::of(&opened.scope)?;
        let is_without_sources = filings.standing().next().is_none();
        let mut rows: Vec<UnmergedStatement> = Vec::new();
        let mut since = BTreeMap::new();
        for commit in left(opened, host, &filings, &tips)? {
            let name = commit.to_string();
            let first = known.since.get(&name).copied().unwrap_or(now);
            since.insert(name.clone(), first);
            let left = Left { branch: branch_of(opened, &name), commit: name, since: first };
            let same = Same { commits: HashSet::from([commit]), ..Same::default() };
            let standing = learned(opened, &filings, &same)?.into_iter();
            for one in standing.filter(|one| matches!(one.since, StatementFate::Unchanged(_))) {
                let written = one.saying.title.unwrap_or_default();
                rows.push(UnmergedStatement {
                    path: one.path.to_string(),
                    is_item: one.saying.form == StatementForm::Item,
                    title: normal(&written),
                    written,
                    left: left.clone(),
                });
            }
        }
        if let Ok(bytes) =
            serde_json::to_vec(&UnmergedCache { key, tree, is_without_sources, rows: rows.clone(), since })
        {
            let _ = fs::replace(&file, &bytes, Durability::Later);
        }
        Ok(Self(rows))
    }

    /// What became of the commit of a statement: a fact by its subject, an item by its title.
    pub fn get(&self, path: &str, form: StatementForm, title: &str) -> Option<&Left> {
        let title = normal(title);
        let is_it = |row: &&UnmergedStatement| {
            row.path == path && row.is_item == (form == StatementForm::Item) && row.title == title
        };
        self.0.iter().find(is_it).map(|row| &row.left)
    }

    /// What became of the commit behind a line of an entry, counted from 1: of the item or fact there, else of all
    /// that the entry states.
    pub fn on_line(&self, path: &str, document: &Document, line: usize) -> Option<&Left> {
        if !self.0.iter().any(|row| row.path == path) {
            return None;
        }
        let is_there = |at: usize| document.line_of_body(at) == line;
        if let Some(item) = document.items().into_iter().find(|item| is_there(item.span.start)) {
            return self.get(path, StatementForm::Item, &item.title);
        }
        if let Some(fact) = document.facts().iter().find(|fact| is_there(fact.span.start)) {
            return self.get(path, StatementForm::Fact, item::stated(fact.subject.as_deref()?).text);
        }
        let sayings = document.sayings();
        let title = |one: &Saying| one.title.clone().unwrap_or_default();
        let all = sayings.iter().map(|one| self.get(path, one.form, &title(one)));
        all.collect::<Option<Vec<&Left>>>()?.first().copied()
    }

    /// What tells one result from another, and what of it is hidden now from what was hidden before.
    pub fn stamp(&self, now: i64) -> String {
        let row =
            |row: &UnmergedStatement| format!("{} {} {}\n", row.path, row.title, row.left.is_long_ago(now));
        let text: String = self.0.iter().map(row).collect();
        if text.is_empty() { text } else { ContentId::of(text.as_bytes()).to_string() }
    }

    /// Every such statement: path, subject or title, and what became of its commit.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Left)> {
        self.0.iter().map(|row| (row.path.as_str(), row.written.as_str(), &row.left))
    }

    /// The entries on disk whose statements all come from commits that were left behind long ago.
    pub fn abandoned(&self, root: &Path, now: i64) -> BTreeSet<TreePath> {
        let long_ago = self.0.iter().filter(|row| row.left.is_long_ago(now));
        let paths: BTreeSet<&str> = long_ago.map(|row| row.path.as_str()).collect();
        let parsed = paths.into_iter().filter_map(|path| TreePath::parse(path.as_bytes()).ok());
        parsed.filter(|path| self.has_all(root, path, now)).collect()
    }

    fn has_all(&self, root: &Path, path: &TreePath, now: i64) -> bool {
        let Ok(Some(bytes)) = fs::read_below(root, &path.on_disk(root)) else { return false };
        let all = Document::parse(bytes).sayings();
        let is_left = |one: &Saying| {
            let title = one.title.as_deref().unwrap_or_default();
            self.get(path.as_str(), one.form, title).is_some_and(|left| left.is_long_ago(now))
        };
        !all.is_empty() && all.iter().all(is_left)
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn read(file: &Path) -> Option<UnmergedCache> {
    serde_json::from_slice(&fs::read_shipped(file, FileForm::Json).ok()??).ok()
}

/// The commits that `HEAD`, a branch, a remote branch, a tag or the `HEAD` of a work tree is at.
fn tips(scope: &Scope) -> Result<BTreeSet<CommitId>, Stop> {
    let mut tips: BTreeSet<CommitId> = scope.head()?.commit().into_iter().collect();
    for prefix in ["refs/heads/", "refs/remotes/", "refs/tags/"] {
        tips.extend(refs::commits(scope, prefix)?.into_iter().map(|(_, commit)| commit));
    }
    for head in reflog::of_heads(scope)? {
        let text = fs::read_if_there(&head.git_dir.join("HEAD"))?.unwrap_or_default();
        let detached = CommitId::from_hex(text.to_str_lossy().trim());
        tips.extend(detached.filter(|commit| revision::is_commit(scope, *commit).unwrap_or(false)));
    }
    Ok(tips)
}

/// Changes with everything of the tree that the result follows from, but for edits on disk.
fn tree_key(opened: &Opened) -> Result<String, Stop> {
    let tree = opened.scope.head()?.commit();
    let last = refs::names(&opened.scope, OPERATIONS)?.pop().unwrap_or_default();
    Ok(format!("2 {tree:?} {last}"))
}

/// The same with what it follows from in the host.
fn key(tree: &str, tips: &BTreeSet<CommitId>) -> String {
    let mut text = tree.to_owned();
    tips.iter().for_each(|tip| text.push_str(&format!(" {tip}")));
    ContentId::of(text.as_bytes()).to_string()
}

/// The sources that were left behind.
fn left(
    opened: &Opened,
    host: &Host,
    filings: &Filings,
    tips: &BTreeSet<CommitId>,
) -> Result<Vec<CommitId>, git::Error> {
    let scope = &host.scope;
    let mut sources: HashMap<CommitId, &Filing> = HashMap::new();
    for filing in filings.standing() {
        if revision::is_commit(scope, filing.source.commit)? {
            // the oldest is kept: it was filed first
            sources.insert(filing.source.commit, filing);
        }
    }
    let (asked, tips): (Vec<CommitId>, Vec<CommitId>) =
        (sources.keys().copied().collect(), tips.iter().copied().collect());
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let ahead = history::between(scope, &asked, &tips)?;
    let alone: Vec<&Filing> = ahead.iter().filter_map(|commit| sources.get(commit).copied()).collect();
    if alone.is_empty() {
        return Ok(Vec::new());
    }
    let all: Vec<Recorded> = alone.iter().map(|filing| Recorded::of(filing.source, filing.seconds)).collect();
    let found = standings_of(opened, host, &all)?;
    let open = alone.iter().zip(found).filter(|(_, standing)| standing.commit.is_none());
    let open: Vec<CommitId> = open.map(|(filing, _)| filing.source.commit).collect();
    let alike = with_alike(scope, &open)?;
    Ok(open.into_iter().filter(|commit| !alike.contains(commit)).collect())
}

/// The commits for which the history of `HEAD` has one of the same subject that changes as many of the same files as
/// others.
fn with_alike(scope: &Scope, commits: &[CommitId]) -> Result<HashSet<CommitId>, git::Error> {
    let mut found = HashSet::new();
    let (Some(head), false) = (scope.head()?.commit(), commits.is_empty()) else { return Ok(found) };
    let mut sought = Vec::new();
    for commit in commits {
        let subject = git::commit::read(scope, *commit)?.subject().to_str_lossy().into_owned();
        sought.push((*commit, subject, files(scope, *commit)?));
    }
    let mut named: Vec<(usize, CommitId)> = Vec::new();
    let mut seen = 0;
    history::walk(scope, &Range { tips: vec![head], ..Range::default() }, |walked| {
        seen += 1;
        let own = walked.commit.subject().to_str_lossy();
        let alike = sought.iter().enumerate().filter(|(_, (_, subject, _))| is_called(&own, subject));
        named.extend(alike.map(|(at, _)| (at, walked.commit.id)));
        if seen < MOST_COMMITS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    for (at, other) in named {
        let (commit, _, own) = &sought[at];
        let theirs = files(scope, other)?;
        if 2 * own.intersection(&theirs).count() >= own.union(&theirs).count().max(1) {
            found.insert(*commit);
        }
    }
    Ok(found)
}

fn files(scope: &Scope, commit: CommitId) -> Result<BTreeSet<BString>, git::Error> {
    let Some([before, after]) = patch_id::sides(scope, commit)? else { return Ok(BTreeSet::new()) };
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    Ok(changes.into_iter().map(|change| change.path).collect())
}

/// The branch that a commit was made on, as its job says.
fn branch_of(opened: &Opened, commit: &str) -> Option<String> {
    let place = StatePlace::of(&opened.places, opened.scope.environment()).ok()?;
    let patience = opened.config.lock_timeout.value;
    let job = state::with(&place, Missing::Leave, patience, |state| state.job_of(commit)).ok()??;
    let branch = job.result?.new.branch?;
    Some(branch.strip_prefix("refs/heads/").unwrap_or(&branch).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_found_by_form_and_title_and_hidden_after_thirty_days() {
        let left = Left { commit: "1".repeat(40), branch: Some("side".into()), since: 1_000 };
        let row = UnmergedStatement {
            path: "code/net.md".into(),
            is_item: true,
            title: "retry twice".into(),
            written: "Retry twice".into(),
            left: left.clone(),
        };
        let all = Unmerged(vec![row]);
        assert_eq!(all.get("code/net.md", StatementForm::Item, "Retry  Twice"), Some(&left));
        assert_eq!(all.get("code/net.md", StatementForm::Fact, "Retry twice"), None);
        assert_eq!(all.get("code/other.md", StatementForm::Item, "Retry twice"), None);
        let long_ago = 1_001 + 30 * DAY;
        assert_ne!(all.stamp(1_000), all.stamp(long_ago));
        assert_eq!(Unmerged::default().stamp(long_ago), "");
        assert!(!left.is_long_ago(1_000 + 30 * DAY) && left.is_long_ago(long_ago));
        let folder = tempfile::tempdir().unwrap();
        let path = TreePath::parse(b"code/net.md").unwrap();
        let write = |text: &str| {
            fs::replace(&path.on_disk(folder.path()), text.as_bytes(), Durability::Later).unwrap();
        };
        let item = "## Narrative\n### Highlights\n- **Retry twice**: x (2026-01)\n";
        let on_line = |text: &str, line| all.on_line("code/net.md", &Document::parse(text), line).is_some();
        assert!(on_line(item, 3) && on_line(item, 1), "all of the entry is left behind");
        let more = format!("{item}- **Other**: y (2026-01)\n");
        assert!(on_line(&more, 3) && !on_line(&more, 4) && !on_line(&more, 1));
        write(item);
        assert_eq!(all.abandoned(folder.path(), long_ago), BTreeSet::from([path.clone()]));
        assert_eq!(all.abandoned(folder.path(), 2_000), BTreeSet::new());
        write(&format!("{item}- **Other**: y\n"));
        assert_eq!(
            all.abandoned(folder.path(), long_ago),
            BTreeSet::new(),
            "one statement is from elsewhere"
        );
    }
}
