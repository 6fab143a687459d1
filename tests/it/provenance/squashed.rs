//! A branch that was squashed and deleted: the one commit that changes what the branch changed stands for all of its.

use super::{World, numbered, standing};
use std::path::Path;

/// Squash a branch into `main`, and delete it.
fn squash(world: &World, branch: &str) -> String {
    world.git(&["switch", "-q", "main"]);
    world.git(&["merge", "-q", "--squash", branch]);
    world.git(&["commit", "-q", "-m", &format!("squash {branch}")]);
    world.git(&["branch", "-q", "-D", branch]);
    world.head()
}

/// One commit of the branch with this number; the step is its number in the branch.
fn change(world: &World, number: usize, step: usize) {
    let own = format!("own-{number}.txt");
    let read = |path: &str| std::fs::read_to_string(world.host.join(path)).unwrap();
    match (number + step) % 6 {
        0 => {
            let line = format!("line {}\n", 3 + 4 * number);
            world.write("base.txt", &read("base.txt").replace(&line, &format!("by {number}, {step}\n")));
        }
        1 => world.write(&own, &format!("{}\nstep {step}\n", numbered(number))),
        2 => world.write("base.txt", &format!("{}added by {number}, {step}\n", read("base.txt"))),
        3 => std::fs::write(world.host.join(format!("binary-{number}")), [0, u8::try_from(step).unwrap()])
            .unwrap(),
        4 => world.write("base.txt", &format!("top {number}, {step}\n{}", read("base.txt"))),
        _ => {
            world.write(&format!("folder-{number}/{step}.txt"), "text\n");
            world.git(&["mv", &format!("keep-{number}.txt"), &format!("moved-{number}-{step}.txt")]);
        }
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", &format!("{number}, {step}")]);
}

#[test]
fn twenty_squashed_branches_of_twenty_are_found_when_their_commits_are_gone() {
    const BRANCHES: usize = 20;
    let world = World::new();
    for number in 0..BRANCHES {
        world.write(&format!("keep-{number}.txt"), &format!("{number}\n{}", numbered(12)));
    }
    world.commit("base.txt", &numbered(200));
    let mut commits = Vec::new();
    for number in 0..BRANCHES {
        let branch = format!("topic-{number}");
        world.git(&["switch", "-q", "-c", &branch, "main"]);
        for step in 0..=number % 4 {
            change(&world, number, step);
            commits.push((format!("fact-{number}-{step}"), number, world.head()));
            world.learn(&format!("fact-{number}-{step}"));
        }
        world.git(&["switch", "-q", "main"]);
        // so that what is squashed has other neighbours
        let base = std::fs::read_to_string(world.host.join("base.txt")).unwrap();
        let far = format!("line {}\n", 103 + 4 * number);
        world.commit("base.txt", &base.replace(&far, &format!("upstream {number}\n")));
    }
    let squashes: Vec<String> =
        (0..BRANCHES).map(|number| squash_any(&world, &format!("topic-{number}"))).collect();
    world.forget(&commits[0].2);
    let mut found = std::collections::BTreeSet::new();
    for (subject, number, _) in &commits {
        let (by, commit) = world.standing(subject);
        let expected = if number % 4 == 0 { "patch" } else { "squash" };
        assert_eq!((by.as_str(), commit.as_ref()), (expected, Some(&squashes[*number])), "{subject}");
        found.insert(*number);
    }
    assert_eq!(found.len(), BRANCHES);
}

/// As [`squash`]; where two branches add lines at one place, both stay, as a person would decide.
fn squash_any(world: &World, branch: &str) -> String {
    world.git(&["config", "merge.union.driver", "git merge-file -q --union %A %O %B"]);
    std::fs::write(world.host.join(".git/info/attributes"), "base.txt merge=union\n").unwrap();
    squash(world, branch)
}

#[test]
fn a_branch_that_took_in_the_main_one_is_found() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    world.commit("a.txt", "a\n");
    world.learn("first");
    world.git(&["switch", "-q", "main"]);
    world.commit("main.txt", "main\n");
    world.git(&["switch", "-q", "topic"]);
    world.git(&["merge", "-q", "--no-edit", "main"]);
    let last = world.commit("b.txt", "b\n");
    world.learn("second");
    let squashed = squash(&world, "topic");
    world.forget(&last);
    for subject in ["first", "second"] {
        world.assert_standing(subject, "squash", Some(&squashed));
    }
}

#[test]
fn of_two_squashes_none_is_taken_and_one_stands_for_two_branches() {
    let world = World::new();
    for branch in ["one", "two"] {
        world.git(&["switch", "-q", "-c", branch, "main"]);
        for name in ["a", "b"] {
            world.commit(&format!("{name}.txt"), &format!("{name}\n"));
            world.git(&["commit", "-q", "--amend", "-m", &format!("{name} of {branch}")]);
            world.learn(&format!("{name}-{branch}"));
        }
    }
    let squashed = squash(&world, "one");
    world.git(&["branch", "-q", "-D", "two"]);
    for subject in ["a-one", "b-one", "a-two", "b-two"] {
        world.assert_standing(subject, "squash", Some(&squashed));
    }
    world.git(&["rm", "-q", "a.txt", "b.txt"]);
    world.git(&["commit", "-q", "-m", "taken back"]);
    world.git(&["checkout", "-q", &squashed, "--", "a.txt", "b.txt"]);
    world.git(&["commit", "-q", "-m", "again"]);
    world.assert_standing("a-one", "unknown", None);
}

#[test]
fn a_clone_without_state_knows_what_the_commits_themselves_show() {
    let world = World::new();
    let kept = world.learn("kept");
    for (branch, names) in [("single", &["s"][..]), ("double", &["x", "y"])] {
        world.git(&["switch", "-q", "-c", branch, "main"]);
        for name in names {
            world.commit(&format!("{name}.txt"), &format!("{name}\n"));
            world.learn(name);
        }
    }
    let single = squash(&world, "single");
    let double = squash(&world, "double");
    world.assert_standing("y", "squash", Some(&double));
    let fresh = world.env.path("fresh");
    let url = |path: &Path| format!("file://{}", path.display());
    world.env.git(world.env.root(), &["clone", "-q", &url(&world.host), "fresh"]);
    let tree = fresh.join(".brv/context-tree");
    world.env.git(world.env.root(), &["clone", "-q", &url(&world.tree()), tree.to_str().unwrap()]);
    let clone = |subject: &str| {
        let path = super::entry(subject);
        let ran = world.env.brv_in(&fresh, &["vc", "blame", "--fact", subject, "--json", &path]);
        standing(&crate::init::json(&ran.stdout)["data"]["fact"]["current"][0])
    };
    assert_eq!(clone("kept"), ("same".into(), Some(kept)));
    assert_eq!(clone("s"), ("patch".into(), Some(single)));
    for subject in ["x", "y"] {
        assert_eq!(clone(subject), ("unknown".into(), None));
    }
}

#[test]
fn a_branch_that_was_thrown_away_is_unknown() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    for name in ["a", "b"] {
        world.commit(&format!("{name}.txt"), "text\n");
        world.learn(name);
    }
    world.git(&["switch", "-q", "main"]);
    world.git(&["branch", "-q", "-D", "topic"]);
    world.commit("c.txt", "text\n");
    for name in ["a", "b"] {
        world.assert_standing(name, "unknown", None);
    }
}
