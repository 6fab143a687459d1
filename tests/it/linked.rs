//! Symlinks in place of tracked folders: a path through a symlink is outside the tree, for brv as for git. Nothing is
//! read, written or removed there.

use crate::derive::copy;
use crate::env::{Env, tree};
use crate::git_parity::Twins;
use crate::init::{commit, project};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const SECRET: &str = "TOPSECRET";

/// Tracked files at every depth below `sync`, and a folder of the same structure beside it.
const FILES: [(&str, &str); 6] = [
    ("auth/a.md", "# A\n"),
    ("other/exchange/deep/pull.md", "# Beside\n"),
    ("other/exchange/push.md", "# Beside\n"),
    ("sync/exchange/deep/pull.md", "# Pull\n"),
    ("sync/exchange/push.md", "# Push\n"),
    ("sync/top.md", "# Top\n"),
];

/// A folder outside, with other bytes under the names of those below `sync`.
fn secret(env: &Env) -> PathBuf {
    let outside = env.path("secret");
    for name in ["top.md", "exchange/push.md", "exchange/deep/pull.md", "deep/pull.md", "push.md", "pull.md"]
    {
        let file = outside.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, SECRET).unwrap();
    }
    outside
}

/// Every file below, with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default());
        }
    }
    found
}

fn replace_by_link(tree: &Path, folder: &str, target: impl AsRef<Path>) {
    std::fs::remove_dir_all(tree.join(folder)).unwrap();
    symlink(target, tree.join(folder)).unwrap();
}

/// The output of git, except for the link itself, which brv calls foreign.
fn recorded(status: &str) -> Vec<&str> {
    status.lines().filter(|line| !line.starts_with("??") && !line.starts_with("!!")).collect()
}

#[test]
fn what_is_behind_a_link_at_any_level_is_deleted_as_for_git_and_never_read() {
    for (folder, target) in [
        ("sync", "../../secret"),
        ("sync/exchange", "../../../secret"),
        ("sync/exchange/deep", "../../../../secret"),
        ("sync", "other"),
        ("sync/exchange", "../other/exchange"),
    ] {
        let env = project(&FILES);
        commit(&env, "first");
        let (tree, outside) = (tree(&env), secret(&env));
        replace_by_link(&tree, folder, target);
        let before = files(&outside);
        assert!(tree.join(folder).is_dir(), "the link to {target} leads somewhere");

        let ours = env.brv(&["vc", "status", "--porcelain"]).stdout;
        let theirs = env.git(&tree, &["status", "--porcelain", "-uall"]);
        assert_eq!(recorded(&ours), recorded(&theirs), "{folder} -> {target}");
        assert!(recorded(&ours).iter().all(|line| line.starts_with(" D ")), "{ours}");
        let diff = env.brv(&["vc", "diff"]);
        let names = env.git(&tree, &["diff", "--name-only"]);
        assert_eq!(diff.stdout.matches("\ndeleted file").count(), names.lines().count(), "{}", diff.stdout);
        for path in names.lines() {
            assert_eq!(env.brv(&["vc", "blame", path]).code, 2, "{path}");
            assert_eq!(env.brv(&["read", path]).code, 2, "{path}");
        }
        // named or not, the files are staged as deleted
        let first = names.lines().next().unwrap();
        assert_eq!(env.brv(&["vc", "add", first]).code, 0, "{first}");
        assert_eq!(env.git(&tree, &["diff", "--cached", "--name-status"]), format!("D\t{first}"));
        let ran = env.brv(&["vc", "commit", "-a", "-m", "second"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let changed = env.git(&tree, &["diff", "--name-status", "HEAD~1", "HEAD"]);
        let deleted: Vec<String> = names.lines().map(|path| format!("D\t{path}")).collect();
        assert_eq!(changed, deleted.join("\n"), "{folder} -> {target}");
        let objects = env.git(&tree, &["cat-file", "--batch-all-objects", "--batch"]);
        assert!(!objects.contains(SECRET), "{folder} -> {target}");
        assert_eq!(files(&outside), before);
        env.fsck(&tree);
    }
}

/// `nosync` has no `sync`, `edited` has another `sync/top.md`; `main` has the content of `FILES`.
fn moved_away() -> (Twins, PathBuf) {
    let twins = Twins::new(&FILES, |env, tree| {
        env.git(tree, &["switch", "-q", "-c", "edited"]);
        env.commit(tree, &[("sync/top.md", "# Edited\n")]);
        env.git(tree, &["switch", "-q", "-c", "nosync", "main"]);
        env.git(tree, &["rm", "-q", "-r", "sync"]);
        env.git(tree, &["commit", "-q", "-m", "no sync"]);
        env.git(tree, &["switch", "-q", "main"]);
    });
    let outside = twins.env.path("outside");
    for tree in [&twins.theirs, &twins.ours] {
        let _ = std::fs::remove_dir_all(&outside);
        std::fs::rename(tree.join("sync"), &outside).unwrap();
        symlink(&outside, tree.join("sync")).unwrap();
    }
    std::fs::write(outside.join("exchange/push.md"), "# Saved behind the link\n").unwrap();
    (twins, outside)
}

#[test]
fn a_switch_refuses_as_gits_where_a_link_stands_in_place_of_a_folder() {
    let (twins, outside) = moved_away();
    let before = files(&outside);
    let ran = twins.neither("switch nosync", 6);
    assert!(ran.stderr.contains("\n  sync\n"), "{}", ran.stderr);
    // here git replaces the link with a folder, and the link is gone
    for arguments in [["vc", "switch", "edited"], ["vc", "merge", "edited"]] {
        let ran = twins.env.brv(&arguments);
        assert_eq!(ran.code, 6, "{arguments:?} {}", ran.stderr);
        assert!(ran.stderr.contains("\n  sync\n"), "{arguments:?} {}", ran.stderr);
    }
    assert_eq!(twins.env.brv(&["derive"]).code, 0);
    twins.neither("switch nosync", 6);
    assert_eq!(files(&outside), before);
    // with force the link stays, and so does its target
    let ran = twins.both("checkout --force nosync");
    assert!(!ran.stderr.contains("changed by another program meanwhile"), "{}", ran.stderr);
    assert_eq!(files(&outside), before);
    assert!(twins.ours.join("sync").is_symlink());
    twins.neither("switch main", 6);
    assert_eq!(files(&outside), before);
}

#[test]
fn no_command_writes_or_removes_behind_a_link() {
    let (twins, outside) = moved_away();
    let (env, before) = (&twins.env, files(&outside));
    for arguments in [
        &["vc", "restore", "."][..],
        &["vc", "restore", "sync/top.md"],
        &["vc", "reset", "--hard"],
        &["vc", "switch", "--force", "edited"],
        &["vc", "mv", "auth/a.md", "sync/new.md"],
    ] {
        let ran = env.brv(arguments);
        assert_eq!((ran.code, files(&outside)), (6, before.clone()), "{arguments:?} {}", ran.stderr);
        assert_eq!(env.git(&twins.ours, &["diff", "--cached", "--name-only"]), "");
    }
    for arguments in [&["derive", "--all"][..], &["vc", "rm", "-r", "-f", "sync"], &["undo"]] {
        let ran = env.brv(arguments);
        assert_eq!((ran.code, files(&outside)), (0, before.clone()), "{arguments:?} {}", ran.stderr);
    }
    // once the folder is restored, everything is as before
    std::fs::remove_file(twins.ours.join("sync")).unwrap();
    std::fs::rename(&outside, twins.ours.join("sync")).unwrap();
    assert_eq!(env.brv(&["vc", "restore", "."]).code, 0);
    assert_eq!(env.git(&twins.ours, &["status", "--porcelain"]), "");
}

#[test]
fn a_tree_that_its_host_reaches_only_through_a_link_is_refused() {
    for folder in [".brv", ".brv/context-tree"] {
        let env = Env::new();
        env.git(env.root(), &["init", "-q"]);
        assert_eq!(env.brv(&["init", "-q", "--in-repo"]).code, 0);
        std::fs::write(tree(&env).join("a.md"), "# A\n").unwrap();
        commit(&env, "first");
        std::fs::rename(env.path(folder), env.path("outside")).unwrap();
        symlink(env.path("outside"), env.path(folder)).unwrap();
        std::fs::write(tree(&env).join("a.md"), SECRET).unwrap();
        for arguments in [
            &["vc", "status"][..],
            &["vc", "commit", "-a", "-m", "x"],
            &["derive"],
            &["init"],
            &["init", "--in-repo"],
        ] {
            let ran = env.brv(arguments);
            assert_eq!(ran.code, 6, "{folder} {arguments:?} {}", ran.stderr);
            assert!(ran.stderr.contains(&format!("{folder}` is a symbolic link")), "{}", ran.stderr);
        }
        assert_eq!(env.git(env.root(), &["log", "--format=%s"]), "first");
    }
}

/// What a clone of another user's repository can have in place of brv's files, each with the target of a link.
const TRACKED: [(&str, &str); 9] = [
    (".brv", "victim"),
    (".brv/config.yaml", "app.yaml"),
    (".brv/.config.lock", "new"),
    (".brv/context-tree", "victim"),
    (".brv/cache", "victim"),
    (".brv/cache/derive.lock", "app.yaml"),
    (".brv/cache/disputed", "app.yaml"),
    (".brv/cache/derived", "victim/cache/derived"),
    (".brv/cache/derived/ledger-3.2", "app.yaml"),
];

/// One command for each way to access `.brv`.
const COMMANDS: [&[&str]; 10] = [
    &["init"],
    &["init", "--in-repo"],
    &["derive"],
    &["status"],
    &["vc", "status"],
    &["vc", "add", "--all"],
    &["vc", "clone", "../team.git"],
    &["config", "list"],
    &["config", "set", "--project", "lock.timeout", "7"],
    &["undo"],
];

#[test]
fn no_part_of_brv_s_own_folder_is_followed_through_a_link() {
    let seed = project(&[("auth/a.md", "# A\n\nTokens live a day.\n")]);
    commit(&seed, "first");
    let env = Env::new();
    env.git(env.root(), &["clone", "-q", "--bare", tree(&seed).to_str().unwrap(), "team.git"]);
    let project = env.path("project");
    for (link, target) in TRACKED {
        copy(&seed.path(".brv"), &project.join("victim"));
        copy(&seed.path(".brv"), &project.join(".brv"));
        std::fs::write(project.join("app.yaml"), "lock:\n  timeout: 3\n").unwrap();
        let place = project.join(link);
        let _ = std::fs::remove_file(&place);
        let _ = std::fs::remove_dir_all(&place);
        symlink(project.join(target), &place).unwrap();
        refuses(&env, &project, link, &COMMANDS);
        std::fs::remove_dir_all(&project).unwrap();
    }
}

#[test]
fn nothing_is_made_behind_a_link_either() {
    for link in [".brv", ".brv/context-tree"] {
        let env = Env::new();
        let (project, victim) = (env.path("project"), env.path("victim"));
        std::fs::create_dir_all(project.join(".brv")).unwrap();
        let _ = std::fs::remove_dir(project.join(link));
        for target in [&victim, &env.path("nowhere")] {
            std::fs::create_dir_all(&victim).unwrap();
            symlink(target, project.join(link)).unwrap();
            refuses(&env, &project, link, &[&["init"], &["vc", "clone", "../team.git"]]);
            std::fs::remove_file(project.join(link)).unwrap();
        }
    }
}

/// Each command names the link and changes nothing.
fn refuses(env: &Env, project: &Path, link: &str, commands: &[&[&str]]) {
    let before = files(env.root());
    for arguments in commands {
        let ran = env.brv_in(project, arguments);
        assert_eq!(ran.code, 6, "{link} {arguments:?} {}{}", ran.stdout, ran.stderr);
        let said = format!("{link}` is a symbolic link");
        assert!(ran.stderr.contains(&said), "{link} {arguments:?} {}", ran.stderr);
        assert!(files(env.root()) == before, "{link} {arguments:?}");
    }
}

#[test]
fn a_link_above_the_project_is_the_user_s_own_way_to_it() {
    let env = project(&[("auth/a.md", "# A\n\nTokens live a day.\n")]);
    let other = Env::new();
    symlink(env.root(), other.path("way")).unwrap();
    for arguments in [&["vc", "add", "--all"][..], &["vc", "commit", "-m", "first"], &["derive"], &["status"]]
    {
        let ran = other.brv_in(&other.path("way"), arguments);
        assert_eq!(ran.code, 0, "{arguments:?} {}", ran.stderr);
        let folder = other.path("way").display().to_string();
        let ran = other.brv(&[&["-C", folder.as_str(), "vc", "status"][..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}
