//! `brv vc status` compared with git's.

use crate::env::Env;
use crate::init::{commit, json, project, write};

#[test]
fn the_short_form_is_gits_but_for_foreign_files() {
    let env = project(&[("a.md", "a\n"), ("b.md", "one\ntwo\nthree\n"), ("c.md", "c\n")]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    std::fs::remove_file(tree.join("c.md")).unwrap();
    std::fs::create_dir(tree.join("x")).unwrap();
    std::fs::rename(tree.join("b.md"), tree.join("x/b.md")).unwrap();
    env.git(&tree, &["add", "-A", "b.md", "x"]);
    write(&env, &[("a.md", "changed\n"), ("new note.md", "n\n"), ("tool.exe", "MZ")]);
    let ours = env.brv(&["vc", "status", "--porcelain"]).stdout;
    let theirs = env.git(&tree, &["-c", "core.quotePath=false", "status", "--porcelain", "-uall"]);
    assert_eq!(ours.replace("!! tool.exe", "?? tool.exe").trim_end(), theirs);
    assert!(ours.contains("!! tool.exe\n"), "{ours}");
    assert_eq!(env.brv(&["vc", "status", "-sb"]).stdout.lines().next(), Some("## main"));
}

#[test]
fn json_tells_the_same_and_everything_works_from_a_subfolder() {
    let env = project(&[("auth/a.md", "a\n")]);
    commit(&env, "first");
    write(&env, &[("auth/a.md", "b\n")]);
    for folder in [".", ".brv/context-tree/auth"] {
        let status = json(&env.brv_in(&env.path(folder), &["vc", "status", "--format", "json"]).stdout);
        assert_eq!(status["data"]["branch"], "main");
        assert_eq!(status["data"]["clean"], false);
        assert_eq!(status["data"]["unstaged"][0]["path"], "auth/a.md");
        assert_eq!(status["data"]["unstaged"][0]["change"], "modified");
    }
}

#[test]
fn no_tree_is_exit_3_in_both_forms() {
    let env = Env::new();
    let ran = env.brv(&["vc", "status"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("hint: create a context tree with `brv init`"), "{}", ran.stderr);
    let ran = env.brv(&["vc", "status", "--json"]);
    let error = json(&ran.stdout);
    assert_eq!((ran.code, ran.stderr.as_str()), (3, ""));
    assert_eq!(error["schema"], "brv.vc.status/1");
    assert_eq!(error["error"]["code"], "not_initialised");
}

#[test]
fn the_variables_of_a_callers_repository_do_not_count() {
    let env = project(&[("a.md", "a\n")]);
    let host = env.path("host");
    env.git(env.root(), &["init", "-q", "host"]);
    let env = env.with("GIT_DIR", host.join(".git")).with("GIT_INDEX_FILE", host.join(".git/index"));
    assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
    assert!(!host.join(".git/index").exists());
}

#[test]
fn naming_paths_finds_the_same_as_looking_at_everything() {
    let env = Env::new();
    let tree = env.path(".brv/context-tree");
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    let write = |path: &str, text: &str| {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for path in ["a/one.md", "a/b/two.md", "a-b.md", "gone/x.md", "gone/y.md", "z.md"] {
        write(path, "old\n");
    }
    assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
    assert_eq!(env.brv(&["vc", "commit", "-q", "-m", "x"]).code, 0);
    write("a/one.md", "new\n");
    write("a/b/three.md", "new\n");
    write("a/nested/.git/HEAD", "x");
    write("a/nested/n.md", "x");
    write("z.md", "new\n");
    std::fs::remove_dir_all(tree.join("gone")).unwrap();
    for named in [&["a"][..], &["a/", "gone"], &["a/b/three.md", "z.md", "a"], &["gone/x.md"], &["a-b.md"]] {
        let arguments = [&["vc", "add", "--dry-run", "--json"], named].concat();
        let only = env.brv(&arguments).stdout;
        // a pattern makes brv look at everything; this one matches nothing that changed
        let all = [&arguments[..], &["a-b.m?"]].concat();
        let whole = env.brv(&all).stdout;
        let lists = |text: &str| {
            let data = serde_json::from_str::<serde_json::Value>(text).unwrap()["data"].clone();
            ["added", "updated", "removed"].map(|key| data[key].to_string())
        };
        assert_eq!(lists(&only), lists(&whole), "{named:?}\n{only}\n{whole}");
    }
    let refused = env.brv(&["vc", "add", "a/nested/n.md"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

#[test]
fn a_reason_is_printed_once_and_a_tree_of_another_tool_waits_for_init() {
    let env = Env::new();
    let tree = env.path(".brv/context-tree");
    env.git(env.root(), &["init", "-q", tree.to_str().unwrap()]);
    let index = "---\ntype: summary\n---\n\nSomebody's.\n";
    env.commit(&tree, &[("a/one.md", "# One\n"), ("b/two.md", "# Two\n"), ("tool.bin", "x")]);
    for folder in ["", "a/", "b/"] {
        std::fs::write(tree.join(format!("{folder}_index.md")), index).unwrap();
    }
    let text = env.brv(&["vc", "status"]).stdout;
    let reason = "  (a derived file that brv did not write)\n\t_index.md\n\ta/_index.md\n\tb/_index.md\n";
    assert!(text.contains(reason), "{text}");
    assert_eq!(text.matches("brv did not write").count(), 1, "{text}");
    assert!(text.contains("use \"brv init\" to take it over") && !text.contains("brv derive"), "{text}");
    for (arguments, code) in [(&["status"][..], 0), (&["derive", "--check"], 1), (&["vc", "status"], 0)] {
        let ran = env.brv(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, code, "{}", ran.stdout);
        assert!(ran.stdout.contains("brv init") && !ran.stdout.contains("brv derive"), "{}", ran.stdout);
    }
    assert_eq!(env.brv(&["init"]).code, 0);
    for arguments in [&["vc", "status"][..], &["status"]] {
        let ran = env.brv(arguments);
        assert!(!ran.stdout.contains("brv init") && !ran.stderr.contains("brv init"), "{}", ran.stdout);
    }
}
