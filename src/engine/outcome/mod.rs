//! Errors and shared JSON: the kinds of failure, why a command stopped, and the values that several outputs print.
//!
//! Does not know exit codes or where output goes: a surface makes an exit code of a [`failure::FailureKind`].
//!
//! | room | contents |
//! |---|---|
//! | [`failure`], [`cause`], [`stop`] | the kind of an error, failures that every command can meet, why a command stopped |
//! | [`json`], [`bytes`] | names, times, numbers and byte strings as JSON text |
//! | [`recovered`] | the JSON for an interrupted command that was recovered |
//! | [`envelope`] | reading back the JSON that a command printed elsewhere |

pub mod bytes;
pub mod cause;
pub mod envelope;
pub mod failure;
pub mod json;
pub mod recovered;
pub mod stop;
