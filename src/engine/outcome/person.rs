//! JSON of a person at a time: who signed a commit or a tag.

use super::bytes::Bytes;
use brv_base::clock::format_utc;
use brv_git::Signature;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// A person and a time.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Person {
    pub name: Bytes,
    pub email: Bytes,
    /// The time, in UTC.
    time: String,
    /// The time in seconds since 1970.
    #[serde(skip)]
    pub seconds: i64,
    /// The time zone, in seconds east of UTC.
    #[serde(skip)]
    pub offset: i32,
}

impl From<&Signature> for Person {
    fn from(signature: &Signature) -> Self {
        Self {
            name: Bytes::from(&signature.name),
            email: Bytes::from(&signature.email),
            time: format_utc(signature.seconds),
            seconds: signature.seconds,
            offset: signature.offset,
        }
    }
}

impl Person {
    /// The day, in UTC: `2026-11-29`.
    pub fn day(&self) -> &str {
        self.time.split('T').next().unwrap_or_default()
    }
}

impl std::fmt::Display for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <{}>", self.name.to_str_lossy(), self.email.to_str_lossy())
    }
}
