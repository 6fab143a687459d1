//! References: reads them, and moves several at once with compare-and-swap.
//!
//! Its modules handle storage, listing, reflogs, tags, and brv's own refs.

pub(crate) mod broken;
pub(crate) mod listing;
pub(crate) mod packed_refs;
pub mod reflog;
pub mod rescue;
mod room;
pub mod set_aside;
pub mod tags;

use super::Scope;
use super::error::{During, Error, ErrorClass, RefRace};
use super::id::{CommitId, ObjectName};
use super::repository::broken_refs::RefFault;
use super::repository::locks;
use super::signature::Signature;
use bstr::{BStr, BString, ByteSlice as _};
use gix::refs::file::Transaction;
use gix::refs::file::transaction::PackedRefs;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for another writer of the same file.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Clone)]
pub struct Move {
    /// The full name: `refs/heads/main`, or `HEAD` itself when it is detached.
    pub name: BString,
    pub expected: Expected,
    /// The new value; `None` deletes it.
    pub target: Option<Target>,
    /// The reflog message; empty for references without a reflog.
    pub reason: BString,
}

/// The expected value of a reference before it is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Any value or none.
    Anything,
    Absent,
    Is(Target),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Object(ObjectName),
    /// Another reference (full name), as `HEAD` does.
    Symbolic(BString),
}

impl From<ObjectName> for Target {
    fn from(id: ObjectName) -> Self {
        Self::Object(id)
    }
}

impl From<CommitId> for Target {
    fn from(id: CommitId) -> Self {
        Self::Object(id.into())
    }
}

impl Target {
    fn to_gix(&self) -> Result<gix::refs::Target, Error> {
        Ok(match self {
            Self::Object(id) => gix::refs::Target::Object(id.0),
            Self::Symbolic(name) => {
                let act = || format!("point to {name}");
                gix::refs::Target::Symbolic(name.clone().try_into().during(act())?)
            }
        })
    }
}

/// Moves the references, durably; `who` goes into the reflogs. As in git, `HEAD`'s own log gets every move of its
/// branch. All are moved or none, with two exceptions in which the rest is moved first: a name that replaces a folder
/// of references or the reverse, and a `HEAD` that leaves its branch for a commit.
pub fn update(scope: &Scope, moves: Vec<Move>, who: &Signature) -> Result<(), Error> {
    update_with(scope, moves, who, || Ok(()))
}

/// As [`update`], with an action that runs once the references are locked and checked, right before they move. It does
/// not run if the check fails; if it fails, nothing moves.
///
/// # Errors
/// As [`update`], and when the action fails.
pub fn update_with(
    scope: &Scope,
    moves: Vec<Move>,
    who: &Signature,
    along: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    room::refuse_hindered(&scope.repo, &moves)?;
    let mut along = Some(along);
    let mut go_along = || along.take().map_or(Ok(()), |along| along());
    let names: Vec<BString> = moves.iter().map(|wanted| wanted.name.clone()).collect();
    let head = scope.head()?;
    let switch = moves.iter().find(|wanted| wanted.name == "HEAD" && wanted.is_switch());
    let switch = switch.map(|wanted| wanted.reason.clone());
    let moves_head = names.iter().any(|name| name == "HEAD");
    let branch = head.branch().filter(|_| !moves_head);
    let (first, rest): (Vec<_>, Vec<_>) = {
        let new: Vec<BString> =
            moves.iter().filter(|one| one.target.is_some()).map(|one| one.name.clone()).collect();
        moves
            .into_iter()
            .partition(|one| one.target.is_none() && new.iter().any(|new| is_inside(new, &one.name)))
    };
    // gitoxide's reflog line would not show where HEAD was
    let (last, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(Move::is_detachment);
    let mut unlogged = scope.repo.clone();
    unlogged.refs.write_reflog = gix::refs::store::WriteReflog::Disable;
    let stages = [(&scope.repo, first), (&scope.repo, rest), (&unlogged, last)];
    let what = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut buffer = gix::date::parse::TimeBuf::default();
    let signature = who.to_gix();
    let signature = signature.to_ref(&mut buffer);
    for (repo, moves) in stages.into_iter().filter(|(_, moves)| !moves.is_empty()) {
        let names: Vec<BString> = moves.iter().map(|wanted| wanted.name.clone()).collect();
        let edits = moves.into_iter().map(|wanted| edit(wanted, branch)).collect::<Result<Vec<_>, _>>()?;
        carry_out(repo, edits, Some(signature), &names, || format!("update {what}"), &mut go_along)?;
    }
    // nothing moves
    go_along()?;
    match switch {
        Some(reason) => log_switch(scope, head.commit(), reason.as_bstr(), who),
        None => Ok(()),
    }
}

/// Waits until no other process holds a lock that these moves need, for as long as git would.
///
/// # Errors
/// A lock that is not released, or files in the way of a reference or its log.
pub fn wait_until_movable(scope: &Scope, moves: &[Move]) -> Result<(), Error> {
    let repo = &scope.repo;
    room::refuse_hindered(repo, moves)?;
    for Move { name, .. } in moves {
        wait_until_free(repo, &path(repo, name.as_bstr()), || format!("update {name}"))?;
    }
    // publishing an operation removes a reference
    wait_until_free(repo, [&packed_refs(repo)], || "update references".into())
}

fn wait_until_free<'a>(
    repo: &gix::Repository,
    files: impl IntoIterator<Item = &'a PathBuf>,
    act: impl Fn() -> String,
) -> Result<(), Error> {
    let packed_refs = packed_refs(repo);
    for file in files {
        let patience = if *file == packed_refs { packed_patience(repo) } else { loose_patience(repo) };
        locks::wait_until_free(repo.common_dir(), file, patience, &act)?;
    }
    Ok(())
}

fn packed_refs(repo: &gix::Repository) -> PathBuf {
    repo.common_dir().join("packed-refs")
}

/// gitoxide syncs nothing: this syncs the new values in their locks, before a rename shows them, and then the renames.
/// `names` are the references whose files are created or removed.
fn carry_out(
    repo: &gix::Repository,
    edits: Vec<RefEdit>,
    who: Option<gix::actor::SignatureRef<'_>>,
    names: &[BString],
    act: impl Fn() -> String,
    along: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    move_all(repo, edits, who, names, act, along).map_err(|error| error.placed(repo.common_dir()))
}

fn move_all(
    repo: &gix::Repository,
    edits: Vec<RefEdit>,
    who: Option<gix::actor::SignatureRef<'_>>,
    names: &[BString],
    act: impl Fn() -> String,
    along: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    // references that are not locked here may be locked by another process: `HEAD` when its branch moves through it,
    // `packed-refs` when a reference is deleted
    let head = edits.iter().any(|edit| edit.name.as_bstr() == "HEAD").then(|| repo.git_dir().join("HEAD"));
    let goes = edits.iter().any(|edit| matches!(edit.change, Change::Delete { .. }));
    let packed_refs = goes.then(|| packed_refs(repo));
    let files: Vec<PathBuf> = names.iter().filter_map(|name| path(repo, name.as_ref())).chain(head).collect();
    wait_until_free(repo, files.iter().chain(&packed_refs), &act)?;
    let mut notice = announce(repo, files.iter().chain(&packed_refs))?;
    let places = RefFilePaths::of(repo, names);
    let (loose, packed) = (loose_patience(repo), packed_patience(repo));
    let expected: Vec<_> = edits.iter().map(expected).collect();
    let prepared = prepare(repo, &|| repo.refs.transaction(), &edits, [loose, packed], &act);
    let prepared = prepared.map_err(|error| {
        let wanted = names.iter().zip(&expected);
        hindered(repo, error, &act, files.iter().chain(&packed_refs), wanted)
    })?;
    let locks: Vec<_> = names.iter().filter_map(|name| locks::of_ref(repo, name.as_ref())).collect();
    if locks.len() > FEW {
        let locks = locks.iter().map(PathBuf::as_path);
        brv_base::fs::sync_work_tree(repo.common_dir(), locks).during("make references durable")?;
    } else {
        for lock in &locks {
            brv_base::fs::sync_file(lock).during(act())?;
        }
    }
    for file in &files {
        notice.note_taken(file);
    }
    along()?;
    prepared.commit(who).during(act())?;
    places.sync(repo)
}

/// How often references are locked again when `packed-refs` changes meanwhile.
const TRIES: u32 = 20;

/// Locks and compares. Tries again if `packed-refs` changed meanwhile: gitoxide may read it before it has its lock, and
/// would then miss a reference that git has just packed, or write the file back without it.
fn prepare<'r>(
    repo: &'r gix::Repository,
    begin: &dyn Fn() -> Transaction<'r, 'r>,
    edits: &[RefEdit],
    [loose, packed]: [Duration; 2],
    act: impl Fn() -> String,
) -> Result<Transaction<'r, 'r>, Error> {
    for _ in 0..TRIES {
        let before = listing::packed_refs(repo);
        let prepared = begin().prepare(edits.iter().cloned(), loose.into(), packed.into());
        if listing::packed_refs(repo) == before {
            return prepared.during(act());
        }
        drop(prepared);
        std::thread::sleep(listing::PAUSE);
    }
    Err(Error::new(act(), RefRace("packed-refs".into())))
}

/// Why references could not be locked and checked; without gitoxide's message if another process is the cause.
fn hindered<'a>(
    repo: &gix::Repository,
    error: Error,
    act: impl Fn() -> String,
    files: impl Iterator<Item = &'a PathBuf>,
    mut wanted: impl Iterator<Item = (&'a BString, &'a PreviousValue)>,
) -> Error {
    let is_held = error.class() == ErrorClass::Transient;
    if let Some(held) = files.filter(|_| is_held).find_map(|file| locks::held(file)) {
        return Error::new(act(), held);
    }
    match wanted.find(|(name, expected)| !is_as(repo, name.as_bstr(), expected)) {
        Some((name, _)) => Error::new(act(), RefRace(name.clone())),
        None => error,
    }
}

fn expected(edit: &RefEdit) -> PreviousValue {
    match &edit.change {
        Change::Update { expected, .. } | Change::Delete { expected, .. } => expected.clone(),
    }
}

/// Whether a reference (full name) has the expected value.
fn is_as(repo: &gix::Repository, name: &BStr, expected: &PreviousValue) -> bool {
    let Ok(found) = repo.try_find_reference(name) else { return true };
    let target = found.as_ref().map(|found| found.target());
    match (expected, target) {
        (PreviousValue::MustExistAndMatch(wanted), found) => found == Some(wanted.to_ref()),
        (PreviousValue::ExistingMustMatch(wanted), Some(found)) => found == wanted.to_ref(),
        (PreviousValue::MustNotExist, found) => found.is_none(),
        (PreviousValue::MustExist, found) => found.is_some(),
        (PreviousValue::ExistingMustMatch(_) | PreviousValue::Any, _) => true,
    }
}

/// See [`locks`].
fn announce<'a>(
    repo: &gix::Repository,
    files: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<locks::Notice, Error> {
    locks::announce(repo.common_dir(), files.into_iter().map(PathBuf::as_path))
}

/// How long git would wait for the lock of a loose reference.
fn loose_patience(repo: &gix::Repository) -> Duration {
    patience(repo, "core.filesRefLockTimeout", 100)
}

/// How long git would wait for the lock of `packed-refs`.
fn packed_patience(repo: &gix::Repository) -> Duration {
    patience(repo, "core.packedRefsTimeout", 1_000)
}

/// The setting is in milliseconds; below zero it means for ever.
fn patience(repo: &gix::Repository, setting: &str, otherwise: u64) -> Duration {
    let milliseconds = repo.config_snapshot().integer(setting).map(u64::try_from);
    match milliseconds {
        Some(Err(_)) => Duration::from_secs(u64::from(u32::MAX)),
        Some(Ok(milliseconds)) => Duration::from_millis(milliseconds),
        None => Duration::from_millis(otherwise),
    }
}

/// Whether one of the names is a folder of the other.
fn is_inside(one: &BString, other: &BString) -> bool {
    let below = |inner: &BString, outer: &BString| {
        inner.strip_prefix(outer.as_slice()).is_some_and(|rest| rest.starts_with(b"/"))
    };
    below(one, other) || below(other, one)
}

impl Move {
    /// Whether it moves `HEAD` to another branch, to none, or from none.
    const fn is_switch(&self) -> bool {
        matches!(self.target, Some(Target::Symbolic(_))) || self.is_detachment()
    }

    const fn is_detachment(&self) -> bool {
        matches!((&self.expected, &self.target), (Expected::Is(Target::Symbolic(_)), Some(Target::Object(_))))
    }
}

/// Adds a line to the log of `HEAD` for a move that changes nothing, as git does for a reset to the current commit.
pub fn log_stay(scope: &Scope, reason: &BStr, who: &Signature) -> Result<(), Error> {
    log_switch(scope, scope.head()?.commit(), reason, who)
}

/// Logs the switch of a symbolic `HEAD`, which gitoxide does not: git logs from where to where it moved.
fn log_switch(scope: &Scope, old: Option<CommitId>, reason: &BStr, who: &Signature) -> Result<(), Error> {
    use std::io::Write as _;
    let Some(new) = scope.head()?.commit() else { return Ok(()) };
    let old = old.map_or_else(|| "0".repeat(40), |id| id.to_string());
    let path = scope.git_dir().join("logs").join("HEAD");
    let act = || format!("write `{}`", path.display());
    let is_wanted = scope.repo.config_snapshot().boolean("core.logAllRefUpdates").unwrap_or(true);
    if !is_wanted && !path.exists() {
        return Ok(());
    }
    let none = "0".repeat(40);
    // git deletes the branch under the old name while HEAD is on it, and logs that
    let steps = match reason.starts_with(b"Branch: renamed ") {
        true => vec![(old, none.clone()), (none, new.to_string())],
        false => vec![(old, new.to_string())],
    };
    let mut line = Vec::new();
    for (old, new) in steps {
        line.extend_from_slice(format!("{old} {new} ").as_bytes());
        who.to_gix().write_to(&mut line).during(act())?;
        line.push(b'\t');
        line.extend(reason.lines().next().unwrap_or_default());
        line.push(b'\n');
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).during(act())?;
    }
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path).during(act())?;
    file.write_all(&line).during(act())
}

/// `current` is the branch that `HEAD` is on: it is moved through `HEAD`, so that both logs get the line.
fn edit(wanted: Move, current: Option<&BStr>) -> Result<RefEdit, Error> {
    let act = || format!("update {}", wanted.name);
    let deref = wanted.target.is_some() && current == Some(wanted.name.as_ref());
    let name = if deref { "HEAD".into() } else { wanted.name.clone() };
    let name: gix::refs::FullName = name.try_into().during(act())?;
    let expected = match wanted.expected {
        Expected::Anything => PreviousValue::Any,
        Expected::Absent => PreviousValue::MustNotExist,
        Expected::Is(target) => PreviousValue::MustExistAndMatch(target.to_gix()?),
    };
    let change = match wanted.target {
        Some(target) => Change::Update {
            log: LogChange { mode: RefLog::AndReference, force_create_reflog: false, message: wanted.reason },
            expected,
            new: target.to_gix()?,
        },
        None => Change::Delete { expected, log: RefLog::AndReference },
    };
    Ok(RefEdit { change, name, deref })
}

/// More references than this are synced together.
const FEW: usize = 64;

/// From this many on, refs are written to `packed-refs`: each loose file costs a sync.
const MANY: usize = 32;

/// Moves references durably; many at once without a file for each. A few are moved all or none; of many, new ones come
/// first, and without a log, as after a clone by git.
pub(super) fn edit_many(repo: &gix::Repository, edits: Vec<RefEdit>) -> Result<(), Error> {
    if edits.len() < MANY {
        return edit_few(repo, edits);
    }
    let is_new = |edit: &RefEdit| match &edit.change {
        Change::Update {
            expected: PreviousValue::MustNotExist, new: gix::refs::Target::Object(id), ..
        } => Some(*id),
        _ => None,
    };
    let (new, rest): (Vec<_>, Vec<_>) = edits.into_iter().partition(|edit| is_new(edit).is_some());
    let lines = new.iter().filter_map(|edit| Some((edit.name.as_bstr().to_owned(), is_new(edit)?)));
    let refused = packed_refs::create(repo, lines.collect())?;
    let refused: HashSet<_> = refused.into_iter().map(|(name, _)| name).collect();
    let left = new.into_iter().filter(|edit| refused.contains(edit.name.as_bstr())).chain(rest);
    let left: Vec<_> = left.collect();
    if left.len() < MANY {
        return edit_few(repo, left);
    }
    let act = || "update refs";
    let names: Vec<BString> = left.iter().map(|edit| edit.name.as_bstr().to_owned()).collect();
    let files: Vec<PathBuf> = names.iter().filter_map(|name| path(repo, name.as_ref())).collect();
    let packed_refs = packed_refs(repo);
    let _notice = announce(repo, files.iter().chain([&packed_refs]))?;
    let committer = repo.committer().transpose().during(act())?;
    let expected: Vec<_> = left.iter().map(expected).collect();
    let begin = || {
        let objects = Box::new(repo.objects.clone());
        let packed = PackedRefs::DeletionsAndNonSymbolicUpdatesRemoveLooseSourceReference(objects);
        repo.refs.transaction().packed_refs(packed)
    };
    let prepared = prepare(repo, &begin, &left, [PATIENCE; 2], || act().to_owned());
    let prepared = prepared.map_err(|error| {
        let files = files.iter().chain([&packed_refs]);
        hindered(repo, error, || act().to_owned(), files, names.iter().zip(&expected))
    })?;
    prepared.commit(committer).during(act())?;
    brv_base::fs::sync_file(&packed_refs).during(act())?;
    brv_base::fs::sync_folder(repo.common_dir()).during(act())
}

/// Moves a few references, all of them or none, durably.
pub(super) fn edit_few(repo: &gix::Repository, edits: Vec<RefEdit>) -> Result<(), Error> {
    let names: Vec<BString> = edits.iter().map(|edit| edit.name.as_bstr().to_owned()).collect();
    let committer = repo.committer().transpose().during("move refs")?;
    carry_out(repo, edits, committer, &names, || "move refs".into(), &mut || Ok(()))
}

fn path(repo: &gix::Repository, name: &BStr) -> Option<PathBuf> {
    Some(base(repo, name).join(gix::path::from_bstr(name).ok()?))
}

fn base<'r>(repo: &'r gix::Repository, name: &BStr) -> &'r Path {
    // HEAD and ORIG_HEAD belong to this work tree alone
    if name.contains(&b'/') { repo.common_dir() } else { repo.git_dir() }
}

/// The files of references that are created or removed: each with the lowest existing folder above it.
struct RefFilePaths(Vec<(PathBuf, PathBuf)>);

impl RefFilePaths {
    fn of(repo: &gix::Repository, names: &[BString]) -> Self {
        let known = |file: PathBuf| {
            let folder = file.ancestors().skip(1).find(|folder| folder.is_dir())?.to_path_buf();
            Some((file, folder))
        };
        Self(names.iter().filter_map(|name| path(repo, name.as_ref())).filter_map(known).collect())
    }

    /// Syncs the creation or removal of the files, and of the folders created or removed with them.
    fn sync(&self, repo: &gix::Repository) -> Result<(), Error> {
        let act = "make references durable";
        if self.0.len() > FEW {
            let files = self.0.iter().map(|(file, _)| file.as_path());
            return brv_base::fs::sync_work_tree(repo.common_dir(), files).during(act);
        }
        // creations are durable before removals, and a folder before its entry: a file that replaces another never goes
        // missing with it
        let (came, went): (Vec<_>, Vec<_>) = self.0.iter().partition(|(file, _)| file.exists());
        let mut synced = std::collections::HashSet::new();
        for places in [came, went] {
            let mut folders: Vec<&Path> = places.into_iter().flat_map(Self::folders).collect();
            folders.sort_unstable_by_key(|folder| std::cmp::Reverse(folder.components().count()));
            for folder in folders.into_iter().filter(|folder| synced.insert(*folder)) {
                match brv_base::fs::sync_folder(folder) {
                    // git has packed the refs in it, and removed it
                    Err(error) if brv_base::fs::is_absence(&error.source) => {
                        brv_base::fs::sync_folder(repo.common_dir())
                    }
                    done => done,
                }
                .during(act)?;
            }
        }
        Ok(())
    }

    /// The existing folders, from that of the file up to the one that existed before.
    fn folders((file, known): &(PathBuf, PathBuf)) -> impl Iterator<Item = &Path> {
        let known = known.ancestors().find(|folder| folder.is_dir());
        let above = file.ancestors().skip(1).filter(|folder| folder.is_dir());
        above.take_while(move |folder| known.is_none_or(|known| !known.starts_with(folder))).chain(known)
    }
}

/// The direct value of a reference (full name), `None` if it does not exist.
pub fn target(scope: &Scope, name: &BStr) -> Result<Option<Target>, Error> {
    Ok(read(scope, name)?.map(|reference| match reference.target() {
        gix::refs::TargetRef::Object(id) => Target::Object(ObjectName(id.to_owned())),
        gix::refs::TargetRef::Symbolic(name) => Target::Symbolic(name.as_bstr().to_owned()),
    }))
}

/// The object that a reference (full name) resolves to, through symbolic references; none if it is broken.
pub fn find(scope: &Scope, name: &BStr) -> Result<Option<ObjectName>, Error> {
    Ok(followed(scope, name)?.map(|(_, id)| ObjectName(id)))
}

/// The commit that a reference (full name) resolves to; none if the reference is broken.
///
/// # Errors
/// A reference that cannot be read or does not resolve to a commit.
pub fn commit(scope: &Scope, name: &BStr) -> Result<Option<CommitId>, Error> {
    let Some((mut reference, id)) = followed(scope, name)? else { return Ok(None) };
    if !rescue::is_own(name) && !broken::has_object(scope, name, id) {
        return Ok(None);
    }
    Ok(Some(CommitId(reference.peel_to_commit().during(|| format!("read {name}"))?.id)))
}

fn followed<'s>(scope: &'s Scope, name: &BStr) -> Result<Option<(gix::Reference<'s>, gix::ObjectId)>, Error> {
    let Some(mut reference) = read(scope, name)? else { return Ok(None) };
    match reference.follow_to_object().map(gix::Id::detach) {
        Err(error) if !rescue::is_own(name) && broken::is_dangling(&error) => Ok(None),
        followed => Ok(Some((reference, followed.during(|| format!("read {name}"))?))),
    }
}

/// A reference by its full name; none if its content is broken. brv's own references must not be broken: an interrupted
/// operation would be forgotten.
fn read<'s>(scope: &'s Scope, name: &BStr) -> Result<Option<gix::Reference<'s>>, Error> {
    match scope.repo.try_find_reference(name) {
        Err(error) if !rescue::is_own(name) && broken::undecodable(&error).is_some() => {
            scope.broken_refs().note(name, RefFault::Content);
            Ok(None)
        }
        found => found.during(|| format!("read {name}")),
    }
}

/// The names of all references below a prefix (`refs/heads/`), sorted. Symbolic ones are not resolved.
pub fn names(scope: &Scope, prefix: &str) -> Result<Vec<BString>, Error> {
    Ok(below(scope, prefix)?.iter().map(|found| found.name().as_bstr().to_owned()).collect())
}

/// Every reference below a prefix (`refs/heads/`) with its object, sorted by name, except those to missing objects.
pub fn list(scope: &Scope, prefix: &str) -> Result<Vec<(BString, ObjectName)>, Error> {
    let mut found = Vec::new();
    for mut reference in below(scope, prefix)? {
        let name = reference.name().as_bstr().to_owned();
        // a symbolic one may name a branch that is still to come
        let Ok(id) = reference.follow_to_object().map(gix::Id::detach) else { continue };
        if broken::has_object(scope, name.as_bstr(), id) {
            found.push((name, ObjectName(id)));
        }
    }
    Ok(found)
}

/// Every reference below a prefix with the commit that it resolves to, sorted by name. Objects of branches are not
/// read, since they must be commits; tags of other objects are left out, and references to missing objects.
pub fn commits(scope: &Scope, prefix: &str) -> Result<Vec<(BString, CommitId)>, Error> {
    let is_tags = prefix.starts_with("refs/tags/");
    let mut found = Vec::new();
    for mut reference in below(scope, prefix)? {
        let name = reference.name().as_bstr().to_owned();
        let Ok(id) = reference.follow_to_object().map(gix::Id::detach) else { continue };
        if !broken::has_object(scope, name.as_bstr(), id) {
            continue;
        }
        let commit = if is_tags { rescue::commit_of(&scope.repo, id) } else { Some(id) };
        found.extend(commit.map(|id| (name, CommitId(id))));
    }
    Ok(found)
}

fn below<'s>(scope: &'s Scope, prefix: &str) -> Result<Vec<gix::Reference<'s>>, Error> {
    let listed = listing::listed(&scope.repo, Some(prefix.into()), || format!("list {prefix}"))?;
    for name in &listed.broken {
        scope.broken_refs().note(name.as_bstr(), RefFault::Content);
    }
    broken::note_names(scope, prefix);
    Ok(listed.found)
}
