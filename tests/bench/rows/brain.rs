//! What an agent gets unasked, and whether the code moved on: on a repository of 10,000 files of code, and
//! 2,000 entries that cite one each. brv's caches are filled before.

use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;
use std::path::Path;

const CODE: usize = 10_000;
const CITING: usize = 2_000;

const BRAIN: &str = "brain, beside brv --version";
const FILE: &str = "brain --for a file, beside git log -1 of the file";
const PRIME: &str = "prime, beside brv --version";
const STALE: &str = "stale of 2,000 citing entries, beside git grep of 10,000 files";
const SEARCH: &str = "search whose results cite code, beside brv --version";

pub fn run(lab: &Lab) {
    if !lab.wants(&[BRAIN, FILE, PRIME, STALE, SEARCH]) {
        return;
    }
    let pair = Pair::filled(lab, "brief");
    let project = pair.folder(Side::Brv);
    code(lab, project);
    cite(lab, &pair.tree(Side::Brv));
    lab.run(lab.brv(project, &["vc", "add", "--all"]));
    lab.run(lab.brv(project, &["vc", "commit", "-m", "all"]));
    lab.run(lab.brv(project, &["derive"]));
    let file = path(35);
    let rows: [(&str, &[&str], &[&str]); 5] = [
        (BRAIN, &["brain"], &[]),
        (FILE, &["brain", "--for", &file], &["log", "-1", "--", &file]),
        (PRIME, &["prime"], &[]),
        (STALE, &["stale", "list"], &["grep", "-c", "LIMIT_35 "]),
        (SEARCH, &["search", "cited limit of the code", "--no-hits"], &[]),
    ];
    for (name, arguments, git) in rows {
        lab.run(lab.brv(project, arguments));
        lab.duel([name], Pace::Quick, |side, _| {
            [lab.time(&mut match side {
                Side::Brv => lab.brv(project, arguments),
                Side::Git if git.is_empty() => lab.brv(project, &["--version"]),
                Side::Git => lab.git(project, git),
            })]
        });
    }
}

fn path(at: usize) -> String {
    format!("src/part_{}/file_{at}.rs", at / 50)
}

/// The files of the code, in one commit of the project's own repository.
fn code(lab: &Lab, project: &Path) {
    lab.run(lab.git(project, &["init", "-q"]));
    for at in 0..CODE {
        let file = project.join(path(at));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text =
            format!("const LIMIT_{at} : usize = {at};\n\nfn part_{at}() -> usize {{\n    LIMIT_{at}\n}}\n");
        std::fs::write(file, text).unwrap();
    }
    lab.run(lab.git(project, &["add", "src"]));
    lab.run(lab.git(project, &["commit", "-q", "-m", "code"]));
}

/// A fact about one file each for as many entries, evenly spread.
fn cite(lab: &Lab, tree: &Path) {
    let entries: Vec<&str> = lab
        .files()
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| !path.ends_with("context.md"))
        .collect();
    let number = CITING.min(entries.len());
    for at in 0..number {
        let file = tree.join(entries[at * entries.len() / number]);
        let mut text = std::fs::read_to_string(&file).unwrap();
        let (limit, code) = (format!("LIMIT_{}", at * 5), path(at * 5));
        text.push_str(&format!("- **cited limit {at} of the code**: `{limit}` in `{code}` [project]\n"));
        std::fs::write(file, text).unwrap();
    }
}
