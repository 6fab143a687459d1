//! The name of a dream: `drm-` and the milliseconds since 1970 at which it began.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `drm-1713364200000`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub struct DreamId(u64);

impl DreamId {
    /// The name of the trailer in the commit of a dream.
    pub const TRAILER: &str = "Brv-Dream";

    /// The dream that begins at this time, in milliseconds since 1970.
    pub const fn at(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// Read a name; `None` if it has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("drm-")?;
        let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = digits == "0" || !digits.starts_with('0');
        digits.parse().ok().filter(|_| is_plain && is_short).map(Self)
    }

    /// When it began, in milliseconds since 1970.
    pub const fn milliseconds(self) -> u64 {
        self.0
    }
}

impl fmt::Display for DreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "drm-{}", self.0)
    }
}

impl From<DreamId> for String {
    fn from(id: DreamId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for DreamId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` names no dream"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_back_and_nothing_else_is_one() {
        let id = DreamId::at(1_713_364_200_000);
        assert_eq!(id.to_string(), "drm-1713364200000");
        assert_eq!(DreamId::parse("drm-1713364200000"), Some(id));
        for wrong in ["", "drm-", "drm-x", "drm-+1", "drm-01", "drm-1 ", "DRM-1", "1713364200000", "drm--1"] {
            assert_eq!(DreamId::parse(wrong), None, "{wrong:?}");
        }
    }
}
