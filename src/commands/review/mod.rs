//! `brv review`: look at the changes that operations marked for a person, and approve or reject them.

pub mod answer;
pub mod approve;
pub mod branch;
pub mod comment;
pub mod comments;
mod foreign;

pub use brv_text::lint::secrets::masked;
pub use foreign::may_steer;
pub mod log;
pub mod pending;
pub mod reject;
pub mod reopen;
pub mod show;
pub mod switch;

use brv_engine::open::context::{Actor, Context};
use brv_engine::open::naming::paths;
use brv_engine::open::state::{Ruling, StoredDecision};
use brv_engine::review::{self, Flag, ReviewStanding, Reviewed};
use brv_engine::{FailureKind, Stop};
use brv_git::Scope;
use brv_git::pathspec::{Pathspec, Pathspecs};
use bstr::{BStr, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

pub use brv_engine::review::ReviewRow;

/// What to decide about, as typed.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The id of a change, of an operation or of a dream, or the beginning of one; or the path of what is withheld or waits for a person.
    pub id: String,
    /// Only these paths of it.
    pub paths: Vec<String>,
    /// Why.
    pub comment: Option<String>,
}

/// What was decided about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReviewDecision")]
pub enum Decision {
    /// It stays.
    Approved,
    /// It was taken back.
    Rejected,
    /// An approval was taken back: the change waits again.
    Reopened,
    /// Others have it, and nobody decided here. Only the log says so.
    Published,
}

impl From<Ruling> for Decision {
    fn from(ruling: Ruling) -> Self {
        match ruling {
            Ruling::Approved => Self::Approved,
            Ruling::Rejected => Self::Rejected,
            Ruling::Reopened => Self::Reopened,
        }
    }
}

/// A change that was decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewDecided")]
pub struct Decided {
    /// Its id.
    pub id: String,
    /// The path, relative to the tree.
    pub path: String,
    /// What was decided.
    pub decision: Decision,
    /// Whether that was so before.
    #[serde(skip)]
    pub is_old: bool,
}

impl Decided {
    fn of(flag: &Flag, decision: Decision, is_old: bool) -> Self {
        Self { id: flag.id.clone(), path: flag.path.to_string(), decision, is_old }
    }
}

const LIST: &str = "`brv review --all` lists the changes and their IDs";

/// The changes that a typed id names.
///
/// # Errors
/// None is called so, several are, or a path is none of theirs.
fn chosen<'r>(
    cx: &Context<'_>,
    scope: &Scope,
    reviewed: &'r Reviewed,
    (id, paths): (&str, &[String]),
) -> Result<Vec<&'r (Flag, ReviewStanding)>, Stop> {
    let found = match called(reviewed, id)? {
        Some(found) => found,
        None => foreign_at(cx, scope, reviewed, id)?,
    };
    narrowed(found, &paths::pathspecs(&scope.root(), &cx.cwd, paths)?)
}

/// The changes that an id names, of a change, an operation or a dream.
///
/// # Errors
/// Several are called so.
fn called<'r>(reviewed: &'r Reviewed, id: &str) -> Result<Option<Vec<&'r (Flag, ReviewStanding)>>, Stop> {
    let typed = id.trim().to_lowercase();
    let is_row = |flag: &Flag| !typed.is_empty() && flag.id.starts_with(&typed);
    let is_operation = |flag: &Flag| {
        let operation = flag.operation.as_ref();
        operation.is_some_and(|operation| operation.is_called(id) || operation.is_called(&typed))
            || flag.dream.as_deref() == Some(id)
    };
    let rows: Vec<_> = reviewed.flags.iter().filter(|(flag, _)| is_row(flag)).collect();
    let of_operation: Vec<_> = reviewed.flags.iter().filter(|(flag, _)| is_operation(flag)).collect();
    let operations: BTreeSet<_> =
        of_operation.iter().filter_map(|(flag, _)| flag.operation.as_ref()).collect();
    let exact = rows.iter().find(|(flag, _)| flag.id == typed);
    match (rows.len(), operations.len(), exact) {
        (_, _, Some(exact)) => Ok(Some(vec![*exact])),
        (0, 0, _) => Ok(None),
        (1, 0, _) => Ok(Some(rows)),
        (0, 1, _) => Ok(Some(of_operation)),
        _ => {
            let named = rows.iter().map(|(flag, _)| flag.id.clone());
            let names: Vec<String> = named.chain(operations.iter().map(ToString::to_string)).collect();
            let message = format!("`{id}` is ambiguous: {} begin with it", names.join(", "));
            Err(Stop::usage(message))
        }
    }
}

/// What came from elsewhere, or waits for a person, and is at a path, or below it.
fn foreign_at<'r>(
    cx: &Context<'_>,
    scope: &Scope,
    reviewed: &'r Reviewed,
    path: &str,
) -> Result<Vec<&'r (Flag, ReviewStanding)>, Stop> {
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &[path.to_owned()]).unwrap_or_default();
    let is_at = |flag: &Flag| specs.iter().any(|spec| spec.matches(flag.path.as_bstr()));
    let waits = |(flag, standing): &&(Flag, ReviewStanding)| {
        flag.is_foreign || *standing == ReviewStanding::Pending && foreign::waits_for_person(flag)
    };
    let found: Vec<_> = reviewed.flags.iter().filter(|one| waits(one) && is_at(&one.0)).collect();
    match found.is_empty() {
        true => Err(Stop::usage(format!("there is no change `{path}` to review")).hint(LIST)),
        false => Ok(found),
    }
}

/// Those at the paths.
fn narrowed<'r>(
    found: Vec<&'r (Flag, ReviewStanding)>,
    paths: &[Pathspec],
) -> Result<Vec<&'r (Flag, ReviewStanding)>, Stop> {
    let is_at = |spec: &Pathspec, path: &BStr| spec.matches(path);
    for spec in paths {
        if !found.iter().any(|(flag, _)| is_at(spec, flag.path.as_bstr())) {
            let message = format!("`{}` is not among the paths to review there", spec.as_bstr());
            return Err(Stop::usage(message).hint("`brv review show ID` lists them"));
        }
    }
    let specs = Pathspecs::of(paths);
    Ok(found.into_iter().filter(|(flag, _)| paths.is_empty() || specs.matches(flag.path.as_bstr())).collect())
}

/// Whether a change was made by the caller: in the same session, or by the same agent.
fn is_own(flag: &Flag, caller: &Actor) -> bool {
    let [name, session] = &flag.named;
    let same = |named: &Option<String>, own: &Option<String>| {
        let own = own.as_deref().map(brv_engine::journal::one_line).filter(|own| !own.is_empty());
        own.is_some() && *named == own
    };
    same(session, &caller.session) || same(name, &caller.name)
}

/// What only a person may decide about is left to one.
fn left_to_person(open: &[&Flag], caller: &Context<'_>) -> Result<(), Stop> {
    let Some(one) = open.iter().find(|flag| foreign::waits_for_person(flag) && caller.is_by_agent()) else {
        return Ok(());
    };
    let why = if one.is_foreign { "came from elsewhere" } else { "has text that instructs" };
    let message = format!("`{}` {why}: only a person may decide about it", one.path);
    let hint = "a person runs it without BRV_ACTOR and BRV_SESSION";
    Err(Stop::new(FailureKind::Refused, message).hint(hint))
}

/// The decisions to keep about changes: what instructs is served as they say, as what came from elsewhere is.
fn rulings(open: &[&Flag], decision: (Ruling, Option<&String>), by: (&str, i64)) -> Vec<StoredDecision> {
    let instructs = |flag: &&&Flag| !flag.is_foreign && foreign::waits_for_person(flag);
    let versions = open.iter().filter(instructs).filter_map(|flag| Some((flag, flag.versions[1]?)));
    let of_versions = versions.map(|(flag, version)| StoredDecision {
        change: review::foreign_change(version.id),
        ..review::stored(flag, decision, by)
    });
    open.iter().map(|flag| review::stored(flag, decision, by)).chain(of_versions).collect()
}

/// The marked changes of the same operation.
fn siblings<'r>(reviewed: &'r Reviewed, flag: &Flag) -> Vec<&'r Flag> {
    let is_sibling = |other: &&Flag| other.operation == flag.operation && other.commit == flag.commit;
    reviewed.flags.iter().map(|(other, _)| other).filter(is_sibling).collect()
}
