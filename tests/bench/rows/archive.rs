//! The archive: stubs made again, and what records of archived entries cost a pull that is not about them.

use super::sync::bare;
use crate::corpus;
use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;
use std::path::{Path, PathBuf};

const STUBS: &str = "derive of 1,000 stubs and copies of archived entries that were removed";
const PULL: &str = "pull of 10 entries where 1,000 are archived, beside the same where none is";

const ARCHIVED: usize = 1_000;

pub fn run(lab: &Lab) {
    if !lab.wants(&[STUBS, PULL]) {
        return;
    }
    let pair = Pair::committed(lab, "archiving");
    let project = pair.folder(Side::Brv);
    let names = archive(lab, project);
    lab.run(lab.brv(project, &["derive"]));
    lab.solo(STUBS, lab.options.rounds, || {
        for name in &names {
            let archived = project.join(".brv/context-tree/_archived").join(name);
            for end in ["stub.md", "full.md"] {
                std::fs::remove_file(archived.with_extension(end)).unwrap();
            }
        }
        lab.settle();
        lab.time(&mut lab.brv(project, &["derive"]))
    });
    if lab.has("pull") && lab.wants(&[PULL]) {
        pulls(lab, &pair);
    }
}

/// Archive entries of every domain, and return their paths.
fn archive(lab: &Lab, project: &Path) -> Vec<String> {
    let is_entry = |path: &&str| path.contains('/') && !path.ends_with("/context.md");
    let entries: Vec<&str> = lab.files().iter().map(|file| file.path.as_str()).filter(is_entry).collect();
    let names: Vec<String> = entries
        .iter()
        .step_by((entries.len() / ARCHIVED).max(1))
        .take(ARCHIVED)
        .map(|path| (*path).into())
        .collect();
    let words: Vec<&str> = ["archive", "run"].into_iter().chain(names.iter().map(String::as_str)).collect();
    lab.run(lab.brv(project, &words));
    names
}

/// Both sides are clones that brv made; the left one has the archive.
fn pulls(lab: &Lab, pair: &Pair) {
    let shared = Side::BOTH.map(|side| shared(lab, side, &pair.tree(side)));
    let clones = Side::BOTH.map(|side| clone(lab, side, &shared[side as usize]));
    lab.duel([PULL], Pace::Quick, |side, round| {
        let (remote, work) = &shared[side as usize];
        let living: Vec<&str> = lab
            .files()
            .iter()
            .map(|file| file.path.as_str())
            .filter(|path| work.join(path).exists())
            .collect();
        for at in 0..10 {
            let path = work.join(living[(round * 10 + at * 1009) % living.len()]);
            let text = std::fs::read(&path).unwrap();
            std::fs::write(&path, corpus::edited(&text, round)).unwrap();
        }
        lab.run(lab.git(work, &["commit", "-q", "-a", "-m", "ten"]));
        lab.run(lab.git(work, &["push", "-q", remote.to_str().unwrap(), "main"]));
        [lab.time(&mut lab.brv(&clones[side as usize], &["vc", "pull"]))]
    });
}

/// A repository with the history of a tree, and a work tree of it.
fn shared(lab: &Lab, side: Side, tree: &Path) -> (PathBuf, PathBuf) {
    let (remote, work) =
        (lab.env.path(format!("archive-{side:?}.git")), lab.env.path(format!("archive-{side:?}-work")));
    bare(lab, &remote);
    lab.run(lab.git(tree, &["push", "-q", remote.to_str().unwrap(), "main"]));
    lab.run(lab.git(lab.env.root(), &["clone", "-q", remote.to_str().unwrap(), work.to_str().unwrap()]));
    (remote, work)
}

fn clone(lab: &Lab, side: Side, (remote, _): &(PathBuf, PathBuf)) -> PathBuf {
    let at = lab.env.path(format!("archive-{side:?}-clone"));
    lab.run(lab.brv(lab.env.root(), &["vc", "clone", remote.to_str().unwrap(), at.to_str().unwrap()]));
    at
}
