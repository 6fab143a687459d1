//! `brv vc merge`: merged, aborted, and continued. The branches are made by plain git.

use crate::env::{Env, Ran};
use crate::lab::picture;
use brv_base::clock::Clock;
use brv_base::fs::WriteGuard;
use brv_engine::journal::{self, Draft, IndexSides, OperationKind, Resolution, Side, Staged, TreePart};
use brv_engine::write::policy::own_files::admits;
use brv_git as git;
use brv_git::{CommitId, TreeId};
use std::path::PathBuf;
use std::time::Duration;

const TEXT: &str = "# A\n\none\n\ntwo\n\nthree\n\nfour\n\nfive\n";

fn text(from: &str, to: &str) -> String {
    TEXT.replace(from, to)
}

/// A tree on `main`, with a branch `topic` beside it.
struct Tree {
    env: Env,
    root: PathBuf,
}

type Files<'a> = &'a [(&'a str, &'a str)];

impl Tree {
    fn with(files: Files<'_>) -> Self {
        let env = Env::new();
        assert_eq!(env.brv(&["init"]).code, 0);
        let root = env.path(".brv/context-tree");
        env.commit(&root, files);
        Self { env, root }
    }

    /// `main` and `topic` each continue from `base`.
    fn apart(base: Files<'_>, ours: Files<'_>, theirs: Files<'_>) -> Self {
        let tree = Self::with(base);
        tree.git(&["switch", "-q", "-c", "topic"]);
        tree.env.commit(&tree.root, theirs);
        tree.git(&["switch", "-q", "main"]);
        tree.env.commit(&tree.root, ours);
        tree
    }

    /// Both changed one paragraph of `a.md`; theirs also has `new.md`.
    fn in_conflict() -> Self {
        Self::apart(
            &[("a.md", TEXT), ("b.md", "# B\n\nb\n"), ("c.md", "# C\n\nc\n")],
            &[("a.md", &text("three", "ours"))],
            &[("a.md", &text("three", "theirs")), ("new.md", "# New\n\nnew\n"), ("c.md", "# C\n\nother\n")],
        )
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.root, arguments)
    }

    fn brv(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.root, &[&["vc"], arguments].concat())
    }

    #[track_caller]
    fn merge(&self, arguments: &[&str], code: i32) -> Ran {
        let ran = self.brv(&[&["merge"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}\n{}\n{}", ran.stdout, ran.stderr);
        self.env.fsck(&self.root);
        ran
    }

    fn json(&self, arguments: &[&str], code: i32) -> serde_json::Value {
        let ran = self.merge(&[arguments, &["--json"]].concat(), code);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root.join(path), text).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }

    fn status(&self) -> String {
        self.git(&["status", "--porcelain"])
    }

    fn is_merging(&self) -> bool {
        self.root.join(".git/MERGE_HEAD").exists()
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    fn id(&self, name: &str) -> CommitId {
        CommitId::from_hex(&self.git(&["rev-parse", name])).unwrap()
    }
}

#[test]
fn both_sides_become_one_commit_with_two_parents_and_gits_message() {
    let tree = Tree::apart(
        &[("a.md", TEXT), ("x/b.md", TEXT)],
        &[("a.md", &text("one", "ONE"))],
        &[("a.md", &text("five", "FIVE")), ("new.md", "# New\n")],
    );
    let ours = tree.head();
    tree.merge(&["topic"], 0);
    assert_eq!(tree.read("a.md").unwrap(), text("one", "ONE").replace("five", "FIVE"));
    let parents = tree.git(&["log", "-1", "--format=%P%n%B"]);
    assert_eq!(parents, format!("{ours} {}\nMerge branch 'topic'", tree.git(&["rev-parse", "topic"])));
    assert_eq!(tree.status(), "");
    assert_eq!(tree.merge(&["topic"], 0).stdout, "Already up to date.\n");
    tree.git(&["switch", "-q", "-c", "side", "HEAD~1"]);
    tree.merge(&["-m", "one", "-m", "two", "topic"], 0);
    assert_eq!(tree.git(&["log", "-1", "--format=%B"]), "one\n\ntwo");
    let reflog = tree.git(&["reflog", "-1", "--format=%gs"]);
    assert_eq!(reflog, "merge topic: Merge made by brv.");
}

#[test]
fn forward_is_a_matter_of_flags_and_settings() {
    let tree = Tree::with(&[("a.md", "# A\n")]);
    tree.git(&["switch", "-q", "-c", "topic"]);
    let tip = tree.env.commit(&tree.root, &[("b.md", "# B\n")]);
    let back = || {
        tree.git(&["switch", "-q", "main"]);
        tree.git(&["reset", "-q", "--hard", "topic~1"]);
    };
    let merged = |arguments: &[&str]| {
        back();
        tree.merge(arguments, 0);
        assert_eq!(tree.read("b.md").as_deref(), Some("# B\n"));
        tree.head() != tip
    };
    assert!(!merged(&["topic"]));
    assert!(merged(&["--no-ff", "topic"]));
    tree.git(&["config", "merge.ff", "false"]);
    assert!(merged(&["topic"]));
    assert!(!merged(&["--ff", "topic"]));
    assert!(!merged(&["--ff-only", "topic"]));
    tree.git(&["config", "merge.ff", "only"]);
    assert!(!merged(&["topic"]));
    back();
    let own = tree.env.commit(&tree.root, &[("c.md", "# C\n")]);
    let ran = tree.merge(&["topic"], 6);
    assert!(ran.stderr.contains("cannot fast-forward"), "{}", ran.stderr);
    assert_eq!((tree.head(), tree.status().as_str()), (own, ""));
    tree.merge(&["--no-ff", "topic"], 0);
}

#[test]
fn a_squash_is_staged_for_a_commit_of_its_own() {
    let tree = Tree::apart(
        &[("a.md", TEXT)],
        &[("a.md", &text("one", "ONE"))],
        &[("a.md", &text("five", "FIVE")), ("b.md", "# B\n")],
    );
    let head = tree.head();
    tree.merge(&["--squash", "topic"], 0);
    assert_eq!((tree.head(), tree.is_merging()), (head.clone(), false));
    assert_eq!(tree.status(), "M  a.md\nA  b.md");
    let message = std::fs::read_to_string(tree.root.join(".git/SQUASH_MSG")).unwrap();
    let id = tree.git(&["rev-parse", "topic"]);
    assert!(
        message.starts_with(&format!("Squashed commit of the following:\n\ncommit {id}\nAuthor: Ada <")),
        "{message}"
    );
    tree.merge(&["--squash", "topic"], 6);
    assert_eq!(tree.brv(&["commit"]).code, 0);
    assert_eq!(
        tree.git(&["log", "-1", "--format=%P %s"]),
        format!("{head} Squashed commit of the following:")
    );
    assert!(!tree.root.join(".git/SQUASH_MSG").exists());
    // even if the branch could be fast-forwarded
    tree.git(&["switch", "-q", "-c", "side", "topic~1"]);
    tree.merge(&["--squash", "topic"], 0);
    assert_eq!(tree.status(), "M  a.md\nA  b.md");
}

#[test]
fn a_value_that_lost_in_a_squash_is_in_its_commit() {
    let entry = |title: &str| format!("---\ntitle: {title}\n---\n\ntext\n");
    let side = |title| [("a.md", entry(title))];
    let (base, ours, theirs) = (side("base"), side("Ours"), side("Theirs"));
    let tree = Tree::apart(&[("a.md", &base[0].1)], &[("a.md", &ours[0].1)], &[("a.md", &theirs[0].1)]);
    tree.merge(&["--squash", "topic"], 0);
    assert!(tree.read("a.md").unwrap().contains("title: Theirs"));
    assert_eq!(tree.brv(&["commit"]).code, 0);
    assert_eq!(
        tree.git(&["log", "-1", "--format=%(trailers:key=Brv-Discarded)"]),
        "Brv-Discarded: a.md title: Ours"
    );
}

#[test]
fn a_conflict_waits_until_all_is_decided() {
    let tree = Tree::in_conflict();
    let head = tree.head();
    let seen = tree.json(&["topic"], 5);
    let conflict = &seen["data"]["conflicts"][0];
    assert_eq!((conflict["path"].as_str(), conflict["kind"].as_str()), (Some("a.md"), Some("both modified")));
    let decision = &conflict["decisions"][0];
    for (side, word) in [("base", "three"), ("ours", "ours"), ("theirs", "theirs")] {
        assert!(decision[side].as_str().unwrap().contains(word), "{seen}");
    }
    assert_eq!(seen["data"]["relation"], "conflicted");
    assert_eq!(tree.status(), "UU a.md\nM  c.md\nA  new.md");
    assert_eq!(tree.git(&["rev-parse", "MERGE_HEAD"]), tree.git(&["rev-parse", "topic"]));
    assert_eq!(tree.git(&["cat-file", "-p", ":1:a.md"]), TEXT.trim_end());
    assert_eq!(tree.merge(&["topic"], 5).code, 5, "one merge at a time");
    let ran = tree.merge(&["--continue"], 5);
    assert!(ran.stderr.contains("a.md"), "{}", ran.stderr);
    assert!(tree.brv(&["status"]).stdout.contains("a.md"));
    tree.write("a.md", &text("three", "decided"));
    assert_eq!(tree.brv(&["add", "a.md"]).code, 0);
    let done = tree.json(&["--continue"], 0);
    assert_eq!(done["data"]["commit"]["subject"], "Merge branch 'topic'");
    assert_eq!(tree.git(&["log", "-1", "--format=%B"]), "Merge branch 'topic'");
    assert_eq!(
        tree.git(&["rev-parse", "HEAD^1", "HEAD^2"]),
        format!("{head}\n{}", tree.git(&["rev-parse", "topic"]))
    );
    assert_eq!((tree.status().as_str(), tree.is_merging()), ("", false));
    assert_eq!(tree.merge(&["--continue"], 2).code, 2, "there is no merge in progress any more");
}

#[test]
fn giving_up_puts_back_what_the_merge_touched_and_nothing_else() {
    let tree = Tree::in_conflict();
    tree.write("b.md", "# B\n\nmine, before\n");
    let skip = |name: &str| {
        name.starts_with(".git")
            || name.starts_with('_')
            || name.contains(".overview.")
            || name.contains(".abstract.")
    };
    let before = picture(&tree.root, &skip);
    tree.merge(&["topic"], 5);
    tree.write("a.md", "half decided\n");
    tree.write("c.md", "# C\n\nedited since\n");
    tree.write("own.md", "# Own\n");
    tree.git(&["add", "own.md"]);
    let seen = tree.json(&["--abort"], 0);
    let aborted = &seen["data"]["aborted"];
    assert_eq!(aborted["restored"], serde_json::json!(["a.md", "c.md", "new.md"]));
    assert!(!tree.is_merging());
    assert_eq!(tree.status(), " M b.md\nA  own.md");
    let mut after = picture(&tree.root, &skip);
    assert_eq!(after.remove("own.md").as_deref(), Some(b"# Own\n".as_slice()));
    assert_eq!(after, before);
    assert!(tree.read("new.overview.md").is_none(), "its derived files are gone, too");
    // nothing is lost
    let operation = format!("refs/brv/ops/{}", aborted["operation"].as_str().unwrap());
    let was = |path: &str| tree.git(&["show", &format!("{operation}^1:{path}")]);
    assert_eq!(was("a.md"), "half decided");
    assert_eq!(was("c.md"), "# C\n\nedited since");
    assert_eq!(was("new.md"), "# New\n\nnew");
    assert_eq!(tree.merge(&["--abort"], 2).code, 2);
}

#[test]
fn markers_that_a_merge_left_are_not_recorded_unasked() {
    let tree = Tree::in_conflict();
    tree.merge(&["topic"], 5);
    let head = tree.git(&["rev-parse", "HEAD"]);
    let before = tree.read("a.md").unwrap();
    let added = tree.brv(&["add", "a.md"]);
    assert_eq!(added.code, 5, "{}", added.stderr);
    assert!(
        added.stderr.contains("markers") && added.stderr.contains("brv vc resolve --list"),
        "{}",
        added.stderr
    );
    assert_eq!(tree.brv(&["commit", "-a", "-m", "all"]).code, 5);
    tree.merge(&["--continue"], 5);
    assert_eq!((tree.git(&["rev-parse", "HEAD"]), tree.read("a.md").unwrap()), (head, before));
    assert!(tree.is_merging());
    assert_eq!(tree.brv(&["add", "--force", "a.md"]).code, 0);
    tree.merge(&["--continue"], 0);
}

#[test]
fn a_message_of_ones_own_keeps_what_the_merge_gave_up() {
    let entry = |title: &str, words: &str| format!("---\ntitle: {title}\n---\n\n{words}\n");
    let (base, ours, theirs) = (entry("base", "base"), entry("Ours", "ours"), entry("Theirs", "theirs"));
    let tree = Tree::apart(&[("a.md", &base)], &[("a.md", &ours)], &[("a.md", &theirs)]);
    tree.merge(&["topic"], 5);
    tree.write("a.md", &entry("Theirs", "both"));
    assert_eq!(tree.brv(&["add", "a.md"]).code, 0);
    assert_eq!(tree.brv(&["commit", "-m", "my own words"]).code, 0);
    let trailers = ["log", "-1", "--format=%s %(trailers:key=Brv-Discarded)"];
    assert_eq!(tree.git(&trailers), "my own words Brv-Discarded: a.md title: Ours");
    let tree = Tree::apart(&[("a.md", &base)], &[("a.md", &entry("Ours", "base"))], &[("a.md", &theirs)]);
    tree.merge(&["--squash", "topic"], 0);
    assert_eq!(tree.brv(&["commit", "-m", "squashed"]).code, 0);
    assert_eq!(tree.git(&trailers), "squashed Brv-Discarded: a.md title: Ours");
}

#[test]
fn a_merge_that_git_began_is_given_up_and_one_of_ours_by_git() {
    let tree = Tree::in_conflict();
    assert_ne!(tree.env.try_git(&tree.root, &["merge", "topic"]).code, 0);
    tree.merge(&["--abort"], 0);
    assert_eq!((tree.status().as_str(), tree.is_merging()), ("", false));
    tree.merge(&["topic"], 5);
    tree.git(&["merge", "--abort"]);
    assert_eq!((tree.status().as_str(), tree.is_merging()), ("", false));
    tree.merge(&["topic"], 5);
    tree.write("a.md", TEXT);
    tree.git(&["commit", "-qam", "decided"]);
    assert_eq!(tree.git(&["rev-parse", "HEAD^2"]), tree.git(&["rev-parse", "topic"]));
}

#[test]
fn who_is_not_asked_decides_before() {
    for (how, expected) in [("ours", "ours"), ("theirs", "theirs")] {
        let tree = Tree::in_conflict();
        tree.merge(&["--on-conflict", how, "topic"], 0);
        assert_eq!(tree.read("a.md").unwrap(), text("three", expected));
        assert_eq!(tree.status(), "");
        let message = tree.git(&["log", "-1", "--format=%B"]);
        assert!(message.contains("\nBrv-Discarded: a.md "), "{message}");
    }
    let tree = Tree::in_conflict();
    let seen = tree.json(&["--on-conflict", "both", "topic"], 0);
    let both = tree.read("a.md").unwrap();
    assert!(both.contains("ours") && both.contains("theirs") && !both.contains("<<<<"), "{both}");
    assert!(!seen["data"]["records"].as_array().unwrap().is_empty(), "{seen}");
}

#[test]
fn a_value_that_lost_is_shown_and_in_the_message_and_in_the_operation() {
    let entry = |importance: u32, day: u32| {
        format!(
            "---\ntitle: A\nimportance: {importance}\nupdatedAt: '2026-01-0{day}T00:00:00.000Z'\n---\n\nText.\n"
        )
    };
    let tree = Tree::apart(&[("a.md", &entry(1, 1))], &[("a.md", &entry(2, 3))], &[("a.md", &entry(3, 2))]);
    let ran = tree.merge(&["topic"], 0);
    assert!(ran.stdout.contains("`importance`: took our `2`, dropped their `3`"), "{}", ran.stdout);
    let message = tree.git(&["log", "-1", "--format=%B"]);
    assert!(message.ends_with("\n\nBrv-Discarded: a.md importance: 3"), "{message}");
    let scope = git::open(&tree.root, "", crate::env::environment()).unwrap();
    let operation = journal::latest(&scope).unwrap().unwrap();
    let [lost] = &operation.discarded[..] else { panic!("{operation:?}") };
    assert_eq!(
        (lost.path.to_string().as_str(), lost.field.as_str(), lost.value.as_str()),
        ("a.md", "importance", "3")
    );
}

#[test]
fn unrelated_histories_are_merged_only_when_that_is_said() {
    let tree = Tree::with(&[("a.md", TEXT), ("same.md", "# S\n")]);
    tree.git(&["switch", "-q", "--orphan", "topic"]);
    tree.env.commit(&tree.root, &[("b.md", "# B\n"), ("same.md", "# S\n")]);
    tree.git(&["switch", "-q", "main"]);
    let head = tree.head();
    let ran = tree.merge(&["topic"], 6);
    assert!(ran.stderr.contains("--allow-unrelated-histories"), "{}", ran.stderr);
    assert_eq!(tree.head(), head);
    tree.merge(&["--allow-unrelated-histories", "topic"], 0);
    assert_eq!(tree.git(&["ls-files"]), "a.md\nb.md\nsame.md");
    assert_eq!(tree.status(), "");
}

#[test]
fn a_dry_run_writes_no_byte() {
    let tree = Tree::in_conflict();
    tree.brv(&["status"]);
    let skip = |name: &str| name == ".git/brv/lock";
    let before = picture(&tree.root, &skip);
    let seen = tree.json(&["--dry-run", "topic"], 5);
    assert_eq!(seen["data"]["conflicts"][0]["path"], "a.md");
    let seen = tree.json(&["--dry-run", "--on-conflict", "ours", "topic"], 0);
    assert_eq!(seen["data"]["relation"], "merged");
    assert_eq!(seen["data"]["files"].as_array().unwrap().len(), 2);
    tree.merge(&["--dry-run", "--squash", "--on-conflict", "theirs", "topic"], 0);
    assert_eq!(picture(&tree.root, &skip).keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert_eq!(picture(&tree.root, &skip), before);
}

#[test]
fn files_in_the_way_refuse_the_merge_and_stay() {
    let tree = Tree::in_conflict();
    tree.write("c.md", "# C\n\nmine\n");
    tree.write("new.md", "mine, too\n");
    let head = tree.head();
    let ran = tree.merge(&["--on-conflict", "ours", "topic"], 6);
    assert!(ran.stderr.contains("c.md") && ran.stderr.contains("new.md"), "{}", ran.stderr);
    assert_eq!(tree.status(), " M c.md\n?? new.md");
    assert_eq!((tree.head(), tree.is_merging()), (head, false));
    assert_eq!(tree.read("new.md").as_deref(), Some("mine, too\n"));
}

#[test]
fn names_that_make_no_sense_are_refused() {
    let tree = Tree::in_conflict();
    let ran = tree.merge(&["topic", "main"], 2);
    assert!(ran.stderr.contains("one after the other"), "{}", ran.stderr);
    let ran = tree.merge(&["topix"], 2);
    assert!(ran.stderr.contains("topic"), "{}", ran.stderr);
    tree.merge(&[], 2);
    tree.merge(&["--abort", "topic"], 2);
    tree.merge(&["--squash", "--no-ff", "topic"], 2);
}

#[test]
fn an_edit_follows_a_rename_and_a_removal_gives_way_to_it_and_both_are_told() {
    let tree = Tree::with(&[("a.md", TEXT), ("b.md", &text("# A", "# B"))]);
    tree.git(&["switch", "-q", "-c", "topic"]);
    tree.env.commit(&tree.root, &[("a.md", &text("one", "ONE")), ("b.md", &text("# A", "# B2"))]);
    tree.git(&["switch", "-q", "main"]);
    std::fs::create_dir(tree.root.join("auth")).unwrap();
    tree.git(&["mv", "a.md", "auth/moved.md"]);
    tree.git(&["rm", "-q", "b.md"]);
    tree.env.commit(&tree.root, &[]);
    let ran = tree.merge(&["topic"], 0);
    assert_eq!(tree.git(&["ls-files"]), "auth/moved.md\nb.md");
    assert_eq!(tree.read("auth/moved.md").unwrap(), text("one", "ONE"));
    assert!(ran.stdout.contains("moved here from `a.md`"), "{}", ran.stdout);
    assert!(ran.stdout.contains("deleted here, modified there: kept theirs"), "{}", ran.stdout);
}

#[test]
fn a_file_against_a_folder_leaves_both_to_be_decided() {
    let tree = Tree::apart(&[("x.md", "# X\n")], &[("a/b.md", "# File\n")], &[("a/b.md/c.md", "# Inner\n")]);
    tree.merge(&["topic"], 5);
    assert_eq!(tree.status(), "D  a/b.md\nA  a/b.md/c.md\nAU a/b.ours.md");
    assert_eq!(tree.read("a/b.ours.md").as_deref(), Some("# File\n"));
    assert!(tree.read("a/b.md/_index.md").is_some(), "a derived file is in the file's place");
    let ran = tree.merge(&["--abort"], 0);
    assert_eq!(ran.stderr, "");
    assert_eq!((tree.status().as_str(), tree.is_merging()), ("", false));
    assert_eq!(tree.read("a/b.md").as_deref(), Some("# File\n"));
    assert!(tree.read("a/b.abstract.md").is_some());
}

#[test]
fn a_file_that_giving_up_cannot_put_back_is_named_and_so_is_why() {
    let tree = Tree::apart(&[("x.md", "# X\n")], &[("a/b.md", "# File\n")], &[("a/b.md/c.md", "# Inner\n")]);
    tree.merge(&["topic"], 5);
    tree.write("a/b.md/mine.txt", "mine");
    let ran = tree.merge(&["--abort"], 0);
    assert!(ran.stderr.contains("`a/b.md` was not written: other files are in the way"), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("; 2 files restored.\n"), "{}", ran.stdout);
    assert_eq!(tree.read("a/b.md/mine.txt").as_deref(), Some("mine"));
    assert_eq!(tree.git(&["status", "--porcelain", "-uno"]), " D a/b.md");
    std::fs::rename(tree.root.join("a/b.md"), tree.root.join("a/away")).unwrap();
    tree.git(&["restore", "--", "a/b.md"]);
    assert_eq!(tree.read("a/b.md").as_deref(), Some("# File\n"));
}

#[test]
fn giving_up_that_was_interrupted_is_finished_by_the_next_command() {
    let tree = Tree::in_conflict();
    tree.merge(&["topic"], 5);
    let scope = git::open(&tree.root, "", crate::env::environment()).unwrap();
    let (head, theirs) = (tree.id("HEAD"), tree.id("topic"));
    // the files on disk, as the command stages them first; then it is killed
    let version = |path: &str| {
        let blob = git::store::write_blobs(&scope, &[std::fs::read(tree.root.join(path)).unwrap()]).unwrap();
        (path.into(), Some((git::FileMode::Regular, blob[0])))
    };
    let changes: Vec<_> = ["a.md", "c.md", "new.md"].map(version).into();
    let base: TreeId = scope.tree_of(head).unwrap();
    let disk = git::tree_with(&scope, base, changes.iter().map(|(path, version)| (path, *version))).unwrap();
    let head_entry = |path: &str| {
        let found = git::trees::find(&scope, base, path.into()).unwrap();
        let Some(git::trees::TreeItem::File(version)) = found else { return (path.into(), Staged::Nothing) };
        (path.into(), Staged::Version(version))
    };
    let entries = ["a.md", "c.md", "new.md"].map(head_entry);
    let mut index = IndexSides::of(&scope, &git::index::read(&scope).unwrap(), entries).unwrap();
    index.after.waiting.merge = None;
    let draft = Draft {
        id: None,
        index: Some(index),
        undoes: Vec::new(),
        kind: OperationKind::AbortMerge,
        touches: [TreePart::Files, TreePart::Index, TreePart::MergeState].into(),
        moves: Vec::new(),
        before: Side::Snapshot { tree: disk, parents: vec![head, theirs] },
        after: Side::Commit(head),
        reason: "abort".into(),
        actor: String::new(),
        session: None,
        settings: Vec::new(),
        discarded: Vec::new(),
        notes: Vec::new(),
        source_commit: None,
        code_head: None,
        dream: None,
        job: None,
    };
    let guard = || WriteGuard::acquire(&scope.common_dir().join("brv/lock"), Duration::from_secs(5)).unwrap();
    let _ =
        journal::begin(&scope, &guard(), Clock::from_environment(crate::env::environment()), &draft).unwrap();
    tree.write("a.md", &text("three", "ours"));
    let recovered = journal::recover(&scope, &guard(), admits).unwrap().unwrap();
    assert_eq!((recovered.resolution, recovered.left_alone.len()), (Resolution::Finished, 0));
    assert_eq!((tree.status().as_str(), tree.is_merging()), ("", false));
    assert_eq!((tree.read("a.md"), tree.read("new.md")), (Some(text("three", "ours")), None));
}

#[test]
fn a_merge_that_was_interrupted_on_its_way_to_a_conflict_gets_there() {
    // the file in conflict is unchanged on disk: only the index shows the conflict
    let tree = Tree::in_conflict();
    let scope = git::open(&tree.root, "", crate::env::environment()).unwrap();
    let (head, theirs) = (tree.id("HEAD"), tree.id("topic"));
    let sides = ["HEAD~1:a.md", "HEAD:a.md", "topic:a.md"].map(|name| {
        let id = brv_base::content::ContentId::from_hex(&tree.git(&["rev-parse", name])).unwrap();
        Some(git::Version { mode: git::FileMode::Regular, id })
    });
    let entries = [("a.md".into(), Staged::Unmerged(sides))];
    let mut index = IndexSides::of(&scope, &git::index::read(&scope).unwrap(), entries).unwrap();
    let message = "Merge topic\n".into();
    index.after.waiting.merge = Some(git::merge_state::MergeState { heads: vec![theirs], message });
    let draft = Draft {
        id: None,
        index: Some(index),
        undoes: Vec::new(),
        kind: OperationKind::Merge,
        touches: [TreePart::Files, TreePart::Index, TreePart::MergeState].into(),
        moves: Vec::new(),
        before: Side::Commit(head),
        after: Side::Snapshot { tree: scope.tree_of(head).unwrap(), parents: vec![head, theirs] },
        reason: "merge topic".into(),
        actor: String::new(),
        session: None,
        settings: Vec::new(),
        discarded: Vec::new(),
        notes: Vec::new(),
        source_commit: None,
        code_head: None,
        dream: None,
        job: None,
    };
    let guard = || WriteGuard::acquire(&scope.common_dir().join("brv/lock"), Duration::from_secs(5)).unwrap();
    let _ =
        journal::begin(&scope, &guard(), Clock::from_environment(crate::env::environment()), &draft).unwrap();
    let mut locked = git::index::lock(&scope, &guard()).unwrap();
    locked.edit(&[("a.md".into(), git::Edit::Unmerged(sides))].into()).unwrap();
    locked.commit().unwrap();
    let recovered = journal::recover(&scope, &guard(), admits).unwrap().unwrap();
    assert_eq!(recovered.resolution, Resolution::Finished);
    assert_eq!((tree.status().as_str(), tree.is_merging()), ("UU a.md", true));
    tree.git(&["merge", "--abort"]);
    assert_eq!((tree.status().as_str(), tree.is_merging()), ("", false));
}

#[test]
fn a_criss_cross_with_a_conflict_in_its_base_leaves_a_base_that_git_can_read() {
    let tree = Tree::apart(
        &[("a.md", TEXT)],
        &[("a.md", &text("three", "one's"))],
        &[("a.md", &text("three", "two's").replace("five", "FIVE"))],
    );
    let (one, two) = (tree.head(), tree.git(&["rev-parse", "topic"]));
    let cross = |on: &str, with: &str, decided: &str| {
        tree.git(&["switch", "-q", on]);
        tree.merge(&[with], 5);
        tree.write("a.md", decided);
        tree.git(&["commit", "-qam", "decided"]);
    };
    cross("topic", &one, &text("three", "theirs").replace("five", "FIVE"));
    cross("main", &two, &text("three", "ours").replace("five", "FIVE"));
    let seen = tree.json(&["topic"], 5);
    let base = seen["data"]["conflicts"][0]["decisions"][0]["base"].as_str().unwrap();
    assert!(base.contains("three") && !base.contains("<<<<"), "{seen}");
    assert_eq!(tree.git(&["show", ":1:a.md"]), text("five", "FIVE").trim_end());
    assert!(!tree.read("a.md").unwrap().contains("one's"));
}

#[test]
fn a_setting_that_is_no_answer_is_refused() {
    let tree = Tree::in_conflict();
    tree.git(&["config", "pull.ff", "perhaps"]);
    let scope = git::open(&tree.root, "", crate::env::environment()).unwrap();
    assert!(git::forward(&scope, git::Door::Pull).is_err());
    assert_eq!(git::forward(&scope, git::Door::Merge).unwrap(), git::Forward::Allow);
}

const FACTS: &str =
    "---\ntitle: Tokens\ntags: [auth]\n---\n\n## Rules\n\n- one\n\n## Facts\n\n- **ttl**: 24 hours\n";

#[test]
fn what_came_in_is_told_by_meaning() {
    let theirs = FACTS.replace("24", "12").replace("- one", "- two");
    let base = [("auth/tokens.md", FACTS), ("a.md", TEXT), ("x.json", "{}\n")];
    let ours = [("a.md", &*text("three", "ours"))];
    let new = [
        ("auth/tokens.md", &*theirs),
        ("ops/new.md", "# New\n\n## Facts\n\n- a\n- b\n"),
        ("x.json", "{\n}\n"),
    ];
    let tree = Tree::apart(&base, &ours, &new);
    let expected = concat!(
        " ~ auth/tokens  1 fact changed (ttl); Rules edited\n",
        " + ops/new      \"New\"; 2 facts\n",
        " ~ x.json       2 lines added, 1 removed\n",
        " 3 files changed, 10 insertions(+), 3 deletions(-)\n",
    );
    let planned = tree.brv(&["merge", "--dry-run", "topic"]);
    assert!(planned.stdout.ends_with(expected), "{}", planned.stdout);
    let merged = tree.brv(&["merge", "topic", "--no-derive"]);
    assert_eq!(merged.stdout, format!("Merged topic\n{expected}"));
    let json = tree.brv(&["merge", "--json", "--squash", "topic"]);
    assert!(json.stdout.contains("\"entries\":[]"), "{}", json.stdout);
}

#[test]
fn what_must_be_decided_is_not_told_as_knowledge() {
    let tree = Tree::in_conflict();
    let ran = tree.brv(&["merge", "--json", "topic"]);
    let data: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let entries = data["data"]["entries"].as_array().unwrap();
    let paths: Vec<&str> = entries.iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["c.md", "new.md"]);
    assert_eq!(data["data"]["files"].as_array().unwrap().len(), 3);
}

fn views(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

#[test]
fn many_entries_are_told_by_folder_and_very_many_by_name_only() {
    for (count, is_read) in [(30, true), (201, false)] {
        let files = |number: &str| -> Vec<(String, String)> {
            let path = |at: usize| format!("{}/e{at}.md", if at.is_multiple_of(3) { "auth" } else { "ops" });
            (0..count).map(|at| (path(at), FACTS.replace("24", number))).collect()
        };
        let (before, after) = (files("24"), files("12"));
        let tree = Tree::apart(&views(&before), &[("a.md", TEXT)], &views(&after));
        let planned = tree.brv(&["merge", "--dry-run", "--json", "topic"]);
        let data: serde_json::Value = serde_json::from_str(&planned.stdout).unwrap();
        assert_eq!(data["data"]["entries"].is_array(), is_read);
        assert_eq!(data["data"]["more"].as_u64(), (!is_read).then_some(201));
        let ran = tree.brv(&["merge", "topic", "--no-derive"]);
        let auth = count / 3;
        let ops = count - auth;
        let facts = |count| if is_read { format!("; {count} facts changed") } else { String::new() };
        assert_eq!(
            ran.stdout,
            format!(
                "Merged topic\n auth/  {auth} changed{}\n ops/   {ops} changed{}\n {count} files changed, {count} insertions(+), {count} deletions(-)\n",
                facts(auth),
                facts(ops)
            )
        );
        let next = ran.stderr.lines().find_map(|line| line.strip_prefix("next: brv ")).unwrap();
        let shown = tree.env.brv_in(&tree.root, &next.split(' ').collect::<Vec<_>>());
        assert_eq!(shown.stdout.matches("diff --git ").count(), count);
    }
}
