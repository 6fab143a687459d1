//! Adopting a tree that another tool made: no byte is lost, and derived files leave the index.

use crate::env::{Env, context};
use crate::lab::{add_all, commit, fixture, picture};
use brv_base::path::{Derived, PathKind, TreePath};
use brv_commands::init::{self, HostRule};
use brv_text::derive::stamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn run_init(project: &Path) -> init::Outcome {
    let options =
        init::Options { initial_branch: "main".into(), host: HostRule::Exclude, home: init::TreeHome::Own };
    init::run(&context(project), &options).unwrap()
}

/// The tree of `fixtures/trees/older` in its own project, without a repository.
fn older(env: &Env) -> PathBuf {
    let project = env.path("older");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/older");
    for (path, bytes) in picture(&from, &|_| false) {
        let path = project.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    project
}

fn work_tree(tree: &Path) -> BTreeMap<String, Vec<u8>> {
    picture(tree, &|path| path == ".git" || path.starts_with(".git/"))
}

/// Every file of `before` is unchanged on disk, or its blob is reachable from a branch or a published operation.
fn assert_no_byte_lost(env: &Env, tree: &Path, before: &BTreeMap<String, Vec<u8>>) {
    let reached = env.git(tree, &["rev-list", "--objects", "--glob=refs/brv/ops", "--branches"]);
    let after = work_tree(tree);
    let scratch = env.path("scratch");
    for (path, bytes) in before {
        if after.get(path) == Some(bytes) {
            continue;
        }
        std::fs::write(&scratch, bytes).unwrap();
        let id = env.git(tree, &["hash-object", "--no-filters", scratch.to_str().unwrap()]);
        assert!(reached.contains(&id), "{path} ({id}) is nowhere");
        let name = reached.lines().find(|line| line.starts_with(&id)).unwrap();
        assert!(name.len() > 41, "{path}: {name}");
    }
}

fn kind(path: &str) -> PathKind {
    TreePath::parse(path.as_bytes()).map_or(PathKind::Foreign, |path| path.kind())
}

fn is_archive(path: &str) -> bool {
    matches!(kind(path), PathKind::Derived(Derived::FullArchive | Derived::Stub))
}

#[test]
fn a_tree_with_the_history_of_another_tool_is_adopted_without_losing_a_byte() {
    let env = Env::new();
    let project = fixture(&env, "peer_tree", "peer").unwrap();
    let tree = project.join(".brv/context-tree");
    let before = work_tree(&tree);
    let head = env.git(&tree, &["rev-parse", "HEAD"]);
    let tracked = env.git(&tree, &["-c", "core.quotePath=false", "ls-files"]);
    let adopted = run_init(&project).adopted.expect("it holds derived files of another tool");
    assert_no_byte_lost(&env, &tree, &before);
    let after = work_tree(&tree);
    for (path, bytes) in &before {
        let is_replaced = matches!(kind(path), PathKind::Derived(_)) && !is_archive(path);
        assert!(is_replaced || after.get(path) == Some(bytes), "{path} changed");
    }
    let lone = "_archived/catalog/search/self_hosted_search_cluster.full.md";
    assert!(adopted.archived.iter().any(|path| path.to_string() == lone), "{:?}", adopted.archived);
    assert_eq!(after.get(lone), before.get(lone));
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD"]), head, "history stays");
    let left: Vec<String> =
        env.git(&tree, &["-c", "core.quotePath=false", "ls-files"]).lines().map(str::to_owned).collect();
    assert!(
        left.iter().all(|path| is_archive(path) || !matches!(kind(path), PathKind::Derived(_))),
        "{left:?}"
    );
    assert_eq!(left.iter().filter(|path| is_archive(path)).count(), 4, "archives stay tracked: {left:?}");
    let expected: Vec<String> = tracked
        .lines()
        .filter(|path| matches!(kind(path), PathKind::Derived(_)) && !is_archive(path))
        .map(|path| format!("D  {path}"))
        .collect();
    assert!(expected.len() > 5, "{expected:?}");
    let status = env.git(&tree, &["-c", "core.quotePath=false", "status", "--porcelain"]);
    assert_eq!(status, expected.join("\n"), "only the staged deletions are left to commit");
    env.fsck(&tree);
    commit(&tree, "leave derived files to brv").unwrap();
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
    assert_no_byte_lost(&env, &tree, &before);
    env.fsck(&tree);
}

#[test]
fn a_second_init_changes_nothing() {
    let env = Env::new();
    let peer = fixture(&env, "peer_tree", "peer").unwrap();
    // folders that were left alone for some seconds are remembered, so this depends on how fast the machine is
    let skip = |path: &str| path.contains("/.git/objects") || path.contains("cache/derived/folders-");
    for project in [peer, older(&env)] {
        run_init(&project);
        let before = picture(&project, &skip);
        let again = run_init(&project);
        assert!(again.adopted.is_none());
        let derived = again.written.rewritten.derived.unwrap();
        assert!(derived.written.is_empty() && derived.removed.is_empty(), "{derived:?}");
        let after = picture(&project, &skip);
        let differ: Vec<_> =
            before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
        assert!(differ.is_empty(), "{differ:?}");
    }
}

#[test]
fn files_without_a_repository_are_adopted_and_recorded_byte_for_byte() {
    let env = Env::new();
    let project = older(&env);
    let tree = project.join(".brv/context-tree");
    let before = work_tree(&tree);
    run_init(&project);
    assert_no_byte_lost(&env, &tree, &before);
    let outcome = add_all(&tree);
    assert!(outcome.staged.refused.is_empty(), "{:?}", outcome.staged.refused);
    commit(&tree, "take over").unwrap();
    let recorded = env.git(&tree, &["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD"]);
    for path in recorded.lines() {
        assert!(!matches!(kind(path), PathKind::Derived(_)), "{path}");
        let id = env.git(&tree, &["rev-parse", &format!("HEAD:{path}")]);
        std::fs::write(env.path("scratch"), &before[path]).unwrap();
        let expected =
            env.git(&tree, &["hash-object", "--no-filters", env.path("scratch").to_str().unwrap()]);
        assert_eq!(id, expected, "{path}");
    }
    let curated = before.keys().filter(|path| kind(path).is_curated()).count();
    assert!(curated > 8 && recorded.lines().count() >= curated, "{recorded}");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
    env.fsck(&tree);
    assert_no_byte_lost(&env, &tree, &before);
}

#[test]
fn every_entry_of_the_older_forms_is_read_and_rendered_byte_for_byte() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/older/.brv/context-tree");
    let mut count = 0;
    for (path, bytes) in picture(&root, &|_| false) {
        if Path::new(&path).extension().is_some_and(|extension| extension == "md") {
            assert_eq!(brv_text::doc::Document::parse(bytes.clone()).into_bytes(), bytes, "{path}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn derived_files_edited_by_hand_before_adoption_are_kept_in_the_operation() {
    let env = Env::new();
    let project = fixture(&env, "peer_tree", "peer").unwrap();
    let tree = project.join(".brv/context-tree");
    // tracked, but changed since the commit: only the disk has these bytes
    std::fs::write(tree.join("_index.md"), "an index that somebody wrote by hand\n").unwrap();
    std::fs::write(tree.join("checkout/new.abstract.md"), "an abstract of nothing\n").unwrap();
    std::fs::remove_file(tree.join("catalog/_index.md")).unwrap();
    let before = work_tree(&tree);
    run_init(&project);
    assert_no_byte_lost(&env, &tree, &before);
    assert!(matches!(
        stamp::read(&std::fs::read(tree.join("_index.md")).unwrap()),
        stamp::Stamp::Ours { .. }
    ));
    let left = env.git(&tree, &["ls-files", "catalog/_index.md"]);
    assert_eq!(left, "", "deleted on disk but tracked is no reason to stay tracked");
}

#[test]
#[cfg(unix)]
fn derived_files_behind_a_link_are_neither_taken_over_nor_removed() {
    let env = Env::new();
    let project = env.path("project");
    let tree = project.join(".brv/context-tree");
    std::fs::create_dir_all(&tree).unwrap();
    env.git(&tree, &["init", "-q", "-b", "main"]);
    env.commit(&tree, &[("d/a.md", "# A\n"), ("d/_index.md", "of another tool\n")]);
    let outside = env.path("outside");
    std::fs::rename(tree.join("d"), &outside).unwrap();
    std::fs::write(outside.join("_index.md"), "of somebody else\n").unwrap();
    std::os::unix::fs::symlink(&outside, tree.join("d")).unwrap();
    let adopted = run_init(&project).adopted.unwrap();
    assert_eq!(adopted.untracked.len(), 1);
    assert_eq!(adopted.untracked[0].to_string(), "d/_index.md");
    assert_eq!(std::fs::read_to_string(outside.join("_index.md")).unwrap(), "of somebody else\n");
    // the operation keeps what was staged
    let kept = env.git(&tree, &["cat-file", "--batch-all-objects", "--batch"]);
    assert!(kept.contains("of another tool") && !kept.contains("of somebody else"));
}

fn entry(name: &str, text: &str, last: &str) -> String {
    format!("---\ntitle: {name}\ntags: []\n---\n\n# {name}\n\n{text}\n\nBetween.\n\n{last}\n")
}

/// A tree of another tool that merged `side`: `a.md` is in conflict, everything else from `side` is on disk only.
fn merging_elsewhere(env: &Env) -> PathBuf {
    let project = env.path("project");
    let tree = project.join(".brv/context-tree");
    std::fs::create_dir_all(&tree).unwrap();
    env.git(&tree, &["init", "-q", "-b", "main"]);
    let write = |a: &str, b: &str, c: [&str; 2], index: &str| {
        let (a, b, c) = (entry("A", a, "Last."), entry("B", b, "Last."), entry("C", c[0], c[1]));
        env.commit(&tree, &[("d/a.md", &a), ("d/b.md", &b), ("d/c.md", &c), ("d/_index.md", index)]);
    };
    write("Text.", "Text.", ["Text.", "Last."], "of another tool\n");
    env.git(&tree, &["checkout", "-q", "-b", "side"]);
    std::fs::write(tree.join("d/new.md"), "# New\n").unwrap();
    write("Theirs.", "Theirs.", ["Text.", "Their last."], "of another tool, newer\n");
    env.git(&tree, &["checkout", "-q", "main"]);
    write("Ours.", "Text.", ["Ours.", "Last."], "of another tool\n");
    assert_eq!(env.try_git(&tree, &["merge", "-q", "side"]).code, 1);
    env.git(&tree, &["reset", "-q", "HEAD", "d/b.md", "d/c.md", "d/new.md", "d/_index.md"]);
    assert_eq!(
        env.git(&tree, &["status", "--porcelain"]),
        " M d/_index.md\nUU d/a.md\n M d/b.md\n M d/c.md\n?? d/new.md"
    );
    project
}

#[test]
fn adoption_beside_a_merge_of_another_tool_drops_nothing_of_it_and_stages_no_deletion() {
    let env = Env::new();
    let project = merging_elsewhere(&env);
    let tree = project.join(".brv/context-tree");
    let before = work_tree(&tree);
    let ran = env.brv_in(&project, &["init"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("Staged 4 files that another tool had merged only on disk"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("run `brv init` again"), "{}", ran.stderr);
    let status = |expected: &str| assert_eq!(env.git(&tree, &["status", "--porcelain"]), expected);
    status("M  d/_index.md\nUU d/a.md\nM  d/b.md\nM  d/c.md\nA  d/new.md");
    let after = work_tree(&tree);
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)), "no file has changed");
    // also in a project that brv already manages
    env.git(&tree, &["reset", "-q", "HEAD", "d/b.md"]);
    assert_eq!(env.brv_in(&tree, &["vc", "resolve", "d/a.md", "--ours"]).code, 0);
    let ran = env.brv_in(&tree, &["vc", "merge", "--continue"]);
    assert_eq!(ran.code, 6, "{}", ran.stdout);
    assert!(ran.stderr.contains("d/b.md") && ran.stderr.contains("`brv vc add PATH`"), "{}", ran.stderr);
    assert_eq!(env.brv_in(&tree, &["vc", "add", "d/b.md"]).code, 0);
    assert_eq!(env.brv_in(&tree, &["vc", "merge", "--continue"]).code, 0);
    let committed = |path: &str| env.git(&tree, &["show", &format!("HEAD:{path}")]) + "\n";
    assert_eq!(committed("d/b.md"), entry("B", "Theirs.", "Last."));
    assert_eq!(committed("d/c.md"), entry("C", "Ours.", "Their last."));
    assert_eq!(
        (committed("d/new.md"), committed("d/_index.md")),
        ("# New\n".into(), "of another tool, newer\n".into())
    );
    let ran = env.brv_in(&project, &["init"]);
    assert!(ran.stdout.contains("Taken over from another tool"), "{}", ran.stdout);
    status("D  d/_index.md");
    env.fsck(&tree);
}

#[test]
fn adoption_stages_no_deletion_in_the_midst_of_a_rebase() {
    let env = Env::new();
    let project = merging_elsewhere(&env);
    let tree = project.join(".brv/context-tree");
    env.git(&tree, &["reset", "-q", "--hard"]);
    assert_eq!(env.try_git(&tree, &["rebase", "-q", "main", "side"]).code, 1);
    let before = env.git(&tree, &["diff", "--cached", "--name-status"]);
    assert_eq!(env.brv_in(&project, &["init"]).code, 0);
    assert_eq!(env.git(&tree, &["diff", "--cached", "--name-status"]), before);
}
