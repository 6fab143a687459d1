//! Random histories are exchanged between brv and git, and both sides end with the same objects.

use crate::env::Env;
use crate::network::World;
use crate::servers::{Http, ServerMode};
use brv_git::push::Status;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::path::{Path, PathBuf};

/// Which program runs the step.
#[derive(Debug, Clone, Copy)]
enum Side {
    Ours,
    Theirs,
}

/// A step.
#[derive(Debug, Clone)]
enum Step {
    Write { file: usize, line: u8 },
    Delete { file: usize },
    Move { from: usize, to: usize },
    Switch { branch: u8 },
    Merge { which: usize },
    Tag { annotated: bool },
    Pack,
    Send,
    Receive,
}

const FILES: [&str; 6] = ["a.md", "b.md", "d/a.md", "d/t/a.md", "d/t/b.md", "e/long.md"];

fn step() -> impl Strategy<Value = Step> {
    let file = 0..FILES.len();
    prop_oneof![
        6 => (file.clone(), any::<u8>()).prop_map(|(file, line)| Step::Write { file, line }),
        2 => file.clone().prop_map(|file| Step::Delete { file }),
        2 => (file.clone(), file).prop_map(|(from, to)| Step::Move { from, to }),
        2 => (0u8..3).prop_map(|branch| Step::Switch { branch }),
        3 => (0usize..8).prop_map(|which| Step::Merge { which }),
        1 => any::<bool>().prop_map(|annotated| Step::Tag { annotated }),
        1 => Just(Step::Pack),
        3 => Just(Step::Send),
        3 => Just(Step::Receive),
    ]
}

fn history() -> impl Strategy<Value = Vec<(Side, Step)>> {
    let side = prop_oneof![Just(Side::Ours), Just(Side::Theirs)];
    proptest::collection::vec((side, step()), 6..24)
}

/// Two work trees and the repository between them.
struct Play<'a> {
    world: &'a World,
    theirs: PathBuf,
    tags: usize,
}

impl Play<'_> {
    fn folder(&self, side: Side) -> &Path {
        match side {
            Side::Ours => self.world.ours(),
            Side::Theirs => &self.theirs,
        }
    }

    fn act(&mut self, side: Side, step: &Step) {
        let env = &self.world.env;
        let folder = self.folder(side).to_path_buf();
        let letter = match side {
            Side::Ours => 'o',
            Side::Theirs => 't',
        };
        match step {
            Step::Write { file, line } => {
                let path = folder.join(FILES[*file]);
                let mut text = std::fs::read_to_string(&path).unwrap_or_else(|_| {
                    "a line that every file has, so that differences are worth it\n".repeat(4 + 30 * file)
                });
                text.insert_str(0, &format!("{letter} {line}\n"));
                env.commit(&folder, &[(FILES[*file], &text)]);
            }
            Step::Delete { file } => {
                let _ = std::fs::remove_file(folder.join(FILES[*file]));
                env.commit(&folder, &[]);
            }
            Step::Move { from, to } => {
                let to = folder.join(FILES[*to]);
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                let _ = std::fs::rename(folder.join(FILES[*from]), to);
                env.commit(&folder, &[]);
            }
            Step::Switch { branch } => {
                let name = format!("{letter}{branch}");
                if env.try_git(&folder, &["checkout", "-q", &name]).code != 0 {
                    env.git(&folder, &["checkout", "-q", "-b", &name]);
                }
            }
            Step::Merge { which } => {
                let refs =
                    env.git(&folder, &["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"]);
                let refs: Vec<_> = refs.lines().filter(|name| !name.ends_with("/HEAD")).collect();
                let Some(other) = refs.get(which % refs.len().max(1)) else { return };
                let merge = ["merge", "-q", "--no-edit", "-X", "ours", "--allow-unrelated-histories", other];
                if env.try_git(&folder, &merge).code != 0 {
                    env.git(&folder, &["reset", "-q", "--hard"]);
                }
            }
            Step::Tag { annotated } => {
                self.tags += 1;
                let name = format!("{letter}{}", self.tags);
                match annotated {
                    true => env.git(&folder, &["tag", "-a", &name, "-m", "tag"]),
                    false => env.git(&folder, &["tag", &name]),
                };
            }
            Step::Pack => drop(env.git(&folder, &["gc", "-q"])),
            Step::Send => self.send(side),
            Step::Receive => self.receive(side),
        }
    }

    fn send(&self, side: Side) {
        match side {
            Side::Ours => {
                let outcome = self.world.push_all();
                for reference in &outcome.refs {
                    let known = matches!(reference.status, Status::Ok | Status::UpToDate);
                    assert!(known, "{outcome:?}");
                }
            }
            Side::Theirs => {
                self.world
                    .env
                    .git(&self.theirs, &["push", "-q", "origin", "refs/heads/*:refs/heads/*", "--tags"]);
            }
        }
    }

    fn receive(&self, side: Side) {
        match side {
            Side::Ours => drop(self.world.fetch()),
            Side::Theirs => drop(self.world.env.git(&self.theirs, &["fetch", "-q", "--prune"])),
        }
    }
}

fn play(env: Env, url: fn(&Path) -> String, steps: &[(Side, Step)]) {
    let bare = env.bare("bare.git");
    let url = url(&bare);
    let world = World::new(env, &url);
    world.env.git(world.env.root(), &["clone", "-q", bare.to_str().unwrap(), "theirs"]);
    let theirs = world.env.path("theirs");
    let mut play = Play { world: &world, theirs, tags: 0 };
    for (side, letter) in [(Side::Ours, "o0"), (Side::Theirs, "t0")] {
        let folder = play.folder(side).to_path_buf();
        world.env.git(&folder, &["checkout", "-q", "-b", letter]);
        world.env.commit(&folder, &[("first.md", letter)]);
    }
    for (side, step) in steps {
        play.act(*side, step);
    }
    for side in [Side::Ours, Side::Theirs] {
        play.send(side);
    }
    for side in [Side::Ours, Side::Theirs] {
        play.receive(side);
    }
    let there = world.env.objects(&bare);
    for repository in [bare.as_path(), world.ours(), &play.theirs] {
        world.env.fsck(repository);
    }
    // every branch on one side is a tracking ref or a branch on the other
    for folder in [world.ours(), &play.theirs] {
        let listed = world.env.git(folder, &["rev-list", "--objects", "--branches", "--remotes", "--tags"]);
        let mut ids: Vec<String> = listed.lines().map(|line| line[..40].to_owned()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids, there);
    }
    let cloned = world.clone_to(&url, "cloned").unwrap();
    world.env.fsck(cloned.scope.work_tree());
    let refs = |folder: &Path, below: &str| {
        world.env.git(folder, &["for-each-ref", "--format=%(objectname)", below])
    };
    assert_eq!(refs(cloned.scope.work_tree(), "refs/remotes"), refs(&bare, "refs/heads"));
    assert_eq!(refs(cloned.scope.work_tree(), "refs/tags"), refs(&bare, "refs/tags"));
}

/// `url` returns the address of a bare repository on a server.
fn check(url: fn(&Path) -> String) {
    // each case starts servers and runs git, so `BRV_LAW_CASES` does not add more
    let config =
        Config { cases: 5, max_shrink_iters: 40, failure_persistence: None, ..crate::cases::held_to(5) };
    TestRunner::new(config)
        .run(&history(), |steps| {
            play(Env::new(), url, &steps);
            Ok(())
        })
        .unwrap();
}

#[test]
fn random_histories_arrive_whole_through_git() {
    check(|bare| bare.display().to_string());
}

#[test]
fn random_histories_arrive_whole_in_process() {
    alone!(without git);
    check(|bare| bare.display().to_string());
}

#[test]
fn random_histories_arrive_whole_over_http() {
    alone!(without git);
    check(|bare| Http::start(bare.parent().unwrap(), ServerMode::Open).url("bare.git"));
}
