//! Hostile remotes that try to write outside the tree: the whole update is rejected with the path, and nothing is
//! written. A merely unportable path stays in the commit, is not written, and is reported.

use crate::env::{Env, context};
use crate::lab::{assert_harmless, clone_options, fixture, is_volatile, picture};
use crate::servers::{Http, ServerMode};
use brv_base::escape::escape_line;
use brv_commands::vc::{clone, pull};
use brv_engine::{FailureKind, Stop};
use std::path::{Path, PathBuf};

/// The scripts whose tip is rejected as a whole, each with the path that the error names, as in the commit. Scripts
/// without a path contain broken trees: git's server, gitoxide or brv may be the first to reject them.
const REFUSED: [(&str, &[&str]); 26] = [
    ("absolute_name", &[]),
    ("backslash", &["..\\x.md"]),
    ("case_twin", &["a/Note.md", "a/note.md"]),
    ("case_twin_folder", &["Notes", "notes"]),
    ("colon", &["c:x.md"]),
    ("control_character", &["del\u{7f}.md", "esc\u{1b}[31m.md", "line\nfeed.md"]),
    ("dot", &[]),
    ("dot_dot", &[]),
    ("dot_git", &[".git/hooks/post-checkout", ".git/x.md"]),
    ("dot_git_ignorable", &[".g\u{200c}it"]),
    ("dot_git_nested", &["notes/.git"]),
    ("dot_git_stream", &[".git::$INDEX_ALLOCATION"]),
    ("dot_git_trailing", &[".git. "]),
    ("dot_git_upper", &[".GIT"]),
    ("duplicate_entry", &[]),
    ("empty_name", &[]),
    ("git_tilde_1", &["git~1"]),
    ("gitlink", &["vendor"]),
    ("odd_mode", &["all.md", "run.md"]),
    ("reserved_name", &["CON.md"]),
    ("slash_in_name", &[]),
    ("slash_in_plain_name", &["bread/new.md"]),
    ("symlink", &[]),
    ("symlink_folder", &["bread"]),
    ("trailing_dot", &["note.md.", "notes./"]),
    ("trailing_space", &["note.md ", "notes /"]),
];

/// The scripts whose tip contains a file that is not written while the rest is.
const WITHHELD: [&str; 3] = ["long_path", "not_nfc", "not_utf8_name"];

/// A project cloned from the good branch `before` of a remote, which will then pull its `main`.
struct Victim {
    env: Env,
    remote: PathBuf,
    project: PathBuf,
    tree: PathBuf,
}

impl Victim {
    fn of(script: &str) -> Self {
        let env = Env::new();
        let out = fixture(&env, &format!("hostile/{script}"), "out").expect("any git builds it");
        let (remote, project) = (out.join("remote.git"), env.path("project"));
        // the hostile tip is added later, as in real life
        let tip = env.git(&remote, &["rev-parse", "main"]);
        env.git(&remote, &["update-ref", "-d", "refs/heads/main"]);
        let options = clone::Options { branch: Some("before".into()), ..clone_options(&remote, &project) };
        clone::run(&context(env.root()), &options).unwrap();
        env.git(&remote, &["update-ref", "refs/heads/main", &tip]);
        let tree = project.join(".brv/context-tree");
        Self { env, remote, project, tree }
    }

    fn pull(&self) -> Result<pull::Outcome, Stop> {
        let options = pull::Options {
            remote: Some("origin".into()),
            branch: Some("main".into()),
            ..pull::Options::default()
        };
        pull::run(&context(&self.tree), &options)
    }

    fn clone_main(&self, project: &Path) -> Result<clone::Outcome, Stop> {
        let options = clone::Options { branch: Some("main".into()), ..clone_options(&self.remote, project) };
        clone::run(&context(self.env.root()), &options)
    }
}

fn is_clear_refusal(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Refused | FailureKind::Remote)
}

#[test]
fn every_script_of_hostile_remotes_is_tried() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repos/hostile");
    let mut there: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "remote")
        .collect();
    there.sort();
    let mut tried: Vec<&str> = REFUSED.iter().map(|(name, _)| *name).chain(WITHHELD).collect();
    tried.sort_unstable();
    assert_eq!(there, tried);
}

#[test]
fn a_pull_of_a_hostile_tip_is_refused_by_name_and_writes_nothing() {
    for (script, paths) in REFUSED {
        let victim = Victim::of(script);
        let before = picture(victim.env.root(), &is_volatile);
        let error = victim.pull().expect_err(script);
        assert!(is_clear_refusal(error.kind()), "{script}: {error:?}");
        if !paths.is_empty() {
            assert_eq!(error.kind(), FailureKind::Refused);
            let named = &error.details;
            for path in paths {
                let shown = escape_line(path.as_bytes());
                assert!(named.iter().any(|one| one.starts_with(&*shown)), "{script}: {path:?} in {named:?}");
            }
        }
        let after = picture(victim.env.root(), &is_volatile);
        let differ: Vec<_> = after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).collect();
        assert!(before == after, "{script}: {differ:?}");
        assert_eq!(victim.env.git(&victim.tree, &["status", "--porcelain"]), "", "{script}");
        assert_eq!(victim.env.git(&victim.tree, &["for-each-ref", "refs/brv/pending"]), "", "{script}");
    }
}

#[test]
fn a_clone_of_a_hostile_tip_is_refused_and_leaves_nothing_behind() {
    for (script, paths) in REFUSED {
        let victim = Victim::of(script);
        let stop = victim.clone_main(&victim.env.path("new/fresh")).expect_err(script);
        assert!(is_clear_refusal(stop.kind), "{script}: {stop:?}");
        for path in paths {
            let named = escape_line(path.as_bytes());
            assert!(
                stop.details.iter().any(|one| one.starts_with(&*named)),
                "{script}: {path:?} in {stop:?}"
            );
        }
        assert!(!victim.env.path("new").exists(), "{script}: not even the folder");
    }
}

/// git's own check of received objects (`fetch.fsckObjects`) rejects nothing more, and no command skips it.
#[test]
fn a_disguise_is_refused_however_it_comes() {
    for (script, name) in [("slash_in_plain_name", "bread/new.md"), ("odd_mode", "all.md")] {
        let victim = Victim::of(script);
        let env = &victim.env;
        let server = Http::start(victim.remote.parent().unwrap(), ServerMode::Open);
        let path = victim.remote.to_str().unwrap().to_owned();
        let urls = [path.clone(), format!("file://{path}"), server.url("remote.git")];
        for (number, url) in urls.iter().enumerate() {
            let tree = &victim.tree;
            env.git(tree, &["config", "fetch.fsckObjects", if number % 2 == 0 { "true" } else { "false" }]);
            env.git(tree, &["remote", "set-url", "origin", url]);
            let before = picture(&victim.project, &is_volatile);
            let clone = format!("clone{number}");
            for (folder, arguments) in [
                (tree.as_path(), &["vc", "pull", "origin", "main"][..]),
                (tree.as_path(), &["vc", "sync", "origin", "main"]),
                (env.root(), &["vc", "clone", "--branch", "main", url, &clone]),
            ] {
                let ran = env.brv_in(folder, arguments);
                assert_eq!(ran.code, 6, "{script} {arguments:?}: {}{}", ran.stdout, ran.stderr);
                assert!(ran.stderr.contains(name), "{script} {arguments:?}: {}", ran.stderr);
            }
            assert!(!env.path(&clone).exists());
            // a fetched tip is not accepted by another command either
            for arguments in [
                &["vc", "merge", "origin/main"][..],
                &["vc", "reset", "--hard", "origin/main"],
                &["vc", "switch", "-c", "topic", "origin/main"],
            ] {
                let ran = env.brv_in(tree, arguments);
                assert_eq!(ran.code, 6, "{script} {arguments:?}: {}{}", ran.stdout, ran.stderr);
            }
            assert!(before == picture(&victim.project, &is_volatile), "{script} {url}");
        }
    }
}

#[test]
fn a_refused_clone_leaves_the_files_of_its_folder_alone() {
    let victim = Victim::of("dot_git");
    let project = victim.env.path("mine");
    victim.env.commit(
        &{
            victim.env.git(victim.env.root(), &["init", "-q", "mine"]);
            project.clone()
        },
        &[("src/main.rs", "fn main() {}\n")],
    );
    let before = picture(&project, &|_| false);
    victim.clone_main(&project).expect_err("hostile");
    assert_eq!(picture(&project, &|_| false), before);
}

#[test]
fn a_hostile_file_on_the_other_side_of_a_merge_refuses_it() {
    let victim = Victim::of("dot_git_nested");
    crate::lab::write(&victim.tree, &[("bread/ours.md", "# Ours\n")]);
    crate::lab::add_all(&victim.tree);
    crate::lab::commit(&victim.tree, "ours").unwrap();
    let before = picture(&victim.project, &is_volatile);
    let error = victim.pull().expect_err("hostile");
    assert_eq!(error.kind(), FailureKind::Refused, "{error:?}");
    assert!(before == picture(&victim.project, &is_volatile));
}

#[test]
fn what_is_merely_unportable_stays_in_the_commit_and_is_reported() {
    for script in WITHHELD {
        let victim = Victim::of(script);
        let outcome = victim.pull().unwrap_or_else(|error| panic!("{script}: {error:?}"));
        assert_eq!(
            outcome.brought.written.withheld.len(),
            1,
            "{script}: {:?}",
            outcome.brought.written.withheld
        );
        assert!(victim.tree.join("bread/added.md").exists(), "{script}: the harmless change arrived");
        let changes = victim.env.git(&victim.tree, &["diff", "--name-status", "HEAD"]);
        assert_eq!(changes, "", "{script}");
        let main = victim.env.git(&victim.remote, &["rev-parse", "main"]);
        assert_eq!(victim.env.git(&victim.tree, &["rev-parse", "HEAD"]), main);
        let fresh = victim.env.path("fresh");
        let cloned = victim.clone_main(&fresh).unwrap_or_else(|error| panic!("{script}: {error:?}"));
        assert_eq!(cloned.written.withheld.len(), 1, "{script}");
        assert_eq!(
            victim.env.git(&fresh.join(".brv/context-tree"), &["diff", "--name-status", "HEAD"]),
            "",
            "{script}"
        );
    }
}

#[test]
fn the_program_names_what_it_refuses_without_a_control_character() {
    for script in ["control_character", "dot_git_ignorable", "dot_git", "symlink_folder", "case_twin"] {
        let victim = Victim::of(script);
        let ran = victim.env.brv_in(&victim.tree, &["vc", "pull", "origin", "main"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (6, ""), "{script}: {}", ran.stderr);
        assert_harmless(&ran);
        let name = match script {
            "control_character" => "esc\\",
            "dot_git_ignorable" => "it",
            "dot_git" => ".git/hooks/post-checkout",
            "symlink_folder" => "bread",
            _ => "a/Note.md",
        };
        assert!(ran.stderr.contains(name), "{script}: {}", ran.stderr);
        assert_harmless(&victim.env.brv_in(&victim.tree, &["vc", "pull", "origin", "main", "--json"]));
    }
}
