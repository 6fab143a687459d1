//! `brv model test`: asks the model two small things, and shows what it can do.

use brv_base::config::Api;
use brv_engine::agents::model::{Answer, Error, KeySource, Model, ModelTool, Purpose, Request, Shape, Turn};
use brv_engine::open::models;
use brv_engine::{Context, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Enough for a model that thinks before it answers.
const MOST_OUTPUT: u32 = 1_024;

/// `brv.model.test/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ModelTest")]
pub struct Outcome {
    /// `openai`, `responses`, `anthropic` or `command`.
    pub api: &'static str,
    /// The address without the path of the interface.
    pub url: Option<String>,
    /// The name of the model.
    pub name: Option<String>,
    /// Where the key comes from: `env:NAME`, `command` or `none`.
    pub key: String,
    /// Whether it answered.
    pub reachable: bool,
    /// How long the first answer took, in milliseconds.
    pub ms: u64,
    pub features: ModelFeatures,
    /// The fields that are left out of requests because the server refused them.
    pub dropped_fields: Vec<String>,
}

/// What the model can do.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ModelFeatures")]
pub struct ModelFeatures {
    /// It answers with JSON of a schema, and nothing around it.
    pub json_schema: bool,
    /// It calls a tool that it is offered.
    pub tools: bool,
    /// The server counts tokens; else brv estimates them.
    pub usage: bool,
}

/// What was found out.
#[derive(Debug)]
pub struct Tested {
    pub outcome: Outcome,
    pub warnings: Vec<String>,
    /// Why the model gave no answer.
    pub failure: Option<Stop>,
}

/// Ask the model.
///
/// # Errors
/// None is set.
pub fn run(cx: &Context<'_>) -> Result<Tested, Stop> {
    let mut model = models::needed(cx)?;
    let setting = &cx.config.model;
    let answered = model.ask(&shaped());
    let ms = model.spent().ms;
    let mut features = ModelFeatures { usage: model.counts_tokens(), ..ModelFeatures::default() };
    let failure = match answered {
        Ok(answer) => {
            features.json_schema = is_shaped(&answer);
            features.tools = calls(&mut model)?;
            None
        }
        // what it says is not an answer, but it says something
        Err(error) => Some(error),
    };
    let reachable = matches!(failure, None | Some(Error::Invalid(_)));
    features.usage &= failure.is_none();
    let outcome = Outcome {
        api: setting.interface().map_or("", Api::word),
        url: setting.url.value.clone(),
        name: setting.name.value.clone(),
        key: KeySource::of(setting, &cx.environment).to_string(),
        reachable,
        ms,
        features,
        dropped_fields: model.dropped_fields(),
    };
    Ok(Tested { outcome, warnings: model.take_warnings(), failure: failure.map(Stop::from) })
}

fn shaped() -> Request {
    let schema = json!({
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": false,
    });
    let shape = Shape { name: "test", schema };
    let request = Request::new(Purpose::Query, "Answer that you are ready.", "Set `ok` to true.", shape);
    Request { most_output: MOST_OUTPUT, ..request }
}

fn is_shaped(answer: &Answer) -> bool {
    serde_json::from_str::<Value>(answer.text.trim()).is_ok_and(|value| value["ok"].is_boolean())
}

/// Whether it calls a tool. A server that has none may refuse the request.
fn calls(model: &mut Model) -> Result<bool, Stop> {
    let schema = json!({
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": false,
    });
    let tool = ModelTool { name: "look_up", about: "Look a word up", schema };
    let request = Request {
        purpose: Purpose::Query,
        task: "Use the tool.".into(),
        turns: vec![Turn::User("Look up the word `ready` with the tool.".into())],
        shape: None,
        tools: vec![tool],
        most_output: MOST_OUTPUT,
    };
    match model.ask(&request) {
        Ok(answer) => Ok(answer.calls.iter().any(|call| call.tool == "look_up")),
        Err(Error::Interrupted) => Err(Error::Interrupted.into()),
        Err(_) => Ok(false),
    }
}
