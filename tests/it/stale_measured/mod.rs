//! What becomes of entries when the code moves on: measured on histories whose labels were written by hand before the rule
//! was tuned, as `fixtures/fresh/README.md` says.

mod bases;
mod clones;
mod heads;
mod hosts;
mod lines;
mod moved_files;
mod releases;
mod rewrites;
mod scripted;
mod surfaces;
mod trailers;

use crate::init::json;
use crate::lab;
use crate::provenance::World;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The states that a label can have; `none` is an entry that cites nothing.
const STATES: [&str; 6] = ["fresh", "touched", "changed", "gone", "unknown", "none"];

fn fixture(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fresh");
    std::fs::read_to_string(root.join(name)).unwrap()
}

/// Commit entries that were learned from the last commit of the code.
fn learn(world: &World, entries: &[(&str, &str)]) {
    let source = format!("Brv-Source-Commit: {}", world.recorded(&world.head()));
    write(world, entries, &["-m", "learn", "-m", &source]);
}

/// Commit entries with git and these words.
fn write(world: &World, entries: &[(&str, &str)], words: &[&str]) {
    lab::write(&world.tree(), entries);
    world.env.git(&world.tree(), &["add", "-A"]);
    world.env.git(&world.tree(), &[&["commit", "-q"], words].concat());
}

/// The freshness of these entries by path, as `brv read` has it.
fn look(world: &World, entries: &[&str]) -> BTreeMap<String, Value> {
    let ran = world.brv(&[&["read", "--json"], entries].concat());
    let data = json(&ran.stdout)["data"].take();
    let pieces = data["pieces"].as_array().unwrap().iter();
    pieces.map(|piece| (piece["path"].as_str().unwrap().to_owned(), piece["freshness"].clone())).collect()
}

/// The state of one entry.
fn state(world: &World, entry: &str) -> String {
    word(&look(world, &[entry])[entry])
}

fn word(freshness: &Value) -> String {
    freshness["state"].as_str().unwrap_or("none").to_owned()
}

/// What is true of an entry.
struct Label {
    state: String,
    /// The new place of its file.
    moved: Option<String>,
}

impl Label {
    /// `STATE` or `STATE moved PATH`.
    fn parse(text: &str) -> Self {
        let mut parts = text.split(" moved ");
        let state = parts.next().unwrap().to_owned();
        assert!(STATES.contains(&&*state), "{text}");
        Self { state, moved: parts.next().map(str::to_owned) }
    }
}

/// How often which state was shown for which truth.
#[derive(Default)]
struct Measured {
    /// By truth and state.
    cells: BTreeMap<(String, String), usize>,
    /// Renames that were followed, and all.
    moves: (usize, usize),
    misses: Vec<String>,
}

impl Measured {
    fn note(&mut self, case: &str, label: &Label, freshness: &Value) {
        let state = word(freshness);
        let files = freshness["files"].as_array().map_or(&[][..], Vec::as_slice);
        if state != label.state {
            let names: Vec<&str> = files
                .iter()
                .flat_map(|file| file["names"].as_array().unwrap())
                .map(|name| name.as_str().unwrap())
                .collect();
            self.misses.push(format!("{case}: {}, not {state} {names:?}", label.state));
        }
        if let Some(place) = &label.moved {
            let followed = files.iter().any(|file| file["moved_to"] == **place);
            self.moves = (self.moves.0 + usize::from(followed), self.moves.1 + 1);
            if !followed {
                self.misses.push(format!("{case}: not found at {place}"));
            }
        }
        *self.cells.entry((label.state.clone(), state)).or_default() += 1;
    }

    fn sum(&self, is_counted: impl Fn(&str, &str) -> bool) -> usize {
        self.cells.iter().filter(|((truth, state), _)| is_counted(truth, state)).map(|(_, count)| count).sum()
    }

    fn precision(&self, of: &str) -> f64 {
        share(self.sum(|truth, state| truth == of && state == of), self.sum(|_, state| state == of))
    }

    fn recall(&self, of: &str) -> f64 {
        share(self.sum(|truth, state| truth == of && state == of), self.sum(|truth, _| truth == of))
    }

    fn renames(&self) -> f64 {
        share(self.moves.0, self.moves.1)
    }

    /// Print the table and the misses.
    fn print(&self, title: &str) {
        println!("{title}\n| state | labels | precision | recall |\n|---|--:|--:|--:|");
        for state in STATES {
            let labels = self.sum(|truth, _| truth == state);
            println!("| {state} | {labels} | {:.3} | {:.3} |", self.precision(state), self.recall(state));
        }
        println!("renames followed: {} of {}", self.moves.0, self.moves.1);
        self.misses.iter().for_each(|miss| println!("  {miss}"));
    }

    /// Print it, then hold it against what is promised.
    fn check(&self, title: &str) {
        self.print(title);
        assert!(self.precision("changed") >= 0.9, "precision {}", self.precision("changed"));
        assert!(self.recall("changed") >= 0.8, "recall {}", self.recall("changed"));
        assert!(self.renames() >= 0.95, "renames {}", self.renames());
        assert_eq!(self.sum(|truth, state| (truth == "none") != (state == "none")), 0, "what cites nothing");
        assert_eq!(self.sum(|truth, state| (truth == "gone") != (state == "gone")), 0, "what is gone");
    }
}

/// One where there is nothing to share.
#[expect(clippy::cast_precision_loss, reason = "a few hundred cases")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The same world, some days after the first of its commits.
fn days_later(world: World, days: i64) -> World {
    let seconds = format!("{} +0000", 1_700_000_000 + days * 86_400);
    let World { env, host } = world;
    let env = env
        .with("GIT_AUTHOR_DATE", &seconds)
        .with("GIT_COMMITTER_DATE", &seconds)
        .with("BRV_CLOCK", format!("2023-11-{}T22:13:20Z", 14 + days));
    World { env, host }
}

/// A file of the code, with one constant.
fn tries(value: u32) -> String {
    format!("//! Sends.\n\npub const MAX_TRIES: u32 = {value};\n\npub fn send() {{ repeat(MAX_TRIES) }}\n")
}

/// An entry that cites the file.
const TRIES: &str = "# Sending\n\n## Facts\n- **MAX_TRIES**: `src/send.rs` tries three times [project]\n";

/// Code with the file, and the entry about it.
fn sending() -> World {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    learn(&world, &[("code/sending.md", TRIES)]);
    assert_eq!(state(&world, "code/sending.md"), "fresh");
    world
}
