//! What is read back from the JSON of a change, and what is not.

use super::{Content, Entry, Gone, MoveSource, Version, What, entry};
use serde_json::{Value, json};
use std::path::Path;

/// The change of each fixture that has one, with its name.
fn cases() -> Vec<(String, Entry)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/diff");
    let mut cases = Vec::new();
    for case in std::fs::read_dir(folder).unwrap().map(|case| case.unwrap().path()) {
        let [before, after] = ["before.md", "after.md"].map(|side| std::fs::read(case.join(side)).ok());
        if before.is_none() && after.is_none() {
            continue;
        }
        fn version(bytes: &Option<Vec<u8>>) -> Option<Version<'_>> {
            bytes.as_deref().map(|bytes| Version { path: "a/b.md".into(), bytes })
        }
        let entry = entry(version(&before), version(&after), &Gone::default());
        cases.push((case.file_name().unwrap().to_string_lossy().into_owned(), entry));
    }
    assert!(cases.len() > 40, "{}", cases.len());
    cases
}

fn json(entry: &Entry) -> Value {
    serde_json::to_value(entry).unwrap()
}

fn read(value: &Value) -> Result<Entry, String> {
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

#[test]
fn every_change_is_read_back_from_its_json() {
    for (name, entry) in cases() {
        let printed = json(&entry);
        let read = read(&printed).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(json(&read), printed, "{name}");
        let kinds = |entry: &Entry| (entry.what, entry.after.clone(), entry.sources.clone());
        assert_eq!(kinds(&read), kinds(&entry), "{name}");
        if let (Content::Knowledge(one), Content::Knowledge(other)) = (&read.content, &entry.content) {
            assert_eq!((one.facts.clone(), one.counts()), (other.facts.clone(), other.counts()), "{name}");
        }
    }
}

#[test]
fn relations_between_entries_are_read_back() {
    fn version(path: &'static str, text: &'static str) -> Version<'static> {
        Version { path: path.into(), bytes: text.as_bytes() }
    }
    let gone = Gone::default();
    let mut renamed =
        entry(Some(version("a.md", "# A\n\ntext\n")), Some(version("b.md", "# B\n\ntext\n")), &gone);
    let Content::Knowledge(knowledge) = &mut renamed.content else { panic!("a document") };
    knowledge.dangling = vec!["c.md".into()];
    renamed.sources = vec![MoveSource { path: "d.md".into(), percent: 60, gone: false }];
    let mut merged = entry(Some(version("a.md", "# A\n")), None, &gone);
    (merged.what, merged.merged_into) = (What::Merged, Some("b.md".into()));
    for entry in [renamed, merged] {
        assert_eq!(read(&json(&entry)), Ok(entry));
    }
}

#[test]
fn what_no_run_prints_is_an_error() {
    let before = "---\ntitle: T\n---\n# T\n\nOld words.\n\n## Facts\n\n- **x**: one thing [team]\n";
    let after = before.replace("Old", "New").replace("one", "two").replace("title: T", "title: U");
    let version = |bytes| Version { path: "a.md".into(), bytes };
    let entry = entry(Some(version(before.as_bytes())), Some(version(after.as_bytes())), &Gone::default());
    let printed = json(&entry);
    assert!(read(&printed).is_ok());
    for (place, wrong) in [
        ("/change", json!("merged")),
        ("/change", json!("renamed")),
        ("/change", json!("burnt")),
        ("/tokens", Value::Null),
        ("/tokens/after", json!(u64::MAX)),
        ("/by_line", json!("<b>")),
        ("/renamed_from", json!("b.md")),
        ("/fields/0/kind", json!("times")),
        ("/fields/0/at/before/start", json!(0)),
        ("/facts/0/change", json!("kept")),
        ("/facts/0/before", Value::Null),
        ("/facts/0/words", json!([])),
        ("/facts/0/after/category", json!("Team")),
        ("/facts/0/at/after/lines", json!(u64::MAX)),
        ("/sections/0/change", json!("changed")),
        ("/sections/0/change", json!("renamed")),
        ("/sections/0/blocks/0/change", json!("moved")),
        ("/sections/0/blocks/0/change", json!("added")),
        ("/sections/0/blocks/0/kind", json!("script")),
        ("/disputes", json!([{"subject": "x", "state": "won", "statements": []}])),
        ("/folded", json!([{"what": "x", "at": {}}])),
    ] {
        let mut value = printed.clone();
        match value.pointer_mut(place) {
            Some(found) => *found = wrong.clone(),
            None => value[&place[1..]] = wrong.clone(),
        }
        assert!(read(&value).is_err(), "{place} {wrong}");
    }
}
