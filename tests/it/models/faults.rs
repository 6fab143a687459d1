//! What a server may do wrong: each fault ends within its time, with its exit code and a message that names it.

use super::{Reply, Scripted, chat, ready, refusal, test, usage};
use serde_json::json;
use std::time::{Duration, Instant};

/// Play a fault to the end: the exit code, the code of the error, the message, how many requests came, how long it took.
fn play(replies: &[Reply]) -> (i32, String, String, usize, Duration) {
    play_with(replies, "30")
}

fn play_with(replies: &[Reply], timeout: &str) -> (i32, String, String, usize, Duration) {
    let server = Scripted::start(replies);
    let env = server.env().with("BRV_MODEL_TIMEOUT", timeout);
    let start = Instant::now();
    let (data, error, ran) = test(&env);
    let time = start.elapsed();
    assert_eq!(data["reachable"], ran.code == 0 || error["code"] == "model_invalid", "{data}");
    assert!(!ran.stdout.contains(|c: char| c.is_control() && c != '\n'), "{ran:?}");
    let text = |field: &str| error[field].as_str().unwrap_or_default().to_owned();
    (ran.code, text("code"), text("message"), server.seen().len(), time)
}

#[test]
fn a_server_that_fails_is_asked_three_more_times() {
    for status in ["500 Internal Server Error", "502 Bad Gateway", "529 Overloaded"] {
        let (exit, _, message, asked, time) = play(&[refusal(status, "no \u{1b}[31mluck")]);
        assert_eq!((exit, asked), (9, 4), "{message}");
        assert!(message.contains(&status[..3]) && message.contains("no luck"), "{message}");
        assert!((3.5..6.0).contains(&time.as_secs_f32()), "{time:?}");
    }
    let (exit, _, message, asked, _) = play(&[Reply::Cut]);
    assert_eq!((exit, asked), (9, 4), "{message}");
    assert!(message.contains("cut before an answer"), "{message}");
}

#[test]
fn a_server_that_recovers_is_not_mentioned() {
    let busy = refusal("429 Too Many Requests", "slow down");
    let server = Scripted::start(&[busy, Reply::Cut, ready()]);
    let env = server.env();
    let (data, _, ran) = test(&env);
    assert_eq!((ran.code, &data["reachable"]), (0, &json!(true)), "{ran:?}");
    let day = usage(&env);
    assert_eq!((&day["calls"], &day["failed"]), (&json!(4), &json!(2)), "the cut one may have been billed");
}

#[test]
fn a_gateway_that_gives_up_is_asked_again_also_where_it_says_so_in_an_answer() {
    let within = |error: serde_json::Value| Reply::Says("200 OK", error.to_string());
    let replies = [
        refusal("408 Request Timeout", "slow"),
        refusal("504 Gateway Timeout", "slow"),
        refusal("520 Unknown", "slow"),
        refusal("521 Down", "slow"),
        refusal("522 Slow", "slow"),
        refusal("523 Away", "slow"),
        refusal("524 Slow", "slow"),
        within(json!({"error": {"code": 429, "message": "slow"}})),
        within(json!({"error": {"code": "rate_limit_exceeded", "message": "slow"}})),
        within(json!({"type": "error", "error": {"type": "overloaded_error", "message": "slow"}})),
        within(json!({"object": "error", "code": "503", "message": "slow"})),
        within(
            json!({"choices": [{"error": {"code": 502, "message": "slow"}, "message": {"content": "{"}}]}),
        ),
    ];
    for reply in replies {
        let server = Scripted::start(&[reply.clone(), ready()]);
        let (data, error, ran) = test(&server.env());
        assert_eq!((ran.code, &data["reachable"]), (0, &json!(true)), "{reply:?} {error}");
        assert_eq!(server.seen().len(), 3, "{reply:?}");
    }
    let late = within(json!({"error": {"code": 429, "message": "slow down"}}));
    let (exit, _, message, asked, _) = play(&[late]);
    assert_eq!((exit, asked), (9, 4), "{message}");
    assert!(message.contains("429") && message.contains("slow down"), "{message}");
    let (exit, code, message, asked, _) = play(&[within(json!({"error": {"code": 402, "message": "pay"}}))]);
    assert_eq!((exit, code.as_str(), asked), (1, "model_invalid", 1), "{message}");
}

#[test]
fn the_server_says_how_long_to_wait_within_the_time_of_a_call() {
    let busy = |after| Reply::Says(after, String::new());
    let server = Scripted::start(&[busy("429 Too Many Requests\r\nretry-after: 2"), ready()]);
    assert_eq!(test(&server.env()).2.code, 0);
    let seen = server.seen();
    assert!((2.0..3.0).contains(&(seen[1].at - seen[0].at).as_secs_f32()));
    let (exit, _, message, asked, time) = play(&[busy("429 Too Many Requests\r\nretry-after: 3600")]);
    assert_eq!((exit, asked), (9, 1), "{message}");
    assert!(time < Duration::from_secs(2), "{time:?}");
    // the tests' clock stands still
    let date = "503 Service Unavailable\r\nretry-after: Tue, 14 Nov 2023 22:13:21 GMT";
    let server = Scripted::start(&[busy(date), ready()]);
    assert_eq!(test(&server.env()).2.code, 0);
    let seen = server.seen();
    assert!((1.0..2.0).contains(&(seen[1].at - seen[0].at).as_secs_f32()));
}

#[test]
fn a_model_that_is_loading_is_waited_for_until_the_time_is_over() {
    let loading = refusal("503 Service Unavailable", "Loading model");
    let (exit, _, message, asked, time) = play_with(std::slice::from_ref(&loading), "6");
    assert_eq!(exit, 9);
    assert!(message.contains("loading") && asked >= 4, "{message} {asked}");
    assert!((3.0..7.0).contains(&time.as_secs_f32()), "{time:?}");
    let replies = [vec![loading; 5], vec![ready()]].concat();
    let (exit, _, _, asked, _) = play(&replies);
    assert_eq!((exit, asked), (0, 7), "five, then an answer, and the second question");
}

#[test]
fn what_is_no_answer_is_invalid_and_is_not_asked_for_again() {
    let page = || "<!doctype html><title>Sign in</title>".to_owned();
    for (reply, words) in [
        (Reply::Says("200 OK\r\ncontent-type: text/html", page()), "a page"),
        (Reply::Says("200 OK", "{\"choices\": [".into()), "not JSON"),
        (Reply::Says("200 OK", String::new()), "empty"),
        (Reply::Says("200 OK", "{}".into()), "no choices"),
        (Reply::Says("200 OK", "{\"choices\": []}".into()), "no choices"),
        (Reply::Says("200 OK", "{\"choices\": [{\"message\": {\"content\": null}}]}".into()), "it is empty"),
        (refusal("200 OK", "the upstream failed\u{202e}\u{7}"), "the upstream failed"),
        (refusal("404 Not Found", "no model `small`"), "no model `small`"),
        (Reply::CutWithin, "breaks off"),
        (Reply::Long(50), "longer than 8 MB"),
    ] {
        let (exit, code, message, asked, time) = play(&[reply]);
        assert_eq!((exit, code.as_str(), asked), (1, "model_invalid", 1), "{message}");
        assert!(message.contains(words) && !message.contains("doctype"), "{message}");
        assert!(time < Duration::from_secs(5), "{time:?}");
    }
}

#[test]
fn an_answer_that_drips_ends_with_the_time_of_the_call() {
    // it drips for ever
    let (exit, _, message, asked, time) = play_with(&[Reply::Drip], "1");
    assert_eq!((exit, asked), (9, 1), "{message}");
    assert!(message.contains("model.timeout"), "{message}");
    assert!(time.as_secs_f32() >= 1.0, "{time:?}");
    let (exit, _, message, ..) = play(&[Reply::Noise]);
    assert_eq!(exit, 9, "{message}");
}

#[test]
fn nobody_listens() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let env = crate::env::Env::new().with("BRV_MODEL_URL", format!("http://{address}/v1"));
    let (_, error, ran) = test(&env);
    assert_eq!(ran.code, 9);
    assert!(error["message"].as_str().unwrap().contains(&address.to_string()), "{error}");
    assert_eq!(super::usage(&env)["input_tokens"], 0, "nothing was sent, and nothing is counted");
}

#[test]
fn a_refused_field_is_left_out_once_and_for_all() {
    let refused = |field: &str| {
        let error = json!({"message": format!("Unsupported parameter: '{field}'"), "param": field});
        Reply::Says("400 Bad Request", json!({"error": error}).to_string())
    };
    let server = Scripted::start(&[refused("max_completion_tokens"), refused("temperature"), ready()]);
    let env = server.env().with("BRV_MODEL_PARAMS", "{\"temperature\": 0.1}");
    let (data, _, _) = test(&env);
    assert_eq!(data["dropped_fields"], json!(["max_completion_tokens", "temperature"]));
    let (data, _, _) = test(&env);
    assert_eq!(data["dropped_fields"], json!(["max_completion_tokens", "temperature"]));
    let seen = server.seen();
    assert_eq!(seen.len(), 6, "two refusals, two answers, and then two answers");
    assert_eq!(seen[0].body["temperature"], 0.1);
    for request in &seen[2..] {
        assert!(
            request.body.get("temperature").is_none() && request.body.get("max_completion_tokens").is_none()
        );
        assert_eq!(request.body["max_tokens"], 1024);
    }
    // a refusal that stays is an error, and nothing is remembered
    let server = Scripted::start(&[refused("response_format")]);
    let env = server.env();
    let (_, error, ran) = test(&env);
    assert_eq!((ran.code, error["code"].as_str()), (1, Some("model_invalid")));
    let (data, _, _) = test(&env);
    assert_eq!(data["dropped_fields"], json!(["response_format"]));
    assert_eq!(server.seen().len(), 4, "asked with it again");
}

#[test]
fn a_tool_call_counts_in_whatever_way_it_is_written() {
    let prose = r#"<tool_call>{"name": "look_up", "arguments": {"word": "ready"}}</tool_call>"#;
    let server = Scripted::start(&[chat("Sure: {\"ok\": true}"), chat(prose)]);
    let (data, _, _) = test(&server.env());
    assert_eq!(data["features"], json!({"json_schema": false, "tools": true, "usage": true}));
    let function = json!({"name": "look_up", "arguments": "{not json"});
    let message =
        json!({"content": null, "tool_calls": [{"id": "1", "type": "function", "function": function}]});
    let server = Scripted::start(&[
        ready(),
        Reply::Says("200 OK", json!({"choices": [{"message": message}]}).to_string()),
    ]);
    let (data, _, _) = test(&server.env());
    assert_eq!(data["features"], json!({"json_schema": true, "tools": true, "usage": true}));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_call_at_once() {
    use std::process::{Command, Stdio};
    let server = Scripted::start(&[Reply::Drip]);
    let env = server.env();
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    let mut child =
        command.args(["model", "test"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while server.seen().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let start = Instant::now();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}
