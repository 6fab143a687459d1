//! Commands that stop halfway, on file systems that can do less: without an exchange of two names, with errors in the
//! middle of it, over several mounts; and beside a git that moves the branch.

use crate::env::{Env, Ran, tree};
use crate::faults::calls::{is_killed, tracing};
use crate::faults::is_skipped;
use crate::init::{commit, json, project};
use crate::races::{Save, no_temporary_files, stage};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const NO_EXCHANGE: &str = "inject=renameat2:error=EINVAL";

/// Curate a fact into an entry that exists, with these injections.
fn curating(env: &Env, title: &str, fact: &str, injections: &[&str]) -> Command {
    let traced = "trace=write,link,linkat,rename,renameat,renameat2";
    let options: Vec<&str> = [traced].iter().chain(injections).flat_map(|one| ["-e", one]).collect();
    let arguments = ["curate", "--into", "auth", "--title", title, "--reason", "r", "--fact", fact, "--json"];
    tracing(env, &options, &arguments)
}

/// The calls that were listed of the last run.
fn calls(env: &Env) -> String {
    std::fs::read_to_string(env.path("calls")).unwrap()
}

/// Curate one fact after the other, each with a fault at a later one of these calls, until none is left that it hits.
fn curate_through(env: &Env, names: &[&str], fault: &str, mut check: impl FnMut(&str, &Output)) {
    for name in names {
        for nth in 1.. {
            let fact = format!("{name} {nth}: yes");
            let injections = [NO_EXCHANGE.to_owned(), format!("inject={name}:{fault}:when={nth}")];
            let output =
                curating(env, "A", &fact, &injections.each_ref().map(String::as_str)).output().unwrap();
            check(&format!("- **{name} {nth}**: yes"), &output);
            if !is_killed(&output)
                && !calls(env)
                    .lines()
                    .any(|line| line.contains(&format!(" {name}(")) && line.contains("(INJECTED)"))
            {
                assert!(nth > 1, "{name} is never called");
                break;
            }
        }
    }
}

/// Everything is as it was, or done: on disk, in the index and in `HEAD`.
fn assert_whole(env: &Env, what: &str) {
    let tree = tree(env);
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "", "{what}");
    assert!(no_temporary_files(&tree) && !tree.join(".git/index.lock").exists(), "{what}");
    assert_eq!(env.git(&tree, &["for-each-ref", "refs/brv/pending"]), "", "{what}");
}

fn text(env: &Env) -> String {
    std::fs::read_to_string(tree(env).join("auth/a.md")).unwrap()
}

#[test]
fn without_an_exchange_of_names_a_killed_command_leaves_an_index_and_is_completed() {
    if is_skipped() {
        return;
    }
    let env = stage();
    curate_through(&env, &["linkat", "rename", "renameat"], "signal=KILL", |line, output| {
        assert!(is_killed(output) || output.status.success(), "{line} {output:?}");
        assert!(tree(&env).join(".git/index").exists(), "there is no index: {line}");
        let is_pending = !env.git(&tree(&env), &["for-each-ref", "refs/brv/pending"]).is_empty();
        let next = env.brv(&["vc", "tag", "-f", "next"]);
        assert_eq!((next.code, next.stderr.contains("was completed")), (0, is_pending), "{line} {next:?}");
        assert!(!is_pending || text(&env).contains(line), "{line} is not completed");
        assert_eq!(env.brv(&["derive"]).code, 0);
        assert_whole(&env, line);
    });
    env.fsck(&tree(&env));
}

#[test]
fn three_renames_that_fail_on_the_way_are_taken_back() {
    if is_skipped() {
        return;
    }
    let env = stage();
    let mut last = 0;
    let mut before = text(&env);
    curate_through(&env, &["rename"], "error=EIO", |line, output| {
        let ran = Ran::of(output);
        let now = text(&env);
        if ran.code == 0 {
            assert!(now.contains(line), "{line}");
        } else {
            assert_eq!((ran.code, &now), (1, &before), "{line} {ran:?}");
        }
        assert_whole(&env, line);
        before = now;
        let failed = calls(&env).lines().any(|line| line.contains("-old\", ") && line.contains("(INJECTED)"));
        last += usize::from(failed && ran.code == 1);
    });
    assert_eq!(last, 1, "the last of three renames did not fail");
}

/// Wait until it is so.
fn wait_until(child: &mut Child, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end && child.try_wait().unwrap().is_none(), "it did not come to that");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_file_that_cannot_be_put_back_is_left_to_the_next_command() {
    if is_skipped() {
        return;
    }
    let env = stage();
    let tree = tree(&env);
    // the second exchange puts the saved file back
    let faults = ["inject=write:delay_enter=30000", "inject=renameat2:error=EIO:when=2"];
    let mut child = curating(&env, "A", "x: y", &faults).stdout(Stdio::piped()).spawn().unwrap();
    wait_until(&mut child, || !no_temporary_files(&tree));
    Save::Append.run(&tree.join("auth/a.md"), "\nSaved.\n");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    let error = &json(&ran.stdout)["error"];
    assert_eq!((ran.code, &error["code"]), (1, &"failed".into()), "{ran:?}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("the next brv command that writes completes it"), "{message}");
    // a second run would have found the operation pending
    assert_eq!(calls(&env).matches(" renameat2(").count(), 2, "it was tried again");
    let next = env.brv(&["vc", "tag", "next"]);
    assert_eq!(
        (next.code, next.stderr.contains("an interrupted `curate` was completed")),
        (0, true),
        "{next:?}"
    );
    assert!(text(&env).contains("Saved."), "{}", text(&env));
    assert!(env.git(&tree, &["show", "HEAD:auth/a.md"]).contains("- **x**: y"));
    assert!(no_temporary_files(&tree));
}

#[test]
fn a_branch_that_git_moves_right_before_refs_are_locked_has_both_changes() {
    if is_skipped() {
        return;
    }
    let env = stage();
    let tree = tree(&env);
    // the old index gets its second name after `HEAD` was compared, and before refs are locked
    let mut child = curating(&env, "B", "x: y", &["inject=linkat:delay_enter=400000"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(&mut child, || tree.join(".git/index.lock").exists());
    std::thread::sleep(Duration::from_millis(100));
    env.git(&tree, &["update-ref", "refs/heads/main", "other"]);
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(calls(&env).matches(" linkat(").count() > 1, "it did not begin again");
    assert!(env.git(&tree, &["show", "HEAD:auth/b.md"]).contains("- **x**: y"));
    assert!(env.git(&tree, &["show", "HEAD:auth/a.md"]).contains("One of theirs."));
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD~1"]), env.git(&tree, &["rev-parse", "other"]));
    assert_eq!(env.git(&tree, &["for-each-ref", "refs/brv/pending"]), "");
    env.fsck(&tree);
}

/// Runs brv with each line of arguments, in the project, while the folder `auth` is another file system.
fn on_two_mounts(env: &Env, lines: &[&str]) -> Option<Ran> {
    let script = |body: &str| {
        let mut command = Command::new(crate::env::program("unshare")?);
        env.prepare(&mut command);
        command.args(["--mount", "sh", "-ec", body, env!("CARGO_BIN_EXE_brv")]).stdin(Stdio::null());
        Some(Ran::of(&command.output().unwrap()))
    };
    let mount = "mount -t tmpfs none .brv/context-tree/auth";
    if script(mount).is_none_or(|ran| ran.code != 0) {
        println!("skipped: no file system can be mounted here");
        return None;
    }
    let brv: String = lines.iter().map(|line| format!("\"$0\" {line} >>out\n")).collect();
    let there = "git -C .brv/context-tree checkout -q -- auth\n";
    let end = "cd .brv/context-tree\ngit status --porcelain\nfind . -name '.brv-tmp-*'\ncat auth/a.md";
    script(&format!("{mount}\n{there}{brv}{end}"))
}

#[test]
fn a_folder_on_another_file_system_is_a_folder_of_the_tree() {
    let env = project(&[("auth/a.md", "# A\n\nOne.\n"), ("ops/c.md", "# C\n")]);
    commit(&env, "first");
    let lines = [
        "curate --into auth --title A --reason r --fact 'x: y'",
        "vc mv auth/a.md ops/a.md",
        "vc mv ops/c.md auth/c.md",
        "vc commit -a -m moved",
        "vc rm auth/c.md",
        "undo",
        "undo",
        "undo",
        "undo",
        "undo",
    ];
    let Some(ran) = on_two_mounts(&env, &lines) else { return };
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stdout, "# A\n\nOne.\n", "{ran:?}");
    assert!(tree(&env).join("ops/c.md").exists());
    env.fsck(&tree(&env));
}
