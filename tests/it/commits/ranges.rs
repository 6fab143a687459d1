//! A history that is taken in at once: topics, renames, what is gone, what is too much for one entry.

use super::{Code, reason};
use serde_json::json;

/// Code whose hooks are off, and its first commit.
fn unhooked() -> (Code, String) {
    let code = Code::new();
    code.run(&["hooks", "uninstall"]);
    let start = code.head();
    (code, format!("{start}..HEAD"))
}

#[test]
fn topics_are_known_before_the_first_commit_is_filed() {
    let (code, range) = unhooked();
    for number in 0..3 {
        let scope = format!("net: call {number}");
        code.change(&["src/net/retry.rs"], &reason(&scope, &format!("Call {number}")));
        code.change(&["src/cache.rs"], &format!("quiet {number}"));
    }
    code.change(&["src/once.rs"], &reason("once", "It"));
    let dry = code.data(&["curate", "--commit", &range, "-n"]);
    let taken = code.data(&["curate", "--commit", &range]);
    for data in [&dry, &taken] {
        assert_eq!(data["counts"]["reasons"], json!({"no text": 3}));
        assert_eq!((&data["counts"]["entries"], &data["counts"]["folders"]), (&json!(2), &json!(1)));
        assert_eq!(data["commits"][0]["items"][0]["path"], "code/net_retry.md", "{data}");
        assert_eq!(data["commits"][0]["subject"], "net: call 0");
    }
    assert_eq!(code.items("code/net_retry.md").len(), 3);
    let said = |arguments: &[&str]| code.run(arguments).stdout;
    let text = said(&["curate", "--commit", &range]);
    assert_eq!(text, "Took in 0 commits: 0 curated, 0 declined, 7 known before\n");
    let listed = said(&["hooks", "log"]);
    assert!(listed.contains("net: call 2  code/net_retry.md  rule: Call 2 must be tried twice"), "{listed}");
}

#[test]
fn the_text_counts_reasons_and_then_names_what_was_taken() {
    let (code, range) = unhooked();
    code.change(&["net.rs"], &format!("{}\nFact: tries of a call: 2\n", reason("net: retry", "A call")));
    for quiet in ["one", "two", "fixup! one"] {
        code.change(&["net.rs"], quiet);
    }
    let id = code.git(&["rev-parse", "HEAD~3"]);
    let expected = format!(
        "4 commits: 1 curated, 3 declined, 0 known before; 1 entry in 1 folder\n\
         \x20   2 no text\n    1 fixup\n\
         {id}  code/code.md  tries of a call  note\n{id}  code/code.md  retry  rule\n",
        id = &id[..9],
    );
    assert_eq!(code.run(&["curate", "--commit", &range, "-n"]).stdout, format!("Would take in {expected}"));
    assert_eq!(code.run(&["curate", "--commit", &range]).stdout, format!("Took in {expected}"));
}

#[test]
fn what_is_about_code_that_is_gone_is_declined_but_for_its_trailers() {
    let (code, range) = unhooked();
    code.change(&["old.rs"], &reason("old: retry twice", "A call"));
    code.change(&["old.rs"], &format!("{}\nFact: tries of a call: 2\n", reason("old: probe", "A probe")));
    code.change(&["net.rs"], &reason("net: keep", "It"));
    code.git(&["rm", "-q", "old.rs"]);
    code.commit("drop the old one");
    let taken = code.data(&["curate", "--commit", &range]);
    assert_eq!(taken["counts"]["reasons"], json!({"its code is gone": 1, "no text": 1}), "{taken}");
    assert_eq!(code.facts("tries of a call"), ["2 [project]"]);
    let items = code.items("code/code.md");
    assert_eq!(items.len(), 1, "{items:?}");
    assert!(items[0].starts_with("- **keep**: "), "{items:?}");
}

#[test]
fn files_are_named_as_they_are_called_today() {
    let (code, range) = unhooked();
    let many: String = (0..40).map(|number| format!("line {number}\n")).collect();
    code.write("early.rs", &many);
    code.git(&["add", "early.rs"]);
    code.commit(&reason("retry twice", "A call"));
    code.git(&["mv", "early.rs", "late.rs"]);
    code.commit("move");
    code.git(&["mv", "late.rs", "net.rs"]);
    code.commit("move on");
    let taken = code.data(&["curate", "--commit", &range]);
    assert_eq!(taken["counts"]["curated"], 1, "{taken}");
    let text = code.entry("code/code.md").unwrap();
    assert!(text.contains("**Files:**\n- net.rs\n") && !text.contains("early.rs"), "{text}");
}

#[test]
fn a_topic_of_more_than_24_items_is_split_by_what_its_files_share() {
    let (code, range) = unhooked();
    for number in 0..30 {
        let part = if number % 2 == 0 { "tcp" } else { "udp" };
        let file = format!("src/net/{part}/f{number}.rs");
        code.change(&[&file], &reason(&format!("net: call {number}"), &format!("Call {number}")));
    }
    let taken = code.data(&["curate", "--commit", &range]);
    assert_eq!(taken["counts"]["curated"], 30);
    let mut counts: Vec<(String, usize)> = code
        .listed()
        .into_iter()
        .filter(|path| !path.ends_with("_index.md"))
        .map(|path| (path.clone(), code.items(&path).len()))
        .collect();
    counts.sort();
    assert_eq!(counts.iter().map(|one| one.1).sum::<usize>(), 30, "{counts:?}");
    assert!(counts.iter().all(|(_, items)| *items <= 24) && counts.len() > 1, "{counts:?}");
    assert!(counts.iter().any(|(path, _)| path.contains("tcp") || path.contains("udp")), "{counts:?}");
    code.run(&["vc", "check", "--all"]);
}
