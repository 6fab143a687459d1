//! Recorded flows over the three interfaces, and what a query does where the server fails.

use super::{OPEN, asked, knowledge, value, verdict, warnings};
use crate::env::Env;
use crate::models::{Reply, Scripted, chat, refusal};
use serde_json::Value;

const APIS: [&str; 3] = ["openai", "responses", "anthropic"];

fn with(env: Env, server: &Scripted, api: &str) -> Env {
    let env = env.with("BRV_MODEL_URL", &server.url).with("BRV_MODEL_NAME", "small");
    env.with("BRV_MODEL_API", api).with("KEY", "sk-mock").with("BRV_MODEL_KEY_ENV", "KEY")
}

/// What a server of this interface answers: a text, or calls of tools.
fn reply(api: &str, text: &str, calls: &[(&str, Value)]) -> Reply {
    let number = |at: usize| format!("id_{at}");
    let each = |make: &dyn Fn(usize, &str, &Value) -> Value| -> Vec<Value> {
        calls.iter().enumerate().map(|(at, (tool, arguments))| make(at, tool, arguments)).collect()
    };
    let body = match api {
        "openai" => {
            let calls = each(&|at, tool, arguments| {
                value!({"id": number(at), "type": "function",
                    "function": {"name": tool, "arguments": arguments.to_string()}})
            });
            value!({"choices": [{"message": {"role": "assistant", "content": text, "tool_calls": calls},
                "finish_reason": "stop"}], "usage": {"prompt_tokens": 100, "completion_tokens": 20}})
        }
        "responses" => {
            let mut output = each(&|at, tool, arguments| {
                value!({"type": "function_call", "call_id": number(at), "name": tool,
                    "arguments": arguments.to_string()})
            });
            if calls.is_empty() {
                let part = value!({"type": "output_text", "text": text});
                output.push(value!({"type": "message", "role": "assistant", "content": [part]}));
            }
            value!({"status": "completed", "output": output, "usage": {"input_tokens": 100, "output_tokens": 20}})
        }
        _ => {
            let mut content = each(
                &|at, tool, arguments| value!({"type": "tool_use", "id": number(at), "name": tool, "input": arguments}),
            );
            if calls.is_empty() {
                content.push(value!({"type": "text", "text": text}));
            }
            value!({"role": "assistant", "content": content, "stop_reason": "end_turn",
                "usage": {"input_tokens": 100, "output_tokens": 20}})
        }
    };
    Reply::Says("200 OK\r\ncontent-type: application/json", body.to_string())
}

#[test]
fn each_interface_answers_from_passages_and_looks_for_more() {
    let none = value!({ "answer": null, "cited": [], "covered": true }).to_string();
    for api in APIS {
        let read = ("read", value!({ "path": "storage/database/primary_store.md" }));
        let links = ("links", value!({ "path": "auth/keys/key_rotation.md" }));
        let server = Scripted::start(&[
            reply(api, &none, &[]),
            reply(api, "", &[("search", value!({ "text": "WAL archives" }))]),
            reply(api, "", &[read, links]),
            reply(api, &verdict("Hourly.", &[1]), &[]),
        ]);
        let env = with(knowledge(), &server, api);
        let (ran, data) = asked(&env, &["query", OPEN, "--tier-max", "4", "--explain"]);
        assert_eq!(
            (ran.code, data["by"].as_str()),
            (0, Some("agent")),
            "{api}: {}{}",
            ran.stdout,
            ran.stderr
        );
        let steps = data["explain"]["steps"].as_array().unwrap();
        let tools: Vec<&str> = steps.iter().map(|step| step["tool"].as_str().unwrap()).collect();
        assert_eq!(tools, ["search", "read", "links"], "{api}");
        let model = &data["model"];
        assert_eq!((&model["name"], &model["calls"]), (&value!("small"), &value!(4)), "{api}: {model}");
        assert_eq!((&model["input_tokens"], &model["output_tokens"]), (&value!(400), &value!(80)), "{api}");
        let seen = server.seen();
        let limit = |at: usize| {
            let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
            names.iter().find_map(|name| seen[at].body[*name].as_u64())
        };
        assert_eq!((limit(0), limit(1)), (Some(4_096), Some(8_192)), "{api}: {}", seen[0].body);
        let last = seen[3].body.to_string();
        assert!(
            last.contains("id_1") && last.contains("linked from storage/cache/redis_usage.md"),
            "{api}: {last}"
        );
        assert!(last.contains("WAL archives, hourly"), "{api}: {last}");
        for field in ["temperature", "top_p", "tool_choice", "seed"] {
            assert!(seen.iter().all(|seen| seen.body.get(field).is_none()), "{api}: {field}");
        }
    }
}

#[test]
fn a_server_that_fails_costs_no_query() {
    let html = Reply::Says("200 OK\r\ncontent-type: text/html", "<html>Welcome</html>".into());
    for (replies, options, told) in [
        (vec![html], &[][..], ""),
        (vec![refusal("401 Unauthorized", "bad key")], &[], "401"),
        (vec![refusal("500 Internal Server Error", "no luck")], &[], "500"),
        (vec![Reply::Noise], &[], ""),
        (vec![Reply::CutWithin], &[], ""),
        (vec![Reply::Drip], &[("BRV_MODEL_TIMEOUT", "1")], ""),
        (vec![chat("{\"answer\": \"Ten\", \"cited\"")], &[], "no usable answer"),
        (vec![chat("x")], &[("BRV_MODEL_DAILY_TOKENS", "10")], "tokens"),
    ] {
        let server = Scripted::start(&replies);
        let mut env = with(knowledge(), &server, "openai");
        for (name, setting) in options {
            env = env.with(*name, *setting);
        }
        let (ran, data) = asked(&env, &["query", OPEN, "--tier-max", "4"]);
        assert_eq!((ran.code, data["by"].as_str()), (0, Some("passages")), "{replies:?}: {}", ran.stderr);
        let warnings = warnings(&ran);
        assert!(
            warnings.contains(told) && warnings.contains("passages follow instead"),
            "{replies:?}: {warnings}"
        );
        assert!(!data["passages"].as_array().unwrap().is_empty() && data["model"].is_object(), "{data}");
        assert!(!ran.stdout.contains("sk-mock") && !ran.stderr.contains("sk-mock"));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_query_that_waits_for_a_model() {
    use std::process::{Command, Stdio};
    let server = Scripted::start(&[Reply::Drip]);
    let env = with(knowledge(), &server, "openai");
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    let child = command.args(["query", OPEN]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while server.seen().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
}
