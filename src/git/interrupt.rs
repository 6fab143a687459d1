//! Ctrl-C while a conversation with a remote goes on.

use std::sync::Once;
use std::sync::atomic::AtomicBool;

/// The flag that Ctrl-C sets, so that a transfer can end in order; a second Ctrl-C ends the process. Before the first
/// call Ctrl-C ends the process at once.
#[must_use]
pub fn interrupt() -> &'static AtomicBool {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let installed = gix::interrupt::init_handler_default(1);
        // without a handler Ctrl-C still ends the process
        drop(installed);
    });
    &gix::interrupt::IS_INTERRUPTED
}

/// When a signal ends the process, remove the lock files it holds. Without this Ctrl-C would leave `index.lock`.
pub(super) fn clean_up_when_killed() {
    use gix::tempfile::signal::{handler::Mode, setup};
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| setup(Mode::DeleteTempfilesOnTerminationAndRestoreDefaultBehaviour));
}
