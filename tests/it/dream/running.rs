//! A dream without a writer, its gates, and what it leaves beside the tree.

use super::*;

#[test]
fn what_says_the_same_is_merged_and_what_nearly_does_is_left_to_a_writer() {
    let env = dreaming();
    let data = dream(&env, &["--force"], 0);
    assert_eq!(data["status"], "completed");
    let merged: Vec<&Value> =
        data["operations"].as_array().unwrap().iter().filter(|row| row["action"] == "MERGE").collect();
    assert_eq!(merged.len(), 1, "{data:#}");
    assert_eq!((&merged[0]["output"], &merged[0]["needs_review"]), (&value!(TOKENS), &value!(true)));
    assert!(read(&env, COPY).is_none() && read(&env, PARTNER).is_some());
    let text = read(&env, TOKENS).unwrap();
    assert!(text.contains("updatedAt: \"2023-05-01T00:00:00Z\""), "the newest date of all: {text}");
    assert!(text.contains("consolidated_from: [\"auth/lifetime/tokens.md\"]"), "{text}");
    let keys = read(&env, KEYS).unwrap();
    assert!(
        keys.contains("(../../auth/tokens/lifetime.md)")
            && keys.contains("related: [auth/tokens/lifetime.md]"),
        "{keys}"
    );
    // one operation, one commit, with what happened to each path
    let message = message(&env);
    assert!(message.contains(&format!("Brv-Dream: {}", data["id"].as_str().unwrap())), "{message}");
    assert!(message.contains("Brv-Reason: auth/tokens/lifetime.md: [dream/consolidate] MERGE Merged auth/tokens/lifetime.md and auth/lifetime/tokens.md"), "{message}");
    assert!(message.contains("Brv-Review: auth/tokens/lifetime.md merged\n"), "{message}");
    assert!(!message.contains("Brv-Review: auth/lifetime/tokens.md"), "{message}");
    let review = json(&env.brv(&["review", "--json"]).stdout)["data"].clone();
    assert_eq!(review["count"], 1, "{review:#}");
    assert_eq!(review["pending"][0]["type"], "dream/consolidate");
    let line = review["pending"][0]["line"].as_str().unwrap();
    assert!(
        line.starts_with("[dream/consolidate] Merged auth/tokens/lifetime.md and auth/lifetime/tokens.md — "),
        "{line}"
    );
    // nothing is left to do, and nothing is done
    let again = dream(&env, &["--force"], 0);
    assert!(again["operation"].is_null() && again["commit"].is_null(), "{again:#}");
}

#[test]
fn the_words_the_state_and_the_log_are_those_of_the_seed() {
    let env = dreaming();
    let ran = env.brv(&["dream", "--force"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let id = lines[0].strip_prefix("Dream completed (").unwrap().strip_suffix(')').unwrap();
    assert!(lines[1].ends_with(" consolidated | 0 synthesized | 0 pruned"), "{}", ran.stdout);
    assert_eq!(lines[2], "1 operation flagged for review");
    let state = state(&env);
    let keys: Vec<&String> = state.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["version", "curationsSinceDream", "lastDreamAt", "totalDreams", "pendingMerges", "lastDreamCommit"]
    );
    assert_eq!((&state["totalDreams"], &state["lastDreamAt"]), (&value!(1), &value!("2023-11-14T22:13:20Z")));
    assert_eq!(
        state["lastDreamCommit"].as_str().unwrap(),
        env.git(&tree(&env), &["rev-parse", "HEAD"]).trim()
    );
    let log = log(&env, &value!(id));
    assert_eq!((&log["status"], &log["trigger"]), (&value!("completed"), &value!("manual")));
    assert_eq!(log["summary"]["flaggedForReview"], 1);
    assert!(log["operations"][0]["needsReview"].is_boolean() && log["startedAt"].is_string(), "{log:#}");
}

#[test]
fn the_gates_hold_in_their_order_and_say_so_literally() {
    let env = dreaming();
    let skipped = |env: &Env, moment: &str, gate: &str, reason: &str| {
        let ran = at(env, moment, &["dream"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, format!("Dream skipped: {reason}\n").as_str()));
        let data = json(&at(env, moment, &["dream", "--json"]).stdout)["data"].clone();
        assert_eq!(
            (&data["status"], &data["gate"], &data["reason"]),
            (&value!("skipped"), &value!(gate), &value!(reason))
        );
    };
    let now = "2023-11-14T22:13:20Z";
    curate(&env, "One");
    skipped(&env, now, "activity", "Not enough activity (1 < 3 curations)");
    curate(&env, "Two");
    curate(&env, "Three");
    assert_eq!(dream(&env, &[], 0)["status"], "completed");
    skipped(&env, "2023-11-15T00:43:20Z", "time", "Too recent (2.5h < 12h)");
    skipped(&env, "2023-11-15T10:13:20Z", "activity", "Not enough activity (0 < 3 curations)");
    assert_eq!(at(&env, now, &["dream", "--force"]).code, 0);
    // a dream of somebody else is too recent, too, once it is at the upstream
    let remote = env.bare("team.git");
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]).code, 0);
    let ran = env.brv(&["vc", "push", "-u", "origin", "main", "--allow", "review", "--reason", "x"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::remove_file(env.path(".brv/dream-state.json")).unwrap();
    skipped(&env, "2023-11-15T00:43:20Z", "time", "Too recent (2.5h < 12h)");
}

#[test]
fn one_dream_at_a_time_and_a_lock_that_was_left_over_is_taken() {
    let env = dreaming();
    let lock = env.path(".brv/dream.lock");
    let held = |pid: u32| format!("{{\"pid\":{pid},\"startedAt\":\"2023-11-14T22:13:20Z\"}}");
    std::fs::write(&lock, held(std::process::id())).unwrap();
    let data = dream(&env, &["--force"], 0);
    let reason = format!("Another dream is running (pid {})", std::process::id());
    assert_eq!((&data["gate"], &data["reason"]), (&value!("lock"), &value!(reason)));
    assert_eq!(dream(&env, &["--force", "--plan"], 0)["gate"], "lock");
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), held(std::process::id()), "it stays the other's");
    // half an hour old, it counts no more
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 60);
    std::fs::File::options().write(true).open(&lock).unwrap().set_modified(old).unwrap();
    assert_eq!(dream(&env, &["--force"], 0)["status"], "completed");
    assert!(!lock.exists());
    #[cfg(unix)]
    {
        // nor that of a process that is gone
        std::fs::write(&lock, held(i32::MAX as u32)).unwrap();
        assert_eq!(dream(&env, &["--force"], 0)["status"], "completed");
    }
}

#[test]
fn a_dry_run_and_a_plan_change_nothing() {
    let env = dreaming();
    let before = (env.git(&tree(&env), &["rev-parse", "HEAD"]), read(&env, TOKENS));
    let data = dream(&env, &["--force", "-n"], 0);
    assert_eq!(
        (&data["status"], &data["summary"]["consolidated"]),
        (&value!("planned"), &value!(1)),
        "{data:#}"
    );
    let plan = plan(&env);
    assert_eq!(plan["base"], before.0.trim());
    let files = plan["consolidate"][0]["files"].as_array().unwrap();
    assert!(files.iter().all(|file| file["blob"].as_str().unwrap().len() == 40), "{plan:#}");
    assert_eq!((env.git(&tree(&env), &["rev-parse", "HEAD"]), read(&env, TOKENS)), before);
    assert!(!env.path(".brv/dream-state.json").exists() && !env.path(".brv/dream-log").exists());
    assert_eq!(env.brv(&["op", "log", "--json"]).stdout.matches("\"dream\"").count(), 0);
}

/// A link in a file that somebody edits would be turned on disk, and broken in the commit.
#[test]
fn a_source_stays_while_a_file_that_links_to_it_is_edited() {
    let env = dreaming();
    let edited = format!("{}\nIn the making.\n", read(&env, KEYS).unwrap());
    std::fs::write(tree(&env).join(KEYS), &edited).unwrap();
    let data = dream(&env, &["--force"], 0);
    assert_eq!(data["summary"]["consolidated"], 0, "{data:#}");
    assert_eq!((read(&env, KEYS).unwrap(), read(&env, COPY).is_some()), (edited, true));
}

/// One path that is taken back leaves the rest of the dream, which can still be undone as a whole.
#[test]
fn a_dream_stands_until_all_of_it_is_taken_back() {
    let env = dreaming();
    let remote = env.bare("team.git");
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]).code, 0);
    let plan = plan(&env);
    let candidate = cluster(&plan, TOKENS);
    let merge = value!({"candidate": candidate, "action": "MERGE", "into": TOKENS, "sources": [COPY], "reason": "same"});
    let update = value!({"candidate": candidate, "action": "TEMPORAL_UPDATE", "path": PARTNER, "markdown": "Shorter.\n", "reason": "new"});
    let data = decide(&env, &plan, value!([merge, update]), 0);
    let ran = env.brv(&["vc", "push", "-u", "origin", "main", "--allow", "review", "--reason", "x"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = json(&env.brv(&["review", "--all", "--json"]).stdout)["data"]["pending"].clone();
    let row = rows.as_array().unwrap().iter().find(|row| row["path"] == PARTNER).unwrap();
    assert_eq!(env.brv(&["review", "reject", row["id"].as_str().unwrap()]).code, 0);
    assert!(read(&env, PARTNER).unwrap().contains("13 hours"));
    assert_eq!(
        (&state(&env)["totalDreams"], &log(&env, &data["id"])["status"]),
        (&value!(1), &value!("completed"))
    );
    assert_eq!(dream(&env, &["--undo"], 0)["id"], data["id"]);
    assert!(read(&env, COPY).is_some());
    assert_eq!(state(&env)["totalDreams"], 0);
}

#[test]
fn what_a_person_commits_later_is_undone_with_the_dream() {
    let env = dreaming();
    assert_eq!(env.brv(&["config", "set", "commit.auto", "false"]).code, 0);
    let data = dream(&env, &["--force"], 0);
    assert!(data["commit"].is_null() && read(&env, COPY).is_none(), "{data:#}");
    assert_eq!(env.brv(&["vc", "commit", "-m", "tidied"]).code, 0);
    assert!(message(&env).contains("Brv-Dream: "), "{}", message(&env));
    assert_eq!(dream(&env, &["--undo"], 0)["status"], "undone");
    assert!(read(&env, COPY).is_some());
    assert_eq!(log(&env, &data["id"])["status"], "undone");
}

/// A dream is named by its plan, which may be older than the dream before it, unless another one has that name.
#[test]
fn the_last_dream_is_the_one_that_ended_last() {
    let env = dreaming();
    dream(&env, &["--force"], 0);
    turn(&env);
    let plan = plan(&env);
    // it has the name that the plan would have given
    dream(&env, &["--force"], 0);
    let create = value!({"candidate": plan["synthesize"][0]["id"], "action": "CREATE", "title": "", "markdown": "---\ntitle: Whole\n---\n\nThe gate signs.\n", "reason": "new"});
    let input = value!({"plan": plan["id"], "decisions": [create]}).to_string();
    let file = env.path("decisions.json");
    std::fs::write(&file, input).unwrap();
    let ran = at(&env, "2023-11-14T23:13:20Z", &["dream", "--decisions", file.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let written = json(&ran.stdout)["data"]["id"].clone();
    assert_eq!(state(&env)["lastDreamAt"], "2023-11-14T23:13:20Z");
    assert!(read(&env, "synthesis/whole.md").unwrap().contains("title: \"Whole\""));
    assert_eq!(dream(&env, &["--undo"], 0)["id"], written);
    assert!(read(&env, "synthesis/whole.md").is_none());
}

/// A clock that ran ahead once, and a branch that got nothing, keep nobody from dreaming.
#[test]
fn what_was_no_dream_does_not_count() {
    let env = project(&[("a/one.md", "# One\n\nText.\n")]);
    commit(&env, "start");
    assert_eq!(at(&env, "2031-01-01T00:00:00Z", &["dream", "--force"]).code, 0);
    assert_eq!(dream(&env, &[], 0)["gate"], "activity");
    ["One", "Two", "Three"].iter().for_each(|title| curate(&env, title));
    assert_eq!(dream(&env, &[], 0)["status"], "completed");
    // nor one that came from a remote
    let env = dreaming();
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.env("BRV_CLOCK", "2031-01-01T00:00:00Z").env("GIT_AUTHOR_DATE", "2031-01-01T00:00:00Z");
    assert!(command.args(["dream", "--force"]).output().unwrap().status.success());
    let remote = env.bare("team.git");
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]).code, 0);
    let ran = env.brv(&["vc", "push", "-u", "origin", "main", "--allow", "review", "--reason", "x"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bo = super::undoing::clone(&env);
    for title in ["One", "Two", "Three"] {
        let words = ["curate", "-q", "Said.", "--into", "notes/all", "--title", title, "--reason", "x"];
        assert_eq!(env.brv_in(&bo, &words).code, 0);
    }
    let ran = env.brv_in(&bo, &["dream"]);
    assert!(ran.stdout.starts_with("Dream completed"), "{}{}", ran.stdout, ran.stderr);
    let env = project(&[("a/one.md", "# One\n\nText.\n")]);
    commit(&env, "start");
    assert!(dream(&env, &["--force", "--branch"], 0)["commit"].is_null());
    assert_eq!(dream(&env, &[], 0)["gate"], "activity");
    assert!(!env.path(".brv/dream-state.json").exists());
}

/// What somebody edits now is theirs.
#[test]
fn an_entry_with_uncommitted_changes_is_left_alone() {
    let env = dreaming();
    let edited = format!("{}\nA sentence in the making.\n", read(&env, COPY).unwrap());
    std::fs::write(tree(&env).join(COPY), &edited).unwrap();
    let data = dream(&env, &["--force"], 0);
    assert_eq!(data["summary"]["consolidated"], 0, "{data:#}");
    assert_eq!(read(&env, COPY).unwrap(), edited);
}

#[test]
fn what_was_taken_back_is_not_done_again() {
    let env = dreaming();
    let data = dream(&env, &["--force"], 0);
    assert_eq!(data["summary"]["consolidated"], 1);
    let undone = dream(&env, &["--undo"], 0);
    assert_eq!((&undone["status"], &undone["id"]), (&value!("undone"), &data["id"]));
    assert!(read(&env, COPY).is_some());
    assert_eq!(
        (&state(&env)["totalDreams"], &log(&env, &data["id"])["status"]),
        (&value!(0), &value!("undone"))
    );
    let decided = json(&env.brv(&["review", "log", "--json"]).stdout)["data"]["decisions"].clone();
    assert_eq!((&decided[0]["path"], &decided[0]["decision"]), (&value!(TOKENS), &value!("rejected")));
    let again = dream(&env, &["--force"], 0);
    assert_eq!(again["summary"]["consolidated"], 0, "{again:#}");
    assert!(rows(&again).iter().all(|row| !row.contains("applied")), "{again:#}");
    // an edit makes it another question
    let edited = read(&env, COPY).unwrap().replace("title: Tokens of a session", "title: Session tokens");
    std::fs::write(tree(&env).join(COPY), edited).unwrap();
    commit(&env, "edit");
    assert_eq!(dream(&env, &["--force"], 0)["summary"]["consolidated"], 1);
}

#[test]
fn a_dream_that_ends_early_keeps_what_it_did_and_says_what_it_did_not() {
    use brv_commands::dream::work::{self, Gates, Halt, Request};
    use brv_engine::dream::Trigger;
    use brv_engine::write::overriding::Allowed;
    let env = dreaming();
    let environment = env.environment();
    let cx = crate::env::context_of(env.root(), &environment);
    let opened = cx.open().unwrap();
    let halt = || Some(Halt::Time);
    let request = Request {
        gates: Gates::Open,
        mode: brv_engine::Mode::Write,
        branch: None,
        writer: brv_commands::dream::work::Writer::Nobody,
        trigger: Trigger::Manual,
        job: None,
        limit: 50,
        allowed: &Allowed::default(),
        halt: &halt,
    };
    let outcome = work::run(cx.parts(&opened), &request).unwrap();
    // nothing was applied: it is not a dream
    assert_eq!(outcome.status, work::DreamStatus::Error);
    assert!(outcome.operations.iter().any(|row| row.status == work::RowStatus::Deferred));
    assert_eq!(log(&env, &value!(outcome.id.unwrap().to_string()))["status"], "error");
    assert!(!env.path(".brv/dream-state.json").exists());
    // what was put off comes again
    assert_eq!(dream(&env, &["--force"], 0)["summary"]["consolidated"], 1);
}

#[test]
fn in_the_repository_of_the_code_the_commit_is_left_to_the_person() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q"]);
    let ran = env.brv(&["init", "-q", "--in-repo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    crate::init::write(&env, &FILES);
    env.git(env.root(), &["add", "-A"]);
    env.git(env.root(), &["commit", "-qm", "start"]);
    let data = dream(&env, &["--force"], 0);
    assert!(data["operation"].is_string() && data["commit"].is_null(), "{data:#}");
    assert!(read(&env, COPY).is_none());
    assert_eq!(dream(&env, &["--undo"], 0)["status"], "undone");
    assert!(read(&env, COPY).is_some());
    assert_eq!(state(&env)["totalDreams"], 0);
}

#[test]
fn a_paragraph_that_stands_in_a_longer_one_is_not_there_twice() {
    let shared = "Deploys run on Mondays from the release branch, since the nightly job rebuilds the images on Sunday. \
         Whoever deploys watches the error rate for an hour and rolls back if it rises above two percent.";
    let long = format!("# How we deploy\n\n{shared} Staging is deployed on Fridays.\n");
    let short = format!("# Deploying\n\n{shared}\n");
    let env = project(&[
        ("ops/deploy/how.md", &format!("---\ntitle: How we deploy\n---\n\n{long}")),
        ("ops/deploy/how_2.md", &format!("---\ntitle: Deploying\ntags: [ops]\n---\n\n{short}")),
    ]);
    commit(&env, "start");
    let data = dream(&env, &["--force"], 0);
    assert_eq!(data["summary"]["consolidated"], 1, "{data:#}");
    let merged = read(&env, "ops/deploy/how.md").unwrap();
    assert!(merged.ends_with(&format!("---\n\n{long}")) && merged.contains("tags: [ops]"), "{merged}");
    assert_eq!(read(&env, "ops/deploy/how_2.md"), None);
    assert_eq!(env.brv(&["undo", "last"]).code, 0);
    assert!(read(&env, "ops/deploy/how_2.md").unwrap().ends_with(&short));
}

#[test]
fn what_a_dream_says_to_run_next_is_not_refused() {
    // two that are near, and nothing that is certain without a writer
    let env = project(&[FILES[0], FILES[2]]);
    commit(&env, "start");
    let ran = env.brv(&["dream", "--force", "--json"]);
    let next = json(&ran.stdout)["next"].clone();
    assert_eq!((ran.code, &next), (0, &value!(["brv dream --plan"])), "{}", ran.stdout);
    let line = next[0].as_str().unwrap();
    let ran = env.brv(&[&line.split(' ').skip(1).collect::<Vec<_>>()[..], &["--json"]].concat());
    let planned = json(&ran.stdout);
    assert_eq!((ran.code, &planned["schema"]), (0, &"brv.dream.plan/1".into()), "{planned}");
    assert_eq!(planned["data"]["consolidate"].as_array().unwrap().len(), 1, "{planned}");
}
