//! Many processes with mixed commands on one tree at once: everything reported as done is there in the end, no command
//! waits longer than the lock's patience, and commands only fail because another brv is writing.
//!
//! `BRV_LOAD_PROCESSES=16 BRV_LOAD_SECONDS=120` is the long form.

use crate::env::{Env, Ran};
use crate::kinds;
use brv_engine::journal::OperationKind;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long a command waits for another one, in seconds.
const PATIENCE: u64 = 10;
/// How long the command itself may take on a machine busy with all the others.
const WORK: Duration = Duration::from_secs(20);
/// The exit code of a command that could not get the lock.
const BUSY: i32 = 8;
/// The exit code of a command that a remote rejected.
const REMOTE: i32 = 9;

/// What brv reported as done to one process.
#[derive(Debug, Default)]
struct Done {
    /// Paths that were added, with their text.
    added: BTreeMap<String, String>,
    /// Facts that were added to the shared entry.
    facts: BTreeSet<String>,
    /// Facts that were curated.
    curated: BTreeSet<String>,
    /// Messages of commits.
    messages: BTreeSet<String>,
    /// Branches that were created.
    branches: BTreeSet<String>,
    /// Commits that were pushed.
    pushed: BTreeSet<String>,
    /// How often each command was run, how often it failed, how long the longest took.
    verbs: BTreeMap<&'static str, Count>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    done: usize,
    refused: usize,
    longest: Duration,
}

struct Crowd {
    env: Env,
    tree: PathBuf,
    remote: PathBuf,
    /// Two editors do not save one file at once.
    shared: Mutex<()>,
    until: Instant,
}

/// One of the processes, with its reported results.
struct Member<'a> {
    crowd: &'a Crowd,
    number: usize,
    turn: usize,
    dice: u64,
    done: Done,
}

/// What a process does: its share of all turns, the command as the results name it, and how.
type Deed = (u64, &'static str, fn(&mut Member<'_>));

const DEEDS: [Deed; 17] = [
    (72, "add", |member| member.add_own()),
    (36, "add", |member| member.add_fact()),
    (36, "commit", |member| member.commit()),
    (12, "commit -a", |member| member.commit_known()),
    (24, "status", |member| member.read("status", &["vc", "status", "--json"])),
    (12, "diff", |member| member.read("diff", &["vc", "diff", "--json"])),
    (4, "check", |member| member.read("check", &["vc", "check", "--all", "--fail-on", "never", "--json"])),
    (8, "log", |member| member.read("log", &["vc", "log", "-n", "5", "--json"])),
    (12, "derive", |member| drop(member.brv("derive", &["derive"]))),
    (3, "gc", |member| drop(member.brv("gc", &["vc", "gc"]))),
    (12, "push", |member| member.push()),
    (12, "fetch", |member| drop(member.brv("fetch", &["vc", "fetch"]))),
    (12, "branch", |member| member.branch()),
    (12, "restore", |member| member.restore()),
    (24, "curate", |member| member.curate()),
    (12, "confirm", |member| drop(member.brv("confirm", &["stale", "confirm", "auth/note", "shared"]))),
    (21, "git add", |member| member.git_adds()),
];

/// The commands that are mixed.
pub fn commands() -> Vec<&'static str> {
    DEEDS.into_iter().map(|(_, command, _)| command).collect()
}

impl Crowd {
    fn gather(time: Duration) -> Self {
        let env = Env::new().with("BRV_LOCK_TIMEOUT", PATIENCE.to_string());
        let remote = env.bare("remote.git");
        let done = |ran: Ran| assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        done(env.brv(&["init", "-q"]));
        env.git(env.root(), &["init", "-q"]);
        env.git(env.root(), &["commit", "-q", "--allow-empty", "-m", "code"]);
        let tree = env.path(".brv/context-tree");
        let shared = "# Shared\n\n## Facts\n- **start**: the first [team]\n";
        crate::lab::write(&tree, &[("shared.md", shared), ("auth/note.md", "# Note\n")]);
        done(env.brv(&["vc", "add", "--all"]));
        done(env.brv(&["vc", "commit", "-m", "start"]));
        done(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]));
        done(env.brv(&["vc", "push", "-u", "origin", "main"]));
        Self { env, tree, remote, shared: Mutex::default(), until: Instant::now() + time }
    }

    fn work(&self, members: usize) -> Vec<Done> {
        std::thread::scope(|scope| {
            let start = |number| {
                scope.spawn(move || {
                    let mut member =
                        Member { crowd: self, number, turn: 0, dice: number as u64, done: Done::default() };
                    while Instant::now() < self.until {
                        member.turn += 1;
                        member.act();
                    }
                    member.done
                })
            };
            let running: Vec<_> = (0..members).map(start).collect();
            running.into_iter().map(|member| member.join().unwrap()).collect()
        })
    }

    /// Everything that was reported as done is there.
    fn check(&self, all: &[Done]) {
        let git = |arguments: &[&str]| self.env.git(&self.tree, arguments);
        self.env.fsck(&self.tree);
        assert_eq!(git(&["for-each-ref", "refs/brv/pending"]), "");
        let ran = self.env.brv_in(&self.tree, &["vc", "commit", "--allow-empty", "-m", "the end"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let listed = git(&["ls-tree", "-r", "HEAD"]);
        let recorded: BTreeMap<&str, &str> = listed
            .lines()
            .map(|line| (line.split('\t').nth(1).unwrap(), line.split([' ', '\t']).nth(2).unwrap()))
            .collect();
        let history = git(&["log", "--format=%s"]);
        let messages: Vec<&str> = history.lines().collect();
        let facts = git(&["show", "HEAD:shared.md"]);
        let is_said = all.iter().any(|done| !done.curated.is_empty());
        let said = if is_said { git(&["show", "HEAD:auth/all/said.md"]) } else { String::new() };
        let branches = git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
        for done in all {
            for (path, text) in &done.added {
                let id = brv_base::content::ContentId::of(text.as_bytes()).to_string();
                assert_eq!(recorded.get(path.as_str()), Some(&id.as_str()), "{path}");
            }
            for message in &done.messages {
                assert_eq!(messages.iter().filter(|found| *found == message).count(), 1, "{message}");
            }
            for fact in &done.facts {
                assert!(facts.lines().any(|line| line == fact), "{fact}\n{facts}");
            }
            for fact in &done.curated {
                assert!(said.lines().any(|line| line == fact), "{fact}\n{said}");
            }
            for branch in &done.branches {
                assert!(branches.lines().any(|found| found == branch), "{branch}");
            }
            for commit in &done.pushed {
                self.env.git(&self.remote, &["merge-base", "--is-ancestor", commit, "main"]);
            }
        }
        self.env.fsck(&self.remote);
        self.logs_what_was_done(all);
        self.nothing_is_left_lying();
    }

    /// The operation log has the kinds for which commands were run.
    fn logs_what_was_done(&self, all: &[Done]) {
        let ran = self.env.brv_in(&self.tree, &["op", "log", "-n", "100000", "--json"]);
        let log = crate::init::json(&ran.stdout);
        let operations = log["data"]["operations"].as_array().unwrap();
        for kind in OperationKind::ALL {
            let Some(command) = kinds::tests(kind).load else { continue };
            let is_done = all.iter().any(|done| done.verbs.get(command).is_some_and(|count| count.done > 0));
            let is_logged = operations.iter().any(|operation| operation["kind"] == kind.word());
            assert!(is_logged || !is_done, "{command} makes no operation of the kind `{}`", kind.word());
        }
    }

    fn nothing_is_left_lying(&self) {
        let brv = |arguments: &[&str]| self.env.brv_in(&self.tree, arguments);
        for arguments in [&["vc", "add", "--all"][..], &["derive"], &["derive", "--check"]] {
            let ran = brv(arguments);
            assert_eq!(ran.code, 0, "{arguments:?} {}{}", ran.stdout, ran.stderr);
        }
        crate::lab::assert_agreement(&self.env, &self.tree, "at the end");
        let left: Vec<String> = crate::lab::picture(&self.tree, &|path| path.contains(".git/objects/"))
            .into_keys()
            .filter(|path| crate::lab::is_temporary(path))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

impl Member<'_> {
    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }

    /// Run a command, which succeeds or finds another one writing; returns whether it succeeded.
    fn brv(&mut self, verb: &'static str, arguments: &[&str]) -> Option<Ran> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.crowd.env.prepare(&mut command);
        command.env_remove("BRV_CLOCK");
        let begun = Instant::now();
        let ran = Ran::of(&command.current_dir(&self.crowd.tree).args(arguments).output().unwrap());
        let took = begun.elapsed();
        let count = self.done.verbs.entry(verb).or_default();
        count.longest = count.longest.max(took);
        assert!(took < Duration::from_secs(PATIENCE) + WORK, "{verb} took {took:?}");
        // of two simultaneous pushes, the remote accepts one; a file that others save again and again is left to them
        let is_overtaken = ran.code == 1 && ran.stderr.contains("at the same time\nhint: try again");
        let is_refused = ran.code == BUSY || (verb == "push" && ran.code == REMOTE) || is_overtaken;
        assert!(ran.code == 0 || is_refused, "{arguments:?}: {}\n{}{}", ran.code, ran.stdout, ran.stderr);
        if is_refused {
            count.refused += 1;
            return None;
        }
        count.done += 1;
        Some(ran)
    }

    fn name(&self) -> String {
        format!("{}_{}", self.number, self.turn)
    }

    fn act(&mut self) {
        let mut rolled = self.roll(DEEDS.iter().map(|(share, ..)| share).sum());
        for (share, _, deed) in DEEDS {
            if rolled < share {
                return deed(self);
            }
            rolled -= share;
        }
    }

    fn add_own(&mut self) {
        let (path, text) =
            (format!("auth/m{}/note_{}.md", self.number, self.turn), format!("# {}\n", self.name()));
        crate::lab::write(&self.crowd.tree, &[(&path, &text)]);
        if self.brv("add", &["vc", "add", &path]).is_some() {
            self.done.added.insert(path, text);
        }
    }

    fn add_fact(&mut self) {
        let fact = format!("- **fact {}**: by {} [team]", self.turn, self.number);
        {
            let _alone = self.crowd.shared.lock().unwrap();
            let path = self.crowd.tree.join("shared.md");
            let text = std::fs::read_to_string(&path).unwrap() + &fact + "\n";
            let beside = self.crowd.env.path(format!("saving-{}", self.number));
            std::fs::write(&beside, text).unwrap();
            std::fs::rename(beside, path).unwrap();
        }
        if self.brv("add", &["vc", "add", "shared.md"]).is_some() {
            self.done.facts.insert(fact);
        }
    }

    /// One fact of an entry that all correct at once.
    fn curate(&mut self) {
        let subject = format!("by {} {}", self.number, self.turn);
        let fact = format!("{subject}: said");
        let arguments =
            ["curate", "--into", "auth/all", "--title", "Said", "--reason", &subject, "--fact", &fact];
        if self.brv("curate", &arguments).is_some() {
            self.done.curated.insert(format!("- **{subject}**: said"));
        }
    }

    fn commit(&mut self) {
        let message = format!("commit {}", self.name());
        if self.brv("commit", &["vc", "commit", "--allow-empty", "-m", &message]).is_some() {
            self.done.messages.insert(message);
        }
    }

    fn commit_known(&mut self) {
        let message = format!("commit -a {}", self.name());
        if self.brv("commit -a", &["vc", "commit", "-a", "--allow-empty", "-m", &message]).is_some() {
            self.done.messages.insert(message);
        }
    }

    /// A reading command waits for no lock, and its output is complete.
    fn read(&mut self, verb: &'static str, arguments: &[&str]) {
        let ran = self.brv(verb, arguments).expect("reading never fails");
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap();
    }

    fn push(&mut self) {
        let head = self.crowd.env.git(&self.crowd.tree, &["rev-parse", "main"]);
        // the entry that all correct soon is a core one, so that its changes wait for review
        let arguments = ["vc", "push", "origin", "main", "--allow", "review", "--reason", "load"];
        if self.brv("push", &arguments).is_some() {
            self.done.pushed.insert(head);
        }
    }

    fn branch(&mut self) {
        let name = format!("branch_{}", self.name());
        if self.brv("branch", &["vc", "branch", &name]).is_some() {
            self.done.branches.insert(name);
        }
    }

    /// A file that no other process touches.
    fn restore(&mut self) {
        let path = format!("auth/m{}/draft.md", self.number);
        let file = self.crowd.tree.join(&path);
        crate::lab::write(&self.crowd.tree, &[(&path, "# Draft\n")]);
        if self.brv("add", &["vc", "add", &path]).is_none() {
            return;
        }
        std::fs::write(&file, self.name()).unwrap();
        if self.brv("restore", &["vc", "restore", &path]).is_some() {
            // another process's `commit -a` may have committed the edit before it was discarded
            let recorded = self.crowd.env.git(&self.crowd.tree, &["show", &format!(":{path}")]);
            assert_eq!(std::fs::read_to_string(&file).unwrap().trim_end(), recorded);
        }
    }

    /// A user of plain git, who has to try again while brv is writing.
    fn git_adds(&mut self) {
        let (path, text) =
            (format!("auth/m{}/git_{}.md", self.number, self.turn), format!("# {}\n", self.name()));
        crate::lab::write(&self.crowd.tree, &[(&path, &text)]);
        let ran = self.crowd.env.try_git(&self.crowd.tree, &["add", &path]);
        if ran.code == 0 {
            self.done.added.insert(path, text);
        } else {
            assert!(ran.stderr.contains("index.lock"), "{}", ran.stderr);
        }
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{variable} must be a number")))
}

fn tell(all: &[Done]) {
    let mut verbs: BTreeMap<&str, Count> = BTreeMap::new();
    for (verb, count) in all.iter().flat_map(|done| &done.verbs) {
        let sum = verbs.entry(verb).or_default();
        sum.done += count.done;
        sum.refused += count.refused;
        sum.longest = sum.longest.max(count.longest);
    }
    for (verb, Count { done, refused, longest }) in verbs {
        println!("{verb:10} {done:6} done {refused:4} refused, the longest took {longest:?}");
    }
}

#[test]
fn many_processes_on_one_tree_lose_nothing_and_wait_no_longer_than_they_said() {
    let seconds = number("BRV_LOAD_SECONDS", 12);
    let processes = usize::try_from(number("BRV_LOAD_PROCESSES", 6)).unwrap();
    let crowd = Crowd::gather(Duration::from_secs(seconds));
    let all = crowd.work(processes);
    tell(&all);
    crowd.check(&all);
}
