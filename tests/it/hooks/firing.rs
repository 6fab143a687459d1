//! The lines in the hooks at work: real git calls them, and they call a brv that notes it.

use super::{FAKE, Project, called, put, with_programs};
use crate::env::{Env, Ran};
use crate::init::json;
use brv::cli::hooks::LINES;
use brv_git::hooks::Event;
use brv_git::hooks::script::Call;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The hooks call the brv on `PATH`, which notes it.
fn project(below: &str) -> Project {
    let project = Project::of(with_programs(&[("brv", FAKE)]), below);
    project.install_and_go(below);
    project
}

#[test]
fn git_calls_brv_after_a_commit_and_a_rewrite() {
    let project = project("");
    let first = project.env.commit(&project.host, &[("a", "a\n")]);
    assert_eq!(called(&project.env), "hooks run post-commit\n");
    let said =
        project.env.try_git(&project.host, &["commit", "-q", "--amend", "--allow-empty", "-m", "again"]);
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (0, "", ""));
    let second = project.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        called(&project.env),
        format!("hooks run post-commit\nhooks run post-rewrite amend\n{first} {second}\n")
    );
}

#[test]
fn a_rewrites_list_reaches_the_script_behind_brv_too() {
    let project = project("");
    let text = std::fs::read_to_string(project.hook("post-rewrite")).unwrap();
    put(&project.hook("post-rewrite"), format!("{text}set -eu\ncat >list\n").as_bytes(), 0o755);
    let first = project.env.commit(&project.host, &[("a", "a\n")]);
    project.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "again"]);
    let list = format!("{first} {}\n", project.git(&["rev-parse", "HEAD"]));
    assert_eq!(std::fs::read_to_string(project.host.join("list")).unwrap(), list);
    assert!(called(&project.env).ends_with(&list));
}

#[test]
fn a_project_below_the_top_of_the_host_is_named() {
    let project = project("a b/it's");
    project.env.commit(&project.host, &[("a", "a\n")]);
    assert_eq!(called(&project.env), "-C a b/it's hooks run post-commit\n");
}

#[test]
fn the_trees_own_repository_tells_of_merges_and_switches() {
    let project = project("");
    let tree = project.tree();
    project.env.commit(&tree, &[("a.md", "a\n")]);
    project.env.git(&tree, &["checkout", "-q", "-b", "side"]);
    assert!(called(&project.env).starts_with("hooks run post-checkout "));
    project.env.commit(&tree, &[("b.md", "b\n")]);
    project.env.git(&tree, &["checkout", "-q", "main"]);
    called(&project.env);
    project.env.git(&tree, &["merge", "-q", "side"]);
    assert_eq!(called(&project.env), "hooks run post-merge 0\n");
}

#[test]
fn a_push_is_blocked_by_a_verdict_and_by_nothing_else() {
    let project = project("");
    let tree = project.tree();
    project.env.bare("team.git");
    project.env.git(&tree, &["remote", "add", "origin", "../../../team.git"]);
    let commit = project.env.commit(&tree, &[("a.md", "a\n")]);
    let push = |status: &str| {
        let mut command = project.env.git_command(&tree);
        command.args(["push", "-q", "origin", "HEAD:main"]).env("BRV_FAKE", status);
        Ran::of(&command.output().unwrap())
    };
    for status in ["7", "6", "1"] {
        let ran = push(status);
        assert_ne!(ran.code, 0, "{status}");
        assert!(ran.stderr.starts_with("err\n") && ran.stdout.is_empty(), "{}", ran.stderr);
        let zero = "0".repeat(40);
        assert_eq!(
            called(&project.env),
            format!("hooks run pre-push origin ../../../team.git\nHEAD {commit} refs/heads/main {zero}\n")
        );
    }
    for status in ["127", "126", "2", "101", "0"] {
        assert_eq!(push(status).code, 0, "{status}");
        project.env.git(&project.env.path("team.git"), &["update-ref", "-d", "refs/heads/main"]);
    }
}

/// Run a line as the first of a script that prints its input and ends with 9.
fn run(event: Event, call: &Call, path: &Path, status: &str) -> Ran {
    let script = format!("{}\nwhile read -r line; do echo \"$line\"; done; exit 9", call.line(event));
    let mut command = Command::new("/bin/sh");
    command.env_clear().env("PATH", path).env("BRV_FAKE", status).env("TMPDIR", path);
    command.args(["-eu", "-c", &script, "hook", "one", "two words"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"first\nsecond\n").unwrap();
    Ran::of(&child.wait_with_output().unwrap())
}

#[test]
fn the_script_behind_the_line_is_not_touched_whatever_brv_and_the_machine_are() {
    let env = Env::new();
    let bin = env.path("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in ["cat", "rm", "dirname"] {
        std::os::unix::fs::symlink(crate::env::program(name).unwrap(), bin.join(name)).unwrap();
    }
    let elsewhere = env.path("else where/brv");
    put(&elsewhere, format!("#!/bin/sh\n{FAKE}\n").as_bytes(), 0o755);
    let expected = (9, "first\nsecond\n", "");
    for event in Event::ALL {
        for (program, status) in [(None, "0"), (Some(env.path("none")), "0"), (Some(elsewhere.clone()), "4")]
        {
            let is_there = program.as_ref() == Some(&elsewhere);
            let ran = run(event, &Call::new(&LINES, program.as_deref(), ""), &bin, status);
            let err = if event == Event::PrePush && is_there { "err\n" } else { expected.2 };
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (9, expected.1, err), "{event}");
            let noted = env.path("else where/called");
            let input = if event.reads_input() { "first\nsecond\n" } else { "" };
            let wanted = is_there.then(|| format!("hooks run {event} one two words\n{input}"));
            assert_eq!(std::fs::read_to_string(&noted).ok(), wanted, "{event}, without mktemp");
            drop(std::fs::remove_file(noted));
        }
    }
    let left: Vec<_> = std::fs::read_dir(&bin).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
    // a folder for temporary files that cannot be written: the push is judged all the same
    for (status, code) in [("7", 7), ("0", 9)] {
        let ran =
            run(Event::PrePush, &Call::new(&LINES, Some(&elsewhere), ""), &env.path("no folder"), status);
        assert_eq!(ran.code, code, "{}", ran.stderr);
    }
}

#[test]
fn other_shells_read_the_lines_the_same_way() {
    let env = with_programs(&[("brv", FAKE)]);
    for shell in ["dash", "bash", "zsh", "ksh", "busybox"] {
        let Some(program) = crate::env::program(shell) else { continue };
        for event in Event::ALL {
            for option in ["-e", "-u"] {
                let mut command = Command::new(&program);
                env.prepare(&mut command);
                if shell == "busybox" {
                    command.arg("sh");
                }
                let script = format!("{}\nexit 9", Call::new(&LINES, None, "").line(event));
                command.args([option, "-c", &script, "hook", "one"]).stdin(Stdio::null());
                assert_eq!(command.output().unwrap().status.code(), Some(9), "{shell} {event}");
                assert_eq!(called(&env), format!("hooks run {event} one\n"), "{shell}");
            }
        }
    }
}

#[test]
fn the_test_says_whether_the_hook_calls_brv() {
    let marks = r#"[ "$BRV_HOOKS" = test ] && [ -n "$GIT_DIR" ] && : >"$BRV_HOOKS_MARK""#;
    let project = Project::of(with_programs(&[("brv", marks)]), "");
    assert!(project.refused(&["hooks", "test"]).contains("is not installed"));
    project.install_and_go("");
    assert_eq!(project.data(&["hooks", "test"])["fired"], true);
    let text = std::fs::read_to_string(project.hook("post-commit")).unwrap();
    let off = text.replace("#!/bin/sh\n", "#!/bin/sh\nexit 0\n");
    put(&project.hook("post-commit"), off.as_bytes(), 0o755);
    let ran = project.brv(&["hooks", "test", "--json"]);
    assert_eq!((ran.code, &json(&ran.stdout)["data"]["fired"]), (1, &false.into()), "{}", ran.stdout);
    assert!(
        !project
            .host
            .join(".brv/cache")
            .read_dir()
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().starts_with("hook-test") })
    );
}
