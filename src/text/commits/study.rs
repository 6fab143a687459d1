//! Compare with the study: `BRV_HISTORY=history.jsonl cargo test -p brv-text --lib commits::study -- --ignored --nocapture`.
//!
//! A row of the history has `subject`, `body`, `author`, `email` and `merge`; the row of the same number of
//! `BRV_EXPECTED` has what a study made of it: `taken`, `text`, `trailers`. Prints rows that differ, and counts.

use super::*;
use serde_json::Value;
use std::collections::BTreeMap;

fn rows(variable: &str) -> Vec<Value> {
    #[expect(clippy::disallowed_methods, reason = "a measure that is asked for by hand")]
    let Ok(file) = std::env::var(variable) else { return Vec::new() };
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
#[ignore = "a measure that is asked for by hand"]
fn a_history_is_read_as_the_study_reads_it() {
    let expected = rows("BRV_EXPECTED");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (number, row) in rows("BRV_HISTORY").iter().enumerate() {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let told = Told {
            subject: text("subject"),
            body: text("body"),
            author: text("author"),
            address: text("email"),
            files: &[],
            parents: if row["merge"] == true { 2 } else { 1 },
            in_repo_tree: None,
        };
        let reading = read(&told);
        let (is_taken, why) = match &reading {
            Reading::Lesson(_) => (true, "taken".to_owned()),
            Reading::Declined(reason) => (false, reason.to_string()),
        };
        let why = why.split(" (best").next().unwrap_or_default().to_owned();
        *counts.entry(why.clone()).or_default() += 1;
        let messages = message::read(told.body);
        let trailers: Vec<String> = messages
            .iter()
            .flat_map(|message| &message.trailers)
            .map(|one| format!("{}: {}", one.key.to_lowercase(), one.value))
            .collect();
        *counts.entry("trailers".to_owned()).or_default() += trailers.len();
        let reverts = reverts(told.subject, told.body);
        *counts.entry("commits taken back".to_owned()).or_default() += reverts.len();
        let Some(wanted) = expected.get(number) else { continue };
        let prose = match &reading {
            Reading::Lesson(lesson) => lesson.notes.last().map(|note| note.text.clone()),
            Reading::Declined(_) => None,
        };
        let theirs = |name: &str| wanted[name].as_str().map(str::to_owned);
        let wanted_trailers: Vec<String> = wanted["trailers"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| one.as_str().unwrap_or_default().to_owned())
            .collect();
        let wanted_reverts: Vec<&Value> = wanted["reverts"].as_array().into_iter().flatten().collect();
        let mut tell = |what: &str, own: String, other: String| {
            *counts.entry(format!("differs: {what}")).or_default() += 1;
            println!("{number} {what}: {}\n  own:   {own}\n  study: {other}", told.subject);
        };
        if is_taken != (wanted["taken"] == true) {
            tell("taken", why.clone(), format!("{:?} {:?}", theirs("reason"), theirs("text")));
        } else if theirs("text").is_some() && prose != theirs("text") {
            tell("text", prose.unwrap_or_default(), theirs("text").unwrap_or_default());
        }
        if trailers != wanted_trailers {
            tell("trailers", format!("{trailers:?}"), format!("{wanted_trailers:?}"));
        }
        if reverts.is_empty() != wanted_reverts.is_empty() {
            tell("reverts", format!("{reverts:?}"), format!("{wanted_reverts:?}"));
        }
    }
    println!("{counts:#?}");
}
