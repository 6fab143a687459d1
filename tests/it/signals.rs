//! `brv signals`, and how signals follow the tree.

use crate::env::{Env, context_of, tree};
use crate::init::{commit, json, project, write};
use brv_base::clock::Clock;
use brv_base::path::TreePath;
use brv_commands::signals::{self, SignalChoice};
use brv_engine::open::signals::{self as engine, ServedAnswer};
use brv_engine::{Actor, Context, Opened};
use brv_text::lifecycle::{DAY, Maturity};
use chrono::DateTime;
use serde_json::Value;

/// The moment at which commands of an [`Env`] run.
const NOW: i64 = 1_700_000_000;

fn sample() -> Env {
    let env = project(&[
        ("auth/context.md", "# Auth\n"),
        (
            "auth/jwt/token.md",
            "---\ntitle: Token\nupdatedAt: 2023-10-15T22:13:20Z\n---\nTokens live a day.\n",
        ),
        ("auth/jwt/keys.md", "# Keys\n\nKeys rotate every month, and nobody has to do it by hand.\n"),
        ("ops/deploy.md", "# Deploy\n\nOn Fridays nothing is deployed, whatever somebody says.\n"),
    ]);
    commit(&env, "first");
    env
}

fn path(text: &str) -> TreePath {
    TreePath::parse(text.as_bytes()).unwrap()
}

/// The context of a command that runs `days` after the others.
fn context(env: &Env, days: i64) -> Context<'static> {
    let clock = Clock::Fixed(DateTime::from_timestamp(NOW + days * DAY, 0).unwrap());
    Context { clock, ..context_of(env.root(), &env.environment()) }
}

fn opened(env: &Env) -> Opened {
    context(env, 0).open().unwrap()
}

fn shown(env: &Env, days: i64) -> Vec<signals::SignalEntry> {
    let (outcome, trouble) = signals::run(&context(env, days), &[], SignalChoice::All).unwrap();
    assert!(trouble.is_none(), "{trouble:?}");
    outcome.signals
}

fn signal(env: &Env, name: &str, days: i64) -> signals::SignalEntry {
    let all = shown(env, days);
    all.iter().find(|entry| entry.path.as_str() == name).unwrap_or_else(|| panic!("{name}: {all:?}")).clone()
}

/// Whether this machine has known an entry for less than 30 days.
fn is_young(entry: &signals::SignalEntry, days: i64) -> bool {
    NOW + days * DAY - entry.first_seen < 30 * DAY
}

fn update(env: &Env, name: &str, days: i64) {
    let trouble = engine::note_updates(&opened(env), &[path(name)], NOW + days * DAY);
    assert!(trouble.is_none(), "{trouble:?}");
}

fn hit(env: &Env, name: &str, session: Option<&str>, seconds: i64) {
    let actor = Actor { session: session.map(str::to_owned), ..Actor::default() };
    let answer = ServedAnswer { hits: vec![path(name)], ..ServedAnswer::default() };
    let trouble = engine::note_served(&opened(env), &actor, &answer, NOW + seconds);
    assert!(trouble.is_none(), "{trouble:?}");
}

fn data(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.brv(&[&["signals", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    json(&ran.stdout)["data"]["signals"].clone()
}

fn paths(signals: &Value) -> Vec<&str> {
    signals.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect()
}

/// A commit that brv sees when it is called next.
fn commit_with_git(env: &Env) {
    env.git(&tree(env), &["add", "-A"]);
    env.git(&tree(env), &["commit", "-qm", "by git"]);
}

#[test]
fn an_update_of_what_the_same_list_removes_is_none() {
    let env = sample();
    data(&env, &[]);
    let one = |kind: &str, more: Value| {
        let mut all = serde_json::json!({"type": kind, "path": "auth/jwt/new.md", "reason": "r"});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let text = |text: &str| serde_json::json!({"markdown": text});
    let run = |list: &Value| {
        let ran = env.brv_reading(&["curate", "--ops", "-", "--json"], list.to_string().as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stdout);
    };
    let none = serde_json::json!({});
    run(&serde_json::json!([one("ADD", text("a\n")), one("UPDATE", text("b\n")), one("DELETE", none)]));
    run(&serde_json::json!([one("ADD", text("a\n"))]));
    assert_eq!(data(&env, &["auth/jwt/new"])[0]["updates"], 0);
    run(&serde_json::json!([one("UPDATE", text("b\n")), one("UPDATE", text("c\n"))]));
    assert_eq!(data(&env, &["auth/jwt/new"])[0]["updates"], 2);
}

#[test]
fn every_entry_has_signals_and_node_overviews_have_none() {
    let env = sample();
    let all = data(&env, &[]);
    assert_eq!(paths(&all), ["auth/jwt/keys.md", "auth/jwt/token.md", "ops/deploy.md"]);
    assert_eq!(
        all[1],
        serde_json::json!({
            "path": "auth/jwt/token.md", "importance": 50.0, "recency": 0.3679, "maturity": "draft",
            "hits": 0, "updates": 0, "first_seen": "2023-11-14T22:13:20Z",
            "last_update": "2023-10-15T22:13:20Z",
        })
    );
    assert_eq!((&all[0]["recency"], &all[0]["last_update"]), (&1.0.into(), &"2023-11-14T22:13:20Z".into()));
    let text = env.brv(&["signals", "auth"]).stdout;
    assert_eq!(
        text,
        "importance  maturity   recency   hits  updates  entry\n\
         \u{20}    50.00  draft         1.00      0        0  auth/jwt/keys.md\n\
         \u{20}    50.00  draft         0.37      0        0  auth/jwt/token.md\n"
    );
}

#[test]
fn nothing_of_it_shows_in_the_tree_or_in_the_repository_around_it() {
    let env = sample();
    let before = (env.brv(&["vc", "status", "--json"]).stdout, env.brv(&["status"]).stdout);
    data(&env, &[]);
    update(&env, "ops/deploy.md", 0);
    assert!(env.path(".brv/context-tree/.git/brv/state.db").is_file());
    assert_eq!((env.brv(&["vc", "status", "--json"]).stdout, env.brv(&["status"]).stdout), before);
    let host = Env::new();
    host.git(host.root(), &["init", "-q", "-b", "main"]);
    assert_eq!(host.brv(&["init", "-q", "--in-repo"]).code, 0);
    write(&host, &[("a/b.md", "# B\n")]);
    data(&host, &[]);
    let status = host.git(host.root(), &["status", "--porcelain", "--untracked-files=all"]);
    assert!(!status.contains("state.db"), "{status}");
}

#[test]
fn names_are_entries_folders_and_node_overviews_and_an_unknown_one_is_an_error() {
    let env = sample();
    for (name, expected) in [
        ("auth", &["auth/jwt/keys.md", "auth/jwt/token.md"][..]),
        ("auth/context.md", &["auth/jwt/keys.md", "auth/jwt/token.md"]),
        ("auth/jwt/token", &["auth/jwt/token.md"]),
        ("auth/jwt/token.abstract.md", &["auth/jwt/token.md"]),
        (".brv/context-tree/ops", &["ops/deploy.md"]),
    ] {
        assert_eq!(paths(&data(&env, &[name])), expected, "{name}");
    }
    assert_eq!(paths(&data(&env, &["ops", "auth/jwt/keys", "ops/deploy.md"])).len(), 2);
    for (arguments, message) in [
        (&["signals", "auth/jwt/tokn"][..], "`auth/jwt/tokn` is not in the context tree"),
        (&["signals", "--top", "0"], "above zero"),
        (&["signals", "--top", "1", "--stale", "1"], "cannot be used with"),
        (&["signals", "../outside"], "`../outside` is not in the context tree"),
    ] {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
    }
    assert!(env.brv(&["signals", "auth/jwt/tokn"]).stderr.contains("auth/jwt/token"));
    let empty = project(&[]);
    assert_eq!(empty.brv(&["signals"]).stdout, "No entries.\n");
}

#[test]
fn use_and_time_change_importance_and_the_best_and_the_stalest_are_found() {
    let env = sample();
    (0..3).for_each(|_| update(&env, "ops/deploy.md", 0));
    hit(&env, "auth/jwt/token.md", Some("s"), 0);
    let deploy = signal(&env, "ops/deploy.md", 0);
    assert_eq!((deploy.importance, deploy.maturity, deploy.updates), (65.0, Maturity::Validated, 3));
    let later = signal(&env, "ops/deploy.md", 100);
    assert!((later.importance - 65.0 * 0.995_f64.powi(100)).abs() <= 0.005);
    assert_eq!((later.maturity, is_young(&later, 100)), (Maturity::Validated, false));
    assert_eq!(signal(&env, "ops/deploy.md", 130).maturity, Maturity::Draft);
    assert!(is_young(&signal(&env, "ops/deploy.md", 29), 29));
    assert_eq!(paths(&data(&env, &["--top", "2"])), ["ops/deploy.md", "auth/jwt/token.md"]);
    assert_eq!(paths(&data(&env, &["--stale", "1"])), ["auth/jwt/keys.md"]);
    // of equals, the one that changed longest ago
    hit(&env, "auth/jwt/keys.md", Some("s"), 0);
    assert_eq!(paths(&data(&env, &["--stale", "1"])), ["auth/jwt/token.md"]);
    let (outcome, _) = signals::run(&context(&env, 0), &[], SignalChoice::Top(9)).unwrap();
    assert_eq!(outcome.signals.len(), 3);
}

#[test]
fn a_hit_counts_once_per_session_and_without_one_once_per_hour() {
    let env = sample();
    for (session, seconds, hits) in [
        (Some("one"), 0, 1),
        (Some("one"), 9000, 1),
        (Some("two"), 0, 2),
        (None, 0, 3),
        (None, 60, 3),
        (None, 3600, 4),
    ] {
        hit(&env, "ops/deploy.md", session, seconds);
        assert_eq!(signal(&env, "ops/deploy.md", 1).hits, hits, "{session:?} {seconds}");
    }
    let answer = ServedAnswer { hits: vec![path("auth/context.md")], ..ServedAnswer::default() };
    let trouble = engine::note_served(&opened(&env), &Actor::default(), &answer, NOW);
    assert!(trouble.is_none() && shown(&env, 1).iter().all(|entry| entry.path.as_str() != "auth/context.md"));
}

#[test]
fn a_renamed_entry_keeps_its_signals_however_it_was_renamed() {
    let env = sample();
    for name in ["auth/jwt/token.md", "auth/jwt/keys.md", "ops/deploy.md"] {
        update(&env, name, 0);
    }
    assert_eq!(env.brv(&["vc", "mv", "auth/jwt/token.md", "ops/token.md"]).code, 0);
    commit(&env, "moved");
    assert_eq!(signal(&env, "ops/token.md", 0).updates, 1);
    // by git, with an edit
    let root = tree(&env);
    env.git(&root, &["mv", "auth/jwt/keys.md", "ops/keys.md"]);
    write(
        &env,
        &[("ops/keys.md", "# Keys\n\nKeys rotate every month, and nobody has to do it by hand.\n\nEver.\n")],
    );
    env.git(&root, &["commit", "-qam", "moved"]);
    assert_eq!(signal(&env, "ops/keys.md", 0).updates, 1);
    // in two commits, looked at in between
    let text = std::fs::read_to_string(root.join("ops/deploy.md")).unwrap();
    env.git(&root, &["rm", "-q", "ops/deploy.md"]);
    env.git(&root, &["commit", "-qm", "removed"]);
    assert_eq!(shown(&env, 1).len(), 2);
    write(&env, &[("auth/deploy.md", &text)]);
    commit(&env, "back elsewhere");
    let deploy = signal(&env, "auth/deploy.md", 2);
    assert_eq!((deploy.updates, deploy.first_seen), (1, NOW));
}

#[test]
fn an_entry_that_leaves_and_returns_is_the_same_and_after_90_days_a_new_one() {
    let env = sample();
    update(&env, "ops/deploy.md", 0);
    let root = tree(&env);
    env.git(&root, &["switch", "-qc", "other"]);
    env.git(&root, &["rm", "-q", "ops/deploy.md", "auth/jwt/keys.md"]);
    env.git(&root, &["commit", "-qm", "removed"]);
    assert_eq!(shown(&env, 1).len(), 1);
    env.git(&root, &["switch", "-q", "main"]);
    assert_eq!(signal(&env, "ops/deploy.md", 80).updates, 1);
    assert_eq!(signal(&env, "auth/jwt/keys.md", 80).first_seen, NOW, "it had no row before it left");
    env.git(&root, &["switch", "-q", "other"]);
    assert_eq!(shown(&env, 81).len(), 1);
    // any change of the tree sweeps
    write(&env, &[("ops/new.md", "# New\n")]);
    commit_with_git(&env);
    assert_eq!(shown(&env, 81 + 91).len(), 2);
    env.git(&root, &["switch", "-q", "main"]);
    let deploy = signal(&env, "ops/deploy.md", 81 + 91);
    assert_eq!((deploy.updates, deploy.first_seen), (0, NOW + (81 + 91) * DAY));
}

#[test]
fn an_entry_that_comes_later_is_seen_later_committed_or_not() {
    let env = sample();
    shown(&env, 0);
    write(&env, &[("ops/untracked.md", "# U\n"), ("ops/staged.md", "# S\n")]);
    assert_eq!(env.brv(&["vc", "add", "ops/staged.md"]).code, 0);
    for name in ["ops/untracked.md", "ops/staged.md"] {
        let new = signal(&env, name, 300);
        assert_eq!((new.importance, is_young(&new, 300)), (50.0, true), "{name}");
    }
    let old = signal(&env, "ops/deploy.md", 300);
    assert!(old.importance < 12.0 && !is_young(&old, 300));
    // an update before the commit starts from a new entry, and the commit does not begin anew
    update(&env, "ops/staged.md", 300);
    commit_with_git(&env);
    let staged = signal(&env, "ops/staged.md", 301);
    assert_eq!((staged.updates, staged.first_seen), (1, NOW + 300 * DAY));
    assert_eq!(signal(&env, "ops/untracked.md", 301).first_seen, NOW + 301 * DAY);
}

#[test]
fn a_merge_sums_up() {
    let env = sample();
    (0..3).for_each(|_| update(&env, "ops/deploy.md", 0));
    hit(&env, "auth/jwt/keys.md", Some("s"), 0);
    let pair = (path("ops/deploy.md"), path("auth/jwt/keys.md"));
    assert!(engine::merge(&opened(&env), &[pair], NOW).is_none());
    let keys = signal(&env, "auth/jwt/keys.md", 0);
    assert_eq!((keys.importance, keys.hits, keys.updates), (65.0, 1, 3));
}

#[test]
fn damaged_signals_begin_anew_and_no_command_fails_of_them() {
    let env = sample();
    update(&env, "ops/deploy.md", 0);
    for side in ["", "-wal", "-shm"] {
        std::fs::remove_file(env.path(format!(".brv/context-tree/.git/brv/state.db{side}"))).unwrap();
    }
    std::fs::write(env.path(".brv/context-tree/.git/brv/state.db"), [b'x'; 5000]).unwrap();
    write(&env, &[("ops/new.md", "# New\n")]);
    commit(&env, "with damaged signals");
    let ran = env.brv(&["signals", "--json"]);
    let said = json(&ran.stdout);
    assert_eq!((ran.code, paths(&said["data"]["signals"]).len()), (0, 4));
    let warning = said["warnings"][0].as_str().unwrap();
    assert!(warning.contains("start again") && warning.contains("state.db.damaged-1"), "{warning}");
    assert_eq!(json(&env.brv(&["signals", "--json"]).stdout)["warnings"], serde_json::json!([]));
}

#[test]
fn where_the_tree_that_was_last_looked_at_is_gone_what_is_known_stays_and_the_rest_begins_anew() {
    let env = sample();
    update(&env, "ops/deploy.md", 0);
    let state = rusqlite::Connection::open(env.path(".brv/context-tree/.git/brv/state.db")).unwrap();
    let gone = "UPDATE baseline SET tree = '0123456789012345678901234567890123456789'";
    assert_eq!(state.execute(gone, []).unwrap(), 1);
    let (deploy, keys) = (signal(&env, "ops/deploy.md", 50), signal(&env, "auth/jwt/keys.md", 50));
    assert_eq!((deploy.updates, deploy.first_seen), (1, NOW));
    assert_eq!((keys.importance, keys.first_seen), (50.0, NOW + 50 * DAY));
}

#[test]
fn many_processes_begin_at_once_and_none_is_in_trouble() {
    let env = sample();
    let run = || {
        let said = json(&env.brv(&["signals", "--json"]).stdout);
        assert_eq!((&said["ok"], &said["warnings"]), (&true.into(), &serde_json::json!([])));
        let session = format!("{:?}", std::thread::current().id());
        hit(&env, "ops/deploy.md", Some(&session), 0);
    };
    std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(run))));
    assert_eq!(signal(&env, "ops/deploy.md", 0).hits, 8);
}

#[test]
fn signals_that_cannot_be_opened_are_left_out_with_a_warning() {
    let env = sample();
    std::fs::create_dir(env.path(".brv/context-tree/.git/brv/state.db")).unwrap();
    let ran = env.brv(&["signals", "--json"]);
    let said = json(&ran.stdout);
    assert_eq!(said["data"]["signals"][2]["importance"], 50.0);
    assert!(said["warnings"][0].as_str().unwrap().starts_with("the signals of entries were left out"));
    let trouble = engine::note_updates(&opened(&env), &[path("ops/deploy.md")], NOW).unwrap();
    assert!(trouble.message.starts_with("the signals of entries were left out: cannot use `"), "{trouble:?}");
}

#[test]
fn a_preview_makes_no_state_and_sees_what_there_is() {
    let env = sample();
    let (signals, trouble) = engine::preview(&opened(&env), NOW);
    assert!(trouble.is_none());
    assert_eq!(signals.of(&path("ops/deploy.md")).first_seen, NOW);
    assert!(!env.path(".brv/context-tree/.git/brv/state.db").exists());
    update(&env, "ops/deploy.md", 0);
    assert_eq!(engine::preview(&opened(&env), NOW).0.of(&path("ops/deploy.md")).updates, 1);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_state_of_an_earlier_version_is_not_followed() {
    let env = sample();
    let link = env.path(".brv/state.db");
    std::os::unix::fs::symlink(env.path("elsewhere.db"), &link).unwrap();
    let said = json(&env.brv(&["signals", "--json"]).stdout);
    assert_eq!((&said["ok"], &said["warnings"]), (&true.into(), &serde_json::json!([])));
    assert!(!env.path("elsewhere.db").exists() && link.is_symlink());
}

#[test]
fn the_manifest_lists_the_most_important_and_is_not_written_for_an_importance_alone() {
    let env = sample();
    let manifest = || std::fs::read_to_string(tree(&env).join("_manifest.json")).unwrap();
    let contexts = || -> Vec<(String, f64)> {
        let rows = serde_json::from_str::<Value>(&manifest()).unwrap()["lanes"]["contexts"].clone();
        let row = |row: &Value| (row["path"].as_str().unwrap().into(), row["importance"].as_f64().unwrap());
        rows.as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(env.brv(&["derive"]).code, 0);
    let last = contexts().last().unwrap().0.clone();
    update(&env, &last, 0);
    // another order is neither counted nor an error, and is written by the next command that derives
    let before = manifest();
    let status = json(&env.brv(&["status", "--json"]).stdout);
    assert!(status["data"].to_string().contains("\"stale\":0"), "{status}");
    assert_eq!(env.brv(&["derive", "--check"]).code, 0);
    assert_eq!(manifest(), before);
    assert_eq!(env.brv(&["derive"]).code, 0);
    assert_eq!(contexts()[0], (last.clone(), 55.0));
    // the same rows in the same order
    let before = manifest();
    update(&env, &last, 0);
    for arguments in [&["derive"][..], &["derive", "--check"], &["derive", "--all"]] {
        assert_eq!(env.brv(arguments).code, 0);
        assert_eq!(manifest(), before, "{arguments:?}");
    }
}

#[test]
fn work_trees_of_one_project_share_its_signals() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "-b", "main"]);
    assert_eq!(env.brv(&["init", "-q", "--in-repo"]).code, 0);
    write(&env, &[("a/b.md", "# B\n")]);
    env.git(env.root(), &["add", "-A"]);
    env.git(env.root(), &["commit", "-qm", "first"]);
    update(&env, "a/b.md", 0);
    let linked = env.path("linked");
    env.git(env.root(), &["worktree", "add", "-q", linked.to_str().unwrap(), "-b", "other"]);
    let ran = env.brv_in(&linked, &["signals", "--json"]);
    assert_eq!(json(&ran.stdout)["data"]["signals"][0]["updates"], 1, "{}", ran.stderr);
    assert!(!linked.join(".brv/state.db").exists());
}

#[test]
fn curation_raises_what_it_updates_and_a_merge_hands_on_what_was_known() {
    let env = sample();
    let curate = |operations: Value| {
        std::fs::write(env.path("ops.json"), operations.to_string()).unwrap();
        let ran = env.brv(&["curate", "--ops", "ops.json", "--json"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        assert_eq!(json(&ran.stdout)["warnings"], serde_json::json!([]));
    };
    let one = |kind: &str, title: &str, text: &str| serde_json::json!({"type": kind, "path": "ops", "title": title, "markdown": text, "reason": "because"});
    curate(serde_json::json!([
        one("ADD", "Rollback", "## Narrative\n\nA rollback takes a minute.\n"),
        one("UPSERT", "Deploy", "## Rules\n\nNot on Fridays.\n"),
    ]));
    let all = data(&env, &["ops", "--top", "9"]);
    assert_eq!(paths(&all), ["ops/deploy.md", "ops/rollback.md"]);
    assert_eq!((&all[0]["importance"], &all[0]["updates"]), (&55.0.into(), &1.into()));
    assert_eq!((&all[1]["importance"], &all[1]["updates"]), (&50.0.into(), &0.into()));
    // what says nothing new is not an update
    curate(serde_json::json!([one("UPSERT", "Deploy", "## Rules\n\nNot on Fridays.\n")]));
    assert_eq!(data(&env, &["ops/deploy"])[0]["updates"], 1);
    curate(serde_json::json!([
        {"type": "MERGE", "source": "ops/deploy.md", "path": "ops", "title": "Rollback", "reason": "one topic"}
    ]));
    let all = data(&env, &["ops"]);
    assert_eq!(paths(&all), ["ops/rollback.md"]);
    assert_eq!((&all[0]["importance"], &all[0]["updates"]), (&55.0.into(), &1.into()));
    // undo gives the entry back, and leaves the signals alone
    assert_eq!(env.brv(&["undo"]).code, 0);
    let all = data(&env, &["ops"]);
    assert_eq!(paths(&all), ["ops/deploy.md", "ops/rollback.md"]);
    assert_eq!(all[1]["updates"], 1);
}
