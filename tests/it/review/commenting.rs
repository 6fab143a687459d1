//! `brv review comment`, `comments` and `answer`.

use super::*;
use crate::init::write;
use std::time::{Duration, Instant};

/// Comment on something; the comment.
#[track_caller]
pub fn comment(env: &Env, arguments: &[&str]) -> Value {
    data(env, &[&["review", "comment"], arguments].concat(), 0)["comment"].clone()
}

/// Id and state of the comments that are listed.
#[track_caller]
pub fn listed(env: &Env, arguments: &[&str]) -> Vec<(String, String)> {
    let data = data(env, &[&["review", "comments"], arguments].concat(), 0);
    let rows = data["comments"].as_array().unwrap();
    assert_eq!(data["count"], rows.len());
    rows.iter().map(|row| (text(&row["id"]), text(&row["state"]))).collect()
}

fn lifetime(statement: &str) -> Value {
    value!([{"type": "UPDATE", "path": TOKENS, "reason": "measured",
        "content": {"facts": [{"subject": "lifetime", "statement": statement}]}}])
}

#[test]
fn a_comment_on_an_entry_is_answered_once() {
    let env = shared();
    let tip = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    let made = comment(&env, &["auth/tokens/token_lifetime", "--fact", "Lifetime", "-m", " why\nso long? "]);
    assert_eq!((&made["path"], &made["quote"]), (&value!(TOKENS), &value!("24 hours")));
    assert_eq!((&made["text"], &made["state"]), (&value!("why\nso long?"), &value!("open")));
    assert!(made.get("change").is_none() && made.get("answer").is_none(), "{made}");
    assert!(made["actor"].is_string() && made["time"].is_string());
    let blob = env.git(&tree(&env), &["rev-parse", &format!("HEAD:{TOKENS}")]);
    assert_eq!(made["blob"], blob.trim());
    let id = text(&made["id"]);
    // said again, after an interruption, it is the same
    assert_eq!(comment(&env, &[TOKENS, "--fact", "Lifetime", "-m", "why\nso long?"])["id"], *id);
    let line = comment(&env, &[TOKENS, "--line", "2", "-m", "here"]);
    let open = |id: &str| (id.to_owned(), "open".to_owned());
    assert_eq!(listed(&env, &[]), [open(&id), open(&text(&line["id"]))]);
    assert_eq!(listed(&env, &["auth/tokens"]).len(), 2, "a folder has those below it");
    assert_eq!(listed(&env, &[&id[..7]]), [open(&id)]);
    assert_eq!(listed(&env, &[KEYS]), []);
    let agent = |arguments: &[&str]| env.brv_with(&[("BRV_ACTOR", "claude")], arguments);
    let answered = done(agent(&["review", "answer", &id[..8], "-m", "as decided in May", "--json"]));
    let answered = json(&answered.stdout)["data"]["comment"].clone();
    assert_eq!((&answered["state"], &answered["answer"]["actor"]), (&value!("answered"), &value!("claude")));
    done(agent(&["review", "answer", &id, "-m", "as decided in May"]));
    let said = error(&env, &["review", "answer", &id, "-m", "another one"], 6);
    assert!(text(&said["message"]).contains("was answered by claude"), "{said}");
    let shown = done(env.brv(&["review", "comments"])).stdout;
    for part in ["answered", "> 24 hours", "so long?", "as decided in May", "claude"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), tip, "nothing of it is in the tree");
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
    // no clone brings it
    let bo = clone(&env);
    assert_eq!(data_in(&env, &bo, &["review", "comments", "--all"], 0)["count"], 0);
}

#[test]
fn a_quote_that_is_gone_makes_a_comment_outdated() {
    let env = shared();
    let fact = text(&comment(&env, &[TOKENS, "--fact", "lifetime", "-m", "why?"])["id"]);
    let other = text(&comment(&env, &[TOKENS, "--fact", "issuer", "-m", "which?"])["id"]);
    let whole = text(&comment(&env, &[USES, "-m", "needed?"])["id"]);
    let states = || {
        let all = listed(&env, &[]);
        [&fact, &other, &whole].map(|id| all.iter().find(|one| one.0 == *id).unwrap().1.clone())
    };
    curate(&env, lifetime("12 hours"));
    assert_eq!(states(), ["outdated", "open", "open"]);
    done(env.brv(&["undo"]));
    assert_eq!(states(), ["open", "open", "open"], "an undo brings it back");
    curate(&env, delete(USES));
    assert_eq!(states(), ["open", "open", "outdated"]);
    let changed = read(&env, TOKENS).replace("the gate", "nobody");
    write(&env, &[(TOKENS, &changed)]);
    assert_eq!(states()[1], "outdated", "an edit by hand counts, too");
    done(env.brv(&["review", "answer", &other, "-m", "nobody"]));
    assert_eq!(states()[1], "answered");
}

#[test]
fn a_decision_closes_the_comments_on_its_change_until_it_is_taken_back() {
    for verb in ["approve", "reject"] {
        let env = shared();
        curate(
            &env,
            value!([
                {"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}},
                {"type": "DELETE", "path": USES, "reason": "outdated"},
            ]),
        );
        let [changed, gone] = [TOKENS, USES].map(|path| id(&env, path));
        let on = |arguments: &[&str]| comment(&env, arguments);
        let removed = on(&[&changed, "--fact", "issuer", "-m", "it is still the gate"]);
        assert_eq!((&removed["quote"], &removed["change"]), (&value!("the gate"), &value!(changed)));
        let kept = on(&[&changed[..7], "--fact", "lifetime", "-m", "and this?"]);
        let deleted = on(&[&gone, "-m", "needed"]);
        assert_eq!(on(&[USES, "-m", "needed"])["id"], deleted["id"], "the path of what a change deleted");
        let ids = [&removed, &kept, &deleted].map(|one| text(&one["id"]));
        let states =
            |all: &[&str]| -> Vec<String> { listed(&env, all).into_iter().map(|one| one.1).collect() };
        assert_eq!(states(&[]), ["open"; 3], "a fact or an entry that the change removed is not outdated");
        done(env.brv(&["review", "answer", &ids[1], "-m", "yes"]));
        done(env.brv(&["review", verb, &changed]));
        assert_eq!(states(&[]), ["open"]);
        assert_eq!(states(&["--all"]), ["closed", "closed", "open"]);
        // what is said after the decision is about it
        let later = on(&[&changed, "-m", "really?"]);
        assert_eq!(later["state"], "open");
        match verb {
            "approve" => done(env.brv(&["review", "reopen", &changed])),
            _ => done(env.brv(&["undo"])),
        };
        assert_eq!(states(&[]), ["open", "answered", "open", "open"], "after {verb} it waits again");
    }
}

#[test]
fn what_cannot_be_commented_on_is_an_error_with_the_nearest_names() {
    let env = shared();
    delete_both(&env);
    let operation = text(&json(&env.brv(&["op", "log", "--json"]).stdout)["data"]["operations"][0]["id"]);
    let long = "x".repeat(4_001);
    for (arguments, code, part) in [
        (&[TOKENS, "--fact", "lifetimes", "-m", "x"][..], 2, "perhaps `lifetime`"),
        (&[TOKENS, "--line", "900", "-m", "x"], 2, "its last line is"),
        (&["auth/tokens/token_lifetim.md", "-m", "x"], 2, "token_lifetime"),
        (&["auth/tokens", "-m", "x"], 2, "is a folder"),
        (&["zzz", "-m", "x"], 2, "no change and no entry"),
        (&[&operation, "-m", "x"], 2, "has 2 changes"),
        (&[TOKENS, "-m", " \n "], 2, "is a text"),
        (&[TOKENS, "-m", &long], 2, "at most 4000 characters"),
        (&[TOKENS, "-m", "the key is AKIAIOSFODNN7EXAMPLA"], 7, "BRV006"),
        (&[TOKENS, "--line", "1", "--fact", "lifetime", "-m", "x"], 2, "--line"),
        (&[TOKENS, "--line", "0", "-m", "x"], 2, "line"),
    ] {
        let said = error(&env, &[&["review", "comment"], arguments].concat(), code).to_string();
        assert!(said.contains(part) && !said.contains("AKIA"), "{arguments:?}: {said}");
    }
    assert_eq!(listed(&env, &["--all"]), [], "nothing was kept");
    let one = text(&comment(&env, &[TOKENS, "-m", &"é".repeat(4_000)])["id"]);
    error(&env, &["review", "answer", "zzz", "-m", "x"], 2);
    error(&env, &["review", "answer", "", "-m", "x"], 2);
    error(&env, &["review", "answer", &one, "-m", "AKIAIOSFODNN7EXAMPLA"], 7);
    assert_eq!(listed(&env, &[]), [(one, "open".to_owned())]);
    for typed in ["zzz", "auth/nothing.md"] {
        error(&env, &["review", "comments", typed], 2);
    }
    let terminal = done(env.brv(&["review", "comment", TOKENS, "-m", "red \u{1b}[31m and \u{7}\u{200b}end"]));
    assert!(!terminal.stdout.contains(['\u{1b}', '\u{7}']), "{:?}", terminal.stdout);
}

#[test]
fn an_ambiguous_id_is_refused() {
    let env = shared();
    let ids: Vec<String> =
        (0..17).map(|at| text(&comment(&env, &[TOKENS, "-m", &format!("comment {at}")])["id"])).collect();
    let first = |id: &String| id[..1].to_owned();
    let doubled = ids.iter().find(|id| ids.iter().filter(|one| first(one) == first(id)).count() > 1).unwrap();
    let said = error(&env, &["review", "answer", &first(doubled), "-m", "x"], 2);
    assert!(
        text(&said["message"]).contains("ambiguous") && text(&said["message"]).contains(doubled),
        "{said}"
    );
}

#[test]
fn a_wait_ends_with_the_next_open_comment_or_in_time() {
    let env = shared();
    let start = Instant::now();
    assert_eq!(listed(&env, &["--wait", "1"]), []);
    assert!((1..10).contains(&start.elapsed().as_secs()));
    let waited = std::thread::scope(|scope| {
        let waits = scope.spawn(|| listed(&env, &["--wait", "120"]));
        std::thread::sleep(Duration::from_millis(600));
        let id = text(&comment(&env, &[TOKENS, "-m", "why?"])["id"]);
        assert_eq!(waits.join().unwrap(), [(id.clone(), "open".to_owned())]);
        id
    });
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(listed(&env, &["--wait", "120"]).len(), 1, "one that waits is listed at once");
    done(env.brv(&["review", "answer", &waited, "-m", "so"]));
    assert_eq!(listed(&env, &["--wait", "0"]), []);
    error(&env, &["review", "comments", "--wait", "601"], 2);
}

#[test]
fn what_was_closed_long_ago_is_forgotten() {
    let env = shared();
    let id = text(&comment(&env, &[TOKENS, "-m", "why?"])["id"]);
    let open = text(&comment(&env, &[KEYS, "-m", "which?"])["id"]);
    done(env.brv(&["review", "answer", &id, "-m", "so"]));
    let listed = |arguments: &[&str]| {
        let ran = done(env.brv_with(
            &[("BRV_CLOCK", "2024-11-14T22:13:20Z")],
            &[&["review", "comments", "--json"], arguments].concat(),
        ));
        let data = json(&ran.stdout)["data"]["comments"].clone();
        data.as_array().unwrap().iter().map(|row| text(&row["id"])).collect::<Vec<_>>()
    };
    assert_eq!(listed(&["--all"]), [open], "what waits for an answer is kept");
}

#[test]
fn a_killed_command_leaves_a_whole_comment_or_none() {
    let env = shared();
    let started: Vec<_> = (0..12)
        .map(|at| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_brv"));
            env.prepare(&mut command);
            let text = format!("comment {at} ") + &"x".repeat(3_000);
            command.current_dir(env.root()).args(["review", "comment", TOKENS, "-m", &text]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            let mut child = command.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(at * 4));
            let _ = child.kill();
            (text, child.wait().unwrap().success())
        })
        .collect();
    let all = data(&env, &["review", "comments"], 0)["comments"].clone();
    let kept: Vec<String> = all.as_array().unwrap().iter().map(|one| text(&one["text"])).collect();
    for (text, is_done) in &started {
        assert!(!is_done || kept.contains(text));
    }
    assert!(kept.iter().all(|one| started.iter().any(|(text, _)| text == one)));
}
