//! JSON for a finding: part of several commands' data.

pub use brv_engine::vc::check::Reported as Finding;
