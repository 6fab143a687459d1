//! Records in `context.md`, and the stubs and full copies that every clone makes from them.

use super::{OLD, Team, archive_by_hand, blob, is_there, item, overview};
use serde_json::json;

const STUB: &str = "_archived/auth/old_draft.stub.md";
const FULL: &str = "_archived/auth/old_draft.full.md";
const TIME: &str = "2026-11-20T12:30:00Z";

#[test]
fn every_clone_makes_stub_and_copy_from_the_record_and_takes_them_back_with_it() {
    let team = Team::new();
    let (ada, bo) = (team.machine("ada"), team.clone("bo"));
    archive_by_hand(&ada, "auth/old_draft.md", TIME);
    ada.ok(&["derive"]);
    ada.ok(&["vc", "push"]);
    bo.ok(&["vc", "pull"]);
    let cy = team.clone("cy");
    for machine in [&ada, &bo, &cy] {
        assert_eq!(machine.read(FULL).as_deref(), Some(OLD));
        assert_eq!(machine.read(STUB), ada.read(STUB));
        assert_eq!(machine.archived(), [("auth/old_draft.md".into(), "here".into())]);
        machine.assert_settled();
    }
    let stub = ada.read(STUB).unwrap();
    let head = format!(
        "---\nevicted_at: \"{TIME}\"\nevicted_importance: 22.4\noriginal_path: \"auth/old_draft.md\"\noriginal_token_count: "
    );
    assert!(
        stub.starts_with(&head) && stub.contains("# Old draft\n") && stub.contains("Key entities: "),
        "{stub}"
    );
    let manifest: serde_json::Value = serde_json::from_str(&ada.read("_manifest.json").unwrap()).unwrap();
    assert_eq!(manifest["lanes"]["stubs"][0]["path"], STUB);

    // the record goes, by hand: so do the files, on every clone
    ada.write("auth/old_draft.md", OLD);
    ada.remove("auth/context.md");
    ada.commit(&[]);
    ada.ok(&["vc", "push"]);
    bo.ok(&["vc", "pull"]);
    assert!(!is_there(&bo, "_archived") && bo.archived().is_empty());
    bo.assert_settled();
}

#[test]
fn the_list_says_everything_about_an_archived_entry_and_show_gives_its_bytes() {
    let team = Team::new();
    let ada = team.machine("ada");
    archive_by_hand(&ada, "auth/old_draft.md", TIME);
    ada.ok(&["derive"]);
    let listed = ada.json(0, &["archive", "list"]);
    let tokens = OLD.chars().count().div_ceil(4);
    assert_eq!(
        listed["data"],
        json!({"archived": [{
            "path": "auth/old_draft.md", "blob": blob(OLD), "importance": 22.4, "archived_at": TIME,
            "stub": STUB, "full": FULL, "tokens": tokens, "state": "here"
        }]})
    );
    for name in ["auth/old_draft", "auth/old_draft.md", STUB, FULL] {
        assert_eq!(ada.ok(&["archive", "show", name]).stdout, OLD, "{name}");
        let shown = ada.json(0, &["archive", "show", name]);
        assert_eq!(shown["data"]["text"], OLD);
        assert_eq!(shown["data"]["stub_text"].as_str(), ada.read(STUB).as_deref());
    }
    let text = ada.ok(&["archive", "list"]).stdout;
    assert_eq!(text, "2026-11-20  auth/old_draft.md  importance 22.4\n\n1 archived entry.\n");
    for (name, hint) in [("auth/tokens", "in the tree"), ("auth/nothing", "brv archive list")] {
        let failed = ada.json(1, &["archive", "show", name]);
        assert!(failed["error"]["hint"].as_str().unwrap().contains(hint), "{failed}");
    }
}

#[test]
fn two_machines_that_archive_one_entry_leave_one_record_the_earliest() {
    let team = Team::new();
    let (ada, bo) = (team.machine("ada"), team.clone("bo"));
    archive_by_hand(&ada, "auth/old_draft.md", "2026-11-20T12:30:00Z");
    ada.ok(&["vc", "push"]);
    archive_by_hand(&bo, "auth/old_draft.md", "2026-11-19T12:30:00Z");
    bo.ok(&["vc", "sync"]);
    ada.ok(&["vc", "pull"]);
    for machine in [&ada, &bo] {
        let record = item("old_draft.md", OLD, "2026-11-19T12:30:00Z");
        assert_eq!(machine.read("auth/context.md"), Some(overview(&[record])));
        assert_eq!(machine.read(FULL).as_deref(), Some(OLD));
        machine.assert_settled();
    }
}

#[test]
fn an_edit_wins_over_an_archive_and_voids_its_record() {
    let team = Team::new();
    let (ada, bo) = (team.machine("ada"), team.clone("bo"));
    archive_by_hand(&ada, "auth/old_draft.md", TIME);
    ada.ok(&["vc", "push"]);
    let edited = format!("{OLD}- **rotation**: Never [project]\n");
    bo.commit(&[("auth/old_draft.md", &edited)]);
    bo.ok(&["vc", "fetch"]);
    let record = &bo.json(0, &["vc", "merge", "--dry-run", "origin/main"])["data"]["records"][0];
    assert_eq!((&record["settled"], &record["archived"]), (&json!("change_kept"), &json!(true)), "{record}");
    let synced = bo.ok(&["vc", "sync"]);
    assert!(synced.stdout.contains("modified here, archived there: kept ours"), "{}", synced.stdout);
    assert!(synced.stderr.contains("auth/old_draft.md (archived there)"), "{}", synced.stderr);
    ada.ok(&["vc", "pull"]);
    for machine in [&ada, &bo] {
        assert_eq!(machine.read("auth/old_draft.md").as_ref(), Some(&edited));
        assert!(machine.archived().is_empty() && !is_there(machine, "_archived"));
        machine.assert_settled();
    }
    // archived again in its new form: both versions are there, and the later one has the files
    bo.remove("auth/old_draft.md");
    let items = [item("old_draft.md", OLD, TIME), item("old_draft.md", &edited, "2026-12-01T00:00:00Z")];
    bo.commit(&[("auth/context.md", &overview(&items))]);
    bo.ok(&["derive"]);
    assert_eq!(bo.read(FULL).as_ref(), Some(&edited));
    let listed = bo.json(0, &["archive", "list"]);
    let both = listed["data"]["archived"].as_array().unwrap();
    assert_eq!((&both[0]["full"], &both[1]["full"]), (&json!(FULL), &json!(null)));
    assert_eq!(both[1]["state"], "here");
    assert_eq!(bo.ok(&["archive", "show", "auth/old_draft"]).stdout, edited);
    bo.assert_settled();
}

#[test]
fn a_shallow_clone_says_what_is_missing_and_deepening_brings_it() {
    let team = Team::new();
    let ada = team.machine("ada");
    archive_by_hand(&ada, "auth/old_draft.md", TIME);
    ada.commit(&[("ops/deploy.md", "# Deploy\n\nBy a script.\n")]);
    ada.ok(&["vc", "push"]);
    let bo = team.machine("bo");
    std::fs::create_dir_all(&bo.project).unwrap();
    let url = format!("file://{}", team.url());
    let cloned = bo.json(0, &["vc", "clone", "--depth", "1", &url]);
    let warned = cloned["warnings"].to_string();
    assert!(warned.contains("auth/old_draft.md") && warned.contains("--unshallow"), "{cloned}");
    assert_eq!(bo.archived(), [("auth/old_draft.md".into(), "missing".into())]);
    assert!(!is_there(&bo, "_archived"));
    bo.assert_settled();
    let derived = bo.json(0, &["derive", "--all"]);
    assert_eq!(derived["data"]["missing"], json!(["auth/old_draft.md"]));
    assert!(derived["warnings"][0].as_str().unwrap().contains("auth/old_draft.md"), "{derived}");
    let shown = bo.json(1, &["archive", "show", "auth/old_draft"]);
    assert_eq!((shown["data"]["state"].as_str(), &shown["data"]["text"]), (Some("missing"), &json!(null)));
    bo.ok(&["vc", "fetch", "--unshallow"]);
    bo.ok(&["derive"]);
    assert_eq!(bo.read(FULL).as_deref(), Some(OLD));
    assert_eq!(bo.archived(), [("auth/old_draft.md".into(), "here".into())]);
    bo.assert_settled();
}

#[test]
fn edited_copies_and_files_of_other_tools_are_left_alone_and_only_the_first_are_shown() {
    let team = Team::new();
    let ada = team.machine("ada");
    archive_by_hand(&ada, "auth/old_draft.md", TIME);
    ada.ok(&["derive"]);
    ada.write(FULL, "mine now\n");
    ada.write("_archived/ops/runbook.stub.md", "---\ntype: archive_stub\n---\nOf another tool.\n");
    ada.write("_archived/ops/runbook.full.md", "# Runbook\n");
    let done = ada.json(0, &["derive"]);
    assert_eq!(done["data"]["kept"], json!([{"path": FULL, "why": "altered"}]));
    assert_eq!(ada.read(FULL).as_deref(), Some("mine now\n"));
    let status = ada.json(0, &["vc", "status"]);
    assert_eq!(status["data"]["foreign"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(
        ada.archived(),
        [("auth/old_draft.md".into(), "here".into()), ("ops/runbook.md".into(), "foreign".into())]
    );
    // without a cache the same is known
    std::fs::remove_dir_all(ada.project.join(".brv/cache")).unwrap();
    ada.remove(FULL);
    ada.ok(&["derive"]);
    assert_eq!(ada.read(FULL).as_deref(), Some(OLD));
    assert_eq!(ada.read("_archived/ops/runbook.full.md").as_deref(), Some("# Runbook\n"));
    ada.assert_settled();
    // and what a lost ledger knew of is taken away with its record
    std::fs::remove_dir_all(ada.project.join(".brv/cache")).unwrap();
    ada.write("auth/old_draft.md", OLD);
    ada.remove("auth/context.md");
    ada.ok(&["derive"]);
    assert!(
        !is_there(&ada, STUB) && !is_there(&ada, FULL) && is_there(&ada, "_archived/ops/runbook.full.md")
    );
}

#[test]
fn a_malformed_item_is_reported_and_kept() {
    let team = Team::new();
    let ada = team.machine("ada");
    let good = item("old_draft.md", OLD, TIME);
    ada.remove("auth/old_draft.md");
    ada.commit(&[("auth/context.md", &overview(&["gone.md what is this".into(), good]))]);
    let listed = ada.json(0, &["archive", "list"]);
    assert_eq!(
        listed["data"]["malformed"],
        json!([{"path": "auth/context.md", "item": "gone.md what is this"}])
    );
    assert!(listed["warnings"][0].as_str().unwrap().contains("gone.md what is this"));
    for command in
        [&["derive"][..], &["derive", "--check"], &["vc", "check", "--all"], &["vc", "check", "HEAD"]]
    {
        let ran = ada.json(0, command);
        assert!(ran["warnings"].to_string().contains("gone.md what is this"), "{ran}");
    }
    assert_eq!(listed["data"]["archived"].as_array().unwrap().len(), 1);
    let failed = ada.json(1, &["archive", "show", "auth/gone"]);
    assert!(failed["error"]["hint"].as_str().unwrap().contains("cannot be read"), "{failed}");
}
