//! The queue and its worker: in order, once each, whatever kills the worker; and git is left in peace.

use super::{Code, message, state_of};
use crate::env::Env;
use brv_engine::open::state::StatePlace;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn worker(code: &Code) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    code.env.prepare(&mut command);
    command.current_dir(&code.path).args(["hooks", "run", "worker"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn five_hundred_commits_of_a_script_have_one_outcome_each_in_their_order() {
    let code = Code::new();
    let script = "i=0; while [ $i -lt 500 ]; do i=$((i+1)); \
                  if [ $((i % 25)) = 0 ]; then m=\"s$i\n\nFact: s$i: holds $i\"; else m=\"s$i\"; fi; \
                  printf \"$m\" | git commit -q --allow-empty -F -; done";
    let mut command = code.env.git_command(&code.path);
    command.args(["-c", &format!("alias.many=!{script}"), "many"]);
    assert!(command.status().unwrap().success());
    let made = code.git(&["rev-list", "--reverse", "HEAD"]);
    let made: Vec<&str> = made.lines().skip(1).collect();
    let jobs = code.settle();
    let all = code.data(&["jobs", "list"]);
    assert_eq!(all["jobs"].as_array().unwrap().len(), 200, "the list is cut");
    assert_eq!(jobs.len(), 200);
    let commits: Vec<&str> = jobs.iter().map(|job| job["commit"].as_str().unwrap()).collect();
    assert_eq!(commits, made[300..]);
    for (number, job) in (301..).zip(&jobs) {
        let outcome = if number % 25 == 0 { "curated" } else { "declined" };
        assert_eq!(job["outcome"], outcome, "{number}: {job}");
    }
    assert_eq!(code.facts("s25"), ["holds 25 [project]"]);
    let log = code.env.git(&code.tree(), &["log", "--reverse", "--format=%s"]);
    let taken: Vec<String> = log.lines().filter(|line| line.starts_with('s')).map(str::to_owned).collect();
    let words: Vec<&str> = taken.iter().map(|line| line.split(' ').next().unwrap()).collect();
    let expected: Vec<String> = (1..=20).map(|number| format!("s{}", number * 25)).collect();
    assert_eq!(words, expected);
}

#[test]
fn a_worker_that_is_killed_is_replaced_and_nothing_is_lost_or_done_twice() {
    let code = Code::new();
    let quiet = |name: &str| {
        let mut command = code.env.git_command(&code.path);
        command.env("BRV_HOOKS", "0").args(["commit", "-q", "--allow-empty", "-m", &message(name)]);
        assert!(command.status().unwrap().success());
    };
    quiet("first");
    let start = Instant::now();
    worker(&code).status().unwrap();
    // a job whose worker dies too often fails: most must live for one job, however slow the machine is
    let most = (start.elapsed() * 2).max(Duration::from_millis(250));
    let names: Vec<String> = (0..40).map(|number| format!("k{number}")).collect();
    names.iter().for_each(|name| quiet(name));
    let mut moment = 7_u64;
    for _ in 0..100 {
        let mut child = worker(&code).spawn().unwrap();
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(most.mul_f64((moment >> 33) as f64 / f64::from(1_u32 << 31)));
        let _ = child.kill();
        child.wait().unwrap();
    }
    let outcomes = code.outcomes();
    for name in &names {
        assert_eq!(outcomes[name], ["curated"], "{name}: {}", code.run(&["hooks", "log"]).stdout);
        assert_eq!(code.facts(name), [format!("holds {name} [project]")]);
    }
    for job in code.data(&["hooks", "log"])["runs"].as_array().unwrap() {
        let is_told =
            job["items"].as_array().is_some_and(|items| items.len() == 1 && items[0]["kind"] == "note");
        assert!(is_told || job["outcome"] != "curated", "also of what a killed worker filed: {job}");
    }
    code.env.fsck(&code.tree());
    assert_eq!(code.data(&["status"])["interrupted"], serde_json::Value::Null);
    assert_eq!(code.env.git(&code.tree(), &["status", "--porcelain"]), "");
}

#[test]
fn the_repository_that_git_calls_from_is_left_as_it_is() {
    let code = Code::new();
    let git = code.path.join(".git");
    code.git(&["-c", "core.hooksPath=/none", "commit", "-q", "--allow-empty", "-m", &message("fact")]);
    code.write("staged", "x\n");
    code.git(&["add", "staged"]);
    let before = state_of(&git);
    for event in ["post-commit", "worker"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        code.env.prepare(&mut command);
        command.current_dir(&code.path).args(["hooks", "run", event]);
        command.env("GIT_DIR", &git).env("GIT_INDEX_FILE", git.join("index")).env("GIT_PREFIX", "");
        assert!(command.status().unwrap().success());
    }
    assert_eq!(code.outcomes()["fact"], ["curated"]);
    assert_eq!(state_of(&git), before);
}

#[test]
fn a_hook_is_quiet_and_never_fails_git() {
    let code = Code::new();
    let env = Env::new();
    for folder in [env.root(), &code.tree()] {
        for event in ["post-commit", "post-rewrite", "post-merge", "post-checkout"] {
            let ran = code.env.brv_in(folder, &["hooks", "run", event, "amend"]);
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{event}");
        }
    }
    // switched off for one call: the look takes it in later, unless the message says no
    let quiet = |message: &str| {
        let mut command = code.env.git_command(&code.path);
        command.env("BRV_HOOKS", "0").args(["commit", "-q", "--allow-empty", "-m", message]);
        assert!(command.status().unwrap().success());
    };
    quiet(&message("quiet"));
    quiet(&format!("{}\nBrv-Skip: true", message("never")));
    assert_eq!(code.data(&["jobs"])["jobs"].as_array().unwrap().len(), 0);
    let outcomes = code.outcomes();
    assert_eq!(outcomes["quiet"], ["curated"]);
    assert_eq!(outcomes["never"], ["declined: `Brv-Skip`"]);
    code.run(&["config", "set", "--user", "hooks.enabled", "false"]);
    code.commit(&message("off"));
    assert_eq!(code.data(&["jobs"])["jobs"].as_array().unwrap().len(), 2);
}

#[test]
fn a_quota_limits_what_a_day_takes_in() {
    let code = Code::of(Env::new());
    let code = Code { env: code.env.with("BRV_HOOKS_QUOTA", "2"), path: code.path };
    ["a", "b", "c"].iter().for_each(|name| drop(code.commit(&message(name))));
    let outcomes = code.outcomes();
    assert_eq!(outcomes["c"], ["over_quota"]);
    // the import is outside the quota, and takes it
    let counts = code.data(&["curate", "--commit", "HEAD~3..HEAD"])["counts"].take();
    assert_eq!(
        ["curated", "declined", "known"].map(|name| counts[name].as_u64()),
        [Some(1), Some(0), Some(2)]
    );
}

#[test]
fn jobs_are_waited_for_and_cancelled() {
    let code = Code::new();
    for verb in ["wait", "cancel"] {
        for name in ["job-7", "x", "-1", "0"] {
            assert_eq!(code.brv(&["jobs", verb, "--", name]).code, 2, "{verb} {name}");
        }
    }
    // somebody writes for a while: the job waits for the lock
    let lock = code.tree().join(".git/brv/lock");
    let held = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(lock).unwrap();
    held.lock().unwrap();
    code.commit(&message("first"));
    code.commit(&message("second"));
    let start = Instant::now();
    while code.data(&["jobs"])["jobs"][0]["state"] != "running" {
        assert!(start.elapsed() < Duration::from_secs(30));
    }
    assert_eq!(code.data(&["hooks", "status"])["queue"]["queued"], 1);
    assert!(code.data(&["hooks", "status"])["worker"].is_u64());
    let jobs = code.data(&["jobs"])["jobs"].take();
    let [first, second] = [0, 1].map(|at: usize| jobs[at]["id"].as_str().unwrap());
    assert_eq!(code.data(&["jobs", "cancel", second])["job"]["outcome"], "cancelled");
    assert_eq!(code.data(&["jobs", "cancel", first])["job"]["outcome"], "cancelled");
    assert_eq!(code.brv(&["jobs", "cancel", first]).code, 6);
    drop(held);
    code.commit(&message("third"));
    let last = code.data(&["jobs"])["jobs"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(code.data(&["jobs", "wait", &last])["job"]["outcome"], "curated");
    // a commit that is gone when its turn comes
    let store = StatePlace::at(code.path.join(".brv/context-tree/.git/brv/state.db"));
    let job = brv_engine::open::state::NewJob {
        kind: "commit".into(),
        commit: Some("1".repeat(40)),
        event: "post-commit".into(),
        ..brv_engine::open::state::NewJob::default()
    };
    let queued = brv_engine::open::state::with(
        &store,
        brv_engine::open::state::Missing::Make,
        Duration::from_secs(5),
        |state| state.enqueue(std::slice::from_ref(&job), 0),
    );
    let id = queued.unwrap().unwrap().result[0].to_string();
    let waited = code.brv(&["jobs", "wait", &id, "--json"]);
    assert_eq!(waited.code, 1, "{}", waited.stdout);
    assert!(waited.stdout.contains("\"outcome\":\"failed\""), "{}", waited.stdout);
}

#[test]
fn a_lost_queue_is_made_again_from_the_log_of_the_host() {
    let code = Code::new();
    code.state("before");
    code.settle();
    for file in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = std::fs::remove_file(code.path.join(".brv/context-tree/.git/brv").join(file));
    }
    let mut command = code.env.git_command(&code.path);
    command.env("BRV_HOOKS", "0").args(["commit", "-q", "--allow-empty", "-m", &message("after")]);
    assert!(command.status().unwrap().success());
    let outcomes = code.outcomes();
    assert_eq!(outcomes.keys().collect::<Vec<_>>(), ["after"]);
    assert_eq!(code.facts("before").len(), 1);
}

fn quiet(code: &Code, folder: &std::path::Path, message: &[u8]) {
    let file = code.env.path("message");
    std::fs::write(&file, message).unwrap();
    let mut command = code.env.git_command(folder);
    command.env("BRV_HOOKS", "0").args([
        "-c",
        "i18n.commitEncoding=latin1",
        "commit",
        "-q",
        "--allow-empty",
        "-F",
    ]);
    assert!(command.arg(&file).status().unwrap().success());
}

#[test]
fn the_look_begins_where_it_ended_whatever_the_bytes_of_a_message() {
    let code = Code::new();
    code.run(&["hooks", "uninstall"]);
    code.commit(&message("before"));
    code.run(&["hooks", "install"]);
    quiet(&code, &code.path, b"Gr\xf6\xdfe\n\nFact: size: big\n");
    assert_eq!(code.settle().len(), 1);
    quiet(&code, &code.path, message("after").as_bytes());
    assert_eq!(code.settle().len(), 2);
    assert_eq!((code.facts("before").len(), code.facts("size").len(), code.facts("after").len()), (0, 1, 1));
    // the line that was looked at last is gone
    code.git(&["reflog", "delete", "HEAD@{0}"]);
    code.state("last");
    assert_eq!(code.outcomes().len(), 3);
}

#[test]
fn what_no_hook_saw_in_a_new_work_tree_is_found_there() {
    let code = Code::new();
    let linked = code.env.path("linked");
    code.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    quiet(&code, &linked, message("side").as_bytes());
    assert_eq!(code.outcomes()["side"], ["curated"]);
}

#[test]
fn a_project_in_a_folder_of_the_code_has_a_worker_too() {
    let env = Env::new();
    let path = env.path("code");
    env.git(env.root(), &["init", "-q", path.to_str().unwrap()]);
    let below = path.join("below");
    std::fs::create_dir_all(&below).unwrap();
    assert_eq!(env.brv_in(&below, &["init", "-q", "--hooks"]).code, 0);
    env.git(&path, &["commit", "-q", "--allow-empty", "-m", &message("fact")]);
    let start = Instant::now();
    while !env.brv_in(&below, &["jobs", "--json"]).stdout.contains("\"curated\"") {
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn what_is_queued_while_a_history_is_taken_in_is_done_after_it() {
    let code = Code::new();
    let (first, second) = (code.head(), code.state("second"));
    code.settle();
    let store = StatePlace::at(code.path.join(".brv/context-tree/.git/brv/state.db"));
    brv_engine::open::state::with(
        &store,
        brv_engine::open::state::Missing::Make,
        Duration::from_secs(5),
        |state| {
            let job = state.job_of(&second)?.unwrap();
            let job = brv_engine::open::state::NewJob { commit: Some(first.clone()), ..job.new };
            state.enqueue(std::slice::from_ref(&job), 0)
        },
    )
    .unwrap();
    code.run(&["curate", "--commit", "HEAD"]);
    let start = Instant::now();
    while code.data(&["jobs"])["jobs"][0]["state"] != "done" {
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn what_is_committed_while_hooks_are_switched_off_stays_out() {
    let code = Code::new();
    code.run(&["config", "set", "--user", "hooks.enabled", "false"]);
    code.state("off");
    code.run(&["config", "unset", "--user", "hooks.enabled"]);
    code.state("on");
    assert_eq!(code.outcomes().into_keys().collect::<Vec<_>>(), ["on"]);
}

#[test]
fn a_merge_in_the_tree_holds_commits_up_and_loses_none() {
    let code = Code::new();
    code.commit(&message("before"));
    code.settle();
    let merging = code.tree().join(".git/MERGE_HEAD");
    let head = code.env.git(&code.tree(), &["rev-parse", "HEAD"]);
    std::fs::write(&merging, format!("{head}\n")).unwrap();
    let held = [code.commit(&message("first")), code.commit(&message("second"))];
    let outcome = |id: &String| {
        let jobs = code.settle();
        jobs.iter().find(|job| job["commit"] == id.as_str()).unwrap()["outcome"].clone()
    };
    assert_eq!([outcome(&held[0]), outcome(&held[1])], ["failed", "failed"]);
    // what is gone from the history meanwhile is not taken in
    code.git(&["commit", "-q", "--amend", "--allow-empty", "-m", &message("amended")]);
    std::fs::remove_file(&merging).unwrap();
    code.commit("quiet");
    assert_eq!([outcome(&held[0]), outcome(&held[1])], ["curated", "replaced"]);
    let outcomes = code.outcomes();
    assert_eq!(
        (&outcomes["amended"][..], &outcomes["first"][..]),
        (&["curated".to_owned()][..], &["curated".to_owned()][..])
    );
    // each is there once
    for name in ["before", "first", "amended"] {
        assert_eq!(code.facts(name).len(), 1, "{name}");
    }
}

#[test]
fn jobs_have_their_subjects_and_are_counted_by_what_became_of_them() {
    let code = Code::new();
    let id = code.commit(&message("first"));
    ["quiet one", "quiet two"].iter().for_each(|text| drop(code.commit(text)));
    code.commit("fixup! first");
    code.settle();
    let nothing = "no text";
    for (command, rows) in [("hooks log", "runs"), ("jobs list", "jobs")] {
        let command: Vec<&str> = command.split(' ').collect();
        let list = |flags: &[&str]| code.data(&[&command[..], flags].concat());
        let all = list(&[]);
        assert_eq!(all[rows].as_array().unwrap().len(), 4);
        assert_eq!(all[rows][3]["subject"], "first is done", "{all}");
        let counts = serde_json::json!([
            {"outcome": "declined", "reason": nothing, "count": 2},
            {"outcome": "declined", "reason": "fixup", "count": 1},
            {"outcome": "curated", "reason": "filed", "count": 1},
        ]);
        assert_eq!(all["counts"], counts);
        let two = list(&["-n", "2"]);
        assert_eq!((two[rows].as_array().unwrap().len(), &two["counts"]), (2, &counts));
        let curated = list(&["--outcome", "curated"]);
        assert_eq!(
            (&curated[rows][0]["commit"], curated[rows].as_array().unwrap().len()),
            (&serde_json::json!(id), 1)
        );
        let both = list(&["--outcome", "curated", "--outcome", "declined", "-n", "3"]);
        assert_eq!((both[rows].as_array().unwrap().len(), &both["counts"]), (3, &counts));
        assert_eq!(list(&["--outcome", "failed"])[rows], serde_json::json!([]));
        let wrong = code.brv(&[&command[..], &["--outcome", "fine"]].concat());
        assert!(
            wrong.code == 2 && wrong.stderr.contains("must be one of curated, declined"),
            "{}",
            wrong.stderr
        );
        let text = code.run(&command).stdout;
        for line in [
            "declined   quiet two  no text",
            "curated    first is done  project/misc.md  note: holds first",
            "    2 declined   no text",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
