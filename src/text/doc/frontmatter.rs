//! The frontmatter as a whole: absent, fields, or opaque.
//!
//! Opaque frontmatter is kept byte for byte and never edited. Does not know what single fields mean.

use std::collections::HashSet;

use super::layout::{self, Layout, LayoutRefusal};
use super::{Document, Value, yaml};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frontmatter<'a> {
    Absent,
    /// Bytes that are kept and never edited.
    Opaque {
        /// The text between the fences, or the presumed frontmatter if they are never closed.
        text: &'a str,
        /// Why it is not read as fields.
        why: Opaque,
    },
    /// A mapping, in order.
    Fields(&'a [(Value, Value)]),
}

/// Why frontmatter is not read as fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opaque {
    /// It has bytes that are not UTF-8.
    NotUtf8,
    /// The closing `---` is missing.
    Unclosed,
    /// It is not valid YAML.
    Invalid,
    /// It is YAML, but not a mapping.
    NotAMapping,
    DuplicateKey,
    /// It is larger than 64 KiB.
    TooLarge,
    /// It is nested deeper than 32 levels.
    TooDeep,
    /// It has anchors, aliases, tags, directives or explicit keys, or is written in braces.
    Indirect,
    /// The lossless parser rejects it.
    Unreadable,
}

impl std::fmt::Display for Opaque {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Opaque::NotUtf8 => "is not UTF-8",
            Opaque::Unclosed => "is never closed",
            Opaque::Invalid => "is not valid YAML",
            Opaque::NotAMapping => "has no fields",
            Opaque::DuplicateKey => "has a duplicate key",
            Opaque::TooLarge => "is too large",
            Opaque::TooDeep => "is nested too deeply",
            Opaque::Indirect => "uses anchors, aliases, tags, explicit keys or braces",
            Opaque::Unreadable => "is written in a way that cannot be edited safely",
        })
    }
}

pub(super) fn read(document: &Document) -> Frontmatter<'_> {
    let Some(fenced) = &document.envelope.frontmatter else { return Frontmatter::Absent };
    match layout(document) {
        Err(why) => Frontmatter::Opaque { text: &document.text()[fenced.text.clone()], why },
        Ok(_) => Frontmatter::Fields(&document.reading().fields),
    }
}

/// The places of the fields, or why the frontmatter is opaque. Without frontmatter there are no fields.
pub(super) fn layout(document: &Document) -> Result<&Layout, Opaque> {
    document.layout.get_or_init(|| find_layout(document)).as_ref().map_err(|why| *why)
}

fn find_layout(document: &Document) -> Result<Layout, Opaque> {
    let Some(fenced) = &document.envelope.frontmatter else { return Ok(Layout::default()) };
    if std::str::from_utf8(&document.as_bytes()[fenced.text.clone()]).is_err() {
        return Err(Opaque::NotUtf8);
    }
    if fenced.close.is_none() {
        return Err(Opaque::Unclosed);
    }
    let reading = document.reading();
    match &reading.error {
        Some(yaml::Error::TooLarge) => Err(Opaque::TooLarge),
        Some(yaml::Error::TooDeep) => Err(Opaque::TooDeep),
        Some(yaml::Error::NotAMapping) => Err(Opaque::NotAMapping),
        Some(yaml::Error::Invalid { .. }) => Err(Opaque::Invalid),
        None if has_duplicates(&reading.fields) => Err(Opaque::DuplicateKey),
        None => {
            layout::read(&document.text()[fenced.text.clone()], reading.fields.len()).map_err(|why| match why
            {
                LayoutRefusal::Indirect => Opaque::Indirect,
                LayoutRefusal::Unreadable => Opaque::Unreadable,
            })
        }
    }
}

/// True if two keys of this mapping, or of one nested in it, are equal.
fn has_duplicates(fields: &[(Value, Value)]) -> bool {
    let mut keys = HashSet::with_capacity(fields.len());
    fields.iter().any(|(key, value)| !keys.insert(key) || nested_duplicates(value))
}

fn nested_duplicates(value: &Value) -> bool {
    match value {
        Value::Map(fields) => has_duplicates(fields),
        Value::List(items) => items.iter().any(nested_duplicates),
        Value::Null | Value::Scalar(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: impl AsRef<[u8]>) -> Option<Opaque> {
        match Document::parse(text.as_ref()).frontmatter() {
            Frontmatter::Opaque { why, .. } => Some(why),
            Frontmatter::Absent | Frontmatter::Fields(_) => None,
        }
    }

    #[test]
    fn what_cannot_be_edited_safely_is_opaque() {
        assert_eq!(why("---\na: 1\na: 2\n---\n"), Some(Opaque::DuplicateKey));
        assert_eq!(why("---\nm: {a: 1, a: 2}\n---\n"), Some(Opaque::DuplicateKey));
        assert_eq!(why("---\na: 1\n"), Some(Opaque::Unclosed));
        assert_eq!(why("---\na: b: c\n---\n"), Some(Opaque::Invalid));
        assert_eq!(why("---\nprose\n---\n"), Some(Opaque::NotAMapping));
        assert_eq!(why("---\na: &x 1\nb: *x\n---\n"), Some(Opaque::Indirect));
        assert_eq!(why(b"---\na: \xff\n---\n"), Some(Opaque::NotUtf8));
        assert_eq!(why(b"---\na: 1\n---\n\xff"), None);
    }
}
