//! How long the process lives: it ends with its client, with its parent, and when nobody needs it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long calls that run when the client leaves may take before they are interrupted.
pub const LAST_CALLS: Duration = Duration::from_millis(3_500);

/// How long interrupted calls and last answers may take.
pub const LAST_WORDS: Duration = Duration::from_millis(700);

/// After so long without a call the server ends.
pub const IDLE: Duration = Duration::from_secs(8 * 3600);

/// How often it is checked whether the parent lives, where the system does not tell.
const STEP: Duration = Duration::from_millis(500);

/// The calls that run now, and when the last one was.
#[derive(Debug)]
pub struct Activity {
    running: AtomicUsize,
    done: AtomicUsize,
    ended: Notify,
    used: Notify,
    last: Mutex<Instant>,
}

/// A call that runs.
pub struct Running<'a>(&'a Activity);

impl Activity {
    pub fn new() -> Self {
        Self {
            running: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            ended: Notify::new(),
            used: Notify::new(),
            last: Mutex::new(Instant::now()),
        }
    }

    pub fn begin(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::SeqCst);
        self.touch();
        Running(self)
    }

    /// Somebody asked for something.
    pub fn touch(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// A message came, or a call ended.
    pub fn uses(&self) {
        self.used.notify_one();
    }

    /// What is notified then.
    pub const fn used(&self) -> &Notify {
        &self.used
    }

    /// How many calls were done.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// How long nothing ran and nobody asked.
    pub fn idle(&self) -> Duration {
        match self.running.load(Ordering::SeqCst) {
            0 => self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed(),
            _ => Duration::ZERO,
        }
    }

    /// Wait until nothing runs, but not forever.
    pub async fn rest(&self) {
        let quiet = async {
            loop {
                let ended = self.ended.notified();
                if self.running.load(Ordering::SeqCst) == 0 {
                    return;
                }
                ended.await;
            }
        };
        tokio::time::timeout(LAST_CALLS, quiet).await.ok();
    }

    /// Wait until nothing happened for so long.
    pub async fn idles(&self, time: Duration) {
        loop {
            let idle = self.idle();
            if idle >= time {
                return;
            }
            tokio::time::sleep(time - idle).await;
        }
    }
}

impl Default for Activity {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        self.0.done.fetch_add(1, Ordering::SeqCst);
        self.0.touch();
        self.0.ended.notify_waiters();
        self.0.uses();
    }
}

/// Wait, on a thread of its own, until the process that started this one is gone; forever where it cannot be known.
pub async fn parent_ends() {
    let (sender, ends) = tokio::sync::oneshot::channel();
    let watch = move || {
        if wait_for_parent() {
            sender.send(()).ok();
        } else {
            // the receiver waits for as long as the sender lives
            std::mem::forget(sender);
        }
    };
    if std::thread::Builder::new().name("parent".into()).spawn(watch).is_err() || ends.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Whether it was seen that the parent ended.
#[cfg(unix)]
fn wait_for_parent() -> bool {
    use rustix::process::getppid;
    // a parent that is the first process adopted us, or never ends
    let Some(parent) = getppid().filter(|parent| !parent.is_init()) else { return false };
    #[cfg(target_os = "linux")]
    if let Ok(handle) = rustix::process::pidfd_open(parent, rustix::process::PidfdFlags::empty()) {
        use rustix::event::{PollFd, PollFlags, poll};
        let mut waited = [PollFd::new(&handle, PollFlags::IN)];
        // it may have ended before the handle was opened, and its number may be another's now
        while getppid() == Some(parent) {
            if poll(&mut waited, None).is_ok() {
                return true;
            }
        }
        return true;
    }
    while getppid() == Some(parent) {
        std::thread::sleep(STEP);
    }
    true
}

#[cfg(not(unix))]
fn wait_for_parent() -> bool {
    let _ = STEP;
    false
}
