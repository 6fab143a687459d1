//! A part of a large tree: git's sparse checkout keeps the folders of other teams off this disk, and brv leaves them as
//! they are. One test for each sentence of `brv help syncing` about it; `flags.rs` has what pull, reset and curate do.

use crate::dream::{COPY, FILES, KEYS, PARTNER, TOKENS, at, dream, dreaming};
use crate::env::{Env, Ran, tree};
use crate::init::{json, write};
use serde_json::{Value, json as value};

/// When entries that nobody used since are weak.
const LATER: &str = "2024-06-01T00:00:00Z";

/// The tree of the dreams with `ops` alone on disk: everything in `auth` is absent. All of it was in use here before.
fn part() -> Env {
    let env = dreaming();
    ok(&env, &["derive"]);
    ok(&env, &["brain"]);
    ok(&env, &["signals"]);
    git(&env, &["sparse-checkout", "set", "ops"]);
    ok(&env, &["derive"]);
    env
}

#[track_caller]
fn ok(env: &Env, arguments: &[&str]) -> Ran {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

#[track_caller]
fn data(env: &Env, arguments: &[&str]) -> Value {
    json(&ok(env, &[arguments, &["--json"]].concat()).stdout)["data"].clone()
}

#[track_caller]
fn git(env: &Env, arguments: &[&str]) -> String {
    env.git(&tree(env), arguments)
}

fn is_there(env: &Env, path: &str) -> bool {
    tree(env).join(path).exists()
}

/// Neither brv nor git sees a change, nothing of `auth` is on disk, and the index has all of it.
#[track_caller]
fn assert_absent(env: &Env) {
    assert!(!is_there(env, "auth"));
    assert_eq!(git(env, &["status", "--porcelain"]), "");
    let flagged = git(env, &["ls-files", "-t", "auth"]);
    assert!(flagged.lines().count() > 2 && flagged.lines().all(|line| line.starts_with('S')), "{flagged}");
    let blobs = git(env, &["ls-tree", "-r", "--name-only", "HEAD"]);
    for (path, _) in FILES {
        assert!(blobs.contains(path), "{path} is in no commit: {blobs}");
    }
    assert_eq!(ok(env, &["vc", "status", "--porcelain"]).stdout, "");
}

#[test]
fn what_is_absent_counts_as_tracked_and_unchanged() {
    let env = part();
    assert_absent(&env);
    let status = data(&env, &["status"]);
    assert_eq!(
        (&status["entries"], &status["absent"], &status["stale"]),
        (&value!(2), &value!(3), &value!(0))
    );
    let shown = ok(&env, &["status"]).stdout;
    assert!(shown.contains("2 entries in 1 domain; 3 more not on this disk"), "{shown}");
    write(&env, &[(KEYS, &FILES[3].1.replace("90 days", "80 days"))]);
    // the absent ones are more than half of the tree: were they deleted, the guard would refuse
    ok(&env, &["vc", "commit", "-a", "-m", "keys"]);
    assert_eq!(git(&env, &["show", "--format=", "--name-only", "HEAD"]), KEYS);
    assert_absent(&env);
}

#[test]
fn links_to_what_is_absent_are_not_broken_and_no_fix_touches_them() {
    let env = part();
    // the only entry on disk with the name of the absent one
    write(&env, &[("ops/gate/tokens.md", "---\ntitle: Tokens of the gate\n---\n\nThe gate has its own.\n")]);
    ok(&env, &["vc", "add", "."]);
    let all = data(&env, &["vc", "check", "--all"]);
    assert_eq!(all["findings"], value!([]));
    assert_eq!(data(&env, &["vc", "check", "--staged"])["findings"], value!([]));
    let before = git(&env, &["hash-object", KEYS]);
    ok(&env, &["vc", "check", "--all", "--fix"]);
    assert_eq!(git(&env, &["hash-object", KEYS]), before);
    assert_eq!(data(&env, &["links", "--broken"])["links"], value!([]));
    let links = data(&env, &["links", KEYS]);
    assert_eq!(links["outgoing"].as_array().unwrap().len(), 2, "{links:#}");
    assert!(!links["outgoing"].to_string().contains("missing"), "{links:#}");
    let links = data(&env, &["links", COPY]);
    assert_eq!(links["incoming"].as_array().unwrap().len(), 2, "who links to it is known: {links:#}");
}

#[test]
fn a_link_to_nothing_stays_broken() {
    let env = part();
    let text = FILES[4].1.replace("The database", "The [database](../auth/nothing.md)");
    write(&env, &[("ops/backups.md", &text)]);
    let broken = data(&env, &["links", "--broken"]);
    assert_eq!(broken["links"].as_array().unwrap().len(), 1, "{broken:#}");
}

#[test]
fn nothing_is_derived_for_what_is_absent() {
    let env = part();
    assert_absent(&env);
    for file in ["_index.md", "_manifest.json"] {
        let text = std::fs::read_to_string(tree(&env).join(file)).unwrap();
        assert!(text.contains("ops/") && !text.contains("auth/"), "{file}: {text}");
    }
    assert_eq!(data(&env, &["derive", "--check"])["found"], value!([]));
    ok(&env, &["derive", "--all"]);
    assert_absent(&env);
    git(&env, &["sparse-checkout", "disable"]);
    ok(&env, &["derive"]);
    assert!(
        is_there(&env, "auth/tokens/lifetime.abstract.md"),
        "once it is here, it has all that others have"
    );
    assert_eq!(data(&env, &["derive", "--check"])["found"], value!([]));
}

#[test]
fn what_answers_does_not_know_what_is_absent_and_a_name_is_said_to_be_off_this_disk() {
    let env = part();
    for line in [
        &["search", "tokens signed by the gate"][..],
        &["query", "who signs access tokens?"],
        &["brain"],
        &["tree"],
        &["signals"],
        &["read"],
        &["stale", "list"],
    ] {
        let ran = env.brv(line);
        assert!(!ran.stdout.contains("auth/tokens/"), "{line:?}: {}", ran.stdout);
    }
    let ran = env.brv(&["read", TOKENS]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("is not on this disk: `--at HEAD` reads it"), "{}", ran.stderr);
    assert_eq!(ok(&env, &["read", "--at", "HEAD", TOKENS]).stdout, FILES[0].1);
    assert_absent(&env);
}

#[test]
fn a_dream_leaves_alone_what_is_absent() {
    let env = part();
    // with everything on disk it would merge two of these without a writer
    for line in [&["--force"][..], &["--force", "--branch"]] {
        let done = dream(&env, line, 0);
        assert!(!done.to_string().contains("auth/"), "{line:?}: {done:#}");
        assert_absent(&env);
    }
    let branches = git(&env, &["for-each-ref", "--format=%(refname)", "refs/heads"]);
    for branch in branches.lines() {
        for (path, text) in &FILES[..3] {
            assert_eq!(git(&env, &["show", &format!("{branch}:{path}")]), text.trim_end(), "{branch}");
        }
    }
    let plan = json(&at(&env, LATER, &["dream", "--plan", "--force", "--json"]).stdout)["data"].clone();
    let weak: Vec<&str> =
        plan["prune"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(weak, ["ops/backups.md", KEYS], "{plan:#}");
    assert_eq!((&plan["consolidate"], &plan["synthesize"]), (&value!([]), &value!([])), "{plan:#}");
}

#[test]
fn the_archive_leaves_alone_what_is_absent() {
    let env = part();
    let list = || json(&at(&env, LATER, &["archive", "run", "--dry-run", "--json"]).stdout)["data"].clone();
    let part = list();
    assert!(part["archived"].to_string().contains(KEYS), "{part:#}");
    assert!(!part.to_string().contains("auth/"), "{part:#}");
    let ran = env.brv(&["archive", "run", PARTNER, "--json"]);
    let skipped = &json(&ran.stdout)["data"]["skipped"];
    assert_eq!(skipped, &value!([{"path": PARTNER, "why": "not_on_disk"}]), "{}", ran.stdout);
    assert_absent(&env);
    git(&env, &["sparse-checkout", "disable"]);
    assert!(list()["archived"].to_string().contains(PARTNER), "what was learned here before is kept");
}

#[test]
fn links_in_what_is_absent_stay_as_they_are() {
    let env = dreaming();
    git(&env, &["sparse-checkout", "set", "auth"]);
    ok(&env, &["vc", "mv", COPY, "auth/session.md"]);
    ok(&env, &["vc", "commit", "-m", "moved"]);
    assert_eq!(git(&env, &["show", &format!("HEAD:{KEYS}")]), FILES[3].1.trim_end());
    assert!(!is_there(&env, "ops"));
    assert_eq!(git(&env, &["status", "--porcelain"]), "");
}

#[test]
fn a_switch_a_merge_and_an_undo_take_changes_of_what_is_absent_along_and_write_none_of_it() {
    let env = part();
    git(&env, &["switch", "-q", "-c", "theirs"]);
    git(&env, &["sparse-checkout", "disable"]);
    env.commit(&tree(&env), &[(PARTNER, "# Partners\n\nGone.\n"), ("auth/new.md", "# New\n\nText.\n")]);
    git(&env, &["switch", "-q", "main"]);
    git(&env, &["update-index", "-q", "--refresh"]);
    git(&env, &["sparse-checkout", "set", "ops"]);
    assert_absent(&env);
    ok(&env, &["vc", "switch", "theirs"]);
    assert_absent(&env);
    ok(&env, &["vc", "switch", "main"]);
    write(&env, &[("ops/backups.md", "# Backups\n\nTwice a night.\n")]);
    ok(&env, &["vc", "commit", "-a", "-m", "ours"]);
    ok(&env, &["vc", "merge", "theirs"]);
    assert_eq!(git(&env, &["show", "HEAD:auth/new.md"]), "# New\n\nText.");
    assert_absent(&env);
    ok(&env, &["undo"]);
    assert_eq!(git(&env, &["show", &format!("HEAD:{PARTNER}")]), FILES[2].1.trim_end());
    assert_absent(&env);
}
