//! How far a branch and its upstream are apart, over 50,000 commits, told by a status of a tree with one file.

use super::sync::bare;
use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

const APART: &str = "status -sb, 25,000 commits ahead and 25,000 behind";
const TOLD: &str = "the same with a commit-graph file";
const NEAR: &str = "status -sb, 3 commits behind of 25,000";

/// On each side of the first.
const COMMITS: usize = 25_000;

pub fn run(lab: &Lab) {
    if !lab.wants(&[APART, TOLD, NEAR]) {
        return;
    }
    let source = lab.env.path("apart.git");
    bare(lab, &source);
    import(lab, &source);
    let pair = Pair::from(lab, "apart", source.to_str().unwrap());
    let both = |arguments: &[&str]| {
        Side::BOTH.into_iter().for_each(|side| lab.run(lab.git(&pair.tree(side), arguments)));
    };
    let status = |side| {
        [lab.time(&mut match side {
            Side::Brv => lab.brv(pair.folder(side), &["vc", "status", "-sb"]),
            Side::Git => lab.git(pair.folder(side), &["status", "-sb"]),
        })]
    };
    both(&["reset", "-q", "--hard", "origin/main~3"]);
    lab.duel([NEAR], Pace::Quick, |side, _| status(side));
    both(&["reset", "-q", "--hard", "origin/other"]);
    lab.duel([APART], Pace::Quick, |side, _| status(side));
    both(&["commit-graph", "write", "--reachable"]);
    lab.duel([TOLD], Pace::Quick, |side, _| status(side));
}

/// `main` and `other`, which have their first commit in common.
fn import(lab: &Lab, into: &Path) {
    let mut command = lab.git(into, &["fast-import", "--quiet"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut out = std::io::BufWriter::new(child.stdin.take().unwrap());
    let mut commit = |branch: &str, number: usize, what: &str| {
        let (message, time) = (format!("commit {number} of {branch}"), 1_700_000_000 + 60 * number);
        write!(out, "commit refs/heads/{branch}\ncommitter Ada <ada@example.com> {time} +0000\n").unwrap();
        write!(out, "data {}\n{message}\n{what}\n", message.len()).unwrap();
    };
    commit("main", 0, "M 100644 inline a.md\ndata 4\n# A\n");
    commit("other", 1, "from refs/heads/main");
    for number in 1..COMMITS {
        commit("main", number, "");
        commit("other", number + 1, "");
    }
    commit("main", COMMITS, "");
    out.flush().unwrap();
    drop(out);
    assert!(child.wait().unwrap().success());
    lab.run(lab.git(into, &["repack", "-a", "-d", "-q"]));
}
