//! Random steps by brv and plain git in one repository: after each step git finds nothing wrong, both see the same
//! state of every file, a command that brv rejects changes nothing, and a command that it runs loses nothing.
//!
//! `BRV_ALTERNATION_STEPS=1000 BRV_ALTERNATION_SEED=7` runs another, longer sequence. With `BRV_ALTERNATION_KEEP=DIR`
//! the project is kept there as it was before the last step.

mod deeds;
mod edits;
mod picture;

use crate::env::{Env, Ran};
use crate::lab::assert_agreement;
use deeds::{Deed, Hand};
use picture::Picture;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A pseudo-random choice that is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// The commands that this brv has: git does the rest.
struct Verbs {
    vc: String,
    top: String,
}

impl Verbs {
    fn of(env: &Env) -> Self {
        let help = |arguments: &[&str]| {
            let ran = env.brv(arguments);
            ran.stdout + &ran.stderr
        };
        Self { vc: help(&["vc", "--help"]), top: help(&["--help"]) }
    }

    fn has(&self, deed: &Deed) -> bool {
        let help = if deed.hand == Hand::BrvItself { &self.top } else { &self.vc };
        help.lines().any(|line| line.split_whitespace().next() == Some(deed.verb))
    }
}

struct Story {
    env: Env,
    seed: u64,
    project: PathBuf,
    tree: PathBuf,
    mate: PathBuf,
    dice: Dice,
    verbs: Verbs,
    told: Vec<String>,
    /// The current time of the sequence.
    now: u64,
    keep: Option<PathBuf>,
}

impl Story {
    fn begin(seed: u64) -> Self {
        let env = Env::new();
        let settings =
            "[merge]\n\tconflictStyle = diff3\n[gc]\n\tautoDetach = false\n[core]\n\teditor = true\n";
        std::fs::write(env.path("home/.gitconfig"), settings).unwrap();
        let remote = env.bare("remote.git");
        let (project, mate) = (env.path("project"), env.path("mate"));
        env.git(env.root(), &["init", "-q", "mate"]);
        env.commit(&mate, &edits::FIRST);
        env.git(&mate, &["remote", "add", "origin", remote.to_str().unwrap()]);
        env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
        let cloned = env.brv(&["vc", "clone", remote.to_str().unwrap(), "project"]);
        assert_eq!(cloned.code, 0, "{}", cloned.stderr);
        let tree = project.join(".brv/context-tree");
        let verbs = Verbs::of(&env);
        let keep = std::env::var_os("BRV_ALTERNATION_KEEP").map(PathBuf::from);
        let dice = Dice(seed);
        Self { env, seed, project, tree, mate, dice, verbs, told: Vec::new(), now: 1_700_000_000, keep }
    }

    fn run(&mut self, mut command: Command, told: String) -> Ran {
        let now = format!("{} +0000", self.now);
        let clock = chrono::DateTime::from_timestamp(self.now.try_into().unwrap(), 0).unwrap();
        let output = command
            .current_dir(&self.tree)
            .env("GIT_AUTHOR_DATE", &now)
            .env("GIT_COMMITTER_DATE", &now)
            .env("BRV_CLOCK", clock.to_rfc3339())
            .output()
            .unwrap();
        let ran = Ran::of(&output);
        self.told.push(format!("{told} -> {}", ran.code));
        ran
    }

    fn brv(&mut self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.env.prepare(&mut command);
        command.args(arguments);
        self.run(command, format!("brv {}", arguments.join(" ")))
    }

    fn git(&mut self, arguments: &[&str]) -> Ran {
        let mut command = self.env.git_command(&self.tree);
        command.args(arguments);
        self.run(command, format!("git {}", arguments.join(" ")))
    }

    /// All steps so far, the last one last.
    fn story(&self) -> String {
        format!("seed {}, step {}\n{}", self.seed, self.told.len(), self.told.join("\n"))
    }

    fn is_at(&self, state: &str) -> bool {
        self.tree.join(".git").join(state).exists()
    }

    /// brv runs the command and loses nothing, or it fails with an expected exit code and changes nothing.
    fn brv_may(&mut self, deed: &Deed, arguments: &[&str]) -> i32 {
        let before = Picture::of(&self.env, &self.tree);
        let ran = self.brv(arguments);
        assert!([0, 1, 2, 5, 6, 7, 9].contains(&ran.code), "{}\n{}{}", self.story(), ran.stdout, ran.stderr);
        let said = format!("{}\n{}{}", self.story(), ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{said}");
        let after = Picture::of(&self.env, &self.tree);
        if ![0, 5].contains(&ran.code) {
            after.assert_is(&before, &said);
        }
        if deed.keeps_all {
            after.assert_holds(&before, &self.env, &self.tree, &said);
        }
        ran.code
    }

    fn step(&mut self) {
        self.now += [0, 1, 60, 3600][self.dice.roll(4)];
        self.keep();
        match self.dice.roll(100) {
            0..38 => self.edit(),
            38..42 => self.mate(),
            42..52 if self.is_in_the_midst() => self.settle(),
            _ => {
                let deed = Deed::roll(&mut self.dice);
                self.act(deed);
            }
        }
    }

    fn act(&mut self, deed: &Deed) {
        let has = self.verbs.has(deed);
        let hand = match deed.hand {
            Hand::Either if has && self.dice.roll(5) < 3 => Hand::Brv,
            Hand::Either => Hand::Git,
            Hand::Brv | Hand::BrvItself if !has => return,
            hand => hand,
        };
        let arguments = (deed.arguments)(self);
        let door: &[&str] = if hand == Hand::Brv { &["vc"] } else { &[] };
        let words = door.iter().copied().chain([deed.verb]).chain(arguments.iter().map(String::as_str));
        let words: Vec<&str> = words.collect();
        match hand {
            Hand::Git => drop(self.git(&words)),
            _ => drop(self.brv_may(deed, &words)),
        }
    }

    fn is_in_the_midst(&self) -> bool {
        ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge"]
            .iter()
            .any(|state| self.is_at(state))
    }

    /// End the operation in progress, in one of the possible ways.
    fn settle(&mut self) {
        let others =
            [("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"), ("rebase-merge", "rebase")];
        match others.into_iter().find(|(state, _)| self.is_at(state)) {
            Some((_, verb)) => drop(self.git(&[verb, "--abort"])),
            None if self.dice.roll(2) == 0 => self.decide(),
            None => {
                let abort = Deed { verb: "merge", arguments: |_| vec!["--abort".into()], ..Deed::EITHER };
                self.act(&abort);
            }
        }
    }

    /// Resolve the conflict with the file on disk.
    fn decide(&mut self) {
        // if there are still markers, a side must be chosen
        self.brv(&["vc", "resolve", "--ours", "."]);
        for arguments in [&["vc", "add", "--all"][..], &["vc", "commit", "-m", "decided"]] {
            let ran = self.brv(arguments);
            assert_eq!(ran.code, 0, "{}\n{}{}", self.story(), ran.stdout, ran.stderr);
        }
    }

    /// A colleague with plain git.
    fn mate(&mut self) {
        let mate = self.mate.clone();
        self.env.try_git(&mate, &["pull", "-q", "--no-rebase", "-X", "theirs"]);
        self.edit_in(&mate);
        self.env.commit(&mate, &[]);
        if self.dice.roll(4) == 0 {
            self.env.try_git(&mate, &["tag", &format!("mate_{}", self.told.len())]);
        }
        let pushed = self.env.try_git(&mate, &["push", "-q", "--follow-tags"]);
        self.told.push(format!("the mate pushes -> {}", pushed.code));
    }

    fn keep(&self) {
        let Some(keep) = &self.keep else { return };
        let _ = std::fs::remove_dir_all(keep);
        std::fs::create_dir_all(keep).unwrap();
        for name in ["project", "remote.git", "home"] {
            let from = self.env.path(name);
            let copied = Command::new("cp").arg("-a").args([&from, keep]).status().unwrap();
            assert!(copied.success());
        }
    }

    fn check(&self) {
        let story = self.story();
        assert_agreement(&self.env, &self.tree, &story);
        let pending = self.env.git(&self.tree, &["for-each-ref", "refs/brv/pending"]);
        assert_eq!(pending, "", "{story}");
        picture::assert_same_index(&self.env, &self.tree, &story);
        picture::assert_same_head(&self.env, &self.tree, &story);
    }

    /// All work reaches the remote, and a fresh clone is equal.
    fn end(mut self) {
        while self.is_in_the_midst() {
            self.settle();
        }
        for arguments in
            [&["add", "-A"][..], &["commit", "-q", "-m", "all"], &["branch", "-f", "last"], &["fetch", "-q"]]
        {
            self.git(arguments);
        }
        let pulled = self.git(&["checkout", "-q", "-B", "end", "last"]).code;
        assert_eq!(pulled, 0, "{}", self.story());
        let is_related = self.git(&["merge-base", "HEAD", "origin/main"]).code == 0;
        let arguments = match is_related {
            true => &["vc", "pull", "--on-conflict", "both", "origin", "main"][..],
            false => &["vc", "merge", "--allow-unrelated-histories", "--on-conflict", "both", "origin/main"],
        };
        match self.brv(arguments) {
            ran if ran.code == 5 => self.decide(),
            ran => assert_eq!(ran.code, 0, "{}\n{}{}", self.story(), ran.stdout, ran.stderr),
        }
        let ran = self.brv(&["vc", "push", "--no-verify", "origin", "HEAD:refs/heads/end"]);
        assert_eq!(ran.code, 0, "{}\n{}{}", self.story(), ran.stdout, ran.stderr);
        let remote = self.env.path("remote.git");
        self.env.git(self.env.root(), &["clone", "-q", "-b", "end", remote.to_str().unwrap(), "fresh"]);
        let head = |folder: &Path| self.env.git(folder, &["rev-parse", "HEAD^{tree}"]);
        assert_eq!(head(&self.env.path("fresh")), head(&self.tree));
        self.env.fsck(&remote);
        let check = self.env.brv_in(&self.project, &["derive"]);
        assert_eq!(check.code, 0, "{}", check.stderr);
        assert_eq!(self.env.brv_in(&self.project, &["derive", "--check"]).code, 0);
    }
}

/// An error deep inside only reports what it saw.
impl Drop for Story {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.story());
        }
    }
}

fn tell(seed: u64, steps: usize) {
    println!("BRV_ALTERNATION_SEED={seed} BRV_ALTERNATION_STEPS={steps}");
    let mut story = Story::begin(seed);
    for _ in 0..steps {
        story.step();
        story.check();
    }
    story.end();
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a number")))
}

#[test]
fn brv_and_git_take_turns_on_one_repository() {
    let seed = number("BRV_ALTERNATION_SEED").unwrap_or(1);
    let steps = number("BRV_ALTERNATION_STEPS").unwrap_or(150);
    tell(seed, usize::try_from(steps).unwrap());
}
