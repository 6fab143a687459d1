//! The first Ctrl-C ends a clone, and the clone says so.
#![cfg(unix)]

use crate::env::{Env, Ran};
use rustix::process::{Pid, Signal, kill_process};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A bare repository with many entries, so that to derive their files takes a while.
fn large(env: &Env) {
    let source = env.path("source");
    std::fs::create_dir_all(&source).unwrap();
    env.git(&source, &["init", "-q", "-b", "main"]);
    for number in 0..2000 {
        let mut text = format!("---\ntitle: Entry {number}\n---\n# Entry {number}\n\n## Facts\n\n");
        for fact in 0..40 {
            writeln!(text, "- **limit {fact}**: the limit of {number} is {fact} requests a minute [project]")
                .unwrap();
        }
        let file = source.join(format!("d{}/t{}/e{number}.md", number % 10, number % 50));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    env.git(&source, &["add", "-A"]);
    env.git(&source, &["commit", "-q", "-m", "many"]);
    env.git(env.root(), &["clone", "-q", "--bare", "source", "remote.git"]);
}

/// Clone, with one Ctrl-C as soon as `is_time`.
fn interrupted(env: &Env, is_time: impl Fn(&Path) -> bool) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.args(["vc", "clone", "remote.git", "project", "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let tree = env.path("project/.brv/context-tree");
    while !is_time(&tree) {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    Ran::of(&child.wait_with_output().unwrap())
}

#[test]
fn the_first_ctrl_c_ends_a_clone_while_it_derives() {
    let env = Env::new();
    large(&env);
    let ran = interrupted(&env, |tree| {
        let unfinished = tree.parent().unwrap().join("cache/derived");
        unfinished.exists()
    });
    let told = crate::init::json(&ran.stdout);
    assert_eq!((ran.code, &told["error"]["code"]), (130, &"interrupted".into()), "{told}");
    assert_eq!(told["error"]["hint"], "the clone is complete; `brv derive` writes the rest");
    assert_eq!(told["next"], serde_json::json!(["brv derive"]));
    let project = env.path("project");
    assert_eq!(env.git(&project.join(".brv/context-tree"), &["status", "--porcelain"]), "");
    assert_eq!(env.brv_in(&project, &["derive"]).code, 0);
    assert_eq!(env.brv_in(&project, &["derive", "--check"]).code, 0);
}

#[test]
fn the_first_ctrl_c_ends_a_clone_before_its_files_are_there() {
    let env = Env::new();
    large(&env);
    let ran = interrupted(&env, |tree| tree.join(".git").exists());
    assert_eq!(ran.code, 130, "{}{}", ran.stdout, ran.stderr);
    let told = crate::init::json(&ran.stdout);
    assert_eq!(told["error"]["code"], "interrupted", "{told}");
}
