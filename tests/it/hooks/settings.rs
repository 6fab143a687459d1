//! Hooks in the settings of a repository, which git knows since 2.54: what is written and read back.

use super::{Project, programs, put, rows, with_programs};
use crate::env::Env;

const NEW: (&str, &str) = ("git", "echo git version 2.54.0");
const OLD: (&str, &str) = ("git", "echo 'git version 2.40.1 (Apple Git-101)'");

/// A project whose brv finds this git; the tests have the real one.
fn project(git: (&str, &str)) -> Project {
    let Project { env, host } = Project::new();
    let path = programs(&env, &[git]);
    Project { env: env.with("PATH", path), host }
}

fn get(project: &Project, key: &str) -> String {
    project.git(&["config", "--local", "--get-all", key])
}

#[test]
fn settings_are_written_read_back_and_removed_without_a_trace() {
    let project = project(NEW);
    let picture = project.picture();
    let made = project.data(&["hooks", "install", "--via", "config"]);
    assert!(rows(&made, "change").iter().all(|row| row.ends_with(" added config")), "{made}");
    assert_eq!(get(&project, "hook.brv-post-commit.event"), "post-commit");
    let command = get(&project, "hook.brv-post-rewrite.command");
    assert!(command.starts_with("brv_hook() { if ") && command.ends_with("; }; brv_hook"), "{command}");
    let tree = project.env.git(&project.tree(), &["config", "--local", "hook.brv-pre-push.event"]);
    assert_eq!(tree, "pre-push");
    assert!(!project.hook("post-commit").exists());
    let once = project.picture();
    for arguments in [&["hooks", "install", "--via", "config"][..], &["hooks", "install"]] {
        let again = project.data(arguments);
        assert!(rows(&again, "change").iter().all(|row| row.ends_with(" kept config")), "{again}");
        assert_eq!(project.picture(), once);
    }
    project.git(&["config", "hook.brv-post-commit.command", "brv old"]);
    assert_eq!(project.rows()[..2], ["post-commit outdated config", "post-rewrite installed config"]);
    project.data(&["hooks", "uninstall"]);
    assert_eq!(project.picture(), picture);
}

#[test]
fn an_event_is_never_told_by_both_ways() {
    let project = project(NEW);
    let picture = project.picture();
    for via in ["file", "config", "file", "config", "auto"] {
        let made = project.data(&["hooks", "install", "--via", via]);
        let way = if via == "file" { "file" } else { "config" };
        assert!(rows(&made, "state").iter().all(|row| row.ends_with(&format!(" installed {way}"))), "{made}");
        assert_eq!(project.hook("post-commit").exists(), way == "file");
        let is_set = project.env.try_git(&project.host, &["config", "hook.brv-post-commit.event"]).code == 0;
        assert_eq!(is_set, way == "config");
    }
    project.data(&["hooks", "uninstall"]);
    assert_eq!(project.picture(), picture);
}

#[test]
fn where_the_files_are_anothers_a_new_git_takes_settings_and_an_old_one_is_named() {
    let new = project(NEW);
    put(&new.host.join("lefthook.yml"), b"", 0o644);
    let made = new.data(&["hooks", "install"]);
    assert_eq!(rows(&made, "change")[1..3], ["post-rewrite added config", "post-merge added file"], "{made}");
    assert!(new.rows().iter().all(|row| row.contains(" installed ")));
    new.refused(&["hooks", "install", "--via", "file"]);

    let by_hand = project(NEW);
    put(&by_hand.host.join(".husky/post-commit"), b"brv hooks run post-commit \"$@\"\n", 0o644);
    for arguments in [&["hooks", "install"][..], &["hooks", "install", "--via", "config"]] {
        assert!(by_hand.refused(arguments).contains("calls brv already, and it would be called twice"));
    }

    let old = project(OLD);
    put(&old.host.join("lefthook.yml"), b"", 0o644);
    assert!(old.refused(&["hooks", "install"]).contains("lefthook rules the hooks"));
    let said = old.refused(&["hooks", "install", "--via", "config"]);
    assert!(
        said.contains("hooks in settings need git 2.54 or later; the git on PATH is version 2.40"),
        "{said}"
    );

    let none = Project::new();
    let Project { env, host } = none;
    let empty = env.path("empty");
    let none = Project { env: env.with("PATH", empty), host };
    let said = none.refused(&["hooks", "install", "--via", "config"]);
    assert!(said.contains("there is no git on PATH"), "{said}");
}

/// Runs where git knows such hooks; elsewhere it is skipped.
#[test]
fn a_git_that_knows_them_runs_hooks_from_settings() {
    let version = Env::new().git(std::path::Path::new("/"), &["version"]);
    let mut numbers = version.split([' ', '.']).filter_map(|part| part.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) < (Some(2), Some(54)) {
        println!("skipped: {version}");
        return;
    }
    let project = Project::of(with_programs(&[("brv", super::FAKE)]), "");
    project.data(&["hooks", "install", "--via", "config"]);
    for event in ["post-commit", "post-rewrite"] {
        let key = format!("hook.brv-{event}.command");
        let command = get(&project, &key).replace(env!("CARGO_BIN_EXE_brv"), "/no/such/brv");
        project.git(&["config", &key, &command]);
    }
    project.env.commit(&project.host, &[("a", "a\n")]);
    assert_eq!(super::called(&project.env), "hooks run post-commit\n");
    project.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "again"]);
    assert!(super::called(&project.env).contains("hooks run post-rewrite amend\n"));
}
