//! Find operations by the names that users type.

use crate::Stop;
use crate::journal::{self, Listed, OperationId, Record};
use crate::open::context::Actor;
use brv_git::Scope;
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::trees::{self, Renames};
use bstr::{BString, ByteSlice as _};

/// What shows the names of operations.
const LISTED: &str = "`brv op log` lists the logged operations";

const LAST: [&str; 2] = ["@", "last"];

/// Find an operation (in `listed`, newest first) by its full id, a prefix of it, the eight digits at its end or a
/// prefix of these, or as the last one. `None`: it is not in the log here.
///
/// # Errors
/// Several have the name; the last one of an empty log.
pub fn find<'a>(listed: &'a [Listed], typed: &str) -> Result<Option<&'a Listed>, Stop> {
    if LAST.contains(&typed) {
        let last = listed.first().ok_or_else(|| Stop::usage("the operation log is empty").hint(LISTED));
        return last.map(Some);
    }
    let found: Vec<&Listed> = listed.iter().filter(|one| one.id.is_called(typed)).collect();
    let ids = found.iter().map(|one| one.id.clone()).collect();
    only(typed, ids).map(|one| one.and_then(|_| found.first().copied()))
}

/// The only match, if there is one.
///
/// # Errors
/// There are several.
pub fn only(typed: &str, mut found: Vec<OperationId>) -> Result<Option<OperationId>, Stop> {
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(Stop::usage(format!("`{typed}` is ambiguous: several operations begin with it"))
            .detailing(found.iter().map(ToString::to_string))
            .hint("use a longer part of the ID")),
    }
}

/// Why there is no operation of this name: it was made elsewhere, or pruned, or is none.
pub fn unknown(typed: &str) -> Stop {
    match OperationId::parse(typed) {
        Some(id) => Stop::refused(format!("operation {id} is not in the operation log here"))
            .hint("it was made in another clone, or pruned; `brv op log` lists the operations of this clone"),
        None => Stop::usage(format!("there is no operation `{typed}`")).hint(LISTED),
    }
}

/// What is recorded of an operation.
///
/// # Errors
/// Refused: another version of brv wrote it.
pub fn record(one: &Listed) -> Result<&Record, Stop> {
    one.record.as_ref().map_err(|reason| {
        Stop::refused(format!("operation {} was not written by this version of brv: {reason}", one.id))
            .hint("use the version of brv that wrote it")
    })
}

/// Whether the operation is the caller's own: of the session they name, whatever the actor is called in it; without a
/// session, of any session of the actor. A caller who names neither owns the operations without a name.
pub fn is_own(record: &Record, caller: &Actor) -> bool {
    let is_person = |name: &str| name.is_empty() || (name.contains('<') && name.ends_with('>'));
    let is_actor = match &caller.name {
        Some(name) => journal::one_line(name) == record.actor,
        None => is_person(&record.actor),
    };
    let session = caller.session.as_deref().map(journal::one_line).filter(|session| !session.is_empty());
    match (session, &caller.name) {
        (Some(session), _) => record.session.as_deref() == Some(&session),
        (None, Some(_)) => is_actor,
        (None, None) => is_actor && record.session.is_none(),
    }
}

/// The files of the operation, relative to the tree, sorted: those it changed on disk, in the index or in the history.
pub fn footprint(scope: &Scope, record: &Record) -> Result<Vec<BString>, Stop> {
    let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
    let changed = trees::diff(scope, before, after, Renames::Ignore)?;
    let mut paths: Vec<BString> = changed.into_iter().map(|change| change.path).collect();
    if record.lists_index() {
        let index = journal::transition(scope, record)?.index;
        let differs = |path: &&BString| index.before.entries.get(*path) != index.after.entries.get(*path);
        let staged = index.after.entries.keys().filter(differs);
        paths.extend(staged.filter_map(|path| Some(scope.strip(path.as_bstr())?.to_owned())));
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Whether one of the operation's files matches the paths.
pub fn touches(scope: &Scope, record: &Record, paths: &[Pathspec]) -> Result<bool, Stop> {
    let specs = Pathspecs::of(paths);
    Ok(footprint(scope, record)?.iter().any(|path| specs.matches(path.as_bstr())))
}
