//! The order of an index is that of one tree on this machine that has all of them as folders.

use super::super::noida::Noida;
use super::{Organisation, TreeFile, entry, fixture, places};
use crate::init;
use serde_json::Value;
use std::collections::BTreeSet;

/// After the last change of an entry, so that recency counts.
const NOW: &str = "2026-02-03T00:00:00Z";

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
    let arguments = ["search", question, "--no-hits", "--explain", "--limit", limit, "--json"];
    let ran = env.brv_with(&[("BRV_CLOCK", NOW)], &arguments);
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
    let organisation = Organisation::at(NOW, &trees);
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

/// The blocks of all entries of a tree, each as an entry: many more than are ranked, of real words.
fn blocks(tree: &str) -> Vec<TreeFile> {
    let mut files = Vec::new();
    for (path, text) in fixture(tree) {
        let body = text.splitn(3, "---\n").nth(2).unwrap_or(&text);
        let changed = text.lines().find(|line| line.starts_with("updatedAt: "));
        // one that tells no time changed, for a local search, with its last commit
        let changed = changed.unwrap_or("updatedAt: 2025-02-03T00:00:00Z");
        let is_block = |block: &&str| block.len() > 30 && !block.starts_with('#');
        let lines = body.split(['\n']).map(str::trim).filter(is_block);
        for (number, block) in lines.enumerate() {
            let title: String = block.chars().filter(|c| c.is_alphanumeric() || *c == ' ').take(30).collect();
            let folder = path.trim_end_matches(".md");
            files.push((
                format!("{folder}/block_{number:03}.md"),
                format!("---\ntitle: \"{}\"\n{changed}\n---\n{block}\n", title.trim()),
            ));
        }
    }
    files
}

/// Questions of words that many blocks have.
const BROAD: [&str; 40] = [
    "how are entries of the tree merged in git",
    "why is a file of the tree written twice",
    "which files does a commit have",
    "the index of a tree and its entries",
    "what does a command do without a tree",
    "a path of the tree and the folder of an entry",
    "git commit of one file",
    "when is the state of the tree lost",
    "one file is read by every command",
    "where does brv write a file",
    "entries with the same path on two sides",
    "tests of git and of the tree",
    "time of an observation and its error",
    "which command reads the tree and the index",
    "a text with lines of one file",
    "what is kept in the state of a tree",
    "only one process may write a tree",
    "branch, commit and merge of a tree",
    "no entry may be lost in a merge",
    "bytes of a file and its hash",
    "what happens to a file that git does not know",
    "errors of a command and its exit code",
    "the first line of a file",
    "users of a tree and their commits",
    "how long does a command take with many entries",
    "files and folders that are not entries",
    "every write is a commit",
    "if two files have the same name",
    "what is the default of a setting for a tree",
    "merge both sides of an entry by its lines",
    "why not use git for that",
    "an entry has a title and a text",
    "remote, push and pull of one tree",
    "order of results and their path",
    "what must be read before a file is written",
    "the same bytes in two commits",
    "a test that reads the index of git",
    "lines that both sides of a merge changed",
    "a command for one entry of the tree",
    "data that only one machine has",
];

#[test]
fn of_more_matches_than_are_ranked_the_first_ten_are_nearly_those_of_one_local_tree() {
    let trees = ["brv", "observatory", "dream"].map(|name| (name, blocks(name)));
    let organisation = Organisation::at(NOW, &trees);
    let env = local(&trees);
    let (mut shared, mut most, mut asked) = (0, 0, 0);
    for question in BROAD {
        let found = organisation.search(&[question, "--limit", "10"]);
        if found["total"].as_u64().unwrap() <= 200 {
            continue;
        }
        let expected = asked_locally(&env, question, "50");
        let own: BTreeSet<String> =
            entries(&expected).iter().take(10).map(|row| row["path"].as_str().unwrap().to_owned()).collect();
        let rows: BTreeSet<String> = places(&found).into_iter().collect();
        let same = own.intersection(&rows).count();
        assert_eq!(found["covered"], expected["covered"], "{question}");
        shared += same;
        most += own.len();
        asked += 1;
    }
    let overlap = shared as f64 / most as f64;
    println!("overlap at 10: {overlap:.3} of {asked} questions");
    assert!(asked >= 25 && overlap >= 0.95, "{overlap} of {asked} questions");
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

#[test]
fn noida_answers_as_the_strict_engine() {
    let organisation = Organisation::at(NOW, &[("sky", fixture("observatory"))]);
    let Some(noida) = Noida::start(&organisation.env) else { return };
    let there = ["--engine", &noida.url];
    let push = [&["index", "push", "--remotes", "trees.txt"], &there[..]].concat();
    let ran = organisation.env.brv(&push);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for question in [
        "meridian flip",
        "plate sovling",
        "tag:observing",
        "\"flat frames\"",
        "astrom",
        "造父变星",
        "2025-05-03",
    ] {
        let own = organisation.search(&[question, "--explain"]);
        let other = organisation.search(&[&[question, "--explain"], &there[..]].concat());
        for key in ["results", "total", "covered", "explain"] {
            assert_eq!(other[key], own[key], "{question}: {key}");
        }
    }
    let (_, status) = organisation.data(&["index", "status", "--engine", &noida.url]);
    assert_eq!(
        (&status["engine"]["name"], &status["trees"][0]["tree"]),
        (&"elasticsearch".into(), &"sky".into())
    );
    assert!(status["bytes"].as_u64().unwrap() > 0, "{status}");
    let (ran, dropped) = organisation.data(&["index", "drop", "sky", "--engine", &noida.url]);
    assert_eq!((ran.code, &dropped["removed"]), (0, &status["documents"]), "{}", ran.stdout);
    assert_eq!(places(&organisation.search(&["meridian flip", "--engine", &noida.url])), [""; 0]);
    assert_eq!(organisation.env.brv(&push).code, 0);
    let (_, again) = organisation.data(&["index", "status", "--engine", &noida.url]);
    assert_eq!(again["documents"], status["documents"]);
}
