//! JSON for a finding: part of several commands' data.

pub use brv_engine::ops::steps::checking::Reported as Finding;
