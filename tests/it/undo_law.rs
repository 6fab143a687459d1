//! The law of every undo: it removes no file that its operation did not add. And what a bare undo reports about itself.

use crate::env::{Env, Ran, tree};
use crate::init::{json, project, write};
use crate::undo::{last, state};

#[track_caller]
fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Run a command and return the name of its operation.
#[track_caller]
fn act(env: &Env, command: &[&str]) -> String {
    done(env.brv(command));
    last(env)
}

fn commit(env: &Env, path: &str) {
    write(env, &[(path, &format!("# {path}\n"))]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", path]));
}

/// `main` with an entry, `side` with another; HEAD on `main`; with the operation that created `side`.
fn two_branches() -> (Env, String) {
    let env = project(&[]);
    commit(&env, "a.md");
    let made = act(&env, &["vc", "switch", "-c", "side"]);
    commit(&env, "b.md");
    done(env.brv(&["vc", "switch", "main"]));
    (env, made)
}

/// A clone of a remote with `a.md`, and another of a teammate.
fn shared() -> (Env, std::path::PathBuf) {
    let env = project(&[]);
    let (remote, mate) = (env.bare("remote.git"), env.path("mate"));
    done(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]));
    commit(&env, "a.md");
    done(env.brv(&["vc", "push", "-u", "origin", "main"]));
    env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), mate.to_str().unwrap()]);
    (env, mate)
}

#[track_caller]
fn refused(env: &Env, arguments: &[&str], with: &str) {
    let before = state(env, &tree(env));
    let ran = env.brv(arguments);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(with), "{}", ran.stderr);
    assert_eq!(state(env, &tree(env)), before, "nothing was written");
}

#[test]
fn a_switch_is_undone_only_where_it_left_head() {
    let (env, made) = two_branches();
    let to_side = act(&env, &["vc", "switch", "side"]);
    let back = act(&env, &["vc", "switch", "main"]);
    for id in [&made, &to_side] {
        refused(&env, &["undo", id], "HEAD is no longer where this `switch` left it (side at ");
        refused(&env, &["undo", id, "--on-conflict", "theirs"], "HEAD is no longer where");
    }
    done(env.brv(&["undo", &back]));
    assert!(tree(&env).join("b.md").is_file());
    done(env.brv(&["undo", &to_side]));
    assert!(tree(&env).join("a.md").is_file() && !tree(&env).join("b.md").exists());
}

#[test]
fn a_switch_is_not_undone_after_commits_on_its_branch() {
    let (env, made) = two_branches();
    let to_side = act(&env, &["vc", "switch", "side"]);
    commit(&env, "c.md");
    refused(&env, &["undo", &to_side], "HEAD is no longer where");
    refused(&env, &["undo", &to_side, "b.md"], "HEAD is no longer where");
    refused(&env, &["undo", &made], "HEAD is no longer where");
    done(env.brv(&["undo"]));
    done(env.brv(&["undo", &to_side]));
    assert_eq!(env.git(&tree(&env), &["branch", "--show-current"]), "main");
}

#[test]
fn a_switch_between_commits_is_undone_only_where_it_left_head() {
    let (env, _) = two_branches();
    done(env.brv(&["vc", "switch", "--detach", "main"]));
    let detached = act(&env, &["vc", "switch", "--detach", "side"]);
    let undo = act(&env, &["undo", &detached]);
    let redo = act(&env, &["undo", &undo]);
    done(env.brv(&["vc", "switch", "side"]));
    refused(&env, &["undo", &detached], "HEAD is no longer where");
    done(env.brv(&["vc", "switch", "main"]));
    refused(&env, &["undo", &redo], "HEAD is no longer where");
}

#[test]
fn a_renamed_branch_with_commits_since_keeps_its_name() {
    let (env, _) = two_branches();
    let renamed = act(&env, &["vc", "branch", "-m", "main", "trunk"]);
    commit(&env, "c.md");
    refused(&env, &["undo", &renamed], "HEAD is no longer where this `branch` left it (trunk at ");
}

#[test]
fn what_was_done_on_another_branch_is_not_undone_on_this_one() {
    let (env, _) = two_branches();
    commit(&env, "c.md");
    let reset = act(&env, &["vc", "reset", "--hard", "side"]);
    done(env.brv(&["vc", "switch", "side"]));
    refused(&env, &["undo", &reset], "this `reset` was made on `main`");
    done(env.brv(&["vc", "switch", "main"]));
    let merged = act(&env, &["vc", "merge", "main@{1}"]);
    done(env.brv(&["vc", "reset", "--hard", "HEAD~1"]));
    done(env.brv(&["vc", "switch", "-c", "like-it", &format!("refs/brv/ops/{merged}^2")]));
    done(env.brv(&["undo", &merged]));
    assert!(!tree(&env).join("c.md").exists(), "by a commit, since this branch has the merge");
}

#[test]
fn what_stood_on_disk_before_a_pull_stays_when_it_is_undone() {
    for reset in ["--soft", "--mixed"] {
        let (env, _) = shared();
        commit(&env, "c.md");
        done(env.brv(&["vc", "push"]));
        done(env.brv(&["vc", "reset", reset, "HEAD~1"]));
        let before = state(&env, &tree(&env));
        let pull = act(&env, &["vc", "pull"]);
        let after = state(&env, &tree(&env));
        done(env.brv(&["undo", &pull]));
        assert_eq!(state(&env, &tree(&env)), before, "{reset}");
        done(env.brv(&["undo", "last"]));
        assert_eq!(state(&env, &tree(&env)), after, "{reset}");
    }
}

#[test]
fn what_stood_on_disk_stays_when_a_commit_takes_back_the_rest_of_a_pull() {
    let (env, mate) = shared();
    env.commit(&mate, &[("c.md", "# c.md\n"), ("t.md", "# T\n")]);
    env.git(&mate, &["push", "-q"]);
    write(&env, &[("c.md", "# c.md\n")]);
    done(env.brv(&["vc", "pull"]));
    done(env.brv(&["undo"]));
    assert!(tree(&env).join("c.md").is_file() && !tree(&env).join("t.md").exists());
}

/// As if the command had been killed before its branch moved: the files and the index are as git has them at `start`,
/// except for those that already existed.
fn kill(env: &Env, id: &str, start: &str, gone: &[&str]) {
    let (tree, name) = (tree(env), format!("refs/brv/ops/{id}"));
    let commit = env.git(&tree, &["rev-parse", &name]);
    env.git(&tree, &["update-ref", "refs/brv/pending", &commit]);
    env.git(&tree, &["update-ref", "-d", &name]);
    env.git(&tree, &["update-ref", "refs/heads/main", start]);
    env.git(&tree, &["read-tree", start]);
    for path in gone {
        std::fs::remove_file(tree.join(path)).unwrap();
    }
}

#[test]
fn what_stood_on_disk_before_a_pull_that_was_killed_stays() {
    let (env, mate) = shared();
    env.commit(&mate, &[("a.md", "# A\n\nOne.\n"), ("c.md", "# c.md\n"), ("t.md", "# T\n")]);
    env.git(&mate, &["push", "-q"]);
    write(&env, &[("c.md", "# c.md\n")]);
    let tree = tree(&env);
    let start = env.git(&tree, &["rev-parse", "HEAD"]);
    let pull = act(&env, &["vc", "pull"]);
    kill(&env, &pull, &start, &["t.md"]);
    write(&env, &[("a.md", "# a.md\n")]);
    done(env.brv(&["undo", &pull, "--dry-run"]));
    assert_ne!(env.git(&tree, &["rev-parse", "HEAD"]), start, "it is finished");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "", "the index has the old content, too");

    env.commit(&mate, &[("a.md", "# A\n\nTheirs.\n"), ("d.md", "# d.md\n")]);
    env.git(&mate, &["push", "-q"]);
    env.commit(&tree, &[("a.md", "# A\n\nOurs.\n")]);
    write(&env, &[("d.md", "# d.md\n")]);
    let start = env.git(&tree, &["rev-parse", "HEAD"]);
    let ran = env.brv(&["vc", "pull"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    let pull = last(&env);
    std::fs::remove_file(tree.join(".git/MERGE_HEAD")).unwrap();
    kill(&env, &pull, &start, &[]);
    env.brv(&["undo", "--dry-run"]);
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "UU a.md\nA  d.md", "it is finished");
    done(env.brv(&["undo", &pull]));
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "?? d.md", "and undone");
}

#[test]
fn what_stood_on_disk_before_a_switch_stays_when_it_is_undone() {
    for stage in [false, true] {
        let (env, _) = two_branches();
        write(&env, &[("b.md", "# b.md\n")]);
        if stage {
            done(env.brv(&["vc", "add", "b.md"]));
        }
        done(env.brv(&["derive"]));
        let before = state(&env, &tree(&env));
        done(env.brv(&["vc", "switch", "side"]));
        done(env.brv(&["undo"]));
        done(env.brv(&["derive"]));
        assert_eq!(state(&env, &tree(&env)), before, "staged: {stage}");
    }
}

#[test]
fn the_undo_of_a_pull_names_what_a_push_would_take_from_the_remote() {
    let (env, mate) = shared();
    env.commit(&mate, &[("a.md", "# A of the mate\n"), ("t.md", "# T\n")]);
    env.git(&mate, &["push", "-q"]);
    let pull = act(&env, &["vc", "pull"]);
    let warning = "the next push also removes `t.md` and restores `a.md` on origin/main";
    let ran = done(env.brv(&["undo", "--dry-run"]));
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let ran = json(&done(env.brv(&["undo", "--json"])).stdout);
    let said = ran["warnings"][0].as_str().unwrap();
    assert!(said.starts_with(warning), "{said}");
    let redo = said.split('`').rev().nth(1).unwrap().to_owned();
    let words: Vec<&str> = redo.split(' ').skip(1).collect();
    assert!(said.ends_with("redoes the pull"), "{said}");
    let ran = done(env.brv(&words));
    assert!(!ran.stderr.contains("the next push"), "{}", ran.stderr);
    assert!(tree(&env).join("t.md").is_file(), "{pull} is redone");
}

#[test]
fn the_undo_of_a_removal_names_what_a_push_would_bring_back_to_the_remote() {
    let (env, mate) = shared();
    env.git(&mate, &["rm", "-q", "a.md"]);
    env.commit(&mate, &[("b.md", "# B\n")]);
    env.git(&mate, &["push", "-q"]);
    done(env.brv(&["vc", "pull"]));
    let ran = done(env.brv(&["undo", "--dry-run"]));
    let warning = "the next push also removes `b.md` and restores `a.md` on origin/main";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    // the remote never had it
    commit(&env, "c.md");
    done(env.brv(&["vc", "rm", "c.md"]));
    let removal = act(&env, &["vc", "commit", "-m", "gone"]);
    commit(&env, "d.md");
    let ran = done(env.brv(&["undo", &removal]));
    assert!(tree(&env).join("c.md").is_file() && !ran.stderr.contains("the next push"), "{}", ran.stderr);
}

#[test]
fn what_no_remote_has_is_undone_without_a_warning() {
    let (env, _) = shared();
    done(env.brv(&["vc", "switch", "-c", "topic"]));
    commit(&env, "c.md");
    done(env.brv(&["vc", "switch", "main"]));
    let merge = act(&env, &["vc", "merge", "topic"]);
    commit(&env, "d.md");
    let ran = done(env.brv(&["undo", &merge]));
    assert!(!ran.stderr.contains("the next push"), "{}", ran.stderr);
    assert!(tree(&env).join("d.md").is_file() && !tree(&env).join("c.md").exists());
}

#[test]
fn a_bare_undo_says_which_operation_is_in_the_way() {
    let (env, mate) = shared();
    drop(mate);
    done(env.brv(&["vc", "clone", "remote.git", "other"]));
    let other = env.path("other");
    std::fs::write(other.join(".brv/context-tree/c.md"), "# C\n").unwrap();
    for line in ["vc add .", "vc commit -m c", "vc push", "undo"] {
        done(env.brv_in(&other, &line.split(' ').collect::<Vec<_>>()));
    }
    let ran = env.brv_in(&other, &["undo"]);
    let log = json(&done(env.brv_in(&other, &["op", "log", "--json"])).stdout);
    let all = log["data"]["operations"].as_array().unwrap();
    let clone = all.last().unwrap()["id"].as_str().unwrap().rsplit('-').next().unwrap();
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(&format!("cannot undo clone {clone}: ")), "{}", ran.stderr);
}

#[test]
fn a_bare_undo_passes_over_what_went_back_with_a_commit() {
    let (env, _) = shared();
    commit(&env, "c.md");
    done(env.brv(&["vc", "mv", "a.md", "b.md"]));
    done(env.brv(&["vc", "commit", "-m", "mv"]));
    done(env.brv(&["vc", "push"]));
    done(env.brv(&["undo"]));
    let ran = done(env.brv(&["undo"]));
    assert!(ran.stdout.contains(": c.md"), "the commit before the move: {}", ran.stdout);
    assert!(tree(&env).join("a.md").is_file() && !tree(&env).join("c.md").exists());
}

#[test]
fn the_help_says_how_to_walk_backwards_and_how_to_redo() {
    let ran = done(Env::new().brv(&["undo", "--help"]));
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("goes one operation further back") && text.contains("`brv undo last`"), "{text}");
}
