//! Bodies as servers sent them, and what is sent back.

use super::*;
use crate::agents::model::{Call, ModelTool, Purpose, Shape, Turn};
use serde_json::json;

const APIS: [Api; 3] = [Api::OpenAi, Api::Responses, Api::Anthropic];

fn target(api: Api, host: &str) -> RequestTarget<'_> {
    RequestTarget { api, host, name: Some("small") }
}

fn shape() -> Shape {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
    Shape { name: "count", schema }
}

fn request() -> Request {
    Request::new(Purpose::Query, "Count.", "one two", shape())
}

/// A request in which the model called a tool.
fn talk(answer: Answer) -> Request {
    let tool = ModelTool { name: "search", about: "Search", schema: json!({"type": "object"}) };
    let turns = vec![
        Turn::User("one two".into()),
        Turn::Model(answer),
        Turn::Results(vec!["found".into(), "more".into()]),
    ];
    Request { turns, tools: vec![tool], ..request() }
}

fn body(api: Api, request: &Request) -> Value {
    target(api, "localhost").body(request, &Body::new(), &[]).into()
}

#[test]
fn a_request_has_the_form_of_its_interface() {
    let words = format!(
        "Count.\n\nAnswer with one JSON object of this schema, and nothing else:\n{}",
        shape().schema
    );
    assert_eq!(
        body(Api::OpenAi, &request()),
        json!({
            "model": "small",
            "messages": [{"role": "system", "content": words}, {"role": "user", "content": "one two"}],
            "max_completion_tokens": 4096,
            "max_tokens": 4096,
            "response_format": {"type": "json_schema", "json_schema": {"name": "count", "schema": shape().schema, "strict": true}},
        })
    );
    assert_eq!(
        body(Api::Responses, &request()),
        json!({
            "model": "small",
            "instructions": words,
            "input": [{"role": "user", "content": "one two"}],
            "max_output_tokens": 4096,
            "store": false,
            "text": {"format": {"type": "json_schema", "name": "count", "schema": shape().schema, "strict": true}},
        })
    );
    assert_eq!(
        body(Api::Anthropic, &request()),
        json!({
            "model": "small",
            "system": words,
            "messages": [{"role": "user", "content": "one two"}],
            "max_tokens": 4096,
            "output_config": {"format": {"type": "json_schema", "schema": shape().schema}},
        })
    );
    let at_openai = target(Api::OpenAi, "api.openai.com").body(&request(), &Body::new(), &[]);
    assert!(!at_openai.contains_key("max_tokens"), "its current models refuse it");
}

#[test]
fn what_the_user_adds_comes_last_and_what_the_server_refuses_is_left_out() {
    let params = fields(json!({"temperature": 0, "max_tokens": 9, "store": null}));
    for api in APIS {
        let body = target(api, "localhost").body(&request(), &params, &["temperature".into()]);
        assert_eq!(body["max_tokens"], 9);
        assert!(!body.contains_key("temperature") && !body.contains_key("store"));
    }
}

/// An answer with calls: what is understood, and what goes back with the results.
fn called(api: Api, answer: &Value) -> Value {
    let decoded = target(api, "localhost").answer(answer).unwrap();
    assert_eq!(decoded.usage, Some(Usage { input: 30, output: 8 }));
    let calls: Vec<_> =
        decoded.answer.calls.iter().map(|call| (&*call.id, &*call.tool, &call.arguments)).collect();
    assert_eq!(calls, [("a", "search", &json!({"q": "x"})), ("b", "search", &json!({}))]);
    body(api, &talk(decoded.answer))
}

#[test]
fn calls_of_chat_completions_go_back_as_they_came() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "search", "arguments": arguments}, "extra_content": {"signature": "s"}});
    let message = json!({"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [call("a", "{\"q\": \"x\"}"), call("b", "")]});
    let sent = called(
        Api::OpenAi,
        &json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "small",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 30, "completion_tokens": 8, "total_tokens": 38},
        }),
    );
    assert_eq!(sent["messages"][2], message);
    assert_eq!(sent["messages"][3], json!({"role": "tool", "tool_call_id": "a", "content": "found"}));
    assert_eq!(sent["messages"][4], json!({"role": "tool", "tool_call_id": "b", "content": "more"}));
    assert_eq!(sent["tools"][0]["function"]["name"], "search");
    assert!(sent.get("response_format").is_none() && sent.get("tool_choice").is_none(), "{sent}");
}

#[test]
fn calls_of_messages_go_back_with_the_thoughts_before_them() {
    let content = json!([
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "text", "text": "I search."},
        {"type": "tool_use", "id": "a", "name": "search", "input": {"q": "x"}},
        {"type": "tool_use", "id": "b", "name": "search", "input": {}},
    ]);
    let sent = called(
        Api::Anthropic,
        &json!({
            "id": "msg_1", "type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use",
            "usage": {"input_tokens": 10, "cache_creation_input_tokens": 15, "cache_read_input_tokens": 5, "output_tokens": 8},
        }),
    );
    assert_eq!(sent["messages"][1], json!({"role": "assistant", "content": content}));
    let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
    assert_eq!(
        sent["messages"][2],
        json!({"role": "user", "content": [result("a", "found"), result("b", "more")]})
    );
    assert_eq!(sent["tools"][0]["input_schema"], json!({"type": "object"}));
}

#[test]
fn calls_of_responses_go_back_without_what_the_server_did_not_store() {
    let call = |id: &str, arguments: &str| json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "search", "arguments": arguments, "status": "completed"});
    let sent = called(
        Api::Responses,
        &json!({
            "id": "resp_1", "object": "response", "status": "completed",
            "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, call("a", "{\"q\":\"x\"}"), call("b", "{}")],
            "usage": {"input_tokens": 30, "output_tokens": 8, "total_tokens": 38},
        }),
    );
    let call = |id: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": "search", "arguments": arguments});
    let result =
        |id: &str, text: &str| json!({"type": "function_call_output", "call_id": id, "output": text});
    let input = json!([{"role": "user", "content": "one two"}, call("a", "{\"q\":\"x\"}"), call("b", "{}"), result("a", "found"), result("b", "more")]);
    assert_eq!(sent["input"], input);
}

#[test]
fn an_answer_of_text_is_its_text() {
    for (api, answer) in [
        (Api::OpenAi, json!({"choices": [{"message": {"content": "two"}}]})),
        (Api::OpenAi, json!({"choices": [{"message": {"content": [{"type": "text", "text": "two"}]}}]})),
        (
            Api::Responses,
            json!({"output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "two"}]}]}),
        ),
        (Api::Anthropic, json!({"content": [{"type": "text", "text": "t"}, {"type": "text", "text": "wo"}]})),
    ] {
        let decoded = target(api, "localhost").answer(&answer).unwrap();
        assert_eq!((decoded.answer.text.as_str(), decoded.usage), ("two", None), "{answer}");
        let again = Request { turns: vec![Turn::Model(decoded.answer)], ..request() };
        assert!(body(api, &again).to_string().contains("\"two\""));
    }
}

#[test]
fn an_answer_without_words_says_why() {
    for (api, answer, why) in [
        (Api::OpenAi, json!([]), "no choices"),
        (Api::OpenAi, json!({"choices": [{"text": "old"}]}), "no message"),
        (
            Api::OpenAi,
            json!({"choices": [{"finish_reason": "length", "message": {"content": ""}}]}),
            "used up its tokens",
        ),
        (
            Api::OpenAi,
            json!({"choices": [{"message": {"content": null, "refusal": "I will not"}}]}),
            "I will not",
        ),
        (Api::OpenAi, json!({"choices": [{"finish_reason": "content_filter", "message": {}}]}), "filter"),
        (Api::Responses, json!({"output": []}), "empty"),
        (
            Api::Responses,
            json!({"output": [], "incomplete_details": {"reason": "max_output_tokens"}}),
            "used up its tokens",
        ),
        (
            Api::Responses,
            json!({"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]}),
            "refuses: no",
        ),
        (Api::Anthropic, json!({"type": "message"}), "no content"),
        (Api::Anthropic, json!({"content": [], "stop_reason": "refusal"}), "refuses"),
        (Api::Anthropic, json!({"content": [], "stop_reason": "max_tokens"}), "used up its tokens"),
    ] {
        let error = target(api, "localhost").answer(&answer).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn thoughts_beside_the_text_are_no_part_of_it() {
    let parts = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "reasoning", "text": "so"}, {"type": "text", "text": "two"}]);
    for (api, answer) in [
        (
            Api::OpenAi,
            json!({"choices": [{"message": {"content": "two", "reasoning_content": "hm", "reasoning": "hm"}}]}),
        ),
        (Api::OpenAi, json!({"choices": [{"message": {"content": parts}}]})),
        (
            Api::Responses,
            json!({"output": [{"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]}, {"type": "message", "content": [{"type": "reasoning_text", "text": "hm"}, {"type": "output_text", "text": "two"}]}]}),
        ),
        (
            Api::Anthropic,
            json!({"content": [{"type": "thinking", "thinking": "hm", "text": "hm"}, {"type": "text", "text": "two"}]}),
        ),
    ] {
        assert_eq!(target(api, "localhost").answer(&answer).unwrap().answer.text, "two", "{answer}");
    }
    let only = json!({"choices": [{"message": {"content": null, "reasoning_content": "{\"n\": 1}"}}]});
    assert!(target(Api::OpenAi, "localhost").answer(&only).unwrap_err().contains("empty"));
}

#[test]
fn an_answer_that_was_cut_short_is_none_whatever_it_has() {
    let call = json!([{"id": "1", "function": {"name": "search", "arguments": "{}"}}]);
    let chat = |reason: &str| json!({"choices": [{"finish_reason": reason, "message": {"content": "{}", "tool_calls": call}}]});
    let message = json!([{"type": "message", "content": [{"type": "output_text", "text": "{}"}]}]);
    let responses = |reason: &str| json!({"status": "incomplete", "output": message, "incomplete_details": {"reason": reason}});
    let anthropic =
        |reason: &str| json!({"content": [{"type": "text", "text": "{}"}], "stop_reason": reason});
    for (api, answer, why) in [
        (Api::OpenAi, chat("length"), "used up its tokens"),
        (Api::OpenAi, chat("content_filter"), "filter"),
        (Api::OpenAi, chat("error"), "failed within"),
        (Api::Responses, responses("max_output_tokens"), "used up its tokens"),
        (Api::Responses, responses("content_filter"), "filter"),
        (Api::Responses, responses("steps"), "not whole: steps"),
        (Api::Anthropic, anthropic("max_tokens"), "used up its tokens"),
        (Api::Anthropic, anthropic("refusal"), "refuses"),
    ] {
        let error = target(api, "localhost").answer(&answer).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let whole = chat("tool_calls");
    assert_eq!(target(Api::OpenAi, "localhost").answer(&whole).unwrap().answer.calls.len(), 1);
}

#[test]
fn arguments_that_are_no_json_stay_a_text_and_a_call_without_a_name_is_none() {
    let function = |name: &str| json!({"function": {"name": name, "arguments": "{not json"}});
    let message = json!({"content": "x", "tool_calls": [function("search"), {"function": {}}]});
    let decoded =
        target(Api::OpenAi, "localhost").answer(&json!({"choices": [{"message": message}]})).unwrap();
    let wanted = Call { id: "call_0".into(), tool: "search".into(), arguments: json!("{not json") };
    assert_eq!((&decoded.answer.calls, &decoded.answer.raw), (&vec![wanted], &None));
    let sent = body(Api::OpenAi, &talk(decoded.answer));
    assert_eq!(sent["messages"][2]["tool_calls"][0]["function"]["arguments"], "{not json");
}

#[test]
fn the_key_and_the_path_are_those_of_the_interface() {
    let header = |api| target(api, "localhost").key_header("k");
    assert_eq!(header(Api::OpenAi), ("authorization", "Bearer k".into()));
    assert_eq!(header(Api::Anthropic), ("x-api-key", "k".into()));
    let paths = APIS.map(|api| target(api, "localhost").path());
    assert_eq!(paths, ["/chat/completions", "/responses", "/messages"]);
}
