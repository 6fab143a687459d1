//! `brv vc reset`: take the branch to another commit, with the index and the files or without, or unrecord paths.
//!
//! What is given up, also what was never committed, is in the operation.

use crate::git::pathspec::Pathspec;
use crate::git::refs::{self, Target};
use crate::git::revision::{self, RevisionError};
use crate::git::status::StatusError;
use crate::git::{self, CommitId, Head, Scope, Signature, TreeId, merge_state};
use crate::journal::{Kind, OperationId, Recovered, RefMove, Transition};
use crate::ops::context::{Context, OpenError, Parts};
use crate::ops::steps::branches::{self, expand};
use crate::ops::steps::forced::{self, Reach};
use crate::ops::steps::integrate::Derive;
use crate::ops::steps::naming::{self, Outside};
use crate::ops::steps::recovery;
use crate::ops::steps::reflog::signature;
use crate::ops::steps::refresh::{self, Extent};
use crate::ops::steps::restoring::{self, Absent, Places, Request, Restored, Source};
use crate::ops::steps::writing::{self, Purpose, Work};
use crate::ops::{FailureKind, Keeper};
use bstr::{BString, ByteSlice as _};

/// What is taken along.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// The branch alone.
    Soft,
    /// The index, too.
    #[default]
    Mixed,
    /// The index and the files, too.
    Hard,
}

/// What to reset.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is taken along.
    pub mode: Mode,
    /// A revision, paths, or a revision and paths.
    pub words: Vec<String>,
    /// Paths in any case.
    pub paths: Vec<String>,
    /// Whether the derived files are made again.
    pub derive: Derive,
}

/// What was done.
#[derive(Debug)]
pub enum Outcome {
    /// The branch went to a commit.
    Commit(Moved),
    /// Paths of the index are as a commit has them.
    Paths {
        /// Which.
        restored: Restored,
        /// A command that a crash had interrupted.
        recovered: Option<Recovered>,
    },
}

/// A branch that went to a commit.
#[derive(Debug)]
pub struct Moved {
    /// What was taken along.
    pub mode: Mode,
    /// Where it was.
    pub before: Option<CommitId>,
    /// Where it is.
    pub after: Option<CommitId>,
    /// The first line of that commit's message.
    pub subject: BString,
    /// So many files were written or removed.
    pub files: usize,
    /// Files that stay in the commit without being written, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files that were saved meanwhile, or are no files, and left as they are.
    pub left_alone: Vec<BString>,
    /// Files that are not there, since others stand in a folder of that name.
    pub blocked: Vec<BString>,
    /// The operation, which has what was given up; `None` where nothing changed.
    pub operation: Option<OperationId>,
    /// The derived files, where files changed. A failure is a warning.
    pub derived: Option<Result<refresh::Outcome, refresh::Error>>,
    /// A command that a crash had interrupted.
    pub recovered: Option<Recovered>,
}

/// Why nothing was reset.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Locked, or not recovered.
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    /// A path that is not in the tree.
    #[error(transparent)]
    Outside(#[from] Outside),
    /// A revision.
    #[error(transparent)]
    Branch(#[from] branches::Error),
    /// Neither a revision nor a path.
    #[error("`{0}` is neither a revision nor a path of the tree")]
    Neither(String),
    /// Paths with another mode.
    #[error("paths cannot be reset hard or soft")]
    PathsOnly,
    /// A merge that would lose its other side.
    #[error("a merge is still waiting for its commit")]
    Merging,
    /// What was named.
    #[error(transparent)]
    Restore(#[from] restoring::Error),
    /// What stands there.
    #[error(transparent)]
    Forced(#[from] forced::Error),
    /// The journal, files, references.
    #[error(transparent)]
    Write(#[from] writing::Error),
    /// Disk or index.
    #[error(transparent)]
    Survey(#[from] StatusError),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] crate::fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Lock(error) => error.kind(),
            Self::Branch(error) => error.kind(),
            Self::Outside(_) | Self::Neither(_) | Self::PathsOnly => FailureKind::Usage,
            Self::Merging => FailureKind::Conflict,
            Self::Restore(error) => error.kind(),
            Self::Forced(error) => error.kind(),
            Self::Write(error) => error.kind(),
            Self::Git(error) => FailureKind::of_git(error),
            Self::Survey(_) | Self::File(_) => FailureKind::Failed,
        }
    }
}

/// Reset.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let (guard, recovered) = recovery::lock(&opened)?;
    let (revision, words) = sorted(scope, options)?;
    let head = scope.head()?;
    let commit = match &revision {
        Some(typed) => Some(commit(scope, typed)?),
        None => head.commit(),
    };
    let label = revision.unwrap_or_else(|| "HEAD".to_owned());
    let paths: Vec<String> = words.iter().chain(&options.paths).cloned().collect();
    if paths.is_empty() && Keeper::of(scope) == Keeper::Host && commit == head.commit() {
        if options.mode == Mode::Soft {
            may_be_soft(scope)?;
            let moved = To { commit, label, mode: options.mode }.moved(scope, &head)?;
            return Ok(Outcome::Commit(Moved { recovered, ..moved }));
        }
        // the host's branch and its merge are its own; what is recorded of the tree is not
        let places = if options.mode == Mode::Hard { Places::Both } else { Places::Index };
        let request = request(scope, commit, vec![Pathspec::new("")], (places, format!("reset to {label}")))?;
        let restored = restoring::restore(&cx.parts(&opened), guard, &request, options.derive)?;
        return Ok(Outcome::Paths { restored, recovered });
    }
    if paths.is_empty() {
        opened.whole("reset")?;
        let target = To { commit, label, mode: options.mode };
        let mut moved = target.carry_out(&cx.parts(&opened), &guard, &head)?;
        drop(guard);
        if options.derive == Derive::Now && options.mode == Mode::Hard && moved.operation.is_some() {
            moved.derived = Some(refresh::refresh(&opened, Extent::Changed, cx.progress));
        }
        return Ok(Outcome::Commit(Moved { recovered, ..moved }));
    }
    if options.mode != Mode::Mixed {
        return Err(Error::PathsOnly);
    }
    let specs = naming::pathspecs(&scope.root(), &cx.cwd, &paths)?;
    if let Some(word) = first_unknown(scope, &head, &specs, &words)? {
        return Err(Error::Neither(word));
    }
    let reason = format!("reset {} to {label}", paths.join(" "));
    let request = request(scope, commit, specs, (Places::Index, reason))?;
    let restored = restoring::restore(&cx.parts(&opened), guard, &request, Derive::Later)?;
    Ok(Outcome::Paths { restored, recovered })
}

/// Paths as a commit has them.
fn request(
    scope: &Scope,
    commit: Option<CommitId>,
    specs: Vec<Pathspec>,
    (places, reason): (Places, String),
) -> Result<Request, git::Error> {
    let tree = commit.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    Ok(Request { specs, source: Source::Tree(tree), places, absent: Absent::Goes, kind: Kind::Reset, reason })
}

/// The first word is a revision if it leads to a commit.
fn sorted(scope: &Scope, options: &Options) -> Result<(Option<String>, Vec<String>), Error> {
    let Some((first, rest)) = options.words.split_first() else { return Ok((None, Vec::new())) };
    let name = expand(scope, first)?;
    match revision::commit(scope, &name) {
        Ok(_) => Ok((Some(name), rest.to_vec())),
        Err(RevisionError::Unknown(_)) => Ok((None, options.words.clone())),
        Err(RevisionError::Unborn(_)) if first == "HEAD" => Ok((None, rest.to_vec())),
        Err(error) => Err(branches::Error::from(error).into()),
    }
}

fn commit(scope: &Scope, typed: &str) -> Result<CommitId, Error> {
    Ok(revision::commit(scope, typed).map_err(branches::Error::from)?)
}

/// The first word that names neither a file nor anything recorded.
fn first_unknown(
    scope: &Scope,
    head: &Head,
    specs: &[Pathspec],
    words: &[String],
) -> Result<Option<String>, Error> {
    let index = git::index::read(scope)?;
    let tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    for (word, spec) in words.iter().zip(specs) {
        let path = spec.as_bstr();
        let is_known = spec.has_wildcard()
            || path.is_empty()
            || index.names_something(scope.full(path).as_bstr())
            || git::trees::find(scope, tree, path)?.is_some()
            || crate::fs::stat(&crate::fs::below(&scope.root(), path)?)?.is_some();
        if !is_known {
            return Ok(Some(word.clone()));
        }
    }
    Ok(None)
}

/// Where the branch goes.
struct To {
    commit: Option<CommitId>,
    label: String,
    mode: Mode,
}

impl To {
    fn carry_out(
        &self,
        parts: &Parts<'_>,
        guard: &crate::fs::WriteGuard,
        head: &Head,
    ) -> Result<Moved, Error> {
        let scope = parts.scope();
        let who = signature(scope, parts.clock);
        let moves = self.moves(scope, head)?;
        let mut moved = self.moved(scope, head)?;
        if self.mode == Mode::Soft {
            may_be_soft(scope)?;
            if only_marks(&moves) {
                mark(scope, &moves, &who)?;
            } else {
                let work = Work::exact(Transition { moves, ..Transition::default() });
                let done = writing::carry_out(parts, guard, None, work, &self.purpose())?;
                moved.operation = Some(done.operation);
            }
        } else {
            let reach = if self.mode == Mode::Hard { Reach::Files } else { Reach::Index };
            let mut locked = git::index::lock(scope, guard)?;
            let survey = refresh::quick_survey(parts.opened, locked.take())?;
            let tree = self.commit.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
            let transition = Transition { moves, ..forced::to_tree(scope, &survey, tree, reach)? };
            moved.files = transition.files.len();
            locked.index = survey.index;
            if is_still(&transition) {
                mark(scope, &transition.moves, &who)?;
            } else {
                let work = Work::exact(transition);
                let done = writing::carry_out(parts, guard, Some(locked), work, &self.purpose())?;
                moved.operation = Some(done.operation);
                moved.withheld = done.withheld;
                moved.left_alone = done.left_alone;
                moved.blocked = done.blocked;
            }
            merge_state::conclude(scope)?;
        }
        if self.commit.is_some() && self.commit == head.commit() {
            refs::log_stay(scope, self.line().as_bytes().as_bstr(), &who)?;
        }
        Ok(moved)
    }

    /// The branch, or `HEAD` itself, and `ORIG_HEAD`, by which git finds back.
    fn moves(&self, scope: &Scope, head: &Head) -> Result<Vec<RefMove>, git::Error> {
        let mut moves: Vec<RefMove> =
            self.commit.map(|new| RefMove::of_head(head, new)).into_iter().collect();
        if let (Some(_), Some(here)) = (self.commit, head.commit()) {
            let old = refs::target(scope, "ORIG_HEAD".into())?;
            moves.push(RefMove { name: "ORIG_HEAD".into(), old, new: Some(Target::from(here)) });
        }
        Ok(moves)
    }

    fn moved(&self, scope: &Scope, head: &Head) -> Result<Moved, git::Error> {
        let subject = match self.commit {
            Some(commit) => git::history::read(scope, commit)?.subject().to_owned(),
            None => BString::default(),
        };
        Ok(Moved {
            mode: self.mode,
            before: head.commit(),
            after: self.commit,
            subject,
            files: 0,
            withheld: Vec::new(),
            left_alone: Vec::new(),
            blocked: Vec::new(),
            operation: None,
            derived: None,
            recovered: None,
        })
    }

    fn line(&self) -> String {
        format!("reset: moving to {}", self.label)
    }

    fn purpose(&self) -> Purpose {
        Purpose::new(Kind::Reset, format!("reset to {}", self.label)).logged(self.line())
    }
}

/// Refused amid a merge, of which the index is a part.
fn may_be_soft(scope: &Scope) -> Result<(), Error> {
    match merge_state::read(scope)?.is_some() || !git::index::read(scope)?.unmerged().is_empty() {
        true => Err(Error::Merging),
        false => Ok(()),
    }
}

/// Whether there would be nothing to take back.
fn is_still(transition: &Transition) -> bool {
    transition.files.is_empty() && transition.index.is_empty() && only_marks(&transition.moves)
}

/// Whether no reference moves but `ORIG_HEAD`, which says of every reset where it began, and which no undo takes back.
fn only_marks(moves: &[RefMove]) -> bool {
    moves.iter().all(|one| one.old == one.new || one.name == "ORIG_HEAD")
}

fn mark(scope: &Scope, moves: &[RefMove], who: &Signature) -> Result<(), git::Error> {
    let moved = moves.iter().filter(|one| one.old != one.new);
    let moved: Vec<_> = moved.map(|one| one.to_move(BString::default())).collect();
    if moved.is_empty() { Ok(()) } else { refs::update(scope, moved, who) }
}
