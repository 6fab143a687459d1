//! Byte strings, such as paths: text output shows the bytes, JSON has them as text.

use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::ops::Deref;

/// Bytes that are nearly always UTF-8, such as a path; in JSON, invalid UTF-8 becomes U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[schemars(transparent)]
pub struct Bytes(#[schemars(with = "String")] BString);

impl Bytes {
    pub fn of(paths: &[BString]) -> Vec<Self> {
        paths.iter().map(Self::from).collect()
    }
}

/// Serialize as text; `null` if it is not UTF-8.
pub fn utf8<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    bytes.to_str().ok().serialize(serializer)
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<&BString> for Bytes {
    fn from(bytes: &BString) -> Self {
        Self(bytes.clone())
    }
}

impl From<&BStr> for Bytes {
    fn from(bytes: &BStr) -> Self {
        Self(bytes.to_owned())
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_str_lossy())
    }
}

/// Bytes that are nearly always UTF-8, as JSON text; invalid UTF-8 becomes U+FFFD.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Each as [`text`].
pub fn texts(all: &[BString]) -> Vec<String> {
    all.iter().map(|bytes| text(bytes)).collect()
}
