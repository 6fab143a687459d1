//! Checks: the whole tree beside a search of it, and a change of 20 entries beside its diff by line.

use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;

const ALL: &str = "check --all, beside grep of all files";
const RANGE: &str = "check of a commit with 20 changed entries, beside its diff";
const MEMORY: &str = "memory: check --all";
const RANGE_MEMORY: &str = "memory: check of a commit with 20 changed entries";
const SHOW_MEMORY: &str = "memory: show --stat of the first commit";

const CHANGED: usize = 20;

pub fn run(lab: &Lab) {
    if !lab.wants(&[ALL, RANGE, MEMORY, RANGE_MEMORY, SHOW_MEMORY]) {
        return;
    }
    let pair = Pair::committed(lab, "checking");
    let step = (lab.files().len() / CHANGED).max(1);
    for side in Side::BOTH {
        for (number, file) in lab.files().iter().step_by(step).take(CHANGED).enumerate() {
            pair.edit(side, &file.path, number);
        }
        let tree = pair.tree(side);
        lab.run(lab.git(&tree, &["commit", "-q", "-a", "-m", "change"]));
    }
    // words that no file has, so that git reads and names every file
    let all: (&[&str], &[&str]) =
        (&["check", "--all", "--fail-on", "never"], &["grep", "-L", "-i", "-F", "no file says this"]);
    let range: (&[&str], &[&str]) = (&["check", "HEAD", "--fail-on", "never"], &["diff", "HEAD~1", "HEAD"]);
    let command = |side, (brv, git): (&[&str], &[&str])| match side {
        Side::Brv => lab.brv(pair.folder(side), &[&["vc"], brv].concat()),
        Side::Git => lab.git(pair.folder(side), git),
    };
    for (row, words) in [(ALL, all), (RANGE, range)] {
        Side::BOTH.into_iter().for_each(|side| lab.run(command(side, words)));
        lab.duel([row], Pace::Quick, |side, _| [lab.time(&mut command(side, words))]);
    }
    let show: (&[&str], &[&str]) = (&["show", "--stat", "HEAD~1"], &["show", "--stat", "HEAD~1"]);
    for (row, words) in [(MEMORY, all), (RANGE_MEMORY, range), (SHOW_MEMORY, show)] {
        lab.duel([row], Pace::Once, |side, _| [lab.memory(&mut command(side, words))]);
    }
}
