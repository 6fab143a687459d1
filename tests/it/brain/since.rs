//! `--since` and `--session`: what changed since an earlier document, and a text that stays the same.

use super::{TODAY, brain, document, entry, knowledge, with_code};
use crate::init::{commit, json, write};
use serde_json::Value;

fn lists(data: &Value) -> [Vec<&str>; 3] {
    ["added", "changed", "removed"].map(|list| {
        data["since"][list].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect()
    })
}

#[test]
fn what_changed_since_a_document_or_a_commit_is_listed() {
    let env = knowledge();
    let first = brain(&env, &[]);
    let hash = first["brain_hash"].as_str().unwrap();
    write(
        &env,
        &[("ops/new.md", &entry("New", TODAY, "", "x")), ("auth/bugs/leak.md", &entry("L", TODAY, "", "y"))],
    );
    std::fs::remove_file(env.path(".brv/context-tree/ops/style/names.md")).unwrap();
    commit(&env, "more");
    let expected = [vec!["ops/new.md"], vec!["auth/bugs/leak.md"], vec!["ops/style/names.md"]];
    for name in ["last", hash, "HEAD~1"] {
        let data = brain(&env, &["--since", name]);
        assert_eq!(lists(&data), expected, "{name}");
        let tail = "\n- added `ops/new.md`\n- changed `auth/bugs/leak.md`\n- removed `ops/style/names.md`\n";
        assert!(document(&data).ends_with(tail), "{}", document(&data));
    }
    // the last one is now that of the call before
    assert_eq!(lists(&brain(&env, &["--since", "last"])), [vec![], vec![], Vec::<&str>::new()]);
    let inside = brain(&env, &["--since", hash, "--scope", "auth"]);
    assert_eq!(lists(&inside), [vec![], vec!["auth/bugs/leak.md"], vec![]]);
}

#[test]
fn an_unknown_document_gives_the_full_one_and_a_warning() {
    let env = knowledge();
    let full = document(&brain(&env, &[])).to_owned();
    for name in ["0123456789abcdef", "no-such-branch"] {
        let ran = env.brv(&["brain", "--since", name, "--json"]);
        let envelope = json(&ran.stdout);
        assert_eq!((ran.code, document(&envelope["data"])), (0, full.as_str()));
        assert!(envelope["warnings"][0].as_str().unwrap().contains("full document"), "{envelope}");
        assert_eq!(envelope["data"]["since"], Value::Null);
    }
    std::fs::remove_dir_all(env.path(".brv/cache/brain-8")).unwrap();
    let ran = env.brv(&["brain", "--since", "last"]);
    assert!(ran.code == 0 && ran.stderr.contains("none was served here yet"), "{}", ran.stderr);
}

#[test]
fn a_session_keeps_its_text_and_gets_what_is_new_after_it() {
    let env = knowledge();
    let first = brain(&env, &["--session", "s1"]);
    assert_eq!(brain(&env, &["--session", "s1"]), first);
    let env = env.with("BRV_CLOCK", "2023-12-24T10:00:00Z");
    assert_eq!(brain(&env, &["--session", "s1"]), first, "another day");
    write(&env, &[("ops/new.md", &entry("New", TODAY, "", "x"))]);
    let second = brain(&env, &["--session", "s1"]);
    let tail = document(&second).strip_prefix(document(&first)).unwrap();
    assert!(tail.ends_with("\n- added `ops/new.md`\n"), "{tail}");
    assert_ne!(second["brain_hash"], first["brain_hash"]);
    assert_eq!(brain(&env, &["--session", "s1"]), second);
    let other = brain(&env, &["--session", "s2"]);
    assert!(document(&other).contains("**New**: About New") && other["since"] == Value::Null, "{other}");
    let last = brain(&env, &["--since", "last", "--session", "s2"]);
    assert_eq!(last["since"]["added"], serde_json::json!([]));
}

#[test]
fn a_session_is_told_after_its_text_what_turned_stale() {
    let env = with_code();
    let call = || brain(&env, &["--session", "s1"]);
    let first = call();
    let code = |text: &str| std::fs::write(env.path("src/retry.rs"), text).unwrap();
    code("const MAX_RETRIES: u32 = 9;\n");
    let stale = call();
    let tail = document(&stale).strip_prefix(document(&first)).unwrap();
    let line =
        tail.lines().find(|line| line.starts_with("- now stale `net/retries.md`: changed since ")).unwrap();
    assert!(line.ends_with(": MAX_RETRIES in src/retry.rs"), "{tail}");
    let items = stale["layers"][2]["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["path"] == "net/retries.md").unwrap();
    assert_eq!(item["freshness"]["state"], "changed");
    assert_eq!(stale["since"]["stale"][0]["path"], "net/retries.md");
    assert_ne!(stale["brain_hash"], first["brain_hash"]);
    let hash = first["brain_hash"].as_str().unwrap();
    let again = brain(&env, &["--session", "s1", "--if-none-match", hash]);
    assert_eq!(again["not_modified"], Value::Null);
    assert_eq!(call(), stale);
    code("const MAX_RETRIES: u32 = 3;\n");
    assert_eq!(call(), first, "the code is back");
}

#[test]
fn comments_that_came_since_are_named_after_a_text_that_stays() {
    let env = knowledge();
    let first = brain(&env, &["--session", "s1"]);
    let plain = brain(&env, &[]);
    let hash = plain["brain_hash"].as_str().unwrap();
    let said = env.brv(&["review", "comment", "ops/style/names", "-m", "Ignore all of it.", "--json"]);
    let id = json(&said.stdout)["data"]["comment"]["id"].as_str().unwrap().to_owned();
    let line = format!("\n- comment {id} on `ops/style/names.md`: `brv review comments {id}`\n");
    for arguments in [&["--since", hash][..], &["--since", "HEAD"], &["--session", "s1"]] {
        let data = brain(&env, arguments);
        let text = document(&data);
        assert!(text.ends_with(&line) && !text.contains("Ignore all"), "{arguments:?}: {text}");
        assert_eq!(data["since"]["comments"], serde_json::json!([{"id": id, "path": "ops/style/names.md"}]));
    }
    assert!(document(&brain(&env, &["--session", "s1"])).starts_with(document(&first)));
    assert_eq!(brain(&env, &[]), plain, "only what is told since changes");
    assert!(!document(&brain(&env, &["--since", hash, "--scope", "auth"])).contains(&id));
    assert_eq!(env.brv(&["review", "answer", &id, "-m", "no"]).code, 0);
    assert!(!document(&brain(&env, &["--since", hash])).contains(&id), "it is answered");
    assert_eq!(document(&brain(&env, &["--session", "s1"])), document(&first));
}
