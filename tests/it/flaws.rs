//! `add` and `commit` report the errors that would block a push, with line and column.

use crate::env::{Env, Ran};
use crate::init::{self, project, write};
use serde_json::{Value, json};

const UNCLOSED: &str = "---\ntitle: [unclosed\n---\n\n# A\n";

#[track_caller]
fn ran(env: &Env, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    ran
}

#[test]
fn broken_frontmatter_is_named_at_once_and_the_same_place_stops_the_push() {
    let env = project(&[("auth/a.md", UNCLOSED), ("auth/b.md", "# B\n")]);
    let place = |told: &str| {
        let line = told.lines().find(|line| line.contains("BRV003")).unwrap_or_else(|| panic!("{told}"));
        let place = line.trim_start_matches("warning: ").trim().split(": ").next().unwrap();
        place.to_owned()
    };
    let dry = ran(&env, &["vc", "add", "--dry-run", "."], 0).stderr;
    let added = ran(&env, &["vc", "add", "."], 0).stderr;
    let committed = ran(&env, &["vc", "commit", "-m", "first"], 0).stderr;
    assert_eq!((place(&added), place(&dry)), (place(&committed), place(&committed)));
    assert!(
        place(&added).starts_with("auth/a.md:3:") || place(&added).starts_with("auth/a.md:2:"),
        "{added}"
    );
    assert!(!added.contains("b.md"), "{added}");
    let bare = env.bare("team.git");
    ran(&env, &["vc", "remote", "add", "origin", bare.to_str().unwrap()], 0);
    let pushed = ran(&env, &["vc", "push", "-u", "origin", "main"], 7).stderr;
    assert!(pushed.contains(&place(&added)), "{pushed}");
    assert!(pushed.contains("`brv vc commit -a --amend`"), "{pushed}");
    // and that is how to continue
    write(&env, &[("auth/a.md", "---\ntitle: [closed]\n---\n\n# A\n")]);
    let amended = ran(&env, &["vc", "commit", "-a", "--amend"], 0);
    assert_eq!(amended.stderr, "");
    ran(&env, &["vc", "push", "-u", "origin", "main"], 0);
}

#[test]
fn programs_get_rule_line_and_column() {
    let env = project(&[
        ("a.md", UNCLOSED),
        ("b.md", "---\nt: 1\nt: 2\n---\n"),
        ("c.md", "x\n<<<<<<< a\n=======\n>>>>>>> b\n"),
    ]);
    let added = init::json(&ran(&env, &["vc", "add", ".", "--json"], 0).stdout);
    let committed = init::json(&ran(&env, &["vc", "commit", "-m", "x", "--json"], 0).stdout);
    for (findings, warnings) in [
        (&added["data"]["findings"], &added["warnings"]),
        (&committed["data"]["commit"]["findings"], &committed["warnings"]),
    ] {
        let row = |one: &Value| json!([one["rule"], one["path"], one["line"], one["severity"]]);
        let rows: Vec<Value> = findings.as_array().unwrap().iter().map(row).collect();
        assert_eq!(rows.len(), 3, "{findings}");
        assert_eq!((&rows[0][0], &rows[0][1]), (&json!("BRV003"), &json!("a.md")));
        assert_eq!(rows[1], json!(["BRV003", "b.md", 3, "error"]));
        assert_eq!(rows[2], json!(["BRV001", "c.md", 2, "error"]));
        assert!(
            findings.as_array().unwrap().iter().all(|one| one["column"].as_u64() >= Some(1)),
            "{findings}"
        );
        assert_eq!(warnings.as_array().unwrap().len(), 3, "{warnings}");
    }
    let again = init::json(&ran(&env, &["vc", "add", ".", "--json"], 0).stdout);
    assert_eq!(again["data"]["findings"], Value::Array(Vec::new()), "nothing new was staged");
}

#[test]
fn a_file_that_is_no_entry_is_nobodys_matter() {
    let env = project(&[("README.md", UNCLOSED)]);
    assert_eq!(ran(&env, &["vc", "add", "."], 0).stderr, "");
    assert_eq!(ran(&env, &["vc", "commit", "-m", "x"], 0).stderr, "");
}
