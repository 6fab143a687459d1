//! The gate: push, sync and a plain `git push` hold back what nobody has reviewed.

use super::*;
use crate::undo::last;

const SENDING: [&[&str]; 4] =
    [&["vc", "push"], &["vc", "push", "--dry-run"], &["vc", "sync"], &["vc", "sync", "--dry-run"]];

fn tip(env: &Env) -> String {
    env.git(&env.path("team.git"), &["rev-parse", "main"])
}

#[test]
fn a_change_that_waits_stops_push_and_sync() {
    let env = shared();
    curate(&env, delete(USES));
    let (before, id) = (tip(&env), id(&env, USES));
    for command in SENDING {
        let error = error(&env, command, 7);
        assert_eq!(error["code"], "blocked");
        let line = format!("{id} [curate] DELETE {USES}: outdated (deleted)");
        assert_eq!(error["details"], value!([line]), "{command:?}");
        assert_eq!(data(&env, command, 7)["pending"][0]["id"], id, "{command:?}");
    }
    assert_eq!(tip(&env), before);
    // a teammate pushed meanwhile: the merge is not sent either
    let bo = clone(&env);
    done(env.brv_in(&bo, &["curate", "Bo.", "--into", "bo/b", "--title", "B", "--reason", "r"]));
    done(env.brv_in(&bo, &["vc", "push"]));
    error(&env, &["vc", "sync"], 7);
    error(&env, &["vc", "sync", "--dry-run"], 7);
    done(env.brv(&["review", "approve", &id]));
    done(env.brv(&["vc", "sync"]));
    assert_eq!(waits(&env), []);
}

#[test]
fn a_push_passes_with_a_reason_after_an_approval_or_once_it_is_taken_back() {
    for way in ["allow", "approve", "reject", "undo", "revert"] {
        let env = shared();
        curate(
            &env,
            value!([
                {"type": "DELETE", "path": USES, "reason": "outdated"},
                {"type": "ADD", "path": "auth/new", "title": "New", "reason": "new", "markdown": "New.\n"},
            ]),
        );
        error(&env, &["vc", "push"], 7);
        let id = id(&env, USES);
        match way {
            "approve" => drop(done(env.brv(&["review", "approve", &id]))),
            "reject" => drop(done(env.brv(&["review", "reject", &id]))),
            "undo" => drop(done(env.brv(&["undo", "last", USES]))),
            "revert" => drop(env.git(&tree(&env), &["revert", "--no-edit", "HEAD"])),
            _ => {}
        }
        match way {
            "allow" => done(env.brv(&["vc", "push", "--allow", "review", "--reason", "seen by the team"])),
            _ => done(env.brv(&["vc", "push"])),
        };
        assert_eq!(tip(&env), env.git(&tree(&env), &["rev-parse", "HEAD"]), "{way}");
    }
}

#[test]
fn the_gate_warns_or_is_off_as_set() {
    let env = shared();
    curate(&env, delete(USES));
    for (mode, is_told) in [("warn", true), ("off", false)] {
        done(env.brv(&["config", "set", "review.push", mode, "--user"]));
        let ran = done(env.brv(&["vc", "push", "--dry-run"]));
        assert_eq!(ran.stderr.contains("not reviewed: "), is_told, "{mode}: {}", ran.stderr);
        let ran = done(env.brv(&["vc", "sync", "--dry-run"]));
        assert_eq!(ran.stderr.contains("not reviewed: "), is_told, "{mode}: {}", ran.stderr);
    }
    done(env.brv(&["vc", "sync"]));
    assert_eq!(tip(&env), env.git(&tree(&env), &["rev-parse", "HEAD"]));
}

#[test]
fn no_file_of_the_project_opens_the_gate_and_its_policy_closes_it() {
    let env = shared();
    curate(&env, delete(USES));
    let file = env.path(".brv/config.yaml");
    for settings in ["review.push: off\n", "review.push: warn\n", "review:\n  enabled: false\n"] {
        std::fs::write(&file, settings).unwrap();
        for command in SENDING {
            let ran = env.brv(command);
            assert_eq!(ran.code, 7, "{settings} {command:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("but a project may only make review stricter"), "{}", ran.stderr);
        }
    }
    std::fs::write(&file, "review.push: block\n").unwrap();
    done(env.brv(&["config", "set", "review.push", "warn", "--user"]));
    error(&env, &["vc", "push"], 7);
    done(env.brv(&["config", "set", "review.push", "off", "--user"]));
    done(env.brv(&["vc", "push", "--dry-run"]));
    let policy = "review:\n  enabled: true\n";
    std::fs::write(tree(&env).join("brv.yaml"), policy).unwrap();
    env.git(&tree(&env), &["add", "brv.yaml"]);
    env.git(&tree(&env), &["commit", "-qm", "policy"]);
    error(&env, &["vc", "push"], 7);
}

#[test]
fn a_branch_for_review_passes_and_the_same_commits_elsewhere_do_not() {
    let env = shared();
    curate(&env, delete(USES));
    done(env.brv(&["vc", "push", "origin", "HEAD:refs/heads/dream/drm-1"]));
    error(&env, &["vc", "push", "origin", "HEAD:refs/heads/other"], 7);
    env.git(&tree(&env), &["fetch", "-q"]);
    assert_eq!(waits(&env), [pair(USES, "deleted")], "a branch for review reviews nothing");
    error(&env, &["vc", "push"], 7);
    error(&env, &["vc", "sync"], 7);
    // a branch that its own commit names
    let message = crate::curate::message(&env);
    env.git(
        &tree(&env),
        &["commit", "-q", "--amend", "-m", &format!("{}\nBrv-Branch: tidy\n", message.trim_end())],
    );
    done(env.brv(&["vc", "push", "origin", "HEAD:refs/heads/tidy"]));
    error(&env, &["vc", "push", "origin", "HEAD:refs/heads/other"], 7);
    error(&env, &["vc", "push"], 7);
}

#[test]
fn a_branch_for_review_stays_one_with_commits_on_top() {
    let commit = |env: &Env, name: &str| env.commit(&tree(env), &[(&format!("auth/{name}.md"), "# Text\n")]);
    for pushed_first in [true, false] {
        let env = shared();
        curate(&env, delete(USES));
        let message = crate::curate::message(&env);
        env.git(
            &tree(&env),
            &["commit", "-q", "--amend", "-m", &format!("{}\nBrv-Branch: tidy\n", message.trim_end())],
        );
        env.git(&tree(&env), &["branch", "tidy"]);
        env.git(&tree(&env), &["reset", "-q", "--hard", "origin/main"]);
        if pushed_first {
            done(env.brv(&["vc", "push", "origin", "tidy"]));
        }
        done(env.brv(&["vc", "switch", "tidy"]));
        commit(&env, "more");
        done(env.brv(&["vc", "push", "origin", "tidy"]));
        // and a branch for review on top of it
        done(env.brv(&["vc", "push", "origin", "HEAD:dream/later"]));
        done(env.brv(&["vc", "switch", "main"]));
        done(env.brv(&["vc", "merge", "tidy"]));
        assert_eq!(waits(&env), [pair(USES, "deleted")], "pushed first: {pushed_first}");
        error(&env, &["vc", "push"], 7);
        error(&env, &["vc", "push", "origin", "tidy:other"], 7);
        // merged at the remote, it is reviewed
        done(env.brv(&["vc", "push", "--allow", "review", "--reason", "reviewed"]));
        assert_eq!(waits(&env), []);
        commit(&env, "last");
        done(env.brv(&["vc", "push"]));
    }
}

#[test]
fn a_plain_git_push_with_the_hook_is_no_way_round() {
    let env = shared();
    done(env.brv(&["hooks", "install"]));
    curate(&env, delete(USES));
    let id = id(&env, USES);
    let push = |to: &str| env.try_git(&tree(&env), &["push", "origin", to]);
    let ran = push("HEAD:main");
    assert!(ran.code != 0 && ran.stderr.contains(&id), "{}", ran.stderr);
    assert_eq!(push("HEAD:dream/x").code, 0);
    assert!(push("HEAD:main").code != 0, "it is at the remote, but for review only");
    done(env.brv(&["config", "set", "review.push", "warn", "--user"]));
    let ran = push("HEAD:elsewhere");
    assert!(ran.code == 0 && ran.stderr.contains("not reviewed: "), "{}", ran.stderr);
    done(env.brv(&["config", "set", "review.push", "block", "--user"]));
    done(env.brv(&["review", "approve", &id]));
    assert_eq!(push("HEAD:main").code, 0);
}

#[test]
fn only_what_leaves_is_judged() {
    let env = shared();
    curate(&env, delete(USES));
    done(env.brv(&["vc", "switch", "-c", "side"]));
    curate(
        &env,
        value!([{"type": "ADD", "path": "auth/new", "title": "New", "reason": "new", "markdown": "New.\n"}]),
    );
    done(env.brv(&["vc", "switch", "--detach", "origin/main"]));
    done(env.brv(&["vc", "switch", "-c", "clean"]));
    curate(
        &env,
        value!([{"type": "ADD", "path": "auth/other", "title": "Other", "reason": "new", "markdown": "New.\n"}]),
    );
    done(env.brv(&["vc", "push", "-u", "origin", "clean"]));
    error(&env, &["vc", "push", "origin", "side"], 7);
}

#[test]
fn a_squash_keeps_what_was_marked_in_its_commits() {
    let env = shared();
    done(env.brv(&["vc", "switch", "-c", "tidy"]));
    curate(&env, merge());
    curate(&env, delete(USES));
    done(env.brv(&["undo"]));
    done(env.brv(&["vc", "switch", "main"]));
    done(env.brv(&["vc", "merge", "--squash", "tidy"]));
    done(env.brv(&["vc", "commit", "-m", "tidied"]));
    assert_eq!(waits(&env), [pair(KEYS, "merged")]);
    let row = data(&env, &["review"], 0)["pending"][0].clone();
    assert_eq!((&row["action"], &row["reason"]), (&value!("MERGE"), &value!("same topic")), "{row}");
    error(&env, &["vc", "push"], 7);
    let refused = error(&env, &["review", "reject", &id(&env, KEYS)], 6);
    assert!(text(&refused["hint"]).contains("brv vc revert"), "{refused}");
    done(env.brv(&["vc", "revert", "HEAD"]));
    assert!(is_there(&env, OLD) && is_there(&env, USES));
    assert_eq!(waits(&env), []);
    done(env.brv(&["vc", "push"]));
}

#[test]
fn what_an_undo_brings_back_waits_even_if_the_remote_has_the_mark_and_the_rejection() {
    let env = shared();
    let push = |code: i32| {
        let ran = env.brv(&["vc", "push"]);
        assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    delete_both(&env);
    let gone = id(&env, USES);
    done(env.brv(&["review", "approve", &id(&env, OLD)]));
    done(env.brv(&["review", "reject", &gone]));
    push(0);
    let bo = clone(&env);
    for _ in 0..2 {
        done(env.brv(&["undo", &last(&env)]));
        assert!(!is_there(&env, USES));
        assert_eq!(waits(&env), [pair(USES, "deleted")]);
        assert!(push(7).contains(&gone), "the same change as before");
        let log = data(&env, &["review", "log"], 0)["decisions"].clone();
        let rows: Vec<_> = log.as_array().unwrap().iter().filter(|row| row["path"] == USES).collect();
        assert!(rows.iter().all(|row| row["decision"] != "published"), "{log}");
        // the undo is undone: all is as at the remote
        done(env.brv(&["undo", &last(&env)]));
        assert_eq!((is_there(&env, USES), waits(&env)), (true, vec![]));
        push(0);
    }
    done(env.brv(&["undo", &last(&env)]));
    done(env.brv(&["review", "reject", &gone]));
    assert_eq!((is_there(&env, USES), waits(&env)), (true, vec![]));
    push(0);
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!(waits(&env), [pair(USES, "deleted")]);
    done(env.brv(&["review", "approve", &gone]));
    assert_eq!(waits(&env), []);
    push(0);
    done(env.brv_in(&bo, &["vc", "pull"]));
    assert_eq!(waits_in(&env, &bo), [], "a remote has it");
}

#[test]
fn what_was_undone_at_the_remote_waits_when_it_is_done_again() {
    let env = shared();
    curate(&env, delete(USES));
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "seen"]));
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!((is_there(&env, USES), waits(&env)), (true, vec![]));
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!((is_there(&env, USES), waits(&env)), (false, vec![]), "all is as at the remote");
    done(env.brv(&["undo", &last(&env)]));
    done(env.brv(&["vc", "push"]));
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!((is_there(&env, USES), waits(&env)), (false, vec![pair(USES, "deleted")]));
    assert_eq!(env.brv(&["vc", "push"]).code, 7);
}
