//! What a plan shows, and what it leaves for the next one.

use super::*;
use std::collections::BTreeSet;

/// Pairs of entries that have much in common, each pair in a domain of its own.
fn pairs(count: usize) -> Env {
    const TEXTS: [(&str, &str); 4] = [
        ("amber", "The cluster is drained by its operator before new images are rolled out"),
        ("birch", "Invoices leave on the last working day, and reminders follow after two weeks"),
        ("cedar", "Whoever breaks the build mends it or takes the change back within an hour"),
        ("dunes", "Telescopes close their domes as soon as rain or strong wind is forecast"),
    ];
    let text = |text: &str, end: &str| format!("---\ntitle: About {end}\n---\n\n{text}, {end}.\n");
    let entries = |&(name, common): &(&str, &str)| {
        ["in winter", "abroad"]
            .map(|end| (format!("{name}/all/{}.md", end.replace(' ', "_")), text(common, end)))
    };
    let files: Vec<(String, String)> = TEXTS[..count].iter().flat_map(entries).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let env = project(&files);
    commit(&env, "start");
    env
}

#[test]
fn what_does_not_fit_into_a_plan_is_shown_by_the_next_ones() {
    let env = pairs(4);
    let (mut shown, mut left) = (BTreeSet::new(), Vec::new());
    for _ in 0..4 {
        let plan = dream(&env, &["--plan", "--force", "--limit", "1"], 0);
        let clusters = plan["consolidate"].as_array().unwrap();
        assert_eq!(clusters.len(), 1, "{plan:#}");
        let files = clusters[0]["files"].as_array().unwrap();
        shown.extend(files.iter().map(|file| file["path"].as_str().unwrap().to_owned()));
        left.push(plan["remaining"].as_u64().unwrap());
        let skip = value!([{"candidate": "c1", "action": "SKIP", "reason": "two phases"}]);
        decide(&env, &plan, skip, 0);
    }
    assert_eq!((shown.len(), left), (8, vec![6, 4, 2, 0]));
    // no decision is none: it comes again, behind what nobody has seen
    let env = pairs(2);
    let plan = dream(&env, &["--plan", "--force", "--limit", "1"], 0);
    let first = plan["consolidate"][0]["files"][0]["path"].clone();
    decide(&env, &plan, value!([]), 0);
    let next = super::plan(&env);
    let firsts: Vec<&Value> =
        next["consolidate"].as_array().unwrap().iter().map(|one| &one["files"][0]["path"]).collect();
    assert!(firsts.len() == 2 && *firsts[1] == first, "{next:#}");
}

#[test]
fn one_domain_has_no_pattern_and_an_entry_that_was_kept_comes_again_when_its_importance_moved() {
    let env = pairs(1);
    assert_eq!(plan(&env)["synthesize"], value!([]));
    let weak = |env: &Env, moment: &str| -> Vec<Value> {
        let ran = at(env, moment, &["dream", "--plan", "--force", "--json"]);
        let plan = json(&ran.stdout)["data"].clone();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        [plan["prune"].as_array().unwrap().clone(), vec![plan["id"].clone()]].concat()
    };
    // begin to count its days
    assert_eq!(env.brv(&["signals", "amber/all/abroad.md"]).code, 0);
    let kept = weak(&env, "2024-03-01T00:00:00Z");
    let [one, other, id] = &kept[..] else { panic!("{kept:#?}") };
    let file = env.path("keep.json");
    let keep = |one: &Value| value!({"candidate": one["id"], "action": "KEEP", "reason": "still right"});
    std::fs::write(&file, value!({"plan": id, "decisions": [keep(one), keep(other)]}).to_string()).unwrap();
    let ran = at(&env, "2024-03-01T00:00:00Z", &["dream", "--decisions", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(weak(&env, "2024-03-08T00:00:00Z").len(), 1, "the id alone");
    // × 0.995 a day: in a hundred days a good third of it is gone
    assert_eq!(weak(&env, "2024-06-09T00:00:00Z").len(), 3);
}

#[test]
fn a_plan_writes_nothing_has_no_gate_and_is_shown_again_until_it_is_answered() {
    let env = dreaming();
    // the gate of time is closed
    assert_eq!(dream(&env, &["--force"], 0)["status"], "completed");
    assert_eq!(env.brv(&["undo", "last"]).code, 0);
    turn(&env);
    let picture =
        || crate::lab::picture(env.root(), &|path| path.contains("/cache/") || path.ends_with("-shm"));
    let before = picture();
    let first = dream(&env, &["--plan"], 0);
    let again = dream(&env, &["--plan"], 0);
    let after = picture();
    let changed: Vec<&String> =
        after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).map(|(path, _)| path).collect();
    assert_eq!(changed, Vec::<&String>::new());
    let ids = |plan: &Value| -> Vec<Value> {
        let kinds = ["consolidate", "synthesize", "prune"].into_iter();
        kinds.flat_map(|kind| plan[kind].as_array().unwrap()).map(|one| one["id"].clone()).collect()
    };
    assert!(!ids(&first).is_empty(), "{first:#}");
    assert_eq!(ids(&first), ids(&again));
    // the second answers what the first showed, and once only
    let skips: Vec<Value> =
        ids(&first).iter().map(|id| value!({"candidate": id, "action": "SKIP", "reason": "x"})).collect();
    decide(&env, &first, skips.clone().into(), 0);
    let late = decide(&env, &first, skips.into(), 1);
    assert!(rows(&late).iter().all(|row| row.ends_with("refused")), "{late:#}");
    assert_eq!(ids(&dream(&env, &["--plan"], 0)), [Value::Null; 0]);
}

#[test]
fn a_decision_about_what_changed_since_the_plan_is_refused_and_the_others_are_carried_out() {
    let env = pairs(2);
    let plan = plan(&env);
    let of = |path: &str| super::cluster(&plan, path);
    let (edited, left) = ("amber/all/abroad.md", "birch/all/abroad.md");
    let text = read(&env, edited).unwrap();
    std::fs::write(tree(&env).join(edited), format!("{text}\nMore.\n")).unwrap();
    commit(&env, "edited");
    // entries that came meanwhile move the numbers of the candidates
    let skip = |id: String| value!({"candidate": id, "action": "SKIP", "reason": "two things"});
    let data = decide(&env, &plan, value!([skip(of(edited)), skip(of(left))]), 1);
    assert_eq!(
        rows(&data)[..2].iter().map(|row| row.ends_with("refused")).collect::<Vec<_>>(),
        [true, false]
    );
    let next = super::plan(&env);
    let shown = next["consolidate"].as_array().unwrap();
    assert!(shown.iter().all(|one| one["files"][0]["path"] != left), "{next:#}");
}

#[test]
fn a_pattern_is_shown_where_domains_say_related_things_and_until_somebody_says_there_is_none() {
    let env = dreaming();
    let first = plan(&env);
    let pattern = &first["synthesize"][0];
    let paths: Vec<&str> =
        pattern["entries"].as_array().unwrap().iter().filter_map(|one| one["path"].as_str()).collect();
    assert!(paths.contains(&KEYS) && paths.contains(&TOKENS), "{pattern:#}");
    decide(&env, &first, value!([{"candidate": "s1", "action": "SKIP", "reason": "no pattern"}]), 0);
    assert_eq!(plan(&env)["synthesize"], value!([]));
    let text = read(&env, KEYS).unwrap();
    std::fs::write(tree(&env).join(KEYS), text.replace("90 days\n", "80 days\n")).unwrap();
    commit(&env, "keys");
    assert_eq!(plan(&env)["synthesize"][0]["domains"], value!(["auth", "ops"]));
    // two domains that have nothing to do with each other
    assert_eq!(plan(&pairs(2))["synthesize"], value!([]));
}

#[test]
fn a_plan_is_a_list_that_a_person_can_read() {
    let env = dreaming();
    let ran = env.brv(&["dream", "--plan"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let plan = dream(&env, &["--plan"], 0);
    for part in ["To consolidate (", TOKENS, "To synthesize (1):"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains('{'), "{}", ran.stdout);
    assert!(plan["consolidate"][0]["id"].as_str().unwrap().starts_with("c1-"), "{plan:#}");
}
