//! Keys: where they come from, whom they are sent to, and that they are found nowhere else.

use super::{Reply, Scripted, ready, refusal, test};
use crate::env::Env;
use std::path::Path;
use std::time::{Duration, Instant};

const KEY: &str = "sk-planted-0123456789abcdefghijklmnop";

fn key_of(env: &Env) -> String {
    let ran = env.brv(&["model", "show", "--json"]);
    let envelope: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    envelope["data"]["key"].as_str().unwrap().to_owned()
}

#[test]
fn a_key_comes_from_what_is_named_and_unasked_only_for_its_own_host() {
    let both = |url: &str| {
        let env = Env::new().with("OPENAI_API_KEY", KEY).with("ANTHROPIC_API_KEY", KEY);
        env.with("BRV_MODEL_URL", url)
    };
    assert_eq!(key_of(&both("https://api.openai.com")), "env:OPENAI_API_KEY");
    assert_eq!(key_of(&both("https://api.anthropic.com")), "env:ANTHROPIC_API_KEY");
    for other in
        ["https://openrouter.ai/api/v1", "https://api.openai.com.example.com", "http://localhost:1/v1"]
    {
        assert_eq!(key_of(&both(other)), "none", "{other}");
    }
    let named = both("http://localhost:1").with("BRV_MODEL_KEY_ENV", "OPENAI_API_KEY");
    assert_eq!(key_of(&named), "env:OPENAI_API_KEY");
    assert_eq!(key_of(&Env::new().with("BRV_MODEL_URL", "https://api.openai.com")), "none");
    assert_eq!(key_of(&both("http://localhost:1").with("BRV_MODEL_KEY_COMMAND", "cat key")), "command");
}

#[test]
fn a_key_is_sent_and_found_nowhere_else() {
    let server =
        Scripted::start(&[ready(), refusal("401 Unauthorized", &format!("Incorrect API key: {KEY}"))]);
    let env = server.env().with("MY_KEY", KEY).with("BRV_MODEL_KEY_ENV", "MY_KEY");
    let mut said = String::new();
    for arguments in [&["model", "test"][..], &["model", "test", "--json"], &["model", "show"], &["config"]] {
        let ran = env.brv(arguments);
        said = said + &ran.stdout + &ran.stderr;
    }
    assert!(said.contains("env:MY_KEY") && said.contains("401"), "{said}");
    assert!(!said.contains("planted"), "{said}");
    assert!(server.seen().iter().all(|seen| seen.head.contains(&format!("authorization: Bearer {KEY}"))));
    assert!(!holds(env.root(), KEY.as_bytes()), "the key is on the disk");
}

fn holds(folder: &Path, text: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        if entry.file_type().unwrap().is_dir() {
            return holds(&entry.path(), text);
        }
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text)
    })
}

#[test]
fn a_server_that_refuses_the_key_or_asks_for_one_is_exit_4() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let server = Scripted::start(&[refusal(status, "who are you?")]);
        let (_, error, ran) = test(&server.env());
        assert_eq!(ran.code, 4);
        assert!(error["message"].as_str().unwrap().contains("asks for a key"), "{error}");
        let (_, error, ran) = test(&server.env().with("K", KEY).with("BRV_MODEL_KEY_ENV", "K"));
        assert_eq!(ran.code, 4);
        assert!(error["message"].as_str().unwrap().contains("refuses the key from env:K"), "{error}");
        assert_eq!(server.seen().len(), 2, "not asked again");
    }
}

#[test]
fn a_key_that_cannot_be_had_is_exit_4_and_nothing_is_sent() {
    let server = Scripted::start(&[ready()]);
    let (_, error, ran) = test(&server.env().with("BRV_MODEL_KEY_ENV", "NOT_SET"));
    assert_eq!(ran.code, 4);
    assert!(error["message"].as_str().unwrap().contains("NOT_SET"), "{error}");
    let (_, _, ran) = test(&server.env().with("K", "two\nlines").with("BRV_MODEL_KEY_ENV", "K"));
    assert_eq!(ran.code, 4);
    assert!(!ran.stdout.contains("two"));
    assert!(server.seen().is_empty());
}

#[cfg(unix)]
#[test]
fn a_key_command_has_a_line_four_kilobytes_and_ten_seconds() {
    let server = Scripted::start(&[ready()]);
    let run = |line: &str| test(&server.env().with("BRV_MODEL_KEY_COMMAND", line));
    assert_eq!(run(&format!("printf '{KEY}\\nsecond line'")).2.code, 0);
    assert!(server.seen()[0].head.contains(&format!("Bearer {KEY}\r\n")));
    let asked = server.seen().len();
    for line in ["exit 3", "printf ''", "yes", "printf 'a\\001b'"] {
        let (_, error, ran) = run(line);
        assert_eq!(ran.code, 4, "{line}: {error}");
    }
    let start = Instant::now();
    let (_, error, ran) = run("sleep 60; echo key");
    assert_eq!(ran.code, 4);
    assert!(error["message"].as_str().unwrap().contains("10 s"), "{error}");
    assert!((10.0..12.0).contains(&start.elapsed().as_secs_f32()));
    assert_eq!(server.seen().len(), asked, "nothing was sent without a key");
}

#[test]
fn no_redirect_is_followed_with_the_key() {
    let thief = Scripted::start(&[ready()]);
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let place = format!("{}/chat/completions", thief.url).replace("127.0.0.1", "localhost");
        let head: &'static str = Box::leak(format!("{status}\r\nlocation: {place}").into_boxed_str());
        let server = Scripted::start(&[Reply::Says(head, String::new())]);
        let (_, error, ran) = test(&server.env().with("K", KEY).with("BRV_MODEL_KEY_ENV", "K"));
        assert_eq!(ran.code, 9);
        assert!(error["message"].as_str().unwrap().contains("redirects to `localhost:"), "{error}");
        assert_eq!(server.seen().len(), 1);
    }
    assert!(thief.seen().is_empty());
}

#[test]
fn this_machine_is_never_reached_through_a_proxy() {
    let (server, proxy) = (Scripted::start(&[ready()]), Scripted::start(&[ready()]));
    let through = proxy.url.trim_end_matches("/v1");
    let mut env = server.env();
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        env = env.with(name, through);
    }
    assert_eq!(test(&env).2.code, 0);
    assert!(proxy.seen().is_empty());
    // another host is: the proxy hears of it, and of nothing else
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let heard = std::thread::spawn({
        let listener = listener.try_clone().unwrap();
        move || {
            let mut line = String::new();
            let (stream, _) = listener.accept().unwrap();
            std::io::BufRead::read_line(&mut std::io::BufReader::new(stream), &mut line).unwrap();
            line
        }
    });
    let env = Env::new()
        .with("BRV_MODEL_URL", "https://model.example.com")
        .with("BRV_MODEL_TIMEOUT", "2")
        .with("https_proxy", format!("http://{}", listener.local_addr().unwrap()));
    let start = Instant::now();
    assert_eq!(test(&env).2.code, 9);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(heard.join().unwrap(), "CONNECT model.example.com:443 HTTP/1.1\r\n");
}
