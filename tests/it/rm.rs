//! `brv vc rm`: compared with git's, and every lost byte is in the operation log.

use crate::env::{Env, tree};
use crate::init::{json, project, write};

/// A tree with some committed entries, one of them edited, one staged, one both.
fn stage() -> Env {
    let env = project(&[]);
    let files = ["a.md", "auth/b.md", "auth/c.md", "auth/deep/d.md", "edited.md", "staged.md", "both.md"];
    let texts = files.map(|path| (path, format!("# {path}\n")));
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    env.commit(&tree(&env), &texts);
    write(&env, &[("staged.md", "staged\n"), ("both.md", "staged\n"), ("new.md", "new\n")]);
    env.git(&tree(&env), &["add", "staged.md", "both.md", "new.md"]);
    write(&env, &[("edited.md", "edited\n"), ("both.md", "edited\n")]);
    env
}

fn state(env: &Env) -> (String, String) {
    let status = env.git(&tree(env), &["status", "--porcelain"]);
    (env.git(&tree(env), &["ls-files", "-s"]), status)
}

#[test]
fn it_removes_and_refuses_what_git_does() {
    for arguments in [
        vec!["a.md"],
        vec!["a.md", "auth/b.md"],
        vec!["auth"],
        vec!["-r", "auth"],
        vec!["--cached", "a.md"],
        vec!["--cached", "edited.md"],
        vec!["--cached", "staged.md"],
        vec!["--cached", "both.md"],
        vec!["--cached", "-f", "both.md"],
        vec!["--cached", "new.md"],
        vec!["edited.md"],
        vec!["staged.md"],
        vec!["new.md"],
        vec!["a.md", "both.md"],
        vec!["-f", "edited.md", "both.md", "new.md"],
        vec!["absent.md"],
        vec!["a.md", "absent.md"],
        vec!["--ignore-unmatch", "absent.md", "a.md"],
        vec!["-n", "a.md"],
    ] {
        let (ours, gits) = (stage(), stage());
        let ran = ours.brv(&[&["vc", "rm"], &arguments[..]].concat());
        let theirs = gits.try_git(&tree(&gits), &[&["rm", "-q"], &arguments[..]].concat());
        assert_eq!(ran.code == 0, theirs.code == 0, "{arguments:?}: {}", ran.stderr);
        assert_eq!(state(&ours), state(&gits), "{arguments:?}");
        ours.fsck(&tree(&ours));
    }
}

#[test]
fn edits_that_are_forced_away_are_in_the_operation() {
    let env = stage();
    let ran = env.brv(&["vc", "rm", "--force", "--json", "both.md", "edited.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let data = json(&ran.stdout)["data"].clone();
    assert_eq!(data["removed"], serde_json::json!(["both.md", "edited.md"]));
    let operation = format!("refs/brv/ops/{}", data["operation"].as_str().unwrap());
    let show = |name: &str| env.git(&tree(&env), &["show", &format!("{operation}{name}")]);
    assert_eq!(show("^1:both.md"), "edited", "the file before");
    assert_eq!(show("^3:0/both.md"), "staged", "the index before");
    assert_eq!(show("^1:edited.md"), "edited");
    assert!(!env.git(&tree(&env), &["ls-tree", "-r", "--name-only", &operation]).contains("both.md"));
}

#[test]
fn links_that_lead_nowhere_then_are_named() {
    let env = stage();
    write(
        &env,
        &[("auth/c.md", "[d](deep/d.md) [b](b.md)\n"), ("new.md", "---\nrelated: [auth/deep/d]\n---\n")],
    );
    let ran = env.brv(&["vc", "rm", "-n", "-r", "auth/deep"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`auth/c.md` (line 1) points to `deep/d.md`, which is deleted"),
        "{}",
        ran.stderr
    );
    let data = json(&env.brv(&["vc", "rm", "-r", "auth/deep", "--json"]).stdout)["data"].clone();
    let named = data["dangling"].as_array().unwrap().iter();
    let named: Vec<[&str; 3]> =
        named.map(|link| ["from", "written", "state"].map(|field| link[field].as_str().unwrap())).collect();
    assert_eq!(named, [["auth/c.md", "deep/d.md", "missing"], ["new.md", "auth/deep/d", "missing"]]);
    let data = json(&env.brv(&["vc", "rm", "--cached", "auth/b.md", "--json"]).stdout)["data"].clone();
    assert_eq!(data["dangling"], serde_json::json!([]), "the file stays");
}

/// git detects an edit by the file's time, and by reading the file if that equals the time of the index.
#[test]
fn an_edit_in_the_moment_of_the_index_is_seen_after_the_index_was_written_again() {
    let env = stage();
    let tree = tree(&env);
    for _ in 0..5 {
        write(&env, &[("racy.md", "first\n")]);
        env.git(&tree, &["add", "racy.md"]);
        write(&env, &[("racy.md", "other\n")]);
        let time = std::fs::metadata(tree.join(".git/index")).unwrap().modified().unwrap();
        let file = std::fs::File::options().append(true).open(tree.join("racy.md")).unwrap();
        file.set_modified(time).unwrap();
        assert_eq!(env.brv(&["vc", "add", "auth"]).code, 0);
        assert_eq!(env.brv(&["vc", "rm", "--cached", "-f", "new.md"]).code, 0);
        env.git(&tree, &["add", "new.md"]);
        assert!(state(&env).1.contains("AM racy.md"), "{}", state(&env).1);
    }
}

#[test]
fn a_refusal_names_each_file_and_changes_nothing() {
    let env = stage();
    let before = state(&env);
    let ran = env.brv(&["vc", "rm", "a.md", "edited.md", "staged.md", "both.md"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    for line in
        ["edited.md: has unstaged edits", "staged.md: has staged", "both.md: the staged version differs"]
    {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
    assert_eq!(state(&env), before);
    assert_eq!(env.git(&tree(&env), &["for-each-ref", "refs/brv/ops/"]), "");
}

#[test]
fn a_folder_is_named_as_it_was_typed() {
    let env = stage();
    for (folder, typed) in [("", "."), ("auth", "."), ("auth", "../auth/deep"), ("", "auth/")] {
        let ran = env.brv_in(&tree(&env).join(folder), &["vc", "rm", "-f", typed]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("`{typed}` is a folder")), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_file_is_not_removed_in_silence() {
    let env = stage();
    let file = tree(&env).join("a.md");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("auth/b.md", &file).unwrap();
    let before = state(&env);
    for arguments in [&["-f", "a.md"][..], &["-r", "-f", "."]] {
        let ran = env.brv(&[&["vc", "rm"], arguments].concat());
        assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains("a symlink or special file") && ran.stderr.contains("\n  a.md\n"),
            "{}",
            ran.stderr
        );
        assert_eq!(state(&env), before);
    }
    assert_eq!(env.brv(&["vc", "rm", "--cached", "a.md"]).code, 0);
    assert!(std::fs::symlink_metadata(&file).unwrap().is_symlink());
    let ran = env.brv(&["undo"]);
    assert_eq!((ran.code, state(&env)), (0, before), "{}", ran.stderr);
}
