//! `brv vc revert`: revert commits by new commits, by meaning.
//!
//! The merge engine reverts each commit's change: the base is the commit, one side is the current state, the other is
//! the state before the commit. Everything is computed before the first write.

use brv_base::escape::quote_path;
use brv_engine::derive::{self, Disk};
use brv_engine::journal::{OperationKind, RefMove, Side, Transition};
use brv_engine::merge::discarded;
use brv_engine::merge::reconcile::{self, Conflict, Reconciled, Record, Removals, Settled, Trees};
use brv_engine::open::context::Context;
use brv_engine::open::naming::revisions::{self, Revision};
use brv_engine::open::survey::Survey;
use brv_engine::outcome::change::FileDifference;
use brv_engine::read::history::changes::{self, Contents, Detail};
use brv_engine::vc::work_tree::ongoing;
use brv_engine::write::operation::{self, Derived, Purpose, Work, WriteOutcome, Writing};
use brv_engine::write::written::WrittenEffects;
use brv_engine::{Keeper, Stop};
use brv_git as git;
use brv_git::identity::{self, Identity};
use brv_git::merge_state;
use brv_git::signing::{self, Wish};
use brv_git::trees::Renames;
use brv_git::{CommitId, Scope, TreeId, commit, history};
use brv_text::merge::Disputes;
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::Mode;
pub use brv_text::merge::Undecided;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Commits and ranges, in the order in which they are reverted; a range is reverted from its newest commit.
    pub revisions: Vec<String>,
    /// The parent of a merge commit to revert to, counted from 1.
    pub mainline: Option<usize>,
    pub made: RevertForm,
    /// What to do about changes that need a person's decision; [`Undecided::Mark`] stops.
    pub undecided: Undecided,
    pub signing: Wish,
    /// Whether anything is written.
    pub mode: Mode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RevertForm {
    #[default]
    Commits,
    /// Stage the changes only (`--no-commit`).
    Staged,
}

/// `brv.vc.revert/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Revert")]
pub struct Outcome {
    /// The reverted commits, in order; up to the first one with conflicts.
    pub reverted: Vec<CommitRevert>,
    /// Files in conflict; nothing was written if there are any.
    pub conflicts: Vec<Conflict>,
    /// Differences that were settled automatically.
    pub records: Vec<Record>,
    /// The changed files.
    pub files: Vec<FileDifference>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WrittenEffects,
}

/// A reverted commit.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Reverted")]
pub struct CommitRevert {
    /// Its id.
    pub commit: CommitId,
    /// The first line of its message.
    pub subject: String,
    /// The commit that reverts it; absent if there was nothing left to revert, with `--no-commit`, and in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<CommitId>,
}

/// Revert the commits.
///
/// # Errors
/// Something in progress, staged changes, a merge without its parent; conflicts are an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let commits = commits(scope, &options.revisions)?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    if merge_state::read(scope)?.is_some() {
        return Err(Stop::refused("a merge is in progress").hint(Keeper::of(scope).waiting()));
    }
    ongoing::refuse(scope)?;
    let survey = writing.survey(|index| derive::quick_survey(&opened, index))?;
    let head = survey.head.commit().ok_or_else(|| Stop::usage("the branch has no commit yet"))?;
    if options.made == RevertForm::Commits {
        refuse_staged(scope, &survey)?;
    }
    let mut steps = Steps::new(cx, scope, options, (head, survey.head_tree))?;
    for id in commits {
        if !steps.take_back(id)? {
            break;
        }
    }
    let Steps { tip, tree, settled, mut outcome, .. } = steps;
    outcome.records = Record::all(&settled);
    if !outcome.conflicts.is_empty() || tree == survey.head_tree && tip == head {
        return Ok(Outcome { written: WrittenEffects::from(&writing.finish(Derived::Leave)), ..outcome });
    }
    let plan = operation::plan(scope, &survey, tree, &[])?;
    let found = git::trees::diff(scope, survey.head_tree, tree, Renames::Detect)?;
    let files = changes::compare(scope, &found, Detail::Counts, &Contents::default())?;
    outcome.files = FileDifference::all(&files, false);
    if options.mode == Mode::DryRun {
        let written = WriteOutcome { withheld: plan.withheld, ..writing.finish(Derived::Leave) };
        return Ok(Outcome { written: WrittenEffects::from(&written), ..outcome });
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
    let purpose = Purpose::new(OperationKind::Revert, subject(&outcome))
        .discarding(discarded::of(&settled))
        .logged(format!("revert: {}", subject(&outcome)));
    writing.carry_out(Some(survey.index), work, &purpose)?;
    Ok(Outcome { written: WrittenEffects::from(&writing.finish(derived)), ..outcome })
}

/// The named commits; those of a range begin with the newest.
fn commits(scope: &Scope, typed: &[String]) -> Result<Vec<CommitId>, Stop> {
    let mut commits = Vec::new();
    for one in typed {
        match revisions::parse(scope, one)? {
            Revision::Single(id) => commits.push(id),
            Revision::Range(from, to) => commits.extend(history::between(scope, &[to], &[from])?),
            Revision::Without(_) | Revision::Symmetric(..) => {
                return Err(Stop::usage(format!("cannot revert `{one}`: name commits or ranges `A..B`")));
            }
        }
    }
    Ok(commits)
}

fn refuse_staged(scope: &Scope, survey: &Survey) -> Result<(), Stop> {
    let staged = survey.staged(scope, Renames::Ignore)?;
    if staged.is_empty() {
        return Ok(());
    }
    let stop = Stop::refused("the revert would include your staged changes")
        .detailing(staged.iter().map(|change| quote_path(&change.path).into_owned()));
    Err(stop.hint("commit them first with `brv vc commit`"))
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
    settled: Vec<Settled>,
    outcome: Outcome,
}

impl<'a> Steps<'a> {
    fn new(
        cx: &Context<'_>,
        scope: &'a Scope,
        options: &'a Options,
        (tip, tree): (CommitId, TreeId),
    ) -> Result<Self, Stop> {
        let who = match options.made {
            RevertForm::Commits => {
                Some(identity::identity(scope, &identity::Overrides::default(), cx.clock)?)
            }
            RevertForm::Staged => None,
        };
        Ok(Self {
            scope,
            options,
            who,
            prompt: cx.prompt(),
            tip,
            tree,
            settled: Vec::new(),
            outcome: Outcome::default(),
        })
    }

    /// Revert one commit. Returns whether there were no conflicts.
    fn take_back(&mut self, id: CommitId) -> Result<bool, Stop> {
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
        self.settled.extend(merged.settled.iter().map(|file| file.told(scope)));
        if !merged.conflicts.is_empty() && self.options.undecided == Undecided::Mark {
            self.outcome.conflicts = merged.conflicts.iter().map(|conflict| conflict.told(scope)).collect();
            self.outcome.reverted.push(CommitRevert { commit: id, subject, by: None });
            return Ok(false);
        }
        let by = self.conclude(merged, (id, &subject), &undone.parents, parent)?;
        self.outcome.reverted.push(CommitRevert { commit: id, subject, by });
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
    ) -> Result<Option<CommitId>, Stop> {
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

    fn parent(&self, id: CommitId, parents: &[CommitId]) -> Result<Option<CommitId>, Stop> {
        match (self.options.mainline, parents) {
            (None, []) => Ok(None),
            (None, [one]) => Ok(Some(*one)),
            (None, _) => Err(Stop::usage(format!("{id} is a merge"))
                .hint("revert it relative to its first parent with `-m 1`")),
            (Some(number), parents) => {
                let one = number.checked_sub(1).and_then(|at| parents.get(at)).copied();
                one.map(Some).ok_or_else(|| Stop::usage(format!("{id} has no parent {number}")))
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
