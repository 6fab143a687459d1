//! What it costs to put an operation on record, and to bring many files from one branch to another.

use crate::corpus;
use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::{Sample, Side};
use brv_base::clock::Clock;
use brv_base::fs::WriteGuard;
use brv_engine::journal::{self, Draft, OperationKind, RefMove, TreePart};
use brv_git as git;
use brv_git::CommitId;
use std::path::Path;
use std::time::{Duration, Instant};

const RECORD: &str = "record of an operation, on top of the command";
const SWITCH: &str = "switch between branches 2,000 files apart, nothing derived";
const DERIVED: &str = "switch between branches 2,000 files apart, derived files made again";
const FORWARD: &str = "fast-forward by 2,000 files, nothing derived";

const FILES: usize = 2_000;

pub fn run(lab: &Lab) {
    if !lab.wants(&[RECORD, SWITCH, DERIVED, FORWARD]) {
        return;
    }
    let pair = Pair::committed(lab, "operations");
    Side::BOTH.into_iter().for_each(|side| part(lab, &pair.tree(side)));
    record(lab, &pair.tree(Side::Brv));
    lab.duel([FORWARD], Pace::Slow, |side, _| {
        let tree = pair.tree(side);
        lab.run(lab.git(&tree, &["reset", "-q", "--hard", "start"]));
        ready(lab, &tree);
        [lab.time(&mut match side {
            Side::Brv => lab.brv(pair.folder(side), &["vc", "merge", "--ff-only", "--no-derive", "topic"]),
            Side::Git => lab.git(pair.folder(side), &["merge", "-q", "--ff-only", "topic"]),
        })]
    });
    if !lab.has("switch") {
        return;
    }
    for (name, options) in [(SWITCH, &["--no-derive"][..]), (DERIVED, &[])] {
        for side in Side::BOTH {
            lab.run(lab.git(&pair.tree(side), &["switch", "-q", "main"]));
            lab.run(lab.git(&pair.tree(side), &["reset", "-q", "--hard", "start"]));
        }
        if name == DERIVED && lab.wants(&[name]) {
            lab.run(lab.brv(pair.folder(Side::Brv), &["derive"]));
        }
        lab.duel([name], Pace::Slow, |side, round| {
            ready(lab, &pair.tree(side));
            let to = if round % 2 == 0 { "topic" } else { "main" };
            [lab.time(&mut match side {
                Side::Brv => lab.brv(pair.folder(side), &[&["vc", "switch"], options, &[to]].concat()),
                Side::Git => lab.git(pair.folder(side), &["switch", "-q", to]),
            })]
        });
    }
}

/// Nobody pays for what was written before.
fn ready(lab: &Lab, tree: &Path) {
    lab.settle();
    // files as young as the index are read once more, by whoever comes first
    lab.run(lab.git(tree, &["update-index", "-q", "--refresh"]));
}

/// Begin and publish, as every command does around what it writes.
fn record(lab: &Lab, tree: &Path) {
    lab.solo(RECORD, 4 * lab.options.rounds, || {
        let scope = git::open(tree, "", crate::env::environment()).unwrap();
        let id = |name: &str| CommitId::from_hex(&lab.env.git(tree, &["rev-parse", name])).unwrap();
        let draft = Draft {
            id: None,
            kind: OperationKind::Commit,
            touches: [TreePart::References].into(),
            moves: vec![RefMove::of_head(&scope.head().unwrap(), id("topic"))],
            settings: Vec::new(),
            before: journal::Side::Snapshot {
                tree: scope.tree_of(id("start")).unwrap(),
                parents: vec![id("start")],
            },
            after: journal::Side::Commit(id("topic")),
            index: None,
            undoes: Vec::new(),
            reason: "measured".into(),
            actor: "ada".into(),
            job: None,
            session: None,
            discarded: Vec::new(),
            notes: Vec::new(),
            source_commit: None,
            code_head: None,
            dream: None,
        };
        lab.settle();
        let guard =
            WriteGuard::acquire(&scope.common_dir().join("brv/lock"), Duration::from_secs(1)).unwrap();
        let begun = Instant::now();
        let pending = journal::begin(&scope, &guard, Clock::Wall, &draft).unwrap();
        pending.publish(&scope).unwrap();
        Sample::wall(begun.elapsed().as_secs_f64())
    });
}

/// `topic` has another text in many files.
fn part(lab: &Lab, tree: &Path) {
    let git = |arguments: &[&str]| lab.run(lab.git(tree, arguments));
    let files = lab.files();
    git(&["branch", "-M", "main"]);
    git(&["tag", "start"]);
    git(&["switch", "-q", "-c", "topic"]);
    for file in files.iter().step_by((files.len() / FILES).max(1)).take(FILES) {
        let path = tree.join(&file.path);
        std::fs::write(&path, corpus::edited(&std::fs::read(&path).unwrap(), 7)).unwrap();
    }
    git(&["commit", "-q", "-a", "-m", "theirs"]);
    git(&["switch", "-q", "main"]);
}
