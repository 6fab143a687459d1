//! `brv index status` and `brv index drop`: which trees an index has, and how one leaves it.

use super::super::client::{self, JSON};
use super::super::engine::faults::Fault;
use super::{Organisation, entry, places};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn status_counts_trees_entries_pushes_and_bytes() {
    let organisation = Organisation::small();
    let (_, data) = organisation.data(&["index", "status"]);
    assert_eq!((&data["engine"]["name"], &data["index"]), (&json!("opensearch"), &json!("brv")));
    let trees = data["trees"].as_array().unwrap();
    let names: Vec<&Value> = trees.iter().map(|tree| &tree["tree"]).collect();
    assert_eq!(names, [&json!("payments"), &json!("shop")]);
    let tip = organisation.env.git(&organisation.remote("shop"), &["rev-parse", "HEAD"]);
    let shop = &trees[1];
    assert_eq!(
        (&shop["commit"], &shop["documents"], &shop["pending"], &shop["number"], &shop["branch"]),
        (&json!(tip), &json!(2), &json!(0), &json!(1_700_000_000), &json!("main"))
    );
    assert_eq!(data["documents"], 4);
    let (bytes, each) = (data["bytes"].as_u64().unwrap(), data["bytes_per_entry"].as_u64().unwrap());
    assert!(bytes > 0);
    assert_eq!((each, data["bytes_of_100_million"].as_u64()), (bytes / 4, Some(bytes / 4 * 100_000_000)));
    let shown = organisation.env.brv(&["index", "status"]).stdout;
    assert!(shown.contains(&format!("shop  {}  2 entries\n", &tip[..9])), "{shown}");
    assert!(
        shown.contains("brv on opensearch 2.19.1: 2 trees, 4 entries") && shown.contains("estimate"),
        "{shown}"
    );
}

#[test]
fn a_push_that_did_not_end_is_seen_and_the_next_one_ends_it() {
    let organisation = Organisation::small();
    organisation.edit("shop", &[entry("carts/new.md", "New", "A new one.")]);
    // the number is taken and the documents arrive, and nothing after them
    let marks = AtomicUsize::new(0);
    organisation.engine.fail(move |call| {
        let is_mark = call.method == "PUT" && call.path.contains("/_doc/mark-");
        let is_last = is_mark && marks.fetch_add(1, Ordering::SeqCst) > 0;
        is_last.then(|| Fault::Redirect("http://127.0.0.1:9".into()))
    });
    let ran = organisation.env.brv(&["index", "push", "--remotes", "trees.txt", "--json"]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    organisation.engine.heal();
    let (_, data) = organisation.data(&["index", "status"]);
    assert_eq!((&data["trees"][1]["pending"], &data["trees"][0]["pending"]), (&json!(1), &json!(0)));
    let shown = organisation.env.brv(&["index", "status"]).stdout;
    assert!(shown.contains("1 push under way or interrupted"), "{shown}");
    organisation.push();
    let (_, data) = organisation.data(&["index", "status"]);
    assert_eq!((&data["trees"][1]["pending"], &data["trees"][1]["documents"]), (&json!(0), &json!(3)));
}

#[test]
fn an_index_without_entries_has_no_bytes_of_each() {
    let organisation = Organisation::of(&[("empty", vec![("notes.txt".into(), "no entry".into())])]);
    let (ran, data) = organisation.data(&["index", "status"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!((&data["trees"][0]["documents"], &data["bytes_per_entry"]), (&json!(0), &Value::Null));
    assert_eq!(places(&organisation.search(&["anything"])), [""; 0]);
}

/// The documents of a tree that are there, without what differs between two pushes.
fn sent(organisation: &Organisation, tree: &str) -> Vec<Value> {
    let documents = organisation.engine.documents("brv").into_iter();
    documents.map(|(.., sent)| sent).filter(|sent| sent["tree"] == tree && sent["gone"] == false).collect()
}

#[test]
fn a_dropped_tree_is_gone_and_the_next_push_brings_all_of_it_back() {
    let organisation = Organisation::small();
    let before = sent(&organisation, "shop");
    assert_eq!(before.len(), 2);
    let tip = organisation.env.git(&organisation.remote("shop"), &["rev-parse", "HEAD"]);
    let (ran, data) = organisation.data(&["index", "drop", "shop"]);
    assert_eq!((ran.code, data), (0, json!({"tree": "shop", "commit": tip, "removed": 2})));
    assert_eq!(sent(&organisation, "shop"), [] as [Value; 0]);
    assert_eq!(sent(&organisation, "payments").len(), 2);
    let (_, status) = organisation.data(&["index", "status"]);
    assert_eq!((status["trees"].as_array().unwrap().len(), &status["documents"]), (1, &json!(2)));
    assert!(!places(&organisation.search(&["carts kept"])).iter().any(|place| place.starts_with("shop/")));
    // it is no tree any more, and nobody is told that it were one
    let why = organisation.refused(2, &["index", "drop", "shop"]);
    assert!(why.contains("no tree of this name") && !why.contains("did you mean"), "{why}");
    let pushed = organisation.push();
    assert_eq!(pushed["summary"]["sent"], 2);
    assert_eq!(sent(&organisation, "shop"), before);
    let (_, status) = organisation.data(&["index", "status"]);
    assert_eq!((status["trees"].as_array().unwrap().len(), &status["documents"]), (2, &json!(4)));
    let shown = organisation.env.brv(&["index", "drop", "shop"]).stdout;
    assert!(shown.contains("removed shop from the index: 2 documents"), "{shown}");
}

#[test]
fn an_unknown_tree_is_refused_with_the_nearest_name() {
    let organisation = Organisation::small();
    organisation.engine.forget_calls();
    for (name, near) in
        [("shoop", Some("`shop`")), ("Shop", Some("`shop`")), ("zzzzzzzz", None), ("", None), ("sh*", None)]
    {
        let why = organisation.refused(2, &["index", "drop", name]);
        assert!(why.contains("no tree of this name"), "{why}");
        match near {
            Some(near) => assert!(why.contains(&format!("did you mean {near}")), "{why}"),
            None => assert!(why.contains("brv index status"), "{why}"),
        }
    }
    assert!(organisation.engine.calls().iter().all(|call| !call.is_write()));
}

#[test]
fn a_drop_that_broke_off_is_ended_by_the_next_one() {
    let organisation = Organisation::small();
    organisation.engine.fail(|call| {
        call.path.ends_with("/_delete_by_query").then(|| Fault::Redirect("http://127.0.0.1:9".into()))
    });
    assert_eq!(organisation.env.brv(&["index", "drop", "shop"]).code, 9);
    organisation.engine.heal();
    assert_eq!(sent(&organisation, "shop").len(), 2);
    // what is left of it is not shown
    assert!(!places(&organisation.search(&["carts kept"])).iter().any(|place| place.starts_with("shop/")));
    let (ran, data) = organisation.data(&["index", "drop", "shop"]);
    assert_eq!((ran.code, &data["removed"]), (0, &json!(2)), "{}", ran.stdout);
    organisation.refused(2, &["index", "drop", "shop"]);
    assert_eq!(organisation.push()["summary"]["sent"], 2);
    // nor is what somebody left who removed its mark by hand
    let marks =
        json!({"query": {"bool": {"filter": [{"term": {"kind": "mark"}}, {"term": {"tree": "shop"}}]}}});
    let target = "/brv/_delete_by_query?refresh=true";
    let removed =
        client::ask(&organisation.engine.url, "POST", target, Some((JSON, &marks.to_string()))).unwrap();
    assert_eq!(removed.body["deleted"], 1, "{}", removed.body);
    let (ran, data) = organisation.data(&["index", "drop", "shop"]);
    assert_eq!((ran.code, &data["removed"]), (0, &json!(2)), "{}", ran.stdout);
}
