//! Open the tree for a command: find it, survey it, read its local state, and resolve the names that users type.
//!
//! Changes no file of the tree, no ref and no index entry. Knows no command.
//!
//! | room | contents |
//! |---|---|
//! | [`context`] | what every command gets, and the open tree |
//! | [`tree`] | finding `.brv/`, the layout inside, what a curated file may contain |
//! | [`survey`] | staged, changed, new, conflicted and unmanaged files |
//! | [`records`], [`sweep`] | a file of records by key, of a cache; what other versions of brv left in one |
//! | [`state`], [`signals`] | the SQLite file beside the tree; importance and use of entries |
//! | [`naming`] | typed paths, entries, revisions, branches and operations |
//! | [`hosting`] | the repository of the code, and the commit that stands today for an earlier one |
//! | [`models`] | the language model of the user's settings, and its cached answers |

pub mod context;
pub mod hosting;
mod inherited;
pub mod models;
pub mod naming;
pub mod records;
pub mod signals;
pub mod state;
pub mod survey;
pub mod sweep;
pub mod tree;
