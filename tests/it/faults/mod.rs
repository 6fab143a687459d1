//! Inject a fault at every call that writes, in every writing command: it is killed before the call, the call fails, or
//! the power is lost after it. After each fault, [`truth`] holds.
//!
//! With the feature `faults` all points of all scenes are tried; without it a few of each.

pub mod calls;
mod power;
mod scenes;
mod truth;

use crate::env::Ran;
use crate::kinds;
use brv_engine::journal::OperationKind;
use calls::{Call, Fault};
use scenes::{Keeper, SCENES, Scene, Stage};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use truth::{Ending, Reference};

/// Copy a folder, keeping the times of its files.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
            let time = entry.metadata().unwrap().modified().unwrap();
            if let Ok(file) = std::fs::File::open(&target) {
                file.set_modified(time).unwrap();
            }
        }
    }
}

/// A scene that can be replayed.
struct Play<'a> {
    scene: &'a Scene,
    stage: Stage,
    reference: Reference,
    calls: Vec<Call>,
}

/// The result without a fault.
#[derive(Debug, Default, Clone)]
struct Tried {
    /// The number of points: to be killed at, to fail at, to lose the power after.
    points: [usize; 3],
    count: usize,
    wrong: Vec<String>,
}

impl<'a> Play<'a> {
    /// Set up the scene, and run the command without a fault.
    fn new(scene: &'a Scene) -> Self {
        let stage = Stage::set(scene);
        std::fs::rename(&stage.root, stage.env.path("template")).unwrap();
        copy(&stage.env.path("template"), &stage.root);
        let mut reference = Reference::begin(&stage);
        let (output, calls) = calls::record(&stage.env, &stage.path(scene.folder), scene.arguments);
        let ran = Ran::of(&output);
        assert!([0, 5].contains(&ran.code), "{}: {ran:?}", scene.name);
        power::check(&stage.env.path("template"), &stage.root, &calls).unwrap();
        reference.end(&stage, &ran).unwrap();
        Self { scene, stage, reference, calls }
    }

    /// The state before the command.
    fn reset(&self) {
        let _ = std::fs::remove_dir_all(&self.stage.root);
        copy(&self.stage.env.path("template"), &self.stage.root);
    }

    /// The points: the name of a call, and its ordinal among calls of its name in its thread. Each thread counts
    /// separately, and a fault hits the first thread that reaches it.
    fn points(&self, is_one: impl Fn(&Call) -> bool) -> Vec<&Call> {
        let mut seen = BTreeSet::new();
        let calls = self.calls.iter().filter(|call| is_one(call));
        calls.filter(|call| seen.insert((call.name.clone(), call.nth))).collect()
    }

    fn kill(&self, call: &Call) -> Result<(), String> {
        self.reset();
        let output = self.inject(call, Fault::Killed);
        let ran = Ran::of(&output);
        let ending = if calls::is_killed(&output) { Ending::Cut } else { Ending::Ended(&ran) };
        self.reference.check(&self.stage, self.scene, &ending)
    }

    fn fail(&self, call: &Call, error: &'static str) -> Result<(), String> {
        self.reset();
        let ran = Ran::of(&self.inject(call, Fault::Fails(error)));
        if std::env::var_os("BRV_FAULTS_SAY").is_some() {
            println!(
                "{} {error} at {}: {} {}",
                self.scene.name,
                call.shown(),
                ran.code,
                ran.stderr.trim_end()
            );
        }
        // a message that could not be printed is not checked
        let ending = if calls::took_words(&self.stage.env) { Ending::Cut } else { Ending::Ended(&ran) };
        self.reference.check(&self.stage, self.scene, &ending)
    }

    fn inject(&self, call: &Call, fault: Fault) -> std::process::Output {
        let folder = self.stage.path(self.scene.folder);
        calls::inject(&self.stage.env, &folder, self.scene.arguments, (&call.name, call.nth), fault)
    }

    fn lose(&self, state: &power::State, is_last: bool) -> Result<(), String> {
        self.reset();
        state.write(&self.stage.root);
        let ending = if is_last { Ending::Done } else { Ending::Cut };
        self.reference.check(&self.stage, self.scene, &ending)
    }

    /// Try the points that `choose` selects.
    fn run(&self, choose: &Choose) -> Tried {
        let killing = self.points(Call::is_writing);
        let failing = self.points(Call::can_fail).into_iter();
        let failing: Vec<_> = failing.flat_map(|call| ERRORS.map(|error| (call, error))).collect();
        let states = match self.scene.result {
            Keeper::Brv => power::states(&self.stage.env.path("template"), &self.stage.root, &self.calls),
            Keeper::Git => Vec::new(),
        };
        let mut tried = Tried { points: [killing.len(), failing.len(), states.len()], ..Tried::default() };
        for call in choose.of(killing) {
            tried.note(self, format!("killed in front of {}", call.shown()), self.kill(call));
        }
        for (call, error) in choose.of(failing) {
            tried.note(self, format!("{error} of {}", call.shown()), self.fail(call, error));
        }
        for state in choose.of(states.iter().collect()) {
            let outcome = self.lose(state, state.is_last);
            tried.note(self, format!("power lost ({}) behind {}", state.manner, state.behind), outcome);
        }
        tried
    }
}

const ERRORS: [&str; 3] = ["EIO", "ENOSPC", "EACCES"];

impl Tried {
    fn note(&mut self, play: &Play, what: String, outcome: Result<(), String>) {
        self.count += 1;
        if let Err(why) = outcome {
            let wrong = format!("`brv {}` {what}: {why}", play.scene.name);
            println!("{wrong}\n");
            self.wrong.push(wrong);
        }
    }
}

/// Which points to try.
enum Choose {
    All,
    Few(usize),
}

impl Choose {
    fn of<T>(&self, points: Vec<T>) -> Vec<T> {
        let (count, most) = match self {
            Self::All => return points,
            Self::Few(most) => (points.len(), *most),
        };
        let chosen: BTreeSet<usize> = (0..most).map(|at| (2 * at + 1) * count / (2 * most)).collect();
        points.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, point)| point).collect()
    }
}

/// Play the scenes that `BRV_FAULTS` names a part of, or all, on two threads. `BRV_README=write` puts into the
/// README beside this file how many points they have.
fn play(choose: &Choose) -> Vec<(&'static str, Tried)> {
    let part = std::env::var("BRV_FAULTS").unwrap_or_default();
    let scenes: Vec<&Scene> = SCENES.iter().filter(|scene| scene.name.contains(&part)).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while let Some(scene) = scenes.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let begun = std::time::Instant::now();
                    let tried = Play::new(scene).run(choose);
                    println!(
                        "`brv {}`: {} points of {:?}, {} wrong, {:.0} s",
                        scene.name,
                        tried.count,
                        tried.points,
                        tried.wrong.len(),
                        begun.elapsed().as_secs_f32()
                    );
                    done.lock().unwrap().push((scene.name, tried));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(name, _)| SCENES.iter().position(|scene| scene.name == *name));
    let is_written = std::env::var_os("BRV_README").is_some_and(|value| value == "write");
    if is_written && done.len() == SCENES.len() {
        let mut readme = std::fs::read_to_string(README).unwrap();
        readme.replace_range(span(&readme), &table(&done));
        std::fs::write(README, readme).unwrap();
    }
    done
}

fn assert_true(played: &[(&str, Tried)]) {
    let wrong: Vec<&String> = played.iter().flat_map(|(_, tried)| &tried.wrong).collect();
    assert!(wrong.is_empty(), "{} points failed; the first: {}", wrong.len(), wrong[0]);
}

/// The table of the README beside this file: commands, and how many points of each kind there are.
fn table(played: &[(&str, Tried)]) -> String {
    let mut table = format!("{HEAD}|---|---:|---:|---:|\n");
    let mut all = [0; 3];
    for (name, tried) in played {
        let counts = tried.points;
        let _ = writeln!(table, "| {} | {} | {} | {} |", shown(name), counts[0], counts[1], counts[2]);
        all = std::array::from_fn(|at| all[at] + counts[at]);
    }
    let _ = writeln!(table, "| all | {} | {} | {} |", all[0], all[1], all[2]);
    table
}

/// The command as typed, and what is special about the scene.
fn shown(name: &str) -> String {
    let (command, special) = name.split_at(name.find(", ").unwrap_or(name.len()));
    format!("`brv {command}`{special}")
}

const HEAD: &str = "| command | killed | failing | power lost |\n";
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/faults/README.md");

/// The place of the table in the README.
fn span(readme: &str) -> std::ops::Range<usize> {
    let start = readme.find(HEAD).expect("the README has the table");
    let rest = &readme[start..];
    let length: usize =
        rest.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    start..start + length
}

/// Whether this machine cannot inject faults.
pub fn is_skipped() -> bool {
    calls::is_possible().inspect_err(|why| println!("skipped: {why}")).is_err()
}

#[test]
fn the_readme_names_every_scene_with_its_points() {
    let readme = std::fs::read_to_string(README).unwrap();
    let rows: Vec<Vec<&str>> = readme[span(&readme)]
        .lines()
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let names: Vec<String> = SCENES.iter().map(|scene| shown(scene.name)).collect();
    let named: Vec<&str> = rows.iter().map(|row| row[0]).filter(|name| *name != "all").collect();
    assert_eq!(named, names, "`BRV_README=write cargo test --test it faults::` writes the table");
    assert!(rows.iter().all(|row| row[1].parse::<usize>().unwrap() > 0), "{rows:?}");
}

#[test]
fn each_kind_of_operation_has_a_scene_that_makes_one() {
    for kind in OperationKind::ALL {
        let name = kinds::tests(kind).scene;
        let scene = SCENES.iter().find(|scene| scene.name == name);
        let scene = scene.unwrap_or_else(|| panic!("tests/it/faults/scenes.rs has no `{name}`: {kind:?}"));
        let stage = Stage::set(scene);
        let ran = stage.brv(scene.folder, scene.arguments);
        assert!([0, 5].contains(&ran.code), "{name}: {ran:?}");
        assert_eq!(kinds::newest(&stage.env, &stage.path("project")), kind.word(), "{name}");
    }
}

#[test]
#[cfg_attr(feature = "faults", ignore = "all are tried")]
fn a_fault_at_a_few_points_of_each_command_loses_nothing() {
    if !is_skipped() {
        assert_true(&play(&Choose::Few(1)));
    }
}

#[test]
#[cfg_attr(not(feature = "faults"), ignore = "takes long: `cargo test --features faults --test it faults::`")]
fn a_fault_at_any_point_of_each_command_loses_nothing() {
    if !is_skipped() {
        assert_true(&play(&Choose::All));
    }
}
