//! `brv curate --commit`: the history of the code is taken in, or handed to a caller that decides itself.

use super::Code;
use crate::env::Env;
use crate::init::json;
use serde_json::{Value, json};

/// A history that was made before the hooks.
fn with_history() -> Code {
    let code = Code::new();
    code.run(&["hooks", "uninstall"]);
    ["one", "two"].iter().for_each(|name| drop(code.state(name)));
    code.commit("nothing");
    code.state("three");
    code
}

/// How many commits were curated, declined, and known before.
fn counts(taken: &Value) -> [u64; 3] {
    ["curated", "declined", "known"].map(|name| taken["counts"][name].as_u64().unwrap())
}

#[test]
fn history_is_taken_in_once_the_oldest_commit_first() {
    let code = with_history();
    let before = crate::lab::picture(&code.tree(), &|path| path.starts_with(".git"));
    let dry = code.data(&["curate", "--commit", "HEAD~4..HEAD", "--dry-run"]);
    assert_eq!(counts(&dry), [3, 1, 0]);
    assert_eq!(crate::lab::picture(&code.tree(), &|path| path.starts_with(".git")), before);
    let taken = code.data(&["curate", "--commit", "HEAD~4..HEAD"]);
    assert_eq!(counts(&taken), [3, 1, 0]);
    for one in [&dry, &taken] {
        let of = |name: &str| one["counts"][name].clone();
        assert_eq!(
            [of("reasons"), of("entries"), of("folders")],
            [json!({"no text": 1}), json!(1), json!(1)]
        );
        let row = &one["commits"][0];
        assert_eq!(row["subject"], "one is done", "{row}");
        let item = json!({"path": "code/code.md", "title": "one", "text": "holds one", "kind": "note", "date": null});
        assert_eq!(row["items"], json!([item]));
    }
    let subjects: Vec<_> =
        taken["commits"].as_array().unwrap().iter().map(|job| job["commit"].as_str().unwrap()).collect();
    let made = code.git(&["rev-list", "--reverse", "HEAD~4..HEAD"]);
    assert_eq!(subjects, made.lines().collect::<Vec<_>>());
    let log = code.env.git(&code.tree(), &["log", "--format=%s %(trailers:key=Brv-Session)"]);
    assert_eq!(log.matches("Brv-Session: import-").count(), 3, "{log}");
    let again = code.data(&["curate", "--commit", "HEAD~4..HEAD"]);
    assert_eq!((counts(&again), &again["commits"]), ([0, 0, 4], &json!([])));
    // a fresh clone of the tree knows what is in it, by the trailers
    std::fs::remove_file(code.path.join(".brv/context-tree/.git/brv/state.db")).unwrap();
    let again = code.data(&["curate", "--commit", "HEAD~4..HEAD"]);
    assert_eq!(counts(&again), [0, 1, 3]);
    let one = code.data(&["curate", "--commit", "HEAD~4"]);
    assert_eq!(counts(&one), [0, 1, 0]);
}

#[test]
fn bad_ranges_and_hosts_are_refused_with_the_reason() {
    let code = with_history();
    for range in ["nope", "nope..HEAD", "HEAD...HEAD~1", "HEAD..nope", "-x", "HEAD:start"] {
        let ran = code.brv(&["curate", &format!("--commit={range}")]);
        assert_eq!(ran.code, 2, "{range}: {}", ran.stderr);
    }
    assert_eq!(code.data(&["curate", "--commit", "HEAD..HEAD"])["commits"], json!([]));
    for wrong in [&["--plan"][..], &["--commit", "HEAD", "--ops", "x"], &["--commit", "HEAD", "text"]] {
        assert_eq!(code.brv(&[&["curate"], wrong].concat()).code, 2, "{wrong:?}");
    }
    let env = Env::new();
    env.brv(&["init", "-q"]);
    let ran = env.brv(&["curate", "--commit", "HEAD"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("no git repository"), "{}", ran.stderr);
    env.git(env.root(), &["init", "-q"]);
    let ran = env.brv(&["curate", "--commit", "HEAD"]);
    assert!(ran.code == 6 && ran.stderr.contains("no commits yet"), "{}", ran.stderr);
    let url = format!("file://{}", code.path.display());
    code.env.git(code.env.root(), &["clone", "-q", "--depth=1", &url, "shallow"]);
    let shallow = code.env.path("shallow");
    code.env.brv_in(&shallow, &["init", "-q"]);
    let ran = code.env.brv_in(&shallow, &["curate", "--commit", "HEAD"]);
    assert!(ran.code == 6 && ran.stderr.contains("shallow"), "{}", ran.stderr);
}

#[test]
fn a_caller_decides_and_answers_with_operations() {
    let code = with_history();
    code.run(&[
        "curate",
        "--into",
        "a/b",
        "--title",
        "One",
        "--reason",
        "r",
        "--fact",
        "one: holds one thing",
    ]);
    let ran = code.run(&["curate", "--commit", "HEAD~4..HEAD", "--plan", "--limit", "3", "--json"]);
    let envelope = json(&ran.stdout);
    assert_eq!(envelope["schema"], "brv.curate.plan/1");
    let plan = &envelope["data"];
    let declined: Vec<_> =
        plan["commits"].as_array().unwrap().iter().map(|one| one["declined"].clone()).collect();
    assert_eq!(declined, [json!(null), json!(null), json!("no text")]);
    assert_eq!(plan["covering"][0]["path"], "a/b/one.md", "{plan}");
    let next = envelope["next"][0].as_str().unwrap();
    let rest = code.data(&next.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(rest["commits"].as_array().unwrap().len(), 1, "{next}");
    let ids: Vec<String> = plan["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["commit"].as_str().unwrap().to_owned())
        .collect();
    let operation = |source: &str, title: &str| json!({"type": "ADD", "path": "c/d", "title": title, "reason": "why", "markdown": title, "source_commit": source});
    let list =
        json!([operation(&ids[0], "first"), operation(&ids[1], "second"), operation(&ids[0], "third")]);
    let file = code.env.path("ops.json");
    std::fs::write(&file, list.to_string()).unwrap();
    let applied = code.data(&["curate", "--ops", file.to_str().unwrap()]);
    assert_eq!((&applied["commit"], &applied["operation"]), (&json!(null), &json!(null)), "{applied}");
    let rows = applied["applied"].as_array().unwrap();
    assert_eq!(rows[0]["commit"], rows[2]["commit"]);
    assert_ne!(rows[0]["commit"], rows[1]["commit"]);
    let commit = rows[1]["commit"].as_str().unwrap();
    let trailer =
        code.env.git(&code.tree(), &["log", "-1", "--format=%(trailers:key=Brv-Source-Commit)", commit]);
    assert!(trailer.contains(&ids[1]), "{trailer}");
    // a source that is in the tree already is not taken again, and what is not a commit of the code neither
    let list =
        json!([operation(&ids[0], "fourth"), operation(&"1".repeat(40), "fifth"), operation("12", "sixth")]);
    std::fs::write(&file, list.to_string()).unwrap();
    let ran = code.brv(&["curate", "--ops", file.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, 1);
    let rows = json(&ran.stdout)["data"]["applied"].take();
    let codes: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect();
    assert_eq!(codes, ["exists", "invalid", "invalid"]);
    let left = code.data(&["curate", "--commit", "HEAD~4..HEAD", "--plan"]);
    assert_eq!(left["commits"].as_array().unwrap().len(), 2);
}

#[test]
fn what_was_undone_can_be_taken_in_again() {
    let code = with_history();
    let before = crate::lab::picture(&code.tree(), &|path| path.starts_with(".git"));
    code.run(&["curate", "--commit", "HEAD~4..HEAD"]);
    let log = code.env.git(&code.tree(), &["log", "-1", "--format=%(trailers:key=Brv-Session,valueonly)"]);
    code.run(&["undo", "--session", log.trim()]);
    let after = crate::lab::picture(&code.tree(), &|path| path.starts_with(".git"));
    let curated = |all: &std::collections::BTreeMap<String, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(curated(&after), curated(&before));
    let again = code.data(&["curate", "--commit", "HEAD~4..HEAD"]);
    assert_eq!(counts(&again), [3, 0, 1]);
    assert_eq!(code.facts("one"), ["holds one [project]"]);
}

#[test]
fn the_rest_of_a_plan_comes_whatever_the_form_of_the_history() {
    let code = Code::new();
    code.run(&["hooks", "uninstall"]);
    let base = code.head();
    for (branch, names) in [("a", ["a1", "a2", "a3"]), ("b", ["b1", "b2", "b3"])] {
        code.git(&["checkout", "-q", "-b", branch, &base]);
        names.iter().for_each(|name| drop(code.state(name)));
    }
    code.git(&["merge", "-q", "--no-ff", "-m", "joined", "a"]);
    let mut line = format!("brv curate --commit {base}..HEAD --plan --limit 2");
    let mut seen = Vec::new();
    for _ in 0..9 {
        let words: Vec<&str> = line.split(' ').skip(1).chain(["--json"]).collect();
        let envelope = json(&code.run(&words).stdout);
        let commits = envelope["data"]["commits"].as_array().unwrap();
        seen.extend(commits.iter().map(|one| one["commit"].as_str().unwrap().to_owned()));
        let Some(next) = envelope["next"][0].as_str() else { break };
        next.clone_into(&mut line);
    }
    let distinct: std::collections::BTreeSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "{seen:?}");
    let all = code.git(&["rev-list", &format!("{base}..HEAD")]);
    assert!(all.lines().all(|id| seen.iter().any(|one| one == id)), "{seen:?}");
}
