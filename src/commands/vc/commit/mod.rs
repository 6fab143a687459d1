//! `brv vc commit`: commit what is staged, or replace the last commit with it.

mod amend;
mod heads;
mod message;
mod new_lines;
mod notes;
mod taking;

pub use message::{Basis, PreparedCommit, prepare};

use brv_base::escape::escape_line;
use brv_engine::derive::{self, Disk};
use brv_engine::journal::{self, OperationId, OperationKind, Recovered, RefMove, Side, Transition};
use brv_engine::merge::{abort, unstaged_merge};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::survey;
use brv_engine::outcome::change::PathChange;
use brv_engine::read::history::gc_advice::tidying;
use brv_engine::vc::check::{Reported, files, gate, names};
use brv_engine::vc::work_tree::staging::Refused;
use brv_engine::write::operation::{Derived, Interference, Purpose, Work, Writing};
use brv_engine::write::written::WrittenEffects;
use brv_engine::{OrStop, Stop};
use brv_git as git;
use brv_git::commit::{Commit, NewCommit};
use brv_git::identity::{self, Identity};
use brv_git::merge_state::{self, MergeState};
use brv_git::signing::{self, SigningError};
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Head, Scope, Signature, TreeId};
use bstr::{BString, ByteSlice};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;
use taking::{StagedFiles, record_changes};

pub use brv_engine::read::history::gc_advice::Tidying;
pub use brv_engine::write::overriding::{Allowed, Guard};
pub use brv_git::signing::Wish;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The paragraphs of the message; may be empty only if a merge, a squash or the amended commit has a message.
    pub message: Vec<String>,
    /// The state that the message was written for, if an editor was used: the commit fails if that state has changed.
    pub basis: Option<Basis>,
    pub include: Include,
    pub empty: Empty,
    /// The author, if not the committer: name and email address.
    pub author: Option<(String, String)>,
    pub signing: Wish,
    pub takes: Takes,
    pub replaces: Replaces,
    /// The guards to override (`--allow`).
    pub allowed: Allowed,
}

impl Options {
    fn makes_empty(&self) -> bool {
        self.empty == Empty::Allow
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Replaces {
    #[default]
    Nothing,
    /// Replace the last commit (`--amend`), keeping its parents, its author and, unless another is given, its message.
    Head,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Takes {
    #[default]
    Anything,
    /// Only a commit that concludes a merge (`merge --continue`).
    MergeOnly,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Include {
    #[default]
    Staged,
    /// Also changes of tracked files that are not staged.
    AllChanges,
    /// Only these paths, as they are on disk, and nothing else that is staged. As typed; see
    /// [`pathspecs`](brv_engine::open::naming::paths::pathspecs).
    Only(Vec<String>),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Empty {
    /// No; then there is no commit in the outcome.
    #[default]
    Refuse,
    Allow,
}

/// `brv.vc.commit/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Commit")]
pub struct Outcome {
    /// The new commit; `null` if there was nothing to commit.
    pub commit: Option<CreatedCommit>,
    /// Changed files that could not be staged, with `-a` or by their paths.
    pub refused: Vec<Refused>,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
    /// What `-a` or `add` would have included, if nothing was committed.
    #[serde(skip)]
    pub unrecorded: Option<Unrecorded>,
    /// The allowed secrets that no committed file has.
    #[serde(skip)]
    pub unused: Vec<Guard>,
    /// What else was written. After a commit of more than [`DERIVE_AT_MOST`] files the derived files are left to `brv
    /// derive` and the next pull.
    #[serde(skip)]
    pub written: WrittenEffects,
}

/// What is in the work tree but not staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrecorded {
    /// Nothing: the tree is clean.
    Nothing,
    /// Unstaged changes or new files.
    Something,
}

/// A new commit.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "NewCommit")]
pub struct CreatedCommit {
    /// Its id.
    #[schemars(with = "String")]
    pub id: CommitId,
    /// The first line of its message.
    pub subject: String,
    /// The current branch; `null` if `HEAD` is detached.
    pub branch: Option<String>,
    /// Whether it has no parent.
    pub root: bool,
    operation: String,
    /// With `--amend`: the commit that it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    amended: Option<CommitId>,
    /// Its changes compared to its first parent.
    pub changes: Vec<PathChange>,
    /// Errors in its files that would block a push.
    pub findings: Vec<Reported>,
    /// The derived files that were updated; absent if none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<derive::Outcome>,
    /// Whether `brv vc gc` is due.
    #[serde(skip)]
    pub tidying: Tidying,
}

/// Commits must stay fast: for bigger ones, such as an import, the derived files are not regenerated on the way.
pub const DERIVE_AT_MOST: usize = 500;

/// Commit what is staged, or replace the last commit with it.
///
/// # Errors
/// The state of the tree allows no commit, or there is no message; nothing to commit is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let end = Instant::now() + opened.config.lock_timeout.value;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let CommitAttempt { made, refused, met, derived } = loop {
        if let Some(done) = attempt(cx, &opened, options, (&mut writing, end))? {
            break done;
        }
    };
    let unused = options.allowed.unused(&met);
    let written = writing.finish(derived);
    let (commit, unrecorded) = match made {
        Ok(commit) => (Some(CreatedCommit { derived: written.refreshed().cloned(), ..*commit }), None),
        Err(unrecorded) => (None, Some(unrecorded)),
    };
    let recovered = written.recovered.clone();
    Ok(Outcome { commit, refused, recovered, unrecorded, unused, written: WrittenEffects::from(&written) })
}

struct CommitAttempt {
    /// The commit, or what would have been included.
    made: Result<Box<CreatedCommit>, Unrecorded>,
    refused: Vec<Refused>,
    /// The secrets that were met and are allowed.
    met: Vec<Guard>,
    derived: Derived,
}

impl CommitAttempt {
    fn nothing(unrecorded: Unrecorded, (refused, met): (Vec<Refused>, Vec<Guard>)) -> Self {
        Self { made: Err(unrecorded), refused, met, derived: Derived::Leave }
    }
}

/// Commit once. `None`: git committed after `HEAD` was read, so that a new commit goes on top of that one; an amend must not
/// replace it. From `end` on that is a failure.
fn attempt(
    cx: &Context<'_>,
    opened: &Opened,
    options: &Options,
    (writing, end): (&mut Writing<'_>, Instant),
) -> Result<Option<CommitAttempt>, Stop> {
    let scope = &opened.scope;
    let start = Start::of(cx, opened, options)?;
    if options.basis.as_ref().is_some_and(|basis| *basis != Basis::of(&start)) {
        return Err(Stop::refused("HEAD moved while the message was being written")
            .hint("check `brv vc log`, then commit again; the message is kept in git's COMMIT_EDITMSG"));
    }
    let StagedFiles { refused, opened: mut met, mut index, sides, only } =
        record_changes(cx, scope, writing.index()?, (&options.include, &options.allowed))?;
    start.refuse_unstaged(scope, &index)?;
    let tree = taking::tree(scope, start.head_tree, &mut index, only.as_ref())?;
    let Some((reserved, message)) = start.message(cx, opened, options, tree)? else {
        return Ok(Some(CommitAttempt::nothing(unrecorded(opened)?, (refused, met))));
    };
    let new = start.new_commit(tree, &message);
    // before anything moves: if signing fails, there is no commit
    let signer = signing::signer(scope, &options.signing, &new.committer, cx.prompt()).map_err(unsigned)?;
    let id = git::commit::write_signed(scope, &new, signer.as_ref()).map_err(unsigned)?;
    if start.head.commit() == Some(id) {
        // the amended commit is identical to the original
        return Ok(Some(CommitAttempt::nothing(Unrecorded::Nothing, (refused, met))));
    }
    let changes = trees::diff(scope, start.base(scope)?, tree, Renames::Detect)?;
    let mut findings = files::brought(scope, &changes);
    findings.extend(names::message(id, message.as_bstr()));
    met.extend(findings.iter().filter_map(gate::guard).filter(|guard| options.allowed.lets(*guard)));
    let subject = message.lines().next().unwrap_or_default().to_str_lossy().into_owned();
    let moves = vec![RefMove::of_head(&start.head, id)];
    let transition = Transition { index: sides, moves, ..Transition::default() };
    let purpose = Purpose::new(OperationKind::Commit, start.reason(&subject, &options.allowed, &met))
        .named(reserved)
        .logged(format!("{}: {subject}", start.verb()))
        .signed(start.identity.committer.clone());
    // the index now has a valid cache-tree, which makes the next status and commit fast
    let work = Work::untouched([side(&start.head), Side::Commit(id)], transition);
    let carried = match writing.carry_out(Some(index), work, &purpose) {
        Err(OrStop::This(Interference::Overtaken(_)))
            if options.replaces == Replaces::Nothing && Instant::now() < end =>
        {
            return Ok(None);
        }
        carried => carried?,
    };
    let Some(operation) = carried else {
        return Ok(Some(CommitAttempt::nothing(Unrecorded::Nothing, (refused, met))));
    };
    let derived = match changes.len() <= DERIVE_AT_MOST {
        true => Derived::Between(start.head_tree, tree, Disk::Unknown),
        false => Derived::Leave,
    };
    let made = Ok(Box::new(CreatedCommit {
        id,
        subject,
        branch: start.head.short_branch(),
        root: new.parents.is_empty(),
        operation: operation.to_string(),
        amended: start.replaced.as_ref().map(|old| old.id),
        changes: changes.iter().map(PathChange::from).collect(),
        findings: findings.iter().map(Reported::from).collect(),
        derived: None,
        tidying: tidying(scope, cx.clock.seconds()),
    }));
    Ok(Some(CommitAttempt { made, refused, met, derived }))
}

/// The state in which a commit begins.
struct Start {
    head: Head,
    head_tree: TreeId,
    merging: Option<MergeState>,
    replaced: Option<Commit>,
    /// The commit that a cherry-pick stopped at.
    picked: Option<Commit>,
    identity: Identity,
}

impl Start {
    /// Read the state, and check that a commit may begin.
    fn of(cx: &Context<'_>, opened: &Opened, options: &Options) -> Result<Self, Stop> {
        let scope = &opened.scope;
        let merging = merge_state::read(scope)?;
        if !scope.prefix().is_empty() && merge_state::is_under_way(scope) {
            return Err(Stop::refused(
                "the host repository is in the middle of an operation that commits all of its files",
            )
            .hint("finish it first: `git status` shows how; `git commit` commits the staged changes"));
        }
        if options.takes == Takes::MergeOnly && merging.is_none() {
            return Err(abort::not_merging(scope)?);
        }
        let head = scope.head()?;
        let replaced = amend::replaced(opened, &head, options)?;
        if matches!(options.include, Include::Only(_)) && merge_state::is_under_way(scope) {
            return Err(Stop::refused("a merge commit takes everything that is staged, not single paths")
                .hint("commit the merge in progress with `brv vc commit`, without paths"));
        }
        let mut identity = identity(cx, scope, options)?;
        if let Some(old) = &replaced {
            let Signature { seconds, offset, .. } = old.author;
            identity.author = match options.author {
                // as git does: the author is replaced, the author date is not
                Some(_) => Signature { seconds, offset, ..identity.author },
                None => old.author.clone(),
            };
        }
        let head_tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
        Ok(Self { head, head_tree, merging, replaced, picked: message::picked(scope)?, identity })
    }

    /// Refuse a merge commit that would lack changes of the other side that are only on disk.
    fn refuse_unstaged(&self, scope: &Scope, index: &git::Index) -> Result<(), Stop> {
        let (Some(merge), Some(ours)) = (&self.merging, self.head.commit()) else { return Ok(()) };
        let found = unstaged_merge::find(scope, index, ours, merge)?;
        if found.is_empty() {
            return Ok(());
        }
        // another tool merged them on disk only: the commit would have our versions
        let message =
            "the merge commit would drop changes of the other side: they are on disk but not staged";
        Err(Stop::refused(message)
            .detailing(found.iter().map(|file| escape_line(&file.path).into_owned()))
            .hint("stage it for the merge with `brv vc add PATH`"))
    }

    /// The message, with the name of the operation if it needs one; `None` if there is nothing to commit.
    fn message(
        &self,
        cx: &Context<'_>,
        opened: &Opened,
        options: &Options,
        tree: TreeId,
    ) -> Result<Option<(Option<OperationId>, BString)>, Stop> {
        let scope = &opened.scope;
        let changes_nothing = match &self.replaced {
            Some(old) if !options.makes_empty() && amend::would_be_empty(scope, old, tree)? => {
                return Err(Stop::refused(format!("the amended commit {} would be empty", old.id.prefix(7))).hint(
                    "keep it without changes with `--allow-empty`, or remove it from the branch with `brv vc reset --soft HEAD~1`",
                ));
            }
            Some(_) => false,
            None => tree == self.head_tree && self.merging.is_none(),
        };
        if changes_nothing && !options.makes_empty() {
            return Ok(None);
        }
        let message = message::message(scope, options, self)?;
        // only here do operations leave their commit to this command
        let leaves = !opened.config.commit_auto.value || !scope.prefix().is_empty();
        let trees = (self.base(scope)?, tree);
        let listed = if leaves { journal::list(scope)? } else { Vec::new() };
        let mut said = notes::of(scope, &listed, trees)?;
        if let (Some(head), None, None) = (self.head.commit(), &self.merging, &self.replaced) {
            said.add_squashed(scope, head, trees)?;
        }
        let heads = heads::trailers((cx, opened), self, (&message, &listed), trees)?;
        Ok(Some(message::named(cx, scope, (message, self), said, &heads)?))
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

    fn base(&self, scope: &Scope) -> Result<TreeId, git::Error> {
        self.replaced.as_ref().map_or(Ok(self.head_tree), |old| amend::base(scope, old))
    }

    /// The action in the reflog, as git writes it.
    fn verb(&self) -> &'static str {
        match (self.head.commit(), &self.merging, &self.replaced) {
            (None, ..) => "commit (initial)",
            (.., Some(_)) => "commit (amend)",
            (_, Some(_), _) => "commit (merge)",
            _ => "commit",
        }
    }

    fn reason(&self, subject: &str, allowed: &Allowed, met: &[Guard]) -> String {
        let rewrite = self.replaced.is_some() && allowed.lets(Guard::Rewrite);
        let needed: Vec<Guard> =
            rewrite.then_some(Guard::Rewrite).into_iter().chain(met.iter().copied()).collect();
        match &self.replaced {
            Some(_) => allowed.told(&format!("amend: {subject}"), &needed),
            None => allowed.told(subject, &needed),
        }
    }
}

fn side(head: &Head) -> Side {
    head.commit().map_or_else(|| Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() }, Side::Commit)
}

fn identity(cx: &Context<'_>, scope: &Scope, options: &Options) -> Result<Identity, Stop> {
    let author = options.author.as_ref().map(|(name, email)| (name.as_str().into(), email.as_str().into()));
    let overrides = identity::Overrides { author, author_date: None };
    Ok(identity::identity(scope, &overrides, cx.clock)?)
}

fn unrecorded(opened: &Opened) -> Result<Unrecorded, Stop> {
    let scope = &opened.scope;
    let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
    let new = survey.unrecorded(scope)?;
    let is_something = survey.work_tree.shown().next().is_some()
        || new.iter().any(|file| file.class == survey::Class::Untracked);
    Ok(if is_something { Unrecorded::Something } else { Unrecorded::Nothing })
}

fn unsigned(error: SigningError) -> Stop {
    let hint = match &error {
        SigningError::NoKey => {
            Some("set it to the file of your key, or commit without a signature with `--no-gpg-sign`")
        }
        SigningError::Git(_) | SigningError::File(_) => None,
        _ => Some("commit without a signature with `--no-gpg-sign`"),
    };
    Stop::from(error).hinting(hint)
}
