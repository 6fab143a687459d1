//! JSON for a finding: part of several commands' data.

pub use crate::ops::steps::checking::Reported as Finding;
