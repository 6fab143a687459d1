//! Knowledge as text: one document, two, three, and what can be said of them. Pure.
//!
//! A part of `brv`, without promises.
//!
//! It parses one entry, compares two, merges three, has the rules of `check` and the thinking of every feature that judges
//! text. Bytes and the time are arguments. It must never know a disk, a repository, a network, an index, a database or a
//! runtime, so that its laws run on millions of cases.
//!
//! | room | knows |
//! |---|---|
//! | [`words`] | the words of a text, the function words, amounts, and the reader of the lists of words in files |
//! | [`doc`] → [`diff`] → [`merge`] | one document, two documents, three documents |
//! | [`lint`] | findings: what is wrong or suspicious in entries |
//! | [`lifecycle`] | importance, recency and maturity of entries |
//! | [`stale`] | what an entry cites of the code, and whether that is still so |
//! | [`brain`] | what an agent gets without asking: the brain, what is known about a file, how to use the tree |
//! | [`derive`](mod@derive) | derived files, which can be regenerated: one file per artefact, pure |
//! | [`curate`] | operations of curation: reading them, finding their files, applying them to bytes |
//! | [`dream`] | dreaming: evidence, decisions, what survives a merge |
//! | [`judge`] | which sentences of a commit message are knowledge, by lists of words |
//! | [`topics`] | where the knowledge of a commit belongs: from subjects and files to the path of an entry |
//! | [`commits`] | what a commit message teaches: facts and prose, or why nothing |

pub mod derive;
pub mod diff;
pub mod doc;
pub mod lifecycle;
pub mod lint;
pub mod merge;
pub mod words;

pub mod brain;
pub mod commits;
pub mod curate;
pub mod dream;
pub mod judge;
pub mod stale;
pub mod topics;

#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
