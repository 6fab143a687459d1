//! Broken refs: empty files, files of sync programs and file managers, refs to missing objects, names that git refuses.
//! The ref of an interrupted command is moved aside.

use crate::env::{Env, Ran, tree};
use crate::init::project;
use std::path::Path;

/// What Windows and Google Drive put into folders.
const DESKTOP: &str =
    "[.ShellClassInfo]\r\nIconResource=C:\\Program Files\\Google\\Drive File Stream\\1\\x.ico,1\r\n";
const MISSING: &str = "1111111111111111111111111111111111111111\n";

fn ran(env: &Env, folder: &Path, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv_in(folder, arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// Puts files into `.git`, and a tree with two commits, a branch and a tag around them.
fn broken(files: &[(&str, &str)]) -> Env {
    let env = project(&[("a.md", "# A\n")]);
    env.commit(&tree(&env), &[("a.md", "# A\n\nOne.\n")]);
    env.commit(&tree(&env), &[("b.md", "# B\n")]);
    env.git(&tree(&env), &["branch", "good", "HEAD~1"]);
    env.git(&tree(&env), &["tag", "v1"]);
    for (path, text) in files {
        let path = tree(&env).join(".git").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    env
}

const BROKEN: [(&str, &str, &str); 9] = [
    ("refs/heads/empty", "", "its file names no object"),
    ("refs/heads/zeros", "\0\0\0\0\0\0\0\0\0\0", "its file names no object"),
    ("refs/desktop.ini", DESKTOP, ""),
    ("refs/heads/desktop.ini", DESKTOP, "its file names no object"),
    ("refs/tags/desktop.ini", DESKTOP, "its file names no object"),
    ("refs/heads/missing", MISSING, "its object is missing"),
    ("refs/tags/missing", MISSING, "its object is missing"),
    ("refs/heads/main (Ada's conflicted copy)", MISSING, "git does not allow the name"),
    // no warning, as in git: the branch may be still to come
    ("refs/heads/dangling", "ref: refs/heads/nowhere\n", ""),
];

#[test]
fn a_broken_ref_is_a_warning_and_every_command_goes_on() {
    for (name, text, reason) in BROKEN {
        let env = broken(&[(name, text)]);
        let at = |arguments: &[&str]| ran(&env, env.root(), arguments, 0);
        let warned = |said: &Ran, prefix: &str| {
            let is_there = said.stderr.contains(&format!("ignored the broken ref `{name}`: {reason}"));
            assert_eq!(is_there, name.starts_with(prefix) && !reason.is_empty(), "{name} {}", said.stderr);
        };
        let branches = at(&["vc", "branch"]);
        assert_eq!(branches.stdout, "  good\n* main\n", "{name}");
        warned(&branches, "refs/heads/");
        let tags = at(&["vc", "tag"]);
        assert_eq!(tags.stdout, "v1\n", "{name}");
        warned(&tags, "refs/tags/");
        assert!(at(&["vc", "log", "--json"]).stdout.contains("\"v1\""), "{name}");
        at(&["vc", "log", "--all", "--graph"]);
        at(&["vc", "status"]);
        at(&["vc", "switch", "-c", "other"]);
        at(&["vc", "switch", "main"]);
        at(&["vc", "branch", "-d", "other"]);
        at(&["vc", "tag", "v2"]);
        at(&["curate", "A fact.", "--into", "x", "--title", "T", "--reason", "r"]);
        at(&["undo"]);
        at(&["vc", "gc"]);
        let bare = env.bare("theirs.git");
        at(&["vc", "remote", "add", "origin", bare.to_str().unwrap()]);
        warned(&at(&["vc", "push", "--all", "origin"]), "refs/heads/");
        assert_eq!(
            env.git(&bare, &["for-each-ref", "--format=%(refname)"]),
            "refs/heads/good\nrefs/heads/main"
        );
        at(&["vc", "push", "-u", "origin", "main"]);
        env.git(env.root(), &["clone", "-q", bare.to_str().unwrap(), "other"]);
        env.commit(&env.path("other"), &[("c.md", "# C\n")]);
        env.git(&env.path("other"), &["push", "-q"]);
        at(&["vc", "pull"]);
        at(&["vc", "sync"]);
        assert_eq!(
            env.git(&bare, &["rev-parse", "main"]),
            env.git(&tree(&env), &["rev-parse", "main"]),
            "{name}"
        );
        // nothing was repaired behind the user's back
        assert_eq!(std::fs::read_to_string(tree(&env).join(".git").join(name)).unwrap(), text);
    }
}

#[test]
fn a_repository_with_a_broken_ref_is_cloned_and_fetched() {
    for (name, text, _) in &BROKEN[..5] {
        let env = broken(&[(name, text)]);
        let from = tree(&env);
        ran(&env, env.root(), &["vc", "clone", from.to_str().unwrap(), "cloned"], 0);
        env.commit(&from, &[("c.md", "# C\n")]);
        ran(&env, &env.path("cloned"), &["vc", "pull"], 0);
        assert!(env.path("cloned/.brv/context-tree/c.md").exists(), "{name}");
    }
}

#[test]
fn a_broken_tracking_ref_is_repaired_by_fetch_and_push() {
    let env = broken(&[]);
    let bare = env.bare("theirs.git");
    let at = |arguments: &[&str]| ran(&env, env.root(), arguments, 0);
    at(&["vc", "remote", "add", "origin", bare.to_str().unwrap()]);
    at(&["vc", "push", "-u", "origin", "main", "good"]);
    let damage = || std::fs::write(tree(&env).join(".git/refs/remotes/origin/main"), "").unwrap();
    for verb in [&["vc", "fetch"][..], &["vc", "push", "origin", "main"], &["vc", "pull"]] {
        damage();
        assert!(at(&["vc", "status"]).stderr.contains("ignored the broken ref `refs/remotes/origin/main`"));
        at(verb);
        assert_eq!(at(&["vc", "status"]).stderr, "", "{verb:?}");
        env.git(&tree(&env), &["diff", "--exit-code", "main", "origin/main"]);
    }
    std::fs::write(tree(&env).join(".git/refs/remotes/origin/main"), "ref: refs/remotes/origin/gone\n")
        .unwrap();
    at(&["vc", "status"]);
}

#[test]
fn gc_removes_nothing_while_a_ref_is_broken() {
    for (name, text, reason) in BROKEN.into_iter().filter(|(_, _, reason)| !reason.is_empty()) {
        let env = broken(&[(name, text)]);
        let lost = env.commit(&tree(&env), &[("lost.md", "# Only a broken ref had it\n")]);
        env.git(&tree(&env), &["reset", "-q", "--hard", "HEAD~1"]);
        env.git(&tree(&env), &["reflog", "expire", "--expire=now", "--all"]);
        std::fs::remove_file(tree(&env).join(".git/ORIG_HEAD")).unwrap();
        let said = ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0);
        assert!(said.stderr.contains(reason), "{}", said.stderr);
        env.git(&tree(&env), &["cat-file", "-e", &lost]);
        std::fs::remove_file(tree(&env).join(".git").join(name)).unwrap();
        ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0);
        assert_ne!(env.try_git(&tree(&env), &["cat-file", "-e", &lost]).code, 0, "{name}");
    }
}

const PENDING: &str = "refs/brv/pending";
const CURATE: &[&str] = &["curate", "A fact.", "--into", "x", "--title", "T", "--reason", "r"];

/// A tree whose pending ref names something that a test makes, or has the text that it returns.
fn pending(make: impl FnOnce(&Env, &Path) -> String) -> Env {
    let env = broken(&[]);
    let text = make(&env, &tree(&env));
    std::fs::create_dir_all(tree(&env).join(".git/refs/brv")).unwrap();
    std::fs::write(tree(&env).join(".git").join(PENDING), text).unwrap();
    env
}

/// The file below `.git`, or the ref, to which a command says that it moved the pending ref.
fn moved_to(said: &Ran) -> String {
    let (_, rest) = said.stderr.split_once(&format!("moved the broken ref `{PENDING}` to `")).unwrap();
    rest.split_once('`').unwrap().0.to_owned()
}

/// Reading commands warn; the next one that writes moves the ref aside, and those after it are silent.
fn assert_moves_aside(env: &Env, reason: &str) -> String {
    let at = |arguments: &[&str]| ran(env, env.root(), arguments, 0);
    let ignored = format!("ignored the broken ref `{PENDING}`: {reason}");
    for reading in [&["vc", "status"][..], &["status"]] {
        let said = at(reading).stderr;
        assert!(said.contains(&ignored), "{said}");
    }
    at(&["vc", "log"]);
    at(&["vc", "branch"]);
    let said = at(CURATE);
    let place = moved_to(&said);
    assert!(said.stderr.contains(&format!("`{place}`: {reason}")), "{}", said.stderr);
    for next in [&["vc", "branch", "other"][..], &["vc", "tag", "v2"], &["undo"], &["vc", "status"]] {
        assert!(!at(next).stderr.contains("broken ref"), "{next:?}");
    }
    env.fsck(&tree(env));
    place
}

#[test]
fn a_broken_ref_of_an_interrupted_command_is_moved_aside_with_its_bytes() {
    let zeros = "\0".repeat(41);
    let texts = [
        ("", "its file names no object"),
        (zeros.as_str(), "its file names no object"),
        (DESKTOP, "its file names no object"),
        ("ref: refs/heads/main\n", "its file names no object"),
        ("ref: refs/heads/nowhere\n", "its file names no object"),
        (MISSING, "its object is missing"),
    ];
    for (text, reason) in texts {
        let env = pending(|_, _| text.to_owned());
        let place = assert_moves_aside(&env, reason);
        assert_eq!(std::fs::read_to_string(tree(&env).join(".git").join(&place)).unwrap(), text);
        // another one does not take its place
        std::fs::write(tree(&env).join(".git").join(PENDING), "again").unwrap();
        let next = moved_to(&ran(&env, env.root(), &["vc", "tag", "v3"], 0));
        assert_ne!(next, place);
        assert_eq!(std::fs::read_to_string(tree(&env).join(".git").join(&place)).unwrap(), text);
    }
}

#[test]
fn an_object_that_is_no_operation_is_kept_by_another_ref() {
    for object in ["commit", "own commit", "tree", "blob", "tag"] {
        for packed in [false, true] {
            let env = pending(|env, tree| match object {
                "commit" => env.git(tree, &["rev-parse", "HEAD"]),
                "own commit" => {
                    ran(env, env.root(), CURATE, 0);
                    env.git(tree, &["rev-parse", "HEAD"])
                }
                "tree" => env.git(tree, &["rev-parse", "HEAD^{tree}"]),
                "blob" => env.git(tree, &["hash-object", "-w", "--no-filters", ".git/config"]),
                _ => {
                    let id = env.git(tree, &["rev-parse", "HEAD"]);
                    let text = format!("object {id}\ntype commit\ntag x\ntagger A <a> 1 +0000\n\nx\n");
                    std::fs::write(tree.join(".git/text"), text).unwrap();
                    env.git(tree, &["hash-object", "-t", "tag", "-w", ".git/text"])
                }
            } + "\n");
            let tree = tree(&env);
            let id = env.git(&tree, &["rev-parse", PENDING]);
            if packed {
                env.git(&tree, &["pack-refs", "--all"]);
                assert!(!tree.join(".git").join(PENDING).exists());
            }
            let place = match object {
                "own commit" => moved_to(&ran(&env, env.root(), &["vc", "tag", "v2"], 0)),
                _ => assert_moves_aside(&env, "it names no interrupted command of brv"),
            };
            ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0);
            assert_eq!(env.git(&tree, &["rev-parse", &place]), id, "{object}");
        }
    }
}

#[test]
fn a_packed_ref_of_an_interrupted_command_is_moved_aside_too() {
    let env = broken(&[]);
    let tree = tree(&env);
    let packed = tree.join(".git/packed-refs");
    env.git(&tree, &["pack-refs", "--all"]);
    let text = std::fs::read_to_string(&packed).unwrap();
    // before `refs/heads/`
    let (header, rest) = text.split_once('\n').unwrap();
    std::fs::write(&packed, format!("{header}\n{} {PENDING}\n{rest}", MISSING.trim())).unwrap();
    let place = assert_moves_aside(&env, "its object is missing");
    assert_eq!(std::fs::read_to_string(tree.join(".git").join(place)).unwrap(), MISSING);
    let text = std::fs::read_to_string(&packed).unwrap();
    assert!(!text.contains(PENDING) && text.contains("refs/heads/good"), "{text}");
}

#[test]
fn an_operation_below_a_broken_ref_of_its_name_is_completed() {
    let env = broken(&[]);
    let tree = tree(&env);
    ran(&env, env.root(), CURATE, 0);
    let operation =
        env.git(&tree, &["for-each-ref", "--format=%(refname)", "--sort=-refname", "refs/brv/ops"]);
    let operation = operation.lines().next().unwrap();
    env.git(&tree, &["update-ref", PENDING, operation]);
    env.git(&tree, &["update-ref", "-d", operation]);
    env.git(&tree, &["pack-refs", "--all"]);
    std::fs::write(tree.join(".git").join(PENDING), "").unwrap();
    let said = ran(&env, env.root(), &["vc", "tag", "v2"], 0);
    moved_to(&said);
    assert!(said.stderr.contains("an interrupted `curate` was completed"), "{}", said.stderr);
    env.git(&tree, &["rev-parse", operation]);
}

#[test]
fn an_operation_of_a_later_version_is_not_moved_aside() {
    let env = pending(|env, tree| {
        let message =
            "thing: x\n\nBrv-Op: 30000101T000000.000Z-00000001\nBrv-Kind: thing of a later version\n";
        env.git(tree, &["commit-tree", "-p", "HEAD", "-p", "HEAD", "-m", message, "HEAD^{tree}"])
    });
    let before = env.git(&tree(&env), &["rev-parse", PENDING]);
    let said = ran(&env, env.root(), CURATE, 1);
    assert!(said.stderr.contains("this version of brv cannot read operation"), "{}", said.stderr);
    assert_eq!(env.git(&tree(&env), &["rev-parse", PENDING]), before);
}

#[test]
fn what_a_forgotten_command_moved_aside_is_kept_and_so_are_all_objects() {
    let env = pending(|_, _| String::new());
    let tree = tree(&env);
    let tag = brv_git::held::tag("a.md".into());
    let put = |name: &str, text: &str| {
        std::fs::write(tree.join(format!("{}{name}", brv_base::fs::TEMPORARY_PREFIX)), text).unwrap();
    };
    put(&format!("{tag}-one"), "# A\n\nSaved meanwhile.\n");
    put(&format!("{tag}-two"), "# A\n\nOne.\n");
    put("0123456789abcdef-three", "# New\n");
    let lost = env.commit(&tree, &[("lost.md", "# Only the interrupted command had it\n")]);
    env.git(&tree, &["reset", "-q", "--hard", "HEAD~1"]);
    env.git(&tree, &["reflog", "expire", "--expire=now", "--all"]);
    std::fs::remove_file(tree.join(".git/ORIG_HEAD")).unwrap();
    ran(&env, env.root(), &["vc", "status"], 0);
    let place = moved_to(&ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0));
    let saved = |name: &str| std::fs::read_to_string(tree.join(name)).unwrap();
    assert_eq!(saved("a.md.saved"), "# A\n\nSaved meanwhile.\n");
    assert_eq!(saved("unnamed.saved"), "# New\n");
    assert!(!tree.join("a.md.saved-2").exists(), "the index has these bytes");
    let said = ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0);
    assert!(
        said.stderr.contains(&format!("kept all objects: nobody knows what the broken ref in `{place}`"))
    );
    env.git(&tree, &["cat-file", "-e", &lost]);
    std::fs::remove_file(tree.join(".git").join(place)).unwrap();
    ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0);
    assert_ne!(env.try_git(&tree, &["cat-file", "-e", &lost]).code, 0);
}
