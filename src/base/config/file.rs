//! Parse and edit a settings file (`config.yaml`); an edit leaves every other byte unchanged.
//!
//! Keys may be nested (`lock:` above `timeout: 3`) or joined by dots (`lock.timeout: 3`). This module does not know
//! which keys exist. The edited text is parsed again; if anything but the named key changed, the edit is rejected.

use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr as _;
use yaml_edit::{Mapping, YamlFile, YamlKind};

/// The settings of a file, nested keys joined by dots.
pub(super) type ConfigEntries = BTreeMap<String, String>;

/// Why a text could not be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("it is not a mapping of settings: {0}")]
    Unreadable(String),
    /// The key is written in a form that cannot be changed without changing something else.
    #[error("`{0}` cannot be changed without changing other lines: edit the file by hand")]
    NotFaithful(String),
}

/// Parse the settings in a text; an empty text has none.
///
/// # Errors
/// A description of what is wrong with the text.
pub(super) fn parse(bytes: &[u8]) -> Result<ConfigEntries, String> {
    let root: serde_yaml::Value = serde_yaml::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut found = ConfigEntries::new();
    match root {
        serde_yaml::Value::Null => {}
        serde_yaml::Value::Mapping(mapping) => {
            flatten("", mapping, &mut found).map_err(|key| format!("`{key}` is not a single value"))?;
        }
        _ => return Err("expected `key: value` lines at the top level".into()),
    }
    Ok(found)
}

fn flatten(prefix: &str, mapping: serde_yaml::Mapping, found: &mut ConfigEntries) -> Result<(), String> {
    for (key, value) in mapping {
        let key = format!("{prefix}{}", scalar(&key).ok_or("a key")?);
        match value {
            serde_yaml::Value::Mapping(inner) => flatten(&format!("{key}."), inner, found)?,
            serde_yaml::Value::Null => {}
            other => {
                let text = scalar(&other).ok_or_else(|| key.clone())?;
                found.insert(key, text);
            }
        }
    }
    Ok(())
}

fn scalar(value: &serde_yaml::Value) -> Option<String> {
    match value {
        serde_yaml::Value::Bool(value) => Some(value.to_string()),
        serde_yaml::Value::Number(value) => Some(value.to_string()),
        serde_yaml::Value::String(value) => Some(value.clone()),
        _ => None,
    }
}

/// Set `key` to `value`: in place if the key is there, else in a new line at the end.
pub(super) fn set(text: &str, key: &str, value: &str) -> Result<String, EditError> {
    let written = written(value);
    let after = match places(text, key)?.as_slice() {
        [] => {
            let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            format!("{text}{gap}{key}: {written}\n")
        }
        [place] => match &place.value {
            Some(value) => format!("{}{written}{}", &text[..value.start], &text[value.end..]),
            None => format!("{} {written}{}", &text[..place.after_colon], &text[place.after_colon..]),
        },
        _ => return Err(EditError::NotFaithful(key.to_owned())),
    };
    let mut wanted = parse(text.as_bytes()).map_err(EditError::Unreadable)?;
    wanted.insert(key.to_owned(), value.to_owned());
    checked(after, key, &wanted)
}

/// Remove `key` from the text; `None` if the key is not there.
pub(super) fn unset(text: &str, key: &str) -> Result<Option<String>, EditError> {
    let mut wanted = parse(text.as_bytes()).map_err(EditError::Unreadable)?;
    if wanted.remove(key).is_none() {
        return Ok(None);
    }
    let mut after = text.to_owned();
    for place in places(text, key)?.into_iter().rev() {
        after.replace_range(place.lines, "");
    }
    checked(after, key, &wanted).map(Some)
}

fn checked(after: String, key: &str, wanted: &ConfigEntries) -> Result<String, EditError> {
    if parse(after.as_bytes()).as_ref() == Ok(wanted) {
        Ok(after)
    } else {
        Err(EditError::NotFaithful(key.to_owned()))
    }
}

/// The value as YAML: plain if it reads back unchanged, else quoted.
fn written(value: &str) -> String {
    let is_plain = |value: &str| {
        let line = format!("k: {value}\n");
        let found = parse(line.as_bytes()).ok();
        !value.contains(['#', '\n'])
            && found.is_some_and(|found| found.get("k").is_some_and(|read| read == value))
    };
    if is_plain(value) {
        return value.to_owned();
    }
    // JSON strings are valid YAML
    serde_json::Value::from(value).to_string()
}

/// Where a key is written.
struct KeyLocation {
    lines: Range<usize>,
    after_colon: usize,
    /// `None` if nothing is written after the colon.
    value: Option<Range<usize>>,
}

/// Every place where the key is written, in order.
fn places(text: &str, key: &str) -> Result<Vec<KeyLocation>, EditError> {
    let mut found = Vec::new();
    if parse(text.as_bytes()).map_err(EditError::Unreadable)?.is_empty() && !text.contains(':') {
        return Ok(found);
    }
    let file = YamlFile::from_str(text).map_err(|error| EditError::Unreadable(error.to_string()))?;
    if file.to_string() != text {
        return Err(EditError::NotFaithful(key.to_owned()));
    }
    if let Some(mapping) = file.document().and_then(|document| document.as_mapping()) {
        gather(text, &mapping, key, &mut found);
    }
    Ok(found)
}

fn gather(text: &str, mapping: &Mapping, key: &str, found: &mut Vec<KeyLocation>) {
    for entry in mapping.entries() {
        let Some(place) = place(text, &entry) else { continue };
        let (name, place) = place;
        if name == key {
            found.push(place);
        } else if let Some(rest) = key.strip_prefix(&name).and_then(|rest| rest.strip_prefix('.'))
            && let Some(inner) = entry.value_node().and_then(|node| node.as_mapping().cloned())
        {
            gather(text, &inner, rest, found);
        }
    }
}

fn place(text: &str, entry: &yaml_edit::MappingEntry) -> Option<(String, KeyLocation)> {
    let range = |position: yaml_edit::TextPosition| position.start as usize..position.end as usize;
    let whole = range(entry.byte_range());
    let key = range(entry.key_node()?.byte_range());
    let name = scalar(&serde_yaml::from_str(text.get(key.clone())?).ok()?)?;
    let after_colon = key.end + text.get(key.end..whole.end)?.find(':')? + 1;
    let value = entry.value_node().filter(|node| node.kind() == YamlKind::Scalar).map(|node| {
        let value = range(node.byte_range());
        value.start..value.start + text[value].trim_end().len()
    });
    let start = text[..whole.start].rfind('\n').map_or(0, |at| at + 1);
    let end = match text.as_bytes()[..whole.end].last() {
        Some(b'\n') => whole.end,
        _ => text[whole.end..].find('\n').map_or(text.len(), |at| whole.end + at + 1),
    };
    Some((
        name,
        KeyLocation { lines: start..end, after_colon, value: value.filter(|value| !value.is_empty()) },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_is_set_in_its_place_and_every_other_byte_stays() {
        for (before, key, value, after) in [
            ("", "color", "never", "color: never\n"),
            ("# mine\n", "color", "never", "# mine\ncolor: never\n"),
            ("a: 1 # one\n", "a", "2", "a: 2 # one\n"),
            ("a: 1\r\nb: 'x'\r\n", "a", "2", "a: 2\r\nb: 'x'\r\n"),
            (
                "lock:\n  # how long\n  timeout: 4\nb: 1\n",
                "lock.timeout",
                "5",
                "lock:\n  # how long\n  timeout: 5\nb: 1\n",
            ),
            ("lock.timeout: \"4\"\n", "lock.timeout", "0.5", "lock.timeout: 0.5\n"),
            ("lock:\n  other: 1", "lock.timeout", "5", "lock:\n  other: 1\nlock.timeout: 5\n"),
            ("pager:\n", "pager", "less", "pager: less\n"),
            ("", "pager", "less -R # x", "pager: \"less -R # x\"\n"),
            ("", "pager", "", "pager: \"\"\n"),
            ("", "pager", "0x10", "pager: \"0x10\"\n"),
        ] {
            assert_eq!(set(before, key, value).as_deref(), Ok(after), "{before:?}");
        }
    }

    #[test]
    fn a_key_is_removed_with_its_line() {
        assert_eq!(unset("a: 1\n# c\nb: 2 # d\nc: 3\n", "b").unwrap().as_deref(), Some("a: 1\n# c\nc: 3\n"));
        assert_eq!(unset("lock:\n  timeout: 4\n", "lock.timeout").unwrap().as_deref(), Some("lock:\n"));
        assert_eq!(unset("a: 1\n", "b"), Ok(None));
    }

    #[test]
    fn what_cannot_be_edited_alone_is_left_alone() {
        assert!(matches!(set("{a: 1}\n", "b", "2"), Err(EditError::NotFaithful(_))));
        assert!(matches!(unset("{a: 1, b: 2}\n", "b"), Err(EditError::NotFaithful(_))));
        assert!(matches!(set("a: &x 1\nb: *x\n", "a", "2"), Err(EditError::NotFaithful(_))));
        assert!(matches!(set("- a\n", "b", "2"), Err(EditError::Unreadable(_))));
        assert!(matches!(
            set("lock.timeout: 1\nlock:\n  timeout: 2\n", "lock.timeout", "3"),
            Err(EditError::NotFaithful(_))
        ));
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn what_was_set_is_read_back_and_taken_back(value in "\\PC{0,20}") {
            let before = "# a\ncolor: auto # b\n\nlock:\n  timeout: 3\n";
            let after = set(before, "pager", &value).unwrap();
            let read = parse(after.as_bytes()).unwrap();
            prop_assert_eq!(read.get("pager"), Some(&value));
            let again = unset(&after, "pager").unwrap();
            prop_assert_eq!(again.as_deref(), Some(before));
        }
    }
}
