//! `brv vc pull`: fetch, fast-forward or merge, bring the files over, regenerate.

use crate::fs::WriteGuard;
use crate::git::fetch;
use crate::git::identity;
use crate::git::merge::{self, Conflict, Merged, SideNames};
use crate::git::merge_state::{self, MergeState};
use crate::git::network::Prompt;
use crate::git::signing::{self, SigningError, Wish};
use crate::git::status::StatusError;
use crate::git::trees::{self, Renames};
use crate::git::{self, CommitId, End, Head, LockedIndex, Scope, Signature, Target, TreeId, history};
use crate::journal::{Draft, HeadMove, Kind, OperationId, Recovered, Side, Touches};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError, Opened};
use crate::ops::steps::advance::{self, Advance};
use crate::ops::steps::changes::{self, After, Detail, FileChange};
use crate::ops::steps::manner::{History, Impossible, Manner};
use crate::ops::steps::remote_choice;
use crate::ops::steps::survey::Survey;
use crate::ops::steps::tidying::{Tidying, tidying};
use crate::ops::steps::{recovery, refresh, remote_failure};
use bstr::{BString, ByteSlice};

/// What to pull.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A remote or an address; `None`: the one that the branch follows.
    pub remote: Option<String>,
    /// A branch there; `None`: the one that the branch follows, or of the same name.
    pub branch: Option<String>,
    /// What is said of its fetch.
    pub manner: Manner,
    /// Whether anything is written here.
    pub mode: Mode,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is.
    #[default]
    Write,
    /// Objects are fetched; then it is only told what would be (`--dry-run`).
    DryRun,
}

/// What came and what became of it.
#[derive(Debug)]
pub struct Outcome {
    /// What was fetched.
    pub fetched: fetch::Outcome,
    /// How far the history goes back since then.
    pub history: History,
    /// From where, without secrets.
    pub source: String,
    /// The branch that was pulled, without `refs/heads/`.
    pub branch: String,
    /// Where the current branch was; `None`: it had no commits.
    pub before: Option<CommitId>,
    /// Where it is now.
    pub after: Option<CommitId>,
    /// How the two histories stood to each other, and what was done.
    pub relation: Relation,
    /// The files that changed here, with renames and line counts.
    pub files: Vec<FileChange>,
    /// What a person must decide; paths are full.
    pub conflicts: Vec<Conflict>,
    /// Files that stay in the commit without being written, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files that were saved while the tree was brought over, and left as they are: they show as changed.
    pub left_alone: Vec<BString>,
    /// The operation in the journal, if anything was written.
    pub operation: Option<OperationId>,
    /// A command that a crash had interrupted.
    pub recovered: Option<Recovered>,
    /// The derived files; `None` in a dry run. A failure is a warning: the pull stands.
    pub derived: Option<Result<refresh::Outcome, refresh::Error>>,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

/// How the two histories stood to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The remote has nothing that is not here.
    UpToDate,
    /// Only the remote has new commits.
    FastForward,
    /// Both sides have; they were merged.
    Merged,
    /// Both sides have; some files must be decided, all else is staged.
    Conflicted,
}

/// Why nothing was pulled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Which remote, which branch.
    #[error(transparent)]
    Choice(#[from] remote_choice::Error),
    /// The remote.
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    /// What was asked for.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// Its history ends in the middle, before it meets ours.
    #[error("`{0}` has not all of its history, and what it lacks is not here")]
    ShallowRemote(String),
    /// It has no such branch.
    #[error("the remote has no branch `{0}`")]
    NoBranch(String),
    /// Locked, or not recovered.
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    /// A merge waits already.
    #[error("a merge is still waiting for its decisions")]
    Merging,
    /// Somebody switched to another branch while the remote was asked.
    #[error("HEAD went to another branch while the remote was asked")]
    HeadMoved,
    /// Two histories without a common commit.
    #[error("the two histories have no common ancestor")]
    Unrelated,
    /// Staged changes, and a merge with conflicts.
    #[error("staged files would get mixed up with the merge")]
    Staged(Vec<BString>),
    /// Guards, files, the repository.
    #[error(transparent)]
    Advance(#[from] advance::Error),
    /// Nobody to be the author of the merge.
    #[error(transparent)]
    Identity(#[from] identity::Error),
    /// The merge was to be signed, and was not.
    #[error(transparent)]
    Signing(#[from] SigningError),
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
            Self::Choice(error) => error.kind(),
            Self::Impossible(error) => error.kind(),
            Self::ShallowRemote(_) => FailureKind::Refused,
            Self::Fetch(error) => remote_failure::of_fetch(error),
            Self::Lock(error) => error.kind(),
            Self::Advance(error) => error.kind(),
            Self::NoBranch(_) => FailureKind::Remote,
            Self::Merging => FailureKind::Conflict,
            Self::Unrelated | Self::HeadMoved | Self::Staged(_) => FailureKind::Refused,
            Self::Git(error) => FailureKind::of_git(error),
            _ => FailureKind::Failed,
        }
    }
}

/// Fetch, then bring the current branch and the files up to it.
///
/// # Errors
/// [`Error`]; conflicts are an outcome.
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let wanted = wanted(scope, cx, options)?;
    let end = End::of(scope)?;
    let fetched = fetch(cx, scope, &wanted, options.manner)?;
    let history = History::since(&end, scope, options.manner.depth)?;
    let theirs = tip(&fetched, &wanted)?;
    let (guard, recovered) = recovery::lock(&opened)?;
    if merge_state::read(scope)?.is_some() {
        return Err(Error::Merging);
    }
    let head = scope.head()?;
    if head.branch() != wanted.into.as_ref().map(|name| name.as_bstr()) {
        return Err(Error::HeadMoved);
    }
    let mut outcome = Outcome {
        source: wanted.target.to_string(),
        branch: remote_choice::short_branch(&wanted.branch),
        fetched,
        history,
        before: head.commit(),
        after: head.commit(),
        relation: Relation::UpToDate,
        files: Vec::new(),
        conflicts: Vec::new(),
        withheld: Vec::new(),
        left_alone: Vec::new(),
        operation: None,
        recovered,
        derived: None,
        tidying: if options.mode == Mode::Write {
            tidying(scope, cx.clock.seconds())
        } else {
            Tidying::NotDue
        },
    };
    if let Some(ours) = head.commit()
        && history::is_ancestor(scope, theirs, ours)?
    {
        drop(guard);
        if options.mode == Mode::Write {
            outcome.derived = Some(repair(cx, &opened, scope.tree_of(ours)?));
        }
        return Ok(outcome);
    }
    let mut locked = git::index::lock(scope, &guard)?;
    let index = std::mem::replace(&mut locked.index, git::index::empty());
    let survey = refresh::quick_survey(&opened, index)?;
    let (before, is_clean) = (survey.head_tree, survey.work_tree.is_empty());
    let step = decide(cx, scope, &survey, theirs, &wanted)?;
    outcome.relation = step.relation();
    let job = Job { opened: &opened, guard: &guard, theirs, wanted: &wanted };
    let after = step.tree();
    if let Some(plan) = step.plan(scope, &survey)? {
        outcome.files = files(scope, &survey, &step)?;
        outcome.withheld.clone_from(&plan.withheld);
        if options.mode == Mode::Write {
            job.write(cx, locked, survey, step, plan, &mut outcome)?;
        }
    } else {
        drop(locked);
    }
    drop(guard);
    if options.mode == Mode::Write {
        let disk = if outcome.left_alone.is_empty() { refresh::Disk::Same } else { refresh::Disk::Unknown };
        outcome.derived = Some(match after.filter(|_| is_clean && outcome.conflicts.is_empty()) {
            Some(after) => refresh::follow(&opened, (before, after), disk, cx.progress),
            None => refresh::refresh(&opened, refresh::Extent::Changed, cx.progress),
        });
    }
    Ok(outcome)
}

/// Nothing came; but what an earlier command could not derive is made now.
fn repair(cx: &Context<'_>, opened: &Opened, tree: TreeId) -> Result<refresh::Outcome, refresh::Error> {
    if refresh::is_made_for(opened, tree) {
        return Ok(refresh::Outcome::default());
    }
    refresh::refresh(opened, refresh::Extent::Changed, cx.progress)
}

struct Wanted {
    target: Target,
    /// Full name.
    branch: BString,
    /// The full name of the branch here, `None` when detached.
    into: Option<BString>,
}

fn wanted(scope: &Scope, cx: &Context<'_>, options: &Options) -> Result<Wanted, Error> {
    let head = scope.head()?;
    let target = remote_choice::target(scope, &cx.cwd, &head, options.remote.as_deref())?;
    let into = head.branch().map(ToOwned::to_owned);
    if let Some(branch) = &options.branch {
        return Ok(Wanted { target, branch: remote_choice::full_branch(branch), into });
    }
    let current = head.short_branch().ok_or(remote_choice::Error::Detached)?;
    let followed = remote_choice::followed_branch(scope, &head, &target)?;
    let branch = match followed {
        Some(branch) => branch,
        None if options.remote.is_some() => remote_choice::full_branch(&current),
        None => return Err(remote_choice::Error::NoUpstream(current).into()),
    };
    Ok(Wanted { target, branch, into })
}

fn fetch(cx: &Context<'_>, scope: &Scope, wanted: &Wanted, manner: Manner) -> Result<fetch::Outcome, Error> {
    let refspecs = match &wanted.target {
        Target::Named(_) => Vec::new(),
        Target::Url(_) => vec![wanted.branch.to_str_lossy().into_owned()],
    };
    let options = fetch::Options { refspecs, ..manner.options(scope, wanted.target.clone())? };
    Ok(fetch::fetch(scope, &options, &cx.network())?)
}

fn tip(fetched: &fetch::Outcome, wanted: &Wanted) -> Result<CommitId, Error> {
    let update = fetched.updates.iter().find(|update| update.remote == wanted.branch);
    if update.is_some_and(|update| update.kind == fetch::Kind::Refused(fetch::Refusal::ShallowRemote)) {
        return Err(Error::ShallowRemote(wanted.target.to_string()));
    }
    let id = update.and_then(|update| update.after);
    id.and_then(|id| CommitId::from_hex(&id.to_string()))
        .ok_or_else(|| Error::NoBranch(remote_choice::short_branch(&wanted.branch)))
}

enum Step {
    Nothing,
    FastForward { tree: TreeId },
    Merge { merged: Box<Merged>, who: Box<identity::Identity> },
}

fn decide(
    cx: &Context<'_>,
    scope: &Scope,
    survey: &Survey,
    theirs: CommitId,
    wanted: &Wanted,
) -> Result<Step, Error> {
    let tree = scope.tree_of(theirs)?;
    let Some(ours) = survey.head.commit() else {
        advance::screen(scope, TreeId::empty(), tree)?;
        return Ok(Step::FastForward { tree });
    };
    if history::is_ancestor(scope, theirs, ours)? {
        return Ok(Step::Nothing);
    }
    let bases = history::merge_bases(scope, ours, theirs)?;
    let base = bases.first().ok_or(Error::Unrelated)?;
    advance::screen(scope, scope.tree_of(*base)?, tree)?;
    if *base == ours {
        return Ok(Step::FastForward { tree });
    }
    let environment = |name: &str| std::env::var(name).ok();
    let who = identity::identity(scope, &identity::Overrides::default(), &environment, cx.clock)?;
    let names = SideNames { ours: "HEAD".into(), theirs: side_name(wanted).into() };
    let merged = merge::merge(scope, ours, theirs, &names)?.ok_or(Error::Unrelated)?;
    if !merged.conflicts.is_empty() {
        let staged = survey.staged(scope, Renames::Ignore)?;
        if !staged.is_empty() {
            return Err(Error::Staged(staged.into_iter().map(|change| change.path).collect()));
        }
    }
    merged.store(scope)?;
    Ok(Step::Merge { merged: Box::new(merged), who: Box::new(who) })
}

fn side_name(wanted: &Wanted) -> String {
    format!("{}/{}", wanted.target, remote_choice::short_branch(&wanted.branch))
}

impl Step {
    fn relation(&self) -> Relation {
        match self {
            Self::Nothing => Relation::UpToDate,
            Self::FastForward { .. } => Relation::FastForward,
            Self::Merge { merged, .. } if merged.conflicts.is_empty() => Relation::Merged,
            Self::Merge { .. } => Relation::Conflicted,
        }
    }

    fn conflicts(&self) -> &[Conflict] {
        match self {
            Self::Merge { merged, .. } => &merged.conflicts,
            Self::Nothing | Self::FastForward { .. } => &[],
        }
    }

    fn tree(&self) -> Option<TreeId> {
        match self {
            Self::Nothing => None,
            Self::FastForward { tree } => Some(*tree),
            Self::Merge { merged, .. } => Some(merged.tree),
        }
    }

    fn plan(&self, scope: &Scope, survey: &Survey) -> Result<Option<git::switch::Plan>, Error> {
        let Some(tree) = self.tree() else { return Ok(None) };
        Ok(Some(advance::plan(scope, survey, tree, self.conflicts())?))
    }
}

fn files(scope: &Scope, survey: &Survey, step: &Step) -> Result<Vec<FileChange>, Error> {
    let Some(tree) = step.tree() else { return Ok(Vec::new()) };
    let found = trees::diff(scope, survey.head_tree, tree, Renames::Detect)?;
    Ok(changes::compare(scope, &found, Detail::Counts, &After::Repository)?)
}

struct Job<'a> {
    opened: &'a Opened,
    guard: &'a WriteGuard,
    theirs: CommitId,
    wanted: &'a Wanted,
}

impl Job<'_> {
    fn write(
        &self,
        cx: &Context<'_>,
        mut locked: LockedIndex,
        survey: Survey,
        step: Step,
        plan: git::switch::Plan,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        let scope = &self.opened.scope;
        let message = self.message(&survey.head);
        let (new, conflicts, who, tree) = match step {
            Step::Nothing => return Ok(()),
            Step::FastForward { tree } => (Some(self.theirs), Vec::new(), None, tree),
            Step::Merge { merged, who } if merged.conflicts.is_empty() => {
                let id = self.merge_commit(&survey.head, merged.tree, &who, &message, cx.prompt())?;
                (Some(id), Vec::new(), Some(who.committer), merged.tree)
            }
            Step::Merge { merged, who } => (None, merged.conflicts, Some(who.committer), merged.tree),
        };
        let who = who.unwrap_or_else(|| self.reflog_identity(cx));
        let merge = new.is_none().then(|| MergeState {
            heads: vec![self.theirs],
            message: conflict_message(scope, &message, &conflicts),
        });
        let advance = Advance {
            plan,
            draft: self.draft(cx, &survey.head, new, tree),
            reflog: self.reflog(outcome.relation).into(),
            conflicts,
            merge,
        };
        locked.index = survey.index;
        outcome.conflicts.clone_from(&advance.conflicts);
        let done = advance::carry_out(scope, self.guard, locked, advance, &who, cx.clock, cx.progress)?;
        outcome.after = new.or(outcome.before);
        outcome.operation = Some(done.operation);
        outcome.withheld = done.withheld;
        outcome.left_alone = done.left_alone;
        Ok(())
    }

    fn message(&self, head: &Head) -> String {
        let branch = remote_choice::short_branch(&self.wanted.branch);
        let into = head.short_branch().filter(|name| name != "main" && name != "master");
        let into = into.map(|name| format!(" into {name}")).unwrap_or_default();
        match &self.wanted.target {
            Target::Named(name) => format!("Merge remote-tracking branch '{name}/{branch}'{into}\n"),
            Target::Url(url) => format!("Merge branch '{branch}' of {url}{into}\n"),
        }
    }

    fn reflog(&self, relation: Relation) -> &'static str {
        match relation {
            Relation::Merged => "pull: Merge made by brv.",
            _ => "pull: Fast-forward",
        }
    }

    fn merge_commit(
        &self,
        head: &Head,
        tree: TreeId,
        who: &identity::Identity,
        message: &str,
        prompt: Prompt,
    ) -> Result<CommitId, Error> {
        let new = git::commit::NewCommit {
            tree,
            parents: head.commit().into_iter().chain([self.theirs]).collect(),
            author: who.author.clone(),
            committer: who.committer.clone(),
            message: message.into(),
        };
        let scope = &self.opened.scope;
        let signer = signing::signer(scope, &Wish::Settings, &new.committer, prompt)?;
        Ok(git::commit::write_signed(scope, &new, signer.as_ref())?)
    }

    fn draft(&self, cx: &Context<'_>, head: &Head, new: Option<CommitId>, tree: TreeId) -> Draft {
        let before = match head.commit() {
            Some(id) => Side::Commit(id),
            None => Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() },
        };
        let after = match new {
            Some(id) => Side::Commit(id),
            None => {
                Side::Snapshot { tree, parents: head.commit().into_iter().chain([self.theirs]).collect() }
            }
        };
        let reference = head.branch().map_or_else(|| "HEAD".into(), ToOwned::to_owned);
        Draft {
            kind: Kind::Pull,
            touches: if new.is_some() { Touches::Files } else { Touches::Conflict },
            head: new.map(|new| HeadMove { reference, old: head.commit(), new }),
            before,
            after,
            reason: format!("pull {}", side_name(self.wanted)),
            actor: cx.actor.name.clone().unwrap_or_default(),
            session: cx.actor.session.clone(),
        }
    }

    /// A fast-forward needs no author; the reflog takes whoever is known.
    fn reflog_identity(&self, cx: &Context<'_>) -> Signature {
        let environment = |name: &str| std::env::var(name).ok();
        identity::identity(&self.opened.scope, &identity::Overrides::default(), &environment, cx.clock)
            .map_or_else(|_| Signature::anonymous(cx.clock.seconds()), |who| who.committer)
    }
}

fn conflict_message(scope: &Scope, message: &str, conflicts: &[Conflict]) -> BString {
    let mut text = format!("{message}\n# Conflicts:\n");
    for path in conflicts.iter().filter_map(|conflict| scope.strip(conflict.path.as_bstr())) {
        text.push_str(&format!("#\t{path}\n"));
    }
    text.into()
}
