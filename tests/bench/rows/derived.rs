//! Every day: a tree with all its derived files on disk, edited one file at a time.

use super::sync::bare;
use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::servers::{Http, ServerMode};
use crate::table::Side;

const STATUS: &str = "status, all derived files on disk";
const ADD: &str = "add of one file";
const COMMIT: &str = "commit of one file, with what is derived from it";
const PUSH: &str = "push of one edit to a path";
const HTTP: &str = "push of one edit over http";

pub fn run(lab: &Lab) {
    if !lab.wants(&[STATUS, ADD, COMMIT, PUSH, HTTP]) {
        return;
    }
    let pair = Pair::committed(lab, "daily");
    pair.derive(lab);
    let status = |side| match side {
        Side::Brv => lab.brv(pair.folder(side), &["vc", "status"]),
        Side::Git => lab.git(pair.folder(side), &["status"]),
    };
    Side::BOTH.into_iter().for_each(|side| lab.run(status(side)));
    lab.duel([STATUS], Pace::Quick, |side, _| [lab.time(&mut status(side))]);
    let record = |side, round: usize| {
        let file = &lab.files()[(round * 97) % lab.files().len()].path;
        pair.edit(side, file, round);
        match side {
            Side::Brv => {
                let file = format!(".brv/context-tree/{file}");
                let add = lab.time(&mut lab.brv(pair.folder(side), &["vc", "add", &file]));
                [add, lab.time(&mut lab.brv(pair.folder(side), &["vc", "commit", "-m", "edit"]))]
            }
            Side::Git => {
                let add = lab.time(&mut lab.git(pair.folder(side), &["add", file]));
                [add, lab.time(&mut lab.git(pair.folder(side), &["commit", "-q", "-m", "edit"]))]
            }
        }
    };
    lab.duel([ADD, COMMIT], Pace::Quick, record);
    if !lab.has("push") || !lab.wants(&[PUSH, HTTP]) {
        return;
    }
    let server = Http::start(lab.env.root(), ServerMode::Open);
    for side in Side::BOTH {
        let (path, tree) = (lab.env.path(remote(side)), pair.tree(side));
        bare(lab, &path);
        lab.run(lab.git(&tree, &["remote", "add", "path", path.to_str().unwrap()]));
        lab.run(lab.git(&tree, &["remote", "add", "http", &server.url(remote(side))]));
        lab.run(lab.git(&tree, &["push", "-q", "path", "main"]));
        lab.run(lab.git(&tree, &["fetch", "-q", "http"]));
    }
    let push = |side, round: usize, remote: &str| {
        record(side, round);
        lab.time(&mut match side {
            Side::Brv => lab.brv(pair.folder(side), &["vc", "push", remote, "main"]),
            Side::Git => lab.git(pair.folder(side), &["push", "-q", remote, "main"]),
        })
    };
    lab.duel([PUSH], Pace::Quick, |side, round| [push(side, 1000 + round, "path")]);
    lab.duel([HTTP], Pace::Quick, |side, round| [push(side, 2000 + round, "http")]);
}

fn remote(side: Side) -> &'static str {
    match side {
        Side::Brv => "daily-brv.git",
        Side::Git => "daily-git.git",
    }
}
