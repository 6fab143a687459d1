//! Curation: one operation beside a commit of one file, and a thousand beside git's commit of a thousand files.

use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;
use serde_json::json;

const ONE: &str = "curate of one fact, beside brv vc commit of one file";
const MANY: &str = "curate of 1,000 operations, nothing derived, beside git commit -a";

const OPERATIONS: usize = 1_000;

pub fn run(lab: &Lab) {
    if !lab.wants(&[ONE, MANY]) {
        return;
    }
    let pair = Pair::committed(lab, "curating");
    lab.run(lab.brv(pair.folder(Side::Brv), &["derive"]));
    one(lab, &pair);
    many(lab, &pair);
}

/// Both in brv's project; each makes the derived files of one entry again.
fn one(lab: &Lab, pair: &Pair) {
    let project = pair.folder(Side::Brv);
    let is_entry = |path: &&str| path.contains('/') && !path.ends_with("/context.md");
    let entries: Vec<&str> = lab.files().iter().map(|file| file.path.as_str()).filter(is_entry).collect();
    let entry = |number: usize| entries[number % entries.len()];
    lab.duel([ONE], Pace::Quick, |side, round| match side {
        Side::Brv => {
            let fact = format!("bench {round}: said");
            let (folder, name) = entry(round).rsplit_once('/').unwrap();
            let title = name.strip_suffix(".md").unwrap();
            let arguments = ["--into", folder, "--title", title, "--reason", "bench", "--fact", &fact];
            [lab.time(&mut lab.brv(project, &[&["curate"][..], &arguments].concat()))]
        }
        Side::Git => {
            pair.edit(Side::Brv, entry(round + 7), round);
            lab.run(lab.brv(project, &["vc", "add", entry(round + 7)]));
            [lab.time(&mut lab.brv(project, &["vc", "commit", "-m", "bench"]))]
        }
    });
}

fn many(lab: &Lab, pair: &Pair) {
    let step = (lab.files().len() / OPERATIONS).max(1);
    let chosen = || lab.files().iter().step_by(step).take(OPERATIONS);
    lab.duel([MANY], Pace::Slow, |side, round| {
        lab.settle();
        let folder = pair.folder(side);
        [lab.time(&mut match side {
            Side::Brv => {
                let operation = |file: &crate::corpus::File| {
                    let fact = json!({"subject": format!("bench {round}"), "statement": "said"});
                    json!({"type": "UPDATE", "path": file.path, "reason": "bench", "content": {"facts": [fact]}})
                };
                let list = json!(chosen().map(operation).collect::<Vec<_>>()).to_string();
                std::fs::write(folder.join("operations.json"), list).unwrap();
                lab.brv(folder, &["curate", "--ops", "operations.json"])
            }
            Side::Git => {
                chosen().for_each(|file| pair.edit(side, &file.path, round));
                lab.git(folder, &["commit", "-q", "-a", "-m", "bench"])
            }
        })]
    });
}
