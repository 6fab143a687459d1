//! One repository, steps by brv and by plain git in random order: after each one git finds nothing wrong, and both see
//! the same state of every file.

use crate::env::{Env, Ran};
use crate::lab::assert_agreement;
use std::path::{Path, PathBuf};

const STEPS: usize = 60;
const FOLDERS: [&str; 4] = ["", "auth/", "auth/jwt/", "観測/"];

/// A choice that looks random and is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }

    fn path(&mut self) -> String {
        let folder = FOLDERS[self.roll(FOLDERS.len())];
        format!("{folder}note_{}.md", self.roll(4))
    }
}

struct Story {
    env: Env,
    project: PathBuf,
    tree: PathBuf,
    mate: PathBuf,
    dice: Dice,
    told: Vec<String>,
}

impl Story {
    fn begin(seed: u64) -> Self {
        let env = Env::new();
        let remote = env.bare("remote.git");
        let (project, mate) = (env.path("project"), env.path("mate"));
        env.git(env.root(), &["init", "-q", "mate"]);
        env.commit(
            &mate,
            &[("auth/note_0.md", "# Note\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n")],
        );
        env.git(&mate, &["remote", "add", "origin", remote.to_str().unwrap()]);
        env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
        let cloned = env.brv(&["vc", "clone", remote.to_str().unwrap(), "project"]);
        assert_eq!(cloned.code, 0, "{}", cloned.stderr);
        let tree = project.join(".brv/context-tree");
        Self { env, project, tree, mate, dice: Dice(seed), told: Vec::new() }
    }

    fn brv(&mut self, arguments: &[&str]) -> Ran {
        self.told.push(format!("brv {arguments:?}"));
        self.env.brv_in(&self.tree, arguments)
    }

    /// brv does it, or refuses it with a code that says why; never 1, which would be a surprise.
    fn brv_may(&mut self, arguments: &[&str]) -> i32 {
        let ran = self.brv(arguments);
        assert!([0, 2, 5, 6, 7].contains(&ran.code), "{}\n{}{}", self.story(), ran.stdout, ran.stderr);
        ran.code
    }

    fn git_may(&mut self, arguments: &[&str]) {
        self.told.push(format!("git {arguments:?}"));
        self.env.try_git(&self.tree, arguments);
    }

    fn story(&self) -> String {
        self.told.join("\n")
    }

    fn edit(&mut self, root: &Path) {
        let path = self.dice.path();
        let file = root.join(&path);
        let number = self.dice.roll(1000);
        self.told.push(format!("edit {} {path}", root.file_name().unwrap().to_str().unwrap()));
        match self.dice.roll(4) {
            0 if file.is_file() => std::fs::remove_file(&file).unwrap(),
            1 if file.is_file() => {
                let text = std::fs::read_to_string(&file).unwrap();
                std::fs::write(&file, format!("{number}\n{text}")).unwrap();
            }
            _ => {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, format!("# Note\n\nnumber {number}\n")).unwrap();
            }
        }
    }

    fn is_merging(&self) -> bool {
        self.tree.join(".git/MERGE_HEAD").exists()
    }

    fn step(&mut self) {
        let (tree, mate) = (self.tree.clone(), self.mate.clone());
        let path = self.dice.path();
        match self.dice.roll(22) {
            0..=5 => self.edit(&tree),
            6 => drop(self.brv_may(&["vc", "add", "--all"])),
            7 => drop(self.brv_may(&["vc", "add", &path])),
            8 => drop(self.brv_may(&["vc", "commit", "-m", "by brv"])),
            9 => drop(self.brv_may(&["vc", "commit", "-a", "-m", "all by brv"])),
            10 => self.git_may(&["add", "-A"]),
            11 => self.git_may(&["commit", "-q", "-m", "by git"]),
            12 => self.git_may(&["mv", &path, "moved.md"]),
            13 => self.git_may(&["rm", "-q", "--cached", &path]),
            14 => self.git_may(&["reset", "-q"]),
            15 => self.git_may(&["add", "-N", &path]),
            16 => {
                let version = ["2", "4"][self.dice.roll(2)];
                self.git_may(&["update-index", "--index-version", version]);
            }
            17 => {
                let chores = [["gc", "-q"], ["pack-refs", "--all"], ["update-index", "--split-index"]];
                let chore = chores[self.dice.roll(3)];
                self.git_may(&chore);
            }
            18 => {
                self.env.try_git(&mate, &["pull", "-q", "--no-rebase", "-X", "theirs"]);
                self.edit(&mate);
                self.env.commit(&mate, &[]);
                self.env.try_git(&mate, &["push", "-q"]);
            }
            19 => drop(self.brv_may(&["vc", "pull"])),
            20 => drop(self.brv_may(&["vc", "push"])),
            _ => self.git_may(&["pull", "-q", "--no-rebase", "--no-edit"]),
        }
        if self.is_merging() && self.dice.roll(2) == 0 {
            self.decide();
        }
    }

    /// Take what stands there as the decision.
    fn decide(&mut self) {
        assert_eq!(self.brv_may(&["vc", "add", "--all"]), 0, "{}", self.story());
        assert_eq!(self.brv_may(&["vc", "commit", "-m", "decided"]), 0, "{}", self.story());
    }

    fn check(&self) {
        assert_agreement(&self.env, &self.tree, &self.story());
        let pending = self.env.git(&self.tree, &["for-each-ref", "refs/brv/pending"]);
        assert_eq!(pending, "", "{}", self.story());
    }

    /// All work arrives at the remote, and a fresh clone equals it.
    fn end(mut self) {
        if self.is_merging() {
            self.decide();
        }
        self.brv_may(&["vc", "add", "--all"]);
        self.brv_may(&["vc", "commit", "-m", "the end"]);
        if self.brv_may(&["vc", "pull"]) == 5 {
            self.decide();
        }
        let ran = self.brv(&["vc", "push", "--no-verify"]);
        assert_eq!(ran.code, 0, "{}\n{}{}", self.story(), ran.stdout, ran.stderr);
        let remote = self.env.path("remote.git");
        self.env.git(self.env.root(), &["clone", "-q", "-b", "main", remote.to_str().unwrap(), "fresh"]);
        let head = |folder: &Path| self.env.git(folder, &["rev-parse", "HEAD^{tree}"]);
        assert_eq!(head(&self.env.path("fresh")), head(&self.tree));
        self.env.fsck(&remote);
        let check = self.env.brv_in(&self.project, &["derive"]);
        assert_eq!(check.code, 0, "{}", check.stderr);
        assert_eq!(self.env.brv_in(&self.project, &["derive", "--check"]).code, 0);
    }
}

fn tell(seed: u64) {
    let mut story = Story::begin(seed);
    for _ in 0..STEPS {
        story.step();
        story.check();
    }
    story.end();
}

#[test]
fn brv_and_git_take_turns_on_one_repository() {
    for seed in [1, 2] {
        tell(seed);
    }
}

#[test]
#[ignore = "takes minutes; more of the same"]
fn brv_and_git_take_turns_on_many_repositories() {
    for seed in 3..40 {
        tell(seed);
    }
}
