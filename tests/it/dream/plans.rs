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
