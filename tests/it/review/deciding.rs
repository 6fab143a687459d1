//! Approving and rejecting: per path, by whom, and what an undo makes of it.

use super::*;
use crate::init::write;

#[test]
fn a_rejected_path_comes_back_alone() {
    let env = shared();
    curate(
        &env,
        value!([
            {"type": "DELETE", "path": USES, "reason": "outdated"},
            {"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}},
            {"type": "ADD", "path": "auth/new", "title": "New", "reason": "new", "markdown": "New.\n"},
        ]),
    );
    let gone = id(&env, USES);
    let data = data(&env, &["review", "reject", &gone, "-m", "still in use"], 0);
    assert_eq!(data["decided"], value!([{"id": gone, "path": USES, "decision": "rejected"}]));
    assert!(data["operation"].is_string() && data["commit"].is_string(), "{data}");
    assert!(is_there(&env, USES) && is_there(&env, "auth/new/new.md"));
    assert!(!read(&env, TOKENS).contains("issuer"), "the rest of the operation stays");
    assert_eq!(waits(&env), [pair(TOKENS, "fact_removed")]);
    let message = crate::curate::message(&env);
    assert!(message.starts_with("reject: still in use\n"), "{message}");
    // deciding again reports the first decision
    let again = super::data(&env, &["review", "reject", &gone], 0);
    assert_eq!(again["decided"][0]["decision"], "rejected");
    assert!(again.get("operation").is_none(), "{again}");
    let said = error(&env, &["review", "approve", &gone], 6);
    assert!(text(&said["message"]).contains("rejected or undone"), "{said}");
    let log = super::data(&env, &["review", "log"], 0);
    let row = &log["decisions"][0];
    assert_eq!(
        (&row["id"], &row["decision"], &row["comment"]),
        (&value!(gone), &value!("rejected"), &value!("still in use"))
    );
    assert_eq!(log["decisions"].as_array().unwrap().len(), 1);
}

#[test]
fn an_undo_of_a_rejection_makes_the_change_wait_again() {
    let env = shared();
    delete_both(&env);
    let gone = id(&env, USES);
    done(env.brv(&["review", "reject", &gone]));
    assert_eq!(waits(&env), [pair(OLD, "deleted")]);
    let undone = data(&env, &["undo"], 0);
    assert_eq!(undone["undone"]["kind"], "reject", "a rejection is undone like any other operation");
    assert!(!is_there(&env, USES));
    assert_eq!(waits(&env), [pair(OLD, "deleted"), pair(USES, "deleted")]);
    done(env.brv(&["review", "reject", &gone]));
    assert!(is_there(&env, USES));
    assert_eq!(waits(&env), [pair(OLD, "deleted")]);
}

#[test]
fn a_rejected_merge_brings_back_sources_target_and_links() {
    for is_pushed in [false, true] {
        let env = shared();
        let files = [KEYS, OLD, USES, TOKENS];
        let before: Vec<String> = files.iter().map(|path| read(&env, path)).collect();
        curate(
            &env,
            value!([
                {"type": "MERGE", "path": "auth/keys", "title": "Signing keys", "source": OLD, "reason": "same topic"},
                {"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}},
            ]),
        );
        assert!(read(&env, USES).contains("keys/signing_keys.md"), "the link was turned");
        let id = id(&env, KEYS);
        if is_pushed {
            done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
        }
        done(env.brv(&["review", "reject", &id]));
        for (path, text) in files.iter().zip(&before).take(3) {
            assert_eq!(read(&env, path), *text, "{path}");
        }
        assert!(is_there(&env, "auth/old/context.md"), "the overview of the folder comes along");
        assert!(!read(&env, TOKENS).contains("issuer"), "another change stays");
    }
}

#[test]
fn a_source_that_went_into_the_entry_before_comes_back_as_well() {
    let env = shared();
    curate(&env, merge());
    let facts = value!([{"subject": "escrow", "statement": "at the notary"}]);
    curate(
        &env,
        value!([{"type": "ADD", "path": "auth/old", "title": "Old keys", "reason": "again", "content": {"facts": facts}}]),
    );
    let files = [KEYS, OLD, USES];
    let before: Vec<String> = files.iter().map(|path| read(&env, path)).collect();
    curate(
        &env,
        value!([
            {"type": "MERGE", "path": "auth/keys", "title": "Signing keys", "source": OLD, "reason": "same topic"},
            {"type": "MERGE", "path": "auth/keys", "title": "Signing keys", "source": USES, "reason": "also that"},
        ]),
    );
    assert!(!is_there(&env, OLD) && !is_there(&env, USES));
    done(env.brv(&["review", "reject", &id(&env, KEYS)]));
    for (path, text) in files.iter().zip(&before) {
        assert_eq!(read(&env, path), *text, "{path}");
    }
}

#[test]
fn a_merge_is_not_taken_back_while_its_source_is_gone() {
    let env = shared();
    curate(&env, merge());
    env.git(&tree(&env), &["checkout", "-q", "HEAD~", "--", KEYS]);
    env.git(&tree(&env), &["commit", "-q", "-m", "half of it"]);
    assert_eq!(waits(&env), [pair(KEYS, "merged")]);
    error(&env, &["vc", "push"], 7);
    env.git(&tree(&env), &["checkout", "-q", "HEAD~2", "--", OLD]);
    env.git(&tree(&env), &["commit", "-q", "-m", "the rest"]);
    assert_eq!(waits(&env), []);
    done(env.brv(&["vc", "push"]));
}

#[test]
fn a_whole_operation_that_no_remote_has_leaves_no_trace() {
    let env = shared();
    let tip = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    curate(&env, delete(USES));
    done(env.brv(&["review", "reject", &id(&env, USES)]));
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), tip);
    assert_eq!(waits(&env), []);
    done(env.brv(&["undo"]));
    assert_eq!(waits(&env), [pair(USES, "deleted")]);
}

#[test]
fn a_rejection_that_conflicts_writes_nothing() {
    let env = shared();
    curate(
        &env,
        value!([
            {"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}},
            {"type": "ADD", "path": "auth/new", "title": "New", "reason": "new", "markdown": "New.\n"},
        ]),
    );
    let id = id(&env, TOKENS);
    let edited = read(&env, TOKENS).replace("## Facts", "## Facts\n\n- **issuer**: somebody else");
    write(&env, &[(TOKENS, &edited)]);
    done(env.brv(&["vc", "commit", "-a", "-m", "by hand"]));
    let before = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    let data = data(&env, &["review", "reject", &id], 5);
    assert_eq!(
        (data["decided"].as_array().unwrap().len(), &data["conflicts"][0]["path"]),
        (0, &value!(TOKENS))
    );
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), before);
    assert_eq!(read(&env, TOKENS), edited);
    assert_eq!(waits(&env), [pair(TOKENS, "fact_removed")]);
    assert_eq!(super::data(&env, &["review", "log"], 0)["decisions"], value!([]));
}

#[test]
fn an_agent_cannot_approve_what_it_did() {
    let agent =
        |env: Env, name: &str, session: &str| env.with("BRV_ACTOR", name).with("BRV_SESSION", session);
    let env = agent(shared(), "claude", "7");
    curate(&env, delete(USES));
    let id = id(&env, USES);
    let said = error(&env, &["review", "approve", &id], 6);
    assert!(text(&said["message"]).contains(&id), "{said}");
    assert_eq!(waits(&env).len(), 1);
    // another session of the same agent is the same agent, another agent in the same session the same session
    let env = agent(env, "claude", "8");
    error(&env, &["review", "approve", &id], 6);
    let env = agent(env, "codex", "7");
    error(&env, &["review", "approve", &id], 6);
    let env = agent(env, "codex", "8");
    let data = data(&env, &["review", "approve", &id, "-m", "read it"], 0);
    assert_eq!(data["decided"], value!([{"id": id, "path": USES, "decision": "approved"}]));
    assert_eq!(waits(&env), []);
    let log = super::data(&env, &["review", "log"], 0);
    assert_eq!(
        (&log["decisions"][0]["actor"], &log["decisions"][0]["comment"]),
        (&value!("codex"), &value!("read it"))
    );
    assert!(done(env.brv(&["review", "approve", &id])).stdout.contains("already approved"));
    assert_eq!(super::data(&env, &["review", "log"], 0)["decisions"].as_array().unwrap().len(), 1);
}

#[test]
fn whoever_names_no_agent_may_approve_and_paths_narrow_it() {
    let env = shared();
    delete_both(&env);
    let operation = text(&json(&env.brv(&["op", "log", "--json"]).stdout)["data"]["operations"][0]["id"]);
    done(env.brv(&["review", "approve", &operation, OLD]));
    assert_eq!(waits(&env), [pair(USES, "deleted")]);
    done(env.brv(&["review", "reject", &operation, OLD]));
    assert!(is_there(&env, OLD) && !is_there(&env, USES), "an approved change can be rejected");
    assert_eq!(waits(&env), [pair(USES, "deleted")]);
}

#[test]
fn another_clone_that_pulls_a_rejection_agrees() {
    let env = shared();
    delete_both(&env);
    let gone = id(&env, USES);
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
    let bo = clone(&env);
    data_in(&env, &bo, &["review", "reject", &gone, "-m", "needed"], 0);
    done(env.brv_in(&bo, &["vc", "push"]));
    done(env.brv(&["vc", "pull"]));
    assert!(is_there(&env, USES));
    let all = data(&env, &["review", "--all"], 0);
    assert_eq!((all["count"].as_u64(), &all["pending"][0]["path"]), (Some(1), &value!(OLD)), "{all}");
    let log = data(&env, &["review", "log"], 0);
    let row = &log["decisions"][0];
    assert_eq!(
        (&row["id"], &row["decision"], &row["comment"]),
        (&value!(gone), &value!("rejected"), &value!("needed"))
    );
    // what was undone by hand, with git alone, waits no more either
    curate(&env, delete(KEYS));
    assert_eq!(waits(&env), [pair(KEYS, "deleted")]);
    env.git(&tree(&env), &["revert", "--no-edit", "HEAD"]);
    assert_eq!(waits(&env), []);
}

#[test]
fn an_undo_of_the_operation_settles_its_changes() {
    let env = shared();
    curate(
        &env,
        value!([
            {"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}},
            {"type": "DELETE", "path": USES, "reason": "outdated"},
        ]),
    );
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
    curate(
        &env,
        value!([{"type": "UPDATE", "path": TOKENS, "reason": "measured",
        "content": {"facts": [{"subject": "lifetime", "statement": "12 hours"}]}}]),
    );
    let id = id(&env, TOKENS);
    done(env.brv(&["review", "reject", &id]));
    assert!(
        read(&env, TOKENS).contains("12 hours") && read(&env, TOKENS).contains("issuer"),
        "later edits are kept"
    );
    let all = data(&env, &["review", "--all"], 0);
    let paths: Vec<String> =
        all["pending"].as_array().unwrap().iter().map(|row| text(&row["path"])).collect();
    assert_eq!(paths, [USES]);
}

#[test]
fn what_was_committed_by_hand_is_taken_back_by_the_operation_that_made_it() {
    let env = shared();
    done(env.brv(&["config", "set", "commit.auto", "false", "--user"]));
    let before = read(&env, USES);
    curate(&env, delete(USES));
    curate(&env, delete(OLD));
    done(env.brv(&["vc", "commit", "-m", "by hand"]));
    assert_eq!(waits(&env), [pair(OLD, "deleted"), pair(USES, "deleted")]);
    let gone = id(&env, USES);
    let commit = text(&json(&env.brv(&["op", "log", "--json"]).stdout)["data"]["operations"][0]["id"]);
    error(&env, &["review", "reject", &commit], 6);
    done(env.brv(&["review", "reject", &gone]));
    assert_eq!(read(&env, USES), before);
    assert_eq!(waits(&env), [pair(OLD, "deleted")]);
    // the commit that leaves still deletes it
    let details = error(&env, &["vc", "push"], 7)["details"].to_string();
    assert!(details.contains(USES), "{details}");
    done(env.brv(&["vc", "commit", "-m", "taken back"]));
    let details = error(&env, &["vc", "push"], 7)["details"].to_string();
    assert!(!details.contains(USES) && details.contains(OLD), "{details}");
}

#[test]
fn a_file_that_a_rejection_leaves_uncommitted_still_leaves_with_a_push() {
    let env = shared();
    curate(
        &env,
        value!([
            {"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}},
            {"type": "DELETE", "path": USES, "reason": "outdated"},
            {"type": "ADD", "path": "auth/new", "title": "New", "reason": "new", "markdown": "New.\n"},
        ]),
    );
    let operation = text(&json(&env.brv(&["op", "log", "--json"]).stdout)["data"]["operations"][0]["id"]);
    write(&env, &[(TOKENS, &format!("{}\n## More\n\nA draft.\n", read(&env, TOKENS)))]);
    let data = data(&env, &["review", "reject", &operation], 0);
    assert_eq!(data["uncommitted"], value!([TOKENS]), "{data}");
    let details = error(&env, &["vc", "push"], 7)["details"].to_string();
    assert!(details.contains(TOKENS) && !details.contains(USES), "{details}");
    done(env.brv(&["vc", "commit", "-a", "-m", "the rest"]));
    done(env.brv(&["review", "approve", &id(&env, TOKENS)]));
    done(env.brv(&["vc", "push"]));
}

#[test]
fn a_session_that_rejected_its_own_change_is_undone_once() {
    let env = shared().with("BRV_SESSION", "s");
    let before = read(&env, USES);
    curate(&env, delete(USES));
    curate(
        &env,
        value!([{"type": "ADD", "path": "auth/new", "title": "New", "reason": "new", "markdown": "New.\n"}]),
    );
    done(env.brv(&["review", "reject", &id(&env, USES)]));
    done(env.brv(&["undo", "--session", "s"]));
    assert_eq!(read(&env, USES), before);
    assert!(!is_there(&env, "auth/new/new.md"));
}

#[test]
fn the_overviews_that_were_made_for_a_rejected_entry_go_with_it() {
    for is_edited in [false, true] {
        let env = crate::dream::dreaming();
        let plan = crate::dream::plan(&env);
        let create = value!([{"candidate": "s1", "action": "CREATE", "path": "synthesis/zebra/zeb.md", "reason": "r",
            "markdown": "# Zebra\n\nStripes of the gate.\n"}]);
        crate::dream::decide(&env, &plan, create, 0);
        let [domain, topic] = ["synthesis/context.md", "synthesis/zebra/context.md"];
        assert!(is_there(&env, domain) && is_there(&env, topic));
        if is_edited {
            std::fs::write(tree(&env).join(domain), "# Synthesis\n\nWhat somebody wrote since.\n").unwrap();
            crate::init::commit(&env, "since");
        }
        done(env.brv(&["review", "reject", &id(&env, "synthesis/zebra/zeb.md")]));
        assert_eq!((is_there(&env, domain), is_there(&env, topic)), (is_edited, false));
        let found = data(&env, &["search", "zebra"], 0)["results"].to_string();
        assert!(!found.contains("synthesis"), "{found}");
    }
}

#[test]
fn an_overview_that_another_entry_needs_stays() {
    let env = crate::dream::dreaming();
    let plan = crate::dream::plan(&env);
    let create = value!([{"candidate": "s1", "action": "CREATE", "path": "synthesis/zeb.md", "reason": "r",
        "markdown": "# Zebra\n\nStripes of the gate.\n"}]);
    crate::dream::decide(&env, &plan, create, 0);
    curate(
        &env,
        value!([{"type": "ADD", "path": "synthesis/b", "title": "B", "reason": "r", "markdown": "Text.\n"}]),
    );
    done(env.brv(&["review", "reject", &id(&env, "synthesis/zeb.md")]));
    assert!(is_there(&env, "synthesis/context.md") && !is_there(&env, "synthesis/zeb.md"));
}

#[test]
fn the_log_has_what_a_remote_has_undecided() {
    let env = shared();
    curate(&env, delete(USES));
    let id = id(&env, USES);
    assert_eq!(data(&env, &["review", "log"], 0)["decisions"], value!([]));
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "seen"]));
    let bo = clone(&env);
    for folder in [env.root(), &bo] {
        let log = data_in(&env, folder, &["review", "log"], 0)["decisions"].clone();
        let row = &log[0];
        assert_eq!(
            (&row["id"], &row["path"], &row["decision"]),
            (&value!(id), &value!(USES), &value!("published"))
        );
        assert!(
            row["comment"].is_null() && row["time"].is_string() && log.as_array().unwrap().len() == 1,
            "{log}"
        );
    }
    assert!(done(env.brv(&["review", "log"])).stdout.contains("published  "));
    done(env.brv(&["review", "approve", &id]));
    let log = data(&env, &["review", "log"], 0)["decisions"].clone();
    assert_eq!((&log[0]["decision"], log.as_array().unwrap().len()), (&value!("approved"), 1), "{log}");
}
