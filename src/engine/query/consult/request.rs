//! The request to a model: the task, the question, the passages, and the folders of the tree.

use super::Shown;
use super::tools::tools;
use crate::agents::model::fence::fenced;
use crate::agents::model::{Purpose, Request, Shape};
use serde_json::json;

/// What the model is to do with passages alone.
const ONCE: &str = include_str!("once.md");

/// What it is to do with tools.
const SEARCH: &str = include_str!("search.md");

/// The most tokens of an answer from passages alone, and of one with tools.
const MOST_OUTPUT: [u32; 2] = [4_096, 8_192];

/// How many domains and topics are listed, and in how many characters.
const MOST_FOLDERS: usize = 200;
const MOST_OF_LISTING: usize = 8_000;

/// Ask for an answer from what is shown.
pub fn once(question: &str, shown: &Shown, folders: &str) -> Request {
    let schema = json!({
        "type": "object",
        "properties": {
            "answer": { "type": ["string", "null"] },
            "cited": { "type": "array", "items": { "type": "integer" } },
            "covered": { "type": "boolean" },
        },
        "required": ["answer", "cited", "covered"],
        "additionalProperties": false,
    });
    let shape = Shape { name: "answer", schema };
    let text = text(question, shown, folders);
    Request { most_output: MOST_OUTPUT[0], ..Request::new(Purpose::Query, ONCE, text, shape) }
}

/// Ask for an answer that the model looks for with tools.
pub fn searching(question: &str, shown: &Shown, folders: &str) -> Request {
    let request = once(question, shown, folders);
    Request { task: SEARCH.into(), shape: None, tools: tools(), most_output: MOST_OUTPUT[1], ..request }
}

fn text(question: &str, shown: &Shown, folders: &str) -> String {
    let folders = match folders.is_empty() {
        true => String::new(),
        false => format!("\n{}", fenced("The domains and topics of the stored knowledge", folders)),
    };
    format!("{}{folders}\nThe question:\n\n{question}\n", shown.texts())
}

/// A list of domains and topics, the domains before all topics if not all fit.
pub fn listing(folders: &[String]) -> String {
    let depth = |folder: &str| folder.matches('/').count();
    let mut listed: Vec<&str> =
        folders.iter().map(String::as_str).filter(|folder| depth(folder) < 2).collect();
    listed.sort_by_key(|folder| (depth(folder), *folder));
    let all = listed.len();
    let mut left = MOST_OF_LISTING;
    let fitting = listed.iter().take(MOST_FOLDERS).take_while(|folder| {
        let rest = left.checked_sub(folder.chars().count() + 1);
        left = rest.unwrap_or_default();
        rest.is_some()
    });
    let fitting = fitting.count();
    listed.truncate(fitting);
    listed.sort_unstable();
    let mut text = listed.join("\n");
    if fitting < all {
        text.push_str(&format!("\n… and {} more", all - fitting));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_listed_before_topics_and_within_bounds() {
        let folders = ["b", "a", "a/x", "a/x/deep", "b/y"].map(str::to_owned);
        assert_eq!(listing(&folders), "a\na/x\nb\nb/y");
        assert_eq!(listing(&[]), "");
        let many: Vec<String> =
            (0..150).flat_map(|at| [format!("d{at:03}"), format!("d{at:03}/t")]).collect();
        let text = listing(&many);
        assert_eq!(text.lines().count(), 201, "200 and what is left out");
        assert!(text.contains("d149\n") && text.ends_with("and 100 more"), "{text}");
        let long: Vec<String> = (0..100).map(|at| format!("{at:03}{}", "x".repeat(200))).collect();
        assert!(listing(&long).chars().count() < MOST_OF_LISTING + 20);
    }
}
