//! The encoder of the user's settings: what it says about how near the meaning of a passage is to that of a question.
//!
//! The question is embedded beside the search ([`Encoding`]), and what is found is put into another order, if the answer comes
//! in time. The vectors of passages are kept on this machine; [`fill`] makes those that are missing. What is withheld from
//! agents, waits for review or is in conflict is not sent.

mod fill;
mod order;
mod passages;
mod question;
mod sendable;
mod vector;
mod vector_file;

pub use fill::{Filled, fill, fill_in_background};
pub use order::HitLikeness;
pub use question::Encoding;
pub use vector::Vector;
pub use vector_file::{VectorFile, VectorKey};

use crate::open::context::Opened;
use brv_base::config;
use std::path::PathBuf;

/// The vectors that this machine keeps for the encoder of the settings.
pub fn vector_file(opened: &Opened, setting: &config::ModelConfig) -> VectorFile {
    VectorFile::read(&place(opened), &setting.title())
}

fn place(opened: &Opened) -> PathBuf {
    opened.places.cache().join("vectors")
}
