//! The same bytes on every machine: neither user settings nor a tree's `.gitattributes` make brv or git convert them.

use crate::env::Env;
use crate::init::{commit, project, write};
use std::path::{Path, PathBuf};

/// Attributes that ask for every conversion that git knows.
const HOSTILE: &str = "* text=auto eol=crlf ident filter=lfs\n*.md text eol=crlf crlf\n*.u16.md working-tree-encoding=UTF-16\n\
                       odd/** filter=shout\n[attr]own -text\n";

/// Bytes that each conversion would change.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("lf.md", b"# LF\n\none\ntwo\n".to_vec()),
        ("crlf.md", b"# CRLF\r\n\r\none\r\n".to_vec()),
        ("mixed.md", b"# Mixed\r\none\ntwo\r\n".to_vec()),
        ("ident.md", b"# Ident\n\n$Id$ and $Id: 0123456789 $\n".to_vec()),
        ("name.u16.md", b"# Not UTF-16\n".to_vec()),
        ("odd/loud.md", b"# Loud\n".to_vec()),
    ]
}

/// User settings that ask for conversions.
fn convert_everything(env: &Env) {
    for (key, value) in [
        ("core.autocrlf", "true"),
        ("core.eol", "crlf"),
        ("core.safecrlf", "true"),
        ("filter.lfs.clean", "tr a-z A-Z"),
        ("filter.lfs.smudge", "tr A-Z a-z"),
        ("filter.lfs.required", "true"),
        ("filter.shout.clean", "tr a-z A-Z"),
        ("filter.shout.smudge", "false"),
        ("filter.shout.required", "true"),
    ] {
        env.git(env.root(), &["config", "--global", key, value]);
    }
    std::fs::write(env.path("home/attributes"), HOSTILE).unwrap();
    env.git(
        env.root(),
        &["config", "--global", "core.attributesFile", env.path("home/attributes").to_str().unwrap()],
    );
}

fn put(tree: &Path, files: &[(&str, Vec<u8>)]) {
    for (path, bytes) in files {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Touch every file now, so that brv and git must read it again.
fn touch(tree: &Path, files: &[(&str, Vec<u8>)], second: u64) {
    let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
    for (path, _) in files {
        let file = std::fs::File::options().append(true).open(tree.join(path)).unwrap();
        file.set_modified(moment).unwrap();
    }
}

/// Disk, index and commit have these bytes, and neither program reports a change.
fn assert_bytes(env: &Env, tree: &Path, files: &[(&str, Vec<u8>)], what: &str) {
    for (path, bytes) in files {
        assert_eq!(&std::fs::read(tree.join(path)).unwrap(), bytes, "{what}: {path} on disk");
        for revision in ["", "HEAD"] {
            let mut command = env.git_command(tree);
            let output = command.args(["cat-file", "blob", &format!("{revision}:{path}")]).output().unwrap();
            assert!(output.stdout == *bytes, "{what}: {revision}:{path}");
        }
    }
    assert_eq!(env.git(tree, &["status", "--porcelain"]), "", "{what}");
    // drop cached stats: every file is read again
    touch(tree, files, 1_900_000_000);
    assert_eq!(env.git(tree, &["status", "--porcelain"]), "", "{what}, read again by git");
    let project = tree.ancestors().nth(2).unwrap();
    touch(tree, files, 1_950_000_000);
    for arguments in [&["vc", "status", "--porcelain"][..], &["vc", "diff"]] {
        let ran = env.brv_in(project, arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{what}, {arguments:?}: {}", ran.stderr);
    }
}

/// A bare repository with the hostile attributes and the unchanged bytes.
fn origin(env: &Env) -> PathBuf {
    let origin = env.bare("origin.git");
    let source = env.path("source");
    env.git(env.root(), &["init", "-q", source.to_str().unwrap()]);
    std::fs::create_dir_all(source.join(".git/info")).unwrap();
    std::fs::write(source.join(".git/info/attributes"), "* -text -filter -ident -working-tree-encoding\n")
        .unwrap();
    put(&source, &files());
    env.commit(&source, &[(".gitattributes", HOSTILE)]);
    env.git(&source, &["push", "-q", origin.to_str().unwrap(), "HEAD:main"]);
    origin
}

#[test]
fn what_a_clone_or_a_pull_brings_is_what_the_other_side_has() {
    let env = Env::new();
    let origin = origin(&env);
    convert_everything(&env);
    let here = env.path("here");
    let ran = env.brv(&["vc", "clone", origin.to_str().unwrap(), here.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let tree = here.join(".brv/context-tree");
    assert_bytes(&env, &tree, &files(), "cloned");
    // the other side continues
    let source = env.path("source");
    let mut after = files();
    after[0].1.extend_from_slice(b"$Id$\r\n");
    after.push(("new.md", b"# New\r\n".to_vec()));
    put(&source, &after);
    env.git(&source, &["add", "-A"]);
    env.git(&source, &["commit", "-q", "-m", "more"]);
    env.git(&source, &["push", "-q", origin.to_str().unwrap(), "HEAD:main"]);
    let ran = env.brv_in(&here, &["vc", "pull"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_bytes(&env, &tree, &after, "pulled");
    // git checks files out unchanged, too
    std::fs::remove_file(tree.join("crlf.md")).unwrap();
    env.git(&tree, &["checkout", "-q", "HEAD~1"]);
    env.git(&tree, &["checkout", "-q", "main", "--"]);
    env.git(&tree, &["checkout", "-q", "--", "."]);
    assert_bytes(&env, &tree, &after, "checked out by git");
}

#[test]
fn what_is_recorded_is_what_is_on_disk() {
    let env = project(&[("a.md", "# A\n")]);
    commit(&env, "first");
    convert_everything(&env);
    let tree = env.path(".brv/context-tree");
    write(&env, &[(".gitattributes", HOSTILE)]);
    put(&tree, &files());
    let ran = env.brv(&["vc", "add", "--force", ".gitattributes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    commit(&env, "by brv");
    assert_bytes(&env, &tree, &files(), "by brv");
    let mut after = files();
    for (_, bytes) in &mut after {
        bytes.extend_from_slice(b"$Id$\r\nlast\n");
    }
    put(&tree, &after);
    let patch = env.brv(&["vc", "diff", "--format", "unified"]).stdout;
    let added = patch.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++")).count();
    assert_eq!(added, 2 * after.len(), "{patch}");
    env.git(&tree, &["add", "-A"]);
    env.git(&tree, &["commit", "-q", "-m", "by git"]);
    assert_bytes(&env, &tree, &after, "by git");
}

#[test]
fn a_tree_that_is_taken_over_gets_the_same_rules_and_the_lines_of_others_stay() {
    let env = Env::new();
    convert_everything(&env);
    let tree = env.path(".brv/context-tree");
    env.git(env.root(), &["init", "-q", tree.to_str().unwrap()]);
    let attributes = tree.join(".git/info/attributes");
    std::fs::create_dir_all(attributes.parent().unwrap()).unwrap();
    std::fs::write(&attributes, "*.bin -diff\n# mine").unwrap();
    env.git(&tree, &["config", "core.autocrlf", "input"]);
    write(&env, &[(".gitattributes", HOSTILE)]);
    assert_eq!(env.brv(&["init"]).code, 0);
    put(&tree, &files());
    env.git(&tree, &["add", "-A"]);
    env.git(&tree, &["commit", "-q", "-m", "by git"]);
    assert_bytes(&env, &tree, &files(), "taken over");
    let text = std::fs::read_to_string(&attributes).unwrap();
    assert!(text.starts_with("*.bin -diff\n# mine\n"), "{text}");
    assert_eq!(text.matches("* -text -filter -ident -working-tree-encoding").count(), 1);
    assert_eq!(env.git(&tree, &["config", "--local", "core.autocrlf"]), "false");
    // once is enough
    assert_eq!(env.brv(&["init"]).code, 0);
    assert_eq!(std::fs::read_to_string(&attributes).unwrap(), text);
    let said = env.git(
        &tree,
        &["check-attr", "text", "filter", "ident", "working-tree-encoding", "--", "crlf.md", "x.u16.md"],
    );
    assert!(said.lines().all(|line| line.ends_with(": unset")), "{said}");
}
