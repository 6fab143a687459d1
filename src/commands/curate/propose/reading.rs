//! Read the operations that a model answers, by the reader of `--ops`.

use brv_engine::agents::model::Shape;
use brv_text::curate::{self, Code, CurateKind, OperationsObject, Read, Refused};
use brv_text::lint::secrets;
use schemars::schema_for;
use serde_json::{Map, Value, json};

/// Fields that a model cannot know, or does not decide about.
const NOT_THE_MODELS: [&str; 5] = ["expect", "base", "source_commit", "pinned", "recursive"];

/// The most operations of an answer.
const MOST_OPERATIONS: usize = 200;

/// What the model sees in place of a secret.
const MASK: &str = "****";

/// Operations as they were written and as they were read, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Proposal {
    pub(super) values: Vec<Value>,
    pub(super) reads: Vec<Read>,
}

impl Proposal {
    /// The operations of an answer.
    ///
    /// # Errors
    /// What is wrong with it, for the model: it is not a list of operations, or none of them can be read.
    pub(super) fn read(answer: Value) -> Result<Self, String> {
        let mut answer = if answer.is_array() { json!({ "operations": answer }) } else { answer };
        if let Some(operations) = answer.get_mut("operations").and_then(Value::as_array_mut) {
            for fields in operations.iter_mut().filter_map(Value::as_object_mut) {
                fields.retain(|name, value| !NOT_THE_MODELS.contains(&name.as_str()) && !value.is_null());
            }
        }
        let bytes = serde_json::to_vec(&answer).map_err(|error| error.to_string())?;
        let mut reads = curate::read(&bytes).map_err(|error| error.to_string())?;
        if reads.len() > MOST_OPERATIONS {
            return Err(format!("it has {} operations, and the limit is {MOST_OPERATIONS}", reads.len()));
        }
        let values = answer.get("operations").and_then(Value::as_array);
        for (read, value) in reads.iter_mut().zip(values.into_iter().flatten()) {
            // whoever wrote the source asks for nothing: it is to be filed
            let kind = read.operation.as_ref().ok().map(|operation| operation.kind);
            let removes = match kind {
                Some(CurateKind::Delete) => Some("deletes no entry"),
                Some(CurateKind::Merge) => Some("merges no entries, since one of them would be gone"),
                _ => None,
            };
            if let Some(what) = removes {
                let message = format!("a source that is filed {what}");
                read.operation = Err(Refused::new(Code::Blocked, message));
            }
            if value.to_string().contains(MASK) {
                read.operation = Err(Refused::invalid(format!("`{MASK}` replaces a secret: leave it out")));
            }
        }
        let wrong: Vec<String> = reads
            .iter()
            .enumerate()
            .filter_map(|(at, read)| {
                Some(format!("operation {}: {}", at + 1, read.operation.as_ref().err()?))
            })
            .collect();
        if !wrong.is_empty() && wrong.len() == reads.len() {
            return Err(wrong.join("\n"));
        }
        let values = match answer.get_mut("operations").map(Value::take) {
            Some(Value::Array(values)) => values,
            _ => Vec::new(),
        };
        Ok(Self { values, reads })
    }

    pub(super) fn add(&mut self, other: Self) {
        self.values.extend(other.values);
        self.reads.extend(other.reads);
    }

    /// The same with other operations at these places.
    pub(super) fn with(&self, places: &[usize], others: Self) -> Self {
        let mut all = self.clone();
        for (place, (value, read)) in places.iter().zip(others.values.into_iter().zip(others.reads)) {
            (all.values[*place], all.reads[*place]) = (value, read);
        }
        all
    }

    /// The operations as they are shown, without the values of secrets.
    pub(super) fn shown(self) -> Vec<Value> {
        self.values.into_iter().map(masked).collect()
    }
}

fn masked(value: Value) -> Value {
    match value {
        Value::String(text) => secrets::masked(&text).into_owned().into(),
        Value::Array(items) => items.into_iter().map(masked).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, masked(value))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

/// The form of the answer: `curate.ops`, without what is not the model's.
pub(super) fn shape() -> Shape {
    let mut schema = schema_for!(OperationsObject).to_value();
    if let Some(root) = schema.as_object_mut() {
        root.retain(|name, _| !["$schema", "title", "description"].contains(&name.as_str()));
    }
    if let Some(fields) = schema.pointer_mut("/$defs/Written/properties").and_then(Value::as_object_mut) {
        fields.retain(|name, _| name != "source" && !NOT_THE_MODELS.contains(&name.as_str()));
    }
    if let Some(kinds) = schema.pointer_mut("/$defs/KindWord/enum").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "DELETE" && kind != "MERGE");
    }
    plain(&mut schema);
    Shape { name: "operations", schema }
}

/// Drop what a schema says only to people, and defaults.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("default");
            if fields.get("type").is_some_and(|kind| *kind == json!(["string", "null"])) {
                fields.insert("type".into(), "string".into());
            }
            fields.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_short_and_has_what_a_model_decides_about() {
        let schema = shape().schema.to_string();
        assert!(schema.len() < 7_000, "{}", schema.len());
        assert!(
            ["DELETE", "MERGE", "source"].iter().all(|name| !schema.contains(&format!("\"{name}\""))),
            "{schema}"
        );
        for name in ["UPSERT", "narrative", "statement", "reason"] {
            assert!(schema.contains(name), "{name}");
        }
        assert!(NOT_THE_MODELS.iter().all(|name| !schema.contains(&format!("\"{name}\""))), "{schema}");
    }

    #[test]
    fn an_answer_is_read_as_the_operations_of_a_file() {
        let one = json!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "source_commit": "1", "summary": null});
        let read = Proposal::read(json!({"operations": [one, {"type": "ADD"}]})).unwrap();
        assert!(read.reads[0].operation.is_ok() && read.reads[1].operation.is_err());
        assert_eq!(read.values[0], json!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r"}));
        let bare = Proposal::read(json!([one])).unwrap();
        assert_eq!(bare.values, read.values[..1], "a bare list is cleaned as one in an object");
        let masked = json!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "markdown": "The token is ****."});
        assert!(Proposal::read(json!({"operations": [masked]})).unwrap_err().contains("replaces a secret"));
        let delete = json!({"type": "DELETE", "path": "a/b/t.md", "reason": "r"});
        let merge = json!({"type": "MERGE", "path": "a/b/t.md", "source": "a/b/u.md", "reason": "r"});
        let read = Proposal::read(json!([one, delete, merge])).unwrap();
        let code = |at: usize| read.reads[at].operation.as_ref().err().map(|refused| refused.code);
        assert_eq!([code(0), code(1), code(2)], [None, Some(Code::Blocked), Some(Code::Blocked)]);
        let many = vec![one.clone(); MOST_OPERATIONS + 1];
        assert!(Proposal::read(json!(many)).unwrap_err().contains("201 operations, and the limit is 200"));
        assert!(Proposal::read(json!(many[1..])).is_ok());
        let none = Proposal::read(json!({"operations": []})).unwrap();
        assert!(none.values.is_empty() && none.reads.is_empty());
        assert!(Proposal::read(json!({"ops": []})).unwrap_err().contains("not a list of operations"));
        assert_eq!(
            Proposal::read(json!({"operations": [{"type": "ADD", "path": "a/b"}]})).unwrap_err(),
            "operation 1: the field `reason` is missing"
        );
    }
}
