//! What was filed from a commit that no branch has any more: shown last for 30 days, with a remark, then only on
//! request.

use super::{Code, reason};
use serde_json::{Value, json};

const WORDS: &str = "not on this branch";

/// Code with a statement of its own and one of a branch that is gone.
fn left() -> Code {
    let code = Code::new();
    code.change(&["net.rs"], &reason("net: retry twice", "A call"));
    code.settle();
    let main = code.git(&["branch", "--show-current"]);
    code.git(&["checkout", "-q", "-b", "side"]);
    code.change(
        &["net.rs"],
        "net: probe\n\nWarning: probe of a gate: it must never be sent twice to one gate",
    );
    code.settle();
    code.git(&["checkout", "-q", &main]);
    code.git(&["branch", "-q", "-D", "side"]);
    code
}

/// The rows of a page that are about the probe, and the last of all.
fn rows(data: &Value) -> (Vec<Value>, Value) {
    let rows: Vec<&Value> =
        (0..2).flat_map(|layer| data["layers"][layer]["items"].as_array().unwrap()).collect();
    let own = rows.iter().filter(|row| row["title"] == "probe of a gate");
    (own.map(|row| row["unmerged"].clone()).collect(), rows.last().unwrap()["title"].clone())
}

#[test]
fn it_comes_last_with_a_word_about_it_and_goes_after_thirty_days() {
    let code = left();
    let brain = code.data(&["brain"]);
    assert_eq!(rows(&brain), (vec![json!("side")], json!("probe of a gate")), "{brain}");
    let line = |document: &Value| {
        document
            .as_str()
            .unwrap()
            .lines()
            .find(|line| line.contains("sent twice to one gate"))
            .map(str::to_owned)
    };
    assert!(line(&brain["document"]).is_some_and(|line| line.contains(WORDS)), "{brain}");
    let of_file = code.data(&["brain", "--for", "net.rs"]);
    assert!(line(&of_file["document"]).is_some_and(|line| line.contains(WORDS)), "{of_file}");
    assert_eq!(of_file["items"][0]["unmerged"], "side", "{of_file}");
    let task = ["brain", "--task", "probe of a gate"];
    let of_task = code.data(&task);
    assert_eq!(of_task["passages"][0]["unmerged"], "side", "{of_task}");
    let code = Code { env: code.env.with("BRV_CLOCK", "2023-12-20T00:00:00Z"), path: code.path };
    let brain = code.data(&["brain"]);
    assert_eq!((rows(&brain).0, line(&brain["document"])), (vec![], None), "{brain}");
    assert_eq!(line(&code.data(&["brain", "--for", "net.rs"])["document"]), None);
    assert_eq!(code.data(&task)["passages"].as_array().map(Vec::len), Some(0));
}
