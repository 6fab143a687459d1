//! `brv vc`: one file per verb.

pub mod add;
pub mod blame;
pub mod branch;
pub mod checkout;
pub mod clone;
pub mod commit;
pub mod config;
pub mod diff;
pub mod fetch;
pub mod fetching;
pub mod gc;
pub mod log;
pub mod merge;
pub mod pull;
pub mod push;
pub mod remote;
pub mod repair;
pub mod reset;
pub mod resolve;
pub mod restore;
pub mod revert;
pub mod rm;
pub mod show;
pub mod status;
pub mod switch;
pub mod sync;
