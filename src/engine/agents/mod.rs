//! Coding agents and language models: edit the settings files of agents, and send requests to a model within limits.
//!
//! Does not know the tree: neither which entries an agent should see nor what a model's question is about.
//!
//! | room | contents |
//! |---|---|
//! | [`connectors`] | where each agent keeps its settings, and splicing brv's part in and out; pure |
//! | [`model`] | requests and answers over HTTP or through a program, keys, and the tokens spent |

pub mod connectors;
pub mod model;
