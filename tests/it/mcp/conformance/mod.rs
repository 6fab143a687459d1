//! The protocol's own suites: their named tools against a test-only server on brv's layer, the rest against brv itself.

mod server;

use super::{Loopback, knowing, node};
use crate::env::Env;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// brv offers no sampling, no elicitation and nothing that asks its caller back.
const ASKING: &[&str] = &[
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
];

/// An extension that brv does not offer.
const TASKS: &[&str] = &[
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
];

/// The scenarios that call nothing by name, which brv itself has to pass.
const NAMELESS: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "server-initialize",
            "ping",
            "tools-list",
            "resources-list",
            "prompts-list",
            "dns-rebinding-protection",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools-list",
            "resources-list",
            "prompts-list",
            "sep-2164-resource-not-found",
            "caching",
            "http-header-validation",
            "dns-rebinding-protection",
            "input-required-result-unsupported-methods",
        ],
    ),
];

/// Every request of the suite gets the bearer, which it has no option for.
const PRELOAD: &str = "data:text/javascript,import dc from 'node:diagnostics_channel'; \
    const bearer = `Bearer ${process.env.BRV_IT_BEARER}`; \
    dc.subscribe('undici:request:create', ({ request }) => request.addHeader('authorization', bearer)); \
    dc.subscribe('http.client.request.created', ({ request }) => request.setHeader('authorization', bearer));";

/// What a suite found in one run: the scenarios, and each failed check as `scenario: check: why`.
struct Found {
    ran: BTreeSet<String>,
    failed: Vec<(String, String)>,
}

/// Run the suite of a year; `which` are its arguments.
fn run(env: &Env, year: &str, url: &str, bearer: &str, which: &[&str]) -> Option<Found> {
    let results = env.path(format!("results-{year}"));
    drop(std::fs::remove_dir_all(&results));
    let mut command = node(env)?;
    let suite = crate::servers::packages()?.join(format!("node_modules/conformance-{year}/dist/index.js"));
    command.env("BRV_IT_BEARER", bearer).args(["--import", PRELOAD]).arg(suite);
    let output = command.args(["server", "--url", url]).args(which).arg("-o").arg(&results).output().unwrap();
    let mut found = Found { ran: BTreeSet::new(), failed: Vec::new() };
    for folder in std::fs::read_dir(&results).into_iter().flatten().flatten() {
        let name = folder.file_name().into_string().unwrap();
        // `server-SCENARIO-2026-11-26T16-27-22-829Z`
        let scenario = name["server-".len()..name.len() - "-2026-11-26T16-27-22-829Z".len()].to_owned();
        for check in checks(&folder.path()) {
            if check["status"] == "FAILURE" {
                let why = check["errorMessage"].as_str().unwrap_or_default();
                found.failed.push((scenario.clone(), format!("{}: {why}", check["id"].as_str().unwrap())));
            }
        }
        found.ran.insert(scenario);
    }
    assert!(!found.ran.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    Some(found)
}

fn checks(folder: &Path) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(folder.join("checks.json")).unwrap()).unwrap()
}

/// Exactly the listed scenarios fail.
fn only_listed_fail(found: &Found, listed: &[&str]) {
    let unexpected: Vec<_> =
        found.failed.iter().filter(|(name, _)| !listed.contains(&name.as_str())).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    let failed: BTreeSet<&str> = found.failed.iter().map(|(name, _)| name.as_str()).collect();
    let passed: Vec<_> =
        listed.iter().filter(|name| found.ran.contains(**name) && !failed.contains(**name)).collect();
    assert!(passed.is_empty(), "these pass now: {passed:?}");
}

#[test]
fn both_suites_pass_on_the_layer_that_serves_brv() {
    let env = Env::new();
    if node(&env).is_none() {
        return;
    }
    let url = server::serve();
    let listed = [ASKING, TASKS].concat();
    let older = run(&env, "2025", &url, "", &["--suite", "all"]).expect("the suite is there");
    assert_eq!(older.ran.len(), 32);
    only_listed_fail(&older, &listed);
    let newer = run(&env, "2026", &url, "", &["--requirements", "2026-07-28"]).expect("the suite is there");
    assert_eq!(newer.ran.len(), 50);
    only_listed_fail(&newer, &listed);
}

#[test]
fn brv_itself_passes_what_calls_nothing_by_name() {
    let env = knowing();
    if node(&env).is_none() {
        return;
    }
    let server = Loopback::start(&env);
    for (version, scenarios) in NAMELESS {
        for scenario in scenarios {
            let which = ["--scenario", scenario, "--spec-version", version];
            let found =
                run(&env, &version[..4], &server.url, &server.bearer, &which).expect("the suite is there");
            assert!(found.failed.is_empty(), "{version} {scenario}: {:#?}", found.failed);
        }
    }
}
