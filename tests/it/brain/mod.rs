//! `brv brain`: what it shows and why, that it is the same everywhere, and what it remembers.

mod ahead;
mod bad_input;
mod files;
mod for_files;
mod since;

use crate::env::{Env, tree};
use crate::init::{commit, json, project, write};
use serde_json::Value;

/// The day of the tests: that of the fixed clock.
const TODAY: &str = "2023-11-14T10:00:00Z";

/// An entry that changed on that day.
pub fn entry(title: &str, changed: &str, more: &str, body: &str) -> String {
    format!(
        "---\ntitle: {title}\nsummary: About {title}\ntags: []\nkeywords: []\nrelated: []\ncreatedAt: {changed}\nupdatedAt: {changed}\n{more}---\n\n{body}\n"
    )
}

/// A committed tree with an entry of each kind.
pub fn knowledge() -> Env {
    let files = [
        ("auth/decisions/tokens.md", entry("Signed tokens", TODAY, "", "Tokens are signed by the gate.")),
        ("auth/bugs/leak.md", entry("Session leak", TODAY, "", "Sessions leak at logout.")),
        ("auth/keys/rotation.md", entry("Key rotation", TODAY, "", "Signing keys rotate every ninety days.")),
        ("ops/todo/backup.md", entry("Test restores", TODAY, "", "Restores must be tested.")),
        ("ops/style/names.md", entry("Names", "2023-10-01T10:00:00Z", "", "Hosts are named after rivers.")),
        ("ops/architecture/db.md", entry("Store", "2023-09-01T10:00:00Z", "", "Postgres on bare metal.")),
        ("ops/old/v1.md", entry("Version one", TODAY, "status: superseded\n", "It ran on paper.")),
    ];
    let env = project(&files.each_ref().map(|(path, text)| (*path, text.as_str())));
    commit(&env, "start");
    // the clock stands still, and edits are to be seen at once
    env.with("BRV_SEARCH_FRESHNESS", "0")
}

/// The same in a repository of code, with an entry about a file of it.
pub fn with_code() -> Env {
    let env = knowledge();
    env.git(env.root(), &["init", "-q"]);
    std::fs::create_dir_all(env.path("src")).unwrap();
    std::fs::write(env.path("src/retry.rs"), "const MAX_RETRIES: u32 = 3;\n").unwrap();
    env.git(env.root(), &["add", "src"]);
    env.git(env.root(), &["commit", "-q", "-m", "retries"]);
    let text = entry("Retries", TODAY, "", "A call is repeated `MAX_RETRIES` times, see `src/retry.rs`.");
    write(&env, &[("net/retries.md", &text)]);
    commit(&env, "retries");
    env
}

/// The data of a call that succeeds.
pub fn brain(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.brv(&[&["brain"], arguments, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    json(&ran.stdout)["data"].clone()
}

pub fn document(data: &Value) -> &str {
    data["document"].as_str().unwrap()
}

/// The paths that a layer shows.
pub fn shown(data: &Value, layer: usize) -> Vec<&str> {
    crate::search::paths(&data["layers"][layer]["items"])
}

#[test]
fn a_brain_shows_statements_and_entries_with_why_and_counts_the_rest() {
    let env = knowledge();
    let data = brain(&env, &[]);
    // the decision, the bug, then what names no kind, the newest first
    let brief = ["auth/decisions/tokens.md", "ops/style/names.md", "auth/bugs/leak.md"];
    assert_eq!(shown(&data, 0)[..3], brief);
    assert_eq!((shown(&data, 0).len(), shown(&data, 2).len()), (6, 6));
    assert_eq!((data["items_loaded"].as_u64(), data["archived"].as_u64()), (Some(6), Some(1)));
    let decision = &data["layers"][0]["items"][0];
    assert_eq!((decision["type"].as_str(), decision["kind"].as_str()), (Some("decision"), Some("decision")));
    assert_eq!(decision["title"], "Signed tokens");
    assert_eq!(
        (decision["text"].as_str(), decision["date"].as_str()),
        (Some("About Signed tokens"), Some("2023-11"))
    );
    assert_eq!((decision["importance"].as_u64(), decision["confidence"].as_f64()), (Some(3), Some(0.7)));
    assert_eq!((decision["age_days"].as_i64(), decision["score"].as_f64()), (Some(0), Some(1.125)));
    assert_eq!(decision["why"], "among the six best");
    assert_eq!(data["schema_keys"][0], "auth/bugs");
    assert_eq!((data["tree"][0]["key"].as_str(), data["tree"][0]["items"].as_u64()), (Some("auth"), Some(3)));
    let line = "- **Signed tokens**: About Signed tokens (2023-11; `auth/decisions/tokens.md`)\n";
    assert!(document(&data).contains(line), "{data}");
    assert!(document(&data).contains("6 statements in 6 entries: `auth` 3, `ops` 3. Ask: "), "{data}");
    assert!(!document(&data).contains("Version one"), "{data}");
    let text = env.brv(&["brain"]);
    assert_eq!(text.stdout, document(&data), "text is the document");
    assert_eq!(data["token_estimate"], document(&data).chars().count().div_ceil(4) as u64);
}

#[test]
fn a_statement_of_rules_has_its_month_and_a_path_may_occur_twice() {
    let env = knowledge();
    let items = "## Narrative\n### Highlights\n- **Retry twice**: A call must be made twice, because the gate drops the first one. (2023-10)\n- **No pool**: rejected: A pool of sockets cannot be shared, because the gate counts them. (2023-09)";
    write(&env, &[("net/calls.md", &entry("Calls", TODAY, "", items))]);
    let data = brain(&env, &[]);
    let all: Vec<&Value> =
        (0..2).flat_map(|layer| data["layers"][layer]["items"].as_array().unwrap()).collect();
    let own: Vec<(&str, &str, &str)> = all
        .iter()
        .filter(|item| item["path"] == "net/calls.md")
        .map(|item| ["title", "kind", "date"].map(|key| item[key].as_str().unwrap()))
        .map(|[title, kind, date]| (title, kind, date))
        .collect();
    assert_eq!(own, [("No pool", "rejected", "2023-09"), ("Retry twice", "rule", "2023-10")]);
    assert_eq!(document(&data).matches("**Retry twice**").count(), 1, "{data}");
}

#[test]
fn explain_says_of_each_entry_why_it_is_in_out_or_cut() {
    let env = knowledge();
    let text = entry("Key rotation", "2023-11-13T10:00:00Z", "", "Signing keys rotate every ninety days.");
    write(&env, &[("auth/keys/again.md", &text)]);
    let options = ["--explain", "--l0", "80", "--l1", "30", "--l2", "35"];
    let data = brain(&env, &options);
    let rows: Vec<(&str, &str)> = data["explain"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["path"].as_str().unwrap(), row["state"].as_str().unwrap()))
        .collect();
    assert_eq!(rows.len(), 8, "{rows:?}");
    for row in [
        ("auth/decisions/tokens.md", "in"),
        ("auth/keys/again.md", "similar"),
        ("ops/architecture/db.md", "cut"),
        ("ops/old/v1.md", "out"),
    ] {
        assert!(rows.contains(&row), "{row:?}: {rows:?}");
    }
    let text = env.brv(&[&["brain"][..], &options].concat()).stdout;
    let rows = text.strip_prefix(document(&data)).unwrap();
    assert_eq!(rows.lines().count(), 9, "{rows}");
    assert!(
        rows.contains("\nsimilar  layer 2  auth/keys/again.md: nearly equal to auth/keys/rotation.md\n"),
        "{rows}"
    );
    assert!(rows.lines().any(|row| row.starts_with("cut      layer 2  ops/architecture/db.md: ")), "{rows}");
    assert!(
        document(&brain(&env, &[])).contains("- `auth/keys/rotation.md` (1 item; +1 similar)\n"),
        "{data}"
    );
    assert!(data["layers"][2]["cut"].as_u64() > Some(0));
}

#[test]
fn a_scope_shows_one_folder_and_without_a_brief_there_is_none() {
    let env = knowledge();
    let data = brain(&env, &["--scope", "auth/", "--no-brief"]);
    assert!(shown(&data, 0).is_empty() && !document(&data).contains("## Brief"));
    assert_eq!((shown(&data, 1).len(), shown(&data, 2).len()), (3, 3));
    assert_eq!(data["archived"], 0);
}

#[test]
fn two_clones_of_a_commit_say_the_same() {
    let env = knowledge();
    let other = Env::new();
    assert_eq!(other.brv(&["vc", "clone", tree(&env).to_str().unwrap(), "."]).code, 0);
    let [one, two] = [&env, &other].map(|env| env.brv(&["brain", "--json"]).stdout);
    assert_eq!(one, two);
}

#[test]
fn an_equal_hash_prints_nothing_and_a_change_of_anything_changes_it() {
    let env = knowledge();
    let hash = |data: &Value| data["brain_hash"].as_str().unwrap().to_owned();
    let first = hash(&brain(&env, &[]));
    assert_eq!(first.len(), 16);
    let same = brain(&env, &["--if-none-match", &first]);
    assert_eq!((same["not_modified"].as_bool(), document(&same)), (Some(true), ""));
    assert_eq!(env.brv(&["brain", "--if-none-match", &first]).stdout, "not_modified\n");
    assert_ne!(hash(&brain(&env, &["--l1", "1000"])), first, "options");
    let tomorrow = env.with("BRV_CLOCK", "2023-11-15T10:00:00Z");
    assert_ne!(hash(&brain(&tomorrow, &[])), first, "the day");
    let env = tomorrow.with("BRV_CLOCK", "2023-11-14T23:00:00Z");
    assert_eq!(hash(&brain(&env, &[])), first, "the hour");
    write(&env, &[("ops/new.md", &entry("New", TODAY, "", "New."))]);
    let second = hash(&brain(&env, &[]));
    assert_ne!(second, first, "a file");
    std::fs::remove_file(tree(&env).join("ops/new.md")).unwrap();
    assert_eq!(hash(&brain(&env, &[])), first);
    std::fs::remove_dir_all(env.path(".brv/cache")).unwrap();
    assert_eq!(hash(&brain(&env, &[])), first, "without a cache");
}

#[test]
fn an_edit_by_hand_is_seen_and_reading_is_no_use() {
    let env = knowledge();
    brain(&env, &[]);
    brain(&env, &["--task", "signing keys"]);
    let signals = json(&env.brv(&["signals", "auth/keys/rotation.md", "--json"]).stdout);
    assert_eq!(signals["data"]["signals"][0]["hits"], 0, "{signals}");
    let env = env.with("BRV_SEARCH_FRESHNESS", "2").with("BRV_CLOCK", "2023-11-14T22:14:00Z");
    brain(&env, &[]);
    write(&env, &[("auth/bugs/leak.md", &entry("Other leak", TODAY, "", "Else."))]);
    let env = env.with("BRV_CLOCK", "2023-11-14T22:14:03Z");
    assert!(document(&brain(&env, &[])).contains("**Other leak**"));
    write(&env, &[("auth/bugs/leak.md", &entry("Third leak", TODAY, "", "Else."))]);
    commit(&env, "third");
    assert!(document(&brain(&env, &[])).contains("**Third leak**"), "git's index changed");
}

#[test]
fn a_task_brings_its_passages_and_nothing_superseded() {
    let env = knowledge();
    write(
        &env,
        &[("auth/keys/gone.md", &entry("Keys", TODAY, "status: superseded\n", "Signing keys never rotate."))],
    );
    let data = brain(&env, &["--task", "rotate the signing keys"]);
    let found = document(&data);
    let pack = &found[found.find("## For the task").unwrap()..];
    assert!(pack.contains("text auth/keys/rotation.md:"), "{pack}");
    assert!(pack.contains("rotate every ninety days") && !pack.contains("never rotate"), "{pack}");
    let none = brain(&env, &["--task", "zebra crossing"]);
    assert!(document(&none).contains("No entry covers this task."), "{none}");
    assert_eq!(none["passages"], serde_json::json!([]));
    let small = brain(&env, &["--task", "rotate the signing keys", "--budget", "120"]);
    assert!(small["token_estimate"].as_u64().unwrap() <= 120, "{small}");
    assert!(document(&small).contains("rotate every ninety days"), "{small}");
    assert!(!document(&small).contains("## Brief"), "{small}");
}

#[test]
fn disputed_entries_show_all_claims_and_archived_ones_are_counted() {
    let env = knowledge();
    let body = "## Facts\n\n- **ttl**: 1 hour\n- **ttl**: 2 hours";
    write(&env, &[("auth/ttl.md", &entry("Lifetime", TODAY, "disputed: [ttl]\n", body))]);
    commit(&env, "ttl");
    let data = brain(&env, &[]);
    assert!(document(&data).contains("\n  - disputed: ttl: 1 hour | 2 hours\n"), "{data}");
    assert!(
        document(&data).contains("- **ttl**: disputed: 1 hour | 2 hours (2023-11; `auth/ttl.md`)\n"),
        "{data}"
    );
    assert!(document(&data).contains(" 1 entry disputed.\n"), "{data}");
    assert_eq!(env.brv(&["archive", "run", "ops/style/names.md"]).code, 0);
    let data = brain(&env, &[]);
    assert_eq!(data["archived"], 2, "{data}");
    assert!(!document(&data).contains("Hosts"), "{data}");
}

#[test]
fn code_that_moved_on_adds_a_line_and_counts_half() {
    let env = with_code();
    let fresh = brain(&env, &[]);
    let item = |data: &Value| {
        let items = data["layers"][2]["items"].as_array().unwrap().clone();
        items.into_iter().find(|item| item["path"] == "net/retries.md").unwrap()
    };
    assert_eq!(item(&fresh)["freshness"]["state"], "fresh", "{fresh}");
    // the document was kept, and the tree is as it was
    std::fs::write(env.path("src/retry.rs"), "const MAX_RETRIES: u32 = 9;\n").unwrap();
    let stale = brain(&env, &[]);
    assert_eq!(item(&stale)["freshness"]["state"], "changed", "{stale}");
    let told = document(&stale).lines().find(|line| line.starts_with("  - changed since ")).unwrap();
    assert!(told.ends_with(": MAX_RETRIES in src/retry.rs"), "{told}");
    let place = |data: &Value| {
        let layers = [0, 1].map(|layer| data["layers"][layer]["items"].as_array().unwrap().clone());
        layers
            .concat()
            .iter()
            .find(|item| item["path"] == "net/retries.md")
            .map(|item| item["score"].as_f64().unwrap())
    };
    assert!(place(&stale).unwrap() < 0.6 * place(&fresh).unwrap(), "{stale}");
    assert_ne!(stale["brain_hash"], fresh["brain_hash"]);
    assert_eq!(brain(&env, &[]), stale);
}

#[test]
fn the_passages_of_a_task_say_that_the_code_moved_on() {
    let env = with_code();
    for at in 0..5 {
        let text = entry(
            &format!("Call {at}"),
            TODAY,
            "",
            "A call is repeated, see `MAX_RETRIES` in `src/retry.rs`.",
        );
        write(&env, &[(&format!("net/call_{at}.md"), &text)]);
    }
    commit(&env, "calls");
    let call = |more: &[&str]| brain(&env, &[&["--task", "how often is a call repeated"], more].concat());
    let pack = |data: &Value| document(data).split_once("## For the task\n").unwrap().1.to_owned();
    let (fresh, frozen) = (call(&[]), call(&["--session", "s"]));
    assert!(!pack(&fresh).contains("changed since"), "{fresh}");
    std::fs::write(env.path("src/retry.rs"), "const MAX_RETRIES: u32 = 9;\n").unwrap();
    let stale = call(&["--budget", "6000"]);
    let whole = pack(&stale);
    let fences: Vec<&str> = whole.lines().filter(|line| line.starts_with("```text ")).collect();
    assert!(fences.len() >= 5 && fences.iter().all(|line| line.contains("  changed since ")), "{whole}");
    assert_eq!(stale["passages"].as_array().map(Vec::len), Some(fences.len()), "{stale}");
    assert_eq!(stale["passages"][0]["freshness"]["state"], "changed");
    assert_ne!(stale["brain_hash"], fresh["brain_hash"]);
    let told = call(&["--session", "s"]);
    assert!(document(&told).starts_with(document(&frozen)));
    assert!(document(&told).contains("- now stale `net/call_0.md`: changed since "), "{told}");
}
