//! Invalid arguments, the second name, and settings.

use crate::env::Env;
use crate::init::{commit, json, project};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn wrong_usage_is_exit_2_with_the_nearest_right_one() {
    let env = Env::new();
    let ran = env.brv(&["vc", "statsu"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("did you mean `brv vc status`?"), "{}", ran.stderr);
    let ran = env.brv(&["vc", "statsu", "--json"]);
    let error = json(&ran.stdout);
    assert_eq!((ran.code, ran.stderr.as_str()), (2, ""));
    assert_eq!(error["error"]["hint"], "did you mean `brv vc status`?");
    assert_eq!(env.brv(&["-C", "nowhere", "vc", "status"]).code, 2);
}

#[test]
fn the_version_of_json_is_asked_for_behind_an_equals_sign() {
    let env = project(&[("style.md", "b\n")]);
    let shown = |arguments: &[&str]| {
        let ran = env.brv(arguments);
        (ran.code, json(&ran.stdout), ran.stderr)
    };
    let (code, newest, _) = shown(&["--json", "vc", "status"]);
    assert_eq!((code, &newest["schema"]), (0, &"brv.vc.status/1".into()));
    for arguments in [&["--json=1", "vc", "status"][..], &["vc", "status", "--json=1"]] {
        assert_eq!(shown(arguments), (0, newest.clone(), String::new()), "{arguments:?}");
    }
    let tree = env.path(".brv/context-tree");
    assert_eq!(env.brv(&["vc", "add", "style.md"]).code, 0);
    let before = env.git(&tree, &["status", "--porcelain=v2", "--branch"]);
    let (code, answer, stderr) = shown(&["vc", "commit", "-m", "x", "--json=7"]);
    assert_eq!((code, &*stderr), (2, ""));
    assert_eq!(answer["schema"], "brv.vc.commit/1");
    assert_eq!(answer["error"]["code"], "usage");
    assert_eq!(answer["error"]["hint"], "this command prints `brv.vc.commit/1`");
    assert_eq!(env.git(&tree, &["status", "--porcelain=v2", "--branch"]), before);
    let (code, answer, _) = shown(&["vc", "status", "--json=new"]);
    assert_eq!((code, &answer["error"]["code"]), (2, &"usage".into()));
    assert!(answer["error"]["message"].as_str().unwrap().contains("such as --json=1"), "{answer}");
    assert_eq!(shown(&["--version", "--json=1"]).1, shown(&["--version", "--json"]).1);
    assert_eq!(shown(&["--json=2", "--version"]).0, 2);
    let wrong = shown(&["--json=new", "vc", "status"]);
    for arguments in [&["--version", "--json=new"][..], &["--json=new", "-V"], &["-q", "-V", "--json=new"]] {
        assert_eq!(shown(arguments), wrong, "{arguments:?}");
    }
}

#[test]
fn the_words_that_others_have_for_curate_lead_to_it() {
    let env = Env::new();
    for word in ["remember", "note"] {
        let ran = env.brv(&[word, "tokens live 12 hours"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        let hint = "write knowledge with `brv curate \"…\" --into FOLDER --title TITLE --reason REASON`";
        assert_eq!(ran.stderr, format!("error: brv has no `{word}`\nhint: {hint}\n"));
        let told = json(&env.brv(&[word, "x", "--json"]).stdout);
        assert_eq!((&told["error"]["code"], &told["error"]["hint"]), (&"usage".into(), &hint.into()));
        assert!(!env.brv(&["vc", word]).stderr.contains("curate"), "only as the first word");
    }
}

#[test]
fn a_name_that_is_not_there_is_answered_with_the_one_that_was_meant() {
    let env = project(&[("auth/jwt/token.md", "a\n"), ("style.md", "b\n")]);
    commit(&env, "first");
    env.git(&env.path(".brv/context-tree"), &["remote", "add", "origin", "https://git.example.org/a.git"]);
    for (arguments, meant, code) in [
        (&["vc", "log", "mian"][..], "main", 2),
        (&["vc", "log", "mian~1"], "main~1", 2),
        (&["vc", "diff", "mian..HEAD"], "main..HEAD", 2),
        (&["vc", "show", "mian"], "main", 2),
        (&["vc", "show", "HEAD:auth/jtw/token.md"], "HEAD:auth/jwt/token.md", 2),
        (&["vc", "push", "orgin"], "origin", 2),
        (&["vc", "push", "origin", "mian"], "main", 2),
        (&["vc", "fetch", "orgin"], "origin", 2),
        (&["vc", "pull", "orgin"], "origin", 2),
        (&["vc", "remote", "remove", "orgin"], "origin", 2),
        (&["vc", "add", "atuh/jwt/tokn.md"], "auth/jwt/token.md", 2),
        (&["vc", "log", "token.md"], "auth/jwt/token.md", 2),
        (&["vc", "diff", "styel.md"], "style.md", 2),
        (&["vc", "config", "get", "usr.name"], "user.name", 1),
    ] {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(
            ran.stderr.ends_with(&format!("hint: did you mean `{meant}`?\n")),
            "{arguments:?}: {}",
            ran.stderr
        );
        let told = json(&env.brv(&[arguments, &["--json"]].concat()).stdout);
        assert_eq!(told["error"]["hint"], format!("did you mean `{meant}`?"));
    }
    let bare = env.bare("bare.git");
    env.brv(&["vc", "remote", "add", "near", bare.to_str().unwrap()]);
    assert_eq!(env.brv(&["vc", "push", "near", "main"]).code, 0);
    for verb in ["fetch", "pull"] {
        let told = env.brv(&["vc", verb, "near", "mian"]);
        assert!(told.stderr.contains("did you mean `main`?"), "{}", told.stderr);
    }
    let far = env.brv(&["vc", "log", "zebra"]);
    assert!(!far.stderr.contains("did you mean"), "{}", far.stderr);
}

#[test]
fn a_folder_to_run_in_may_be_named_from_below() {
    let env = project(&[("auth/a.md", "a\n")]);
    let below = env.path("home");
    let ran = env.brv_in(&below, &["-C", "..", "vc", "add", "auth/a.md"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = env.brv_in(&below, &["-C", "../home/..", "vc", "status", "-s"]);
    assert_eq!(ran.stdout, "A  auth/a.md\n");
}

#[test]
fn help_starts_with_examples_and_names_the_exit_codes() {
    let env = Env::new();
    let ran = env.brv(&["--help"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("Examples:\n  brv "), "{}", ran.stdout);
    assert!(ran.stdout.contains("3  no context tree here"), "{}", ran.stdout);
    assert!(env.brv(&["--version"]).stdout.starts_with("brv "));
}

#[test]
fn git_brv_knows_verbs_and_commands() {
    let env = project(&[("a.md", "a\n")]);
    for (arguments, code) in
        [(&["status", "-s"][..], 0), (&["vc", "status"], 0), (&["derive"], 0), (&["nothing"], 2)]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_git-brv"));
        env.prepare(&mut command);
        let output = command.args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

/// Copies a program. On Unix another process does it: a child that another test starts meanwhile
/// would inherit our open file, and Linux starts no program that is open for writing.
fn copy_program(from: &str, to: &Path) {
    if cfg!(unix) {
        assert!(Command::new("cp").arg(from).arg(to).status().unwrap().success());
    } else {
        std::fs::copy(from, to).unwrap();
    }
}

/// The program `git-brv` in a folder of its own, without the `brv` beside it.
fn second_name_alone(env: &Env) -> PathBuf {
    let folder = env.path("alone");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join(format!("git-brv{}", std::env::consts::EXE_SUFFIX));
    copy_program(env!("CARGO_BIN_EXE_git-brv"), &program);
    program
}

#[test]
fn git_brv_finds_brv_on_the_path_where_none_is_beside_it() {
    let env = project(&[("a.md", "a\n")]);
    let alone = second_name_alone(&env);
    let brv = Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap();
    for (path, code) in [(brv, 0), (alone.parent().unwrap(), 1)] {
        let mut command = Command::new(&alone);
        env.prepare(&mut command);
        let output = command.env("PATH", path).args(["status", "-s"]).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert_eq!(told.starts_with("error: cannot start `brv`: "), code == 1, "{told}");
    }
}

#[cfg(unix)]
#[test]
fn git_brv_is_found_by_git_through_a_link_and_makes_a_driver_of_brv() {
    let env = Env::new();
    let folder = env.path("links");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_git-brv"), folder.join("git-brv")).unwrap();
    let mut command = env.git_command(env.root());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path))).unwrap();
    let output = command.env("PATH", path).args(["brv", "init", "--json"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let driver = env.git(&env.path(".brv/context-tree"), &["config", "merge.brv.driver"]);
    assert!(driver.contains(env!("CARGO_BIN_EXE_brv")), "{driver}");
    assert!(!driver.contains("git-brv"), "{driver}");
}

#[test]
fn git_brv_is_no_second_copy_of_brv() {
    let size = |program| std::fs::metadata(program).unwrap().len();
    assert!(size(env!("CARGO_BIN_EXE_git-brv")) * 4 < size(env!("CARGO_BIN_EXE_brv")));
}

#[test]
fn a_projects_settings_choose_no_program() {
    let env = project(&[]);
    let env = env.with("BRV_LOCK_TIMEOUT", "soon");
    let ran = env.brv(&["vc", "status", "--json"]);
    assert_eq!(ran.code, 2);
    assert!(json(&ran.stdout)["error"]["message"].as_str().unwrap().contains("BRV_LOCK_TIMEOUT"));
}

#[test]
fn a_timeout_of_the_environment_that_is_none_is_refused() {
    let mut env = project(&[]);
    for text in ["bogus", "0", "-1", "1.5", "86401"] {
        env = env.with("BRV_NETWORK_TIMEOUT", text);
        let ran = env.brv(&["vc", "status"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        let told = format!(
            "`BRV_NETWORK_TIMEOUT` is `{text}`: expected a number of seconds from 1 to 86400 (one day)"
        );
        assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    }
}
