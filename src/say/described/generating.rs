//! Makes `schemas.json` from the types that are printed.

use super::Described;
use crate::say::envelope::Envelope;
use schemars::generate::SchemaSettings;
pub use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Makes the schema of a type, as a property of an object.
pub type SchemaForm = fn(&mut SchemaGenerator) -> Schema;

/// The text of the file. A line for each definition, so that a change of one is a line.
pub fn file(all: &[Described], inputs: &[(&str, Value)]) -> String {
    let mut definitions = BTreeMap::new();
    let envelope = generator().into_root_schema_for::<Envelope<Value>>().to_value();
    let data = all.iter().map(|one| {
        let mut generator = generator();
        let property = (one.form)(&mut generator);
        let own = generator.take_definitions(true);
        let keys: Vec<_> = own.into_iter().map(|(name, own)| key(&mut definitions, name, own)).collect();
        (one.command, json!({ "property": property, "definitions": keys }))
    });
    let data: BTreeMap<&str, Value> = data.collect();
    let inputs: BTreeMap<&str, Value> = inputs.iter().cloned().collect();
    format!(
        "{{\"envelope\": {envelope},\n\"inputs\": {},\n\"data\": {},\n\"definitions\": {}}}\n",
        lines(&inputs),
        lines(&data),
        lines(&definitions)
    )
}

/// The key of a definition, which is added if there is none of the same text.
fn key(all: &mut BTreeMap<String, Value>, name: String, own: Value) -> String {
    let keys = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name}~{number}") });
    for key in keys {
        match all.get(&key) {
            Some(other) if *other != own => {}
            _ => {
                all.insert(key.clone(), own);
                return key;
            }
        }
    }
    unreachable!("numbers have no end")
}

fn lines<K: AsRef<str>>(all: &BTreeMap<K, Value>) -> String {
    let lines: Vec<String> =
        all.iter().map(|(key, value)| format!("{}: {value}", json!(key.as_ref()))).collect();
    format!("{{\n{}}}", lines.join(",\n"))
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

/// The schema of a type that a command reads.
pub fn input(form: fn(SchemaGenerator) -> Schema, title: &str) -> Value {
    let mut document = form(SchemaSettings::draft2020_12().into_generator());
    document.insert("title".into(), title.into());
    document.to_value()
}
