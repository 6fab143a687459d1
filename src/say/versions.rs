//! The versions of JSON output: which of them a command prints, and how the one before is made.
//!
//! A shape that grows keeps its number. A break gets the next number and a row in [`CHANGED`] with the step back, so that
//! `--json=N` prints the old shape. The step back stays for one minor version, the row for ever.

use brv_engine::Stop;
use serde_json::Value;

/// A schema that is not in its first version.
#[derive(Debug, Clone, Copy)]
pub struct ChangedSchema {
    /// The command: `vc status`.
    pub command: &'static str,
    /// The number of what is printed today.
    pub number: u32,
    /// Turns the data of today into the data of the version before, while that is printed.
    pub before: Option<fn(Value) -> Value>,
}

/// The schemas that are not in their first version: none yet.
pub const CHANGED: &[ChangedSchema] = &[];

fn row<'c>(changed: &'c [ChangedSchema], command: &str) -> Option<&'c ChangedSchema> {
    changed.iter().find(|one| one.command == command)
}

/// The step from the data of today back to version `number`; `None` of that of today.
pub fn step_back(changed: &[ChangedSchema], command: &str, number: u32) -> Option<fn(Value) -> Value> {
    row(changed, command).filter(|one| one.number != number)?.before
}

/// The number of a command's schema of today.
pub fn today(changed: &[ChangedSchema], command: &str) -> u32 {
    row(changed, command).map_or(1, |one| one.number)
}

/// The numbers that a command prints, that of today first.
pub fn printed(changed: &[ChangedSchema], command: &str) -> Vec<u32> {
    let today = today(changed, command);
    let has_before = row(changed, command).is_some_and(|one| one.before.is_some());
    [Some(today), has_before.then(|| today - 1)].into_iter().flatten().collect()
}

/// The name of a schema: `vc status` in version 1 is `brv.vc.status/1`.
pub fn named(command: &str, number: u32) -> String {
    format!("brv.{}/{number}", command.replace(' ', "."))
}

/// The number to print, if that is one of those that the command prints.
///
/// # Errors
/// It is not; the hint names those that are.
pub fn chosen(changed: &[ChangedSchema], command: &str, wanted: Option<u32>) -> Result<u32, Stop> {
    let printed = printed(changed, command);
    match wanted {
        None => Ok(today(changed, command)),
        Some(number) if printed.contains(&number) => Ok(number),
        Some(number) => {
            let names = printed.iter().map(|number| format!("`{}`", named(command, *number)));
            let hint = format!("this command prints {}", names.collect::<Vec<_>>().join(" and "));
            let message = format!("--json={number}: `{}` is not printed", named(command, number));
            Err(Stop::usage(message).hint(hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::envelope::Envelope;
    use brv_engine::FailureKind;
    use serde_json::json;
    use serde_json::value::{RawValue, to_raw_value};

    /// A command that printed `name` as one text in its first version, and another whose old shape has left.
    const PLANTED: &[ChangedSchema] = &[
        ChangedSchema {
            command: "vc who",
            number: 2,
            before: Some(|data| {
                let name = format!("{} {}", data["first"].as_str().unwrap(), data["last"].as_str().unwrap());
                json!({ "name": name })
            }),
        },
        ChangedSchema { command: "left", number: 3, before: None },
    ];

    fn envelope(command: &str, data: &Value) -> Envelope<Box<RawValue>> {
        let mut envelope = Envelope::with(command, to_raw_value(data).unwrap());
        envelope.schema = named(command, today(PLANTED, command));
        envelope.warnings.push("kept".to_owned());
        envelope
    }

    #[test]
    fn the_version_before_is_printed_where_it_is_asked_for() {
        let shown = |wanted: Option<u32>| {
            let number = chosen(PLANTED, "vc who", wanted).unwrap();
            let data = json!({ "first": "Ada", "last": "Lovelace" });
            serde_json::to_value(envelope("vc who", &data).in_version(PLANTED, "vc who", number)).unwrap()
        };
        let today = shown(None);
        assert_eq!(today["schema"], "brv.vc.who/2");
        assert_eq!(today["data"], json!({ "first": "Ada", "last": "Lovelace" }));
        assert_eq!(shown(Some(2)), today);
        let before = json!({ "schema": "brv.vc.who/1", "ok": true, "data": { "name": "Ada Lovelace" },
            "warnings": ["kept"], "next": [] });
        assert_eq!(shown(Some(1)), before);
    }

    #[test]
    fn a_failure_before_there_is_data_has_the_name_of_the_version_too() {
        let failed = Envelope { data: None, ok: false, ..envelope("vc who", &Value::Null) };
        let failed = failed.in_version(PLANTED, "vc who", 1);
        assert_eq!((failed.schema.as_str(), failed.data.is_none()), ("brv.vc.who/1", true));
    }

    #[test]
    fn a_version_that_is_not_printed_is_wrong_usage_and_names_those_that_are() {
        for (command, wanted, hint) in [
            ("vc who", 3, "this command prints `brv.vc.who/2` and `brv.vc.who/1`"),
            ("left", 2, "this command prints `brv.left/3`"),
            ("vc status", 0, "this command prints `brv.vc.status/1`"),
            ("vc status", 2, "this command prints `brv.vc.status/1`"),
        ] {
            let failure = chosen(PLANTED, command, Some(wanted)).unwrap_err();
            assert_eq!((failure.kind(), failure.hint.as_deref()), (FailureKind::Usage, Some(hint)));
            assert!(failure.message.starts_with(&format!("--json={wanted}: ")), "{wanted}");
        }
        assert_eq!(chosen(PLANTED, "vc status", Some(1)).unwrap(), 1);
    }

    #[test]
    fn a_schema_has_one_row_and_is_in_its_second_version_at_least() {
        for (at, one) in CHANGED.iter().enumerate() {
            assert!(one.number > 1, "{}", one.command);
            assert!(CHANGED[..at].iter().all(|other| other.command != one.command), "{}", one.command);
        }
    }
}
