//! The plan of a dream: the candidates, each with its evidence.
//!
//! It is what `brv dream --plan` prints, and what is kept until the decisions about it arrive.

use super::Signal;
use crate::lifecycle::Maturity;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The candidates of a dream.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The name of the dream, the limit and the base, by which the plan can be computed again: `drm-1764400000000-50-3f2a91c0d1e2`.
    pub id: String,
    /// The commit that the plan was made at; `null` if there is none.
    pub base: Option<String>,
    /// Entries that may belong together.
    pub consolidate: Vec<Cluster>,
    /// Domains whose summaries may have a pattern in common.
    pub synthesize: Vec<Pattern>,
    /// Entries that may have become weak.
    pub prune: Vec<Weak>,
    /// How many changed files no plan has shown yet.
    pub remaining: usize,
}

/// Entries of one domain that may belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DreamCluster")]
pub struct Cluster {
    /// `c1-3f2a91`: its number, and six hex digits of the hash of what it shows.
    pub id: String,
    /// Their domain.
    pub domain: String,
    /// The entries, the changed one first.
    pub files: Vec<ClusterEntry>,
    /// Why they are shown together.
    pub evidence: ClusterEvidence,
    /// The reason that an earlier dream gave for a merge of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An entry of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DreamFile")]
pub struct ClusterEntry {
    /// Where it is.
    #[serde(deserialize_with = "path")]
    pub path: TreePath,
    /// Its blob id.
    #[serde(deserialize_with = "blob")]
    pub blob: ContentId,
    /// Its title.
    pub title: String,
    /// A few sentences of it.
    #[serde(rename = "abstract")]
    pub abstract_text: String,
}

/// The evidence of a cluster: the best of what connects the first entry with one of the others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DreamEvidence")]
pub struct ClusterEvidence {
    /// The share of the three-word runs that they have in common, 0 to 1.
    pub overlap: f64,
    /// Subjects about which they both have facts.
    pub shared_subjects: Vec<String>,
    /// The relevance of one to the other in a search, 0 to 1.
    pub relevance: f64,
}

/// Domains whose summaries may have a pattern in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DreamPattern")]
pub struct Pattern {
    /// `s1-3f2a91`: its number, and six hex digits of the hash of what it shows.
    pub id: String,
    /// The domains.
    pub domains: Vec<String>,
    /// Their summaries.
    pub summaries: Vec<Summary>,
    /// Entries of at least two of them that say related things, and changed since the last synthesis.
    pub entries: Vec<PatternEntry>,
}

/// An entry that a pattern is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DreamNamed")]
pub struct PatternEntry {
    /// Where it is.
    #[serde(deserialize_with = "path")]
    pub path: TreePath,
    /// Its blob id.
    #[serde(deserialize_with = "blob")]
    pub blob: ContentId,
}

/// The summary of a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DreamSummary")]
pub struct Summary {
    /// The file it is from.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// An entry that may have become weak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DreamWeak")]
pub struct Weak {
    /// `p1-3f2a91`: its number, and six hex digits of the hash of what it shows.
    pub id: String,
    /// Where it is.
    #[serde(deserialize_with = "path")]
    pub path: TreePath,
    /// Its blob id.
    #[serde(deserialize_with = "blob")]
    pub blob: ContentId,
    /// Its importance now.
    pub importance: f64,
    /// Its maturity.
    pub maturity: Maturity,
    /// Days since its content changed.
    pub days: i64,
    /// When it last served a caller on this machine; `null`: never.
    pub used_at: Option<String>,
    /// When its content last changed, as far as the history of 121 days or the entry itself tells; `null`: earlier.
    pub changed_at: Option<String>,
    /// How many entries link to it.
    pub links: usize,
    /// Why it is shown.
    pub signal: Signal,
    /// The beginning of its text.
    pub preview: String,
}

/// A candidate of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Candidate<'a> {
    Cluster(&'a Cluster),
    Pattern(&'a Pattern),
    Weak(&'a Weak),
}

/// The name of a candidate: its letter and number, and six hex digits of the hash of the versions that it shows, so that a
/// plan that is computed again has it under the same digits.
pub fn candidate_id<'v>(
    letter: char,
    number: usize,
    shown: impl IntoIterator<Item = (&'v TreePath, ContentId)>,
) -> String {
    let text: Vec<String> = shown.into_iter().map(|(path, blob)| format!("{blob} {path}")).collect();
    let hash = ContentId::of(text.join("\n").as_bytes()).to_string();
    format!("{letter}{number}-{}", &hash[..DIGITS])
}

/// How many hex digits of the hash the name of a candidate has.
const DIGITS: usize = 6;

/// Whether two names are of one candidate, whatever its number.
pub fn is_same_candidate(one: &str, other: &str) -> bool {
    let parts = |id: &str| id.split_once('-').map(|(name, hash)| (name.chars().next(), hash.to_owned()));
    one == other || parts(one).is_some_and(|own| parts(other) == Some(own))
}

impl Plan {
    /// The candidate with this id.
    pub fn candidate(&self, id: &str) -> Option<Candidate<'_>> {
        let cluster = self.consolidate.iter().find(|one| one.id == id).map(Candidate::Cluster);
        let pattern = || self.synthesize.iter().find(|one| one.id == id).map(Candidate::Pattern);
        let weak = || self.prune.iter().find(|one| one.id == id).map(Candidate::Weak);
        cluster.or_else(pattern).or_else(weak)
    }

    /// Call the candidates as decisions about the plan call them: in a plan that is computed again their numbers may be
    /// others.
    pub fn rename<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            let consolidate = self.consolidate.iter_mut().map(|one| &mut one.id);
            let synthesize = self.synthesize.iter_mut().map(|one| &mut one.id);
            let mut all = consolidate.chain(synthesize).chain(self.prune.iter_mut().map(|one| &mut one.id));
            if let Some(id) = all.find(|id| is_same_candidate(id, name)) {
                name.clone_into(id);
            }
        }
    }

    /// The entries that the plan shows, each with the blob that it had.
    pub fn files(&self) -> BTreeMap<&TreePath, ContentId> {
        let listed = self.consolidate.iter().flat_map(|cluster| &cluster.files);
        let named = self.synthesize.iter().flat_map(|pattern| &pattern.entries);
        let weak = self.prune.iter().map(|weak| (&weak.path, weak.blob));
        let listed = listed.map(|file| (&file.path, file.blob));
        listed.chain(named.map(|one| (&one.path, one.blob))).chain(weak).collect()
    }
}

fn path<'de, D: Deserializer<'de>>(from: D) -> Result<TreePath, D::Error> {
    let text = Cow::<str>::deserialize(from)?;
    TreePath::parse(text.as_bytes()).map_err(|why| de::Error::custom(format!("the path `{text}` {why}")))
}

fn blob<'de, D: Deserializer<'de>>(from: D) -> Result<ContentId, D::Error> {
    let text = Cow::<str>::deserialize(from)?;
    ContentId::from_hex(&text).ok_or_else(|| de::Error::custom(format!("`{text}` is not a blob id")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_plan_reads_back_with_the_names_of_the_contract() {
        let blob = "ce013625030ba8dba906f756967f9e9ca394464a";
        let file = json!({"path": "a/b.md", "blob": blob, "title": "B", "abstract": "Text."});
        let written = json!({
            "id": "drm-1", "base": null,
            "consolidate": [{"id": "c1", "domain": "a", "files": [file],
                "evidence": {"overlap": 0.5, "shared_subjects": ["ttl"], "relevance": 0.0}, "hint": "same topic"}],
            "synthesize": [{"id": "s1", "domains": ["a", "b"], "summaries": [{"path": "a/_index.md", "text": "t"}],
                "entries": [{"path": "b/d.md", "blob": blob}]}],
            "prune": [{"id": "p1", "path": "a/c.md", "blob": blob, "importance": 20.5, "maturity": "draft", "days": 70,
                "used_at": null, "changed_at": "2026-01-02T03:04:05Z", "links": 2, "signal": "importance", "preview": "p"}],
            "remaining": 3,
        });
        let plan: Plan = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&plan).unwrap(), written);
        assert!(matches!(plan.candidate("c1"), Some(Candidate::Cluster(_))));
        assert!(matches!(plan.candidate("s1"), Some(Candidate::Pattern(_))));
        assert!(matches!(plan.candidate("p1"), Some(Candidate::Weak(_))));
        assert_eq!(plan.candidate("c2"), None);
        assert_eq!(
            plan.files().keys().map(|path| path.as_str()).collect::<Vec<_>>(),
            ["a/b.md", "a/c.md", "b/d.md"]
        );
        for (field, wrong) in [("path", "../x.md"), ("blob", "12")] {
            let mut plan = written.clone();
            plan["consolidate"][0]["files"][0][field] = wrong.into();
            let error = serde_json::from_value::<Plan>(plan).unwrap_err().to_string();
            assert!(error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn a_candidate_keeps_its_digits_in_a_plan_that_is_computed_again() {
        let path = TreePath::parse(b"a/b.md").unwrap();
        let [one, other] = [b"x", b"y"].map(|text| ContentId::of(text));
        let id = candidate_id('c', 1, [(&path, one)]);
        assert!(is_same_candidate(&id, &candidate_id('c', 7, [(&path, one)])));
        assert!(!is_same_candidate(&id, &candidate_id('c', 1, [(&path, other)])));
        assert!(!is_same_candidate(&id, &candidate_id('p', 1, [(&path, one)])));
        assert!(!is_same_candidate("c1", "c2"));
    }
}
