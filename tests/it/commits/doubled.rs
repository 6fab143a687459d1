//! Two clones that take in the same commit: once a merge has brought what both filed, one of the two goes with the next commit.

use super::{Code, reason, sentence};
use crate::lab::write;
use std::path::PathBuf;

const OWNED: &str =
    "# Pool\n\n## Raw Concept\n\n**Files:**\n- net.rs\n\n## Narrative\n\n### Highlights\nPlain words.\n";

/// Where each clone files the commit.
const PLACES: [&str; 2] = ["code/code.md", "lib/pool.md"];

/// Two clones of the code, each with a clone of the tree; the tree of the second has an entry that owns the file of the commit.
struct Clones {
    code: Code,
    second: PathBuf,
}

impl Clones {
    /// Both have filed the commit, and the first has pulled what the second pushed.
    fn merged() -> (Self, String) {
        let code = Code::new();
        let hub = code.env.bare("hub.git");
        let hub = hub.to_str().unwrap();
        write(&code.tree(), &[("auth/a.md", "# A\n\nTokens live 12 hours.\n")]);
        code.run(&["vc", "add", "."]);
        code.run(&["vc", "commit", "-m", "a"]);
        code.run(&["vc", "remote", "add", "origin", hub]);
        code.run(&["vc", "push", "-u", "origin", "main"]);
        let second = code.env.path("second");
        let source = code.change(&["net.rs"], &reason("net: retry twice", "A call"));
        assert_eq!(code.last()["entries"], serde_json::json!([PLACES[0]]));
        code.env.git(code.env.root(), &["clone", "-q", code.path.to_str().unwrap(), "second"]);
        let clones = Self { code, second };
        clones.brv(&["vc", "clone", hub]);
        write(&clones.second.join(".brv/context-tree"), &[(PLACES[1], OWNED)]);
        clones.brv(&["vc", "add", "."]);
        clones.brv(&["vc", "commit", "-m", "owned"]);
        clones.brv(&["curate", "--commit", &source]);
        clones.brv(&["vc", "push"]);
        clones.code.run(&["vc", "pull"]);
        assert_eq!(clones.places(), PLACES, "a merge keeps both");
        (clones, source)
    }

    fn brv(&self, arguments: &[&str]) {
        let ran = self.code.env.brv_in(&self.second, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    }

    /// The entries that have the item.
    fn places(&self) -> Vec<&'static str> {
        let has = |path: &&str| self.code.entry(path).is_some_and(|text| text.contains(&sentence("A call")));
        PLACES.into_iter().filter(has).collect()
    }

    /// The places, that of the smaller commit of the tree first.
    fn in_order(&self, source: &str) -> [&'static str; 2] {
        let id = |path: &str| {
            let grep = format!("Brv-Source-Commit: {source}");
            let log = ["log", "--format=%H", "--no-merges", "--grep", &grep, "--", path];
            let found = self.code.env.git(&self.code.tree(), &log);
            assert_eq!(found.lines().count(), 1, "{path}: {found}");
            found
        };
        let [one, other] = PLACES;
        if id(one) < id(other) { [one, other] } else { [other, one] }
    }

    /// File another commit; its operation.
    fn next(&self) -> String {
        self.code.change(&["more.rs"], &reason("more: wait", "A pause"));
        let job = self.code.last();
        assert_eq!(job["outcome"], "curated", "{job}");
        job["operation"].as_str().unwrap().to_owned()
    }
}

#[test]
fn of_two_items_of_one_commit_that_of_the_greater_commit_of_the_tree_goes_with_the_next() {
    let (clones, source) = Clones::merged();
    let [kept, gone] = clones.in_order(&source);
    let before = clones.code.entry(gone).unwrap();
    let operation = clones.next();
    assert_eq!(clones.places(), [kept]);
    if gone == PLACES[1] {
        assert!(clones.code.entry(gone).unwrap().contains("Plain words."), "the words of a person stay");
    }
    assert_eq!(clones.code.data(&["review", "pending"])["pending"], serde_json::json!([]));
    clones.code.run(&["undo", &operation]);
    assert_eq!(clones.code.entry(gone).unwrap(), before, "an undo brings it back");
    assert_eq!(clones.places(), PLACES);
    clones.code.run(&["vc", "check", "--all"]);
}

#[test]
fn an_item_that_a_person_edited_stays() {
    let (clones, source) = Clones::merged();
    let [kept, edited] = clones.in_order(&source);
    let text = clones.code.entry(edited).unwrap();
    let text = text.replace(" because the server", " since the old server");
    std::fs::write(clones.code.tree().join(edited), &text).unwrap();
    clones.code.run(&["vc", "add", "--all"]);
    clones.code.run(&["vc", "commit", "-m", "mine"]);
    clones.next();
    assert_eq!(clones.places(), [kept]);
    assert!(clones.code.entry(edited).unwrap().contains("since the old server"));
}
