//! Land changed files of the tree: one operation and, unless it is not wanted here, one commit of exactly these paths.
//!
//! What the user has staged stays staged. A file with uncommitted changes is written and left uncommitted. Knows files,
//! the index and `HEAD`; does not know why the files change.

mod commit;
mod instructing;
mod message;
mod save;

pub use crate::journal::Note;
pub use commit::write_commit;
pub use message::{LandingMessage, note_trailers};
pub use save::{Draft, Item, Saved, save, settled};

use crate::derive::Disk;
use crate::journal::{
    self, CodeHead, Discarded, DreamId, IndexSides, OperationId, OperationKind, RefMove, SourceCommit,
    Staged, Transition,
};
use crate::open::context::Parts;
use crate::outcome::in_progress::unfinished;
use crate::read::history::learned::sources::moves;
use crate::read::history::provenance::{MODEL, RULES, SOURCE_AUTHOR, SOURCE_SUBJECT};
use crate::read::history::reflog::signature;
use crate::write::operation::files_only::{self, Rewrite};
use crate::write::operation::{Derived, Interference, Purpose, Work, Writing};
use crate::{OrStop, Stop};
use brv_base::sorting;
use brv_git as git;
use brv_git::identity::{self, Identity};
use brv_git::trees::{self, Change};
use brv_git::{CommitId, Head, Index, Scope, TreeId, in_progress};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// The most files of an operation after which derived files are made at once. More are left to `brv derive` and the
/// next command that makes them, as after a commit.
pub const DERIVE_AT_MOST: usize = 500;

/// Whether the operation ends in a commit.
#[derive(Debug)]
pub enum CommitMode {
    /// It does, in this person's name.
    Commit(Box<Identity>),
    /// It does not; the files are staged where they can be.
    Leave(NoCommit),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoCommit {
    /// The tree is a folder of a bigger repository, whose branch belongs to git.
    InRepo,
    /// `commit.auto` is `false`.
    Setting,
    /// No name and email address are configured.
    NoIdentity(String),
}

/// Words a commit: its subject and the lines of its body, given the paths that it has.
pub type MessageWriter<'a> = dyn Fn(&BTreeSet<&BStr>) -> (String, Vec<String>) + 'a;

pub struct Landing<'a> {
    pub kind: OperationKind,
    /// The reason, for the operation log.
    pub reason: String,
    /// The new bytes of the files, in any order. How each is recorded is decided here.
    pub files: Vec<Rewrite>,
    /// What the commit says about each path.
    pub notes: Vec<Note>,
    /// Values that a merge discarded.
    pub discarded: Vec<Discarded>,
    /// Subject and body of the commit.
    pub words: &'a MessageWriter<'a>,
    /// The commit of the code that the knowledge comes from.
    pub source_commit: Option<SourceCommit>,
    /// Who wrote that commit, if it is not whose clone this is.
    pub source_author: Option<String>,
    /// What that commit is called.
    pub source_subject: Option<String>,
    /// The head of the code when it was written, if it comes from no commit.
    pub code_head: Option<CodeHead>,
    /// The model that wrote what the files say.
    pub model: Option<String>,
    /// The version of the rules that wrote it.
    pub rules: Option<u32>,
    /// The dream that it is.
    pub dream: Option<DreamId>,
    /// The job that the operation is, for the operation log.
    pub job: Option<String>,
    /// Files that must be as `HEAD` and the index have them: what is planned relies on it.
    pub relies: BTreeSet<BString>,
}

#[derive(Debug, Default)]
pub struct LandingResult {
    /// The operation; `None` if no file changes.
    pub operation: Option<OperationId>,
    /// The commit, if one was made.
    pub commit: Option<CommitId>,
    /// The files that were written and are not in the commit, sorted.
    pub uncommitted: Vec<Uncommitted>,
    /// The files that wait since they instruct and no person wrote them.
    pub instructing: BTreeSet<BString>,
    /// What to pass to [`Writing::finish`].
    pub derived: Option<Derived>,
}

/// A file that was written and is not in the commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncommitted {
    pub path: BString,
    pub why: UncommittedReason,
}

/// Why a file that was written is not in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UncommittedReason {
    /// It had uncommitted changes, which are the user's.
    Dirty,
    NoCommit(NoCommit),
}

/// The files that another program saved meanwhile, if that is the reason.
pub fn saved(error: &OrStop<Interference>) -> &[BString] {
    match error {
        OrStop::This(Interference::Saved { paths, .. }) => paths,
        _ => &[],
    }
}

/// How an operation ends here.
///
/// # Errors
/// It would make a commit in the middle of a merge, rebase or pick.
pub fn commit_mode(parts: &Parts<'_>) -> Result<CommitMode, Stop> {
    let scope = parts.scope();
    if !scope.prefix().is_empty() {
        return Ok(CommitMode::Leave(NoCommit::InRepo));
    }
    if !parts.opened.config.commit_auto.value {
        return Ok(CommitMode::Leave(NoCommit::Setting));
    }
    if let Some(kind) = in_progress::committing(scope)? {
        return Err(Stop::refused(format!("{kind} is in progress")).hint(unfinished(kind)));
    }
    Ok(match identity::identity(scope, &identity::Overrides::default(), parts.clock) {
        Ok(identity) => CommitMode::Commit(Box::new(identity)),
        Err(error) => CommitMode::Leave(NoCommit::NoIdentity(error.to_string())),
    })
}

/// Write the files, and commit those that had no uncommitted changes. `index` is the locked one.
///
/// # Errors
/// The next command finishes an interrupted operation.
pub fn land(
    writing: &mut Writing<'_>,
    index: Index,
    manner: CommitMode,
    mut landing: Landing<'_>,
) -> Result<LandingResult, OrStop<Interference>> {
    let scope = writing.scope();
    landing.files.retain(|file| file.before != file.after);
    if landing.files.is_empty() {
        return Ok(LandingResult::default());
    }
    sorting::sort_by(&mut landing.files, |one, other| one.path.cmp(&other.path));
    let instructing = instructing::mark(writing, &mut landing)?;
    let files = files_only::stored(scope, &index, &landing.files)?;
    let start = LandingStart::of(scope)?;
    let unfit = start.unfit(scope, &index, (&files, &landing.relies))?;
    if !unfit.is_empty() {
        let message = "the branch or the index changed at the same time".to_owned();
        return Err(OrStop::This(Interference::Saved { paths: unfit, message }));
    }
    let dirty = start.dirty(scope, &index, (&files, &manner))?;
    let clean: Vec<&Change> = files.iter().filter(|file| !dirty.contains(file.path.as_bstr())).collect();
    let staged = match &manner {
        CommitMode::Leave(NoCommit::InRepo) => BTreeMap::new(),
        CommitMode::Commit(_) | CommitMode::Leave(_) => entries(scope, &clean),
    };
    let end = LandingEnd::of(writing, &start, (manner, &clean), &landing)?;
    let sides = IndexSides::of(scope, &index, staged)?;
    let notes = match end.commit {
        Some(_) => Vec::new(),
        None => landing.notes,
    };
    let purpose = Purpose::new(landing.kind, landing.reason.clone())
        .named(end.id)
        .noting(notes)
        .learned_from(landing.source_commit)
        .written_at(landing.code_head)
        .dreamed(landing.dream)
        .done_as(landing.job)
        .discarding(landing.discarded)
        .logged(end.subject.clone().unwrap_or_default())
        .signed(end.who);
    let uncommitted = uncommitted(&files, &dirty, end.left.as_ref());
    let derived = match end.tree {
        _ if files.len() > DERIVE_AT_MOST => Derived::Leave,
        Some(tree) if uncommitted.is_empty() => Derived::Between(start.tree, tree, Disk::Unknown),
        _ => Derived::Changed,
    };
    let moves = end.commit.iter().map(|commit| RefMove::of_head(&start.head, *commit)).collect();
    let transition = Transition { files, index: sides, moves, ..Transition::default() };
    let work = Work::exact(transition).admitting(&files_only::own);
    let operation = writing.carry_out(Some(index), work, &purpose)?;
    Ok(LandingResult { operation, commit: end.commit, uncommitted, derived: Some(derived), instructing })
}

/// Where `HEAD` is.
struct LandingStart {
    head: Head,
    tree: TreeId,
}

impl LandingStart {
    fn of(scope: &Scope) -> Result<Self, git::Error> {
        let head = scope.head()?;
        let tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
        Ok(Self { head, tree })
    }

    /// The files that are relied on and are not as `HEAD` and the index have them.
    fn unfit(
        &self,
        scope: &Scope,
        index: &Index,
        (files, relies): (&[Change], &BTreeSet<BString>),
    ) -> Result<Vec<BString>, git::Error> {
        let mut unfit = Vec::new();
        for file in files.iter().filter(|file| relies.contains(&file.path)) {
            let path = file.path.as_bstr();
            let staged = Staged::of(index, scope.full(path).as_bstr());
            let is_staged = staged == file.before.map_or(Staged::Nothing, Staged::Version);
            if !is_staged || file.before != trees::file(scope, self.tree, path)? {
                unfit.push(file.path.clone());
            }
        }
        Ok(unfit)
    }

    /// The files whose version on disk is not the staged one, or, for a commit, not the one in `HEAD`.
    fn dirty(
        &self,
        scope: &Scope,
        index: &Index,
        (files, manner): (&[Change], &CommitMode),
    ) -> Result<BTreeSet<BString>, git::Error> {
        let mut dirty = BTreeSet::new();
        for file in files {
            let path = file.path.as_bstr();
            let staged = Staged::of(index, scope.full(path).as_bstr());
            let is_committed = match manner {
                CommitMode::Commit(_) => file.before == trees::file(scope, self.tree, path)?,
                CommitMode::Leave(_) => true,
            };
            if !is_committed || staged != file.before.map_or(Staged::Nothing, Staged::Version) {
                dirty.insert(file.path.clone());
            }
        }
        Ok(dirty)
    }
}

/// The index entries that the files get.
fn entries(scope: &Scope, files: &[&Change]) -> BTreeMap<BString, Staged> {
    let staged = |file: &&Change| file.after.map_or(Staged::Nothing, Staged::Version);
    files.iter().map(|file| (scope.full(&file.path), staged(file))).collect()
}

/// How the operation ends: with a commit, or without one.
struct LandingEnd {
    id: Option<OperationId>,
    commit: Option<CommitId>,
    tree: Option<TreeId>,
    subject: Option<String>,
    left: Option<NoCommit>,
    who: git::Signature,
}

impl LandingEnd {
    fn of(
        writing: &Writing<'_>,
        start: &LandingStart,
        (manner, clean): (CommitMode, &[&Change]),
        landing: &Landing<'_>,
    ) -> Result<Self, Stop> {
        let parts = writing.parts();
        let scope = parts.scope();
        let without = |left| Self {
            id: None,
            commit: None,
            tree: None,
            subject: None,
            left,
            who: signature(scope, parts.clock),
        };
        let identity = match manner {
            CommitMode::Commit(identity) if !clean.is_empty() => identity,
            CommitMode::Commit(_) => return Ok(without(None)),
            CommitMode::Leave(why) => return Ok(without(Some(why))),
        };
        let paths: BTreeSet<&BStr> = clean.iter().map(|file| file.path.as_bstr()).collect();
        let (subject, body) = (landing.words)(&paths);
        let id = journal::reserve(scope, parts.clock, &subject)?;
        let code_head = landing.code_head.iter().map(|head| (CodeHead::TRAILER, head.to_string()));
        let model = landing.model.iter().map(|model| (MODEL, model.clone()));
        let author = landing.source_author.iter().map(|author| (SOURCE_AUTHOR, author.clone()));
        let subject_of_source = landing.source_subject.iter().map(|said| (SOURCE_SUBJECT, said.clone()));
        let moved = moves::trailers(parts.opened)?;
        let rules = landing.rules.iter().map(|rules| (RULES, rules.to_string()));
        let others: Vec<_> =
            code_head.chain(author).chain(subject_of_source).chain(model).chain(rules).chain(moved).collect();
        let message = LandingMessage {
            subject: &subject,
            body: &body,
            operation: &id,
            undoes: &[],
            notes: landing.notes.iter().filter(|note| paths.contains(note.path.as_bstr())).collect(),
            reason: None,
            actor: parts.actor.name.as_deref(),
            session: parts.actor.session.as_deref(),
            source_commit: landing.source_commit,
            dream: landing.dream,
            discarded: &landing.discarded,
            others: &others,
        };
        let (commit, tree) = write_commit(
            &parts,
            (&start.head, start.tree),
            clean.iter().copied(),
            &identity,
            message.written(),
        )?;
        Ok(Self {
            id: Some(id),
            commit: Some(commit),
            tree: Some(tree),
            subject: Some(format!("{}: {subject}", landing.kind.word())),
            left: None,
            who: identity.committer,
        })
    }
}

fn uncommitted(files: &[Change], dirty: &BTreeSet<BString>, left: Option<&NoCommit>) -> Vec<Uncommitted> {
    let why = |path: &BString| match left {
        Some(why) => Some(UncommittedReason::NoCommit(why.clone())),
        None => dirty.contains(path).then_some(UncommittedReason::Dirty),
    };
    let paths = files.iter().map(|file| &file.path);
    paths.filter_map(|path| Some(Uncommitted { path: path.clone(), why: why(path)? })).collect()
}
