//! The settings of what stands beside the tree for its user alone: what is remembered of agents, and how the pages behave.

use super::keys::{self, Key};
use super::{ConfigSource, Setting};

/// For how long receipts are kept unless the user says less, in days.
const MOST_DAYS: u16 = 90;

/// The schemes that run or show something else than an editor, in lower case.
const NO_EDITORS: [&str; 9] =
    ["about", "blob", "data", "file", "http", "https", "javascript", "vbscript", "view-source"];

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

/// A whole number up to [`MOST_DAYS`].
pub(super) fn days(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|days| *days <= MOST_DAYS)
}

/// `on` or `off`; YAML may have `true` or `false` for it.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.trim() {
        "on" => Some(true),
        "off" => Some(false),
        other => keys::truth(other),
    }
}

/// A port that can be listened on.
pub(super) fn port(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|port| *port > 0)
}

/// An address of an editor: it names a scheme of its own, and where the path goes.
pub(super) fn editor(text: &str) -> Option<String> {
    let text = text.trim();
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && !NO_EDITORS.contains(&scheme.to_ascii_lowercase().as_str());
    let is_address =
        rest.contains("{path}") && rest.chars().all(|c| c.is_ascii_graphic() && !"\"'<>`\\".contains(c));
    (is_scheme && is_address).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_is_a_scheme_of_its_own_with_a_place_for_the_path() {
        for good in [
            "vscode://file/{path}:{line}",
            " zed://file{path} ",
            "x-my.ed+1:{path}",
            "idea://open?file={path}",
        ] {
            assert_eq!(editor(good).as_deref(), Some(good.trim()), "{good}");
        }
        for bad in [
            "",
            "{path}",
            "vscode://file/",
            "javascript:open('{path}')",
            "JavaScript:{path}",
            "data:text/html,{path}",
            "file://{path}",
            "http://x/{path}",
            "HTTPS://x/{path}",
            " javascript:{path}",
            "java\tscript:{path}",
            "1vscode://{path}",
            ":{path}",
            "vscode://file/{path}\"onclick",
            "vscode://file/{path} x",
        ] {
            assert_eq!(editor(bad), None, "{bad}");
        }
    }

    #[test]
    fn days_ports_and_switches_have_bounds() {
        assert_eq!(["0", " 90 ", "91", "-1", "x"].map(days), [Some(0), Some(90), None, None, None]);
        assert_eq!(["1", "65535", "0", "65536"].map(port), [Some(1), Some(65535), None, None]);
        assert_eq!(["on", "off", "false", "yes"].map(switch), [Some(true), Some(false), Some(false), None]);
    }
}
