//! Ranges in a clone that has a part of the history only.

use super::{World, found};
use crate::env::{Env, tree};

/// A clone of the world's remote with so many commits of each branch.
fn clone(world: &World, depth: &str) -> Env {
    let env = Env::new();
    let url = format!("file://{}", world.env.path("remote.git").display());
    let tree = tree(&env);
    let clone = ["clone", "-q", "--depth", depth, "--no-single-branch", &url, tree.to_str().unwrap()];
    env.git(env.root(), &clone);
    env
}

#[track_caller]
fn check(env: &Env, arguments: &[&str], code: i32) -> String {
    let ran = env.brv(&[&["vc", "check"], arguments].concat());
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran.stdout + &ran.stderr
}

#[test]
fn a_range_that_the_history_ends_inside_of_is_refused_however_it_is_written() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "topic"]);
    for number in 0..3 {
        world.commit(&[(&format!("ops/{number}.md"), "# Note\n")]);
    }
    world.git(&["push", "-q", "origin", "topic"]);
    world.git(&["checkout", "-q", "main"]);
    world.commit(&[("ops/main.md", "# Main\n")]);
    world.git(&["push", "-q"]);
    let env = clone(&world, "2");
    for range in ["origin/main..origin/topic", "origin/main...origin/topic", "..origin/topic"] {
        let said = check(&env, &[range], 1);
        assert!(said.contains("the history here is shallow"), "{range}: {said}");
        assert!(said.contains("--unshallow"), "{range}: {said}");
    }
    let tree = tree(&env);
    env.git(&tree, &["fetch", "-q", "--unshallow"]);
    for range in ["origin/main..origin/topic", "origin/main...origin/topic"] {
        check(&env, &[range], 0);
    }
}

#[test]
fn a_range_that_is_wholly_there_is_checked_up_to_the_end_of_the_history() {
    let world = World::new();
    for number in 0..4 {
        world.commit(&[(&format!("ops/{number}.md"), "# Note\n")]);
    }
    world.commit(&[("ops/hidden.md", "zero\u{200b}width\n")]);
    world.git(&["push", "-q"]);
    let env = clone(&world, "3");
    for range in ["HEAD~2..HEAD", "HEAD~1..HEAD", "HEAD~2...HEAD", "HEAD"] {
        let ran = env.brv(&["vc", "check", "--json", range]);
        assert_eq!(found(&crate::init::json(&ran.stdout)), ["BRV008 ops/hidden.md:1"], "{range}");
    }
    check(&env, &["HEAD~1..HEAD~1"], 0);
    check(&env, &["HEAD..HEAD~2"], 0);
    check(&env, &["HEAD~2"], 1);
    let tree = tree(&env);
    env.commit(&tree, &[("ops/more.md", "# More\n")]);
    check(&env, &[], 0);
}

#[test]
fn a_merged_branch_that_began_behind_the_end_of_the_history_is_refused() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "side"]);
    for number in 0..3 {
        world.commit(&[(&format!("ops/{number}.md"), "# Note\n")]);
    }
    world.git(&["checkout", "-q", "main"]);
    world.commit(&[("ops/main.md", "# Main\n")]);
    world.git(&["merge", "-q", "--no-ff", "-m", "both", "side"]);
    world.git(&["push", "-q"]);
    let env = clone(&world, "2");
    assert!(check(&env, &["HEAD^..HEAD"], 1).contains("shallow"));
    let env = clone(&world, "10");
    check(&env, &["HEAD^..HEAD"], 0);
}
