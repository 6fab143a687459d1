//! `brv served`: what agents were given, and that nothing else is remembered.

use crate::env::{Env, tree};
use crate::init::{commit, json, project, write};
use crate::mcp::wire::{Era, Wire};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

const AGENT: [(&str, &str); 2] = [("BRV_SESSION", "s-1"), ("BRV_ACTOR", "claude-code")];

fn sample() -> Env {
    let env = project(&[
        ("auth/context.md", "# Auth\n\nHow people sign in.\n"),
        ("auth/tokens.md", "# Token lifetime\n\nAccess tokens live ten minutes, as in `src/auth.rs`.\n"),
        ("auth/keys.md", "# Keys\n\nSigning keys rotate every month, and nobody has to do it by hand.\n"),
    ]);
    commit(&env, "first");
    env
}

/// The receipts that the command shows with these arguments.
#[track_caller]
fn served(env: &Env, arguments: &[&str]) -> Vec<Value> {
    let ran = env.brv(&[&["served", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    json(&ran.stdout)["data"]["served"].as_array().unwrap().clone()
}

/// `door command path` of each.
fn short(receipts: &[Value]) -> Vec<String> {
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    receipts.iter().map(|one| ["door", "command", "path"].map(|name| word(one, name)).join(" ")).collect()
}

#[track_caller]
fn run(env: &Env, variables: &[(&str, &str)], arguments: &[&str]) {
    let ran = env.brv_with(variables, arguments);
    assert_eq!(ran.code, 0, "{arguments:?} {}", ran.stderr);
}

const READING: [&[&str]; 6] = [
    &["read", "auth/keys"],
    &["query", "How long do access tokens live?"],
    &["search", "signing keys"],
    &["brain"],
    &["brain", "--task", "rotate the signing keys"],
    &["prime"],
];

#[test]
fn a_person_and_ci_leave_no_receipts() {
    let env = sample();
    for arguments in READING {
        run(&env, &[], arguments);
        run(&env, &[AGENT[0], AGENT[1], ("CI", "true")], arguments);
    }
    run(&env, &AGENT, &["query", "How long do access tokens live?", "--no-hits"]);
    run(&env, &AGENT, &["search", "signing keys", "--no-hits"]);
    assert_eq!(served(&env, &[]), [] as [Value; 0]);
    let text = env.brv(&["served"]).stdout;
    assert_eq!(text, "No agent was given an entry, as far as this clone remembers.\n");
}

#[test]
fn what_a_session_is_given_is_told_with_why() {
    let env = sample();
    for arguments in READING {
        run(&env, &AGENT, arguments);
    }
    let all = served(&env, &[]);
    for command in [
        "read auth/keys.md",
        "query auth/tokens.md",
        "search auth/keys.md",
        "brain auth/tokens.md",
        "prime auth/context.md",
    ] {
        let expected = format!("cli {command}");
        assert!(short(&all).contains(&expected), "{expected}: {:?}", short(&all));
    }
    let of = |command: &str| all.iter().find(|one| one["command"] == command).unwrap();
    assert_eq!(of("read")["why"], "read full");
    assert_eq!(of("read")["asked"], "auth/keys");
    assert_eq!(of("read")["blob"], env.git(&tree(&env), &["rev-parse", "HEAD:auth/keys.md"]).trim());
    assert!(of("query")["why"].as_str().unwrap().starts_with("tier 2 "), "{}", of("query"));
    assert_eq!(of("query")["asked"], "How long do access tokens live?");
    assert!(of("search")["why"].as_str().unwrap().starts_with("score 0."), "{}", of("search"));
    assert!(of("brain")["why"].as_str().unwrap().contains("layer "), "{}", of("brain"));
    assert!(all.iter().all(|one| one["session"] == "s-1" && one["actor"] == "claude-code"));
    assert!(all.iter().all(|one| one["time"] == "2023-11-14T22:13:20Z" && one["changed_since"] == false));

    // the same answer again, from the cache, is given again
    let count = |env: &Env| served(env, &[]).iter().filter(|one| one["command"] == "query").count();
    let before = count(&env);
    run(&env, &AGENT, READING[1]);
    assert_eq!(count(&env), before + 1);

    // an actor alone is an agent, too
    run(&env, &[("BRV_ACTOR", "codex")], &["read", "auth/tokens", "--at", "HEAD"]);
    let first = &served(&env, &["-n", "1"])[0];
    assert_eq!((&first["actor"], &first["session"]), (&"codex".into(), &Value::Null));
    assert!(first["why"].as_str().unwrap().starts_with("read full at "), "{first}");
}

#[test]
fn the_server_and_the_hooks_of_hosts_leave_receipts() {
    let env = sample();
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.arg("mcp");
    let mut wire = Wire::start(command, Era::Initialize);
    wire.tool("brv-query", &serde_json::json!({"question": "How long do access tokens live?"}));
    wire.tool("brv-read", &serde_json::json!({"path": "auth/keys.md"}));
    // receipts are written behind the answers, which may overtake each other
    let begun = Instant::now();
    loop {
        let resource = wire.request("resources/read", serde_json::json!({"uri": "brv://served"}));
        let text = resource["result"]["contents"][0]["text"].as_str().unwrap();
        if text.contains("mcp read") && text.contains("mcp query") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{resource}");
    }
    wire.hang_up();
    wire.gone_after();
    let mut noted = short(&served(&env, &[]));
    noted.sort_unstable();
    assert_eq!(noted, ["mcp query auth/tokens.md", "mcp read auth/keys.md"]);

    let event = |name: &str, more: &str| {
        let cwd = env.root().display().to_string().replace('\\', "/");
        format!(r#"{{"session_id": "h-7", "hook_event_name": "{name}", "cwd": "{cwd}", {more}}}"#)
    };
    std::fs::create_dir_all(env.path("src")).unwrap();
    std::fs::write(env.path("src/auth.rs"), "fn tokens() {}\n").unwrap();
    for input in [
        event("SessionStart", r#""source": "startup""#),
        event("PreToolUse", r#""tool_name": "Read", "tool_input": {"file_path": "src/auth.rs"}"#),
        event("PreToolUse", r#""tool_name": "Read", "tool_input": {"file_path": "src/auth.rs"}"#),
    ] {
        assert_eq!(env.brv_reading(&["agent-hook", "claude"], input.as_bytes()).code, 0);
    }
    let hooks = served(&env, &["--session", "h-7"]);
    assert_eq!(
        short(&hooks),
        ["hook agent-hook auth/tokens.md", "hook agent-hook auth/keys.md", "hook agent-hook auth/tokens.md"],
        "said once, noted once"
    );
    assert_eq!((&hooks[0]["why"], &hooks[0]["actor"]), (&"cites the file".into(), &"claude".into()));
    assert_eq!(hooks[0]["asked"], "src/auth.rs");
}

#[test]
fn a_receipt_says_whether_the_entry_changed_and_stays_in_its_clone() {
    let env = sample();
    run(&env, &AGENT, &["read", "auth/keys", "auth/tokens"]);
    let changed = |env: &Env| -> Vec<(String, bool)> {
        let one = |one: &Value| (one["path"].as_str().unwrap().to_owned(), one["changed_since"] == true);
        served(env, &[]).iter().map(one).collect()
    };
    let is = |keys: bool, tokens: bool| {
        vec![("auth/keys.md".to_owned(), keys), ("auth/tokens.md".to_owned(), tokens)]
    };
    assert_eq!(changed(&env), is(false, false));
    let before = std::fs::read_to_string(tree(&env).join("auth/keys.md")).unwrap();
    write(&env, &[("auth/keys.md", "# Keys\n\nOther.\n")]);
    assert_eq!(changed(&env), is(true, false));
    assert!(env.brv(&["served"]).stdout.contains("auth/keys.md  read full  changed since\n"));
    write(&env, &[("auth/keys.md", &before)]);
    std::fs::remove_file(tree(&env).join("auth/tokens.md")).unwrap();
    assert_eq!(changed(&env), is(false, true));
    // of what is gone, too
    assert_eq!(served(&env, &["--path", "auth/tokens"]).len(), 1);
    assert_eq!(env.brv(&["served", "--path", "auth/nothing"]).code, 2);

    let clone = env.path("clone");
    env.git(env.root(), &["clone", "-q", tree(&env).to_str().unwrap(), "clone/.brv/context-tree"]);
    let ran = env.brv_in(&clone, &["served", "--json"]);
    assert_eq!(json(&ran.stdout)["data"]["served"], Value::Array(Vec::new()), "{}", ran.stderr);
    let files = env.git(&tree(&env), &["ls-files"]);
    assert!(!files.contains("served") && !files.contains("state"), "{files}");
}

#[test]
fn what_was_asked_is_masked_and_cut() {
    let env = sample();
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    // where it would be cut, the secret would not be recognised
    let question = format!("How long do access tokens live? {} {secret} end", "x".repeat(150));
    run(&env, &AGENT, &["query", &question]);
    run(&env, &AGENT, &["search", &format!("tokens {}", "é".repeat(300))]);
    let all = served(&env, &[]);
    let asked = |command: &str| {
        let of =
            all.iter().find(|one| one["command"] == command).unwrap_or_else(|| panic!("{command}: {all:?}"));
        of["asked"].as_str().unwrap().to_owned()
    };
    assert!(asked("query").ends_with(" **** end"), "{}", asked("query"));
    assert_eq!(asked("search").chars().count(), 200);
    assert!(asked("search").ends_with("é…"));
    let state = std::fs::read(tree(&env).join(".git/brv/state.db")).unwrap();
    let log = std::fs::read(tree(&env).join(".git/brv/state.db-wal")).unwrap_or_default();
    let holds = |bytes: &[u8]| bytes.windows(12).any(|part| part == &secret.as_bytes()[..12]);
    assert!(!holds(&state) && !holds(&log));
}

#[test]
fn without_days_nothing_is_kept_and_what_was_is_deleted() {
    let env = sample();
    run(&env, &AGENT, &["read", "auth/keys"]);
    assert_eq!(served(&env, &[]).len(), 1);
    assert_eq!(env.brv(&["config", "set", "served.keep_days", "0"]).code, 0);
    assert_eq!(served(&env, &[]).len(), 1, "until the next answer");
    run(&env, &AGENT, &["brain"]);
    assert_eq!(served(&env, &[]), [] as [Value; 0]);
    assert_eq!(env.brv(&["config", "set", "served.keep_days", "2"]).code, 0);
    run(&env, &AGENT, &["read", "auth/keys"]);
    run(&env, &[AGENT[0], ("BRV_CLOCK", "2023-11-17T22:13:21Z")], &["read", "auth/tokens"]);
    assert_eq!(short(&served(&env, &[])), ["cli read auth/tokens.md"], "two days are over");
    assert_eq!(env.brv(&["config", "set", "served.keep_days", "91"]).code, 2);
    // a project decides nothing here
    std::fs::write(env.path(".brv/config.yaml"), "served.keep_days: 0\n").unwrap();
    let ran = env.brv_with(&[AGENT[0], ("BRV_CLOCK", "2023-11-17T22:13:22Z")], &["read", "auth/keys"]);
    assert!(ran.stderr.contains("`served.keep_days`, which only the user may set"), "{}", ran.stderr);
    assert_eq!(served(&env, &[]).len(), 2);
}

#[test]
fn receipts_are_found_by_session_path_and_date() {
    let env = sample();
    run(&env, &AGENT, &["read", "auth/keys", "auth/tokens"]);
    run(
        &env,
        &[("BRV_SESSION", "s-2"), ("BRV_CLOCK", "2023-11-16T10:00:00Z")],
        &["read", "auth/tokens", "auth/context.md"],
    );
    let paths = |arguments: &[&str]| -> Vec<String> {
        served(&env, arguments).iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect()
    };
    let all = ["auth/tokens.md", "auth/context.md", "auth/keys.md", "auth/tokens.md"];
    assert_eq!(paths(&[]), all);
    assert_eq!(paths(&["-n", "3"]), all[..3]);
    assert_eq!(paths(&["--session", "s-1"]), all[2..]);
    assert_eq!(paths(&["--session", "s-3"]), [] as [&str; 0]);
    assert_eq!(paths(&["--path", "auth/tokens"]), ["auth/tokens.md", "auth/tokens.md"]);
    assert_eq!(paths(&["--path", "auth", "--since", "2023-11-15"]), all[..2]);
    for bad in [["--since", "whenever"], ["--path", "nothing"], ["-n", "0"]] {
        assert_eq!(env.brv(&[&["served"], &bad[..]].concat()).code, 2, "{bad:?}");
    }
}

#[test]
fn an_answer_waits_for_no_other_process_and_loses_only_its_receipt() {
    let env = sample();
    run(&env, &AGENT, &["read", "auth/keys"]);
    let state = rusqlite::Connection::open(tree(&env).join(".git/brv/state.db")).unwrap();
    for is_moved in [false, true] {
        if is_moved {
            write(&env, &[("auth/more.md", "# More\n\nMore is known.\n")]);
            commit(&env, "second");
        }
        state.execute_batch("BEGIN IMMEDIATE").unwrap();
        for arguments in &READING[..3] {
            let begun = Instant::now();
            let ran = env.brv_with(&AGENT, arguments);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
            assert!(!ran.stdout.is_empty());
            assert!(begun.elapsed() < Duration::from_secs(3), "{arguments:?} {:?}", begun.elapsed());
        }
        state.execute_batch("ROLLBACK").unwrap();
        assert_eq!(short(&served(&env, &[])), ["cli read auth/keys.md"]);
    }
    run(&env, &AGENT, READING[1]);
    assert_eq!(served(&env, &[]).len(), 2);
}
