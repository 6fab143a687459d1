//! What another program writes into the index, and keys that may do a part only.

use super::super::engine::Call;
use super::super::engine::faults::Fault;
use super::{Organisation, entry, places};
use serde_json::json;

#[test]
fn marks_that_another_program_wrote_stop_nothing() {
    let organisation = Organisation::small();
    let expected = places(&organisation.search(&["carts"]));
    let documents = organisation.engine.documents("brv");
    let (id, _, mark) = documents.iter().find(|(.., sent)| sent["kind"] == "mark").unwrap();
    organisation.write("mark-0", &json!({"kind": "mark", "tree": "no number"}));
    organisation.write("other", mark);
    assert_eq!(organisation.data(&["index", "status"]).1["trees"].as_array().unwrap().len(), 2);
    assert_eq!(places(&organisation.search(&["carts"])), expected);
    // a commit of other letters is shown, and not cut within one
    let mut odd = mark.clone();
    odd["commit"] = "\u{e9}".repeat(20).into();
    organisation.write(id, &odd);
    let ran = organisation.env.brv(&["index", "status"]);
    assert!(ran.code == 0 && ran.stdout.contains(&"\u{e9}".repeat(9)), "{}{}", ran.stdout, ran.stderr);
    // one that is none is as if the tree was never pushed
    let mut broken = mark.clone();
    broken.as_object_mut().unwrap().remove("number");
    organisation.write(id, &broken);
    assert_eq!(organisation.data(&["index", "status"]).1["trees"].as_array().unwrap().len(), 1);
    assert_eq!(places(&organisation.search(&["carts"])), expected);
    // a push fails for this tree alone, and leaves what is there
    let (ran, data) = organisation.data(&["index", "push", "--remotes", "trees.txt"]);
    let states: Vec<&str> =
        data["trees"].as_array().unwrap().iter().map(|tree| tree["state"].as_str().unwrap()).collect();
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(states.contains(&"failed") && states.contains(&"done"), "{}", ran.stdout);
}

#[test]
fn a_key_need_not_be_allowed_to_ask_about_the_cluster_or_the_fields() {
    let organisation = Organisation::small();
    let expected = places(&organisation.search(&["carts"]));
    let refused =
        |path: &'static str| move |call: &Call| (call.path == path).then_some(Fault::Busy(403, None));
    organisation.engine.fail(refused("/"));
    assert_eq!(organisation.push()["engine"]["name"], "unknown");
    organisation.engine.heal();
    organisation.engine.fail(refused("/brv/_mapping"));
    let later = ("BRV_CLOCK", "2030-01-01T00:00:00Z");
    let ran = organisation.env.brv_with(&[later], &["index", "search", "carts", "--json"]);
    let found = super::envelope(&ran)["data"].clone();
    assert_eq!(places(&found).len(), expected.len(), "{}", ran.stdout);
    // who writes must know whose index it is
    let ran = organisation.env.brv(&["index", "push", "--remotes", "trees.txt"]);
    assert_eq!(ran.code, 4, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn what_may_be_read_is_found_behind_much_that_may_not() {
    let noise: Vec<_> = (0..60)
        .map(|number| entry(&format!("a/{number:02}.md"), "Gloop gloop", "Gloop is gloop, and gloop again."))
        .collect();
    let quiet =
        vec![entry("b/one.md", "Pipes", "In these pipes there is some gloop at times, and mostly water.")];
    let organisation = Organisation::of(&[("noise", noise), ("quiet", quiet)]);
    std::fs::remove_dir_all(organisation.remote("noise")).unwrap();
    let found = organisation.search(&["gloop", "--mine"]);
    assert_eq!((places(&found), &found["unreadable"]), (vec!["quiet/b/one.md".to_owned()], &json!(60)));
}
