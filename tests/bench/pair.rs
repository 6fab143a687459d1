//! Two equal trees, one in a project of brv, one in a repository of git.

use crate::corpus;
use crate::lab::Lab;
use crate::table::Side;
use std::path::{Path, PathBuf};

/// The two.
pub struct Pair {
    /// The project: the folder that holds `.brv/`.
    project: PathBuf,
    /// The repository.
    repository: PathBuf,
}

impl Pair {
    /// Two with nothing in them.
    pub fn empty(lab: &Lab, name: &str) -> Self {
        let pair = Self {
            project: lab.env.path(format!("{name}-brv")),
            repository: lab.env.path(format!("{name}-git")),
        };
        for side in Side::BOTH {
            std::fs::create_dir(pair.folder(side)).unwrap();
        }
        lab.run(lab.brv(&pair.project, &["init"]));
        lab.run(lab.git(&pair.repository, &["init", "-q"]));
        pair
    }

    /// Two with all files, recorded by nobody.
    pub fn filled(lab: &Lab, name: &str) -> Self {
        let pair = Self::empty(lab, name);
        for side in Side::BOTH {
            corpus::write(lab.files(), &pair.tree(side)).unwrap();
        }
        pair
    }

    /// Two with all files in one commit, which each side made itself.
    pub fn committed(lab: &Lab, name: &str) -> Self {
        let pair = Self::filled(lab, name);
        lab.run(lab.brv(&pair.project, &["vc", "add", "--all"]));
        lab.run(lab.brv(&pair.project, &["vc", "commit", "-m", "all"]));
        lab.run(lab.git(&pair.repository, &["add", "--all"]));
        lab.run(lab.git(&pair.repository, &["commit", "-q", "-m", "all"]));
        pair
    }

    /// Two that git filled from a repository, which is their remote `origin`.
    pub fn from(lab: &Lab, name: &str, source: &str) -> Self {
        let pair = Self::empty(lab, name);
        for side in Side::BOTH {
            let tree = pair.tree(side);
            lab.run(lab.git(&tree, &["remote", "add", "origin", source]));
            lab.run(lab.git(&tree, &["fetch", "-q", "origin"]));
            lab.run(lab.git(&tree, &["checkout", "-q", "-B", "main", "--track", "origin/main"]));
        }
        pair
    }

    /// Where commands are given.
    pub fn folder(&self, side: Side) -> &Path {
        match side {
            Side::Brv => &self.project,
            Side::Git => &self.repository,
        }
    }

    /// Where the files are.
    pub fn tree(&self, side: Side) -> PathBuf {
        match side {
            Side::Brv => self.project.join(".brv").join("context-tree"),
            Side::Git => self.repository.clone(),
        }
    }

    /// Derive everything on brv's side, and give git's side the same files and the same ignore rules.
    pub fn derive(&self, lab: &Lab) {
        lab.run(lab.brv(&self.project, &["derive"]));
        let (from, to) = (self.tree(Side::Brv), self.tree(Side::Git));
        std::fs::copy(from.join(".git/info/exclude"), to.join(".git/info/exclude")).unwrap();
        missing(&from, &to);
    }

    /// Append a fact to one file of both.
    pub fn edit(&self, side: Side, path: &str, number: usize) {
        let file = self.tree(side).join(path);
        let text = std::fs::read(&file).unwrap();
        std::fs::write(&file, corpus::edited(&text, number)).unwrap();
    }
}

fn missing(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            missing(&source, &target);
        } else if !target.exists() {
            std::fs::copy(&source, &target).unwrap();
        }
    }
}
