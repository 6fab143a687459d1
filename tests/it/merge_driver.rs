//! `brv merge-driver` as git starts it: every merge, rebase, cherry-pick or stash in the tree uses it.

use crate::env::{Env, Ran, tree};
use crate::init::{json, project, write};
use std::path::{Path, PathBuf};

fn entry(tags: &str, prose: &str) -> String {
    format!("---\ntitle: A\ntags: [{tags}]\n---\n\n## Narrative\n\n{prose}\n")
}

/// `main` and `topic`, each with a commit after a common one; `main` is checked out.
fn diverged(base: &str, ours: &str, theirs: &str) -> Env {
    let env = project(&[]);
    let tree = tree(&env);
    env.commit(&tree, &[("auth/a.md", base)]);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("auth/a.md", theirs)]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("auth/a.md", ours)]);
    env
}

fn read(env: &Env) -> String {
    std::fs::read_to_string(tree(env).join("auth/a.md")).unwrap()
}

fn git(env: &Env, arguments: &[&str]) -> Ran {
    env.try_git(&tree(env), arguments)
}

/// The arguments that git passes to the driver: git finds this program in place of brv.
fn spy(env: &Env, answer: &str) -> PathBuf {
    let spy = env.path("spy it's 5% brv");
    let script = format!(
        "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done > '{}'\n{answer}\n",
        env.path("seen").display()
    );
    std::fs::write(&spy, script).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&spy, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    spy
}

fn drive_with(env: &Env, program: Option<&Path>) {
    let scope = brv_git::open(&tree(env), "", crate::env::environment()).unwrap();
    brv_git::merge_driver::register(&scope, program).unwrap();
}

#[test]
fn init_and_clone_register_the_driver_and_git_finds_it() {
    let env = project(&[]);
    let tree = tree(&env);
    env.commit(&tree, &[("auth/a.md", "# A\n")]);
    env.bare("team.git");
    env.git(&tree, &["push", "-q", env.path("team.git").to_str().unwrap(), "main"]);
    assert_eq!(env.brv(&["vc", "clone", "-q", "team.git", "laptop"]).code, 0);
    for tree in [tree, env.path("laptop/.brv/context-tree")] {
        let driver = env.git(&tree, &["config", "merge.brv.driver"]);
        assert!(driver.contains(env!("CARGO_BIN_EXE_brv")), "{driver}");
        let attribute = env.git(&tree, &["check-attr", "merge", "auth/a.md", "x.json"]);
        assert_eq!(attribute, "auth/a.md: merge: brv\nx.json: merge: unspecified");
    }
}

#[test]
fn a_tree_that_lost_its_driver_gets_it_back_and_keeps_the_settings_of_others() {
    let env = project(&[]);
    let tree = tree(&env);
    env.git(&tree, &["config", "--remove-section", "merge.brv"]);
    env.git(&tree, &["config", "merge.mine.driver", "mine %A"]);
    env.git(&tree, &["config", "merge.brv-base.driver", "/gone/brv"]);
    let attributes = tree.join(".git/info/attributes");
    std::fs::write(&attributes, "*.txt merge=union\n").unwrap();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    let config = std::fs::read_to_string(tree.join(".git/config")).unwrap();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    assert_eq!(std::fs::read_to_string(tree.join(".git/config")).unwrap(), config, "once is enough");
    assert!(env.git(&tree, &["config", "merge.brv.driver"]).contains(env!("CARGO_BIN_EXE_brv")));
    assert!(!config.contains("/gone/brv"), "{config}");
    assert_eq!(env.git(&tree, &["config", "merge.mine.driver"]), "mine %A");
    let text = std::fs::read_to_string(&attributes).unwrap();
    assert!(text.starts_with("*.txt merge=union\n") && text.contains("*.md merge=brv"), "{text}");
}

#[test]
fn git_tells_the_driver_sides_labels_and_path() {
    let env = diverged("a\n", "b\n", "c\n");
    drive_with(&env, Some(&spy(&env, "exit 1")));
    let ran = git(&env, &["merge", "topic"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let seen = std::fs::read_to_string(env.path("seen")).unwrap();
    let words: Vec<&str> = seen.lines().collect();
    assert_eq!(words[0], "merge-driver");
    assert_eq!(words[1], "--marker-size=7");
    assert_eq!(words[5], "--", "{seen}");
    assert_eq!(words[9], "auth/a.md", "{seen}");
    if words[3] != "--ours-name=%X" {
        assert_eq!(words[3..5], ["--ours-name=HEAD", "--theirs-name=topic"], "{seen}");
    }
    assert!(git(&env, &["status", "--porcelain"]).stdout.contains("UU auth/a.md"));
}

/// The base is between the markers only if brv put it there.
const BRVS_OWN: &str = "\n||||||| ";

#[test]
fn every_merge_of_git_goes_through_brv() {
    let (base, ours, theirs) = (entry("x", "One."), entry("x", "Two."), entry("x", "Three."));
    for step in [&["merge", "topic"][..], &["rebase", "topic"], &["cherry-pick", "topic"]] {
        let env = diverged(&base, &ours, &theirs);
        let ran = git(&env, step);
        assert_eq!(ran.code, 1, "{step:?} {}{}", ran.stdout, ran.stderr);
        assert!(read(&env).contains(BRVS_OWN), "{step:?} {}", read(&env));
    }
    let env = diverged(&base, &base, &theirs);
    write(&env, &[("auth/a.md", &ours)]);
    git(&env, &["stash"]);
    git(&env, &["merge", "-q", "topic"]);
    assert_eq!(git(&env, &["stash", "pop"]).code, 1);
    assert!(read(&env).contains(BRVS_OWN), "{}", read(&env));
}

#[test]
fn what_is_a_conflict_by_line_is_none_by_meaning() {
    let (base, ours, theirs) = (entry("x", "One."), entry("x, ours", "One."), entry("x, theirs", "One."));
    for step in
        [&["merge", "-q", "-m", "merge", "topic"][..], &["rebase", "-q", "topic"], &["cherry-pick", "topic"]]
    {
        let env = diverged(&base, &ours, &theirs);
        let ran = git(&env, step);
        assert_eq!(ran.code, 0, "{step:?} {}{}", ran.stdout, ran.stderr);
        assert_eq!(read(&env), entry("x, ours, theirs", "One."), "{step:?}: the same whichever side is ours");
        assert_eq!(git(&env, &["status", "--porcelain"]).stdout, "", "{step:?}");
    }
    let env = diverged(&base, &base, &theirs);
    write(&env, &[("auth/a.md", &entry("x, stashed", "One."))]);
    git(&env, &["stash"]);
    git(&env, &["merge", "-q", "topic"]);
    let ran = git(&env, &["stash", "pop"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(read(&env), entry("x, stashed, theirs", "One."));
}

#[test]
fn what_was_settled_is_said_in_the_words_of_a_pull() {
    let with = |title: &str| entry("x", "One.").replace("title: A", &format!("title: {title}"));
    let env = diverged(&with("A"), &with("Ours"), &with("Theirs"));
    let ran = git(&env, &["merge", "-m", "merge", "topic"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("brv: auth/a.md: `title`: "), "{}", ran.stderr);
    assert!(ran.stderr.contains(": took ") && ran.stderr.contains(", dropped "), "{}", ran.stderr);
}

#[test]
fn what_a_merge_of_gits_own_gave_up_is_in_a_log() {
    let with = |title: &str| entry("x", "One.").replace("title: A", &format!("title: {title}"));
    for (step, lost) in [
        (&["merge", "-m", "m", "topic"][..], "Ours"),
        (&["rebase", "topic"], "Ours"),
        (&["cherry-pick", "topic"], "Ours"),
    ] {
        let env = diverged(&with("A"), &with("Ours"), &with("Theirs"));
        let ran = git(&env, step);
        assert_eq!(ran.code, 0, "{step:?} {}{}", ran.stdout, ran.stderr);
        let log = std::fs::read_to_string(tree(&env).join(".git/brv/driver.log")).unwrap();
        assert!(
            log.ends_with(&format!("Z auth/a.md title: {lost}\n")) && log.lines().count() == 1,
            "{step:?} {log}"
        );
    }
    let env = diverged(&entry("x", "One."), &entry("x, ours", "One."), &entry("x, theirs", "One."));
    assert_eq!(git(&env, &["merge", "-m", "m", "topic"]).code, 0);
    assert!(!tree(&env).join(".git/brv/driver.log").exists(), "nothing was discarded");
}

#[test]
fn a_subject_that_a_merge_of_gits_own_left_in_dispute_is_named() {
    let with = |lives: &str| {
        format!("---\ntitle: A\ntags: []\n---\n\n## Facts\n- **token**: lives {lives} [convention]\n")
    };
    let env = diverged(&with("1 hour"), &with("2 hours"), &with("3 hours"));
    let ran = git(&env, &["merge", "-m", "m", "topic"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let words = "brv: auth/a.md: fact `token`: kept both claims, marked as disputed\n";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn a_conflict_stays_a_conflict_with_the_names_of_its_sides() {
    let env = diverged(&entry("x", "One."), &entry("x", "Two."), &entry("x", "Three."));
    let ran = git(&env, &["merge", "topic"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let text = read(&env);
    assert!(text.contains("<<<<<<< ") && text.contains("\nTwo.\n") && text.contains("\nThree.\n"), "{text}");
    assert!(text.starts_with("---\ntitle: A\ntags: [x]\n---\n"), "{text}");
    assert!(git(&env, &["status", "--porcelain"]).stdout.contains("UU auth/a.md"));
    git(&env, &["merge", "--abort"]);
    // in a rebase, git's ours is the branch that is rebased onto
    let ran = git(&env, &["rebase", "-q", "topic"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let text = read(&env);
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{text}"));
    assert!(at("<<<<<<<") < at("Three.") && at("Three.") < at("=======") && at("=======") < at("Two."));
}

#[test]
fn a_program_that_fails_ends_the_merge_and_loses_nothing() {
    for answer in ["exit 2", "exit 101", "kill -9 $$"] {
        let env = diverged("a\n", "b\n", "c\n");
        drive_with(&env, Some(&spy(&env, answer)));
        let ran = git(&env, &["merge", "topic"]);
        assert!(ran.code != 0 && ran.code != 1, "{answer}: {} {}{}", ran.code, ran.stdout, ran.stderr);
        assert_eq!(read(&env), "b\n", "{answer}");
        assert_eq!(git(&env, &["status", "--porcelain", "-uno"]).stdout, "", "{answer}");
    }
}

#[test]
fn without_any_brv_git_merges_by_line() {
    let env = diverged("a\n\nb\n\nc\n", "A\n\nb\n\nc\n", "a\n\nb\n\nC\n");
    drive_with(&env, Some(Path::new("/no/such/brv")));
    let ran = git(&env, &["merge", "-q", "-m", "merge", "topic"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(read(&env), "A\n\nb\n\nC\n");
    let env = diverged("a\n", "b\n", "c\n");
    drive_with(&env, None);
    assert_eq!(git(&env, &["merge", "topic"]).code, 1);
    assert!(read(&env).contains("<<<<<<< ours\nb\n"), "{}", read(&env));
}

#[test]
fn a_stale_path_gives_way_to_the_brv_that_is_found() {
    let env = diverged(&entry("x", "One."), &entry("x", "Two."), &entry("x", "Three."));
    drive_with(&env, Some(Path::new("/no/such/brv")));
    let mut command = env.git_command(&tree(&env));
    let folder = Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap().to_path_buf();
    let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
    let path = std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let ran = Ran::of(&command.env("PATH", path).args(["merge", "-q", "-m", "m", "topic"]).output().unwrap());
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(read(&env).contains(BRVS_OWN), "{}", read(&env));
}

/// Two merges of the same two commits in opposite order, each resolved differently, and then merged with each other:
/// git makes a common base of both first commits, without markers in it.
#[test]
fn a_common_base_of_several_has_no_markers() {
    let env = diverged(&entry("x", "One."), &entry("x", "Two."), &entry("x", "Three."));
    let tree = tree(&env);
    env.git(&tree, &["branch", "left"]);
    for (branch, other, settled) in [("main", "topic", "Four."), ("topic", "left", "Five.")] {
        env.git(&tree, &["checkout", "-q", branch]);
        assert_eq!(git(&env, &["merge", other]).code, 1);
        env.commit(&tree, &[("auth/a.md", &entry("x", settled))]);
    }
    env.git(&tree, &["checkout", "-q", "main"]);
    assert_eq!(git(&env, &["merge", "topic"]).code, 1);
    let text = read(&env);
    assert_eq!(text.matches("<<<<<<<").count(), 1, "{text}");
    assert!(text.contains("Four.") && text.contains("Five.") && !text.contains("Three."), "{text}");
}

#[test]
fn the_driver_run_by_hand_says_what_it_did() {
    let env = Env::new();
    for (name, text) in [("base", "a\n"), ("ours", "b\n"), ("theirs", "a\n"), ("other", "c\n")] {
        std::fs::write(env.path(name), text).unwrap();
    }
    let ran = env.brv(&["merge-driver", "base", "ours", "theirs", "x.md", "--json"]);
    assert_eq!((ran.code, &json(&ran.stdout)["data"]["clean"]), (0, &true.into()));
    assert_eq!(std::fs::read_to_string(env.path("ours")).unwrap(), "b\n");
    let ran = env.brv(&["merge-driver", "base", "ours", "nothing", "x.md", "--json"]);
    assert_eq!((ran.code, &json(&ran.stdout)["error"]["code"]), (129, &"unmerged".into()));
    let ran = env.brv(&["merge-driver", "base", "ours", "other", "x.md", "--json", "--ours-name=%X"]);
    let data = &json(&ran.stdout)["data"];
    assert_eq!((ran.code, &data["undecided"]), (1, &1.into()));
    assert_eq!(
        (&data["decisions"][0]["base"], &data["decisions"][0]["reason"]),
        (&"a".into(), &"prose".into())
    );
    assert!(std::fs::read_to_string(env.path("ours")).unwrap().starts_with("<<<<<<< ours\nb\n"));
}

/// What git itself makes of paths, before it starts the driver for any file, as `brv help merging` says.
#[test]
fn git_stops_where_a_file_is_deleted_here_and_edited_there_or_new_in_a_folder_that_moved_and_brv_goes_on() {
    type Way<'a> = &'a dyn Fn(&Env) -> i32;
    let git = |arguments: &'static [&'static str]| move |env: &Env| git(env, arguments).code;
    let stash = |env: &Env| {
        let tree = tree(env);
        env.git(&tree, &["checkout", "-q", "topic"]);
        env.git(&tree, &["reset", "-q", "--soft", "HEAD~1"]);
        env.git(&tree, &["stash", "-q"]);
        env.git(&tree, &["checkout", "-q", "main"]);
        env.try_git(&tree, &["stash", "pop", "-q"]).code
    };
    let brv = |env: &Env| env.brv(&["vc", "merge", "topic"]).code;
    let ways: [(Way<'_>, bool); 5] = [
        (&git(&["merge", "-q", "topic"]), true),
        (&git(&["rebase", "-q", "main", "topic"]), true),
        (&git(&["cherry-pick", "topic"]), true),
        (&stash, true),
        (&brv, false),
    ];
    for (at, (way, stops)) in ways.into_iter().enumerate() {
        for (here, path, there) in [
            (&["rm", "-q", "auth/a.md"][..], "auth/a.md", "# A\n\nEdited.\n"),
            (&["mv", "auth", "moved"], "auth/new.md", "# New\n"),
        ] {
            let env = project(&[]);
            let tree = tree(&env);
            env.commit(&tree, &[("auth/a.md", "# A\n\nText.\n"), ("auth/b.md", "# B\n\nOther.\n")]);
            env.git(&tree, &["checkout", "-q", "-b", "topic"]);
            env.commit(&tree, &[(path, there)]);
            env.git(&tree, &["checkout", "-q", "main"]);
            env.git(&tree, here);
            env.git(&tree, &["commit", "-q", "-m", "ours"]);
            let code = way(&env);
            let unmerged = env.git(&tree, &["ls-files", "--unmerged"]);
            assert_eq!((code != 0, !unmerged.is_empty()), (stops, stops), "{at} {path} {code} {unmerged}");
            if !stops {
                assert_eq!(std::fs::read_to_string(tree.join(path)).unwrap(), there);
            }
        }
    }
}

/// A note with fields as Obsidian, Hugo, Jekyll, Docusaurus and MkDocs write them.
const FOREIGN: &str = "---
title: A
aliases:
  - Drain
authors:
  - name: Ann
    email: ann@old.example
  - name: Bob
    email: bob@old.example
sidebar:
  label: A
  badges: [new]
hide: [
  toc
]
description: |
  The first line.
  A second one.
  The last line.
---

# A
";

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(FOREIGN.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

#[test]
fn fields_of_other_tools_keep_what_both_sides_wrote() {
    let ours = changed(&[
        ("  - Drain\n", "  - Drain\n  - Ours\n"),
        ("ann@old", "ann@ours"),
        ("[new]", "[new, ours]"),
        ("  toc\n", "  toc,\n  ours\n"),
        ("The first", "Our first"),
    ]);
    let theirs = changed(&[
        ("  - Drain\n", "  - Drain\n  - Theirs\n"),
        ("bob@old", "bob@theirs"),
        ("[new]", "[new, theirs]"),
        ("  toc\n", "  toc,\n  theirs\n"),
        ("The last", "Their last"),
    ]);
    let merged = changed(&[
        ("  - Drain\n", "  - Drain\n  - Ours\n  - Theirs\n"),
        ("ann@old", "ann@ours"),
        ("bob@old", "bob@theirs"),
        ("[new]", "[new, ours, theirs]"),
        ("  toc\n", "  toc,\n  ours,\n  theirs\n"),
        ("The first", "Our first"),
        ("The last", "Their last"),
    ]);
    for step in [&["merge", "-q", "-m", "merge", "topic"][..], &["rebase", "-q", "topic"]] {
        let env = diverged(FOREIGN, &ours, &theirs);
        let ran = git(&env, step);
        assert_eq!(ran.code, 0, "{step:?} {}{}", ran.stdout, ran.stderr);
        assert_eq!(read(&env), merged, "{step:?}");
    }
    let env = diverged(FOREIGN, &ours, &theirs);
    assert_eq!(env.brv(&["vc", "merge", "-q", "topic"]).code, 0);
    assert_eq!(read(&env), merged);
}

#[test]
fn a_field_that_cannot_be_merged_stops_the_merge_of_git_and_is_named() {
    let (ours, theirs) = (changed(&[("The first", "Our first")]), changed(&[("The first", "Their first")]));
    let env = diverged(FOREIGN, &ours, &theirs);
    let ran = git(&env, &["merge", "topic"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("auth/a.md: `description`: both changed this field; kept ours"),
        "{}",
        ran.stderr
    );
    assert_eq!((read(&env), git(&env, &["status", "--porcelain"]).stdout.trim()), (ours, "UU auth/a.md"));
    assert_eq!(env.brv(&["vc", "resolve", "auth/a.md", "--theirs"]).code, 0);
    assert_eq!(read(&env), theirs);
    assert_eq!(git(&env, &["status", "--porcelain"]).stdout.trim(), "M  auth/a.md");
}
