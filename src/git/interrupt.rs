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
