//! Where coding agents keep their settings, and how brv's part is put into such a file and taken out again; pure.
//!
//! Nothing is written anew: each change is a splice at a position that a parser gave, so that comments, order, indentation
//! and line ends of the rest stay byte for byte. Reads and writes no file.

mod block;
mod bundle;
mod compare;
mod file;
mod host;
mod imports;
mod json;
mod places;
mod splice;
mod toml;
mod traces;
mod wanted;

pub use block::Markers;
pub use bundle::Package;
pub use compare::{Difference, HOOK_EVENTS, Registered, codex_hook, is_same_but_program, registered};
pub use file::{Seen, StrippedFile, command_in, entry_in, lines_to_add, look, put, take};
pub use host::{ConnectorType, Host, Scope};
pub use imports::imports;
pub use json::{Dialect, JsonNode, JsonText, parse as parse_json};
pub use places::{AgentFolders, Target, scopes, targets, usual_kinds};
pub use splice::{Splice, apply};
pub use toml::value_of as toml_value;
pub use traces::{Mended, Traces};
pub use wanted::{Form, Item, Piece, RULES, SHELL, SKILL, bundled_hooks, hook_program, hooks, mcp};

/// Why a host could not use a file, or brv will not change it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);
