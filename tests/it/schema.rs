//! `brv schema`, and all output under `--json` in any test, validated against it.
//!
//! [`check`] is called for each envelope that [`Env::brv`] sees, so that the whole suite tests the schemas.

use crate::described::{check, document, valid};
use crate::env::Env;
use crate::help::commands;
use crate::init::json;
use crate::scenes;
use brv::cli::schema;
use brv::cli::table::{ROWS, schemas};
use brv::say::envelope;
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
        // its standard output is a conversation
        .filter(|words| words[..] != ["mcp"])
        .filter(|words| !(known(words) || words.len() > 1 && known(&words[..words.len() - 1])))
        .map(|words| words.join(" "))
        .collect();
    forgotten.sort();
    assert!(forgotten.is_empty(), "no schema for {forgotten:?}");
    let listed = schema::Outcome::list(&schemas(ROWS)).schemas.unwrap();
    for schema in listed {
        let words: Vec<String> = schema.command.split(' ').map(Into::into).collect();
        // a flag may ask for another answer: `curate commit`
        let is_command = all.contains(&words) || all.contains(&words[..words.len() - 1].to_vec());
        assert!(
            ["error", "version"].contains(&schema.command) || is_command,
            "`{}` is not a command",
            schema.command
        );
        assert_eq!(envelope::schema(schema.command), schema.schema);
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

/// `Env::brv` validates the output.
#[test]
fn what_every_command_prints_is_what_its_schema_says() {
    let mut seen = BTreeSet::new();
    scenes::play(&["--json"], |_, line, ran| {
        let envelope = json(&ran.stdout);
        assert_eq!(envelope["ok"].as_bool(), Some(ran.code == 0), "{line}: {}", ran.stdout);
        seen.insert(envelope["schema"].as_str().unwrap().to_owned());
    });
    let all = schema::Outcome::list(&schemas(ROWS)).schemas.unwrap();
    let missing: Vec<&str> =
        all.iter().filter(|known| !seen.contains(&known.schema)).map(|known| known.command).collect();
    assert!(missing.is_empty(), "tests/it/scenes.rs plays no run of {missing:?}");
}
