//! `brv brain --for PATH…`: which entries are about a file, what of them is shown, and how often.

use crate::env::{Env, Ran};
use crate::init::{json, write};
use serde_json::Value;
use std::path::PathBuf;

const RETRY: &str = "---\ntitle: Retries\n---\n\n## Facts\n- **most**: `MOST_TRIES` in `src/net/retry.rs` is 5 [project]\n- **load**: warning: every retry doubles the load [project]\n- **port**: the gate listens on 8443 [environment]\n";
const FOLDER: &str =
    "---\ntitle: The network code\nsummary: how clients talk\n---\n\nAll of `src/net/` is without locks.\n";
const ABOVE: &str = "---\ntitle: All sources\nsummary: the crate\n---\n\nSee `src/`.\n";
const RETIRED: &str = "---\ntitle: Old retries\nstatus: superseded\n---\n\n- see `src/net/retry.rs`\n";

/// A repository of code with a tree in it.
fn code() -> Env {
    // edits by hand are seen at once
    let env = Env::new().with("BRV_SEARCH_FRESHNESS", "0");
    env.git(env.root(), &["init", "-q", "-b", "main"]);
    host_file(&env, "src/net/retry.rs", "const MOST_TRIES: u32 = 5;\n");
    host_file(&env, "src/net/http/client.rs", "fn get() {}\n");
    host_commit(&env, "start");
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    env
}

fn host_file(env: &Env, path: &str, text: &str) {
    let file = env.path(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn host_commit(env: &Env, message: &str) {
    env.git(env.root(), &["add", "src"]);
    env.git(env.root(), &["commit", "-q", "-m", message]);
}

fn cited() -> Env {
    let env = code();
    let files =
        [("net/retries.md", RETRY), ("net/code.md", FOLDER), ("all.md", ABOVE), ("net/old.md", RETIRED)];
    write(&env, &files);
    crate::init::commit(&env, "start");
    env
}

#[track_caller]
fn known(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.brv(&[&["brain", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    let answer = json(&ran.stdout);
    assert_eq!(answer["schema"], "brv.brain.for/1");
    let document = answer["data"]["document"].as_str().unwrap();
    let tokens = document.chars().count().div_ceil(4);
    assert_eq!(answer["data"]["token_estimate"], tokens);
    assert!(tokens <= 800, "{tokens}");
    answer["data"].clone()
}

/// Path and reason of each entry that is shown.
fn items(data: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let items = data["items"].as_array().unwrap().iter();
    items.map(|item| format!("{} {}", text(&item["path"]), text(&item["why"]))).collect()
}

#[test]
fn what_cites_the_file_or_its_nearest_folder_is_known() {
    let env = cited();
    let data = known(&env, &["--for", "src/net/retry.rs"]);
    assert_eq!(data["paths"], serde_json::json!(["src/net/retry.rs"]));
    assert_eq!(items(&data), ["net/retries.md cites_file", "net/code.md cites_folder"]);
    assert_eq!(
        data["document"],
        "# Known about `src/net/retry.rs`\n\n## Retries (`net/retries.md`)\n\n- **most**: `MOST_TRIES` in `src/net/retry.rs` is 5 [project]\n- **load**: warning: every retry doubles the load [project]\n- **port**: the gate listens on 8443 [environment]\n\n## The network code (`net/code.md`)\n\n- All of `src/net/` is without locks.\n"
    );
    assert_eq!(env.brv(&["brain", "--for", "src/net/retry.rs"]).stdout, data["document"].as_str().unwrap());
    let deep = known(&env, &["--for", "src/net/http/client.rs", "src/other.rs"]);
    assert_eq!(items(&deep), ["all.md cites_folder", "net/code.md cites_folder"]);
    let folder = known(&env, &["--for", "src/net"]);
    assert_eq!(
        items(&folder),
        ["net/retries.md cites_file", "net/code.md cites_file", "all.md cites_folder"]
    );
}

#[test]
fn paths_are_those_of_git_and_nothing_known_is_empty() {
    let env = cited();
    let absolute = env.path("src/net/retry.rs").display().to_string();
    let inside = env.path("src/net");
    for (folder, path) in [(env.root(), &*absolute), (&inside, "retry.rs"), (&inside, "../net/./retry.rs")] {
        let Ran { code, stdout, stderr } = env.brv_in(folder, &["brain", "--json", "--for", path]);
        assert_eq!(code, 0, "{path}: {stderr}");
        assert_eq!(json(&stdout)["data"]["paths"][0], "src/net/retry.rs", "{path}");
    }
    let nothing = known(&env, &["--for", "README"]);
    assert_eq!((items(&nothing).len(), nothing["document"].as_str()), (0, Some("")));
    let ran = env.brv(&["brain", "--for", "README"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    for outside in ["..", "/", "../x.rs", ""] {
        let ran = env.brv(&["brain", "--for", outside]);
        assert_eq!(ran.code, 2, "{outside}: {}", ran.stdout);
    }
    for other in ["--task", "--scope", "--if-none-match", "--budget", "--l0", "--l1", "--l2"] {
        assert_eq!(env.brv(&["brain", "--for", "a.rs", other, "9"]).code, 2, "{other}");
    }
    assert_eq!(Env::new().brv(&["brain", "--for", "a.rs"]).code, 3);
}

#[test]
fn edits_by_hand_are_seen_and_a_stale_entry_says_so() {
    let env = cited();
    let before = known(&env, &["--for", "src/net/retry.rs"]);
    assert!(!before["document"].as_str().unwrap().contains("since"));
    host_file(&env, "src/net/retry.rs", "const MOST: u32 = 5;\n");
    let stale = known(&env, &["--for", "src/net/retry.rs"]);
    let document = stale["document"].as_str().unwrap();
    let (_, line) = document.split_once("## Retries (`net/retries.md`)\n").unwrap();
    assert!(
        line.starts_with("changed since ") && line.contains(": MOST_TRIES gone from src/net/retry.rs\n\n- "),
        "{line}"
    );
    write(
        &env,
        &[
            ("net/retries.md", "# Retries\n\nNothing.\n"),
            ("net/new.md", "# New\n\n- `src/net/retry.rs` is fine\n"),
        ],
    );
    let data = known(&env, &["--for", "src/net/retry.rs"]);
    assert_eq!(items(&data), ["net/new.md cites_file", "net/code.md cites_folder"]);
}

#[test]
fn what_learned_from_a_commit_that_changed_the_file_is_known_until_it_is_undone() {
    let env = code();
    host_file(&env, "src/net/retry.rs", "const MOST_TRIES: u32 = 6;\n");
    host_commit(&env, "net: more tries\n\nWarn: tries: more than six wake the pager");
    assert_eq!(env.brv(&["curate", "--commit", "HEAD"]).code, 0);
    let data = known(&env, &["--for", "src/net/retry.rs"]);
    // what a commit teaches cites its files, too
    assert_eq!(items(&data).len(), 1, "{data:#}");
    assert!(
        data["document"].as_str().unwrap().contains("- **tries**: warning: more than six wake the pager")
    );
    let path = data["items"][0]["path"].as_str().unwrap().to_owned();
    let file = crate::env::tree(&env).join(&path);
    let text = std::fs::read_to_string(&file).unwrap();
    let without: String = text.split_inclusive('\n').filter(|line| !line.contains("src/net/")).collect();
    std::fs::write(&file, without).unwrap();
    assert_eq!(items(&known(&env, &["--for", "src/net/retry.rs"])), [format!("{path} source_commit")]);
    assert!(items(&known(&env, &["--for", "src/net/http/client.rs"])).is_empty());
    std::fs::write(&file, text).unwrap();
    let undone = env.brv(&["undo", "last"]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert!(items(&known(&env, &["--for", "src/net/retry.rs"])).is_empty());
}

#[test]
fn in_the_repository_of_the_code_the_journal_says_it() {
    let env = Env::new().with("BRV_SEARCH_FRESHNESS", "0");
    env.git(env.root(), &["init", "-q", "-b", "main"]);
    assert_eq!(env.brv(&["init", "-q", "--in-repo"]).code, 0);
    host_file(&env, "src/a.rs", "fn a() {}\n");
    host_commit(&env, "a: begin\n\nDecision: shape: flat, since it is small");
    assert_eq!(env.brv(&["curate", "--commit", "HEAD"]).code, 0);
    let data = known(&env, &["--for", "src/a.rs"]);
    assert_eq!(items(&data).len(), 1, "{data:#}");
    let file: PathBuf = crate::env::tree(&env).join(data["items"][0]["path"].as_str().unwrap());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.lines()
            .filter(|line| !line.contains("a.rs"))
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    )
    .unwrap();
    assert!(items(&known(&env, &["--for", "src/a.rs"]))[0].ends_with(" source_commit"));
}

#[test]
fn a_session_is_shown_the_same_once_in_half_an_hour() {
    let env = cited();
    let at = |minute: u32, session: &str| {
        let clock = format!("2026-06-01T12:{minute:02}:00Z");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        let arguments = ["brain", "--json", "--for", "src/net/retry.rs", "--session", session];
        let ran = Ran::of(&command.env("BRV_CLOCK", clock).args(arguments).output().unwrap());
        items(&json(&ran.stdout)["data"]).len()
    };
    assert_eq!([at(0, "one"), at(1, "one"), at(1, "two"), at(29, "one")], [2, 0, 2, 0]);
    assert_eq!([at(31, "one"), at(32, "one")], [2, 0]);
    write(&env, &[("net/code.md", &FOLDER.replace("talk", "speak"))]);
    assert_eq!([at(33, "one"), at(34, "one")], [1, 0], "what changed is shown again");
    host_file(&env, "src/net/retry.rs", "const MOST: u32 = 5;\n");
    assert_eq!([at(34, "one"), at(34, "one")], [1, 0], "what turned stale is shown again");
    std::fs::write(env.path(".brv/cache/brain-8/shown"), b"\xff\0 nonsense\n").unwrap();
    assert_eq!(at(35, "one"), 2, "what is damaged is forgotten");
}

#[test]
fn entries_about_an_earlier_name_of_a_file_are_known() {
    let env = cited();
    env.git(env.root(), &["mv", "src/net/retry.rs", "src/again.rs"]);
    host_commit(&env, "move");
    let again = || items(&known(&env, &["--for", "src/again.rs"]));
    assert_eq!(again(), ["net/retries.md cites_file", "all.md cites_folder"]);
    assert_eq!(again().len(), 2, "from the cache");
    host_file(&env, "src/net/retry.rs", "// another file\n");
    host_commit(&env, "reuse");
    assert_eq!(again(), ["all.md cites_folder"], "another file has that name today");
}

#[test]
fn in_a_folder_of_the_code_paths_below_the_project_are_known() {
    let env = Env::new().with("BRV_SEARCH_FRESHNESS", "0");
    env.git(env.root(), &["init", "-q", "-b", "main"]);
    host_file(&env, "app/src/a.py", "def a(): pass\n");
    env.git(env.root(), &["add", "app"]);
    env.git(env.root(), &["commit", "-q", "-m", "start"]);
    let app = env.path("app");
    assert_eq!(env.brv_in(&app, &["init", "-q"]).code, 0);
    let tree = app.join(".brv/context-tree");
    for (name, text) in [
        ("a.md", "# A\n\nSee `src/a.py`.\n"),
        ("b.md", "# B\n\nSee `app/src/a.py`.\n"),
        ("c.md", "# C\n\nAll of `src/`.\n"),
    ] {
        std::fs::write(tree.join(name), text).unwrap();
    }
    for (folder, file) in [(&app, "src/a.py"), (&app, "../app/src/a.py")] {
        let ran = env.brv_in(folder, &["brain", "--json", "--for", file]);
        let data = &json(&ran.stdout)["data"];
        assert_eq!(data["paths"][0], "app/src/a.py", "{}", ran.stderr);
        assert_eq!(items(data), ["a.md cites_file", "b.md cites_file", "c.md cites_folder"]);
    }
}

/// Fifty files, each with one fact that has to be shown: among entries of many facts about their folder, about a commit, and
/// about other files.
#[test]
fn of_fifty_planted_facts_nearly_all_are_shown() {
    let env = code();
    let mut files: Vec<(String, String)> = Vec::new();
    let filler = |count: usize, words: &str| -> String {
        (0..count)
            .map(|at| {
                format!("- **part {at} of it**: {words} and nothing else was ever tried here [convention]\n")
            })
            .collect()
    };
    for at in 0..50 {
        let (part, shape) = (at / 5, at % 5);
        let name = format!("src/part_{part}/file_{at}.rs");
        let needed = format!("the number of file {at} is {}", at * 7 + 1);
        let text = match shape {
            // a plain fact that names the file, last of many
            0 => format!("## Facts\n{}- **number**: {needed}, see `{name}`\n", filler(40, "blue")),
            // a warning of an entry whose Raw Concept has the file
            1 => format!(
                "## Raw Concept\n**Files:**\n- {name}\n\n## Facts\n{}- **number**: warning: {needed}\n",
                filler(40, "must be red")
            ),
            // a rule
            2 => format!(
                "Of `{name}`.\n\n## Narrative\n### Rules\n- {needed}\n\n## Facts\n{}",
                filler(30, "green")
            ),
            // a short entry of plain facts
            3 => format!("See `{name}:{at}`.\n\n## Facts\n- **number**: {needed}\n{}", filler(6, "white")),
            // a disputed one
            _ => format!(
                "---\ntitle: T\ndisputed: [number]\n---\nOf `{name}`\n\n## Facts\n{}- **number**: {needed}\n- **number**: it is none\n",
                filler(30, "grey")
            ),
        };
        files.push((format!("parts/p_{part}/entry_{at}.md"), text));
        if shape == 0 {
            files.push((
                format!("parts/p_{part}/folder.md"),
                format!("About `src/part_{part}/`.\n\n## Facts\n{}", filler(40, "must never be")),
            ));
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    write(&env, &files);
    let shown = |at: &usize| {
        let data = known(&env, &["--for", &format!("src/part_{}/file_{at}.rs", at / 5)]);
        data["document"].as_str().unwrap().contains(&format!("the number of file {at} is {}", at * 7 + 1))
    };
    let missed: Vec<usize> = (0..50).filter(|at| !shown(at)).collect();
    assert!(missed.len() <= 2, "{missed:?}");
}

#[test]
fn a_file_that_is_not_there_is_said_on_standard_error() {
    let env = cited();
    let ran = env.brv(&["brain", "--for", "src/net/retyr.rs", "README.md"]);
    assert_eq!(ran.code, 0);
    let said = "warning: `src/net/retyr.rs` is not a file of this project\nwarning: `README.md` is not a file of this project\n";
    assert_eq!(ran.stderr, said);
    let ran = env.brv(&["brain", "--for", "src/net/retry.rs", "src", "--json"]);
    assert_eq!(json(&ran.stdout)["warnings"], serde_json::json!([]), "{}", ran.stdout);
}
