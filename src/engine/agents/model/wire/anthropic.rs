//! Anthropic's messages: `POST …/messages`.

use super::{Body, Decoded, USED_UP, arguments, call_id, fields, results, schema, task, usage};
use crate::agents::model::{Answer, Call, ModelTool, Request, Turn};
use serde_json::{Value, json};

pub(super) fn body(request: &Request) -> Body {
    let mut messages = Vec::new();
    let mut before = None;
    for turn in &request.turns {
        match turn {
            Turn::User(text) => messages.push(json!({"role": "user", "content": text})),
            Turn::Model(answer) => {
                messages.push(json!({"role": "assistant", "content": of_model(answer)}));
                before = Some(answer);
            }
            Turn::Results(texts) => {
                let results = results(before, texts)
                    .map(|(id, text)| json!({"type": "tool_result", "tool_use_id": id, "content": text}));
                messages.push(json!({"role": "user", "content": results.collect::<Vec<_>>()}));
            }
        }
    }
    let mut body = fields(json!({
        "system": task(request),
        "messages": messages,
        "max_tokens": request.most_output,
    }));
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    } else if let Some(shape) = request.shape.as_ref().filter(|shape| schema::is_strict(&shape.schema)) {
        let format = json!({"type": "json_schema", "schema": shape.schema});
        body.insert("output_config".into(), json!({"format": format}));
    }
    body
}

fn tool(tool: &ModelTool) -> Value {
    json!({"name": tool.name, "description": tool.about, "input_schema": tool.schema})
}

fn of_model(answer: &Answer) -> Value {
    if answer.calls.is_empty() {
        // an empty text is refused
        let text = if answer.text.trim().is_empty() { "(no answer)" } else { &answer.text };
        return json!([{"type": "text", "text": text}]);
    }
    // as it came: the thoughts before a call have to come back with it
    if let Some(raw) = &answer.raw {
        return raw.clone();
    }
    let text = (!answer.text.trim().is_empty()).then(|| json!({"type": "text", "text": answer.text}));
    let calls = answer.calls.iter().map(|call| {
        let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
        json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": input})
    });
    text.into_iter().chain(calls).collect()
}

pub(super) fn answer(body: &Value) -> Result<Decoded, String> {
    let parts = body["content"].as_array().ok_or("it has no content")?;
    let of_kind = |kind: &'static str| parts.iter().filter(move |part| part["type"] == kind);
    let text: String = of_kind("text").filter_map(|part| part["text"].as_str()).collect();
    let calls: Vec<Call> = of_kind("tool_use").enumerate().filter_map(|(at, part)| call(part, at)).collect();
    match body["stop_reason"].as_str() {
        Some("refusal") => return Err("the model refuses".into()),
        Some("max_tokens" | "model_context_window_exceeded") => return Err(USED_UP.into()),
        _ if calls.is_empty() && text.trim().is_empty() => return Err("it is empty".into()),
        _ => {}
    }
    let raw = (!calls.is_empty()).then(|| body["content"].clone());
    let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let usage = usage(body, &input, "output_tokens");
    Ok(Decoded { answer: Answer { text, calls, raw, ..Answer::default() }, usage })
}

fn call(part: &Value, number: usize) -> Option<Call> {
    Some(Call {
        id: call_id(&part["id"], number),
        tool: part["name"].as_str()?.to_owned(),
        arguments: arguments(&part["input"]),
    })
}
