//! Find operations by the names that users type.

use crate::journal::{self, Listed, OperationId, Record};
use crate::open::context::Actor;
use crate::{Fails, FailureKind};
use brv_git::Scope;
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::trees::{self, Renames};
use bstr::{BString, ByteSlice as _};

/// Why a name does not identify one operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("there is no operation `{0}`")]
    Unknown(String),
    /// A name of an operation that is not on record here: it was made elsewhere, or pruned.
    #[error("operation {0} is not in the operation log here")]
    Elsewhere(OperationId),
    #[error("the operation log is empty")]
    None,
    #[error("`{typed}` is ambiguous: several operations begin with it")]
    Ambiguous { typed: String, candidates: Vec<OperationId> },
    #[error("operation {id} was not written by this version of brv: {reason}")]
    Unreadable { id: OperationId, reason: String },
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Unreadable { .. } | Self::Elsewhere(_) => FailureKind::Refused,
            Self::Unknown(_) | Self::None | Self::Ambiguous { .. } => FailureKind::Usage,
        }
    }

    fn details(&self) -> Vec<String> {
        match self {
            Self::Ambiguous { candidates, .. } => candidates.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Ambiguous { .. } => "use a longer part of the ID",
            Self::Unreadable { .. } => "use the version of brv that wrote it",
            Self::Elsewhere(_) => {
                "it was made in another clone, or pruned; `brv op log` lists the operations of this clone"
            }
            Self::Unknown(_) | Self::None => "`brv op log` lists the logged operations",
        };
        Some(hint.into())
    }
}

const LAST: [&str; 2] = ["@", "last"];

/// Find an operation (in `listed`, newest first) by its full id, a prefix of it, the eight digits at its end or a
/// prefix of these, or as the last one.
pub fn find<'a>(listed: &'a [Listed], typed: &str) -> Result<&'a Listed, Error> {
    if LAST.contains(&typed) {
        return listed.first().ok_or(Error::None);
    }
    let found: Vec<&Listed> = listed.iter().filter(|one| one.id.is_called(typed)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(match OperationId::parse(typed) {
            Some(id) => Error::Elsewhere(id),
            None => Error::Unknown(typed.to_owned()),
        }),
        _ => {
            let candidates = found.into_iter().map(|one| one.id.clone()).collect();
            Err(Error::Ambiguous { typed: typed.to_owned(), candidates })
        }
    }
}

/// The only match.
///
/// # Errors
/// [`Error::Unknown`], [`Error::Ambiguous`]
pub fn only(typed: &str, mut found: Vec<OperationId>) -> Result<OperationId, Error> {
    match found.len() {
        0 => Err(Error::Unknown(typed.to_owned())),
        1 => Ok(found.remove(0)),
        _ => Err(Error::Ambiguous { typed: typed.to_owned(), candidates: found }),
    }
}

pub fn record(one: &Listed) -> Result<&Record, Error> {
    one.record.as_ref().map_err(|reason| Error::Unreadable { id: one.id.clone(), reason: reason.clone() })
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
pub fn footprint(scope: &Scope, record: &Record) -> Result<Vec<BString>, journal::Error> {
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
pub fn touches(scope: &Scope, record: &Record, paths: &[Pathspec]) -> Result<bool, journal::Error> {
    let specs = Pathspecs::of(paths);
    Ok(footprint(scope, record)?.iter().any(|path| specs.matches(path.as_bstr())))
}
