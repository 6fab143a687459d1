//! What is measured, one file for each kind of work.

mod archiving;
mod brain;
mod branches;
mod checking;
mod curating;
mod derived;
mod distance;
mod dreaming;
mod history;
mod hooks;
mod import;
mod local;
mod merging;
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
    merging::run(lab);
    local::run(lab);
    import::run(lab);
    derived::run(lab);
    whole::run(lab);
    reading::run(lab);
    signals::run(lab);
    search::run(lab);
    checking::run(lab);
    curating::run(lab);
    archiving::run(lab);
    dreaming::run(lab);
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
