//! Byte strings as JSON text; what is not UTF-8 becomes U+FFFD.

use bstr::{BString, ByteSlice as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn text<S: Serializer>(bytes: &BString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&bytes.to_str_lossy())
}

pub(super) fn optional_text<S: Serializer>(
    bytes: &Option<BString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    bytes.as_ref().map(|bytes| bytes.to_str_lossy()).serialize(serializer)
}

pub(super) fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BString, D::Error> {
    String::deserialize(deserializer).map(Into::into)
}

pub(super) fn optional_bytes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BString>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Into::into))
}
