//! OpenAI's responses: `POST …/responses`. Nothing is stored on the server, so that each request has the whole talk.

use super::{
    Body, Decoded, FILTERED, USED_UP, arguments, arguments_text, call_id, fields, results, said, schema,
    task, usage,
};
use crate::agents::model::{Answer, Call, ModelTool, Request, Turn};
use serde_json::{Value, json};

pub(super) fn body(request: &Request) -> Body {
    let mut input = Vec::new();
    let mut before = None;
    for turn in &request.turns {
        match turn {
            Turn::User(text) => input.push(json!({"role": "user", "content": text})),
            Turn::Model(answer) => {
                input.extend(of_model(answer));
                before = Some(answer);
            }
            Turn::Results(texts) => input
                .extend(results(before, texts).map(
                    |(id, text)| json!({"type": "function_call_output", "call_id": id, "output": text}),
                )),
        }
    }
    let mut body = fields(json!({
        "instructions": task(request),
        "input": input,
        "max_output_tokens": request.most_output,
        "store": false,
    }));
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    } else if let Some(shape) = &request.shape {
        let strict = schema::is_strict(&shape.schema);
        let format =
            json!({"type": "json_schema", "name": shape.name, "schema": shape.schema, "strict": strict});
        body.insert("text".into(), json!({"format": format}));
    }
    body
}

fn tool(tool: &ModelTool) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.about,
        "parameters": tool.schema,
        "strict": schema::is_strict(&tool.schema),
    })
}

/// An answer without the items of thinking: a server that stores nothing does not know them again.
fn of_model(answer: &Answer) -> impl Iterator<Item = Value> + '_ {
    let text = (!answer.text.trim().is_empty()).then(|| json!({"role": "assistant", "content": answer.text}));
    let calls = answer.calls.iter().map(|call| {
        let arguments = arguments_text(&call.arguments);
        json!({"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments})
    });
    text.into_iter().chain(calls)
}

pub(super) fn answer(body: &Value) -> Result<Decoded, String> {
    let items = body["output"].as_array().ok_or("it has no output")?;
    let of_kind = |kind: &'static str| items.iter().filter(move |item| item["type"] == kind);
    let parts = || of_kind("message").flat_map(|item| item["content"].as_array().into_iter().flatten());
    let text: String = parts().filter_map(said).collect();
    let calls: Vec<Call> =
        of_kind("function_call").enumerate().filter_map(|(at, item)| call(item, at)).collect();
    let is_empty = calls.is_empty() && text.trim().is_empty();
    let refusal = parts().find_map(|part| part["refusal"].as_str()).filter(|_| is_empty);
    if let Some(refusal) = refusal {
        return Err(format!("the model refuses: {refusal}"));
    }
    match body["incomplete_details"]["reason"].as_str() {
        Some("max_output_tokens") => return Err(USED_UP.into()),
        Some("content_filter") => return Err(FILTERED.into()),
        Some(other) => return Err(format!("the answer is not whole: {other}")),
        None if is_empty => return Err("it is empty".into()),
        None => {}
    }
    let usage = usage(body, &["input_tokens"], "output_tokens");
    Ok(Decoded { answer: Answer { text, calls, ..Answer::default() }, usage })
}

fn call(item: &Value, number: usize) -> Option<Call> {
    Some(Call {
        id: call_id(&item["call_id"], number),
        tool: item["name"].as_str()?.to_owned(),
        arguments: arguments(&item["arguments"]),
    })
}
