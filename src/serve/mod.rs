//! What every server of this program stands on: a listener on this machine, limits on what it takes, the names that it answers
//! to, and secrets.
//!
//! Knows no protocol and no page.

pub mod exchange;
pub mod host;
pub mod listener;
pub mod memory;
pub mod secret;
