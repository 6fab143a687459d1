//! JSON for a finding: part of several commands' data.

pub use brv_engine::check::Reported as Finding;
