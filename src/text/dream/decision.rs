//! Read the decisions about a plan from JSON.
//!
//! Input that holds no decisions is an error as a whole; an element that is not a decision is refused alone. What a
//! decision means for the plan is checked elsewhere.

use crate::curate::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The largest input, in bytes.
pub const MAX_INPUT_BYTES: usize = 11_000_000;

/// What to do with a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "DreamAction")]
pub enum Action {
    /// Entries become one.
    Merge,
    /// The text of an entry is brought up to date.
    TemporalUpdate,
    /// Entries get relations to each other.
    CrossReference,
    /// Nothing; remembered for these contents.
    #[default]
    Skip,
    /// A synthesis is written.
    Create,
    /// A weak entry is archived.
    Archive,
    /// A weak entry stays.
    Keep,
    /// A weak entry is suggested for a merge in the next dream.
    MergeInto,
}

/// The decisions about a plan, each read on its own.
#[derive(Debug, Clone, PartialEq)]
pub struct DreamDecisions {
    /// The id of the plan.
    pub plan: String,
    /// In their order.
    pub decisions: Vec<Result<Decision, RefusedDecision>>,
}

/// The input of `brv dream --decisions`.
#[derive(JsonSchema)]
#[schemars(rename = "DreamDecisions")]
pub struct DecisionsInput {
    /// The id of the plan, as `--plan` printed it.
    #[allow(dead_code, reason = "the schema only")]
    plan: String,
    /// The decisions, in the order in which they are carried out.
    #[allow(dead_code, reason = "the schema only")]
    decisions: Vec<Decision>,
}

/// One decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DreamDecision")]
pub struct Decision {
    /// The id of the candidate.
    pub candidate: String,
    /// What to do with it.
    pub action: Action,
    /// The entry that takes others over.
    pub into: Option<String>,
    /// The entries that are taken over.
    pub sources: Option<Vec<String>>,
    /// The file to make or change.
    pub path: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// One line about it.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Option<Vec<String>>,
    /// Its keywords.
    pub keywords: Option<Vec<String>>,
    /// Its body, or the whole file if it begins with `---`.
    #[serde(alias = "content")]
    pub markdown: Option<String>,
    /// Its relations.
    pub related: Option<Vec<String>>,
    /// For a MERGE with `markdown`: sentences as they stand, or subjects of facts, that are to go. All else that the
    /// text lacks is added to it.
    pub drop: Option<Vec<String>>,
    /// For a text: what it stands on beside the entries and the code that they cite, word by word, such as the subject
    /// of a commit. It counts if it stands in an entry, a cited file or a message of a commit.
    pub evidence: Option<Vec<String>>,
    /// How certain the decider is, 0 to 1.
    pub confidence: Option<f64>,
    /// Why: kept in the history of the entry.
    pub reason: String,
}

/// An element that is not a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedDecision {
    /// The candidate that it names, if it names one.
    pub candidate: Option<String>,
    /// What is wrong with it.
    pub message: String,
}

/// Why the input holds no decisions: none of it is applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotDecisions {
    /// What is wrong with it.
    pub message: String,
}

/// The most text of one decision, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// The decisions in `bytes`: `{"plan": "drm-…", "decisions": […]}`.
///
/// # Errors
/// [`NotDecisions`] if the input as a whole is something else; an element that is wrong is refused alone.
pub fn read(bytes: &[u8]) -> Result<DreamDecisions, NotDecisions> {
    let size = bytes.len();
    if size > MAX_INPUT_BYTES {
        return invalid(format!("the input has {size} bytes, and the limit is {MAX_INPUT_BYTES}"));
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let json: Json = match serde_json::from_slice(text) {
        Ok(json) => json,
        Err(error) => return invalid(format!("not JSON: {error}")),
    };
    let Json::Fields(fields) = json else {
        return invalid("expected an object: {\"plan\": \"drm-…\", \"decisions\": […]}".to_owned());
    };
    let (mut plan, mut decisions) = (None, None);
    for (name, value) in fields {
        let is_twice = match (name.as_str(), value) {
            ("plan", Json::Plain(Value::String(id))) => plan.replace(id).is_some(),
            ("plan", _) => return invalid("`plan` is not the id of a plan".to_owned()),
            ("decisions", Json::List(items)) => decisions.replace(items).is_some(),
            ("decisions", _) => return invalid("`decisions` is not a list".to_owned()),
            _ => return invalid(format!("unknown field `{name}`: expected `plan` and `decisions`")),
        };
        if is_twice {
            return invalid(format!("the field `{name}` is given twice"));
        }
    }
    let Some(plan) = plan else { return invalid("`plan` is missing: the id that --plan printed".to_owned()) };
    let Some(decisions) = decisions else { return invalid("`decisions` is missing".to_owned()) };
    Ok(DreamDecisions { plan, decisions: decisions.into_iter().map(element).collect() })
}

fn invalid<T>(message: String) -> Result<T, NotDecisions> {
    Err(NotDecisions { message })
}

/// One element. Which of two values is meant cannot be known, so a decision with a key twice is refused.
fn element(json: Json) -> Result<Decision, RefusedDecision> {
    let candidate = json.text("candidate").map(str::to_owned);
    let refused = |message: String| RefusedDecision { candidate: candidate.clone(), message };
    let value = json.distinct().map_err(|key| refused(format!("the field `{key}` is given twice")))?;
    if !value.is_object() {
        return Err(refused("not an object".to_owned()));
    }
    if ["markdown", "content"].iter().all(|key| value.get(key).is_some()) {
        return Err(refused("give `markdown` or `content`, not both".to_owned()));
    }
    let decision: Decision = serde_json::from_value(value).map_err(|error| refused(error.to_string()))?;
    checked(decision).map_err(refused)
}

/// The decision with its texts on one line where they must be, if each field is right by itself.
fn checked(mut decision: Decision) -> Result<Decision, String> {
    let size = decision.texts().map(|(_, text)| text.len()).sum::<usize>();
    if size > MAX_TEXT {
        return Err(format!("the decision has {size} bytes of text, and the limit is {MAX_TEXT}"));
    }
    for (name, text) in decision.texts() {
        if !matches!(name, "markdown" | "reason" | "drop" | "evidence") && text.contains(char::is_control) {
            return Err(format!("`{name}` must be on one line, without control characters"));
        }
        if !matches!(name, "summary" | "title" | "markdown") && text.trim().is_empty() {
            return Err(format!("`{name}` is empty"));
        }
    }
    if let Some(confidence) = decision.confidence
        && !(0.0..=1.0).contains(&confidence)
    {
        return Err(format!("`confidence` is {confidence}: expected a number from 0 to 1"));
    }
    decision.reason = decision.reason.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(decision)
}

impl Decision {
    /// A decision that says what and why, and nothing else.
    pub fn new(candidate: &str, action: Action, reason: String) -> Self {
        Self { candidate: candidate.to_owned(), action, reason, ..Self::default() }
    }

    /// Each text that it has, with the name of its field.
    fn texts(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let single = [
            ("candidate", Some(&self.candidate)),
            ("into", self.into.as_ref()),
            ("path", self.path.as_ref()),
            ("title", self.title.as_ref()),
            ("summary", self.summary.as_ref()),
            ("markdown", self.markdown.as_ref()),
            ("reason", Some(&self.reason)),
        ];
        let lists = [
            ("sources", self.sources.as_ref()),
            ("tags", self.tags.as_ref()),
            ("keywords", self.keywords.as_ref()),
            ("related", self.related.as_ref()),
            ("drop", self.drop.as_ref()),
            ("evidence", self.evidence.as_ref()),
        ];
        let single = single.into_iter().filter_map(|(name, text)| Some((name, text?)));
        let lists = lists.into_iter().filter_map(|(name, list)| Some((name, list?)));
        single.chain(lists.flat_map(|(name, list)| list.iter().map(move |text| (name, text))))
    }
}

impl Action {
    /// The word for it, as in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Merge => "MERGE",
            Self::TemporalUpdate => "TEMPORAL_UPDATE",
            Self::CrossReference => "CROSS_REFERENCE",
            Self::Skip => "SKIP",
            Self::Create => "CREATE",
            Self::Archive => "ARCHIVE",
            Self::Keep => "KEEP",
            Self::MergeInto => "MERGE_INTO",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"candidate":"c1","action":"SKIP","reason":"unrelated"}"#;

    fn of(decisions: &str) -> DreamDecisions {
        read(format!("{{\"plan\":\"drm-1\",\"decisions\":[{decisions}]}}").as_bytes()).unwrap()
    }

    fn refused(more: &str) -> String {
        let decisions = of(&format!("{},{ONE}", ONE.replace("\"reason\"", &format!("{more},\"reason\""))));
        assert!(decisions.decisions[1].is_ok(), "one bad element does not spoil the others");
        let refused = decisions.decisions[0].clone().unwrap_err();
        assert_eq!(refused.candidate.as_deref(), Some("c1"), "{}", refused.message);
        refused.message
    }

    #[test]
    fn every_field_is_read() {
        let read = of(concat!(
            r#"{"candidate":"c1","action":"MERGE","into":"a/b.md","sources":["a/c.md"],"path":null,"title":"T","summary":"s","#,
            r##""tags":["t"],"keywords":[],"content":"# T\n\nx","related":["a/d.md"],"drop":["One\n two."],"evidence":["e"],"confidence":0.5,"reason":" so\n so "}"##,
        ));
        let decision = read.decisions[0].as_ref().unwrap();
        assert_eq!((decision.action, decision.into.as_deref()), (Action::Merge, Some("a/b.md")));
        assert_eq!((decision.markdown.as_deref(), decision.reason.as_str()), (Some("# T\n\nx"), "so so"));
        for action in ["TEMPORAL_UPDATE", "CROSS_REFERENCE", "CREATE", "ARCHIVE", "KEEP", "MERGE_INTO"] {
            let read = of(&ONE.replace("SKIP", action));
            assert_eq!(read.decisions[0].as_ref().unwrap().action.word(), action);
        }
    }

    #[test]
    fn an_element_that_is_wrong_is_refused_alone_and_says_why() {
        for (more, part) in [
            (r#""colour":1"#, "unknown field `colour`"),
            (r#""markdown":"a","content":"b""#, "not both"),
            (r#""path":"a","path":"b""#, "`path` is given twice"),
            (r#""confidence":1.5"#, "from 0 to 1"),
            (r#""confidence":"high""#, "invalid type"),
            (r#""title":"a\nb""#, "`title` must be on one line"),
            (r#""tags":["a\u0000"]"#, "`tags` must be on one line"),
            (r#""sources":[" "]"#, "`sources` is empty"),
            (r#""drop":[""]"#, "`drop` is empty"),
            (r#""tags":"a""#, "invalid type"),
        ] {
            let message = refused(more);
            assert!(message.contains(part), "{more}: {message}");
        }
        let large = refused(&format!(r#""markdown":"{}""#, "x".repeat(MAX_TEXT + 1)));
        assert!(large.contains("the limit is 1048576"), "{large}");
        for element in [
            "3",
            "[]",
            r#"{"action":"SKIP","reason":"r"}"#,
            &ONE.replace("SKIP", "DELETE"),
            &ONE.replace("unrelated", " "),
        ] {
            assert!(of(element).decisions[0].is_err(), "{element}");
        }
    }

    #[test]
    fn input_that_holds_no_decisions_is_an_error_as_a_whole() {
        for (text, part) in [
            ("", "not JSON"),
            ("[", "not JSON"),
            ("[]", "expected an object"),
            ("{}", "`plan` is missing"),
            (r#"{"plan":"x"}"#, "`decisions` is missing"),
            (r#"{"plan":1,"decisions":[]}"#, "`plan` is not"),
            (r#"{"plan":"x","decisions":{}}"#, "`decisions` is not a list"),
            (r#"{"plan":"x","plan":"y","decisions":[]}"#, "twice"),
            (r#"{"plan":"x","decisions":[],"more":1}"#, "unknown field `more`"),
        ] {
            let message = read(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
        let message = read(&vec![b' '; MAX_INPUT_BYTES + 1]).unwrap_err().to_string();
        assert!(message.contains("the limit is 11000000"), "{message}");
        assert_eq!(read("\u{feff}{\"decisions\":[],\"plan\":\"x\"}".as_bytes()).unwrap().plan, "x");
    }
}
