//! Ask a language model: requests, answers, four wires, and what keeps them within bounds.
//!
//! Every text of a request is masked here, so that no secret leaves. Knows nothing about entries or the purpose of a
//! request. `line` and `key` reach the search engine of `brv index`, too.

mod answer;
mod client;
mod command;
mod encoder;
mod error;
pub mod fence;
pub(crate) mod key;
pub(crate) mod line;
mod memory;
mod program;
mod prose;
mod request;
mod server;
mod spent;
mod wire;

pub use answer::{Answer, Call, Usage};
pub use client::Model;
pub use encoder::Encoder;
pub use error::Error;
pub use key::KeySource;
pub use memory::{StoredModelDay, Usages};
pub use request::{ModelTool, Purpose, Request, Shape, Turn};
pub use spent::Spent;

use brv_base::messages::{brief, printable};

/// A text from outside that is safe to show.
fn shown(text: &str) -> String {
    brief(printable(text.as_bytes()))
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
