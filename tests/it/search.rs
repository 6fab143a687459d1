//! `brv search`, `brv query` and `brv eval`: what is found, what is answered, and that it is always as the tree is.

mod answers;
mod bad_input;
mod conflicts;
mod contrary;
mod evaluation;
mod freshness;
mod hits;
mod words;

use crate::curate::apply;
use crate::env::{Env, Ran, tree};
use crate::init::{json, project};
use serde_json::{Value, json as value};

/// A project with a few committed entries.
pub fn knowledge() -> Env {
    let env = project(&[]);
    let entry = |path: &str, title: &str, facts: Value, markdown: &str| {
        value!({"type": "ADD", "path": path, "title": title, "reason": "start", "markdown": markdown,
            "content": {"facts": facts}, "tags": [path.split('/').next().unwrap()]})
    };
    let fact = |subject: &str, statement: &str| value!({"subject": subject, "statement": statement, "category": "project"});
    let operations = value!([
        entry(
            "auth/tokens",
            "Token lifetime",
            value!([fact("access token lifetime", "24 hours"), fact("refresh token lifetime", "30 days")]),
            ""
        ),
        entry(
            "auth/keys",
            "Key rotation",
            value!([]),
            "Signing keys rotate every ninety days. The gateway keeps the previous pair for a week.\n"
        ),
        entry(
            "storage/database",
            "Primary store",
            value!([fact("engine", "Postgres 16"), fact("backup", "WAL archives, hourly")]),
            ""
        ),
        entry(
            "storage/cache",
            "Redis usage",
            value!([]),
            "Sessions are cached in Redis for ten minutes. See [keys](../../auth/keys/key_rotation.md).\n"
        ),
        entry(
            "deploy/canary",
            "Canary releases",
            value!([]),
            "One node in twenty gets a release first; errors above two percent roll it back.\n"
        ),
    ]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 0, "{data}");
    env
}

/// Run with `--json`; returns the run and its data.
pub fn asked(env: &Env, arguments: &[&str]) -> (Ran, Value) {
    let ran = env.brv(&[arguments, &["--json"]].concat());
    let data = json(&ran.stdout)["data"].clone();
    (ran, data)
}

/// The paths of results or sources.
pub fn paths(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect()
}

/// Write a file of the tree by hand.
pub fn write(env: &Env, path: &str, text: &str) {
    let file = tree(env).join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

#[test]
fn a_search_ranks_what_matches_and_says_what_it_is() {
    let env = knowledge();
    let (ran, data) = asked(&env, &["search", "signing key rotation"]);
    assert_eq!(ran.code, 0);
    let first = &data["results"][0];
    assert_eq!(
        (first["path"].as_str(), first["kind"].as_str()),
        (Some("auth/keys/key_rotation.md"), Some("entry"))
    );
    assert_eq!((first["backlinks"].as_u64(), first["maturity"].as_str()), (Some(1), Some("draft")));
    assert!(first["excerpt"].as_str().unwrap().contains("Signing keys rotate"), "{first}");
    assert_eq!(data["covered"], true);
    assert!(data["index"]["entries"].as_u64().unwrap() >= 5);
    let (_, data) = asked(&env, &["search", "storage"]);
    let kinds: Vec<_> =
        data["results"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"domain"), "{data}");
    let (_, none) = asked(&env, &["search", "zebra"]);
    assert_eq!((none["results"].as_array().unwrap().len(), none["covered"].as_bool()), (0, Some(false)));
}

#[test]
fn phrases_tags_scopes_and_relations_narrow_and_widen() {
    let env = knowledge();
    let found = |arguments: &[&str]| {
        let (ran, data) = asked(&env, &[&["search"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        data
    };
    assert_eq!(paths(&found(&["\"previous pair\""])["results"]), ["auth/keys/key_rotation.md"]);
    // a phrase that nothing has is text
    assert_eq!(paths(&found(&["\"pair previous\" gateway"])["results"])[0], "auth/keys/key_rotation.md");
    let tagged = found(&["tag:storage hours"]);
    assert!(paths(&tagged["results"]).iter().all(|path| path.starts_with("storage/")), "{tagged}");
    let scoped = found(&["auth", "lifetime"]);
    assert_eq!(scoped["scope"], "auth");
    assert!(paths(&scoped["results"]).iter().all(|path| path.starts_with("auth")), "{scoped}");
    let text = found(&["and/or redis"]);
    assert!(
        text.get("scope").is_none() && paths(&text["results"]).contains(&"storage/cache/redis_usage.md"),
        "{text}"
    );
    let widened = env.brv(&["search", "deploy", "redis", "sessions"]);
    assert!(widened.stderr.contains("the whole tree was searched"), "{}", widened.stderr);
    let related = found(&["redis sessions", "--related", "--limit", "1"]);
    let via = related["results"].as_array().unwrap().iter().find(|one| one.get("via").is_some()).unwrap();
    assert_eq!(
        (via["path"].as_str(), via["via"].as_str()),
        (Some("auth/keys/key_rotation.md"), Some("storage/cache/redis_usage.md"))
    );
}

#[test]
fn an_entry_that_tells_no_time_changed_with_its_last_commit() {
    let env = knowledge();
    write(&env, "zoo/walrus.md", "# Walrus\n\nTusks.\n");
    let recency = |env: &Env| {
        asked(env, &["search", "walrus", "--fresh", "--no-hits"]).1["results"][0]["recency"].as_f64()
    };
    assert_eq!(recency(&env), Some(1.0), "no commit has it");
    assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
    assert_eq!(env.brv(&["vc", "commit", "-m", "zoo"]).code, 0);
    let committed = env.git(&tree(&env), &["log", "-1", "--format=%ct"]).trim().parse::<i64>().unwrap();
    let month = chrono::DateTime::from_timestamp(committed + 30 * 86_400, 0).unwrap().to_rfc3339();
    let env = env.with("BRV_CLOCK", &month).with("GIT_COMMITTER_DATE", &month);
    for _ in 0..2 {
        let found = recency(&env).unwrap();
        assert!((found - (-1.0_f64).exp()).abs() < 0.001, "{found}");
    }
    // what is kept of the history holds for one commit
    write(&env, "zoo/walrus.md", "# Walrus\n\nTusks and whiskers.\n");
    assert_eq!(env.brv(&["vc", "commit", "-a", "-m", "whiskers"]).code, 0);
    assert_eq!(recency(&env), Some(1.0));
}

#[test]
fn an_archived_entry_is_found_by_its_stub() {
    let env = knowledge();
    assert_eq!(env.brv(&["archive", "run", "deploy/canary/canary_releases.md"]).code, 0);
    let (_, data) = asked(&env, &["search", "canary releases"]);
    let stub = &data["results"][0];
    assert_eq!(
        (stub["kind"].as_str(), stub["path"].as_str()),
        (Some("stub"), Some("_archived/deploy/canary/canary_releases.stub.md"))
    );
    assert_eq!(stub["points_to"], "_archived/deploy/canary/canary_releases.full.md");
    assert_eq!((&stub["importance"], &stub["maturity"]), (&Value::Null, &Value::Null));
    let told = env.brv(&["query", "canary releases"]).stdout;
    assert!(
        told.lines().any(|line| line.contains("canary_releases.stub.md") && line.contains("  archived")),
        "{told}"
    );
}

#[test]
fn a_new_entry_is_told_what_is_similar() {
    let env = knowledge();
    let add = |path: &str, title: &str, facts: Value, markdown: &str| {
        let list = value!([{"type": "ADD", "path": path, "title": title, "reason": "r", "markdown": markdown,
            "content": {"facts": facts}}]);
        apply(&env, &list).1["applied"][0]["similar"].clone()
    };
    let day = value!([{"subject": "access token lifetime", "statement": "a day"}]);
    let similar = add("auth/tokens", "Access token lifetime", day, "");
    assert_eq!(similar[0]["path"], "auth/tokens/token_lifetime.md", "{similar}");
    let twin = "Redis caches sessions for ten minutes.\n";
    let similar = add("people/cache", "Session cache", value!([]), twin);
    let relevances: Vec<f64> =
        similar.as_array().unwrap().iter().map(|one| one["relevance"].as_f64().unwrap()).collect();
    assert_eq!(similar[0]["path"], "storage/cache/redis_usage.md", "{similar}");
    assert!(relevances[0] >= 0.85 && relevances.is_sorted_by(|one, other| one >= other), "{similar}");
    let stranger = "Stripes on the road; a gateway to the park for the previous visitors of one week, releases of doves first.\n";
    assert_eq!(add("people/team", "Zebra crossing", value!([]), stranger), Value::Null);
    assert_eq!(
        add("people/team", "Tag", value!([]), "The text \"tag:storage\" is no filter: hippopotamus.\n"),
        Value::Null
    );
}

#[test]
fn back_links_by_the_index_are_those_of_the_files() {
    let env = knowledge();
    let links = |env: &Env| asked(env, &["links", "auth/keys/key_rotation.md"]).1;
    let scanned = links(&env);
    asked(&env, &["search", "anything"]);
    assert_eq!(links(&env), scanned);
    write(&env, "deploy/new.md", "# New\n\nSee [keys](../auth/keys/key_rotation.md).\n");
    asked(&env, &["search", "anything", "--fresh"]);
    let both = links(&env);
    assert_eq!(both["incoming"].as_array().unwrap().len(), scanned["incoming"].as_array().unwrap().len() + 1);
}
