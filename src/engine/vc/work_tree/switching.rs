//! Switch `HEAD`, index and files to another branch or commit.
//!
//! Local changes that do not collide are kept; a collision stops the whole switch. A forced switch discards them and
//! stores them in the operation.

use super::hard_reset::{self, ResetReach};
use crate::Stop;
use crate::derive::{self, Disk};
use crate::journal::{OperationKind, RefMove, Transition};
use crate::merge::integrate::Derive;
use crate::open::naming::branches::{self, BranchName, Creation, Existing, Start, Track, short};
use crate::open::naming::upstream::{self, Upstream};
use crate::open::survey::Survey;
use crate::outcome::in_progress::unfinished;
use crate::outcome::json::texts;
use crate::outcome::unknown_name::UnknownName;
use crate::read::history::reflog::{Reflog, signature};
use crate::write::operation::{self, Derived, Purpose, Work, Writing};
use crate::write::policy::own_files::LocalFiles;
use crate::write::written::WrittenEffects;
use brv_git as git;
use brv_git::branch_settings;
use brv_git::refs::Target;
use brv_git::revision;
use brv_git::settings_moves::{self, SettingsMove};
use brv_git::trees::Renames;
use brv_git::{CommitId, Head, Scope, TreeId, history, in_progress, refs};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum To {
    /// A branch; if only a remote has it, it is created if `guess` allows it.
    Branch {
        /// Its name; `-` for the one before the last switch.
        name: String,
        /// Whether it may be created.
        guess: Guess,
    },
    /// A branch as above, or else the commit of a revision.
    BranchOrCommit {
        name: String,
        /// Whether a branch may be created.
        guess: Guess,
    },
    New {
        name: String,
        /// Its start; `None`: `HEAD`.
        start: Option<String>,
        existing: Existing,
        track: Track,
    },
    /// A commit, detached; `None`: the commit of `HEAD`.
    Commit(Option<String>),
}

/// Whether a branch that only a remote has is created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Guess {
    /// It is, and tracks the remote branch.
    #[default]
    Allow,
    Refuse,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Local {
    #[default]
    Keep,
    /// They are discarded, and stored in the operation.
    Discard,
}

#[derive(Debug, Clone)]
pub struct Way {
    /// The new target of `HEAD`.
    pub head: Target,
    /// The commit; `None` on a branch without commits.
    pub commit: Option<CommitId>,
    /// A branch to create or move.
    pub creation: Option<Creation>,
    /// The name in the reflog of `HEAD`.
    pub label: String,
}

/// `brv.vc.switch/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Switch")]
pub struct Switched {
    /// `HEAD` before.
    pub before: HeadState,
    /// `HEAD` after.
    pub after: HeadState,
    /// The branch that was created or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// The old commit of that branch, if it existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<CommitId>,
    /// The upstream that was set for that branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// The upstream of the branch, and the distance to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// Commits of a detached `HEAD` that no branch, tag or remote branch has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_behind: Option<UnnamedCommits>,
    /// Number of files written or removed.
    pub files: usize,
    /// Files whose local changes were kept.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub kept: Vec<BString>,
    /// Files whose local changes were discarded; the operation keeps them.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub discarded: Vec<BString>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WrittenEffects,
}

/// Commits that have no name after a switch.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct UnnamedCommits {
    /// The last of them.
    pub commit: CommitId,
    /// Their number.
    pub commits: usize,
}

/// A state of `HEAD`.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "Place")]
pub struct HeadState {
    /// The branch; absent if `HEAD` is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
}

impl From<&Head> for HeadState {
    fn from(head: &Head) -> Self {
        Self { branch: head.short_branch(), commit: head.commit() }
    }
}

pub fn way(scope: &Scope, head: &Head, to: &To) -> Result<Way, Stop> {
    match to {
        To::Branch { name, guess } => match branch(scope, name, *guess)? {
            Some(way) => Ok(way),
            None => {
                revision::commit(scope, &branches::expand(scope, name)?)?;
                Err(Stop::usage(format!("`{name}` is not a branch")).hint(
                    "use `--detach` to switch to the commit itself, or `-c NAME` to create a branch there",
                ))
            }
        },
        To::BranchOrCommit { name, guess } => match branch(scope, name, *guess)? {
            Some(way) => Ok(way),
            None => commit(scope, name),
        },
        To::Commit(name) => commit(scope, name.as_deref().unwrap_or("HEAD")),
        To::New { name, start, existing, track } => {
            let name = BranchName::parse(scope, name)?;
            if let (None, Head::Unborn { .. }) = (start, head) {
                return Ok(unborn(&name));
            }
            let start = match start {
                Some(typed) => Start::at(scope, typed)?,
                None => Start::here(scope, "HEAD".into())?,
            };
            let made = branches::creation(scope, name, &start, *existing, *track)?;
            Ok(made_way(made, start.commit))
        }
    }
}

fn unborn(name: &BranchName) -> Way {
    let head = Target::Symbolic(name.full());
    Way { head, commit: None, creation: None, label: name.to_string() }
}

fn made_way(made: Creation, commit: CommitId) -> Way {
    Way {
        head: Target::Symbolic(made.name.full()),
        commit: Some(commit),
        label: made.name.to_string(),
        creation: Some(made),
    }
}

/// A local branch, or a branch that only a remote has.
fn branch(scope: &Scope, typed: &str, guess: Guess) -> Result<Option<Way>, Stop> {
    let name = branches::expand(scope, typed)?;
    if !git::is_branch_name(&name) {
        return Ok(None);
    }
    let full = BString::from(format!("refs/heads/{name}"));
    if let Some(commit) = refs::commit(scope, full.as_bstr())? {
        let head = Target::Symbolic(full);
        return Ok(Some(Way { head, commit: Some(commit), creation: None, label: name }));
    }
    if guess == Guess::Refuse || revision::exists(scope, &name) {
        return Ok(None);
    }
    let Some(tracking) = namesake(scope, &name)? else { return Ok(None) };
    let commit = revision::commit(scope, &tracking.to_str_lossy())?;
    let text = tracking.to_str_lossy().into_owned();
    let start = Start { text, commit, reference: Some(tracking) };
    let name = BranchName::parse(scope, &name)?;
    let made = branches::creation(scope, name, &start, Existing::Stays, Track::Start)?;
    Ok(Some(made_way(made, commit)))
}

/// The tracking ref of the only remote that has a branch of the name, or of the preferred one.
fn namesake(scope: &Scope, name: &str) -> Result<Option<BString>, Stop> {
    let mut found = branch_settings::namesakes(scope, name)?;
    if found.len() > 1
        && let Some(preferred) = branch_settings::default_remote(scope)?
        && found.iter().any(|(_, followed)| followed.remote == preferred)
    {
        found.retain(|(_, followed)| followed.remote == preferred);
    }
    if found.len() > 1 {
        let remotes: Vec<String> = found.into_iter().map(|(_, followed)| followed.remote).collect();
        let stop = Stop::usage(format!("several remotes have a branch `{name}`: {}", remotes.join(", ")));
        return Err(stop.hint("name the remote: `--track REMOTE/BRANCH`"));
    }
    Ok(found.pop().map(|(tracking, _)| tracking))
}

fn commit(scope: &Scope, typed: &str) -> Result<Way, Stop> {
    let label = branches::expand(scope, typed)?;
    let commit = revision::commit(scope, &label)?;
    Ok(Way { head: commit.into(), commit: Some(commit), creation: None, label })
}

/// Whether a name is a branch, a branch that only a remote has, or a commit.
///
/// # Errors
/// All errors except that nothing has the name.
pub fn leads_somewhere(scope: &Scope, head: &Head, to: &To) -> Result<bool, Stop> {
    match way(scope, head, to) {
        Ok(_) => Ok(true),
        Err(stop) if matches!(stop.sought.as_deref(), Some(UnknownName::Revision(_))) => Ok(false),
        Err(stop) => Err(stop),
    }
}

/// Carry out the switch.
///
/// # Errors
/// Local changes or files in the way, something in progress; the next command finishes an interrupted operation.
pub fn switch(mut writing: Writing<'_>, way: &Way, local: Local, derive: Derive) -> Result<Switched, Stop> {
    let scope = writing.scope();
    let head = scope.head()?;
    refuse_elsewhere(scope, &head, way)?;
    let moves = moves(&head, way);
    let settings = settings(scope, way)?;
    let mut switched = Switched::from(&head, way);
    match local {
        Local::Keep => refuse_unfinished(scope)?,
        Local::Discard => {}
    }
    let trees = match (way.commit == head.commit(), local) {
        (true, Local::Keep) => {
            stay(&mut writing, (&head, way), (moves, settings.clone()))?;
            None
        }
        (_, Local::Keep) => Some(keep(&mut writing, (&head, way), (moves, settings.clone()), &mut switched)?),
        (_, Local::Discard) => {
            discard(&mut writing, (&head, way), (moves, settings.clone()), &mut switched)?;
            None
        }
    };
    if way.creation.is_some() && Target::Symbolic(head.branch().unwrap_or_default().into()) == way.head {
        // HEAD did not move, but its reflog gets a line
        let (reflog, who) = (reflog(&head, way), signature(scope, writing.parts().clock));
        refs::log_stay(scope, reflog.line("HEAD".into()).as_bstr(), &who)?;
    }
    settings_moves::bring(scope, &settings)?;
    let after = scope.head()?;
    switched.after = HeadState::from(&after);
    let is_due = derive == Derive::Now && (trees.is_some() || local == Local::Discard);
    switched.written =
        WrittenEffects::from(&writing.finish(match trees.filter(|_| switched.kept.is_empty()) {
            _ if !is_due => Derived::Leave,
            Some((before, after)) => Derived::Between(before, after, Disk::Same),
            None => Derived::Changed,
        }));
    switched.upstream = upstream::of(scope, &after)?;
    switched.left_behind = left_behind(scope, &head, &after)?;
    Ok(switched)
}

/// What a detached `HEAD` had alone, as far as anybody can name it: the operation log keeps the rest only for a time.
fn left_behind(scope: &Scope, before: &Head, after: &Head) -> Result<Option<UnnamedCommits>, git::Error> {
    let &Head::Detached { commit } = before else { return Ok(None) };
    if after.commit() == Some(commit) {
        return Ok(None);
    }
    let mut hidden: Vec<CommitId> = after.commit().into_iter().collect();
    for prefix in ["refs/heads/", "refs/remotes/", "refs/tags/"] {
        hidden.extend(refs::commits(scope, prefix)?.into_iter().map(|(_, commit)| commit));
    }
    let range = history::Range { tips: vec![commit], hidden, ..history::Range::default() };
    let commits = history::list(scope, &range)?.len();
    Ok((commits > 0).then_some(UnnamedCommits { commit, commits }))
}

impl Switched {
    fn from(head: &Head, way: &Way) -> Self {
        let made = way.creation.as_ref();
        Self {
            before: HeadState::from(head),
            after: HeadState::from(head),
            made: made.map(|made| made.name.to_string()),
            moved_from: made.and_then(|made| made.reference.old_commit()),
            follows: made.and_then(|made| made.follows.as_ref()).map(ToString::to_string),
            upstream: None,
            left_behind: None,
            files: 0,
            kept: Vec::new(),
            discarded: Vec::new(),
            written: WrittenEffects::default(),
        }
    }
}

fn refuse_elsewhere(scope: &Scope, head: &Head, way: &Way) -> Result<(), Stop> {
    match &way.head {
        Target::Symbolic(full) if head.branch() != Some(full.as_bstr()) => {
            Ok(branches::refuse_elsewhere(scope, full.as_bstr())?)
        }
        _ => Ok(()),
    }
}

fn refuse_unfinished(scope: &Scope) -> Result<(), Stop> {
    if let Some(kind) = in_progress::committing(scope)? {
        return Err(Stop::conflict(format!("{kind} is still in progress")).hint(unfinished(kind)));
    }
    let unmerged = git::index::read(scope)?.unmerged();
    if unmerged.is_empty() {
        return Ok(());
    }
    Err(Stop::conflict("files are still in conflict").listing(&unmerged).hint(
        "resolve a file with `brv vc resolve PATH`, or discard it with `brv vc restore --source REV PATH`",
    ))
}

/// `HEAD` first, then the branch that is created or moved.
fn moves(head: &Head, way: &Way) -> Vec<RefMove> {
    let old = match head {
        Head::Branch { name, .. } | Head::Unborn { name } => Target::Symbolic(name.clone()),
        Head::Detached { commit } => (*commit).into(),
    };
    let mut moves = Vec::new();
    if old != way.head {
        moves.push(RefMove { name: "HEAD".into(), old: Some(old), new: Some(way.head.clone()) });
    }
    moves.extend(way.creation.as_ref().map(|made| made.reference.clone()).filter(|one| one.old != one.new));
    moves
}

/// The settings for the upstream of a new branch.
fn settings(scope: &Scope, way: &Way) -> Result<Vec<SettingsMove>, Stop> {
    Ok(match &way.creation {
        Some(Creation { name, follows: Some(followed), .. }) => {
            let settings = SettingsMove::follow(scope, name.as_str(), followed)?;
            Some(settings).filter(|settings| !settings.is_empty()).into_iter().collect()
        }
        _ => Vec::new(),
    })
}

/// The reflog lines. Like git, also logs a switch to the current branch in the reflog of `HEAD`.
fn reflog(head: &Head, way: &Way) -> Reflog {
    let from = match head {
        Head::Branch { name, .. } | Head::Unborn { name } => short(name.as_bstr()),
        Head::Detached { commit } => commit.to_string(),
    };
    let reflog = Reflog::from(format!("checkout: moving from {from} to {}", way.label));
    match &way.creation {
        Some(made) => reflog.but(made.name.full(), made.line.as_str()),
        None => reflog,
    }
}

fn purpose(head: &Head, way: &Way) -> Purpose {
    Purpose::new(OperationKind::Switch, format!("switch to {}", way.label)).logged(reflog(head, way))
}

/// Switch without a new commit or discarded changes: files and index stay.
fn stay(
    writing: &mut Writing<'_>,
    (head, way): (&Head, &Way),
    (moves, settings): (Vec<RefMove>, Vec<SettingsMove>),
) -> Result<(), Stop> {
    let transition = Transition { moves, settings, ..Transition::default() };
    writing.carry_out(None, Work::exact(transition), &purpose(head, way))?;
    Ok(())
}

/// Switch and keep local changes. Returns the trees of `HEAD` before and after.
fn keep(
    writing: &mut Writing<'_>,
    (head, way): (&Head, &Way),
    (moves, settings): (Vec<RefMove>, Vec<SettingsMove>),
    switched: &mut Switched,
) -> Result<(TreeId, TreeId), Stop> {
    let scope = writing.scope();
    let opened = writing.parts().opened;
    let survey = writing.survey(|index| derive::quick_survey(opened, index))?;
    let before = survey.head_tree;
    let after = way.commit.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let plan = operation::plan(scope, &survey, after, &[])?;
    switched.files = plan.len();
    switched.kept = kept(scope, &survey)?;
    let side = |tree, commit, of: fn(&RefMove) -> Option<CommitId>| {
        operation::side(scope, tree, commit, moves.iter().filter_map(of).collect())
    };
    let sides =
        [side(before, head.commit(), RefMove::old_commit)?, side(after, way.commit, RefMove::new_commit)?];
    let work = Work::planned(plan, sides, Transition { moves, settings, ..Transition::default() });
    writing.carry_out(Some(survey.index), work, &purpose(head, way))?;
    Ok((before, after))
}

/// The files that differ from `HEAD`, staged or not.
fn kept(scope: &Scope, survey: &Survey) -> Result<Vec<BString>, git::Error> {
    let staged = survey.staged(scope, Renames::Ignore)?.into_iter().map(|change| change.path);
    let changed = survey.work_tree.shown().map(|file| file.path.clone());
    let mut kept: Vec<BString> = staged.chain(changed).collect();
    kept.sort();
    kept.dedup();
    Ok(kept)
}

/// Switch and discard local changes; the operation holds them.
fn discard(
    writing: &mut Writing<'_>,
    (head, way): (&Head, &Way),
    (moves, settings): (Vec<RefMove>, Vec<SettingsMove>),
    switched: &mut Switched,
) -> Result<(), Stop> {
    let scope = writing.scope();
    let opened = writing.parts().opened;
    let survey = writing.survey(|index| derive::quick_survey(opened, index))?;
    let after = way.commit.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let mut transition = hard_reset::to_tree(scope, &survey, after, ResetReach::Files)?;
    switched.discarded = kept(scope, &survey)?;
    switched.files = transition.files.len();
    (transition.moves, transition.settings) = (moves, settings);
    let kept = LocalFiles::read(scope)?.into_admit();
    let work = Work::exact(transition).admitting(&*kept);
    writing.carry_out(Some(survey.index), work, &purpose(head, way))?;
    Ok(())
}
