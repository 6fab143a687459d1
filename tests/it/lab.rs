//! Shared helpers for tests of commands: commands called as every surface calls them, repositories built by the
//! scripts of `fixtures/repos`, and snapshots of a folder to compare.

use crate::env::{Env, Ran, context};
use brv_commands::vc::{add, clone, commit};
use brv_engine::Stop;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Build `fixtures/repos/<script>.sh` in the folder `name`. `None` if the git of this machine is too old for it.
pub fn fixture(env: &Env, script: &str, name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/repos/{script}.sh"));
    let out = env.path(name);
    let mut command = Command::new("bash");
    env.prepare(&mut command);
    let output = command.arg(&path).arg(&out).output().unwrap();
    match output.status.code() {
        Some(77) => None,
        Some(0) => Some(out),
        _ => panic!("{}: {}", path.display(), String::from_utf8_lossy(&output.stderr)),
    }
}

/// The options of a clone of `url` into `project`.
pub fn clone_options(url: &Path, project: &Path) -> clone::Options {
    clone::Options {
        url: url.to_str().unwrap().into(),
        folder: Some(project.to_path_buf()),
        branch: None,
        depth: clone::Depth::Unchanged,
        branches: clone::Branches::All,
        tags: clone::Tags::Configured,
        remote: "origin".into(),
        derive: clone::Derive::Now,
    }
}

/// Stage everything.
pub fn add_all(tree: &Path) -> add::Outcome {
    let all = add::Options { selection: add::Selection::Everything, ..add::Options::default() };
    add::run(&context(tree), &all).unwrap()
}

/// Commit the staged changes.
pub fn commit(tree: &Path, message: &str) -> Result<commit::Outcome, Stop> {
    let options = commit::Options { message: vec![message.into()], ..commit::Options::default() };
    commit::run(&context(tree), &options)
}

/// Write files below `root`.
pub fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Every file and link below `root` with its bytes (for a link, its target), except paths that `skip` selects.
pub fn picture(root: &Path, skip: &dyn Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, skip: &dyn Fn(&str) -> bool, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let kind = path.symlink_metadata().unwrap().file_type();
            if skip(&name) {
                continue;
            }
            if kind.is_dir() {
                walk(root, &path, skip, out);
            } else if kind.is_symlink() {
                out.insert(name, path.read_link().unwrap().to_string_lossy().into_owned().into_bytes());
            } else {
                out.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    if root.exists() {
        walk(root, root, skip, &mut out);
    }
    out
}

/// Paths that only cache a remote's state or belong to no version: objects, remote-tracking branches, logs, locks.
pub fn is_volatile(path: &str) -> bool {
    let Some((_, inside)) = path.split_once(".git/") else { return path.contains("/cache") };
    ["objects", "refs/remotes", "logs", "FETCH_HEAD", "brv"].iter().any(|name| inside.starts_with(name))
}

/// The output contains nothing that a terminal would obey or a reader would not see.
pub fn assert_harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let found = text.chars().find(|char| {
            (char.is_control() && !matches!(char, '\n' | '\t'))
                || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}')
        });
        assert_eq!(found, None, "{text:?}");
    }
}

/// Whether the file is a temporary one; a command may leave none.
pub fn is_temporary(path: &str) -> bool {
    path.contains("/.brv-tmp-") || path.starts_with(".brv-tmp-") || path.ends_with(".lock")
}

/// git finds nothing wrong with the tree, and git and brv see the same state of its files. Files that git calls
/// untracked and brv foreign get `!!` from brv, and so do files that git ignores and that have a derived name.
///
/// In a conflict git is wrong about files that are only missing from the work tree: it takes a file in conflict without
/// a version on that side as the rename target of the missing one, and reports neither. There git does the work
/// tree state without renames.
pub fn assert_agreement(env: &Env, tree: &Path, what: &str) {
    env.fsck(tree);
    let ours = our_status(env, tree, what);
    let theirs = their_status(env, tree, "--renames");
    if !theirs.iter().any(|line| is_conflict(line)) {
        assert_eq!(ours, theirs, "{what}");
        return;
    }
    let plain = their_status(env, tree, "--no-renames");
    assert_eq!(States::of(&ours), States::of(&theirs).with_work_tree_of(States::of(&plain)), "{what}");
}

fn our_status(env: &Env, tree: &Path, what: &str) -> Vec<String> {
    let ran = env.brv_in(tree, &["vc", "status", "--porcelain"]);
    assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
    let mut ignored = None;
    let mut is_ignored = |line: &str| {
        let Some(path) = line.strip_prefix("!! ") else { return false };
        let list = || env.git(tree, &["-c", "core.quotePath=false", "ls-files", "-oi", "--exclude-standard"]);
        ignored.get_or_insert_with(list).lines().any(|ignored| ignored == path)
    };
    let told = ran.stdout.lines().filter(|line| !is_ignored(line));
    let mut lines: Vec<String> = told.map(|line| line.replacen("!! ", "?? ", 1)).collect();
    lines.sort();
    lines
}

fn their_status(env: &Env, tree: &Path, renames: &str) -> Vec<String> {
    let told = env.git(tree, &["-c", "core.quotePath=false", "status", "--porcelain", "-uall", renames]);
    let mut lines: Vec<String> = told.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn is_conflict(line: &str) -> bool {
    line[..2].contains('U') || ["AA", "DD"].contains(&&line[..2])
}

/// Both sides of each path: index and work tree. In the work tree a rename is two changes.
#[derive(Debug, PartialEq, Eq)]
struct States {
    /// The letter, and the old path.
    recorded: BTreeMap<String, (char, Option<String>)>,
    work_tree: BTreeMap<String, char>,
    untracked: Vec<String>,
}

impl States {
    fn of(lines: &[String]) -> Self {
        let mut states =
            Self { recorded: BTreeMap::new(), work_tree: BTreeMap::new(), untracked: Vec::new() };
        for line in lines {
            if line.starts_with("??") {
                states.untracked.push(line.clone());
                continue;
            }
            let (from, path) = match line[3..].split_once(" -> ") {
                Some((from, path)) => (Some(from.to_owned()), path.to_owned()),
                None => (None, line[3..].to_owned()),
            };
            let mut letters = line.chars();
            let (recorded, on_disk) = (letters.next().unwrap(), letters.next().unwrap());
            if on_disk == 'R' {
                states.work_tree.insert(from.clone().unwrap(), 'D');
                states.work_tree.insert(path.clone(), 'A');
            } else if on_disk != ' ' {
                states.work_tree.insert(path.clone(), on_disk);
            }
            if recorded != ' ' {
                states.recorded.insert(path, (recorded, from.filter(|_| recorded == 'R')));
            }
        }
        states
    }

    fn with_work_tree_of(self, other: Self) -> Self {
        Self { work_tree: other.work_tree, ..self }
    }
}
