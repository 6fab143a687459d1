//! `brv stale confirm`.

use super::{RETRY, TOKENS, World};
use crate::env::Env;

#[test]
fn a_confirmation_names_the_commit_of_the_code_and_changes_nothing_else() {
    let world = World::new();
    let before = world.env.git(&world.tree(), &["rev-parse", "HEAD"]);
    let answer = world.json(&["stale", "confirm", "auth/tokens", "--reason", "read again"], 0);
    let data = &answer["data"];
    let time =
        world.env.git(world.env.root(), &["log", "-1", "--format=%cd", "--date=format:%Y-%m-%dT%H:%M:%SZ"]);
    let verified = format!("{} {time}", world.head());
    assert_eq!(
        (&data["confirmed"], &data["verified"]),
        (&["auth/tokens.md"].into(), &verified.as_str().into())
    );
    assert_eq!((&data["uncommitted"], &answer["warnings"]), (&[""; 0].into(), &[""; 0].into()));
    let expected = TOKENS.replacen("Z\n---", &format!("Z\nverified: {verified}\n---"), 1);
    assert_eq!(world.read("auth/tokens.md").replace('"', ""), expected, "updatedAt stays");
    let git = |arguments: &[&str]| world.env.git(&world.tree(), arguments);
    assert_eq!(git(&["rev-parse", "HEAD~1"]), before, "one commit");
    assert_eq!(git(&["status", "--porcelain"]), "");
    let message = git(&["log", "-1", "--format=%B"]);
    assert!(
        message.starts_with(&format!("confirm auth/tokens.md against {}\n", &verified[..7])),
        "{message}"
    );
    assert!(message.contains("\nBrv-Reason: auth/tokens.md: read again"), "{message}");
    let logged = &world.json(&["op", "log"], 0)["data"]["operations"][0];
    assert_eq!((&logged["kind"], &logged["id"]), (&"confirm".into(), &data["operation"]));
    let shown = world.env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--format", "text"]).stdout;
    assert!(shown.contains(&format!("+ verified  {verified}")), "{shown}");
    assert!(!shown.contains("token") || shown.contains("auth/tokens"), "{shown}");
    world.done(&["undo"]);
    assert_eq!(world.read("auth/tokens.md"), TOKENS);
}

#[test]
fn what_is_confirmed_already_makes_no_commit_and_newer_code_a_new_one() {
    let world = World::new();
    world.done(&["stale", "confirm", "auth/tokens"]);
    let again = world.json(&["stale", "confirm", "auth/tokens.md"], 0);
    assert_eq!(again["data"]["confirmed"].as_array().map(Vec::len), Some(0));
    assert!(again["data"]["commit"].is_null() && again["data"]["operation"].is_null(), "{again}");
    let said = world.env.brv(&["stale", "confirm", "auth/tokens"]).stdout;
    assert_eq!(said, format!("Already confirmed against {}.\n", &world.head()[..7]));
    let head = world.code(&[("src/retry.rs", &RETRY.replace('3', "5"))]);
    assert_eq!(world.json(&["stale", "confirm", "auth/tokens"], 0)["data"]["confirmed"][0], "auth/tokens.md");
    assert_eq!(world.read("auth/tokens.md").matches("verified:").count(), 1);
    assert!(world.read("auth/tokens.md").contains(&head));
}

#[test]
fn a_folder_stands_for_its_entries_in_one_commit() {
    let world = World::new();
    let data = world.json(&["stale", "confirm", "auth"], 0)["data"].clone();
    assert_eq!(data["confirmed"], serde_json::json!(["auth/plain.md", "auth/tokens.md"]));
    let subject = world.env.git(&world.tree(), &["log", "-1", "--format=%s"]);
    assert_eq!(subject, format!("confirm 2 entries against {}", &world.head()[..7]));
    assert!(
        world.read("auth/plain.md").starts_with("---\nverified: "),
        "an entry without frontmatter gets one"
    );
}

#[test]
fn uncommitted_code_is_warned_of() {
    let world = World::new();
    for stage in [false, true] {
        std::fs::write(world.env.path("src/retry.rs"), if stage { "staged\n" } else { "edited\n" }).unwrap();
        std::fs::write(world.env.path("README"), "other words\n").unwrap();
        if stage {
            world.env.git(world.env.root(), &["add", "src/retry.rs"]);
            world.done(&["undo"]);
        }
        let answer = world.json(&["stale", "confirm", "auth"], 0);
        assert_eq!(
            answer["warnings"],
            serde_json::json!([
                "`src/retry.rs` has uncommitted changes: the entries are confirmed against its last commit"
            ])
        );
        assert_eq!(answer["data"]["confirmed"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn a_tree_in_the_repository_of_the_code_is_left_to_its_next_commit() {
    let world = World::in_repo();
    let answer = world.json(&["stale", "confirm", "auth/tokens"], 0);
    assert!(answer["data"]["commit"].is_null() && !answer["data"]["operation"].is_null(), "{answer}");
    assert_eq!(answer["data"]["uncommitted"][0], "auth/tokens.md");
    let text = world.read("auth/tokens.md");
    assert!(text.contains("\nverified: ") && text.contains(&world.head()), "{text}");
}

#[test]
fn what_cannot_be_confirmed_changes_nothing() {
    let world = World::new();
    let unknown = world.json(&["stale", "confirm", "auth/token"], 2);
    assert!(unknown["error"]["hint"].as_str().unwrap().contains("auth/tokens"), "{unknown}");
    assert_eq!(world.env.brv(&["stale", "confirm"]).code, 2);
    std::fs::write(world.tree().join("auth/plain.md"), "---\ntitle: a\ntitle: b\n---\n\nText.\n").unwrap();
    let broken = world.json(&["stale", "confirm", "auth"], 1);
    assert!(broken["error"]["message"].as_str().unwrap().contains("auth/plain.md"), "{broken}");
    assert_eq!(world.read("auth/tokens.md"), TOKENS, "all or nothing");
}

#[test]
fn without_a_commit_of_the_code_there_is_nothing_to_confirm_against() {
    let env = Env::new();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    env.commit(&crate::env::tree(&env), &[("a.md", "# A\n")]);
    assert_eq!(env.brv(&["stale", "confirm", "a"]).code, 6);
    env.git(env.root(), &["init", "-q"]);
    let ran = env.brv(&["stale", "confirm", "a"]);
    assert_eq!((ran.code, ran.stderr.contains("no commits yet")), (6, true), "{}", ran.stderr);
}
