//! The other machine: clone and pull.

use crate::corpus;
use crate::lab::{self, Lab, Pace};
use crate::pair::Pair;
use crate::servers::{Http, ServerMode};
use crate::table::{Sample, Side};
use std::path::{Path, PathBuf};

const CLONE: &str = "clone from a path, nothing derived";
const CLONE_FIRST: &str = "clone from a path, everything derived, the first on the machine";
const CLONE_AGAIN: &str = "clone from a path, everything derived, with the user's cache";
const FIRST_BRAIN: &str = "first brain after a clone";
const FIRST_SEARCH: &str = "first search after a clone, which makes the index";
const CLONE_HTTP: &str = "clone over http, nothing derived";
const SIZES: &str = "size of .brv/cache/";
const MEMORY: &str = "memory: clone";
const NOTHING: &str = "pull of nothing";
const TEN: &str = "pull of 10 entries, with what is derived from them";

pub fn run(lab: &Lab) {
    let rows =
        [CLONE, CLONE_FIRST, CLONE_AGAIN, FIRST_BRAIN, FIRST_SEARCH, CLONE_HTTP, MEMORY, NOTHING, TEN, SIZES];
    if !lab.wants(&rows) || !lab.has("clone") {
        return;
    }
    let bare = shared(lab, "shared");
    let path = bare.display().to_string();
    lab.duel([CLONE], Pace::Slow, |side, _| [clone(lab, side, &path, &["--no-derive"], Lab::time)]);
    whole(lab, &path);
    let server = Http::start(lab.env.root(), ServerMode::Open);
    let url = server.url("shared.git");
    lab.duel([CLONE_HTTP], Pace::Slow, |side, _| [clone(lab, side, &url, &["--no-derive"], Lab::time)]);
    lab.duel([MEMORY], Pace::Once, |side, _| [clone(lab, side, &path, &["--no-derive"], Lab::memory)]);
    if lab.has("pull") && lab.wants(&[NOTHING, TEN]) {
        pulls(lab, &bare);
    }
}

/// A repository to push to.
pub fn bare(lab: &Lab, at: &Path) {
    lab.run(lab.git(lab.env.root(), &["init", "-q", "--bare", at.to_str().unwrap()]));
    lab.run(lab.git(at, &["config", "http.receivepack", "true"]));
    // what is sent is kept as it came, so that its size can be compared
    lab.run(lab.git(at, &["config", "receive.unpackLimit", "1"]));
}

/// A repository with everything in one commit and one pack, beside its work tree of this name.
pub fn shared(lab: &Lab, name: &str) -> PathBuf {
    let work = lab.env.path(name);
    let at = work.with_extension("git");
    lab.run(lab.git(lab.env.root(), &["init", "-q", name]));
    corpus::write(lab.files(), &work).unwrap();
    lab.run(lab.git(&work, &["add", "--all"]));
    lab.run(lab.git(&work, &["commit", "-q", "-m", "all"]));
    bare(lab, &at);
    lab.run(lab.git(&work, &["push", "-q", at.to_str().unwrap(), "main"]));
    at
}

fn clone(
    lab: &Lab,
    side: Side,
    url: &str,
    flags: &[&str],
    measure: fn(&Lab, &mut std::process::Command) -> Sample,
) -> Sample {
    let folder = lab.env.path("cloned");
    lab.discard(&folder);
    let mut command = match side {
        Side::Brv => lab.brv(lab.env.root(), &["vc", "clone"]),
        Side::Git => lab.git(lab.env.root(), &["clone", "-q", "--no-local"]),
    };
    if side == Side::Brv {
        command.args(flags);
    }
    command.args([url, "cloned"]);
    lab.settle();
    measure(lab, &mut command)
}

/// Clones with all that is derived, and what comes first after one.
fn whole(lab: &Lab, path: &str) {
    let all = |side| clone(lab, side, path, &[], Lab::time);
    lab.duel([CLONE_FIRST], Pace::Slow, |side, _| {
        lab.forget();
        [all(side)]
    });
    if lab.wants(&[CLONE_AGAIN]) {
        all(Side::Brv);
    }
    lab.duel([CLONE_AGAIN], Pace::Slow, |side, _| [all(side)]);
    let first: [(&str, &[&str]); 2] = [(FIRST_BRAIN, &["brain"]), (FIRST_SEARCH, &["search", "anything"])];
    for (row, words) in first {
        lab.solo(row, lab.options.rounds, || {
            lab.forget();
            all(Side::Brv);
            lab.time(&mut lab.brv(&lab.env.path("cloned"), words))
        });
    }
    if !lab.wants(&[SIZES]) {
        return;
    }
    all(Side::Brv);
    lab.run(lab.brv(&lab.env.path("cloned"), &["stale", "list"]));
    lab.run(lab.brv(&lab.env.path("cloned"), &["search", "anything"]));
    for (name, bytes) in lab::caches(&lab.env.path("cloned")) {
        lab.solo(&format!("{SIZES}{name}"), 1, || Sample::Bytes(bytes));
    }
}

fn pulls(lab: &Lab, bare: &Path) {
    let rounds = 4 * lab.options.rounds;
    let steps = steps(lab, bare, rounds);
    let pair = Pair::from(lab, "pull", bare.to_str().unwrap());
    pair.derive(lab);
    let pull = |side| {
        lab.time(&mut match side {
            Side::Brv => lab.brv(pair.folder(side), &["vc", "pull"]),
            Side::Git => lab.git(pair.folder(side), &["pull", "-q"]),
        })
    };
    lab.duel([NOTHING], Pace::Quick, |side, _| [pull(side)]);
    lab.duel([TEN], Pace::Quick, |side, round| {
        lab.run(lab.git(bare, &["update-ref", "refs/heads/main", &steps[round]]));
        [pull(side)]
    });
}

/// Commits of ten edits each, which the shared repository has, but not yet on its branch.
pub fn steps(lab: &Lab, bare: &Path, count: usize) -> Vec<String> {
    let (work, files) = (bare.with_extension(""), lab.files());
    let mut ids = Vec::new();
    for step in 0..count {
        for at in 0..10 {
            let path = work.join(&files[(step * 10 + at * 1009) % files.len()].path);
            let text = std::fs::read(&path).unwrap();
            std::fs::write(&path, corpus::edited(&text, step)).unwrap();
        }
        lab.run(lab.git(&work, &["commit", "-q", "-a", "-m", "ten"]));
        ids.push(lab.env.git(&work, &["rev-parse", "HEAD"]));
    }
    lab.run(lab.git(&work, &["push", "-q", bare.to_str().unwrap(), "main:refs/steps/last"]));
    ids
}
