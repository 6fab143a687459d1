//! Whether a program that reads by a frozen schema can read what is printed today.

use super::versions;
use brv::cli::schema::{Outcome, SchemaPart};
use brv::cli::table::{ROWS, schemas};
use brv::say::versions::{CHANGED, printed, today};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

#[test]
fn what_is_printed_fits_the_schemas_of_all_releases() {
    let all = schemas(ROWS);
    let mut faults = String::new();
    for folder in versions("schemas") {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let old: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let (command, number) = stem.rsplit_once('-').unwrap();
            let name = format!("{command}/{number}");
            if is_older(command, number.parse().unwrap()) {
                continue;
            }
            let new = Outcome::named(&all, &name, SchemaPart::Whole).and_then(|found| found.one);
            let broken = match new {
                None => vec!["it is gone".to_owned()],
                Some(new) => broken(&old, &Value::Object(new.document)),
            };
            broken.iter().for_each(|fault| writeln!(faults, "{}: {fault}", path.display()).unwrap());
        }
    }
    assert!(faults.is_empty(), "{faults}\nA break needs a new number in the name of the schema.");
}

/// The command of a schema's name: `brv.vc.status` is that of `vc status`.
fn command(name: &str) -> String {
    name.trim_start_matches("brv.").replace('.', " ")
}

/// Whether a later version of the schema took its place.
fn is_older(name: &str, number: u32) -> bool {
    number < today(CHANGED, &command(name))
}

/// A break in a minor version prints what the one before it printed, with `--json=N`.
#[test]
fn what_the_last_release_printed_can_still_be_asked_for() {
    let number = |folder: &PathBuf| -> Vec<u32> {
        let name = folder.file_name().unwrap().to_str().unwrap().split('.');
        name.map(|part| part.parse().unwrap()).collect()
    };
    let Some(last) = versions("schemas").into_iter().max_by_key(number) else { return };
    for entry in std::fs::read_dir(last).unwrap() {
        let path = entry.unwrap().path();
        let (name, number) = path.file_stem().unwrap().to_str().unwrap().rsplit_once('-').unwrap();
        let printed = printed(CHANGED, &command(name));
        assert!(printed.contains(&number.parse().unwrap()), "{name}/{number}: {printed:?} are printed");
    }
}

/// What a reader who knows the old schema would not expect of values of the new one.
fn broken(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { old, new, seen: BTreeSet::new(), faults: Vec::new() };
    comparison.compare(old, new, "");
    comparison.faults
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
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
        for (name, old) in old["properties"].as_object().unwrap_or(&none) {
            match properties.get(name) {
                Some(new) => self.compare(old, new, &format!("{at}.{name}")),
                None => self.fault(at, &format!("`{name}` is gone")),
            }
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
        let mut inner = Comparison { old: self.old, new: self.new, seen, faults: Vec::new() };
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
