//! Creating, renaming and deleting branches, and setting their upstream.

use super::{BranchTip, Deleted, DeletedBranch, Follows, Options, Outcome, RenamedBranch, UnmergedPolicy};
use brv_base::escape::escape_line;
use brv_engine::Stop;
use brv_engine::journal::{OperationKind, RefMove, Transition};
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches::{self, BranchName, Existing, Start, Track, short};
use brv_engine::outcome::bytes::text;
use brv_engine::read::history::reflog::Reflog;
use brv_engine::write::operation::{Derived, Purpose, Work, Writing};
use brv_engine::write::written::Logged;
use brv_git as git;
use brv_git::branch_settings::Followed;
use brv_git::refs::{self, Target};
use brv_git::settings_moves::SettingsMove;
use brv_git::{Head, Scope, history, remotes};
use bstr::{BString, ByteSlice as _};

/// A change, with the moves and settings it needs.
struct BranchUpdate {
    outcome: Outcome,
    moves: Vec<RefMove>,
    settings: Vec<SettingsMove>,
    reason: String,
    reflog: Reflog,
}

pub(super) fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("branch")?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let desk = BranchEditor { scope: &opened.scope, head: opened.scope.head()? };
    let BranchUpdate { outcome, moves, mut settings, reason, reflog } = match options {
        Options::Create { name, start, existing, track } => {
            desk.create(name, start.as_deref(), *existing, *track)
        }
        Options::Rename { before, after, existing } => desk.rename(before.as_deref(), after, *existing),
        Options::Delete { names, kinds, unmerged } => desk.delete(names, *kinds, *unmerged),
        Options::Follow { branch, upstream } => desk.follow(branch.as_deref(), upstream),
        Options::Unfollow { branch } => desk.unfollow(branch.as_deref()),
        Options::List(_) | Options::ShowCurrent => Ok(BranchUpdate::of(Outcome::default(), String::new())),
    }?;
    settings.retain(|one| !one.is_empty());
    let transition = Transition { moves, settings, ..Transition::default() };
    let purpose = Purpose::new(OperationKind::Branch, reason).logged(reflog);
    writing.carry_out(None, Work::exact(transition), &purpose)?;
    Ok(Outcome { written: Logged::from(&writing.finish(Derived::Leave)), ..outcome })
}

impl BranchUpdate {
    fn of(outcome: Outcome, reason: String) -> Self {
        Self { outcome, moves: Vec::new(), settings: Vec::new(), reason, reflog: Reflog::default() }
    }
}

struct BranchEditor<'a> {
    scope: &'a Scope,
    head: Head,
}

impl BranchEditor<'_> {
    fn create(
        &self,
        name: &str,
        start: Option<&str>,
        existing: Existing,
        track: Track,
    ) -> Result<BranchUpdate, Stop> {
        let name = BranchName::parse(self.scope, name)?;
        if self.head.branch().is_some_and(|branch| branch == name.full()) && existing == Existing::Moves {
            return Err(branches::is_current(name.as_str()));
        }
        let start = match start {
            Some(typed) => Start::at(self.scope, typed)?,
            None => Start::here(self.scope, self.head.short_branch().unwrap_or_else(|| "HEAD".into()))?,
        };
        let made = branches::creation(self.scope, name, &start, existing, track)?;
        let reason = format!("branch {}", made.name);
        let settings = match &made.follows {
            Some(followed) => vec![SettingsMove::follow(self.scope, made.name.as_str(), followed)?],
            None => Vec::new(),
        };
        let outcome = Outcome {
            follows: made.follows.map(|followed| follows(&made.name, &followed)),
            made: Some(BranchTip { name: made.name.to_string(), commit: start.commit.to_string() }),
            ..Outcome::default()
        };
        let (moves, reflog) = (vec![made.reference], made.line.into());
        Ok(BranchUpdate { outcome, moves, settings, reason, reflog })
    }

    fn rename(&self, before: Option<&str>, after: &str, existing: Existing) -> Result<BranchUpdate, Stop> {
        let before = self.branch_or_current(before)?;
        let after = BranchName::parse(self.scope, after)?;
        let (from, to) = (before.full(), after.full());
        let old = refs::target(self.scope, from.as_bstr())?;
        let is_current = self.head.branch().is_some_and(|branch| branch == from);
        if old.is_none() && !is_current {
            return Err(branches::absent(before.as_str()));
        }
        let renamed = Some(RenamedBranch { before: before.to_string(), after: after.to_string() });
        let outcome = Outcome { renamed, ..Outcome::default() };
        let reason = format!("rename {before} to {after}");
        if from == to {
            return Ok(BranchUpdate::of(outcome, reason));
        }
        let replaced = self.to_be_replaced(&after, existing)?;
        branches::refuse_elsewhere(self.scope, from.as_bstr())?;
        branches::refuse_folders(self.scope, &after, Some(from.as_bstr()))?;
        let symbolic = |name: &BString| Some(Target::Symbolic(name.clone()));
        let mut moves = Vec::new();
        if is_current {
            moves.push(RefMove { name: "HEAD".into(), old: symbolic(&from), new: symbolic(&to) });
        }
        if old.is_some() {
            moves.push(RefMove { name: to.clone(), old: replaced, new: old.clone() });
            moves.push(RefMove { name: from.clone(), old: old.clone(), new: None });
        }
        let settings = SettingsMove::rename(self.scope, before.as_str(), after.as_str())?.into();
        let reflog = format!("Branch: renamed {from} to {to}").into();
        Ok(BranchUpdate { outcome, moves, settings, reason, reflog })
    }

    fn to_be_replaced(&self, name: &BranchName, existing: Existing) -> Result<Option<Target>, Stop> {
        let full = name.full();
        let found = refs::target(self.scope, full.as_bstr())?;
        if found.is_none() {
            return Ok(None);
        }
        if existing == Existing::Stays {
            return Err(branches::exists(name));
        }
        if self.head.branch().is_some_and(|branch| branch == full) {
            return Err(branches::is_current(name.as_str()));
        }
        branches::refuse_elsewhere(self.scope, full.as_bstr())?;
        Ok(found)
    }

    fn delete(
        &self,
        names: &[String],
        kinds: Deleted,
        unmerged: UnmergedPolicy,
    ) -> Result<BranchUpdate, Stop> {
        let (mut moves, mut deleted, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for typed in names {
            let prefix = if kinds == Deleted::Local { "refs/heads/" } else { "refs/remotes/" };
            let name = branches::expand(self.scope, typed)?;
            let full = BString::from(format!("{prefix}{name}"));
            let Ok(Some(old)) = refs::target(self.scope, full.as_bstr()) else {
                return Err(branches::absent(&name));
            };
            if moves.iter().any(|one: &RefMove| one.name == full) {
                continue;
            }
            if self.head.branch().is_some_and(|branch| branch == full) {
                return Err(branches::is_current(&name));
            }
            branches::refuse_elsewhere(self.scope, full.as_bstr())?;
            let mut ahead_of_head = false;
            if kinds == Deleted::Local && unmerged == UnmergedPolicy::Refuse {
                match self.standing(&name, &full)? {
                    BranchMergeState::Merged => {}
                    BranchMergeState::MergedUpstream => ahead_of_head = true,
                    BranchMergeState::Unmerged => refused.push(name.clone()),
                }
            }
            let was = match &old {
                Target::Object(id) => git::revision::shorten(self.scope, *id)?,
                Target::Symbolic(name) => text(name),
            };
            deleted.push(DeletedBranch { name, was, ahead_of_head });
            moves.push(RefMove { name: full, old: Some(old), new: None });
        }
        if !refused.is_empty() {
            return Err(not_merged(&refused));
        }
        let gone: Vec<&str> = deleted.iter().map(|gone| gone.name.as_str()).collect();
        let settings = match kinds {
            Deleted::Local => {
                gone.iter().map(|name| SettingsMove::forget(self.scope, name)).collect::<Result<_, _>>()?
            }
            Deleted::Remembered => Vec::new(),
        };
        let reason = format!("delete {}", gone.join(", "));
        let outcome = Outcome { deleted, ..Outcome::default() };
        Ok(BranchUpdate { moves, settings, ..BranchUpdate::of(outcome, reason) })
    }

    /// Whether the upstream of the branch, or else `HEAD`, contains its commits.
    fn standing(&self, name: &str, full: &BString) -> Result<BranchMergeState, Stop> {
        let Some(tip) = refs::commit(self.scope, full.as_bstr())? else {
            return Ok(BranchMergeState::Unmerged);
        };
        let has = |commit| history::is_ancestor(self.scope, tip, commit);
        let tracking = remotes::upstream(self.scope, name)?;
        let upstream = match tracking.and_then(|upstream| upstream.tracking) {
            Some(tracking) => refs::commit(self.scope, tracking.as_bstr())?,
            None => None,
        };
        let in_head = self.head.commit().map(has).transpose()?.unwrap_or(false);
        Ok(match upstream.map(has).transpose()? {
            Some(true) if !in_head => BranchMergeState::MergedUpstream,
            Some(true) => BranchMergeState::Merged,
            None if in_head => BranchMergeState::Merged,
            _ => BranchMergeState::Unmerged,
        })
    }

    fn follow(&self, branch: Option<&str>, upstream: &str) -> Result<BranchUpdate, Stop> {
        let branch = self.branch_or_current(branch)?;
        if refs::target(self.scope, branch.full().as_bstr())?.is_none() {
            return Err(branches::absent(branch.as_str()));
        }
        let start = Start::at(self.scope, upstream)?;
        let reference = start.reference.as_ref().map(|name| name.as_bstr());
        let followed = branches::upstream(self.scope, &branch, reference, upstream)?;
        let settings = vec![SettingsMove::follow(self.scope, branch.as_str(), &followed)?];
        let reason = format!("{branch} tracks {followed}");
        let follows = Some(follows(&branch, &followed));
        let outcome = Outcome { follows, ..Outcome::default() };
        Ok(BranchUpdate { settings, ..BranchUpdate::of(outcome, reason) })
    }

    fn unfollow(&self, branch: Option<&str>) -> Result<BranchUpdate, Stop> {
        let branch = self.branch_or_current(branch)?;
        let settings = SettingsMove::unfollow(self.scope, branch.as_str())?;
        if settings.is_empty() {
            return Err(Stop::usage(format!("the branch `{branch}` has no upstream")));
        }
        let reason = format!("{branch} tracks nothing");
        let outcome = Outcome { unfollowed: Some(branch.to_string()), ..Outcome::default() };
        Ok(BranchUpdate { settings: vec![settings], ..BranchUpdate::of(outcome, reason) })
    }

    fn branch_or_current(&self, typed: Option<&str>) -> Result<BranchName, Stop> {
        match typed {
            Some(typed) => Ok(BranchName::parse(self.scope, typed)?),
            None => {
                let current =
                    self.head.branch().ok_or_else(|| Stop::usage("HEAD is detached: name the branch"))?;
                Ok(BranchName::parse(self.scope, &short(current))?)
            }
        }
    }
}

fn follows(branch: &BranchName, upstream: &Followed) -> Follows {
    Follows { branch: branch.to_string(), upstream: upstream.to_string() }
}

fn not_merged(names: &[String]) -> Stop {
    let which = if names.len() == 1 { "a branch is" } else { "some branches are" };
    Stop::refused(format!("{which} not merged"))
        .detailing(names.iter().map(|name| escape_line(name.as_bytes()).into_owned()))
        .hint("nothing was deleted; merge them first, or delete them with `-D`: `brv undo` restores them")
}

enum BranchMergeState {
    Merged,
    MergedUpstream,
    Unmerged,
}
