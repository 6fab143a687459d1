//! A remote that is a folder of this machine, when git is not installed: both repositories in one process.
//!
//! Hooks of the other repository do not run. (With git on `PATH` its own programs are started, and they run hooks.)

use super::missing_objects::{SendPlan, select_within};
use super::network::{Error, Network};
use super::packing::{Deltas, each_entry};
use crate::error::{During, Error as GitError};
use crate::history::ancestry::{KnownHistory, is_ancestor};
use crate::history::shallow::{self, Depth, Roots, Shift};
use crate::objects::pack::PackFile;
use crate::refs::{self, listing};
use crate::repository::scope::options;
use crate::repository::{alternates, format, trust};
use brv_base::environment::Environment;
use brv_base::progress::Stage;
use bstr::{BStr, BString, ByteSlice as _};
use gix::protocol::handshake::Ref;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::{ObjectId, Repository};
use std::path::Path;

pub(super) struct LocalRemote {
    pub repo: Repository,
}

impl LocalRemote {
    /// Opens the repository with the git folder `git_dir`.
    pub fn open(git_dir: &Path, shown: &str, environment: &Environment) -> Result<Self, Error> {
        trust::check_git_dir(git_dir, environment)?;
        let unsupported = |what| Error::Unsupported { url: shown.into(), what };
        if let Some(what) = format::unsupported(git_dir) {
            return Err(unsupported(what));
        }
        alternates::check(&git_dir.join("objects")).during(format!("open the repository `{shown}`"))?;
        let options = options().open_path_as_is(true);
        let repo = gix::open_opts(git_dir, options).during(format!("open the repository `{shown}`"))?;
        Ok(Self { repo })
    }

    /// The refs that a server would list.
    pub fn refs(&self) -> Result<Vec<Ref>, Error> {
        let act = "list the refs of the remote";
        let mut offered: Vec<Ref> = self.head()?.into_iter().collect();
        let hidden = self.repo.config_snapshot().plumbing().strings("transfer.hideRefs").unwrap_or_default();
        for mut reference in listing::all(&self.repo, act)? {
            let name = reference.name().as_bstr().to_owned();
            if hidden.iter().any(|prefix| hides(prefix.as_bstr(), name.as_bstr())) {
                continue;
            }
            // a broken ref is not listed
            let Ok(direct) = reference.follow_to_object() else { continue };
            let direct = direct.detach();
            let Ok(peeled) = reference.peel_to_id() else { continue };
            let peeled = peeled.detach();
            offered.push(if direct == peeled {
                Ref::Direct { full_ref_name: name, object: direct }
            } else {
                Ref::Peeled { full_ref_name: name, tag: direct, object: peeled }
            });
        }
        Ok(offered)
    }

    fn head(&self) -> Result<Option<Ref>, GitError> {
        let full_ref_name = BString::from("HEAD");
        let head = self.repo.head().during("read HEAD of the remote")?;
        Ok(match head.kind {
            gix::head::Kind::Unborn(name) => {
                Some(Ref::Unborn { full_ref_name, target: name.as_bstr().to_owned() })
            }
            gix::head::Kind::Detached { target, .. } => Some(Ref::Direct { full_ref_name, object: target }),
            gix::head::Kind::Symbolic(reference) => {
                let target = reference.name.as_bstr().to_owned();
                let object = self.repo.head_id().during("read HEAD of the remote")?.detach();
                Some(Ref::Symbolic { full_ref_name, target, tag: None, object })
            }
        })
    }

    /// The edit that moves one ref if it is unchanged since it was listed. Rejections are in a server's words.
    pub fn edit(
        &self,
        name: &BStr,
        before: Option<ObjectId>,
        after: Option<ObjectId>,
    ) -> Result<RefEdit, String> {
        let config = self.repo.config_snapshot();
        let set = |key: &str| config.boolean(key) == Some(true);
        let head = self.repo.head_name().ok().flatten();
        let is_head = head.is_some_and(|head| head.as_bstr() == name);
        if is_head && !self.repo.is_bare() {
            return Err("branch is currently checked out".into());
        }
        let rewrites = || match (before, after) {
            (Some(before), Some(after)) => !is_ancestor(&self.repo, before, after).unwrap_or(false),
            _ => false,
        };
        if after.is_none() && (is_head || set("receive.denyDeletes")) {
            return Err("deletion prohibited".into());
        }
        if set("receive.denyNonFastForwards") && rewrites() {
            return Err("non-fast-forward".into());
        }
        let full = gix::refs::FullName::try_from(name).map_err(|_| "funny refname".to_owned())?;
        let expected = before.map_or(PreviousValue::MustNotExist, |id| {
            PreviousValue::MustExistAndMatch(gix::refs::Target::Object(id))
        });
        Ok(match after {
            Some(id) => RefEdit::update(full, id, expected, "push"),
            None => RefEdit::delete(full, expected),
        })
    }

    /// Moves refs, all of them or none.
    pub fn apply(&self, edits: Vec<RefEdit>) -> Result<(), String> {
        let mut repo = self.repo.clone();
        repo.committer_or_set_generic_fallback().map_err(|error| error.to_string())?;
        refs::edit_few(&repo, edits).map_err(|_| "failed to update ref".to_owned())
    }
}

/// Whether a value of `transfer.hideRefs` covers the ref: the ref itself or a folder above it.
fn hides(prefix: &BStr, name: &BStr) -> bool {
    let prefix = prefix.trim_end_with(|c| c == '/');
    name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// The ids of all refs of a repository, except broken ones.
pub(super) fn tips(repo: &Repository) -> Result<Vec<ObjectId>, GitError> {
    let mut ids = Vec::new();
    for mut reference in listing::all(repo, "list refs")? {
        if let Ok(id) = reference.follow_to_object() {
            ids.push(id.detach());
        }
    }
    Ok(ids)
}

#[derive(Debug, Default)]
pub(super) struct Copied {
    pub objects: usize,
    /// The change of the receiver's boundary, if any.
    pub boundary: Option<Shift>,
}

pub(super) struct LocalFetchRequest<'a> {
    pub want: &'a [ObjectId],
    pub depth: Depth,
    pub roots: Roots,
}

/// Copies the objects reachable from the wanted ones and missing in `to`, as one durable pack. The caller sets the
/// boundary of `to`: until then, no ref may name the new objects. If it must not change, nothing that would need it is
/// copied.
pub(super) fn transfer(
    from: &Repository,
    to: &Repository,
    order: &LocalFetchRequest<'_>,
    stage: Stage,
    network: &Network<'_>,
) -> Result<Copied, Error> {
    network.progress.update(Stage::Count, 0, None);
    let before = shallow::read(to)?;
    let known = KnownHistory { tips: &tips(to)?, boundary: &before };
    let (plan, after) = select_within(from, order.want, known, order.depth)?;
    let boundary = Shift::between(&before, &after);
    if boundary.is_some() && order.depth == Depth::Unchanged && order.roots == Roots::Refuse {
        return Ok(Copied { objects: 0, boundary });
    }
    let objects = plan.objects.len();
    if objects > 0 {
        write(from, to, &plan, stage, network)?;
    }
    Ok(Copied { objects, boundary })
}

fn write(
    from: &Repository,
    to: &Repository,
    plan: &SendPlan,
    stage: Stage,
    network: &Network<'_>,
) -> Result<(), Error> {
    let mut pack = PackFile::begin(to.objects.store_ref().path())?;
    let total = plan.objects.len() as u64;
    let (mut done, mut bytes) = (0, 0);
    let whole = each_entry(from, plan, Deltas::None, network.interrupt, |entry| {
        done += 1;
        bytes += entry.bytes.len() as u64;
        if done % 256 == 0 || done == total {
            network.progress.update(stage, done, Some(total));
            network.progress.bytes(stage, bytes);
        }
        pack.add(&entry)
    })?;
    if !whole {
        return Err(Error::Interrupted);
    }
    pack.finish()?;
    Ok(())
}
