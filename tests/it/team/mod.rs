//! A team of sixteen on the same two hundred entries: the conflicts of plain git, and those of brv.
//!
//! Both run the same script of edits, pulls and pushes. git merges by itself (`git merge-tree`), brv with the code that
//! `pull` calls. A person resolves the conflicts, always correctly. In the end everything that was written and not
//! removed must be there, whatever the merges did. `BRV_README=write` updates the table in the README, `BRV_TEAM_SEED`
//! makes another team.

mod commands;
mod entry;
mod model;
mod person;
pub mod script;
mod store;
mod tools;

use crate::env::Env;
use commands::{Clones, Program};
use model::{Faults, Team};
use script::{Size, Step, script};
use std::path::Path;
use store::Store;
use tools::{Brv, Git, Tool, Work};

/// The team of the README.
const TEAM: Size = Size { writers: 16, rounds: 40, entries: 200 };
/// A team that is small enough for real commands.
const SMALL: Size = Size { writers: 4, rounds: 10, entries: 12 };
/// The seed of the script.
const SEED: u64 = 4;
/// The first line of the table in the README.
const HEAD: &str = "| 16 writers, 200 entries | git | brv |\n|---|--:|--:|\n";

/// The results of one tool.
struct Course {
    faults: Faults,
    work: Work,
    merges: usize,
    quiet: usize,
}

fn course<T: Tool>(tool: T, store: Store, steps: &[Step]) -> Course {
    let mut team = Team::new(tool, store, TEAM);
    steps.iter().for_each(|step| team.step(step));
    let faults = team.end();
    Course { faults, work: team.work, merges: team.merges, quiet: team.quiet }
}

#[test]
fn a_team_of_sixteen_has_a_twentieth_of_the_work_and_loses_nothing() {
    let env = Env::new();
    let [git, brv] = ["git", "brv"].map(|name| {
        env.git(env.root(), &["init", "-q", name]);
        env.path(name)
    });
    let other = std::env::var("BRV_TEAM_SEED").ok().and_then(|seed| seed.parse().ok());
    let steps = script(TEAM, other.unwrap_or(SEED));
    let git = {
        let store = Store::new(git.join(".git"));
        course(Git::new(&env, git), store, &steps)
    };
    let brv = course(Brv::new(&brv), Store::new(brv.join(".git")), &steps);
    let table = table(&steps, &git, &brv);
    println!("{table}{:?}\n{:#?}\n{:#?}", brv.work.reasons, git.faults, brv.faults);
    assert_eq!(brv.faults.lost, [""; 0], "nothing is lost");
    assert_eq!(brv.faults.unticked, [""; 0], "what was done stays done");
    assert_eq!(brv.faults.doubled, [""; 0], "nothing is duplicated");
    assert!(brv.work.places * 20 <= git.work.places, "{} of {}", brv.work.places, git.work.places);
    if other.is_none() {
        in_readme(&table);
    }
}

/// The table of the README.
fn table(steps: &[Step], git: &Course, brv: &Course) -> String {
    let edits: usize =
        steps.iter().map(|step| if let Step::Session { edits, .. } = step { edits.len() } else { 0 }).sum();
    let row =
        |name: &str, git: usize, brv: usize| format!("| {name} | {} | {} |\n", grouped(git), grouped(brv));
    let none = |name: &str, brv: usize| format!("| {name} | – | {} |\n", grouped(brv));
    [
        HEAD.to_owned(),
        row("edits", edits, edits),
        row("merges of two histories", git.merges, brv.merges),
        row("merges without a conflict", git.quiet, brv.quiet),
        row("files that a person had to settle", git.work.files, brv.work.files),
        row("**places that a person had to decide**", git.work.places, brv.work.places),
        none("claims in dispute: both kept and listed", brv.work.disputes),
        none("settled by brv, and logged", brv.work.records),
        row("facts, rules, rows, sentences lost", git.faults.lost.len(), brv.faults.lost.len()),
    ]
    .concat()
}

/// `1024` as `1,024`.
fn grouped(number: usize) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

fn in_readme(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let start = readme.find(HEAD).expect("the table is there");
    let length = readme[start..].find("\n\n").map_or(readme.len() - start, |end| end + 1);
    if std::env::var_os("BRV_README").is_some_and(|value| value == "write") {
        std::fs::write(path, format!("{}{table}{}", &readme[..start], &readme[start + length..])).unwrap();
    } else {
        assert_eq!(&readme[start..start + length], table, "`BRV_README=write` writes it");
    }
}

#[test]
fn the_commands_leave_what_the_model_leaves() {
    for program in [Program::Git, Program::Brv] {
        let env = Env::new();
        env.git(env.root(), &["init", "-q", "model"]);
        let (model, store) = (env.path("model"), Store::new(env.path("model/.git")));
        let steps = script(SMALL, SEED);
        // a writer without a remote of that name cannot pull from a teammate
        let steps = steps.iter().filter(|step| !matches!(step, Step::PullFrom { .. }));
        let conflicts = match program {
            Program::Git => compared(&env, program, Team::new(Git::new(&env, model), store, SMALL), steps),
            Program::Brv => compared(&env, program, Team::new(Brv::new(&model), store, SMALL), steps),
        };
        assert!(conflicts > 0, "{program:?}: there were conflicts");
    }
}

fn compared<'s, T: Tool>(
    env: &Env,
    program: Program,
    mut team: Team<T>,
    steps: impl Iterator<Item = &'s Step>,
) -> usize {
    let mut clones = Clones::new(env, program, &mut team);
    for step in steps {
        team.step(step);
        clones.step(step, &mut team);
    }
    assert_eq!(clones.conflicts, team.merges - team.quiet, "{program:?}");
    clones.conflicts
}

#[test]
fn a_person_keeps_what_both_sides_brought() {
    let base = "---\ntags: [a]\nupdatedAt: '1'\n---\n\nOne. Two.\n\n## Facts\n- x\n- y\n";
    let ours =
        base.replace("[a]", "[a, b]").replace("'1'", "'3'").replace("One.", "Uno.").replace("- x\n", "");
    let theirs = base
        .replace("[a]", "[a, c]")
        .replace("'1'", "'2'")
        .replace("Two.", "Due. Tre.")
        .replace("- y\n", "- y\n- z\n");
    let both = "---\ntags: [a, b, c]\nupdatedAt: '3'\n---\n\nUno. Due. Tre.\n\n## Facts\n- y\n- z\n";
    assert_eq!(person::merged(base, &ours, &theirs), both);
    let marked = "a\n<<<<<<< ours\nA. B.\n||||||| base\nA.\n=======\nA. C.\n>>>>>>> theirs\nb\n";
    assert_eq!(person::resolved(marked), "a\nA. C. B.\nb\n");
}
