//! What other commands call an archived entry, and what they say of its record.

use super::{OLD, Team};
use serde_json::json;

#[test]
fn pull_diff_and_check_call_an_archived_entry_archived() {
    let team = Team::new();
    let (ada, bo) = (team.machine("ada"), team.clone("bo"));
    let base = ada.git(&["rev-parse", "HEAD"]);
    ada.ok(&["archive", "run", "auth/old_draft"]);
    std::fs::remove_file(ada.tree().join("ops/deploy.md")).unwrap();
    ada.ok(&["vc", "commit", "-a", "-m", "by hand no more"]);
    ada.ok(&["vc", "push"]);
    let pulled = bo.ok(&["vc", "pull"]).stdout;
    assert!(pulled.contains("- auth/old_draft  \"Old draft\"; archived\n"), "{pulled}");
    assert!(pulled.contains("- ops/deploy      \"Deploy\"\n"), "{pulled}");
    let range = format!("{base}..HEAD");
    let shown = ada.ok(&["vc", "diff", &range, "--format", "text"]).stdout;
    assert!(
        shown.contains("auth/old_draft.md, archived\n") && shown.contains("1 archived, 1 deleted"),
        "{shown}"
    );
    // a link to what is archived is not broken
    assert!(!shown.contains("points to auth/old_draft"), "{shown}");
    let data = &ada.json(0, &["vc", "diff", &range])["data"];
    let of = |path: &str| data["entries"].as_array().unwrap().iter().find(|one| one["path"] == path).cloned();
    assert_eq!(of("auth/old_draft.md").unwrap()["change"], "archived");
    assert_eq!(of("ops/deploy.md").unwrap()["change"], "deleted");
    let checked = ada.json(0, &["vc", "check", &range]);
    let counts = &checked["data"]["verdict"]["entries"];
    assert_eq!((&counts["archived"], &counts["deleted"]), (&json!(1), &json!(1)), "{checked}");
    let text = ada.ok(&["vc", "check", &range]).stdout;
    assert!(text.contains("1 archived, 1 deleted"), "{text}");
    for format in ["markdown", "html"] {
        let page = ada.ok(&["vc", "diff", &range, "--format", format]).stdout;
        assert!(page.contains("archived"), "{page}");
    }
}

#[test]
fn an_entry_with_another_content_than_the_record_is_deleted() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.ok(&["archive", "run", "auth/old_draft"]);
    ada.commit(&[(
        "auth/old_draft.md",
        "# Written anew\n\nNothing of it is archived, all of it is another text.\n",
    )]);
    ada.remove("auth/old_draft.md");
    ada.git(&["commit", "-q", "-a", "-m", "gone"]);
    let data = &ada.json(0, &["vc", "diff", "HEAD~1..HEAD"])["data"];
    assert_eq!(data["entries"][0]["change"], "deleted");
}

#[test]
fn a_pinned_entry_that_is_archived_is_not_said_to_be_deleted() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.commit(&[("auth/pinned.md", "---\npinned: true\n---\n# Pinned\n")]);
    ada.ok(&["archive", "run", "auth/pinned"]);
    let data = &ada.json(0, &["vc", "check", "HEAD"])["data"];
    let found = data["findings"].as_array().unwrap();
    let found = found.iter().find(|one| one["rule"] == "BRV010").unwrap();
    assert_eq!(found["message"], "a pinned entry was archived");
}

#[test]
fn who_deletes_an_overview_is_told_which_records_go() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.commit(&[("auth/jwt/deep.md", "# Deep\n")]);
    ada.ok(&["vc", "push"]);
    ada.ok(&["archive", "run", "auth/old_draft", "auth/jwt/deep"]);
    ada.commit(&[("auth/old_draft.md", OLD)]);
    let said = "1 archive record goes with the overview that has it: `auth/jwt/deep.md`";
    // the record of an entry that is there is void
    for dry in
        [&["vc", "rm", "-r", "auth", "--dry-run"][..], &["vc", "rm", "-r", "--cached", "auth", "--dry-run"]]
    {
        let told = ada.json(0, dry);
        assert_eq!(told["data"]["unrecorded"], json!(["auth/jwt/deep.md"]), "{told}");
        assert_eq!(told["warnings"].as_array().unwrap().last().unwrap(), said);
    }
    assert!(ada.json(0, &["vc", "rm", "--dry-run", "ops/deploy.md"])["data"].get("unrecorded").is_none());
    let list = |path: &str| {
        json!([{"type": "DELETE", "path": path, "recursive": true, "reason": "over"}]).to_string()
    };
    let file = ada.project.join("ops.json");
    std::fs::write(&file, list("auth")).unwrap();
    let ran = ada.ok(&["curate", "--ops", "ops.json"]).stdout;
    assert!(ran.contains(said), "{ran}");
    ada.ok(&["undo"]);
    std::fs::write(&file, list("auth/jwt/context.md")).unwrap();
    let ran = ada.json(0, &["curate", "--ops", "ops.json"]);
    assert_eq!(ran["data"]["applied"][0]["unrecorded"], json!(["auth/jwt/deep.md"]), "{ran}");
}
