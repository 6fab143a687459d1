//! Writing: one operation over files, index, references and settings; committing changed files; what may be written.

pub mod landing;
pub mod operation;
pub mod overriding;
pub mod policy;
pub mod written;
