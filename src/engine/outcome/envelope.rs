//! The JSON that a command printed elsewhere, read back. Whoever made the file is not trusted: it may be an artifact of a
//! pull request, from which a job with more rights makes a page.
//!
//! A type that is read must serialise to what was read. So a field that this version does not print is an error, and
//! not passed over.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest reason, in characters: it may quote the file.
const LONGEST: usize = 200;

/// What a command printed.
#[derive(Debug)]
pub struct Printed<T> {
    pub data: T,
    /// Whether it succeeded.
    pub ok: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvelopeFields {
    schema: String,
    ok: bool,
    data: Value,
    #[serde(default, rename = "error")]
    _error: Option<IgnoredAny>,
    #[serde(rename = "warnings")]
    _warnings: Vec<IgnoredAny>,
    #[serde(rename = "next")]
    _next: Vec<IgnoredAny>,
}

/// Read the envelope of a command with this schema, and its data.
///
/// # Errors
/// Why the bytes are not that output, in at most some 200 characters.
pub fn read<T: DeserializeOwned + Serialize>(bytes: &[u8], schema: &str) -> Result<Printed<T>, String> {
    let why = |error: serde_json::Error| brief(&error.to_string());
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err("it is not a JSON object".to_owned());
    }
    let EnvelopeFields { schema: named, ok, data: value, .. } = serde_json::from_slice(bytes).map_err(why)?;
    if named != schema {
        return Err(format!("its schema is not {schema}"));
    }
    let data = T::deserialize(&value).map_err(why)?;
    let again = serde_json::to_value(&data).map_err(why)?;
    match difference(&value, &again) {
        Some(place) => Err(brief(&format!("brv prints no such `data{place}`"))),
        None => Ok(Printed { data, ok }),
    }
}

/// Where two values first differ: `.entries[0].path`.
fn difference(one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let differs = |(key, value): (&String, &Value)| {
                let found = other.get(key).map_or(Some(String::new()), |other| difference(value, other));
                found.map(|below| format!(".{}{below}", brief(key)))
            };
            let lacks = || other.keys().find(|key| !one.contains_key(*key)).map(|key| format!(".{key}"));
            one.iter().find_map(differs).or_else(lacks)
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let differs = |(at, (one, other)): (usize, (&Value, &Value))| {
                difference(one, other).map(|below| format!("[{at}]{below}"))
            };
            one.iter().zip(other).enumerate().find_map(differs)
        }
        _ => (one != other).then(String::new),
    }
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether the text is the id of a commit.
pub fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether the text is a path that stays below its folder.
pub fn is_below(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Deserialize, Serialize)]
    struct Data {
        rows: Vec<TestEnvelopeRow>,
    }

    #[derive(Debug, Deserialize, Serialize)]
    struct TestEnvelopeRow {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<u8>,
    }

    fn why(value: &Value) -> String {
        read::<Data>(value.to_string().as_bytes(), "brv.a/1").unwrap_err()
    }

    #[test]
    fn only_what_is_printed_is_read() {
        let data = json!({"rows": [{"name": "a"}, {"name": "b", "count": 2}]});
        let value = json!({"schema": "brv.a/1", "ok": false, "data": data, "error": {}, "warnings": ["w"], "next": []});
        let found = read::<Data>(value.to_string().as_bytes(), "brv.a/1").unwrap();
        assert_eq!((found.ok, found.data.rows[1].count), (false, Some(2)));
        for (place, wrong, expected) in [
            ("schema", json!("brv.b/1"), "its schema is not brv.a/1"),
            ("data", json!({"rows": [{"name": "a", "x": 1}]}), "brv prints no such `data.rows[0].x`"),
            (
                "data",
                json!({"rows": [{"name": "a", "count": null}]}),
                "brv prints no such `data.rows[0].count`",
            ),
            ("data", json!({"rows": [], "more": []}), "brv prints no such `data.more`"),
            ("data", json!({}), "missing field `rows`"),
            ("more", json!(1), "unknown field `more`"),
            ("warnings", json!("w"), "invalid type"),
        ] {
            let mut value = value.clone();
            value[place] = wrong;
            assert!(why(&value).starts_with(expected), "{}", why(&value));
        }
    }

    #[test]
    fn a_reason_is_short_and_no_stack_is_overrun() {
        let long = "x".repeat(100_000);
        let value =
            |data: Value| json!({"schema": "brv.a/1", "ok": true, "data": data, "warnings": [], "next": []});
        for data in [json!({"rows": long}), json!({"rows": [{"name": "a", (long.clone()): 1}]})] {
            assert!(why(&value(data)).len() < 1_000);
        }
        for bytes in [&b"["[..], b"", b"\xff", "[".repeat(100_000).as_bytes()] {
            assert!(read::<Data>(bytes, "brv.a/1").is_err());
        }
    }
}
