//! The changes of the tree that come from commits of the host: by the trailers of the tree's commits, and by the operations of
//! this clone that no commit names. Each with who wrote it. Does not read an entry.

use crate::Stop;
use crate::journal::{self, Listed, Record, SourceCommit};
use crate::read::history::curations;
use crate::read::history::provenance::{
    HOOK, MODEL, OPERATION, Provenance, RULES, SOURCE, SOURCE_SUBJECT, Trailers, UNDOES,
};
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::history::{self, Range};
use brv_git::{CommitId, Scope};
use bstr::ByteSlice as _;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// How the session of an import of a history begins.
pub const IMPORT: &str = "import-";

/// Who wrote a statement, the lowest rank first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    Rules,
    Model,
    Agent,
    Person,
}

impl Writer {
    /// By the name of the model, the actor and the session, as far as they are known.
    pub fn of(model: Option<&str>, actor: Option<&str>, session: Option<&str>) -> Self {
        let is_import = session
            .and_then(|session| session.strip_prefix(IMPORT))
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
        match (model, actor, session) {
            (Some(_), _, _) => Self::Model,
            (None, Some(HOOK), _) => Self::Rules,
            _ if is_import => Self::Rules,
            (None, None, None) => Self::Person,
            _ => Self::Agent,
        }
    }

    fn of_commit(commit: &Commit) -> Self {
        let trailers = Trailers::of(&commit.message);
        let said = Provenance::of(commit, None);
        Self::of(trailers.get(MODEL), said.actor.as_deref(), said.session.as_deref())
    }

    fn of_record(record: &Record) -> Self {
        let is_model = |review: &String| review.split(' ').any(|why| why == "model");
        let model = record.notes.iter().filter_map(|note| note.review.as_ref()).any(is_model);
        let actor = Some(record.actor.as_str()).filter(|actor| !actor.is_empty());
        Self::of(model.then_some(""), actor, record.session.as_deref())
    }
}

/// A change of the tree that comes from a commit of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filing {
    pub source: SourceCommit,
    /// What the source is called, where the trailer says it.
    pub subject: Option<String>,
    /// The versions of the tree before and after; `None`: there was none before.
    pub before: Option<CommitId>,
    pub after: CommitId,
    /// The commit of the tree; `None` where only the operation log knows it.
    pub commit: Option<CommitId>,
    /// The operation, as the trailer names it.
    pub operation: Option<String>,
    pub writer: Writer,
    /// The version of the rules that wrote it; 1 where nothing says so.
    pub rules: u32,
    /// When, in seconds since 1970.
    pub seconds: i64,
}

/// All such changes that were not undone, the newest first.
#[derive(Debug, Default)]
pub struct Filings {
    head: Option<CommitId>,
    /// What the commits of the tree say, the newest first, undone ones included.
    committed: Vec<FilingRecord>,
    logged: Vec<Filing>,
    undone: HashSet<String>,
}

#[derive(Debug)]
struct FilingRecord {
    filing: Option<Filing>,
    operation: Option<String>,
    undoes: Vec<String>,
}

impl FilingRecord {
    fn of(commit: &Commit) -> Option<Self> {
        commit.message.find("\nBrv-")?;
        let trailers = Trailers::of(&commit.message);
        let operation = trailers.get(OPERATION).map(str::to_owned);
        let source = trailers.get(SOURCE).and_then(SourceCommit::parse);
        let filing = source.map(|source| Filing {
            source,
            subject: trailers.get(SOURCE_SUBJECT).map(str::to_owned),
            before: commit.parents.first().copied(),
            after: commit.id,
            commit: Some(commit.id),
            operation: operation.clone(),
            writer: Writer::of_commit(commit),
            rules: trailers.get(RULES).and_then(|rules| rules.parse().ok()).unwrap_or(1),
            seconds: commit.committer.seconds,
        });
        let undoes: Vec<String> = trailers.all(UNDOES).map(str::to_owned).collect();
        (filing.is_some() || !undoes.is_empty()).then_some(Self { filing, operation, undoes })
    }
}

impl Filings {
    /// Look at the history of the tree, and at the operations of this clone.
    ///
    /// # Errors
    /// A history or an operation log that cannot be read.
    pub fn of(scope: &Scope) -> Result<Self, Stop> {
        let mut filings = Self::default();
        filings.refresh(scope)?;
        Ok(filings)
    }

    /// Look at what is new since the last look.
    ///
    /// # Errors
    /// As [`Filings::of`].
    pub fn refresh(&mut self, scope: &Scope) -> Result<(), Stop> {
        let head = scope.head()?.commit();
        if head != self.head {
            self.walk(scope, head)?;
            self.head = head;
        }
        let listed = journal::list(scope)?;
        self.logged = curations::standing(scope, &listed).into_iter().map(of_record).collect();
        self.undone = undone(&self.committed, &listed);
        let known: HashSet<&str> =
            self.committed.iter().filter_map(|told| told.operation.as_deref()).collect();
        self.logged.retain(|one| one.operation.as_deref().is_none_or(|id| !known.contains(id)));
        Ok(())
    }

    /// Commits of a tree that is a folder of the host are found by their operations alone: what is committed there, and with
    /// what else, is up to the user.
    fn walk(&mut self, scope: &Scope, head: Option<CommitId>) -> Result<(), git::Error> {
        let (Some(head), true) = (head, scope.prefix().is_empty()) else { return Ok(()) };
        let known = match self.head {
            Some(old) if history::is_ancestor(scope, old, head)? => Some(old),
            _ => None,
        };
        let range = Range { tips: vec![head], hidden: known.into_iter().collect(), ..Range::default() };
        let mut told = Vec::new();
        history::walk(scope, &range, |walked| {
            told.extend(FilingRecord::of(&walked.commit));
            ControlFlow::Continue(())
        })?;
        if known.is_some() {
            told.append(&mut self.committed);
        }
        self.committed = told;
        Ok(())
    }

    /// Those that stand, the newest first: of commits of the tree, then of operations that no commit names.
    pub fn standing(&self) -> impl Iterator<Item = &Filing> {
        let is_undone = |one: &&Filing| one.operation.as_ref().is_some_and(|id| self.undone.contains(id));
        let committed = self.committed.iter().filter_map(|told| told.filing.as_ref());
        committed.chain(&self.logged).filter(move |one| !is_undone(one))
    }
}

fn of_record((record, source): (&Record, SourceCommit)) -> Filing {
    Filing {
        source,
        subject: None,
        before: Some(record.before),
        after: record.after,
        commit: None,
        operation: Some(record.id.to_string()),
        writer: Writer::of_record(record),
        rules: 1,
        seconds: record.seconds,
    }
}

/// The operations that were undone: what an undo says counts unless it was undone itself.
fn undone(committed: &[FilingRecord], listed: &[Listed]) -> HashSet<String> {
    let mut undone: HashSet<String> = journal::undone(listed).into_keys().map(|id| id.to_string()).collect();
    for told in committed {
        if told.operation.as_ref().is_none_or(|id| !undone.contains(id)) {
            undone.extend(told.undoes.iter().cloned());
        }
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wrote_is_told_by_model_actor_and_session() {
        let of = Writer::of;
        assert_eq!(of(None, Some(HOOK), None), Writer::Rules);
        assert_eq!(of(None, None, Some("import-1795676585000")), Writer::Rules);
        assert_eq!(of(Some("m"), Some(HOOK), None), Writer::Model);
        assert_eq!(of(None, Some("claude"), None), Writer::Agent);
        assert_eq!(of(None, None, Some("import-of-monday")), Writer::Agent);
        assert_eq!(of(None, None, None), Writer::Person);
        assert!(Writer::Rules < Writer::Model && Writer::Model < Writer::Agent);
    }

    #[test]
    fn what_was_undone_is_left_out_unless_the_undo_was_undone() {
        let told = |operation: &str, undoes: &[&str]| FilingRecord {
            filing: None,
            operation: Some(operation.into()),
            undoes: undoes.iter().map(|one| (*one).to_owned()).collect(),
        };
        let undone = |all: &[FilingRecord]| {
            let mut found: Vec<String> = undone(all, &[]).into_iter().collect();
            found.sort();
            found
        };
        assert_eq!(undone(&[told("b", &["a"]), told("a", &[])]), ["a"]);
        assert_eq!(undone(&[told("c", &["b"]), told("b", &["a"]), told("a", &[])]), ["b"]);
    }
}
