//! `brv status` as a user calls it.

use crate::env::Env;
use crate::init::{commit, json, project, write};

#[test]
fn the_whole_picture_is_that_of_the_other_commands() {
    let env = project(&[
        ("auth/context.md", "# Auth\n"),
        ("auth/jwt/a.md", "# A\n\nTokens live 24 hours.\n"),
        ("b.md", "# B\n"),
        ("tool.exe", "MZ"),
    ]);
    let fresh = json(&env.brv(&["status", "--json"]).stdout);
    assert_eq!(fresh["data"]["last_operation"], serde_json::Value::Null);
    assert_eq!(fresh["data"]["changes"]["untracked"], 3);
    commit(&env, "first");
    env.bare("team.git");
    let url = env.path("team.git");
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", url.to_str().unwrap()]).code, 0);
    assert_eq!(env.brv(&["vc", "push", "-q", "-u", "origin", "main"]).code, 0);
    write(&env, &[("auth/jwt/a.md", "# A\n\nTokens live 12 hours.\n"), ("c/d.md", "# D\n")]);
    assert_eq!(env.brv(&["vc", "add", "c"]).code, 0);
    assert_eq!(env.brv(&["config", "set", "lock.timeout", "3"]).code, 0);
    let whole = json(&env.brv(&["status", "--json"]).stdout);
    let data = &whole["data"];
    assert_eq!((&data["entries"], &data["overviews"], &data["domains"]), (&3.into(), &1.into(), &2.into()));
    assert_eq!(
        data["changes"],
        serde_json::json!({"staged": 1, "unstaged": 1, "untracked": 0, "conflicted": 0, "foreign": 1})
    );
    assert_eq!(data["upstream"], serde_json::json!({"name": "origin/main", "ahead": 0, "behind": 0}));
    assert_eq!(data["settings"][0]["key"], "lock.timeout");
    assert_eq!(data["last_operation"]["kind"], "add");
    assert_eq!(whole["next"], serde_json::json!(["brv vc status", "brv derive"]));
    let vc = json(&env.brv(&["vc", "status", "--json"]).stdout);
    for key in ["branch", "head", "stale", "merging"] {
        assert_eq!(data[key], vc["data"][key], "{key}");
    }
    assert_eq!(data["gc_due"], false);
    // one line for the folder covers all 256 files
    let loose = env.path(".brv/context-tree/.git/objects/17");
    std::fs::create_dir_all(&loose).unwrap();
    for number in 0..20 {
        std::fs::write(loose.join(format!("{number:038}")), "").unwrap();
    }
    let due = json(&env.brv(&["status", "--json"]).stdout);
    assert_eq!(due["data"]["gc_due"], true);
    assert_eq!(due["next"][2], "brv vc gc");
    for number in 0..20 {
        std::fs::remove_file(loose.join(format!("{number:038}"))).unwrap();
    }
    let text = env.brv(&["status"]).stdout;
    let stale = data["stale"].as_u64().unwrap();
    let expected = format!(
        "tree        .brv/context-tree\nknowledge   3 entries in 2 domains\nbranch      main, tracks origin/main: up to date\nchanges     1 staged, 1 not staged, 1 file not managed by brv\nderived     {stale} files missing or out of date\nremote      origin {}\nsetting     lock.timeout=3 (project)\nlast        add at 2023-11-14T22:13:20Z: c/d.md\nbrv         {}, derived files of format 2\n",
        url.display(),
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(text, expected);
}

#[test]
fn another_brv_that_comes_first_on_the_path_is_named() {
    let env = project(&[]);
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap();
    let theirs = env.path("theirs");
    std::fs::create_dir(&theirs).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_git-brv"), theirs.join("brv")).unwrap();
    let path = |folders: &[&std::path::Path]| std::env::join_paths(folders).unwrap().into_string().unwrap();
    let ran = env.brv_with(&[("PATH", &path(&[&theirs, own]))], &["status"]);
    let expected = format!("PATH        finds {} before this brv\n", theirs.join("brv").display());
    assert!(ran.stdout.contains(&expected), "{}", ran.stdout);
    for folders in [&[own, &*theirs][..], &[&theirs], &[own]] {
        let ran = env.brv_with(&[("PATH", &path(folders))], &["status", "--json"]);
        assert!(ran.stdout.contains("formats") && !ran.stdout.contains("shadowed_by"), "{}", ran.stdout);
    }
}

#[test]
fn settings_that_do_not_count_are_named_and_no_tree_is_exit_3() {
    let env = project(&[]);
    std::fs::write(env.path(".brv/config.yaml"), "pager: touch owned\n").unwrap();
    let ran = env.brv(&["status"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("only the user may set"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("touch"), "{}", ran.stdout);
    assert_eq!(Env::new().brv(&["status"]).code, 3);
}
