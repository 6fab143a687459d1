//! The envelope of JSON output, and the names of schemas.
//!
//! Within one version of a schema fields are added, never renamed or removed; [`super::versions`] has the others.

use super::versions::{CHANGED, ChangedSchema, named, step_back, today};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The envelope that every command prints with `--json`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Envelope<T> {
    /// Name and version of the schema of `data`: `brv.vc.status/1`.
    pub schema: String,
    /// Whether the command succeeded.
    pub ok: bool,
    /// The result; absent if the command failed before it had any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<T>,
    /// Why the command failed; present if and only if `ok` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Commands to run next; none is destructive.
    pub next: Vec<String>,
}

impl<T> Envelope<T> {
    /// The envelope of a command that succeeded.
    pub fn with(command: &str, data: T) -> Self {
        Self {
            schema: schema(command),
            ok: true,
            data: Some(data),
            error: None,
            warnings: Vec::new(),
            next: Vec::new(),
        }
    }

    /// The envelope of a command that failed before it had any data.
    pub fn failed(command: &str, error: Error, warnings: Vec<String>) -> Self {
        Self {
            schema: schema(command),
            ok: false,
            data: None,
            error: Some(error),
            warnings,
            next: Vec::new(),
        }
    }
}

impl Envelope<Box<RawValue>> {
    /// The envelope of `command` in the version `number`, which is one that the command prints.
    pub fn in_version(self, changed: &[ChangedSchema], command: &str, number: u32) -> Self {
        let Some(back) = step_back(changed, command, number) else { return self };
        let older = |data: Box<RawValue>| {
            let data = serde_json::from_str(data.get()).expect("data was written as JSON");
            to_raw_value(&back(data)).expect("a JSON value has text keys")
        };
        Self { schema: named(command, number), data: self.data.map(older), ..self }
    }
}

/// The error of a command.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Error {
    /// The name of the exit code: `not_initialised`, `conflict`, `remote`, …
    pub code: &'static str,
    /// What could not be done, on what, and why.
    pub message: String,
    /// The files, refs or findings it is about, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// A hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The name of a command's schema of today: `vc status` gives `brv.vc.status/1`.
pub fn schema(command: &str) -> String {
    named(command, today(CHANGED, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_has_the_fields_of_the_contract_in_order() {
        let good = Envelope {
            schema: schema("vc status"),
            ok: true,
            data: Some(7),
            error: None,
            warnings: vec![],
            next: vec![],
        };
        assert_eq!(
            serde_json::to_string(&good).unwrap(),
            r#"{"schema":"brv.vc.status/1","ok":true,"data":7,"warnings":[],"next":[]}"#
        );
        let bad: Envelope<()> = Envelope {
            ok: false,
            data: None,
            error: Some(Error { code: "busy", message: "m".into(), details: vec![], hint: None }),
            ..Envelope {
                schema: schema("init"),
                ok: true,
                data: None,
                error: None,
                warnings: vec![],
                next: vec![],
            }
        };
        assert_eq!(
            serde_json::to_string(&bad).unwrap(),
            r#"{"schema":"brv.init/1","ok":false,"error":{"code":"busy","message":"m"},"warnings":[],"next":[]}"#
        );
    }
}
