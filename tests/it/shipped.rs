//! What a repository brings below `.brv/` holds up no command: pipes, devices, files that are huge, deeply nested, or repeat
//! themselves.
#![cfg(unix)]

use crate::env::{Env, Ran, tree};
use crate::init::{commit, json, project};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Commands that read settings, state and caches.
const COMMANDS: [&[&str]; 9] = [
    &["status"],
    &["vc", "status"],
    &["config", "list"],
    &["brain"],
    &["brain", "--for", "src/a.rs"],
    &["search", "tokens"],
    &["query", "how long do tokens live"],
    &["review"],
    &["dream", "--plan", "--force"],
];

/// Far more than any of them takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn knowledge() -> Env {
    let env = project(&[("auth/tokens.md", "# Tokens\n\n## Facts\n- **lifetime**: tokens live 12 hours\n")]);
    commit(&env, "first");
    env
}

/// Run a command that is killed if it does not end.
fn run(env: &Env, arguments: &[&str]) -> Ran {
    let mut command = Command::new("timeout");
    env.prepare(&mut command);
    command.arg(PATIENCE.as_secs().to_string()).arg(env!("CARGO_BIN_EXE_brv")).args(arguments);
    let begun = Instant::now();
    let ran = Ran::of(&command.current_dir(env.root()).output().unwrap());
    assert!(ran.code != 124 && begun.elapsed() < PATIENCE, "{arguments:?} does not end");
    ran
}

fn pipe(place: &Path) {
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(place);
    assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
}

/// Texts that a parser would take minutes for, or more memory than there is.
fn bombs() -> [(String, &'static str); 6] {
    let list = "x,".repeat(30_000);
    [
        (format!("x: {}", "[".repeat(60_000)), "is nested more than 64 levels deep"),
        (format!("x: {}", "{a: ".repeat(30_000)), "is nested more than 64 levels deep"),
        (format!("a: don't\nx: {}", "[\"]\", ".repeat(30_000)), "is nested more than 64 levels deep"),
        (format!("a: &a [{list}]\nb: [{}]\n", "*a,".repeat(30_000)), "repeats itself"),
        (
            format!("{}---\na: 1\n", (0..60_000).map(|at| format!("%TAG !a{at}! x\n")).collect::<String>()),
            "repeats itself",
        ),
        ("a".repeat((1 << 20) + 1), "is larger than 1 MiB"),
    ]
}

#[test]
fn settings_that_nobody_could_have_written_count_as_absent_with_one_warning() {
    let env = knowledge();
    let file = env.path(".brv/config.yaml");
    for (text, why) in bombs() {
        std::fs::write(&file, text).unwrap();
        let ran = run(&env, &["vc", "status", "--json"]);
        let told = json(&ran.stdout)["warnings"].clone();
        assert_eq!((ran.code, told.as_array().unwrap().len()), (0, 1), "{told}");
        let told = told[0].as_str().unwrap();
        assert!(
            told.starts_with(&format!("`.brv/config.yaml` {why}")) && told.ends_with(": ignored"),
            "{told}"
        );
        // what is not to be read is not edited, either
        assert_eq!(run(&env, &["config", "set", "--project", "lock.timeout", "3"]).code, 1, "{why}");
    }
    for target in ["/dev/zero", "/dev/tty"] {
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(target, &file).unwrap();
        // a link in the place of settings is refused
        assert!([0, 6].contains(&run(&env, &["config", "list"]).code), "{target}");
    }
}

#[test]
fn a_policy_that_nobody_could_have_written_is_a_finding() {
    let env = knowledge();
    let file = tree(&env).join("brv.yaml");
    for (text, why) in bombs().into_iter().take(5) {
        std::fs::write(&file, text).unwrap();
        let ran = run(&env, &["vc", "check", "--all", "--json"]);
        let found = &json(&ran.stdout)["data"]["findings"][0];
        assert_eq!((ran.code, &found["rule"]), (1, &"BRV015".into()), "{}", ran.stdout);
        assert!(found["message"].as_str().unwrap().contains(why), "{found}");
        assert_eq!(run(&env, &["curate", "x", "--title", "T", "--into", "a", "--reason", "r"]).code, 0);
    }
    // each of many faults is looked for in the text
    std::fs::write(&file, (0..60_000).map(|at| format!("key{at}: 1\n")).collect::<String>()).unwrap();
    assert!([0, 1].contains(&run(&env, &["vc", "check", "--all"]).code));
}

#[test]
fn a_pipe_in_the_place_of_a_file_holds_up_nobody() {
    let env = knowledge();
    for command in COMMANDS {
        run(&env, command);
    }
    let caches = brv_base::fs::inside(&env.path(".brv/cache")).unwrap();
    let caches: Vec<_> = caches.into_iter().map(|one| one.file).collect();
    assert!(caches.len() > 8, "{caches:?}");
    let others = [".brv/config.yaml", ".brv/dream-state.json", ".brv/dream.lock"].map(|name| env.path(name));
    for place in caches.iter().chain(&others).chain([&tree(&env).join("brv.yaml")]) {
        pipe(place);
        for command in COMMANDS {
            let ran = run(&env, command);
            // that there is no lock to be had is an answer
            let is_lock = place.to_string_lossy().ends_with("lock");
            assert!(ran.code == 0 || is_lock, "{place:?} {command:?}: {}", ran.stderr);
        }
        let _ = std::fs::remove_file(place);
    }
}

#[test]
fn caches_that_are_not_as_brv_writes_them_are_named_once_and_made_anew() {
    let env = knowledge();
    let expected = run(&env, &["brain"]).stdout;
    run(&env, &["review"]);
    let marks = env.path(".brv/cache/review.json");
    std::fs::write(&marks, "[".repeat(60_000)).unwrap();
    let seen = env.path(".brv/cache/brain-8/seen");
    pipe(&seen);
    let ran = run(&env, &["brain"]);
    assert_eq!(ran.stdout, expected);
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("ignored")).collect();
    assert_eq!(told.len(), 1, "{}", ran.stderr);
    assert!(
        told[0].contains("`.brv/cache/") && told[0].contains("(and 1 other file is not to be read)"),
        "{told:?}"
    );
    assert_eq!((run(&env, &["brain"]).stderr.as_str(), seen.is_file()), ("", true));
}
