//! Ctrl-C during a transfer: sets a flag, and removes lock files when the process ends. A process that works for several
//! callers has a flag for each of them, an [`Interrupt`].

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

thread_local! {
    static OWN: Cell<Option<&'static AtomicBool>> = const { Cell::new(None) };
}

/// The flag that ends the work of this thread: the one of its [`Interrupt`], or the one that Ctrl-C sets, so that a
/// transfer can stop cleanly; a second Ctrl-C ends the process. Before the first call Ctrl-C ends the process at once.
pub fn interrupt() -> &'static AtomicBool {
    static INSTALLED: Once = Once::new();
    if let Some(own) = OWN.get() {
        return own;
    }
    INSTALLED.call_once(|| {
        let installed = gix::interrupt::init_handler_default(1);
        // without a handler Ctrl-C still ends the process
        drop(installed);
    });
    &gix::interrupt::IS_INTERRUPTED
}

/// The flag of [`interrupt`]. Does not take Ctrl-C over: unless that was done before, it ends the process.
pub fn heard_interrupt() -> &'static AtomicBool {
    OWN.get().unwrap_or(&gix::interrupt::IS_INTERRUPTED)
}

/// Flags that nobody uses now: transfers keep a reference for as long as the process lives, so that flags are used again
/// and never freed.
static FREE: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// Stops the work of one caller, in a process that has several.
#[derive(Debug)]
pub struct Interrupt(&'static AtomicBool);

impl Interrupt {
    pub fn new() -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let flag = free.unwrap_or_else(|| Box::leak(Box::new(AtomicBool::new(false))));
        flag.store(false, Ordering::Relaxed);
        Self(flag)
    }

    /// Stop the work, as soon as it looks.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Do work that this stops.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<&'static AtomicBool>);
        impl Drop for Restore {
            fn drop(&mut self) {
                OWN.set(self.0);
            }
        }
        let _restore = Restore(OWN.replace(Some(self.0)));
        work()
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// Removes the lock files that the process holds when a signal ends it. Without this Ctrl-C would leave `index.lock`.
pub(super) fn clean_up_when_killed() {
    use gix::tempfile::signal::{handler::Mode, setup};
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| setup(Mode::DeleteTempfilesOnTerminationAndRestoreDefaultBehaviour));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_flag_of_its_own() {
        let (one, two) = (Interrupt::new(), Interrupt::new());
        one.stop();
        assert!(one.during(|| interrupt().load(Ordering::Relaxed)));
        assert!(!two.during(|| interrupt().load(Ordering::Relaxed)));
        one.during(|| two.during(|| assert!(!interrupt().load(Ordering::Relaxed))));
        assert!(one.is_stopped() && !two.is_stopped());
        drop(one);
        assert!(!Interrupt::new().is_stopped(), "a used flag begins anew");
    }
}
