//! Tiers: what is answered by what, and what is not covered.

use super::{asked, knowledge, paths, write};
use crate::curate::apply;
use crate::env::tree;
use crate::init::{commit, project};
use serde_json::{Value, json as value};

#[test]
fn a_fact_answers_with_its_commit_and_every_claim_if_it_is_disputed() {
    let env = knowledge();
    let (ran, data) = asked(&env, &["query", "What is the access token lifetime?"]);
    assert_eq!(ran.code, 0);
    assert_eq!((data["tier"].as_u64(), data["by"].as_str()), (Some(2), Some("fact")), "{data}");
    assert_eq!(data["answer"], "access token lifetime: 24 hours [project]");
    assert_eq!(paths(&data["sources"]), ["auth/tokens/token_lifetime.md"]);
    let commit = env.git(&tree(&env), &["log", "-1", "--format=%H", "--", "auth/tokens/token_lifetime.md"]);
    assert_eq!(data["sources"][0]["commit"], commit.trim());
    let file = "auth/tokens/token_lifetime.md";
    let text = std::fs::read_to_string(tree(&env).join(file)).unwrap();
    let disputed = text
        .replacen("---\n", "---\ndisputed: [access token lifetime]\n", 1)
        .replace("24 hours [project]\n", "24 hours [project]\n- **access token lifetime**: one week\n");
    write(&env, file, &disputed);
    let (_, data) = asked(&env, &["query", "What is the access token lifetime?", "--fresh"]);
    let answer = data["answer"].as_str().unwrap_or_default();
    assert!(answer.contains("24 hours [project]") && answer.contains("one week"), "{data}");
    assert_eq!(data["sources"][0]["disputed"], true);
}

#[test]
fn passages_are_for_the_callers_model_and_say_where_they_are_from() {
    let env = knowledge();
    let (ran, data) =
        asked(&env, &["query", "Which keys, sessions, nodes and archives do Redis or the gateway keep?"]);
    assert_eq!((data["tier"].as_u64(), data["by"].as_str()), (Some(3), Some("passages")), "{data}");
    assert!(ran.stderr.is_empty() && data["answer"].is_null());
    let passage = &data["passages"][0];
    assert!(
        passage["text"].as_str().unwrap().len() > 10 && passage["origin"]["commit"].is_string(),
        "{passage}"
    );
    let length: usize = data["passages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["text"].as_str().unwrap().chars().count())
        .sum();
    assert!(length <= 4_000);
    let (_, short) = asked(
        &env,
        &[
            "query",
            "Which keys, sessions, nodes and archives do Redis or the gateway keep?",
            "--tier-max",
            "2",
        ],
    );
    assert_eq!(
        (short["by"].as_str(), short["passages"].as_array().unwrap().len()),
        (Some("none"), 0),
        "{short}"
    );
}

/// An entry of about 4,000 characters that answers in its middle.
fn long_entry() -> String {
    let other = |name: &str| {
        format!(
            "## The {name}\n\n{}\n",
            format!("The {name} has a log and a config file of its own.\n").repeat(18)
        )
    };
    let text = "## Rotation\n\nSigning keys rotate every ninety days, at night.\n\n";
    format!("---\ntitle: Gateway\n---\n# Gateway\n\n{}{text}{}", other("proxy"), other("console"))
}

#[test]
fn a_long_entry_answers_with_the_lines_that_answer() {
    let env = project(&[]);
    write(&env, "auth/gateway.md", &long_entry());
    write(&env, "auth/billing.md", "# Billing\n\nInvoices leave on Mondays.\n");
    let question = ["query", "signing keys rotate every ninety days", "--no-cache"];
    let (_, data) = asked(&env, &question);
    assert_eq!(data["by"], "entry", "{data}");
    let answer = data["answer"].as_str().unwrap();
    assert!(answer.starts_with("## Rotation\n\nSigning keys rotate every ninety days"), "{answer}");
    assert!(answer.chars().count() <= 600, "{answer}");
    let line = 1 + long_entry().lines().position(|line| line == "## Rotation").unwrap();
    assert_eq!(data["sources"][0]["line"], line, "{data}");
    let (_, full) = asked(&env, &[&question[..], &["--full"]].concat());
    assert_eq!(
        full["answer"].as_str().unwrap(),
        long_entry().split_once("---\n# ").map(|(_, body)| format!("# {}", body.trim())).unwrap()
    );
    // what is kept of one is not an answer to the other
    asked(&env, &["query", question[1]]);
    assert_eq!(asked(&env, &["query", question[1], "--full"]).1["answer"], full["answer"]);
}

#[test]
fn what_only_asks_is_no_answer() {
    let env = project(&[]);
    write(
        &env,
        "faq/keys.md",
        "# Open questions\n\n- How often do the signing keys rotate?\n- Who may rotate them?\n",
    );
    write(&env, "bill/invoices.md", "# Invoices\n\nThey leave on Mondays.\n");
    let (_, data) = asked(&env, &["query", "How often do the signing keys rotate?"]);
    assert!(data["answer"].is_null(), "{data}");
    write(&env, "faq/keys_1.md", "# Rotation\n\nWe rotate the signing keys every ninety days.\n");
    let (_, data) = asked(&env, &["query", "How often do the signing keys rotate?", "--fresh"]);
    assert!(!data["answer"].as_str().unwrap_or_default().contains("Who may"), "{data}");
    assert_eq!(paths(&data["sources"])[0], "faq/keys_1.md", "{data}");
}

#[test]
fn the_first_fact_of_a_project_answers_the_first_question() {
    let env = project(&[]);
    let flags = ["--into", "auth/tokens", "--title", "Token lifetime", "--reason", "asked"];
    assert_eq!(env.brv(&[&["curate", "Tokens live 15 minutes."], &flags[..]].concat()).code, 0);
    let (_, data) = asked(&env, &["query", "How long do tokens live?"]);
    assert_eq!((data["tier"].as_u64(), data["answer"].as_str()), (Some(2), Some("Tokens live 15 minutes.")));
    let (_, data) = asked(&env, &["query", "How long is the parental leave?"]);
    assert_eq!(data["covered"], false, "{data}");
}

#[test]
fn an_overview_answers_with_its_text_or_not_at_all() {
    let env = project(&[]);
    let text = "---\ntitle: Payments area\n---\n# Payments area\n\n## Purpose\n\nInvoices and vendors.\n";
    write(&env, "pay/context.md", text);
    write(&env, "bill/context.md", "---\ntitle: Billing domain\n---\n");
    let (_, data) = asked(&env, &["query", "Payments area"]);
    assert_eq!(data["by"], "entry");
    assert!(data["answer"].as_str().unwrap().contains("Invoices and vendors."), "{data}");
    let (_, data) = asked(&env, &["query", "Billing domain"]);
    assert!(data["answer"].is_null() && data["by"] != "entry", "{data}");
}

#[test]
fn a_phrase_is_not_answered_by_the_answer_to_its_words() {
    let env = project(&[]);
    write(&env, "a/one.md", "# Speed\n\nTokens slowly rotate.\n");
    write(&env, "a/two.md", "# Pace\n\nWe rotate tokens slowly.\n");
    asked(&env, &["query", "rotate tokens slowly"]);
    let (_, data) = asked(&env, &["query", "\"rotate tokens slowly\""]);
    assert!(data["tier"].as_u64().unwrap() > 1, "{data}");
    assert_eq!(paths(&data["sources"]), ["a/two.md"]);
}

#[test]
fn what_nothing_covers_is_said_to_be_so() {
    let env = knowledge();
    let ran = env.brv(&["query", "What is our vacation policy in Portugal?", "--json"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, 0);
    let data = &answer["data"];
    assert_eq!(
        (data["tier"].as_u64(), data["by"].as_str(), data["covered"].as_bool()),
        (Some(2), Some("none"), Some(false))
    );
    assert_eq!(data["message"], "this query appears outside the scope of stored knowledge");
    assert!(data["answer"].is_null() && answer["next"][0].as_str().unwrap().starts_with("brv curate"));
}

#[test]
fn what_is_near_is_named_though_nothing_is_certain() {
    let env = knowledge();
    let question = "Which vendor mails keys to auditors?";
    let ran = env.brv(&["query", question, "--json"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let data = &answer["data"];
    assert_eq!((data["covered"].as_bool(), data["by"].as_str()), (Some(false), Some("none")), "{data}");
    assert_eq!((&data["message"], &answer["next"]), (&value!("nothing certain"), &value!([])));
    let nearest = data["nearest"].as_array().unwrap();
    assert!((1..=3).contains(&nearest.len()), "{data}");
    assert_eq!(nearest[0]["path"], "auth/keys/key_rotation.md");
    assert!(nearest[0]["relevance"].as_f64().unwrap() >= 0.2, "{data}");
    let text = env.brv(&["query", question]).stdout;
    assert!(
        text.starts_with("Nothing certain. Nearest:\n  auth/keys/key_rotation.md  Key rotation"),
        "{text}"
    );
}

#[test]
fn the_same_question_is_answered_from_the_cache_until_the_tree_changes() {
    let env = knowledge();
    let ask = |question: &str| asked(&env, &["query", question]).1;
    let first = ask("How long do access tokens live?");
    assert_ne!(first["by"], "cache");
    let same = ask("  how long do ACCESS tokens live ");
    assert_eq!((same["tier"].as_u64(), same["by"].as_str()), (Some(0), Some("cache")));
    assert_eq!(same["question"], "  how long do ACCESS tokens live ");
    assert_eq!((&same["sources"], &same["answer"]), (&first["sources"], &first["answer"]));
    let near = ask("How long does an access token live?");
    assert_eq!((near["tier"].as_u64(), near["by"].as_str()), (Some(1), Some("cache")));
    assert_ne!(ask("How long do refresh tokens live?")["by"], "cache");
    let (_, anew) = asked(&env, &["query", "How long do access tokens live?", "--no-cache"]);
    assert_ne!(anew["by"], "cache");
    apply(
        &env,
        &value!([{"type": "UPDATE", "path": "auth/tokens/token_lifetime.md", "reason": "r",
        "content": {"facts": [{"subject": "access token lifetime", "statement": "12 hours"}]}}]),
    );
    let after = ask("How long do access tokens live?");
    assert_ne!(after["by"], "cache");
    assert!(after.to_string().contains("12 hours") && !after.to_string().contains("24 hours"), "{after}");
}

#[test]
fn a_repeated_answer_says_all_that_the_first_one_said() {
    let env = knowledge();
    for question in [
        "What is our vacation policy in Portugal?",
        "Which keys, sessions, nodes and archives do Redis or the gateway keep?",
    ] {
        let ask = || serde_json::from_str::<Value>(&env.brv(&["query", question, "--json"]).stdout).unwrap();
        let (first, again) = (ask(), ask());
        assert_eq!(again["data"]["by"], "cache");
        for part in ["next", "warnings"] {
            assert_eq!(first[part], again[part], "{question}");
        }
        assert_eq!(first["data"].get("message"), again["data"].get("message"));
    }
}

#[test]
fn a_repeated_answer_explains_what_the_first_one_was_made_of() {
    let env = knowledge();
    let question = "How long do access tokens live?";
    let (_, first) = asked(&env, &["query", question]);
    assert!(first.get("explain").is_none());
    let (_, mut again) = asked(&env, &["query", question, "--explain"]);
    assert_eq!((&again["by"], &again["explain"]["cache"]), (&value!("cache"), &value!(true)));
    let (_, anew) = asked(&env, &["query", question, "--explain", "--no-cache"]);
    again["explain"]["cache"] = value!(false);
    assert_eq!(again["explain"], anew["explain"]);
}

#[test]
fn answers_that_another_version_kept_are_none() {
    let env = knowledge();
    let ask = || asked(&env, &["query", "How long do access tokens live?"]).1["by"].clone();
    let first = ask();
    assert_eq!(ask(), "cache");
    let file = env.path(".brv/cache/search-1/answers");
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let version = kept["version"].as_u64().unwrap();
    let reply = value!({"tier": 2, "by": "entry", "sources": [], "passages": []});
    for (version, reply) in [(version - 1, &kept["answers"][0]["reply"]), (version, &reply)] {
        let mut other = kept.clone();
        (other["version"], other["answers"][0]["reply"]) = (version.into(), reply.clone());
        std::fs::write(&file, other.to_string()).unwrap();
        assert_eq!(ask(), first);
        assert_eq!(ask(), "cache");
    }
}

#[test]
fn what_no_entry_has_is_named_before_the_passages_and_again_from_the_cache() {
    let env = knowledge();
    let question = "How often do signing keys of the SFTP gateway rotate by rotateKeys?";
    let (_, data) = asked(&env, &["query", question]);
    assert_eq!(data["missing"], value!(["SFTP", "rotateKeys"]), "{data}");
    assert!(data["answer"].is_null(), "{data}");
    let (_, again) = asked(&env, &["query", question]);
    assert_eq!((again["tier"].as_u64(), &again["missing"]), (Some(0), &data["missing"]));
    let text = env.brv(&["query", question, "--no-cache"]).stdout;
    let line = |beginning: &str| text.lines().position(|line| line.starts_with(beginning));
    assert!(line("no entry has: SFTP, rotateKeys") < line("  ").or(line("```")), "{text}");
    assert!(line("no entry has").is_some(), "{text}");
    let (_, known) = asked(&env, &["query", "How often do signing keys rotate?"]);
    assert!(known.get("missing").is_none(), "{known}");
}

#[test]
fn uncommitted_words_are_nobodys() {
    let env = knowledge();
    let file = "auth/keys/key_rotation.md";
    let text = std::fs::read_to_string(tree(&env).join(file)).unwrap();
    write(&env, file, &text.replace("ninety", "seven"));
    let (_, data) = asked(&env, &["query", "How often do signing keys rotate?", "--fresh"]);
    let source = data["sources"].as_array().unwrap().iter().find(|one| one["path"] == file).unwrap();
    assert!(source.get("commit").is_none() && source.get("actor").is_none(), "{source}");
}

#[test]
fn a_missing_word_or_another_sign_is_no_direct_answer() {
    let env = knowledge();
    apply(
        &env,
        &value!([{"type": "ADD", "path": "style/code", "title": "Code style", "reason": "r",
        "content": {"facts": [{"subject": "cpp style", "statement": "C++ code follows the house guide"}]}}]),
    );
    for question in ["Which guide does C# code follow?", "What is the session token lifetime?"] {
        let (_, data) = asked(&env, &["query", question]);
        assert!(data["answer"].is_null(), "{question}: {data}");
    }
}

#[test]
fn a_cached_answer_is_not_given_for_a_file_that_was_edited() {
    let env = knowledge();
    asked(&env, &["query", "How long do access tokens live?"]);
    let file = "auth/tokens/token_lifetime.md";
    let text = std::fs::read_to_string(tree(&env).join(file)).unwrap();
    write(&env, file, &text.replace("24 hours", "3 minutes"));
    let (_, data) = asked(&env, &["query", "How long do access tokens live?"]);
    assert!(!data.to_string().contains("24 hours"), "{data}");
}

#[test]
fn two_that_answer_with_equal_right_are_both_shown() {
    let env = knowledge();
    let entry = |title: &str, text: &str| value!({"type": "ADD", "path": "bakery/plan", "title": title, "reason": "r", "markdown": text});
    let operations = value!([
        entry("Rye", "The mill grinds rye flour on Mondays, before the ovens are lit.\n"),
        entry("Wheat", "The mill grinds wheat flour on Fridays, before the ovens are lit.\n"),
        entry("Ovens", "Both ovens burn beech, and cool down over the weekend.\n"),
    ]);
    assert_eq!(apply(&env, &operations).0.code, 0);
    let (_, data) = asked(&env, &["query", "On which days does the mill grind flour?", "--explain"]);
    assert_eq!((data["tier"].as_u64(), data["by"].as_str()), (Some(2), Some("entry")), "{data}");
    let answer = data["answer"].as_str().unwrap();
    for text in ["bakery/plan/rye.md:", "on Mondays", "bakery/plan/wheat.md:", "on Fridays"] {
        assert!(answer.contains(text), "{answer}");
    }
    assert_eq!((data["sources"].as_array().unwrap().len(), &data["explain"]["tie"]), (2, &value!(true)));
}

#[test]
fn one_of_several_equal_entries_is_not_the_answer_because_of_where_it_stands() {
    let fact = |title: &str, subject: &str, text: &str| {
        format!("---\ntitle: {title}\n---\n\n## Facts\n- **{subject}**: {text} [project]\n")
    };
    let life = |hours: u8| {
        fact("Token lifetime", "access token lifetime", &format!("access tokens live {hours} hours"))
    };
    let long = "---\ntitle: Token lifetime\n---\n\nAccess tokens live 24 hours. They are then refreshed by the gate without \
                asking anybody, which the audit of the spring asked us to change for partners and machines.\n";
    let short = |hours: u8| format!("---\ntitle: Token lifetime\n---\n\nAccess tokens live {hours} hours.\n");
    let notes = (1..10).map(|at| {
        let text =
            format!("The service number {at} restarts when the queue grows beyond {at} hundred messages.");
        (format!("ops/n{at}.md"), format!("---\ntitle: Note {at}\n---\n\n{text}\n"))
    });
    // neighbours that speak of tokens, too; a longer text
    let beside = vec![
        ("auth/tokens.md", life(12)),
        ("billing/tokens.md", life(24)),
        ("auth/tokens_b.md", fact("Token refresh", "refresh token", "access tokens are refreshed")),
        ("auth/token_a.md", fact("Token", "token", "tokens access live things")),
    ];
    let longer = vec![("auth/tokens.md", short(12)), ("billing/tokens.md", long.to_owned())];
    for (files, third) in [(beside, Some(life(36))), (longer, None)] {
        let files: Vec<(String, String)> =
            files.into_iter().map(|(path, text)| (path.to_owned(), text)).chain(notes.clone()).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let env = project(&files);
        commit(&env, "first");
        let (_, data) = asked(&env, &["query", "what is the access token lifetime", "--explain"]);
        let answer = data["answer"].as_str().unwrap_or_else(|| panic!("{data:#}"));
        assert!(answer.contains("12 hours") && answer.contains("24 hours"), "{answer}");
        assert_eq!(data["explain"]["tie"], true, "{data:#}");
        // three are for the reader to compare
        if let Some(third) = third {
            write(&env, "web/tokens.md", &third);
            let (_, data) = asked(&env, &["query", "what is the access token lifetime", "--fresh"]);
            assert!(data["answer"].is_null() && data["covered"] == true, "{data:#}");
            let all = data["passages"].to_string();
            assert!(["12 hours", "24 hours", "36 hours"].iter().all(|hours| all.contains(hours)), "{all}");
        }
    }
}

#[test]
fn a_pasted_log_with_the_exact_code_of_an_entry_is_covered_by_it() {
    let env = knowledge();
    let add = |folder: &str, title: &str, text: &str| value!({"type": "ADD", "path": folder, "title": title, "reason": "r", "markdown": text});
    let mut all =
        vec![add("payments/errors", "Acquirer", "PAY-4417: the batch is closed, retry after midnight.\n")];
    // entries with the words that each line of the log has
    all.extend((0..40).map(|at| {
        add(
            "ops/http",
            &format!("Worker {at}"),
            &format!("The gateway handler {at} took its request id from worker {at}.\n"),
        )
    }));
    assert_eq!(apply(&env, &value!(all)).0.code, 0);
    let line = |at: usize| {
        format!(
            "2026-11-20T12:{at:02}:07.{at:03}Z INFO [worker-{at}] com.acme.gateway.Handler{at} - \
             request id=7f{at:02}ab took {at} ms at src/gateway/handler_{at}.rs:{at}\n"
        )
    };
    let before: String = (10..50).map(line).collect();
    for error in ["ERROR declined code=PAY-4417 upstream\n", "{\"level\":\"error\",\"code\":\"PAY-4417\"}\n"]
    {
        for log in [format!("{before}{error}"), format!("{before}{error}{before}"), error.to_owned()] {
            let (_, data) = asked(&env, &["query", &log]);
            let first = &data["passages"][0];
            let answer = data["answer"].as_str().or(first["text"].as_str()).unwrap_or_default();
            assert!(data["covered"] == true && answer.contains("PAY-4417"), "{log}: {data:#}");
        }
    }
    let (_, data) = asked(&env, &["query", &format!("{before}ERROR declined code=PAY-4418\n")]);
    assert!(!data.to_string().contains("PAY-4417"), "{data:#}");
}
