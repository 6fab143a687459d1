//! Which entries are shown together.

use super::*;
use crate::doc::Document;
use std::convert::Infallible;

fn path(text: &str) -> TreePath {
    TreePath::parse(text.as_bytes()).unwrap()
}

fn entry(at: &str, text: &str) -> Entry {
    Entry::of(path(at), ContentId::of(text.as_bytes()), &Document::parse(text))
}

/// A text of so many words of its own.
fn text(words: std::ops::Range<u32>) -> String {
    words.map(|word| format!("word{} ", u64::from(word) * 7919 % 10_000_019)).collect()
}

struct ClusterQuery {
    hints: Vec<Hint>,
    skipped: Vec<ContentId>,
    relevant: Vec<(&'static str, &'static str, f64)>,
    most: usize,
    files: usize,
}

impl Default for ClusterQuery {
    fn default() -> Self {
        Self { hints: Vec::new(), skipped: Vec::new(), relevant: Vec::new(), most: 50, files: 8 }
    }
}

impl ClusterQuery {
    fn of(&self, entries: &[Entry], changed: &[&str]) -> (GroupingResult, Vec<String>) {
        let mut asked = Vec::new();
        let changed: Vec<TreePath> = changed.iter().map(|one| path(one)).collect();
        let mut domains: BTreeMap<&str, usize> = BTreeMap::new();
        entries.iter().for_each(|entry| *domains.entry(entry.domain()).or_default() += 1);
        let domains: Vec<(&str, usize)> = domains.into_iter().collect();
        let found = clusters(GroupingInput {
            domains: &domains,
            entries: &mut |domains| {
                let is_asked = |entry: &&Entry| domains.contains(&entry.domain());
                Ok::<_, Infallible>(entries.iter().filter(is_asked).cloned().collect())
            },
            changed: &changed.iter().collect::<Vec<_>>(),
            hints: &self.hints,
            skipped: &|blobs| {
                let (mut one, mut other) = (blobs.to_vec(), self.skipped.clone());
                one.sort_unstable();
                other.sort_unstable();
                one == other
            },
            relevant: &mut |entry| {
                asked.push(entry.path.to_string());
                let own = self.relevant.iter().filter(|(one, ..)| *one == entry.path.as_str());
                own.map(|(_, other, relevance)| (path(other), *relevance)).collect()
            },
            most: self.most,
            files: self.files,
        });
        (found.unwrap_or_else(|never| match never {}), asked)
    }
}

fn files(found: &GroupingResult) -> Vec<Vec<&str>> {
    found.clusters.iter().map(|group| group.files.iter().map(TreePath::as_str).collect()).collect()
}

fn shown(found: &GroupingResult) -> Vec<&str> {
    found.shown.iter().map(TreePath::as_str).collect()
}

#[test]
fn entries_that_share_runs_are_shown_together_once_with_the_strongest_first() {
    let entries = [
        entry("a/whole.md", &text(0..100)),
        entry("a/half.md", &(text(0..50) + &text(200..250))),
        entry("a/most.md", &(text(0..90) + &text(300..310))),
        entry("a/other.md", &text(400..500)),
        entry("b/copy.md", &text(0..100)),
    ];
    let (found, _) =
        ClusterQuery::default().of(&entries, &["a/whole.md", "a/other.md", "a/most.md", "a/gone.md"]);
    assert_eq!(files(&found), [["a/whole.md", "a/most.md", "a/half.md"]], "another domain is another matter");
    assert_eq!(
        shown(&found),
        ["a/most.md", "a/other.md", "a/whole.md"],
        "what belongs with nothing was looked at"
    );
    let group = &found.clusters[0];
    assert_eq!((group.domain.as_str(), group.overlap, group.relevance), ("a", 0.9, 0.0));
    let (again, _) =
        ClusterQuery::default().of(&entries, &["a/whole.md", "a/other.md", "a/most.md", "a/gone.md"]);
    assert_eq!(again, found);
}

#[test]
fn a_run_that_many_entries_have_connects_nothing_and_twenty_copies_are_found() {
    let boilerplate: Vec<Entry> = (0..9)
        .map(|n| entry(&format!("a/t{n}.md"), &(text(0..60) + &text(1000 * (n + 1)..1000 * (n + 1) + 20))))
        .collect();
    assert_eq!(ClusterQuery::default().of(&boilerplate, &["a/t0.md"]).0.clusters, []);
    let copies: Vec<Entry> = (0..20).map(|n| entry(&format!("a/c{n:02}.md"), &text(0..60))).collect();
    let found = ClusterQuery::default().of(&copies, &["a/c07.md"]).0;
    assert_eq!(found.clusters[0].files.len(), 8);
    assert_eq!((found.clusters[0].files[0].as_str(), found.clusters[0].overlap), ("a/c07.md", 1.0));
}

#[test]
fn shared_subjects_connect_and_one_is_enough_in_a_folder() {
    let facts = |own: &str, subjects: &[&str]| {
        let facts: String = subjects.iter().map(|subject| format!("- **{subject}**: {own}\n")).collect();
        format!("{own}\n\n## Facts\n\n{facts}")
    };
    let entries = [
        entry("a/t/one.md", &facts("x", &["Token lifetime", "Key size"])),
        entry("a/t/two.md", &facts("y", &["key  size"])),
        entry("a/u/three.md", &facts("z", &["key size"])),
        entry("a/u/four.md", &facts("w", &["KEY SIZE", "token lifetime"])),
    ];
    let found = ClusterQuery::default().of(&entries, &["a/t/one.md"]).0;
    assert_eq!(files(&found), [["a/t/one.md", "a/u/four.md", "a/t/two.md"]]);
    assert_eq!(found.clusters[0].shared_subjects, ["key size", "token lifetime"]);
}

#[test]
fn suggestions_come_first_and_search_weighs_what_is_backed() {
    // a seventh of the words of two in different folders: neighbours only if a search says so
    let near = |from: u32| text(0..10) + &text(from..from + 60);
    let entries = [
        entry("a/s/x.md", &near(100)),
        entry("a/t/y.md", "y"),
        entry("a/t/z.md", &near(200)),
        entry("b/q.md", &near(300)),
    ];
    let hint = |source: &str, target: &str| Hint {
        source: path(source),
        target: path(target),
        reason: "same".to_owned(),
    };
    let asked = ClusterQuery {
        hints: vec![hint("a/gone.md", "a/s/x.md"), hint("a/t/y.md", "a/t/z.md"), hint("b/q.md", "a/s/x.md")],
        relevant: vec![
            ("a/s/x.md", "a/t/z.md", 0.7),
            ("a/s/x.md", "a/t/y.md", 0.9),
            ("a/s/x.md", "b/q.md", 0.9),
            ("a/s/x.md", "a/s/x.md", 1.0),
        ],
        ..ClusterQuery::default()
    };
    let (found, searched) = asked.of(&entries, &["a/s/x.md"]);
    assert_eq!(files(&found), [["a/t/y.md", "a/t/z.md"], ["a/s/x.md", "a/t/z.md"]]);
    assert_eq!(found.clusters[0].hint.as_deref(), Some("same"));
    assert_eq!((found.clusters[1].relevance, found.clusters[1].hint.as_deref()), (0.7, None));
    assert_eq!(searched, ["a/t/y.md", "a/s/x.md"]);
    let unweighed = ClusterQuery { relevant: Vec::new(), hints: Vec::new(), ..asked };
    let (found, searched) = unweighed.of(&entries, &["a/t/y.md", "a/s/x.md"]);
    assert_eq!((files(&found).len(), searched), (0, vec!["a/s/x.md".to_owned()]), "nothing backs the other");
}

#[test]
fn what_does_not_fit_into_the_plan_stays_for_the_next_one() {
    let entries: Vec<Entry> = (0..3)
        .flat_map(|n| {
            let text = text(100 * n..100 * n + 40);
            [entry(&format!("a/{n}.md"), &text), entry(&format!("a/{n}_copy.md"), &text)]
        })
        .collect();
    let asked = ClusterQuery { most: 2, ..ClusterQuery::default() };
    let found = asked.of(&entries, &["a/2.md", "a/2_copy.md", "a/1.md", "a/0.md"]).0;
    assert_eq!(files(&found), [["a/2.md", "a/2_copy.md"], ["a/1.md", "a/1_copy.md"]]);
    assert_eq!(shown(&found), ["a/1.md", "a/2.md", "a/2_copy.md"]);
}

#[test]
fn what_was_skipped_is_not_shown_again_until_it_changes() {
    let entries = [entry("a/x.md", &text(0..40)), entry("a/y.md", &(text(0..40) + "more"))];
    let skipped = vec![entries[1].blob, entries[0].blob];
    let asked = ClusterQuery { skipped, ..ClusterQuery::default() };
    let found = asked.of(&entries, &["a/x.md", "a/y.md"]).0;
    assert_eq!((found.clusters.len(), shown(&found)), (0, vec!["a/x.md", "a/y.md"]));
    let changed = [entry("a/x.md", &(text(0..40) + "new")), entries[1].clone()];
    assert_eq!(asked.of(&changed, &["a/x.md"]).0.clusters.len(), 1);
}

#[test]
fn a_first_dream_looks_at_every_entry() {
    let entries: Vec<Entry> = (0..600)
        .map(|n| {
            entry(&format!("d{}/t/{n}.md", n % 10), &(text(0..30) + &text(n * 100 + 100..n * 100 + 200)))
        })
        .collect();
    let changed: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    let (found, asked) = ClusterQuery::default().of(&entries, &changed);
    assert_eq!(
        (found.clusters.len(), found.shown.len(), asked.len()),
        (0, entries.len(), 0),
        "what all say backs nothing"
    );
}
