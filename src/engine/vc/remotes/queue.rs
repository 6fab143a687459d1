//! Queue processes of one user that write to the same remote: otherwise many agents would do work at the same time that
//! only one of them can push.
//!
//! Only a courtesy: a process that gets no turn goes on without one, which is harmless. Other machines do not see the
//! queue.

use super::retry::InterruptedRetry;
use brv_base::config;
use brv_base::content::ContentId;
use brv_base::environment::Environment;
use brv_base::fs::WriteGuard;
use brv_git as git;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The longest wait before going on without a turn: the current holder may be waiting for a slow network.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often to check for Ctrl-C.
const STEP: Duration = Duration::from_millis(50);

/// It is our turn until this is dropped; or there is no queue here.
pub struct QueueTurn {
    _guard: Option<WriteGuard>,
}

pub fn wait(environment: &Environment, address: &str) -> Result<QueueTurn, InterruptedRetry> {
    let Some(folder) = config::user_cache(environment) else { return Ok(QueueTurn { _guard: None }) };
    let lock = folder.join("turns").join(ContentId::of(address.as_bytes()).to_string());
    let (sender, turn) = mpsc::channel();
    // in a thread, so that Ctrl-C ends the wait; if we have left, the turn passes to the next process
    std::thread::spawn(move || drop(sender.send(WriteGuard::acquire(&lock, PATIENCE).ok())));
    loop {
        if git::interrupt().load(Ordering::Relaxed) {
            return Err(InterruptedRetry);
        }
        match turn.recv_timeout(STEP) {
            Ok(guard) => return Ok(QueueTurn { _guard: guard }),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(QueueTurn { _guard: None }),
        }
    }
}
