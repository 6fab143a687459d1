//! The frontmatter as a whole: absent, fields, or opaque.
//!
//! Opaque frontmatter is kept byte for byte and never edited. Does not know what single fields mean.

use super::{Document, Value, yaml};

/// The frontmatter of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frontmatter<'a> {
    /// The document has none.
    Absent,
    /// Bytes that are kept and never edited.
    Opaque {
        /// The text between the fences, or what looks like it if they are never closed.
        text: &'a str,
        /// Why it is not read as fields.
        why: Opaque,
    },
    /// A mapping, in order.
    Fields(&'a [(Value, Value)]),
}

/// Why a frontmatter is not read as fields.
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
    /// A key stands twice.
    DuplicateKey,
    /// It is larger than 64 KiB.
    TooLarge,
    /// It is nested deeper than 32 levels.
    TooDeep,
}

pub(super) fn read(document: &Document) -> Frontmatter<'_> {
    let Some(fenced) = &document.envelope.frontmatter else { return Frontmatter::Absent };
    let text = &document.text()[fenced.text.clone()];
    match opaque(document) {
        Some(why) => Frontmatter::Opaque { text, why },
        None => Frontmatter::Fields(&document.reading().fields),
    }
}

/// Why the frontmatter of `document` is opaque; `None` if it is absent or can be read.
pub(super) fn opaque(document: &Document) -> Option<Opaque> {
    let fenced = document.envelope.frontmatter.as_ref()?;
    if std::str::from_utf8(&document.as_bytes()[fenced.text.clone()]).is_err() {
        return Some(Opaque::NotUtf8);
    }
    if fenced.close.is_none() {
        return Some(Opaque::Unclosed);
    }
    let reading = document.reading();
    match &reading.error {
        Some(yaml::Error::TooLarge) => Some(Opaque::TooLarge),
        Some(yaml::Error::TooDeep) => Some(Opaque::TooDeep),
        Some(yaml::Error::NotAMapping) => Some(Opaque::NotAMapping),
        Some(yaml::Error::Invalid { .. }) => Some(Opaque::Invalid),
        None if has_duplicates(&reading.fields) => Some(Opaque::DuplicateKey),
        None => None,
    }
}

/// True if two keys of this mapping, or of one nested in it, are equal.
fn has_duplicates(fields: &[(Value, Value)]) -> bool {
    let twice =
        fields.iter().enumerate().any(|(at, (key, _))| fields[..at].iter().any(|(before, _)| before == key));
    twice || fields.iter().any(|(_, value)| nested_duplicates(value))
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
        assert_eq!(why(b"---\na: \xff\n---\n"), Some(Opaque::NotUtf8));
        assert_eq!(why(b"---\na: 1\n---\n\xff"), None);
    }
}
