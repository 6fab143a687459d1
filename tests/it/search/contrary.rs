//! What another entry states against a fact that is shown.

use super::{asked, knowledge, paths, write};
use serde_json::{Value, json as value};

const QUESTION: &str = "What is the access token lifetime?";
const OTHER: &str = "deploy/limits.md";

/// An entry about something else that states this, too.
fn other(fact: &str) -> String {
    format!(
        "---\ntitle: Limits of a rollout\n---\n# Limits of a rollout\n\nA rollout takes an hour at most, and is never begun on a Friday.\n\n## Facts\n- **nodes of a canary**: one in twenty\n- {fact}\n"
    )
}

fn answer(fact: &str, question: &str) -> (String, Value) {
    let env = knowledge();
    write(&env, OTHER, &other(fact));
    let text = env.brv(&["query", question, "--fresh", "--no-cache"]).stdout;
    (text, asked(&env, &["query", question, "--fresh"]).1)
}

#[test]
fn an_answer_is_not_given_without_what_another_entry_says_against_it() {
    let fact = "**Access token lifetime**: one week [project]";
    let (text, data) = answer(fact, QUESTION);
    let answer = data["answer"].as_str().unwrap_or_default();
    assert!(answer.contains("24 hours") && answer.contains("one week"), "{data}");
    let (own, against) = (&data["sources"][0], &data["sources"][0]["contrary"][0]);
    assert_eq!(
        (&own["disputed"], own["contrary"].as_array().map(Vec::len)),
        (&value!(true), Some(1)),
        "{data}"
    );
    let all = [own["path"].as_str().unwrap(), against["path"].as_str().unwrap()];
    assert!(all.contains(&OTHER) && all.contains(&"auth/tokens/token_lifetime.md"), "{data}");
    assert!(text.contains("disputed") && text.matches("one week").count() <= 2, "{text}");
}

#[test]
fn a_row_that_is_shown_says_so_in_one_line_and_a_kept_answer_too() {
    let env = knowledge();
    write(&env, OTHER, &other("**refresh token lifetime**: rejected: 30 days [project]"));
    let question = "Which lifetime do the access token and the refresh token have, and why?";
    let (_, first) = asked(&env, &["query", question, "--fresh"]);
    let told = |data: &Value| {
        let rows = data["sources"].as_array().unwrap();
        let row = rows.iter().find(|one| one["path"] == "auth/tokens/token_lifetime.md").unwrap();
        (row["contrary"][0]["path"].clone(), row["contrary"][0]["text"].clone(), row["disputed"].clone())
    };
    let expected =
        (value!(OTHER), value!("refresh token lifetime: rejected: 30 days [project]"), value!(true));
    assert_eq!(told(&first), expected, "{first}");
    let (_, again) = asked(&env, &["query", question]);
    assert_eq!((again["by"].as_str(), told(&again)), (Some("cache"), expected), "{again}");
    let text = env.brv(&["query", question]).stdout;
    assert!(
        text.contains(&format!(
            "{OTHER}:10 says otherwise: refresh token lifetime: rejected: 30 days [project]"
        )),
        "{text}"
    );
    // settled in the other entry: the kept answer is none any more
    write(&env, OTHER, &other("**refresh token lifetime**: 30 days [project]"));
    let (_, settled) = asked(&env, &["query", question, "--fresh"]);
    assert!(
        settled["sources"].as_array().unwrap().iter().all(|one| one.get("contrary").is_none()),
        "{settled}"
    );
}

#[test]
fn what_holds_no_longer_or_is_about_another_thing_says_nothing_against_it() {
    for fact in [
        "**access token lifetime**: 24 hours [project]",
        "**access token lifetime**: reverted 2026-02-04: one week [project]",
        "**access token lifetime**: one week [team]",
    ] {
        let (_, data) = answer(fact, QUESTION);
        let rows = data["sources"].as_array().unwrap();
        assert!(
            rows.iter().all(|one| one.get("contrary").is_none() && one["disputed"] == false),
            "{fact}: {data}"
        );
    }
    // one word, in entries that have nothing in common
    let (_, data) = answer("**engine**: MySQL 8 [project]", "Which engine does the primary store have?");
    assert!(paths(&data["sources"]).contains(&"storage/database/primary_store.md"), "{data}");
    assert!(data["sources"].as_array().unwrap().iter().all(|one| one.get("contrary").is_none()), "{data}");
}
