//! Version control for the knowledge of coding agents.
//!
//! A *context tree* is a folder of plain markdown: entries that people and agents wrote, in domains, topics and
//! subtopics. `brv` keeps it in an ordinary git repository, shares it through any git host, and regenerates on each
//! machine everything that can be regenerated: summaries, abstracts, overviews and the manifest.
//!
//! # Layers
//!
//! Each layer is a crate below this folder, and `Cargo.toml` of each says what it may use; the order inside the crates is
//! held by `tests/it/layers.rs`. From the bottom:
//!
//! | layer | knows |
//! |---|---|
//! | `brv_base` | What every other crate stands on: paths, bytes, time, files, processes, settings. |
//! | `brv_text` | Knowledge as text: one document, two, three, and what can be said of them. Pure: no repository, no network, no index. |
//! | `brv_git` | gitoxide, and what it lacks: bytes, refs and trees, no markdown |
//! | `brv_search` | the search index: analysis, files, ranking, calibrated relevance |
//! | `brv_engine` | what commands share: opening, reading, writing, merging, searching |
//! | `brv_commands` | a folder per command: options in, an outcome out; no output |
//! | [`wire`] | the JSON output for other programs |
//! | [`say`] | the texts that users read: hints, warnings, phrases, pages |
//! | [`mcp`] | the server of the Model Context Protocol: tools over commands, which the command line runs |
//! | [`cli`] | arguments, the screen, a file for each command |

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "the only module that prints")]
pub mod cli;
pub mod mcp;
pub mod say;
pub mod wire;

#[cfg(test)]
#[path = "../tests/cases.rs"]
mod cases;
