//! The index flags skip-worktree and assume-unchanged, sparse checkouts and sparse indexes: plain git sets them, and
//! brv does what git does. A teammate uses plain git.

use crate::env::{Env, Ran, tree};
use crate::init::write;
use std::path::{Path, PathBuf};

const FLAGS: [&str; 2] = ["skip-worktree", "assume-unchanged"];

struct Team {
    env: Env,
    mate: PathBuf,
}

impl Team {
    /// A clone by brv, with `in/a.md`, `out/x.md`, `out/deep/y.md` and `root.md`, which all say `one`.
    fn new() -> Self {
        let env = Env::new();
        let remote = env.bare("remote.git");
        let mate = env.path("mate");
        env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), mate.to_str().unwrap()]);
        env.git(&mate, &["checkout", "-q", "-B", "main"]);
        let files = ["in/a.md", "out/x.md", "out/deep/y.md", "root.md"].map(|path| (path, "one\n"));
        env.commit(&mate, &files);
        env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
        let team = Self { env, mate };
        team.done(&["vc", "clone", "-q", "remote.git", "."]);
        team
    }

    fn pushes(&self, files: &[(&str, &str)]) {
        self.env.commit(&self.mate, files);
        self.env.git(&self.mate, &["push", "-q"]);
    }

    fn done(&self, arguments: &[&str]) -> Ran {
        let ran = self.env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn refused(&self, arguments: &[&str]) -> Ran {
        let before = (self.git(&["rev-parse", "HEAD"]), self.index());
        let ran = self.env.brv(arguments);
        assert_eq!(ran.code, 6, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        assert_eq!((self.git(&["rev-parse", "HEAD"]), self.index()), before, "nothing moved");
        ran
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&tree(&self.env), arguments)
    }

    fn flag(&self, flag: &str, path: &str) {
        self.git(&["update-index", &format!("--{flag}"), path]);
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(tree(&self.env).join(path)).ok()
    }

    /// The index with its flags, as git lists it.
    fn index(&self) -> String {
        self.git(&["ls-files", "-v", "-s"])
    }

    /// Git's letter for the flag of a path: `S`, `h`, or `H` for none.
    fn letter(&self, path: &str) -> String {
        self.git(&["ls-files", "-v", path]).chars().take(1).collect()
    }

    /// The curated files on disk.
    fn files(&self) -> String {
        let mut find = std::process::Command::new("find");
        let out = find.args([".", "-name", "*.md"]).current_dir(tree(&self.env)).output().unwrap();
        let mut all: Vec<String> = String::from_utf8(out.stdout).unwrap().lines().map(Into::into).collect();
        all.retain(|path| {
            !path.contains("/_") && !path.contains(".abstract.") && !path.contains(".overview.")
        });
        all.sort();
        all.join(" ")
    }
}

fn letter_of(flag: &str) -> &'static str {
    if flag == "skip-worktree" { "S" } else { "h" }
}

#[test]
fn a_hidden_edit_is_in_the_way_of_what_needs_its_path_and_of_nothing_else() {
    for flag in FLAGS {
        let team = Team::new();
        team.flag(flag, "in/a.md");
        write(&team.env, &[("in/a.md", "mine\n")]);
        assert_eq!(team.done(&["vc", "status", "--porcelain"]).stdout, "", "{flag}");
        team.pushes(&[("root.md", "two\n")]);
        team.done(&["vc", "pull"]);
        write(&team.env, &[("root.md", "three\n")]);
        team.done(&["vc", "commit", "-a", "-m", "ours"]);
        assert_eq!(team.git(&["show", "--format=", "--name-only", "HEAD"]), "root.md", "{flag}");
        team.done(&["vc", "push"]);
        team.env.git(&team.mate, &["pull", "-q"]);
        team.pushes(&[("in/a.md", "theirs\n")]);
        team.refused(&["vc", "pull"]);
        team.refused(&["vc", "merge", "origin/main"]);
        team.git(&["branch", "-q", "other", "origin/main"]);
        team.refused(&["vc", "switch", "other"]);
        team.refused(&["vc", "reset", "--hard", "other"]);
        team.git(&["commit", "-q", "--allow-empty", "-m", "diverged"]);
        team.refused(&["vc", "pull"]);
        std::fs::remove_file(team.mate.join("in/a.md")).unwrap();
        team.pushes(&[]);
        team.refused(&["vc", "pull"]);
        assert_eq!(team.read("in/a.md").as_deref(), Some("mine\n"), "{flag}");
        assert_eq!(team.letter("in/a.md"), letter_of(flag));
    }
}

#[test]
fn a_flagged_file_without_an_edit_is_updated_and_keeps_its_flag() {
    for flag in FLAGS {
        for is_there in [true, false] {
            let team = Team::new();
            team.flag(flag, "in/a.md");
            if !is_there {
                std::fs::remove_file(tree(&team.env).join("in/a.md")).unwrap();
            }
            assert_eq!(team.done(&["vc", "status", "--porcelain"]).stdout, "", "{flag}");
            team.pushes(&[("in/a.md", "theirs\n")]);
            team.done(&["vc", "pull"]);
            assert_eq!(team.read("in/a.md").as_deref(), Some("theirs\n"), "{flag}");
            assert_eq!(team.letter("in/a.md"), letter_of(flag), "there before: {is_there}");
            assert_eq!(team.git(&["rev-parse", ":in/a.md"]), team.git(&["rev-parse", "origin/main:in/a.md"]));
            write(&team.env, &[("root.md", "ours\n")]);
            team.done(&["vc", "commit", "-a", "-m", "ours"]);
            assert_eq!(team.git(&["show", "HEAD:in/a.md"]), "theirs", "the teammate's fact stays");
            std::fs::remove_file(team.mate.join("in/a.md")).unwrap();
            team.pushes(&[]);
            team.done(&["vc", "pull"]);
            assert_eq!((team.read("in/a.md"), team.letter("in/a.md").as_str()), (None, ""));
            team.done(&["undo"]);
            assert_eq!(team.letter("in/a.md"), letter_of(flag), "an undo brings the flag back with its file");
        }
    }
}

#[test]
fn every_command_that_writes_the_index_keeps_the_flags() {
    for flag in FLAGS {
        let team = Team::new();
        for path in ["in/a.md", "out/x.md", "root.md"] {
            team.flag(flag, path);
        }
        write(&team.env, &[("root.md", "hidden\n")]);
        let of = |path: &str| team.letter(path);
        let letter = letter_of(flag);
        let lines: [&[&str]; 19] = [
            &["curate", "Text.", "--into", "in/new", "--title", "New", "--reason", "r"],
            &["vc", "mv", "out/deep/y.md", "out/deep/z.md"],
            &["vc", "rm", "-f", "out/deep/z.md"],
            &["vc", "restore", "--staged", "."],
            &["vc", "reset"],
            &["vc", "add", "."],
            &["vc", "commit", "-m", "all"],
            &["vc", "revert", "HEAD"],
            &["vc", "reset", "HEAD~"],
            &["vc", "reset", "--hard"],
            &["vc", "restore", "."],
            &["vc", "switch", "-c", "side"],
            &["vc", "switch", "main"],
            &["vc", "check", "--fix"],
            &["vc", "gc"],
            &["archive", "run", "in/a.md"],
            &["undo"],
            &["vc", "mv", "in/a.md", "in/b.md"],
            &["undo"],
        ];
        for line in lines {
            let ran = team.env.brv(line);
            assert!(ran.code < 2, "{line:?}\n{}{}", ran.stdout, ran.stderr);
            for path in ["in/a.md", "out/x.md", "root.md"] {
                if team.read(path).is_some() {
                    assert_eq!(of(path), letter, "{path} after {line:?}\n{}{}", ran.stdout, ran.stderr);
                }
            }
            if team.read("in/b.md").is_some() {
                assert_eq!(of("in/b.md"), letter, "a flag moves with its file");
            }
            assert_eq!(team.read("root.md").as_deref(), Some("hidden\n"), "after {line:?}");
        }
        team.done(&["vc", "rm", "out/x.md"]);
        team.done(&["undo"]);
        assert_eq!((of("out/x.md").as_str(), of("in/a.md").as_str()), (letter, letter), "{flag}");
        let ran = team.env.brv(&["vc", "rm", "root.md"]);
        assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn naming_a_file_whose_edit_is_hidden_says_why_it_is_left_out() {
    for flag in FLAGS {
        let team = Team::new();
        team.flag(flag, "in/a.md");
        write(&team.env, &[("in/a.md", "mine\n")]);
        let ran = team.env.brv(&["vc", "add", "in/a.md"]);
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("skip-worktree"), "{}", ran.stderr);
        assert_eq!(team.git(&["diff", "--cached", "--name-only"]), "");
    }
}

#[test]
fn in_a_sparse_cone_a_pull_writes_nothing_outside() {
    for form in ["--no-sparse-index", "--sparse-index"] {
        let team = Team::new();
        team.git(&["sparse-checkout", "set", "--cone", form, "in"]);
        let twin = team.env.path("twin");
        team.env.git(team.env.root(), &["clone", "-q", "remote.git", "twin"]);
        team.env.git(&twin, &["sparse-checkout", "set", "--cone", form, "in"]);
        assert_eq!(team.done(&["vc", "status", "--porcelain"]).stdout, "");
        std::fs::remove_file(team.mate.join("out/deep/y.md")).unwrap();
        let both = [("in/a.md", "two\n"), ("in/b/c.md", "new\n"), ("root.md", "two\n"), ("r.md", "new\n")];
        let outside = [("out/x.md", "two\n"), ("out/new.md", "new\n"), ("other/o.md", "new\n")];
        team.pushes(&both.into_iter().chain(outside).collect::<Vec<_>>());
        let ran = team.done(&["vc", "pull"]);
        assert!(!ran.stderr.contains("out/x.md"), "{}", ran.stderr);
        team.env.git(&twin, &["pull", "-q"]);
        let listed = |folder: &Path| team.env.git(folder, &["ls-files", "-t", "-s"]);
        assert_eq!(listed(&tree(&team.env)), listed(&twin), "{form}");
        assert_eq!(team.files(), "./in/a.md ./in/b/c.md ./r.md ./root.md", "{form}");
        assert_eq!(team.git(&["status", "--porcelain"]), "", "{form}");
        team.done(&["undo"]);
        assert_eq!(team.files(), "./in/a.md ./root.md", "{form}");
        assert_eq!(team.git(&["status", "--porcelain"]), "", "{form}");
        team.done(&["vc", "pull"]);
        write(&team.env, &[("in/a.md", "three\n")]);
        team.done(&["vc", "commit", "-a", "-m", "ours"]);
        assert_eq!(team.git(&["show", "--format=", "--name-only", "HEAD"]), "in/a.md");
        team.env.fsck(&tree(&team.env));
    }
}

#[test]
fn the_patterns_of_a_sparse_checkout_mean_what_they_mean_to_git() {
    let paths =
        "a.md b.md in/a.md in/deep/er/x.md in/deep/y.md inner/x.md out/in/a.md out/x.md Out/x.md #x.md";
    let listed: String = paths.split(' ').map(|path| format!("{path}\n")).collect();
    let cones = ["in", "in/deep", "in/deep out/in", "inner in/deep/er"];
    let free =
        ["/in/", "in", "*.md !out/", "/* !/out/ /out/in/", "deep/", "/*.md", "**/x.md !/in", "\\#x.md"];
    let all = cones.iter().map(|set| ("--cone", set)).chain(free.iter().map(|set| ("--no-cone", set)));
    for (form, set) in all {
        let env = Env::new();
        let root = env.root();
        env.git(root, &["init", "-q", "."]);
        let line: Vec<&str> = ["sparse-checkout", "set", form].into_iter().chain(set.split(' ')).collect();
        env.git(root, &line);
        std::fs::write(root.join("list"), &listed).unwrap();
        let rules = env.git(root, &["-c", "alias.rules=!git sparse-checkout check-rules < list", "rules"]);
        let scope = brv_git::open(root, "", crate::env::environment()).unwrap();
        let sparse = brv_git::SparseCheckout::read(&scope).unwrap();
        let ours: Vec<&str> = paths.split(' ').filter(|path| !sparse.leaves_out((*path).into())).collect();
        assert_eq!(ours.join("\n"), rules, "{form} {set}");
    }
}

#[test]
fn a_file_outside_the_cone_is_updated_by_gits_rules() {
    let team = Team::new();
    team.git(&["sparse-checkout", "set", "--cone", "in"]);
    write(&team.env, &[("out/x.md", "mine\n"), ("out/new.md", "mine\n")]);
    team.pushes(&[("out/x.md", "two\n")]);
    team.refused(&["vc", "pull"]);
    let outside: [(&[&str], &str); 4] = [
        (&["vc", "commit", "-m", "x", "out/x.md"], "mine\n"),
        (&["undo"], "mine\n"),
        (&["vc", "restore", "."], "one\n"),
        (&["undo"], "mine\n"),
    ];
    for (line, text) in outside {
        team.done(line);
        assert_eq!(team.read("out/x.md").as_deref(), Some(text), "a file that is there stays: {line:?}");
    }
    team.done(&["vc", "reset", "--hard"]);
    assert_eq!(team.read("out/x.md").as_deref(), Some("one\n"));
    team.done(&["vc", "pull"]);
    assert_eq!((team.read("out/x.md"), team.letter("out/x.md").as_str()), (None, "S"));
    team.pushes(&[("out/new.md", "theirs\n")]);
    team.refused(&["vc", "pull"]);
    assert_eq!(team.read("out/new.md").as_deref(), Some("mine\n"));
    std::fs::remove_file(tree(&team.env).join("out/new.md")).unwrap();
    team.done(&["vc", "pull"]);
    team.git(&["checkout", "-q", "-b", "ours", "HEAD~"]);
    write(&team.env, &[("out/new.md", "ours\n")]);
    team.git(&["add", "--sparse", "out/new.md"]);
    team.git(&["commit", "-qm", "ours"]);
    team.git(&["sparse-checkout", "reapply"]);
    let ran = team.env.brv(&["vc", "merge", "main"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        team.read("out/new.md").as_deref(),
        Some("ours\n"),
        "a file in conflict is there to be resolved"
    );
    team.done(&["vc", "merge", "--abort"]);
    assert_eq!(team.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_killed_pull_is_finished_inside_the_cone() {
    let team = Team::new();
    team.git(&["sparse-checkout", "set", "--cone", "in"]);
    team.pushes(&[("in/a.md", "two\n"), ("out/x.md", "two\n"), ("out/new.md", "new\n")]);
    let before = team.git(&["rev-parse", "HEAD"]);
    team.done(&["vc", "pull"]);
    let index = team.index();
    let operation = team.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/brv/ops"]);
    let (name, id) = operation.lines().last().unwrap().split_once(' ').unwrap();
    team.git(&["reset", "-q", "--hard", &before]);
    team.git(&["update-ref", "-d", name]);
    team.git(&["update-ref", "refs/brv/pending", id]);
    team.done(&["vc", "gc"]);
    assert_eq!(team.index(), index, "the operation was finished");
    assert_eq!(team.files(), "./in/a.md ./root.md");
    assert_eq!(team.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_is_kept_off_the_disk_is_not_curated_as_if_it_were_absent() {
    let team = Team::new();
    team.git(&["sparse-checkout", "set", "--cone", "in"]);
    let operations = r#"[
        {"type": "UPSERT", "path": "out", "title": "x", "reason": "r", "markdown": "Other."},
        {"type": "ADD", "path": "out/deep", "title": "new", "reason": "r", "markdown": "New."},
        {"type": "UPDATE", "path": "in", "title": "a", "reason": "r", "related": ["out/x.md"]}
    ]"#;
    let ran = team.env.brv_reading(&["curate", "--ops", "-", "--json"], operations.as_bytes());
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let data = &crate::init::json(&ran.stdout)["data"];
    let codes: Vec<_> = (0..3).map(|at| data["applied"][at]["code"].clone()).collect();
    assert_eq!(codes, ["invalid".into(), "invalid".into(), serde_json::Value::Null], "{}", ran.stdout);
    assert!(data["applied"][2].get("dropped_relations").is_none(), "{}", ran.stdout);
    assert_eq!((team.read("out/x.md"), team.read("out/context.md")), (None, None));
    assert_eq!(team.git(&["show", "HEAD:out/x.md"]), "one");
    assert_eq!(team.git(&["status", "--porcelain"]), "");
}
