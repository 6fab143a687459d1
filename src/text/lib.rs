//! Knowledge as text: one document, two, three, and what can be said of them. Pure: no repository, no network, no index.
//!
//! | room | knows |
//! |---|---|
//! | [`words`] | the words of a text and the function words; pure |
//! | [`doc`] → [`diff`] → [`merge`] | one document, two documents, three documents; pure |
//! | [`lint`] | findings: what is wrong or suspicious in entries; pure |
//! | [`lifecycle`] | importance, recency and maturity of entries; pure |
//! | [`brief`] | what an agent is told unasked: the brain, what is known of a file, how to use the tree; pure |
//! | [`derive`] | derived files, which can be regenerated: one file per artefact, pure |
//! | [`curation`] | operations of curation: reading them, finding their files, applying them to bytes; pure |
//! | [`tidy`] | dreaming: evidence, decisions, what survives a merge; pure |
//! | [`fresh`] | what an entry cites of the code, and whether that is still so; pure |
//! | [`lessons`] | what a commit message teaches: facts and prose, or why nothing; pure |

pub mod brief;
pub mod curation;
pub mod derive;
pub mod diff;
pub mod doc;
pub mod fresh;
pub mod lessons;
pub mod lifecycle;
pub mod lint;
pub mod merge;
pub mod tidy;
pub mod words;

#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
