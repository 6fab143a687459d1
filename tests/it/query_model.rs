//! `brv query` with a model: what it is shown, what its answer is worth, and what happens where it gives none.

mod agent;
mod over_http;
mod withheld;

use crate::env::{Env, Ran};
use crate::init::{commit, json};
use crate::search::{asked, knowledge, paths, write};
use serde_json::{Value, json as value};
use std::path::PathBuf;

/// A question that the entries of [`knowledge`] answer with passages only.
const OPEN: &str = "Which keys, sessions, nodes and archives do Redis or the gateway keep?";

/// A model that is a script: it keeps its requests, and gives the answers in their order, the last one again and again.
struct Scripted {
    env: Env,
    folder: PathBuf,
}

impl Scripted {
    fn new(env: Env, answers: &[&str]) -> Self {
        let folder = env.path("model");
        std::fs::create_dir_all(&folder).unwrap();
        let script = "n=$(cat \"$1/count\" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > \"$1/count\"\n\
cat > \"$1/$n.asked\"\nwhile [ ! -e \"$1/$n.answer\" ]; do n=$((n - 1)); done\ncat \"$1/$n.answer\"\n";
        std::fs::write(folder.join("answer.sh"), script).unwrap();
        let command = value!(["sh", folder.join("answer.sh"), folder]).to_string();
        let model = Self { env: env.with("BRV_MODEL_COMMAND", &command), folder };
        model.answers(answers);
        model
    }

    /// Begin anew, with these answers.
    fn answers(&self, answers: &[&str]) {
        for number in 1..=self.calls() {
            drop(std::fs::remove_file(self.folder.join(format!("{number}.asked"))));
        }
        for number in 1..200 {
            drop(std::fs::remove_file(self.folder.join(format!("{number}.answer"))));
        }
        drop(std::fs::remove_file(self.folder.join("count")));
        for (answer, number) in answers.iter().zip(1..) {
            std::fs::write(self.folder.join(format!("{number}.answer")), answer).unwrap();
        }
    }

    /// How often it was asked.
    fn calls(&self) -> usize {
        let count = std::fs::read_to_string(self.folder.join("count")).unwrap_or_default();
        count.trim().parse().unwrap_or(0)
    }

    /// What it was asked, call by call.
    fn prompts(&self) -> Vec<String> {
        let read = |number| std::fs::read_to_string(self.folder.join(format!("{number}.asked"))).unwrap();
        (1..=self.calls()).map(read).collect()
    }

    fn query(&self, question: &str, options: &[&str]) -> (Ran, Value) {
        asked(&self.env, &[&["query", question], options].concat())
    }
}

/// The words of the warnings, also of those that the text shows by itself.
fn warnings(ran: &Ran) -> String {
    json(&ran.stdout)["warnings"].to_string()
}

fn verdict(answer: &str, cited: &[i64]) -> String {
    value!({ "answer": answer, "cited": cited, "covered": true }).to_string()
}

#[test]
fn a_question_without_a_direct_answer_is_asked_once_with_numbered_passages() {
    let model = Scripted::new(knowledge(), &[&verdict("Redis keeps sessions for ten minutes.", &[2, 1])]);
    let (ran, data) = model.query(OPEN, &["--explain"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!((data["tier"].as_u64(), data["by"].as_str()), (Some(3), Some("model")), "{data}");
    assert_eq!(data["answer"], "Redis keeps sessions for ten minutes.");
    assert_eq!((data["covered"].as_bool(), data["model"]["calls"].as_u64()), (Some(true), Some(1)));
    assert!(data["passages"].as_array().unwrap().is_empty() && data.get("message").is_none(), "{data}");
    let (_, without) = model.query(OPEN, &["--no-model"]);
    let passage = paths(&without["passages"])[0];
    let sources = paths(&data["sources"]);
    assert!(
        sources.len() == 2 && sources[1] == passage && sources[0] != passage,
        "in the order cited: {data}"
    );
    assert!(data["sources"][0]["commit"].is_string(), "{data}");
    assert!(warnings(&ran) == "[]", "{}", warnings(&ran));

    let prompts = model.prompts();
    assert_eq!(prompts.len(), 1);
    let first = prompts[0].find("Passage 1\n<brv-data ").unwrap();
    assert!(prompts[0][first..].contains("Passage 2\n<brv-data "), "{}", prompts[0]);
    assert!(prompts[0].contains(OPEN) && prompts[0].contains("auth/tokens\n"), "{}", prompts[0]);

    let told = model.env.brv(&["query", OPEN]);
    assert!(told.stdout.contains("Redis keeps") && told.stdout.contains("written by "), "{}", told.stdout);
    assert!(told.stdout.contains(&format!("from {passage}:")), "{}", told.stdout);
}

#[test]
fn an_answer_is_kept_for_the_same_settings_and_the_same_tree() {
    let model = Scripted::new(knowledge(), &[&verdict("Ten minutes.", &[1])]);
    model.query(OPEN, &[]);
    let (_, again) = model.query(OPEN, &[]);
    assert_eq!((again["tier"].as_u64(), again["by"].as_str()), (Some(0), Some("cache")), "{again}");
    assert_eq!((again["answer"].as_str(), again["model"]["calls"].as_u64()), (Some("Ten minutes."), Some(0)));
    assert_eq!(model.calls(), 1);
    let (_, without) = model.query(OPEN, &["--no-model"]);
    assert_eq!((without["by"].as_str(), without.get("model")), (Some("passages"), None), "{without}");
    let (_, without) = model.query(OPEN, &["--no-model"]);
    assert_eq!((without["by"].as_str(), without["answer"].as_str()), (Some("cache"), None));
    assert_eq!(model.query(OPEN, &[]).1["answer"], "Ten minutes.");
    assert_eq!(model.calls(), 1);
    write(&model.env, "storage/cache/sizes.md", "# Sizes\n\nRedis has two gigabytes.\n");
    assert_eq!(model.query(OPEN, &["--fresh"]).1["by"], "model");
    assert_eq!(model.calls(), 2);
}

#[test]
fn what_has_a_direct_answer_or_nothing_near_asks_nothing() {
    let model = Scripted::new(knowledge(), &[&verdict("Invented.", &[1])]);
    for (question, options) in [
        ("What is the access token lifetime?", &["--tier-max", "4"][..]),
        ("Who painted the ceiling of the opera?", &["--tier-max", "4"]),
        (OPEN, &["--tier-max", "2"]),
        (OPEN, &["--no-model"]),
        (OPEN, &["--no-model", "--tier-max", "4"]),
    ] {
        let (ran, data) = model.query(question, options);
        assert!(ran.code == 0 && data.get("model").is_none(), "{question} {options:?}: {data}");
    }
    assert_eq!(model.calls(), 0);
}

#[test]
fn foreign_numbers_are_dropped_and_an_uncited_answer_is_not_shown() {
    let model = Scripted::new(knowledge(), &[&verdict("Two weeks.", &[99, 1, 0, 1, -3])]);
    let (_, data) = model.query(OPEN, &[]);
    assert_eq!(
        (data["by"].as_str(), data["sources"].as_array().unwrap().len()),
        (Some("model"), 1),
        "{data}"
    );
    for answer in [verdict("Two weeks.", &[]), verdict("Two weeks.", &[99, 0])] {
        model.answers(&[&answer]);
        let (ran, data) = model.query(OPEN, &["--no-cache"]);
        assert_eq!((ran.code, data["tier"].as_u64(), data["by"].as_str()), (0, Some(3), Some("passages")));
        assert!(data["answer"].is_null() && !ran.stdout.contains("Two weeks"), "{data}");
        assert!(!data["passages"].as_array().unwrap().is_empty());
        assert!(warnings(&ran).contains("cites no passage"), "{}", ran.stdout);
        assert_eq!((model.calls(), data["model"]["calls"].as_u64()), (1, Some(1)), "not asked again");
    }
}

#[test]
fn a_model_that_says_not_covered_overrides_the_search() {
    let answer = value!({ "answer": "Two weeks.", "cited": [1], "covered": false }).to_string();
    let model = Scripted::new(knowledge(), &[&answer]);
    let (ran, data) = model.query(OPEN, &[]);
    assert_eq!((ran.code, data["by"].as_str(), data["covered"].as_bool()), (0, Some("none"), Some(false)));
    assert_eq!(data["message"], "this query appears outside the scope of stored knowledge");
    assert!(
        data["answer"].is_null() && paths(&data["sources"]).is_empty() && paths(&data["passages"]).is_empty()
    );
    assert!(json(&ran.stdout)["next"].to_string().contains("brv curate"), "{}", ran.stdout);
}

#[test]
fn whatever_goes_wrong_gives_the_passages_and_is_not_kept() {
    let model = Scripted::new(knowledge(), &["<html><body>Bad gateway</body></html>"]);
    for answer in ["<html>Bad gateway</html>", "", "{\"answer\": 3}", "{\"answer\": \"cut", "\u{0}\u{1b}[31m"]
    {
        model.answers(&[answer]);
        let (ran, data) = model.query(OPEN, &[]);
        assert_eq!((ran.code, data["by"].as_str()), (0, Some("passages")), "{answer:?}: {data}");
        assert!(!data["passages"].as_array().unwrap().is_empty() && data["answer"].is_null());
        assert!(warnings(&ran).contains("no usable answer"), "{answer:?}: {}", warnings(&ran));
        // silence is not an answer that could be mended
        let repaired = if answer.is_empty() { 0 } else { 2 };
        assert_eq!(
            (model.calls(), data["model"]["repaired"].as_u64()),
            (1 + repaired, Some(repaired as u64))
        );
    }
    let absent = model.env.with("BRV_MODEL_COMMAND", "[\"no-such-program\"]");
    let (ran, data) = asked(&absent, &["query", OPEN]);
    assert_eq!((ran.code, data["by"].as_str()), (0, Some("passages")), "{data}");
    assert!(warnings(&ran).contains("no-such-program"), "{}", ran.stdout);
}

#[test]
fn an_object_that_cannot_be_read_is_asked_for_again_with_the_reason() {
    let model = Scripted::new(knowledge(), &["Ten minutes, I think.", &verdict("Ten minutes.", &[1])]);
    let (_, data) = model.query(OPEN, &[]);
    assert_eq!(
        (data["answer"].as_str(), data["model"]["repaired"].as_u64()),
        (Some("Ten minutes."), Some(1))
    );
    assert!(model.prompts()[1].contains("cannot be used"), "{}", model.prompts()[1]);
}

#[test]
fn the_answer_of_a_model_cannot_move_the_cursor() {
    let model = Scripted::new(knowledge(), &[&verdict("Ten\u{1b}[2J minutes\u{7}.", &[1])]);
    let told = model.env.brv(&["query", OPEN]);
    assert!(!told.stdout.contains('\u{1b}') && !told.stdout.contains('\u{7}'), "{:?}", told.stdout);
    assert!(told.stdout.contains("Ten"));
}

#[test]
fn no_secret_leaves() {
    let none = value!({ "answer": null, "cited": [], "covered": true }).to_string();
    let read = value!({ "tool": "read", "arguments": { "path": "storage/cache/login.md" } }).to_string();
    let model = Scripted::new(knowledge(), &[&none, &read, &verdict("It is set.", &[1])]);
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    write(
        &model.env,
        "storage/cache/login.md",
        &format!("# Login\n\nThe gateway logs in with {secret} now.\n"),
    );
    let (ran, data) = model.query(OPEN, &["--fresh", "--tier-max", "4"]);
    assert_eq!((ran.code, data["by"].as_str()), (0, Some("agent")), "{data}");
    let prompts = model.prompts().concat();
    assert!(prompts.contains("The gateway logs in with") && !prompts.contains(secret), "{prompts}");
}

#[test]
fn what_a_model_wrote_about_an_entry_is_shown_to_it_and_the_words_of_the_entry_are_cited() {
    let written = value!({"summary": "What the cellar is", "gist": "The vault keeps gold.", "points": ["It is cold."],
        "entities": [], "patterns": []});
    let model = Scripted::new(knowledge(), &[&written.to_string()]);
    let text = "---\ntitle: Cellar\nsummary: What the cellar is\n---\n\nThe cellar of the gateway has a vault, and nobody \
opens it in the cold months of the year, not even the owner.\n";
    write(&model.env, "storage/cache/cellar.md", text);
    commit(&model.env, "the cellar");
    let ran = model.env.brv(&["derive", "--model", "--overviews", "storage/cache/cellar.md"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    model.answers(&[&verdict("Ten minutes.", &[1])]);
    let (_, data) = model.query(OPEN, &["--fresh"]);
    assert_eq!(data["by"], "model", "{data}");
    let prompt = model.prompts().concat();
    assert!(prompt.contains("The vault keeps gold."), "{prompt}");
    let at = prompt[..prompt.find("The vault keeps gold.").unwrap()].rfind("Passage ").unwrap();
    let number: i64 = prompt[at + 8..].split_whitespace().next().unwrap().parse().unwrap();
    model.answers(&[&verdict("Gold.", &[number])]);
    let (_, data) = model.query(OPEN, &["--no-cache"]);
    assert_eq!(paths(&data["sources"]), ["storage/cache/cellar.md"], "{data}");
    assert!(data["sources"][0]["excerpt"].as_str().unwrap().contains("not even the owner"), "{data}");
}
