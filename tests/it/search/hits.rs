//! What counts as used: the entry that served, once per session.

use super::{asked, knowledge};
use crate::env::{Env, context_of};
use brv_commands::query;
use brv_engine::Context;
use brv_engine::open::context::Actor;
use std::collections::BTreeMap;

const KEYS: &str = "auth/keys/key_rotation.md";

/// The entries that were used, with how often, and their maturities.
fn used(env: &Env) -> BTreeMap<String, (u64, String)> {
    let (ran, data) = asked(env, &["signals"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let all = data["signals"].as_array().unwrap().iter().map(|one| {
        let hits = one["hits"].as_u64().unwrap();
        (one["path"].as_str().unwrap().to_owned(), (hits, one["maturity"].as_str().unwrap().to_owned()))
    });
    all.filter(|(_, (hits, _))| *hits > 0).collect()
}

/// How often the entry about keys was used; nothing else was.
fn hits(env: &Env) -> u64 {
    let mut used = used(env);
    let hits = used.remove(KEYS).map_or(0, |(hits, _)| hits);
    assert!(used.is_empty(), "{used:?}");
    hits
}

#[test]
fn only_what_serves_counts_as_used() {
    let mut env = knowledge();
    let keys = KEYS.trim_end_matches(".md");
    let questions = [
        (&["search", "signing key rotation"][..], 1),
        (&["search", "signing key rotation", "--no-hits"], 0),
        // the entry stands in the list, below what is covered
        (&["search", "vacation keys in Portugal"], 0),
        (&["query", "How are signing keys rotated?"], 1),
        // an earlier answer, to another session
        (&["query", "How are signing keys rotated?"], 1),
        (&["query", "How are signing keys rotated?", "--no-hits"], 0),
        (
            &[
                "query",
                "Which keys, sessions, nodes and archives do Redis or the gateway keep?",
                "--tier-max",
                "2",
            ],
            0,
        ),
        (&["query", "What is our vacation policy in Portugal?"], 0),
        (&["read", keys], 1),
        (&["read", KEYS, keys, "--level", "l0", "--json"], 1),
        (&["read", keys, "--at", "HEAD"], 0),
        (&["read", "auth/keys"], 0),
        (&["read", "auth/keys", "--level", "l0"], 0),
        (&["read", "auth/keys/context.md"], 0),
    ];
    for (number, (arguments, expected)) in questions.into_iter().enumerate() {
        env = env.with("BRV_SESSION", number.to_string());
        let before = hits(&env);
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert_eq!(hits(&env) - before, expected, "{arguments:?}");
    }
    let status = env.brv(&["vc", "status", "--porcelain"]);
    assert_eq!((status.code, status.stdout.as_str()), (0, ""));
}

#[test]
fn an_entry_counts_once_per_session() {
    let env = knowledge().with("BRV_SESSION", "one");
    for arguments in
        [&["search", "signing key rotation"][..], &["query", "signing key rotation"], &["read", KEYS]]
    {
        assert_eq!(env.brv(arguments).code, 0);
        assert_eq!(hits(&env), 1, "{arguments:?}");
    }
    let env = env.with("BRV_SESSION", "two");
    assert_eq!(env.brv(&["read", KEYS]).code, 0);
    assert_eq!(hits(&env), 2);
}

#[test]
fn of_passages_only_the_first_counts() {
    let env = knowledge();
    let (_, data) = asked(&env, &["query", "When do keys and tokens rotate?"]);
    assert!(data["by"] == "passages" && data["sources"].as_array().unwrap().len() > 1, "{data}");
    let first = data["passages"][0]["path"].as_str().unwrap();
    assert_eq!(used(&env).into_keys().collect::<Vec<_>>(), [first]);
}

#[test]
fn after_a_hundred_questions_nothing_is_validated_that_answered_none() {
    let env = knowledge();
    let mut served: BTreeMap<String, u64> = BTreeMap::new();
    let questions = [
        "What is the access token lifetime?",
        "How are signing keys rotated?",
        "Which keys, sessions, nodes and archives do Redis or the gateway keep?",
        "Who approves canary vacations in Portugal?",
    ];
    for number in 0..100 {
        let actor = Actor { session: Some(number.to_string()), ..Actor::default() };
        let cx = Context { actor, ..context_of(env.root(), &env.environment()) };
        let options = query::Options {
            question: questions[number % questions.len()].into(),
            scope: None,
            most_tier: 4,
            no_model: false,
            extent: query::EntryTextExtent::Lines,
            no_cache: false,
            no_hits: false,
            fresh: false,
            explain: false,
        };
        let (reply, _, after) = query::run(&cx, options).unwrap();
        after();
        let query::Outcome { answer, sources, passages, .. } = reply.outcome;
        let one = match answer {
            Some(_) => sources.first().map(|source| source.path.clone()),
            None => passages.first().map(|passage| passage.path.clone()),
        };
        *one.map_or(&mut 0, |one| served.entry(one).or_default()) += 1;
    }
    let used = used(&env);
    let hits: BTreeMap<String, u64> = used.iter().map(|(path, (hits, _))| (path.clone(), *hits)).collect();
    assert_eq!(hits, served);
    assert!(served.len() > 1 && used.values().all(|(_, maturity)| maturity != "draft"), "{used:?}");
}
