//! Releases of crates, and entries about them. `.ci/run` fetches the releases; nothing of their text is here.

use super::{Label, Measured, fixture, learn, look};
use crate::provenance::World;
use crate::servers;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The releases of a crate, and the folder of the entries about it.
struct Set {
    name: &'static str,
    folder: &'static str,
    releases: &'static [&'static str],
}

/// The rules were adjusted to this one, as its labels were written before them.
const TEXTWRAP: Set = Set {
    name: "textwrap",
    folder: "crate",
    releases: &[
        "0.6.0", "0.7.0", "0.8.0", "0.9.0", "0.10.0", "0.11.0", "0.12.0", "0.12.1", "0.13.0", "0.13.1",
        "0.13.2", "0.13.3", "0.13.4", "0.14.0", "0.14.2", "0.15.0", "0.15.2", "0.16.0", "0.16.1", "0.16.2",
    ],
};

/// The rules were adjusted to this one, too.
const AXUM: Set = Set {
    name: "axum",
    folder: "axum",
    releases: &["0.6.20", "0.7.0", "0.7.4", "0.7.5", "0.7.9", "0.8.1", "0.8.4", "0.8.6", "0.8.8", "0.8.9"],
};

/// Nobody looked at what the rules say of this one before they were done.
const REQWEST: Set = Set {
    name: "reqwest",
    folder: "held_out",
    releases: &[
        "0.12.9", "0.12.12", "0.12.15", "0.12.18", "0.12.20", "0.12.22", "0.12.24", "0.12.28", "0.13.1",
        "0.13.2", "0.13.3", "0.13.4", "0.13.5",
    ],
};

/// An entry, and its labels by release.
struct Entry {
    path: String,
    release: String,
    text: String,
    labels: BTreeMap<String, Label>,
}

fn entries(set: &Set) -> Vec<Entry> {
    let file = |name: &str| fixture(&format!("{}/{name}.txt", set.folder));
    let (texts, labels) = (file("entries"), file("labels"));
    let mut labels: BTreeMap<&str, BTreeMap<String, Label>> = labels
        .lines()
        .filter_map(|line| line.split(" # ").next()?.split_once(": "))
        .filter(|(entry, _)| !entry.starts_with('#'))
        .map(|(entry, labels)| {
            let labels = labels.split(", ").map(|label| label.trim().split_once(' ').unwrap());
            (entry, labels.map(|(release, label)| (release.to_owned(), Label::parse(label))).collect())
        })
        .collect();
    let entry = |part: &str| {
        let (head, text) = part.split_once('\n').unwrap();
        let (name, release) = head.split_once(" @ ").unwrap();
        let labels = labels.remove(name).expect(name);
        Entry { path: format!("{name}.md"), release: release.to_owned(), text: text.to_owned(), labels }
    };
    let entries: Vec<Entry> = format!("\n{texts}").split("\n=== ").skip(1).map(entry).collect();
    assert!(labels.is_empty(), "no entries: {:?}", labels.keys());
    entries
}

/// The files of the releases, where all of them are.
fn archives(set: &Set) -> Option<Vec<PathBuf>> {
    let folder = servers::packages()?.join("crates");
    let file = |release: &&str| folder.join(format!("{}-{release}.crate", set.name));
    let files: Vec<PathBuf> = set.releases.iter().map(file).collect();
    files.iter().all(|file| file.is_file()).then_some(files)
}

/// Replace the code by that of a release, as its authors had it.
fn unpack(world: &World, archive: &Path, release: &str) {
    for item in std::fs::read_dir(&world.host).unwrap().map(|item| item.unwrap().path()) {
        match item.file_name().unwrap().to_str().unwrap() {
            ".git" | ".brv" => {}
            _ if item.is_dir() => std::fs::remove_dir_all(item).unwrap(),
            _ => std::fs::remove_file(item).unwrap(),
        }
    }
    let mut command = Command::new("tar");
    world.env.prepare(&mut command);
    command.args(["-xz", "--strip-components=1", "-f"]).arg(archive).arg("-C").arg(&world.host);
    assert!(command.status().unwrap().success(), "{}", archive.display());
    for packaging in [".cargo_vcs_info.json", "Cargo.lock"] {
        let _ = std::fs::remove_file(world.host.join(packaging));
    }
    let _ = std::fs::rename(world.host.join("Cargo.toml.orig"), world.host.join("Cargo.toml"));
    world.git(&["add", "-A", "-f", "--", ".", ":!.brv"]);
    world.git(&["commit", "-q", "-m", release]);
}

/// The states of the entries of a set; `None` if its releases are not there.
fn measure(set: &Set) -> Option<Measured> {
    let Some(archives) = archives(set) else {
        println!("skipped: no releases of {} in BRV_IT_SERVERS", set.name);
        return None;
    };
    let world = World::new();
    let entries = entries(set);
    let mut measured = Measured::default();
    for (release, archive) in set.releases.iter().zip(archives) {
        unpack(&world, &archive, release);
        let due: Vec<&Entry> = entries.iter().filter(|entry| entry.labels.contains_key(*release)).collect();
        if !due.is_empty() {
            let seen = look(&world, &due.iter().map(|entry| &*entry.path).collect::<Vec<_>>());
            for entry in due {
                let case = format!("{} @ {} at {release}", entry.path, entry.release);
                measured.note(&case, &entry.labels[*release], &seen[&entry.path]);
            }
        }
        let new: Vec<(&str, &str)> = entries
            .iter()
            .filter(|entry| entry.release == *release)
            .map(|entry| (&*entry.path, &*entry.text))
            .collect();
        if !new.is_empty() {
            learn(&world, &new);
        }
    }
    assert_eq!(measured.sum(|_, _| true), entries.iter().map(|entry| entry.labels.len()).sum::<usize>());
    Some(measured)
}

#[test]
fn entries_about_a_crate_are_judged_as_a_maintainer_would() {
    if let Some(measured) = measure(&TEXTWRAP) {
        measured.check("twenty releases of a crate");
    }
}

#[test]
fn entries_about_another_crate_are_judged_as_a_maintainer_would() {
    if let Some(measured) = measure(&AXUM) {
        measured.check("ten releases of another crate");
    }
}

#[test]
fn entries_that_no_rule_was_adjusted_to_are_judged_as_a_maintainer_would() {
    if let Some(measured) = measure(&REQWEST) {
        measured.print("thirteen releases, held out");
    }
}

/// Also where the releases are not there.
#[test]
fn each_entry_has_a_label_at_the_last_release_and_none_before_it_was_written() {
    for set in [TEXTWRAP, AXUM, REQWEST] {
        let at = |release: &str| set.releases.iter().position(|own| *own == release).expect("a release");
        let entries = entries(&set);
        assert!(entries.len() >= 50);
        for entry in &entries {
            assert!(entry.labels.contains_key(*set.releases.last().unwrap()), "{}", entry.path);
            assert!(entry.labels.keys().all(|release| at(release) > at(&entry.release)), "{}", entry.path);
        }
    }
}
