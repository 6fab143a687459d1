//! What goes without a writer, and how much goes at all.

use super::*;

const OLD: &str = "ops/old/gate.md";
const LINKED: &str = "ops/old/port.md";

/// A tree with two superseded entries, one of them linked to, and one that nobody has read for long.
fn aged() -> Env {
    let superseded =
        |title: &str, text: &str| format!("---\ntitle: {title}\nstatus: superseded\n---\n\n{text}\n");
    let env = project(&[
        (OLD, &superseded("Old gate", "The gate was a script that somebody started by hand.")),
        (LINKED, &superseded("Old port", "The gate listened on a port of its own until the move.")),
        (
            "ops/new/gate.md",
            "---\ntitle: Gate\n---\n\nThe gate is a service, see [the old port](../old/port.md).\n",
        ),
        ("ops/new/rain.md", "---\ntitle: Rain\n---\n\nDomes close as soon as rain is forecast.\n"),
    ]);
    commit(&env, "start");
    env
}

#[test]
fn without_a_writer_only_what_is_superseded_and_linked_by_nothing_is_archived() {
    let env = aged();
    // somebody asks here, so that importance counts, but never for the rain
    assert_eq!(env.brv(&["signals"]).code, 0);
    assert_eq!(env.brv_with(&[("BRV_SESSION", "s")], &["read", "ops/new/gate.md"]).code, 0);
    let ran = at(&env, "2025-02-01T00:00:00Z", &["dream", "--force", "--json"]);
    let data = json(&ran.stdout)["data"].clone();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(read(&env, OLD).is_none() && read(&env, LINKED).is_some(), "{data:#}");
    let candidates = data["candidates"].as_array().unwrap();
    let paths: Vec<&Value> = candidates.iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, [LINKED, "ops/new/rain.md", "ops/new/gate.md"], "{data:#}");
    assert_eq!((&candidates[0]["links"], &candidates[1]["used_at"]), (&value!(1), &Value::Null));
    assert!(
        candidates[2]["used_at"].is_string() && candidates[1]["preview"].as_str().unwrap().contains("Domes")
    );
    let text = at(&env, "2025-02-03T00:00:00Z", &["dream", "--force"]).stdout;
    assert!(text.contains("Left for a person or a writer, least used first (3):"), "{text}");
}

#[test]
fn a_clone_that_never_asks_has_no_candidate_of_little_use() {
    let env = aged();
    assert_eq!(env.brv(&["signals"]).code, 0);
    // 0.995^80 × 50 < 35: too little, were it counted; and for no draft so long ago that it is stale
    let ran = at(&env, "2024-02-05T00:00:00Z", &["dream", "--plan", "--json"]);
    let plan = json(&ran.stdout)["data"].clone();
    let signals: Vec<&Value> = plan["prune"].as_array().unwrap().iter().map(|one| &one["signal"]).collect();
    assert!(signals.iter().all(|signal| **signal != "importance"), "{plan:#}");
}

/// A tree of ten superseded entries and ten others.
fn many() -> Env {
    let files: Vec<(String, String)> = (0..10)
        .flat_map(|n| {
            let old = format!(
                "---\ntitle: Old {n}\nstatus: superseded\n---\n\nThe way number {n} of doing it, given up.\n"
            );
            let new = format!("---\ntitle: New {n}\n---\n\nAnother way of doing it, the best of {n}.\n");
            [(format!("ops/old/n{n}.md"), old), (format!("ops/new/n{n}.md"), new)]
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let env = project(&files);
    commit(&env, "start");
    env
}

#[test]
fn dreams_of_thirty_days_remove_no_more_than_one_may_and_an_undone_one_does_not_count() {
    let env = many();
    let counted = |data: &Value, status: &str| {
        data["operations"].as_array().unwrap().iter().filter(|row| row["status"] == status).count()
    };
    let force = |moment: &str, more: &[&str]| {
        let ran = at(&env, moment, &[&["dream", "--force", "--json"], more].concat());
        (ran.code, json(&ran.stdout)["data"].clone())
    };
    let (_, first) = force("2023-11-20T00:00:00Z", &[]);
    assert_eq!((counted(&first, "applied"), counted(&first, "deferred")), (6, 4), "{first:#}");
    let (_, second) = force("2023-11-21T00:00:00Z", &[]);
    assert_eq!((counted(&second, "applied"), counted(&second, "deferred")), (0, 4), "{second:#}");
    let message = second["operations"][0]["message"].as_str().unwrap();
    assert!(message.contains("30 days"), "{message}");
    // what is undone counts for nothing
    assert_eq!(at(&env, "2023-11-22T00:00:00Z", &["dream", "--undo", first["id"].as_str().unwrap()]).code, 0);
    let (_, third) = force("2023-11-23T00:00:00Z", &[]);
    assert_eq!(counted(&third, "applied"), 4, "those that were taken back stay: {third:#}");
    let allow = ["--allow", "mass-delete", "--reason", "the old ways are gone"];
    let ran = env.brv_with(&[("BRV_ACTOR", "bot")], &[&["dream", "--force"], &allow[..]].concat());
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_person_may_let_a_dream_remove_more() {
    let env = many();
    let ran = env.brv(&["dream", "--force", "--json", "--allow", "mass-delete", "--reason", "given up"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(json(&ran.stdout)["data"]["summary"]["pruned"], 10);
    let operation = crate::undo::last(&env);
    let shown = env.brv(&["op", "show", &operation]).stdout;
    assert!(shown.contains("allowed mass-delete: given up"), "{shown}");
}
