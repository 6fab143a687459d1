//! The same team with real commands: clones, commits, pulls and pushes. Each pull must have the same result as in the
//! model.

use super::model::Team;
use super::person;
use super::script::Step;
use super::tools::Tool;
use crate::env::{Env, Ran};
use std::path::PathBuf;
use std::process::Command;

/// Which program to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `git pull` and `git push`.
    Git,
    /// `brv vc pull` and `brv vc push`.
    Brv,
}

/// The clones of a team.
pub struct Clones<'e> {
    env: &'e Env,
    program: Program,
    /// The work tree of each writer.
    folders: Vec<PathBuf>,
    /// The number of pulls with conflicts.
    pub conflicts: usize,
}

impl<'e> Clones<'e> {
    /// One clone for each writer, of a remote with the first commit.
    pub fn new<T: Tool>(env: &'e Env, program: Program, team: &mut Team<T>) -> Self {
        let remote = env.bare("remote.git");
        let url = remote.to_str().unwrap();
        let first = env.path("first");
        env.git(env.root(), &["clone", "-q", url, first.to_str().unwrap()]);
        env.git(&first, &["checkout", "-q", "-B", "main"]);
        let files = team.texts(0);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), &**text)).collect();
        env.commit(&first, &files);
        env.git(&first, &["push", "-q", "-u", "origin", "main"]);
        let folders = (0..team.writers()).map(|writer| {
            let folder = env.path(format!("writer-{writer}"));
            match program {
                Program::Git => {
                    env.git(env.root(), &["clone", "-q", url, folder.to_str().unwrap()]);
                    folder
                }
                Program::Brv => {
                    let ran = env.brv(&["vc", "clone", url, folder.to_str().unwrap()]);
                    assert_eq!(ran.code, 0, "{}", ran.stderr);
                    folder.join(".brv/context-tree")
                }
            }
        });
        Self { env, program, folders: folders.collect(), conflicts: 0 }
    }

    /// The last step of the model.
    pub fn step<T: Tool>(&mut self, step: &Step, team: &mut Team<T>) {
        match step {
            Step::Session { writer, .. } => self.write(*writer, team),
            Step::Pull { writer } => self.pull(*writer, team),
            Step::Sync { writer } => {
                self.pull(*writer, team);
                let ran = match self.program {
                    Program::Git => self.git(*writer, team, &["push", "-q", "origin", "main"]),
                    Program::Brv => self.brv(*writer, team, &["vc", "push"]),
                };
                assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
            }
            Step::PullFrom { .. } => unreachable!("it is left out"),
        }
        let (Step::Session { writer, .. }
        | Step::Pull { writer }
        | Step::Sync { writer }
        | Step::PullFrom { writer, .. }) = step;
        let tree = self.env.git(&self.folders[*writer], &["rev-parse", "HEAD^{tree}"]);
        assert_eq!(tree, team.tree(*writer).to_string(), "{:?}, {step:?}", self.program);
    }

    fn write<T: Tool>(&self, writer: usize, team: &mut Team<T>) {
        let folder = &self.folders[writer];
        let texts = team.texts(writer);
        let known = self.env.git(folder, &["ls-files"]);
        for path in known.lines().filter(|path| !texts.contains_key(*path)) {
            std::fs::remove_file(folder.join(path)).unwrap();
        }
        for (path, text) in texts {
            std::fs::create_dir_all(folder.join(&path).parent().unwrap()).unwrap();
            std::fs::write(folder.join(&path), &*text).unwrap();
        }
        self.record(writer, team, &["commit", "-q", "--allow-empty", "-m", "edit"]);
    }

    fn record<T: Tool>(&self, writer: usize, team: &Team<T>, arguments: &[&str]) {
        self.env.git(&self.folders[writer], &["add", "-A"]);
        let ran = self.git(writer, team, arguments);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }

    fn pull<T: Tool>(&mut self, writer: usize, team: &mut Team<T>) {
        let ran = match self.program {
            Program::Git => {
                self.git(writer, team, &["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"])
            }
            Program::Brv => self.brv(writer, team, &["vc", "pull"]),
        };
        if ran.code == 0 {
            return;
        }
        self.conflicts += 1;
        let folder = self.folders[writer].clone();
        let open = self.env.git(&folder, &["diff", "--name-only", "--diff-filter=U"]);
        assert!(!open.is_empty(), "{}{}", ran.stdout, ran.stderr);
        let texts = team.texts(writer);
        for path in open.lines() {
            let file = folder.join(path);
            match (self.program, texts.get(path)) {
                // the text between the markers is what the model resolved
                (Program::Brv, Some(_)) => {
                    let text = std::fs::read_to_string(&file).unwrap();
                    std::fs::write(file, person::resolved(&text)).unwrap();
                }
                (Program::Git, Some(text)) => std::fs::write(file, &**text).unwrap(),
                (_, None) => drop(std::fs::remove_file(file)),
            }
        }
        self.record(writer, team, &["commit", "-q", "--no-edit"]);
    }

    fn git<T: Tool>(&self, writer: usize, team: &Team<T>, arguments: &[&str]) -> Ran {
        let mut command = self.env.git_command(&self.folders[writer]);
        Self::ran(command.args(arguments), team)
    }

    fn brv<T: Tool>(&self, writer: usize, team: &Team<T>, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.env.prepare(&mut command);
        Self::ran(command.current_dir(&self.folders[writer]).args(arguments), team)
    }

    fn ran<T: Tool>(command: &mut Command, team: &Team<T>) -> Ran {
        let time = format!("{} +0000", team.time());
        Ran::of(&command.env("GIT_COMMITTER_DATE", &time).env("GIT_AUTHOR_DATE", time).output().unwrap())
    }
}
