//! The settings of what stands beside the tree for its user alone: what is remembered of agents, and how the pages behave.

use super::keys::Key;
use super::personal_values::{MOST_DAYS, days, editor, port, switch};
use super::{ConfigSource, Setting};

/// `served.*`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedConfig {
    /// `served.keep_days`: for how many days it is kept which entries agents were given; 0: nothing is.
    pub keep_days: Setting<u16>,
}

/// `ui.*`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiConfig {
    /// `ui.editor`: an address with `{path}` and perhaps `{line}`, of a scheme that an editor has registered.
    pub editor: Setting<Option<String>>,
    /// `ui.keys`: whether single keys do anything.
    pub keys: Setting<bool>,
    /// `ui.port`; `None`: one that depends on the tree.
    pub port: Setting<Option<u16>>,
}

impl Default for ServedConfig {
    fn default() -> Self {
        Self { keep_days: Setting::default_of(MOST_DAYS) }
    }
}

impl Default for UiConfig {
    fn default() -> Self {
        Self {
            editor: Setting::default_of(None),
            keys: Setting::default_of(true),
            port: Setting::default_of(None),
        }
    }
}

impl ServedConfig {
    /// Offer an accepted value.
    pub(super) fn set(&mut self, value: &str, source: ConfigSource) {
        self.keep_days.offer(days(value).unwrap_or_default(), source);
    }

    /// The value as it would be written.
    pub(super) fn shown(&self) -> (Option<String>, &ConfigSource) {
        (Some(self.keep_days.value.to_string()), &self.keep_days.source)
    }
}

impl UiConfig {
    /// Offer an accepted value.
    pub(super) fn set(&mut self, key: Key, value: &str, source: ConfigSource) {
        match key {
            Key::UiEditor => self.editor.offer(editor(value), source),
            Key::UiKeys => self.keys.offer(switch(value).unwrap_or(true), source),
            _ => self.port.offer(port(value), source),
        }
    }

    /// The value as it would be written.
    pub(super) fn shown(&self, key: Key) -> (Option<String>, &ConfigSource) {
        let word = |is_on: bool| Some(if is_on { "on" } else { "off" }.to_owned());
        match key {
            Key::UiEditor => (self.editor.value.clone(), &self.editor.source),
            Key::UiKeys => (word(self.keys.value), &self.keys.source),
            _ => (self.port.value.map(|port| port.to_string()), &self.port.source),
        }
    }
}
