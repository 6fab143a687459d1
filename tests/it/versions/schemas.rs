//! Whether a program that reads by a frozen schema can read what is printed today.

use super::{samples, target, versions};
use brv::cli::schema::{Outcome, SchemaPart};
use brv::cli::table::{ROWS, schemas};
use brv::say::described::input;
use brv::say::versions::{CHANGED, ChangedSchema, named, printed, today};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The frozen schemas of a version: the command, the number, the schema.
fn frozen(folder: &Path) -> Vec<(String, u32, Value)> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.file_name().is_some_and(|name| name != "commands.json"))
        .map(|path| {
            let (name, number) = path.file_stem().unwrap().to_str().unwrap().rsplit_once('-').unwrap();
            let document = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            (command(name), number.parse().unwrap(), document)
        })
        .collect()
}

/// The schema of today.
fn document(command: &str) -> Option<Value> {
    let found = Outcome::named(&schemas(ROWS), command, SchemaPart::Whole)?;
    Some(Value::Object(found.one?.document))
}

#[test]
fn what_is_printed_fits_the_schemas_of_all_releases() {
    let mut faults = String::new();
    for folder in versions("schemas") {
        for (command, number, old) in frozen(&folder) {
            // a later version of the schema took its place
            if number < today(CHANGED, &command) {
                continue;
            }
            let broken = match document(&command) {
                None => vec!["it is gone".to_owned()],
                // what programs write by the old schema, the new one must allow
                Some(new) if input(&command).is_some() => refused(&old, &new),
                Some(new) => broken(&old, &new),
            };
            let name = named(&command, number);
            broken
                .iter()
                .for_each(|fault| writeln!(faults, "{name} of {}: {fault}", folder.display()).unwrap());
        }
    }
    assert!(faults.is_empty(), "{faults}\nA break needs a new number in the name of the schema.");
}

/// The command of a schema's name: `brv.vc.status` is that of `vc status`.
fn command(name: &str) -> String {
    name.trim_start_matches("brv.").replace('.', " ")
}

/// The releases whose JSON this version still prints: the newest, and of a patch version that of the minor before, too.
fn still_printed(mut releases: Vec<[u32; 3]>, target: Option<[u32; 3]>) -> Vec<[u32; 3]> {
    releases.sort_unstable();
    let newest = releases.last().copied();
    let minor = target.map(|[major, minor, _]| [major, minor]);
    let is_patch = newest.is_some_and(|newest| minor == Some([newest[0], newest[1]]));
    let before = releases.iter().rfind(|one| is_patch && Some([one[0], one[1]]) < minor).copied();
    newest.into_iter().chain(before).collect()
}

/// What is not printed of `known` schemas, and what a step back prints that its schema does not have.
fn unprinted(
    changed: &[ChangedSchema],
    known: &[(String, u32, Value)],
    new: &dyn Fn(&str) -> Option<Value>,
) -> Vec<String> {
    let mut faults = Vec::new();
    for (command, number, old) in known {
        let name = named(command, *number);
        if !printed(changed, command).contains(number) {
            faults.push(format!("{name} is not printed"));
        }
        let step = changed.iter().find(|one| one.command == command && one.number == number + 1);
        let (Some(step), Some(new)) = (step.and_then(|one| one.before), new(command)) else { continue };
        for mut sample in samples::of(&new) {
            sample["data"] = step(sample["data"].take());
            sample["schema"] = name.as_str().into();
            faults.extend(samples::unfit(old, &sample).into_iter().map(|fault| format!("{name}{fault}")));
        }
    }
    faults
}

/// A break in a minor version prints what the one before it printed, with `--json=N`.
#[test]
fn what_the_last_release_printed_can_still_be_asked_for() {
    let folders = versions("schemas");
    let number = |folder: &PathBuf| super::numbers(folder.file_name().unwrap().to_str().unwrap());
    let wanted = still_printed(folders.iter().filter_map(number).collect(), target());
    for folder in folders.iter().filter(|folder| number(folder).is_some_and(|one| wanted.contains(&one))) {
        assert_eq!(
            unprinted(CHANGED, &frozen(folder), &document),
            Vec::<String>::new(),
            "{}",
            folder.display()
        );
    }
}

#[test]
fn a_patch_prints_what_the_minor_before_did_and_a_minor_what_the_newest_did() {
    let releases = vec![[0, 2, 0], [0, 1, 10], [0, 1, 9], [0, 2, 1]];
    assert_eq!(still_printed(releases.clone(), Some([0, 2, 2])), [[0, 2, 1], [0, 1, 10]]);
    for target in [Some([0, 3, 0]), None] {
        assert_eq!(still_printed(releases.clone(), target), [[0, 2, 1]]);
    }
    assert!(still_printed(Vec::new(), Some([0, 1, 0])).is_empty());
}

#[test]
fn a_step_back_is_run_and_must_print_the_old_schema() {
    let envelope = |data: &Value| {
        json!({ "type": "object", "required": ["schema", "data"],
            "properties": { "schema": {"type": "string"}, "data": data.clone() } })
    };
    let name =
        json!({ "type": "object", "required": ["name"], "properties": { "name": {"type": "string"} } });
    let parts = json!({ "type": "object", "required": ["first"],
        "properties": { "first": {"type": "string"}, "last": {"type": ["string", "null"]} } });
    let known = [("vc who".to_owned(), 1, envelope(&name))];
    let new = |_: &str| Some(envelope(&parts));
    let found = |before: Option<fn(Value) -> Value>| {
        unprinted(&[ChangedSchema { command: "vc who", number: 2, before }], &known, &new)
    };
    assert_eq!(found(Some(|data| json!({ "name": data["first"] }))), Vec::<String>::new());
    assert_eq!(found(None), ["brv.vc.who/1 is not printed"]);
    let absent = "brv.vc.who/1.data: `name` is absent";
    assert_eq!(found(Some(|data| data)), [absent, absent]);
    // of the sample with only what is required there is no last name
    assert_eq!(
        found(Some(|data| json!({ "name": data["last"] }))),
        ["brv.vc.who/1.data.name: null is no string"]
    );
    let older = ChangedSchema { command: "vc who", number: 3, before: Some(|data| data) };
    assert_eq!(unprinted(&[older], &known, &new), ["brv.vc.who/1 is not printed"]);
}

/// What a reader who knows the old schema would not expect of values of the new one.
fn broken(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { old, new, is_input: false, seen: BTreeSet::new(), faults: Vec::new() };
    comparison.compare(old, new, "");
    comparison.faults
}

/// What a program that writes by the old schema writes and the new one does not allow: here the new one is the reader's.
fn refused(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison =
        Comparison { old: new, new: old, is_input: true, seen: BTreeSet::new(), faults: Vec::new() };
    comparison.compare(new, old, "");
    comparison.faults
}

/// `old` is what a reader knows, `new` what is written.
struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    /// brv itself is the reader: what is not written need not be, what is written must be known.
    is_input: bool,
    seen: BTreeSet<(String, String)>,
    faults: Vec<String>,
}

impl Comparison<'_> {
    fn compare(&mut self, old: &Value, new: &Value, at: &str) {
        let pair = (old["$ref"].to_string(), new["$ref"].to_string());
        if pair != ("null".into(), "null".into()) && !self.seen.insert(pair) {
            return;
        }
        let (old, new) = (followed(self.old, old), followed(self.new, new));
        if let Some(kinds) = kinds(&old)
            && !kinds.is_superset(&self::kinds(&new).unwrap_or_else(|| ["anything".to_owned()].into()))
        {
            self.fault(at, &format!("type {} became {}", old["type"], new["type"]));
        }
        if let Some(known) = old["enum"].as_array() {
            let values = new["enum"].as_array().cloned().unwrap_or_else(|| vec![new["const"].clone()]);
            for value in values.iter().filter(|value| !known.contains(value)) {
                self.fault(at, &format!("has a new value {value}"));
            }
        }
        if !old["const"].is_null() && old["const"] != new["const"] {
            self.fault(at, &format!("{} became {}", old["const"], new["const"]));
        }
        let required: BTreeSet<&str> = words(&new["required"]).collect();
        for name in words(&old["required"]).filter(|name| !required.contains(name)) {
            self.fault(at, &format!("`{name}` may be absent now"));
        }
        let none = Map::new();
        let properties = new["properties"].as_object().unwrap_or(&none);
        let known = old["properties"].as_object().unwrap_or(&none);
        for (name, old) in known {
            match properties.get(name) {
                Some(new) => self.compare(old, new, &format!("{at}.{name}")),
                None if self.is_input => {}
                None => self.fault(at, &format!("`{name}` is gone")),
            }
        }
        let is_input = self.is_input;
        for name in properties.keys().filter(|name| is_input && !known.contains_key(*name)) {
            self.fault(at, &format!("`{name}` is gone"));
        }
        for inner in ["items", "additionalProperties"] {
            if old[inner].is_object() {
                self.compare(&old[inner], &new[inner], &format!("{at}[]"));
            }
        }
        for either in ["anyOf", "oneOf"] {
            let Some(known) = old[either].as_array() else { continue };
            let alternatives = new[either].as_array().cloned().unwrap_or_else(|| vec![new.clone()]);
            for alternative in &alternatives {
                if !known.iter().any(|known| self.fits(known, alternative)) {
                    self.fault(at, &format!("has a new form {alternative}"));
                }
            }
        }
    }

    fn fits(&self, old: &Value, new: &Value) -> bool {
        let seen = self.seen.clone();
        let mut inner = Comparison { seen, faults: Vec::new(), ..*self };
        inner.compare(old, new, "");
        inner.faults.is_empty()
    }

    fn fault(&mut self, at: &str, what: &str) {
        self.faults.push(format!("{}: {what}", if at.is_empty() { "." } else { at }));
    }
}

/// The schema that a reference names.
fn followed(root: &Value, schema: &Value) -> Value {
    match schema["$ref"].as_str().and_then(|name| root.pointer(name.trim_start_matches('#'))) {
        Some(named) => named.clone(),
        None => schema.clone(),
    }
}

fn words(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The types of a value; `None` if it may have any.
fn kinds(schema: &Value) -> Option<BTreeSet<String>> {
    let mut kinds: BTreeSet<String> = match &schema["type"] {
        Value::String(kind) => [kind.clone()].into(),
        list @ Value::Array(_) => words(list).map(str::to_owned).collect(),
        _ => return None,
    };
    // a whole number is a number
    if kinds.contains("number") {
        kinds.insert("integer".to_owned());
    }
    Some(kinds)
}

#[test]
fn a_break_is_seen_and_growth_is_none() {
    let old = json!({
        "type": "object", "required": ["a"],
        "properties": {
            "a": {"type": "integer"}, "b": {"enum": ["x", "y"]}, "c": {"$ref": "#/$defs/C"},
            "d": {"anyOf": [{"$ref": "#/$defs/C"}, {"type": "null"}]}, "e": {"type": ["string", "null"]}
        },
        "$defs": {"C": {"type": "object", "required": ["n"],
            "properties": {"n": {"type": "array", "items": {"type": "number"}}, "in": {"$ref": "#/$defs/C"}}}}
    });
    let changed = |pointer: &str, value: Value| {
        let mut new = old.clone();
        *new.pointer_mut(pointer).unwrap() = value;
        broken(&old, &new)
    };
    assert!(broken(&old, &old).is_empty());
    for (pointer, value) in [
        ("/properties/a", json!({"type": "integer", "minimum": 0})),
        ("/required", json!(["a", "b"])),
        ("/properties/b/enum", json!(["x"])),
        ("/properties/e/type", json!("string")),
        ("/$defs/C/properties/n/items/type", json!("integer")),
    ] {
        assert_eq!(changed(pointer, value), Vec::<String>::new(), "{pointer}");
    }
    for (pointer, value, fault) in [
        ("/properties/a/type", json!("string"), ".a: type \"integer\" became \"string\""),
        ("/properties/a", json!({}), ".a: type \"integer\" became null"),
        ("/required", json!([]), ".: `a` may be absent now"),
        ("/properties/b/enum", json!(["x", "z"]), ".b: has a new value \"z\""),
        ("/properties", json!({}), ".: `a` is gone"),
        ("/$defs/C/required", json!([]), ".c: `n` may be absent now"),
        ("/$defs/C/properties/n/items/type", json!("string"), ".c.n[]: type \"number\" became \"string\""),
        ("/properties/d/anyOf", json!([{"type": "string"}]), ".d: has a new form {\"type\":\"string\"}"),
    ] {
        let found = changed(pointer, value);
        assert!(found.iter().any(|found| found == fault), "{pointer}: {found:?}");
    }
}

#[test]
fn an_input_may_take_more_and_not_ask_for_more() {
    let old = document("curate ops").unwrap();
    assert_eq!(refused(&old, &old), Vec::<String>::new());
    let old = json!({ "type": "object", "required": ["a"],
        "properties": { "a": {"enum": ["x", "y"]}, "b": {"type": "integer"} } });
    let changed = |pointer: &str, value: Value| {
        let mut new = old.clone();
        *new.pointer_mut(pointer).unwrap() = value;
        refused(&old, &new)
    };
    let more = json!({ "a": {"enum": ["x", "y", "z"]}, "b": {"type": "number"}, "c": {"type": "string"} });
    assert_eq!(changed("/properties", more), Vec::<String>::new());
    assert_eq!(changed("/required", json!([])), Vec::<String>::new());
    for (pointer, value, fault) in [
        ("/required", json!(["a", "b"]), ".: `b` may be absent now"),
        ("/properties/a/enum", json!(["x"]), ".a: has a new value \"y\""),
        ("/properties", json!({ "a": {} }), ".: `b` is gone"),
        ("/properties/b/type", json!("string"), ".b: type \"string\" became \"integer\""),
    ] {
        assert_eq!(changed(pointer, value), [fault], "{pointer}");
    }
}
