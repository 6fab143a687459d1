//! Make `_manifest.json`: the files to give to a reader with a limited token budget, in three lanes.
//!
//! Knows tokens and importance, not the content of files. The `contexts` lane depends on local importance and so may
//! differ between machines; everything else is a function of curated content. An importance that changes neither the
//! rows of the lane nor their order does not change the key: time alone lowers all of them alike.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::{Number, Value};

use super::shares::{ShareList, shares};
use super::{FORMAT, Key, Made, stamp, tokens_of};
use crate::lifecycle::START;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_base::sorting;

/// Budgets of the lanes, in tokens.
const SUMMARIES: u64 = 2000;
const CONTEXTS: u64 = 4000;
const STUBS: u64 = 500;

/// An `_index.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestSummary {
    /// Its path, portable.
    pub path: String,
    pub tokens: u64,
    /// Its condensation order: 3 for the root, 0 for a subtopic.
    pub order: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestContext {
    /// Its path, portable.
    pub path: String,
    pub tokens: u64,
    /// The tokens of its abstract, if there is one that may be read instead.
    pub abstract_tokens: Option<u64>,
    /// The worth of reading it compared with others of the same importance: [`Digest::worth`](super::Digest::worth).
    pub worth: u32,
}

impl ManifestContext {
    /// The tokens of what is read: the abstract if there is one, else the entry.
    fn cost(&self) -> u64 {
        self.abstract_tokens.unwrap_or(self.tokens)
    }

    fn domain(&self) -> &str {
        self.path.split_once('/').map_or("", |(domain, _)| domain)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestStub {
    pub path: TreePath,
    pub tokens: u64,
}

/// The importance of entries on this machine, from 0 to 100.
#[derive(Debug, Clone, PartialEq)]
pub struct Importance {
    pub of: HashMap<String, f64>,
    pub others: f64,
}

impl Default for Importance {
    /// The importance on a machine without signals: all entries are alike.
    fn default() -> Self {
        Self { of: HashMap::new(), others: START }
    }
}

/// Everything that may be listed in the manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Lanes<'a> {
    /// The children hash of the root: the tree's content when the manifest was made.
    pub source_fingerprint: ContentId,
    /// All indices, in any order.
    pub summaries: Vec<ManifestSummary>,
    /// All entries, in any order; node overviews are in the indices.
    pub contexts: Vec<ManifestContext>,
    /// All stubs, by time of archiving, then path.
    pub stubs: Vec<ManifestStub>,
    pub importance: &'a Importance,
}

#[derive(Serialize)]
struct Manifest {
    version: u32,
    stamp: String,
    source_fingerprint: String,
    lanes: WrittenLanes,
    lane_tokens: LaneTokens,
    total_tokens: u64,
}

#[derive(Serialize)]
struct WrittenLanes {
    summaries: Vec<WrittenSummary>,
    contexts: Vec<WrittenContext>,
    stubs: Vec<Stub>,
}

#[derive(Serialize)]
struct LaneTokens {
    summaries: u64,
    contexts: u64,
    stubs: u64,
}

#[derive(Serialize)]
struct WrittenSummary {
    path: String,
    tokens: u64,
    order: u8,
}

#[derive(Serialize)]
struct WrittenContext {
    path: String,
    tokens: u64,
    importance: Value,
    #[serde(rename = "abstract")]
    abstract_: Option<String>,
}

#[derive(Serialize)]
struct Stub {
    path: String,
    tokens: u64,
}

/// Fill each lane with what fits into its budget: summaries broadest first; contexts (each as its abstract if there is
/// one) in fair shares for all domains, best first; stubs in the order of archiving. Then sort by path.
pub fn manifest_of(lanes: &Lanes<'_>) -> Made {
    let written = written(lanes);
    let key = key_of(lanes, &written);
    let lane_tokens = LaneTokens {
        summaries: written.summaries.iter().map(|row| row.tokens).sum(),
        contexts: written.contexts.iter().map(|row| row.tokens).sum(),
        stubs: written.stubs.iter().map(|row| row.tokens).sum(),
    };
    let manifest = Manifest {
        version: FORMAT,
        stamp: stamp::unsealed(key),
        source_fingerprint: lanes.source_fingerprint.to_string(),
        total_tokens: lane_tokens.summaries + lane_tokens.contexts + lane_tokens.stubs,
        lanes: written,
        lane_tokens,
    };
    let mut text = serde_json::to_string_pretty(&manifest).expect("the manifest has only text keys");
    text.push('\n');
    let text = stamp::seal(text);
    Made { key, tokens: tokens_of(&text), text }
}

fn key_of(lanes: &Lanes<'_>, written: &WrittenLanes) -> Key {
    let mut rows = serde_json::to_value(written).expect("the lanes have only text keys");
    for row in rows["contexts"].as_array_mut().into_iter().flatten() {
        row["importance"] = Value::Null;
    }
    Key::of("manifest", &[lanes.source_fingerprint.as_bytes(), rows.to_string().as_bytes()])
}

/// Whether a manifest on disk is as `made`, apart from which contexts it lists: what was most important when it was made
/// is not out of date.
pub fn is_made_for(on_disk: &[u8], made: &Made) -> bool {
    let without_contexts = |bytes: &[u8]| {
        let mut manifest: Value = serde_json::from_slice(bytes).ok()?;
        let fields = manifest.as_object_mut()?;
        fields.remove("stamp");
        fields.remove("total_tokens");
        fields.get_mut("lanes")?.as_object_mut()?.remove("contexts");
        fields.get_mut("lane_tokens")?.as_object_mut()?.remove("contexts");
        Some(manifest)
    };
    without_contexts(on_disk).is_some_and(|found| Some(found) == without_contexts(made.text.as_bytes()))
}

fn written(lanes: &Lanes<'_>) -> WrittenLanes {
    let mut budget = Budget(STUBS);
    let stubs = lanes.stubs.iter().filter(|row| budget.takes(row.tokens));
    let stubs = stubs.map(|row| Stub { path: row.path.to_string(), tokens: row.tokens }).collect();
    WrittenLanes { summaries: summaries(lanes), contexts: contexts(lanes), stubs }
}

/// As many of the broadest as fit; narrower ones only if all broader ones fit.
fn summaries(lanes: &Lanes<'_>) -> Vec<WrittenSummary> {
    let mut rows: Vec<&ManifestSummary> = lanes.summaries.iter().collect();
    sorting::sort_by_key(&mut rows, |row| (Reverse(row.order), row.tokens, &row.path));
    let (mut budget, mut taken) = (Budget(SUMMARIES), Vec::<&ManifestSummary>::new());
    for level in rows.chunk_by(|a, b| a.order == b.order) {
        let before = taken.len();
        taken.extend(level.iter().copied().filter(|row| budget.takes(row.tokens)));
        if taken.len() - before < level.len() {
            break;
        }
    }
    sorting::sort_by_key(&mut taken, |row| (Reverse(row.order), &row.path));
    let written = |row: &ManifestSummary| WrittenSummary {
        path: row.path.clone(),
        tokens: row.tokens,
        order: row.order,
    };
    taken.into_iter().map(written).collect()
}

/// The best of every domain, in fair shares; then all of these, best first. If there is no room for every domain, those
/// with the best entries are listed.
fn contexts(lanes: &Lanes<'_>) -> Vec<WrittenContext> {
    let known = lanes.importance;
    let importance = |row: &ManifestContext| known.of.get(&row.path).copied().unwrap_or(known.others);
    let mut rows: Vec<(f64, &ManifestContext)> =
        lanes.contexts.iter().map(|row| (importance(row), row)).collect();
    sorting::sort_by(&mut rows, |(a, left), (b, right)| {
        b.total_cmp(a).then(right.worth.cmp(&left.worth)).then_with(|| left.path.cmp(&right.path))
    });
    let mut domains: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (_, row)) in rows.iter().enumerate().filter(|(_, (_, row))| row.cost() <= CONTEXTS) {
        domains.entry(row.domain()).or_default().push(at);
    }
    let mut domains: Vec<Vec<usize>> = domains.into_values().collect();
    sorting::sort_by_key(&mut domains, |domain| domain[0]);
    // relative to the greatest, so that shares do not change while all of them fade
    let greatest = rows.first().map_or(1.0, |(importance, _)| importance.max(f64::MIN_POSITIVE));
    let weight = |at: &usize| (rows[*at].0.max(0.0) / greatest * 10_000.0).round() as u64;
    let list = |domain: &Vec<usize>| ShareList {
        // two entries of half the importance weigh as much as one
        size: domain.iter().map(weight).sum(),
        places: domain.len(),
        first: true,
    };
    let mut budget = Budget(CONTEXTS);
    let given = shares(domains.iter().map(list).collect(), |domain, had| {
        budget.takes(rows[domains[domain][had]].1.cost())
    });
    let mut taken: Vec<usize> =
        domains.iter().zip(given).flat_map(|(domain, given)| &domain[..given]).copied().collect();
    taken.sort_unstable();
    taken.into_iter().map(|at| written_context(rows[at].0, rows[at].1)).collect()
}

fn written_context(importance: f64, row: &ManifestContext) -> WrittenContext {
    let stem = row.path.strip_suffix(".md").unwrap_or(&row.path);
    WrittenContext {
        path: row.path.clone(),
        tokens: row.cost(),
        importance: number(importance),
        abstract_: row.abstract_tokens.map(|_| format!("{stem}.abstract.md")),
    }
}

/// A number with at most two decimals, or none if it is whole.
fn number(value: f64) -> Value {
    let hundredths = (value * 100.0).round();
    if hundredths % 100.0 == 0.0 {
        return Value::from((hundredths / 100.0) as i64);
    }
    Number::from_f64(hundredths / 100.0).map_or(Value::Null, Value::Number)
}

struct Budget(u64);

impl Budget {
    fn takes(&mut self, tokens: u64) -> bool {
        let fits = tokens <= self.0;
        if fits {
            self.0 -= tokens;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::super::stamp::Stamp;
    use super::*;

    fn path(text: &str) -> TreePath {
        TreePath::parse(text.as_bytes()).expect("a portable path")
    }

    fn important(of: &[(&str, f64)]) -> Importance {
        let of = of.iter().map(|(path, importance)| ((*path).to_owned(), *importance)).collect();
        Importance { of, ..Importance::default() }
    }

    fn lanes(importance: &Importance) -> Lanes<'_> {
        let summary = |at: &str, tokens, order| ManifestSummary { path: at.to_owned(), tokens, order };
        let context = |at: &str, tokens, short: Option<u64>| ManifestContext {
            path: at.to_owned(),
            tokens,
            abstract_tokens: short,
            worth: 500,
        };
        Lanes {
            source_fingerprint: ContentId::of(b"tree"),
            summaries: vec![
                summary("b/_index.md", 900, 2),
                summary("a/_index.md", 900, 2),
                summary("_index.md", 1000, 3),
                summary("a/x/_index.md", 90, 1),
            ],
            contexts: vec![
                context("a/z.md", 3000, None),
                context("a/y.md", 3000, Some(80)),
                context("a/x.md", 5000, None),
                context("b/w.md", 900, None),
            ],
            stubs: vec![
                ManifestStub { path: path("_archived/b.stub.md"), tokens: 300 },
                ManifestStub { path: path("_archived/a.stub.md"), tokens: 300 },
            ],
            importance,
        }
    }

    fn paths(made: &Made, lane: &str) -> Vec<String> {
        let value: Value = serde_json::from_str(&made.text).expect("JSON");
        let rows = value["lanes"][lane].as_array().expect("a lane").clone();
        rows.iter().map(|row| row["path"].as_str().expect("a path").to_owned()).collect()
    }

    #[test]
    fn lanes_are_filled_in_their_order_within_their_budgets() {
        let importance = important(&[("b/w.md", 61.25)]);
        let made = manifest_of(&lanes(&importance));
        assert_eq!(paths(&made, "summaries"), ["_index.md", "a/_index.md"]);
        assert_eq!(paths(&made, "contexts"), ["b/w.md", "a/y.md", "a/z.md"]);
        assert_eq!(paths(&made, "stubs"), ["_archived/b.stub.md"]);
        assert!(made.text.contains("\"importance\": 61.25") && made.text.contains("\"importance\": 50,"));
        let value: Value = serde_json::from_str(&made.text).expect("JSON");
        assert_eq!(value["lane_tokens"]["contexts"], 900 + 80 + 3000);
        assert_eq!(value["total_tokens"], 1900 + 3980 + 300);
        assert_eq!(stamp::read(made.text.as_bytes()), Stamp::Ours { key: made.key });
    }

    #[test]
    fn every_domain_has_its_fair_share_of_the_contexts_and_the_best_come_first() {
        let row =
            |path: String, worth| ManifestContext { path, tokens: 400, abstract_tokens: Some(70), worth };
        let small = (0..93).map(|at| row(format!("a{}/t/entry_{at:02}.md", at % 6), 100 + at));
        let large =
            (0..180).map(|at| row(format!("zoo/t/entry_{at:03}.md"), if at == 7 { 0 } else { 300 + at }));
        let importance = important(&[("zoo/t/entry_003.md", 80.0)]);
        let contexts = small.chain(large).collect();
        let lanes = Lanes { contexts, ..lanes(&importance) };
        let made = paths(&manifest_of(&lanes), "contexts");
        assert_eq!(made.len(), 57, "as many as there is room for");
        let of = |domain: &str| made.iter().filter(|path| path.starts_with(domain)).count();
        assert!((18..30).contains(&of("zoo/")) && (0..6).all(|at| of(&format!("a{at}/")) >= 5), "{made:?}");
        assert_eq!(made[..3], ["zoo/t/entry_003.md", "zoo/t/entry_179.md", "zoo/t/entry_178.md"]);
        assert!(
            !made.contains(&"zoo/t/entry_007.md".to_owned()) && made.contains(&"a2/t/entry_92.md".to_owned())
        );
    }

    #[test]
    fn no_narrower_summary_comes_before_a_broader_one_that_has_no_room() {
        let none = Importance::default();
        let row = |at: &str, tokens, order| ManifestSummary { path: at.to_owned(), tokens, order };
        let with = |domain| {
            let rows = [
                ("_index.md", 900, 3),
                ("b/_index.md", domain, 2),
                ("c/_index.md", 500, 2),
                ("b/t/_index.md", 60, 1),
                ("b/t/s/_index.md", 50, 0),
            ];
            let summaries = rows.map(|(at, tokens, order)| row(at, tokens, order)).into();
            paths(&manifest_of(&Lanes { summaries, ..lanes(&none) }), "summaries")
        };
        assert_eq!(with(700), ["_index.md", "c/_index.md"]);
        assert_eq!(
            with(490),
            ["_index.md", "b/_index.md", "c/_index.md", "b/t/_index.md", "b/t/s/_index.md"]
        );
    }

    #[test]
    fn the_order_of_inputs_does_not_count_and_importance_does() {
        let none = Importance::default();
        let (first, mut second) = (lanes(&none), lanes(&none));
        second.summaries.reverse();
        second.contexts.reverse();
        assert_eq!(manifest_of(&first), manifest_of(&second));
        let some = important(&[("a/z.md", 90.0)]);
        assert_ne!(manifest_of(&first).key, manifest_of(&lanes(&some)).key);
    }
    #[test]
    fn an_importance_that_changes_no_row_and_no_order_keeps_the_key() {
        let (one, other) = (important(&[("a/z.md", 90.0)]), important(&[("a/z.md", 71.5)]));
        let faded = Importance {
            of: one.of.iter().map(|(path, importance)| (path.clone(), importance * 0.3)).collect(),
            others: one.others * 0.3,
        };
        let made = manifest_of(&lanes(&one));
        for other in [&other, &faded] {
            let later = manifest_of(&lanes(other));
            assert!(later.key == made.key && later.text != made.text);
        }
    }

    #[test]
    fn a_manifest_is_current_whichever_contexts_it_lists() {
        let (none, some) = (Importance::default(), important(&[("a/z.md", 90.0)]));
        let (made, other) = (manifest_of(&lanes(&none)), manifest_of(&lanes(&some)));
        assert!(is_made_for(other.text.as_bytes(), &made));
        let mut changed = lanes(&some);
        changed.stubs.clear();
        assert!(!is_made_for(manifest_of(&changed).text.as_bytes(), &made));
        changed = Lanes { source_fingerprint: ContentId::of(b"other"), ..lanes(&some) };
        assert!(!is_made_for(manifest_of(&changed).text.as_bytes(), &made));
        assert!(!is_made_for(b"{}", &made) && !is_made_for(b"", &made));
    }

    #[test]
    fn without_room_for_every_domain_those_with_the_best_entries_are_listed() {
        let row = |at: usize| ManifestContext {
            path: format!("domain_{at:02}/entry.md"),
            tokens: 900,
            abstract_tokens: Some(80),
            worth: at as u32,
        };
        let contexts = (0..90).flat_map(|at| {
            [row(at), ManifestContext { path: row(at).path.replace("entry", "other"), worth: 500, ..row(at) }]
        });
        let importance = important(&[("domain_03/entry.md", 80.0), ("domain_70/entry.md", 79.0)]);
        let made =
            paths(&manifest_of(&Lanes { contexts: contexts.collect(), ..lanes(&importance) }), "contexts");
        assert_eq!(made[..2], ["domain_03/entry.md", "domain_70/entry.md"]);
        let domains: std::collections::BTreeSet<&str> = made.iter().map(|path| &path[..9]).collect();
        assert_eq!((made.len(), domains.len()), (50, 50), "one of each, as far as the budget goes");
    }
}
