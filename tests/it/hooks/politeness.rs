//! Hooks of others: what they do, print and end with stays, and so does every byte.

use super::{Project, called, put, with_programs};
use std::process::Command;

/// Scripts that stay as they are but for brv's lines: text, permissions, exit status.
const SCRIPTS: &[(&str, &[u8], u32, i32)] = &[
    ("sh", b"#!/bin/sh\necho one\nexit 3\n", 0o755, 3),
    ("bash with exec", b"#!/usr/bin/env bash\necho one\nexec sh -c 'exit 4'\n", 0o755, 4),
    ("strict", b"#!/bin/sh -eu\necho one\nfalse\n", 0o755, 1),
    ("no newline at its end", b"#!/bin/sh\necho one", 0o700, 0),
    ("only a first line", b"#!/bin/sh", 0o755, 0),
    ("without a first line", b"echo one\nexit 5\n", 0o755, 5),
    ("empty", b"", 0o755, 0),
    ("read-only", b"#!/bin/sh\necho one\n", 0o555, 0),
    ("not UTF-8", b"#!/bin/sh\necho one # \xe9\nexit 6\n", 0o755, 6),
];

/// What a shell makes of a hook: its output and exit status.
fn run(project: &Project) -> (i32, String) {
    let mut command = Command::new("sh");
    let text = std::fs::read(project.hook("post-commit")).unwrap();
    if text.starts_with(b"#!") {
        command = Command::new(project.hook("post-commit"));
    } else {
        command.arg(project.hook("post-commit"));
    }
    project.env.prepare(&mut command);
    let ran = crate::env::Ran::of(&command.current_dir(&project.host).output().unwrap());
    (ran.code, ran.stdout + &ran.stderr)
}

#[test]
fn a_script_works_as_before_and_comes_back_byte_for_byte() {
    let env = with_programs(&[("brv", super::FAKE)]);
    let project = Project::of(env, "");
    for (name, text, mode, code) in SCRIPTS {
        project.put("post-commit", text, *mode);
        let (before, picture) = (run(&project), project.picture());
        assert_eq!(before.0, *code, "{name}");
        project.install_and_go("");
        assert_eq!(called(&project.env), "", "{name}");
        assert_eq!(run(&project), before, "{name}");
        assert_eq!(called(&project.env), "hooks run post-commit\n", "{name}");
        let with = &project.picture()[&project.hook("post-commit")];
        assert_eq!(with.0 & 0o777, *mode, "{name}");
        project.data(&["hooks", "uninstall"]);
        assert_eq!(project.picture(), picture, "{name}");
        std::fs::remove_file(project.hook("post-commit")).unwrap();
    }
}

#[test]
fn lines_that_end_with_crlf_stay_so_and_brvs_line_works_among_them() {
    for first in ["#!/bin/sh\n", ""] {
        let project = Project::of(with_programs(&[("brv", super::FAKE)]), "");
        project.put("post-commit", format!("{first}exit 7 #\r\n").as_bytes(), 0o755);
        let picture = project.picture();
        project.install_and_go("");
        let mut command = Command::new("sh");
        project.env.prepare(&mut command);
        let code = command.arg(project.hook("post-commit")).status().unwrap().code();
        assert_eq!((code, called(&project.env).as_str()), (Some(7), "hooks run post-commit\n"));
        project.data(&["hooks", "uninstall"]);
        assert_eq!(project.picture(), picture);
    }
}

#[test]
fn what_brv_made_is_gone_without_a_trace() {
    for below in ["", ".git/hooks"] {
        let project = Project::new();
        if !below.is_empty() {
            // a repository without a folder for hooks
            for git in [project.host.join(".git/hooks"), project.tree().join(".git/hooks")] {
                drop(std::fs::remove_dir_all(git));
            }
        }
        let picture = project.picture();
        project.data(&["hooks", "install"]);
        let made = &project.picture()[&project.hook("post-commit")];
        assert_eq!(made.0 & 0o777, 0o755);
        project.data(&["hooks", "uninstall"]);
        assert_eq!(project.picture(), picture, "{below}");
        let nothing = project.data(&["hooks", "uninstall"]);
        assert!(super::rows(&nothing, "change").iter().all(|row| row.ends_with(" kept file")));
    }
}

#[test]
fn what_somebody_added_to_a_file_that_brv_made_stays() {
    let project = Project::new();
    std::fs::remove_dir_all(project.host.join(".git/hooks")).unwrap();
    project.data(&["hooks", "install"]);
    let mut text = std::fs::read(project.hook("post-commit")).unwrap();
    text.extend_from_slice(b"make\n");
    put(&project.hook("post-commit"), &text, 0o755);
    project.data(&["hooks", "install"]);
    project.data(&["hooks", "uninstall"]);
    assert_eq!(std::fs::read(project.hook("post-commit")).unwrap(), b"#!/bin/sh\nmake\n");
    assert!(!project.hook("post-rewrite").exists());
}

#[test]
fn what_is_no_script_of_a_shell_or_is_off_is_refused_with_the_line_for_it() {
    for (what, why) in [
        ("python", "it is a script for `python3`"),
        ("binary", "it is a binary"),
        ("symlink", "it is a symbolic link"),
        ("switched off", "it is not executable"),
        ("folder", "it is not a regular file"),
        (
            "carriage return",
            "its first line ends in a carriage return, so the system finds no program to run it",
        ),
    ] {
        let project = Project::new();
        let file = project.hook("post-rewrite");
        match what {
            "python" => project.put("post-rewrite", b"#!/usr/bin/env python3\n", 0o755),
            // git cannot start it either, whoever the program is
            "carriage return" => {
                project.put("post-rewrite", b"#!/usr/bin/env bash\r\nbrv hooks run post-rewrite \r\n", 0o755);
                let ran = Command::new(&file).status();
                assert!(ran.map_or(true, |status| !status.success()), "the system starts it");
            }
            "binary" => project.put("post-rewrite", b"\x7fELF\0\0", 0o755),
            "switched off" => project.put("post-rewrite", b"#!/bin/sh\nmake\n", 0o644),
            "folder" => std::fs::create_dir_all(&file).unwrap(),
            _ => {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink("../../post-rewrite.sh", &file).unwrap();
            }
        }
        for arguments in [&["hooks", "install"][..], &["hooks", "install", "--via", "file"]] {
            let said = project.refused(arguments);
            assert!(said.contains(&format!("`{}`: {why}", file.display())), "{what}: {said}");
            let advice = match what {
                "python" => format!(
                    "\nRun from `{}`, with its arguments and its input:\n\nbrv hooks run post-",
                    file.display()
                ),
                _ => format!("\nAdd to `{}`:\n\nif {{ _brv=", file.display()),
            };
            assert!(said.contains(&advice), "{what}: {said}");
        }
        assert_eq!(project.rows()[..2], ["post-commit absent file", "post-rewrite foreign file"], "{what}");
        assert!(project.brv(&["hooks", "status"]).stdout.contains(&format!("\n  {why}")), "{what}");
    }
}

#[test]
fn a_hook_that_serves_a_tree_in_another_folder_is_left_to_it() {
    let project = Project::of(crate::env::Env::new(), "a b");
    let other = project.host.join("other");
    std::fs::create_dir(&other).unwrap();
    let run = |folder: &str, arguments: &[&str]| project.env.brv_in(&project.host.join(folder), arguments);
    assert_eq!(run("other", &["init", "-q"]).code, 0);
    assert_eq!(run("a b", &["hooks", "install"]).code, 0);
    let text = std::fs::read(project.hook("post-commit")).unwrap();
    assert!(String::from_utf8_lossy(&text).contains("-C 'a b' hooks run post-commit"));
    let ran = run("other", &["hooks", "install"]);
    assert_eq!(ran.code, 6, "{}", ran.stdout);
    assert!(ran.stderr.contains("calls brv for a tree in another folder"), "{}", ran.stderr);
    assert_eq!(run("other", &["hooks", "uninstall"]).code, 0);
    assert_eq!(std::fs::read(project.hook("post-commit")).unwrap(), text);
}
