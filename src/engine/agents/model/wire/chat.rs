//! Chat completions: `POST …/chat/completions`, which OpenAI began and llama.cpp, Ollama, vLLM and most hosts have.

use super::{
    Body, Decoded, FILTERED, USED_UP, arguments, arguments_text, call_id, fields, results, said, schema,
    task, usage,
};
use crate::agents::model::{Answer, Call, ModelTool, Request, Turn};
use serde_json::{Value, json};

/// The host whose current models refuse `max_tokens`. Ollama and others ignore `max_completion_tokens`, so that the rest
/// gets both.
const OPENAI: &str = "api.openai.com";

pub(super) fn body(request: &Request, host: &str) -> Body {
    let mut messages = vec![json!({"role": "system", "content": task(request)})];
    let mut before = None;
    for turn in &request.turns {
        match turn {
            Turn::User(text) => messages.push(json!({"role": "user", "content": text})),
            Turn::Model(answer) => {
                messages.push(of_model(answer));
                before = Some(answer);
            }
            Turn::Results(texts) => messages.extend(
                results(before, texts)
                    .map(|(id, text)| json!({"role": "tool", "tool_call_id": id, "content": text})),
            ),
        }
    }
    let mut body = fields(json!({
        "messages": messages,
        "max_completion_tokens": request.most_output,
    }));
    if host != OPENAI {
        body.insert("max_tokens".into(), request.most_output.into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    } else if let Some(shape) = &request.shape {
        // with tools, a server that holds the model to the schema would never let it call one
        let strict = schema::is_strict(&shape.schema);
        let form = json!({"name": shape.name, "schema": shape.schema, "strict": strict});
        body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": form}));
    }
    body
}

fn tool(tool: &ModelTool) -> Value {
    let function = json!({"name": tool.name, "description": tool.about, "parameters": tool.schema});
    json!({"type": "function", "function": function})
}

fn of_model(answer: &Answer) -> Value {
    if answer.calls.is_empty() {
        return json!({"role": "assistant", "content": answer.text});
    }
    // as it came: some models want their own marks back with the calls
    if let Some(raw) = &answer.raw {
        return raw.clone();
    }
    let calls = answer.calls.iter().map(|call| {
        let function = json!({"name": call.tool, "arguments": arguments_text(&call.arguments)});
        json!({"id": call.id, "type": "function", "function": function})
    });
    json!({"role": "assistant", "content": answer.text, "tool_calls": calls.collect::<Vec<_>>()})
}

pub(super) fn answer(body: &Value) -> Result<Decoded, String> {
    let choice = body["choices"].get(0).ok_or("it has no choices")?;
    let message = choice.get("message").filter(|message| message.is_object()).ok_or("it has no message")?;
    let text = text_of(&message["content"]);
    let given = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let calls: Vec<Call> =
        given.iter().enumerate().filter_map(|(number, given)| call(given, number)).collect();
    if calls.is_empty() && text.trim().is_empty() {
        return Err(match message["refusal"].as_str() {
            Some(refusal) if !refusal.is_empty() => format!("the model refuses: {refusal}"),
            _ => cut_short(choice).unwrap_or("it is empty").into(),
        });
    }
    if let Some(why) = cut_short(choice) {
        return Err(why.into());
    }
    // only calls that the server named can be sent back as they came
    let named = given.iter().all(|given| given["id"].as_str().is_some_and(|id| !id.is_empty()));
    let raw = (!calls.is_empty() && named && calls.len() == given.len()).then(|| message.clone());
    let usage = usage(body, &["prompt_tokens"], "completion_tokens");
    Ok(Decoded { answer: Answer { text, calls, raw, ..Answer::default() }, usage })
}

/// Why an answer ends before its end.
fn cut_short(choice: &Value) -> Option<&'static str> {
    match choice["finish_reason"].as_str()? {
        "length" | "model_length" => Some(USED_UP),
        "content_filter" => Some(FILTERED),
        "error" => Some("the server failed within the answer"),
        _ => None,
    }
}

/// A text, or the texts of its parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(said).collect(),
        _ => String::new(),
    }
}

fn call(given: &Value, number: usize) -> Option<Call> {
    let function = &given["function"];
    Some(Call {
        id: call_id(&given["id"], number),
        tool: function["name"].as_str()?.to_owned(),
        arguments: arguments(&function["arguments"]),
    })
}
