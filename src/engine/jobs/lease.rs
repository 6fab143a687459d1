//! The lease of the worker: who holds it does the jobs, and nobody else. The operating system frees it when its process
//! ends, however that happens.

use super::Store;
use brv_base::environment::Environment;
use brv_base::fs::{self, Busy, WriteGuard};
use brv_base::process;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that is locked, beside the state. In a git folder, names with `.lock` are those of locks that end with their command.
const FILE: &str = "worker";

/// The lock that the worker holds.
pub struct Lease {
    _guard: WriteGuard,
}

impl Lease {
    /// Take the lease, waiting at most `patience` for the worker that holds it. `None`: that one goes on.
    ///
    /// # Errors
    /// The lock file cannot be made.
    pub fn take(store: &Store, patience: Duration) -> Result<Option<Self>, fs::Error> {
        match WriteGuard::acquire(&file(store), patience) {
            Ok(guard) => Ok(Some(Self { _guard: guard })),
            Err(Busy::Held { .. }) => Ok(None),
            Err(Busy::File(error)) => Err(error),
        }
    }
}

fn file(store: &Store) -> PathBuf {
    store.folder().join(FILE)
}

/// Whether a worker is alive.
pub fn is_held(store: &Store) -> bool {
    WriteGuard::is_held(&file(store))
}

/// Start a worker that outlives this process, for the project around `folder`, unless one is alive. Where it cannot be
/// started, the jobs wait for the next one who starts a worker.
pub fn start_worker(store: &Store, folder: &Path, environment: &Environment) {
    if !is_held(store) {
        start_successor(folder, environment);
    }
}

/// Start a worker that waits a moment for the one that ends.
pub fn start_successor(folder: &Path, environment: &Environment) {
    let Some(program) = process::own_program() else { return };
    let kept = environment.iter().filter(|(name, _)| *name != "BRV_ACTOR" && *name != "BRV_SESSION");
    let mut command = process::command(program, &kept.collect());
    command.args(["hooks", "run", "worker"]).current_dir(folder);
    // what cannot be started now is started later
    let _ = process::detach(&mut command);
}
