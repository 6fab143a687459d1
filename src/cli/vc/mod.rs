//! `brv vc`: one file per verb.

pub mod add;
pub mod commit;
pub mod diff;
pub mod log;
pub mod show;
pub mod status;
