//! The baseline, `brv.baseline.json` in the tree's root: findings that a team knows and leaves.
//!
//! A finding whose fingerprint the base revision's baseline lists is counted, not shown. Sorted, so that two people write the
//! same bytes.

use super::{Finding, Fingerprint, secrets};
use brv_base::shape;
use bstr::ByteSlice as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

pub const FILE: &str = "brv.baseline.json";

const VERSION: u32 = 1;

/// The largest baseline: some hundred bytes for each of 100,000 findings.
const MOST_BYTES: usize = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    findings: Vec<BaselineRow>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
struct BaselineRow {
    fingerprint: String,
    rule: String,
    path: String,
}

/// Why a baseline cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{FILE}` is not a baseline")]
    Json(#[from] serde_json::Error),
    #[error("`{FILE}` {0}")]
    Unfit(#[from] shape::Unfit),
    #[error("`{FILE}` has version {0}, and this brv reads version {VERSION}")]
    Version(u32),
    #[error("`{FILE}` has `{0}` where a fingerprint of 16 hexadecimal digits belongs")]
    Fingerprint(String),
}

impl Error {
    /// The 1-based line and column, where they are known.
    pub fn place(&self) -> (usize, usize) {
        match self {
            Self::Json(error) => (error.line().max(1), error.column().max(1)),
            Self::Unfit(_) | Self::Version(_) | Self::Fingerprint(_) => (1, 1),
        }
    }
}

/// The fingerprints of findings that are left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintBaseline(BTreeSet<Fingerprint>);

impl LintBaseline {
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        shape::json(bytes, MOST_BYTES)?;
        let file: BaselineFile = serde_json::from_slice(bytes)?;
        if file.version != VERSION {
            return Err(Error::Version(file.version));
        }
        let parse = |row: BaselineRow| {
            Fingerprint::parse(&row.fingerprint).ok_or(Error::Fingerprint(row.fingerprint))
        };
        file.findings.into_iter().map(parse).collect::<Result<_, _>>().map(Self)
    }

    pub fn has(&self, finding: &Finding) -> bool {
        self.0.contains(&finding.fingerprint)
    }
}

/// The file that lists these findings.
pub fn write<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> String {
    let row = |finding: &Finding| BaselineRow {
        fingerprint: finding.fingerprint.to_string(),
        rule: finding.rule.id().to_owned(),
        path: secrets::masked(&finding.path.to_str_lossy()).into_owned(),
    };
    let rows: BTreeSet<BaselineRow> = findings.into_iter().map(row).collect();
    let file = BaselineFile { version: VERSION, findings: rows.into_iter().collect() };
    serde_json::to_string_pretty(&file).expect("texts and a number are JSON") + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::Rule;
    use super::*;

    #[test]
    fn what_is_written_is_read_back_whatever_the_order() {
        let finding = |path: &str| Finding::of_path(Rule::Path, path.into(), "x", "x");
        let (one, other) = (finding("b.md"), finding("a.md"));
        let text = write([&one, &other, &one]);
        assert_eq!(text, write([&other, &one]));
        let baseline = LintBaseline::parse(text.as_bytes()).unwrap();
        assert!(baseline.has(&one) && baseline.has(&other) && !baseline.has(&finding("c.md")));
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        for text in [
            "",
            "{}",
            r#"{"version":2,"findings":[]}"#,
            r#"{"version":1,"findings":[],"x":1}"#,
            r#"{"version":1,"findings":[{"fingerprint":"g","rule":"BRV001","path":"a"}]}"#,
        ] {
            assert!(LintBaseline::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
