//! The settings of the model that brv may ask: where it is, which interface it has, and what it may cost.

use super::keys::{self, Key};
use super::model_values::{Api, base, params, tokens, words};
use super::{ConfigSource, Setting};
use std::time::Duration;

/// The host whose interface is Anthropic's unless the settings say otherwise.
const ANTHROPIC: &str = "api.anthropic.com";

/// `model.*`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    /// `model.api`; `None`: the one that the url, or the command, suggests.
    pub api: Setting<Option<Api>>,
    /// `model.background`: whether anything asks a model that nobody waits for.
    pub background: Setting<bool>,
    /// `model.command`: the words of the program.
    pub command: Setting<Vec<String>>,
    /// `model.daily_tokens`: how many tokens all calls of a day may take and give.
    pub daily_tokens: Setting<u64>,
    /// `model.embed_name`: the encoder, as its server calls it.
    pub embed_name: Setting<Option<String>>,
    /// `model.embed_url`: the address of the encoder, as [`ModelConfig::url`] is.
    pub embed_url: Setting<Option<String>>,
    /// `model.embed_wait`: how long a question waits for the encoder.
    pub embed_wait: Setting<Duration>,
    /// `model.key_command`: a command line for the shell, whose first line of output is the key.
    pub key_command: Setting<Option<String>>,
    /// `model.key_env`: the variable that has the key.
    pub key_env: Setting<Option<String>>,
    /// `model.name`
    pub name: Setting<Option<String>>,
    /// `model.params`: fields of every request, as a JSON object.
    pub params: Setting<String>,
    /// `model.timeout`: how long one call may take.
    pub timeout: Setting<Duration>,
    /// `model.url`, with `/v1` where nothing else is after the host.
    pub url: Setting<Option<String>>,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            api: Setting::default_of(None),
            background: Setting::default_of(false),
            command: Setting::default_of(Vec::new()),
            daily_tokens: Setting::default_of(500_000),
            embed_name: Setting::default_of(None),
            embed_url: Setting::default_of(None),
            embed_wait: Setting::default_of(Duration::from_millis(200)),
            key_command: Setting::default_of(None),
            key_env: Setting::default_of(None),
            name: Setting::default_of(None),
            params: Setting::default_of(String::new()),
            timeout: Setting::default_of(Duration::from_secs(30)),
            url: Setting::default_of(None),
        }
    }
}

impl ModelConfig {
    /// Whether there is a model to ask.
    pub fn is_set(&self) -> bool {
        self.interface().is_some()
    }

    /// The interface of the model; `None` without a model.
    pub fn interface(&self) -> Option<Api> {
        let is_program = !self.command.value.is_empty();
        match (self.api.value, &self.url.value) {
            (Some(Api::Command), _) | (None, None) => is_program.then_some(Api::Command),
            (Some(api), url) => url.is_some().then_some(api),
            (None, Some(_)) if self.host().is_some_and(|host| host.eq_ignore_ascii_case(ANTHROPIC)) => {
                Some(Api::Anthropic)
            }
            (None, Some(_)) => Some(Api::OpenAi),
        }
    }

    /// The settings of the encoder, as a model of its own; `None` if none is set. It gets the key of the model
    /// where both are on one host, or where only the encoder is set: a key goes to no other host.
    pub fn encoder(&self) -> Option<Self> {
        self.embed_url.value.as_ref()?;
        let own = Self {
            api: Setting::default_of(Some(Api::OpenAi)),
            name: self.embed_name.clone(),
            url: self.embed_url.clone(),
            timeout: self.timeout.clone(),
            ..Self::default()
        };
        let has_key = self.url.value.is_none() || self.host() == own.host();
        Some(match has_key {
            true => Self { key_command: self.key_command.clone(), key_env: self.key_env.clone(), ..own },
            false => own,
        })
    }

    /// The host of the url, without its port.
    pub fn host(&self) -> Option<&str> {
        let (_, rest) = self.url.value.as_deref()?.split_once("://")?;
        let host = rest.split('/').next()?;
        if host.starts_with('[') {
            return host.split_inclusive(']').next();
        }
        host.split(':').next()
    }

    /// The fields that `model.params` adds to a request.
    pub fn fields(&self) -> serde_json::Map<String, serde_json::Value> {
        params(&self.params.value).unwrap_or_default()
    }

    /// What the model is called: its name, else its program, else its host.
    pub fn title(&self) -> String {
        let program = || {
            let word = self.command.value.first().filter(|_| self.interface() == Some(Api::Command))?;
            std::path::Path::new(word).file_stem()?.to_str()
        };
        let name = self.name.value.as_deref().or_else(program).or_else(|| self.host());
        name.unwrap_or_default().to_owned()
    }

    /// Offer an accepted value.
    pub(super) fn set(&mut self, key: Key, value: &str, source: ConfigSource) {
        let text = value.trim();
        let filled = || Some(text.to_owned()).filter(|text| !text.is_empty());
        match key {
            Key::ModelApi => self.api.offer(Api::parse(text), source),
            Key::ModelBackground => self.background.offer(keys::truth(text).unwrap_or(false), source),
            Key::ModelCommand => self.command.offer(words(text).unwrap_or_default(), source),
            Key::ModelDailyTokens => self.daily_tokens.offer(tokens(text).unwrap_or_default(), source),
            Key::ModelEmbedName => self.embed_name.offer(filled(), source),
            Key::ModelEmbedUrl => self.embed_url.offer(base(text), source),
            Key::ModelEmbedWait => self.embed_wait.offer(keys::seconds(text).unwrap_or_default(), source),
            Key::ModelKeyCommand => self.key_command.offer(filled(), source),
            Key::ModelKeyEnv => self.key_env.offer(filled(), source),
            Key::ModelName => self.name.offer(filled(), source),
            Key::ModelParams => self.params.offer(text.to_owned(), source),
            Key::ModelTimeout => self.timeout.offer(keys::seconds(text).unwrap_or_default(), source),
            Key::ModelUrl => self.url.offer(base(text), source),
            _ => {}
        }
    }

    /// The value as it would be written.
    pub(super) fn shown(&self, key: Key) -> (Option<String>, &ConfigSource) {
        let list = |words: &[String]| (!words.is_empty()).then(|| serde_json::json!(words).to_string());
        let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        match key {
            Key::ModelBackground => (Some(self.background.value.to_string()), &self.background.source),
            Key::ModelCommand => (list(&self.command.value), &self.command.source),
            Key::ModelDailyTokens => (Some(self.daily_tokens.value.to_string()), &self.daily_tokens.source),
            Key::ModelEmbedName => (self.embed_name.value.clone(), &self.embed_name.source),
            Key::ModelEmbedUrl => (self.embed_url.value.clone(), &self.embed_url.source),
            Key::ModelEmbedWait => {
                (Some(self.embed_wait.value.as_secs_f64().to_string()), &self.embed_wait.source)
            }
            Key::ModelKeyCommand => (self.key_command.value.clone(), &self.key_command.source),
            Key::ModelKeyEnv => (self.key_env.value.clone(), &self.key_env.source),
            Key::ModelName => (self.name.value.clone(), &self.name.source),
            Key::ModelParams => (filled(&self.params.value), &self.params.source),
            Key::ModelTimeout => (Some(self.timeout.value.as_secs_f64().to_string()), &self.timeout.source),
            Key::ModelUrl => (self.url.value.clone(), &self.url.source),
            _ => (self.api.value.map(|api| api.word().to_owned()), &self.api.source),
        }
    }
}
