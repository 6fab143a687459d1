//! What decisions mean, and which are refused.

use super::*;
use crate::dream::{ClusterEvidence, Signal};
use serde_json::{Value, json};

fn path(text: &str) -> TreePath {
    TreePath::parse(text.as_bytes()).unwrap()
}

fn plan() -> Plan {
    let blob = "ce013625030ba8dba906f756967f9e9ca394464a";
    let file = |path: &str| json!({"path": path, "blob": blob, "title": "T", "abstract": ""});
    serde_json::from_value(json!({
        "id": "drm-1", "base": null, "remaining": 0,
        "consolidate": [{"id": "c1", "domain": "a", "files": [file("a/x.md"), file("a/y.md"), file("a/t/z.md")],
            "evidence": ClusterEvidence::default()}],
        "synthesize": [{"id": "s1", "domains": ["a", "b"],
            "summaries": [{"path": "a/_index.md", "text": ""}, {"path": "b/_index.md", "text": ""}],
            "entries": []}],
        "prune": [{"id": "p1", "path": "a/w.md", "blob": blob, "importance": 1.0, "maturity": "draft", "days": 1,
            "used_at": null, "changed_at": null, "links": 0, "signal": Signal::Importance, "preview": ""}],
    }))
    .unwrap()
}

fn meant(candidate: &str, action: &str, more: Value) -> Result<Meant, String> {
    let mut all = json!({"candidate": candidate, "action": action, "reason": "why"});
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    fits(&serde_json::from_value(all).unwrap(), &plan())
}

#[test]
fn a_merge_takes_what_it_does_not_name_from_the_candidate() {
    let merge = |target: &str, sources: &[&str]| {
        Ok(Meant::Merge { target: path(target), sources: sources.iter().map(|one| path(one)).collect() })
    };
    assert_eq!(meant("c1", "MERGE", json!({})), merge("a/x.md", &["a/y.md", "a/t/z.md"]));
    assert_eq!(meant("c1", "MERGE", json!({"into": "a/y.md"})), merge("a/y.md", &["a/x.md", "a/t/z.md"]));
    assert_eq!(meant("c1", "MERGE", json!({"path": "a/y"})), merge("a/y.md", &["a/x.md", "a/t/z.md"]));
    // a line across the page is not frontmatter
    let drop = |more: Value| meant("c1", "MERGE", more);
    assert!(drop(json!({"drop": ["ttl"]})).unwrap_err().contains("needs `markdown`"));
    assert!(drop(json!({"drop": ["ttl"], "markdown": "x"})).is_ok());
    let some = json!({"into": "a/t/z.md", "sources": ["a/x.md", "./a/x.md"], "markdown": "---\n\nText.\n"});
    assert_eq!(meant("c1", "MERGE", some), merge("a/t/z.md", &["a/x.md"]));
}

#[test]
fn every_other_action_names_its_files() {
    assert_eq!(meant("c1", "SKIP", json!({})), Ok(Meant::Skip));
    assert_eq!(meant("s1", "SKIP", json!({})), Ok(Meant::Skip));
    let update = Ok(Meant::Update { path: path("a/y.md") });
    assert_eq!(meant("c1", "TEMPORAL_UPDATE", json!({"path": "a/y.md", "markdown": "x"})), update);
    let all = ["a/x.md", "a/y.md", "a/t/z.md"];
    let related = all.iter().map(ToString::to_string).collect();
    let each = Ok(Meant::CrossReference { path: all.iter().map(|one| path(one)).collect(), related });
    assert_eq!(meant("c1", "CROSS_REFERENCE", json!({})), each);
    let one = Ok(Meant::CrossReference { path: vec![path("a/x.md")], related: vec!["b/q".to_owned()] });
    assert_eq!(meant("c1", "CROSS_REFERENCE", json!({"path": "a/x.md", "related": ["@b/q"]})), one);
    assert_eq!(meant("p1", "ARCHIVE", json!({})), Ok(Meant::Archive { path: path("a/w.md") }));
    assert_eq!(meant("p1", "KEEP", json!({"path": "a/w.md"})), Ok(Meant::Keep { path: path("a/w.md") }));
    let into = Ok(Meant::MergeInto { source: path("a/w.md"), target: path("a/q.md") });
    assert_eq!(meant("p1", "MERGE_INTO", json!({"into": "a/q.md"})), into);
}

#[test]
fn a_synthesis_is_named_by_its_path_its_title_or_its_heading() {
    for (more, expected) in [
        (json!({"title": "Retry: how"}), "synthesis/retry_how.md"),
        (json!({"path": "b/t/retries.md", "title": "T"}), "b/t/retries.md"),
        (json!({"markdown": "# From a heading\n"}), "synthesis/from_a_heading.md"),
        (json!({"markdown": "---\ntitle: From a field\n---\nx"}), "synthesis/from_a_field.md"),
        (json!({"title": "T", "sources": ["a/_index.md"]}), "synthesis/t.md"),
    ] {
        let mut all = json!({"markdown": "text", "confidence": 0.5});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(meant("s1", "CREATE", all), Ok(Meant::Create { path: path(expected) }), "{more}");
    }
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    for (candidate, action, more, part) in [
        ("c9", "SKIP", json!({}), "no candidate `c9`"),
        ("c1", "ARCHIVE", json!({}), "expected MERGE"),
        ("c1", "CREATE", json!({"markdown": "x"}), "expected MERGE"),
        ("s1", "MERGE", json!({}), "expected CREATE"),
        ("p1", "MERGE", json!({}), "expected ARCHIVE"),
        ("c1", "MERGE", json!({"into": "a/other.md"}), "`a/other.md` is not a file of `c1`"),
        ("c1", "MERGE", json!({"into": "b/x.md"}), "not a file of"),
        ("c1", "MERGE", json!({"sources": ["../../x.md"]}), "not a file of"),
        ("c1", "MERGE", json!({"sources": ["a/x.md"]}), "into itself"),
        ("c1", "MERGE", json!({"sources": []}), "`sources` is empty"),
        ("c1", "MERGE", json!({"into": "a/x.md", "path": "a/y.md"}), "different files"),
        ("c1", "MERGE", json!({"markdown": " \n"}), "no body"),
        ("c1", "MERGE", json!({"markdown": "---\ntitle: T\n---\n\n"}), "no body"),
        ("c1", "MERGE", json!({"markdown": "---\ntitle: T\n\n# H\n\nx\n"}), "is never closed"),
        ("c1", "MERGE", json!({"markdown": "---\ntitle: T\ntitle: U\n---\nx\n"}), "has a duplicate key"),
        ("c1", "TEMPORAL_UPDATE", json!({"markdown": "x"}), "needs `path`"),
        ("c1", "TEMPORAL_UPDATE", json!({"path": "a/x.md", "summary": "s", "markdown": ""}), "no body"),
        ("c1", "TEMPORAL_UPDATE", json!({"path": "a/x.md", "markdown": " "}), "no body"),
        ("c1", "CROSS_REFERENCE", json!({"markdown": "x"}), "does not use `markdown`"),
        ("c1", "CROSS_REFERENCE", json!({"related": []}), "`related` is empty"),
        ("c1", "CROSS_REFERENCE", json!({"related": ["../x"]}), "not a relation"),
        ("c1", "CROSS_REFERENCE", json!({"path": "a/x.md", "related": ["a/x.md"]}), "itself"),
        ("s1", "CREATE", json!({"title": "T"}), "needs `markdown`"),
        ("s1", "CREATE", json!({"title": "T", "markdown": " "}), "no body"),
        ("s1", "CREATE", json!({"title": "T", "markdown": "---\nbad: [\n---\nx\n"}), "is not valid YAML"),
        ("s1", "CREATE", json!({"markdown": "text"}), "needs `title` or `path`"),
        ("s1", "CREATE", json!({"markdown": "x", "path": "c/x.md"}), "in none of the domains"),
        ("s1", "CREATE", json!({"markdown": "x", "path": "a/_index.md"}), "cannot be an entry"),
        ("s1", "CREATE", json!({"markdown": "x", "path": "a/context.md"}), "cannot be an entry"),
        ("s1", "CREATE", json!({"markdown": "x", "path": "../x.md"}), "the path"),
        ("s1", "CREATE", json!({"markdown": "x", "path": "x.md"}), "in no domain"),
        ("s1", "CREATE", json!({"markdown": "x", "path": "a/b/c/d/e.md"}), "too deep"),
        (
            "s1",
            "CREATE",
            json!({"markdown": "x", "title": "T", "sources": ["c/_index.md"]}),
            "not a summary of",
        ),
        ("p1", "ARCHIVE", json!({"path": "a/x.md"}), "not the file of"),
        ("p1", "MERGE_INTO", json!({}), "needs `into`"),
        ("p1", "MERGE_INTO", json!({"into": "a/w.md"}), "into itself"),
        ("p1", "MERGE_INTO", json!({"into": "b/w.md"}), "another domain"),
        ("p1", "KEEP", json!({"into": "a/x.md"}), "does not use `into`"),
    ] {
        let why = meant(candidate, action, more.clone()).unwrap_err();
        assert!(why.contains(part), "{action} {more}: {why}");
    }
}
