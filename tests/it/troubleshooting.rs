//! The messages of `brv help troubleshooting` are those that the program prints, with the exit codes that it names.

use crate::env::{Env, Ran};
use crate::init::{commit, project, write};
use crate::servers::{self, Http, ServerMode};
use std::path::Path;

/// The messages of the page, each with its exit code.
fn messages() -> Vec<(String, i32)> {
    let path = "src/cli/help/topics/troubleshooting.md";
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (message, rest) = row.split_once("` (").unwrap();
        (message.to_owned(), rest.split_once(')').unwrap().0.parse().unwrap())
    })
    .collect()
}

/// Two clones of one remote with one entry.
fn clones() -> Env {
    let env = project(&[("a.md", "# A\n\nTokens live long.\n")]);
    let remote = env.bare("remote.git");
    commit(&env, "start");
    for line in [
        &["vc", "remote", "add", "origin", remote.to_str().unwrap()][..],
        &["vc", "push", "-u", "origin", "main"],
    ] {
        assert_eq!(env.brv(line).code, 0);
    }
    assert_eq!(env.brv(&["vc", "clone", "-q", remote.to_str().unwrap(), "mate"]).code, 0);
    env
}

/// What the teammate commits and pushes.
fn mate_pushes(env: &Env, text: &str) {
    let mate = env.path("mate/.brv/context-tree");
    env.commit(&mate, &[("a.md", text)]);
    env.git(&mate, &["push", "-q", "--force", "origin", "main"]);
}

/// Pushing and pulling while others do, in the order in which it happens to people.
fn shared() -> Vec<Ran> {
    let env = clones();
    let mut seen = Vec::new();
    mate_pushes(&env, "# A\n\nTokens live 12 hours.\n");
    write(&env, &[("b.md", "# B\n")]);
    commit(&env, "mine");
    seen.push(env.brv(&["vc", "push"]));
    write(&env, &[("a.md", "# A\n\nTokens live a day.\n")]);
    seen.push(env.brv(&["vc", "pull"]));
    commit(&env, "a day");
    seen.push(env.brv(&["vc", "pull"]));
    assert_eq!(env.brv(&["vc", "merge", "--abort"]).code, 0);
    env.git(&env.path("mate/.brv/context-tree"), &["commit", "-q", "--amend", "-m", "again"]);
    mate_pushes(&env, "# A\n\nTokens live an hour.\n");
    seen.push(env.brv(&["vc", "pull"]));
    seen
}

/// What the gates stop.
fn blocked() -> Vec<Ran> {
    let env = clones();
    let mut seen = Vec::new();
    let delete = br#"[{"type": "DELETE", "path": "a.md", "reason": "outdated"}]"#;
    assert_eq!(env.brv_reading(&["curate", "--ops", "-"], delete).code, 0);
    seen.push(env.brv(&["vc", "push"]));
    let tree = env.path(".brv/context-tree");
    let token = ["ghp_", "x7Kq2LmN8vRt4WzY6bHd1", "JfGp3ScA5u0E9iQ"].concat();
    env.commit(&tree, &[("notes.md", &format!("# Notes\n\nThe token is {token}.\n"))]);
    seen.push(env.brv(&["vc", "push"]));
    seen
}

/// Where the tree, the lock or the remote is not as it should be.
fn around() -> Vec<Ran> {
    let mut seen = vec![Env::new().brv(&["status"])];
    let env = project(&[("a.md", "# A\n")]).with("BRV_LOCK_TIMEOUT", "0");
    let lock = env.path(".brv/context-tree/.git/index.lock");
    std::fs::write(&lock, "").unwrap();
    seen.push(env.brv(&["vc", "add", "."]));
    std::fs::remove_file(&lock).unwrap();
    let manner = ServerMode::by(|_| {
        Some(servers::answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"test\"\r\n", b""))
    });
    let server = Http::start(env.root(), manner);
    for (name, url) in [("asks", server.url("x.git")), ("absent", "http://127.0.0.1:1/x.git".into())] {
        assert_eq!(env.brv(&["vc", "remote", "add", name, &url]).code, 0);
        seen.push(env.brv(&["vc", "fetch", name]));
    }
    seen
}

#[test]
fn each_message_is_printed_with_its_exit_code() {
    let seen: Vec<Ran> = [shared(), blocked(), around()].into_iter().flatten().collect();
    let messages = messages();
    assert_eq!(messages.len(), 10);
    for (message, code) in messages {
        let is_seen = |ran: &Ran| ran.code == code && ran.stderr.contains(&format!("error: {message}"));
        assert!(seen.iter().any(is_seen), "{message} ({code}): {seen:#?}");
    }
}
