//! Output on a terminal: pager and progress bars. The terminal is one of script(1).
#![cfg(unix)]

use crate::env::{Env, Ran, program};
use crate::init::{commit, project};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Run brv in a terminal of this width; returns the output of brv and of the programs it started. `None`, with a
/// message, if there is no `script`.
pub fn on_terminal(env: &Env, columns: u16, arguments: &[&str]) -> Option<Ran> {
    answering(env, columns, arguments, "")
}

/// As [`on_terminal`], with what the user types.
pub fn answering(env: &Env, columns: u16, arguments: &[&str], typed: &str) -> Option<Ran> {
    let Some(script) = program("script") else {
        println!("script is not on this machine: skipped");
        return None;
    };
    let brv = std::iter::once(env!("CARGO_BIN_EXE_brv")).chain(arguments.iter().copied());
    let line: Vec<String> = brv.map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    let line = format!("stty cols {columns} rows 24 2>/dev/null; {}", line.join(" "));
    let mut command = Command::new(script);
    env.prepare(&mut command);
    let command = command.env("TERM", "xterm").env_remove("NO_COLOR");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let typing = child.stdin.take().unwrap().write_all(typed.as_bytes());
    let ran = Ran::of(&child.wait_with_output().unwrap());
    typing.unwrap();
    Some(ran)
}

/// A tree with one commit whose file is longer than a screen.
fn long() -> Env {
    let text: String = (0..500).map(|number| format!("line {number}\n")).collect();
    let env = project(&[("a.md", &text)]);
    commit(&env, "first");
    env
}

#[test]
fn long_answers_go_through_the_chosen_pager() {
    let env = long().with("BRV_PAGER", "sed s/^/paged:/");
    for arguments in [&["vc", "log"][..], &["vc", "show"], &["help", "safety"], &["vc", "push", "--help"]] {
        let Some(ran) = on_terminal(&env, 80, arguments) else { return };
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stdout);
        assert!(ran.stdout.lines().all(|line| line.starts_with("paged:")), "{arguments:?}: {}", ran.stdout);
    }
    for arguments in [
        &["--no-pager", "vc", "log"][..],
        &["vc", "log", "--no-pager"],
        &["vc", "log", "--json"],
        &["vc", "push", "--help", "--no-pager"],
        &["--version"],
    ] {
        let ran = on_terminal(&env, 80, arguments).unwrap();
        assert!(!ran.stdout.contains("paged:"), "{arguments:?}: {}", ran.stdout);
    }
    assert!(!env.brv(&["vc", "show"]).stdout.contains("paged:"), "a pipe is not paged");
}

#[test]
fn a_pager_that_is_left_early_is_no_failure() {
    let env = long().with("BRV_PAGER", "head -n 1");
    let Some(ran) = on_terminal(&env, 80, &["vc", "show"]) else { return };
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{}", ran.stdout);
    let env = env.with("BRV_PAGER", "no-such-pager");
    let ran = on_terminal(&env, 80, &["vc", "show"]).unwrap();
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("line 499"), "output is printed if the pager fails");
}

#[test]
fn the_user_chooses_the_pager_and_no_repository_does() {
    let env = long();
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["config", "core.pager", "sed s/^/repository:/"]);
    let Some(ran) = on_terminal(&env.with("PAGER", "sed s/^/user:/"), 80, &["vc", "log"]) else { return };
    assert!(ran.stdout.starts_with("user:"), "{}", ran.stdout);
    let env = long().with("PAGER", "sed s/^/variable:/");
    std::fs::write(env.path("home/.gitconfig"), "[core]\n\tpager = sed s/^/git:/\n").unwrap();
    let ran = on_terminal(&env, 80, &["vc", "log"]).unwrap();
    assert!(ran.stdout.starts_with("git:"), "{}", ran.stdout);
}

/// A tree with a remote whose server thinks for a second and then sends text that a terminal would obey.
fn slow_remote() -> Env {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    let bare = env.bare("team.git");
    let hook = bare.join("hooks/pre-receive");
    std::fs::write(&hook, "#!/bin/sh\nsleep 1\nprintf 'thanks\\033[2J\\007\\n' >&2\n").unwrap();
    let ssh = env.path("ssh");
    std::fs::write(&ssh, "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n").unwrap();
    for file in [&hook, &ssh] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(file, mode).unwrap();
    }
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["remote", "add", "origin", &format!("ssh://host{}", bare.display())]);
    let ssh = ssh.to_str().unwrap().to_owned();
    env.with("GIT_SSH_COMMAND", ssh.as_str()).with("GIT_SSH_VARIANT", "simple")
}

/// Push the branch to a ref that does not exist yet.
fn push<'a>(to: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    [&["vc", "push", "origin", to], flags].concat()
}

#[test]
fn a_bar_is_drawn_on_a_terminal_and_leaves_no_remains() {
    let env = slow_remote();
    let Some(ran) = on_terminal(&env, 80, &push("main:one", &["--color", "never"])) else { return };
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let (_, after) = ran.stdout.rsplit_once("Waiting for the remote ...").expect("a bar");
    let (erased, result) = after.split_once("To ").expect("the result");
    assert!(erased.contains("\u{1b}[2K") || erased.contains("\u{1b}[K"), "{erased:?}");
    assert!(result.contains("[new branch] main -> one") && !result.contains("Waiting"), "{result:?}");
    assert!(
        ran.stdout.contains("remote: thanks\r\n") && !ran.stdout.contains("\u{1b}[2J"),
        "{:?}",
        ran.stdout
    );

    let narrow = on_terminal(&env, 12, &push("main:two", &[])).unwrap();
    assert_eq!(narrow.code, 0);
    assert!(narrow.stdout.contains("Waiting"), "{:?}", narrow.stdout);
    assert!(!narrow.stdout.contains("Waiting for the"), "cut at the edge: {:?}", narrow.stdout);
}

#[test]
fn a_slow_transfer_tells_its_bytes_and_their_rate() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("{state:016x}\n")
    };
    let text: String = (0..30_000).map(|_| noise()).collect();
    let env = project(&[("a.md", &text)]);
    commit(&env, "first");
    let slow = env.path("slow");
    std::fs::write(&slow, "#!/bin/sh\n\"$@\" | { head -c 100000; sleep 2; cat; }\n").unwrap();
    let settings = format!("[uploadpack]\n\tpackObjectsHook = {}\n", slow.display());
    std::fs::write(env.path("home/.gitconfig"), settings).unwrap();
    let ssh = env.path("ssh");
    std::fs::write(&ssh, "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n").unwrap();
    for file in [&slow, &ssh] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(file, mode).unwrap();
    }
    let url = format!("ssh://host{}", env.path(".brv/context-tree").display());
    let ssh = ssh.to_str().unwrap().to_owned();
    let env = env.with("GIT_SSH_COMMAND", ssh.as_str()).with("GIT_SSH_VARIANT", "simple");
    let ran = env.brv(&["vc", "clone", "--progress", &url, "copy"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let receiving = ran.stderr.lines().find(|line| line.starts_with("Receiving objects: "));
    let receiving = receiving.unwrap_or_else(|| panic!("{}", ran.stderr));
    assert!(receiving.contains(" KiB, ") && receiving.contains("iB/s ["), "{receiving}");
}

#[test]
fn nothing_is_drawn_where_nobody_watches() {
    let env = slow_remote();
    let ran = env.brv(&push("main:pipe", &[]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "remote: thanks\n"));
    let ran = env.brv(&push("main:lines", &["--progress"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "Waiting for the remote ...\nremote: thanks\n"));
    for (to, flag) in [("main:quiet", "-q"), ("main:json", "--json")] {
        let Some(ran) = on_terminal(&env, 80, &push(to, &[flag])) else { return };
        assert_eq!(ran.code, 0, "{flag}");
        assert!(!ran.stdout.contains("Waiting"), "{flag}: {:?}", ran.stdout);
    }
}

#[test]
fn curate_asks_a_person_for_what_is_missing() {
    let env = project(&[]);
    let line = ["curate", "Tokens live 12 hours."];
    let Some(ran) = answering(&env, 80, &line, "auth/tokens\nLifetime\naudit\n") else { return };
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    for question in ["Folder (domain/topic): ", "Title: ", "Reason, for the history: "] {
        assert!(ran.stdout.contains(question), "{}", ran.stdout);
    }
    let entry = std::fs::read_to_string(env.path(".brv/context-tree/auth/tokens/lifetime.md")).unwrap();
    assert!(entry.contains("Tokens live 12 hours."), "{entry}");
    // what is given is not asked for
    let ran = answering(&env, 80, &["curate", "--into", "a/b", "--title", "T", "--", "-x"], "why\n").unwrap();
    assert!(ran.code == 0 && !ran.stdout.contains("Folder"), "{}", ran.stdout);
    // an answer that is empty, no text, JSON, an agent and a pipe get the error
    let agent = project(&[]).with("BRV_ACTOR", "claude");
    for (env, line, typed) in [
        (&env, &line[..], "auth/tokens\n\n"),
        (&env, &["curate"], "a\nb\nc\n"),
        (&env, &["curate", "x", "--json"], "a\nb\nc\n"),
        (&agent, &line, "a\nb\nc\n"),
    ] {
        let ran = answering(env, 80, line, typed).unwrap();
        assert_eq!(ran.code, 2, "{line:?}: {}", ran.stdout);
    }
    let piped = env.brv(&line);
    assert!(piped.code == 2 && piped.stderr.contains("--into <FOLDER>"), "{}", piped.stderr);
}
