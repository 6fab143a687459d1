//! `brv vc revert`: revert commits by new commits, by meaning.
//!
//! The merge engine reverts each commit's change: the base is the commit, one side is the current state, the other is
//! the state before the commit. Everything is computed before the first write.

use brv_engine::derive::{self, Disk};
use brv_engine::journal::{Kind, RefMove, Side, Transition};
use brv_engine::merge::discarded;
use brv_engine::merge::reconcile::{self, Reconciled, Removals, Trees};
use brv_engine::open::context::Context;
use brv_engine::open::naming::revisions::{self, Revision};
use brv_engine::open::survey::Survey;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::read::history::changes::{self, Contents, Detail, FileChange};
use brv_engine::vc::work_tree::ongoing;
use brv_engine::write::operation::{self, Derived, Purpose, Work, WriteOutcome, Writing};
use brv_engine::{Fails, FailureKind, Keeper};
use brv_git as git;
use brv_git::identity::{self, Identity};
use brv_git::merge_state;
use brv_git::signing::{self, SigningError, Wish};
use brv_git::trees::Renames;
use brv_git::{CommitId, Scope, TreeId, commit, history};
use brv_text::merge::Disputes;
use bstr::{BString, ByteSlice as _};

pub use brv_engine::Mode;
pub use brv_engine::merge::reconcile::{Conflict, Settled};
pub use brv_text::merge::Undecided;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Commits and ranges, in the order in which they are reverted; a range is reverted from its newest commit.
    pub revisions: Vec<String>,
    /// The parent of a merge commit to revert to, counted from 1.
    pub mainline: Option<usize>,
    pub made: Made,
    /// What to do about changes that need a person's decision; [`Undecided::Mark`] stops.
    pub undecided: Undecided,
    pub signing: Wish,
    /// Whether anything is written.
    pub mode: Mode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Made {
    #[default]
    Commits,
    /// Stage the changes only (`--no-commit`).
    Staged,
}

#[derive(Debug, Clone)]
pub struct Reverted {
    pub commit: CommitId,
    pub subject: String,
    /// The commit that reverts it; `None` if its change was already gone, with `--no-commit`, and in a dry run.
    pub by: Option<CommitId>,
}

#[derive(Debug, Default)]
pub struct Outcome {
    /// Each commit, in order, up to the first one with conflicts.
    pub reverted: Vec<Reverted>,
    /// Conflicts; if there are any, nothing was written.
    pub conflicts: Vec<Conflict>,
    /// Changes that were settled automatically.
    pub settled: Vec<Settled>,
    pub files: Vec<FileChange>,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Revisions(#[from] revisions::Error),
    /// A set of commits that no order is given for.
    #[error("cannot revert `{0}`: name commits or ranges `A..B`")]
    NoCommits(String),
    #[error("the branch has no commit yet")]
    Unborn,
    #[error("a merge is in progress")]
    Merging(Keeper),
    #[error(transparent)]
    UnderWay(#[from] ongoing::Error),
    #[error("{0} is a merge")]
    IsMerge(CommitId),
    #[error("{0} has no parent {1}")]
    NoParent(CommitId, usize),
    /// Staged changes, which would get mixed up with the new commit.
    #[error("the revert would include your staged changes")]
    Staged(Vec<BString>),
    #[error(transparent)]
    Identity(#[from] identity::Error),
    #[error(transparent)]
    Signing(#[from] SigningError),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Revisions(error) => error.kind(),
            Self::UnderWay(error) => error.kind(),
            Self::NoCommits(_) | Self::IsMerge(_) | Self::NoParent(..) | Self::Unborn => FailureKind::Usage,
            Self::Merging(_) | Self::Staged(_) => FailureKind::Refused,
            Self::Identity(_) | Self::Signing(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

/// Revert the commits.
///
/// # Errors
/// [`Error`]; conflicts are an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    operation::settle(Error::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let commits = commits(scope, &options.revisions)?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    if merge_state::read(scope)?.is_some() {
        return Err(Error::Merging(Keeper::of(scope)));
    }
    ongoing::refuse(scope)?;
    let survey = writing.survey(|index| derive::quick_survey(&opened, index))?;
    let head = survey.head.commit().ok_or(Error::Unborn)?;
    if options.made == Made::Commits {
        refuse_staged(scope, &survey)?;
    }
    let mut steps = Steps::new(cx, scope, options, (head, survey.head_tree))?;
    for id in commits {
        if !steps.take_back(id)? {
            break;
        }
    }
    let Steps { tip, tree, mut outcome, .. } = steps;
    if !outcome.conflicts.is_empty() || tree == survey.head_tree && tip == head {
        return Ok(Outcome { written: writing.finish(Derived::Leave), ..outcome });
    }
    let plan = operation::plan(scope, &survey, tree, &[])?;
    let found = git::trees::diff(scope, survey.head_tree, tree, Renames::Detect)?;
    outcome.files = changes::compare(scope, &found, Detail::Counts, &Contents::default())?;
    if options.mode == Mode::DryRun {
        let written = WriteOutcome { withheld: plan.withheld, ..writing.finish(Derived::Leave) };
        return Ok(Outcome { written, ..outcome });
    }
    let derived = match survey.work_tree.is_empty() {
        true => Derived::Between(survey.head_tree, tree, Disk::Unknown),
        false => Derived::Changed,
    };
    let after = match tip == head {
        false => Side::Commit(tip),
        true => Side::Snapshot { tree, parents: vec![head] },
    };
    let moves = (tip != head).then(|| RefMove::of_head(&survey.head, tip)).into_iter().collect();
    let transition = Transition { moves, ..Transition::default() };
    let work = Work::planned(plan, [Side::Commit(head), after], transition);
    let purpose = Purpose::new(Kind::Revert, subject(&outcome))
        .discarding(discarded::of(&outcome.settled))
        .logged(format!("revert: {}", subject(&outcome)));
    writing.carry_out(Some(survey.index), work, &purpose)?;
    Ok(Outcome { written: writing.finish(derived), ..outcome })
}

/// The named commits; those of a range begin with the newest.
fn commits(scope: &Scope, typed: &[String]) -> Result<Vec<CommitId>, Error> {
    let mut commits = Vec::new();
    for one in typed {
        match revisions::parse(scope, one)? {
            Revision::Single(id) => commits.push(id),
            Revision::Range(from, to) => commits.extend(history::between(scope, &[to], &[from])?),
            Revision::Without(_) | Revision::Symmetric(..) => return Err(Error::NoCommits(one.clone())),
        }
    }
    Ok(commits)
}

fn refuse_staged(scope: &Scope, survey: &Survey) -> Result<(), Error> {
    let staged = survey.staged(scope, Renames::Ignore)?;
    if staged.is_empty() {
        return Ok(());
    }
    Err(Error::Staged(staged.into_iter().map(|change| change.path).collect()))
}

fn subject(outcome: &Outcome) -> String {
    match &outcome.reverted[..] {
        [one] => format!("Revert \"{}\"", one.subject),
        many => format!("Revert {} commits", many.len()),
    }
}

/// Reverts one commit after the other; only objects are written.
struct Steps<'a> {
    scope: &'a Scope,
    options: &'a Options,
    who: Option<Identity>,
    prompt: brv_git::network::Prompt,
    tip: CommitId,
    tree: TreeId,
    outcome: Outcome,
}

impl<'a> Steps<'a> {
    fn new(
        cx: &Context<'_>,
        scope: &'a Scope,
        options: &'a Options,
        (tip, tree): (CommitId, TreeId),
    ) -> Result<Self, Error> {
        let who = match options.made {
            Made::Commits => Some(identity::identity(scope, &identity::Overrides::default(), cx.clock)?),
            Made::Staged => None,
        };
        Ok(Self { scope, options, who, prompt: cx.prompt(), tip, tree, outcome: Outcome::default() })
    }

    /// Revert one commit. Returns whether there were no conflicts.
    fn take_back(&mut self, id: CommitId) -> Result<bool, Error> {
        let scope = self.scope;
        let undone = commit::read(scope, id)?;
        let parent = self.parent(id, &undone.parents)?;
        let parent_tree = parent.map_or(Ok(TreeId::empty()), |parent| scope.tree_of(parent))?;
        let subject = undone.subject().to_str_lossy().into_owned();
        let name = format!("parent of {} ({subject})", id.prefix(7));
        let options = reconcile::Options {
            ours: "HEAD",
            theirs: &name,
            undecided: self.options.undecided,
            disputes: Disputes::Conflict,
            removals: Removals::Conflict,
        };
        let times = [commit::read(scope, self.tip)?.committer.seconds, undone.committer.seconds];
        let trees =
            Trees { base: self.within(undone.tree)?, ours: self.tree, theirs: self.within(parent_tree)? };
        let merged = reconcile::reconcile_trees(scope, trees, times, &options)?;
        self.outcome.settled.extend(merged.settled.iter().map(|file| file.told(scope)));
        if !merged.conflicts.is_empty() && self.options.undecided == Undecided::Mark {
            self.outcome.conflicts = merged.conflicts.iter().map(|conflict| conflict.told(scope)).collect();
            self.outcome.reverted.push(Reverted { commit: id, subject, by: None });
            return Ok(false);
        }
        let by = self.conclude(merged, (id, &subject), &undone.parents, parent)?;
        self.outcome.reverted.push(Reverted { commit: id, subject, by });
        Ok(true)
    }

    /// A tree that differs from the current one only in files of the scope: in a bigger repository, no other file is
    /// touched.
    fn within(&self, tree: TreeId) -> Result<TreeId, git::Error> {
        if Keeper::of(self.scope) == Keeper::Tree {
            return Ok(tree);
        }
        let changes = git::trees::diff(self.scope, self.tree, tree, Renames::Ignore)?;
        let paths: Vec<BString> = changes.iter().map(|change| self.scope.full(&change.path)).collect();
        let versions = changes.iter().map(|change| change.after.map(|after| (after.mode, after.id)));
        git::tree_with(self.scope, self.tree, paths.iter().zip(versions))
    }

    /// Make the commit that reverts it, if there is anything to revert.
    fn conclude(
        &mut self,
        merged: Reconciled,
        (id, subject): (CommitId, &str),
        parents: &[CommitId],
        parent: Option<CommitId>,
    ) -> Result<Option<CommitId>, Error> {
        let tree = merged.tree;
        if tree == self.tree {
            return Ok(None);
        }
        merged.store()?;
        self.tree = tree;
        let Some(who) = self.who.as_ref().filter(|_| self.options.mode == Mode::Write) else {
            return Ok(None);
        };
        let new = commit::NewCommit {
            tree,
            parents: vec![self.tip],
            author: who.author.clone(),
            committer: who.committer.clone(),
            message: message(self.scope, (id, subject), parents, parent),
        };
        let signer = signing::signer(self.scope, &self.options.signing, &new.committer, self.prompt)?;
        self.tip = commit::write_signed(self.scope, &new, signer.as_ref())?;
        Ok(Some(self.tip))
    }

    fn parent(&self, id: CommitId, parents: &[CommitId]) -> Result<Option<CommitId>, Error> {
        match (self.options.mainline, parents) {
            (None, []) => Ok(None),
            (None, [one]) => Ok(Some(*one)),
            (None, _) => Err(Error::IsMerge(id)),
            (Some(number), parents) => {
                let one = number.checked_sub(1).and_then(|at| parents.get(at)).copied();
                one.map(Some).ok_or(Error::NoParent(id, number))
            }
        }
    }
}

/// The message, as git words it.
fn message(
    scope: &Scope,
    (id, subject): (CommitId, &str),
    parents: &[CommitId],
    parent: Option<CommitId>,
) -> BString {
    let heading = match subject.strip_prefix("Revert \"").and_then(|rest| rest.strip_suffix('"')) {
        Some(original) if !original.starts_with("Revert \"") => format!("Reapply \"{original}\""),
        _ => format!("Revert \"{subject}\""),
    };
    let changes = match parent.filter(|_| parents.len() > 1) {
        Some(parent) => format!(", reversing\nchanges made to {parent}"),
        None => String::new(),
    };
    // in a bigger repository only part of the commit is reverted
    let place = match scope.prefix() {
        "" => String::new(),
        prefix => format!(" in {prefix}"),
    };
    format!("{heading}\n\nThis reverts commit {id}{place}{changes}.\n").into()
}
