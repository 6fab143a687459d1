//! `brv vc`: one module per verb.

pub mod add;
pub mod commit;
pub mod status;
