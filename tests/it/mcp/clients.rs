//! The official clients call every tool, resource and prompt over both transports, and all of them read the same.

use super::{Loopback, fill, node, wait_for_ever};
use crate::env::Env;
use crate::servers::script;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a step has to answer.
enum Answer {
    /// A text that contains this, without an error.
    Says(&'static str),
    /// The same, and notices of progress before.
    Reports(&'static str),
    /// A tool's error that contains this.
    Fails(&'static str),
    /// An error of the protocol.
    Code(&'static [i64]),
    /// The call was given up.
    Cancelled,
    /// This resource was announced.
    Announced(&'static str),
    /// Lists of everything.
    Lists,
}
use Answer::{Announced, Cancelled, Code, Fails, Lists, Reports, Says};

const NOT_FOUND: &[i64] = &[-32602, -32002];

/// Every tool, resource and prompt, in success and failure. `slow` is a project whose remote never answers.
fn table(slow: &Path) -> Vec<(Value, Answer)> {
    let tool = |name: &str, arguments: Value| json!({"tool": name, "arguments": arguments});
    let fact = json!([{"type": "UPSERT", "path": "ops/deploy", "title": "Deploying", "reason": "told", "content": {"facts": [{"subject": "day", "statement": "Monday"}]}}]);
    let wrong = json!([{"type": "UPDATE", "path": "no/where/none.md", "reason": "x", "content": {}}]);
    let edit = json!([{"type": "UPSERT", "path": "ops/deploy", "title": "Deploying", "reason": "told", "content": {"facts": [{"subject": "hour", "statement": "nine"}]}}]);
    vec![
        (json!({"list": true}), Lists),
        (tool("brv-query", json!({"question": "What is the token lifetime?"})), Says("24 hours")),
        (
            tool("brv-query", json!({"question": "Which token lifetime has SFTP?"})),
            Says("no entry has: SFTP"),
        ),
        (tool("brv-query", json!({})), Fails("question")),
        (tool("brv-search", json!({"text": "rotate keys"})), Says("auth/tokens/token_lifetime.md")),
        (tool("brv-search", json!({"text": 7})), Fails("text")),
        (tool("brv-read", json!({"path": "auth/tokens/token_lifetime.md"})), Says("Rotate keys weekly.")),
        (tool("brv-read", json!({"path": "no/such/entry.md"})), Fails("no/such/entry.md")),
        (tool("brv-brain", json!({})), Says("token_lifetime.md")),
        (tool("brv-brain", json!({"budget": "much"})), Fails("budget")),
        (tool("brv-curate", json!({"operations": fact})), Says("ops/deploy/deploying.md")),
        (tool("brv-curate", json!({"operations": wrong})), Fails("no/where/none.md")),
        (tool("brv-curate", json!({})), Fails("`operations` is missing")),
        (tool("brv-undo", json!({"dry_run": "perhaps"})), Fails("true or false")),
        (tool("brv-brain", json!({"budget": "900"})), Says("token_lifetime.md")),
        (tool("brv-diff", json!({"range": "HEAD~1..HEAD"})), Says("Monday")),
        (tool("brv-diff", json!({"range": "nothing..HEAD"})), Fails("nothing")),
        (tool("brv-undo", json!({"dry_run": true, "id": "ffffffff"})), Fails("ffffffff")),
        (tool("brv-sync", json!({})), Says("")),
        (tool("brv-sync", json!({"dry_run": false})), Reports("Sent 1 commit")),
        (tool("brv-sync", json!({"remote": "nowhere"})), Fails("")),
        (json!({"tool": "brv-sync", "arguments": {"root": slow}, "cancel_after": 500}), Cancelled),
        (tool("brv-search", json!({"text": "rotate keys"})), Says("auth/tokens/token_lifetime.md")),
        (tool("brv-nothing", json!({})), Code(&[-32602])),
        (json!({"resource": "brv://brain"}), Says("token_lifetime.md")),
        (json!({"resource": "brv://tree"}), Says("token_lifetime.md")),
        (json!({"resource": "brv://entry/auth/tokens/token_lifetime.md"}), Says("Rotate keys weekly.")),
        (json!({"resource": "brv://entry/no/such/entry.md"}), Code(NOT_FOUND)),
        (json!({"resource": "brv://op/ffffffff"}), Code(NOT_FOUND)),
        (json!({"resource": "brv://review"}), Says("")),
        (json!({"resource": "brv://served"}), Says("")),
        (json!({"resource": "skill://brv/SKILL.md"}), Says("brv")),
        (json!({"resource": "brv://nothing"}), Code(NOT_FOUND)),
        (json!({"prompt": "review-changes", "arguments": {"range": "HEAD~1..HEAD"}}), Says("Monday")),
        (json!({"prompt": "file-what-we-learned", "arguments": {}}), Says("curate tool")),
        (json!({"prompt": "handover", "arguments": {}}), Says("")),
        (json!({"prompt": "nothing", "arguments": {}}), Code(&[-32602])),
        (
            json!({"watch": "brv://tree", "during": tool("brv-curate", json!({"operations": edit}))}),
            Announced("brv://tree"),
        ),
    ]
}

/// The answer without what differs from run to run: ids, times, scores (a use counts only after the answer, so the next
/// answer may come before it), and what only one transport has, such as the name of a session.
fn comparable(mut answer: Value) -> String {
    if let Some(fields) = answer.as_object_mut() {
        for name in ["version", "progress", "code", "message"] {
            fields.remove(name);
        }
    }
    // an id of letters only is shown as a word, any other one as code
    let text = answer.to_string().replace('`', "");
    let own = r"\b[0-9a-f]{7,64}\b|/[^ \x22]*brv-it-[A-Za-z0-9]+|\x22bytes\x22:[0-9]+|(\\n|\b)0\.[0-9]+\b";
    let without = |text: &str, what: &str, instead: &str| -> String {
        regex_lite::Regex::new(what).unwrap().replace_all(text, instead).into_owned()
    };
    let text = without(&without(&text, ", session mcp-[0-9-]+", ""), own, "ID");
    // what was served is written after the answer, and two calls of one second in any order
    let mut lines: Vec<&str> = text.split("\\n").collect();
    if lines.iter().any(|line| line.contains("  mcp ")) {
        lines.sort_unstable();
    }
    lines.join("\\n")
}

/// Whether the answer is what is wanted.
fn is_right(wanted: &Answer, answer: &Value) -> bool {
    let text = answer["text"].as_str().unwrap_or_default();
    match wanted {
        Says(part) => answer.get("text").is_some() && answer["failed"] != true && text.contains(part),
        Reports(part) => {
            let progress = answer["progress"].as_array().is_some_and(|steps| !steps.is_empty());
            progress && answer["failed"] == false && text.contains(part)
        }
        Fails(part) => answer["failed"] == true && text.contains(part),
        Code(codes) => answer["code"].as_i64().is_some_and(|code| codes.contains(&code)),
        Cancelled => answer["cancelled"] == true,
        Announced(uri) => answer["updated"] == *uri,
        Lists => {
            let complete = [("tools", 8), ("resources", 5), ("templates", 2), ("prompts", 3)];
            complete
                .iter()
                .all(|(name, count)| answer[name].as_array().is_some_and(|list| list.len() == *count))
        }
    }
}

/// A project with a remote that works, and below it one whose remote never answers; with the latter's folder.
fn prepared() -> (Env, std::path::PathBuf) {
    let env = Env::new();
    let slow = env.path("slow");
    std::fs::create_dir(&slow).unwrap();
    // first, or it would be a part of the project around it
    wait_for_ever(&env, &slow);
    let bare = env.bare("remote.git");
    let run = |arguments: &[&str]| assert_eq!(env.brv(arguments).code, 0, "{arguments:?}");
    run(&["init", "-q"]);
    fill(&env);
    run(&["vc", "remote", "add", "origin", bare.to_str().unwrap()]);
    run(&["vc", "push", "-u", "origin", "main"]);
    (env, slow)
}

/// Run a driver; returns one answer for each step.
fn drive(mut driver: Command, steps: &[&Value]) -> Vec<Value> {
    driver.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = driver.spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!(steps).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_client_reads_the_same_over_both_transports_and_in_both_eras() {
    let probe = Env::new();
    let Some(_) = script(&probe, "python3", &["-c", "import mcp, httpx2"]) else { return };
    let Some(_) = node(&probe) else { return };
    let (mut first, mut wrong) = (None::<Vec<String>>, Vec::new());
    let drivers =
        [("client.py", "auto"), ("client.py", "legacy"), ("client.mjs", "auto"), ("sdk.mjs", "legacy")];
    for (driver, era) in drivers {
        for over_http in [false, true] {
            let (env, slow) = prepared();
            let table = table(&slow);
            let mut command = match driver.ends_with(".py") {
                true => script(&env, "python3", &["-c", ""]).expect("it ran a moment ago"),
                false => node(&env).expect("it is there"),
            };
            command
                .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/drivers").join(driver))
                .arg(era);
            let server = over_http.then(|| Loopback::start(&env));
            match &server {
                Some(server) => command.args(["http", &server.url, &server.bearer]),
                None => command.args(["stdio", env!("CARGO_BIN_EXE_brv"), "mcp"]),
            };
            let steps: Vec<&Value> = table.iter().map(|(step, _)| step).collect();
            let answers = drive(command, &steps);
            assert_eq!(answers.len(), table.len(), "{driver} {era}");
            assert_eq!(
                answers[0]["version"].as_str() >= Some("2026"),
                era == "auto",
                "{driver}: {}",
                answers[0]
            );
            let shown: Vec<String> = answers.iter().cloned().map(comparable).collect();
            let first = first.get_or_insert_with(|| shown.clone());
            for (number, (step, wanted)) in table.iter().enumerate() {
                if !is_right(wanted, &answers[number]) || shown[number] != first[number] {
                    let answer = &answers[number];
                    wrong.push(format!(
                        "{driver} {era} http: {over_http}: {step}\n{answer}\n{}",
                        first[number]
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
