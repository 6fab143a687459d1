//! Pulling: the effect on files, index, branch and local edits. The command is called as every surface calls it; the
//! other side is plain git.

use crate::env::{Env, context};
use brv_commands::vc::pull::{self, Options, Outcome, Relation};
use brv_commands::vc::{add, clone, commit};
use brv_engine::merge::reconcile::{ConflictKind, Event};
use brv_engine::{FailureKind, Stop};
use brv_text::merge::Side;
use std::path::PathBuf;

/// A bare remote, a teammate who uses plain git, and our project, cloned by brv.
struct Team {
    env: Env,
    remote: PathBuf,
    mate: PathBuf,
    ours: PathBuf,
}

impl Team {
    fn with(files: &[(&str, &str)]) -> Self {
        let env = Env::new();
        let remote = env.bare("remote.git");
        let mate = env.path("mate");
        env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), mate.to_str().unwrap()]);
        env.git(&mate, &["checkout", "-q", "-B", "main"]);
        env.commit(&mate, files);
        env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
        let project = env.path("ours");
        let options = clone::Options {
            url: remote.to_str().unwrap().into(),
            folder: Some(project.clone()),
            branch: None,
            depth: clone::Depth::Unchanged,
            branches: clone::Branches::All,
            tags: clone::Tags::Configured,
            remote: "origin".into(),
            derive: clone::Derive::Now,
        };
        clone::run(&context(env.root()), &options).unwrap();
        Self { remote, mate, ours: project.join(".brv/context-tree"), env }
    }

    fn mate_pushes(&self, files: &[(&str, &str)]) -> String {
        let id = self.env.commit(&self.mate, files);
        self.env.git(&self.mate, &["push", "-q"]);
        id
    }

    fn pull(&self) -> Result<Outcome, Stop> {
        pull::run(&context(&self.ours), &Options::default())
    }

    fn commit(&self, files: &[(&str, &str)]) {
        self.write(files);
        let all = add::Options { selection: add::Selection::Everything, ..add::Options::default() };
        add::run(&context(&self.ours), &all).unwrap();
        let message = commit::Options { message: vec!["ours".into()], ..commit::Options::default() };
        commit::run(&context(&self.ours), &message).unwrap();
    }

    fn write(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.ours.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.ours.join(path)).ok()
    }

    fn status(&self) -> String {
        self.env.git(&self.ours, &["status", "--porcelain"])
    }

    fn head(&self) -> String {
        self.env.git(&self.ours, &["rev-parse", "HEAD"])
    }
}

const DAY: &str = "# Token lifetime\n\nAccess tokens live a day, because the gateway checks them once a shift.\n\n\
    ## Facts\n\n- **clock skew**: two minutes are tolerated [convention]\n";

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

#[test]
fn a_fast_forward_brings_files_index_and_branch_over_and_regenerates() {
    let team = Team::with(&[("auth/a.md", DAY), ("auth/b.md", "# B\n\nOld.\n")]);
    let before = team.read("_index.md").unwrap();
    std::fs::remove_file(team.mate.join("auth/b.md")).unwrap();
    let tip =
        team.mate_pushes(&[("auth/a.md", &DAY.replace("a day", "an hour")), ("db/c.md", "# C\n\nNew.\n")]);
    let outcome = team.pull().unwrap();
    assert_eq!(outcome.brought.relation, Relation::FastForward);
    assert_eq!(team.head(), tip);
    assert_eq!(team.status(), "");
    assert_eq!(team.read("auth/b.md"), None);
    assert_eq!(team.read("auth/b.abstract.md"), None, "its derived files are gone, too");
    let text = team.read("auth/a.abstract.md").unwrap();
    assert!(text.contains("hour"), "{text}");
    assert!(team.read("db/_index.md").is_some());
    assert_ne!(team.read("_index.md").unwrap(), before);
    team.env.fsck(&team.ours);
    let again = team.pull().unwrap();
    assert_eq!(again.brought.relation, Relation::UpToDate);
    assert!(
        again.brought.written.derived.unwrap().unwrap().written.is_empty(),
        "nothing changed, nothing is written"
    );
}

#[test]
fn two_machines_derive_the_same_bytes() {
    let team = Team::with(&[("auth/a.md", "# A\n\nTokens live a day.\n"), ("db/b.md", "# B\n\nUse WAL.\n")]);
    team.mate_pushes(&[("auth/a.md", "# A\n\nTokens live an hour.\n"), ("auth/c.md", "# C\n\nNew.\n")]);
    team.pull().unwrap();
    let other = team.env.path("other");
    let options = clone::Options {
        url: team.remote.to_str().unwrap().into(),
        folder: Some(other.clone()),
        branch: None,
        depth: clone::Depth::Unchanged,
        branches: clone::Branches::All,
        tags: clone::Tags::Configured,
        remote: "upstream".into(),
        derive: clone::Derive::Now,
    };
    clone::run(&context(team.env.root()), &options).unwrap();
    let names = team.env.git(&team.ours, &["ls-files", "--others", "--ignored", "--exclude-standard"]);
    assert!(names.lines().count() >= 10, "{names}");
    for name in names.lines() {
        let theirs = std::fs::read(other.join(".brv/context-tree").join(name)).unwrap();
        assert!(std::fs::read(team.ours.join(name)).unwrap() == theirs, "{name}");
    }
}

#[test]
fn local_edits_that_do_not_collide_stay_and_those_that_do_refuse_the_pull() {
    let team = Team::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    let tip = team.mate_pushes(&[("a.md", "a theirs\n")]);
    team.write(&[("a.md", "a mine\n"), ("b.md", "b mine\n"), ("new.md", "mine\n")]);
    let before = team.head();
    let error = team.pull().unwrap_err();
    assert_eq!(error.kind(), FailureKind::Refused);
    assert_eq!(error.details, ["a.md"]);
    assert_eq!(team.head(), before);
    assert_eq!(team.read("a.md").as_deref(), Some("a mine\n"));
    team.write(&[("a.md", "a\n")]);
    assert_eq!(team.pull().unwrap().brought.relation, Relation::FastForward);
    assert_eq!(team.head(), tip);
    assert_eq!(team.read("b.md").as_deref(), Some("b mine\n"));
    assert_eq!(team.read("new.md").as_deref(), Some("mine\n"));
    assert_eq!(team.status(), " M b.md\n?? new.md");
}

#[test]
fn files_of_the_same_second_as_the_index_are_not_doubted_for_ever() {
    let team = Team::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    let written = std::fs::metadata(team.ours.join("a.md")).unwrap().modified().unwrap();
    let index = std::fs::File::options().write(true).open(team.ours.join(".git/index")).unwrap();
    index.set_modified(written + std::time::Duration::from_nanos(1)).unwrap();
    team.mate_pushes(&[("b.md", "theirs\n")]);
    team.pull().unwrap();
    // a size of zero is git's word for a file to be read again
    let entry = team.env.git(&team.ours, &["ls-files", "--debug", "a.md"]);
    assert!(entry.contains("size: 2"), "{entry}");
}

#[test]
fn an_untracked_file_in_the_way_refuses_the_pull_unless_it_is_the_same() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("new.md", "theirs\n"), ("same.md", "same\n")]);
    team.write(&[("new.md", "mine\n"), ("same.md", "same\n")]);
    assert_eq!(team.pull().unwrap_err().kind(), FailureKind::Refused);
    assert_eq!(team.read("new.md").as_deref(), Some("mine\n"));
    std::fs::remove_file(team.ours.join("new.md")).unwrap();
    team.pull().unwrap();
    assert_eq!(team.status(), "");
    assert_eq!(team.read("new.md").as_deref(), Some("theirs\n"));
}

#[test]
fn histories_that_went_apart_merge_file_by_file_and_line_by_line() {
    let team = Team::with(&[("a.md", LINES), ("b.md", "b\n"), ("c.md", "c\n")]);
    team.commit(&[("a.md", &LINES.replace("one", "ours")), ("mine.md", "mine\n")]);
    std::fs::remove_file(team.mate.join("c.md")).unwrap();
    let theirs = team.mate_pushes(&[("a.md", &LINES.replace("seven", "theirs")), ("b.md", "b theirs\n")]);
    let outcome = team.pull().unwrap();
    assert_eq!(outcome.brought.relation, Relation::Merged);
    assert_eq!(team.read("a.md").unwrap(), LINES.replace("one", "ours").replace("seven", "theirs"));
    assert_eq!(team.read("b.md").as_deref(), Some("b theirs\n"));
    assert_eq!(team.read("c.md"), None);
    assert_eq!(team.status(), "");
    assert_eq!(team.env.git(&team.ours, &["rev-parse", "HEAD^2"]), theirs);
    team.env.fsck(&team.ours);
}

#[test]
fn a_conflict_is_left_as_git_leaves_it_with_all_clean_changes_staged() {
    let team = Team::with(&[("a.md", "base\n"), ("b.md", "b\n"), ("c.md", "c\n")]);
    team.commit(&[("a.md", "ours\n"), ("c.md", "c ours\n")]);
    let head = team.head();
    std::fs::remove_file(team.mate.join("c.md")).unwrap();
    let theirs = team.mate_pushes(&[("a.md", "theirs\n"), ("b.md", "b theirs\n"), ("d.md", "d\n")]);
    let outcome = team.pull().unwrap();
    assert_eq!(outcome.brought.relation, Relation::Conflicted);
    let [conflict] = &outcome.brought.conflicts[..] else { panic!("{:?}", outcome.brought.conflicts) };
    assert_eq!((conflict.path.to_string().as_str(), &conflict.kind), ("a.md", &ConflictKind::BothModified));
    let [settled] = &outcome.brought.settled[..] else { panic!("{:?}", outcome.brought.settled) };
    assert_eq!(settled.path, "c.md");
    assert_eq!(settled.event, Some(Event::ChangeKept { by: Side::Ours, from: None, is_archived: false }));
    assert_eq!(team.head(), head);
    assert_eq!(team.env.git(&team.ours, &["rev-parse", "MERGE_HEAD"]), theirs);
    assert_eq!(team.status(), "UU a.md\nM  b.md\nA  d.md");
    assert_eq!(team.read("c.md").as_deref(), Some("c ours\n"));
    let text = team.read("a.md").unwrap();
    assert!(text.contains("<<<<<<< HEAD\nours\n") && text.contains("theirs\n>>>>>>> origin/main"), "{text}");
    assert_eq!(
        team.pull().unwrap_err().kind(),
        FailureKind::Conflict,
        "a second pull needs the conflicts to be resolved first"
    );
    team.commit(&[("a.md", "decided\n")]);
    assert_eq!(team.env.git(&team.ours, &["rev-parse", "HEAD^2"]), theirs);
    assert_eq!(team.status(), "");
    team.env.fsck(&team.ours);
}

#[test]
fn a_field_that_cannot_be_merged_is_a_conflict_and_all_other_fields_come_through() {
    let note = |aliases: &str, notes: &str| {
        format!("---\naliases:\n  - A\n{aliases}notes: |\n  {notes}\ntitle: A\n---\n\n# A\n")
    };
    let team = Team::with(&[("a.md", &note("", "one"))]);
    team.mate_pushes(&[("a.md", &note("  - Mate\n", "two"))]);
    team.commit(&[("a.md", &note("  - Us\n", "three"))]);
    let outcome = team.pull().unwrap();
    assert_eq!(outcome.brought.conflicts.len(), 1, "{outcome:?}");
    assert_eq!(team.read("a.md").unwrap(), note("  - Mate\n  - Us\n", "three"));
    assert_eq!(team.status(), "UU a.md");
    team.env.git(&team.ours, &["merge", "--abort"]);
    let undecided = brv_text::merge::Undecided::Theirs;
    let options = Options { undecided, ..Options::default() };
    assert!(pull::run(&context(&team.ours), &options).unwrap().brought.conflicts.is_empty());
    assert_eq!(team.read("a.md").unwrap(), note("  - Mate\n  - Us\n", "two"));
}

#[test]
fn git_can_abort_the_merge_that_brv_began() {
    let team = Team::with(&[("a.md", "base\n"), ("b.md", "b\n")]);
    team.commit(&[("a.md", "ours\n")]);
    team.mate_pushes(&[("a.md", "theirs\n"), ("b.md", "b theirs\n")]);
    team.pull().unwrap();
    team.env.git(&team.ours, &["merge", "--abort"]);
    assert_eq!(team.status(), "");
    assert_eq!(team.read("a.md").as_deref(), Some("ours\n"));
    assert_eq!(team.read("b.md").as_deref(), Some("b\n"));
}

#[test]
fn what_the_other_side_deleted_and_we_changed_is_still_there() {
    let team = Team::with(&[("a.md", LINES), ("b.md", "b\n")]);
    std::fs::remove_file(team.ours.join("a.md")).unwrap();
    team.commit(&[("b.md", "b ours\n")]);
    team.mate_pushes(&[("a.md", &LINES.replace("one", "theirs"))]);
    let outcome = team.pull().unwrap();
    assert_eq!(outcome.brought.relation, Relation::Merged);
    let event = outcome.brought.settled[0].event.clone();
    assert_eq!(
        event,
        Some(Event::ChangeKept { by: Side::Theirs, from: None, is_archived: false }),
        "no conflicts, but all are reported"
    );
    assert_eq!(team.status(), "");
    assert_eq!(team.read("a.md").unwrap(), LINES.replace("one", "theirs"));
}

#[test]
fn a_renamed_and_an_edited_file_become_one() {
    let team = Team::with(&[("auth/a.md", LINES), ("b.md", "b\n")]);
    std::fs::rename(team.ours.join("auth/a.md"), team.ours.join("moved.md")).unwrap();
    team.commit(&[]);
    team.mate_pushes(&[("auth/a.md", &LINES.replace("one", "theirs"))]);
    assert_eq!(team.pull().unwrap().brought.relation, Relation::Merged);
    assert_eq!(team.read("moved.md").unwrap(), LINES.replace("one", "theirs"));
    assert_eq!(team.read("auth/a.md"), None);
}

#[test]
fn staged_changes_survive_a_clean_merge_and_refuse_one_with_conflicts() {
    let team = Team::with(&[("a.md", "base\n"), ("b.md", "b\n"), ("s.md", "s\n")]);
    team.commit(&[("a.md", "ours\n")]);
    team.mate_pushes(&[("b.md", "b theirs\n")]);
    team.write(&[("s.md", "s staged\n")]);
    team.env.git(&team.ours, &["add", "s.md"]);
    assert_eq!(team.pull().unwrap().brought.relation, Relation::Merged);
    assert_eq!(team.status(), "M  s.md");
    team.mate_pushes(&[("a.md", "theirs\n")]);
    let error = team.pull().unwrap_err();
    assert_eq!(error.message, "staged changes would be mixed into the merge");
    assert_eq!(error.details, ["s.md"]);
    assert_eq!(team.status(), "M  s.md");
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("a.md", "a theirs\n"), ("b.md", "b\n")]);
    let before = team.head();
    let options = Options { mode: pull::Mode::DryRun, ..Options::default() };
    let outcome = pull::run(&context(&team.ours), &options).unwrap();
    assert_eq!(outcome.brought.relation, Relation::FastForward);
    assert_eq!(outcome.brought.files.len(), 2);
    assert_eq!((team.head(), team.read("b.md")), (before, None));
    assert_eq!(team.env.git(&team.ours, &["for-each-ref", "refs/brv/pending"]), "");
}

#[test]
fn foreign_files_stay_in_the_commit_and_the_rest_comes_through() {
    let team = Team::with(&[("a.md", "a\n")]);
    let big = format!("# Big\n\n{}", "x".repeat(1_153_434));
    std::fs::write(team.mate.join("broken.md"), b"caf\xe9\n").unwrap();
    team.mate_pushes(&[
        ("tool.exe", "MZ"),
        ("big.md", &big),
        ("good.md", "good\n"),
        ("_index.md", "theirs\n"),
    ]);
    let outcome = team.pull().unwrap();
    let withheld: Vec<_> =
        outcome.brought.written.withheld.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(withheld, ["_index.md", "big.md", "broken.md", "tool.exe"]);
    assert_eq!(team.read("good.md").as_deref(), Some("good\n"));
    for absent in ["tool.exe", "big.md", "broken.md"] {
        assert!(!team.ours.join(absent).exists(), "{absent}");
    }
    assert!(team.read("_index.md").unwrap().contains("stamp: brv/"), "brv's own, not the tracked one");
    assert_eq!(team.env.git(&team.ours, &["diff", "--cached", "--name-only"]), "");
    team.commit(&[("good.md", "better\n")]);
    let kept = team.env.git(&team.ours, &["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(kept, "_index.md\na.md\nbig.md\nbroken.md\ngood.md\ntool.exe");
}

#[test]
fn an_edited_foreign_file_of_ours_is_in_the_way_like_any_other() {
    let team = Team::with(&[("a.md", "a\n"), ("run.py", "one\n")]);
    team.write(&[("run.py", "one\n")]);
    team.env.git(&team.ours, &["update-index", "--no-skip-worktree", "run.py"]);
    team.write(&[("run.py", "mine\n")]);
    team.mate_pushes(&[("run.py", "two\n")]);
    assert_eq!(team.pull().unwrap_err().kind(), FailureKind::Refused);
    assert_eq!(team.read("run.py").as_deref(), Some("mine\n"));
}

#[test]
fn a_foreign_file_in_conflict_is_there_to_be_decided() {
    let team = Team::with(&[("a.md", "a\n"), ("run.py", "base\n")]);
    team.env.git(&team.ours, &["update-index", "--no-skip-worktree", "run.py"]);
    team.write(&[("run.py", "ours\n")]);
    team.env.git(&team.ours, &["commit", "-qam", "ours"]);
    team.mate_pushes(&[("run.py", "theirs\n")]);
    assert_eq!(team.pull().unwrap().brought.relation, Relation::Conflicted);
    assert_eq!(team.status(), "UU run.py");
    assert!(team.read("run.py").unwrap().contains("<<<<<<< HEAD"));
}

#[test]
fn a_staged_file_where_a_folder_must_be_is_in_the_way() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("z.md/k.md", "k\n")]);
    team.write(&[("z.md", "mine\n")]);
    team.env.git(&team.ours, &["add", "z.md"]);
    assert_eq!(team.pull().unwrap_err().kind(), FailureKind::Refused);
    team.env.git(&team.ours, &["mv", "z.md", "y.md"]);
    team.pull().unwrap();
    assert_eq!(team.read("z.md/k.md").as_deref(), Some("k\n"));
}

#[test]
fn without_a_common_ancestor_nothing_is_merged() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.env.git(&team.mate, &["checkout", "-q", "--orphan", "other"]);
    team.env.commit(&team.mate, &[("b.md", "b\n")]);
    team.env.git(&team.mate, &["push", "-q", "origin", "other"]);
    let options =
        Options { remote: Some("origin".into()), branch: Some("other".into()), ..Options::default() };
    let error = pull::run(&context(&team.ours), &options).unwrap_err();
    assert_eq!(error.message, "the two histories have no common ancestor");
    assert_eq!(error.kind(), FailureKind::Refused);
    assert_eq!(team.status(), "");
}

#[test]
fn a_folder_takes_the_place_of_a_file_and_empty_folders_give_way() {
    let team = Team::with(&[("x.md", "file\n")]);
    std::fs::remove_file(team.mate.join("x.md")).unwrap();
    team.mate_pushes(&[("x.md/inner.md", "inner\n"), ("new.md", "new\n")]);
    std::fs::create_dir_all(team.ours.join("new.md/empty")).unwrap();
    team.pull().unwrap();
    assert_eq!(team.read("x.md/inner.md").as_deref(), Some("inner\n"));
    assert_eq!(team.read("new.md").as_deref(), Some("new\n"));
    assert_eq!(team.status(), "");
    // a folder with an untracked file is not replaced
    team.write(&[("later.md/mine.md", "mine\n")]);
    team.mate_pushes(&[("later.md", "theirs\n")]);
    let error = team.pull().unwrap_err();
    assert_eq!(error.kind(), FailureKind::Refused, "{error:?}");
    assert_eq!(team.read("later.md/mine.md").as_deref(), Some("mine\n"));
}

#[test]
fn a_folder_of_what_was_derived_gives_way_to_a_file_and_one_with_an_edited_file_does_not() {
    let team = Team::with(&[("x.md/inner.md", DAY), ("y.md/inner.md", DAY)]);
    let turns_into_a_file = |name: &str| {
        std::fs::remove_dir_all(team.mate.join(name)).unwrap();
        team.mate_pushes(&[(name, "# A file now\n")])
    };
    assert!(team.read("x.md/inner.abstract.md").is_some());
    turns_into_a_file("x.md");
    team.pull().unwrap();
    assert_eq!(team.read("x.md").as_deref(), Some("# A file now\n"));
    assert!(team.read("x.abstract.md").is_some());
    assert_eq!(team.status(), "");
    let edited = team.read("y.md/inner.abstract.md").unwrap() + "by hand\n";
    team.write(&[("y.md/inner.abstract.md", &edited)]);
    turns_into_a_file("y.md");
    let error = team.pull().unwrap_err();
    assert_eq!(error.details, ["y.md/inner.abstract.md"]);
    assert_eq!(team.read("y.md/inner.abstract.md"), Some(edited));
    assert!(team.read("y.md/inner.md").is_some(), "nothing was touched");
}

#[test]
fn a_path_that_is_a_file_and_a_folder_refuses_the_update() {
    let team = Team::with(&[("a.md", "a\n")]);
    let git = |arguments: &[&str]| team.env.git(&team.mate, arguments);
    team.env.commit(&team.mate, &[("x/b.md", "inner\n")]);
    let (blob, tree) = (git(&["rev-parse", "HEAD:a.md"]), git(&["rev-parse", "HEAD:x"]));
    let listed = format!("100644 blob {blob}\ta.md\n040000 tree {tree}\ta.md\n");
    let input = team.env.path("tree.txt");
    std::fs::write(&input, listed).unwrap();
    let mut command = team.env.git_command(&team.mate);
    let output = command.arg("mktree").stdin(std::fs::File::open(&input).unwrap()).output().unwrap();
    let broken = String::from_utf8(output.stdout).unwrap();
    let commit = git(&["commit-tree", "-m", "x", "-p", "HEAD~1", broken.trim()]);
    team.env.git(&team.remote, &["config", "receive.fsckObjects", "false"]);
    git(&["push", "-q", "--force", "origin", &format!("{commit}:refs/heads/main")]);
    let error = team.pull().unwrap_err();
    assert_eq!(error.kind(), FailureKind::Refused, "{error:?}");
    assert_eq!((team.status(), team.read("a.md").as_deref()), (String::new(), Some("a\n")));
}
