//! Version control for the knowledge of coding agents.
//!
//! A *context tree* is a folder of plain markdown: entries that people and agents wrote, in domains, topics and
//! subtopics. `brv` keeps it in an ordinary git repository, shares it through any git host, and regenerates on each
//! machine everything that can be regenerated: summaries, abstracts, overviews and the manifest.
//!
//! # The ladder
//!
//! Imports run one way, from the bottom of this list to its top; `tests/it/layers.rs` holds the table and fails with
//! the offending file.
//!
//! | layer | knows |
//! |---|---|
//! | [`path`] | what a path of the tree is, which paths are portable, which file is what |
//! | [`content`] | the identity of bytes: git's blob id |
//! | [`environment`] | the caller's environment variables, read once |
//! | [`clock`], [`progress`], [`process`], [`parallel`] | the doors to time, progress display, other programs, threads |
//! | [`nearest`] | which name was probably meant |
//! | [`fs`] | replacing a file atomically and durably, the lock, the ordered walk |
//! | [`config`] | settings in layers, each value with its source |
//! | [`doc`] → [`diff`] → [`merge`] | one document, two documents, three documents; pure |
//! | [`lint`] | findings: what is wrong or suspicious in entries; pure |
//! | [`git`] | gitoxide, and what it lacks: bytes, refs and trees, no markdown |
//! | [`journal`] | operations: begin, publish, recover |
//! | [`tree`] | the layout of `.brv/`, the curated files on disk |
//! | [`derive`] | what can be made again: one file per artefact, pure |
//! | [`ops`] | the use cases: options in, outcome out; nothing is printed |
//! | [`wire`] | the JSON shapes for outsiders |
//! | [`say`] | the words for people: hints, warnings, phrases, pages |
//! | [`cli`] | arguments, the screen, a file for each command |

#[cfg(test)]
mod cases;
#[allow(clippy::print_stdout, clippy::print_stderr, reason = "the one room that prints")]
pub mod cli;
pub mod clock;
pub mod config;
pub mod content;
pub mod derive;
pub mod diff;
pub mod doc;
pub mod environment;
pub mod fs;
pub mod git;
pub mod journal;
pub mod lint;
pub mod merge;
pub mod nearest;
pub mod ops;
pub mod parallel;
pub mod path;
pub mod process;
pub mod progress;
pub mod say;
pub mod tree;
pub mod wire;
