//! The hooks of the tree's own repository, after commands of plain git; and the overview of all hooks.

use super::{Code, message};
use crate::lab::write;

/// A tree with a remote that somebody else pushed to.
fn shared() -> Code {
    let code = Code::new();
    let hub = code.env.bare("hub.git");
    let tree = code.tree();
    write(&tree, &[("auth/a.md", "# A\n\nTokens live 12 hours.\n")]);
    code.run(&["vc", "add", "."]);
    code.run(&["vc", "commit", "-m", "a"]);
    code.run(&["vc", "remote", "add", "origin", hub.to_str().unwrap()]);
    code.run(&["vc", "push", "-u", "origin", "main"]);
    let other = code.env.path("other");
    code.env.git(code.env.root(), &["clone", "-q", hub.to_str().unwrap(), "other"]);
    write(&other, &[("auth/b.md", "# B\n\nKeys rotate weekly, on zebradays.\n")]);
    code.env.git(&other, &["add", "."]);
    code.env.git(&other, &["commit", "-q", "-m", "b"]);
    code.env.git(&other, &["push", "-q"]);
    code
}

#[test]
fn a_pull_and_a_switch_by_hand_regenerate() {
    let code = shared();
    let tree = code.tree();
    let index = || std::fs::read_to_string(tree.join("auth/_index.md")).unwrap();
    code.env.git(&tree, &["pull", "-q", "--no-rebase"]);
    assert!(index().contains("b.md"), "{}", index());
    assert_eq!(code.data(&["derive", "--check"])["found"], serde_json::json!([]));
    assert_eq!(code.data(&["search", "zebradays"])["results"][0]["path"], "auth/b.md");
    code.env.git(&tree, &["switch", "-q", "-c", "earlier", "HEAD~1"]);
    assert!(!index().contains("b.md"), "{}", index());
    code.env.git(&tree, &["switch", "-q", "main"]);
    assert!(index().contains("b.md"), "{}", index());
}

#[test]
fn a_plain_push_is_held_to_what_a_push_is_held_to() {
    let code = shared();
    let tree = code.tree();
    code.env.git(&tree, &["pull", "-q", "--no-rebase"]);
    let key = ["AKIA", "Q3EGRWZPT5VNH2KD"].concat();
    write(&tree, &[("auth/c.md", &format!("# C\n\nThe key is {key}.\n"))]);
    code.env.git(&tree, &["add", "."]);
    code.env.git(&tree, &["commit", "-q", "-m", "c"]);
    let there = || code.env.git(&code.env.path("hub.git"), &["rev-parse", "main"]);
    let before = there();
    let ran = code.env.try_git(&tree, &["push", "-q"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("BRV006 auth/c.md") && !ran.stderr.contains(&key), "{}", ran.stderr);
    assert_eq!(there(), before);
    for (name, value) in [("BRV_HOOKS", "1"), ("BRV_HOOKS", "0"), ("TMPDIR", "/nonexistent")] {
        let mut command = code.env.git_command(&tree);
        let status = command.env(name, value).args(["push", "-q"]).output().unwrap().status;
        assert!(!status.success() && there() == before, "{name}={value}");
    }
    // deleted later, it would still leave
    std::fs::remove_file(tree.join("auth/c.md")).unwrap();
    code.env.git(&tree, &["commit", "-qa", "-m", "without"]);
    assert_ne!(code.env.try_git(&tree, &["push", "-q"]).code, 0);
    code.env.git(&tree, &["reset", "-q", "--hard", "HEAD~2"]);
    write(&tree, &[("auth/d.md", "# D\n\nNothing secret.\n")]);
    code.env.git(&tree, &["add", "."]);
    code.env.git(&tree, &["commit", "-q", "-m", "d"]);
    code.env.git(&tree, &["push", "-q"]);
    assert_ne!(there(), before);
}

#[test]
fn an_overview_tells_of_the_queue_and_of_hooks_that_are_gone() {
    let code = Code::new();
    code.commit(&message("fact"));
    code.settle();
    let hooks = code.data(&["status"])["hooks"].take();
    assert_eq!((&hooks["last"]["outcome"], &hooks["amiss"]), (&"curated".into(), &serde_json::json!([])));
    let hook = code.path.join(".git/hooks/post-commit");
    let text = std::fs::read_to_string(&hook).unwrap();
    std::fs::write(&hook, text.replace("hooks run", "hooks  run")).unwrap();
    std::fs::remove_file(code.path.join(".git/hooks/post-rewrite")).unwrap();
    let said = code.run(&["status"]).stdout;
    assert!(
        said.contains("outdated: post-commit; gone: post-rewrite; `brv hooks install` mends them"),
        "{said}"
    );
    code.run(&["hooks", "install"]);
    assert_eq!(code.data(&["status"])["hooks"]["amiss"], serde_json::json!([]));
    code.run(&["hooks", "uninstall"]);
    assert!(code.data(&["status"])["hooks"].is_null());
}
