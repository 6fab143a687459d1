//! What older versions wrote: samples in `fixtures/formats`, and how one is made.

use super::{repository, target, versions};
use crate::env::Env;
use crate::init::json as printed;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &place);
        } else {
            std::fs::copy(&path, &place).unwrap();
        }
    }
}

/// The project that an older version left: its tree, its derived files and its state.
fn left_by(sample: &Path) -> Env {
    let env = Env::new();
    let tree = env.path(".brv/context-tree");
    let bundle = sample.join("tree.bundle");
    let bundle = bundle.to_str().unwrap();
    std::fs::create_dir_all(env.path(".brv")).unwrap();
    env.git(env.root(), &["clone", "-q", "--branch", "main", bundle, tree.to_str().unwrap()]);
    env.git(&tree, &["fetch", "-q", bundle, "refs/brv/*:refs/brv/*"]);
    env.git(&tree, &["remote", "remove", "origin"]);
    std::fs::create_dir_all(tree.join(".git/brv")).unwrap();
    let state = std::fs::read_to_string(sample.join("state.sql")).unwrap();
    Connection::open(tree.join(".git/brv/state.db")).unwrap().execute_batch(&state).unwrap();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    copy(&sample.join("derived"), &tree);
    env
}

#[test]
fn what_older_versions_wrote_is_read() {
    let samples = versions("formats");
    assert!(!samples.is_empty());
    samples.iter().for_each(|sample| is_read(sample));
}

fn is_read(sample: &Path) {
    let env = left_by(sample);
    let shown = |arguments: &[&str]| {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 0, "{} {arguments:?}: {}", sample.display(), ran.stderr);
        ran.stdout
    };
    assert!(shown(&["vc", "status"]).contains("working tree clean"));
    assert!(shown(&["archive", "list"]).contains("auth/keys.md"));
    assert!(shown(&["read", "auth/tokens"]).contains("Tokens live 12 hours."));
    assert!(shown(&["op", "log"]).contains("auth/keys.md"));
    let signals = printed(&shown(&["signals", "--json"]));
    assert!(signals["data"].to_string().contains("auth/tokens.md"), "{signals}");
    shown(&["derive"]);
    shown(&["derive", "--check"]);
    shown(&["archive", "restore", "auth/keys"]);
    let restored = std::fs::read(env.path(".brv/context-tree/auth/keys.md")).unwrap();
    let archived = std::fs::read(sample.join("derived/_archived/auth/keys.full.md")).unwrap();
    assert_eq!(restored, archived, "{}", sample.display());
    shown(&["undo"]);
    env.fsck(&env.path(".brv/context-tree"));
}

#[test]
fn a_newer_state_is_refused_and_stays_as_it_is() {
    let env = left_by(versions("formats").last().unwrap());
    let file = env.path(".brv/context-tree/.git/brv/state.db");
    let version = || -> i64 {
        Connection::open(&file).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let ran = env.brv(&["jobs", "list", "--json"]);
    assert_eq!(ran.code, 6, "{}", ran.stdout);
    assert_eq!(printed(&ran.stdout)["error"]["code"], "refused");
    assert!(ran.stdout.contains("newer brv"), "{}", ran.stdout);
    assert_eq!(version(), 99);
}

/// The numbers of formats that this version writes.
fn written() -> Value {
    printed(&Env::new().brv(&["--version", "--json"]).stdout)["data"]["formats"].clone()
}

/// The numbers of formats in a sample.
fn sampled(sample: &Path) -> Value {
    let manifest = std::fs::read_to_string(sample.join("derived/_manifest.json")).unwrap();
    let state = std::fs::read_to_string(sample.join("state.sql")).unwrap();
    let state =
        state.rsplit_once("user_version = ").unwrap().1.trim().trim_end_matches(';').parse::<u64>().unwrap();
    json!({ "derived": serde_json::from_str::<Value>(&manifest).unwrap()["version"], "state": state })
}

/// The formats that are written and of which the samples do not have the number.
fn unsampled(samples: &[Value], written: &Value) -> Vec<String> {
    let formats = written.as_object().unwrap().iter();
    let is_sampled = |name: &str, number: &Value| samples.iter().any(|sample| sample[name] == *number);
    formats.filter(|(name, number)| !is_sampled(name, number)).map(|(name, _)| name.clone()).collect()
}

#[test]
fn a_release_has_a_sample_of_each_format_that_it_writes() {
    let samples: Vec<Value> = versions("formats").iter().map(|sample| sampled(sample)).collect();
    assert!(samples.iter().all(|sample| sample["derived"].is_u64()), "{samples:?}");
    let written = written();
    let missing = unsampled(&samples, &written);
    // between two releases a number may change more than once
    assert!(
        missing.is_empty() || target().is_none(),
        "no sample has these formats: {missing:?}; \
         `BRV_FORMATS=X.Y.Z cargo test --test it versions::formats` makes one, to be committed before the cut"
    );
    let mut newer = written.clone();
    newer["state"] = 99.into();
    newer["new"] = 1.into();
    let with_those_of_today = [samples, vec![written]].concat();
    assert_eq!(unsampled(&with_those_of_today, &newer), ["state", "new"]);
}

/// `BRV_FORMATS=X.Y.Z` makes a sample of the formats of today; one that is there stays.
#[test]
fn a_sample_is_read_by_the_version_that_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("sample");
    make(&made);
    is_read(&made);
    assert_eq!(sampled(&made), written());
    if let Ok(version) = std::env::var("BRV_FORMATS") {
        assert!(super::numbers(&version).is_some(), "BRV_FORMATS={version} is not X.Y.Z");
        let kept = repository().join("fixtures/formats").join(version);
        assert!(!kept.exists(), "{} is there already", kept.display());
        copy(&made, &kept);
    }
}

/// A sample: a project with an entry, an archived one, operations and signals.
fn make(sample: &Path) {
    let env = Env::new();
    let run = |arguments: &[&str]| {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    };
    run(&["init", "-q"]);
    let tree = env.path(".brv/context-tree");
    let tokens = "---\ntitle: Tokens\nkeywords: [token, life]\n---\n\n# Tokens\n\nTokens live 12 hours.\n\n\
                  - **token lifetime**: 12 hours [convention]\n";
    std::fs::create_dir_all(tree.join("auth")).unwrap();
    std::fs::write(tree.join("auth/tokens.md"), tokens).unwrap();
    std::fs::write(tree.join("auth/keys.md"), "# Keys\n\nKeys are kept in the vault.\n").unwrap();
    run(&["vc", "add", "."]);
    run(&["vc", "commit", "-m", "first"]);
    run(&["read", "auth/tokens"]);
    run(&["archive", "run", "auth/keys"]);
    run(&["derive"]);
    std::fs::create_dir_all(sample).unwrap();
    let bundle = sample.join("tree.bundle");
    env.git(&tree, &["bundle", "create", "-q", bundle.to_str().unwrap(), "--all", "HEAD"]);
    let untracked = env.git(&tree, &["ls-files", "--others"]);
    for path in
        untracked.lines().filter(|path| path.rsplit('/').next().is_some_and(|name| name != ".gitignore"))
    {
        let place = sample.join("derived").join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::copy(tree.join(path), place).unwrap();
    }
    std::fs::write(sample.join("state.sql"), dumped(&tree.join(".git/brv/state.db"))).unwrap();
}

/// A database as the statements that make it.
fn dumped(file: &Path) -> String {
    let state = Connection::open(file).unwrap();
    let text = |sql: &str| -> Vec<(String, String)> {
        let mut found = state.prepare(sql).unwrap();
        found.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    };
    let known = |kinds: &str| {
        text(&format!(
            "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND type {kinds} ORDER BY name"
        ))
    };
    let mut dump = "BEGIN TRANSACTION;\n".to_owned();
    for (name, sql) in known("= 'table'") {
        writeln!(dump, "{sql};").unwrap();
        let mut rows = state.prepare(&format!("SELECT * FROM \"{name}\"")).unwrap();
        let columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values = (0..columns).map(|at| quoted(row.get_ref(at).unwrap()));
            writeln!(dump, "INSERT INTO \"{name}\" VALUES({});", values.collect::<Vec<_>>().join(","))
                .unwrap();
        }
    }
    known("<> 'table'").iter().for_each(|(_, sql)| writeln!(dump, "{sql};").unwrap());
    let version: u32 = state.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    writeln!(dump, "COMMIT;\nPRAGMA user_version = {version};").unwrap();
    dump
}

fn quoted(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text).replace('\'', "''")),
        ValueRef::Blob(bytes) => {
            let digits = bytes.iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"));
            format!("x'{digits}'")
        }
    }
}
