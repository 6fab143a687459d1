//! What the tests of the edges share: use cases called as every surface calls them, repositories built by the scripts
//! of `fixtures/repos`, and pictures of a folder to compare.

use crate::env::{Env, Ran};
use brv::clock::Clock;
use brv::config::Config;
use brv::ops::vc::{add, clone, commit};
use brv::ops::{Actor, Audience, Context};
use brv::progress::Silent;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The surroundings of a command that is called in `cwd`.
pub fn context(cwd: &Path) -> Context<'static> {
    Context {
        cwd: cwd.to_path_buf(),
        clock: Clock::from_environment(),
        config: Config::default(),
        progress: &Silent,
        actor: Actor::default(),
        audience: Audience::Headless,
    }
}

/// Build `fixtures/repos/<script>.sh` in the folder `name`. `None`: the git of this machine is too old for it.
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

/// What a clone of `url` into `project` asks for.
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

/// Record everything.
pub fn add_all(tree: &Path) -> add::Outcome {
    let all = add::Options { selection: add::Selection::Everything, ..add::Options::default() };
    add::run(&mut context(tree), &all).unwrap()
}

/// Commit what is recorded.
pub fn commit(tree: &Path, message: &str) -> Result<commit::Outcome, commit::Error> {
    let options = commit::Options { message: vec![message.into()], ..commit::Options::default() };
    commit::run(&mut context(tree), &options)
}

/// Write files below `root`.
pub fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Every file and link below `root` with its bytes (a link: where it leads), but for paths that `skip` names.
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

/// What only remembers what a remote has, or belongs to no version: objects, remote branches, logs, locks.
pub fn is_volatile(path: &str) -> bool {
    let Some((_, inside)) = path.split_once(".git/") else { return path.contains("/cache") };
    ["objects", "refs/remotes", "logs", "FETCH_HEAD", "brv"].iter().any(|name| inside.starts_with(name))
}

/// Nothing that a terminal would obey or a reader would not see is in the output.
pub fn assert_harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let found = text.chars().find(|char| {
            (char.is_control() && !matches!(char, '\n' | '\t'))
                || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}')
        });
        assert_eq!(found, None, "{text:?}");
    }
}

/// Whether the file is one on its way, which nobody should find once a command is over.
pub fn is_temporary(path: &str) -> bool {
    path.contains("/.brv-tmp-") || path.starts_with(".brv-tmp-") || path.ends_with(".lock")
}

/// git finds nothing wrong with the tree, and git and brv see the same state of its files. What git calls untracked and
/// brv foreign, brv marks with `!!`; so it does with files that git ignores and that have a derived name.
pub fn assert_agreement(env: &Env, tree: &Path, what: &str) {
    let (ours, theirs) = both_statuses(env, tree, what, "--renames");
    assert_eq!(ours, theirs, "{what}");
}

/// The same where a file that moved and changed may be told as another's successor: likeness is not counted as git does.
/// Asked for renames, git keeps silent of a deleted file that is like one in conflict, so that it is asked for none.
pub fn assert_agreement_but_for_guesses(env: &Env, tree: &Path, what: &str) {
    let (ours, theirs) = both_statuses(env, tree, what, "--no-renames");
    assert_eq!(without_renames(&ours), theirs, "{what}\n{ours:?}");
}

fn both_statuses(env: &Env, tree: &Path, what: &str, renames: &str) -> (Vec<String>, Vec<String>) {
    env.fsck(tree);
    let theirs = env.git(tree, &["-c", "core.quotePath=false", "status", "--porcelain", "-uall", renames]);
    let ran = env.brv_in(tree, &["vc", "status", "--porcelain"]);
    assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
    let ignored = env.git(tree, &["-c", "core.quotePath=false", "ls-files", "-oi", "--exclude-standard"]);
    let is_ignored = |line: &&str| {
        line.strip_prefix("!! ").is_some_and(|path| ignored.lines().any(|ignored| ignored == path))
    };
    let mut ours: Vec<String> = ran
        .stdout
        .lines()
        .filter(|line| !is_ignored(line))
        .map(|line| line.replacen("!! ", "?? ", 1))
        .collect();
    let mut theirs: Vec<String> = theirs.lines().map(str::to_owned).collect();
    ours.sort();
    theirs.sort();
    (ours, theirs)
}

/// Each rename as a deletion and an addition, sorted.
fn without_renames(lines: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for line in lines {
        match line[3..].split_once(" -> ") {
            Some((from, to)) => {
                let letters = line[..2].to_owned();
                all.push(format!("{} {from}", letters.replace('R', "D").replace(['M', 'T'], " ")));
                all.push(format!("{} {to}", letters.replace('R', "A")));
            }
            None => all.push(line.clone()),
        }
    }
    all.sort();
    all
}
