//! The moment that a typed date means.

use crate::Stop;
use brv_base::clock::{self, Clock};

/// The moment that `text` means, in seconds since 1970.
///
/// # Errors
/// It is not a date.
pub fn moment(text: &str, clock: Clock) -> Result<i64, Stop> {
    clock::moment(text, clock.seconds()).ok_or_else(|| {
        Stop::usage(format!("`{text}` is not a date or time"))
            .hint("valid dates: 2024-11-20, \"2024-11-20 18:30\", yesterday, 2.weeks.ago")
    })
}
