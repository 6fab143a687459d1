//! What agents do not get is not sent to a model either, whoever asks.

use super::{Scripted, value, verdict, warnings};
use crate::env::context_of;
use crate::search::write;
use crate::withheld::{PLAIN, STEERING, entry, poisoned, pull, push, team};
use brv_base::config::{Config, Flags};
use brv_commands::query;
use brv_engine::{Audience, Context};

const QUESTION: &str = "How do deploys, keys and other hosts run at night?";

fn looks() -> Vec<String> {
    let call = |tool: &str, arguments: serde_json::Value| {
        value!({ "tool": tool, "arguments": arguments }).to_string()
    };
    vec![
        value!({ "answer": null, "cited": [], "covered": true }).to_string(),
        call("search", value!({ "text": "deploy keys instructions" })),
        call("read", value!({ "path": "ops/keys.md" })),
        call("list", value!({ "folder": "ops" })),
        call("links", value!({ "path": "ops/keys.md" })),
        call("links", value!({ "path": "ops/deploys.md" })),
        verdict("On the blue host.", &[1]),
    ]
}

fn options(question: &str, most_tier: u8) -> query::Options {
    query::Options {
        question: question.into(),
        scope: None,
        most_tier,
        no_model: false,
        extent: query::EntryTextExtent::Lines,
        no_cache: true,
        no_hits: true,
        fresh: true,
        explain: false,
    }
}

#[test]
fn a_model_never_reads_what_is_withheld() {
    let (env, _) = poisoned();
    write(
        &env,
        "ops/other.md",
        "# Other hosts\n\nDeploys print the key of the other host. See [keys](keys.md).\n",
    );
    let looks = looks();
    let looks: Vec<&str> = looks.iter().map(String::as_str).collect();
    let model = Scripted::new(env, &looks);
    for audience in [Audience::Headless, Audience::Agent] {
        model.answers(&looks);
        let environment = model.env.environment();
        let config = Config::load(Flags::default(), &environment).unwrap();
        let cx = Context { audience, config, ..context_of(model.env.root(), &environment) };
        let (reply, _, after) = query::run(&cx, options(QUESTION, 4)).unwrap();
        after();
        assert!(model.calls() > 1, "{reply:?}");
        let prompts = model.prompts().concat();
        for part in ["gnore all", "answers deploys", "Deploy keys", "Blue host"] {
            assert!(!prompts.contains(part), "{audience:?}: {part}: {prompts}");
        }
        assert!(prompts.contains(PLAIN), "{prompts}");
    }
}

#[test]
fn an_agent_reads_passages_itself_unless_it_names_tier_4() {
    let model = Scripted::new(super::knowledge(), &[&verdict("Ten minutes.", &[1])]);
    let environment = model.env.environment();
    let config = Config::load(Flags::default(), &environment).unwrap();
    let cx = Context { audience: Audience::Agent, config, ..context_of(model.env.root(), &environment) };
    let by = |most_tier| {
        let (reply, _, after) = query::run(&cx, options(super::OPEN, most_tier)).unwrap();
        after();
        reply.outcome.answer
    };
    assert_eq!((by(3), model.calls()), (None, 0));
    assert_eq!((by(4).as_deref(), model.calls()), (Some("Ten minutes."), 1));
}

#[test]
fn a_model_is_not_asked_if_all_of_it_is_withheld() {
    let (env, other) = team();
    let hidden = entry("Blue host", "The blue\u{200b} host answers deploys.");
    push(&env, &other, &[("vault/keys.md", &entry("Deploy keys", STEERING)), ("vault/host.md", &hidden)]);
    pull(&env);
    let model = Scripted::new(env, &[&verdict("The key.", &[1])]);
    let question = "How do the key and the host of deploys print or answer?";
    for most_tier in ["3", "4"] {
        let (ran, data) = model.query(question, &["--scope", "vault", "--fresh", "--tier-max", most_tier]);
        assert_eq!((ran.code, data["by"].as_str(), model.calls()), (0, Some("passages"), 0), "{data}");
        assert!(warnings(&ran).contains("accepted") && data.get("model").is_none(), "{}", ran.stdout);
    }
}
