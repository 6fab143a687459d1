//! What is decided without a writer.

use super::*;
use crate::dream::{ClusterEntry, ClusterEvidence, fits};
use crate::lifecycle::Maturity;
use brv_base::content::ContentId;
use std::collections::BTreeMap;

type DreamTree = BTreeMap<&'static str, String>;

fn path(text: &str) -> TreePath {
    TreePath::parse(text.as_bytes()).unwrap()
}

fn cluster(id: &str, files: &[&str], evidence: ClusterEvidence) -> Cluster {
    let listed = |file: &&str| ClusterEntry {
        path: path(file),
        blob: ContentId::of(file.as_bytes()),
        title: String::new(),
        abstract_text: String::new(),
    };
    Cluster {
        id: id.to_owned(),
        domain: "a".to_owned(),
        files: files.iter().map(listed).collect(),
        evidence,
        hint: None,
    }
}

fn weak(id: &str, file: &str, signal: Signal) -> Weak {
    Weak {
        id: id.to_owned(),
        path: path(file),
        blob: ContentId::of(file.as_bytes()),
        importance: 12.34,
        maturity: Maturity::Draft,
        days: 90,
        used_at: None,
        changed_at: None,
        links: 0,
        signal,
        preview: String::new(),
    }
}

/// `id ACTION into|path: sources|related`, or `id -`.
fn decided(plan: &Plan, tree: &DreamTree) -> Vec<String> {
    let read = |path: &TreePath| tree.get(path.as_str()).map(|text| Document::parse(text.as_str()));
    let told = certain(plan, &read).into_iter().map(|(id, certain)| match certain {
        Certain::NoWriter => format!("{id} -"),
        Certain::Do(decision) => {
            assert!(fits(&decision, plan).is_ok(), "{decision:?}");
            let subject = decision.into.or(decision.path).unwrap_or_default();
            let others = decision.sources.or(decision.related).unwrap_or_default();
            format!("{id} {} {subject}: {}", decision.action.word(), others.join(", "))
        }
    });
    told.collect()
}

const TEXT: &str = "Images are built once by the main branch and promoted by digest. They are signed with cosign, and the cluster refuses unsigned ones.\n";

fn tree(entries: &[(&'static str, &str)]) -> DreamTree {
    entries.iter().map(|(path, text)| (*path, (*text).to_owned())).collect()
}

#[test]
fn copies_are_merged_into_the_one_that_says_more_else_into_the_older() {
    let created = |day: &str| format!("---\ncreatedAt: '2026-01-{day}'\n---\n{TEXT}");
    let longer = format!("{TEXT}\nOld digests go after a year.\n");
    let all = tree(&[
        ("a/images.md", &created("09")),
        ("a/images-notes.md", &created("02")),
        ("a/images-guide.md", &longer),
        ("a/other.md", "Something else."),
    ]);
    let plan = |files: &[&str]| Plan {
        consolidate: vec![cluster("c1", files, ClusterEvidence::default())],
        ..Plan::default()
    };
    assert_eq!(
        decided(&plan(&["a/images.md", "a/images-notes.md"]), &all),
        ["c1 MERGE a/images-notes.md: a/images.md"]
    );
    let every = ["a/images.md", "a/images-notes.md", "a/images-guide.md", "a/other.md", "a/gone.md"];
    assert_eq!(decided(&plan(&every), &all), ["c1 MERGE a/images-guide.md: a/images-notes.md, a/images.md"]);
    assert_eq!(decided(&plan(&["a/images.md", "a/other.md"]), &all), ["c1 -"]);
}

#[test]
fn an_entry_goes_once_and_none_that_takes_another_one_over() {
    let all = tree(&[("a/images.md", TEXT), ("a/image.md", TEXT), ("a/images-faq.md", TEXT)]);
    let evidence = ClusterEvidence::default;
    let plan = Plan {
        consolidate: vec![
            cluster("c1", &["a/image.md", "a/images.md"], evidence()),
            cluster("c2", &["a/images.md", "a/images-faq.md"], evidence()),
        ],
        prune: vec![
            weak("p1", "a/images.md", Signal::Importance),
            weak("p2", "a/images-faq.md", Signal::Staleness),
        ],
        ..Plan::default()
    };
    assert_eq!(
        decided(&plan, &all),
        ["c1 MERGE a/image.md: a/images.md", "c2 -", "p1 -", "p2 MERGE_INTO a/image.md: "]
    );
}

#[test]
fn relations_are_made_on_strong_evidence_and_once() {
    let fact = |own: &str, facts: &str| format!("{own}\n\n## Facts\n\n- **ttl**: 15 min\n- **{facts}\n");
    let all = tree(&[
        ("a/x.md", &fact("One.", "key**: RS256")),
        ("a/y.md", &fact("Two.", "key**: in the vault")),
        ("a/z.md", &format!("---\nrelated: [a/x]\n---\n{}", fact("Three.", "key**: RS256"))),
    ]);
    let evidence = |subjects: &[&str], relevance: f64| ClusterEvidence {
        shared_subjects: subjects.iter().map(|one| (*one).to_owned()).collect(),
        overlap: 0.0,
        relevance,
    };
    let plan = |files: &[&str], evidence| Plan {
        consolidate: vec![cluster("c1", files, evidence)],
        ..Plan::default()
    };
    let both = || evidence(&["ttl", "key"], 0.0);
    assert_eq!(
        decided(&plan(&["a/x.md", "a/y.md", "a/z.md"], both()), &all),
        ["c1 CROSS_REFERENCE a/x.md: a/y.md"]
    );
    assert_eq!(decided(&plan(&["a/z.md", "a/x.md"], both()), &all), ["c1 -"], "related already");
    assert_eq!(decided(&plan(&["a/x.md", "a/y.md"], evidence(&["ttl"], 0.84)), &all), ["c1 -"]);
    assert_eq!(
        decided(&plan(&["a/x.md", "a/y.md"], evidence(&[], 0.85)), &all),
        ["c1 CROSS_REFERENCE a/x.md: a/y.md"]
    );
    let twice = Plan {
        consolidate: vec![
            cluster("c1", &["a/x.md", "a/y.md"], both()),
            cluster("c2", &["a/y.md", "a/x.md"], both()),
        ],
        ..Plan::default()
    };
    assert_eq!(decided(&twice, &all), ["c1 CROSS_REFERENCE a/x.md: a/y.md", "c2 -"]);
}

#[test]
fn only_what_is_superseded_and_nothing_links_to_is_archived() {
    let names = ["a/x.md", "a/y.md", "a/z.md", "a/u.md", "a/v.md"];
    let all = tree(&names.map(|name| (name, "Alone.")));
    let linked = |weak: Weak| Weak { links: 1, ..weak };
    let plan = Plan {
        prune: vec![
            weak("p1", "a/x.md", Signal::Importance),
            weak("p2", "a/y.md", Signal::Staleness),
            weak("p3", "a/z.md", Signal::Unmerged),
            linked(weak("p4", "a/u.md", Signal::Superseded)),
            weak("p5", "a/v.md", Signal::Superseded),
            weak("p6", "a/gone.md", Signal::Superseded),
        ],
        ..Plan::default()
    };
    assert_eq!(decided(&plan, &all), ["p1 -", "p2 -", "p3 -", "p4 -", "p5 ARCHIVE : ", "p6 -"]);
}
