//! `brv vc`: one file per verb.

pub mod status;
