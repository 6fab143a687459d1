//! Staged files that are not managed by brv are checked out like all others. Files that only a remote added are not,
//! unless they are requested by name.

use crate::env::{Env, Ran, tree};
use crate::init::{project, write};
use crate::undo::{last, state};
use std::path::{Path, PathBuf};

const IMAGE: &str = "\u{89}PNG\0image";

/// Run it; it must succeed.
fn done(env: &Env, line: &str) -> Ran {
    let ran = env.brv(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    assert!(!ran.stderr.contains("was not written to disk"), "{line}: {}", ran.stderr);
    ran
}

fn has(env: &Env, path: &str) -> bool {
    match std::fs::read(tree(env).join(path)) {
        Ok(bytes) => {
            assert_eq!(bytes, IMAGE.as_bytes(), "{path}");
            true
        }
        Err(_) => false,
    }
}

/// An entry that shows an image; both were added with brv, and committed.
fn with_image() -> Env {
    let env = project(&[]);
    let entry = "# A\n\n![flow](img/flow.png)\n";
    write(&env, &[("auth/a.md", entry), ("net/b.md", "# B\n"), ("auth/img/flow.png", IMAGE)]);
    done(&env, "vc add -f auth/img/flow.png");
    done(&env, "vc add .");
    done(&env, "vc commit -q -m images");
    env
}

fn all_is_clean(env: &Env) {
    assert_eq!(env.git(&tree(env), &["status", "--porcelain"]), "");
    assert!(!env.git(&tree(env), &["ls-files", "-t"]).contains("S "));
    env.fsck(&tree(env));
}

/// The bare remote, which has all of `main`.
fn pushed(env: &Env) -> PathBuf {
    let remote = env.bare("remote.git");
    done(env, &format!("vc remote add origin {}", remote.to_str().unwrap()));
    done(env, "vc push -q -u origin main");
    remote
}

/// A clone of it, in which the image stays in the commit.
fn cloned(env: &Env, remote: &Path) -> (PathBuf, PathBuf) {
    let folder = env.path("other");
    std::fs::create_dir(&folder).unwrap();
    let ran = env.brv_in(&folder, &["vc", "clone", remote.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let clone = folder.join(".brv/context-tree");
    assert!(!clone.join("auth/img").exists(), "a file from a remote stays in the commit");
    (folder, clone)
}

#[test]
fn an_image_that_was_moved_or_removed_comes_back_by_undo_and_goes_by_redo() {
    for line in ["vc mv auth/img net/img", "vc rm -q auth/img/flow.png"] {
        let env = with_image();
        pushed(&env);
        let recorded = || env.git(&tree(&env), &["ls-files", "-s"]);
        let before = recorded();
        done(&env, line);
        done(&env, "vc commit -q -m gone");
        done(&env, "vc push -q");
        let (moved, after) = (has(&env, "net/img/flow.png"), recorded());
        for _ in 0..2 {
            done(&env, &format!("undo {}", last(&env)));
            assert!(has(&env, "auth/img/flow.png") && !has(&env, "net/img/flow.png"), "{line}");
            assert_eq!(recorded(), before, "{line}");
            all_is_clean(&env);
            done(&env, &format!("undo {}", last(&env)));
            assert!(!has(&env, "auth/img/flow.png"), "{line}");
            assert_eq!((has(&env, "net/img/flow.png"), recorded()), (moved, after.clone()), "{line}");
            all_is_clean(&env);
        }
    }
}

#[test]
fn an_image_that_nobody_else_has_comes_back_by_undo_of_commit_and_removal() {
    for line in ["vc mv auth/img net/img", "vc rm -q auth/img/flow.png"] {
        let env = with_image();
        let before = state(&env, &tree(&env));
        done(&env, line);
        done(&env, "vc commit -q -m gone");
        done(&env, "undo");
        done(&env, "undo");
        assert_eq!(state(&env, &tree(&env)), before, "{line}");
        assert!(has(&env, "auth/img/flow.png"), "{line}");
        all_is_clean(&env);
    }
}

#[test]
fn an_image_is_there_again_on_the_branch_that_has_it() {
    let env = with_image();
    done(&env, "vc switch -q -c other");
    done(&env, "vc rm -q auth/img/flow.png");
    done(&env, "vc commit -q -m gone");
    for (there, back) in [
        ("vc switch main", "vc switch other"),
        ("vc switch --force main", "vc switch --force other"),
        ("vc checkout main", "vc checkout other"),
        ("vc reset --hard main", "undo"),
        ("vc revert HEAD", "undo"),
        ("vc restore --source main auth/img/flow.png", "undo"),
        ("vc restore --source main --staged --worktree auth", "undo"),
    ] {
        done(&env, there);
        assert!(has(&env, "auth/img/flow.png"), "{there}");
        done(&env, back);
        assert!(!has(&env, "auth/img/flow.png"), "{back} after {there}");
        all_is_clean(&env);
    }
    done(&env, "vc switch main");
    done(&env, "undo");
    assert!(!has(&env, "auth/img/flow.png"));
    done(&env, &format!("undo {}", last(&env)));
    assert!(has(&env, "auth/img/flow.png"));
    all_is_clean(&env);
}

#[test]
fn an_image_that_only_git_recorded_comes_back_too() {
    let env = project(&[]);
    env.commit(&tree(&env), &[("a.md", "# A\n"), ("a.png", IMAGE)]);
    env.git(&tree(&env), &["switch", "-q", "-c", "other"]);
    env.git(&tree(&env), &["rm", "-q", "a.png"]);
    env.git(&tree(&env), &["commit", "-q", "-m", "gone"]);
    env.git(&tree(&env), &["switch", "-q", "main"]);
    done(&env, "vc switch other");
    assert!(!has(&env, "a.png"));
    done(&env, "vc switch main");
    assert!(has(&env, "a.png"));
    all_is_clean(&env);
}

#[test]
fn what_was_edited_and_given_up_by_force_comes_back_by_undo() {
    let env = with_image();
    write(&env, &[("auth/img/flow.png", "edited\0")]);
    for line in ["vc reset --hard", "vc restore auth/img/flow.png", "vc restore ."] {
        let ran = done(&env, line);
        assert!(has(&env, "auth/img/flow.png"), "{line}: {}", ran.stdout);
        done(&env, "undo");
        let here = std::fs::read(tree(&env).join("auth/img/flow.png")).unwrap();
        assert_eq!(here, b"edited\0", "{line}");
    }
}

#[test]
fn what_a_remote_brought_stays_in_the_commit_until_it_is_asked_for_by_name() {
    let env = with_image();
    let (folder, clone) = cloned(&env, &pushed(&env));
    let run = |line: &str| {
        let ran = env.brv_in(&folder, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        ran
    };
    let is_there = || clone.join("auth/img/flow.png").exists();
    for line in [
        "vc switch -q -c other",
        "vc rm -q auth/a.md",
        "vc commit -q -m gone",
        "vc switch main",
        "vc reset --hard HEAD",
        "vc mv auth safe",
        "undo",
    ] {
        run(line);
        assert!(!is_there() && !clone.join("safe/img").exists(), "{line}");
    }
    let operation = last_in(&env, &clone);
    for line in ["vc restore auth", "vc restore ."] {
        let ran = run(line);
        assert_eq!(ran.stdout, "Nothing to restore.\n", "{line}");
        assert!(ran.stderr.contains("`auth/img/flow.png` is in the commit"), "{line}: {}", ran.stderr);
        assert!(!is_there(), "{line}");
    }
    assert_eq!(last_in(&env, &clone), operation, "nothing was done, so no operation is logged");
    let ran = run("vc restore auth/img/flow.png");
    assert!(ran.stdout.starts_with("Restored 1 file."), "{}", ran.stdout);
    assert!(is_there());
    assert_eq!(env.git(&clone, &["ls-files", "-t", "auth/img"]), "H auth/img/flow.png");
    assert_eq!(env.git(&clone, &["status", "--porcelain"]), "");
    run("vc switch other");
    run("vc rm -q auth/img/flow.png");
    run("vc commit -q -m none");
    assert!(!is_there());
    run("vc switch main");
    assert!(is_there(), "from then on it is a local file");
}

#[test]
fn what_no_entry_may_be_is_written_byte_for_byte_where_it_is_asked_for_by_name() {
    let large = "x".repeat((1 << 20) + 1);
    for bytes in [&b"---\ntitle: L\n---\n\ncaf\xe9\n"[..], b"# A\0\n", large.as_bytes()] {
        let env = with_image();
        std::fs::write(tree(&env).join("net/c.md"), bytes).unwrap();
        env.git(&tree(&env), &["add", "net/c.md"]);
        env.git(&tree(&env), &["commit", "-q", "-m", "c"]);
        let (folder, clone) = cloned(&env, &pushed(&env));
        let file = clone.join("net/c.md");
        let run = |line: &str| {
            let ran = env.brv_in(&folder, &line.split(' ').collect::<Vec<_>>());
            assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
            ran
        };
        let typed = || std::fs::write(&file, "typed\n").unwrap();
        let is_typed = || std::fs::read(&file).is_ok_and(|now| now == b"typed\n");
        assert!(!file.exists());
        typed();
        for line in ["vc restore net", "vc restore ."] {
            run(line);
            assert!(is_typed(), "{line}");
        }
        for line in ["vc restore net/c.md", "vc checkout -- net/c.md", "vc restore -s HEAD -SW net/c.md"] {
            for is_there in [true, false] {
                if is_there {
                    typed();
                }
                let ran = run(line);
                assert!(ran.stdout.starts_with("Restored 1 file"), "{line}: {}", ran.stdout);
                assert!(!ran.stderr.contains("was not written"), "{line}: {}", ran.stderr);
                assert!(std::fs::read(&file).unwrap() == bytes, "{line}");
                let hash = env.git(&clone, &["hash-object", "net/c.md"]);
                assert_eq!(env.git(&clone, &["rev-parse", "HEAD:net/c.md"]), hash, "{line}");
                assert_eq!(env.git(&clone, &["status", "--porcelain"]), "", "{line}");
                run("undo");
                assert_eq!((file.exists(), is_typed()), (is_there, is_there), "{line}");
                if is_there {
                    std::fs::remove_file(&file).unwrap();
                }
            }
        }
    }
}

#[test]
fn what_is_kept_off_the_disk_can_be_removed_committed_and_recorded_anew_by_name() {
    let env = with_image();
    let (folder, clone) = cloned(&env, &pushed(&env));
    let run = |line: &str| env.brv_in(&folder, &line.split(' ').collect::<Vec<_>>());
    let flags = || env.git(&clone, &["ls-files", "-t", "auth/img"]);
    let ran = run("vc commit -m none auth/img/flow.png");
    assert!(!ran.stderr.contains("matches no"), "{}", ran.stderr);
    for line in ["vc rm auth/img/flow.png", "vc rm --cached auth/img/flow.png"] {
        let ran = run(line);
        assert_eq!((ran.code, flags()), (0, String::new()), "{line}: {}", ran.stderr);
        let ran = run("undo");
        assert_eq!((ran.code, flags().as_str()), (0, "S auth/img/flow.png"), "{line}: {}", ran.stderr);
    }
    std::fs::create_dir_all(clone.join("auth/img")).unwrap();
    std::fs::write(clone.join("auth/img/flow.png"), "mine\0").unwrap();
    let ran = run("vc add auth/img/flow.png");
    assert!(ran.code != 0 && ran.stderr.contains("it is not managed by brv"), "{}", ran.stderr);
    let ran = run("vc add -f auth/img/flow.png");
    assert_eq!((ran.code, flags().as_str()), (0, "H auth/img/flow.png"), "{}", ran.stderr);
    assert_eq!(env.git(&clone, &["status", "--porcelain"]), "M  auth/img/flow.png");
    assert_eq!(env.git(&clone, &["show", ":auth/img/flow.png"]), "mine\0");
}

#[test]
fn what_is_kept_off_the_disk_is_so_again_after_an_undo_and_gives_way_to_nothing() {
    let env = with_image();
    write(&env, &[("net/big.md", &format!("# Big\n\n{}\n", "much too long ".repeat(100_000)))]);
    env.git(&tree(&env), &["add", "net/big.md"]);
    env.git(&tree(&env), &["commit", "-q", "-m", "big"]);
    let remote = pushed(&env);
    let (folder, clone) = cloned(&env, &remote);
    let brv = |line: &str| env.brv_in(&folder, &line.split(' ').collect::<Vec<_>>());
    let seen = || (env.git(&clone, &["ls-files", "-t"]), env.git(&clone, &["status", "--porcelain"]));
    let before = seen();
    assert!(before.0.contains("S net/big.md") && before.0.contains("S auth/img/flow.png"), "{}", before.0);
    for line in
        ["vc reset --hard HEAD~1", "vc reset HEAD~1", "vc restore --staged --source HEAD~1 net/big.md"]
    {
        assert_eq!(brv(line).code, 0, "{line}");
        assert_ne!(seen().0, before.0, "{line}");
        let ran = brv("undo");
        assert_eq!((ran.code, seen()), (0, before.clone()), "{line} {}", ran.stderr);
    }
    let ran = brv("vc mv net/b.md net/big.md");
    assert_eq!((ran.code, seen()), (6, before), "{}{}", ran.stdout, ran.stderr);
}

fn last_in(env: &Env, tree: &Path) -> String {
    env.git(tree, &["for-each-ref", "--count=1", "--sort=-refname", "--format=%(refname)", "refs/brv/ops"])
}

#[test]
fn an_edit_that_no_entry_may_be_comes_back_by_undo_whatever_took_it_away() {
    let large = "x".repeat((1 << 20) + 1);
    for bytes in [&b"raw \xff\xfe\n"[..], b"# A\0\n", large.as_bytes()] {
        for line in [
            "vc reset --hard",
            "vc switch --force other",
            "vc restore auth/a.md",
            "vc checkout auth/a.md",
            "vc rm -q -f auth/a.md",
        ] {
            let env = with_image();
            done(&env, "vc branch other");
            let path = tree(&env).join("auth/a.md");
            let recorded = std::fs::read(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
            done(&env, line);
            let after = std::fs::read(&path).ok();
            assert_eq!(after.is_some(), !line.contains(" rm "), "{line}");
            assert!(after.is_none_or(|bytes| bytes == recorded), "{line}");
            for _ in 0..2 {
                done(&env, &format!("undo {}", last(&env)));
                assert!(std::fs::read(&path).is_ok_and(|now| now == bytes), "{line}");
                assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), " M auth/a.md", "{line}");
                done(&env, &format!("undo {}", last(&env)));
                assert!(std::fs::read(&path).ok().is_none_or(|bytes| bytes == recorded), "{line}");
            }
        }
    }
}

#[test]
fn a_file_that_was_never_recorded_and_no_entry_may_be_comes_back_too() {
    let env = with_image();
    done(&env, "vc switch -q -c other");
    write(&env, &[("net/c.md", "# C\n")]);
    done(&env, "vc add .");
    done(&env, "vc commit -q -m c");
    done(&env, "vc switch -q main");
    let path = tree(&env).join("net/c.md");
    std::fs::write(&path, b"mine \xff\n").unwrap();
    done(&env, "vc switch --force other");
    assert_eq!(std::fs::read(&path).unwrap(), b"# C\n");
    done(&env, "undo");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine \xff\n");
}
