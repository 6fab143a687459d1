//! A model for tests: a program that answers a prompt by a few lines of Python, and writes down each request.

use crate::env::Env;
use std::path::PathBuf;

/// What the program begins with: `prompt`, `entry` (the path that the prompt names, or none) and `say`.
const START: &str = r#"
import json, os, re, sys, time
prompt = sys.stdin.read()
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls"), "a") as calls:
    calls.write(json.dumps(prompt) + "\n")
count = sum(1 for _ in open(os.path.join(here, "calls")))
entry = (re.findall(r"The entry `([^`]+)`", prompt) or [None])[0]
def say(value):
    print(value if isinstance(value, str) else json.dumps(value))
"#;

/// The environment with this model in its settings. `name` tells its files from those of another one.
pub fn with_model(env: Env, name: &str, answer: &str) -> Env {
    let folder = folder(&env, name);
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("answer.py");
    std::fs::write(&program, format!("{START}\n{answer}\n")).unwrap();
    let command = serde_json::json!(["python3", program]).to_string();
    env.with("BRV_MODEL_COMMAND", command).with("BRV_MODEL_NAME", name)
}

/// Other answers of the same model.
pub fn answer(env: &Env, name: &str, answer: &str) {
    std::fs::write(folder(env, name).join("answer.py"), format!("{START}\n{answer}\n")).unwrap();
}

/// The prompts that it got, in order.
pub fn prompts(env: &Env, name: &str) -> Vec<String> {
    let calls = std::fs::read_to_string(folder(env, name).join("calls")).unwrap_or_default();
    calls.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folder(env: &Env, name: &str) -> PathBuf {
    env.path("models").join(name)
}
