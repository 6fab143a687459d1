//! Take the write lock of a tree, and finish or roll back what an interrupted command left there.
//!
//! The journal recovers. This file says which of its files belong on this disk, and what kind of failure a busy tree is.

use crate::Stop;
use crate::journal::{self, Recovered};
use crate::open::context::Opened;
use crate::write::policy::own_files;
use brv_base::fs::WriteGuard;

/// Take the lock, then finish or roll back an interrupted command.
pub fn lock(opened: &Opened) -> Result<(WriteGuard, Option<Recovered>), Stop> {
    let guard = opened.lock()?;
    let recovered = journal::recover(&opened.scope, &guard, own_files::admits).map_err(|stop| {
        let message = format!("could not recover the interrupted command: {}", stop.message);
        Stop { message, ..stop }
    })?;
    Ok((guard, recovered))
}
