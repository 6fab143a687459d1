//! Decide whether `brv vc gc` is due and whether to advise it now.

use brv_base::fs::{self, Durability};
use brv_git::{Scope, gc};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tidying {
    /// None: it is not due, or was advised today.
    #[default]
    NotDue,
    Due,
}

/// The seconds between two hints.
const PAUSE: i64 = 24 * 60 * 60;

/// Estimate whether there are many loose objects; `now` is in seconds since 1970. Saves the time of the advice, so that
/// not every command repeats it. Read and write errors are ignored: this is only advice.
pub fn tidying(scope: &Scope, now: i64) -> Tidying {
    if !gc::is_due(scope) {
        return Tidying::NotDue;
    }
    let note = scope.common_dir().join("brv").join("gc-advised");
    let said = fs::read_if_there(&note).ok().flatten();
    let said = said.and_then(|text| String::from_utf8_lossy(&text).trim().parse::<i64>().ok());
    if said.is_some_and(|said| (said..said + PAUSE).contains(&now)) {
        return Tidying::NotDue;
    }
    let _ = fs::replace(&note, format!("{now}\n").as_bytes(), Durability::Later);
    Tidying::Due
}
