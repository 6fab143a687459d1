//! `brv model show`: the settings in effect. Nothing is asked.

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
}

/// Show the settings.
///
/// # Errors
/// None; a command may stop.
pub fn run(cx: &Context<'_>) -> Result<Outcome, Stop> {
    let setting = &cx.config.model;
    let key = KeySource::of(setting, &cx.environment);
    let key_set = match &key {
        KeySource::Variable(name) => Some(cx.environment.get_filled(name).is_some()),
        KeySource::Command | KeySource::None => None,
    };
    Ok(Outcome {
        api: setting.interface().map(brv_base::config::Api::word),
        url: setting.url.value.clone(),
        name: setting.name.value.clone(),
        command: setting.command.value.iter().map(|word| without_passwords(word)).collect(),
        key: key.to_string(),
        key_set,
        params: setting.fields(),
        timeout: setting.timeout.value.as_secs_f64(),
        daily_tokens: setting.daily_tokens.value,
        background: setting.background.value,
    })
}
