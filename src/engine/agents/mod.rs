//! Coding agents and language models: their settings files, and asking a model.

pub mod connectors;
pub mod model;
