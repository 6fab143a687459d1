//! How a command ends: why it failed, how it stops, and the values that several JSON outputs share.

pub mod bytes;
pub mod cause;
pub mod envelope;
pub mod failure;
pub mod json;
pub mod recovered;
pub mod stop;
