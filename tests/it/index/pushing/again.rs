//! The second push and those after it: nothing is sent twice, and what is gone goes.

use super::*;
use crate::index::engine::Family;
use crate::index::engine::faults::Fault;

const NEXT_DAY: &str = "2023-11-15T22:13:21Z";
const DAY_AFTER: &str = "2023-11-17T00:00:00Z";

#[test]
fn a_second_push_sends_nothing_and_asks_three_times_at_most() {
    let (env, engine) = (Env::new(), Engine::start(Family::Elasticsearch));
    let teams = ["brv", "observatory", "dream"].map(|name| Team::new(&env, name, name));
    let urls: Vec<&str> = teams.iter().flat_map(|team| ["--remote", team.url()]).collect();
    let first = ended(&run(&env, &engine, &urls), 0);
    for (tree, team) in first["data"]["trees"].as_array().unwrap().iter().zip(&teams) {
        assert_eq!(
            (&tree["tree"], &tree["from"], &tree["state"]),
            (&json!(team.tree()), &Value::Null, &json!("done"))
        );
        let documents = living(&engine).into_keys().filter(|(tree, _)| *tree == team.tree()).count();
        let kept_back = tree["withheld"].as_array().unwrap().len();
        assert_eq!(tree["sent"], documents);
        let listed = env.git(&team.work, &["ls-files"]);
        let searched = listed.lines().filter(|line| line.ends_with(".md\"") || line.ends_with(".md"));
        let derived = |line: &&str| !line.ends_with("_index.md") && *line != "README.md";
        assert_eq!(
            documents + kept_back,
            searched.filter(derived).count(),
            "every entry and overview has a document"
        );
    }
    let before = engine.documents("brv");
    engine.forget_calls();
    let second = ended(&run(&env, &engine, &urls), 0);
    assert_eq!(second["data"]["summary"]["sent"], 0);
    assert_eq!((engine.calls().len(), writes(&engine)), (3, vec![]), "for all three trees together");
    assert_eq!(before, engine.documents("brv"));
    engine.forget_calls();
    push(&env, &engine, &teams[0]);
    assert_eq!(before, engine.documents("brv"));
}

#[test]
fn ten_changed_entries_are_six_requests() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "brv");
    push(&env, &engine, &team);
    let files: Vec<(String, String)> = (0..8)
        .map(|number| (format!("new/{number}.md"), entry("Retries", &format!("after {number} s"))))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let paths = env.git(&team.work, &["ls-files", "*/context.md"]);
    for path in paths.lines().take(2) {
        env.git(&team.work, &["rm", "-q", path]);
    }
    let commit = team.commit(&env, &files);
    let told = ended(&run(&env, &engine, &["--remote", team.url()]), 0);
    assert!(engine.calls().len() <= 6, "{:?}", engine.calls());
    let tree = &told["data"]["trees"][0];
    assert_eq!((counts(tree), &tree["to"]), ((8, 0, 2), &json!(commit)));
    assert!(told["data"]["summary"]["bytes"].as_u64().unwrap() > 0);
    assert_eq!(living(&engine), fresh(&[&team]));
}

#[test]
fn a_blob_that_the_index_has_is_not_sent_again() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "observatory");
    let first = push(&env, &engine, &team);
    let all = counts(&first).0;
    assert!(all > 60, "{first}");
    // a commit that changes no file
    let second = team.commit(&env, &[]);
    let told = push(&env, &engine, &team);
    assert_eq!((counts(&told), &told["to"]), ((0, 0, 0), &json!(second)));
    assert!(is_settled(&engine, &team, &second));
    // files that are no entries
    team.commit(&env, &[("notes.txt", "x"), ("Makefile", "all:\n"), ("observing/_index.md", "derived\n")]);
    assert_eq!(counts(&push(&env, &engine, &team)), (0, 0, 0));
    // another machine, for which the first commit is the only news
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    let other = Env::new();
    assert_eq!(counts(&push(&other, &engine, &team)), (1, 0, 0));
    // a push by force: the commit that the index has is nowhere any more, and what it had is asked of the engine
    env.git(&team.work, &["reset", "-q", "--hard", "HEAD~1"]);
    env.git(&team.work, &["commit", "-q", "--amend", "-m", "another one"]);
    team.commit(&env, &[("other.md", &entry("Other", "two"))]);
    team.forget(&env);
    let told = push(&Env::new(), &engine, &team);
    assert_eq!(counts(&told), (1, 0, 1), "{told}");
    // the name of a file
    env.git(&team.work, &["mv", "other.md", "renamed.md"]);
    team.commit(&env, &[]);
    assert_eq!(counts(&push(&env, &engine, &team)), (1, 0, 1));
    assert_eq!(living(&engine), fresh(&[&team]));
    assert_eq!(living(&engine).len() as u64, all + 1);
}

#[test]
fn what_is_gone_is_a_mark_for_a_day() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "dream");
    push(&env, &engine, &team);
    let listed = env.git(&team.work, &["ls-files", "*.md"]);
    let paths: Vec<&str> = listed.lines().take(2).collect();
    env.git(&team.work, &["rm", "-q", paths[0]]);
    team.commit(&env, &[]);
    assert_eq!(counts(&push(&env, &engine, &team)), (0, 0, 1));
    assert_eq!(gone(&engine), [paths[0]]);
    let swept_from = |engine: &Engine| mark(engine, &team.tree()).1["swept_from"].clone();
    assert_eq!(swept_from(&engine), 1_700_000_000);
    // not yet a day later
    let env = env.with("BRV_CLOCK", "2023-11-15T20:00:00Z");
    env.git(&team.work, &["rm", "-q", paths[1]]);
    team.commit(&env, &[]);
    push(&env, &engine, &team);
    assert_eq!((gone(&engine).len(), swept_from(&engine)), (2, json!(1_700_000_000)));
    // a day after the first, of a push that has nothing to send: the second stays
    let env = env.with("BRV_CLOCK", NEXT_DAY);
    push(&env, &engine, &team);
    assert_eq!(gone(&engine), [paths[1]]);
    assert_eq!(swept_from(&engine), 1_700_078_400, "when the oldest of those was marked that stay");
    let env = env.with("BRV_CLOCK", DAY_AFTER);
    push(&env, &engine, &team);
    assert_eq!((gone(&engine), swept_from(&engine)), (vec![], Value::Null));
    push(&env, &engine, &team);
    assert_eq!(living(&engine), fresh(&[&team]));
    // nothing is left to be looked for
    let told = ended(&run(&env, &engine, &["--remote", team.url()]), 0);
    assert_eq!((told["data"]["summary"]["sent"].clone(), engine.calls().len()), (json!(0), 3));
}

#[test]
fn one_that_came_back_is_not_swept_and_does_not_keep_the_others() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let team = Team::empty(&env, "team");
    team.commit(&env, &[("a.md", &entry("A", "one")), ("b.md", &entry("B", "two"))]);
    push(&env, &engine, &team);
    env.git(&team.work, &["rm", "-q", "a.md"]);
    team.commit(&env, &[]);
    push(&env, &engine, &team);
    let env = env.with("BRV_CLOCK", "2023-11-15T20:00:00Z");
    env.git(&team.work, &["rm", "-q", "b.md"]);
    team.commit(&env, &[("a.md", &entry("A", "one"))]);
    assert_eq!(counts(&push(&env, &engine, &team)), (1, 0, 1));
    let env = env.with("BRV_CLOCK", NEXT_DAY);
    push(&env, &engine, &team);
    assert_eq!(gone(&engine), ["b.md"]);
    let env = env.with("BRV_CLOCK", DAY_AFTER);
    push(&env, &engine, &team);
    assert_eq!((gone(&engine), living(&engine)), (vec![], fresh(&[&team])));
}

#[test]
fn a_tree_whose_mark_was_removed_by_hand_is_pushed_whole_again() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "dream");
    for commit in 0..3 {
        team.commit(&env, &[("new.md", &entry("New", &commit.to_string()))]);
        push(&env, &engine, &team);
    }
    let marks = json!({"query": {"term": {"kind": "mark"}}}).to_string();
    let target = "/brv/_delete_by_query?refresh=true";
    let removed = client::ask(&engine.url, "POST", target, Some((client::JSON, &marks))).unwrap();
    assert_eq!(removed.body["deleted"], 1, "{}", removed.body);
    engine.forget_calls();
    env.git(&team.work, &["rm", "-q", "new.md"]);
    let commit = team.commit(&env, &[]);
    // on a machine whose clock is behind
    let late = Env::new().with("BRV_CLOCK", "2023-11-14T22:00:00Z");
    let told = ended(&run(&late, &engine, &["--remote", team.url()]), 1);
    let tree = &told["data"]["trees"][0];
    assert!(tree["message"].as_str().unwrap().contains("clock of this machine behind"), "{tree}");
    engine.forget_calls();
    let env = env.with("BRV_CLOCK", "2023-11-15T00:00:00Z");
    let told = push(&env, &engine, &team);
    assert_eq!((&told["state"], counts(&told).1), (&json!("done"), 0), "{told}");
    assert!(is_settled(&engine, &team, &commit));
    assert_eq!((gone(&engine), living(&engine)), (vec!["new.md".to_owned()], fresh(&[&team])));
}

#[test]
fn what_a_drop_that_ended_early_left_does_not_stay_behind_a_push() {
    let (env, engine) = (Env::new(), Engine::start(Family::Elasticsearch));
    let team = Team::empty(&env, "team");
    team.commit(&env, &[("a.md", &entry("A", "one")), ("b.md", &entry("B", "two"))]);
    push(&env, &engine, &team);
    engine.fail(|call| call.path.ends_with("/_delete_by_query").then_some(Fault::ReadOnly));
    let tree = team.tree();
    let dropped = env.brv(&["index", "drop", &tree, "--json", "--engine", &engine.url]);
    assert_ne!(dropped.code, 0, "{}", dropped.stdout);
    engine.heal();
    engine.forget_calls();
    assert_eq!(living(&engine).len(), 2);
    env.git(&team.work, &["rm", "-q", "a.md"]);
    team.commit(&env, &[]);
    assert_eq!(counts(&push(&env, &engine, &team)), (1, 0, 1));
    assert_eq!((gone(&engine), living(&engine)), (vec!["a.md".to_owned()], fresh(&[&team])));
}

#[test]
fn full_removes_what_nothing_tells_of_and_counts_what_was_there() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let team = Team::empty(&env, "team");
    let secret = entry("Key", "AKIAIOSFODNN7EXAMPLF");
    team.commit(&env, &[("a.md", &entry("A", "one")), ("secret.md", &secret)]);
    push(&env, &engine, &team);
    // a document that arrives after its push was killed, of a commit that is nowhere any more
    let other = Engine::start(Family::OpenSearch);
    team.commit(&env, &[("late.md", &entry("Late", "two"))]);
    push(&env, &other, &team);
    env.git(&team.work, &["reset", "-q", "--hard", "HEAD~1"]);
    team.publish(&env);
    team.forget(&env);
    let found = other.documents("brv").into_iter().find(|(_, _, document)| document["path"] == "late.md");
    let (id, number, late) = found.unwrap();
    let line = json!({"index": {"_id": id, "version": number, "version_type": "external_gte"}});
    let body = format!("{line}\n{late}\n");
    client::ask(&engine.url, "POST", "/brv/_bulk?refresh=true", Some((client::LINES, &body))).unwrap();
    engine.forget_calls();
    assert!(living(&engine).contains_key(&(team.tree(), "late.md".to_owned())));
    assert_eq!(counts(&pushed(&env, &engine, &team, &["--full"])), (1, 0, 1));
    assert_eq!(counts(&pushed(&env, &engine, &team, &["--full"])), (1, 0, 0));
}

#[test]
fn a_name_that_another_remote_takes_over_is_said() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let teams = ["brv", "dream"].map(|name| Team::new(&env, name, name));
    let pushed = |team: &Team| {
        let list = env.path("list");
        std::fs::write(&list, format!("{} - - team\n", team.url())).unwrap();
        let told = ended(&run(&env, &engine, &["--remotes", list.to_str().unwrap()]), 0);
        told["data"]["trees"][0].clone()
    };
    assert_eq!(pushed(&teams[0]).get("message"), None);
    let taken = pushed(&teams[1]);
    let message = taken["message"].as_str().unwrap();
    assert_eq!(
        (&taken["state"], message),
        (&json!("done"), &*format!("until now the tree of `{}`", teams[0].url()))
    );
    assert_eq!(pushed(&teams[1]).get("message"), None);
}

#[test]
fn full_sends_all_and_so_do_terms_of_an_older_version() {
    let (env, engine) = (Env::new(), Engine::start(Family::Elasticsearch));
    let team = Team::new(&env, "team", "brv");
    let (all, ..) = counts(&push(&env, &engine, &team));
    let before = living(&engine);
    assert_eq!(counts(&pushed(&env, &engine, &team, &["--full"])), (all, 0, 0));
    let (_, own) = mark(&engine, &team.tree());
    change_mark(&engine, &team.tree(), |mark| {
        mark["tokens_version"] = json!(own["tokens_version"].as_u64().unwrap() - 1)
    });
    assert_eq!(counts(&push(&env, &engine, &team)), (all, 0, 0));
    assert_eq!(mark(&engine, &team.tree()).1["tokens_version"], own["tokens_version"]);
    assert_eq!(living(&engine), before);
    // interrupted while all is sent: the mark says at once that there are terms of the new version
    change_mark(&engine, &team.tree(), |mark| mark["tokens_version"] = json!(0));
    engine.fail(|call| call.path.ends_with("/_bulk").then_some(Fault::ReadOnly));
    ended(&run(&env, &engine, &["--remote", team.url()]), 1);
    assert_eq!(mark(&engine, &team.tree()).1["tokens_version"], own["tokens_version"]);
    engine.heal();
    engine.forget_calls();
    assert_eq!(counts(&push(&env, &engine, &team)), (all, 0, 0));
    assert_eq!(living(&engine), before);
}

#[test]
fn terms_of_a_newer_version_stop_it_before_anything_is_fetched() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let (team, other) = (Team::new(&env, "team", "dream"), Team::new(&env, "other", "brv"));
    push(&env, &engine, &team);
    change_mark(&engine, &team.tree(), |mark| mark["tokens_version"] = json!(9_999));
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    let before = engine.documents("brv");
    let machine = Env::new();
    for more in [&[][..], &["--full"], &["--dry-run"]] {
        let arguments = [&["--remote", other.url(), "--remote", team.url()], more].concat();
        let told = ended(&run(&machine, &engine, &arguments), 6);
        assert_eq!(told["error"]["code"], "tokens_newer", "{told}");
    }
    assert_eq!((mirrors(&machine), writes(&engine), engine.documents("brv")), (vec![], vec![], before));
}

#[test]
fn a_dry_run_writes_nothing_and_shows_what_would_be_sent() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "dream");
    let planned = pushed(&env, &engine, &team, &["--dry-run"]);
    assert!(engine.documents("brv").is_empty());
    let sent = push(&env, &engine, &team);
    assert_eq!((counts(&planned), &planned["to"]), (counts(&sent), &sent["to"]));
    let listed = env.git(&team.work, &["ls-files", "*.md"]);
    env.git(&team.work, &["rm", "-q", listed.lines().next().unwrap()]);
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    let before = engine.documents("brv");
    let told = ended(&run(&env, &engine, &["--remote", team.url(), "--dry-run"]), 0);
    assert_eq!((counts(&told["data"]["trees"][0]), &told["data"]["dry_run"]), ((1, 0, 1), &json!(true)));
    assert_eq!((writes(&engine), engine.documents("brv")), (vec![], before));
    engine.forget_calls();
    assert_eq!(counts(&push(&env, &engine, &team)), (1, 0, 1));
}
