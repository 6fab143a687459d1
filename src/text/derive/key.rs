//! Keys of derived files: a 64-bit hash of everything they are made from.
//!
//! A key is a hash of the format version, the kind of artefact and the ids of its inputs, so equal keys mean equal
//! bytes, and a change anywhere below a folder changes the keys of all folders above it (a Merkle tree). Does not know
//! the content of derived files.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::FORMAT;
use brv_base::content::ContentId;

/// The hash of an artefact's inputs: 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(u64);

impl Key {
    /// The key of an artefact of this kind made from `inputs`, whose order counts.
    pub(super) fn of(kind: &str, inputs: &[&[u8]]) -> Self {
        let mut bytes = format!("brv {FORMAT} {kind}").into_bytes();
        for input in inputs {
            // prefixed with its length, so that no two lists of inputs give the same bytes
            bytes.extend_from_slice(&(input.len() as u64).to_be_bytes());
            bytes.extend_from_slice(input);
        }
        Self::first_half(ContentId::of(&bytes))
    }

    pub(super) fn first_half(id: ContentId) -> Self {
        let first = id.as_bytes().first_chunk().expect("an id has 20 bytes");
        Self(u64::from_be_bytes(*first))
    }

    /// From 16 hexadecimal digits in lower case.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let lower = hex.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let text = std::str::from_utf8(hex).ok().filter(|text| lower && text.len() == 16)?;
        u64::from_str_radix(text, 16).ok().map(Self)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The hash of the curated files at or below a folder, from the names and ids of its own files and the names and hashes
/// of its child folders, in any order. Equal for equal content, whatever the folder's name.
pub fn children_hash<'a>(
    files: impl IntoIterator<Item = (&'a str, ContentId)>,
    folders: impl IntoIterator<Item = (&'a str, ContentId)>,
) -> ContentId {
    let (mut text, mut lines) = (Vec::new(), Vec::new());
    let mut line = |name: &str, end: &[u8], id: ContentId| {
        let start = text.len();
        for part in [name.as_bytes(), end, &id.hex(), b"\n"] {
            text.extend_from_slice(part);
        }
        lines.push(start..text.len());
    };
    files.into_iter().for_each(|(name, id)| line(name, b"\0", id));
    folders.into_iter().for_each(|(name, hash)| line(name, b"/\0", hash));
    lines.sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
    let sorted: Vec<&[u8]> = lines.into_iter().map(|line| &text[line]).collect();
    ContentId::of(&sorted.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_own_digits() {
        let key = Key::of("index", &[b"a", b"bc"]);
        assert_eq!(Key::from_hex(key.to_string().as_bytes()), Some(key));
        for bad in ["", "0123", "0123456789ABCDEF", "+123456789abcdef", "0123456789abcdef0"] {
            assert_eq!(Key::from_hex(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn kind_inputs_and_their_borders_all_count() {
        let keys = [
            Key::of("index", &[b"a", b"bc"]),
            Key::of("index", &[b"ab", b"c"]),
            Key::of("index", &[b"abc"]),
            Key::of("abstract", &[b"abc"]),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key));
        }
    }

    #[test]
    fn a_children_hash_is_of_a_set_and_sees_names_ids_and_kinds() {
        let (a, b) = (ContentId::of(b"a"), ContentId::of(b"b"));
        let both = children_hash([("a.md", a), ("b.md", b)], []);
        assert_eq!(both, children_hash([("b.md", b), ("a.md", a)], []));
        assert_ne!(both, children_hash([("a.md", b), ("b.md", a)], []));
        assert_ne!(both, children_hash([("a.md", a)], [("b.md", b)]));
        assert_ne!(both, children_hash([("a.md", a)], []));
    }
}
