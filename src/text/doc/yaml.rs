//! Parse YAML into plain values that keep the written text.
//!
//! A scalar keeps its text: `1.10` stays `1.10`, `0012` stays `0012`, and both keys of a duplicate are visible. Does
//! not know the positions of values, nor what fields mean.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

/// Frontmatter above this size, in bytes, is not parsed.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// Frontmatter nested deeper than this is not parsed.
pub(super) const MAX_DEPTH: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// A string, number or boolean, as its text was written (unquoted and unescaped).
    Scalar(String),
    List(Vec<Value>),
    /// A mapping, in order.
    Map(Vec<(Value, Value)>),
}

impl Value {
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The scalars of a list, skipping nulls and nested lists. A lone scalar is a list of one.
    pub fn to_list(&self) -> Vec<String> {
        match self {
            Value::Scalar(text) => vec![text.clone()],
            Value::List(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Value::Null | Value::Map(_) => Vec::new(),
        }
    }
}

/// The result of parsing frontmatter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Fields in order, duplicates included. Empty if there is an error.
    pub fields: Vec<(Value, Value)>,
    pub error: Option<Error>,
}

/// Why frontmatter could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Error {
    TooLarge,
    TooDeep,
    NotAMapping,
    /// Line and column are 1-based and count from the start of the YAML text.
    Invalid {
        message: String,
        line: usize,
        column: usize,
    },
}

/// Parse the text between the fences.
pub(super) fn read(text: &str) -> Reading {
    match read_fields(text) {
        Ok(fields) => Reading { fields, error: None },
        Err(error) => Reading { fields: Vec::new(), error: Some(error) },
    }
}

/// Parse the value that is alone in `text`; `None` if it is not YAML or is too large or deep.
pub(super) fn read_value(text: &str) -> Option<Value> {
    read_any(text).ok()
}

fn read_fields(text: &str) -> Result<Vec<(Value, Value)>, Error> {
    let nothing = text.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'));
    if nothing {
        return Ok(Vec::new());
    }
    match read_any(text)? {
        Value::Map(fields) => Ok(fields),
        Value::Null => Ok(Vec::new()),
        Value::Scalar(_) | Value::List(_) => Err(Error::NotAMapping),
    }
}

fn read_any(text: &str) -> Result<Value, Error> {
    if text.len() > MAX_BYTES {
        return Err(Error::TooLarge);
    }
    if depth_bound(text) > MAX_DEPTH {
        return Err(Error::TooDeep);
    }
    let typed = Cell::new(false);
    let value = pass(text, None, &typed)?;
    // a second pass, now that the shape is known, requests numbers and booleans as the text they were written in
    if typed.get() { pass(text, Some(&value), &typed) } else { Ok(value) }
}

fn pass(text: &str, shape: Option<&Value>, typed: &Cell<bool>) -> Result<Value, Error> {
    let reader = ValueBuilder { shape, typed };
    reader.deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        Error::Invalid { message: error.to_string(), line, column }
    })
}

/// A cheap upper bound of the nesting: open brackets, and block indicators or steps of indentation at a line's start.
fn depth_bound(text: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for line in text.lines() {
        let lead = line
            .bytes()
            .take_while(|byte| b" \t-?:".contains(byte))
            .filter(|byte| b"-?:".contains(byte))
            .count();
        for byte in line.bytes() {
            match byte {
                b'[' | b'{' => open += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                _ => continue,
            }
            deepest = deepest.max(open);
        }
        deepest = deepest.max(lead);
    }
    deepest
}

/// Builds a [`Value`]. With the shape from a first pass, it requests scalars as text where the shape has one.
#[derive(Clone, Copy)]
struct ValueBuilder<'a> {
    shape: Option<&'a Value>,
    typed: &'a Cell<bool>,
}

impl<'a> ValueBuilder<'a> {
    fn child(self, shape: Option<&'a Value>) -> ValueBuilder<'a> {
        ValueBuilder { shape, typed: self.typed }
    }

    fn scalar(self, text: String) -> Value {
        self.typed.set(true);
        Value::Scalar(text)
    }
}

impl<'de> DeserializeSeed<'de> for ValueBuilder<'_> {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.shape {
            Some(Value::Scalar(_)) => deserializer.deserialize_str(self),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for ValueBuilder<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(self.scalar(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(self.scalar(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(self.scalar(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(self.scalar(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(self.scalar(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(self.scalar(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Scalar(value.to_owned()))
    }

    /// A tagged value: the tag is dropped.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let (_, value) = access.variant::<String>()?;
        value.newtype_variant_seed(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let shapes: &[Value] = match self.shape {
            Some(Value::List(items)) => items,
            _ => &[],
        };
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self.child(shapes.get(items.len())))? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let shapes: &[(Value, Value)] = match self.shape {
            Some(Value::Map(entries)) => entries,
            _ => &[],
        };
        let mut entries = Vec::new();
        loop {
            let shape = shapes.get(entries.len());
            let Some(key) = access.next_key_seed(self.child(shape.map(|(key, _)| key)))? else { break };
            let value = access.next_value_seed(self.child(shape.map(|(_, value)| value)))?;
            entries.push((key, value));
        }
        Ok(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str, key: &str) -> Value {
        let reading = read(text);
        let found = reading.fields.into_iter().find(|(k, _)| k.as_str() == Some(key));
        found.unwrap_or_else(|| panic!("no `{key}` in {text:?}: {:?}", reading.error)).1
    }

    #[test]
    fn scalars_keep_the_text_they_were_written_in() {
        let text =
            "a: 1.10\nb: 0012\nc: 0x1F\nd: NO\ne: True\nf: '1.0'\ng: [1.50, x, 007]\n1.0: z\nh: +3\ni: .5\n";
        for (key, written) in [
            ("a", "1.10"),
            ("b", "0012"),
            ("c", "0x1F"),
            ("d", "NO"),
            ("e", "True"),
            ("f", "1.0"),
            ("h", "+3"),
            ("i", ".5"),
        ] {
            assert_eq!(field(text, key), Value::Scalar(written.into()), "{key}");
        }
        assert_eq!(field(text, "g").to_list(), ["1.50", "x", "007"]);
        assert_eq!(field(text, "1.0").as_str(), Some("z"));
    }

    #[test]
    fn both_of_two_equal_keys_are_seen() {
        let reading = read("a: 1\nb: 2\na: 3\n");
        let keys: Vec<_> = reading.fields.iter().filter_map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "a"]);
    }

    #[test]
    fn nothing_is_an_empty_mapping_and_prose_is_none() {
        assert_eq!(read(""), Reading::default());
        assert_eq!(read("# only a comment\n\n"), Reading::default());
        assert_eq!(read("prose\n").error, Some(Error::NotAMapping));
        assert_eq!(read("- a\n").error, Some(Error::NotAMapping));
    }

    #[test]
    fn pathological_nesting_is_refused_without_being_parsed() {
        assert_eq!(read(&format!("a: {}", "[".repeat(20_000))).error, Some(Error::TooDeep));
        assert_eq!(read(&format!("a:\n  {}x", "- ".repeat(20_000))).error, Some(Error::TooDeep));
        assert_eq!(read(&format!("a: {}\n", "x".repeat(1 << 20))).error, Some(Error::TooLarge));
    }

    #[test]
    fn an_error_has_its_place() {
        let Some(Error::Invalid { line, column, .. }) = read("a: b\n\tc: d\n").error else { panic!("read") };
        assert_eq!((line, column), (2, 1));
    }
}
