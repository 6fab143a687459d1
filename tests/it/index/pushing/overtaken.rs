//! Two pushes at once, and one that a later one overtakes.

use super::*;
use crate::index::engine::Family;
use crate::index::engine::faults::Fault;
use std::time::Duration;

/// At which request a push is held.
type Moment = fn(&Call) -> bool;

/// Start a push; once it is at the request that `at` recognises, do `meanwhile`, and let it go on. Returns what it says of its
/// tree.
fn held(engine: &Engine, team: &Team, at: Moment, meanwhile: impl FnOnce()) -> Value {
    let machine = Env::in_memory();
    let gate = machine.path("go");
    let (file, is_held) = (gate.clone(), std::sync::atomic::AtomicBool::new(false));
    engine.forget_calls();
    engine.fail(move |call| {
        // the first of these only
        let is_first = at(call) && !is_held.swap(true, std::sync::atomic::Ordering::AcqRel);
        is_first.then(|| Fault::Awaits(file.clone()))
    });
    let child = start(&machine, engine, team);
    while !engine.calls().iter().any(at) {
        std::thread::sleep(Duration::from_millis(2));
    }
    meanwhile();
    std::fs::write(gate, "").unwrap();
    let told = ended(&Ran::of(&child.wait_with_output().unwrap()), 0);
    engine.heal();
    engine.forget_calls();
    told["data"]["trees"][0].clone()
}

fn is_bulk(call: &Call) -> bool {
    call.path.ends_with("/_bulk")
}

fn is_mark(call: &Call) -> bool {
    call.method == "PUT" && call.path.contains("/mark-")
}

/// Change, add and remove entries.
fn edit(env: &Env, team: &Team) -> String {
    let paths = env.git(&team.work, &["-c", "core.quotePath=false", "ls-files", "*.md"]);
    let paths: Vec<&str> = paths.lines().collect();
    env.git(&team.work, &["rm", "-q", paths[0], paths[1]]);
    let text = std::fs::read_to_string(team.work.join(paths[2])).unwrap();
    team.commit(
        env,
        &[(paths[2], &format!("{text}\n- **Later**: it changed\n")), ("later.md", &entry("Later", "two"))],
    )
}

#[test]
fn two_pushes_at_once_end_in_the_same_documents() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "dream");
    let expected = fresh(&[&team]);
    for is_one_machine in [true, false] {
        let engine = Engine::start(Family::OpenSearch);
        engine.fail(|call| call.is_write().then_some(Fault::Late(60)));
        let machines = [Env::in_memory(), Env::in_memory()];
        let second = if is_one_machine { &machines[0] } else { &machines[1] };
        let children = [start(&machines[0], &engine, &team), start(second, &engine, &team)];
        for child in children {
            let told = ended(&Ran::of(&child.wait_with_output().unwrap()), 0);
            assert!(
                ["done", "behind"].contains(&told["data"]["trees"][0]["state"].as_str().unwrap()),
                "{told}"
            );
        }
        engine.heal();
        engine.forget_calls();
        assert!(living(&engine) == expected);
        assert_eq!(counts(&push(&machines[0], &engine, &team)), (0, 0, 0));
        assert_eq!(mark(&engine, &team.tree()).1["pending"], json!([]));
    }
}

#[test]
fn one_that_is_overtaken_is_behind_and_changes_nothing_of_the_later_one() {
    let env = Env::in_memory();
    let points: [(&str, Moment); 2] = [("its documents", is_bulk), ("its number", is_mark)];
    for (what, at) in points {
        for is_first in [true, false] {
            let team = Team::new(&env, &format!("{}-{is_first}", &what[4..7]), "dream");
            let engine = Engine::start(Family::OpenSearch);
            if !is_first {
                push(&env, &engine, &team);
                edit(&env, &team);
            }
            let mut last = String::new();
            let told = held(&engine, &team, at, || {
                last = edit(&env, &team);
                ended(&run(&env, &engine, &["--remote", team.url()]), 0);
            });
            if what == "its documents" {
                assert_eq!(told["state"], "behind", "{what} {told}");
                assert!(told["newer"].as_u64().unwrap() > 0 && told["message"].is_string(), "{told}");
                assert!(is_settled(&engine, &team, &last), "{:?}", mark(&engine, &team.tree()));
            } else {
                // it took the last number, and has the last word: the next push brings the later commit
                assert_eq!(told["state"], "done", "{what} {told}");
                push(&env, &engine, &team);
            }
            assert!(living(&engine) == fresh(&[&team]), "{what} {is_first}");
            assert_eq!(counts(&push(&env, &engine, &team)), (0, 0, 0), "{what} {is_first}");
        }
    }
}

#[test]
fn one_that_is_overtaken_before_it_ends_does_not_set_its_commit() {
    let env = Env::in_memory();
    let (team, engine) = (Team::new(&env, "team", "observatory"), Engine::start(Family::Elasticsearch));
    push(&env, &engine, &team);
    edit(&env, &team);
    // its documents are there, its mark is not
    let is_settling = |call: &Call| is_mark(call) && call.number > 4;
    let mut last = String::new();
    let told = held(&engine, &team, is_settling, || {
        last = edit(&env, &team);
        ended(&run(&env, &engine, &["--remote", team.url()]), 0);
    });
    assert_eq!((&told["state"], counts(&told).1), (&json!("behind"), 0), "{told}");
    assert!(is_settled(&engine, &team, &last));
    assert!(living(&engine) == fresh(&[&team]));
}

#[test]
fn one_that_is_overtaken_and_whose_commit_was_taken_back_leaves_nothing() {
    let env = Env::in_memory();
    for is_first in [true, false] {
        let (team, engine) =
            (Team::empty(&env, &format!("team-{is_first}")), Engine::start(Family::OpenSearch));
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/dream"), &team.work);
        let first = team.commit(&env, &[]);
        if !is_first {
            push(&env, &engine, &team);
        }
        team.commit(&env, &[("mistake.md", &entry("Mistake", "not for others"))]);
        let told = held(&engine, &team, is_bulk, || {
            env.git(&team.work, &["reset", "-q", "--hard", &first]);
            team.commit(&env, &[("right.md", &entry("Right", "for all"))]);
            team.forget(&env);
            // of the other commit this one knows nothing
            ended(&run(&Env::in_memory(), &engine, &["--remote", team.url()]), 0);
        });
        assert_eq!(told["state"], "behind", "{told}");
        assert_eq!(gone(&engine), ["mistake.md"]);
        assert!(living(&engine) == fresh(&[&team]), "{is_first}");
        assert!(mark(&engine, &team.tree()).1["swept_from"].is_i64(), "it is swept in time");
        assert_eq!(counts(&push(&env, &engine, &team)), (0, 0, 0));
    }
}
