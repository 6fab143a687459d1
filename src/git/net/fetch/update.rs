//! Updates and prunes tracking refs after a fetch.
//!
//! Never moves a branch that is checked out, and never a non-fast-forward unless the refspec begins with `+`.

use super::forbidden::Forbidden;
use super::local_refs::LocalRefs;
use super::map::{Specs, WantedRef, add_new, following};
use super::{Error, FetchRefusal, FetchUpdateKind, Options, Prune, Tags, Update};
use crate::error::{During, Error as GitError};
use crate::history::ancestry::is_ancestor;
use crate::id::ObjectName;
use crate::mode::Mode;
use crate::refs::{self, listing, rescue};
use bstr::{BStr, BString, ByteSlice as _};
use gix::protocol::handshake::Ref;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::refs::{FullName, Target};
use gix::{ObjectId, Repository};
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub(super) struct TrackingUpdate<'a> {
    pub specs: &'a Specs,
    pub wanted: &'a [WantedRef],
    pub offered: &'a [Ref],
    pub local: &'a LocalRefs<'a>,
    pub forbidden: &'a Forbidden,
}

pub(super) fn update(
    repo: &Repository,
    job: &TrackingUpdate<'_>,
    options: &Options,
) -> Result<Vec<Update>, Error> {
    let mut wanted = job.wanted.to_vec();
    if options.tags == Tags::Following && wanted.iter().any(|one| one.local.is_some()) {
        let mut tags = following(job.local, job.offered, |id| repo.has_object(id))?;
        // the server sends a tag with its target; a missing one is left for the next fetch
        tags.retain(|tag| repo.has_object(tag.id));
        add_new(&mut wanted, tags);
    }
    // prune first: a stale `a` would be in the way of a new `a/b`
    let deleted = match options.prune {
        Prune::Keep | Prune::Configured => Vec::new(),
        Prune::Delete => prune(repo, job, options.mode)?,
    };
    let (local, forbidden) = (job.local, job.forbidden);
    let place = TrackingContext { repo, held: checked_out(repo)?, local, forbidden, mode: options.mode };
    let (mut updates, mut edits) = (Vec::new(), Vec::new());
    let mut taken = HashSet::new();
    for one in &wanted {
        let (update, edit) = place.decide(one)?;
        let fresh = update.local.as_ref().is_none_or(|local| taken.insert(local.clone()));
        if fresh {
            edits.extend(edit);
            updates.push(update);
        }
    }
    if options.mode == Mode::Write {
        refs::edit_many(repo, edits).during("move tracking refs")?;
    }
    updates.extend(deleted);
    Ok(updates)
}

fn prune(repo: &Repository, job: &TrackingUpdate<'_>, mode: Mode) -> Result<Vec<Update>, GitError> {
    let (mut updates, mut edits) = (Vec::new(), Vec::new());
    let stale = stale(repo, job)?;
    let gone = |(name, id): &(BString, ObjectId)| rescue::LostRef { name: name.clone(), id: *id };
    let kept = match mode {
        Mode::Write => rescue::of_gone(repo, &stale.iter().map(gone).collect::<Vec<_>>())?,
        Mode::DryRun => stale.iter().map(|_| None).collect(),
    };
    for ((name, before), kept) in stale.into_iter().zip(kept) {
        let (rescue, kept) = kept.unzip();
        edits.extend(kept);
        let expected = PreviousValue::MustExistAndMatch(Target::Object(before));
        edits.push(RefEdit::delete(full_name(name.as_bstr())?, expected));
        updates.push(Update {
            remote: BString::default(),
            local: Some(name),
            before: Some(ObjectName(before)),
            after: None,
            kind: FetchUpdateKind::Deleted,
            rescue,
        });
    }
    if mode == Mode::Write {
        refs::edit_many(repo, edits).during("delete stale tracking refs")?;
    }
    Ok(updates)
}

/// The state that decisions are based on.
struct TrackingContext<'a> {
    repo: &'a Repository,
    held: BTreeSet<BString>,
    local: &'a LocalRefs<'a>,
    forbidden: &'a Forbidden,
    mode: Mode,
}

impl TrackingContext<'_> {
    fn decide(&self, one: &WantedRef) -> Result<(Update, Vec<RefEdit>), Error> {
        let update = |before: Option<ObjectId>, kind| Update {
            remote: one.remote.clone(),
            local: one.local.clone(),
            before: before.map(ObjectName),
            after: Some(ObjectName(one.id)),
            kind,
            rescue: None,
        };
        let before = match &one.local {
            Some(local) => self.local.get(local.as_bstr())?,
            None => None,
        };
        if before != Some(one.id) && self.forbidden.covers(self.repo, one.id)? {
            return Ok((update(before, FetchUpdateKind::Refused(FetchRefusal::ShallowRemote)), Vec::new()));
        }
        // brv's own refs must not be written by a remote
        let Some(local) = one.local.as_ref().filter(|local| !rescue::is_own(local.as_bstr())) else {
            return Ok((Update { local: None, ..update(None, FetchUpdateKind::Unnamed) }, Vec::new()));
        };
        let name = full_name(local.as_bstr())?;
        let Some(before) = before else {
            let edit = RefEdit::update(name, one.id, PreviousValue::MustNotExist, "fetch: storing ref");
            return Ok((update(None, FetchUpdateKind::New), vec![edit]));
        };
        let kind = self.kind(one, local, before)?;
        let mut update = update(Some(before), kind);
        let mut edits = Vec::new();
        if matches!(kind, FetchUpdateKind::FastForward | FetchUpdateKind::Forced) {
            let message =
                if kind == FetchUpdateKind::Forced { "fetch: forced-update" } else { "fetch: fast-forward" };
            let expected = PreviousValue::MustExistAndMatch(Target::Object(before));
            edits.push(RefEdit::update(name, one.id, expected, message));
        }
        if kind == FetchUpdateKind::Forced
            && self.mode == Mode::Write
            && let Some((rescue, kept)) = rescue::of_rewrite(self.repo, local.as_bstr(), before)?
        {
            update.rescue = Some(rescue);
            edits.extend(kept);
        }
        Ok((update, edits))
    }

    fn kind(&self, one: &WantedRef, local: &BString, before: ObjectId) -> Result<FetchUpdateKind, GitError> {
        Ok(if before == one.id {
            FetchUpdateKind::Unchanged
        } else if self.held.contains(local) {
            FetchUpdateKind::Refused(FetchRefusal::CheckedOut)
        } else if local.starts_with(b"refs/tags/") {
            if one.force {
                FetchUpdateKind::Forced
            } else {
                FetchUpdateKind::Refused(FetchRefusal::TagExists)
            }
        } else if fast_forward(self.repo, before, one.id)? {
            FetchUpdateKind::FastForward
        } else if one.force {
            FetchUpdateKind::Forced
        } else {
            FetchUpdateKind::Refused(FetchRefusal::NonFastForward)
        })
    }
}

fn fast_forward(repo: &Repository, before: ObjectId, after: ObjectId) -> Result<bool, GitError> {
    let commit =
        |id: ObjectId| repo.find_header(id).is_ok_and(|header| header.kind() == gix::object::Kind::Commit);
    // a tracking ref whose commit was lost must be repairable
    Ok(commit(before) && commit(after) && is_ancestor(repo, before, after)?)
}

/// The branches that any work tree has checked out.
fn checked_out(repo: &Repository) -> Result<BTreeSet<BString>, GitError> {
    let mut held = BTreeSet::new();
    let mut add = |repo: &Repository| {
        if let Ok(Some(name)) = repo.head_name() {
            held.insert(name.as_bstr().to_owned());
        }
    };
    add(repo);
    if let Ok(main) = repo.main_repo() {
        add(&main);
    }
    for worktree in repo.worktrees().during("list work trees")? {
        if let Ok(other) = worktree.into_repo_with_possibly_inaccessible_worktree() {
            add(&other);
        }
    }
    Ok(held)
}

/// Tracking refs created by wildcard refspecs, each once, if the remote has none of their possible branches.
fn stale(repo: &Repository, job: &TrackingUpdate<'_>) -> Result<Vec<(BString, ObjectId)>, GitError> {
    let act = "list tracking refs";
    let offered: HashSet<&BStr> = job.offered.iter().map(|reference| reference.unpack().0).collect();
    let fetched: HashSet<&BString> = job.wanted.iter().filter_map(|one| one.local.as_ref()).collect();
    let mut found: BTreeMap<BString, ObjectId> = BTreeMap::new();
    let mut alive: HashSet<BString> = HashSet::new();
    for refspec in &job.specs.asked {
        let refspec = refspec.to_ref();
        let (Some(source), Some(target)) = (refspec.source(), refspec.destination()) else { continue };
        let (Some(source), Some(target)) = (source.split_once_str("*"), target.split_once_str("*")) else {
            continue;
        };
        for reference in listing::below(repo, target.0.as_bstr(), act)? {
            let name = reference.name().as_bstr();
            if rescue::is_own(name) {
                continue;
            }
            let Some(middle) = name.strip_prefix(target.0).and_then(|rest| rest.strip_suffix(target.1))
            else {
                continue;
            };
            let origin = [source.0, middle, source.1].concat();
            if offered.contains(origin.as_bstr()) {
                alive.insert(name.to_owned());
            } else if let Some(id) = reference.try_id() {
                found.insert(name.to_owned(), id.detach());
            }
        }
    }
    found.retain(|name, _| !alive.contains(name) && !fetched.contains(name));
    Ok(found.into_iter().collect())
}

fn full_name(name: &BStr) -> Result<FullName, GitError> {
    FullName::try_from(name).during(format!("use `{name}` as the name of a ref"))
}
