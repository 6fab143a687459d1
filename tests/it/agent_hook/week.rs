//! A week with an agent: it commits, is offered to say more, says it, and the sessions after that know it in its words.

use super::offer::{REASON, event, told};
use crate::commits::Code;
use crate::env::Env;
use serde_json::{Value, json};

/// What was committed each day, and what the agent answers to the offer: a subject and a statement.
const DAYS: [(&str, &str, &str); 5] = [
    ("retry", "first call", "the server drops it after a restart, hence two tries and never three"),
    ("pool", "pool size", "eight at most, the database refuses a ninth connection"),
    ("cache", "cache key", "it must have the tenant in it, else answers leak between customers"),
    ("clock", "clock", "monotonic, the wall clock went back in March"),
    ("login", "session cookie", "rejected: SameSite=Strict, the payment page comes back by POST"),
];

/// The same repository on another day, with an agent at work in a session.
fn on(code: Code, day: usize) -> Code {
    let time = format!("2026-03-{:02}T09:00:00Z", day + 2);
    let env = code.env.with("BRV_CLOCK", time.clone()).with("GIT_AUTHOR_DATE", time.clone());
    let env = env.with("GIT_COMMITTER_DATE", time).with("BRV_ACTOR", "claude");
    Code { env: env.with("BRV_SESSION", format!("day {day}")), path: code.path }
}

fn of_day(code: &Code, day: usize, fields: Value) -> Value {
    let mut input = event(code, fields);
    input["session_id"] = format!("day {day}").into();
    input
}

fn start(code: &Code, day: usize) -> String {
    told(code, &of_day(code, day, json!({ "hook_event_name": "SessionStart", "source": "startup" })))
}

/// Answer an offer as it asks: with one fact, and the commit by the digits that it names.
fn answer(code: &Code, offer: &str, (name, subject, statement): (&str, &str, &str)) -> Value {
    let source = offer.rsplit_once("source_commit ").unwrap().1.split('.').next().unwrap();
    let operation = json!([{
        "type": "UPSERT", "path": format!("agent/{name}.md"), "title": name, "reason": "what the commit does not say",
        "content": {"facts": [{"subject": subject, "statement": statement, "category": "project"}]},
        "source_commit": source,
    }]);
    let file = code.env.path("answer.json");
    std::fs::write(&file, operation.to_string()).unwrap();
    code.data(&["curate", "--ops", file.to_str().unwrap()])["applied"][0].take()
}

#[test]
fn what_an_agent_files_after_its_commits_is_what_later_sessions_know() {
    let mut code = Code::of(Env::new().with("BRV_SEARCH_FRESHNESS", "0"));
    std::fs::create_dir_all(code.path.join("src")).unwrap();
    for (day, answered) in DAYS.into_iter().enumerate() {
        code = on(code, day);
        let known = start(&code, day);
        for (_, _, statement) in &DAYS[..day] {
            assert!(known.contains(statement), "day {day}: {known}");
        }
        let name = answered.0;
        for file in ["src/one.rs", &format!("src/{name}.rs")] {
            code.write(file, name);
        }
        code.git(&["add", "."]);
        code.commit(&format!("{name}: change it\n\n{REASON}"));
        code.settle();
        let shell = json!({ "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": {} });
        let offer = told(&code, &of_day(&code, day, shell.clone()));
        assert!(offer.contains(&format!("\"{name}: change it\" was filed as «")), "{offer}");
        let row = answer(&code, &offer, answered);
        assert_eq!(row["replaced"].as_array().map(Vec::len), Some(1), "{row}");
        assert_eq!(told(&code, &of_day(&code, day, shell)), "", "it said it");
    }
    let code = on(code, DAYS.len());
    let known = start(&code, DAYS.len());
    for (_, subject, statement) in DAYS {
        assert!(known.contains(subject) && known.contains(statement), "{known}");
    }
    assert!(
        !known.contains("drops the first call after a restart, because"),
        "the rules' words are gone: {known}"
    );
    assert_eq!(code.data(&["review", "pending"])["pending"], json!([]));
}
