//! Edge cases of `brv vc add`: which paths are rejected by name, which are accepted. git checks every outcome.

use crate::env::{Env, Ran, tree};
use crate::init::{commit, project, write};
use crate::lab::assert_agreement;

fn add(env: &Env, arguments: &[&str]) -> Ran {
    let arguments: Vec<&str> = ["vc", "add"].iter().chain(arguments).copied().collect();
    let ran = env.brv_in(&tree(env), &arguments);
    assert_agreement(env, &tree(env), &format!("{arguments:?}"));
    ran
}

fn staged(env: &Env) -> String {
    env.git(&tree(env), &["-c", "core.quotePath=false", "diff", "--cached", "--name-status", "--no-renames"])
}

#[test]
fn files_that_are_no_knowledge_by_their_bytes_are_refused_by_name_and_the_rest_is_taken() {
    let env = project(&[("good.md", "# Good\n")]);
    let tree = tree(&env);
    std::fs::write(tree.join("latin.md"), b"caf\xe9\n").unwrap();
    std::fs::write(tree.join("zero.md"), b"a\0b\n").unwrap();
    std::fs::write(tree.join("big.md"), vec![b'x'; 1_153_434]).unwrap();
    std::fs::write(tree.join("limit.md"), vec![b'x'; 1 << 20]).unwrap();
    let status = env.brv_in(&tree, &["vc", "status"]).stdout;
    let (untracked, foreign) = status.split_once("\nFiles that cannot be added:\n").unwrap();
    assert!(!status.contains("--force"), "{status}");
    assert!(untracked.contains("good.md") && untracked.contains("limit.md"), "{status}");
    for line in [
        "(not valid UTF-8)\n\tlatin.md\n",
        "(contains a NUL byte)\n\tzero.md\n",
        "(larger than 1 MiB)\n\tbig.md\n",
    ] {
        assert!(foreign.contains(line), "{line}: {status}");
    }
    assert!(env.brv(&["status", "--json"]).stdout.contains(r#""entries":2"#));
    for arguments in [&["."][..], &["--all"]] {
        let ran = add(&env, arguments);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        for words in
            ["`latin.md`: it is not valid UTF-8", "`zero.md`: it has a NUL byte", "`big.md`: it is larger"]
        {
            assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        }
        assert_eq!(staged(&env), "A\tgood.md\nA\tlimit.md");
    }
    assert_eq!(
        add(&env, &["--force", "latin.md"]).code,
        1,
        "--force is about the kind of file, not about its bytes"
    );
}

#[cfg(unix)]
#[test]
fn what_looks_like_knowledge_and_is_left_out_is_named() {
    let env = project(&[("good.md", "# Good\n"), ("LOUD.MD", "# Loud\n"), ("picture.png", "p")]);
    let tree = tree(&env);
    std::os::unix::fs::symlink("good.md", tree.join("link.md")).unwrap();
    std::os::unix::fs::symlink("good.md", tree.join("link")).unwrap();
    env.git(&tree, &["init", "-q", "inner"]);
    let ran = env.brv_in(&tree, &["vc", "add", "."]);
    let refused: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(
        refused,
        [
            "warning: `LOUD.MD`: its name ends with `.MD`, not with `.md`",
            "warning: `inner`: it is not a regular file",
            "warning: `link.md`: it is not a regular file",
        ]
    );
    assert_eq!((ran.code, staged(&env).as_str()), (0, "A\tgood.md"));
}

#[cfg(unix)]
#[test]
fn paths_that_would_not_arrive_everywhere_are_refused_with_the_rule() {
    let env = project(&[("good.md", "# Good\n")]);
    let long = format!("{}.md", "x".repeat(198));
    let names: [(&str, &str); 8] = [
        ("CON.md", "device"),
        ("a:b.md", "not portable"),
        ("trailing /x.md", "dot or a space"),
        ("dot./x.md", "dot or a space"),
        ("cafe\u{301}.md", "form C"),
        ("back\\slash.md", "not portable"),
        ("escape\u{1b}[31m.md", "not portable"),
        (&long, "200 bytes"),
    ];
    for (name, _) in &names {
        write(&env, &[(name, "# X\n")]);
    }
    use std::os::unix::ffi::OsStrExt as _;
    std::fs::write(tree(&env).join(std::ffi::OsStr::from_bytes(b"latin\xe9.md")), "# X\n").unwrap();
    let ran = env.brv_in(&tree(&env), &["vc", "add", "--all"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for (name, rule) in names {
        assert!(ran.stderr.lines().any(|line| line.contains(rule)), "{name}: {}", ran.stderr);
    }
    assert!(ran.stderr.contains("`latin"), "{}", ran.stderr);
    crate::lab::assert_harmless(&ran);
    assert_eq!(staged(&env), "A\tgood.md");
    env.fsck(&tree(&env));
    crate::lab::assert_harmless(&env.brv_in(&tree(&env), &["vc", "status"]));
    assert_eq!(env.brv_in(&tree(&env), &["vc", "add", "--force", "CON.md"]).code, 1);
}

#[cfg(unix)]
#[test]
fn twins_in_case_are_refused_against_disk_and_index() {
    let env = project(&[("notes/a.md", "# A\n")]);
    commit(&env, "first");
    write(&env, &[("notes/A.md", "# A\n"), ("Notes/b.md", "# B\n")]);
    let ran = add(&env, &["--all"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("`notes/A.md`: it differs from `notes/a.md` only in case"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`Notes/b.md`"), "a folder that differs in case: {}", ran.stderr);
    assert_eq!(staged(&env), "");
    for name in ["notes/A.md", "Notes/b.md"] {
        std::fs::remove_file(tree(&env).join(name)).unwrap();
    }
    std::fs::remove_dir(tree(&env).join("Notes")).unwrap();
    std::fs::rename(tree(&env).join("notes"), tree(&env).join("Notes")).unwrap();
    let ran = add(&env, &["Notes"]);
    assert_eq!(ran.code, 1, "the index keeps the old spelling: {}", ran.stdout);
    assert_eq!(add(&env, &["--all"]).code, 0, "the spelling of a folder may change");
    assert_eq!(staged(&env), "A\tNotes/a.md\nD\tnotes/a.md");
}

#[cfg(unix)]
#[test]
fn links_devices_and_repositories_inside_are_never_taken() {
    let env = project(&[("a.md", "# A\n"), ("real/x.md", "# X\n")]);
    let tree = tree(&env);
    std::os::unix::fs::symlink("a.md", tree.join("link.md")).unwrap();
    std::os::unix::fs::symlink("real", tree.join("folder")).unwrap();
    env.git(&tree, &["init", "-q", "inside"]);
    env.commit(&tree.join("inside"), &[("x.md", "# X\n")]);
    let ran = env.brv_in(&tree, &["vc", "add", "--all"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(staged(&env), "A\ta.md\nA\treal/x.md");
    for name in ["link.md", "folder", "inside"] {
        let ran = env.brv_in(&tree, &["vc", "add", name, "--force"]);
        assert_eq!(ran.code, 1, "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("not a regular file"), "{name}: {}", ran.stderr);
    }
    for name in ["folder/x.md", "inside/x.md"] {
        let ran = env.brv_in(&tree, &["vc", "add", name]);
        assert_ne!(ran.code, 0, "{name}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(staged(&env), "A\ta.md\nA\treal/x.md");
    env.fsck(&tree);
}

#[test]
fn foreign_and_ignored_files_need_force_and_brvs_derived_ones_are_never_taken() {
    let env = project(&[
        ("a.md", "# A\n"),
        ("tool.exe", "MZ"),
        ("draft/x.md", "# X\n"),
        (".gitignore", "draft/\n"),
        ("other.abstract.md", "theirs\n"),
    ]);
    assert_eq!(env.brv(&["derive"]).code, 0);
    let ran = add(&env, &["."]);
    assert_eq!(ran.code, 0, "a skipped path is not a failure: {}", ran.stderr);
    assert_eq!(staged(&env), "A\t.gitignore\nA\ta.md");
    for (name, words) in [
        ("tool.exe", "not managed by brv"),
        ("draft/x.md", "ignored"),
        ("_index.md", "derived"),
        ("a.abstract.md", "derived"),
        ("other.abstract.md", "derived"),
    ] {
        let ran = add(&env, &[name]);
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{name}: {}", ran.stderr);
    }
    assert_eq!(add(&env, &["--force", "tool.exe", "draft/x.md", "other.abstract.md"]).code, 0);
    assert_eq!(add(&env, &["--force", "_index.md"]).code, 1);
    assert_eq!(staged(&env), "A\t.gitignore\nA\ta.md\nA\tdraft/x.md\nA\tother.abstract.md\nA\ttool.exe");
}

#[test]
fn deletions_are_recorded_by_name_by_folder_and_with_all() {
    let env = project(&[("a.md", "a\n"), ("x/b.md", "b\n"), ("x/c.md", "c\n"), ("d.md", "d\n")]);
    commit(&env, "first");
    for name in ["a.md", "x/b.md", "x/c.md", "d.md"] {
        std::fs::remove_file(tree(&env).join(name)).unwrap();
    }
    assert_eq!(add(&env, &["a.md"]).code, 0);
    assert_eq!(staged(&env), "D\ta.md");
    assert_eq!(add(&env, &["x"]).code, 0);
    assert_eq!(staged(&env), "D\ta.md\nD\tx/b.md\nD\tx/c.md");
    assert_eq!(add(&env, &["--all"]).code, 0);
    assert_eq!(staged(&env), "D\ta.md\nD\td.md\nD\tx/b.md\nD\tx/c.md");
    assert_eq!(add(&env, &["a.md"]).code, 2, "as in git, a path that is neither on disk nor tracked");
}

#[cfg(unix)]
#[test]
fn mode_755_reads_as_644() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = project(&[("a.md", "a\n")]);
    std::fs::set_permissions(tree(&env).join("a.md"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(add(&env, &["."]).code, 0);
    assert!(env.git(&tree(&env), &["ls-files", "-s"]).starts_with("100644 "));
    commit(&env, "first");
    std::fs::set_permissions(tree(&env).join("a.md"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_agreement(&env, &tree(&env), "mode");
}

#[test]
fn a_file_gives_way_to_a_folder_and_back() {
    let env = project(&[("x.md", "file\n"), ("y.md", "y\n")]);
    commit(&env, "file");
    let tree = tree(&env);
    std::fs::remove_file(tree.join("x.md")).unwrap();
    write(&env, &[("x.md/inner.md", "inner\n")]);
    assert_eq!(add(&env, &["--all"]).code, 0);
    assert_eq!(staged(&env), "D\tx.md\nA\tx.md/inner.md");
    commit(&env, "folder");
    assert_agreement(&env, &tree, "folder");
    std::fs::remove_dir_all(tree.join("x.md")).unwrap();
    write(&env, &[("x.md", "file again\n")]);
    assert_eq!(add(&env, &["x.md"]).code, 0);
    assert_eq!(staged(&env), "A\tx.md\nD\tx.md/inner.md");
    commit(&env, "file again");
    assert_agreement(&env, &tree, "file again");
    assert_eq!(env.git(&tree, &["ls-tree", "-r", "--name-only", "HEAD"]), "x.md\ny.md");
}

#[test]
fn line_ends_and_byte_order_marks_stay_as_they_are() {
    let env = project(&[]);
    let tree = tree(&env);
    let files: [(&str, &[u8]); 4] = [
        ("crlf.md", b"# A\r\n\r\nb\r\n"),
        ("mixed.md", b"a\r\nb\nc\r"),
        ("bom.md", b"\xef\xbb\xbf# A\r\n"),
        ("none.md", b"no line end"),
    ];
    // user settings that git would obey
    env.git(&tree, &["config", "--global", "core.autocrlf", "input"]);
    for (name, bytes) in files {
        std::fs::write(tree.join(name), bytes).unwrap();
    }
    std::fs::write(tree.join(".gitattributes"), "* text=auto eol=crlf\n").unwrap();
    assert_eq!(add(&env, &["."]).code, 0);
    commit(&env, "bytes");
    assert_agreement(&env, &tree, "bytes");
    for (name, bytes) in files {
        let shown =
            env.git_command(&tree).args(["cat-file", "blob", &format!("HEAD:{name}")]).output().unwrap();
        assert_eq!(shown.stdout, bytes, "{name}");
    }
}

#[test]
fn edits_within_one_tick_of_the_clock_and_of_equal_length_are_seen() {
    let env = project(&[("a.md", "aaaa\n"), ("b.md", "aaaa\n")]);
    commit(&env, "first");
    for text in ["bbbb\n", "cccc\n", "dddd\n"] {
        write(&env, &[("a.md", text)]);
        assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
        write(&env, &[("a.md", "eeee\n"), ("b.md", text)]);
        let seen = env.brv(&["vc", "status", "--porcelain"]).stdout;
        assert_eq!(seen, "MM a.md\n M b.md\n", "{text}");
        assert_agreement(&env, &tree(&env), text);
        assert_eq!(env.brv(&["vc", "commit", "-a", "-m", text]).code, 0);
        assert_eq!(
            env.git(&tree(&env), &["show", "HEAD:a.md", "HEAD:b.md"]),
            format!("eeee\n{}", text.trim_end())
        );
        write(&env, &[("b.md", "aaaa\n")]);
        assert_eq!(env.brv(&["vc", "commit", "-a", "-m", "back"]).code, 0);
    }
}

#[test]
fn adding_a_file_in_conflict_decides_it() {
    let env = project(&[("a.md", "base\n"), ("b.md", "base\n"), ("c.md", "base\n")]);
    commit(&env, "base");
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "side"]);
    env.commit(&tree, &[("a.md", "side\n"), ("b.md", "side\n"), ("c.md", "side\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("a.md", "main\n"), ("b.md", "main\n"), ("c.md", "main\n")]);
    assert_eq!(env.try_git(&tree, &["merge", "-q", "side"]).code, 1);
    assert_agreement(&env, &tree, "in conflict");
    let ran = env.brv(&["vc", "commit", "-m", "too early"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    write(&env, &[("a.md", "decided\n"), ("b.md", "base\n")]);
    std::fs::remove_file(tree.join("c.md")).unwrap();
    assert_eq!(add(&env, &["a.md"]).code, 0);
    assert_eq!(add(&env, &["b.md"]).code, 0, "also with the bytes of one side");
    assert_eq!(add(&env, &["c.md"]).code, 0, "also by deleting it");
    assert_eq!(env.git(&tree, &["ls-files", "-u"]), "");
    let ran = env.brv(&["vc", "commit"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD^2"]), env.git(&tree, &["rev-parse", "side"]));
    assert_eq!(env.git(&tree, &["show", "HEAD:a.md", "HEAD:b.md"]), "decided\nbase");
    assert_agreement(&env, &tree, "decided");
}

#[test]
fn a_dry_run_records_nothing_and_paths_outside_are_refused() {
    let env = project(&[("a.md", "a\n")]);
    let before = std::fs::read(tree(&env).join(".git/index")).ok();
    let ran = env.brv(&["vc", "add", "--dry-run", "--all"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(std::fs::read(tree(&env).join(".git/index")).ok(), before);
    for path in ["..", "/etc/passwd", "../../outside.md", ".git/config", ""] {
        let ran = env.brv_in(&tree(&env), &["vc", "add", path]);
        assert_eq!(ran.code, 2, "{path:?}: {}{}", ran.stdout, ran.stderr);
    }
}

/// Files that are changed, deleted, new, staged and changed, inside and outside a folder.
fn mixed() -> Env {
    let env =
        project(&[("auth/a.md", "old\n"), ("auth/b.md", "old\n"), ("c.md", "old\n"), ("d.md", "old\n")]);
    commit(&env, "first");
    write(&env, &[("d.md", "staged\n")]);
    env.git(&tree(&env), &["add", "d.md"]);
    write(&env, &[("auth/a.md", "new\n"), ("d.md", "new\n"), ("auth/n.md", "n\n"), ("m.md", "m\n")]);
    std::fs::remove_file(tree(&env).join("auth/b.md")).unwrap();
    env
}

#[test]
fn updates_and_intents_to_add_are_gits() {
    for line in [
        "-u",
        "-u .",
        "-u auth",
        "-u auth/n.md",
        "-u d.md c.md",
        "-u absent.md",
        "--update auth/*.md",
        "-N m.md",
        "-N .",
        "-N auth",
        "-N auth/a.md",
        "-N -A",
        "-N absent.md",
        "-n -N .",
        "-n -u",
    ] {
        let (ours, gits) = (mixed(), mixed());
        let arguments: Vec<&str> = line.split(' ').collect();
        let ran = ours.brv_in(&tree(&ours), &[&["vc", "add"], &arguments[..]].concat());
        let theirs = gits.try_git(&tree(&gits), &[&["add"], &arguments[..]].concat());
        let state = |env: &Env| {
            let git = |arguments: &[&str]| env.git(&tree(env), arguments);
            [git(&["ls-files", "-s"]), git(&["status", "--porcelain"]), git(&["diff", "--stat"])]
        };
        assert_eq!(state(&ours), state(&gits), "{line}: {}", ran.stderr);
        assert_eq!(ran.code == 0, theirs.code == 0, "{line}: {}{}", ran.stderr, theirs.stderr);
        ours.fsck(&tree(&ours));
    }
}

#[test]
fn what_is_meant_to_be_added_is_told_moved_and_left_out_of_a_commit() {
    let env = mixed();
    let ran = env.brv(&["vc", "add", "-N", "m.md", "auth/n.md"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "Staged 2 files: 2 to be added later\n"),
        "{}",
        ran.stderr
    );
    assert!(env.brv(&["vc", "diff", "--format", "unified"]).stdout.contains("+++ b/m.md\n"));
    assert_eq!(env.brv(&["vc", "mv", "m.md", "auth/m.md"]).code, 0);
    let status = || env.git(&tree(&env), &["status", "--porcelain", "auth/m.md", "m.md"]);
    assert_eq!(status(), " A auth/m.md");
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert_eq!(status(), " A m.md");
    assert_eq!(env.brv(&["vc", "commit", "-m", "staged"]).code, 0);
    assert_eq!(env.git(&tree(&env), &["show", "--format=", "--name-only", "HEAD"]), "d.md");
    assert_eq!(status(), " A m.md");
    assert_eq!(env.brv(&["vc", "add", "-u", "m.md"]).code, 0);
    assert_eq!(status(), "A  m.md");
}
