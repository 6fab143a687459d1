//! Version control for the knowledge of coding agents.
//!
//! A *context tree* is a folder of plain markdown: entries that people and agents wrote, in domains, topics and
//! subtopics. `brv` keeps it in an ordinary git repository, shares it through any git host, and regenerates on each
//! machine everything that can be regenerated: summaries, abstracts, overviews and the manifest.
//!
//! Its interface may change in any version: only the program keeps promises (`brv help versions`).
//!
//! # The house
//!
//! ```text
//! src/            a folder with a Cargo.toml is a crate, and uses only those above it in this list
//!   base/         paths, bytes, time, files, processes, settings
//!   text/         one entry (doc), two (diff), three (merge), rules (lint), and what brain, commits, curate, dream
//!                 and stale decide. Pure
//!   git/          gitoxide, and what it lacks: bytes, refs and trees. No markdown
//!   search/       the search index; nothing else knows tantivy
//!   engine/       what commands share: open, read, write, merge, review, query, the journal that undo reads
//!   commands/     a file or folder per command: options in, an outcome out. Prints nothing
//!   say/          all words for people
//!   serve/        what every server here stands on: a listener, limits, secrets
//!   mcp/ web/ cli/  the ways in: tools, pages, and arguments with a file per command
//! hooks/          git's hooks, one line each
//! fixtures/       cases, example trees, golden output
//! tests/          it/ plays the program from outside, bench/ measures it beside git, fuzz/ has the laws
//! ```
//!
//! Look for a feature by its command's name in each layer: `stale` is `text/stale` (what a citation is),
//! `engine/read/stale` (reading the code), `commands/stale` (what is done) and `cli/stale` (how it is shown).
//!
//! # What each crate knows, and what it must never know
//!
//! `base` is what every other crate stands on: paths of the tree, the identity of bytes, time, atomic and durable
//! files, locks, other programs, settings with their sources. It must never know what an entry is, or that there is
//! a repository.
//!
//! `text` is knowledge as text: parsing one entry, comparing two, merging three, the rules of `check`, and the
//! thinking of every feature that judges text. It takes bytes and the time as arguments. It must never know a disk,
//! a repository, a network, an index, a database or a runtime, so that its laws run on millions of cases.
//!
//! `git` is the only user of gitoxide's repository: objects, refs, the index, the work tree, fetch, push and clone, in a
//! repository or in a folder of one. It must never know markdown: a merge of entries comes in as a finished tree.
//!
//! `search` is the index: analysis, posting lists, ranking, calibrated relevance, and the same ranking of what an outside
//! engine found. It is given paths, bytes and standings. It must never know the tree on disk, git or the state.
//!
//! `engine` has the blocks that commands are built of: opening a tree, reading it, one way to write, merging
//! histories, review, search, jobs, models. A block takes the parts it needs, never the whole context. It must
//! never know a command, and prints nothing.
//!
//! `commands` has a file or a folder per command, with its options, its outcome and what only it needs. Another command may
//! use only what `tests/it/layers.rs` lists as open. It must never know a terminal, a protocol or a flag.
//!
//! The program, `brv`, turns arguments and calls of MCP into options, and outcomes into JSON and words. It must
//! never decide anything about knowledge: what is not in an outcome cannot be shown.
//!
//! Cargo holds the walls between the crates, and `tests/it/layers` what cargo cannot see: the order of the rooms inside a
//! crate, no circles, one door for each outside crate. The rooms of this one, from the bottom:
//!
//! | room | knows |
//! |---|---|
//! | [`say`] | the texts that users read: hints, warnings, phrases, pages |
//! | [`serve`] | HTTP on this machine: the listener, its limits, the names that it answers to |
//! | [`mcp`] | the server of the Model Context Protocol: tools over commands, which the command line runs |
//! | [`web`] | the server of the pages: keys, addresses, the commands behind each page |
//! | [`cli`] | arguments, the screen, a file for each command |

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "the only module that prints")]
pub mod cli;
pub mod mcp;
pub mod say;
pub mod serve;
pub mod web;

#[cfg(test)]
#[path = "../tests/cases.rs"]
mod cases;
