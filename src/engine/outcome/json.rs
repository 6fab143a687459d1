//! How names, times and numbers stand in JSON: the one place where they become text. Types that are in JSON what they
//! display say so themselves, by `brv_base::json_text!`.

use brv_base::clock::format_utc;
use brv_base::path::TreePath;
use bstr::{BString, ByteSlice as _};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use brv_base::json::shown;

/// A path of the tree, as [`TreePath`] is written.
pub fn tree_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TreePath, D::Error> {
    let text = String::deserialize(deserializer)?;
    TreePath::parse(text.as_bytes()).map_err(D::Error::custom)
}

/// Bytes that are nearly always UTF-8, such as a path; what is not becomes U+FFFD.
pub fn lossy<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(bytes.as_bstr())
}

/// As [`lossy`], or `null`.
pub fn optional_lossy<S: Serializer>(bytes: &Option<BString>, serializer: S) -> Result<S::Ok, S::Error> {
    bytes.as_ref().map(|bytes| bytes.to_str_lossy()).serialize(serializer)
}

/// As [`lossy`], of several.
pub fn texts<S: Serializer>(texts: &[BString], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter().map(|text| text.to_str_lossy()))
}

/// Whether a count is not shown.
pub const fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Bytes as text; `null` if they are not UTF-8.
pub fn optional_utf8<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()).serialize(serializer)
}

/// As [`optional_utf8`].
pub fn utf8<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    std::str::from_utf8(bytes).ok().serialize(serializer)
}

pub fn is_some<T, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(value.is_some())
}

/// A time in seconds since 1970, as `2026-11-20T12:30:00Z`.
pub fn time<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format_utc(*seconds))
}

/// As [`time`], or `null`.
pub fn optional_time<S: Serializer>(seconds: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    seconds.map(format_utc).serialize(serializer)
}

/// A number with this many decimals.
pub fn to(value: f64, digits: i32) -> f64 {
    let parts = 10_f64.powi(digits);
    (value * parts).round() / parts
}

/// Whether a number is 0.
pub fn is_zero<S: Serializer>(number: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*number == 0)
}
