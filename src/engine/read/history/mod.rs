//! Tell what changed: changes by meaning, the history of commits, facts and lines, the provenance of a change.

pub mod archiving;
pub mod changes;
pub mod commit_filter;
pub mod curations;
pub mod decorations;
pub mod fact_history;
pub mod gc_advice;
pub mod knowledge;
pub mod last_changes;
pub mod learned;
pub mod line_ranges;
pub mod provenance;
pub mod reflog;
pub mod source;
pub mod states;
