//! What is measured, one file for each kind of work.

mod archive;
mod brain;
mod branches;
mod check;
mod curate;
mod derived;
mod distance;
mod dream;
mod history;
mod hooks;
mod import;
mod local;
mod merge;
mod million;
mod models;
mod operations;
mod reading;
mod search;
mod signals;
mod sync;
mod whole;

pub use sync::bare;

use crate::lab::Lab;

/// All rows, in the order of the table.
const ALL: [fn(&Lab); 21] = [
    merge::run,
    local::run,
    import::run,
    derived::run,
    whole::run,
    reading::run,
    signals::run,
    search::run,
    check::run,
    curate::run,
    archive::run,
    dream::run,
    brain::run,
    hooks::run,
    models::run,
    sync::run,
    branches::run,
    operations::run,
    distance::run,
    history::run,
    million::run,
];

/// Measure them.
pub fn run_all(lab: &Lab) {
    for rows in ALL {
        rows(lab);
        lab.tidy();
    }
}
