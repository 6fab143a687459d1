//! Archiving and restoring: bytes, commits, what is skipped and what is refused.

use super::{Machine, OLD, TOKENS, Team, blob, is_there, item, overview};
use crate::env::Ran;
use crate::init::json as envelope;
use serde_json::{Value, json};
use std::process::Command;

const TIME: &str = "2023-11-14T22:13:20Z";

/// The curated files with their bytes.
fn curated(machine: &Machine<'_>) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut files = crate::lab::picture(&machine.tree(), &|path| path == ".git" || path.starts_with(".git/"));
    files.retain(|path, _| {
        brv_base::path::TreePath::parse(path.as_bytes()).is_ok_and(|path| path.kind().is_curated())
    });
    files
}

fn why(data: &Value) -> Vec<(String, String)> {
    let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let skipped = data["data"]["skipped"].as_array();
    skipped
        .unwrap_or_else(|| panic!("{data}"))
        .iter()
        .map(|one| (text(one, "path"), text(one, "why")))
        .collect()
}

#[test]
fn archive_then_restore_gives_the_bytes_in_two_commits() {
    let team = Team::new();
    let ada = team.machine("ada");
    let overviews = ["# Topic: auth\n\n## Overview\nTokens.\n", "---\ntitle: Ops\n---\r\n# Ops\r\n"];
    ada.commit(&[
        ("auth/context.md", overviews[0]),
        ("ops/context.md", overviews[1]),
        ("lone/alone.md", "# Alone"),
    ]);
    ada.ok(&["vc", "push"]);
    let before = curated(&ada);
    let paths = ["auth/old_draft.md", "ops/deploy.md", "lone/alone.md"];
    let ran = ada.json(0, &["archive", "run", "auth/old_draft", "ops/deploy.md", "lone/alone"]);
    assert_eq!(ran["data"]["skipped"], json!([]));
    let mut archived = paths.map(|path| json!({"path": path, "importance": 50.0}));
    archived.sort_by_key(|one| one["path"].as_str().unwrap().to_owned());
    assert_eq!(ran["data"]["archived"], json!(archived));
    let head = ada.git(&["rev-parse", "HEAD"]);
    assert_eq!(ran["data"]["commit"], head);
    let message = ada.git(&["show", "-s", "--format=%B", "HEAD"]);
    assert!(message.starts_with("archive 3 entries\n\n- auth/old_draft.md, importance 50\n"), "{message}");
    let operation = ran["data"]["operation"].as_str().unwrap();
    assert!(message.contains(&format!("Brv-Op: {operation}")), "{message}");
    assert!(message.contains("Brv-Reason: auth/old_draft.md: archived, importance 50"), "{message}");
    assert_eq!(
        ada.read("lone/context.md"),
        Some(overview(&[item("alone.md", "# Alone", TIME).replace(" 22.4 ", " 50 "),]))
    );
    for path in paths {
        assert!(!is_there(&ada, path), "{path}");
    }
    ada.assert_settled();

    let ran = ada
        .json(0, &["archive", "restore", "auth/old_draft", "_archived/ops/deploy.stub.md", "lone/alone.md"]);
    assert_eq!(ran["data"]["restored"], json!(["auth/old_draft.md", "lone/alone.md", "ops/deploy.md"]));
    assert_eq!(ran["data"]["missing"], json!([]));
    assert_eq!(curated(&ada), before);
    assert!(!is_there(&ada, "_archived"));
    ada.assert_settled();
    assert_eq!(
        ada.git(&["log", "--format=%s", "-2"]),
        "restore 3 entries from the archive\narchive 3 entries"
    );
    assert_eq!(ada.json(0, &["op", "log"])["data"]["operations"][0]["kind"], "unarchive");
    // both are undone as one operation each
    ada.ok(&["undo"]);
    assert!(!is_there(&ada, "auth/old_draft.md"));
    ada.ok(&["undo"]);
    assert_eq!(curated(&ada), before);
    ada.assert_settled();
}

#[test]
fn an_archive_and_a_restore_travel_as_forward_changes() {
    let team = Team::new();
    let (ada, bo) = (team.machine("ada"), team.clone("bo"));
    ada.ok(&["archive", "run", "auth/old_draft"]);
    ada.ok(&["vc", "push"]);
    bo.ok(&["vc", "pull"]);
    bo.ok(&["archive", "restore", "auth/old_draft"]);
    bo.ok(&["vc", "push"]);
    ada.ok(&["vc", "pull"]);
    for machine in [&ada, &bo] {
        assert_eq!(machine.read("auth/old_draft.md").as_deref(), Some(OLD));
        assert!(machine.archived().is_empty());
        machine.assert_settled();
    }
}

#[test]
fn what_cannot_be_archived_is_skipped_with_its_reason_and_exit_1() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.commit(&[
        ("auth/context.md", "# Topic: auth\n"),
        ("bad/entry.md", "# X\n"),
        ("bad/context.md", "---\na: [\n---\n"),
    ]);
    ada.write("auth/tokens.md", "# Edited\n");
    ada.write("auth/new.md", "# New\n");
    ada.write("ops/context.md", "# Topic: ops\n");
    let before = crate::lab::picture(&ada.project, &crate::lab::is_volatile);
    let names = ["auth/tokens", "auth/new.md", "auth/context.md", "auth", "bad/entry"];
    let ran = ada.json(1, &[&["archive", "run", "--dry-run"], &names[..]].concat());
    let expected = [
        ("auth", "overview"),
        ("auth/context.md", "overview"),
        ("auth/new.md", "not_committed"),
        ("auth/tokens.md", "dirty"),
        ("bad/entry.md", "overview"),
    ];
    assert_eq!(why(&ran), expected.map(|(path, why)| (path.to_owned(), why.to_owned())));
    assert_eq!(
        crate::lab::picture(&ada.project, &crate::lab::is_volatile),
        before,
        "a dry run writes nothing"
    );
    // a new overview that is not committed would hold the record back
    let ran = ada.json(1, &["archive", "run", "ops/deploy", "auth/old_draft"]);
    assert_eq!(why(&ran), [("ops/deploy.md".into(), "dirty".into())]);
    assert_eq!(ran["data"]["archived"], json!([{"path": "auth/old_draft.md", "importance": 50.0}]));
    // one that is archived already says so, and a name that means nothing is a mistake of the caller
    let ran = ada.json(1, &["archive", "run", "auth/old_draft"]);
    assert_eq!(why(&ran), [("auth/old_draft".into(), "not_committed".into())]);
    assert!(ran["error"].to_string().contains("archived already"), "{ran}");
    for unknown in ["auth/token", "../outside"] {
        let ran = ada.json(2, &["archive", "run", "ops/deploy", unknown]);
        assert!(ran["error"]["message"].as_str().unwrap().contains(unknown), "{ran}");
    }
    assert!(ada.run(&["archive", "run", "auth/token"]).stderr.contains("auth/tokens"));
    // the user's own work stays as it was
    assert_eq!(ada.git(&["status", "--porcelain"]), " M auth/tokens.md\n?? auth/new.md\n?? ops/context.md");
}

#[test]
fn a_fresh_clone_archives_nothing_by_importance() {
    let team = Team::new();
    let bo = team.clone("bo");
    let ran = bo.json(0, &["archive", "run"]);
    assert_eq!((&ran["data"]["archived"], &ran["data"]["skipped"]), (&json!([]), &json!([])));
    assert_eq!((&ran["data"]["commit"], ran["data"].get("operation")), (&json!(null), None));
    assert_eq!(
        bo.ok(&["archive", "run"]).stdout,
        "Nothing archived: no entry has an importance below 35. `brv signals` shows them.\n"
    );
}

/// The envelope of what an agent is answered.
fn by_bot(machine: &Machine<'_>, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    machine.env.prepare(&mut command);
    command.current_dir(&machine.project).env("BRV_ACTOR", "bot").args(arguments);
    envelope(&Ran::of(&command.output().unwrap()).stdout)
}

#[test]
fn drafts_that_nobody_used_for_months_go_and_an_entry_in_use_stays() {
    let mut team = Team::new();
    team.machine("ada").commit(&[("auth/pinned.md", "---\npinned: true\n---\n# Pinned\n")]);
    team.machine("ada").ok(&["vc", "push"]);
    team.machine("ada").ok(&["signals"]);
    // 50 × 0.995^80 = 33.5
    team.env = team.env.with("BRV_CLOCK", "2024-02-02T22:13:20Z");
    let ada = team.machine("ada");
    let update = ["--into", "ops", "--title", "Deploy", "--reason", "still true", "--fact", "how: by hand"];
    ada.ok(&[&["curate", "By hand, always."], &update[..]].concat());
    ada.write("auth/tokens.md", "# Edited\n");
    for listed in [ada.json(0, &["archive", "run"]), by_bot(&ada, &["archive", "run", "--yes", "--json"])] {
        assert_eq!(listed["data"]["candidates"][0]["path"], json!("auth/old_draft.md"), "{listed}");
        assert_eq!((&listed["data"]["archived"], &listed["data"]["commit"]), (&json!([]), &json!(null)));
    }
    let ran = ada.json(0, &["archive", "run", "--yes"]);
    let archived = ran["data"]["archived"].as_array().unwrap();
    assert_eq!(archived.len(), 1, "{ran}");
    assert_eq!(
        (&archived[0]["path"], &archived[0]["importance"]),
        (&json!("auth/old_draft.md"), &json!(33.48))
    );
    let expected = [("auth/pinned.md", "pinned"), ("auth/tokens.md", "dirty")];
    assert_eq!(why(&ran), expected.map(|(path, why)| (path.to_owned(), why.to_owned())));
    assert!(ada.read("auth/context.md").unwrap().contains(" 33.48 2024-02-02T22:13:20Z"));
}

#[test]
fn an_entry_that_the_upstream_lacks_is_archived_by_name_with_a_warning() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.commit(&[("auth/local.md", "# Only here\n")]);
    let ran = ada.json(0, &["archive", "run", "auth/local", "auth/old_draft"]);
    assert_eq!(ran["data"]["unpublished"], json!(["auth/local.md"]));
    let warned = ran["warnings"].as_array().unwrap();
    assert!(warned.len() == 1 && warned[0].as_str().unwrap().contains("auth/local.md"), "{ran}");
}

#[test]
fn a_restore_that_cannot_be_done_says_why_and_changes_nothing() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.ok(&["archive", "run", "auth/old_draft"]);
    let gone = item("gone.md", "nowhere", TIME);
    let text = ada.read("auth/context.md").unwrap();
    let text = text.replace("archived:\n", &format!("archived:\n  - {gone}\n  - torn.md what is this\n"));
    ada.commit(&[("auth/context.md", &text)]);
    let head = ada.git(&["rev-parse", "HEAD"]);
    // a record that is not there, a missing blob, a malformed item
    for (name, hint) in
        [("auth/nothing", "archive list"), ("auth/gone", "--unshallow"), ("auth/torn", "cannot be read")]
    {
        let failed = ada.json(1, &["archive", "restore", name]);
        assert_eq!(failed["data"]["restored"], json!([]));
        assert_eq!(failed["data"]["missing"].as_array().unwrap().len(), 1);
        assert!(failed["error"]["hint"].as_str().unwrap().contains(hint), "{failed}");
        assert_eq!(failed["error"]["code"], "failed");
    }
    // a path that is taken, by a file or by a folder; then nothing at all is restored
    ada.write("auth/old_draft.md", "# Mine\n");
    let failed = ada.json(6, &["archive", "restore", "auth/old_draft"]);
    assert!(failed["error"]["message"].as_str().unwrap().contains("auth/old_draft"), "{failed}");
    assert_eq!(ada.read("auth/old_draft.md").as_deref(), Some("# Mine\n"));
    ada.remove("auth/old_draft.md");
    std::fs::create_dir_all(ada.tree().join("auth/old_draft.md")).unwrap();
    ada.exits(6, &["archive", "restore", "auth/old_draft"]);
    std::fs::remove_dir(ada.tree().join("auth/old_draft.md")).unwrap();
    assert_eq!(ada.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
    // what is there comes back beside what is missing
    let ran = ada.json(1, &["archive", "restore", "auth/gone", "auth/old_draft"]);
    assert_eq!(ran["data"]["restored"], json!(["auth/old_draft.md"]));
    assert_eq!(ran["data"]["missing"], json!(["auth/gone.md"]));
    assert_eq!(ada.read("auth/old_draft.md").as_deref(), Some(OLD));
    assert!(ada.read("auth/context.md").unwrap().contains("torn.md what is this"), "kept");
    ada.exits(6, &["archive", "restore", "auth/old_draft"]);
    ada.exits(2, &["archive", "restore"]);
}

#[test]
fn staged_work_stays_staged_and_a_merge_in_progress_refuses() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.write("ops/deploy.md", "# Deploy\n\nStaged.\n");
    ada.ok(&["vc", "add", "ops/deploy.md"]);
    ada.ok(&["archive", "run", "auth/old_draft"]);
    assert_eq!(ada.git(&["status", "--porcelain"]), "M  ops/deploy.md");
    assert_eq!(
        ada.git(&["show", "--format=", "--name-status", "HEAD"]),
        "A\tauth/context.md\nD\tauth/old_draft.md"
    );
    ada.git(&["commit", "-q", "-m", "deploy"]);
    ada.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    ada.commit(&[("ops/deploy.md", "# Deploy\n\nOf the side.\n")]);
    ada.git(&["checkout", "-q", "main"]);
    assert_eq!(ada.run(&["vc", "merge", "side"]).code, 5);
    ada.exits(6, &["archive", "run", "auth/tokens"]);
    ada.exits(6, &["archive", "restore", "auth/old_draft"]);
}

#[test]
fn without_commits_of_its_own_the_files_are_staged() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.ok(&["config", "set", "--project", "commit.auto", "false"]);
    let ran = ada.json(0, &["archive", "run", "auth/old_draft"]);
    assert_eq!(ran["data"]["commit"], json!(null));
    assert_eq!(ran["data"]["uncommitted"], json!(["auth/context.md", "auth/old_draft.md"]));
    assert_eq!(ada.git(&["status", "--porcelain"]), "A  auth/context.md\nD  auth/old_draft.md");
    ada.ok(&["undo"]);
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
    assert_eq!(ada.read("auth/old_draft.md").as_deref(), Some(OLD));
}

#[test]
fn a_path_that_is_archived_twice_keeps_both_versions() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.ok(&["archive", "run", "auth/old_draft"]);
    let ran = ada.json(
        0,
        &["curate", "Another text.", "--into", "auth/old_draft.md", "--title", "Old draft", "--reason", "r"],
    );
    let warnings = ran["warnings"].to_string();
    assert!(warnings.contains("archived version") && warnings.contains("brv archive restore"), "{ran}");
    let newer = ada.read("auth/old_draft.md").unwrap();
    assert!(
        ada.json(
            0,
            &["curate", "More.", "--into", "auth/old_draft.md", "--title", "Old draft", "--reason", "r"]
        )["warnings"]
            .to_string()
            .len()
            < 3
    );
    let newer = ada.read("auth/old_draft.md").filter(|text| *text != newer).unwrap();
    ada.ok(&["archive", "run", "auth/old_draft"]);
    let paths: Vec<String> = ada.archived().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["auth/old_draft.md", "auth/old_draft.md"]);
    assert_eq!(ada.ok(&["archive", "show", "auth/old_draft"]).stdout, newer);
    ada.assert_settled();
    // the older one comes back once the latest was taken out of its way
    ada.ok(&["archive", "restore", "auth/old_draft"]);
    assert_eq!(ada.read("auth/old_draft.md"), Some(newer));
    ada.ok(&["vc", "mv", "auth/old_draft.md", "auth/newer.md"]);
    ada.ok(&["vc", "commit", "-m", "make room"]);
    ada.ok(&["archive", "restore", "auth/old_draft"]);
    assert_eq!(ada.read("auth/old_draft.md").as_deref(), Some(OLD));
    ada.assert_settled();
}

#[test]
fn an_archived_version_is_listed_and_shown_while_a_new_entry_has_its_path() {
    let team = Team::new();
    let ada = team.machine("ada");
    let new = |text: &str| {
        ada.json(0, &["curate", text, "--into", "sso", "--title", "SSO login", "--reason", "r"]);
        ada.read("sso/sso_login.md").unwrap()
    };
    let old = new("The old way.");
    ada.ok(&["archive", "run", "sso/sso_login.md"]);
    let newer = new("The new way.");
    let listed = ada.json(0, &["archive", "list"]);
    let item = &listed["data"]["archived"][0];
    assert_eq!(
        (&item["path"], &item["blob"], &item["taken"]),
        (&json!("sso/sso_login.md"), &json!(blob(&old)), &json!(true)),
        "{listed}"
    );
    let list = ada.ok(&["archive", "list"]).stdout;
    assert!(
        list.contains("path taken") && list.ends_with("1 archived entry, 1 with a taken path.\n"),
        "{list}"
    );
    assert_eq!(ada.ok(&["archive", "show", "sso/sso_login.md"]).stdout, old);
    ada.exits(6, &["archive", "restore", "sso/sso_login.md"]);
    assert_eq!(ada.read("sso/sso_login.md"), Some(newer));
    // its record is not lost unsaid
    let told = ada.json(0, &["vc", "rm", "-r", "sso", "--dry-run"]);
    assert_eq!(told["data"]["unrecorded"], json!(["sso/sso_login.md"]));
    ada.assert_settled();
    ada.ok(&["vc", "mv", "sso/sso_login.md", "sso/newer.md"]);
    assert_eq!(ada.json(0, &["archive", "list"])["data"]["archived"][0].get("taken"), None);
    ada.ok(&["vc", "commit", "-m", "make room"]);
    ada.ok(&["archive", "restore", "sso/sso_login.md"]);
    assert_eq!(ada.read("sso/sso_login.md"), Some(old));
    assert!(ada.archived().is_empty());
}

#[test]
fn a_record_stays_where_its_entry_returns_without_a_commit() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.ok(&["archive", "run", "auth/old_draft"]);
    let record = ada.read("auth/context.md").unwrap();
    ada.commit(&[("auth/old_draft.md", "# Written anew\n")]);
    std::fs::rename(ada.tree().join("auth/old_draft.md"), ada.project.join("moved.md")).unwrap();
    let ran = ada.json(0, &["archive", "restore", "auth/old_draft"]);
    assert_eq!(ada.read("auth/old_draft.md").as_deref(), Some(OLD));
    assert_eq!(
        (&ran["data"]["commit"], &ran["data"]["uncommitted"]),
        (&json!(null), &json!(["auth/old_draft.md"]))
    );
    assert_eq!(ada.read("auth/context.md"), Some(record));
    assert_eq!(ada.git(&["status", "--porcelain"]), " M auth/old_draft.md");
}

#[test]
fn a_relation_to_an_archived_entry_is_kept() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.ok(&["archive", "run", "auth/old_draft"]);
    let operation = json!([{"type": "UPDATE", "path": "auth/tokens.md", "reason": "r", "related": ["auth/old_draft", "auth/nothing"], "summary": "s"}]);
    let ran = ada
        .env
        .brv_reading(&["-C", "ada", "curate", "--ops", "-", "--json"], operation.to_string().as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let dropped = &crate::init::json(&ran.stdout)["data"]["applied"][0]["dropped_relations"];
    assert_eq!(*dropped, json!(["auth/nothing"]));
    assert!(ada.read("auth/tokens.md").unwrap().contains("related: [auth/old_draft]"));
}

#[test]
fn gc_keeps_what_records_name_after_a_squash() {
    let team = Team::new();
    let ada = team.machine("ada");
    // the entry and its archive in one commit: no commit has the bytes
    let base = ada.git(&["rev-parse", "HEAD"]);
    ada.commit(&[("auth/passing.md", "# In passing\n")]);
    ada.ok(&["archive", "run", "auth/passing"]);
    ada.git(&["reset", "-q", "--soft", &base]);
    ada.git(&["commit", "-q", "-m", "squashed"]);
    ada.git(&["reflog", "expire", "--expire=now", "--all"]);
    ada.git(&["for-each-ref", "--format=delete %(refname)", "refs/brv"]).lines().for_each(|line| {
        ada.git(&["update-ref", "-d", line.trim_start_matches("delete ")]);
    });
    let id = blob("# In passing\n");
    assert!(!ada.git(&["rev-list", "--objects", "--all"]).contains(&id));
    ada.ok(&["vc", "gc", "--prune", "now"]);
    assert_eq!(ada.git(&["cat-file", "blob", &id]), "# In passing");
    // git's own gc does not know: the full copy has the bytes
    ada.git(&["gc", "-q", "--prune=now"]);
    ada.ok(&["archive", "restore", "auth/passing"]);
    assert_eq!(ada.read("auth/passing.md").as_deref(), Some("# In passing\n"));
}

#[test]
fn a_search_finds_the_stub_as_soon_as_the_entry_is_archived() {
    let mut team = Team::new();
    team.env = team.env.with("BRV_CLOCK", "2026-01-01T00:00:00Z");
    let ada = team.machine("ada");
    let found = || {
        let found = ada.json(0, &["search", "hmac shared secret", "--no-hits"]);
        found["data"]["results"][0]["path"].as_str().unwrap_or("nothing").to_owned()
    };
    assert_eq!(found(), "auth/old_draft.md");
    ada.ok(&["archive", "run", "auth/old_draft"]);
    assert_eq!(found(), "_archived/auth/old_draft.stub.md");
    ada.ok(&["archive", "restore", "auth/old_draft"]);
    assert_eq!(found(), "auth/old_draft.md");
    ada.ok(&["undo"]);
    assert_eq!(found(), "_archived/auth/old_draft.stub.md");
}

#[test]
fn readers_find_an_archived_entry_and_its_links_are_not_broken() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.ok(&["archive", "run", "auth/old_draft"]);
    for name in ["auth/old_draft", "old_draft.md", "_archived/auth/old_draft.stub.md"] {
        let folder = ada.tree().join(if name.contains('/') { "" } else { "auth" });
        let read = ada.env.brv_in(&folder, &["read", name]);
        assert_eq!(read.code, 0, "{}", read.stderr);
        assert!(read.stdout.starts_with("# Old draft\n"), "{}", read.stdout);
        assert!(read.stdout.contains("`brv archive restore auth/old_draft.md`"), "{}", read.stdout);
    }
    let read = ada.json(0, &["read", "auth/old_draft"]);
    let piece = &read["data"]["pieces"][0];
    assert_eq!(
        (&piece["kind"], &piece["restore"]),
        (&json!("archived"), &json!("brv archive restore auth/old_draft.md"))
    );
    assert_eq!(ada.ok(&["read", "_archived/auth/old_draft.full.md"]).stdout, OLD);
    let at = ada.json(0, &["read", "auth/old_draft", "--at", "HEAD"]);
    assert_eq!(at["data"]["pieces"][0]["kind"], "archived");
    assert_eq!(ada.json(0, &["links", "--broken"])["data"]["links"], json!([]));
    let links = ada.json(0, &["links", "auth/tokens"]);
    let states: Vec<&Value> =
        links["data"]["outgoing"].as_array().unwrap().iter().map(|link| &link["state"]).collect();
    assert_eq!(states, [&json!("archived"), &json!("archived")]);
    let of = ada.json(0, &["links", "auth/old_draft"]);
    assert_eq!(of["data"]["incoming"].as_array().unwrap().len(), 2);
    for arguments in [&["vc", "check", "--all"][..], &["vc", "check"]] {
        let checked = ada.json(0, arguments);
        let found = checked["data"]["findings"].to_string();
        assert!(!found.contains("BRV004") && !found.contains("BRV002"), "{found}");
    }
    // without the record they would be
    ada.remove("auth/context.md");
    assert_eq!(ada.json(0, &["links", "--broken"])["data"]["links"].as_array().unwrap().len(), 2);
    assert!(TOKENS.contains("old_draft"));
}
