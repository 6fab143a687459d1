//! What the text is taken from: files, standard input, a folder.

use super::{adding, curate, giving, prompts, saying};
use crate::curate::curated;
use crate::env::Env;
use crate::init::json;
use crate::scripted::with_model;
use serde_json::json as value;

fn put(env: &Env, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = env.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn five_files_are_shown_at_once_under_their_names() {
    let env = giving(&value!([adding("Jobs", &[("a", "The value of e is 15")])]));
    let files: Vec<String> = (1..=5).map(|number| format!("notes/{number}.md")).collect();
    for (path, name) in files.iter().zip(["a", "b", "c", "d", "e"]) {
        put(&env, &[(path, &format!("The value of {name} is 1{}.\n", name.len() * 5))]);
    }
    let flags: Vec<&str> = files.iter().flat_map(|file| ["--file", file]).collect();
    let (_, told) = curate(&env, &flags, 0);
    assert!(told["data"]["applied"][0]["unsupported"].is_null(), "{told}");
    let asked = prompts(&env, "one");
    assert_eq!(asked.len(), 1);
    for part in
        ["Source 1 of 5.", "file: notes/1.md\n\nThe value of a is 15.", "Source 5 of 5.", "file: notes/5.md"]
    {
        assert!(asked[0].contains(part), "{part}: {}", asked[0]);
    }
    assert_eq!(
        env.brv(&[
            "curate",
            "--file",
            "notes/1.md",
            "--file",
            "notes/2.md",
            "--into",
            "a/b",
            "--title",
            "T",
            "--reason",
            "r"
        ])
        .code,
        2,
        "several files without a model"
    );
}

#[test]
fn a_folder_is_shown_five_files_at_a_time_and_lands_at_once() {
    let lines = "say({'operations': [{'type': 'ADD', 'path': 'docs/notes', 'title': 'Note %d' % count, 'reason': 'told', 'markdown': 'Text.'}]})";
    let env = with_model(curated(), "one", lines);
    for number in 1..=12 {
        put(&env, &[(&format!("docs/{}/{number:02}.md", number % 2), &format!("Text of file {number}.\n"))]);
    }
    put(
        &env,
        &[
            ("docs/.hidden.md", "hidden"),
            ("docs/.git/config", "hidden"),
            ("docs/target/out.txt", "hidden"),
            ("docs/node_modules/x/README.md", "hidden"),
            ("docs/logo.png", "\u{89}PNG\0\0hidden"),
            ("docs/empty.md", "\n"),
        ],
    );
    let (_, told) = curate(&env, &["--folder", "docs"], 0);
    assert_eq!(told["data"]["summary"]["added"], 3, "{told}");
    assert!(told["data"]["commit"].is_string());
    assert_eq!(told["warnings"], value!(["files that are not UTF-8 text were left out: 1"]));
    let asked = prompts(&env, "one");
    assert_eq!(asked.len(), 3);
    assert!(
        asked[0].contains("file: 0/02.md")
            && asked[2].contains("Source 2 of 2.")
            && asked[2].contains("1/11.md")
    );
    assert!(asked[1].contains("ADD docs/notes Note 1"), "{}", asked[1]);
    assert!(!asked.concat().contains("hidden"), "{asked:?}");
}

#[test]
fn a_long_text_is_summarised_and_facts_are_looked_up_in_the_text_itself() {
    let facts = [("deep", "The code word is Quetzal"), ("summary", "The answer is Xylophone")];
    let lines = format!(
        "if prompt.startswith('You are given'):\n    say('The answer is Xylophone.')\nelse:\n    {}",
        saying(&value!([adding("Jobs", &facts)]))
    );
    let env = with_model(curated(), "one", &lines);
    let text = format!(
        "{}The code word is Quetzal.\n{}",
        "Nothing here.\n".repeat(2_000),
        "Nor here.\n".repeat(2_000)
    );
    let ran = env.brv_reading(&["curate", "--model", "--file", "-", "--json"], text.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let told = json(&ran.stdout);
    assert_eq!(told["data"]["applied"][0]["unsupported"], value!(["summary"]), "{told}");
    assert_eq!(told["warnings"], value!([]));
    let asked = prompts(&env, "one");
    assert!(asked.last().unwrap().contains("A summary of the source."), "{asked:?}");
    assert!(
        asked.len() == 4 && asked.iter().all(|prompt| prompt.chars().count() <= 20_000),
        "{}",
        asked.len()
    );
}

#[test]
fn ten_megabytes_end_though_the_model_answers_longer_than_asked() {
    let lines = format!(
        "if prompt.startswith('You are given'):\n    say(prompt[-16000:] + 'and more and more')\nelse:\n    {}",
        saying(&value!([]))
    );
    let env = with_model(curated(), "one", &lines);
    let text = "All work and no play makes a dull boy.\n".repeat(9_999_990 / 39);
    let ran = env.brv_reading(&["curate", "--model", "--file", "-", "--json"], text.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let warnings = json(&ran.stdout)["warnings"].to_string();
    assert!(
        warnings.contains("of 9999990 characters were read") && warnings.contains("was cut off"),
        "{warnings}"
    );
    let asked = prompts(&env, "one");
    assert!(
        asked.len() <= 33 && asked.iter().all(|prompt| prompt.chars().count() <= 20_000),
        "{}",
        asked.len()
    );
    let more = format!("{text}1234567890123456789");
    let ran = env.brv_reading(&["curate", "--model", "--file", "-"], more.as_bytes());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
