//! A dream on a branch of its own: reviewed there, merged later, and undone after that.

use super::*;

/// HEAD, its tree, the index, and the files of the tree.
fn standing(env: &Env) -> String {
    let tree = tree(env);
    let git = |arguments: &[&str]| env.git(&tree, arguments);
    let files = git(&["ls-files", "-s"]);
    format!("{}{}{files}{:?}", git(&["symbolic-ref", "HEAD"]), git(&["rev-parse", "HEAD"]), read(env, TOKENS))
}

#[test]
fn the_work_tree_is_not_touched_and_the_branch_is_merged_by_meaning() {
    let env = dreaming();
    let before = standing(&env);
    let data = dream(&env, &["--force", "--branch"], 0);
    let (id, branch) = (data["id"].as_str().unwrap(), data["branch"].as_str().unwrap());
    assert_eq!(branch, format!("dream/{id}"));
    assert_eq!(standing(&env), before);
    assert!(read(&env, COPY).is_some());
    let made = env.git(&tree(&env), &["log", "-1", "--format=%H %P", branch]);
    assert!(made.starts_with(data["commit"].as_str().unwrap()), "{made}");
    // it does not count before it is merged, and it can be had again
    assert!(!env.path(".brv/dream-state.json").exists());
    assert_eq!(env.brv(&["dream", "--undo"]).code, 6);
    assert_eq!(env.brv(&["dream", "--force", "--branch", branch]).code, 2, "the name is taken");
    assert_eq!(dream(&env, &["--force", "--branch", "tidy-up"], 0)["branch"], "tidy-up");
    // main moves on, in the entry that goes as well
    let edited = read(&env, TOKENS).unwrap().replace("behind it,", "behind it, always,");
    std::fs::write(tree(&env).join(TOKENS), edited).unwrap();
    commit(&env, "meanwhile");
    let ran = env.brv(&["vc", "merge", branch]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(read(&env, COPY).is_none());
    let text = read(&env, TOKENS).unwrap();
    assert!(text.contains("behind it, always,") && text.contains("consolidated_from"), "{text}");
    assert_eq!(state(&env)["totalDreams"], 1);
    // and is undone like any other
    let undone = dream(&env, &["--undo"], 0);
    assert_eq!((&undone["id"], &undone["status"]), (&value!(id), &value!("undone")));
    assert!(read(&env, COPY).is_some());
    let text = read(&env, TOKENS).unwrap();
    assert!(text.contains("behind it, always,") && !text.contains("consolidated_from"), "{text}");
    assert_eq!(state(&env)["totalDreams"], 0);
}

/// Drafts, and commits that are left to the person, are not a reason to wait: the branch begins at `HEAD`.
#[test]
fn a_branch_is_made_beside_drafts_and_where_operations_make_no_commit() {
    let env = dreaming();
    assert_eq!(env.brv(&["config", "set", "commit.auto", "false"]).code, 0);
    let draft = read(&env, COPY).unwrap() + "\nA sentence in the making.\n";
    std::fs::write(tree(&env).join(COPY), &draft).unwrap();
    let signals = || env.brv(&["signals", "--json"]).stdout;
    let before = (standing(&env), env.git(&tree(&env), &["status", "--porcelain"]), signals());
    let data = dream(&env, &["--force", "--branch"], 0);
    let branch = data["branch"].as_str().unwrap();
    let changed = env.git(&tree(&env), &["diff", "--name-status", "main", branch]);
    assert!(changed.contains(&format!("D\t{COPY}")), "{changed}");
    assert_eq!((standing(&env), env.git(&tree(&env), &["status", "--porcelain"]), signals()), before);
    assert_eq!(read(&env, COPY), Some(draft));
}

#[test]
fn an_update_that_changes_nothing_is_none_and_waits_for_nobody() {
    for flags in [&[][..], &["--branch"]] {
        let env = dreaming();
        let plan = plan(&env);
        let body = read(&env, PARTNER).unwrap().split_once("---\n\n").unwrap().1.to_owned();
        let decisions = value!([
            {"candidate": cluster(&plan, PARTNER), "action": "TEMPORAL_UPDATE", "path": PARTNER, "markdown": body, "reason": "r"},
            {"candidate": "s1", "action": "CREATE", "markdown": "# The gate\n\nIt signs.\n", "reason": "r"},
        ]);
        let data = decide_with(&env, &plan, decisions, flags, 0);
        assert_eq!(rows(&data)[0], "c1 TEMPORAL_UPDATE skipped");
        assert_eq!(data["summary"]["flagged_for_review"], 1, "{data:#}");
        let commit = data["commit"].as_str().unwrap();
        let message = env.git(&tree(&env), &["log", "-1", "--format=%B", commit]);
        assert!(!message.contains(PARTNER) && message.contains("Brv-Review: synthesis/"), "{message}");
    }
}

#[test]
fn making_the_branch_is_undone_by_removing_it() {
    let env = dreaming();
    let branch = dream(&env, &["--force", "--branch"], 0)["branch"].as_str().unwrap().to_owned();
    let ran = env.brv(&["undo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.git(&tree(&env), &["branch", "--list", &branch]), "");
}

#[test]
fn a_branch_needs_a_name_a_commit_and_an_identity() {
    let env = dreaming();
    assert_eq!(env.brv(&["dream", "--force", "--branch", "a..b"]).code, 2);
    assert_eq!(env.brv(&["dream", "--force", "--branch", "main"]).code, 2);
    let empty = project(&[]);
    assert_eq!(empty.brv(&["dream", "--force", "--branch"]).code, 6);
    let anonymous = dreaming()
        .with("GIT_COMMITTER_NAME", "")
        .with("GIT_COMMITTER_EMAIL", "")
        .with("GIT_AUTHOR_NAME", "")
        .with("GIT_AUTHOR_EMAIL", "");
    let ran = anonymous.brv(&["dream", "--force", "--branch"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(anonymous.git(&tree(&anonymous), &["branch", "--list"]), "* main");
}

/// A pull request is the review: the branch itself may leave, what it has may not go to another one.
#[test]
fn the_branch_is_pushed_and_its_commit_is_held_back_from_other_branches() {
    let env = dreaming();
    let remote = env.bare("team.git");
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]).code, 0);
    assert_eq!(env.brv(&["vc", "push", "-u", "origin", "main"]).code, 0);
    for name in [&["--branch"][..], &["--branch", "tidy-up"]] {
        let data = dream(&env, &[&["--force"], name].concat(), 0);
        let branch = data["branch"].as_str().unwrap();
        let ran = env.brv(&["vc", "push", "origin", branch]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let ran = env.brv(&["vc", "push", "origin", &format!("{branch}:main")]);
        assert_eq!(ran.code, 7, "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn in_the_repository_of_the_code_the_branch_is_of_that_repository() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "-b", "main"]);
    assert_eq!(env.brv(&["init", "-q", "--in-repo"]).code, 0);
    crate::init::write(&env, &FILES);
    env.git(env.root(), &["add", "-A"]);
    env.git(env.root(), &["commit", "-qm", "start"]);
    let data = dream(&env, &["--force", "--branch"], 0);
    let changed = env.git(env.root(), &["diff", "--name-status", "main", data["branch"].as_str().unwrap()]);
    assert!(changed.contains(&format!("D\t.brv/context-tree/{COPY}")), "{changed}");
    assert_eq!(env.git(env.root(), &["status", "--short"]), "");
}
