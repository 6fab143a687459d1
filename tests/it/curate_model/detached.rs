//! `--detach`: the worker carries it out, with the text as it was when it was queued.

use super::{TEXT, adding, curate, giving, message, state};
use crate::curate::{curated, read};
use crate::env::{Env, tree};
use crate::init::json;
use crate::scripted::{prompts, with_model};
use serde_json::{Value, json as value};

fn waited(env: &Env, job: &str) -> Value {
    json(&env.brv(&["jobs", "wait", job, "--json"]).stdout)["data"]["job"].clone()
}

/// All that is beside the tree, as one text.
fn beside(env: &Env) -> String {
    let files = std::fs::read_dir(tree(env).join(".git/brv")).unwrap().map(|file| file.unwrap().path());
    let texts = files.filter(|file| file.is_file()).map(|file| std::fs::read(file).unwrap());
    texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[test]
fn the_worker_curates_a_text_in_the_name_of_who_asked() {
    let env = giving(&value!([adding("Jobs", &[("jobs", "4,096"), ("owner", "Ada Byron")])]));
    let env = env.with("BRV_ACTOR", "claude").with("BRV_SESSION", "s7");
    std::fs::write(env.path("note.md"), TEXT).unwrap();
    let (_, told) = curate(&env, &["--file", "note.md", "--reason", "later", "--detach"], 0);
    let job = told["data"]["job"].as_str().unwrap().to_owned();
    assert!(told["data"]["commit"].is_null() && told["data"]["applied"] == value!([]), "{told}");
    assert_eq!(told["next"], value!([format!("brv jobs wait {job}")]));
    // the text is kept with the job
    drop(std::fs::remove_file(env.path("note.md")));
    let done = waited(&env, &job);
    assert_eq!((&done["kind"], &done["event"]), (&"model".into(), &"curate".into()), "{done}");
    assert_eq!((&done["outcome"], &done["commit"]), (&"curated".into(), &Value::Null), "{done}");
    assert!(
        done["operation"].is_string() && done["entries"].to_string().contains("ops/queue/jobs.md"),
        "{done}"
    );
    let message = message(&env);
    for line in [
        "later\n",
        "Brv-Actor: claude",
        "Brv-Session: s7",
        "Brv-Model: one",
        "Brv-Review: ops/queue/jobs.md unsupported",
    ] {
        assert!(message.contains(line), "{line}: {message}");
    }
    assert!(prompts(&env, "one")[0].contains(TEXT));
    let id = done["operation"].as_str().unwrap();
    assert_eq!(env.brv(&["undo", id]).code, 0);
}

#[test]
fn what_fails_in_the_background_says_why() {
    let env = with_model(curated(), "one", "say('no')");
    let before = state(&env);
    let (_, told) = curate(&env, &[TEXT, "--detach"], 0);
    let done = waited(&env, told["data"]["job"].as_str().unwrap());
    assert_eq!(done["outcome"], "failed", "{done}");
    assert!(done["reason"].as_str().unwrap().contains("no usable answer"), "{done}");
    assert_eq!(state(&env), before);
    let (_, told) = {
        crate::scripted::answer(&env, "one", "say({'operations': []})");
        curate(&env, &[TEXT, "--detach"], 0)
    };
    assert_eq!(waited(&env, told["data"]["job"].as_str().unwrap())["outcome"], "declined");
}

#[test]
fn a_job_can_be_cancelled_and_its_text_is_dropped() {
    let env = with_model(curated(), "one", "time.sleep(60)");
    let before = state(&env);
    let word = "Quetzalcoatl";
    let (_, told) = curate(&env, &[&format!("{TEXT} {word}"), "--detach"], 0);
    let job = told["data"]["job"].as_str().unwrap().to_owned();
    assert!(beside(&env).contains(word), "the text is not kept");
    let listed = json(&env.brv(&["jobs", "list", "--json"]).stdout);
    assert!(
        listed["data"]["jobs"][0]["id"] == job.as_str() && listed["data"]["jobs"][0]["kind"] == "model",
        "{listed}"
    );
    assert_eq!(env.brv(&["jobs", "cancel", &job]).code, 0);
    let done = waited(&env, &job);
    assert_eq!(done["outcome"], "cancelled", "{done}");
    assert_eq!(state(&env), before);
    drop(read(&env, crate::curate::ENTRY));
}

#[test]
fn input_that_is_refused_queues_nothing() {
    let env = giving(&value!([]));
    assert_eq!(env.brv(&["curate", "--model", "--detach", "--file", "absent.md"]).code, 2);
    assert_eq!(curated().brv(&["curate", TEXT, "--model", "--detach"]).code, 2);
    let listed = json(&env.brv(&["jobs", "list", "--json"]).stdout);
    assert_eq!(listed["data"]["jobs"], value!([]));
}
