//! `brv vc commit`: make what is recorded a commit, or replace the last one with it.

mod amend;
mod message;
mod taking;

pub use message::{Basis, EditError, Prepared, prepare};

use crate::git::commit::{Commit, NewCommit};
use crate::git::identity::{self, Identity};
use crate::git::merge_state::{self, MergeState};
use crate::git::signing;
use crate::git::trees::{self, Change, Renames};
use crate::git::{self, CommitId, Head, Scope, Signature, TreeId, in_progress};
use crate::journal::{Kind, OperationId, RefMove, Side, Transition};
use crate::ops::FailureKind;
use crate::ops::context::{Context, Opened};
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::merging::guards::Allowed;
use crate::ops::steps::merging::unstaged_merge;
use crate::ops::steps::refresh::{self, Disk};
use crate::ops::steps::telling::gc_advice::tidying;
use crate::ops::steps::work_tree::flaws::{self, Flaw};
use crate::ops::steps::work_tree::staging::{self, Refused};
use crate::ops::steps::work_tree::{ongoing, survey};
use crate::ops::steps::writing::{self, Derived, Purpose, Work, Writing, Written};
use bstr::{BString, ByteSlice};
use std::time::Instant;
use taking::{Taken, record_changes};

pub use crate::git::signing::{SigningError, Wish};
pub use crate::ops::steps::telling::gc_advice::Tidying;

/// What to commit.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The paragraphs of the message; empty only where a merge, a squash or the commit that is replaced has one.
    pub message: Vec<String>,
    /// What it was written for, if that took a person's time: the commit is made on nothing else.
    pub basis: Option<Basis>,
    /// What it takes.
    pub include: Include,
    /// Whether a commit that changes nothing is made.
    pub empty: Empty,
    /// Who wrote it, if not the committer: name and address.
    pub author: Option<(String, String)>,
    /// Whether it is signed.
    pub signing: Wish,
    /// Which commit it may be.
    pub takes: Takes,
    /// Whether it takes the place of another.
    pub replaces: Replaces,
    /// The guards that are opened.
    pub allowed: Allowed,
}

impl Options {
    fn makes_empty(&self) -> bool {
        self.empty == Empty::Allow
    }
}

/// Whether the commit takes the place of another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Replaces {
    /// It comes on top.
    #[default]
    Nothing,
    /// It replaces the last one (`--amend`), with its parents, its author and, unless another is given, its message.
    Head,
}

/// Which commit it may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Takes {
    /// Any.
    #[default]
    Anything,
    /// One that ends a merge (`merge --continue`).
    MergeOnly,
}

/// What the commit takes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Include {
    /// What is recorded.
    #[default]
    Staged,
    /// Also changes of recorded files that are not.
    AllChanges,
    /// These paths as they stand on disk, and nothing else that is recorded. As typed; see [`naming::pathspecs`].
    Only(Vec<String>),
}

/// Whether a commit that changes nothing is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Empty {
    /// No: that is an outcome of its own.
    #[default]
    Refuse,
    /// Yes.
    Allow,
}

/// What became of it.
#[derive(Debug)]
pub struct Outcome {
    /// The commit, if there was anything to commit.
    pub made: Made,
    /// Changed files that could not be recorded.
    pub refused: Vec<Refused>,
    /// The rest; the derived files are not looked at after a commit of more than [`DERIVE_AT_MOST`] files, which is left to
    /// `brv derive` and to the next pull.
    pub written: Written,
}

/// Whether there was anything to commit.
#[derive(Debug)]
pub enum Made {
    /// A commit.
    Commit(Box<Committed>),
    /// Nothing. Whether something would be there with `-a` or after `add`.
    Nothing(Unrecorded),
}

/// What is there but not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrecorded {
    /// Nothing: the tree is clean.
    Nothing,
    /// Changes or new files.
    Something,
}

/// A new commit.
#[derive(Debug)]
pub struct Committed {
    /// Its id.
    pub id: CommitId,
    /// The first line of its message.
    pub subject: String,
    /// The branch it is on, `None` when detached.
    pub branch: Option<String>,
    /// Whether it has no parent.
    pub is_root: bool,
    /// The commit whose place it takes.
    pub replaces: Option<CommitId>,
    /// What a push would stop at in the files that it brings.
    pub flaws: Vec<Flaw>,
    /// What it changes beside its first parent, with renames.
    pub changes: Vec<Change>,
    /// The operation in the journal.
    pub operation: OperationId,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

/// Committing stays fast: of bigger commits, an import say, the derived files are not made on the way.
pub const DERIVE_AT_MOST: usize = 500;

/// Why no commit was made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the commit.
    #[error(transparent)]
    Cause(Cause),
    /// There is no merge to end.
    #[error("no merge is in progress")]
    NotMerging,
    /// There is none, but something else.
    #[error("no merge is in progress, but {0} is")]
    OtherInProgress(in_progress::Kind),
    /// There is no commit to replace.
    #[error("there is no commit to amend")]
    NothingToAmend,
    /// Another command of git's has stopped on the way.
    #[error(transparent)]
    UnderWay(#[from] ongoing::Error),
    /// A remote has the commit that would be replaced.
    #[error("a remote already has commit {}", .0.prefix(7))]
    Published(CommitId),
    /// The history ends at it, and what comes before it is not here.
    #[error("the parents of commit {} are not in this shallow clone", .0.prefix(7))]
    Shallow(CommitId),
    /// Nothing would be left of the commit.
    #[error("the amended commit {} would be empty", .0.prefix(7))]
    WouldBeEmpty(CommitId),
    /// Somebody committed or switched while the message was written.
    #[error("HEAD moved while the message was being written")]
    MovedOn,
    /// No message.
    #[error("the message is empty")]
    NoMessage,
    /// A merge takes all that is recorded.
    #[error("a merge commit takes everything that is staged, not single paths")]
    PartOfMerge,
    /// Nobody to be the author.
    #[error(transparent)]
    Identity(#[from] identity::Error),
    /// Files in conflict (paths relative to the tree).
    #[error("files are still in conflict")]
    Unmerged(Vec<BString>),
    /// Another tool merged them on disk only (paths relative to the tree): the commit would have our versions.
    #[error("the merge commit would drop changes of the other side: they are on disk but not staged")]
    Unstaged(Vec<BString>),
    /// What the host's git is in the midst of takes all of its files.
    #[error(
        "the host repository is in the middle of an operation that commits all of its files"
    )]
    HostBusy,
    /// It was to be signed, and was not.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// Recording failed.
    #[error(transparent)]
    Stage(#[from] staging::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Stage(error) => error.kind(),
            Self::UnderWay(error) => error.kind(),
            Self::NoMessage | Self::NotMerging | Self::NothingToAmend => FailureKind::Usage,
            Self::Unmerged(_) => FailureKind::Conflict,
            Self::HostBusy
            | Self::PartOfMerge
            | Self::Unstaged(_)
            | Self::OtherInProgress(_)
            | Self::Published(_)
            | Self::Shallow(_)
            | Self::WouldBeEmpty(_)
            | Self::MovedOn => FailureKind::Refused,
            Self::Identity(_) | Self::Signing(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

/// Commit what is recorded, or replace the last commit with it.
///
/// # Errors
/// [`Error`]; nothing to commit is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let end = Instant::now() + opened.config.lock_timeout.value;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let (made, refused, derived) = loop {
        match attempt(cx, &opened, options, &mut writing) {
            // git committed between our look at `HEAD` and its move: on top of that; but nobody asked to replace it
            Err(Error::Cause(Cause::Write(writing::Error::Git(error))))
                if error.cause() == git::Cause::Moved
                    && options.replaces == Replaces::Nothing
                    && Instant::now() < end => {}
            done => break done?,
        }
    };
    Ok(Outcome { made, refused, written: writing.finish(derived) })
}

fn attempt(
    cx: &Context<'_>,
    opened: &Opened,
    options: &Options,
    writing: &mut Writing<'_>,
) -> Result<(Made, Vec<Refused>, Derived), Error> {
    let scope = &opened.scope;
    let start = Start::of(cx, opened, options)?;
    if options.basis.as_ref().is_some_and(|basis| *basis != Basis::of(&start)) {
        return Err(Error::MovedOn);
    }
    let Taken { refused, mut index, sides, only } =
        record_changes(cx, scope, writing.index()?, &options.include)?;
    start.refuse_unstaged(scope, &index)?;
    let tree = taking::tree(scope, start.head_tree, &mut index, only.as_ref())?;
    let Some((reserved, message)) = start.message(cx, scope, options, tree)? else {
        return Ok((Made::Nothing(unrecorded(opened)?), refused, Derived::Leave));
    };
    let new = start.new_commit(tree, &message);
    // before anything moves: without its signature there is no commit
    let signer = signing::signer(scope, &options.signing, &new.committer, cx.prompt())?;
    let id = git::commit::write_signed(scope, &new, signer.as_ref())?;
    if start.head.commit() == Some(id) {
        // replaced by itself
        return Ok((Made::Nothing(Unrecorded::Nothing), refused, Derived::Leave));
    }
    let subject = message.lines().next().unwrap_or_default().to_str_lossy().into_owned();
    let moves = vec![RefMove::of_head(&start.head, id)];
    let transition = Transition { index: sides, moves, ..Transition::default() };
    let purpose = Purpose::new(Kind::Commit, start.reason(&subject, &options.allowed))
        .named(reserved)
        .logged(format!("{}: {subject}", start.verb()))
        .signed(start.identity.committer.clone());
    // the index has a valid cache-tree now, which makes the next status and commit fast
    let work = Work::untouched([side(&start.head), Side::Commit(id)], transition);
    let Some(operation) = writing.carry_out(Some(index), work, &purpose)? else {
        return Ok((Made::Nothing(Unrecorded::Nothing), refused, Derived::Leave));
    };
    let changes = trees::diff(scope, start.base(scope)?, tree, Renames::Detect)?;
    let derived = match changes.len() <= DERIVE_AT_MOST {
        true => Derived::Between(start.head_tree, tree, Disk::Unknown),
        false => Derived::Leave,
    };
    let made = Made::Commit(Box::new(Committed {
        id,
        subject,
        branch: start.head.short_branch(),
        is_root: new.parents.is_empty(),
        replaces: start.replaced.as_ref().map(|old| old.id),
        flaws: flaws::brought(scope, &changes),
        changes,
        operation,
        tidying: tidying(scope, cx.clock.seconds()),
    }));
    Ok((made, refused, derived))
}

/// What is there when a commit begins.
struct Start {
    head: Head,
    head_tree: TreeId,
    merging: Option<MergeState>,
    /// The commit that is replaced.
    replaced: Option<Commit>,
    identity: Identity,
}

impl Start {
    /// What is there, if a commit may begin.
    fn of(cx: &Context<'_>, opened: &Opened, options: &Options) -> Result<Self, Error> {
        let scope = &opened.scope;
        let merging = merge_state::read(scope)?;
        if !scope.prefix().is_empty() && merge_state::is_under_way(scope) {
            return Err(Error::HostBusy);
        }
        if options.takes == Takes::MergeOnly && merging.is_none() {
            return Err(in_progress::committing(scope)?.map_or(Error::NotMerging, Error::OtherInProgress));
        }
        let head = scope.head()?;
        let replaced = amend::replaced(opened, &head, options)?;
        if matches!(options.include, Include::Only(_)) && merge_state::is_under_way(scope) {
            return Err(Error::PartOfMerge);
        }
        let mut identity = identity(cx, scope, options)?;
        if let Some(old) = &replaced {
            let Signature { seconds, offset, .. } = old.author;
            identity.author = match options.author {
                // as git: another author, at the same time
                Some(_) => Signature { seconds, offset, ..identity.author },
                None => old.author.clone(),
            };
        }
        let head_tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
        Ok(Self { head, head_tree, merging, replaced, identity })
    }

    /// The commit of a merge has what the other side changed.
    fn refuse_unstaged(&self, scope: &Scope, index: &git::Index) -> Result<(), Error> {
        let (Some(merge), Some(ours)) = (&self.merging, self.head.commit()) else { return Ok(()) };
        let found = unstaged_merge::find(scope, index, ours, merge)?;
        match found.is_empty() {
            true => Ok(()),
            false => Err(Error::Unstaged(found.into_iter().map(|file| file.path).collect())),
        }
    }

    /// The message, with the name of the operation where it has that; `None` where there is nothing to commit.
    fn message(
        &self,
        cx: &Context<'_>,
        scope: &Scope,
        options: &Options,
        tree: TreeId,
    ) -> Result<Option<(Option<OperationId>, BString)>, Error> {
        let changes_nothing = match &self.replaced {
            Some(old) if !options.makes_empty() && amend::would_be_empty(scope, old, tree)? => {
                return Err(Error::WouldBeEmpty(old.id));
            }
            Some(_) => false,
            None => tree == self.head_tree && self.merging.is_none(),
        };
        if changes_nothing && !options.makes_empty() {
            return Ok(None);
        }
        let message = message::message(scope, options, self)?;
        Ok(Some(message::named(cx, scope, (message, self))?))
    }

    fn new_commit(&self, tree: TreeId, message: &BString) -> NewCommit {
        let heads = self.merging.iter().flat_map(|merge| merge.heads.iter().copied());
        NewCommit {
            tree,
            parents: match &self.replaced {
                Some(old) => old.parents.clone(),
                None => self.head.commit().into_iter().chain(heads).collect(),
            },
            author: self.identity.author.clone(),
            committer: self.identity.committer.clone(),
            message: message.clone(),
        }
    }

    /// The tree that the commit is compared with.
    fn base(&self, scope: &Scope) -> Result<TreeId, git::Error> {
        self.replaced.as_ref().map_or(Ok(self.head_tree), |old| amend::base(scope, old))
    }

    /// For the reflog, in git's words.
    fn verb(&self) -> &'static str {
        match (self.head.commit(), &self.merging, &self.replaced) {
            (None, ..) => "commit (initial)",
            (.., Some(_)) => "commit (amend)",
            (_, Some(_), _) => "commit (merge)",
            _ => "commit",
        }
    }

    /// For the journal.
    fn reason(&self, subject: &str, allowed: &Allowed) -> String {
        match &self.replaced {
            Some(_) => allowed.told(&format!("amend: {subject}"), &allowed.guards),
            None => subject.to_owned(),
        }
    }
}

fn side(head: &Head) -> Side {
    head.commit().map_or_else(|| Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() }, Side::Commit)
}

fn identity(cx: &Context<'_>, scope: &Scope, options: &Options) -> Result<Identity, Error> {
    let author = options.author.as_ref().map(|(name, email)| (name.as_str().into(), email.as_str().into()));
    let overrides = identity::Overrides { author, author_date: None };
    Ok(identity::identity(scope, &overrides, cx.clock)?)
}

fn unrecorded(opened: &Opened) -> Result<Unrecorded, Error> {
    let scope = &opened.scope;
    let survey = refresh::quick_survey(opened, git::index::read(scope)?)?;
    let new = survey.unrecorded(scope)?;
    let is_something =
        !survey.work_tree.changed.is_empty() || new.iter().any(|file| file.class == survey::Class::Untracked);
    Ok(if is_something { Unrecorded::Something } else { Unrecorded::Nothing })
}
