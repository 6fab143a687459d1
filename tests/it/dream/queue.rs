//! Dreams in the background: queued, waited for, cancelled, and those that are due.

use super::*;

#[test]
fn a_queued_dream_is_done_by_the_worker_in_the_name_of_its_caller() {
    let env = dreaming().with("BRV_ACTOR", "claude");
    let ran = env.brv(&["dream", "--detach"]);
    assert_eq!(ran.stdout, "Dream skipped: Not enough activity (0 < 3 curations)\n");
    let queued = dream(&env, &["--detach", "--force"], 0);
    assert_eq!(queued["status"], "queued");
    let id = queued["id"].as_str().unwrap();
    let job = json(&env.brv(&["jobs", "wait", id, "--json"]).stdout)["data"]["job"].clone();
    assert_eq!(
        (&job["id"], &job["kind"], &job["outcome"]),
        (&value!(id), &value!("dream"), &value!("dreamed")),
        "{job:#}"
    );
    assert!(job["commit"].is_null() && job["operation"].is_string(), "{job:#}");
    assert!(read(&env, COPY).is_none());
    assert!(message(&env).contains("Brv-Actor: claude\n"), "{}", message(&env));
    assert_eq!(log(&env, &value!(id))["trigger"], "queued");
}

#[test]
fn a_queued_dream_can_be_cancelled_and_an_unknown_one_cannot() {
    let env = dreaming();
    // a job that no worker begins: another one holds the lease
    let lease = brv_base::fs::WriteGuard::acquire(
        &env.path(".brv/context-tree/.git/brv/worker"),
        std::time::Duration::ZERO,
    )
    .unwrap();
    let id = dream(&env, &["--detach", "--force"], 0)["id"].as_str().unwrap().to_owned();
    curate(&env, "One");
    let (two, three) = ("Two", "Three");
    curate(&env, two);
    curate(&env, three);
    assert_eq!(dream(&env, &[], 0)["reason"], "Queue not empty (1 task)");
    let data = dream(&env, &["--cancel", &id], 0);
    assert_eq!((&data["id"], &data["reason"]), (&value!(id), &value!("cancelled")));
    drop(lease);
    assert!(read(&env, COPY).is_some());
    assert_eq!(env.brv(&["dream", "--cancel", &id]).code, 6, "it is done");
    for unknown in ["drm-1", "job-1", "x"] {
        assert_eq!(env.brv(&["dream", "--cancel", unknown]).code, 2, "{unknown}");
    }
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let env = dreaming();
    for flags in [
        &["--detach", "--plan"][..],
        &["--detach", "--dry-run"],
        &["--detach", "--undo"],
        &["--detach", "--cancel", "drm-1"],
        &["--detach", "--decisions", "-"],
        &["--plan", "--decisions", "-"],
        &["--undo", "drm-0001"],
        &["--undo", "drm-7"],
    ] {
        assert_eq!(env.brv(&[&["dream"], flags].concat()).code, 2, "{flags:?}");
    }
    assert_eq!(env.brv(&["dream", "--undo"]).code, 6, "there is none");
}

#[test]
fn a_worker_dreams_by_itself_only_where_that_is_wanted_and_due() {
    for (auto, is_merged) in [("false", false), ("true", true)] {
        let env = dreaming().with("BRV_DREAM_AUTO", auto);
        for title in ["One", "Two", "Three"] {
            curate(&env, title);
        }
        assert_eq!(env.brv(&["hooks", "run", "worker"]).code, 0);
        assert_eq!(read(&env, COPY).is_none(), is_merged, "{auto}");
        let due = dream(&env, &["--if-due"], 0);
        assert_eq!(due["status"], if is_merged { "skipped" } else { "completed" });
    }
}
