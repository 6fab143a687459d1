//! `brv model show`: the settings in effect, without a request.

use brv_base::config;
use brv_base::messages::without_passwords;
use brv_engine::agents::model::KeySource;
use brv_engine::{Context, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// `brv.model.show/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ModelShow")]
pub struct Outcome {
    /// `openai`, `responses`, `anthropic` or `command`; null if no model is set.
    pub api: Option<&'static str>,
    /// The address without the path of the interface.
    pub url: Option<String>,
    /// The name of the model.
    pub name: Option<String>,
    /// The words of the program.
    pub command: Vec<String>,
    /// Where the key would come from: `env:NAME`, `command` or `none`.
    pub key: String,
    /// Whether the variable of the key has a value; null if the key comes from elsewhere.
    pub key_set: Option<bool>,
    /// Fields of every request.
    pub params: Map<String, Value>,
    /// How long one call may take, in seconds.
    pub timeout: f64,
    /// How many tokens a day may take.
    pub daily_tokens: u64,
    /// Whether anything asks that nobody waits for.
    pub background: bool,
    /// The encoder that orders what is found; absent if none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoder: Option<ModelEncoder>,
}

/// An encoder.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ModelEncoder")]
pub struct ModelEncoder {
    /// The address without `/embeddings`.
    pub url: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Where its key would come from: `env:NAME`, `command` or `none`.
    pub key: String,
    /// Whether the variable of the key has a value; null if the key comes from elsewhere.
    pub key_set: Option<bool>,
    /// How long a question waits for it, in seconds.
    pub wait: f64,
}

/// Show the settings.
///
/// # Errors
/// None; a command may stop.
pub fn run(cx: &Context<'_>) -> Result<Outcome, Stop> {
    let setting = &cx.config.model;
    let (key, key_set) = key_of(cx, setting);
    Ok(Outcome {
        api: setting.interface().map(brv_base::config::Api::word),
        url: setting.url.value.clone(),
        name: setting.name.value.clone(),
        command: setting.command.value.iter().map(|word| without_passwords(word)).collect(),
        key,
        key_set,
        params: setting.fields(),
        timeout: setting.timeout.value.as_secs_f64(),
        daily_tokens: setting.daily_tokens.value,
        background: setting.background.value,
        encoder: setting.encoder().map(|own| {
            let (key, key_set) = key_of(cx, &own);
            let wait = setting.embed_wait.value.as_secs_f64();
            ModelEncoder { url: own.url.value, name: own.name.value, key, key_set, wait }
        }),
    })
}

/// Where a key comes from, and whether its variable has a value.
fn key_of(cx: &Context<'_>, setting: &config::ModelConfig) -> (String, Option<bool>) {
    let key = KeySource::of(setting, &cx.environment);
    let is_set = match &key {
        KeySource::Variable(name) => Some(cx.environment.get_filled(name).is_some()),
        KeySource::Command | KeySource::None => None,
    };
    (key.to_string(), is_set)
}
