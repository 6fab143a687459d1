//! Amend, rebase, cherry-pick: one commit took the place of the recorded one.

use super::{NOW, World, numbered, with_line};

#[test]
fn an_amended_commit_is_found_by_what_git_said_or_by_what_it_changes() {
    let world = World::new();
    let old = world.commit("a.txt", "a\n");
    world.learn("told");
    world.git(&["commit", "-q", "--amend", "-m", "another message"]);
    world.assert_standing("told", "patch", Some(&world.head()));
    world.write("a.txt", "a\nb\n");
    world.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    world.assert_standing("told", "unknown", None);
    world.rewrote(&old, &world.head());
    world.assert_standing("told", "map", Some(&world.head()));
    let text = world.brv(&["vc", "blame", "--fact", "told", "code/told.md"]).stdout;
    assert!(text.contains(&format!("source    {} (replaces {old}, found by map)\n", world.head())), "{text}");
}

#[test]
fn a_chain_of_rewritings_leads_to_the_last_commit_that_a_branch_has() {
    let world = World::new();
    let mut ids = vec![world.commit("a.txt", "a\n")];
    world.learn("fact");
    for number in 0..3 {
        world.write("a.txt", &format!("a\n{number}\n"));
        world.git(&["commit", "-q", "-a", "--amend", "-m", &format!("try {number}")]);
        ids.push(world.head());
        world.rewrote(&ids[number], &ids[number + 1]);
    }
    world.assert_standing("fact", "map", Some(&ids[3]));
    world.git(&["reset", "-q", "--hard", &ids[2]]);
    world.assert_standing("fact", "map", Some(&ids[2]));
}

#[test]
fn a_rebased_commit_is_found_with_both_backends_with_and_without_a_word_of_git() {
    for backend in ["--merge", "--apply"] {
        let world = World::new();
        world.git(&["switch", "-q", "-c", "topic"]);
        let base = numbered(30);
        let mut old = Vec::new();
        let mut text = base.clone();
        for number in [10, 12, 20] {
            text = with_line(&text, number, &format!("topic {number}"));
            old.push(world.commit("base.txt", &text));
            world.learn(&format!("fact{number}"));
        }
        world.git(&["switch", "-q", "main"]);
        // beside the lines of the topic, so that their context is another one
        let upstream = with_line(&with_line(&base, 16, "upstream"), 1, "first\nand more");
        world.commit("base.txt", &with_line(&upstream, 25, "upstream, too"));
        world.git(&["switch", "-q", "topic"]);
        world.git(&["rebase", "-q", backend, "main"]);
        let new: Vec<String> =
            ["HEAD~2", "HEAD~1", "HEAD"].iter().map(|name| world.git(&["rev-parse", name])).collect();
        for (number, new) in [10, 12, 20].iter().zip(&new) {
            world.assert_standing(&format!("fact{number}"), "patch", Some(new));
        }
        for (old, new) in old.iter().zip(&new) {
            world.rewrote(old, new);
        }
        world.forget(&old[0]);
        for (number, new) in [10, 12, 20].iter().zip(&new) {
            world.assert_standing(&format!("fact{number}"), "map", Some(new));
        }
    }
}

#[test]
fn commits_that_an_interactive_rebase_joins_are_one() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    let old: Vec<String> = ["a", "b"]
        .iter()
        .map(|name| {
            world.commit(&format!("{name}.txt"), "text\n");
            world.learn(name)
        })
        .collect();
    let mut rebase = world.env.git_command(&world.host);
    rebase.args(["rebase", "-q", "-i", "main"]).env("GIT_EDITOR", "true");
    rebase.env("GIT_SEQUENCE_EDITOR", "sed -i -e '2s/^pick/squash/'");
    assert!(rebase.status().unwrap().success());
    let joined = world.head();
    assert_eq!(world.git(&["rev-list", "--count", "main..HEAD"]), "1");
    // the branch as a whole still changes the same
    world.assert_standing("b", "squash", Some(&joined));
    for old in &old {
        world.rewrote(old, &joined);
    }
    for name in ["a", "b"] {
        world.assert_standing(name, "map", Some(&joined));
    }
}

#[test]
fn a_cherry_pick_is_found_when_the_branch_is_gone() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    let gone = world.commit("a.txt", "a\n");
    world.learn("picked");
    let other = world.commit("b.txt", "b\n");
    world.learn("left");
    world.git(&["switch", "-q", "main"]);
    world.commit("c.txt", "c\n");
    world.git(&["cherry-pick", &gone]);
    let picked = world.head();
    world.commit("d.txt", "d\n");
    world.assert_standing("picked", "same", Some(&gone));
    world.git(&["branch", "-q", "-D", "topic"]);
    world.forget(&other);
    world.assert_standing("picked", "patch", Some(&picked));
    world.assert_standing("left", "unknown", None);
}

#[test]
fn of_two_commits_that_change_the_same_none_is_taken() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    let gone = world.commit("a.txt", "a\n");
    world.learn("fact");
    world.git(&["switch", "-q", "main"]);
    world.git(&["branch", "-q", "-m", "topic", "elsewhere"]);
    world.git(&["cherry-pick", &gone]);
    // in the same second it would be the same commit
    world.git(&["commit", "-q", "--amend", "-m", "once"]);
    world.git(&["rm", "-q", "a.txt"]);
    world.git(&["commit", "-q", "-m", "taken back"]);
    world.git(&["cherry-pick", &gone]);
    world.git(&["branch", "-q", "-D", "elsewhere"]);
    world.assert_standing("fact", "unknown", None);
}

#[test]
fn a_commit_from_long_before_the_statement_does_not_stand_for_its_source() {
    let world = World::new();
    let dated = |seconds: i64| {
        let mut commit = world.env.git_command(&world.host);
        commit.args(["commit", "-q", "--amend", "-m", "dated"]);
        commit.env("GIT_COMMITTER_DATE", format!("{seconds} +0000"));
        assert!(commit.status().unwrap().success());
        world.head()
    };
    world.commit("a.txt", "a\n");
    world.learn("fact");
    let day = 24 * 60 * 60;
    dated(NOW - day - 1);
    world.assert_standing("fact", "unknown", None);
    let within = dated(NOW - day);
    world.assert_standing("fact", "patch", Some(&within));
}
