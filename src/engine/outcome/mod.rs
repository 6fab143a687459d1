//! Errors and shared JSON: the kinds of failure, why a command stopped, and the values that several outputs print.
//!
//! Does not know exit codes or where output goes: a surface makes an exit code of a [`failure::FailureKind`].
//!
//! | room | contents |
//! |---|---|
//! | [`failure`], [`cause`], [`stop`], [`unknown_name`] | the kind of an error, failures that every command can meet, why a command stopped, the name that was not found |
//! | [`json`], [`bytes`] | names, times, numbers and byte strings as JSON text |
//! | [`person`] | a person and a time, as JSON |
//! | [`in_progress`] | hints for a merge or rebase in progress |
//! | [`envelope`] | reading back the JSON that a command printed elsewhere |

pub mod bytes;
pub mod change;
pub mod envelope;
pub mod failure;
pub mod in_progress;
pub mod json;
pub mod person;
pub mod stop;
pub mod unknown_name;
