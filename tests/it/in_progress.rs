//! Operations that plain git began in the tree: the error names them and the command that continues them, and brv does
//! not commit into them.

use crate::env::{Env, Ran, tree};
use crate::init::{commit, json, project};

/// `main` and `topic` change the same line differently; `patch` is the change of `topic`.
fn apart() -> Env {
    let env = project(&[("a.md", "# A\n\nOne.\n")]);
    commit(&env, "first");
    let tree = tree(&env);
    env.git(&tree, &["branch", "old"]);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("a.md", "# A\n\nEins.\n"), ("t.md", "# T\n")]);
    let patch = env.git(&tree, &["format-patch", "--stdout", "-1"]);
    std::fs::write(env.path("patch"), patch + "\n").unwrap();
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("a.md", "# A\n\nUno.\n")]);
    env
}

#[track_caller]
fn ran(env: &Env, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    ran
}

/// How git begins it, its name, and the command that continues it.
const BEGUN: [(&[&str], &str, &str, &str); 5] = [
    (&["merge", "topic"], "merge", "Merge of ", "brv vc merge --continue"),
    (&["rebase", "topic"], "rebase", "Rebase of main onto ", "git rebase --continue"),
    (&["cherry-pick", "topic"], "cherry-pick", "Cherry-pick of ", "git cherry-pick --continue"),
    (&["revert", "--no-edit", "HEAD~1"], "revert", "Revert of ", "git revert --continue"),
    (&["am", "../../patch"], "am", "`git am`", "git am --continue"),
];

#[test]
fn status_names_what_is_in_progress_and_the_command_that_continues_it() {
    for (command, kind, title, continuing) in BEGUN {
        let env = apart();
        env.commit(&tree(&env), &[("a.md", "# A\n\nUno!\n")]);
        assert_ne!(env.try_git(&tree(&env), command).code, 0, "{command:?}");
        let text = ran(&env, &["vc", "status"], 0).stdout;
        assert!(text.contains(title) && text.contains(" in progress."), "{text}");
        assert!(text.contains(&format!("\"{continuing}\"")), "{text}");
        let told = json(&ran(&env, &["vc", "status", "--json"], 0).stdout);
        let found = &told["data"]["in_progress"];
        assert_eq!((found[0]["kind"].as_str(), found[1].is_null()), (Some(kind), true), "{told}");
        assert_eq!(found[0]["continue"], continuing);
        let overall = ran(&env, &["status"], 0);
        assert!(overall.stdout.contains(&format!("`{continuing}`")), "{}", overall.stdout);
    }
}

#[test]
fn a_bisect_and_what_is_left_of_a_sequence_are_in_progress_too() {
    let env = apart();
    let tree = tree(&env);
    env.git(&tree, &["bisect", "start", "main", "old"]);
    let text = ran(&env, &["vc", "status"], 0).stdout;
    assert!(text.contains("Bisect started on main in progress."), "{text}");
    assert!(text.contains("\"git bisect good\" or \"git bisect bad\""), "{text}");
    env.git(&tree, &["bisect", "reset"]);
    assert!(!ran(&env, &["vc", "status"], 0).stdout.contains("in progress"));
    env.commit(&tree, &[("b.md", "# B\n")]);
    // the first does not apply and is committed by hand, the second is still to do
    env.try_git(&tree, &["cherry-pick", "topic", "main"]);
    ran(&env, &["vc", "resolve", "a.md", "--ours"], 0);
    ran(&env, &["vc", "commit", "-m", "picked"], 0);
    let text = ran(&env, &["vc", "status"], 0).stdout;
    assert!(text.contains("Cherry-pick in progress.\n  (run \"git cherry-pick --continue\""), "{text}");
}

#[test]
fn no_command_makes_a_commit_amid_them() {
    for (command, kind, _, continuing) in BEGUN.into_iter().skip(1) {
        let env = apart();
        let tree = tree(&env);
        env.git(env.root(), &["clone", "-q", "--bare", tree.to_str().unwrap(), "team.git"]);
        env.git(&tree, &["remote", "add", "origin", "../../team.git"]);
        env.commit(&tree, &[("a.md", "# A\n\nUno!\n")]);
        env.try_git(&tree, command);
        let before = env.git(&tree, &["rev-parse", "HEAD"]);
        for arguments in [
            &["merge", "--continue"][..],
            &["merge", "--abort"],
            &["merge", "old"],
            &["pull", "origin", "topic"],
            &["revert", "HEAD"],
            &["commit", "--amend", "-m", "x"],
        ] {
            let told = ran(&env, &[&["vc"], arguments].concat(), 6);
            assert!(
                told.stderr.contains(&format!("`{continuing}`")),
                "{kind} {arguments:?}: {}",
                told.stderr
            );
        }
        let told = ran(&env, &["vc", "switch", "old"], 5);
        assert!(told.stderr.contains(&format!("`{continuing}`")), "{}", told.stderr);
        assert_eq!(env.git(&tree, &["rev-parse", "HEAD"]), before, "{kind}");
        ran(&env, &["vc", "resolve", "a.md", "--theirs"], 0);
        if kind != "am" {
            env.git(&tree, &["-c", "core.editor=true", kind, "--continue"]);
            let text = ran(&env, &["vc", "status"], 0).stdout;
            assert!(!text.contains("in progress"), "{text}");
        }
    }
}

#[test]
fn a_push_amid_a_merge_names_a_way_that_is_open() {
    let env = apart();
    let tree = tree(&env);
    env.git(env.root(), &["clone", "-q", "--bare", tree.to_str().unwrap(), "team.git"]);
    env.git(&tree, &["remote", "add", "origin", "../../team.git"]);
    env.git(&tree, &["fetch", "-q"]);
    env.git(&tree, &["branch", "-q", "-u", "origin/main"]);
    env.git(env.root(), &["clone", "-q", "team.git", "mate"]);
    env.commit(&env.path("mate"), &[("m.md", "# M\n")]);
    env.git(&env.path("mate"), &["push", "-q"]);
    ran(&env, &["vc", "merge", "topic"], 5);
    for (fetched, words) in [(false, "that are not here"), (true, "that this branch lacks")] {
        if fetched {
            ran(&env, &["vc", "fetch"], 0);
        }
        let told = ran(&env, &["vc", "push"], 6).stderr;
        assert!(told.contains(words) && told.contains("a merge is in progress"), "{told}");
        assert!(told.contains("finish it with `brv vc merge --continue`, then `brv vc pull`"), "{told}");
    }
    ran(&env, &["vc", "merge", "--abort"], 0);
    assert!(ran(&env, &["vc", "push"], 6).stderr.contains("`brv vc pull` merges them"));
}

#[test]
fn a_dry_run_that_would_conflict_hints_at_nothing_that_is_not_there() {
    let env = apart();
    let told = ran(&env, &["vc", "merge", "--dry-run", "topic"], 5);
    assert!(told.stderr.contains("1 file would have conflicts"), "{}", told.stderr);
    assert!(told.stderr.contains("--on-conflict") && !told.stderr.contains("resolve"), "{}", told.stderr);
    assert!(told.stdout.contains("Would conflict with topic"), "{}", told.stdout);
}

#[test]
fn the_markers_of_a_conflict_are_no_insertions() {
    let env = apart();
    for arguments in [&["--dry-run"][..], &[]] {
        let command = [&["vc", "merge", "topic"], arguments].concat();
        let told = ran(&env, &command, 5);
        assert!(told.stdout.contains(" 1 file changed, 1 insertion(+)\n"), "{}", told.stdout);
        if arguments.is_empty() {
            ran(&env, &["vc", "merge", "--abort"], 0);
        }
        let told = json(&ran(&env, &[&command[..], &["--json"]].concat(), 5).stdout);
        let files = &told["data"]["files"];
        assert_eq!((&files[0]["path"], files[0]["added"].is_null()), (&"a.md".into(), true), "{told}");
        assert_eq!((&files[1]["path"], &files[1]["added"]), (&"t.md".into(), &1.into()), "{told}");
    }
}
