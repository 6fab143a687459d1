//! Ask a language model: requests, answers, four wires, and what keeps them within bounds.
//!
//! Every text of a request is masked here, so that no secret leaves. Knows nothing of entries, nor of what is asked.

mod answer;
mod client;
mod command;
mod error;
pub mod fence;
mod json;
mod prose;
mod request;
mod spent;

pub use answer::{Answer, Call, Usage};
pub use client::Model;
pub use error::Error;
pub use request::{Purpose, Request, Shape, Tool, Turn};
pub use spent::Spent;
