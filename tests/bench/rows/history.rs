//! A long history: log and diff on 5,000 commits, and what a push of the last 500 weighs.

use super::sync::bare;
use crate::corpus::{self, File};
use crate::lab::{Lab, Pace, copy};
use crate::pair::Pair;
use crate::table::{Sample, Side};
use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

const LOG: &str = "log -n 10";
const PATH: &str = "log PATH on 5,000 commits";
const DIFF: &str = "diff of two commits, 2,000 files apart";
const MEANING: &str = "diff by meaning of the same";
const NAMES: &str = "diff --name-only of the same";
const PUSH: &str = "push of 500 commits to a path";
const PACK: &str = "pack of 500 commits";
const PUSH_MEMORY: &str = "memory: push of 500 commits";

const COMMITS: usize = 5_000;
const PUSHED: usize = 500;
const APART: usize = 2_000;

pub fn run(lab: &Lab) {
    if !lab.wants(&[LOG, PATH, DIFF, MEANING, NAMES, PUSH, PACK, PUSH_MEMORY]) {
        return;
    }
    let source = lab.env.path("history.git");
    bare(lab, &source);
    import(lab, &source);
    let pair = Pair::from(lab, "history", source.to_str().unwrap());
    let path = lab.files()[0].path.as_str();
    let vs = |brv: &[&str], git: &[&str], side| match side {
        Side::Brv => lab.time(lab.brv(pair.folder(side), &["vc"]).args(brv)),
        Side::Git => lab.time(&mut lab.git(pair.folder(side), git)),
    };
    let log = ["log", "-n", "10"];
    lab.duel([LOG], Pace::Quick, |side, _| [vs(&log, &log, side)]);
    let log = ["log", "--", path];
    lab.duel([PATH], Pace::Quick, |side, _| [vs(&log, &log, side)]);
    let diff = ["diff", "main", "origin/wide"];
    lab.duel([DIFF], Pace::Quick, |side, _| [vs(&diff, &diff, side)]);
    let meaning = ["diff", "--format", "json", "main", "origin/wide"];
    let words = ["diff", "--word-diff", "main", "origin/wide"];
    lab.duel([MEANING], Pace::Quick, |side, _| [vs(&meaning, &words, side)]);
    let names = ["diff", "--name-only", "main", "origin/wide"];
    lab.duel([NAMES], Pace::Quick, |side, _| [vs(&names, &names, side)]);
    if lab.has("push") && lab.wants(&[PUSH, PACK, PUSH_MEMORY]) {
        push(lab, &pair, &source);
    }
}

fn push(lab: &Lab, pair: &Pair, source: &Path) {
    let (before, target) = (lab.env.path("before.git"), lab.env.path("target.git"));
    bare(lab, &before);
    let base = format!("main~{PUSHED}:refs/heads/main");
    lab.run(lab.git(source, &["push", "-q", before.to_str().unwrap(), &base]));
    let old = packs(&before);
    let base = format!("main~{PUSHED}");
    for side in Side::BOTH {
        lab.run(lab.git(&pair.tree(side), &["remote", "add", "target", target.to_str().unwrap()]));
    }
    let push = |side, measure: fn(&Lab, &mut std::process::Command) -> Sample| {
        lab.discard(&target);
        copy(&before, &target);
        lab.run(lab.git(&pair.tree(side), &["update-ref", "refs/remotes/target/main", &base]));
        let arguments = ["push", "target", "main"];
        match side {
            Side::Brv => measure(lab, lab.brv(pair.folder(side), &["vc"]).args(arguments)),
            Side::Git => measure(lab, &mut lab.git(pair.folder(side), &arguments)),
        }
    };
    lab.duel([PUSH], Pace::Slow, |side, _| [push(side, Lab::time)]);
    lab.duel([PUSH_MEMORY, PACK], Pace::Once, |side, _| {
        let memory = push(side, Lab::memory);
        [memory, Sample::Bytes(packs(&target) - old)]
    });
}

/// What all packs of a repository weigh.
fn packs(repository: &Path) -> u64 {
    std::fs::read_dir(repository.join("objects/pack"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "pack"))
        .map(|entry| entry.metadata().unwrap().len())
        .sum()
}

/// `main`: everything, then commits of two edits each. `wide`: `main` with many files edited at once.
fn import(lab: &Lab, into: &Path) {
    let files = lab.files();
    let mut command = lab.git(into, &["fast-import", "--quiet"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut out = std::io::BufWriter::new(child.stdin.take().unwrap());
    let mut texts: HashMap<usize, Vec<u8>> = HashMap::new();
    commit(&mut out, "main", 0, files.iter().map(|file| (file, file.text.as_bytes())));
    for number in 1..COMMITS {
        // the first file changes ten times in all
        let first = if number % (COMMITS / 10) == 0 { 0 } else { 1 + (number * 7) % (files.len() - 1) };
        let both = [first, 1 + (number * 13 + 5) % (files.len() - 1)];
        for at in both {
            edit(files, &mut texts, at, number);
        }
        commit(&mut out, "main", number, both.iter().map(|at| (&files[*at], texts[at].as_slice())));
    }
    writeln!(out, "reset refs/heads/wide\nfrom refs/heads/main\n").unwrap();
    let wide: Vec<usize> = (0..files.len()).step_by((files.len() / APART).max(1)).take(APART).collect();
    for at in &wide {
        edit(files, &mut texts, *at, COMMITS);
    }
    commit(&mut out, "wide", COMMITS, wide.iter().map(|at| (&files[*at], texts[at].as_slice())));
    out.flush().unwrap();
    drop(out);
    assert!(child.wait().unwrap().success());
    // fast-import writes deltas in the order of arrival; hosts keep the newest version whole
    lab.run(lab.git(into, &["repack", "-a", "-d", "-f", "-q"]));
}

fn edit(files: &[File], texts: &mut HashMap<usize, Vec<u8>>, at: usize, number: usize) {
    let text = texts.entry(at).or_insert_with(|| files[at].text.clone().into_bytes());
    *text = corpus::edited(text, number);
}

fn commit<'a>(
    out: &mut impl std::io::Write,
    branch: &str,
    number: usize,
    changes: impl Iterator<Item = (&'a File, &'a [u8])>,
) {
    let (message, time) = (format!("commit {number}"), 1_700_000_000 + 60 * number);
    write!(out, "commit refs/heads/{branch}\ncommitter Ada <ada@example.com> {time} +0000\n").unwrap();
    write!(out, "data {}\n{message}\n", message.len()).unwrap();
    for (file, text) in changes {
        write!(out, "M 100644 inline {}\ndata {}\n", file.path, text.len()).unwrap();
        out.write_all(text).unwrap();
        out.write_all(b"\n").unwrap();
    }
    out.write_all(b"\n").unwrap();
}
