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
    held_with(engine, &["--remote", team.url()], at, meanwhile)
}

/// The same with these arguments.
fn held_with(engine: &Engine, arguments: &[&str], at: Moment, meanwhile: impl FnOnce()) -> Value {
    let machine = Env::in_memory();
    let gate = machine.path("go");
    let (file, is_held) = (gate.clone(), std::sync::atomic::AtomicBool::new(false));
    engine.forget_calls();
    engine.fail(move |call| {
        // the first of these only
        let is_first = at(call) && !is_held.swap(true, std::sync::atomic::Ordering::AcqRel);
        is_first.then(|| Fault::Awaits(file.clone()))
    });
    let child = start_with(&machine, engine, arguments);
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

#[test]
fn one_that_sends_all_and_is_overtaken_by_one_of_the_same_commit_takes_nothing_back() {
    let env = Env::in_memory();
    let (team, engine) = (Team::new(&env, "team", "dream"), Engine::start(Family::OpenSearch));
    push(&env, &engine, &team);
    let expected = living(&engine);
    for at in [is_bulk as Moment, |call| is_mark(call) && call.number > 4] {
        let told = held_with(&engine, &["--remote", team.url(), "--full"], at, || {
            let told = ended(&run(&env, &engine, &["--remote", team.url()]), 0);
            assert_eq!(told["data"]["trees"][0]["state"], "done", "{told}");
        });
        assert_eq!((&told["state"], counts(&told).2), (&json!("behind"), 0), "{told}");
        assert!(living(&engine) == expected, "{} of {}", living(&engine).len(), expected.len());
        assert_eq!(counts(&push(&env, &engine, &team)), (0, 0, 0));
    }
}

#[test]
fn one_of_another_folder_that_is_overtaken_or_killed_leaves_nothing_of_it() {
    let env = Env::in_memory();
    let team = Team::empty(&env, "team");
    let same = |text: &str| entry("Same", text);
    team.commit(
        &env,
        &[("a/same.md", &same("in a")), ("b/same.md", &same("in b")), ("b/only.md", &entry("Only", "in b"))],
    );
    let list = |folder: &str| {
        let list = env.path(format!("list-{folder}"));
        std::fs::write(&list, format!("{} - {folder} team\n", team.url())).unwrap();
        list.to_str().unwrap().to_owned()
    };
    let (a, b) = (list("a"), list("b"));
    let of_a = |engine: &Engine| ended(&run(&env, engine, &["--remotes", &a]), 0)["data"]["trees"][0].clone();
    let paths = |engine: &Engine| living(engine).into_keys().map(|(_, path)| path).collect::<Vec<_>>();
    for is_settled_first in [true, false] {
        let engine = Engine::start(Family::Elasticsearch);
        if is_settled_first {
            of_a(&engine);
        }
        let told = held_with(&engine, &["--remotes", &b], is_bulk, || drop(of_a(&engine)));
        assert_eq!(told["state"], "behind", "{told}");
        assert_eq!(paths(&engine), ["same.md"]);
        assert_eq!(counts(&of_a(&engine)), (0, 0, 0));
    }
    // it has sent all, and does not say so
    let engine = Engine::start(Family::OpenSearch);
    of_a(&engine);
    engine.forget_calls();
    engine.fail(|call| (is_mark(call) && call.number > 4).then_some(Fault::ReadOnly));
    ended(&run(&Env::in_memory(), &engine, &["--remotes", &b]), 1);
    engine.heal();
    assert_eq!(paths(&engine), ["only.md", "same.md"]);
    assert_eq!(counts(&of_a(&engine)), (1, 0, 1));
    let text = &living(&engine)[&("team".to_owned(), "same.md".to_owned())]["text"];
    assert!(text.as_str().unwrap().contains("in a"), "{text}");
}

#[test]
fn an_index_that_is_removed_meanwhile_is_said() {
    let env = Env::in_memory();
    let (team, engine) = (Team::new(&env, "team", "dream"), Engine::start(Family::OpenSearch));
    push(&env, &engine, &team);
    let machine = Env::in_memory();
    engine.forget_calls();
    let gate = machine.path("go");
    let file = gate.clone();
    engine.fail(move |call| (is_mark(call) && call.number > 4).then(|| Fault::Awaits(file.clone())));
    let child = start_with(&machine, &engine, &["--remote", team.url(), "--full"]);
    while !engine.calls().iter().any(|call| is_mark(call) && call.number > 4) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let marks = json!({"query": {"term": {"kind": "mark"}}}).to_string();
    let target = "/brv/_delete_by_query?refresh=true";
    client::ask(&engine.url, "POST", target, Some((JSON, &marks))).unwrap();
    std::fs::write(gate, "").unwrap();
    let told = ended(&Ran::of(&child.wait_with_output().unwrap()), 1);
    let message = told["data"]["trees"][0]["message"].as_str().unwrap();
    assert!(message.contains("removed while this push ran"), "{message}");
    engine.heal();
    engine.forget_calls();
    let env = env.with("BRV_CLOCK", "2023-11-15T00:00:00Z");
    push(&env, &engine, &team);
    assert!(living(&engine) == fresh(&[&team]));
}
