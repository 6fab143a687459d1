//! What `brv index` plays against: a strict engine in this process, a server from a registry, and the proof that the
//! two agree.

mod agreement;
mod client;
pub mod engine;
pub mod noida;
mod orders;
#[cfg(unix)]
mod pushing;
mod questions;
mod refusals;
mod searching;
