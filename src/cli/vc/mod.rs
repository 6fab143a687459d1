//! `brv vc`: one file per verb.

pub mod add;
pub mod commit;
pub mod status;
