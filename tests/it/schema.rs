//! `brv schema`, and all output under `--json` in any test, validated against it.
//!
//! [`check`] is called for each envelope that [`Env::brv`] sees, so that the whole suite tests the schemas.

use crate::described::{check, document, valid};
use crate::env::Env;
use crate::help::commands;
use crate::init::{commit, json, project, write};
use brv::wire;
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn the_checker_sees_what_is_wrong() {
    let good = serde_json::json!({
        "schema": "brv.vc.remote/1", "ok": true, "data": {"remotes": []}, "warnings": [], "next": []
    });
    check(&good, &[]);
    for (path, value) in [
        ("/data", serde_json::json!({"remotes": [{"name": 1, "url": null}]})),
        ("/data", serde_json::json!({"remotes": [{"name": "a"}]})),
        ("/data", serde_json::json!({"remotes": [], "more": 1})),
        ("/data", Value::Null),
        ("/ok", Value::Bool(false)),
        ("/warnings", serde_json::json!([1])),
        ("/schema", "brv.vc.add/1".into()),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        let name = if path == "/schema" { "brv.vc.remote/1" } else { bad["schema"].as_str().unwrap() };
        let schema = document(name).unwrap();
        assert!(valid(&schema, &schema, &bad).is_err(), "{bad}");
    }
}

/// A question for `brv eval`.
const GOLDEN: &str = "{\"question\": \"How long do tokens live?\", \"expected\": [\"auth/a.md\"]}\n";

/// Every command has a schema, under its own name or, for a verb of a group, under the group's name.
#[test]
fn no_command_is_forgotten() {
    let all = commands();
    let is_group =
        |words: &[String]| all.iter().any(|other| other.len() > words.len() && other.starts_with(words));
    let known = |words: &[String]| document(&words.join(" ")).is_some();
    let mut forgotten: Vec<String> = all
        .iter()
        .filter(|words| !words.is_empty() && !is_group(words))
        .filter(|words| !(known(words) || words.len() > 1 && known(&words[..words.len() - 1])))
        .map(|words| words.join(" "))
        .collect();
    forgotten.sort();
    assert!(forgotten.is_empty(), "no schema in src/wire/schema.rs for {forgotten:?}");
    let listed = wire::Schema::list().schemas.unwrap();
    for schema in listed {
        let words: Vec<String> = schema.command.split(' ').map(Into::into).collect();
        assert!(schema.command == "error" || all.contains(&words), "`{}` is not a command", schema.command);
        assert_eq!(wire::schema(schema.command), schema.schema);
    }
}

#[test]
fn schemas_are_listed_and_given_for_programs_and_for_people() {
    let env = Env::new();
    let listed = env.brv(&["schema"]).stdout;
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(listed.lines().any(|line| words(line) == ["brv.vc.status/1", "brv", "vc", "status"]), "{listed}");
    let printed: Value = serde_json::from_str(&env.brv(&["schema", "vc", "status"]).stdout).unwrap();
    let enveloped = json(&env.brv(&["schema", "brv.vc.status/1", "--json"]).stdout);
    assert_eq!(enveloped["data"]["document"], printed);
    assert_eq!(printed["properties"]["schema"]["const"], "brv.vc.status/1");
    let data: Value = serde_json::from_str(&env.brv(&["schema", "vc.status", "--data"]).stdout).unwrap();
    assert_eq!(data["properties"]["clean"]["type"], "boolean");
    let ran = env.brv(&["schema", "vc", "statsu"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("perhaps `vc status`"), "{}", ran.stderr);
}

/// At least one run of each command, with success and failure: `Env::brv` validates the output.
#[test]
fn what_every_command_prints_is_what_its_schema_says() {
    let env = project(&[
        ("auth/a.md", "# A\n\nTokens live 24 hours.\n"),
        ("b.md", "# B\n"),
        ("x.exe", "MZ"),
        ("golden.jsonl", GOLDEN),
    ]);
    env.bare("team.git");
    let mut seen = BTreeSet::new();
    let mut run = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').chain(["--json"]).collect();
        let ran = env.brv(&arguments);
        let envelope = json(&ran.stdout);
        assert_eq!(envelope["ok"].as_bool(), Some(ran.code == 0), "{line}: {}", ran.stdout);
        seen.insert(envelope["schema"].as_str().unwrap().to_owned());
    };
    for line in [
        "vc statsu",
        "init",
        "vc init",
        "schema",
        "schema vc.add",
        "vc resolve --list",
        "vc repair b",
        "vc rm --dry-run b.md",
        "vc mv --dry-run b.md c.md",
        "vc revert HEAD",
        "derive --check",
        "vc status",
        "vc log",
        "vc push",
        "vc add x.exe",
        "vc add a-name-without-file",
        "vc add .",
        "vc status",
        "vc diff --staged",
        "vc commit -m first",
        "vc commit -m nothing",
        "derive",
        "derive --check",
        "derive --all",
        "vc remote add origin team.git",
        "vc remote",
        "vc remote set-url origin --host",
        "vc push -u origin main",
        "vc push",
        "vc fetch",
        "vc pull",
        "vc sync",
        "vc merge origin/main",
        "vc merge nothing",
        "vc merge --abort",
        "vc merge --continue",
        "vc log",
        "vc log -p --graph",
        "vc blame b.md",
        "vc blame --fact x b.md",
        "vc show",
        "vc show HEAD:auth",
        "vc show HEAD:auth/a.md",
        "vc show nothing",
        "vc branch topic",
        "vc branch -m topic other",
        "vc branch -avv",
        "vc branch -d other",
        "vc branch nothing/ here",
        "vc tag v1",
        "vc tag -m words v2",
        "vc tag",
        "vc tag -d v1",
        "vc tag -d nothing",
        "vc switch -c topic",
        "vc switch nothing",
        "vc checkout -",
        "vc checkout b.md",
        "vc restore b.md",
        "vc restore nothing",
        "vc reset",
        "vc reset b.md",
        "vc reset nothing",
        "vc config user.name Ada",
        "vc config list",
        "vc config get user.name",
        "vc config get no.such",
        "vc config unset user.name",
        "vc clone team.git clone",
        "demo show",
        "read",
        "read auth/a b --level l0",
        "read nothing",
        "status",
        "config",
        "config get color --origin",
        "config get pager",
        "config set lock.timeout 3",
        "config set color sometimes",
        "config unset lock.timeout",
        "links b",
        "links --broken",
        "signals",
        "signals --top 1",
        "signals nothing",
        "search token --explain --related",
        "query token --explain",
        "query zebra",
        "eval none.jsonl",
        "eval .brv/context-tree/golden.jsonl",
        "links nothing",
        "tree",
        "tree auth",
        "tree --at HEAD",
        "read b --at HEAD",
        "links b --at HEAD",
        "tree nothing",
        "completions bash",
        "help vc push",
        "help safety",
        "man vc status",
        "merge-driver .brv/context-tree/b.md .brv/context-tree/b.md .brv/context-tree/b.md b.md",
    ] {
        run(line);
    }
    write(&env, &[("auth/a.md", "# A\n\nTokens live 12 hours.\n"), ("c/d.md", "# D\n")]);
    for line in [
        "vc status",
        "vc diff",
        "vc diff --format text",
        "vc diff --format words",
        "vc diff --stat",
        "vc check --all",
        "vc commit -a -m edit",
        "vc gc",
        "op log",
        "op show last",
        "archive list",
        "archive show b",
        "archive run --dry-run",
        "archive run nothing",
        "archive restore nothing",
        "op diff last",
        "op prune --dry-run",
        "curate words --into e/f --title T --reason r",
        "undo nothing",
        "undo --dry-run",
        "undo",
    ] {
        run(line);
    }
    let all = wire::Schema::list().schemas.unwrap();
    let missing: Vec<&str> =
        all.iter().filter(|known| !seen.contains(&known.schema)).map(|known| known.command).collect();
    assert!(missing.is_empty(), "no run of {missing:?}");
    commit(&env, "rest");
}
