//! `brv vc add`: record files of the work tree in the index.

use crate::fs;
use crate::git;
use crate::git::status::StatusError;
use crate::git::{BlobId, CommitId, Edit, Edits, Scope, TreeId};
use crate::journal::{self, Draft, IndexSides, Kind, OperationId, Recovered, Side, Touches};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::flaws::{self, Flaw};
use crate::ops::steps::kept::Kept;
use crate::ops::steps::naming::{self, Outside};
use crate::ops::steps::staging::{self, Wanted};
use crate::ops::steps::survey::Survey;
use crate::ops::steps::tidying::{Tidying, tidying};
use crate::ops::steps::{recovery, survey};
use bstr::{BStr, BString, ByteSlice as _};

pub use crate::ops::steps::staging::{Content, Mode, Reason, Refused, Selection, Staged, Unusual};

use crate::journal::Staged as Entry;

/// What to record.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// As typed; see [`naming::pathspecs`]. Empty only with another selection than [`Selection::Paths`].
    pub paths: Vec<String>,
    /// All of the tree, what is recorded of it, or what the paths name.
    pub selection: Selection,
    /// Whether ignored and foreign files are taken when they are named.
    pub unusual: Unusual,
    /// Whether their bytes are recorded.
    pub content: Content,
    /// Whether anything is written.
    pub mode: Mode,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files.
    pub staged: Staged,
    /// What a push would stop at in them.
    pub flaws: Vec<Flaw>,
    /// The operation in the journal, if anything new was recorded.
    pub operation: Option<OperationId>,
    /// A command that a crash had interrupted.
    pub recovered: Option<Recovered>,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

/// Why nothing was recorded.
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
    /// What was named, or a file.
    #[error(transparent)]
    Stage(#[from] staging::Error),
    /// Disk or index.
    #[error(transparent)]
    Survey(#[from] StatusError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Lock(error) => error.kind(),
            Self::Outside(_) => FailureKind::Usage,
            Self::Stage(error) => error.kind(),
            Self::Journal(error) => FailureKind::of_journal(error),
            Self::Git(error) => FailureKind::of_git(error),
            _ => FailureKind::Failed,
        }
    }
}

/// Record what the options name. Objects are durable before the index names them.
///
/// # Errors
/// [`Error`]; a file that is refused is part of the outcome.
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = naming::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let (guard, recovered) = recovery::lock(&opened)?;
    let mut locked = git::index::lock(scope, &guard)?;
    let index = std::mem::replace(&mut locked.index, git::index::empty());
    let survey = survey::survey_at(scope, index, &specs)?;
    let wanted = Wanted {
        specs,
        selection: options.selection,
        unusual: options.unusual,
        content: options.content,
        mode: options.mode,
        ..Wanted::default()
    };
    let (staged, edits) = staging::stage(scope, &survey, &wanted, cx.progress)?;
    let mut operation = None;
    if options.mode == Mode::Write && !edits.is_empty() {
        Kept::with(scope, &guard, recorded(scope, &edits))?;
        let draft = draft(cx, scope, &survey, &edits)?;
        let pending = draft.map(|draft| journal::begin(scope, &guard, cx.clock, &draft)).transpose()?;
        locked.index = survey.index.edited(&edits)?;
        locked.commit()?;
        operation = pending.map(|pending| pending.publish(scope)).transpose()?;
    }
    let tidying =
        if options.mode == Mode::Write { tidying(scope, cx.clock.seconds()) } else { Tidying::NotDue };
    let flaws = flaws::on_disk(scope, staged.added.iter().chain(&staged.updated));
    Ok(Outcome { staged, flaws, operation, recovered, tidying })
}

/// The bytes that are recorded, by path in the tree.
fn recorded<'a>(scope: &'a Scope, edits: &'a Edits) -> impl Iterator<Item = (&'a BStr, BlobId)> {
    edits.iter().filter_map(|(full, edit)| match edit {
        Edit::Put(version, _) => Some((scope.strip(full.as_bstr())?, version.id)),
        Edit::Remove | Edit::Intend | Edit::Unmerged(_) => None,
    })
}

/// What is recorded now that was not, or in the place of something else; `None` where nothing is. The files themselves are
/// stored by then: the record is two trees of what is known of them.
fn draft(cx: &Context<'_>, scope: &Scope, survey: &Survey, edits: &Edits) -> Result<Option<Draft>, Error> {
    let changes = edits.iter().map(|(path, edit)| (path, Entry::after(edit)));
    let differs = |(path, after): &(&BString, Entry)| Entry::of(&survey.index, path.as_bstr()) != *after;
    let changes: Vec<(BString, Entry)> =
        changes.filter(differs).map(|(path, after)| (path.clone(), after)).collect();
    let reason = match &changes[..] {
        [] => return Ok(None),
        [(path, _)] => scope.strip(path.as_bstr()).unwrap_or(path.as_bstr()).to_string(),
        _ => format!("{} files", changes.len()),
    };
    let sides = IndexSides::of(scope, &survey.index, changes).map_err(journal::Error::from)?;
    let side = |commit: Option<CommitId>| match commit {
        Some(commit) => Side::Commit(commit),
        None => Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() },
    };
    Ok(Some(Draft {
        id: None,
        kind: Kind::Add,
        touches: Touches::State,
        moves: Vec::new(),
        before: side(survey.head.commit()),
        after: side(survey.head.commit()),
        index: Some(sides),
        undoes: None,
        reason,
        actor: cx.actor.name.clone().unwrap_or_default(),
        session: cx.actor.session.clone(),
        settings: Vec::new(),
        discarded: Vec::new(),
    }))
}
