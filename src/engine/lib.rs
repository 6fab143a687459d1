//! What commands do: options in, an outcome out; no output.
//!
//! | room | knows |
//! |---|---|
//! | [`journal`] | operations: begin, publish, recover |
//! | [`tree`] | the layout of `.brv/`, the curated files on disk |
//! | [`state`] | what is remembered beside the tree, in one SQLite file |
//! | [`model`] | asking a language model, within bounds |
//! | [`answer`] | the tiers of `brv query`: which answer, from which hits; pure |
//! | [`connect`] | the settings files of coding agents: what brv has in them, spliced in and out; pure |
//! | [`ops`] | the use cases: options in, outcome out; no output |

pub mod answer;
pub mod connect;
pub mod journal;
pub mod model;
pub mod ops;
pub mod state;
pub mod tree;
pub mod values;

#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
