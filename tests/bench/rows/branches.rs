//! Merging a branch that changed many files, some also changed by the other side.

use crate::corpus;
use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;
use std::path::Path;

const MERGE: &str = "merge of 2,000 files, 500 changed on both sides, nothing derived";

const FILES: usize = 2_000;
const BOTH: usize = 4;

pub fn run(lab: &Lab) {
    if !lab.wants(&[MERGE]) || !lab.has("merge") {
        return;
    }
    let pair = Pair::committed(lab, "branches");
    Side::BOTH.into_iter().for_each(|side| part(lab, &pair.tree(side)));
    lab.duel([MERGE], Pace::Slow, |side, _| {
        lab.run(lab.git(&pair.tree(side), &["reset", "-q", "--hard", "start"]));
        lab.settle();
        // files as young as the index are read once more, by whoever comes first
        lab.run(lab.git(&pair.tree(side), &["update-index", "-q", "--refresh"]));
        [lab.time(&mut match side {
            Side::Brv => lab.brv(pair.folder(side), &["vc", "merge", "--no-derive", "topic"]),
            Side::Git => lab.git(pair.folder(side), &["merge", "-q", "--no-edit", "topic"]),
        })]
    });
}

/// `topic` appends to many files, `main` changes the first line of text of some of them: git merges that without a
/// conflict, too.
fn part(lab: &Lab, tree: &Path) {
    let git = |arguments: &[&str]| lab.run(lab.git(tree, arguments));
    let files = lab.files();
    let edit = |step: usize, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        for file in files.iter().step_by((files.len() / FILES).max(1)).take(FILES).step_by(step) {
            let path = tree.join(&file.path);
            std::fs::write(&path, change(&std::fs::read(&path).unwrap())).unwrap();
        }
    };
    git(&["branch", "-M", "main"]);
    git(&["switch", "-q", "-c", "topic"]);
    edit(1, &|text| corpus::edited(text, 7));
    git(&["commit", "-q", "-a", "-m", "theirs"]);
    git(&["switch", "-q", "main"]);
    edit(BOTH, &|text| String::from_utf8_lossy(text).replacen("The ", "This ", 1).into_bytes());
    git(&["commit", "-q", "-a", "-m", "ours"]);
    git(&["tag", "start"]);
}
