//! Trace the history of an entry's statements about a subject: which commit made each statement, and what it replaced.
//!
//! A statement is a fact about the subject, or an item of Highlights or Rules with the subject as its title. Walks from
//! commit to commit like `git blame`, with statements in place of lines: a statement that a parent also has came from the
//! parent, wherever it is in the entry.

use brv_base::content::ContentId;
use brv_git as git;
use brv_git::lineage::{File, FilePredecessors, Lineage};
use brv_git::{CommitId, Scope, trees};
use brv_text::doc::{self, Document};
use bstr::BString;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::rc::Rc;

/// The text of a statement: of a fact with the category at its end, of an item with its mark, prefix and month.
pub type FactText = String;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactVersion {
    pub statement: FactText,
    /// The commit that first made it; `None`: it is not committed yet.
    pub commit: Option<CommitId>,
    /// The path of the entry in that commit.
    pub path: BString,
    /// The statements that this one replaced, or the last ones before, if it was made again after a gap.
    pub replaced: Vec<FactText>,
}

/// The statements about a subject, each with its first line, counted from 1, in the order of their lines.
pub fn statements(bytes: Vec<u8>, subject: &str) -> Vec<(usize, FactText)> {
    let document = Document::parse(bytes);
    let is_about = |own: &str| doc::is_same_subject(own, subject);
    let about = |fact: &doc::Fact| fact.subject.as_deref().is_some_and(is_about);
    let facts = document.facts().into_iter().filter(about).map(|fact| {
        let category = fact.category.map(|category| format!(" [{}]", category.as_str()));
        (document.line_of_body(fact.span.start), fact.statement + &category.unwrap_or_default())
    });
    let items = document.items().into_iter().filter(|item| is_about(&item.title));
    let items = items.map(|item| (document.line_of_body(item.span.start), item.statement()));
    let mut stated: Vec<(usize, FactText)> = facts.chain(items).collect();
    stated.sort_by_key(|(line, _)| *line);
    stated.dedup_by_key(|(line, _)| *line);
    stated
}

/// Every subject of an entry as written, and every title of an item, each once.
pub fn subjects(bytes: Vec<u8>) -> Vec<String> {
    let document = Document::parse(bytes);
    let facts = document.facts().into_iter().filter_map(|fact| fact.subject);
    let titles = document.items().into_iter().map(|item| item.title);
    let mut subjects: Vec<String> = Vec::new();
    for subject in facts.chain(titles) {
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    subjects
}

#[derive(Debug, Clone)]
pub enum FactStart {
    Commit(CommitId, File),
    /// Statements on disk, on top of these versions.
    Disk(BString, Vec<FactText>, Vec<(CommitId, File)>),
}

/// The origin of every statement about a subject, and of everything stated before: newest first.
pub fn trace(scope: &Scope, subject: &str, start: FactStart) -> Result<Vec<FactVersion>, git::Error> {
    let mut search = FactSearch {
        scope,
        subject,
        lineage: Lineage::new(scope)?,
        queue: BinaryHeap::new(),
        suspects: HashMap::new(),
        read: HashMap::new(),
        found: Vec::new(),
    };
    match start {
        FactStart::Commit(commit, file) => {
            let wanted = search.statements(&file)?;
            search.suspect(commit, file, wanted.iter().cloned().collect())?;
        }
        FactStart::Disk(path, statements, before) => {
            search.compare(None, &path, statements.clone(), statements.into_iter().collect(), before)?;
        }
    }
    while let Some((commit, suspect)) = search.next() {
        search.examine(commit, suspect)?;
    }
    Ok(search.found)
}

struct FactSuspect {
    file: File,
    /// Statements of this version whose origin is sought; empty: any earlier statement is.
    wanted: BTreeSet<FactText>,
}

struct FactSearch<'a> {
    scope: &'a Scope,
    subject: &'a str,
    lineage: Lineage<'a>,
    queue: BinaryHeap<(i64, CommitId)>,
    suspects: HashMap<CommitId, Vec<FactSuspect>>,
    read: HashMap<ContentId, Rc<Vec<FactText>>>,
    found: Vec<FactVersion>,
}

impl FactSearch<'_> {
    fn next(&mut self) -> Option<(CommitId, FactSuspect)> {
        while let Some((_, commit)) = self.queue.peek().copied() {
            if let Some(suspect) = self.suspects.get_mut(&commit).and_then(Vec::pop) {
                return Some((commit, suspect));
            }
            self.suspects.remove(&commit);
            self.queue.pop();
        }
        None
    }

    fn statements(&mut self, file: &File) -> Result<Rc<Vec<FactText>>, git::Error> {
        if let Some(known) = self.read.get(&file.version.id) {
            return Ok(Rc::clone(known));
        }
        let bytes = trees::blob(self.scope, file.version.id)?;
        let found = statements(bytes, self.subject).into_iter().map(|(_, statement)| statement).collect();
        Ok(Rc::clone(self.read.entry(file.version.id).or_insert(Rc::new(found))))
    }

    fn suspect(
        &mut self,
        commit: CommitId,
        file: File,
        wanted: BTreeSet<FactText>,
    ) -> Result<(), git::Error> {
        let seconds = self.lineage.seconds(commit)?;
        let known = self.suspects.entry(commit).or_default();
        if known.is_empty() {
            self.queue.push((seconds, commit));
        }
        match known.iter_mut().find(|suspect| suspect.file.path == file.path) {
            Some(suspect) => suspect.wanted.extend(wanted),
            None => known.push(FactSuspect { file, wanted }),
        }
        Ok(())
    }

    fn examine(&mut self, commit: CommitId, suspect: FactSuspect) -> Result<(), git::Error> {
        let FactSuspect { file, wanted } = suspect;
        let parents = match self.lineage.before(commit, &file)? {
            FilePredecessors::Same(parent, file) => return self.suspect(parent, file, wanted),
            FilePredecessors::Other(parents) => parents,
        };
        let here = self.statements(&file)?.to_vec();
        self.compare(Some(commit), &file.path, here, wanted, parents)
    }

    /// Pass statements on to the parents that have them; the rest originate here.
    fn compare(
        &mut self,
        commit: Option<CommitId>,
        path: &BString,
        here: Vec<FactText>,
        wanted: BTreeSet<FactText>,
        parents: Vec<(CommitId, File)>,
    ) -> Result<(), git::Error> {
        let mut own = wanted.clone();
        let mut replaced: Vec<FactText> = Vec::new();
        for (parent, file) in &parents {
            let before = self.statements(file)?;
            let theirs: BTreeSet<FactText> = before.iter().filter(|one| own.remove(*one)).cloned().collect();
            if !theirs.is_empty() {
                self.suspect(*parent, file.clone(), theirs)?;
            }
        }
        let is_sought = wanted.is_empty() || !own.is_empty();
        for (parent, file) in parents.into_iter().filter(|_| is_sought) {
            let before = self.statements(&file)?;
            let gone: BTreeSet<FactText> = before.iter().filter(|one| !here.contains(one)).cloned().collect();
            replaced.extend(gone.iter().filter(|one| !replaced.contains(one)).cloned().collect::<Vec<_>>());
            if !gone.is_empty() || before.is_empty() {
                // nothing was stated there: keep searching for the last statement
                self.suspect(parent, file, gone)?;
            }
        }
        let stated = here.iter().filter(|statement| own.contains(*statement)).map(|statement| FactVersion {
            statement: statement.clone(),
            commit,
            path: path.clone(),
            replaced: replaced.clone(),
        });
        for stated in stated.collect::<Vec<_>>() {
            if !self.found.contains(&stated) {
                self.found.push(stated);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "---\ntitle: T\n---\n## Narrative\n### Highlights\n- **Retry twice**: reverted 2026-02-04: rule: once \
        is too few (2026-01)\n- no lead\n\n## Facts\n- **retry  TWICE**: yes [convention]\n- **port**: 80\n";

    #[test]
    fn facts_and_items_of_a_subject_are_statements() {
        let item = "reverted 2026-02-04: rule: once is too few (2026-01)".to_owned();
        assert_eq!(statements(ENTRY.into(), "retry twice"), [(6, item), (10, "yes [convention]".to_owned())]);
        assert_eq!(statements(ENTRY.into(), "port"), [(11, "80".to_owned())]);
        assert!(statements(ENTRY.into(), "no lead").is_empty());
        assert_eq!(subjects(ENTRY.into()), ["retry TWICE", "port", "Retry twice"]);
    }
}
