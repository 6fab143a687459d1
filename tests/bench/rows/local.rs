//! Starting, and looking at a tree that was committed but never derived.

use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;

const START: &str = "--version";
const CLEAN: &str = "status, clean";
const TEN: &str = "status, 10 changes";
/// Both are git's own, on what brv and what git wrote.
const GITS: &str = "git's own status, where brv wrote beside where git wrote";

pub fn run(lab: &Lab) {
    lab.duel([START], Pace::Quick, |side, _| {
        [lab.time(&mut match side {
            Side::Brv => lab.brv(lab.env.root(), &["--version"]),
            Side::Git => lab.git(lab.env.root(), &["--version"]),
        })]
    });
    if !lab.wants(&[CLEAN, TEN, GITS]) {
        return;
    }
    let pair = Pair::committed(lab, "status");
    let status = |side| match side {
        Side::Brv => lab.brv(pair.folder(side), &["vc", "status"]),
        Side::Git => lab.git(pair.folder(side), &["status"]),
    };
    // the first one after a commit reads files as young as the index once more
    Side::BOTH.into_iter().for_each(|side| lab.run(status(side)));
    lab.duel([CLEAN], Pace::Quick, |side, _| [lab.time(&mut status(side))]);
    lab.duel([GITS], Pace::Quick, |side, _| [lab.time(&mut lab.git(&pair.tree(side), &["status"]))]);
    for file in ten(lab) {
        Side::BOTH.into_iter().for_each(|side| pair.edit(side, &file, 1));
    }
    lab.duel([TEN], Pace::Quick, |side, _| [lab.time(&mut status(side))]);
}

/// Ten paths, spread over the tree.
pub fn ten(lab: &Lab) -> Vec<String> {
    let files = lab.files();
    files.iter().step_by((files.len() / 10).max(1)).take(10).map(|file| file.path.clone()).collect()
}
