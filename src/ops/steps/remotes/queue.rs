//! Taking turns at a remote among the processes of one user on one machine: many agents that write to the same place
//! would else do work that only one of them at a time can bring home.
//!
//! A courtesy: whoever cannot have a turn goes on without one, and nothing is wrong with that. Other machines know
//! nothing of it.

use super::retry::Interrupted;
use crate::content::ContentId;
use crate::environment::Environment;
use crate::fs::WriteGuard;
use crate::{config, git};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Whoever has waited for so long goes on without a turn: the one whose turn it is may be waiting for a slow network.
const PATIENCE: Duration = Duration::from_secs(60);
/// Ctrl-C is looked for so often.
const STEP: Duration = Duration::from_millis(50);

/// It is our turn until this is dropped; or there are no turns here.
#[must_use = "the turn ends with this"]
pub struct Turn {
    _guard: Option<WriteGuard>,
}

/// Wait for a turn at the remote with this address.
///
/// # Errors
/// [`Interrupted`]
pub fn wait(environment: &Environment, address: &str) -> Result<Turn, Interrupted> {
    let Some(folder) = config::user_cache(environment) else { return Ok(Turn { _guard: None }) };
    let lock = folder.join("turns").join(ContentId::of(address.as_bytes()).to_string());
    let (sender, turn) = mpsc::channel();
    // beside, so that Ctrl-C ends the waiting; whoever has left lets the next one in
    std::thread::spawn(move || drop(sender.send(WriteGuard::acquire(&lock, PATIENCE).ok())));
    loop {
        if git::interrupt().load(Ordering::Relaxed) {
            return Err(Interrupted);
        }
        match turn.recv_timeout(STEP) {
            Ok(guard) => return Ok(Turn { _guard: guard }),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Turn { _guard: None }),
        }
    }
}
