//! Two equal repositories, one used by brv and one by git: after the same command everything that git knows is equal.

use crate::env::{Env, Ran};
use crate::init::project;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project with a tree, and a copy of the tree for git.
pub struct Twins {
    /// The project.
    pub env: Env,
    /// The tree used by brv.
    pub ours: PathBuf,
    /// The tree used by git.
    pub theirs: PathBuf,
}

impl Twins {
    /// Commit these files in a new tree, run `prepare` with git, and copy the tree.
    pub fn new(files: &[(&str, &str)], prepare: impl FnOnce(&Env, &Path)) -> Self {
        let env = project(&[]);
        let (ours, theirs) = (env.path(".brv/context-tree"), env.path("theirs"));
        env.commit(&ours, files);
        prepare(&env, &ours);
        let copied = Command::new("cp").arg("-a").args([&ours, &theirs]).status().unwrap();
        assert!(copied.success());
        Self { env, ours, theirs }
    }

    /// Write the same file on both sides.
    pub fn write(&self, path: &str, text: &str) {
        for tree in [&self.ours, &self.theirs] {
            let path = tree.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    /// An operation has these bytes of a path: `^1:` from before it, `^3:0/` in the index before it.
    pub fn is_on_record(&self, path: &str, text: &str) {
        let listed = self.env.git(&self.ours, &["for-each-ref", "--format=%(refname)", "refs/brv/ops"]);
        let has = |operation: &str| {
            let ran = self.env.try_git(&self.ours, &["show", &format!("{operation}{path}")]);
            ran.code == 0 && ran.stdout == text
        };
        assert!(listed.lines().any(has), "no operation has {path} with {text:?}");
    }

    /// Run the same git command on both sides, as preparation.
    pub fn git(&self, arguments: &[&str]) {
        for tree in [&self.ours, &self.theirs] {
            self.env.git(tree, arguments);
        }
    }

    /// Run the same command with `brv vc` and with `git`: both succeed, and then everything is equal.
    pub fn both(&self, line: &str) -> Ran {
        let arguments: Vec<&str> = line.split(' ').collect();
        let ours = self.env.brv_in(&self.ours, &[&["vc"], &arguments[..]].concat());
        let theirs = self.env.try_git(&self.theirs, &arguments);
        assert_eq!(ours.code, 0, "{line}: {}", ours.stderr);
        assert_eq!(theirs.code, 0, "git {line}: {}", theirs.stderr);
        self.are_equal(line);
        ours
    }

    /// Both reject it, brv with this code, and everything is still equal.
    pub fn neither(&self, line: &str, code: i32) -> Ran {
        let arguments: Vec<&str> = line.split(' ').collect();
        let before = self.state(&self.ours);
        let ours = self.env.brv_in(&self.ours, &[&["vc"], &arguments[..]].concat());
        let theirs = self.env.try_git(&self.theirs, &arguments);
        assert_eq!(ours.code, code, "{line}: {}", ours.stderr);
        assert_ne!(theirs.code, 0, "git {line}");
        assert_eq!(before, self.state(&self.ours), "{line}");
        self.are_equal(line);
        ours
    }

    /// Everything that git knows is equal.
    pub fn are_equal(&self, after: &str) {
        let (ours, theirs) = (self.state(&self.ours), self.state(&self.theirs));
        for (what, theirs) in &theirs {
            let ours = ours.get(what).map_or("", String::as_str);
            assert_eq!(ours, theirs, "{what} after `{after}`: brv's is left");
        }
        assert_eq!(ours.len(), theirs.len());
    }

    fn state(&self, tree: &Path) -> BTreeMap<String, String> {
        let git = |arguments: &[&str]| self.env.try_git(tree, arguments).stdout;
        let mut state: BTreeMap<String, String> = [
            ("HEAD", std::fs::read_to_string(tree.join(".git/HEAD")).unwrap()),
            ("refs", git(&["for-each-ref", "refs/heads", "refs/remotes", "refs/tags"])),
            ("index", git(&["ls-files", "-s"])),
            ("status", git(&["status", "--porcelain", "-uall"])),
            ("settings", git(&["config", "--local", "--get-regexp", "^branch\\."])),
            ("ORIG_HEAD", std::fs::read_to_string(tree.join(".git/ORIG_HEAD")).unwrap_or_default()),
            ("MERGE_HEAD", std::fs::read_to_string(tree.join(".git/MERGE_HEAD")).unwrap_or_default()),
            ("log of HEAD", std::fs::read_to_string(tree.join(".git/logs/HEAD")).unwrap_or_default()),
        ]
        .map(|(what, text)| (what.to_owned(), text))
        .into();
        let branches = git(&["for-each-ref", "--format=%(refname)", "refs/heads"]);
        for branch in branches.lines() {
            let log = std::fs::read_to_string(tree.join(".git/logs").join(branch)).unwrap_or_default();
            state.insert(format!("log of {branch}"), log);
        }
        let files = git(&["ls-files", "-z", "-co", "--exclude-standard"]);
        let text: Vec<String> = files
            .split_terminator('\0')
            .map(|path| {
                format!(
                    "{path}: {:?}",
                    std::fs::read(tree.join(path)).ok().map(|bytes| String::from_utf8(bytes).unwrap())
                )
            })
            .collect();
        state.insert("files".into(), text.join("\n"));
        state
    }
}
