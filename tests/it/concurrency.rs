//! Two commands at once, left-over locks, and commands killed at any moment: the next command repairs the state, and no
//! written data is lost.

use crate::env::{Env, Ran, tree};
use crate::init::{project, write};
use crate::lab::{is_temporary, picture};
use brv_base::fs::WriteGuard;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn start(env: &Env, folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.current_dir(folder).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn done(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// The other side deletes a third of the entries, so the command needs an override.
const PULL: [&str; 6] = ["vc", "pull", "--allow", "mass-delete", "--reason", "they moved"];

#[test]
fn commands_at_once_wait_for_each_other_and_lose_nothing() {
    let env = project(&[]);
    let names: Vec<String> = (0..6).map(|number| format!("note_{number}.md")).collect();
    for name in &names {
        write(&env, &[(name, "# Note\n")]);
    }
    let running: Vec<Child> = names
        .iter()
        .map(|name| start(&env, env.root(), &["vc", "add", &format!(".brv/context-tree/{name}")]))
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let running: Vec<Child> = (0..4)
        .map(|number| start(&env, env.root(), &["vc", "commit", "--allow-empty", "-m", &number.to_string()]))
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let tree = tree(&env);
    assert_eq!(env.git(&tree, &["ls-tree", "--name-only", "HEAD"]), names.join("\n"));
    assert_eq!(env.git(&tree, &["rev-list", "--count", "HEAD"]), "4");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
    env.fsck(&tree);
}

#[test]
fn who_does_not_want_to_wait_is_told_with_exit_8() {
    let env = project(&[("a.md", "a\n")]).with("BRV_LOCK_TIMEOUT", "0");
    let lock = tree(&env).join(".git/brv/lock");
    let guard = WriteGuard::acquire(&lock, Duration::ZERO).unwrap();
    for arguments in [&["vc", "add", "."][..], &["vc", "commit", "-m", "x"]] {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 8, "{}", ran.stderr);
        assert!(ran.stderr.contains("another brv is writing"), "{}", ran.stderr);
    }
    assert_eq!(env.brv(&["vc", "status"]).code, 0, "reading does not wait for the lock");
    drop(guard);
    done(&env.brv(&["vc", "add", "."]));
}

#[test]
fn a_lock_that_git_left_is_named_and_nothing_changes() {
    let env = project(&[("a.md", "a\n")]).with("BRV_LOCK_TIMEOUT", "1");
    let tree = tree(&env);
    let lock = tree.join(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let before = picture(env.root(), &|path| path.contains(".git/brv"));
    for arguments in [&["vc", "add", "."][..], &["vc", "commit", "--allow-empty", "-m", "x"]] {
        let ran = env.brv(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (8, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("index.lock"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("rm "), "{}", ran.stderr);
    }
    assert!(picture(env.root(), &|path| path.contains(".git/brv")) == before);
    std::fs::remove_file(&lock).unwrap();
    done(&env.brv(&["vc", "add", "."]));
}

#[test]
fn a_lock_of_a_reference_that_another_holds_stays_his() {
    let env = project(&[("auth/a.md", "# A\n")]);
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "one"]));
    let git = tree(&env).join(".git");
    let [head, branch] = ["HEAD.lock", "refs/heads/main.lock"].map(|name| git.join(name));
    std::fs::write(&head, "").unwrap();
    done(&env.brv(&["vc", "branch", "other"]));
    write(&env, &[("b.md", "# B\n")]);
    done(&env.brv(&["vc", "add", "."]));
    assert_eq!(env.brv(&["vc", "switch", "other"]).code, 8);
    done(&env.brv(&["vc", "branch", "third"]));
    assert!(head.exists());
    std::fs::remove_file(&head).unwrap();
    done(&env.brv(&["vc", "switch", "main"]));
    std::fs::write(&branch, "").unwrap();
    for _ in 0..2 {
        let ran = env.brv(&["vc", "commit", "-m", "two"]);
        assert_eq!((ran.code, branch.exists()), (8, true), "{}{}", ran.stdout, ran.stderr);
    }
    std::fs::remove_file(&branch).unwrap();
    done(&env.brv(&["vc", "commit", "-m", "two"]));
    let log = env.git(&tree(&env), &["log", "--format=%s"]);
    assert_eq!(log, "two\none");
}

/// A command's effect on the tree, the index, references and settings.
fn state(env: &Env) -> String {
    let tree = tree(env);
    let said = |arguments: &[&str]| env.git(&tree, arguments);
    let kept = |path: &str| path.ends_with(".md");
    format!(
        "{}{}{}{:?}",
        said(&[
            "for-each-ref",
            "--format=%(refname) %(objectname)",
            "refs/heads",
            "refs/remotes",
            "refs/brv"
        ]),
        said(&["config", "--list", "--local"]),
        said(&["status", "--porcelain", "--branch"]),
        picture(&tree, &|path| !kept(path)),
    )
}

#[test]
fn what_a_lock_of_git_hinders_is_as_if_it_had_not_been_tried() {
    let env = project(&[("auth/a.md", "# A\n")]);
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "one"]));
    done(&env.brv(&["vc", "switch", "-c", "other"]));
    write(&env, &[("auth/b.md", "# B\n")]);
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "two"]));
    done(&env.brv(&["vc", "switch", "main"]));
    done(&env.brv(&["vc", "branch", "--set-upstream-to", "other"]));
    let git = tree(&env).join(".git");
    for (lock, arguments) in [
        ("config.lock", &["vc", "remote", "add", "far", "/far.git"][..]),
        ("config.lock", &["vc", "config", "user.name", "Grace"]),
        ("config.lock", &["vc", "branch", "-m", "main", "trunk"]),
        ("refs/heads/trunk.lock", &["vc", "branch", "--unset-upstream"]),
        ("refs/heads/trunk.lock", &["vc", "commit", "--allow-empty", "-m", "three"]),
        ("packed-refs.lock", &["vc", "switch", "other"]),
        ("HEAD.lock", &["vc", "switch", "trunk"]),
        ("refs/heads/trunk.lock", &["vc", "merge", "other"]),
        ("refs/heads/trunk.lock", &["vc", "reset", "--hard", "HEAD~1"]),
        ("refs/heads/trunk.lock", &["undo"]),
    ] {
        let lock = git.join(lock);
        let before = state(&env);
        std::fs::write(&lock, "").unwrap();
        let ran = env.brv(arguments);
        let needs_it = !arguments.contains(&"--unset-upstream");
        assert_eq!(
            (ran.code == 8, lock.exists()),
            (needs_it, true),
            "{arguments:?} {}{}",
            ran.stdout,
            ran.stderr
        );
        std::fs::remove_file(&lock).unwrap();
        if needs_it {
            let name = lock.file_name().unwrap().to_string_lossy();
            assert!(ran.stderr.contains("another git process holds"), "{arguments:?} {}", ran.stderr);
            assert!(ran.stderr.contains(name.as_ref()), "{arguments:?} {}", ran.stderr);
            assert_eq!(env.brv(&["vc", "status"]).stderr, "", "{arguments:?}");
            assert_eq!(state(&env), before, "{arguments:?}");
            let ran = env.brv(arguments);
            assert_eq!(ran.code, 0, "{arguments:?} {}", ran.stderr);
            assert!(!ran.stderr.contains("interrupted"), "{arguments:?} {}", ran.stderr);
        }
    }
}

#[test]
fn a_lock_that_a_killed_brv_took_just_now_is_waited_out_and_dropped() {
    let env = project(&[("auth/a.md", "# A\n")]);
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "one"]));
    let git = tree(&env).join(".git");
    for (file, arguments) in [
        ("config", &["init"][..]),
        ("config", &["vc", "init"]),
        ("config", &["vc", "config", "user.name", "Grace"]),
        ("refs/heads/main", &["vc", "commit", "--allow-empty", "-m", "two"]),
        ("HEAD", &["vc", "switch", "-c", "side"]),
        ("refs/heads/more", &["vc", "branch", "more"]),
        ("packed-refs", &["vc", "branch", "-d", "more"]),
        ("packed-refs", &["vc", "gc"]),
    ] {
        let lock = git.join(format!("{file}.lock"));
        std::fs::write(git.join("brv/locks-dead"), format!("{file}\n")).unwrap();
        std::fs::write(&lock, "").unwrap();
        // slightly ahead, as if the process were killed while the next one starts
        let soon = std::time::SystemTime::now() + Duration::from_millis(60);
        std::fs::File::options().write(true).open(&lock).unwrap().set_modified(soon).unwrap();
        let ran = env.brv(arguments);
        assert_eq!((ran.code, lock.exists()), (0, false), "{file} {arguments:?} {}", ran.stderr);
        assert!(!git.join("brv/locks-dead").exists(), "{file} {arguments:?}");
    }
}

#[test]
fn making_a_tree_waits_for_a_lock_of_git_and_then_gives_up_as_all_do() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q"]);
    let lock = env.path(".git/config.lock");
    std::fs::write(&lock, "").unwrap();
    for arguments in [&["init", "--in-repo"][..], &["vc", "init", "--in-repo"]] {
        let ran = env.brv(arguments);
        assert_eq!((ran.code, lock.exists()), (8, true), "{arguments:?} {}", ran.stderr);
        assert!(ran.stderr.contains("another git process holds"), "{}", ran.stderr);
        assert!(ran.stderr.contains("config.lock") && ran.stderr.contains("try again"), "{}", ran.stderr);
        assert_eq!(env.brv(&["vc", "status"]).code, 3, "there is no tree yet");
    }
    let mut waiting = start(&env, env.root(), &["init", "--in-repo"]);
    std::thread::sleep(Duration::from_millis(300));
    std::fs::remove_file(&lock).unwrap();
    assert_eq!(waiting.wait().unwrap().code(), Some(0));
    assert_eq!(env.brv(&["vc", "status"]).code, 0);
}

#[test]
fn status_works_beside_a_lock_that_git_holds_and_leaves_it_alone() {
    let env = project(&[("a.md", "a\n")]);
    done(&env.brv(&["vc", "add", "."]));
    let lock = tree(&env).join(".git/index.lock");
    std::fs::write(&lock, "git's").unwrap();
    assert_eq!(env.brv(&["vc", "status", "--porcelain"]).stdout, "A  a.md\n");
    assert_eq!(std::fs::read(&lock).unwrap(), b"git's");
}

/// A pseudo-random choice that is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn text(number: usize, version: &str) -> String {
    format!(
        "# Note {number}\n\nThis is version {version} of note {number}.\n\n## Facts\n- **n**: {number} [project]\n"
    )
}

/// A remote with many files; its tip changes, removes and adds a third of them each.
struct Big {
    env: Env,
    remote: PathBuf,
    mate: PathBuf,
}

const FILES: usize = 240;

impl Big {
    fn new() -> Self {
        let env = Env::new();
        let (remote, mate) = (env.bare("remote.git"), env.path("mate"));
        env.git(env.root(), &["init", "-q", "mate"]);
        for number in 0..FILES {
            let path = mate.join(format!("domain_{}/topic_{}/note_{number}.md", number % 7, number % 31));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text(number, "one")).unwrap();
        }
        env.commit(&mate, &[("ours.md", "base\n")]);
        env.git(&mate, &["push", "-q", remote.to_str().unwrap(), "main"]);
        Self { env, remote, mate }
    }

    /// A project at the first commit.
    fn cloned(&self, name: &str) -> PathBuf {
        done(&self.env.brv(&["vc", "clone", self.remote.to_str().unwrap(), name]));
        self.env.path(name)
    }

    fn advance(&self) {
        for number in 0..FILES {
            let path =
                self.mate.join(format!("domain_{}/topic_{}/note_{number}.md", number % 7, number % 31));
            match number % 3 {
                0 => std::fs::write(path, text(number, "two")).unwrap(),
                1 => std::fs::remove_file(path).unwrap(),
                _ => {
                    let path = self.mate.join(format!("new_{}/note_{number}.md", number % 11));
                    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                    std::fs::write(path, text(number, "new")).unwrap();
                }
            }
        }
        self.env.commit(&self.mate, &[]);
        self.env.git(&self.mate, &["push", "-q", self.remote.to_str().unwrap(), "main"]);
    }

    /// How long the command takes if it is not killed.
    fn time(&self, folder: &Path, arguments: &[&str]) -> Duration {
        let start = Instant::now();
        done(&self.env.brv_in(folder, arguments));
        start.elapsed()
    }

    fn kill_after(&self, folder: &Path, arguments: &[&str], delay: Duration) -> bool {
        let mut child = start(&self.env, folder, arguments);
        std::thread::sleep(delay);
        let is_running = child.try_wait().unwrap().is_none();
        let _ = child.kill();
        let _ = child.wait();
        is_running
    }

    /// The killed command leaves no trace, and git finds nothing wrong.
    fn assert_sane(&self, tree: &Path, what: &str) {
        assert_eq!(self.env.git(tree, &["status", "--porcelain", "-uall"]), "?? mine.md", "{what}");
        assert_eq!(self.env.git(tree, &["for-each-ref", "refs/brv/pending"]), "", "{what}");
        let left: Vec<String> = picture(tree, &|path| path.contains(".git/objects"))
            .into_keys()
            .filter(|path| is_temporary(path))
            .collect();
        assert!(left.is_empty(), "{what}: {left:?}");
        self.env.fsck(tree);
    }
}

#[test]
fn a_pull_that_is_killed_at_any_moment_is_put_right_by_the_next_command() {
    let big = Big::new();
    let rounds = 6;
    let measured = big.cloned("measured");
    let projects: Vec<PathBuf> = (0..rounds).map(|round| big.cloned(&format!("project_{round}"))).collect();
    big.advance();
    let mut longest = big.time(&measured, &PULL);
    let tip = big.env.git(&big.mate, &["rev-parse", "main"]);
    let mut dice = Dice(7);
    let mut hits = 0;
    for project in &projects {
        let tree = project.join(".brv/context-tree");
        std::fs::write(tree.join("mine.md"), "mine\n").unwrap();
        let delay = longest.mul_f64(dice.roll(1000) as f64 / 1000.0);
        let was_running = big.kill_after(project, &PULL, delay);
        hits += usize::from(was_running);
        let what = format!("killed after {delay:?} of {longest:?}");
        if !was_running {
            // the machine has become faster meanwhile
            longest /= 2;
        }
        // a command that reads comes first, then one that writes
        let ran = big.env.brv_in(project, &["vc", "status"]);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        let ran = big.env.brv_in(project, &PULL);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        assert_eq!(big.env.git(&tree, &["rev-parse", "HEAD"]), tip, "{what}");
        assert_eq!(std::fs::read_to_string(tree.join("mine.md")).unwrap(), "mine\n");
        big.assert_sane(&tree, &what);
        let check = big.env.brv_in(project, &["derive", "--check"]);
        assert_eq!(check.code, 0, "{what}: {}{}", check.stdout, check.stderr);
    }
    assert!(hits > 0, "none of {rounds} was still running when it was killed");
}

#[test]
fn a_merge_that_is_killed_is_put_right_and_keeps_both_sides() {
    let big = Big::new();
    let rounds = 4;
    let projects: Vec<PathBuf> = (0..=rounds).map(|round| big.cloned(&format!("project_{round}"))).collect();
    big.advance();
    let mut dice = Dice(11);
    let mut longest = Duration::ZERO;
    for (round, project) in projects.iter().enumerate() {
        let tree = project.join(".brv/context-tree");
        std::fs::write(tree.join("ours.md"), "ours\n").unwrap();
        done(&big.env.brv_in(project, &["vc", "commit", "-a", "-m", "ours"]));
        std::fs::write(tree.join("mine.md"), "mine\n").unwrap();
        if round == 0 {
            longest = big.time(project, &PULL);
            continue;
        }
        let delay = longest.mul_f64(dice.roll(1000) as f64 / 1000.0);
        big.kill_after(project, &PULL, delay);
        let what = format!("killed after {delay:?} of {longest:?}");
        let ran = big.env.brv_in(project, &PULL);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        assert_eq!(std::fs::read_to_string(tree.join("ours.md")).unwrap(), "ours\n");
        assert_eq!(
            big.env.git(&tree, &["rev-parse", "HEAD^2"]),
            big.env.git(&big.mate, &["rev-parse", "main"])
        );
        big.assert_sane(&tree, &what);
    }
}

#[test]
fn an_add_or_a_commit_that_is_killed_can_be_run_again() {
    let big = Big::new();
    let project = big.cloned("project");
    let tree = project.join(".brv/context-tree");
    let mut dice = Dice(3);
    let mut longest = Duration::from_millis(400);
    for round in 0..4 {
        for number in 0..FILES {
            let path = tree.join(format!("domain_{}/topic_{}/note_{number}.md", number % 7, number % 31));
            std::fs::write(path, text(number, &format!("of round {round}"))).unwrap();
        }
        std::fs::write(tree.join("mine.md"), "mine\n").unwrap();
        let command: &[&str] = if round % 2 == 0 {
            &["vc", "commit", "-a", "-m", "round"]
        } else {
            &["vc", "add", "domain_0", "domain_1"]
        };
        let delay = longest.mul_f64(dice.roll(1000) as f64 / 1000.0);
        big.kill_after(&tree, command, delay);
        let what = format!("round {round}: {command:?} killed after {delay:?}");
        let start = Instant::now();
        let ran = big.env.brv_in(&project, &["vc", "commit", "-a", "-m", "after the crash"]);
        longest = start.elapsed().max(Duration::from_millis(100));
        // the killed one may have committed all of it
        let is_done = ran.code == 1 && ran.stderr.starts_with("error: nothing ");
        assert!(ran.code == 0 || is_done, "{what}: {}", ran.stderr);
        assert_eq!(
            big.env.git(&tree, &["show", "HEAD:domain_0/topic_0/note_0.md"]) + "\n",
            text(0, &format!("of round {round}"))
        );
        // the derived files may have been interrupted; the next refresh continues and cleans up
        done(&big.env.brv_in(&project, &["derive"]));
        big.assert_sane(&tree, &what);
    }
}

#[test]
fn a_clone_that_is_killed_can_be_finished_or_made_again() {
    let big = Big::new();
    let mut dice = Dice(5);
    let longest = big.time(big.env.root(), &["vc", "clone", big.remote.to_str().unwrap(), "measured"]);
    for round in 0..4 {
        let name = format!("project_{round}");
        let delay = longest.mul_f64(dice.roll(1000) as f64 / 1000.0);
        big.kill_after(big.env.root(), &["vc", "clone", big.remote.to_str().unwrap(), &name], delay);
        let what = format!("killed after {delay:?} of {longest:?}");
        let tree = big.env.path(&name).join(".brv/context-tree");
        if big
            .env
            .brv_in(
                &big.env.path(&name).canonicalize().unwrap_or_else(|_| big.env.root().to_path_buf()),
                &["vc", "status"],
            )
            .code
            == 3
        {
            continue;
        }
        // the repository exists; the next command that writes either finishes it or can continue
        let ran = big.env.brv_in(&tree, &["vc", "pull", "origin", "main"]);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        assert_eq!(big.env.git(&tree, &["status", "--porcelain"]), "", "{what}");
        big.env.fsck(&tree);
    }
}

#[test]
fn commits_beside_hand_run_git_are_made_or_end_with_8_and_in_plain_words() {
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n")]);
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "first"]));
    let tree = tree(&env);
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let mut made = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                std::fs::write(tree.join("b.md"), format!("{number}\n")).unwrap();
                for arguments in [
                    &["commit", "-q", "-m", "git", "b.md"][..],
                    &["commit", "-q", "--allow-empty", "-m", "git"],
                ] {
                    let _ = env.try_git(&tree, arguments);
                }
                let _ = env.try_git(&tree, &["pack-refs", "--all"]);
            }
        });
        for number in 0..15 {
            write(&env, &[("a.md", &format!("{number}\n"))]);
            let ran = env.brv(&["vc", "commit", "-m", &format!("brv {number}"), ".brv/context-tree/a.md"]);
            let log = env.brv(&["op", "log", "-n", "3"]);
            let is_plain = [&ran.stderr, &log.stderr].iter().all(|said| !said.contains("reference"));
            if !matches!((ran.code, log.code), (0 | 8, 0)) || !is_plain {
                is_done.store(true, std::sync::atomic::Ordering::Relaxed);
                panic!("{} {}\n{} {}", ran.code, ran.stderr, log.code, log.stderr);
            }
            made += usize::from(ran.code == 0);
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(made > 5, "{made}");
    let subjects = env.git(&tree, &["log", "--format=%s"]);
    assert_eq!(subjects.lines().filter(|line| line.starts_with("brv ")).count(), made);
    assert_eq!(env.brv(&["vc", "status"]).stderr, "", "nothing is left to repair");
    env.fsck(&tree);
}

#[test]
fn a_branch_that_moved_meanwhile_ends_a_commit_with_8_where_nobody_wants_to_wait() {
    let env = project(&[("a.md", "a\n")]).with("BRV_LOCK_TIMEOUT", "0");
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "first"]));
    let scope = brv_git::open(&tree(&env), "", crate::env::environment()).unwrap();
    let who = brv_git::Signature::anonymous(0);
    let head = scope.head().unwrap();
    env.git(&tree(&env), &["commit", "-q", "--allow-empty", "-m", "by git"]);
    let late = brv_engine::journal::RefMove::of_head(&head, head.commit().unwrap()).to_move("late".into());
    let error = brv_git::refs::update(&scope, vec![late], &who).unwrap_err();
    assert_eq!(brv_engine::FailureKind::of_git(&error), brv_engine::FailureKind::Busy);
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "another git process moved `refs/heads/main` meanwhile");
}

#[cfg(unix)]
#[test]
fn a_commit_that_is_not_made_since_the_branch_moved_stages_nothing_and_ends_no_merge() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n")]).with("BRV_LOCK_TIMEOUT", "0");
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "first"]));
    let tree = tree(&env);
    // the signing program runs between reading `HEAD` and moving it
    let signer = env.path("home/signer");
    let git = format!("git -C '{}'", tree.display());
    let moves = format!("{git} update-ref HEAD $({git} commit-tree -p HEAD -m git 'HEAD^{{tree}}')");
    let signs = "echo '[GNUPG:] SIG_CREATED ' >&2; echo signature";
    std::fs::write(&signer, format!("#!/bin/sh\ncat > /dev/null; {moves} && {signs}\n")).unwrap();
    std::fs::set_permissions(&signer, std::fs::Permissions::from_mode(0o755)).unwrap();
    env.git(&tree, &["config", "gpg.program", signer.to_str().unwrap()]);
    let index = || env.git(&tree, &["ls-files", "--stage"]);
    let refused = |arguments: &[&str]| {
        let before = index();
        let ran = env.brv(&[&["vc", "commit", "-S", "-m", "late"], arguments].concat());
        assert_eq!(ran.code, 8, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(index(), before, "{arguments:?}");
        assert_eq!(env.brv(&["vc", "status"]).stderr, "", "nothing is left to repair");
    };
    write(&env, &[("a.md", "new\n")]);
    refused(&[".brv/context-tree/a.md"]);
    refused(&["-a"]);
    env.git(&tree, &["checkout", "-q", "-b", "other"]);
    env.git(&tree, &["commit", "-q", "-m", "theirs", "a.md"]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.git(&tree, &["merge", "-q", "--no-commit", "--no-ff", "other"]);
    refused(&[]);
    done(&env.brv(&["vc", "commit", "-m", "merge"]));
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD^2"]), env.git(&tree, &["rev-parse", "other"]));
    env.fsck(&tree);
}

#[test]
fn a_fetch_does_not_mind_references_that_come_and_go() {
    let env = Env::new();
    let remote = env.bare("remote.git");
    env.git(env.root(), &["init", "-q", "mate"]);
    let mate = env.path("mate");
    env.commit(&mate, &[("a.md", "# A\n")]);
    env.git(&mate, &["push", "-q", remote.to_str().unwrap(), "main"]);
    done(&env.brv(&["vc", "clone", remote.to_str().unwrap(), "mine"]));
    let mine = env.path("mine");
    let tree = mine.join(".brv/context-tree");
    let id = env.git(&tree, &["rev-parse", "HEAD"]);
    let folder = tree.join(".git/refs/passing");
    std::fs::create_dir_all(&folder).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let paths = (0..20).map(|number| folder.join(format!("{number}")));
                paths.clone().for_each(|path| std::fs::write(path, format!("{id}\n")).unwrap());
                paths.for_each(|path| std::fs::remove_file(path).unwrap());
            }
        });
        let fetched: Vec<Ran> = (0..8)
            .map(|number| {
                env.commit(&mate, &[("a.md", &format!("# A {number}\n"))]);
                env.git(&mate, &["push", "-q", remote.to_str().unwrap(), "main"]);
                env.brv_in(&mine, &["vc", "fetch"])
            })
            .collect();
        is_done.store(true, Ordering::Relaxed);
        fetched.iter().for_each(done);
    });
}

#[test]
fn a_lock_of_a_killed_brv_is_dropped_by_commands_that_only_read() {
    let env = project(&[("a.md", "# A\n")]);
    done(&env.brv(&["vc", "add", "."]));
    done(&env.brv(&["vc", "commit", "-m", "one"]));
    let tree = tree(&env);
    let git = tree.join(".git");
    let locks = ["index.lock", "refs/heads/main.lock"].map(|name| git.join(name));
    let leave = || {
        std::fs::write(git.join("brv/index.lock-owner"), "soon\n").unwrap();
        std::fs::write(git.join("brv/locks-dead"), "refs/heads/main\n").unwrap();
        locks.iter().for_each(|lock| std::fs::write(lock, "").unwrap());
        std::thread::sleep(Duration::from_millis(50));
    };
    for arguments in
        [&["vc", "status"][..], &["status"], &["vc", "log"], &["vc", "diff"], &["op", "log"], &["tree"]]
    {
        leave();
        done(&env.brv(arguments));
        assert!(locks.iter().all(|lock| !lock.exists()), "{arguments:?}");
        env.git(&tree, &["add", "."]);
        env.git(&tree, &["commit", "-q", "--allow-empty", "-m", "by hand"]);
    }
    // the lock of a running process stays
    leave();
    let guard = WriteGuard::acquire(&git.join("brv/lock"), Duration::ZERO).unwrap();
    done(&env.brv(&["vc", "status"]));
    assert!(locks[0].exists());
    drop(guard);
}
