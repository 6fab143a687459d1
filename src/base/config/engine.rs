//! The settings of the search engine that `brv index` keeps up to date and asks.

use super::keys::Key;
use super::{ConfigSource, Setting, model_values};

/// `index.*`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineConfig {
    /// `index.ca_file`: certificates by which that of the engine is checked, beside those of the machine.
    pub ca_file: Setting<Option<String>>,
    /// `index.engine`: its address, without a slash at its end.
    pub engine: Setting<Option<String>>,
    /// `index.key_command`: a command that gives its key.
    pub key_command: Setting<Option<String>>,
    /// `index.key_env`: the variable that has its key.
    pub key_env: Setting<Option<String>>,
}

impl Default for EngineConfig {
    fn default() -> Self {
        let none = || Setting::default_of(None);
        Self { ca_file: none(), engine: none(), key_command: none(), key_env: none() }
    }
}

impl EngineConfig {
    /// An address as the setting keeps it: without a slash at its end. `None` if it is neither https nor plain http to this
    /// machine.
    pub fn address(text: &str) -> Option<String> {
        model_values::engine(text)
    }

    /// Whether this may be the name of a variable.
    pub fn is_variable(text: &str) -> bool {
        model_values::is_variable(text)
    }

    /// Offer an accepted value.
    pub(super) fn set(&mut self, key: Key, value: &str, source: ConfigSource) {
        let text = Some(value.trim().to_owned()).filter(|text| !text.is_empty());
        match key {
            Key::IndexCaFile => self.ca_file.offer(text, source),
            Key::IndexEngine => self.engine.offer(Self::address(value), source),
            Key::IndexKeyCommand => self.key_command.offer(text, source),
            _ => self.key_env.offer(text, source),
        }
    }

    /// The value as it would be written.
    pub(super) fn shown(&self, key: Key) -> (Option<String>, &ConfigSource) {
        let setting = match key {
            Key::IndexCaFile => &self.ca_file,
            Key::IndexEngine => &self.engine,
            Key::IndexKeyCommand => &self.key_command,
            _ => &self.key_env,
        };
        (setting.value.clone(), &setting.source)
    }
}
