//! `brv prime`: what it says stands in the tree, can be typed, and fits.

use crate::derive::copy;
use crate::env::{Env, tree};
use crate::help::words;
use crate::init::{commit, json, project, write};
use std::path::Path;

const TOKENS: &str = "---\ntitle: Token lifetime\nsummary: how long\ntags: [auth, security]\n---\n\n## Narrative\n\n### Rules\n\n- never twice\n\n## Facts\n- **access token**: lives 15 minutes [convention]\n- **refresh token**: lives 12 hours [environment]\n";
const DISPUTED: &str = "---\ntitle: Retries\ntags: [auth]\ndisputed: [most retries]\n---\n\n## Facts\n- **most retries**: 3 [project]\n- **most retries**: 5 [project]\n";

#[track_caller]
fn prime(env: &Env) -> String {
    let ran = env.brv(&["prime", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let answer = json(&ran.stdout);
    assert_eq!(answer["schema"], "brv.prime/1");
    let document = answer["data"]["document"].as_str().unwrap().to_owned();
    assert_eq!(answer["data"]["token_estimate"], document.chars().count().div_ceil(4));
    assert!(document.chars().count() <= 6_000, "{}", document.chars().count());
    document
}

#[track_caller]
fn has(document: &str, lines: &[&str]) {
    for line in lines {
        assert!(document.contains(line), "{line}\n{document}");
    }
}

#[test]
fn an_empty_tree_says_how_to_begin_and_no_tree_is_an_error() {
    let env = Env::new();
    assert_eq!(env.brv(&["prime"]).code, 3);
    let env = project(&[]);
    has(
        &prime(&env),
        &["# Knowledge in `.brv/context-tree`", "Nothing is stored yet.", "brv curate --commit"],
    );
}

#[test]
fn it_counts_what_is_there_and_says_the_same_again() {
    let env = project(&[
        ("auth/sessions/token_lifetime.md", TOKENS),
        ("auth/retries.md", DISPUTED),
        ("auth/context.md", "# Auth\n\n## Purpose\n\nWho may do what, and for how long.\n"),
        ("ops/backups.md", "# Backups\n\nAt night.\n"),
    ]);
    commit(&env, "start");
    let document = prime(&env);
    has(
        &document,
        &[
            "3 entries in 2 domains.",
            "- `auth` 2: Who may do what, and for how long.\n- `ops` 1\n",
            "`brv read auth/",
            "  - sections: Facts 2\n",
            "  - frontmatter: tags 2, title 2\n",
            "  - tags: auth 2\n",
            "  - 4 facts, 4 with a bold subject; categories: project 2, convention 1, environment 1\n",
            "- `auth/retries.md`: most retries\n",
        ],
    );
    assert!(!document.contains("Pending review"), "{document}");
    assert_eq!(prime(&env), document);
    assert_eq!(env.brv(&["prime"]).stdout, document, "the text is the document");
    // another day
    let later = Env::brv(&env.with("BRV_CLOCK", "2031-01-01T00:00:00Z"), &["prime"]);
    assert_eq!(later.stdout, document);
}

#[test]
fn edits_that_nobody_committed_count() {
    // files are looked at again after two seconds, unless told otherwise
    let env = project(&[("auth/retries.md", DISPUTED)]).with("BRV_SEARCH_FRESHNESS", "0");
    commit(&env, "start");
    has(&prime(&env), &["1 entry in 1 domain.", "## Disputed"]);
    write(&env, &[("auth/retries.md", "# Retries\n\nSettled.\n"), ("zoo/animals.md", "# Animals\n")]);
    let document = prime(&env);
    has(&document, &["2 entries in 2 domains.", "- `zoo` 1\n"]);
    assert!(!document.contains("Disputed"), "{document}");
    std::fs::remove_dir_all(tree(&env).join("zoo")).unwrap();
    has(&prime(&env), &["1 entry in 1 domain."]);
}

#[test]
fn what_waits_for_review_is_listed_until_it_is_decided() {
    let env = project(&[("auth/token_lifetime.md", TOKENS), ("ops/backups.md", "# Backups\n\nAt night.\n")]);
    commit(&env, "start");
    let ops = "[{\"type\": \"DELETE\", \"path\": \"auth/token_lifetime.md\", \"reason\": \"stale\"}]";
    let ran = env.brv_reading(&["curate", "--ops", "-"], ops.as_bytes());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    has(&prime(&env), &["## Pending review: `brv review`\n\n- `auth/token_lifetime.md`: deleted\n"]);
    let pending = json(&env.brv(&["review", "pending", "--json"]).stdout);
    let id = pending["data"]["pending"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(env.brv(&["review", "approve", &id]).code, 0);
    assert!(!prime(&env).contains("Pending"));
}

#[test]
fn what_it_tells_to_type_works() {
    for name in ["observatory", "brv"] {
        let env = project(&[]);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees").join(name);
        copy(&from, &tree(&env));
        let document = prime(&env);
        let mut ran = 0;
        for typed in document.split('`').skip(1).step_by(2).filter(|text| text.starts_with("brv ")) {
            let words = words(typed);
            let words: Vec<&str> = words.iter().skip(1).map(AsRef::as_ref).collect();
            // what has a word in capitals is a form to fill in, and `-` would read standard input
            let is_form = |word: &&str| *word == "-" || word.chars().all(|char| char.is_ascii_uppercase());
            if !words.iter().any(is_form) {
                let ran_it = env.brv(&words);
                assert_eq!(ran_it.code, 0, "{typed}: {}", ran_it.stderr);
                ran += 1;
            }
        }
        assert!(ran >= 4, "{name}: {ran}\n{document}");
    }
}
