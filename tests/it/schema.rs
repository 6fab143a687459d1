//! `brv schema`, and everything that any test sees printed under `--json`, held against it.
//!
//! [`check`] is called for each envelope that [`Env::brv`] sees, so that the whole suite is the test of the schemas.

use crate::env::Env;
use crate::help::commands;
use crate::init::{commit, json, project, write};
use brv::wire;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Panics unless the envelope is what the schema that it names says. `arguments` are for the message.
pub fn check(envelope: &Value, arguments: &[&str]) {
    let name = envelope["schema"].as_str().unwrap_or_default();
    let schema =
        document(name).unwrap_or_else(|| panic!("{arguments:?} printed the unknown schema `{name}`"));
    if let Err(why) = valid(&schema, &schema, envelope) {
        panic!("{arguments:?} printed what `{name}` does not describe: {why}\n{envelope}");
    }
}

fn document(name: &str) -> Option<Value> {
    wire::Schema::named(name, wire::Part::Whole)?.one.map(|one| Value::Object(one.document))
}

type Named = BTreeSet<String>;

/// JSON Schema as far as ours go, with one rule more: a property that nothing describes is an error. Gives the
/// properties that were described.
fn valid(root: &Value, schema: &Value, value: &Value) -> Result<Named, String> {
    let schema = match schema {
        Value::Bool(true) => return Ok(all_of(value)),
        Value::Object(schema) => schema,
        other => return Err(format!("{other} is no schema")),
    };
    let known = described(root, schema, value)?;
    let said = schema.contains_key("properties") || schema.contains_key("additionalProperties");
    if said && let Some(extra) = all_of(value).difference(&known).next() {
        return Err(format!("`{extra}` is not described in {schema:?}"));
    }
    Ok(known)
}

type Check = fn(&Value, &Value, &Value) -> Result<Named, String>;

/// As [`valid`], where others may describe the rest.
fn loosely(root: &Value, schema: &Value, value: &Value) -> Result<Named, String> {
    match schema {
        Value::Object(schema) => described(root, schema, value),
        other => valid(root, other, value),
    }
}

fn all_of(value: &Value) -> Named {
    value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

fn described(root: &Value, schema: &Map<String, Value>, value: &Value) -> Result<Named, String> {
    let mut known = Named::new();
    // parts of an object describe its properties together, and each alone has not seen them all
    let part: Check = if schema.contains_key("properties") { loosely } else { valid };
    for (word, rule) in schema {
        match word.as_str() {
            "$ref" => {
                let path = rule.as_str().and_then(|path| path.strip_prefix('#')).ok_or("a strange $ref")?;
                let target = root.pointer(path).ok_or_else(|| format!("{path} is not there"))?;
                known.extend(part(root, target, value)?);
            }
            "type" => is_of_type(rule, value)?,
            "const" if rule != value => return Err(format!("{value} is not {rule}")),
            "enum" if !rule.as_array().is_some_and(|all| all.contains(value)) => {
                return Err(format!("{value} is none of {rule}"));
            }
            "properties" => known.extend(properties(root, rule, value)?),
            "required" => required(rule, value)?,
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    valid(root, rule, item)?;
                }
            }
            "additionalProperties" => {
                let named = schema.get("properties").map(all_of).unwrap_or_default();
                for (key, value) in value.as_object().into_iter().flatten() {
                    if !named.contains(key) {
                        valid(root, rule, value).map_err(|why| format!("{key}: {why}"))?;
                        known.insert(key.clone());
                    }
                }
            }
            "minimum" if value.is_number() && value.as_f64() < rule.as_f64() => {
                return Err(format!("{value} < {rule}"));
            }
            "maximum" if value.is_number() && value.as_f64() > rule.as_f64() => {
                return Err(format!("{value} > {rule}"));
            }
            "oneOf" | "anyOf" => known.extend(one_of(root, rule, value, part)?),
            "allOf" => {
                for rule in rule.as_array().into_iter().flatten() {
                    known.extend(loosely(root, rule, value)?);
                }
            }
            "if" => {
                let holds = loosely(root, rule, value).is_ok();
                if let Some(then) = schema.get(if holds { "then" } else { "else" }) {
                    loosely(root, then, value)?;
                }
            }
            "not" if loosely(root, rule, value).is_ok() => {
                return Err(format!("{rule} holds"));
            }
            "const" | "enum" | "minimum" | "maximum" | "not" | "then" | "else" | "$schema" | "$defs"
            | "title" | "description" | "format" | "default" => {}
            other => return Err(format!("`{other}` is not understood here")),
        }
    }
    Ok(known)
}

fn properties(root: &Value, rules: &Value, value: &Value) -> Result<Named, String> {
    let mut known = Named::new();
    for (key, rule) in rules.as_object().into_iter().flatten() {
        if let Some(value) = value.get(key) {
            valid(root, rule, value).map_err(|why| format!("{key}: {why}"))?;
            known.insert(key.clone());
        }
    }
    Ok(known)
}

fn required(names: &Value, value: &Value) -> Result<(), String> {
    let missing = names
        .as_array()
        .into_iter()
        .flatten()
        .find(|name| value.is_object() && value.get(name.as_str().unwrap_or_default()).is_none());
    missing.map_or(Ok(()), |name| Err(format!("{name} is missing")))
}

fn one_of(root: &Value, rules: &Value, value: &Value, part: Check) -> Result<Named, String> {
    let mut whys = Vec::new();
    for rule in rules.as_array().into_iter().flatten() {
        match part(root, rule, value) {
            Ok(known) => return Ok(known),
            Err(why) => whys.push(why),
        }
    }
    Err(format!("none of: {}", whys.join(" | ")))
}

fn is_of_type(rule: &Value, value: &Value) -> Result<(), String> {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    let fits = match rule {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("{value} is not of type {rule}")) }
}

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

/// Every command has a schema, under its own name or, where it is one of the verbs of a group, under the group's.
#[test]
fn no_command_is_forgotten() {
    let all = commands();
    let is_group =
        |words: &[String]| all.iter().any(|other| other.len() > words.len() && other.starts_with(words));
    let known = |words: &[String]| document(&words.join(" ")).is_some();
    let mut forgotten: Vec<String> = all
        .iter()
        .filter(|words| !words.is_empty() && !is_group(words))
        .filter(|words| !known(words) && !(words.len() > 1 && known(&words[..words.len() - 1])))
        .map(|words| words.join(" "))
        .collect();
    forgotten.sort();
    assert!(forgotten.is_empty(), "no schema in src/wire/schema.rs for {forgotten:?}");
    let listed = wire::Schema::list().schemas.unwrap();
    for schema in listed {
        let words: Vec<String> = schema.command.split(' ').map(Into::into).collect();
        assert!(schema.command == "error" || all.contains(&words), "`{}` is no command", schema.command);
        assert_eq!(wire::schema(schema.command), schema.schema);
    }
}

#[test]
fn schemas_are_listed_and_given_for_programs_and_for_people() {
    let env = Env::new();
    let listed = env.brv(&["schema"]).stdout;
    assert!(listed.lines().any(|line| line == "brv.vc.status/1  brv vc status"), "{listed}");
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

/// One run of each command at least, in success and failure: what they print is checked by `Env::brv`.
#[test]
fn what_every_command_prints_is_what_its_schema_says() {
    let env = project(&[("auth/a.md", "# A\n\nTokens live 24 hours.\n"), ("b.md", "# B\n"), ("x.exe", "MZ")]);
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
        "vc push -u origin main",
        "vc push",
        "vc fetch",
        "vc pull",
        "vc log",
        "vc show",
        "vc show HEAD:auth",
        "vc show HEAD:auth/a.md",
        "vc show nothing",
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
        "links nothing",
        "tree",
        "tree auth",
        "tree nothing",
    ] {
        run(line);
    }
    write(&env, &[("auth/a.md", "# A\n\nTokens live 12 hours.\n"), ("c/d.md", "# D\n")]);
    for line in ["vc status", "vc diff", "vc diff --format words", "vc diff --stat", "vc commit -a -m edit"] {
        run(line);
    }
    let all = wire::Schema::list().schemas.unwrap();
    let missing: Vec<&str> =
        all.iter().filter(|known| !seen.contains(&known.schema)).map(|known| known.command).collect();
    assert!(missing.is_empty(), "no run of {missing:?}");
    commit(&env, "rest");
}
