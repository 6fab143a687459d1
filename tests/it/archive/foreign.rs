//! Archives of another tool: listed, shown and restored on every clone, and taken from nobody.

use super::{Machine, Team, is_there};
use crate::env::Env;
use crate::lab::fixture;
use serde_json::{Value, json};

const COOKIE: &str = "checkout/cart/guest_cart_cookie.md";
const COOKIE_FULL: &str = "_archived/checkout/cart/guest_cart_cookie.full.md";
const CLUSTER: &str = "catalog/search/self_hosted_search_cluster.md";
const CLUSTER_FULL: &str = "_archived/catalog/search/self_hosted_search_cluster.full.md";
const ZONES: &str = "shipping/rates/zone_table_2023.md";

/// The tree of another tool, adopted, committed and pushed; and a clone of it.
fn adopted() -> (Env, Value) {
    let env = Env::new();
    let project = fixture(&env, "peer_tree", "peer").unwrap();
    let remote = env.bare("remote.git");
    let machine = Machine { env: &env, project };
    let init = machine.json(0, &["init"]);
    machine.ok(&["vc", "commit", "-m", "leave derived files to brv"]);
    machine.git(&["remote", "set-url", "origin", remote.to_str().unwrap()]);
    machine.ok(&["vc", "push", "-u", "origin", "main"]);
    (env, init)
}

fn of<'a>(env: &'a Env, name: &str) -> Machine<'a> {
    Machine { env, project: env.path(name) }
}

fn clone<'a>(env: &'a Env, name: &str) -> Machine<'a> {
    let machine = of(env, name);
    std::fs::create_dir_all(&machine.project).unwrap();
    machine.ok(&["vc", "clone", env.path("remote.git").to_str().unwrap()]);
    machine
}

#[test]
fn adoption_takes_archives_from_nobody_and_every_clone_lists_shows_and_restores_them() {
    let (env, init) = adopted();
    let peer = of(&env, "peer");
    let adopted = &init["data"]["adopted"];
    assert_eq!(adopted["archived"].as_array().unwrap().len(), 5, "{init}");
    assert!(!adopted["untracked"].to_string().contains("_archived"), "{init}");
    let full = peer.read(COOKIE_FULL).unwrap();
    let tracked = peer.git(&["ls-files", "_archived"]);
    assert_eq!(tracked.lines().count(), 4, "{tracked}");
    peer.assert_settled();
    assert!(is_there(&peer, CLUSTER_FULL), "the only copy stays where it is");
    let checked = peer.json(0, &["vc", "check", "--all", "--fail-on", "never"]);
    assert!(!checked["data"]["findings"].to_string().contains("_archived"), "{checked}");
    // a teammate with plain git keeps the files, too
    env.git(env.root(), &["clone", "-q", "remote.git", "plain"]);
    assert_eq!(std::fs::read_to_string(env.path("plain").join(COOKIE_FULL)).unwrap(), full);

    let bo = clone(&env, "bo");
    let foreign = |path: &str| (path.to_owned(), "foreign".to_owned());
    for machine in [&peer, &bo] {
        assert_eq!(machine.archived(), [foreign(CLUSTER), foreign(COOKIE), foreign(ZONES)]);
        machine.assert_settled();
        assert_eq!(machine.ok(&["archive", "show", COOKIE]).stdout, full);
        let read = machine.ok(&["read", "checkout/cart/guest_cart_cookie"]).stdout;
        assert!(read.contains("Early guest cart") && read.contains("brv archive restore"), "{read}");
    }
    let listed = bo.json(0, &["archive", "list"]);
    let cookie = &listed["data"]["archived"][1];
    assert_eq!(
        (&cookie["importance"], &cookie["archived_at"]),
        (&json!(27.4), &json!("2025-09-20T02:00:33Z"))
    );
    assert_eq!((&cookie["stub"], &cookie["full"]), (&json!(null), &json!(null)), "not on this disk");
    // only one machine ever had the bytes of this one
    assert!(peer.ok(&["archive", "show", CLUSTER]).stdout.len() > 100);
    assert_eq!(bo.json(1, &["archive", "show", CLUSTER])["data"]["text"], json!(null));
    // of this one only a stub is left, and the commits that had the entry
    let zones = "Five zones, prices per half kilogram.";
    assert!(bo.ok(&["archive", "show", ZONES]).stdout.contains(zones));

    let ran = bo.json(0, &["archive", "restore", COOKIE]);
    assert_eq!(ran["data"]["restored"], json!([COOKIE]));
    assert_eq!(bo.read(COOKIE), Some(full));
    assert_eq!(bo.archived(), [foreign(CLUSTER), foreign(ZONES)]);
    bo.assert_settled();
    bo.ok(&["vc", "push"]);
    peer.ok(&["vc", "pull"]);
    assert!(is_there(&peer, COOKIE) && is_there(&peer, COOKIE_FULL));
}

#[test]
fn archives_that_only_an_earlier_commit_has_are_found() {
    let (env, _) = adopted();
    let peer = of(&env, "peer");
    let full = peer.read(COOKIE_FULL).unwrap();
    peer.git(&["rm", "-rq", "--cached", "_archived"]);
    peer.git(&["commit", "-q", "-m", "as an older brv did"]);
    peer.commit(&[("ops/later.md", "# Later\n")]);
    peer.git(&["push", "-q"]);
    let bo = clone(&env, "bo");
    assert!(!is_there(&bo, "_archived"));
    assert_eq!(bo.archived().len(), 3);
    assert_eq!(bo.ok(&["archive", "show", "checkout/cart/guest_cart_cookie"]).stdout, full);
    assert!(bo.ok(&["read", COOKIE]).stdout.contains("Early guest cart"));
    bo.ok(&["archive", "restore", COOKIE]);
    assert_eq!(bo.read(COOKIE), Some(full));
    bo.assert_settled();
}

#[test]
fn an_entry_of_which_only_a_stub_is_left_returns_as_its_last_commit_has_it() {
    let team = Team::new();
    let ada = team.machine("ada");
    let stub = "---\ntype: archive_stub\noriginal_path: ops/old.md\n---\nOf another tool.\n";
    ada.commit(&[("ops/old.md", "# Old\n\nFirst.\n")]);
    ada.commit(&[("ops/old.md", "# Old\n\nLast.\n")]);
    ada.remove("ops/old.md");
    ada.commit(&[("_archived/ops/old.stub.md", stub)]);
    let read = ada.ok(&["read", "ops/old"]).stdout;
    assert!(read.contains("Of another tool.") && read.contains("brv archive restore ops/old.md"), "{read}");
    ada.ok(&["archive", "restore", "ops/old"]);
    assert_eq!(ada.read("ops/old.md").as_deref(), Some("# Old\n\nLast.\n"));
    // nothing is promised of one that no commit ever had
    ada.write("_archived/ops/lost.stub.md", &stub.replace("old", "lost"));
    assert!(ada.json(0, &["read", "ops/lost"])["data"]["pieces"][0]["restore"].is_null());
    let read = ada.ok(&["read", "ops/lost"]).stdout;
    assert!(read.contains("nothing else of the entry") && !read.contains("archive restore"), "{read}");
    assert_eq!(ada.json(1, &["archive", "restore", "ops/lost"])["data"]["missing"], json!(["ops/lost.md"]));
}

#[test]
fn a_second_init_changes_nothing_and_files_on_one_disk_stay_there() {
    let team = Team::new();
    let ada = team.machine("ada");
    ada.write(
        "_archived/ops/runbook.stub.md",
        "---\nevicted_importance: 12\ntype: archive_stub\n---\nOld steps.\n",
    );
    ada.write("_archived/ops/runbook.full.md", "# Runbook\n");
    let init = ada.json(0, &["init"]);
    assert_eq!(init["data"]["adopted"]["archived"].as_array().unwrap().len(), 2, "{init}");
    assert_eq!(ada.json(0, &["init"])["data"]["adopted"], json!(null));
    ada.assert_settled();
    assert_eq!(ada.archived(), [("ops/runbook.md".into(), "foreign".into())]);
    ada.ok(&["archive", "restore", "ops/runbook"]);
    assert_eq!(ada.read("ops/runbook.md").as_deref(), Some("# Runbook\n"));
    assert!(is_there(&ada, "_archived/ops/runbook.full.md"));
    // archived by brv at the same path: the other tool's files are not overwritten
    ada.ok(&["vc", "push"]);
    ada.ok(&["archive", "run", "ops/runbook"]);
    let listed = ada.json(0, &["archive", "list"]);
    let item = &listed["data"]["archived"][0];
    assert_eq!(
        (&item["state"], &item["stub"], &item["full"]),
        (&json!("here"), &json!(null), &json!("_archived/ops/runbook.full.md"))
    );
    assert!(ada.read("_archived/ops/runbook.stub.md").unwrap().contains("Old steps."));
    ada.assert_settled();
}

#[test]
fn during_a_merge_of_that_tool_adoption_stages_no_deletion_and_says_what_it_found() {
    let env = Env::new();
    let project = fixture(&env, "peer_tree", "peer").unwrap();
    let peer = Machine { env: &env, project };
    peer.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    peer.commit(&[("shipping/context.md", "# Domain: shipping\n\nTheirs.\n")]);
    peer.git(&["checkout", "-q", "main"]);
    peer.commit(&[("shipping/context.md", "# Domain: shipping\n\nOurs.\n")]);
    assert_ne!(env.try_git(&peer.tree(), &["merge", "-q", "side"]).code, 0);
    let before = peer.git(&["diff", "--cached", "--name-status", "--diff-filter=D"]);
    let init = peer.json(0, &["init"]);
    assert_eq!(peer.git(&["diff", "--cached", "--name-status", "--diff-filter=D"]), before);
    assert!(init["data"]["archived"].as_array().unwrap().len() >= 4, "{init}");
    let warned = init["warnings"].to_string();
    assert!(warned.contains("archived files of another tool left alone"), "{warned}");
    assert!(peer.archived().iter().any(|(path, _)| path == COOKIE));
}
