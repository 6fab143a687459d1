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

use crate::lab::Lab;

/// All rows, in the order of the table.
pub fn run_all(lab: &Lab) {
    merge::run(lab);
    local::run(lab);
    import::run(lab);
    derived::run(lab);
    whole::run(lab);
    reading::run(lab);
    signals::run(lab);
    search::run(lab);
    check::run(lab);
    curate::run(lab);
    archive::run(lab);
    dream::run(lab);
    brain::run(lab);
    hooks::run(lab);
    models::run(lab);
    sync::run(lab);
    branches::run(lab);
    operations::run(lab);
    distance::run(lab);
    history::run(lab);
    million::run(lab);
}
