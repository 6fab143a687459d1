//! Doing the same to many things on all cores, results in order; and something else beside the work.
//!
//! Knows nothing of what is done.

use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Thread;

/// How many threads serve `count` independent pieces of work: one for a few, never more than eight.
#[must_use]
pub fn workers(count: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    cores.min(8).min(count / 32 + 1)
}

/// As [`try_map`], where nothing can fail.
pub fn map<T: Sync, S, R: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let done = try_map(items, start, |state, item| Ok::<_, Infallible>(work(state, item)));
    done.unwrap_or_else(|never| match never {})
}

/// `work` on every item, each thread with a state of its own made by `start`. The results come in the items' order.
/// Neighbours mostly go to the same thread, so that what is kept in the state for one serves the next, too.
///
/// After the first error no new items are begun.
///
/// # Errors
/// The error of the first item in order that has one.
pub fn try_map<T: Sync, S, R: Send, E: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads = workers(items.len());
    // long enough to be neighbours, short enough that no thread waits for another at the end
    let run = (items.len() / (threads * 16)).clamp(1, 64);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        let mut state = start();
        let mut own = Vec::new();
        loop {
            let first = next.fetch_add(run, Ordering::Relaxed);
            let Some(rest) = items.get(first..).filter(|rest| !rest.is_empty()) else { break };
            for (at, item) in (first..).zip(rest.iter().take(run)) {
                let result = work(&mut state, item);
                let failed = result.is_err();
                own.push((at, result));
                if failed {
                    next.store(items.len(), Ordering::Relaxed);
                    break;
                }
            }
        }
        results.lock().expect("no worker panics while it holds the lock").append(&mut own);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    let mut results = results.into_inner().expect("no worker panics while it holds the lock");
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Do `work` on this thread, and `companion` on another. The companion is told when the work is over, also when it
/// panics, and is woken then: it has to end soon.
pub fn beside<T>(companion: impl FnOnce(&AtomicBool) + Send, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let beside = threads.spawn(|| companion(&over));
        let _ending = Ending { over: &over, companion: beside.thread() };
        work()
    })
}

/// Says on drop that the work is over.
struct Ending<'a> {
    over: &'a AtomicBool,
    companion: &'a Thread,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        self.companion.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_errors_win() {
        let items: Vec<u32> = (0..1000).collect();
        let doubled = try_map(&items, || (), |(), item| Ok::<_, ()>(item * 2)).unwrap();
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        let failed = try_map(&items, || (), |(), item| if *item == 500 { Err(*item) } else { Ok(()) });
        assert_eq!(failed, Err(500));
    }
}
