//! Ctrl-C during a transfer: sets a flag, and removes lock files when the process ends.

use std::sync::Once;
use std::sync::atomic::AtomicBool;

/// The flag that Ctrl-C sets, so that a transfer can stop cleanly; a second Ctrl-C ends the process. Before the first
/// call Ctrl-C ends the process at once.
pub fn interrupt() -> &'static AtomicBool {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let installed = gix::interrupt::init_handler_default(1);
        // without a handler Ctrl-C still ends the process
        drop(installed);
    });
    &gix::interrupt::IS_INTERRUPTED
}

/// Removes the lock files that the process holds when a signal ends it. Without this Ctrl-C would leave `index.lock`.
pub(super) fn clean_up_when_killed() {
    use gix::tempfile::signal::{handler::Mode, setup};
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| setup(Mode::DeleteTempfilesOnTerminationAndRestoreDefaultBehaviour));
}
