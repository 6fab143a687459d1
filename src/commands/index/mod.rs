//! `brv index`: keep an index of many trees on a search engine up to date, and ask it.
//!
//! No project is needed: the remotes are named, and what is fetched of them stands in the user's cache.

pub mod check;
pub mod drop;
pub mod push;
pub mod search;
pub mod status;

use brv_base::config::EngineConfig;
use brv_base::messages::printable;
use brv_engine::query::index::engine::{EngineAddress, SearchEngine};
use brv_engine::query::index::schema;
use brv_engine::{Context, FailureKind, Login, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// The name of the index if no other is given.
pub const INDEX: &str = "brv";

/// Which index of which engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Its address, if not that of `index.engine`.
    pub engine: Option<String>,
    /// The variable with the key for this address.
    pub key_env: Option<String>,
    /// The name of the index, if not [`INDEX`].
    pub index: Option<String>,
}

/// The engine that answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SearchEngineName")]
pub struct EngineName {
    /// `opensearch` or `elasticsearch`
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The index that is meant; nothing is sent to it yet. The key of the settings goes only to the address of the settings.
///
/// # Errors
/// Wrong usage: no engine is named, or what is named cannot be used; the key.
pub(crate) fn open(cx: &Context<'_>, place: &Place) -> Result<SearchEngine, Stop> {
    let config = &cx.config.index;
    let own = config.engine.value.as_deref();
    let given = place.engine.as_deref().map(address).transpose()?;
    let url = given.as_deref().or(own).ok_or_else(|| {
        Stop::usage("no search engine is named")
            .hint("set `index.engine`, or give its address with `--engine`")
    })?;
    let is_own = own.is_some_and(|own| origin(own) == origin(url));
    let set = |setting: &'_ Option<String>| setting.clone().filter(|_| is_own && place.key_env.is_none());
    // a key itself is shown nowhere
    if place.key_env.as_deref().is_some_and(|name| !EngineConfig::is_variable(name)) {
        return Err(Stop::usage("`--key-env` is the name of a variable that has the key"));
    }
    if let Some(name) = place.key_env.as_deref().filter(|name| cx.environment.get_filled(name).is_none()) {
        let message = format!("no key: `{}` (`--key-env`) is not set", printable(name.as_bytes()));
        return Err(Stop::new(FailureKind::Authentication(Login::Engine), message));
    }
    let key_variable = place.key_env.clone().or_else(|| set(&config.key_env.value));
    let key_command = set(&config.key_command.value);
    let ca_file: Option<PathBuf> = config.ca_file.value.as_ref().map(|file| cx.cwd.join(file));
    let address = EngineAddress {
        url,
        setting: if given.is_some() { "--engine" } else { "index.engine" },
        key_variable: key_variable.as_deref(),
        key_flag: place.key_env.is_some().then_some("--key-env"),
        key_command: key_command.as_deref(),
        ca_file: ca_file.as_deref(),
    };
    let index = place.index.as_deref().unwrap_or(INDEX);
    SearchEngine::open(&address, index, &cx.environment, brv_git::interrupt())
}

fn address(text: &str) -> Result<String, Stop> {
    EngineConfig::address(text).ok_or_else(|| {
        Stop::usage("`--engine` must be an https address, or a plain http one of this machine")
    })
}

/// The scheme and host of an address, with its port.
fn origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let host = rest.split('/').next().unwrap_or_default().to_lowercase();
    let usual = if scheme == "https" { ":443" } else { ":80" };
    format!("{scheme}://{}", host.strip_suffix(usual).unwrap_or(&host))
}

impl EngineName {
    /// The engine that answers.
    ///
    /// # Errors
    /// It is no search engine, or cannot be reached.
    pub(crate) fn of(engine: &SearchEngine) -> Result<Self, Stop> {
        let schema::EngineVersion { name, version } = schema::engine_version(engine)?;
        Ok(Self { name, version })
    }
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn an_origin_has_no_path_and_no_usual_port() {
        assert_eq!(origin("https://Search.example:443/es"), "https://search.example");
        assert_ne!(origin("https://search.example:9200"), origin("https://search.example"));
        assert_ne!(origin("http://127.0.0.1"), origin("https://127.0.0.1"));
    }
}
