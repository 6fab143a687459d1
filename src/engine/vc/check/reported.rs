//! A finding as other programs read it: part of several commands' data.

use crate::outcome::envelope;
use crate::vc::check::finding::{CheckFinding, FindingStanding};
use brv_text::lint::{Fingerprint, Rule, Severity, secrets};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// One of the program's own words, whoever wrote the JSON.
type ReportedWord = &'static str;

/// Something wrong or suspicious in a file. Paths are relative to the tree; those of BRV016 to the repository of the code.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Finding")]
pub struct Reported {
    /// `BRV001` to `BRV016`; `brv help check` lists them.
    #[serde(deserialize_with = "rule")]
    pub rule: ReportedWord,
    /// `error` or `warning`.
    #[serde(deserialize_with = "severity")]
    pub severity: ReportedWord,
    /// The path of the file; `.` for the tree as a whole.
    pub path: String,
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What it is about, where the rule knows a name for it: a subject, a link, a character, a kind of secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What is wrong. A secret is shown as `****`.
    pub message: String,
    /// 16 hexadecimal digits that stay the same on every machine, and while the lines around it move.
    #[serde(deserialize_with = "fingerprint")]
    pub fingerprint: String,
    /// `present`; `corrected` if only an older commit of the range has it.
    #[serde(deserialize_with = "standing")]
    pub standing: ReportedWord,
    /// The oldest commit of the range that has it, if it was found in a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What `brv vc check --fix` would do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Reported {
    /// What is wrong with it, if no run reports it so.
    pub fn flaw(&self) -> Option<&'static str> {
        if self.commit.as_ref().is_some_and(|commit| !envelope::is_commit(commit)) {
            return Some("names an invalid commit");
        }
        let has_place =
            self.line > 0 && self.column > 0 && (self.path == "." || envelope::is_below(&self.path));
        (!has_place).then_some("has no place")
    }

    /// Whether only an older commit of the range has it.
    pub fn is_corrected(&self) -> bool {
        self.standing == FindingStanding::Corrected.word()
    }
}

impl From<&CheckFinding> for Reported {
    fn from(found: &CheckFinding) -> Self {
        let finding = &found.finding;
        Self {
            rule: finding.rule.id(),
            severity: found.severity.word(),
            path: secrets::masked(&finding.path.to_str_lossy()).into_owned(),
            line: finding.line,
            column: finding.column,
            subject: finding.subject.clone(),
            message: finding.message.clone(),
            fingerprint: finding.fingerprint.to_string(),
            standing: found.standing.word(),
            commit: found.commit.map(|commit| commit.to_string()),
            fix: finding.fix.clone().filter(|_| found.standing == FindingStanding::Present),
        }
    }
}

impl FindingStanding {
    const fn word(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Corrected => "corrected",
        }
    }
}

fn rule<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let id = String::deserialize(deserializer)?;
    Rule::from_id(&id).map(Rule::id).ok_or_else(|| D::Error::custom("unknown rule"))
}

fn severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    one_of(deserializer, [Severity::Warning.word(), Severity::Error.word()])
}

fn standing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    one_of(deserializer, [FindingStanding::Present.word(), FindingStanding::Corrected.word()])
}

fn one_of<'de, D: Deserializer<'de>>(
    deserializer: D,
    words: [&'static str; 2],
) -> Result<&'static str, D::Error> {
    let found = String::deserialize(deserializer)?;
    let word = words.into_iter().find(|word| *word == found);
    word.ok_or_else(|| D::Error::custom(format!("neither `{}` nor `{}`", words[0], words[1])))
}

fn fingerprint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parsed = Fingerprint::parse(&text).ok_or_else(|| D::Error::custom("no fingerprint"))?;
    Ok(parsed.to_string())
}
