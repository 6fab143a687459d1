//! `brv init`, `brv derive`, `brv vc add` and `brv vc commit` as a user calls them.

use crate::env::Env;
use serde_json::Value;

/// A project with a new tree that has these files.
pub fn project(files: &[(&str, &str)]) -> Env {
    let env = Env::new();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    write(&env, files);
    env
}

/// Write files into the tree.
pub fn write(env: &Env, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = env.path(".brv/context-tree").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Add all and commit.
pub fn commit(env: &Env, message: &str) {
    let ran = env.brv(&["vc", "add", "--all"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = env.brv(&["vc", "commit", "-m", message]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// The envelope that a command printed, and nothing else.
pub fn json(stdout: &str) -> Value {
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

#[test]
fn a_new_tree_is_made_once_and_stays() {
    let env = Env::new();
    let ran = env.brv(&["init"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("New context tree in "), "{}", ran.stdout);
    write(&env, &[("auth/a.md", "# A\n")]);
    let again = json(&env.brv(&["init", "--json"]).stdout);
    assert_eq!(again["schema"], "brv.init/1");
    assert_eq!(again["data"]["origin"], "repository");
    assert_eq!(std::fs::read_to_string(env.path(".brv/context-tree/auth/a.md")).unwrap(), "# A\n");
}

#[test]
fn what_is_added_is_committed_and_git_sees_nothing_left() {
    let env = project(&[("auth/jwt/a.md", "# A\n\nTokens live 24 hours.\n")]);
    let ran = env.brv(&["vc", "add", "."]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Staged 1 file: 1 added\n"), "{}", ran.stderr);
    let committed = json(&env.brv(&["vc", "commit", "-m", "first", "--json"]).stdout);
    assert_eq!(committed["ok"], true);
    assert_eq!(committed["data"]["commit"]["changes"][0]["path"], "auth/jwt/a.md");
    let tree = env.path(".brv/context-tree");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
    assert_eq!(env.git(&tree, &["log", "--format=%s|%an"]), "first|Ada");
    env.fsck(&tree);
    let nothing = env.brv(&["vc", "commit", "-m", "again"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, "Nothing to commit, working tree clean.\n"));
}

#[test]
fn a_file_that_is_refused_is_named_and_the_rest_is_recorded() {
    let env = project(&[("a.md", "a\n"), ("tool.exe", "MZ"), ("aux.md", "device\n")]);
    let ran = env.brv(&["vc", "add", "a.md", "tool.exe", "aux.md"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("`tool.exe`: it is not managed by brv"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`aux.md`: its path"), "{}", ran.stderr);
    assert_eq!(env.git(&env.path(".brv/context-tree"), &["ls-files"]), "a.md");
    let ran = env.brv(&["vc", "add", "nothing-here", "--json"]);
    assert_eq!(ran.code, 2);
    assert_eq!(json(&ran.stdout)["error"]["code"], "usage");
}

#[test]
fn derived_files_are_checked_and_made() {
    let env = project(&[("auth/jwt/a.md", "# A\n\nTokens live 24 hours.\n")]);
    let ran = env.brv(&["derive", "--check", "--json"]);
    assert_eq!(ran.code, 1);
    let found = json(&ran.stdout);
    assert_eq!((&found["ok"], &found["data"]["found"][0]["why"]), (&Value::Bool(false), &"missing".into()));
    assert_eq!(env.brv(&["derive"]).code, 0);
    assert!(env.path(".brv/context-tree/auth/jwt/a.abstract.md").is_file());
    let ran = env.brv(&["derive", "--check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "All derived files are up to date.\n"));
    let porcelain = env.brv(&["vc", "status", "--porcelain"]).stdout;
    assert_eq!(porcelain, "?? auth/jwt/a.md\n", "derived files never appear");
}
