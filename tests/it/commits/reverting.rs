//! What a commit takes back is marked, and unmarked when that is taken back.

use super::{Code, reason, sentence};
use serde_json::json;

const ENTRY: &str = "code/code.md";
const DAY: &str = "2023-11-14";

/// Code with a commit from which this is filed.
fn filed() -> Code {
    let code = Code::new();
    code.change(&["net.rs"], &reason("net: retry twice", "A call"));
    code.settle();
    code
}

fn plain() -> String {
    format!("- **retry twice**: {} (2023-11)", sentence("A call"))
}

fn marked() -> String {
    format!("- **retry twice**: reverted {DAY}: {} (2023-11)", sentence("A call"))
}

#[test]
fn a_revert_marks_and_its_own_revert_unmarks() {
    let code = filed();
    code.git(&["revert", "--no-edit", "HEAD"]);
    let job = code.last();
    assert_eq!((&job["outcome"], &job["entries"]), (&json!("curated"), &json!([ENTRY])), "{job}");
    assert_eq!(code.items(ENTRY), [marked()]);
    code.run(&["vc", "check", "--all"]);
    assert_eq!(code.data(&["review", "pending"])["pending"], json!([]), "a mark does not wait");
    code.git(&["revert", "--no-edit", "HEAD"]);
    code.last();
    assert_eq!(code.items(ENTRY), [plain()]);
}

#[test]
fn a_mark_in_a_pinned_entry_does_not_wait_and_anything_else_does() {
    let code = Code::new();
    let message = format!("{}\nFact: tries of a call: 2\n", reason("net: retry twice", "A call"));
    code.change(&["net.rs"], &message);
    code.settle();
    let pinned = code.entry(ENTRY).unwrap().replacen("---\n", "---\npinned: true\n", 1);
    std::fs::write(code.tree().join(ENTRY), pinned).unwrap();
    code.run(&["vc", "add", "--all"]);
    code.run(&["vc", "commit", "-m", "pin"]);
    code.git(&["revert", "--no-edit", "HEAD"]);
    code.last();
    assert_eq!(
        (code.items(ENTRY), code.facts("tries of a call")),
        (vec![marked()], vec![format!("reverted {DAY}: 2 [project]")])
    );
    assert_eq!(code.data(&["review", "pending"])["pending"], json!([]));
    code.change(&["net.rs"], "net: tries\n\nFact: tries of a call: 3");
    code.last();
    assert_eq!(code.data(&["review", "pending"])["pending"][0]["why"], json!(["pinned"]));
}

#[test]
fn a_revert_that_says_why_says_so_in_the_mark() {
    let code = filed();
    let id = code.head();
    code.change(
        &["net.rs"],
        &format!("Revert \"net: retry twice\"\n\nThis reverts commit {id}.\n\nThe server must not get a call twice, because it books both.\n"),
    );
    code.last();
    let items = code.items(ENTRY);
    let start = format!(
        "- **retry twice**: reverted {DAY}: The server must not get a call twice, because it books both; was: A call must"
    );
    assert!(items.iter().any(|line| line.starts_with(&start)), "{items:?}");
}

#[test]
fn a_subject_names_the_commit_where_its_id_is_not_here() {
    let code = filed();
    code.change(
        &["net.rs"],
        &format!("Revert \"net: retry twice\"\n\nThis reverts commit {}.\n", "1".repeat(40)),
    );
    code.last();
    assert_eq!(code.items(ENTRY), [marked()]);
}

#[test]
fn what_somebody_edited_is_told_and_has_no_mark() {
    let code = filed();
    let edited = code.entry(ENTRY).unwrap().replace("after a restart", "after an update");
    std::fs::write(code.tree().join(ENTRY), &edited).unwrap();
    code.run(&["vc", "add", "--all"]);
    code.run(&["vc", "commit", "-m", "mine"]);
    code.git(&["revert", "--no-edit", "HEAD"]);
    let job = code.last();
    assert_eq!(
        (&job["outcome"], &job["reverts_edited"]),
        (&json!("declined"), &json!(["retry twice"])),
        "{job}"
    );
    assert_eq!(code.entry(ENTRY).unwrap(), edited);
}

#[test]
fn what_no_commit_here_is_and_what_is_reverted_in_part_change_nothing() {
    let code = filed();
    for body in [
        format!("Undo\n\nThis reverts commit {}.\n", "1".repeat(40)),
        format!("Undo\n\nThis partially reverts commit {}.\n", code.head()),
    ] {
        code.change(&["net.rs"], &body);
        let job = code.last();
        assert_eq!(job["outcome"], "declined", "{job}");
        assert_eq!(code.items(ENTRY), [plain()]);
    }
}

#[test]
fn a_revert_of_two_marks_both() {
    let code = filed();
    let first = code.head();
    let second = code.change(&["net.rs"], &reason("net: probe twice", "A probe"));
    code.settle();
    code.change(
        &["net.rs"],
        &format!("Undo both\n\nThis reverts commit {first}.\nThis reverts commit {second}.\n"),
    );
    code.last();
    let items = code.items(ENTRY);
    assert_eq!(
        items.iter().filter(|line| line.contains(&format!("reverted {DAY}: "))).count(),
        2,
        "{items:?}"
    );
}

#[test]
fn facts_are_marked_in_their_place_and_no_longer_settle() {
    let code = Code::new();
    code.change(&["net.rs"], "net: tries\n\nDecision: tries of a call: 2");
    code.settle();
    code.git(&["revert", "--no-edit", "HEAD"]);
    code.last();
    assert_eq!(code.facts("tries of a call"), [format!("reverted {DAY}: decision: 2 [project]")]);
    code.change(&["net.rs"], "net: more tries\n\nDecision: tries of a call: 3");
    code.last();
    let facts = [format!("reverted {DAY}: decision: 2 [project]"), "decision: 3 [project]".to_owned()];
    assert_eq!(code.facts("tries of a call"), facts);
    assert_eq!(code.data(&["status"])["disputed"], json!([]), "a marked statement does not dispute");
}

#[test]
fn who_supersedes_a_fact_supersedes_the_items_of_its_commit() {
    let code = Code::new();
    let message = format!("{}\nFact: tries of a call: 2\n", reason("net: retry twice", "A call"));
    code.change(&["net.rs"], &message);
    code.settle();
    assert_eq!(code.items(ENTRY), [plain()]);
    code.change(&["net.rs"], "net: retry thrice\n\nFact: tries of a call: 3\nSupersedes: tries of a call");
    code.last();
    assert_eq!(code.facts("tries of a call"), ["3 [project]"]);
    let items = code.items(ENTRY);
    assert_eq!(items, [plain().replace(": A call", &format!(": superseded {DAY}: A call"))]);
    code.run(&["vc", "check", "--all"]);
}

#[test]
fn a_range_marks_what_it_filed_itself() {
    let code = Code::new();
    code.run(&["hooks", "uninstall"]);
    let start = code.head();
    let id = code.change(&["net.rs"], &reason("net: retry twice", "A call"));
    code.change(&["net.rs"], "quiet");
    code.change(&["net.rs"], &format!("Undo\n\nThis reverts commit {id}.\n"));
    code.run(&["curate", "--commit", &format!("{start}..HEAD")]);
    assert_eq!(code.items(ENTRY), [marked()]);
}
