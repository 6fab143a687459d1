//! Reading what is there, beside what git has that comes nearest.

use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;

const STATUS: &str = "brv status, beside git status";
const TREE: &str = "tree, beside ls-files";
const ABSTRACT: &str = "read --level l0, beside cat-file";
const INDEX: &str = "read of the root";
const LINKS: &str = "links of an entry, beside grep";
const BROKEN: &str = "links --broken";

pub fn run(lab: &Lab) {
    if !lab.wants(&[STATUS, TREE, ABSTRACT, INDEX, LINKS, BROKEN]) {
        return;
    }
    let pair = Pair::committed(lab, "reading");
    pair.derive(lab);
    let path = &lab.files()[lab.files().len() / 2].path;
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
    let object = format!("HEAD:{path}");
    let status: (&[&str], &[&str]) = (&["status"], &["status"]);
    let tree: (&[&str], &[&str]) = (&["tree"], &["ls-files"]);
    let abstract_: (&[&str], &[&str]) = (&["read", path, "--level", "l0"], &["cat-file", "-p", &object]);
    // those without the name, so that git succeeds where nobody has it
    let links: (&[&str], &[&str]) = (&["links", path], &["grep", "-L", "-F", name]);
    for (row, (brv, git)) in [(STATUS, status), (TREE, tree), (ABSTRACT, abstract_), (LINKS, links)] {
        let command = |side| match side {
            Side::Brv => lab.brv(pair.folder(side), brv),
            Side::Git => lab.git(pair.folder(side), git),
        };
        Side::BOTH.into_iter().for_each(|side| lab.run(command(side)));
        lab.duel([row], Pace::Quick, |side, _| [lab.time(&mut command(side))]);
    }
    for (row, words) in [(INDEX, &["read"][..]), (BROKEN, &["links", "--broken"])] {
        lab.solo(row, lab.options.rounds, || lab.time(&mut lab.brv(pair.folder(Side::Brv), words)));
    }
}
