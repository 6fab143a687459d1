//! Twenty releases of a crate, and entries about them. `.ci/run` fetches the releases; nothing of their text is here.

use super::{Label, Measured, fixture, learn, look};
use crate::provenance::World;
use crate::servers;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const RELEASES: [&str; 20] = [
    "0.6.0", "0.7.0", "0.8.0", "0.9.0", "0.10.0", "0.11.0", "0.12.0", "0.12.1", "0.13.0", "0.13.1", "0.13.2",
    "0.13.3", "0.13.4", "0.14.0", "0.14.2", "0.15.0", "0.15.2", "0.16.0", "0.16.1", "0.16.2",
];

/// An entry, and its labels by release.
struct Entry {
    path: String,
    release: String,
    text: String,
    labels: BTreeMap<String, Label>,
}

fn entries() -> Vec<Entry> {
    let (texts, labels) = (fixture("crate/entries.txt"), fixture("crate/labels.txt"));
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
fn archives() -> Option<Vec<PathBuf>> {
    let folder = servers::packages()?.join("crates");
    let files = RELEASES.map(|release| folder.join(format!("textwrap-{release}.crate")));
    files.iter().all(|file| file.is_file()).then(|| files.into())
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

#[test]
fn entries_about_a_crate_are_judged_as_a_maintainer_would() {
    let Some(archives) = archives() else {
        println!("skipped: no releases of textwrap in BRV_IT_SERVERS");
        return;
    };
    let world = World::new();
    let entries = entries();
    let mut measured = Measured::default();
    for (release, archive) in RELEASES.iter().zip(archives) {
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
    measured.check("twenty releases of a crate");
}

/// Also where the releases are not there.
#[test]
fn each_entry_has_a_label_at_the_last_release_and_none_before_it_was_written() {
    let at = |release: &str| RELEASES.iter().position(|own| *own == release).expect("a release");
    let entries = entries();
    assert!(entries.len() >= 60);
    for entry in &entries {
        assert!(entry.labels.contains_key("0.16.2"), "{}", entry.path);
        assert!(entry.labels.keys().all(|release| at(release) > at(&entry.release)), "{}", entry.path);
    }
}
