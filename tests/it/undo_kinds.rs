//! Every kind of operation, undone and redone: files, index, references and merges in progress, with drafts of every
//! sort beside.

use crate::env::{Env, Ran, tree};
use crate::init::{project, write};
use crate::kinds;
use crate::undo::{A, State, last, state, there_and_forward};
use brv::cli::table::ROWS;

/// One command that changes something, with its exit code.
type Row = (&'static str, i32);

const DIRTY: [Row; 67] = [
    ("reset --soft HEAD~1", 0),
    ("reset HEAD~1", 0),
    ("reset --hard HEAD~1", 0),
    ("reset --hard other", 0),
    ("reset --hard", 0),
    ("reset", 0),
    ("reset auth/a.md", 0),
    ("reset HEAD~1 e.md", 0),
    ("switch apart", 0),
    ("switch --force other", 0),
    ("switch --force main", 0),
    ("switch --detach --force HEAD~1", 0),
    ("switch -c fresh", 0),
    ("switch --force-create side", 0),
    ("checkout HEAD~1", 0),
    ("checkout --force other", 0),
    ("checkout -b fresh other --force", 0),
    ("checkout -- b.md", 0),
    ("checkout other -- u.md", 0),
    ("restore auth/a.md b.md", 0),
    ("restore --staged auth/a.md new.md", 0),
    ("restore --staged --worktree .", 0),
    ("restore --source HEAD~1 e.md", 0),
    ("mv e.md f.md", 0),
    ("rm e.md", 0),
    ("rm --cached e.md", 0),
    ("rm -f auth/a.md", 0),
    ("rm -f -r .", 0),
    ("revert HEAD --no-commit", 0),
    ("branch made", 0),
    ("branch -m side lower", 0),
    ("branch -m main trunk", 0),
    ("branch -f side HEAD", 0),
    ("branch -d side", 0),
    ("branch -D other", 0),
    ("branch --track made side", 0),
    ("branch --set-upstream-to other side", 0),
    ("branch --set-upstream-to side", 0),
    ("branch --unset-upstream side", 0),
    ("branch -M side other", 0),
    ("tag made", 0),
    ("tag -m words made other", 0),
    ("tag -f light", 0),
    ("tag -f heavy side", 0),
    ("tag -f -m words heavy", 0),
    ("tag -d light heavy", 0),
    ("switch --track -c fresh side", 0),
    ("add auth/a.md", 0),
    ("add u.md", 0),
    ("add --all", 0),
    ("add --update", 0),
    ("add -u b.md gone.md", 0),
    ("add -N u.md", 0),
    ("add -N .", 0),
    ("commit -m part auth/a.md", 0),
    ("commit -m part new.md", 0),
    ("commit -m part gone.md b.md", 0),
    ("commit -m part .", 0),
    ("commit -a -m all", 0),
    ("commit --amend", 0),
    ("commit --amend -m again auth/a.md", 0),
    ("commit --amend -m again gone.md b.md", 0),
    ("commit --amend -a --no-edit", 0),
    ("curate words --into new/folder --title T --reason r", 0),
    ("curate words --into auth --title a --reason r", 0),
    ("archive run e.md", 0),
    ("stale confirm e.md auth", 0),
];

const CLEAN_INDEX: [Row; 4] =
    [("revert HEAD", 0), ("commit -a -m all", 0), ("commit --amend -m again", 0), ("reset --soft HEAD~1", 0)];

const DETACHED: [Row; 11] = [
    ("reset --soft HEAD~1", 0),
    ("reset HEAD~1", 0),
    ("reset --hard HEAD~1", 0),
    ("switch --force other", 0),
    ("switch apart", 0),
    ("checkout main", 0),
    ("switch -c fresh", 0),
    ("restore .", 0),
    ("commit -m staged", 0),
    ("commit --amend -m staged", 0),
    ("curate words --into auth --title a --reason r", 0),
];

const CONFLICTED: [Row; 10] = [
    ("reset --hard", 0),
    ("reset --hard HEAD~1", 0),
    ("reset", 0),
    ("switch --force topic", 0),
    ("checkout --force topic", 0),
    ("checkout --ours auth/a.md", 0),
    ("rm -f auth/a.md", 0),
    ("restore --staged auth/a.md", 0),
    ("merge --abort", 0),
    ("resolve auth/a.md --theirs", 0),
];

const REJECTION: [Row; 1] = [("review reject 0a1b2c3d", 0)];

const DREAMS: [Row; 2] = [("dream --force", 0), ("dream --force --branch", 0)];

#[track_caller]
fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Branches to switch to, and committed, staged, changed, removed and new files.
fn dirty() -> Env {
    let files =
        [("auth/a.md", A), ("b.md", "# B\n"), ("c.md", "# C\n"), ("d.md", "# D\n"), ("gone.md", "# G\n")];
    let env = project(&files);
    let tree = tree(&env);
    // the repository of the code, against which entries are confirmed
    env.git(env.root(), &["init", "-q"]);
    env.git(env.root(), &["commit", "-q", "--allow-empty", "-m", "code"]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "first"]));
    env.git(&tree, &["branch", "side"]);
    env.git(&tree, &["tag", "light"]);
    env.git(&tree, &["tag", "-m", "A release", "heavy"]);
    env.git(&tree, &["checkout", "-q", "-b", "other"]);
    env.commit(&tree, &[("u.md", "# U of other\n"), ("auth/a.md", &A.replace("Three.", "Trois."))]);
    env.git(&tree, &["checkout", "-q", "-b", "apart", "main"]);
    env.commit(&tree, &[("apart.md", "# Apart\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("e.md", "# E\n")]);
    for (key, value) in [
        ("side.remote", "."),
        ("side.merge", "refs/heads/main"),
        ("side.description", "What: lies \\ beside"),
        ("main.rebase", "true"),
        ("other.pushRemote", "elsewhere"),
    ] {
        env.git(&tree, &["config", &format!("branch.{key}"), value]);
    }
    env
}

fn draft(env: &Env) {
    let tree = tree(env);
    write(
        env,
        &[("auth/a.md", &A.replace("One.", "Staged.")), ("c.md", "# C staged\n"), ("new.md", "# New\n")],
    );
    done(env.brv(&["vc", "add", "auth/a.md", "c.md", "new.md"]));
    env.git(&tree, &["rm", "-q", "--cached", "d.md"]);
    std::fs::remove_file(tree.join("gone.md")).unwrap();
    let twice = A.replace("One.", "Staged.").replace("Two.", "Changed.");
    write(env, &[("auth/a.md", &twice), ("b.md", "# B changed\n"), ("u.md", "# U\n"), ("x/y.md", "# Y\n")]);
    done(env.brv(&["derive"]));
}

/// `main` and `topic` conflict, the merge is in progress, and another file is a draft.
fn conflicted() -> Env {
    let env = dirty();
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("auth/a.md", &A.replace("Two.", "Deux.")), ("t.md", "# T\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("auth/a.md", &A.replace("Two.", "Zwei."))]);
    write(&env, &[("b.md", "# B changed\n"), ("u.md", "# U\n")]);
    assert_eq!(env.brv(&["vc", "merge", "topic"]).code, 5);
    done(env.brv(&["derive"]));
    env
}

/// The commands of all tables.
pub fn commands() -> Vec<&'static str> {
    let tables = [&DIRTY[..], &CLEAN_INDEX, &DETACHED, &CONFLICTED, &REJECTION, &DREAMS, &REMOTES];
    tables.concat().into_iter().map(|(command, _)| command).collect()
}

/// The arguments of a command of a table, where `vc` is left out.
pub fn arguments(command: &str) -> Vec<&str> {
    let words: Vec<&str> = command.split(' ').collect();
    let is_verb = ROWS.iter().any(|row| row.family() == Some("vc") && row.word() == words[0]);
    if is_verb { [vec!["vc"], words].concat() } else { words }
}

/// What is not as expected, if anything.
fn there_and_back(env: &Env, (command, code): Row) -> Result<(), String> {
    let tree = tree(env);
    let run = |args: &[&str], code: i32| match env.brv(args) {
        ran if ran.code == code => Ok(()),
        ran => Err(format!("`{}`: exit {}: {}{}", args.join(" "), ran.code, ran.stdout, ran.stderr)),
    };
    let same = |is: State, wanted: &State, step: &str| match is == *wanted {
        true => Ok(()),
        false => Err(format!("{step}\n  is     {is:?}\n  wanted {wanted:?}")),
    };
    let before = state(env, &tree);
    run(&arguments(command), code)?;
    kinds::check(env, command, |tests| tests.undone.row())?;
    run(&["derive"], 0)?;
    let after = state(env, &tree);
    if before == after {
        return Err("it changes nothing".into());
    }
    run(&["undo"], 0)?;
    same(state(env, &tree), &before, "undone")?;
    run(&["undo", &last(env)], 0)?;
    same(state(env, &tree), &after, "redone")?;
    run(&["undo", &last(env)], 0)?;
    same(state(env, &tree), &before, "undone again")
}

#[track_caller]
fn hold(rows: &[Row], prepared: impl Fn() -> Env) {
    let (mut env, mut wrong) = (prepared(), Vec::new());
    for row in rows {
        if let Err(error) = there_and_back(&env, *row) {
            wrong.push(format!("## {}: {error}", row.0));
            env = prepared();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    env.fsck(&tree(&env));
}

#[test]
fn every_command_is_undone_and_redone_with_drafts_beside() {
    hold(&DIRTY, || {
        let env = dirty();
        draft(&env);
        env
    });
}

#[test]
fn every_command_is_undone_and_redone_with_files_that_are_changed_but_not_staged() {
    hold(&CLEAN_INDEX, || {
        let env = dirty();
        write(&env, &[("b.md", "# B changed\n"), ("u.md", "# U\n")]);
        done(env.brv(&["derive"]));
        env
    });
}

#[test]
fn every_command_is_undone_and_redone_on_a_detached_head() {
    hold(&DETACHED, || {
        let env = dirty();
        env.git(&tree(&env), &["checkout", "-q", "--detach"]);
        draft(&env);
        env
    });
}

#[test]
fn every_command_is_undone_and_redone_amid_a_conflict() {
    hold(&CONFLICTED, conflicted);
}

#[test]
fn a_rejection_is_undone_and_redone_with_drafts_beside() {
    hold(&REJECTION, || {
        let env = dirty();
        let trailers = "Brv-Op: 20260102T030405.678Z-0a1b2c3d\nBrv-Review: e.md unsupported";
        env.git(&tree(&env), &["commit", "-q", "--amend", "-m", &format!("marked\n\n{trailers}")]);
        draft(&env);
        env
    });
}

#[test]
fn a_dream_is_undone_and_redone_with_drafts_beside() {
    for (row, is_detached) in DREAMS.into_iter().flat_map(|row| [(row, false), (row, true)]) {
        hold(&[row], || {
            let env = dirty();
            env.commit(&tree(&env), &crate::dream::FILES[..2]);
            if is_detached {
                env.git(&tree(&env), &["checkout", "-q", "--detach"]);
            }
            draft(&env);
            env
        });
    }
}

/// A remote, a clone of it by plain git, and `main` of [`dirty`] at both.
pub fn shared() -> (Env, std::path::PathBuf) {
    let env = dirty();
    let (remote, mate) = (env.bare("remote.git"), env.path("mate"));
    env.git(&tree(&env), &["remote", "add", "origin", remote.to_str().unwrap()]);
    env.git(&tree(&env), &["push", "-q", "-u", "origin", "main"]);
    env.git(env.root(), &["clone", "-q", "-b", "main", remote.to_str().unwrap(), mate.to_str().unwrap()]);
    (env, mate)
}

#[test]
fn a_pull_and_a_sync_are_undone_by_a_commit_where_they_brought_what_a_remote_has() {
    for command in ["pull", "sync"] {
        let (env, mate) = shared();
        env.commit(&mate, &[("auth/a.md", &A.replace("Two.", "Deux.")), ("new/n.md", "# N\n")]);
        env.git(&mate, &["push", "-q"]);
        write(&env, &[("b.md", "# B changed\n"), ("x/y.md", "# Y\n")]);
        there_and_forward(&env, &["vc", command]);
    }
    let (env, mate) = shared();
    env.commit(&mate, &[("auth/a.md", &A.replace("Two.", "Deux.")), ("new/n.md", "# N\n")]);
    env.git(&mate, &["push", "-q"]);
    env.commit(&tree(&env), &[("auth/a.md", &A.replace("One.", "Uno."))]);
    write(&env, &[("b.md", "# B changed\n"), ("x/y.md", "# Y\n")]);
    there_and_forward(&env, &["vc", "sync"]);
    let tip = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    done(env.brv(&["vc", "sync"]));
    assert_eq!(
        env.git(&env.path("remote.git"), &["rev-parse", "main"]),
        tip,
        "it is reverted for others, too"
    );
}

const REMOTES: [Row; 9] = [
    ("remote add more ../remote.git", 0),
    ("remote set-url origin https://host.example/a.git", 0),
    ("remote rename origin hub", 0),
    ("remote rename origin origin/deep", 0),
    ("remote remove origin", 0),
    ("push -u origin main:elsewhere", 0),
    ("push -u origin side", 0),
    ("push -u --all origin", 0),
    ("sync -u", 0),
];

#[test]
fn what_is_set_of_remotes_and_of_what_follows_them_is_undone_and_redone_with_what_is_remembered() {
    hold(&REMOTES, || {
        let (env, _) = shared();
        draft(&env);
        let (tree, remote) = (tree(&env), env.path("remote.git"));
        for command in [
            &["push", "-q", "origin", "other", "main:elsewhere", "side", "apart"][..],
            &["remote", "set-head", "origin", "main"],
            &["config", "--add", "remote.origin.fetch", "+refs/notes/*:refs/notes/*"],
            &["config", "--add", "remote.origin.pushurl", remote.to_str().unwrap()],
            &["config", "--unset-all", "branch.main.remote"],
            &["config", "--unset-all", "branch.main.merge"],
            &["config", "branch.other.remote", "origin"],
            &["config", "branch.other.merge", "refs/heads/other"],
            &["config", "branch.other.pushRemote", "origin"],
            &["config", "branch.apart.pushRemote", "origin"],
            &["config", "remote.pushDefault", "origin"],
        ] {
            env.git(&tree, command);
        }
        env
    });
}

#[test]
fn what_is_pushed_to_a_remote_by_default_goes_with_its_name_and_with_it_as_in_git() {
    for (name, value) in [("remote.pushDefault", "origin"), ("remote.pushDefault", "else")] {
        for command in [&["remote", "rename", "origin", "hub"][..], &["remote", "remove", "origin"]] {
            let (ours, gits) = (shared().0, shared().0);
            let settings = |env: &Env| {
                let config = ["config", "--get-regexp", "(pushremote|pushdefault|merge|branch.*remote)$"];
                let ran = env.try_git(&tree(env), &config);
                let mut lines: Vec<String> = ran.stdout.lines().map(ToOwned::to_owned).collect();
                lines.sort();
                lines
            };
            for env in [&ours, &gits] {
                for branch in ["main", "apart"] {
                    env.git(&tree(env), &["config", &format!("branch.{branch}.pushRemote"), "origin"]);
                }
                env.git(&tree(env), &["config", "branch.side.pushRemote", "another"]);
                env.git(&tree(env), &["config", name, value]);
            }
            let before = settings(&ours);
            done(ours.brv(&[&["vc"], command].concat()));
            gits.git(&tree(&gits), command);
            assert_eq!(settings(&ours), settings(&gits), "{command:?}");
            let after = settings(&ours);
            for wanted in [&before, &after, &before] {
                done(ours.brv(&["undo", &last(&ours)]));
                assert_eq!(settings(&ours), *wanted, "{command:?}");
            }
        }
    }
}

#[test]
fn a_sync_that_brings_something_and_lets_the_branch_follow_is_one_operation() {
    let (env, mate) = shared();
    let tree = tree(&env);
    env.git(&tree, &["config", "--unset-all", "branch.main.remote"]);
    env.git(&tree, &["config", "--unset-all", "branch.main.merge"]);
    env.commit(&mate, &[("new/n.md", "# N\n")]);
    env.git(&mate, &["push", "-q"]);
    let count =
        || crate::init::json(&done(env.brv(&["op", "log", "--json"])).stdout)["data"]["total"].clone();
    let before = count().as_u64().unwrap();
    let synced = crate::init::json(&done(env.brv(&["vc", "sync", "-u", "--json"])).stdout);
    assert_eq!(synced["data"]["followed"][0]["upstream"], "origin/main", "{synced}");
    assert_eq!(count(), before + 1);
    done(env.brv(&["undo"]));
    assert_eq!(env.try_git(&tree, &["config", "branch.main.remote"]).code, 1);
    assert!(!tree.join("new/n.md").exists());
}

#[test]
fn what_was_set_anew_since_or_is_followed_since_is_not_undone() {
    let (env, _) = shared();
    let tree = tree(&env);
    let refused = |words: &str| {
        let before = state(&env, &tree);
        let ran = env.brv(&["undo", &last(&env)]);
        assert_eq!((ran.code, ran.stderr.contains(words)), (6, true), "{words}: {}", ran.stderr);
        assert_eq!(state(&env, &tree), before);
    };
    done(env.brv(&["vc", "push", "-u", "origin", "side"]));
    env.git(&tree, &["config", "branch.side.merge", "refs/heads/main"]);
    refused("changed again since");
    done(env.brv(&["vc", "remote", "rename", "origin", "hub"]));
    env.git(&tree, &["config", "remote.hub.url", "/elsewhere"]);
    refused("the settings of the remote `hub` have changed since");
    done(env.brv(&["vc", "remote", "add", "more", "../remote.git"]));
    env.git(&tree, &["config", "branch.other.remote", "more"]);
    refused("the branch `other` now tracks a branch of `more`");
}

#[test]
fn a_remote_that_is_renamed_back_has_what_was_fetched_since() {
    let (env, mate) = shared();
    let tree = tree(&env);
    done(env.brv(&["vc", "remote", "rename", "origin", "hub"]));
    env.commit(&mate, &[("new/n.md", "# N\n")]);
    env.git(&mate, &["push", "-q", "origin", "main", "main:more"]);
    done(env.brv(&["vc", "fetch"]));
    done(env.brv(&["undo"]));
    let refs = env.git(&tree, &["for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes"]);
    let tip = env.git(&mate, &["rev-parse", "HEAD"]);
    assert_eq!(refs, format!("refs/remotes/origin/main {tip}\nrefs/remotes/origin/more {tip}"));
}

#[test]
fn no_secret_of_an_address_comes_into_a_record() {
    let (env, _) = shared();
    let tree = tree(&env);
    env.git(&tree, &["config", "remote.origin.url", "https://me:geheim@host.example/a.git?key=geheim"]);
    env.git(&tree, &["config", "branch.side.remote", "https://host.example/b.git?key=geheim"]);
    for command in [
        &["remote", "rename", "origin", "hub"][..],
        &["branch", "--unset-upstream", "side"],
        &["remote", "remove", "hub"],
        &["remote", "add", "more", "https://geheim@host.example/a.git?geheim"],
    ] {
        done(env.brv(&[&["vc"], command].concat()));
        let id = last(&env);
        let record = env.git(&tree, &["cat-file", "commit", &format!("refs/brv/ops/{id}")]);
        let shown = done(env.brv(&["op", "show", &id])).stdout;
        let data = done(env.brv(&["op", "log", "--json"])).stdout;
        for text in [&record, &shown, &data] {
            assert!(!text.contains("geheim") && text.contains("host.example"), "{text}");
        }
    }
    assert!(env.git(&tree, &["config", "remote.more.url"]).contains("geheim@"), "the URL is kept as typed");
    done(env.brv(&["undo"]));
    let ran = done(env.brv(&["undo"]));
    assert!(ran.stderr.contains("`remote.hub.url` is restored without its user name"), "{}", ran.stderr);
    assert_eq!(env.git(&tree, &["config", "remote.hub.url"]), "https://host.example/a.git");
}

#[test]
fn an_address_that_came_back_without_its_user_hinders_no_older_operation() {
    let (env, _) = shared();
    let tree = tree(&env);
    let remotes = || env.try_git(&tree, &["config", "--get-regexp", "^remote\\.u"]).stdout;
    let url = |path: &str| format!("https://joe@host.example/{path}.git");
    done(env.brv(&["vc", "remote", "add", "u", &url("x")]));
    done(env.brv(&["vc", "remote", "set-url", "u", &url("y")]));
    done(env.brv(&["vc", "remote", "rename", "u", "u2"]));
    done(env.brv(&["vc", "remote", "set-url", "u2", &url("z")]));
    let undo = |told: bool| {
        let ran = done(env.brv(&["undo"]));
        assert_eq!(ran.stderr.contains("without its user name or password"), told, "{}", ran.stderr);
    };
    undo(true);
    assert!(remotes().contains("remote.u2.url https://host.example/y.git\n"), "{}", remotes());
    undo(false);
    assert!(remotes().contains("remote.u.url https://host.example/y.git\n"), "{}", remotes());
    let renamed_back = last(&env);
    done(env.brv(&["undo", &renamed_back]));
    assert!(remotes().contains("remote.u2.url https://host.example/y.git\n"), "{}", remotes());
    done(env.brv(&["undo", &last(&env)]));
    undo(true);
    assert!(remotes().contains("remote.u.url https://host.example/x.git\n"), "{}", remotes());
    undo(false);
    assert_eq!(remotes(), "");
}

#[test]
fn an_address_is_nothing_to_follow() {
    let (env, _) = shared();
    let remote = env.path("remote.git");
    let before = state(&env, &tree(&env));
    for command in ["sync", "push"] {
        let ran = env.brv(&["vc", command, "-u", remote.to_str().unwrap()]);
        assert_eq!((ran.code, ran.stderr.contains("is an address")), (2, true), "{}", ran.stderr);
    }
    assert_eq!(state(&env, &tree(&env)), before);
}

#[test]
fn a_branch_that_is_renamed_back_has_its_log_again() {
    let env = dirty();
    let tree = tree(&env);
    let log = |name: &str| env.git(&tree, &["log", "-g", "--format=%H %gs", name]);
    let before = log("side");
    done(env.brv(&["vc", "branch", "-m", "side", "lower"]));
    done(env.brv(&["undo"]));
    assert!(log("side").ends_with(&before), "{}", log("side"));
}

#[test]
fn what_a_forced_switch_gave_up_is_on_record_also_after_its_branch_has_moved_on() {
    let env = dirty();
    draft(&env);
    let tree = tree(&env);
    let before = state(&env, &tree);
    done(env.brv(&["vc", "switch", "--force", "other"]));
    let id = last(&env);
    let tip = env.git(&tree, &["rev-parse", "HEAD"]);
    write(&env, &[("z.md", "# Z\n")]);
    env.git(&tree, &["add", "z.md"]);
    env.git(&tree, &["commit", "-q", "-m", "more"]);
    let ran = env.brv(&["undo", &id]);
    assert_eq!((ran.code, ran.stderr.contains("HEAD is no longer where")), (6, true), "{}", ran.stderr);
    done(env.brv(&["vc", "restore", "--source", &format!("refs/brv/ops/{id}^1"), "b.md"]));
    assert_eq!(std::fs::read_to_string(tree.join("b.md")).unwrap(), "# B changed\n");
    done(env.brv(&["undo"]));
    env.git(&tree, &["reset", "-q", "--hard", &tip]);
    done(env.brv(&["undo", &id]));
    assert_eq!(state(&env, &tree), before);
}

#[test]
fn what_is_undone_in_effect_already_is_not_undone_again() {
    let env = dirty();
    write(&env, &[("b.md", "# B changed\n")]);
    done(env.brv(&["vc", "restore", "b.md"]));
    write(&env, &[("b.md", "# B changed\n")]);
    let before = state(&env, &tree(&env));
    let ran = env.brv(&["undo"]);
    assert_eq!((ran.code, ran.stderr.contains("nothing left to undo")), (6, true), "{}", ran.stderr);
    assert_eq!(state(&env, &tree(&env)), before);
}

#[test]
fn a_draft_that_was_given_up_is_never_committed() {
    let env = dirty();
    let tree = tree(&env);
    write(&env, &[("b.md", "# B draft\n")]);
    done(env.brv(&["vc", "reset", "--hard", "HEAD~1"]));
    let id = last(&env);
    env.commit(&tree, &[("z.md", "# Z\n")]);
    done(env.brv(&["undo", &id]));
    assert_eq!(env.git(&tree, &["show", "HEAD:b.md"]), "# B");
    assert_eq!(std::fs::read_to_string(tree.join("b.md")).unwrap(), "# B draft\n");
    assert_eq!(std::fs::read_to_string(tree.join("e.md")).unwrap(), "# E\n");
}
