//! A brv from a package manager: hooks, the merge driver and the user's settings name a program that stays.
#![cfg(unix)]

use crate::env::{Env, Ran};
use crate::hooks::{FAKE, called, put};
use std::path::Path;
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

    fn script(&self, program: &Path) {
        let text = format!("#!/bin/sh\n{} \"$@\"\nexit $?\n", brv_base::process::quoted(program));
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
    let first = machine.env.brv_at("Cellar/brv/0.1.0/bin");
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
    let program = machine.env.brv_at("lib/node_modules/git-brv/node_modules/git-brv-linux-x64");
    machine.script(&program);
    let script = machine.env.path("bin/brv");
    for text in machine.named() {
        assert!(text.contains(program.to_str().unwrap()), "{text}");
        assert!(!text.contains(script.to_str().unwrap()), "{text}");
    }
}

/// Make git run all that calls brv: the hooks of both repositories, and the merge driver.
fn work(env: &Env, round: &str) {
    let tree = env.path(".brv/context-tree");
    env.git(env.root(), &["commit", "-q", "--allow-empty", "-m", "code"]);
    env.git(env.root(), &["commit", "-q", "--allow-empty", "--amend", "-m", round]);
    env.git(&tree, &["checkout", "-q", "-b", round]);
    env.commit(&tree, &[("a.md", &format!("theirs of {round}\n"))]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("a.md", &format!("ours of {round}\n"))]);
    env.git(&tree, &["merge", "-q", "-m", "merge", round]);
    env.git(&tree, &["push", "-q", env.path("team.git").to_str().unwrap(), "main"]);
}

/// What [`work`] makes git call.
const CALLS: [&str; 6] = [
    "hooks run post-commit\n",
    "hooks run post-rewrite amend\n",
    "hooks run post-checkout ",
    "merge-driver ",
    "hooks run post-merge ",
    "hooks run pre-push ",
];

#[test]
fn a_strangers_brv_on_the_path_is_not_run_while_the_own_one_is_there() {
    let machine = Machine::new();
    let program = machine.env.brv_at("lib/node modules/it's 5%");
    machine.script(&program);
    machine.named();
    let path = std::env::join_paths([machine.env.path("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
    let env = machine.env.with("PATH", path);
    env.bare("team.git");
    env.commit(&env.path(".brv/context-tree"), &[("a.md", "a\n")]);
    // from here on both note how they are called
    for file in [&program, &env.path("bin/brv")] {
        std::fs::remove_file(file).unwrap();
        put(file, format!("#!/bin/sh\n{FAKE}\n").as_bytes(), 0o755);
    }
    work(&env, "first");
    let own = std::fs::read_to_string(program.with_file_name("called")).unwrap();
    assert!(CALLS.iter().all(|call| own.contains(call)), "{own}");
    assert_eq!(called(&env), "", "the stranger was called");
    std::fs::remove_file(program).unwrap();
    work(&env, "second");
    let other = called(&env);
    assert!(CALLS.iter().all(|call| other.contains(call)), "{other}");
}

#[test]
fn hooks_of_an_older_brv_that_ask_the_path_first_are_renewed_and_removed() {
    let machine = Machine::new();
    let program = machine.env.brv_at("lib");
    machine.script(&program);
    let theirs = "#!/bin/sh\nmake\n";
    let hook = machine.env.path(".git/hooks/post-commit");
    let old = format!(
        "#!/bin/sh\n# >>> brv\n(brv=$(command -v brv) || brv='{}'; [ -x \"$brv\" ] && exec \"$brv\" hooks run \
         post-commit \"$@\") </dev/null >/dev/null 2>&1 || :\n# <<< brv\nmake\n",
        program.display()
    );
    for renewed in [true, false] {
        put(&hook, old.as_bytes(), 0o755);
        assert_eq!(machine.brv(&["init", "-q"]).code, 0);
        assert!(machine.brv(&["hooks", "status"]).stdout.contains("outdated  post-commit"));
        if renewed {
            assert_eq!(machine.brv(&["hooks", "install", "-q"]).code, 0);
            let text = std::fs::read_to_string(&hook).unwrap();
            assert!(
                text.starts_with("#!/bin/sh\n# >>> brv\n(brv='/") && text.ends_with("\nmake\n"),
                "{text}"
            );
        }
        assert_eq!(machine.brv(&["hooks", "uninstall", "-q"]).code, 0);
        assert_eq!(std::fs::read_to_string(&hook).unwrap(), theirs);
    }
}
