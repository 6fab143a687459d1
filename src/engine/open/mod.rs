//! What a command opens: the context, the tree and its state, the names that users type, the host repository.

pub mod context;
pub mod hosting;
pub mod models;
pub mod naming;
pub mod signals;
pub mod state;
pub mod survey;
pub mod tree;
