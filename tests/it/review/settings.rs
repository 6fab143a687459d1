//! The switch, the team's policy, and what is marked.

use super::*;
use crate::init::write;

#[test]
fn disabled_nothing_is_marked_and_no_push_is_held() {
    let env = shared();
    curate(&env, delete(OLD));
    let said = data(&env, &["review", "--disable"], 0);
    assert_eq!(said["enabled"], false);
    assert_eq!(waits(&env), [pair(OLD, "deleted")], "nothing is cleared");
    curate(&env, delete(USES));
    assert!(!crate::curate::message(&env).contains("Brv-Review"));
    done(env.brv(&["vc", "push", "--dry-run"]));
    assert!(done(env.brv(&["config", "get", "review.enabled"])).stdout.contains("false"));
    done(env.brv(&["review", "--enable"]));
    error(&env, &["vc", "push", "--dry-run"], 7);
    curate(&env, delete(KEYS));
    assert!(crate::curate::message(&env).contains("Brv-Review"));
}

#[test]
fn a_team_can_insist_on_it() {
    let env = shared();
    write(&env, &[("brv.yaml", "review:\n  enabled: true\n")]);
    done(env.brv(&["vc", "add", "brv.yaml"]));
    done(env.brv(&["vc", "commit", "-m", "policy"]));
    let ran = done(env.brv(&["review", "--disable"]));
    assert!(ran.stderr.contains("still on"), "{}", ran.stderr);
    curate(&env, delete(USES));
    assert_eq!(waits(&env), [pair(USES, "deleted")]);
    error(&env, &["vc", "push"], 7);
    // a policy only tightens
    write(&env, &[("brv.yaml", "review:\n  enabled: false\n")]);
    let checked = env.brv(&["vc", "check", "--all"]);
    assert!(checked.code == 1 && checked.stdout.contains("BRV015"), "{}", checked.stdout);
}

#[test]
fn a_change_of_an_entry_that_is_core_by_its_use_waits() {
    let env = shared();
    // an update raises the importance by 5: core from 85 on
    for turn in 0..20 {
        curate(
            &env,
            value!([{"type": "UPDATE", "path": KEYS, "reason": "measured",
            "content": {"facts": [{"subject": "count", "statement": format!("{turn} keys")}]}}]),
        );
    }
    let signals = data(&env, &["signals", KEYS], 0);
    assert_eq!(signals["signals"][0]["maturity"], "core", "{signals}");
    curate(
        &env,
        value!([{"type": "UPDATE", "path": KEYS, "reason": "again",
        "content": {"facts": [{"subject": "count", "statement": "three keys"}]}}]),
    );
    assert!(waits(&env).contains(&pair(KEYS, "core")), "{:?}", waits(&env));
}

#[test]
fn an_agent_cannot_open_the_gate_and_may_close_it() {
    let env = shared().with("BRV_ACTOR", "bot");
    curate(&env, delete(OLD));
    for arguments in [
        &["review", "--disable"][..],
        &["config", "set", "review.push", "off"],
        &["config", "set", "--user", "review.push", "warn"],
        &["config", "set", "review.enabled", "false"],
        &["vc", "push", "--allow", "review", "--reason", "r"],
        &["vc", "sync", "--allow", "review", "--reason", "r"],
    ] {
        let said = error(&env, arguments, 6).to_string();
        assert!(said.contains("a person"), "{arguments:?}: {said}");
    }
    error(&env, &["vc", "push"], 7);
    done(env.brv(&["config", "set", "--user", "review.push", "block"]));
    error(&env, &["config", "unset", "--user", "review.push"], 6);
    done(env.brv(&["review", "--enable"]));
    let env = env.with("BRV_ACTOR", "");
    done(env.brv(&["config", "unset", "--user", "review.push"]));
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
}
