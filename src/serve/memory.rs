//! Gives memory back to the system: a server lives for hours after one large call.

use std::time::Duration;
use tokio::sync::Notify;

/// How long after a message memory is given back, so that many messages cost little.
const DELAY: Duration = Duration::from_secs(4);

/// Pieces of at least so many bytes go back to the system as soon as they are freed. It is glibc's own first value, which
/// it raises to the largest piece that was ever freed, and keeps twice as much for each thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 128 * 1024;

/// Give back, some time after each message that is notified, what small pieces left. Never ends.
pub async fn give_back(used: &Notify) {
    keep_little();
    loop {
        used.notified().await;
        tokio::time::sleep(DELAY).await;
        tokio::task::spawn_blocking(trim).await.ok();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "two functions of the allocator, which take numbers and may be called at any time"
)]
mod glibc {
    unsafe extern "C" {
        pub safe fn mallopt(name: i32, value: i32) -> i32;
        pub safe fn malloc_trim(kept: usize) -> i32;
    }
    /// `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD` of `malloc.h`.
    pub const TRIM: i32 = -1;
    pub const MMAP: i32 = -3;
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_little() {
    // where one of them cannot be set, the other still helps
    glibc::mallopt(glibc::TRIM, LARGE);
    glibc::mallopt(glibc::MMAP, LARGE);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    glibc::malloc_trim(0);
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn keep_little() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn trim() {}
