//! Repositories of every kind, and folders to run brv from: each verb works, or says clearly why not, and a repository
//! that brv cannot read is left unchanged.

use crate::env::{Env, Ran};
use crate::init::{commit, json, project, write};
use crate::lab::{assert_agreement, fixture, is_volatile, picture};
use std::path::{Path, PathBuf};

/// A project whose tree is the repository built by the script.
fn with_tree(script: &str) -> Option<(Env, PathBuf)> {
    let env = Env::new();
    let tree = fixture(&env, script, "project/.brv/context-tree")?;
    Some((env, tree))
}

fn ran(env: &Env, folder: &Path, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv_in(folder, arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// Every verb that needs the tree.
const VERBS: [&[&str]; 12] = [
    &["init"],
    &["derive"],
    &["vc", "status"],
    &["vc", "add", "--all"],
    &["vc", "commit", "--allow-empty", "-m", "x"],
    &["vc", "log"],
    &["vc", "show"],
    &["vc", "diff"],
    &["vc", "remote"],
    &["vc", "fetch", "."],
    &["vc", "pull", ".", "main"],
    &["vc", "push", ".", "main"],
];

#[test]
fn a_format_that_cannot_be_read_is_refused_by_name_and_left_as_it_was() {
    for (script, words) in [("reftable", "reftable"), ("sha256", "SHA-256")] {
        let env = Env::new();
        let Some(out) = fixture(&env, script, "out") else { continue };
        let from = if out.join("work").exists() { out.join("work") } else { out };
        let tree = env.path("project/.brv/context-tree");
        std::fs::create_dir_all(tree.parent().unwrap()).unwrap();
        std::fs::rename(&from, &tree).unwrap();
        let before = picture(&env.path("project"), &|_| false);
        for verb in VERBS {
            let ran = ran(&env, &tree, verb, 6);
            assert!(ran.stderr.contains(words) && ran.stdout.is_empty(), "{verb:?}: {}", ran.stderr);
        }
        let after = picture(&env.path("project"), &|_| false);
        assert!(before == after, "{script}: {:?}", after.keys().filter(|key| !before.contains_key(*key)));
    }
}

/// Whether an extension is refused in version 0 and in version 1 of the format.
const EXTENSIONS: [(&str, &str, [bool; 2]); 12] = [
    ("unknown", "true", [false, true]),
    ("noop", "true", [false, false]),
    ("noop-v1", "true", [true, false]),
    ("preciousObjects", "true", [false, false]),
    ("partialClone", "origin", [false, false]),
    ("worktreeConfig", "true", [false, false]),
    ("relativeWorktrees", "true", [true, false]),
    ("objectFormat", "sha1", [true, false]),
    ("objectFormat", "sha256", [true, true]),
    ("refStorage", "files", [true, false]),
    ("refStorage", "reftable", [true, true]),
    ("compatObjectFormat", "sha256", [true, true]),
];

#[test]
fn an_extension_that_brv_does_not_know_is_refused_before_anything_is_written() {
    let env = Env::new();
    let project = env.path("project");
    std::fs::create_dir_all(&project).unwrap();
    ran(&env, &project, &["init"], 0);
    let tree = project.join(".brv/context-tree");
    env.commit(&tree, &[("a.md", "# A\n")]);
    // the settings are those of the repository that it is linked to
    let linked = env.path("linked/.brv/context-tree");
    env.git(&tree, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    let config = std::fs::read_to_string(tree.join(".git/config")).unwrap();
    let set = |version: &str, extension: &str| {
        let core = format!("[core]\n\trepositoryformatversion = {version}\n");
        std::fs::write(tree.join(".git/config"), format!("{config}{core}{extension}")).unwrap();
    };
    let refused = |words: &str| {
        for folder in [&tree, &linked] {
            std::fs::write(folder.join("new.md"), "# New\n").unwrap();
            let before = picture(env.root(), &|_| false);
            for verb in VERBS
                .iter()
                .copied()
                .chain([&["curate", "A fact.", "--into", "x", "--title", "T", "--reason", "r"][..]])
            {
                let ran = ran(&env, folder, verb, 6);
                assert!(
                    ran.stderr.contains(words) && ran.stdout.is_empty(),
                    "{words} {verb:?}: {}",
                    ran.stderr
                );
            }
            assert!(before == picture(env.root(), &|_| false), "{words}");
        }
    };
    for (key, value, is_refused) in EXTENSIONS {
        let extension = format!("[extensions]\n\t{key} = {value}\n");
        for (version, is_refused) in ["0", "1"].into_iter().zip(is_refused) {
            set(version, &extension);
            if is_refused {
                refused("which brv does not support");
            } else {
                ran(&env, &tree, &["vc", "status"], 0);
                ran(&env, &linked, &["vc", "status"], 0);
            }
        }
    }
    set("2", "");
    refused("version 2 of the repository format");
    set("1", "[extensions]\n\tunknown = true\n");
    refused("the extension `unknown`");
    set("1", "");
    ran(&env, &linked, &["vc", "add", "new.md"], 0);
    ran(&env, &linked, &["vc", "commit", "-m", "new"], 0);
}

#[test]
fn a_remote_in_sha_256_is_refused_in_clear_words_and_nothing_is_left() {
    let env = Env::new();
    let Some(out) = fixture(&env, "sha256", "out") else { return };
    let remote = out.join("remote.git");
    let ran_clone = env.brv(&["vc", "clone", remote.to_str().unwrap(), "new"]);
    assert!([6, 9].contains(&ran_clone.code), "{}", ran_clone.stderr);
    assert!(
        ran_clone.stderr.to_lowercase().contains("sha-256") || ran_clone.stderr.contains("sha256"),
        "{}",
        ran_clone.stderr
    );
    assert!(!env.path("new").exists());
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    let out = fixture(&env, "sha256", "out").unwrap();
    let remote = out.join("remote.git");
    for verb in ["push", "pull", "fetch"] {
        let ran = env.brv(&["vc", verb, remote.to_str().unwrap(), "main"]);
        assert!([6, 9].contains(&ran.code), "{verb}: {} {}", ran.code, ran.stderr);
        assert!(
            ran.stderr.to_lowercase().contains("sha-256") || ran.stderr.contains("sha256"),
            "{verb}: {}",
            ran.stderr
        );
    }
}

#[test]
fn an_empty_remote_is_cloned_filled_and_pulled_from() {
    let env = Env::new();
    let remote = fixture(&env, "empty", "out").unwrap().join("remote.git");
    let clone = ran(&env, env.root(), &["vc", "clone", remote.to_str().unwrap(), "one"], 0);
    assert!(clone.stdout.contains("The remote has no commits yet"), "{}", clone.stdout);
    let one = env.path("one");
    let tree = one.join(".brv/context-tree");
    let pulled = env.brv_in(&one, &["vc", "pull"]);
    assert_eq!(
        pulled.code, 9,
        "as in git, there is no such branch there: {}{}",
        pulled.stdout, pulled.stderr
    );
    assert!(pulled.stderr.contains("no branch `main`"), "{}", pulled.stderr);
    std::fs::write(tree.join("a.md"), "# A\n").unwrap();
    ran(&env, &one, &["vc", "add", "."], 0);
    ran(&env, &one, &["vc", "commit", "-m", "first"], 0);
    ran(&env, &one, &["vc", "push"], 0);
    ran(&env, &one, &["vc", "pull"], 0);
    ran(&env, env.root(), &["vc", "clone", remote.to_str().unwrap(), "two"], 0);
    assert_eq!(std::fs::read_to_string(env.path("two/.brv/context-tree/a.md")).unwrap(), "# A\n");
    env.fsck(&remote);
}

#[test]
fn an_unborn_branch_says_what_is_missing_and_takes_its_first_commit() {
    let (env, tree) = with_tree("unborn").unwrap();
    let status = ran(&env, &tree, &["vc", "status", "--porcelain"], 0);
    assert_eq!(status.stdout, "A  bread/context.md\n?? bread/rye.md\n");
    ran(&env, &tree, &["vc", "diff"], 0);
    assert!(ran(&env, &tree, &["vc", "diff", "--staged"], 0).stdout.contains("bread/context.md"));
    for verb in [&["vc", "log"][..], &["vc", "show"]] {
        let ran = env.brv_in(&tree, verb);
        assert!([1, 2].contains(&ran.code), "{verb:?}: {} {}", ran.code, ran.stderr);
        assert!(ran.stderr.contains("no commits yet"), "{verb:?}: {}", ran.stderr);
    }
    let remote = env.bare("remote.git");
    ran(&env, &tree, &["vc", "remote", "add", "origin", remote.to_str().unwrap()], 0);
    let push = ran(&env, &tree, &["vc", "push", "-u", "origin", "main"], 2);
    assert!(push.stderr.contains("no commits yet") || push.stderr.contains("main"), "{}", push.stderr);
    ran(&env, &tree, &["vc", "commit", "-m", "first"], 0);
    assert_agreement(&env, &tree, "first");
    ran(&env, &tree, &["vc", "push", "-u", "origin", "main"], 0);
}

#[test]
fn an_unborn_branch_can_begin_with_a_pull_and_keeps_what_was_there() {
    let env = project(&[("mine.md", "mine\n"), ("staged.md", "staged\n")]);
    let tree = env.path(".brv/context-tree");
    ran(&env, &tree, &["vc", "add", "staged.md"], 0);
    let remote = env.bare("remote.git");
    env.git(env.root(), &["init", "-q", "mate"]);
    env.commit(&env.path("mate"), &[("theirs.md", "theirs\n")]);
    env.git(&env.path("mate"), &["push", "-q", remote.to_str().unwrap(), "main"]);
    ran(&env, &tree, &["vc", "remote", "add", "origin", remote.to_str().unwrap()], 0);
    ran(&env, &tree, &["vc", "pull", "origin", "main"], 0);
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "A  staged.md\n?? mine.md");
    assert_eq!(std::fs::read_to_string(tree.join("theirs.md")).unwrap(), "theirs\n");
    assert_agreement(&env, &tree, "pulled");
}

#[test]
fn a_detached_head_is_told_commits_alone_and_asks_for_a_branch() {
    let (env, tree) = with_tree("detached").unwrap();
    let main = env.git(&tree, &["rev-parse", "main"]);
    let status = ran(&env, &tree, &["vc", "status"], 0);
    assert!(status.stdout.to_lowercase().contains("detached"), "{}", status.stdout);
    let remote = env.bare("remote.git");
    ran(&env, &tree, &["vc", "remote", "add", "origin", remote.to_str().unwrap()], 0);
    for verb in [&["vc", "push"][..], &["vc", "pull"]] {
        let ran = ran(&env, &tree, verb, 2);
        assert!(ran.stderr.contains("branch"), "{verb:?}: {}", ran.stderr);
    }
    std::fs::write(tree.join("bread/new.md"), "# New\n").unwrap();
    ran(&env, &tree, &["vc", "add", "."], 0);
    ran(&env, &tree, &["vc", "commit", "-m", "alone"], 0);
    assert_eq!(env.git(&tree, &["rev-parse", "main"]), main);
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD~1"]), env.git(&tree, &["rev-parse", "main~1"]));
    ran(&env, &tree, &["vc", "push", "origin", "HEAD:refs/heads/side"], 0);
    assert_eq!(env.git(&remote, &["rev-parse", "side"]), env.git(&tree, &["rev-parse", "HEAD"]));
    // a pull with a branch argument works on a detached HEAD, too
    env.git(&tree, &["checkout", "-q", "--detach", "HEAD~1"]);
    ran(&env, &tree, &["vc", "pull", "origin", "side"], 0);
    assert_eq!(env.git(&remote, &["rev-parse", "side"]), env.git(&tree, &["rev-parse", "HEAD"]));
    assert_agreement(&env, &tree, "pulled");
}

#[test]
fn indices_of_every_kind_are_read_as_git_reads_them_and_written_so_that_it_can() {
    for script in ["index_v4", "split_index", "skip_hash"] {
        let Some((env, tree)) = with_tree(script) else { continue };
        assert_agreement(&env, &tree, script);
        let before = env.git(&tree, &["-c", "core.quotePath=false", "status", "--porcelain"]);
        assert!(!before.is_empty() && before.lines().count() < 6, "{before}");
        std::fs::write(tree.join("bread/new.md"), "# New\n").unwrap();
        ran(&env, &tree, &["vc", "add", "bread/new.md"], 0);
        assert_agreement(&env, &tree, script);
        ran(&env, &tree, &["vc", "commit", "-a", "-m", "by brv"], 0);
        assert_agreement(&env, &tree, script);
        // git continues with its own index format
        std::fs::write(tree.join("bread/newer.md"), "# Newer\n").unwrap();
        env.git(&tree, &["add", "bread/newer.md"]);
        env.git(&tree, &["commit", "-q", "-m", "by git"]);
        assert_agreement(&env, &tree, script);
        ran(&env, &tree, &["vc", "log", "-n", "2"], 0);
    }
}

#[test]
fn a_bare_repository_in_place_of_the_tree_is_refused() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "--bare", "project/.brv/context-tree/.git"]);
    let tree = env.path("project/.brv/context-tree");
    let before = picture(&env.path("project"), &|_| false);
    for verb in [&["vc", "status"][..], &["vc", "add", "."], &["vc", "pull"], &["init"]] {
        let ran = env.brv_in(&tree, verb);
        assert!([1, 6].contains(&ran.code), "{verb:?}: {} {}", ran.code, ran.stderr);
        assert!(ran.stderr.contains("bare"), "{verb:?}: {}", ran.stderr);
    }
    assert!(before == picture(&env.path("project"), &|_| false));
}

#[test]
fn a_host_repository_is_told_to_leave_the_tree_alone_and_is_never_written() {
    let env = Env::new();
    let host = env.path("host");
    env.git(env.root(), &["init", "-q", "host"]);
    env.commit(&host, &[("src/main.rs", "fn main() {}\n")]);
    ran(&env, &host, &["init"], 0);
    assert!(std::fs::read_to_string(host.join(".git/info/exclude")).unwrap().contains(".brv/\n"));
    assert_eq!(env.git(&host, &["status", "--porcelain"]), "");
    let before = picture(&host.join(".git"), &|_| false);
    let deep = host.join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(host.join(".brv/context-tree/a.md"), "# A\n").unwrap();
    // from anywhere in the project
    ran(&env, &deep, &["vc", "add", "a.md"], 0);
    ran(&env, &host.join("src"), &["vc", "commit", "-m", "first"], 0);
    assert_eq!(ran(&env, &host.join(".brv"), &["vc", "status", "--porcelain"], 0).stdout, "");
    assert!(before == picture(&host.join(".git"), &|_| false));
    ran(&env, &host, &["init", "--gitignore"], 0);
    assert!(std::fs::read_to_string(host.join(".gitignore")).is_ok_and(|text| text.contains(".brv/")));
}

#[test]
fn a_linked_work_tree_of_the_host_finds_the_main_ones_tree() {
    let env = Env::new();
    let host = env.path("host");
    env.git(env.root(), &["init", "-q", "host"]);
    env.commit(&host, &[("src/main.rs", "fn main() {}\n")]);
    ran(&env, &host, &["init"], 0);
    env.git(&host, &["worktree", "add", "-q", "../linked", "-b", "side"]);
    std::fs::write(host.join(".brv/context-tree/a.md"), "# A\n").unwrap();
    let linked = env.path("linked/src");
    ran(&env, &linked, &["vc", "add", "."], 0);
    ran(&env, &linked, &["vc", "commit", "-m", "from the linked one"], 0);
    assert_eq!(env.git(&host.join(".brv/context-tree"), &["log", "--format=%s"]), "from the linked one");
    assert!(!env.path("linked/.brv").exists());
    ran(&env, &env.path("linked"), &["init"], 0);
    assert!(!env.path("linked/.brv").exists(), "init there uses the same tree");
}

#[test]
fn a_hooks_variables_do_not_lead_brv_astray() {
    let env = project(&[("a.md", "# A\n")]);
    let host = env.path("host");
    env.git(env.root(), &["init", "-q", "host"]);
    env.commit(&host, &[("b.md", "b\n")]);
    let before = picture(&host, &|_| false);
    let variables: [(&str, PathBuf); 6] = [
        ("GIT_DIR", host.join(".git")),
        ("GIT_WORK_TREE", host.clone()),
        ("GIT_INDEX_FILE", host.join(".git/index")),
        ("GIT_OBJECT_DIRECTORY", host.join(".git/objects")),
        ("GIT_COMMON_DIR", host.join(".git")),
        ("GIT_PREFIX", PathBuf::from("sub/")),
    ];
    let plain = ["vc", "log", "--oneline"];
    let remote = env.bare("remote.git");
    let mut inside = env;
    for (name, value) in variables {
        inside = inside.with(name, value);
    }
    ran(&inside, inside.root(), &["vc", "add", "."], 0);
    ran(&inside, inside.root(), &["vc", "commit", "-m", "first"], 0);
    ran(&inside, inside.root(), &["vc", "remote", "add", "origin", remote.to_str().unwrap()], 0);
    ran(&inside, inside.root(), &["vc", "push", "-u", "origin", "main"], 0);
    ran(&inside, inside.root(), &["vc", "pull"], 0);
    assert!(ran(&inside, inside.root(), &plain, 0).stdout.contains("first"));
    assert!(before == picture(&host, &|_| false));
    let there = picture(&remote, &|_| false);
    assert!(there.keys().any(|path| path == "refs/heads/main"), "{:?}", there.keys());
}

#[test]
fn subfolders_name_paths_as_git_does() {
    let env = project(&[("a.md", "a\n"), ("x/b.md", "b\n"), ("x/y/c.md", "c\n")]);
    commit(&env, "first");
    write(&env, &[("a.md", "a2\n"), ("x/b.md", "b2\n"), ("x/y/c.md", "c2\n")]);
    let inside = env.path(".brv/context-tree/x");
    ran(&env, &inside, &["vc", "add", "b.md"], 0);
    ran(&env, &inside.join("y"), &["vc", "add", "."], 0);
    let tree = env.path(".brv/context-tree");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), " M a.md\nM  x/b.md\nM  x/y/c.md");
    ran(&env, &inside, &["vc", "add", "../a.md"], 0);
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "M  a.md\nM  x/b.md\nM  x/y/c.md");
}

#[cfg(unix)]
#[test]
fn a_tree_of_another_user_is_refused_by_every_verb() {
    let env = project(&[("a.md", "# A\n")]);
    let brv = env.path(".brv");
    if std::os::unix::fs::chown(&brv, Some(65_534), None).is_err() {
        println!("only root can give a folder away: not tried");
        return;
    }
    let before = picture(env.root(), &|_| false);
    for verb in VERBS {
        let ran = ran(&env, env.root(), verb, 6);
        assert!(ran.stderr.contains("another user"), "{verb:?}: {}", ran.stderr);
    }
    assert!(before == picture(env.root(), &|_| false));
}

#[test]
fn what_is_missing_has_a_word_and_a_code() {
    let env = Env::new();
    for verb in VERBS.iter().skip(1) {
        let said = ran(&env, env.root(), verb, 3);
        assert!(said.stderr.contains("brv init"), "{verb:?}: {}", said.stderr);
    }
    // files without a repository
    std::fs::create_dir_all(env.path(".brv/context-tree")).unwrap();
    std::fs::write(env.path(".brv/context-tree/a.md"), "# A\n").unwrap();
    let said = ran(&env, env.root(), &["vc", "status"], 3);
    assert!(said.stderr.contains("brv init"), "{}", said.stderr);
    let status = ran(&env, env.root(), &["vc", "status", "--json"], 3);
    assert_eq!(json(&status.stdout)["error"]["code"], "not_initialised");
}

#[test]
fn a_repository_damaged_in_one_place_is_told_and_not_made_worse() {
    let env = project(&[("a.md", "# A\n"), ("b.md", "# B\n")]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    std::fs::write(tree.join(".git/index"), "rubbish").unwrap();
    write(&env, &[("a.md", "# changed\n")]);
    let before = picture(&tree, &is_volatile);
    for verb in [&["vc", "status"][..], &["vc", "add", "."], &["vc", "commit", "-m", "x"]] {
        let ran = ran(&env, env.root(), verb, 1);
        assert!(ran.stderr.contains("index"), "{verb:?}: {}", ran.stderr);
    }
    assert!(before == picture(&tree, &is_volatile));
    std::fs::remove_file(tree.join(".git/index")).unwrap();
    ran(&env, env.root(), &["vc", "add", "."], 0);
    assert_agreement(&env, &tree, "an index made anew");
    std::fs::write(tree.join(".git/HEAD"), "rubbish").unwrap();
    let ran = env.brv(&["vc", "status"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
}

#[test]
fn a_clone_does_not_write_a_file_whose_linked_object_holds_other_bytes() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "source"]);
    let source = env.path("source");
    env.commit(&source, &[("a.md", "# A\n"), ("b.md", "# B\n")]);
    let object = |revision: &str| {
        let id = env.git(&source, &["rev-parse", revision]);
        source.join(".git/objects").join(&id.trim()[..2]).join(&id.trim()[2..])
    };
    let other = std::fs::read(object("HEAD:b.md")).unwrap();
    std::fs::remove_file(object("HEAD:a.md")).unwrap();
    std::fs::write(object("HEAD:a.md"), other).unwrap();
    let said = env.brv_in(env.root(), &["vc", "clone", source.to_str().unwrap(), "ours"]);
    assert_ne!(said.code, 0);
    assert!(said.stderr.contains("a.md") && said.stderr.contains("is damaged"), "{}", said.stderr);
    assert!(!env.path("ours/.brv/context-tree/a.md").exists());
}

#[test]
fn packs_that_come_while_a_repository_is_open_are_all_known() {
    let env = Env::new();
    let tree = env.path("tree");
    env.git(env.root(), &["init", "-q", "tree"]);
    env.commit(&tree, &[("a.md", "a\n")]);
    let scope = brv_git::open(&tree, "", crate::env::environment()).unwrap();
    for number in 0..40 {
        let id = env.commit(&tree, &[("a.md", &format!("{number}\n"))]);
        env.git(&tree, &["repack", "-q", "-d"]);
        let id = brv_git::CommitId::from_hex(&id).unwrap();
        assert_eq!(brv_git::history::read(&scope, id).unwrap().id, id, "pack {number}");
    }
}
