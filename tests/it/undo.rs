//! `brv undo`: the effect of an operation is undone, byte for byte, and later changes are kept.

use crate::env::{Env, Ran, tree};
use crate::init::{json, project, write};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub const A: &str = "---\ntitle: A\ntags: [a]\n---\n\n## Narrative\n\nOne.\n\n- x\n\nTwo.\n\nThree.\n";

/// All that an undo must bring back: files, index, references, settings of branches, what waits for a commit.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    files: BTreeMap<String, String>,
    index: String,
    references: String,
    settings: Vec<String>,
    merge: Vec<Option<String>>,
}

pub fn state(env: &Env, tree: &Path) -> State {
    let mut files = BTreeMap::new();
    gather(tree, tree, &mut files);
    let read = |name: &str| std::fs::read_to_string(tree.join(".git").join(name)).ok();
    State {
        files,
        index: env.git(tree, &["ls-files", "-s"]),
        references: format!(
            "{}\n{}",
            env.git(tree, &["for-each-ref", "refs/heads", "refs/tags", "refs/remotes"]),
            read("HEAD").unwrap()
        ),
        settings: settings(env, tree),
        merge: ["MERGE_HEAD", "MERGE_MSG", "SQUASH_MSG"].map(read).into(),
    }
}

/// By branch and remote, in the order of their keys: their order in the file does not matter.
fn settings(env: &Env, tree: &Path) -> Vec<String> {
    let ran = env.try_git(tree, &["config", "--local", "--get-regexp", "^(branch|remote)\\."]);
    let mut lines: Vec<String> = ran.stdout.lines().map(ToOwned::to_owned).collect();
    lines.sort_by_key(|line| line.split(' ').next().unwrap_or_default().to_owned());
    lines
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().unwrap() != ".git" {
                gather(root, &path, files);
            }
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let mut text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            if name == "_manifest.json" {
                // an undo takes back what an entry says, not that it was curated
                let by_use = |line: &&str| line.contains("\"importance\"") || line.contains("\"stamp\"");
                text = text.lines().filter(|line| !by_use(line)).collect();
            }
            files.insert(name, text);
        }
    }
}

#[track_caller]
fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// The name of the newest operation.
pub fn last(env: &Env) -> String {
    let log = json(&done(env.brv(&["op", "log", "-n", "1", "--json"])).stdout);
    log["data"]["operations"][0]["id"].as_str().unwrap().to_owned()
}

/// A project with two committed entries.
fn two() -> Env {
    let env = project(&[("auth/a.md", A), ("b.md", "# B\n")]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "first"]));
    env
}

/// The effect of a command is undone, redone and undone again.
#[track_caller]
fn round_trip(env: &Env, command: &[&str], code: i32) {
    let tree = tree(env);
    done(env.brv(&["derive"]));
    let before = state(env, &tree);
    let ran = env.brv(command);
    assert_eq!(ran.code, code, "{command:?} {}{}", ran.stdout, ran.stderr);
    done(env.brv(&["derive"]));
    let after = state(env, &tree);
    assert_ne!(before, after, "{command:?} changed something");
    let id = last(env);
    done(env.brv(&["undo", &id, "--dry-run"]));
    assert_eq!(state(env, &tree), after, "a dry run writes nothing");
    done(env.brv(&["undo", &id]));
    assert_eq!(state(env, &tree), before, "{command:?} is undone");
    let undo = last(env);
    done(env.brv(&["undo", &undo]));
    assert_eq!(state(env, &tree), after, "{command:?} is redone");
    done(env.brv(&["undo", &last(env)]));
    assert_eq!(state(env, &tree), before, "{command:?} is undone again");
    env.fsck(&tree);
}

/// If the effect of a command is already on a remote, it is reverted by a commit, which can be undone like any other.
#[track_caller]
pub fn there_and_forward(env: &Env, command: &[&str]) {
    let tree = tree(env);
    done(env.brv(&["derive"]));
    let before = state(env, &tree);
    done(env.brv(command));
    done(env.brv(&["derive"]));
    let (after, tip) = (state(env, &tree), head(env));
    assert_ne!(before.files, after.files, "{command:?} changed something");
    let id = last(env);
    done(env.brv(&["undo", &id]));
    let undone = state(env, &tree);
    let same = |wanted: &State| {
        (&undone.files, &undone.index, &undone.merge) == (&wanted.files, &wanted.index, &wanted.merge)
    };
    assert!(same(&before), "{command:?} is undone\n{undone:?}\n{before:?}");
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD~"]), tip, "{command:?} is undone by a commit");
    done(env.brv(&["undo", &last(env)]));
    assert_eq!(state(env, &tree), after, "{command:?} is redone");
    done(env.brv(&["undo", &last(env)]));
    assert_eq!(state(env, &tree), undone, "{command:?} is undone again");
    env.fsck(&tree);
}

#[test]
fn a_commit_is_undone_with_what_was_staged() {
    let env = two();
    write(&env, &[("auth/a.md", &A.replace("Two.", "Deux.")), ("c.md", "# C\n")]);
    done(env.brv(&["vc", "add", "auth/a.md", "c.md"]));
    write(&env, &[("auth/a.md", &A.replace("Two.", "Zwei.")), ("b.md", "# B, edited\n")]);
    round_trip(&env, &["vc", "commit", "-m", "second"], 0);
    round_trip(&env, &["vc", "commit", "-a", "-m", "all of it"], 0);
}

#[test]
fn the_first_commit_is_undone() {
    let env = project(&[("a.md", A)]);
    done(env.brv(&["vc", "add", "."]));
    round_trip(&env, &["vc", "commit", "-m", "first"], 0);
}

/// A project cloned from `remote.git`, which has one commit with these files, and a teammate's clone by git.
fn team(files: &[(&str, &str)]) -> (Env, PathBuf) {
    let env = Env::new();
    let remote = env.bare("remote.git");
    let mate = env.path("mate");
    env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), mate.to_str().unwrap()]);
    env.git(&mate, &["checkout", "-q", "-B", "main"]);
    env.commit(&mate, files);
    env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
    done(env.brv(&["vc", "clone", "remote.git", "."]));
    (env, mate)
}

fn push(env: &Env, mate: &Path, files: &[(&str, &str)]) {
    env.commit(mate, files);
    env.git(mate, &["push", "-q"]);
}

fn read(env: &Env, path: &str) -> String {
    std::fs::read_to_string(tree(env).join(path)).unwrap()
}

fn head(env: &Env) -> String {
    env.git(&tree(env), &["rev-parse", "HEAD"])
}

#[test]
fn a_pull_is_undone_whether_it_moved_forward_or_merged() {
    let (env, mate) = team(&[("auth/a.md", A), ("b.md", "# B\n"), ("gone.md", "# Gone\n")]);
    std::fs::remove_file(mate.join("gone.md")).unwrap();
    push(&env, &mate, &[("auth/a.md", &A.replace("One.", "Uno.")), ("new/c.md", "# C\n")]);
    done(env.brv(&["vc", "fetch"]));
    write(&env, &[("b.md", "# B, edited\n")]);
    let start = head(&env);
    there_and_forward(&env, &["vc", "pull"]);
    let (taken_back, before) = (head(&env), state(&env, &tree(&env)));
    done(env.brv(&["vc", "pull"]));
    assert_eq!(head(&env), taken_back, "the next pull does not restore it");
    assert_eq!(state(&env, &tree(&env)), before);
    env.git(&tree(&env), &["reset", "-q", "--keep", &start]);
    done(env.brv(&["vc", "commit", "-a", "-m", "ours"]));
    round_trip(&env, &["vc", "pull"], 0);
}

#[test]
fn a_fast_forward_goes_back_to_where_it_was_unless_a_remote_has_what_it_brought() {
    let (env, _) = team(&[("auth/a.md", A), ("b.md", "# B\n")]);
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("auth/a.md", &A.replace("One.", "Uno."))]);
    env.commit(&tree, &[("c.md", "# C\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    write(&env, &[("b.md", "# B, edited\n")]);
    round_trip(&env, &["vc", "merge", "topic"], 0);
    env.git(&tree, &["push", "-q", "origin", "topic~:refs/heads/topic"]);
    there_and_forward(&env, &["vc", "merge", "topic"]);
}

#[test]
fn a_first_pull_into_a_branch_without_commits_is_undone_to_the_branch_without_commits() {
    let (env, _) = team(&[("auth/a.md", A)]);
    let other = Env::new();
    let url = env.path("remote.git").to_str().unwrap().to_owned();
    done(other.brv(&["init"]));
    done(other.brv(&["vc", "remote", "add", "origin", &url]));
    done(other.brv(&["vc", "fetch"]));
    round_trip(&other, &["vc", "pull", "origin", "main"], 0);
}

#[test]
fn a_clone_is_not_undone_since_nothing_would_be_left() {
    let (env, _) = team(&[("auth/a.md", A)]);
    let (id, before) = (last(&env), state(&env, &tree(&env)));
    for arguments in
        [&["undo"][..], &["undo", &id], &["undo", &id, "auth"], &["undo", "--on-conflict", "theirs"]]
    {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 6, "{arguments:?} {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains("a clone cannot be undone: it would leave an empty tree"),
            "{}",
            ran.stderr
        );
        assert_eq!(state(&env, &tree(&env)), before);
    }
}

/// `main` and `topic` change the same sentence, and each has a change of its own.
fn disagreeing() -> Env {
    let env = two();
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("auth/a.md", &A.replace("Two.", "Deux.")), ("c.md", "# C\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("auth/a.md", &A.replace("Two.", "Zwei.")), ("d.md", "# D\n")]);
    env
}

#[test]
fn a_merge_that_waits_is_undone_and_so_is_every_step_to_its_end() {
    let env = disagreeing();
    write(&env, &[("d.md", "# D, edited\n")]);
    round_trip(&env, &["vc", "merge", "topic"], 5);
    assert_eq!(env.brv(&["vc", "merge", "topic"]).code, 5);
    round_trip(&env, &["vc", "merge", "--abort"], 0);
    round_trip(&env, &["vc", "resolve", "auth/a.md", "--theirs"], 0);
    done(env.brv(&["vc", "resolve", "auth/a.md", "--both"]));
    round_trip(&env, &["vc", "merge", "--continue"], 0);
}

#[test]
fn a_merge_that_is_done_or_staged_is_undone() {
    let env = disagreeing();
    round_trip(&env, &["vc", "merge", "topic", "--on-conflict", "ours"], 0);
    round_trip(&env, &["vc", "merge", "--squash", "topic", "--on-conflict", "both"], 0);
    env.git(&tree(&env), &["reset", "-q", "--hard", "HEAD~"]);
    let ahead = env.git(&tree(&env), &["rev-parse", "topic"]);
    env.git(&tree(&env), &["branch", "ahead", &ahead]);
    round_trip(&env, &["vc", "merge", "ahead"], 0);
}

#[test]
fn fixes_of_a_check_are_undone() {
    let env = project(&[("auth/a.md", A), ("b.md", "# B\n\nSee [a](a.md). zero\u{200b}width\n")]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "first"]));
    round_trip(&env, &["vc", "check", "--all", "--fix"], 0);
    round_trip(&env, &["vc", "check", "--write-baseline"], 0);
}

#[test]
fn a_repair_is_undone_also_after_it_was_committed() {
    let broken =
        A.replace("tags: [a]\n", "<<<<<<< HEAD\ntags: [a, b]\n=======\ntags: [a, c]\n>>>>>>> topic\n");
    let env = project(&[]);
    let tree = tree(&env);
    env.commit(&tree, &[("a.md", A)]);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("a.md", &A.replace("[a]", "[a, c]"))]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("a.md", &A.replace("[a]", "[a, b]"))]);
    env.git(&tree, &["merge", "-q", "-s", "ours", "-m", "merged by line", "topic"]);
    write(&env, &[("a.md", &broken)]);
    env.git(&tree, &["commit", "-q", "-a", "--amend", "--no-edit"]);
    round_trip(&env, &["vc", "repair", "a.md"], 0);
    done(env.brv(&["vc", "repair", "a.md"]));
    let id = last(&env);
    done(env.brv(&["vc", "commit", "-a", "-m", "repaired"]));
    let repaired = head(&env);
    done(env.brv(&["undo", &id]));
    assert_eq!(read(&env, "a.md"), broken);
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD~"]), repaired, "a commit is reverted by a commit");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
}

#[test]
fn what_was_taken_over_from_another_tool_is_given_back() {
    let env = Env::new();
    let tree = tree(&env);
    std::fs::create_dir_all(tree.join("auth")).unwrap();
    write(&env, &[("auth/a.md", A), ("_index.md", "# Theirs\n"), ("auth/_index.md", "# Theirs, too\n")]);
    env.git(&tree, &["init", "-q"]);
    env.git(&tree, &["add", "-A"]);
    env.git(&tree, &["commit", "-q", "-m", "theirs"]);
    done(env.brv(&["init"]));
    done(env.brv(&["derive"]));
    assert_ne!(read(&env, "_index.md"), "# Theirs\n");
    done(env.brv(&["undo"]));
    assert_eq!(read(&env, "_index.md"), "# Theirs\n");
    assert_eq!(read(&env, "auth/_index.md"), "# Theirs, too\n");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
}

#[test]
fn what_add_records_is_taken_back_and_what_it_records_over_is_brought_back() {
    let env = two();
    let count = || env.git(&tree(&env), &["for-each-ref", "refs/brv/ops"]).lines().count();
    write(&env, &[("b.md", "# B, staged\n"), ("c.md", "# C\n")]);
    std::fs::remove_file(tree(&env).join("auth/a.md")).unwrap();
    round_trip(&env, &["vc", "add", "--all"], 0);
    let commit = head(&env);
    done(env.brv(&["vc", "add", "."]));
    let before = count();
    done(env.brv(&["vc", "add", "."]));
    std::fs::write(tree(&env).join("b.md"), "# B, staged\n").unwrap();
    done(env.brv(&["vc", "add", "b.md"]));
    assert_eq!(count(), before, "nothing new was staged");
    write(&env, &[("b.md", "# B, staged again\n")]);
    round_trip(&env, &["vc", "add", "."], 0);
    assert_eq!(env.git(&tree(&env), &["show", ":b.md"]), "# B, staged");
    done(env.brv(&["undo"]));
    assert_eq!(head(&env), commit, "the add is undone, not the commit before it");
    assert_eq!(env.git(&tree(&env), &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn what_was_added_and_is_in_a_commit_since_is_not_there_to_be_taken_back() {
    let env = two();
    let add = {
        write(&env, &[("b.md", "# B2\n")]);
        done(env.brv(&["vc", "add", "b.md"]));
        last(&env)
    };
    done(env.brv(&["vc", "commit", "-m", "second"]));
    let before = state(&env, &tree(&env));
    let ran = env.brv(&["undo", &add]);
    assert_eq!((ran.code, ran.stderr.contains("committed since")), (6, true), "{}", ran.stderr);
    assert_eq!(state(&env, &tree(&env)), before);
    env.bare("remote.git");
    done(env.brv(&["vc", "remote", "add", "origin", env.path("remote.git").to_str().unwrap()]));
    done(env.brv(&["vc", "push", "-u", "origin", "main"]));
    for kind in ["push", "remote"] {
        let ran = done(env.brv(&["undo"]));
        assert!(ran.stdout.starts_with(&format!("Undid {kind} ")), "{}", ran.stdout);
    }
    done(env.brv(&["undo"]));
    assert_eq!(read(&env, "b.md"), "# B\n", "the commit is undone");
    done(env.brv(&["undo"]));
    assert!(!tree(&env).join("b.md").exists(), "then the one before it, and no add blocks that");
}

#[test]
fn a_folder_in_the_place_of_a_file_hinders_no_undo() {
    let env = two();
    let tree = tree(&env);
    let folder = tree.join("auth/a.md");
    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("inside.md"), "# Mine\n").unwrap();
    write(&env, &[("b.md", "# B, edited\n")]);
    done(env.brv(&["derive"]));
    let before = state(&env, &tree);
    let ran = env.brv(&["vc", "reset", "--hard"]);
    assert!(ran.code == 6 && ran.stderr.contains("auth/a.md/inside.md"), "{}", ran.stderr);
    assert_eq!(state(&env, &tree), before, "nothing was written");
    done(env.brv(&["vc", "add", "--all"]));
    done(env.brv(&["vc", "commit", "-m", "a folder now"]));
    done(env.brv(&["undo"]));
    done(env.brv(&["undo"]));
    assert_eq!(state(&env, &tree), before, "undone");
    env.fsck(&tree);
}

#[test]
fn a_file_that_cannot_come_back_for_a_folder_is_told_and_nothing_in_it_is_lost() {
    let env = two();
    let tree = tree(&env);
    done(env.brv(&["vc", "rm", "auth/a.md"]));
    let folder = tree.join("auth/a.md");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("inside.md"), "# Mine\n").unwrap();
    let before = state(&env, &tree);
    let ran = env.brv(&["undo"]);
    assert!(ran.stderr.contains("auth/a.md"), "{} {}{}", ran.code, ran.stdout, ran.stderr);
    assert_eq!(std::fs::read_to_string(folder.join("inside.md")).unwrap(), "# Mine\n");
    if ran.code != 0 {
        assert_eq!(state(&env, &tree), before, "nothing was written: {}", ran.stderr);
    }
    // a file in the place of a folder
    let env = two();
    let tree = crate::env::tree(&env);
    done(env.brv(&["vc", "rm", "auth/a.md"]));
    let _ = std::fs::remove_dir_all(tree.join("auth"));
    std::fs::write(tree.join("auth"), "mine\n").unwrap();
    let before = state(&env, &tree);
    let ran = env.brv(&["undo"]);
    assert!(ran.stderr.contains("auth"), "{} {}{}", ran.code, ran.stdout, ran.stderr);
    assert_eq!(std::fs::read_to_string(tree.join("auth")).unwrap(), "mine\n");
    if ran.code != 0 {
        assert_eq!(state(&env, &tree), before, "nothing was written: {}", ran.stderr);
    }
    env.fsck(&tree);
}

#[test]
fn edits_since_are_kept_and_what_collides_stops_it() {
    let (env, mate) = team(&[("auth/a.md", A), ("b.md", "# B\n")]);
    push(&env, &mate, &[("auth/a.md", &A.replace("One.", "Uno.")), ("b.md", "# B2\n")]);
    done(env.brv(&["vc", "pull"]));
    let pull = last(&env);
    write(&env, &[("auth/a.md", &A.replace("One.", "Uno.").replace("Three.", "Tre.")), ("x.md", "# X\n")]);
    done(env.brv(&["vc", "add", "x.md"]));
    done(env.brv(&["undo", &pull]));
    assert_eq!(read(&env, "auth/a.md"), A.replace("Three.", "Tre."));
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), " M auth/a.md\nA  x.md");
    done(env.brv(&["undo", &last(&env)]));
    write(&env, &[("auth/a.md", &A.replace("One.", "Eins."))]);
    done(env.brv(&["derive"]));
    let before = state(&env, &tree(&env));
    let ran = env.brv(&["undo", &pull, "--json"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    let envelope = json(&ran.stdout);
    assert_eq!(envelope["data"]["conflicts"][0]["path"], "auth/a.md");
    assert_eq!(envelope["data"]["operation"], serde_json::Value::Null);
    assert_eq!(state(&env, &tree(&env)), before, "nothing was written");
    done(env.brv(&["undo", &pull, "--on-conflict", "theirs"]));
    assert_eq!(read(&env, "auth/a.md"), A);
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!(state(&env, &tree(&env)), before);
    let ran = env.brv(&["undo", &pull, "--on-conflict", "mark"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(read(&env, "auth/a.md").contains("<<<<<<< now\n"), "{}", read(&env, "auth/a.md"));
    assert!(env.git(&tree(&env), &["status", "--porcelain"]).contains("UU auth/a.md"));
    done(env.brv(&["vc", "resolve", "auth/a.md", "--ours"]));
    assert_eq!(read(&env, "auth/a.md"), A.replace("One.", "Eins."));
}

#[test]
fn what_a_remote_has_is_taken_back_by_a_commit_of_exactly_its_paths() {
    const C: &str = "# C\n\nOne.\n\n- x\n\nTwo.\n";
    const C2: &str = "# C\n\nUno.\n\n- x\n\nTwo.\n";
    let (env, _) = team(&[("auth/a.md", A), ("b.md", "# B\n"), ("c.md", C), ("d.md", "# D\n")]);
    write(&env, &[("auth/a.md", &A.replace("One.", "Uno.")), ("b.md", "# B2\n"), ("c.md", C2)]);
    done(env.brv(&["vc", "commit", "-a", "-m", "wrong"]));
    let wrong = last(&env);
    done(env.brv(&["vc", "push"]));
    let pushed = head(&env);
    // c.md has an unstaged edit, d.md a staged one
    write(&env, &[("c.md", &format!("{C2}\nMore.\n")), ("d.md", "# D2\n")]);
    done(env.brv(&["vc", "add", "d.md"]));
    let ran = done(env.brv(&["undo", &wrong]));
    assert!(ran.stderr.contains("`c.md` has uncommitted edits"), "{}", ran.stderr);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD~"]), pushed);
    let changed = env.git(&tree(&env), &["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(changed, "auth/a.md\nb.md");
    assert_eq!((read(&env, "auth/a.md"), read(&env, "c.md")), (A.to_owned(), format!("{C}\nMore.\n")));
    assert_eq!(env.git(&tree(&env), &["diff", "--cached", "--name-only"]), "d.md");
    let message = env.git(&tree(&env), &["log", "-1", "--format=%B"]);
    assert!(message.starts_with("undo: wrong\n\nBrv-Op: "), "{message}");
    assert!(message.contains(&format!("Brv-Undoes: {wrong}\n")), "{message}");
    done(env.brv(&["vc", "push"]));
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!(
        read(&env, "auth/a.md"),
        A.replace("One.", "Uno."),
        "undoing a pushed commit adds a commit, too"
    );
    env.fsck(&tree(&env));
}

#[test]
fn an_operation_of_another_clone_is_found_by_its_commits() {
    let (env, mate) = team(&[("auth/a.md", A)]);
    let agent = Env::new();
    let agents = agent.with("BRV_ACTOR", "agent-7").with("BRV_SESSION", "s-1");
    let folder = env.path("other");
    std::fs::create_dir(&folder).unwrap();
    let url = env.path("remote.git").to_str().unwrap().to_owned();
    done(agents.brv_in(&folder, &["vc", "clone", &url, "."]));
    std::fs::write(folder.join(".brv/context-tree/auth/a.md"), A.replace("One.", "Wrong.")).unwrap();
    done(agents.brv_in(&folder, &["vc", "commit", "-a", "-m", "a guess"]));
    done(agents.brv_in(&folder, &["vc", "push"]));
    push_after_pull(&env, &mate, &[("b.md", "# B\n")]);
    done(env.brv(&["vc", "pull"]));
    let message = env.git(&tree(&env), &["log", "--format=%B", "--grep=a guess"]);
    let id = message.lines().find_map(|line| line.strip_prefix("Brv-Op: ")).unwrap();
    assert!(message.contains("Brv-Actor: agent-7\nBrv-Session: s-1"), "{message}");
    let short = id.rsplit('-').next().unwrap();
    done(env.brv(&["undo", short]));
    assert_eq!(read(&env, "auth/a.md"), A);
    for id in [id, short] {
        let ran = env.brv(&["undo", id]);
        assert_eq!((ran.code, ran.stderr.contains("already undone")), (6, true), "{}", ran.stderr);
    }
    for (name, text) in [("aaaa0001", "# B1\n"), ("aaaa0002", "# B2\n")] {
        write(&env, &[("b.md", text)]);
        let message = format!("{text}\n\nBrv-Op: 20200101T000000.000Z-{name}");
        env.git(&tree(&env), &["commit", "-q", "-a", "-m", &message]);
    }
    let ran = env.brv(&["undo", "aaaa"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("-aaaa0001") && ran.stderr.contains("-aaaa0002"), "{}", ran.stderr);
    done(env.brv(&["undo", "aaaa0002"]));
    assert_eq!(read(&env, "b.md"), "# B1\n");
    assert_eq!(env.brv(&["undo", "aaaa0003"]).code, 2);
    let ran = env.brv(&["undo", "20200101T000000.000Z-00000000"]);
    assert_eq!(ran.code, 6);
    assert!(ran.stderr.contains("brv vc revert"), "{}", ran.stderr);
}

fn push_after_pull(env: &Env, mate: &Path, files: &[(&str, &str)]) {
    env.git(mate, &["pull", "-q"]);
    push(env, mate, files);
}

#[test]
fn bare_undo_goes_back_step_by_step_and_leaves_others_alone() {
    let env = two();
    for text in ["# B1\n", "# B2\n"] {
        write(&env, &[("b.md", text)]);
        done(env.brv(&["vc", "commit", "-a", "-m", "edit"]));
    }
    done(env.brv(&["undo"]));
    done(env.brv(&["undo"]));
    assert_eq!(env.git(&tree(&env), &["log", "--format=%s"]), "first");
    done(env.brv(&["undo", "last"]));
    assert_eq!(env.git(&tree(&env), &["log", "--format=%s"]), "edit\nfirst", "redone");
    done(env.brv(&["undo"]));
    done(env.brv(&["undo"]));
    assert_ne!(env.git(&tree(&env), &["ls-files"]), "", "the files are staged again");
    done(env.brv(&["undo"]));
    assert_eq!(env.git(&tree(&env), &["ls-files"]), "", "as before they were added");
    let ran = env.brv(&["undo"]);
    assert_eq!((ran.code, ran.stderr.contains("nothing to undo")), (6, true), "{}", ran.stderr);
    let env = env.with("BRV_ACTOR", "agent");
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "by the agent"]));
    let id = last(&env);
    let env = env.with("BRV_ACTOR", "another");
    let ran = env.brv(&["undo"]);
    assert_eq!(ran.code, 6);
    assert!(ran.stderr.contains(&id) && ran.stderr.contains("by agent"), "{}", ran.stderr);
    done(env.brv(&["undo", &id]));
}

#[test]
fn a_session_has_its_own_whatever_the_actor_is_called_and_newer_ones_of_others_are_named() {
    let env = two();
    write(&env, &[("b.md", "# B2\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "mine"]));
    write(&env, &[("auth/a.md", &A.replace("One.", "Uno."))]);
    let agent = env.with("BRV_ACTOR", "agent:a").with("BRV_SESSION", "s1");
    done(agent.brv(&["vc", "commit", "-a", "-m", "by the agent"]));
    let id = last(&agent);
    let session = agent.with("BRV_ACTOR", "");
    let ran = done(session.brv(&["undo", "--dry-run", "--json"]));
    let data = &json(&ran.stdout)["data"];
    assert_eq!(
        (&data["undone"]["id"], data["passed_over"].as_array().unwrap().len()),
        (&id.as_str().into(), 0)
    );
    let person = session.with("BRV_SESSION", "");
    let ran = done(person.brv(&["undo", "--dry-run", "--json"]));
    let passed = &json(&ran.stdout)["data"]["passed_over"];
    assert_eq!((&passed[0]["operation"], &passed[0]["actor"]), (&id.as_str().into(), &"agent:a".into()));
    let ran = done(person.brv(&["undo"]));
    let short = id.rsplit('-').next().unwrap();
    let words = format!("skipped 1 newer operation, by agent:a: {short}");
    assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    assert_eq!(
        (read(&person, "b.md").as_str(), read(&person, "auth/a.md").contains("Uno.")),
        ("# B\n", true)
    );
}

#[test]
fn some_files_of_an_operation_are_taken_back() {
    let env = two();
    write(&env, &[("auth/a.md", &A.replace("One.", "Uno.")), ("b.md", "# B2\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "both"]));
    let id = last(&env);
    done(env.brv(&["undo", &id, "b.md"]));
    assert_eq!(
        (read(&env, "b.md"), read(&env, "auth/a.md")),
        ("# B\n".to_owned(), A.replace("One.", "Uno."))
    );
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
    let log = json(&env.brv(&["op", "log", "--json", "-n", "2"]).stdout);
    assert_eq!(log["data"]["operations"][0]["undoes"]["whole"], false);
    assert_eq!(log["data"]["operations"][1]["undone_by"], serde_json::Value::Null);
    done(env.brv(&["undo", &id]));
    assert_eq!(read(&env, "auth/a.md"), A);
}

#[test]
fn a_name_that_is_no_operation_is_answered() {
    let env = two();
    for (name, code, words) in [
        ("nothing", 2, "there is no operation `nothing`"),
        ("2", 2, "several operations begin with it"),
        ("../../heads/main", 2, "no operation"),
        ("", 2, "no operation"),
    ] {
        write(&env, &[("b.md", &format!("# {name}\n"))]);
        done(env.brv(&["vc", "commit", "-a", "-m", "edit"]));
        let ran = env.brv(&["undo", name]);
        assert_eq!((ran.code, ran.stderr.contains(words)), (code, true), "{name}: {}", ran.stderr);
        assert_eq!(env.brv(&["op", "show", name]).code, code);
    }
}

#[test]
fn what_another_version_wrote_is_shown_and_harms_nothing() {
    let env = two();
    let tree = tree(&env);
    let commit = env.git(&tree, &["commit-tree", "-m", "x\n\nBrv-Op: y", "HEAD^{tree}"]);
    let id = "20990101T000000.000Z-0badf00d";
    env.git(&tree, &["update-ref", &format!("refs/brv/ops/{id}"), &commit]);
    let ran = done(env.brv(&["op", "log"]));
    assert!(ran.stdout.starts_with("0badf00d  cannot be read: "), "{}", ran.stdout);
    let ran = env.brv(&["undo", "0badf00d"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert_eq!(env.brv(&["op", "show", "0badf00d"]).code, 6);
    write(&env, &[("b.md", "# B2\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "after it"]));
    assert_eq!(json(&env.brv(&["op", "log", "--json"]).stdout)["data"]["operations"][0]["kind"], "commit");
    done(env.brv(&["undo"]));
}

#[test]
fn operations_are_shown_with_what_they_changed() {
    let env = two();
    write(&env, &[("b.md", "# B2\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "the second"]));
    let log = done(env.brv(&["op", "log", "--kind", "commit", "--path", "b.md"])).stdout;
    assert_eq!(log.matches("commit  ").count(), 2, "{log}");
    assert!(log.contains("by Ada <ada@example.com>; b.md\n"), "{log}");
    assert_eq!(done(env.brv(&["op", "log", "--kind", "pull"])).stdout, "No operations.\n");
    assert_eq!(env.brv(&["op", "log", "--kind", "nothing"]).code, 2);
    let shown = done(env.brv(&["op", "show", "last"])).stdout;
    assert!(shown.contains("Reason:   the second\n") && shown.contains(" b.md | 2 +-\n"), "{shown}");
    let diff = done(env.brv(&["op", "diff", "last"])).stdout;
    assert!(diff.contains("-# B\n+# B2\n"), "{diff}");
    done(env.brv(&["undo"]));
    let shown = done(env.brv(&["op", "show", "@"])).stdout;
    assert!(shown.contains("Undoes:   "), "{shown}");
    let log = done(env.brv(&["op", "log", "-n", "2"])).stdout;
    assert!(log.contains("undone by "), "{log}");
}

#[test]
fn operations_that_hold_a_file_are_pruned() {
    let env = two();
    write(&env, &[("secret.md", "# Token 123\n")]);
    done(env.brv(&["vc", "add", "secret.md"]));
    done(env.brv(&["vc", "commit", "-m", "leak"]));
    done(env.brv(&["undo"]));
    done(env.brv(&["op", "prune"]));
    let dry = done(env.brv(&["op", "prune", "--path", "secret.md", "--dry-run"])).stdout;
    assert!(dry.starts_with("3 operations would be deleted, 2 kept.\n"), "{dry}");
    assert!(!dry.contains("other file"), "{dry}");
    write(&env, &[("secret.md", "# Token 123\n"), ("beside.md", "# Beside\n")]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "leak again"]));
    done(env.brv(&["undo"]));
    let dry = done(env.brv(&["op", "prune", "--path", "secret.md", "--dry-run"])).stdout;
    assert!(dry.contains("their changes to 1 other file cannot be undone"), "{dry}");
    let told = json(&done(env.brv(&["op", "prune", "--path", "secret.md", "-n", "--json"])).stdout);
    assert_eq!(told["data"]["others"], serde_json::json!(["beside.md"]));
    let pruned = done(env.brv(&["op", "prune", "--path", "secret.md"])).stdout;
    assert!(pruned.contains("commit: leak\n"), "{pruned}");
    let left = env.git(&tree(&env), &["rev-list", "--objects", "--glob=refs/brv"]);
    assert!(!left.contains("secret.md"), "{left}");
    assert_eq!(env.brv(&["op", "prune", "--path", "."]).code, 2);
    assert_eq!(env.brv(&["op", "prune", "--path", "*.md"]).code, 2);
}

#[test]
fn what_an_operation_brought_and_somebody_edited_since_is_a_conflict() {
    let env = two();
    write(&env, &[("auth/a.md", &format!("{A}\n## More\n\nFour.\n"))]);
    done(env.brv(&["vc", "commit", "-a", "-m", "more"]));
    write(&env, &[("auth/a.md", &format!("{A}\n## More\n\nFour, edited.\n")), ("b.md", "# B2\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "edited"]));
    let log = json(&env.brv(&["op", "log", "--json"]).stdout);
    let id = log["data"]["operations"][1]["id"].as_str().unwrap();
    let before = state(&env, &tree(&env));
    let ran = env.brv(&["undo", id]);
    assert_eq!(ran.code, 5, "{}{}{}", ran.stdout, ran.stderr, read(&env, "auth/a.md"));
    assert_eq!(state(&env, &tree(&env)), before);
}

#[test]
fn a_removed_file_that_somebody_made_anew_is_a_conflict() {
    let env = two();
    let was = read(&env, "auth/a.md");
    done(env.brv(&["vc", "rm", "-q", "auth/a.md"]));
    done(env.brv(&["vc", "commit", "-m", "gone"]));
    let id = last(&env);
    let anew = A.replace("Two.", "Twelve.");
    write(&env, &[("auth/a.md", &anew)]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "anew"]));
    let before = state(&env, &tree(&env));
    let ran = env.brv(&["undo", &id]);
    assert_eq!(ran.code, 5, "{}{}{}", ran.stdout, ran.stderr, read(&env, "auth/a.md"));
    assert_eq!(env.brv(&["undo", &id, "--on-conflict", "ours"]).code, 6, "nothing changes");
    assert_eq!(state(&env, &tree(&env)), before);
    done(env.brv(&["undo", &id, "--on-conflict", "theirs"]));
    assert_eq!(read(&env, "auth/a.md"), was);
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!(read(&env, "auth/a.md"), anew);
    assert_eq!(env.brv(&["undo", &id, "--on-conflict", "mark"]).code, 5);
    let both = read(&env, "auth/a.md");
    assert!(both.contains("Twelve.") && both.contains("Two."), "{both}");
}

#[test]
fn what_it_brought_and_somebody_edited_since_goes_stays_or_is_marked_as_is_wished() {
    for (brought, edited) in [
        ("## More\n\nFour.\n", "## More\n\nFour, edited.\n"),
        ("## Facts\n\n- **limit**: four [project]\n", "## Facts\n\n- **limit**: five [project]\n"),
        ("- one\n- two\n", "- one, edited\n- two\n"),
        ("```\ncode\n```\n", "```\ncode, edited\n```\n"),
    ] {
        let env = two();
        let with = |part: &str| format!("{A}\n{part}");
        write(&env, &[("auth/a.md", &with(brought))]);
        done(env.brv(&["vc", "commit", "-a", "-m", "more"]));
        let id = last(&env);
        write(&env, &[("auth/a.md", &with(edited))]);
        done(env.brv(&["vc", "commit", "-a", "-m", "edited"]));
        let before = state(&env, &tree(&env));
        for how in ["ours", "both"] {
            if env.brv(&["undo", &id, "--on-conflict", how, "--dry-run"]).code == 6 {
                continue;
            }
            // a file that was not edited is removed
            done(env.brv(&["undo", &id, "--on-conflict", how]));
            let text = read(&env, "auth/a.md");
            assert!(text.contains("edited") && !text.contains("two"), "{how}: {text}");
            done(env.brv(&["undo", &last(&env)]));
        }
        assert_eq!(env.brv(&["vc", "revert", "HEAD~1"]).code, 5);
        assert_eq!(state(&env, &tree(&env)), before);
        done(env.brv(&["undo", &id, "--on-conflict", "theirs"]));
        assert_eq!(read(&env, "auth/a.md"), A);
        done(env.brv(&["undo", &last(&env)]));
        assert_eq!(read(&env, "auth/a.md"), with(edited));
        assert_eq!(env.brv(&["undo", &id, "--on-conflict", "mark"]).code, 5);
        let listed = json(&env.brv(&["vc", "resolve", "--list", "--json"]).stdout);
        assert_eq!(listed["data"]["files"][0]["decisions"].as_array().map(Vec::len), Some(1), "{listed}");
        done(env.brv(&["vc", "resolve", "auth/a.md", "--theirs"]));
        let text = read(&env, "auth/a.md");
        assert!(!text.contains("edited") && !text.contains("<<<"), "{text}");
    }
}

#[test]
fn the_words_of_a_conflict_are_those_of_an_undo() {
    let env = project(&[("a.md", "# A\n")]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "first"]));
    let id = last(&env);
    write(&env, &[("a.md", "# A\n\nMore.\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "second"]));
    let ran = env.brv(&["undo", &id]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("a.md (it was not there before, and was edited since)"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("them"), "{}", ran.stderr);
}

/// As after a kill right before the end: everything is done, except that the name of the operation is not set.
pub fn interrupt(env: &Env, id: &str) {
    let (tree, name) = (tree(env), format!("refs/brv/ops/{id}"));
    let commit = env.git(&tree, &["rev-parse", &name]);
    env.git(&tree, &["update-ref", "refs/brv/pending", &commit]);
    env.git(&tree, &["update-ref", "-d", &name]);
}

#[test]
fn an_undo_that_was_interrupted_and_is_asked_for_again_takes_back_no_more() {
    let env = two();
    let tree = tree(&env);
    let mut states = Vec::new();
    let mut ids = Vec::new();
    for text in ["Zwei.", "Deux."] {
        write(&env, &[("auth/a.md", &A.replace("Two.", text))]);
        done(env.brv(&["derive"]));
        states.push(state(&env, &tree));
        done(env.brv(&["vc", "commit", "-a", "-m", text]));
        ids.push(last(&env));
    }
    for again in [&["undo", "--json"][..], &["undo", ids[1].as_str(), "--json"]] {
        done(env.brv(&["undo", &ids[1]]));
        let undo = last(&env);
        interrupt(&env, &undo);
        let said = json(&done(env.brv(again)).stdout);
        assert_eq!(said["data"]["undone"]["id"], ids[1], "{said}");
        assert_eq!(said["data"]["operation"], undo, "{said}");
        assert_eq!(said["data"]["recovered"]["operation"], undo, "{said}");
        assert_eq!(said["data"]["moves"].as_array().unwrap().len(), 1, "{said}");
        assert_eq!(state(&env, &tree), states[1], "{again:?}");
        done(env.brv(&["undo", &undo]));
    }
    done(env.brv(&["undo", &ids[1]]));
    interrupt(&env, &last(&env));
    let said = json(&done(env.brv(&["undo", &ids[0], "--json"])).stdout);
    assert_eq!(said["data"]["undone"]["id"], ids[0], "another operation is a different one: {said}");
}

#[test]
fn a_dry_run_says_what_it_put_right_and_what_would_be_undone_now() {
    let env = two();
    write(&env, &[("b.md", "# B2\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "second"]));
    let second = last(&env);
    done(env.brv(&["undo"]));
    interrupt(&env, &last(&env));
    let ran = done(env.brv(&["undo", "--dry-run"]));
    assert!(ran.stdout.starts_with("Would undo commit "), "{}", ran.stdout);
    assert!(!ran.stdout.contains(second.rsplit('-').next().unwrap()), "{}", ran.stdout);
    assert!(ran.stderr.contains("an interrupted `undo` was completed"), "{}", ran.stderr);
    done(env.brv(&["undo", &last(&env)]));
    done(env.brv(&["undo", &second]));
    interrupt(&env, &last(&env));
    let ran = env.brv(&["undo", "typo"]);
    assert!(ran.code == 2 && ran.stderr.contains("an interrupted `undo` was completed"), "{}", ran.stderr);
}

#[test]
fn a_command_that_fails_behind_a_recovery_tells_it_too() {
    let env = two();
    write(&env, &[("b.md", "# B2\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "second"]));
    interrupt(&env, &last(&env));
    let ran = env.brv(&["vc", "rm", "nosuch.md"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let told = "warning: an interrupted `commit` was completed\nerror: ";
    assert!(ran.stderr.starts_with(told), "{}", ran.stderr);
    interrupt(&env, &last(&env));
    let told = json(&env.brv(&["vc", "rm", "nosuch.md", "--json"]).stdout);
    assert_eq!(told["warnings"], serde_json::json!(["an interrupted `commit` was completed"]), "{told}");
    interrupt(&env, &last(&env));
    let ran = done(env.brv(&["vc", "add", "."]));
    assert_eq!(ran.stderr.matches("an interrupted `commit` was completed").count(), 1, "{}", ran.stderr);
}

#[test]
fn a_bare_undo_stops_at_the_clone() {
    let (env, mate) = team(&[("a.md", A), ("b.md", "# B\n")]);
    push(&env, &mate, &[("c.md", "# C\n")]);
    done(env.brv(&["vc", "pull"]));
    done(env.brv(&["undo"]));
    let before = state(&env, &tree(&env));
    let ran = env.brv(&["undo"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("a clone cannot be undone"), "{}", ran.stderr);
    assert_eq!(state(&env, &tree(&env)), before);
}

#[test]
fn a_decision_is_not_taken_back_once_its_merge_has_ended() {
    let env = two();
    let tree = tree(&env);
    env.git(&tree, &["switch", "-q", "-c", "topic"]);
    env.commit(&tree, &[("auth/a.md", &A.replace("Two.", "Theirs."))]);
    env.git(&tree, &["switch", "-q", "main"]);
    env.commit(&tree, &[("auth/a.md", &A.replace("Two.", "Ours."))]);
    assert_eq!(env.brv(&["vc", "merge", "topic"]).code, 5);
    done(env.brv(&["vc", "resolve", "auth/a.md", "--ours"]));
    let decision = last(&env);
    env.git(&tree, &["commit", "-q", "-m", "merged"]);
    let before = state(&env, &tree);
    for arguments in [&["undo"][..], &["undo", &decision], &["undo", &decision, "auth/a.md"]] {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 6, "{arguments:?} {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("has ended since"), "{}", ran.stderr);
        assert_eq!(state(&env, &tree), before);
    }
}

#[test]
fn an_add_that_git_has_committed_or_taken_out_hides_no_older_operation() {
    for (command, way) in [
        (&["commit", "-q", "-m", "by git"][..], "`brv vc revert COMMIT`"),
        (&["reset", "-q"], "`brv op show ID`"),
    ] {
        let env = two();
        let older = last(&env);
        write(&env, &[("b.md", "# B2\n")]);
        done(env.brv(&["vc", "add", "b.md"]));
        env.git(&tree(&env), command);
        let before = head(&env);
        let ran = env.brv(&["undo"]);
        assert_eq!((ran.code, head(&env)), (6, before), "{command:?} {}{}", ran.stdout, ran.stderr);
        let short = older.rsplit('-').next().unwrap();
        let next = format!("`brv undo {short}` undoes the operation before it");
        assert!(ran.stderr.contains(way) && ran.stderr.contains(&next), "{command:?} {}", ran.stderr);
        if way.contains("revert") {
            done(env.brv(&["vc", "revert", "HEAD"]));
            assert_eq!(read(&env, "b.md"), "# B\n");
        } else {
            done(env.brv(&["undo", short, "--on-conflict", "theirs"]));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_file_is_named_and_stays() {
    let env = two();
    let tree = tree(&env);
    let place = tree.join("b.md");
    std::fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &place).unwrap();
    write(&env, &[("auth/a.md", "# Edited\n")]);
    for arguments in [
        &["vc", "restore", "b.md"][..],
        &["vc", "reset", "--hard"],
        &["vc", "switch", "--force", "-c", "new", "HEAD"],
    ] {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 6, "{arguments:?} {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("b.md"), "{}", ran.stderr);
        assert!(place.symlink_metadata().unwrap().is_symlink(), "{arguments:?}");
    }
    std::fs::remove_file(&place).unwrap();
    done(env.brv(&["vc", "restore", "b.md"]));
    done(env.brv(&["vc", "rm", "b.md"]));
    std::os::unix::fs::symlink("/etc/hostname", &place).unwrap();
    let ran = env.brv(&["undo"]);
    assert_eq!((ran.code, ran.stderr.contains("b.md")), (6, true), "{}{}", ran.stdout, ran.stderr);
    std::fs::remove_file(&place).unwrap();
    done(env.brv(&["undo"]));
    assert_eq!(read(&env, "b.md"), "# B\n");
}

#[test]
fn the_first_of_two_adds_of_a_file_is_taken_back_and_what_came_later_stays_recorded() {
    let env = two();
    let tree = tree(&env);
    write(&env, &[("auth/a.md", &A.replace("One.", "Uno."))]);
    done(env.brv(&["vc", "add", "."]));
    let (first, staged) = (last(&env), || env.git(&tree, &["show", ":auth/a.md"]));
    write(&env, &[("auth/a.md", &A.replace("One.", "Uno.").replace("Three.", "Tre."))]);
    done(env.brv(&["vc", "add", "."]));
    let (both, disk) = (staged(), read(&env, "auth/a.md"));
    let data = json(&done(env.brv(&["undo", &first, "--json"])).stdout)["data"].clone();
    assert_eq!((&data["staged"], &data["files"]), (&json("[\"auth/a.md\"]"), &json("[]")), "{data}");
    assert_eq!(staged() + "\n", A.replace("Three.", "Tre."));
    assert_eq!(read(&env, "auth/a.md"), disk, "the file is unchanged");
    done(env.brv(&["undo", &last(&env)]));
    assert_eq!(staged(), both, "redone");
    // changes of the same lines are a conflict
    write(&env, &[("auth/a.md", &disk.replace("Uno.", "Un."))]);
    done(env.brv(&["vc", "add", "."]));
    let before = state(&env, &tree);
    let ran = env.brv(&["undo", &first]);
    assert_eq!((ran.code, ran.stderr.contains("have been staged again since")), (6, true), "{}", ran.stderr);
    assert!(ran.stderr.contains("auth/a.md"), "{}", ran.stderr);
    assert_eq!(state(&env, &tree), before);
    done(env.brv(&["undo", &first, "--on-conflict", "theirs"]));
    assert_eq!(staged() + "\n", A.replace("Three.", "Tre."));
    env.fsck(&tree);
}

#[test]
fn what_stands_in_the_way_stays_alone_where_it_is_preferred() {
    let env = two();
    let tree = tree(&env);
    write(&env, &[("c.md", "# C\n")]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "second"]));
    done(env.brv(&["vc", "rm", "b.md", "c.md"]));
    std::fs::create_dir(tree.join("b.md")).unwrap();
    std::fs::write(tree.join("b.md/x.md"), "# X\n").unwrap();
    assert_eq!(env.brv(&["undo"]).code, 5);
    let ran = done(env.brv(&["undo", "--on-conflict", "ours", "--json"]));
    assert_eq!(read(&env, "b.md/x.md"), "# X\n");
    assert_eq!(read(&env, "c.md"), "# C\n", "what can be restored is restored");
    assert!(!tree.join("b.theirs.md").exists(), "{}", ran.stdout);
    let records = json(&ran.stdout)["data"]["records"].clone();
    assert_eq!(records[0]["path"], "b.md", "{records}");
    env.fsck(&tree);
}

#[test]
fn an_undo_that_keeps_all_there_is_writes_nothing_and_leaves_the_operation_to_be_undone() {
    for command in [&["vc", "commit", "-m", "edit"][..], &["vc", "add", "."]] {
        let env = two();
        let tree = tree(&env);
        let mut made = Vec::new();
        for word in ["Uno.", "Un."] {
            write(&env, &[("auth/a.md", &A.replace("One.", word))]);
            done(env.brv(&["vc", "add", "."]));
            if command[1] == "commit" {
                done(env.brv(command));
            }
            made.push(last(&env));
        }
        let (before, newest) = (state(&env, &tree), last(&env));
        for arguments in
            [&["--on-conflict", "ours"][..], &["--on-conflict", "ours", "auth/a.md", "--dry-run"]]
        {
            let ran = env.brv(&[&["undo", &made[0]], arguments].concat());
            assert_eq!(
                (ran.code, ran.stderr.contains("the current version is kept everywhere")),
                (6, true),
                "{}",
                ran.stderr
            );
        }
        assert_eq!((state(&env, &tree), last(&env)), (before, newest));
        done(env.brv(&["undo", &made[0], "--on-conflict", "theirs"]));
        assert_ne!(last(&env), made[1]);
        env.fsck(&tree);
    }
}

#[test]
fn a_path_that_the_operation_did_not_touch_is_a_mistake() {
    let env = two();
    write(&env, &[("b.md", "# B2\n"), ("c.md", "# C\n")]);
    done(env.brv(&["vc", "add", "."]));
    let before = state(&env, &tree(&env));
    for path in ["typo.md", "auth/a.md"] {
        let ran = env.brv(&["undo", "last", path]);
        assert_eq!((ran.code, ran.stderr.contains("matches no file")), (2, true), "{}", ran.stderr);
    }
    let ran = env.brv(&["op", "prune", "--path", "typo.md"]);
    assert_eq!((ran.code, ran.stderr.contains("matches no file")), (2, true), "{}", ran.stderr);
    assert_eq!(state(&env, &tree(&env)), before);
    let ran = done(env.brv(&["undo", "last", "c.md"]));
    assert!(ran.stdout.contains(" in part: c.md\n"), "{}", ran.stdout);
}

#[test]
fn an_operation_of_another_clone_is_shown_by_its_commits() {
    let (env, _) = team(&[("a.md", A)]);
    write(&env, &[("b.md", "# B\n")]);
    done(env.brv(&["vc", "add", "."]));
    let agents = Env::new().with("BRV_ACTOR", "agent-7").with("BRV_SESSION", "s-1");
    done(agents.brv_in(env.root(), &["vc", "commit", "-m", "add b"]));
    let id = last(&env);
    let commit = head(&env);
    done(env.brv(&["vc", "push", "origin", "main"]));
    let other = env.path("other");
    let ran = env.brv(&["vc", "clone", "remote.git", "other"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let short = id.rsplit('-').next().unwrap();
    let data = json(&done(env.brv_in(&other, &["op", "show", short, "--json"])).stdout)["data"].clone();
    assert_eq!(
        (&data["id"], &data["foreign"]["commits"][0]),
        (&json(&format!("{id:?}")), &json(&format!("{commit:?}"))),
        "{data}"
    );
    let shown = done(env.brv_in(&other, &["op", "show", short])).stdout;
    assert!(
        shown.contains("not in this operation log") && shown.contains("b.md") && shown.contains("agent-7"),
        "{shown}"
    );
    let patch = done(env.brv_in(&other, &["op", "diff", short, "--format", "text"])).stdout;
    assert!(patch.contains("+ B  b.md"), "{patch}");
    let ran = env.brv_in(&other, &["op", "show", "0a0a0a0a"]);
    assert_eq!((ran.code, ran.stderr.contains("no commit of this history")), (2, true), "{}", ran.stderr);
}

#[test]
fn what_a_message_claims_to_be_is_not_believed() {
    let env = two();
    let claim = "s\n\nBrv-Op: 20200101T000000.000Z-aaaaaaaa\nBrv-Undoes: 20200101T000000.000Z-bbbbbbbb\nBrv-Actor: faked\n\
                 Brv-Session: faked";
    let agents = Env::new().with("BRV_ACTOR", "x");
    for (env_of, actor) in [(&agents, "x"), (&env, "Ada")] {
        done(env_of.brv_in(env.root(), &["vc", "commit", "--allow-empty", "-m", claim]));
        let id = last(&env);
        let message = env.git(&tree(&env), &["log", "-1", "--format=%(trailers:only,unfold)"]);
        assert!(
            message.contains("Brv-Session: faked\nBrv-Op: ") && message.contains(&id),
            "one block: {message}"
        );
        let shown = done(env.brv(&["op", "show", &id])).stdout;
        assert!(shown.contains(actor) && !shown.contains("faked"), "{shown}");
        assert_eq!(env.brv(&["op", "show", "aaaaaaaa"]).code, 2);
        assert_eq!(env.brv(&["undo", "aaaaaaaa"]).code, 2);
    }
    // nor in another clone, which only has the messages
    let id = last(&env);
    env.git(env.root(), &["clone", "-q", "--bare", tree(&env).to_str().unwrap(), "remote.git"]);
    done(env.brv(&["vc", "clone", "remote.git", "other"]));
    let other = |arguments: &[&str]| env.brv_in(&env.path("other"), arguments);
    assert_eq!(other(&["op", "show", "aaaaaaaa"]).code, 2);
    let shown = done(other(&["op", "show", id.rsplit('-').next().unwrap()])).stdout;
    assert!(shown.contains("not in this operation log") && !shown.contains("faked"), "{shown}");
}

#[test]
fn a_commit_that_was_picked_from_another_is_no_second_one_of_its_operation() {
    let (env, mate) = team(&[("auth/a.md", A), ("b.md", "# B\n")]);
    let message = "a guess\n\nBrv-Op: 20200101T000000.000Z-aaaaaaaa\nBrv-Actor: agent-7\n";
    env.git(&mate, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(mate.join("b.md"), "# Wrong\n").unwrap();
    env.git(&mate, &["commit", "-q", "-a", "-m", message]);
    let original = env.git(&mate, &["rev-parse", "HEAD"]);
    env.git(&mate, &["checkout", "-q", "main"]);
    env.commit(&mate, &[("auth/a.md", &A.replace("Two.", "Zwei."))]);
    env.git(&mate, &["cherry-pick", "-x", "topic"]);
    let text = env.git(&mate, &["log", "-1", "--format=%B"]);
    assert!(text.contains("Brv-Op: ") && text.contains("(cherry picked from"), "{text}");
    env.git(&mate, &["merge", "-q", "--no-edit", "topic"]);
    env.git(&mate, &["push", "-q"]);
    done(env.brv(&["vc", "pull"]));
    let data = json(&done(env.brv(&["op", "show", "aaaaaaaa", "--json"])).stdout)["data"].clone();
    assert_eq!(data["foreign"]["commits"].as_array().unwrap().len(), 1, "{data} {original}");
    done(env.brv(&["undo", "aaaaaaaa"]));
    assert_eq!(read(&env, "b.md"), "# B\n");
    assert_eq!(read(&env, "auth/a.md"), A.replace("Two.", "Zwei."));
}

#[test]
fn the_undo_of_an_undo_says_what_is_done_again() {
    let env = two();
    let commit = last(&env);
    let short = commit.rsplit('-').next().unwrap().to_owned();
    let told = format!("commit {short}: first\n");
    assert!(done(env.brv(&["undo"])).stdout.starts_with(&format!("Undid {told}")));
    let ran = done(env.brv(&["undo", "last", "--dry-run"]));
    assert!(ran.stdout.starts_with(&format!("Would redo {told}")), "{}", ran.stdout);
    let ran = json(&done(env.brv(&["undo", "last", "--json"])).stdout);
    assert_eq!(
        (&ran["data"]["redone"][0]["id"], &ran["data"]["undone"]["kind"]),
        (&commit.into(), &"undo".into())
    );
    let ran = done(env.brv(&["undo", "last"]));
    assert!(ran.stdout.starts_with(&format!("Undid {told}")), "{}", ran.stdout);
    let ran = done(env.brv(&["undo", "last"]));
    assert!(ran.stdout.starts_with(&format!("Redid {told}")), "{}", ran.stdout);
    // however long the chain, the log and the commits name the operation and what became of it
    let logged = done(env.brv(&["op", "log"])).stdout;
    let whys: Vec<&str> =
        logged.lines().filter_map(|line| line.split_once("  undo  ")).map(|(_, why)| why).collect();
    let ends: Vec<&str> = whys.iter().map(|why| why.split_once(": ").unwrap().1).collect();
    let (again, back) = (format!("redo {short}: first"), format!("undo {short}: first"));
    assert_eq!(ends, [&again[..], &back, &again, "first"], "{logged}");
}

#[test]
fn an_undo_that_is_refused_warns_of_nothing_that_it_did_not_do() {
    let env = two();
    env.bare("remote.git");
    done(env.brv(&["vc", "remote", "add", "origin", env.path("remote.git").to_str().unwrap()]));
    write(&env, &[("auth/a.md", &A.replace("One.", "Eins.")), ("b.md", "# B\n\nnew\n")]);
    done(env.brv(&["vc", "commit", "-a", "-m", "second"]));
    let second = last(&env);
    done(env.brv(&["vc", "push", "-u", "origin", "main"]));
    write(&env, &[("auth/a.md", &A.replace("One.", "Uno."))]);
    done(env.brv(&["vc", "commit", "-a", "-m", "third"]));
    // edited and not committed: it would be restored, but not committed
    write(&env, &[("b.md", "# B\n\nnew\n\nand mine\n")]);
    let ran = json(&env.brv(&["undo", &second, "--json"]).stdout);
    assert_eq!(
        (&ran["error"]["code"], &ran["warnings"]),
        (&"conflict".into(), &serde_json::json!([])),
        "{ran}"
    );
    let ran = json(&env.brv(&["undo", &second, "--on-conflict", "theirs", "--json"]).stdout);
    assert_eq!(ran["ok"], true, "{ran}");
    assert_ne!(ran["warnings"], serde_json::json!([]), "{ran}");
}
