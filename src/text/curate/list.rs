//! Read the list of operations: JSON, as a bare array or in an object.
//!
//! Input that is not a list is an error as a whole; an element that is not an operation fails alone.

use super::Refused;
use super::json::Json;
use super::operation::{self, Read};

/// The largest input, in bytes.
pub const MAX_INPUT_BYTES: usize = 10_000_000;

/// Why the input is not a list of operations: none of it is applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAList(String);

/// The operations in order, each checked on its own.
pub fn read(bytes: &[u8]) -> Result<Vec<Read>, NotAList> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(NotAList(format!(
            "the input has {} bytes, and the limit is {MAX_INPUT_BYTES}",
            bytes.len()
        )));
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let skipped = bytes.len() - text.len();
    // places count from 0
    let json: Json = serde_json::from_slice(text).map_err(|error| {
        NotAList(format!("not JSON, at byte {}: {}", skipped + place(text, &error), words(&error)))
    })?;
    let start = bytes.iter().skip(skipped).position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let wrong = || {
        let byte = skipped + start;
        NotAList(format!(
            "not a list of operations, at byte {byte}: expected an array or {{\"operations\": [...]}}"
        ))
    };
    let items = match json {
        Json::List(items) => items,
        Json::Fields(mut fields) if fields.iter().all(|(name, _)| name == "operations") => {
            match (fields.pop(), fields.is_empty()) {
                (Some((_, Json::List(items))), true) => items,
                (Some(_), false) => {
                    return Err(NotAList(
                        "not a list of operations: the field `operations` is given twice".into(),
                    ));
                }
                _ => return Err(wrong()),
            }
        }
        Json::Fields(_) | Json::Plain(_) => return Err(wrong()),
    };
    Ok(items.into_iter().map(element).collect())
}

/// One element. Which of two values is meant cannot be known, so an operation with a key twice is invalid.
fn element(json: Json) -> Read {
    let [kind, path] = ["type", "path"].map(|name| json.text(name).map(str::to_owned));
    match json.distinct() {
        Ok(value) => operation::read(value),
        Err(key) => {
            let refused = Refused::invalid(format!("the field `{key}` is given twice"));
            Read { kind, path, operation: Err(refused) }
        }
    }
}

/// The byte of a mistake, from 0.
fn place(text: &[u8], error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return text.len();
    }
    let before = text.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let line: usize = before.map(<[u8]>::len).sum();
    (line + error.column().saturating_sub(1)).min(text.len())
}

/// The message without the line and column at its end.
fn words(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(words, _)| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"type":"ADD","path":"a/b","title":"T","reason":"r"}"#;

    #[test]
    fn a_bare_array_and_an_object_are_lists() {
        for text in [format!("[{ONE}]"), format!("{{\"operations\":[{ONE}]}}"), format!("\u{feff} [{ONE}]\n")]
        {
            let read = read(text.as_bytes()).unwrap();
            assert_eq!(read.len(), 1, "{text}");
            assert!(read[0].operation.is_ok(), "{:?}", read[0]);
        }
        assert_eq!(read(b"[]").unwrap().len(), 0);
    }

    #[test]
    fn anything_else_is_an_error_of_the_whole() {
        for (text, byte) in
            [("3", 0), (" {}", 1), ("\n{\"operations\":{}}", 1), ("{\"operations\":[],\"x\":1}", 0)]
        {
            let said = read(text.as_bytes()).unwrap_err().to_string();
            assert!(
                said.starts_with(&format!("not a list of operations, at byte {byte}: ")),
                "{text}: {said}"
            );
        }
        let twice = format!("{{\"operations\":[{ONE}],\"operations\":[]}}");
        assert!(read(twice.as_bytes()).unwrap_err().to_string().ends_with("is given twice"));
        let large = vec![b' '; MAX_INPUT_BYTES + 1];
        assert!(read(&large).unwrap_err().to_string().contains("the limit is"));
    }

    #[test]
    fn a_key_that_an_operation_has_twice_makes_it_invalid_and_no_other() {
        let with = |more: &str| ONE.replace("\"reason\"", &format!("{more},\"reason\""));
        for (more, key) in [
            (r#""markdown":"a","markdown":"b""#, "markdown"),
            (r#""content":{"raw_concept":{"task":"a","task":"b"}}"#, "task"),
            (r#""content":{"facts":[{"statement":"a","statement":"a"}]}"#, "statement"),
            (r#""path":"c/d""#, "path"),
        ] {
            let read = read(format!("[{},{ONE}]", with(more)).as_bytes()).unwrap();
            let refused = read[0].operation.as_ref().unwrap_err();
            assert_eq!(refused.message, format!("the field `{key}` is given twice"));
            assert_eq!((refused.code, read[0].kind.as_deref()), (super::super::Code::Invalid, Some("ADD")));
            assert!(read[1].operation.is_ok());
        }
    }

    #[test]
    fn a_mistake_in_the_json_has_its_byte() {
        for (text, at) in [("[1,]", 3), ("[\n1,\n x]", 6), ("[1", 2), ("", 0), ("[] x", 3), ("\u{feff}x", 3)]
        {
            let said = read(text.as_bytes()).unwrap_err().to_string();
            assert!(said.starts_with(&format!("not JSON, at byte {at}: ")), "{text}: {said}");
            assert!(!said.contains("line"), "{said}");
        }
        for bytes in [&b"[\"\xff\"]"[..], "[".repeat(5_000).as_bytes()] {
            assert!(read(bytes).unwrap_err().to_string().starts_with("not JSON"));
        }
    }
}
