//! The thinking of a dream: which entries are looked at together, what a decision about them means, and what survives it.
//!
//! Finds evidence that entries belong together ([`clusters`]) and that an entry has become weak ([`weak`]), reads the
//! decisions of a caller ([`read`]) and checks them against the plan ([`fits`]), decides by itself only what is certain
//! ([`certain`]), and lists what of an entry does not stand in the one that takes it over ([`survival`]). Pure: knows no
//! disk, no repository and no clock.

mod cases;
mod certain;
mod decision;
mod entry;
mod event_text;
mod evidence;
mod meaning;
mod near;
mod negations;
mod neighbours;
#[cfg(test)]
mod numbers;
mod pieces;
mod plan;
mod prune;
mod rewrite;
mod said;
mod same_pieces;
mod side;
mod survival;
mod synthesis;
mod tokens;
mod unsaid;
mod words_of;

pub use certain::{Certain, certain};
pub use decision::{
    Action, Decision, DecisionsInput, DreamDecisions, MAX_INPUT_BYTES, NotDecisions, RefusedDecision, read,
};
pub use entry::{Entry, are_related, domain, title_of};
pub use evidence::{EntryGroup, GroupingInput, GroupingResult, Hint, clusters};
pub use meaning::{Meant, fits};
pub use neighbours::EntriesOf;
pub use plan::{
    Candidate, Cluster, ClusterEntry, ClusterEvidence, Pattern, PatternEntry, Plan, Summary, Weak,
    candidate_id, is_same_candidate,
};
pub use prune::{PruneEvidence, Signal, signal, weak};
pub use rewrite::{Doubt, Doubtful, below_title, doubts, lacking, unknown_names};
pub use survival::{FactSurvival, lost_fields, survival};
pub use synthesis::rendered;
pub use unsaid::unsaid;
