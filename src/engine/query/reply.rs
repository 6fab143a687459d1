//! A reply to a question: the JSON of `brv query`, and what the cache keeps with it.

use crate::agents::model::Spent;
use crate::read::history::provenance::HOOK;
use brv_search::SearchResults;
use brv_text::stale::Freshness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The words for a question that the stored knowledge does not cover.
pub const NOT_COVERED: &str = "this query appears outside the scope of stored knowledge";

/// The words for a question that nothing answers for certain, though something is near.
pub const UNCERTAIN: &str = "nothing certain";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub outcome: Outcome,
    /// The contents of the entries that it names ([`Outcome::paths`]), in their order.
    pub ids: Vec<String>,
    /// The question begins with the name of this folder, which has nothing about the rest: everything was searched.
    pub widened: Option<String>,
    /// No entry has a phrase of the question: its words were searched for.
    pub without_phrases: bool,
    /// Why a model that could be asked gave no answer; never kept.
    #[serde(skip)]
    pub unanswered: Option<Unanswered>,
    /// What else is to be said of the model.
    #[serde(skip)]
    pub of_model: Vec<String>,
}

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// It could not be asked, or what it answered cannot be used.
    Failed(String),
    /// It found no answer.
    Nothing,
    /// Its answer cites nothing that it was shown.
    Uncited,
    /// Nobody here has accepted what it would be shown.
    Withheld,
}

/// `brv.query/1`; paths are relative to the tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Query")]
pub struct Outcome {
    /// Where there is no answer: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The question, as asked.
    pub question: String,
    /// 0: an earlier answer · 1: an earlier answer to nearly the same question · 2: from the search alone · 3: passages, or a
    /// model's answer from them · 4: the answer of a model that looked for more.
    pub tier: u8,
    /// What the answer was made by.
    pub by: By,
    /// Whether the question is inside what is stored.
    pub covered: bool,
    /// The parts of the question that no entry has, in its order and spelling: words, and identifiers as a whole. Words
    /// of everyday speech are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The answer; `null` where there is none.
    pub answer: Option<String>,
    /// The relevance of the best source, 0 to 1.
    pub score: f64,
    /// Where the answer comes from, best first.
    pub sources: Vec<QuerySource>,
    /// Passages for the caller's own model: data, never instructions.
    pub passages: Vec<Passage>,
    /// If nothing is certain: the entries nearest to the question, at most three.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<Nearest>,
    /// For an agent: how many entries are left out because nobody here has accepted them.
    #[serde(default, skip_serializing_if = "is_none")]
    #[schemars(with = "Option<usize>")]
    pub withheld: usize,
    /// The folder that was searched, if not the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// What was asked of a model; without calls if an earlier answer of it is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Spent>,
    /// With `--explain`: how the decision was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explained>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
impl Outcome {
    /// The line that names the parts of the question that no entry has; empty if there are none.
    pub fn missing_line(&self) -> String {
        if self.missing.is_empty() {
            String::new()
        } else {
            format!("no entry has: {}", self.missing.join(", "))
        }
    }

    /// The entries that served the caller: those that answer, else that of the first passage. Sources that only stand in the
    /// list did not.
    pub fn served(&self) -> Vec<&str> {
        match &self.answer {
            Some(_) => self.sources.iter().map(|source| source.path.as_str()).collect(),
            None => self.passages.first().map(|passage| passage.path.as_str()).into_iter().collect(),
        }
    }

    /// The entries of which something is shown, each with what it is for: those that answer, else those of all passages;
    /// then those that say otherwise.
    pub fn shown(&self) -> Vec<(&str, String)> {
        let is_shown = |source: &&QuerySource| {
            self.answer.is_some() || self.passages.iter().any(|passage| passage.path == source.path)
        };
        let sources: Vec<&QuerySource> = self.sources.iter().filter(is_shown).collect();
        let why = |source: &QuerySource| {
            format!("tier {} {}, score {:.2}", self.tier, self.by.word(), source.score)
        };
        let contrary = sources.iter().flat_map(|source| {
            source
                .contrary
                .iter()
                .map(|one| (one.path.as_str(), format!("says otherwise than {}", source.path)))
        });
        let answering = sources.iter().map(|source| (source.path.as_str(), why(source)));
        answering.chain(contrary).collect()
    }
}

const fn is_none(count: &usize) -> bool {
    *count == 0
}

/// What an answer was made by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// An earlier answer.
    Cache,
    /// One fact, with every claim if it is disputed.
    Fact,
    /// One entry, or one item of its Highlights or Rules.
    Entry,
    /// Passages, without an answer.
    Passages,
    /// A model, from passages.
    Model,
    /// A model that looked for more.
    Agent,
    /// Nothing.
    #[default]
    None,
}

impl By {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Fact => "fact",
            Self::Entry => "entry",
            Self::Passages => "passages",
            Self::Model => "model",
            Self::Agent => "agent",
            Self::None => "none",
        }
    }
}

/// An entry that an answer comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QuerySource")]
pub struct QuerySource {
    /// Its path.
    pub path: String,
    /// Its title, or that of the item of it that matches.
    pub title: String,
    /// The month when an item of Highlights or Rules was made, as in `2026-07`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Its compound score.
    pub score: f64,
    /// How well its text matches, 0 to 1.
    pub relevance: f64,
    /// The first line of the passage that matches best, counted from 1.
    pub line: usize,
    /// The passage that matches best, on one line.
    pub excerpt: String,
    /// Whether facts of it are disputed, by itself or by another entry.
    pub disputed: bool,
    /// What other entries state about the subject of a fact that is shown, and that cannot hold together with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contrary: Vec<Contrary>,
    /// Whether it is in conflict; only our side is then given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conflict: bool,
    /// Why a change of it waits for review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    /// The branch that its commit of the code was made on, if that commit is on no branch and in no tag now; `null` if
    /// that branch is not known.
    #[serde(default, deserialize_with = "brv_base::json::some", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub unmerged: Option<Option<String>>,
    /// What in it may steer an agent and came from elsewhere: `instructions`, `hidden`. Agents do not get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<String>,
    /// Whether the code that it cites is still as it was; `null` if it cites nothing.
    #[serde(default)]
    pub freshness: Option<Freshness>,
    /// Who changed it last, or made the fact that is the answer: the agent, else the author; of what a hook filed, its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The commit of that change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A fact of another entry that says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QueryContrary")]
pub struct Contrary {
    /// Its entry.
    pub path: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// Subject and statement.
    pub text: String,
}

impl Contrary {
    /// `auth/keys.md:12 says otherwise: lifetime: a day`
    pub fn line(&self) -> String {
        format!("{}:{} says otherwise: {}", self.path, self.line, self.text)
    }
}

/// An entry near to a question that nothing answers for certain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QueryNearest")]
pub struct Nearest {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// How well its text matches, 0 to 1.
    pub relevance: f64,
}

impl Outcome {
    /// The entries that it names, in the order in which a reply keeps their ids.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let sources = self.sources.iter().map(|source| source.path.as_str());
        let contrary = self.sources.iter().flat_map(|source| &source.contrary);
        let nearest = self.nearest.iter().map(|near| near.path.as_str());
        sources.chain(nearest).chain(contrary.map(|one| one.path.as_str()))
    }
}

/// A passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QueryPassage")]
pub struct Passage {
    /// The entry.
    pub path: String,
    /// Its first line, counted from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The last change of the entry; `null` if no commit has it.
    pub origin: Option<Origin>,
}

impl Passage {
    /// Where its source stands: the one of its line, since an entry may be several.
    pub fn source_at(&self, sources: &[QuerySource]) -> Option<usize> {
        let of_line = |source: &QuerySource| source.path == self.path && source.line == self.line;
        let of_line = sources.iter().position(of_line);
        of_line.or_else(|| sources.iter().position(|source| source.path == self.path))
    }
}

/// Who wrote something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The author of the commit.
    pub author: String,
    /// The agent that acted for the author.
    pub actor: Option<String>,
    /// The commit.
    pub commit: String,
}

impl Origin {
    /// The agent, else the author. Of what a hook filed it is the author: those are their words.
    pub fn who(&self) -> &str {
        self.actor.as_deref().filter(|actor| *actor != HOOK).unwrap_or(&self.author)
    }

    /// `claude-code, commit 3f2a91c`
    pub fn line(&self) -> String {
        let who = self.who();
        format!("{who}, commit {}", &self.commit[..7.min(self.commit.len())])
    }
}

/// Whether the encoder of the settings ordered what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QueryEncoder")]
pub struct Ordered {
    /// The encoder: its name, else its host.
    pub name: String,
    /// Whether it did.
    pub ordered: bool,
    /// If not: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How the decision was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QueryExplained")]
pub struct Explained {
    /// The relevance of the best match.
    pub relevance: f64,
    /// By how much the second best is less relevant.
    pub gap: f64,
    /// The share of the question's weight that the best match has.
    pub coverage: f64,
    /// Words of the question that occur nowhere in the tree.
    pub unmatched: Vec<String>,
    /// What the relevance is compared with.
    pub thresholds: Thresholds,
    /// Whether two entries answer with equal right.
    #[serde(default)]
    pub tie: bool,
    /// Whether the encoder of the settings ordered what was found; absent if none is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<Ordered>,
    /// Whether an earlier answer was given.
    pub cache: bool,
    /// What a model called to find the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<QueryStep>,
}

/// What a model called while it looked for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QueryStep")]
pub struct QueryStep {
    /// The tool, as the model named it.
    pub tool: String,
    /// Its arguments, as the model gave them.
    pub arguments: Value,
    /// How long it took.
    pub ms: u64,
}

/// What relevance is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Thresholds {
    /// From here on, the question is covered.
    pub covered: f64,
    /// From here on, the best match is the answer if it leads by `gap`.
    pub direct: f64,
    /// See `direct`.
    pub gap: f64,
    /// From here on, the best match is the answer.
    pub sure: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            covered: brv_search::COVERS,
            direct: brv_search::DIRECT,
            gap: brv_search::GAP,
            sure: brv_search::SURE,
        }
    }
}

/// Whether the best match may be the answer by its relevance: nothing of the question is missing then, either.
pub fn is_direct(found: &SearchResults) -> bool {
    found.is_direct() && has_all(found)
}

/// Whether something has each significant word, each identifier and a phrase of the question.
pub fn has_all(found: &SearchResults) -> bool {
    found.unmatched.is_empty() && found.missing.is_empty() && !found.without_phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_has_the_source_of_its_line_else_one_of_its_entry() {
        let source = |line: usize| {
            let json = format!(
                r#"{{"path":"a.md","title":"","score":0,"relevance":0,"line":{line},"excerpt":"","disputed":false}}"#
            );
            serde_json::from_str::<QuerySource>(&json).unwrap()
        };
        let passage =
            |path: &str, line| Passage { path: path.into(), line, text: String::new(), origin: None };
        let sources = [source(3), source(5)];
        let at = |path: &str, line| passage(path, line).source_at(&sources);
        assert_eq!(
            [at("a.md", 5), at("a.md", 3), at("a.md", 9), at("b.md", 3)],
            [Some(1), Some(0), Some(0), None]
        );
    }

    #[test]
    fn what_a_hook_filed_is_its_authors() {
        let origin = |actor: Option<&str>| Origin {
            author: "Ada".into(),
            actor: actor.map(Into::into),
            commit: "0123456789".into(),
        };
        assert_eq!(origin(Some(HOOK)).line(), "Ada, commit 0123456");
        assert_eq!(origin(Some("bot")).line(), "bot, commit 0123456");
        assert_eq!(origin(None).who(), "Ada");
    }
}
