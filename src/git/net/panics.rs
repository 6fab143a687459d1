//! Guards every exchange with a server: a panic of gitoxide becomes an error.
//!
//! Such a panic is not printed. Other panics are reported as usual.

use super::network::Error;
use brv_base::messages::{brief, printable};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// gitoxide panicked during an exchange.
#[derive(Debug, thiserror::Error)]
#[error("brv's git library failed on it ({0})")]
pub(super) struct Panicked(String);

thread_local! {
    /// The number of guards around this thread.
    static HERE: Cell<usize> = const { Cell::new(0) };
}

/// The number of guards around all threads.
static ANYWHERE: AtomicUsize = AtomicUsize::new(0);

/// Runs an exchange with the server of `url`.
pub(super) fn exchange<T, E: From<Error>>(url: &str, act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    guarded(act).unwrap_or_else(|panicked| {
        let reason = panicked.to_string();
        Err(Error::Unusable { url: url.to_owned(), reason }.into())
    })
}

/// Runs `act`, and catches a panic silently. Its unfinished work is dropped.
pub(super) fn guarded<T>(act: impl FnOnce() -> T) -> Result<T, Panicked> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(keep_silent_under_guard);
    let _guard = PanicGuard::begin();
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| Panicked(words(&*payload)))
}

struct PanicGuard;

impl PanicGuard {
    fn begin() -> Self {
        HERE.set(HERE.get() + 1);
        ANYWHERE.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for PanicGuard {
    fn drop(&mut self) {
        HERE.set(HERE.get() - 1);
        ANYWHERE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A panic in a thread without a name, as workers have none, is passed to the thread that joins it.
fn keep_silent_under_guard() {
    let report = take_hook();
    set_hook(Box::new(move |panic| {
        let is_worker = || std::thread::current().name().is_none() && ANYWHERE.load(Ordering::Relaxed) > 0;
        if HERE.get() == 0 && !is_worker() {
            report(panic);
        }
    }));
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    brief(printable(text.unwrap_or("for no stated reason").as_bytes()).replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_of_the_remote_also_from_a_worker() {
        let failed = exchange::<(), Error>("git://example.org/x", || panic!("no {}", "way"));
        let Err(Error::Unusable { url, reason }) = failed else { panic!("{failed:?}") };
        assert_eq!(url, "git://example.org/x");
        assert_eq!(reason, "brv's git library failed on it (no way)");
        let worker = || std::thread::scope(|threads| threads.spawn(|| panic!("there")).join().map_err(drop));
        assert!(guarded(worker).unwrap().is_err());
        assert_eq!((HERE.get(), guarded(|| 7).unwrap()), (0, 7));
    }
}
