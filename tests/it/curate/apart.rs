//! Agents that correct one entry at once: nobody's correction is lost.

use super::{ENTRY, apply, curated, read};
use crate::env::tree;
use crate::init::json;
use serde_json::{Value, json as value};

#[test]
fn an_update_of_an_older_version_is_merged_with_what_came_since() {
    let env = curated();
    let base = env.git(&tree(&env), &["rev-parse", &format!("HEAD:{ENTRY}")]);
    let fact = |subject: &str, statement: &str, base: &str| value!([{"type": "UPDATE", "path": ENTRY, "base": base, "reason": "r", "content": {"facts": [{"subject": subject, "statement": statement}]}}]);
    assert_eq!(apply(&env, &fact("lifetime", "12 hours", &base)).0.code, 0);
    let (ran, data) = apply(&env, &fact("issuer", "the door", &base));
    assert_eq!(ran.code, 0, "{data}");
    let text = read(&env, ENTRY);
    assert!(text.contains("12 hours") && text.contains("the door") && !text.contains("the gate"), "{text}");
    // two claims about one fact stay, disputed
    let (ran, data) = apply(&env, &fact("lifetime", "6 hours", &base));
    assert_eq!(ran.code, 0, "{data}");
    assert_eq!(data["applied"][0]["disputed"], value!(["lifetime"]));
    let text = read(&env, ENTRY);
    assert!(text.contains("12 hours") && text.contains("6 hours"), "{text}");
    // where only a person can decide, nothing is written
    let body = |text: &str| value!([{"type": "UPDATE", "path": ENTRY, "base": base, "replace": true, "reason": "r", "markdown": text}]);
    let before = read(&env, ENTRY);
    assert_eq!(apply(&env, &body("Rotate keys daily, and never by hand.\n\n## Facts\n- **issuer**: the gate\n- **lifetime**: 24 hours [project]\n")).0.code, 0);
    assert_ne!(read(&env, ENTRY), before);
    let before = read(&env, ENTRY);
    let (ran, data) = apply(
        &env,
        &body(
            "Rotate keys yearly, and never by hand.\n\n## Facts\n- **issuer**: the gate\n- **lifetime**: 24 hours [project]\n",
        ),
    );
    assert_eq!((ran.code, &data["applied"][0]["code"]), (1, &value!("conflict")), "{data}");
    assert_eq!(read(&env, ENTRY), before);
}

#[test]
fn eight_agents_that_correct_one_entry_at_once_lose_nothing() {
    const AGENTS: usize = 8;
    const TURNS: usize = 4;
    let env = curated();
    let facts: Vec<Value> = (0..AGENTS)
        .map(|agent| value!({"subject": format!("agent {agent}"), "statement": "begins"}))
        .collect();
    assert_eq!(
        apply(&env, &value!([{"type": "UPDATE", "path": ENTRY, "reason": "r", "content": {"facts": facts}}]))
            .0
            .code,
        0
    );
    let base = env.git(&tree(&env), &["rev-parse", &format!("HEAD:{ENTRY}")]);
    std::thread::scope(|scope| {
        for agent in 0..AGENTS {
            let (env, mut base) = (&env, base.clone());
            scope.spawn(move || {
                for turn in 0..TURNS {
                    let operation = value!([{"type": "UPDATE", "path": ENTRY, "base": base, "reason": format!("agent {agent}, turn {turn}"),
                        "content": {"facts": [{"subject": format!("agent {agent}"), "statement": format!("turn {turn}")}]}}]);
                    let ran = env.brv_reading(&["curate", "--ops", "-", "--json"], operation.to_string().as_bytes());
                    let data = json(&ran.stdout)["data"].clone();
                    assert_eq!(ran.code, 0, "{}", ran.stdout);
                    assert!(data["applied"][0]["disputed"].is_null(), "{data}");
                    base = data["applied"][0]["after"].as_str().unwrap().to_owned();
                }
            });
        }
    });
    let text = read(&env, ENTRY);
    for agent in 0..AGENTS {
        assert!(text.contains(&format!("- **agent {agent}**: turn {}\n", TURNS - 1)), "{agent}: {text}");
    }
    assert!(text.contains("- **lifetime**: 24 hours [project]\n"), "{text}");
    let log = env.git(&tree(&env), &["log", "--format=%s"]);
    assert_eq!(log.lines().filter(|line| line.starts_with("agent ")).count(), AGENTS * TURNS, "{log}");
    env.fsck(&tree(&env));
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
}
