//! The first day: recording, committing and pushing everything.

use crate::lab::{Lab, Pace, copy};
use crate::pair::Pair;
use crate::table::{Sample, Side};

const ADD: &str = "first add of everything";
const COMMIT: &str = "commit of everything";
const PUSH: &str = "push of everything to a path";
const HTTP: &str = "push of everything over http";
const ADD_MEMORY: &str = "memory: first add";
const PUSH_MEMORY: &str = "memory: push of everything";

pub fn run(lab: &Lab) {
    if !lab.wants(&[ADD, COMMIT, PUSH, HTTP, ADD_MEMORY, PUSH_MEMORY]) {
        return;
    }
    let pair = Pair::filled(lab, "import");
    for side in Side::BOTH {
        copy(&pair.tree(side).join(".git"), &lab.env.path(saved(side)));
    }
    lab.duel([ADD, COMMIT], Pace::Slow, |side, _| {
        forget(lab, &pair, side);
        lab.settle();
        [lab.time(&mut add(lab, &pair, side)), lab.time(&mut commit(lab, &pair, side))]
    });
    lab.duel([ADD_MEMORY], Pace::Once, |side, _| {
        forget(lab, &pair, side);
        [lab.memory(&mut add(lab, &pair, side))]
    });
    if !lab.has("push") || !lab.wants(&[PUSH, HTTP, PUSH_MEMORY]) {
        return;
    }
    for side in Side::BOTH {
        forget(lab, &pair, side);
        lab.run(add(lab, &pair, side));
        lab.run(commit(lab, &pair, side));
    }
    let server = crate::servers::Http::start(lab.env.root(), crate::servers::ServerMode::Open);
    let path = lab.env.path("everything.git").display().to_string();
    lab.duel([PUSH], Pace::Slow, |side, _| [push(lab, &pair, side, &path, Lab::time)]);
    lab.duel([HTTP], Pace::Slow, |side, _| {
        [push(lab, &pair, side, &server.url("everything.git"), Lab::time)]
    });
    lab.duel([PUSH_MEMORY], Pace::Once, |side, _| [push(lab, &pair, side, &path, Lab::memory)]);
}

fn saved(side: Side) -> &'static str {
    match side {
        Side::Brv => "saved-brv",
        Side::Git => "saved-git",
    }
}

/// Back to the day before.
fn forget(lab: &Lab, pair: &Pair, side: Side) {
    let repository = pair.tree(side).join(".git");
    lab.discard(&repository);
    copy(&lab.env.path(saved(side)), &repository);
}

fn add(lab: &Lab, pair: &Pair, side: Side) -> std::process::Command {
    match side {
        Side::Brv => lab.brv(pair.folder(side), &["vc", "add", "--all"]),
        Side::Git => lab.git(pair.folder(side), &["add", "--all"]),
    }
}

fn commit(lab: &Lab, pair: &Pair, side: Side) -> std::process::Command {
    match side {
        Side::Brv => lab.brv(pair.folder(side), &["vc", "commit", "-m", "all"]),
        Side::Git => lab.git(pair.folder(side), &["commit", "-q", "-m", "all"]),
    }
}

fn push(
    lab: &Lab,
    pair: &Pair,
    side: Side,
    url: &str,
    measure: fn(&Lab, &mut std::process::Command) -> Sample,
) -> Sample {
    let bare = lab.env.path("everything.git");
    lab.discard(&bare);
    crate::rows::sync::bare(lab, &bare);
    lab.settle();
    measure(
        lab,
        &mut match side {
            Side::Brv => lab.brv(pair.folder(side), &["vc", "push", url, "main"]),
            Side::Git => lab.git(pair.folder(side), &["push", "-q", url, "main"]),
        },
    )
}
