//! Where the knowledge of a commit belongs: from subjects and changed files to the path of an entry.
//!
//! [`Project`] learns from the last commits what scopes and paths mean here; [`Project::key`] says of one commit its domain and
//! its topic; [`TopicLayout`] says which of them have so many items that they get an entry or a folder of their own. Nothing is
//! said by the likeness of texts, and it is the same whatever the order of files in a commit.
//!
//! Knows no tree and no repository: paths that are there are arguments.

mod area;
mod entries;
mod file;
mod files;
mod key;
mod names;
mod parts;
mod project;
mod role;
mod scope;
mod shape;
mod split;

#[cfg(test)]
mod tests;

pub use entries::EntryPaths;
pub use files::{files, keywords, owner};
pub use key::TopicKey;
pub use names::title;
pub use project::{Past, Project};
pub use role::{is_code_path, is_plain_code};
pub use shape::TopicLayout;
pub use split::{LARGE, TOO_LARGE, TopicItem, of_year, split};
