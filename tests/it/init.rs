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
fn the_commands_that_come_next_work_as_they_stand() {
    let next = |commits: usize| {
        let env = Env::new();
        env.git(env.root(), &["init", "-q"]);
        for number in 0..commits {
            let message = format!("c{number}\n\nFact: fact {number}: it is {number}");
            env.git(env.root(), &["commit", "-q", "--allow-empty", "-m", &message]);
        }
        let next = json(&env.brv(&["init", "--json"]).stdout)["next"].clone();
        let next: Vec<String> = serde_json::from_value(next).unwrap();
        (env, next)
    };
    let by_hand = "brv curate \"…\" --into FOLDER --title TITLE --reason REASON";
    for (commits, range, entries, facts) in [
        (0, None, 1, 0),
        (1, Some("HEAD"), 2, 1),
        (3, Some("HEAD~2..HEAD"), 2, 2),
        (30, Some("HEAD~19..HEAD"), 2, 19),
    ] {
        let (env, next) = next(commits);
        let range = range.map(|range| format!("brv curate --commit {range}"));
        assert_eq!(next, range.into_iter().chain([by_hand.to_owned()]).collect::<Vec<_>>());
        for line in &next {
            let words = line.replace("\"…\"", "…");
            let ran = env.brv(&words.split(' ').skip(1).collect::<Vec<_>>());
            assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        }
        let status = json(&env.brv(&["status", "--json"]).stdout);
        assert_eq!(status["data"]["entries"], entries, "{commits} commits");
        let text = std::fs::read_to_string(env.path(".brv/context-tree/project/misc.md")).unwrap_or_default();
        assert_eq!(text.matches("- **fact ").count(), facts, "{text}");
    }
    // what a shallow clone cannot do is not offered
    let (deep, _) = next(3);
    let shallow = Env::new();
    let from = format!("file://{}", deep.root().display());
    shallow.git(shallow.root(), &["clone", "-q", "--depth", "1", &from, "p"]);
    let ran = shallow.brv(&["-C", "p", "init", "--json"]);
    assert_eq!(json(&ran.stdout)["next"], serde_json::json!([by_hand]), "{}", ran.stdout);
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
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    assert_eq!(nothing.stderr, "error: nothing to commit\n");
    write(&env, &[("aux.md", "device\n")]);
    assert_eq!(env.brv(&["vc", "add", "aux.md"]).code, 1);
    let nothing = env.brv(&["vc", "commit", "-m", "again", "--json"]);
    let envelope = json(&nothing.stdout);
    assert_eq!((nothing.code, &envelope["error"]["code"]), (1, &"nothing_to_commit".into()), "{envelope}");
    assert_eq!(envelope["error"]["message"], "nothing to commit");
    write(&env, &[("b.md", "b\n")]);
    let nothing = env.brv(&["vc", "commit", "-m", "again"]);
    assert!(nothing.stderr.starts_with("error: nothing staged to commit\nhint: stage"), "{}", nothing.stderr);
    assert_eq!(envelope["data"], serde_json::json!({"commit": null, "refused": []}));
    assert_eq!(env.brv(&["vc", "commit", "-m", "again", "--allow-empty"]).code, 0);
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
