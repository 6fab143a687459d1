//! Retry when other writers push to the same branch: how often, and how long to wait in between.
//!
//! Knows no remote. Time and randomness come from [`Tries`]; the wait is plain arithmetic.

use crate::{Fails, FailureKind};
use brv_git as git;
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroU32;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(60);
/// The shortest assumed duration of an attempt, for computing the wait.
const SHORTEST_ATTEMPT: Duration = Duration::from_millis(20);
/// The most attempts of others to let pass after many failures. In a model of 2 to 32 writers without a pause, on two
/// and on 32 cores, with and without network latency, half of this makes the slowest of 32 try a third more often;
/// shortening the wait again for long waiters makes it worse: the one who has just won begins anew with short waits.
const MOST_LET_PASS: u32 = 64;

#[derive(Debug)]
pub struct Tries {
    limit: NonZeroU32,
    made: u32,
    begun: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct InterruptedRetry;

impl Fails for InterruptedRetry {
    fn kind(&self) -> FailureKind {
        FailureKind::Interrupted
    }
}

/// Whether there is another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Another attempt has begun.
    Try,
    /// There are no attempts left.
    Exhausted,
}

impl Tries {
    /// The first attempt begins now.
    pub fn new(limit: NonZeroU32) -> Self {
        Self { limit, made: 1, begun: Instant::now() }
    }

    /// How many attempts have begun.
    pub const fn made(&self) -> u32 {
        self.made
    }

    /// An attempt failed because another writer was faster: wait, and begin the next one, if there is one.
    pub fn again(&mut self) -> Result<Next, InterruptedRetry> {
        if self.made >= self.limit.get() {
            return Ok(Next::Exhausted);
        }
        // hash map seeds are the only randomness in the standard library
        let chance = RandomState::new().hash_one(self.made);
        wait(delay(self.made, self.begun.elapsed(), chance))?;
        self.made += 1;
        self.begun = Instant::now();
        Ok(Next::Try)
    }
}

/// How long to wait after this many `failures`; the last one took `attempt`.
///
/// A random time up to a limit, so that writers that failed together do not return together. The limit is measured in
/// attempts, since that is the time that others need; it doubles with each failure, since the number of other writers
/// is unknown (truncated binary exponential back-off with full jitter).
pub fn delay(failures: u32, attempt: Duration, chance: u64) -> Duration {
    let let_pass = 1_u32.checked_shl(failures).unwrap_or(MOST_LET_PASS).min(MOST_LET_PASS);
    let limit = attempt.max(SHORTEST_ATTEMPT).saturating_mul(let_pass).min(LONGEST);
    let part = (chance >> 11) as f64 / (1u64 << 53) as f64;
    limit.mul_f64(part)
}

/// How often to check for Ctrl-C.
const STEP: Duration = Duration::from_millis(50);

fn wait(time: Duration) -> Result<(), InterruptedRetry> {
    let (interrupt, end) = (git::interrupt(), Instant::now() + time);
    loop {
        if interrupt.load(Ordering::Relaxed) {
            return Err(InterruptedRetry);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(STEP));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATTEMPT: Duration = Duration::from_millis(100);

    fn longest(failures: u32) -> Duration {
        delay(failures, ATTEMPT, u64::MAX)
    }

    #[test]
    fn limits_double_as_far_as_they_go() {
        let limits: Vec<u128> = [1, 2, 3, 4, 5, 6, 7, 31, 32, 90]
            .map(|failures| longest(failures).as_millis().div_ceil(100))
            .into();
        assert_eq!(limits, [2, 4, 8, 16, 32, 64, 64, 64, 64, 64]);
    }

    #[test]
    fn a_wait_is_anything_from_nothing_to_its_limit_and_never_long() {
        for failures in 1..200 {
            assert_eq!(delay(failures, ATTEMPT, 0), Duration::ZERO);
            let half = delay(failures, ATTEMPT, u64::MAX / 2);
            assert!(half < longest(failures) && half > longest(failures).mul_f64(0.49));
            assert!(delay(failures, Duration::from_secs(3600), u64::MAX) <= LONGEST);
            assert!(delay(failures, Duration::ZERO, u64::MAX) > Duration::ZERO);
        }
    }

    #[test]
    fn as_many_tries_are_made_as_there_are() {
        let mut tries = Tries::new(NonZeroU32::new(3).unwrap());
        assert_eq!(tries.again(), Ok(Next::Try));
        assert_eq!(tries.again(), Ok(Next::Try));
        assert_eq!((tries.again(), tries.made()), (Ok(Next::Exhausted), 3));
    }
}
