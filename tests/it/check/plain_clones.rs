//! A plain clone of a tree is enough for `check`, wherever it lies; any other repository is not.

use super::KEYS;
use crate::env::Env;
use crate::init::json;
use crate::lab::picture;
use std::path::{Path, PathBuf};

/// A bare repository with these files.
fn remote(env: &Env, files: &[(&str, &str)]) -> PathBuf {
    let source = env.path("source");
    std::fs::create_dir_all(&source).unwrap();
    env.git(&source, &["init", "-q", "-b", "main"]);
    env.commit(&source, files);
    env.git(env.root(), &["clone", "-q", "--bare", "source", "remote.git"]);
    env.path("remote.git")
}

fn clone(env: &Env, to: &str) -> PathBuf {
    let folder = env.path(to);
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    env.git(env.root(), &["clone", "-q", "remote.git", folder.to_str().unwrap()]);
    folder
}

/// The exit code of a check of everything, and its findings as `rule path`.
fn checked(env: &Env, folder: &Path) -> (i32, Vec<String>) {
    let ran = env.brv_in(folder, &["vc", "check", "--all", "--json"]);
    let found = json(&ran.stdout)["data"]["findings"].as_array().cloned().unwrap_or_default();
    let name = |one: &serde_json::Value, key: &str| one[key].as_str().unwrap().to_owned();
    (ran.code, found.iter().map(|one| format!("{} {}", name(one, "rule"), name(one, "path"))).collect())
}

#[test]
fn a_plain_clone_is_checked_where_it_lies_and_nothing_is_written_there() {
    let broken = ("auth/jwt/keys.md", KEYS);
    for files in [
        &[broken][..],
        &[("brv.yaml", "fail_on: error\n"), ("keys.md", KEYS)],
        &[("auth/context.md", "# Domain: auth\n"), ("auth/keys.md", KEYS), ("auth/flow.png", "x")],
    ] {
        let env = Env::new();
        remote(&env, files);
        for to in ["here", "a/b/c/there", "code/knowledge"] {
            if to.starts_with("code") {
                env.git(env.root(), &["init", "-q", "code"]);
            }
            let folder = clone(&env, to);
            let before = picture(&folder, &|_| false);
            let (code, found) = checked(&env, &folder);
            assert_eq!((code, found.len()), (0, 1), "{to} {files:?} {found:?}");
            assert!(found[0].starts_with("BRV004 "), "{found:?}");
            let below = folder.join("auth");
            if below.is_dir() {
                assert_eq!(checked(&env, &below).1, found);
            }
            assert_eq!(picture(&folder, &|_| false), before, "nothing is written");
        }
    }
}

#[test]
fn a_range_is_checked_too_and_code_around_is_where_citations_are_looked_for() {
    let env = Env::new();
    remote(&env, &[("auth/context.md", "# Domain: auth\n"), ("auth/keys.md", "# Keys\n")]);
    env.git(env.root(), &["init", "-q", "code"]);
    let folder = clone(&env, "code/knowledge");
    env.commit(&folder, &[("auth/more.md", "## Raw Concept\n\n**Files:**\n- src/gone.rs\n")]);
    let ran = env.brv_in(&folder, &["vc", "check", "--json"]);
    let data = &json(&ran.stdout)["data"];
    assert_eq!((ran.code, &data["verdict"]["entries"]["added"]), (0, &serde_json::json!(1)), "{data}");
    assert_eq!(data["findings"][0]["rule"], "BRV012", "{data}");
}

#[test]
fn in_a_project_the_nearest_tree_is_meant() {
    let env = Env::new();
    remote(&env, &[("auth/context.md", "# Domain: auth\n"), ("auth/keys.md", KEYS)]);
    assert_eq!(env.brv(&["init"]).code, 0);
    let nearer = clone(&env, "vendor/knowledge");
    assert_eq!(checked(&env, &nearer).1, ["BRV004 auth/keys.md"]);
    assert_eq!(checked(&env, &env.path("vendor")), (0, vec![]), "the tree of the project, which is empty");
    assert_eq!(checked(&env, &env.path(".brv/context-tree")), (0, vec![]));
}

#[test]
fn a_plain_clone_is_only_read_and_no_command_is_named_that_fails_there() {
    let hidden = ("auth/keys.md", "zero\u{200b}width\n");
    // the tree of the project around it has something to fix, too
    let env = crate::init::project(&[hidden]);
    remote(&env, &[("auth/context.md", "# Domain: auth\n"), hidden]);
    let folder = clone(&env, "vendor/knowledge");
    env.commit(&folder, &[("auth/more.md", "# More\n")]);
    let ran = env.brv_in(&folder, &["vc", "check", "--all", "--json"]);
    assert_eq!((ran.code, &json(&ran.stdout)["next"]), (1, &serde_json::json!([])), "{}", ran.stdout);
    let before = picture(env.root(), &|_| false);
    for change in ["--fix", "--write-baseline"] {
        let ran = env.brv_in(&folder, &["vc", "check", change]);
        assert_eq!(
            (ran.code, ran.stderr.contains("a plain clone is only read")),
            (2, true),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(picture(env.root(), &|_| false), before);
}

#[test]
fn an_ordinary_repository_has_no_tree() {
    let env = Env::new();
    let code =
        [("Cargo.toml", "[package]\n"), ("src/lib.rs", "//! x\n"), ("docs/guide/start.md", "# Start\n")];
    let docs = [("README.md", "# R\n"), ("docs/guide/start.md", "# Start\n"), ("docs/context.md", "# C\n")];
    for (name, files) in [("code", &code[..]), ("docs", &docs[..]), ("empty", &[])] {
        let folder = env.path(name);
        env.git(env.root(), &["init", "-q", name]);
        if !files.is_empty() {
            env.commit(&folder, files);
        }
        for arguments in [&["vc", "check"][..], &["vc", "check", "--all"], &["vc", "check", "HEAD"]] {
            let ran = env.brv_in(&folder, arguments);
            assert_eq!(ran.code, 3, "{name} {arguments:?} {}{}", ran.stdout, ran.stderr);
        }
    }
}

/// The crates that cargo has unpacked on this machine: repositories that nobody made for this test.
#[test]
fn crates_are_no_trees() {
    let crates = crate::merge_markdown::crates();
    if crates.is_empty() {
        println!("skipped: cargo has unpacked no crates");
    }
    for folder in crates.into_iter().filter(|path| path.is_dir()) {
        let files = files(&folder);
        assert!(!brv_engine::open::tree::is_tree(files.iter().map(String::as_bytes)), "{}", folder.display());
    }
}

/// The paths of the files below a folder.
fn files(root: &Path) -> Vec<String> {
    let (mut folders, mut files) = (vec![root.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    files.push(entry.path().strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"))
                }
            }
        }
    }
    files
}
