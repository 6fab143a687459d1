//! The progress of a call, as notices to the client that asked for them.

use brv_base::progress::{Progress, Stage};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// The shortest time between two notices of one stage.
const STEP: Duration = Duration::from_millis(200);

/// Sends notices. Each has a higher number than the one before, as the protocol wants: stages begin anew at zero.
pub struct Notices {
    token: ProgressToken,
    sender: UnboundedSender<ProgressNotificationParam>,
    sent: AtomicU64,
    last: Mutex<Option<(Stage, Instant)>>,
}

impl Notices {
    pub fn new(token: ProgressToken, sender: UnboundedSender<ProgressNotificationParam>) -> Self {
        Self { token, sender, sent: AtomicU64::new(0), last: Mutex::new(None) }
    }

    fn send(&self, message: String) {
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        let notice = ProgressNotificationParam::new(self.token.clone(), number as f64).with_message(message);
        // nobody listens once the call is over
        self.sender.send(notice).ok();
    }

    /// Whether it is time for a notice of this stage.
    fn is_due(&self, stage: Stage) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|(then, at)| then != stage || at.elapsed() >= STEP);
        if is_due {
            *last = Some((stage, Instant::now()));
        }
        is_due
    }
}

impl Progress for Notices {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        if self.is_due(stage) {
            self.send(match total {
                Some(total) => format!("{}: {done} of {total}", stage.label()),
                None if done == 0 => stage.label().to_owned(),
                None => format!("{}: {done}", stage.label()),
            });
        }
    }

    fn remote_message(&self, line: &str) {
        self.send(format!("remote: {line}"));
    }
}
