//! What brv does where somebody sits at a terminal: pages, bars. The terminal is one of script(1)'s.
#![cfg(unix)]

use crate::env::{Env, Ran, program};
use crate::init::{commit, project};
use std::process::Command;

/// Run brv on a terminal of so many columns; what it and what it started put there. `None`, with a word, where there
/// is no `script`.
pub fn on_terminal(env: &Env, columns: u16, arguments: &[&str]) -> Option<Ran> {
    let Some(script) = program("script") else {
        println!("script is not on this machine: skipped");
        return None;
    };
    let brv = std::iter::once(env!("CARGO_BIN_EXE_brv")).chain(arguments.iter().copied());
    let line: Vec<String> = brv.map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    let line = format!("stty cols {columns} rows 24 2>/dev/null; {}", line.join(" "));
    let mut command = Command::new(script);
    env.prepare(&mut command);
    let command = command.env("TERM", "xterm").env_remove("NO_COLOR");
    let output = command.args(["-q", "-e", "-c", &line, "/dev/null"]).output().unwrap();
    Some(Ran::of(&output))
}

/// A tree with one commit whose file is longer than a screen.
fn long() -> Env {
    let text: String = (0..500).map(|number| format!("line {number}\n")).collect();
    let env = project(&[("a.md", &text)]);
    commit(&env, "first");
    env
}

#[test]
fn long_answers_go_through_the_chosen_pager() {
    let env = long().with("BRV_PAGER", "sed s/^/paged:/");
    for arguments in [&["vc", "log"][..], &["vc", "show"], &["help", "safety"], &["vc", "push", "--help"]] {
        let Some(ran) = on_terminal(&env, 80, arguments) else { return };
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stdout);
        assert!(ran.stdout.lines().all(|line| line.starts_with("paged:")), "{arguments:?}: {}", ran.stdout);
    }
    for arguments in [
        &["--no-pager", "vc", "log"][..],
        &["vc", "log", "--no-pager"],
        &["vc", "log", "--json"],
        &["vc", "push", "--help", "--no-pager"],
        &["--version"],
    ] {
        let ran = on_terminal(&env, 80, arguments).unwrap();
        assert!(!ran.stdout.contains("paged:"), "{arguments:?}: {}", ran.stdout);
    }
    assert!(!env.brv(&["vc", "show"]).stdout.contains("paged:"), "a pipe is not paged");
}

#[test]
fn a_pager_that_is_left_early_is_no_failure() {
    let env = long().with("BRV_PAGER", "head -n 1");
    let Some(ran) = on_terminal(&env, 80, &["vc", "show"]) else { return };
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{}", ran.stdout);
    let env = env.with("BRV_PAGER", "no-such-pager");
    let ran = on_terminal(&env, 80, &["vc", "show"]).unwrap();
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("line 499"), "what cannot be paged is printed");
}

#[test]
fn the_user_chooses_the_pager_and_no_repository_does() {
    let env = long();
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["config", "core.pager", "sed s/^/repository:/"]);
    let Some(ran) = on_terminal(&env.with("PAGER", "sed s/^/user:/"), 80, &["vc", "log"]) else { return };
    assert!(ran.stdout.starts_with("user:"), "{}", ran.stdout);
    let env = long().with("PAGER", "sed s/^/variable:/");
    std::fs::write(env.path("home/.gitconfig"), "[core]\n\tpager = sed s/^/git:/\n").unwrap();
    let ran = on_terminal(&env, 80, &["vc", "log"]).unwrap();
    assert!(ran.stdout.starts_with("git:"), "{}", ran.stdout);
}
