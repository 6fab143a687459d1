//! A brv from a package manager: hooks, the merge driver and the user's settings name a program that stays.
#![cfg(unix)]

use crate::env::{Env, Ran};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A machine where a package manager has installed brv; `brv` on its `PATH` is in `bin`.
struct Machine {
    env: Env,
}

impl Machine {
    fn new() -> Self {
        let env = Env::new();
        env.git(env.root(), &["init", "-q", "-b", "main"]);
        std::fs::create_dir(env.path("bin")).unwrap();
        Self { env }
    }

    /// A program of its own in a folder: the same file, so that it costs no space.
    fn program(&self, folder: &str) -> PathBuf {
        let place = self.env.path(folder);
        std::fs::create_dir_all(&place).unwrap();
        let file = place.join("brv");
        let brv = env!("CARGO_BIN_EXE_brv");
        if std::fs::hard_link(brv, &file).is_err() {
            assert!(Command::new("cp").arg(brv).arg(&file).status().unwrap().success());
        }
        file
    }

    fn script(&self, program: &Path) {
        let text = format!("#!/bin/sh\n'{}' \"$@\"\nexit $?\n", program.display());
        let file = self.env.path("bin/brv");
        std::fs::write(&file, text).unwrap();
        assert!(Command::new("chmod").arg("755").arg(file).status().unwrap().success());
    }

    /// Run the `brv` in `bin`.
    fn brv(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(self.env.path("bin/brv"));
        self.env.prepare(&mut command);
        let path = std::env::join_paths([self.env.path("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
        command.env("PATH", path).args(arguments).current_dir(self.env.root());
        Ran::of(&command.output().unwrap())
    }

    /// What the merge driver, a hook, and a user's settings say.
    fn named(&self) -> [String; 3] {
        for arguments in [
            &["init", "-q"][..],
            &["hooks", "install", "-q"],
            &["connectors", "install", "cursor", "--scope", "user", "-q"],
        ] {
            let ran = self.brv(arguments);
            assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        }
        let driver = self.env.git(&self.env.path(".brv/context-tree"), &["config", "merge.brv.driver"]);
        let read = |path: &str| std::fs::read_to_string(self.env.path(path)).unwrap();
        [driver, read(".git/hooks/post-commit"), read("home/.cursor/mcp.json")]
    }
}

#[test]
fn a_link_on_the_path_is_named_because_an_upgrade_moves_what_is_behind_it() {
    let machine = Machine::new();
    let first = machine.program("Cellar/brv/0.1.0/bin");
    let link = machine.env.path("bin/brv");
    std::os::unix::fs::symlink(&first, &link).unwrap();
    for text in machine.named() {
        assert!(text.contains(link.to_str().unwrap()) && !text.contains("Cellar"), "{text}");
    }
    // the upgrade: another folder, and the link leads there
    std::fs::rename(machine.env.path("Cellar/brv/0.1.0"), machine.env.path("Cellar/brv/0.2.0")).unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(machine.env.path("Cellar/brv/0.2.0/bin/brv"), &link).unwrap();
    let status = machine.brv(&["hooks", "status"]).stdout;
    assert!(!status.contains("outdated"), "{status}");
    let driver = machine.env.git(&machine.env.path(".brv/context-tree"), &["config", "merge.brv.driver"]);
    let program = driver.split('\'').nth(1).unwrap();
    let ran = Command::new(program).arg("--version").output().unwrap();
    assert!(ran.status.success(), "{program} is still there");
}

#[test]
fn a_script_that_starts_brv_is_not_named() {
    let machine = Machine::new();
    let program = machine.program("lib/node_modules/git-brv/node_modules/git-brv-linux-x64");
    machine.script(&program);
    let script = machine.env.path("bin/brv");
    for text in machine.named() {
        assert!(text.contains(program.to_str().unwrap()), "{text}");
        assert!(!text.contains(script.to_str().unwrap()), "{text}");
    }
}
