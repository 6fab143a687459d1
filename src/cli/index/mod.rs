//! `brv index`: a file for each command of the family, and the flags that say which index is meant.

pub mod check;
pub mod drop;
pub mod push;
pub mod search;
pub mod status;

use brv_commands::index::{INDEX, Place};
use clap::Args;

/// Which index.
#[derive(Debug, Args)]
pub(super) struct PlaceFlags {
    /// The address of the search engine (default: the setting `index.engine`)
    #[arg(long, value_name = "URL")]
    engine: Option<String>,
    /// The variable that has the key for this engine; the key of the settings goes to `index.engine` only
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// The name of the index
    #[arg(long, value_name = "NAME", default_value = INDEX)]
    index: String,
}

impl PlaceFlags {
    pub(super) fn place(&self) -> Place {
        Place { engine: self.engine.clone(), key_env: self.key_env.clone(), index: Some(self.index.clone()) }
    }
}
