//! git as the oracle of renames: generated trees in which files moved and changed, compared by one process of git and
//! by brv; and some of them as the index and the work tree against a commit.

use crate::env::Env;
use crate::lab::assert_agreement;
use brv_engine::read::history::changes::{self, Contents, Detail, FileChange};
use brv_git as git;
use brv_git::TreeId;
use brv_git::trees::{self, Renames};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

/// The number of pairs of trees.
const PAIRS: usize = 600;
/// How many of them are compared as a work tree.
const WORK_TREES: usize = 25;
/// So many of a thousand renames are git's, with their percentages.
const AGREED: usize = 990;

const FOLDERS: [&str; 6] = ["", "auth/", "auth/jwt/", "db/", "db/old/", "a b/"];
const NAMES: [&str; 6] = ["context.md", "note.md", "note_1.md", "note_2.md", "tokens.md", "观.md"];

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    fn path(&mut self) -> String {
        format!("{}{}", FOLDERS[self.below(FOLDERS.len())], NAMES[self.below(NAMES.len())])
    }

    /// Lines that are often in other files, too; some are longer than what git compares at once.
    fn line(&mut self) -> String {
        let end = if self.below(20) == 0 { "\r\n" } else { "\n" };
        let text = match self.below(9) {
            0 => String::new(),
            1 => "## Facts".into(),
            2 => format!("- **fact {}**: {} [team]", self.below(4), self.below(3)),
            3 => format!(
                "{} {}",
                "a long line says much of one thing, and says it again".repeat(3),
                self.below(5)
            ),
            _ => format!("line {} of them", self.below(200)),
        };
        text + end
    }

    fn text(&mut self) -> Vec<String> {
        (0..self.below(24)).map(|_| self.line()).collect()
    }

    fn changed(&mut self, lines: &[String]) -> Vec<String> {
        let mut lines = lines.to_vec();
        for _ in 0..self.below(2 + lines.len()) {
            let at = self.below(lines.len());
            match self.below(4) {
                0 if !lines.is_empty() => drop(lines.remove(at)),
                1 if !lines.is_empty() => lines[at] = self.line(),
                2 if !lines.is_empty() => {
                    let other = self.below(lines.len());
                    lines.swap(at, other);
                }
                _ => {
                    let line = self.line();
                    lines.insert(at, line);
                }
            }
        }
        if self.below(12) == 0 {
            lines.iter_mut().for_each(|line| *line = line.replace('\n', "\r\n").replace("\r\r", "\r"));
        }
        if let Some(last) = lines.last_mut().filter(|_| self.below(10) == 0) {
            *last = last.trim_end().into();
        }
        lines
    }
}

/// A file as stored: its mode, and its lines.
type Tree = BTreeMap<String, (&'static str, Vec<String>)>;

/// A tree and its changed version.
fn pair(dice: &mut Dice, modes: &[&'static str]) -> [Tree; 2] {
    let mut before = Tree::new();
    for _ in 0..3 + dice.below(14) {
        let lines = match before.values().nth(dice.below(before.len() * 2)).cloned() {
            // some are similar, some the same
            Some((_, lines)) if dice.below(3) == 0 => lines,
            Some((_, lines)) => dice.changed(&lines),
            None => dice.text(),
        };
        let path = dice.path();
        before.insert(path, (modes[dice.below(modes.len())], lines));
    }
    let mut after = Tree::new();
    for (path, (mode, lines)) in &before {
        let mode = if dice.below(15) == 0 { modes[dice.below(modes.len())] } else { mode };
        let moved = match dice.below(8) {
            0..3 => path.clone(),
            3..6 => {
                let name = path.rsplit('/').next().unwrap();
                format!("new/{}{name}", FOLDERS[dice.below(FOLDERS.len())])
            }
            6 => dice.path(),
            _ => continue,
        };
        let lines = if dice.below(3) == 0 { lines.clone() } else { dice.changed(lines) };
        after.insert(moved, (mode, lines));
    }
    for _ in 0..dice.below(3) {
        let path = dice.path();
        let lines = dice.text();
        after.insert(path, (modes[0], lines));
    }
    [before, after]
}

/// Store all trees in one go; returns their ids.
fn store(env: &Env, folder: &Path, pairs: &[[Tree; 2]]) -> Vec<[String; 2]> {
    let mut stream = Vec::new();
    for (number, trees) in pairs.iter().enumerate() {
        for (side, tree) in trees.iter().enumerate() {
            writeln!(stream, "commit refs/heads/{number}/{side}\ncommitter A <a@b> 1 +0000\ndata 0\n")
                .unwrap();
            for (path, (mode, lines)) in tree {
                let text = lines.concat();
                writeln!(stream, "M {mode} inline {path}\ndata {}\n{text}", text.len()).unwrap();
            }
        }
    }
    fed(env, folder, &["fast-import", "--quiet"], &stream);
    let listed = env.git(folder, &["for-each-ref", "--format=%(refname) %(tree)", "refs/heads"]);
    let ids: BTreeMap<&str, &str> = listed.lines().filter_map(|line| line.split_once(' ')).collect();
    let id = |number, side| ids[format!("refs/heads/{number}/{side}").as_str()].to_owned();
    (0..pairs.len()).map(|number| [id(number, 0), id(number, 1)]).collect()
}

fn fed(env: &Env, folder: &Path, arguments: &[&str], stream: &[u8]) -> String {
    let mut command = env.git_command(folder);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::scope(|threads| {
        threads.spawn(move || input.write_all(stream).unwrap());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    })
}

/// git's result for each pair.
fn told_by_git(env: &Env, folder: &Path, ids: &[[String; 2]], limit: &str) -> Vec<String> {
    let stream: String = ids.iter().map(|[before, after]| format!("{before} {after}\n")).collect();
    let limit = format!("-l{limit}");
    let arguments =
        ["-c", "core.quotePath=false", "diff-tree", "-r", "-M", &limit, "--name-status", "--stdin"];
    let told = fed(env, folder, &arguments, stream.as_bytes());
    let mut found = Vec::new();
    for line in told.lines() {
        match line.split_once('\t') {
            None => found.push(String::new()),
            Some((letters, rest)) => {
                let last: &mut String = found.last_mut().unwrap();
                writeln!(last, "{letters}\t{rest}").unwrap();
            }
        }
    }
    found
}

fn told_by_brv(changes: &[FileChange]) -> String {
    let mut told = String::new();
    for change in changes {
        let path = &change.path;
        match (&change.renamed_from, change.before, change.after) {
            (Some(from), ..) => writeln!(told, "R{:03}\t{from}\t{path}", change.similarity.unwrap()),
            (None, None, _) => writeln!(told, "A\t{path}"),
            (None, _, None) => writeln!(told, "D\t{path}"),
            (None, Some(before), Some(after)) => {
                let letter = if before.mode.is_of_same_type(after.mode) { 'M' } else { 'T' };
                writeln!(told, "{letter}\t{path}")
            }
        }
        .unwrap();
    }
    told
}

/// How many renames git finds among all pairs. What is the same byte for byte is paired by both; among equally similar
/// files brv may choose another one.
fn assert_told_alike(env: &Env, folder: &Path, ids: &[[String; 2]], limit: &str) -> usize {
    env.git(folder, &["config", "diff.renameLimit", limit]);
    let scope = git::open(folder, "", crate::env::environment()).unwrap();
    let theirs = told_by_git(env, folder, ids, limit);
    assert_eq!(theirs.len(), ids.len());
    let (mut all, mut agreed) = (0, 0);
    for (number, (ids, theirs)) in ids.iter().zip(&theirs).enumerate() {
        let [before, after] = [&ids[0], &ids[1]].map(|id| TreeId::from_hex(id).unwrap());
        let changes = trees::diff(&scope, before, after, Renames::Detect).unwrap();
        let files = changes::compare(&scope, &changes, Detail::Names, &Contents::default()).unwrap();
        let ours = told_by_brv(&files);
        let pair = format!("pair {number} of limit {limit}: git diff -M {} {}", ids[0], ids[1]);
        assert_eq!(identical(&ours), identical(theirs), "{pair}");
        let (mine, git) = (renames(&ours), renames(theirs));
        all += git.len().max(mine.len());
        agreed += git.intersection(&mine).count();
    }
    assert!(agreed * 1000 >= all * AGREED, "limit {limit}: {agreed} of {all} renames are git's");
    theirs.iter().map(|told| renames(told).len()).sum()
}

fn renames(told: &str) -> BTreeSet<&str> {
    told.lines().filter(|line| line.starts_with('R')).collect()
}

/// Which files are another one byte for byte.
fn identical(told: &str) -> Vec<&str> {
    told.lines().filter(|line| line.starts_with("R100")).filter_map(|line| line.rsplit('\t').next()).collect()
}

#[test]
fn identical_files_are_paired_as_git_pairs_them_and_nearly_all_similar_ones() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "oracle"]);
    let folder = env.path("oracle");
    let mut dice = Dice(5);
    let modes = ["100644", "100644", "100644", "100644", "100755", "120000"];
    let pairs: Vec<[Tree; 2]> = (0..PAIRS).map(|_| pair(&mut dice, &modes)).collect();
    let ids = store(&env, &folder, &pairs);
    let all = assert_told_alike(&env, &folder, &ids, "1000");
    assert!(all > PAIRS, "{all} renames are enough to compare");
    let few = assert_told_alike(&env, &folder, &ids, "3");
    assert!(few < all, "the limit has an effect: {few} of {all}");
    assert_eq!(assert_told_alike(&env, &folder, &ids, "0"), all);
}

#[test]
fn what_is_recorded_and_what_is_on_disk_is_paired_as_git_pairs_it() {
    let env = Env::new();
    let mut dice = Dice(11);
    for number in 0..WORK_TREES {
        let project = env.path(format!("project_{number}"));
        std::fs::create_dir_all(&project).unwrap();
        assert_eq!(env.brv_in(&project, &["init", "-q"]).code, 0);
        let tree = project.join(".brv/context-tree");
        let [before, after] = pair(&mut dice, &["100644"]);
        lay(&tree, &before);
        env.commit(&tree, &[]);
        for path in before.keys() {
            std::fs::remove_file(tree.join(path)).unwrap();
        }
        lay(&tree, &after);
        for path in before.keys().chain(after.keys()) {
            match dice.below(4) {
                0 => drop(env.try_git(&tree, &["add", "-N", path.as_str()])),
                1 => {}
                _ => drop(env.try_git(&tree, &["add", path.as_str()])),
            }
        }
        assert_agreement(&env, &tree, &format!("work tree {number}"));
        for arguments in [&["--cached"][..], &[], &["HEAD"]] {
            assert_same_names(&env, &tree, arguments);
        }
    }
}

fn lay(tree: &Path, files: &Tree) {
    for (path, (_, lines)) in files {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, lines.concat()).unwrap();
    }
}

/// `diff --name-status` of both, and the file headers of the patch.
fn assert_same_names(env: &Env, tree: &Path, arguments: &[&str]) {
    let words = [&["-c", "core.quotePath=false", "diff", "--name-status"], arguments].concat();
    let theirs = env.git(tree, &words);
    let words = [&["vc", "diff", "--name-status"], arguments].concat();
    let ours = env.brv_in(tree, &words);
    assert_eq!(ours.code, 0, "{}", ours.stderr);
    assert_eq!(ours.stdout.trim_end(), theirs, "{arguments:?} in {}", tree.display());
    let headers = |patch: &str| -> Vec<String> {
        let words = ["diff --git ", "similarity index ", "rename "];
        let lines = patch.lines().filter(|line| words.iter().any(|word| line.starts_with(word)));
        lines.map(str::to_owned).collect()
    };
    let theirs = env.git(tree, &[&["-c", "core.quotePath=false", "diff"], arguments].concat());
    let ours = env.brv_in(tree, &[&["vc", "diff", "--format", "unified"], arguments].concat());
    assert_eq!(headers(&ours.stdout), headers(&theirs), "{arguments:?} in {}", tree.display());
}
