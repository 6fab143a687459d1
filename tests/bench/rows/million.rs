//! A remote of a million objects, measured only when asked for (`--only million`): it takes minutes and a gigabyte.

use super::sync::bare;
use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::{Sample, Side};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const CLONE: &str = "million objects: clone, nothing derived";
const CLONE_MEMORY: &str = "memory: million objects: clone";
const NOTHING: &str = "million objects: fetch of nothing";
const FETCH: &str = "million objects: fetch of one commit";
const PUSH: &str = "million objects: push of one commit";
const WHOLE: &str = "million objects: push of everything";
const WHOLE_MEMORY: &str = "memory: million objects: push of everything";

const FILES: usize = 20_000;
const COMMITS: usize = 50;

pub fn run(lab: &Lab) {
    if !lab.options.only.iter().any(|only| only.contains("million")) {
        return;
    }
    let remote = lab.env.path("million.git");
    bare(lab, &remote);
    import(lab, &remote);
    let url = format!("file://{}", remote.display());
    let clone = |side: Side, measure: fn(&Lab, &mut Command) -> Sample| {
        let folder = lab.env.path("million-clone");
        lab.discard(&folder);
        let folder = folder.to_str().unwrap();
        measure(
            lab,
            &mut match side {
                Side::Brv => lab.brv(lab.env.root(), &["vc", "clone", "--no-derive", &url, folder]),
                Side::Git => lab.git(lab.env.root(), &["clone", "-q", &url, folder]),
            },
        )
    };
    lab.duel([CLONE], Pace::Once, |side, _| [clone(side, Lab::time)]);
    lab.duel([CLONE_MEMORY], Pace::Once, |side, _| [clone(side, Lab::memory)]);
    let pair = Pair::from(lab, "million", &url);
    let vc = |side, arguments: &[&str]| match side {
        Side::Brv => lab.brv(pair.folder(side), &[&["vc"], arguments].concat()),
        Side::Git => lab.git(pair.folder(side), arguments),
    };
    lab.duel([NOTHING], Pace::Quick, |side, _| [lab.time(&mut vc(side, &["fetch"]))]);
    lab.duel([FETCH], Pace::Slow, |side, round| {
        commit(lab, &remote, "theirs", &format!("{round}"));
        [lab.time(&mut vc(side, &["fetch"]))]
    });
    lab.duel([PUSH], Pace::Slow, |side, round| {
        let tree = pair.tree(side);
        commit(lab, &tree, side_branch(side), &format!("{side:?} {round}"));
        [lab.time(&mut vc(side, &["push", "origin", side_branch(side)]))]
    });
    let push = |side, measure: fn(&Lab, &mut Command) -> Sample| {
        let target = lab.env.path("million-target.git");
        lab.discard(&target);
        bare(lab, &target);
        measure(lab, &mut vc(side, &["push", target.to_str().unwrap(), "main"]))
    };
    lab.duel([WHOLE], Pace::Once, |side, _| [push(side, Lab::time)]);
    lab.duel([WHOLE_MEMORY], Pace::Once, |side, _| [push(side, Lab::memory)]);
}

const fn side_branch(side: Side) -> &'static str {
    match side {
        Side::Brv => "ours-brv",
        Side::Git => "ours-git",
    }
}

/// A commit on `main` with one more file, as the tip of `branch`.
fn commit(lab: &Lab, repository: &Path, branch: &str, text: &str) {
    let mut command = lab.git(repository, &["fast-import", "--quiet", "--force"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut out = child.stdin.take().unwrap();
    writeln!(
        out,
        "commit refs/heads/{branch}\ncommitter A <a@b> 1800000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\n\
         M 100644 inline new.md\ndata {}\n{text}\n",
        text.len()
    )
    .unwrap();
    drop(out);
    assert!(child.wait().unwrap().success());
}

/// Every commit changes every file.
fn import(lab: &Lab, into: &Path) {
    let mut command = lab.git(into, &["fast-import", "--quiet"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut out = std::io::BufWriter::new(child.stdin.take().unwrap());
    for number in 0..COMMITS {
        let time = 1_700_000_000 + number;
        writeln!(out, "commit refs/heads/main\ncommitter A <a@b> {time} +0000\ndata 1\nx").unwrap();
        for file in 0..FILES {
            let text = format!("# Entry {file}\n\nversion {number}\n");
            let (domain, topic) = (file / 1000, file / 100 % 10);
            writeln!(out, "M 100644 inline d{domain}/t{topic}/e{file}.md\ndata {}\n{text}", text.len())
                .unwrap();
        }
        writeln!(out).unwrap();
    }
    drop(out);
    assert!(child.wait().unwrap().success());
}
