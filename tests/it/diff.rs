//! `brv vc diff` and `brv vc show` compared with git's.

use crate::env::Env;
use crate::init::{commit, json, project, write};
use std::path::PathBuf;

/// Two commits that change, add, delete and move files, with edits on top.
fn edited() -> (Env, PathBuf) {
    let notes = "# Notes\n\n## Facts\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight hours\n";
    let env = project(&[("auth/a.md", notes), ("gone.md", "bye\n"), ("old.md", "1\n2\n3\n4\n5\n6\n7\n")]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    std::fs::remove_file(tree.join("gone.md")).unwrap();
    std::fs::rename(tree.join("old.md"), tree.join("auth/new.md")).unwrap();
    let changed = notes.replace("eight hours", "nine hours").replace("# Notes", "# Better notes");
    write(&env, &[("auth/a.md", &changed), ("b c.md", "no newline"), ("令牌.md", "令牌\n")]);
    commit(&env, "second");
    write(&env, &[("auth/a.md", &changed.replace("four", "4"))]);
    (env, tree)
}

#[test]
fn a_patch_is_byte_for_byte_gits() {
    let (env, tree) = edited();
    let attributes = env.path("attributes");
    std::fs::write(&attributes, "*.md diff=markdown\n").unwrap();
    let attributes = format!("core.attributesFile={}", attributes.display());
    for what in [
        &["HEAD~1", "HEAD"][..],
        &["HEAD~1..HEAD", "--", "auth/a.md"],
        &[],
        &["HEAD~1", "HEAD", "-U1"],
        &["--stat", "HEAD~1..HEAD"],
    ] {
        let ours = env.brv(&[&["vc", "diff"], what].concat()).stdout;
        let git = ["-c", "core.quotePath=false", "-c", &attributes, "diff", "--no-ext-diff"];
        let mut theirs = env.git(&tree, &[&git[..], what].concat());
        theirs.push('\n');
        // git prints the similarity of moved files, brv only that they moved
        let same: String = theirs
            .lines()
            .filter(|line| !line.starts_with("similarity"))
            .map(|line| format!("{line}\n"))
            .collect();
        let ours: String = ours
            .lines()
            .filter(|line| !line.starts_with("similarity"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(ours, same, "{what:?}");
    }
}

#[test]
fn git_applies_what_the_unified_form_says() {
    let (env, tree) = edited();
    let patch = env.path("patch");
    std::fs::write(&patch, env.brv(&["vc", "diff", "--format", "unified"]).stdout).unwrap();
    env.git(&tree, &["checkout", "-q", "auth/a.md"]);
    env.git(&tree, &["apply", patch.to_str().unwrap()]);
    assert!(std::fs::read_to_string(tree.join("auth/a.md")).unwrap().contains("\n4\n"));
}

#[test]
fn words_names_and_letters() {
    let (env, _) = edited();
    let words = env.brv(&["vc", "diff", "--format", "words"]).stdout;
    assert!(words.contains("[-four-]\n{+4+}\n"), "{words}");
    let letters = env.brv(&["vc", "diff", "--name-status", "HEAD~1", "HEAD"]).stdout;
    assert_eq!(letters, "M\tauth/a.md\nR100\told.md\tauth/new.md\nA\tb c.md\nD\tgone.md\nA\t令牌.md\n");
    assert_eq!(env.brv(&["vc", "diff", "--name-only"]).stdout, "auth/a.md\n");
}

#[test]
fn the_exit_code_tells_only_when_asked() {
    let (env, _) = edited();
    assert_eq!(env.brv(&["vc", "diff"]).code, 0);
    assert_eq!(env.brv(&["vc", "diff", "--exit-code"]).code, 1);
    assert_eq!(env.brv(&["vc", "diff", "--exit-code", "--staged"]).code, 0);
}

#[test]
fn json_has_the_lines_and_their_words() {
    let (env, _) = edited();
    let diff = json(&env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--json"]).stdout);
    assert_eq!(diff["data"]["before"]["kind"], "commit");
    let files = diff["data"]["files"].as_array().unwrap();
    let moved = files.iter().find(|file| file["path"] == "auth/new.md").unwrap();
    assert_eq!((&moved["change"], &moved["renamed_from"]), (&"renamed".into(), &"old.md".into()));
    let title = &files[0]["hunks"][0]["lines"][1];
    assert_eq!((&title["kind"], &title["text"]), (&"added".into(), &"# Better notes".into()));
    let hours = &files[0]["hunks"][1]["lines"][4]["words"];
    assert_eq!(hours[0], serde_json::json!({"text": "nine", "changed": true}));
}

#[test]
fn show_gives_a_commit_and_the_exact_bytes_of_a_file() {
    let (env, tree) = edited();
    let ours = env.brv(&["vc", "show", "HEAD~1"]).stdout;
    assert_eq!(ours.trim_end(), env.git(&tree, &["show", "HEAD~1"]));
    assert_eq!(env.brv(&["vc", "show", "HEAD:b c.md"]).stdout, "no newline");
    assert_eq!(env.brv(&["vc", "show", "HEAD:auth"]).stdout, "tree HEAD:auth\n\na.md\nnew.md\n");
    let ran = env.brv(&["vc", "show", "nowhere", "--json"]);
    assert_eq!((ran.code, &json(&ran.stdout)["error"]["code"]), (2, &"usage".into()));
}
