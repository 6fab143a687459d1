//! Version control for the knowledge of coding agents.
//!
//! A *context tree* is a folder of plain markdown: entries that people and agents wrote, in domains, topics and
//! subtopics. `brv` keeps it in an ordinary git repository, shares it through any git host, and regenerates on each
//! machine everything that can be regenerated: summaries, abstracts, overviews and the manifest.
//!
//! # Layers
//!
//! Imports run one way, from the bottom of this list to its top; `tests/it/layers.rs` holds the table and fails with
//! the offending file.
//!
//! | layer | knows |
//! |---|---|
//! | [`path`] | paths of the tree, which of them are portable, kinds of files |
//! | [`content`] | the identity of bytes: git's blob id |
//! | [`environment`] | the caller's environment variables, read once |
//! | [`clock`], [`progress`], [`process`], [`parallel`] | access to time, progress display, other programs, threads |
//! | [`http`], [`messages`] | what every HTTP client begins with; messages from outside, made safe to show |
//! | [`sorting`] | sorting short lists |
//! | [`nearest`] | suggestions for mistyped names |
//! | [`fs`] | replacing a file atomically and durably, the lock, the ordered walk |
//! | [`config`] | settings in layers, each value with its source |
//! | [`words`] | the words of a text and the function words; pure |
//! | [`doc`] → [`diff`] → [`merge`] | one document, two documents, three documents; pure |
//! | [`lint`] | findings: what is wrong or suspicious in entries; pure |
//! | [`lifecycle`] | importance, recency and maturity of entries; pure |
//! | [`git`] | gitoxide, and what it lacks: bytes, refs and trees, no markdown |
//! | [`journal`] | operations: begin, publish, recover |
//! | [`tree`] | the layout of `.brv/`, the curated files on disk |
//! | [`state`] | what is remembered beside the tree, in one SQLite file |
//! | [`model`] | asking a language model, within bounds |
//! | [`search`] | the search index: analysis, files, ranking, calibrated relevance |
//! | [`answer`] | the tiers of `brv query`: which answer, from which hits; pure |
//! | [`brief`] | what an agent is told unasked: the brain, what is known of a file, how to use the tree; pure |
//! | [`derive`] | derived files, which can be regenerated: one file per artefact, pure |
//! | [`curation`] | operations of curation: reading them, finding their files, applying them to bytes; pure |
//! | [`tidy`] | dreaming: evidence, decisions, what survives a merge; pure |
//! | [`fresh`] | what an entry cites of the code, and whether that is still so; pure |
//! | [`lessons`] | what a commit message teaches: facts and prose, or why nothing; pure |
//! | [`connect`] | the settings files of coding agents: what brv has in them, spliced in and out; pure |
//! | [`ops`] | the use cases: options in, outcome out; no output |
//! | [`wire`] | the JSON output for other programs |
//! | [`say`] | the texts that users read: hints, warnings, phrases, pages |
//! | [`mcp`] | the server of the Model Context Protocol: tools over commands, which the command line runs |
//! | [`cli`] | arguments, the screen, a file for each command |

pub mod answer;
pub mod brief;
#[cfg(test)]
mod cases;
#[allow(clippy::print_stdout, clippy::print_stderr, reason = "the only module that prints")]
pub mod cli;
pub mod clock;
pub mod config;
pub mod connect;
pub mod content;
pub mod curation;
pub mod derive;
pub mod diff;
pub mod doc;
pub mod environment;
pub mod fresh;
pub mod fs;
pub mod git;
pub mod http;
pub mod journal;
pub mod lessons;
pub mod lifecycle;
pub mod lint;
pub mod mcp;
pub mod merge;
pub mod messages;
pub mod model;
pub mod nearest;
pub mod ops;
pub mod parallel;
pub mod path;
pub mod process;
pub mod progress;
pub mod say;
pub mod search;
pub mod sorting;
pub mod state;
pub mod tidy;
pub mod tree;
pub mod wire;
pub mod words;
