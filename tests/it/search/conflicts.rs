//! What is served while a merge is stopped: our side of an entry in conflict, marked as such.

use super::{asked, knowledge, write};
use crate::env::{Env, tree};
use serde_json::Value;

const KEYS: &str = "auth/keys/key_rotation.md";
const REDIS: &str = "storage/cache/redis_usage.md";
const QUESTION: &str = "How often do signing keys rotate?";

/// Two branches that say different things about the rotation of keys; `main` is checked out.
fn diverged() -> Env {
    let env = knowledge();
    let tree = tree(&env);
    let text = std::fs::read_to_string(tree.join(KEYS)).unwrap();
    let redis = std::fs::read_to_string(tree.join(REDIS)).unwrap();
    env.git(&tree, &["checkout", "-q", "-b", "other"]);
    env.commit(&tree, &[(KEYS, &text.replace("ninety", "seven"))]);
    env.git(&tree, &["rm", "-q", REDIS]);
    env.git(&tree, &["commit", "-qm", "gone"]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[(KEYS, &text.replace("ninety", "thirty")), (REDIS, &redis.replace("ten", "twelve"))]);
    env
}

/// That an entry is served by our side alone, and marked as being in conflict or not.
fn serves_our_side(env: &Env, is_in_conflict: bool) {
    let mark = if is_in_conflict { Value::Bool(true) } else { Value::Null };
    let (ran, found) = asked(env, &["search", "signing keys rotation", "--fresh"]);
    let row = &found["results"][0];
    assert_eq!((ran.code, &row["path"], &row["conflict"]), (0, &KEYS.into(), &mark), "{found}");
    let (ran, answer) = asked(env, &["query", QUESTION, "--fresh"]);
    let source = &answer["sources"][0];
    assert_eq!((ran.code, &source["path"], &source["conflict"]), (0, &KEYS.into(), &mark), "{answer}");
    for served in [&found, &answer] {
        let text = served.to_string();
        assert!(text.contains("thirty days") && !text.contains("seven days"), "{text}");
        assert!(!["<<<<", "====", ">>>>"].iter().any(|marker| text.contains(marker)), "{text}");
    }
    for arguments in [["search", "signing keys rotation"], ["query", QUESTION]] {
        let ran = env.brv(&arguments);
        assert_eq!(ran.stdout.contains("in conflict: our side"), is_in_conflict, "{}", ran.stdout);
        let warned = env
            .brv(&[&arguments[..], &["--json"]].concat())
            .stdout
            .contains("is in conflict: this is our side");
        assert_eq!(warned, is_in_conflict, "{arguments:?}");
    }
}

#[test]
fn a_stopped_merge_marks_what_is_served() {
    let env = diverged();
    serves_our_side(&env, false);
    assert_eq!(env.brv(&["vc", "merge", "other"]).code, 5);
    serves_our_side(&env, true);
    assert_eq!(env.brv(&["vc", "merge", "--abort"]).code, 0);
    serves_our_side(&env, false);
}

#[test]
fn markers_that_git_left_are_no_text() {
    let env = diverged();
    let tree = tree(&env);
    assert_eq!(env.try_git(&tree, &["merge", "-q", "other"]).code, 1);
    assert!(std::fs::read_to_string(tree.join(KEYS)).unwrap().contains("<<<<<<<"));
    serves_our_side(&env, true);
    // modified here, deleted there
    let (_, data) = asked(&env, &["search", "Redis sessions cached"]);
    let row = &data["results"][0];
    assert_eq!((&row["path"], &row["conflict"]), (&REDIS.into(), &true.into()), "{data}");
    assert!(row["excerpt"].as_str().unwrap().contains("twelve minutes"), "{row}");
    let (_, data) =
        asked(&env, &["search", "tag:storage", "--related", "--limit", "1", "--scope", "storage/cache"]);
    let related = data["results"].as_array().unwrap().iter().find(|row| row["path"] == KEYS).unwrap();
    assert!(related["conflict"] == true && !related.to_string().contains("<<<<<<<"), "{related}");
    for arguments in [["add", "-A"], ["commit", "-qm"]] {
        env.git(&tree, &[&arguments[..], if arguments[0] == "commit" { &["markers"] } else { &[] }].concat());
        serves_our_side(&env, true);
    }
    assert_eq!(env.brv(&["search", "HEAD"]).stdout, "Nothing found.\n");
    std::fs::remove_dir_all(env.path(".brv/cache")).unwrap();
    serves_our_side(&env, true);
}

#[test]
fn a_text_that_explains_markers_is_not_in_conflict() {
    let env = knowledge();
    let fence = "```text\n<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n```\n";
    write(&env, "git/markers.md", &format!("# Conflict markers\n\nGit writes these lines:\n\n{fence}"));
    let (_, data) = asked(&env, &["query", "Conflict markers", "--fresh"]);
    assert_eq!(
        (&data["sources"][0]["path"], data["sources"][0].get("conflict")),
        (&"git/markers.md".into(), None)
    );
    assert!(data.to_string().contains("<<<<<<< ours"), "{data}");
}
