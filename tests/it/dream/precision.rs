//! How right the decisions are that a dream takes without a writer, measured on trees with labels.

use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath};
use brv_text::doc::Document;
use brv_text::dream::{
    Action, Certain, Cluster, ClusterEntry, ClusterEvidence, Entry, GroupingInput, Plan, PruneEvidence, Weak,
    certain, clusters, domain, fits, weak,
};
use brv_text::lifecycle::Maturity;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};

type Tree = BTreeMap<TreePath, Document>;
type Pair = (String, String);

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees").join(name)
}

/// The entries below a folder.
fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
            let name = file.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            if file.is_dir() {
                folders.push(file);
            } else if let Ok(path) = TreePath::parse(name.as_bytes())
                && path.kind() == PathKind::Entry
            {
                tree.insert(path, Document::parse(std::fs::read(&file).unwrap()));
            }
        }
    }
    tree
}

/// The plan of a first dream, with room for all candidates.
fn plan(tree: &Tree, standings: Vec<PruneEvidence>) -> Plan {
    let entry = |(path, document): (&TreePath, &Document)| {
        Entry::of(path.clone(), ContentId::of(document.as_bytes()), document)
    };
    let mut domains: BTreeMap<&str, usize> = BTreeMap::new();
    tree.keys().for_each(|path| *domains.entry(domain(path)).or_default() += 1);
    let domains: Vec<(&str, usize)> = domains.into_iter().collect();
    let mut changed: Vec<&TreePath> = tree.keys().collect();
    changed.sort_by_key(|path| std::cmp::Reverse(tree[*path].meta().changed()));
    let found = clusters(GroupingInput {
        domains: &domains,
        entries: &mut |domains| {
            let asked = tree.iter().filter(|(path, _)| domains.contains(&domain(path)));
            Ok::<_, Infallible>(asked.map(entry).collect())
        },
        changed: &changed,
        hints: &[],
        skipped: &|_| false,
        relevant: &mut |_| Vec::new(),
        most: usize::MAX,
        files: 8,
    })
    .unwrap_or_else(|never| match never {});
    let blob = |path: &TreePath| ContentId::of(tree[path].as_bytes());
    let listed = |path: TreePath| ClusterEntry {
        blob: blob(&path),
        title: tree[&path].title().unwrap_or_default(),
        abstract_text: String::new(),
        path,
    };
    let consolidate = found.clusters.into_iter().enumerate().map(|(at, group)| Cluster {
        id: format!("c{}", at + 1),
        domain: group.domain,
        files: group.files.into_iter().map(listed).collect(),
        evidence: ClusterEvidence {
            overlap: group.overlap,
            shared_subjects: group.shared_subjects,
            relevance: group.relevance,
        },
        hint: group.hint,
    });
    let prune = weak(standings).into_iter().enumerate().map(|(at, (standing, signal))| Weak {
        id: format!("p{}", at + 1),
        blob: blob(&standing.path),
        path: standing.path,
        importance: standing.importance,
        maturity: standing.maturity,
        days: standing.days,
        used_at: None,
        changed_at: None,
        links: 0,
        signal,
        preview: String::new(),
    });
    Plan {
        id: "drm-1".to_owned(),
        consolidate: consolidate.collect(),
        prune: prune.collect(),
        ..Plan::default()
    }
}

fn pair(one: &str, other: &str) -> Pair {
    let (one, other) = (one.to_owned(), other.to_owned());
    if one < other { (one, other) } else { (other, one) }
}

/// What was decided without a writer.
#[derive(Default)]
struct Decided {
    /// The groups of entries that become one.
    merged: Vec<BTreeSet<String>>,
    related: BTreeSet<Pair>,
    /// By path: the action, and what it is merged into.
    pruned: BTreeMap<String, (Action, Option<String>)>,
}

impl Decided {
    fn of(tree: &Tree, plan: &Plan) -> Self {
        let mut decided = Self::default();
        for (id, certain) in certain(plan, &|path| tree.get(path).cloned()) {
            let Certain::Do(decision) = certain else { continue };
            fits(&decision, plan).unwrap_or_else(|why| panic!("{id}: {why}: {decision:?}"));
            assert!(!decision.reason.is_empty(), "{id}");
            let path = |id: &str| plan.prune.iter().find(|weak| weak.id == id).unwrap().path.to_string();
            match decision.action {
                Action::Merge => {
                    let all = decision.sources.into_iter().flatten().chain(decision.into);
                    decided.merge(all.collect());
                }
                Action::CrossReference => {
                    let lead = decision.path.unwrap();
                    decided.related.extend(decision.related.unwrap().iter().map(|other| pair(&lead, other)));
                }
                action => {
                    decided.pruned.insert(path(&id), (action, decision.into));
                }
            }
        }
        decided
    }

    /// Add a group, joined with those that it overlaps.
    fn merge(&mut self, mut group: BTreeSet<String>) {
        let (joined, apart) =
            std::mem::take(&mut self.merged).into_iter().partition(|one| !one.is_disjoint(&group));
        let joined: Vec<BTreeSet<String>> = joined;
        group.extend(joined.into_iter().flatten());
        self.merged = apart;
        self.merged.push(group);
    }

    fn merged_pairs(&self) -> BTreeSet<Pair> {
        let pairs = |group: &BTreeSet<String>| -> Vec<Pair> {
            let all: Vec<&String> = group.iter().collect();
            all.iter()
                .enumerate()
                .flat_map(|(at, one)| all[at + 1..].iter().map(move |other| pair(one, other)))
                .collect()
        };
        self.merged.iter().flat_map(pairs).collect()
    }
}

/// The labels of `fixtures/trees/dream.labels`: pairs by label, and what is certain about weak entries.
struct Labels {
    pairs: BTreeMap<&'static str, BTreeSet<Pair>>,
    /// What is related to an entry is related to its duplicates and near-misses, too.
    alike: BTreeSet<Pair>,
    standings: Vec<PruneEvidence>,
    pruned: BTreeMap<String, (Action, Option<String>)>,
}

impl Labels {
    /// Whether `pair` relates these two, or twins of them.
    fn is_one(&self, one: &str, other: &str, pair: &Pair) -> bool {
        let is_twin = |a: &str, b: &str| {
            a == b
                || ["same", "elsewhere", "near"]
                    .iter()
                    .any(|label| self.pairs[label].contains(&self::pair(a, b)))
        };
        is_twin(one, &pair.0) && is_twin(other, &pair.1) || is_twin(one, &pair.1) && is_twin(other, &pair.0)
    }
}

fn labels() -> Labels {
    let text = std::fs::read_to_string(fixture("dream.labels")).unwrap();
    let mut labels = Labels {
        pairs: BTreeMap::new(),
        alike: BTreeSet::new(),
        standings: Vec::new(),
        pruned: BTreeMap::new(),
    };
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [label, one, other] => {
                let known = ["same", "elsewhere", "near", "related", "unlike"];
                let label = known.into_iter().find(|known| *known == label).unwrap();
                labels.pairs.entry(label).or_default().insert(pair(one, other));
            }
            ["weak", path, importance, maturity, days, known, pinned, action, ..] => {
                labels.standings.push(PruneEvidence {
                    path: TreePath::parse(path.as_bytes()).unwrap(),
                    importance: importance.parse().unwrap(),
                    maturity: match maturity {
                        "draft" => Maturity::Draft,
                        "validated" => Maturity::Validated,
                        _ => Maturity::Core,
                    },
                    days: days.parse().unwrap(),
                    pinned: pinned == "pinned",
                    signals_known_days: known.parse().unwrap(),
                    used_at: None,
                    is_superseded: action == "ARCHIVE",
                    is_unmerged: false,
                });
                let into = words.get(8).map(|into| (*into).to_owned());
                let action = match action {
                    "ARCHIVE" => Action::Archive,
                    "MERGE_INTO" => Action::MergeInto,
                    _ => continue,
                };
                labels.pruned.insert(path.to_owned(), (action, into));
            }
            _ => panic!("{line}"),
        }
    }
    let related: BTreeSet<Pair> =
        labels.pairs["related"].union(&labels.pairs["elsewhere"]).cloned().collect();
    let twins: Vec<Pair> =
        ["same", "elsewhere", "near"].iter().flat_map(|label| &labels.pairs[label]).cloned().collect();
    let twin = |path: &String| {
        let other = |(one, other): &Pair| match () {
            () if one == path => Some(other.clone()),
            () if other == path => Some(one.clone()),
            () => None,
        };
        twins.iter().filter_map(other).chain([path.clone()]).collect::<Vec<_>>()
    };
    let alike = related.iter().flat_map(|(one, other)| {
        let others = twin(other);
        twin(one)
            .into_iter()
            .flat_map(move |one| others.clone().into_iter().map(move |other| pair(&one, &other)))
    });
    labels.alike = alike.collect();
    labels
}

/// A row of the table: how many of what was decided is right, and how many of what is right was decided.
fn row<T: Ord + std::fmt::Debug>(name: &str, decided: &BTreeSet<T>, labelled: &BTreeSet<T>) -> [f64; 2] {
    let right = decided.intersection(labelled).count();
    let share = |whole: usize| if whole == 0 { 1.0 } else { right as f64 / whole as f64 };
    let [precision, recall] = [share(decided.len()), share(labelled.len())];
    println!("{name:16} {:7} {:8} {precision:9.2} {recall:6.2}", decided.len(), labelled.len());
    decided.difference(labelled).for_each(|wrong| println!("    wrong:  {wrong:?}"));
    labelled.difference(decided).for_each(|missed| println!("    missed: {missed:?}"));
    [precision, recall]
}

#[test]
fn what_is_decided_without_a_writer_is_right_on_a_planted_tree() {
    let tree = tree(&fixture("dream"));
    let labels = labels();
    for path in labels.pairs.values().flatten().flat_map(|(one, other)| [one, other]) {
        assert!(tree.contains_key(path.as_str()), "{path} is not in the tree");
    }
    let plan = plan(&tree, labels.standings.clone());
    let decided = Decided::of(&tree, &plan);
    println!("{:16} decided labelled precision recall", "");
    let merged = decided.merged_pairs();
    let [merge, merge_recall] = row("MERGE", &merged, &labels.pairs["same"]);
    let [related, _] = row("CROSS_REFERENCE", &decided.related, &labels.alike);
    let found = |(one, other): &&Pair| decided.related.iter().any(|pair| labels.is_one(one, other, pair));
    let related_recall =
        labels.pairs["related"].iter().filter(found).count() as f64 / labels.pairs["related"].len() as f64;
    println!("{:16} {related_recall:.2} of the labelled pairs, by them or a twin", "");
    let of = |all: &BTreeMap<String, (Action, Option<String>)>, action: Action| -> BTreeSet<_> {
        let own = all.iter().filter(|(_, (one, _))| *one == action);
        own.map(|(path, (_, into))| (path.clone(), into.clone())).collect()
    };
    // a dream to which nothing has changed
    let weak = Decided::of(&tree, &Plan { consolidate: Vec::new(), ..plan });
    let [archive, into] = [("ARCHIVE", Action::Archive), ("MERGE_INTO", Action::MergeInto)]
        .map(|(name, action)| row(name, &of(&weak.pruned, action), &of(&labels.pruned, action)));
    let near: Vec<&Pair> = merged.intersection(&labels.pairs["near"]).collect();
    println!("{:16} {:7} of {}", "near-misses", near.len(), labels.pairs["near"].len());
    assert!(near.is_empty(), "merged, and not the same: {near:?}");
    let elsewhere: Vec<&Pair> = merged.intersection(&labels.pairs["elsewhere"]).collect();
    assert!(elsewhere.is_empty(), "merged, and their paths name different things: {elsewhere:?}");
    assert!(merge >= 0.95 && merge_recall >= 0.8, "MERGE");
    assert!(related >= 0.9 && related_recall >= 0.7, "CROSS_REFERENCE");
    assert_eq!((archive, into), ([1.0; 2], [1.0; 2]), "ARCHIVE, MERGE_INTO");
}

/// Trees that were not written for dreams: people kept each of their entries on purpose.
#[test]
fn nothing_is_merged_in_a_tree_without_duplicates() {
    for name in ["brv", "observatory", "older/.brv/context-tree"] {
        let tree = tree(&fixture(name));
        assert!(tree.len() >= 10, "{name}");
        let decided = Decided::of(&tree, &plan(&tree, Vec::new()));
        println!("{name}: {} entries, related: {:#?}", tree.len(), decided.related);
        assert_eq!(decided.merged, Vec::<BTreeSet<String>>::new(), "{name}");
    }
}
