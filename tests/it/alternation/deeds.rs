//! The table of commands that a random step may run. git does what brv has no command for.

use super::{Dice, Story};

/// Which program can run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// `git VERB` or `brv vc VERB`, with the same arguments.
    Either,
    /// `git VERB`
    Git,
    /// `brv vc VERB`
    Brv,
    /// `brv VERB`
    BrvItself,
}

/// A command.
pub struct Deed {
    /// How often it is chosen, relative to weight 1.
    pub weight: usize,
    /// Which program can run it.
    pub hand: Hand,
    /// Its name.
    pub verb: &'static str,
    /// The arguments.
    pub arguments: fn(&mut Story) -> Vec<String>,
    /// Whether everything that was reachable before must be reachable afterwards.
    pub keeps_all: bool,
}

impl Deed {
    /// A command of both programs.
    pub const EITHER: Self =
        Self { weight: 1, hand: Hand::Either, verb: "", arguments: |_| Vec::new(), keeps_all: true };

    /// A random command from the table.
    pub fn roll(dice: &mut Dice) -> &'static Self {
        let mut at = dice.roll(DEEDS.iter().map(|deed| deed.weight).sum());
        DEEDS
            .iter()
            .find(|deed| match at.checked_sub(deed.weight) {
                Some(left) => {
                    at = left;
                    false
                }
                None => true,
            })
            .unwrap()
    }
}

const fn either(weight: usize, verb: &'static str, arguments: fn(&mut Story) -> Vec<String>) -> Deed {
    Deed { weight, verb, arguments, ..Deed::EITHER }
}

const fn git(weight: usize, verb: &'static str, arguments: fn(&mut Story) -> Vec<String>) -> Deed {
    Deed { weight, verb, arguments, hand: Hand::Git, ..Deed::EITHER }
}

const fn brv(weight: usize, verb: &'static str, arguments: fn(&mut Story) -> Vec<String>) -> Deed {
    Deed { weight, verb, arguments, hand: Hand::Brv, ..Deed::EITHER }
}

const fn itself(weight: usize, verb: &'static str, arguments: fn(&mut Story) -> Vec<String>) -> Deed {
    Deed { weight, verb, arguments, hand: Hand::BrvItself, ..Deed::EITHER }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

macro_rules! fixed {
    ($($word:literal)*) => { |_: &mut Story| words(&[$($word),*]) };
}

const DEEDS: &[Deed] = &[
    either(16, "add", fixed!["--all"]),
    either(4, "add", fixed!["."]),
    either(8, "add", |story| vec![story.file()]),
    either(2, "add", |story| words(&[story.dice.pick(&["auth", "a b", "観測", "nowhere"])])),
    git(2, "add", fixed!["-u"]),
    git(3, "add", |story| vec!["-N".into(), story.file()]),
    either(14, "commit", fixed!["-m" "recorded"]),
    either(14, "commit", fixed!["-a" "-m" "all that is known"]),
    either(1, "commit", fixed!["--allow-empty" "-m" "nothing"]),
    git(2, "commit", fixed!["--amend" "--no-edit"]),
    git(1, "commit", |story| words(&["-m", "one file", "--"]).into_iter().chain([story.file()]).collect()),
    // history
    either(3, "branch", |story| vec![story.name(), story.commit()]),
    either(2, "branch", |story| vec!["-d".into(), story.name()]),
    either(2, "branch", |story| vec!["-D".into(), story.name()]),
    either(1, "branch", |story| vec!["-m".into(), story.name(), story.name()]),
    either(1, "branch", |story| vec!["-f".into(), story.name(), story.commit()]),
    either(2, "branch", fixed!["-u" "origin/main"]),
    either(1, "branch", fixed!["--unset-upstream"]),
    either(8, "switch", |story| vec![story.branch()]),
    either(4, "switch", |story| vec!["-c".into(), story.name()]),
    either(1, "switch", fixed!["-"]),
    either(1, "switch", |story| vec!["--detach".into(), story.commit()]),
    either(1, "switch", |story| vec!["--force".into(), story.branch()]),
    either(6, "checkout", |story| vec![story.branch()]),
    either(2, "checkout", |story| vec!["-b".into(), story.name(), story.commit()]),
    either(2, "checkout", |story| vec![story.commit()]),
    either(1, "checkout", |story| vec!["--force".into(), story.branch()]),
    either(1, "checkout", |story| vec!["-B".into(), story.name(), story.commit()]),
    git(1, "checkout", |story| vec!["--orphan".into(), story.name()]),
    either(2, "checkout", |story| vec!["--".into(), story.file()]),
    either(2, "checkout", |story| vec![story.commit(), "--".into(), story.file()]),
    either(3, "restore", |story| vec![story.file()]),
    either(3, "restore", |story| vec!["--staged".into(), story.file()]),
    either(1, "restore", fixed!["--staged" "--worktree" "."]),
    either(1, "restore", |story| vec!["--ours".into(), story.file()]),
    either(2, "restore", |story| vec!["--source".into(), story.commit(), story.file()]),
    either(2, "reset", fixed![]),
    either(2, "reset", |story| vec!["--".into(), story.file()]),
    either(2, "reset", |story| vec!["--soft".into(), story.commit()]),
    either(2, "reset", |story| vec!["--mixed".into(), story.commit()]),
    either(2, "reset", |story| vec!["--hard".into(), story.commit()]),
    either(8, "merge", |story| vec!["-m".into(), "together".into(), story.branch()]),
    either(2, "merge", |story| vec!["--no-ff".into(), "-m".into(), "together".into(), story.branch()]),
    either(2, "merge", |story| vec!["--ff-only".into(), story.branch()]),
    either(2, "merge", |story| vec!["--squash".into(), story.branch()]),
    either(2, "merge", fixed!["--abort"]),
    either(1, "merge", fixed!["--continue"]),
    brv(3, "merge", |story| {
        let way = story.dice.pick(&["ours", "theirs", "both"]);
        vec!["--on-conflict".into(), way.into(), story.branch()]
    }),
    brv(3, "resolve", |story| words(&[story.dice.pick(&["--ours", "--theirs", "--both", "--base"]), "."])),
    brv(1, "resolve", |story| vec!["--both".into(), story.file()]),
    brv(1, "repair", fixed!["."]),
    either(3, "revert", |story| vec!["--no-edit".into(), story.commit()]),
    git(3, "cherry-pick", |story| vec![story.branch()]),
    git(2, "rebase", |story| vec![story.branch()]),
    either(2, "tag", |story| vec!["-f".into(), format!("tag_{}", story.dice.roll(3))]),
    git(4, "stash", |story| words(story.stash())),
    // other work trees
    git(2, "worktree", |story| {
        let place = format!("../../../beside_{}", story.dice.roll(2));
        vec!["add".into(), place, story.branch()]
    }),
    git(1, "worktree", |story| {
        let place = format!("../../../beside_{}", story.dice.roll(2));
        vec!["remove".into(), "--force".into(), place]
    }),
    // files
    either(4, "mv", |story| vec![story.file(), story.path()]),
    either(2, "rm", |story| vec![story.file()]),
    either(2, "rm", |story| vec!["--cached".into(), story.file()]),
    either(1, "rm", |story| vec!["-f".into(), story.file()]),
    either(1, "rm", fixed!["-r" "auth"]),
    either(1, "mv", fixed!["auth" "db"]),
    either(1, "mv", fixed!["db" "auth"]),
    git(1, "clean", fixed!["-fdq"]),
    // the other machine
    either(3, "fetch", fixed![]),
    either(1, "fetch", fixed!["--prune" "--tags"]),
    brv(5, "pull", fixed![]),
    git(3, "pull", fixed!["--no-rebase" "--no-edit"]),
    brv(2, "pull", |story| {
        words(&["--on-conflict", story.dice.pick(&["ours", "theirs", "both"]), "origin", "main"])
    }),
    either(5, "push", fixed![]),
    either(2, "push", |story| vec!["-u".into(), "origin".into(), story.branch()]),
    either(1, "push", |story| vec!["--force-with-lease".into(), "origin".into(), story.name()]),
    either(1, "push", |story| vec!["-d".into(), "origin".into(), story.name()]),
    brv(3, "sync", fixed![]),
    brv(1, "sync", |story| words(&["--on-conflict", story.dice.pick(&["ours", "theirs", "both"])])),
    // maintenance
    either(1, "gc", fixed![]),
    git(1, "gc", fixed!["-q" "--prune=now"]),
    git(1, "repack", fixed!["-Adq"]),
    git(1, "pack-refs", fixed!["--all"]),
    git(1, "update-index", fixed!["--split-index"]),
    git(1, "update-index", fixed!["--no-split-index"]),
    git(1, "update-index", |story| words(&["--index-version", story.dice.pick(&["2", "3", "4"])])),
    git(1, "update-index", fixed!["-q" "--refresh"]),
    git(1, "read-tree", fixed!["HEAD"]),
    git(1, "commit-graph", fixed!["write" "--reachable"]),
    itself(2, "derive", fixed![]),
    itself(6, "undo", fixed![]),
    itself(2, "undo", |story| {
        words(&["--on-conflict", story.dice.pick(&["mark", "ours", "theirs", "both"])])
    }),
    itself(1, "op", fixed!["prune"]),
];

impl Story {
    /// A path that git tracks or could track.
    pub fn file(&mut self) -> String {
        if self.dice.roll(3) == 0 {
            return self.path();
        }
        let listed = self
            .env
            .git(&self.tree, &["-c", "core.quotePath=false", "ls-files", "-co", "--exclude-standard"]);
        let files: Vec<&str> = listed.lines().collect();
        match files.len() {
            0 => self.path(),
            _ => self.dice.pick(&files).to_owned(),
        }
    }

    /// A branch name that may exist.
    fn name(&mut self) -> String {
        format!("topic_{}", self.dice.roll(4))
    }

    /// A branch that mostly exists.
    fn branch(&mut self) -> String {
        match self.dice.roll(8) {
            0..3 => "main".into(),
            3 => "origin/main".into(),
            _ => self.name(),
        }
    }

    /// A revision that mostly exists.
    fn commit(&mut self) -> String {
        match self.dice.roll(7) {
            0..2 => "HEAD".into(),
            2 => "HEAD~1".into(),
            3 => "HEAD~3".into(),
            4 => format!("tag_{}", self.dice.roll(3)),
            _ => self.branch(),
        }
    }

    fn stash(&mut self) -> &'static [&'static str] {
        match self.dice.roll(4) {
            0 => &["push"],
            1 => &["push", "-u"],
            _ => &["pop"],
        }
    }
}
