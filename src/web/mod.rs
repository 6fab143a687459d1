//! `brv ui`: the pages of [`crate::say::site`], served to a browser on this machine.
//!
//! Each start has a `run` of its own, which all addresses of pages begin with: no other server of this machine is sent its cookie.
//! A key signs a browser in, once. [`keys`] has both, [`server`] answers, [`pages`] calls the commands, [`acts`] does what forms ask for, [`opening`] starts the
//! browser, [`export`] writes pages to files and [`running`] asks a server that was started before.

mod acts;
mod api;
pub mod export;
pub mod keys;
pub mod opening;
pub mod pages;
mod request;
pub mod running;
pub mod server;
