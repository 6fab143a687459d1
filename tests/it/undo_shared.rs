//! Undo of what a remote has: always a new commit, whatever made the change. And the overview of a folder, which stays
//! while something else needs it.

use crate::env::{Env, Ran, tree};
use crate::init::write;
use crate::kinds;
use crate::undo::{last, state};
use crate::undo_kinds::{arguments, shared};
use std::path::{Path, PathBuf};

#[track_caller]
fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Run a command of a table and return the name of its operation.
#[track_caller]
fn act(env: &Env, command: &str) -> String {
    done(env.brv(&arguments(command)));
    last(env)
}

fn git(env: &Env, arguments: &[&str]) -> String {
    env.git(&tree(env), arguments)
}

/// The entries and overviews that a work tree has, tracked or not, with their bytes.
pub fn curated(root: &Path) -> Vec<(String, String)> {
    let files = crate::lab::picture(root, &|path| path == ".git" || path.starts_with(".git/"));
    let is_curated = |path: &str| {
        brv_base::path::TreePath::parse(path.as_bytes()).is_ok_and(|path| path.kind().is_curated())
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    files.into_iter().filter(|(path, _)| is_curated(path)).map(|(path, file)| (path, text(file))).collect()
}

fn names(env: &Env, folder: &str) -> Vec<String> {
    let all = curated(&tree(env)).into_iter().map(|(path, _)| path);
    all.filter(|path| path.starts_with(folder)).collect()
}

const ADD: &str = "curate Words. --into auth/keys --title T --reason r";

/// Commands that come before, and the one that is undone.
const PUSHED: [(&[&str], &str); 7] = [
    (&[], ADD),
    (&[], "curate Words. --into auth --title a --reason r"),
    (&[], "archive run e.md"),
    (&["archive run e.md"], "archive restore e.md"),
    (&[], "stale confirm e.md"),
    (&[], "revert HEAD"),
    (&[], "merge apart"),
];

/// The commands that are undone.
pub fn commands() -> Vec<&'static str> {
    PUSHED.into_iter().map(|(_, command)| command).collect()
}

#[test]
fn what_a_remote_has_is_undone_and_redone_by_commits_whatever_made_it() {
    for (before, command) in PUSHED {
        let (env, mate) = shared();
        let tree = tree(&env);
        before.iter().for_each(|command| drop(act(&env, command)));
        let was = curated(&tree);
        let id = act(&env, command);
        kinds::check(&env, command, |tests| tests.pushed).unwrap();
        let (is, tip) = (curated(&tree), git(&env, &["rev-parse", "HEAD"]));
        git(&env, &["push", "-q"]);
        let mut undone = id;
        for wanted in [&was, &is, &was] {
            done(env.brv(&["undo", &undone]));
            undone = last(&env);
            assert_eq!(curated(&tree), *wanted, "{command}");
            done(env.brv(&["vc", "pull"]));
            assert_eq!(curated(&tree), *wanted, "{command}: the next pull brings nothing");
            assert_eq!(git(&env, &["status", "--porcelain", "-uno"]), "", "{command}");
            git(&env, &["merge-base", "--is-ancestor", &tip, "HEAD"]);
            done(env.brv(&["vc", "push"]));
        }
        env.git(&mate, &["fetch", "-q"]);
        env.git(&mate, &["reset", "-q", "--hard", "origin/main"]);
        assert_eq!(curated(&mate), was, "{command}: others have it");
        assert_eq!(git(&env, &["rev-list", "--count", &format!("{tip}..HEAD")]), "3", "{command}");
        env.fsck(&tree);
    }
}

#[test]
fn a_commit_counts_as_published_under_any_branch_and_below_later_commits() {
    let (env, _) = shared();
    let id = act(&env, ADD);
    git(&env, &["push", "-q", "origin", "main:elsewhere"]);
    let tip = git(&env, &["rev-parse", "HEAD"]);
    done(env.brv(&["undo", &id]));
    assert_eq!(git(&env, &["rev-parse", "HEAD~"]), tip);
    let (env, _) = shared();
    let id = act(&env, ADD);
    done(env.brv(&["vc", "push"]));
    act(&env, "curate More. --into auth/keys --title U --reason r");
    done(env.brv(&["undo", &id]));
    assert_eq!(names(&env, "auth/keys"), ["auth/keys/context.md", "auth/keys/u.md"]);
    assert_eq!(git(&env, &["status", "--porcelain"]), "");
    // no remote has it: the branch moves back
    let tip = git(&env, &["rev-parse", "HEAD"]);
    let id = act(&env, "curate Third. --into auth/keys --title V --reason r");
    done(env.brv(&["undo", &id]));
    assert_eq!(git(&env, &["rev-parse", "HEAD"]), tip);
}

/// A clone of the remote of [`shared`] by brv.
fn clone(env: &Env) -> PathBuf {
    let folder = env.path("bo");
    std::fs::create_dir(&folder).unwrap();
    done(env.brv_in(&folder, &["vc", "clone", env.path("remote.git").to_str().unwrap(), "."]));
    folder
}

#[test]
fn two_clones_undo_and_redo_a_pushed_curation_without_bringing_it_back() {
    let (env, _) = shared();
    let bo = clone(&env);
    let bo_tree = bo.join(".brv/context-tree");
    let before = curated(&bo_tree);
    let id = act(&env, ADD);
    done(env.brv(&["vc", "push"]));
    done(env.brv_in(&bo, &["vc", "pull"]));
    let after = curated(&bo_tree);
    done(env.brv_in(&bo, &["undo", &id]));
    assert_eq!(curated(&bo_tree), before);
    let undo = env.git(&bo_tree, &["log", "-1", "--format=%(trailers:key=Brv-Op,valueonly)"]);
    done(env.brv_in(&bo, &["vc", "push"]));
    done(env.brv(&["vc", "pull"]));
    assert_eq!(curated(&tree(&env)), before);
    let state_before = state(&env, &tree(&env));
    let ran = env.brv(&["undo", &id]);
    assert_eq!((ran.code, ran.stderr.contains("nothing left to undo")), (6, true), "{}", ran.stderr);
    assert_eq!(state(&env, &tree(&env)), state_before);
    done(env.brv(&["undo", undo.trim()]));
    assert_eq!(curated(&tree(&env)), after, "redone where it was not undone");
    done(env.brv(&["vc", "push"]));
    done(env.brv_in(&bo, &["vc", "pull"]));
    assert_eq!(curated(&bo_tree), after);
    for tree in [tree(&env), bo_tree] {
        assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
        env.fsck(&tree);
    }
}

#[test]
fn the_overview_of_a_new_folder_stays_while_another_entry_lives_there() {
    let mine = [("auth/keys/mine.md", "# Mine\n")];
    let make = |env: &Env, how: &str| match how {
        "not committed" => write(env, &mine),
        "staged" => {
            write(env, &mine);
            done(env.brv(&["vc", "add", "auth/keys/mine.md"]));
        }
        "committed by git" => drop(env.commit(&tree(env), &mine)),
        _ => write(env, &[("auth/keys/deep/mine.md", "# Mine\n")]),
    };
    for is_pushed in [false, true] {
        for name in ["not committed", "staged", "committed by git", "in a folder below"] {
            let (env, _) = shared();
            let id = act(&env, ADD);
            if is_pushed {
                done(env.brv(&["vc", "push"]));
            }
            make(&env, name);
            let (overview, before) = (tree(&env).join("auth/keys/context.md"), curated(&tree(&env)));
            let text = std::fs::read_to_string(&overview).unwrap();
            done(env.brv(&["undo", &id]));
            assert_eq!(std::fs::read_to_string(&overview).unwrap(), text, "{name}");
            assert!(!tree(&env).join("auth/keys/t.md").exists(), "{name}");
            done(env.brv(&["undo", "last"]));
            assert_eq!(curated(&tree(&env)), before, "{name}: redone");
            done(env.brv(&["undo", "last"]));
            assert!(overview.exists() && !tree(&env).join("auth/keys/t.md").exists(), "{name}");
            env.fsck(&tree(&env));
        }
    }
}

#[test]
fn an_overview_is_removed_with_the_folder_unless_somebody_wrote_it() {
    let (env, _) = shared();
    let id = act(&env, ADD);
    done(env.brv(&["undo", &id]));
    assert_eq!(names(&env, "auth/"), ["auth/a.md"]);
    // it was asked for by name
    let id = act(&env, ADD);
    done(env.brv(&["vc", "push"]));
    done(env.brv(&["undo", &id, "auth/keys/context.md"]));
    assert_eq!(names(&env, "auth/"), ["auth/a.md", "auth/context.md", "auth/keys/t.md"]);
    let (env, _) = shared();
    let id = act(&env, ADD);
    let overview = tree(&env).join("auth/keys/context.md");
    let text = format!("{}\nBy hand.\n", std::fs::read_to_string(&overview).unwrap());
    std::fs::write(&overview, &text).unwrap();
    let ran = env.brv(&["undo", &id]);
    assert_eq!(ran.code, 5, "nothing else lives there: {}", ran.stderr);
    write(&env, &[("auth/keys/mine.md", "# Mine\n")]);
    done(env.brv(&["undo", &id]));
    assert_eq!(std::fs::read_to_string(&overview).unwrap(), text);
}

#[test]
fn no_undo_makes_a_commit_in_the_middle_of_a_rebase() {
    let (env, _) = shared();
    let id = act(&env, ADD);
    done(env.brv(&["vc", "push"]));
    let tree = tree(&env);
    git(&env, &["checkout", "-q", "apart"]);
    assert_ne!(env.try_git(&tree, &["rebase", "-q", "--exec", "false", "main"]).code, 0);
    let before = state(&env, &tree);
    let ran = env.brv(&["undo", &id]);
    assert_eq!((ran.code, ran.stderr.contains("rebase is in progress")), (6, true), "{}", ran.stderr);
    assert_eq!(state(&env, &tree), before);
}

#[test]
fn the_overview_keeps_the_records_of_what_others_archived() {
    let (env, _) = shared();
    let id = act(&env, ADD);
    act(&env, "curate More. --into auth/keys --title U --reason r");
    let archive = act(&env, "archive run auth/keys/u.md");
    let text = std::fs::read_to_string(tree(&env).join("auth/keys/context.md")).unwrap();
    done(env.brv(&["undo", &id]));
    assert_eq!(std::fs::read_to_string(tree(&env).join("auth/keys/context.md")).unwrap(), text);
    assert_eq!(names(&env, "auth/keys"), ["auth/keys/context.md"]);
    done(env.brv(&["undo", &archive]));
    assert_eq!(names(&env, "auth/keys"), ["auth/keys/context.md", "auth/keys/u.md"]);
    assert_eq!(git(&env, &["status", "--porcelain"]), "");
    // the overview that an archive made keeps the records of a later one
    let first = act(&env, "archive run b.md");
    act(&env, "archive run e.md");
    let both = std::fs::read_to_string(tree(&env).join("context.md")).unwrap();
    done(env.brv(&["undo", &first]));
    let without = |line: &&str| !line.contains("- b.md ");
    let left: String = both.split_inclusive('\n').filter(without).collect();
    assert_eq!(std::fs::read_to_string(tree(&env).join("context.md")).unwrap(), left);
    assert_eq!(std::fs::read_to_string(tree(&env).join("b.md")).unwrap(), "# B\n");
    env.fsck(&tree(&env));
}

#[test]
fn where_brv_does_not_commit_an_undo_of_committed_files_does_not_either() {
    let (env, _) = shared();
    let env = env.with("BRV_COMMIT_AUTO", "false");
    let before = curated(&tree(&env));
    let id = act(&env, ADD);
    done(env.brv(&["vc", "commit", "-m", "by hand"]));
    done(env.brv(&["vc", "push"]));
    let (tip, after) = (git(&env, &["rev-parse", "HEAD"]), curated(&tree(&env)));
    let ran = done(env.brv(&["undo", &id]));
    assert!(ran.stdout.contains("\n staged, not committed\n"), "{}", ran.stdout);
    assert_eq!((git(&env, &["rev-parse", "HEAD"]), curated(&tree(&env))), (tip.clone(), before.clone()));
    let removed = "D\tauth/context.md\nD\tauth/keys/context.md\nD\tauth/keys/t.md";
    assert_eq!(git(&env, &["diff", "--cached", "--name-status"]), removed);
    assert_eq!(git(&env, &["diff", "--name-only"]), "");
    done(env.brv(&["undo", "last"]));
    assert_eq!((git(&env, &["status", "--porcelain"]), curated(&tree(&env))), (String::new(), after));
    done(env.brv(&["undo"]));
    done(env.brv(&["vc", "commit", "-m", "taken back"]));
    assert_eq!((git(&env, &["rev-parse", "HEAD~"]), curated(&tree(&env))), (tip, before));
}
