//! Whether what scripts type still works: commands, their flags, the values of these, exit codes.
//!
//! Which flags exclude each other is not compared.

use super::versions;
use brv::cli::table::root;
use brv::say::Exit;
use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// What left and the version that announced it: `("vc status --short", "0.2.0")`.
const ANNOUNCED: &[(&str, &str)] = &[];

/// All commands and exit codes of today. With `BRV_COMMANDS=FILE` they are written there, which `cut` keeps.
#[test]
fn what_scripts_type_still_works() {
    let today = today();
    if let Some(file) = std::env::var_os("BRV_COMMANDS") {
        std::fs::write(file, written(&today)).unwrap();
    }
    let mut faults = String::new();
    for folder in versions("schemas") {
        let file = folder.join("commands.json");
        let old: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for fault in broken(&old, &today).iter().filter(|fault| !is_announced(fault)) {
            writeln!(faults, "{}: {fault}", file.display()).unwrap();
        }
    }
    assert!(
        faults.is_empty(),
        "{faults}\nWhat goes is announced a minor version before, and gets a row in ANNOUNCED."
    );
}

fn is_announced(fault: &str) -> bool {
    let is_released = |version: &str| versions("schemas").iter().any(|folder| folder.ends_with(version));
    ANNOUNCED.iter().any(|(what, version)| fault == format!("`{what}` is gone") && is_released(version))
}

fn today() -> Value {
    let mut commands = Map::new();
    let root = root();
    collect(&root, "brv", &mut commands);
    let codes: Map<String, Value> =
        Exit::ALL.iter().map(|code| (code.number().to_string(), code.word().into())).collect();
    json!({ "commands": commands, "exit codes": codes })
}

fn collect(command: &Command, name: &str, commands: &mut Map<String, Value>) {
    let mut arguments = Map::new();
    // flags for all commands are those of `brv`
    let own = |one: &&Arg| name == "brv" || !one.is_global_set() && one.get_id() != "help";
    for one in command.get_arguments().filter(own) {
        for (at, word) in words(one).into_iter().enumerate() {
            arguments.insert(word, argument(one, at == 0));
        }
    }
    commands.insert(name.to_owned(), arguments.into());
    for inner in command.get_subcommands() {
        collect(inner, &format!("{name} {}", inner.get_name()), commands);
    }
}

/// All names of a flag; the number of what has none.
fn words(one: &Arg) -> Vec<String> {
    let long = one.get_long_and_visible_aliases().unwrap_or_default().into_iter().map(str::to_owned);
    let hidden = one.get_all_aliases().unwrap_or_default().into_iter().map(str::to_owned);
    let short =
        one.get_short_and_visible_aliases().unwrap_or_default().into_iter().map(|short| format!("-{short}"));
    let place = one.get_index().map(|index| format!("#{index}"));
    let mut all: Vec<String> =
        long.chain(hidden).map(|long| format!("--{long}")).chain(short).chain(place).collect();
    all.dedup();
    all
}

/// How often a flag is taken, with how many values and which; no field has its default.
fn argument(one: &Arg, is_first: bool) -> Value {
    let mut found = Map::new();
    let takes = one.get_num_args().unwrap_or_default();
    if takes.max_values() > 0 {
        let most = Some(takes.max_values()).filter(|most| *most < usize::MAX);
        found.insert("values".into(), json!([takes.min_values(), most]));
        let of = one.get_possible_values();
        let names: Vec<&str> =
            of.iter().flat_map(clap::builder::PossibleValue::get_name_and_aliases).collect();
        if !names.is_empty() {
            found.insert("of".into(), json!(names));
        }
    }
    if matches!(one.get_action(), ArgAction::Append | ArgAction::Count) {
        found.insert("repeats".into(), true.into());
    }
    // under its first name: a new alias is no new requirement
    if one.is_required_set() && is_first {
        found.insert("required".into(), true.into());
    }
    found.into()
}

/// A line for each command.
fn written(today: &Value) -> String {
    let lines = |value: &Value| {
        let lines = value.as_object().unwrap().iter().map(|(name, one)| format!("  {}: {one}", json!(name)));
        lines.collect::<Vec<_>>().join(",\n")
    };
    let (commands, codes) = (lines(&today["commands"]), lines(&today["exit codes"]));
    format!("{{\n \"commands\": {{\n{commands}\n }},\n \"exit codes\": {{\n{codes}\n }}\n}}\n")
}

/// What no longer works of what worked.
fn broken(old: &Value, new: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let fields = |value: &Value| value.as_object().cloned().unwrap_or_default();
    for (number, word) in fields(&old["exit codes"]) {
        if new["exit codes"][&number] != word {
            faults.push(format!("exit code {number} is {}, and was {word}", new["exit codes"][&number]));
        }
    }
    for (name, known) in fields(&old["commands"]) {
        let Some(arguments) = new["commands"].get(&name) else {
            faults.push(format!("`{name}` is gone"));
            continue;
        };
        for (word, was) in fields(&known) {
            match arguments.get(&word) {
                None => faults.push(format!("`{name} {word}` is gone")),
                Some(now) => faults.extend(narrowed(&was, now).map(|what| format!("`{name} {word}` {what}"))),
            }
        }
        for (word, now) in fields(arguments) {
            if now["required"] == true && known[&word]["required"] != true {
                faults.push(format!("`{name}` needs {word} now"));
            }
        }
    }
    faults
}

/// What an argument took and no longer takes.
fn narrowed(was: &Value, now: &Value) -> Option<String> {
    let least = |one: &Value| one["values"][0].as_u64().unwrap_or(0);
    let most = |one: &Value| match &one["values"] {
        Value::Array(both) => both[1].as_u64().unwrap_or(u64::MAX),
        _ => 0,
    };
    if least(now) > least(was) || most(now) < most(was) {
        return Some(format!("takes another number of values: {} became {}", was["values"], now["values"]));
    }
    if was["repeats"] == true && now["repeats"] != true {
        return Some("may not be repeated now".to_owned());
    }
    let of = now["of"].as_array()?;
    let Some(known) = was["of"].as_array() else { return Some(format!("takes only {} now", now["of"])) };
    let gone = known.iter().find(|value| !of.contains(value))?;
    Some(format!("no longer takes {gone}"))
}

#[test]
fn what_would_break_a_script_is_seen_and_growth_is_none() {
    let today = today();
    assert_eq!(serde_json::from_str::<Value>(&written(&today)).unwrap(), today);
    let changed = |pointer: &str, value: Option<Value>| {
        let mut other = today.clone();
        let (above, last) = pointer.rsplit_once('/').unwrap();
        let above =
            other.pointer_mut(above).and_then(Value::as_object_mut).unwrap_or_else(|| panic!("{pointer}"));
        match value {
            Some(value) => above.insert(last.to_owned(), value),
            None => above.remove(last),
        };
        other
    };
    for (pointer, value, fault) in [
        ("/commands/brv vc status", None, "`brv vc status` is gone"),
        ("/commands/brv vc status/--short", None, "`brv vc status --short` is gone"),
        ("/commands/brv vc status/-s", None, "`brv vc status -s` is gone"),
        (
            "/commands/brv vc status/--format/of",
            Some(json!(["json"])),
            "`brv vc status --format` no longer takes \"text\"",
        ),
        (
            "/commands/brv vc commit/--message/of",
            Some(json!(["x"])),
            "`brv vc commit --message` takes only [\"x\"] now",
        ),
        (
            "/commands/brv vc status/--short/values",
            Some(json!([1, 1])),
            "`brv vc status --short` takes another number of values: null became [1,1]",
        ),
        (
            "/commands/brv vc add/#1/values",
            Some(json!([1, 1])),
            "`brv vc add #1` takes another number of values: [1,null] became [1,1]",
        ),
        (
            "/commands/brv vc status/--new",
            Some(json!({ "required": true })),
            "`brv vc status` needs --new now",
        ),
        ("/commands/brv/--no-pager", None, "`brv --no-pager` is gone"),
        ("/exit codes/5", Some(json!("clash")), "exit code 5 is \"clash\", and was \"conflict\""),
    ] {
        assert_eq!(broken(&today, &changed(pointer, value)), [fault], "{pointer}");
    }
    for (pointer, value) in [
        ("/commands/brv vc status/--new", json!({ "values": [1, 1] })),
        ("/commands/brv vc new", json!({ "#1": { "required": true } })),
        ("/commands/brv vc status/--format/of", json!(["json", "markdown", "text", "yaml"])),
        ("/commands/brv vc status/--short/repeats", json!(true)),
        ("/exit codes/10", json!("new")),
    ] {
        assert_eq!(broken(&today, &changed(pointer, Some(value))), Vec::<String>::new(), "{pointer}");
    }
}
