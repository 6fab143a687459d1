//! Servers that are not today's git: each does what the table of `brv help remotes` says. brv does with them
//! what git does; it refuses what git cannot do, and changes nothing.

use crate::env::{Env, Ran};
use crate::init::json;
use crate::servers::{self, Running};
use crate::shallow::{TREE, assert_same, life, ran};
use std::path::{Path, PathBuf};

/// The columns of the table, after the name.
#[derive(Debug, Clone, Copy)]
enum Job {
    Empty,
    Daily,
    Depth,
    Deepen,
    ShallowFetch,
}

/// What the topic says about a server: for each column whether it works.
fn promised(server: &str) -> Vec<bool> {
    let topic = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/help/topics/remotes.md");
    let topic = std::fs::read_to_string(topic).unwrap();
    let start = format!("| {server} |");
    let row = topic.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("{server}"));
    let cells = row.trim_end_matches('|').split('|').map(str::trim);
    cells.map(|cell| ["yes", "no"].iter().position(|word| *word == cell).unwrap() == 0).collect()
}

/// A running server.
struct Server<'a> {
    env: &'a Env,
    name: &'static str,
    /// The address of a repository below the root, by name.
    url: Box<dyn Fn(&str) -> String + 'a>,
}

impl Server<'_> {
    /// Whether it can do a job, as the topic says.
    fn can(&self, job: Job) -> bool {
        promised(self.name)[job as usize]
    }

    fn all(&self) {
        let bare = history(self.env);
        self.empty();
        self.daily(&bare);
        self.depth(&bare);
        self.env.fsck(&bare);
    }

    /// Clone, fetch, push and sync with an empty repository.
    fn empty(&self) {
        assert!(self.can(Job::Empty), "they all can");
        let env = self.env;
        for (name, verb) in
            [("first", ["push", "-u", "origin", "main"].as_slice()), ("second", &["sync", "-u"])]
        {
            let bare = env.bare(&format!("{name}.git"));
            let url = (self.url)(&format!("{name}.git"));
            let cloned = format!("{name}-clone");
            let said = ran(env, env.root(), &["vc", "clone", &url, &cloned], 0).stdout;
            assert!(said.contains("The remote has no commits yet."), "{said}");
            let head = env.git(&env.path(&cloned).join(TREE), &["symbolic-ref", "HEAD"]);
            assert_eq!(head, "refs/heads/main");
            let project = project(env, name);
            ran(env, &project, &["vc", "remote", "add", "origin", &url], 0);
            ran(env, &project, &["vc", "fetch"], 0);
            ran(env, &project, &[&["vc"], verb].concat(), 0);
            let tree = project.join(TREE);
            assert_eq!(env.git(&bare, &["rev-parse", "main"]), env.git(&tree, &["rev-parse", "main"]));
            env.fsck(&bare);
        }
    }

    /// Clone, fetch, pull, push and sync, with more in common than one round of a negotiation lists.
    fn daily(&self, bare: &Path) {
        assert!(self.can(Job::Daily), "they all can");
        let (env, url) = (self.env, (self.url)("full.git"));
        ran(env, env.root(), &["vc", "clone", &url, "daily"], 0);
        let (project, tree) = (env.path("daily"), env.path("daily").join(TREE));
        let theirs = |text: &str| {
            env.commit(&env.path("source"), &[("theirs.md", text)]);
            env.git(&env.path("source"), &["push", "-q", bare.to_str().unwrap(), "main"]);
        };
        theirs("# One\n");
        let fetched = json(&ran(env, &project, &["vc", "fetch", "--json"], 0).stdout);
        assert_eq!(fetched["data"]["refs"][0]["status"], "moved");
        ran(env, &project, &["vc", "pull"], 0);
        theirs("# Two\n");
        // commits that only we have are listed first
        (0..40).for_each(|_| drop(env.commit(&tree, &[])));
        std::fs::write(tree.join("ours.md"), "# Ours\n").unwrap();
        ran(env, &project, &["vc", "add", "."], 0);
        ran(env, &project, &["vc", "commit", "-m", "ours"], 0);
        let synced = ran(env, &project, &["vc", "sync"], 0).stdout;
        assert!(synced.contains("Merged origin/main"), "{synced}");
        std::fs::write(tree.join("ours.md"), "# Ours\n\nMore.\n").unwrap();
        ran(env, &project, &["vc", "commit", "-a", "-m", "more"], 0);
        ran(env, &project, &["vc", "push"], 0);
        env.git(&env.path("source"), &["pull", "-q", bare.to_str().unwrap(), "main"]);
        assert_eq!(env.git(bare, &["rev-parse", "main"]), env.git(&tree, &["rev-parse", "main"]));
        env.fsck(&tree);
    }

    /// A shallow history, compared with the one that git makes from the same server.
    fn depth(&self, bare: &Path) {
        let (env, url) = (self.env, (self.url)("full.git"));
        ran(env, env.root(), &["vc", "clone", "--depth", "2", &url, "ours"], 0);
        env.git(env.root(), &["clone", "-q", "--depth", "2", &url, "gits"]);
        let (project, ours, gits) = (env.path("ours"), env.path("ours").join(TREE), env.path("gits"));
        assert_same(env, &ours, &gits);
        env.commit(&env.path("source"), &[("late.md", "# Late\n")]);
        let steps: [(Job, &[&str]); 5] = [
            (Job::Deepen, &["--deepen", "2"]),
            (Job::Depth, &["--depth", "5"]),
            (Job::Deepen, &["--deepen", "1"]),
            (Job::ShallowFetch, &[]),
            (Job::Depth, &["--unshallow"]),
        ];
        for (job, step) in steps {
            if step.is_empty() {
                env.git(&env.path("source"), &["push", "-q", bare.to_str().unwrap(), "main"]);
            }
            let git = env.try_git(&gits, &[&["fetch", "-q"], step].concat());
            let works = git.code == 0;
            // another version of the server may support more
            assert!(works || !self.can(job), "git {step:?} {git:?}");
            let fetched =
                ran(env, &project, &[&["vc", "fetch", "--json"], step].concat(), if works { 0 } else { 9 });
            check(job, works, &fetched);
            assert_same(env, &ours, &gits);
        }
        assert!(!ours.join(".git/shallow").exists());
    }
}

fn check(job: Job, works: bool, fetched: &Ran) {
    let answer = json(&fetched.stdout);
    assert_eq!(answer["ok"], works, "{answer}");
    if let (Job::Deepen, false) = (job, works) {
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("does not support `--deepen`"), "{message}");
    }
}

/// More commits in a row than one round lists, in `full.git`.
fn history(env: &Env) -> PathBuf {
    env.git(env.root(), &["init", "-q", "source"]);
    for number in 1..=30 {
        env.commit(&env.path("source"), &[(&format!("e{}.md", number % 7), &format!("# {number}\n"))]);
    }
    let bare = env.bare("full.git");
    env.git(&env.path("source"), &["push", "-q", bare.to_str().unwrap(), "main"]);
    bare
}

/// A local repository with a commit.
fn project(env: &Env, name: &str) -> PathBuf {
    let project = env.path(name);
    std::fs::create_dir(&project).unwrap();
    ran(env, &project, &["init", "-q"], 0);
    std::fs::write(project.join(TREE).join("first.md"), "# First\n").unwrap();
    ran(env, &project, &["vc", "add", "."], 0);
    ran(env, &project, &["vc", "commit", "-m", "first"], 0);
    project
}

/// Run everything against a server that listens at addresses beginning with `base`.
fn all(env: &Env, name: &'static str, running: Option<Running>, base: impl Fn(u16) -> String) {
    let Some(running) = running else { return };
    let url = Box::new(|repository: &str| format!("{}/{repository}", base(running.port)));
    Server { env, name, url }.all();
}

const STOCK_SSHD: &str = "`sshd` as installed: `GIT_PROTOCOL` is not passed on";
const OLD_DAEMON: &str = "`git daemon`, with `protocol.version=0`";

/// A project that requests protocol 0, whether git or brv runs in it.
fn of_old() -> Env {
    let env = Env::new();
    std::fs::write(env.path("home/.gitconfig"), "[protocol]\n\tversion = 0\n").unwrap();
    env
}

#[test]
fn an_sshd_as_it_is_installed() {
    let env = Env::new();
    let Some(sshd) = servers::stock_sshd(&env) else { return };
    let url = sshd.url(env.root());
    let env = env.with("GIT_SSH_COMMAND", &sshd.command);
    Server { env: &env, name: STOCK_SSHD, url: Box::new(|repository| format!("{url}/{repository}")) }.all();
}

#[test]
fn a_shallow_clone_lives_as_gits_does_over_an_sshd_as_it_is_installed() {
    let env = Env::new();
    let bare = crate::shallow::remote(&env);
    let Some(sshd) = servers::stock_sshd(&env) else { return };
    let url = sshd.url(&bare);
    let env = env.with("GIT_SSH_COMMAND", &sshd.command);
    life(&env, &bare, &url);
}

#[test]
fn a_daemon_that_is_asked_for_protocol_0() {
    let env = of_old();
    let daemon = servers::daemon(&env, env.root());
    all(&env, OLD_DAEMON, daemon, |port| format!("git://127.0.0.1:{port}"));
}

#[test]
fn a_shallow_clone_lives_as_gits_does_from_a_daemon_of_protocol_0() {
    let env = of_old();
    let bare = crate::shallow::remote(&env);
    let Some(daemon) = servers::daemon(&env, env.root()) else { return };
    life(&env, &bare, &format!("git://127.0.0.1:{}/bare.git", daemon.port));
}

#[test]
fn jgits_daemon() {
    let env = Env::new();
    let jgit = servers::jgit(&env, env.root());
    all(&env, "JGit 4.11, `git://`", jgit, |port| format!("git://127.0.0.1:{port}"));
}

#[test]
fn dulwich() {
    for (service, scheme) in [("daemon", "git"), ("web-daemon", "http")] {
        let env = Env::new();
        let root = env.root().display().to_string();
        let server = servers::dulwich(&env, env.root(), service);
        all(&env, "dulwich 1.2, `git://` and http", server, |port| {
            format!("{scheme}://127.0.0.1:{port}{root}")
        });
    }
}

#[test]
fn node_git_server() {
    let env = Env::new();
    let node = servers::node(&env, env.root());
    all(&env, "node-git-server 1.0, http", node, |port| format!("http://127.0.0.1:{port}"));
}
