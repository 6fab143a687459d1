//! Dreams: one without decisions beside a check of the whole tree, which reads as much, and the question whether one is due.

use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;

const FIRST: &str = "dream -n of everything, without decisions, beside brv vc check --all";
const MEMORY: &str = "memory: dream -n";
const DUE: &str = "dream --if-due where none is due, beside brv --version";

pub fn run(lab: &Lab) {
    if !lab.wants(&[FIRST, MEMORY, DUE]) {
        return;
    }
    let pair = Pair::committed(lab, "dreaming");
    let project = pair.folder(Side::Brv);
    lab.run(lab.brv(project, &["derive"]));
    lab.run(lab.brv(project, &["search", "anything"]));
    lab.duel([FIRST], Pace::Slow, |side, _| {
        [lab.time(&mut match side {
            Side::Brv => lab.brv(project, &["dream", "--force", "--dry-run"]),
            Side::Git => lab.brv(project, &["vc", "check", "--all", "--fail-on", "never"]),
        })]
    });
    lab.solo(MEMORY, 1, || lab.memory(&mut lab.brv(project, &["dream", "--force", "--dry-run"])));
    lab.run(lab.brv(project, &["dream", "--force"]));
    lab.duel([DUE], Pace::Quick, |side, _| {
        [lab.time(&mut match side {
            Side::Brv => lab.brv(project, &["dream", "--if-due"]),
            Side::Git => lab.brv(project, &["--version"]),
        })]
    });
}
