//! `brv vc`: one module per verb.

pub mod status;
