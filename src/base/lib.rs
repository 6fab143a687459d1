//! Paths, bytes, time, files, processes, settings.
//!
//! A part of `brv`, without promises.
//!
//! What every other crate stands on: paths of the tree, the identity of bytes, atomic and durable files, locks, other
//! programs, settings with their sources. It must never know what an entry is, or that there is a repository.
//!
//! | room | knows |
//! |---|---|
//! | [`path`] | paths of the tree, which of them are portable, kinds of files |
//! | [`content`] | the identity of bytes: git's blob id |
//! | [`english`] | numbers, months and units in English, lists of words in text files |
//! | [`json`] | types whose JSON is the text that they display |
//! | [`environment`] | the caller's environment variables, read once |
//! | [`clock`], [`progress`], [`process`], [`parallel`] | access to time, progress display, other programs, threads |
//! | [`shape`] | how long and how deeply nested a text is, before it is parsed |
//! | [`messages`], [`escape`] | messages from outside, made safe to show; untrusted text escaped |
//! | [`sorting`] | sorting short lists |
//! | [`nearest`] | suggestions for mistyped names |
//! | [`fs`] | replacing a file atomically and durably, the lock, the ordered walk |
//! | [`config`] | settings in layers, each value with its source |

pub mod clock;
pub mod config;
pub mod content;
pub mod english;
pub mod environment;
pub mod escape;
pub mod fs;
pub mod json;
pub mod messages;
pub mod nearest;
pub mod parallel;
pub mod path;
pub mod process;
pub mod progress;
pub mod shape;
pub mod sorting;

#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
