//! Pushes that are killed, at any request and in the midst of one.

use super::*;
use crate::index::engine::Family;
use crate::index::engine::faults::Fault;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// At which request the push is killed, counted from its first, and what the engine makes of that request.
const POINTS: [(usize, Fault); 24] = [
    (0, Fault::CutWithin),
    (1, Fault::Silent),
    (2, Fault::CutWithin),
    (2, Fault::Silent),
    (3, Fault::CutWithin),
    (3, Fault::Silent),
    (4, Fault::CutWithin),
    (4, Fault::DoneTo(0)),
    (4, Fault::DoneTo(1)),
    (4, Fault::DoneTo(17)),
    (4, Fault::DoneTo(60)),
    (4, Fault::Silent),
    (5, Fault::CutWithin),
    (5, Fault::DoneTo(5)),
    (5, Fault::DoneTo(90)),
    (5, Fault::Silent),
    (6, Fault::CutWithin),
    (6, Fault::DoneTo(30)),
    (6, Fault::Silent),
    (7, Fault::CutWithin),
    (7, Fault::Silent),
    (8, Fault::CutWithin),
    (8, Fault::Silent),
    (9, Fault::Silent),
];

/// Push, and kill it with `SIGKILL` when the engine has the head of this request, which it then treats so. Whether it came that
/// far.
fn killed_at(env: &Env, engine: &Engine, team: &Team, point: (usize, Fault)) -> bool {
    engine.forget_calls();
    let victim = Arc::new(AtomicU32::new(0));
    let known = Arc::clone(&victim);
    let (number, fault) = point;
    engine.fail(move |call| {
        (call.number == number).then(|| {
            let process = loop {
                match known.load(Ordering::Acquire) {
                    0 => std::thread::sleep(Duration::from_millis(1)),
                    process => break process,
                }
            };
            // a push that has ended is not killed
            Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
            fault.clone()
        })
    });
    let child = start(env, engine, team);
    victim.store(child.id(), Ordering::Release);
    let output = child.wait_with_output().unwrap();
    engine.heal();
    // the engine may still be at the last request
    std::thread::sleep(Duration::from_millis(20));
    engine.forget_calls();
    !output.status.success()
}

/// The teams' texts in two states: all of one tree, and another with changed, new, renamed and removed entries.
fn next_state(env: &Env, team: &Team) {
    let listed = env.git(&team.work, &["-c", "core.quotePath=false", "ls-files", "*.md"]);
    let paths: Vec<&str> = listed.lines().collect();
    for path in paths.iter().step_by(7) {
        env.git(&team.work, &["rm", "-q", path]);
    }
    env.git(&team.work, &["mv", paths[1], "moved.md"]);
    for path in paths.iter().skip(2).step_by(7) {
        let file = team.work.join(path);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{text}\n- **Later**: found out afterwards\n")).unwrap();
    }
    let more = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/brv");
    copy(&more, &team.work.join("handbook"));
    team.commit(env, &[]);
}

#[test]
fn a_first_push_that_is_killed_anywhere_is_made_good_by_the_next() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "observatory");
    // more than one bulk request
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/dream"), &team.work.join("dream"));
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/brv"), &team.work.join("brv"));
    team.commit(&env, &[]);
    let expected = fresh(&[&team]);
    let mut hits = 0;
    for point in POINTS {
        let (machine, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
        hits += usize::from(killed_at(&machine, &engine, &team, point.clone()));
        let told = push(&machine, &engine, &team);
        assert_eq!(told["state"], "done", "{point:?}");
        assert!(living(&engine) == expected, "{point:?}");
        assert_eq!(counts(&push(&machine, &engine, &team)), (0, 0, 0), "{point:?}");
    }
    assert!(hits >= 20, "{hits} of {} were killed", POINTS.len());
}

#[test]
fn a_later_push_that_is_killed_anywhere_is_made_good_by_the_next() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "observatory");
    let first = env.git(&team.work, &["rev-parse", "HEAD"]);
    next_state(&env, &team);
    let second = env.git(&team.work, &["rev-parse", "HEAD"]);
    let expected = fresh(&[&team]);
    let mut hits = 0;
    // its requests: who, mapping, marks, mark, bulk, mark
    let points = POINTS
        .into_iter()
        .filter(|(number, _)| *number < 6)
        .chain([(4, Fault::DoneTo(3)), (4, Fault::DoneTo(100))]);
    for (round, point) in points.enumerate() {
        let (machine, engine) = (Env::in_memory(), Engine::start(Family::Elasticsearch));
        env.git(&team.bare, &["update-ref", "refs/heads/main", &first]);
        push(&machine, &engine, &team);
        env.git(&team.bare, &["update-ref", "refs/heads/main", &second]);
        hits += usize::from(killed_at(&machine, &engine, &team, point.clone()));
        // by turns from the same machine, and from one that has no mirror
        let next = if round % 2 == 0 { machine } else { Env::in_memory() };
        push(&next, &engine, &team);
        assert!(living(&engine) == expected, "{point:?}");
        assert!(is_settled(&engine, &team, &second), "{point:?}");
    }
    assert!(hits >= 14, "{hits}");
}

#[test]
fn a_killed_push_whose_commit_was_taken_back_leaves_nothing() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "brv");
    let first = env.git(&team.work, &["rev-parse", "HEAD"]);
    // in the first part, and in the second: no refresh shows what was sent
    for point in [(4, Fault::DoneTo(20)), (5, Fault::CutWithin)] {
        let (machine, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
        env.git(&team.work, &["reset", "-q", "--hard", &first]);
        team.publish(&env);
        push(&machine, &engine, &team);
        // more than one bulk request
        for fixture in ["dream", "observatory", "brv"] {
            let fixture_root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees").join(fixture);
            copy(&fixture_root, &team.work.join("a").join(fixture));
        }
        team.commit(&env, &[("context.md", "# Other\n\nAll of it is another text now.\n")]);
        assert!(killed_at(&machine, &engine, &team, point.clone()));
        assert!(living(&engine).keys().any(|(_, path)| path.starts_with("a/")), "some were sent");
        env.git(&team.work, &["reset", "-q", "--hard", &first]);
        team.commit(&env, &[("new.md", &entry("New", "one"))]);
        team.forget(&env);
        let other = Env::in_memory();
        push(&other, &engine, &team);
        assert!(living(&engine) == fresh(&[&team]), "{point:?}: {:?}", gone(&engine));
        assert_eq!(counts(&push(&other, &engine, &team)), (0, 0, 0));
    }
}

#[test]
fn an_interrupted_push_ends_at_once_and_is_made_good_by_the_next() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "dream");
    let engine = Engine::start(Family::OpenSearch);
    let gate = env.path("go");
    let file = gate.clone();
    engine.fail(move |call| call.path.ends_with("/_bulk").then(|| Fault::Awaits(file.clone())));
    let child = start(&env, &engine, &team);
    while !engine.calls().iter().any(|call| call.path.ends_with("/_bulk")) {
        std::thread::sleep(Duration::from_millis(2));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    // the engine still has the request
    let told = ended(&Ran::of(&child.wait_with_output().unwrap()), 130);
    assert_eq!(told["error"]["code"], "interrupted");
    assert!(living(&engine).is_empty());
    std::fs::write(gate, "").unwrap();
    engine.heal();
    engine.forget_calls();
    push(&env, &engine, &team);
    assert!(living(&engine) == fresh(&[&team]));
    assert_eq!(counts(&push(&env, &engine, &team)), (0, 0, 0));
}
