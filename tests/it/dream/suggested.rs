//! A merge that a dream suggests waits until somebody decides about it.

use super::undoing::{done, dreamt, old};
use super::*;

/// Suggest to merge `ops/backups.md` into the keys of the gate, with which it has nothing in common.
fn suggested() -> Env {
    let env = old();
    // nothing else is left to decide
    decide(&env, &plan(&env), value!([]), 0);
    let rest = plan(&env);
    let skipped = rest["consolidate"].as_array().unwrap().iter();
    let skips = skipped.map(|one| value!({"candidate": one["id"], "action": "SKIP", "reason": "seen"}));
    decide(&env, &rest, skips.collect(), 0);
    dreamt(&env, "MERGE_INTO");
    env
}

/// How often it is written down.
fn pending(env: &Env) -> usize {
    let state = state(env);
    let merges = state["pendingMerges"].as_array().unwrap();
    let pairs = merges.iter().map(|merge| (merge["sourceFile"].as_str(), merge["mergeTarget"].as_str()));
    assert_eq!(pairs.clone().collect::<std::collections::BTreeSet<_>>().len(), merges.len(), "{state:#}");
    pairs.filter(|pair| *pair == (Some("ops/backups.md"), Some(KEYS))).count()
}

/// The candidate that the suggestion became.
fn hinted(plan: &Value) -> Option<&Value> {
    plan["consolidate"].as_array().unwrap().iter().find(|one| one["hint"].is_string())
}

#[test]
fn a_suggestion_is_shown_where_nothing_else_changed() {
    let env = suggested();
    let plan = plan(&env);
    let one = hinted(&plan).unwrap_or_else(|| panic!("{plan:#}"));
    let files = one["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap());
    assert_eq!(files.collect::<Vec<_>>(), ["ops/backups.md", KEYS], "{plan:#}");
}

#[test]
fn a_dream_without_a_decision_about_a_suggestion_leaves_it_to_the_next() {
    let env = suggested();
    // one that does only what is certain, twice: it suggests another merge itself
    for _ in 0..2 {
        dream(&env, &["--force"], 0);
        assert_eq!(pending(&env), 1, "nobody saw it: {:#}", state(&env));
    }
    let seen = plan(&env);
    decide(&env, &seen, value!([]), 0);
    assert_eq!(pending(&env), 1, "nobody decided");
    let seen = plan(&env);
    let skip = value!({"candidate": hinted(&seen).unwrap()["id"], "action": "SKIP", "reason": "two things"});
    decide(&env, &seen, value!([skip]), 0);
    assert_eq!(pending(&env), 0);
    assert_eq!(hinted(&plan(&env)), None);
}

#[test]
fn a_suggestion_about_an_entry_that_is_gone_is_no_reason_to_look() {
    let env = suggested();
    done(env.brv(&["vc", "rm", "ops/backups.md"]));
    done(env.brv(&["vc", "commit", "-m", "gone"]));
    assert_eq!(hinted(&plan(&env)), None);
    dream(&env, &["--force"], 0);
    assert_eq!(pending(&env), 0);
}
