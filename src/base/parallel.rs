//! Run one function over many items on all cores, with results in order; or a companion thread beside the work.
//!
//! Knows nothing of the work itself.

use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Thread;

/// The number of threads for `count` independent items: one for a few, never more than eight.
pub fn workers(count: usize) -> usize {
    most_workers().min(count / 32 + 1)
}

fn most_workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8)
}

/// As [`try_map`], for work that cannot fail.
pub fn map<T: Sync, S, R: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let done = try_map(items, start, |state, item| Ok::<_, Infallible>(work(state, item)));
    done.unwrap_or_else(|never| match never {})
}

/// Run `work` on every item; each thread has its own state made by `start`. The results are in the order of the items.
/// Neighbouring items mostly go to the same thread, so that the state kept for one serves the next.
///
/// After the first error no new items are started.
///
/// # Errors
/// The error of the first failing item, in order.
pub fn try_map<T: Sync, S, R: Send, E: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_with(workers(items.len()), items, start, work)
}

/// As [`try_map`], for items that each take much longer than starting a thread.
///
/// # Errors
/// The error of the first failing item, in order.
pub fn try_map_long<T: Sync, S, R: Send, E: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_with(most_workers().min(items.len()).max(1), items, start, work)
}

/// As [`try_map`], for items that wait most of the time, such as for an answer over a network: on eight threads.
///
/// # Errors
/// The error of the first failing item, in order.
pub fn try_map_waiting<T: Sync, S, R: Send, E: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_with(8.min(items.len()).max(1), items, start, work)
}

/// As [`try_map`], for items that are made of `parts` small ones altogether.
///
/// # Errors
/// The error of the first failing item, in order.
pub fn try_map_of<T: Sync, S, R: Send, E: Send>(
    parts: usize,
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_with(workers(parts).min(items.len()).max(1), items, start, work)
}

fn try_map_with<T: Sync, S, R: Send, E: Send>(
    threads: usize,
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    // long enough to hold neighbours, short enough that no thread waits for another at the end
    let run = (items.len() / (threads * 16)).clamp(1, 64);
    let next = AtomicUsize::new(0);
    // each result has its place from the start: no list grows beside another one
    let results: Mutex<Vec<Option<Result<R, E>>>> = Mutex::new(items.iter().map(|_| None).collect());
    on_threads(threads, &|| {
        let mut state = start();
        let mut own = Vec::with_capacity(run);
        loop {
            let first = next.fetch_add(run, Ordering::Relaxed);
            let Some(rest) = items.get(first..).filter(|rest| !rest.is_empty()) else { break };
            for item in rest.iter().take(run) {
                let result = work(&mut state, item);
                let failed = result.is_err();
                own.push(Some(result));
                if failed {
                    next.store(items.len(), Ordering::Relaxed);
                    break;
                }
            }
            let mut results = results.lock().expect("no worker panics while it holds the lock");
            results[first..].iter_mut().zip(own.drain(..)).for_each(|(place, result)| *place = result);
        }
    });
    let results = results.into_inner().expect("no worker panics while it holds the lock");
    // where an item failed, those after it may be missing; collected in place
    results.into_iter().map_while(|result| result).collect()
}

/// Run `worker` on this many threads, including the current one.
///
/// Not generic: what starts a thread is long, and each closure of its own would have a copy of it.
fn on_threads(threads: usize, worker: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}

/// Run `work` on this thread and `companion` on another. When the work is over, or panics, the flag is set and the
/// companion's thread is unparked: it must end soon after.
pub fn beside<T>(companion: impl FnOnce(&AtomicBool) + Send, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let beside = threads.spawn(|| companion(&over));
        let _ending = CompanionEnd { over: &over, companion: beside.thread() };
        work()
    })
}

/// Sets the flag on drop and wakes the companion.
struct CompanionEnd<'a> {
    over: &'a AtomicBool,
    companion: &'a Thread,
}

impl Drop for CompanionEnd<'_> {
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
        for count in 0..4 {
            let few = try_map_long(&items[..count], || (), |(), item| Ok::<_, ()>(*item)).unwrap();
            assert_eq!(few, items[..count]);
            let few = try_map_of(count * 100, &items[..count], || (), |(), item| Ok::<_, ()>(*item)).unwrap();
            assert_eq!(few, items[..count]);
        }
    }
}
