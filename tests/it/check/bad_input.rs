//! What a check refuses, with which exit code, and that it changes nothing.

use super::{World, secret};
use crate::env::{Env, tree};

#[track_caller]
fn refused(env: &Env, arguments: &[&str], code: i32, words: &str) {
    let ran = env.brv(&[&["vc", "check"], arguments].concat());
    assert_eq!(ran.code, code, "{arguments:?} {}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(words), "{arguments:?} {}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn revisions_that_mean_nothing_are_wrong_usage() {
    let world = World::new();
    let env = &world.env;
    refused(env, &["nope"], 2, "`nope` is neither a revision nor a path");
    refused(env, &["main..nope"], 2, "nope");
    refused(env, &["main", "HEAD"], 2, "write two revisions as `A..B`");
    refused(env, &["--all", "main"], 2, "take no revision");
    refused(env, &["--code", "nowhere"], 2, "is not a folder");
    refused(env, &["--fix", "--format", "sarif"], 2, "as text or JSON only");
    world.git(&["checkout", "-q", "-b", "alone"]);
    refused(env, &[], 2, "no upstream");
    world.git(&["checkout", "-q", "--orphan", "apart"]);
    refused(env, &[], 1, "no commits yet");
    assert_eq!(env.brv(&["vc", "check", "--staged"]).code, 0);
    world.commit(&[("apart.md", "# Apart\n")]);
    refused(env, &["main...apart"], 1, "no common ancestor");
}

#[test]
fn a_shallow_history_is_named_as_the_cause() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.commit(&[("ops/a.md", "# A\n")]);
    world.commit(&[("ops/b.md", "# B\n")]);
    world.git(&["push", "-q", "origin", "topic"]);
    let env = Env::new();
    let url = format!("file://{}", world.env.path("remote.git").display());
    env.git(
        env.root(),
        &["clone", "-q", "--depth", "1", "--no-single-branch", &url, tree(&env).to_str().unwrap()],
    );
    refused(&env, &["origin/main...origin/topic"], 1, "shallow");
    refused(&env, &["origin/topic"], 1, "brv vc fetch --unshallow");
}

#[test]
fn a_merge_in_progress_is_checked_as_it_stands() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.commit(&[("ops/deploy.md", "# Deploy\n\nOurs.\n")]);
    world.git(&["checkout", "-q", "main"]);
    world.commit(&[("ops/deploy.md", "# Deploy\n\nTheirs.\n")]);
    assert_ne!(world.env.try_git(&world.tree(), &["merge", "topic"]).code, 0);
    assert_eq!(world.found(&["--all"], 1), ["BRV001 ops/deploy.md:3"]);
    assert_eq!(world.found(&["--staged"], 1), ["BRV001 ops/deploy.md:1"]);
    let warnings = world.check(&[], 0)["warnings"].clone();
    assert_eq!(warnings, serde_json::json!(["a merge is in progress: 1 file is in conflict"]));
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let world = World::new();
    let ran = world.env.brv(&["vc", "check", "--output", "home", "--format", "markdown"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("home"), "{}", ran.stderr);
    assert_eq!(Env::new().brv(&["vc", "check"]).code, 3);
    world.commit(&[("ops/a.md", &secret())]);
    let ran = world.env.brv(&["vc", "check", "--output", "report.md", "--format", "markdown"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(std::fs::read_to_string(world.env.path("report.md")).unwrap().starts_with("<!-- brv:review -->"));
}

#[test]
fn ci_files_are_printed_or_written_and_need_no_tree() {
    let env = Env::new();
    let ran = env.brv(&["vc", "check", "--workflow", "github", "--install", "pipx install brv==1"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let files: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("# file: ")).collect();
    assert_eq!(
        files,
        ["# file: .github/workflows/brv-check.yml", "# file: .github/workflows/brv-comment.yml"]
    );
    assert_eq!(ran.stdout.lines().filter(|line| *line == "---").count(), 1);
    assert!(ran.stdout.contains("pipx install brv==1"));
    let ran = env.brv(&["vc", "check", "--workflow", "gitlab", "--output", "ci"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Wrote ci/.gitlab-ci.brv.yml\n"));
    assert!(env.path("ci/.gitlab-ci.brv.yml").is_file());
    refused(&env, &["--workflow", "github", "--install", " "], 2, "empty");
    refused(&env, &["--workflow", "github", "--all"], 2, "--all");
    refused(&env, &["--install", "x"], 2, "--workflow");
}
