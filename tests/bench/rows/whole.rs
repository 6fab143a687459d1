//! Deriving everything, which git has no counterpart of.

use crate::lab::Lab;
use crate::pair::Pair;
use crate::table::Side;

const DERIVE: &str = "derive --all";
const MEMORY: &str = "memory: derive --all";

pub fn run(lab: &Lab) {
    if !lab.wants(&[DERIVE, MEMORY]) {
        return;
    }
    let pair = Pair::committed(lab, "derive");
    let derive = || lab.brv(pair.folder(Side::Brv), &["derive", "--all"]);
    // the first time there is nothing that could be compared with what is made
    lab.solo("derive, the first time", 1, || lab.time(&mut lab.brv(pair.folder(Side::Brv), &["derive"])));
    lab.solo(DERIVE, lab.options.rounds, || lab.time(&mut derive()));
    lab.solo(MEMORY, 1, || lab.memory(&mut derive()));
}
