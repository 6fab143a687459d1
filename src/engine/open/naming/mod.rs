//! Parse names that users type: paths, entries, revisions, branches and their upstreams, operations.

pub mod branches;
pub mod candidates;
pub mod moments;
pub mod operations;
pub mod paths;
pub mod ref_filter;
pub mod resolve;
pub mod revisions;
pub mod subjects;
pub mod upstream;
