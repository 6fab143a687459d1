//! The order of an index is that of one tree on this machine that has all of them as folders.

use super::{Organisation, TreeFile, entry, fixture, places};
use crate::init;
use serde_json::Value;

/// Questions of every kind.
const QUESTIONS: [&str; 48] = [
    "merge conflict",
    "how are two versions of an entry merged",
    "why does the merge never lose a fact",
    "what happens when a push is refused",
    "meridian flip",
    "when does the mount flip",
    "meridan flp",
    "plate sovling",
    "photometrie",
    "refrsh token rotaton",
    "calib",
    "astrom",
    "the moun",
    "\"flat frames\"",
    "\"plate solving\" accuracy",
    "\"no such phrase anywhere\" dark frames",
    "tag:merge",
    "tag:security tokens",
    "tag:nosuchtag tokens",
    "tag:observing tag:planning",
    "2025-05-03",
    "what was decided in 2025",
    "May 2025",
    "decisions of 2026-01",
    "Meridian flip",
    "Rate limits",
    "rate limiting",
    "AuthService",
    "refreshTokenRotation",
    "refresh_token",
    "context.md",
    "tree-id",
    "造父变星",
    "小行星掩星の観測",
    "観測計画",
    "расписание наблюдений",
    "السلامة الشمسية",
    "ฝนดาวตก",
    "आकाश दर्शन",
    "atmosphärische Extinktion",
    "atmospharische extinktion",
    "the of and to",
    "what is it",
    "how many retries",
    "which database do we use and why",
    "zebra xylophone",
    "who may deploy on fridays",
    "ERROR 503: upstream connect error or disconnect/reset before headers",
];

/// A project whose tree has all the trees as folders.
fn local(trees: &[(&str, Vec<TreeFile>)]) -> crate::env::Env {
    let env = init::project(&[]);
    for (name, files) in trees {
        let files: Vec<(String, &str)> =
            files.iter().map(|(path, text)| (format!("{name}/{path}"), &**text)).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
        init::write(&env, &files);
    }
    init::commit(&env, "all trees");
    env
}

fn asked_locally(env: &crate::env::Env, question: &str, limit: &str) -> Value {
    let ran = env.brv(&["search", question, "--no-hits", "--explain", "--limit", limit, "--json"]);
    assert_eq!(ran.code, 0, "{question}: {}{}", ran.stdout, ran.stderr);
    super::envelope(&ran)["data"].clone()
}

/// Rows without those of folders, which an index has not.
fn entries(data: &Value) -> Vec<&Value> {
    let rows = data["results"].as_array().unwrap().iter();
    rows.filter(|row| !["domain", "topic", "subtopic"].contains(&row["kind"].as_str().unwrap())).collect()
}

/// What of both rows must be the same.
const SAME: [&str; 11] = [
    "title",
    "date",
    "kind",
    "relevance",
    "score",
    "importance",
    "recency",
    "maturity",
    "excerpt",
    "line",
    "updated_at",
];

#[test]
fn an_index_answers_as_one_local_tree_that_has_all_trees_as_folders() {
    let trees = ["brv", "observatory", "dream"].map(|name| (name, fixture(name)));
    let organisation = Organisation::of(&trees);
    let env = local(&trees);
    let (mut questions, mut compared, mut covered) = (0, 0, 0);
    let mut wrong = Vec::new();
    for question in QUESTIONS {
        let expected = asked_locally(&env, question, "50");
        let found = organisation.search(&[question, "--explain", "--limit", "50"]);
        let matching = found["total"].as_u64().unwrap();
        if matching > 200 {
            continue;
        }
        let (own, rows) = (entries(&expected), entries(&found));
        for (place, (own, row)) in own.iter().zip(&rows).enumerate() {
            let path = format!("{}/{}", row["tree"].as_str().unwrap(), row["path"].as_str().unwrap());
            if own["path"] != *path {
                wrong.push(format!("{question}: {place}: {path} instead of {}", own["path"]));
                break;
            }
            let differs = |key: &&&str| own.get(**key) != row.get(**key);
            let differing = SAME.iter().filter(differs);
            wrong.extend(
                differing.map(|key| format!("{question}: {path}: {key} {} is not {}", row[key], own[key])),
            );
        }
        // folders take places of a local search
        if expected["results"].as_array().unwrap().len() < 50 && own.len() != rows.len() {
            wrong.push(format!("{question}: {} rows instead of {}", rows.len(), own.len()));
        }
        for key in ["covered", "explain"] {
            if own.is_empty() == rows.is_empty() && expected[key] != found[key] {
                wrong.push(format!("{question}: {key}: {} is not {}", found[key], expected[key]));
            }
        }
        questions += 1;
        compared += rows.len();
        covered += usize::from(found["covered"] == true);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{questions} questions, {compared} rows, {covered} covered");
    assert!(questions > 40 && compared > 300 && covered > 8, "{questions}, {compared}, {covered}");
}

#[test]
fn an_entry_is_found_by_a_word_of_its_end_and_by_its_whole_text() {
    let line = "The quick brown fox jumps over the lazy dog, and nothing else happens here.\n";
    let long = format!("{}\n## End\n\nOnly here stands the word palimpsest.\n", line.repeat(400));
    let trees = [("long", vec![entry("a/b/long.md", "Long", &long), entry("a/b/short.md", "Short", line)])];
    let organisation = Organisation::of(&trees);
    let found = organisation.search(&["palimpsest"]);
    assert_eq!(places(&found), ["long/a/b/long.md"]);
    assert_eq!(found["total"], 1);
    let sent = organisation.engine.documents("brv");
    let sent = sent.iter().find(|(.., sent)| sent["path"] == "a/b/long.md").unwrap();
    assert!(sent.2["text"].as_str().unwrap().chars().count() <= 8_000);
    // a pasted log of more words than an engine takes clauses
    let log: Vec<String> = (0..5_000).map(|number| format!("worker{number}")).collect();
    let found = organisation.search(&[&format!("{} palimpsest fox", log.join(" "))]);
    assert!(found["results"].is_array(), "{found}");
    let found = organisation.search(&[&format!("palimpsest fox {}", log.join(" "))]);
    assert_eq!(places(&found)[0], "long/a/b/long.md");
}
