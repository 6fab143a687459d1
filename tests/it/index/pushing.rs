//! `brv index push`: the real program, real repositories, and an engine that writes down each request and fails on order.

mod again;
mod failing;
mod keys;
mod killed;
mod listed;
mod mirrors;
mod overtaken;
mod withheld;

use super::client::{self, JSON};
use super::engine::{Call, Engine};
use crate::derive::copy;
use crate::env::{Env, Ran};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The documents of an index that are not gone, by tree and path: without what depends on when and by whom they were sent.
type Living = BTreeMap<(String, String), Value>;

/// A remote, and the clone in which it is edited.
struct Team {
    bare: PathBuf,
    work: PathBuf,
}

impl Team {
    /// With the entries of a tree of `fixtures/trees`.
    fn new(env: &Env, name: &str, fixture: &str) -> Self {
        let team = Self::empty(env, name);
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees").join(fixture), &team.work);
        team.commit(env, &[]);
        team
    }

    fn empty(env: &Env, name: &str) -> Self {
        let bare = env.bare(&format!("{name}.git"));
        let work = env.path(format!("{name}-work"));
        env.git(env.root(), &["init", "-q", work.to_str().unwrap()]);
        Self { bare, work }
    }

    /// Write files, commit and push. Returns the commit.
    fn commit(&self, env: &Env, files: &[(&str, &str)]) -> String {
        let commit = env.commit(&self.work, files);
        self.publish(env);
        commit
    }

    fn publish(&self, env: &Env) {
        env.git(&self.work, &["push", "-q", "--force", self.url(), "HEAD"]);
    }

    /// Remove the commits that no branch of the remote has.
    fn forget(&self, env: &Env) {
        env.git(&self.bare, &["reflog", "expire", "--expire=now", "--all"]);
        env.git(&self.bare, &["gc", "-q", "--prune=now"]);
    }

    fn url(&self) -> &str {
        self.bare.to_str().unwrap()
    }

    fn tree(&self) -> String {
        self.url().strip_suffix(".git").unwrap().to_lowercase()
    }
}

/// Push to an engine.
fn run(env: &Env, engine: &Engine, arguments: &[&str]) -> Ran {
    env.brv(&[&["index", "push", "--json", "--engine", &engine.url], arguments].concat())
}

/// Start to push one remote.
fn start(env: &Env, engine: &Engine, team: &Team) -> Child {
    start_with(env, engine, &["--remote", team.url()])
}

/// Start to push.
fn start_with(env: &Env, engine: &Engine, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.args(["index", "push", "--json", "--engine", &engine.url]).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The envelope of a push, which must end with this code.
fn ended(ran: &Ran, code: i32) -> Value {
    assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

/// Push one remote, which must go well. Returns what is said of its tree.
fn push(env: &Env, engine: &Engine, team: &Team) -> Value {
    pushed(env, engine, team, &[])
}

fn pushed(env: &Env, engine: &Engine, team: &Team, more: &[&str]) -> Value {
    let told = ended(&run(env, engine, &[&["--remote", team.url()], more].concat()), 0);
    assert_eq!(told["data"]["trees"].as_array().unwrap().len(), 1);
    assert_eq!(
        told["data"]["summary"]["requests"],
        engine.calls().len(),
        "it says how many requests it made"
    );
    engine.forget_calls();
    told["data"]["trees"][0].clone()
}

/// `sent`, `newer` and `gone` of a tree that was pushed.
fn counts(tree: &Value) -> (u64, u64, u64) {
    let count = |name: &str| tree[name].as_u64().unwrap();
    (count("sent"), count("newer"), count("gone"))
}

fn is_mark(document: &Value) -> bool {
    document["kind"] == "mark"
}

fn living(engine: &Engine) -> Living {
    let documents = engine.documents("brv").into_iter().map(|(_, _, document)| document);
    let living = documents.filter(|document| !is_mark(document) && document["gone"] == false);
    living
        .map(|mut document| {
            let text = |name: &str| document[name].as_str().unwrap().to_owned();
            let key = (text("tree"), text("path"));
            let fields = document.as_object_mut().unwrap();
            for field in ["commit", "actor", "sent_at"] {
                assert!(fields.remove(field).is_some(), "{key:?} has {field}");
            }
            (key, document)
        })
        .collect()
}

/// The paths of what is marked as gone.
fn gone(engine: &Engine) -> Vec<String> {
    let documents = engine.documents("brv").into_iter().map(|(_, _, document)| document);
    let gone = documents.filter(|document| document["gone"] == true);
    gone.map(|document| document["path"].as_str().unwrap().to_owned()).collect()
}

/// The living documents that a first push makes, on a machine and an engine without any.
fn fresh(teams: &[&Team]) -> Living {
    let (env, engine) = (Env::new(), Engine::start(super::engine::Family::OpenSearch));
    let urls: Vec<&str> = teams.iter().flat_map(|team| ["--remote", team.url()]).collect();
    ended(&run(&env, &engine, &urls), 0);
    living(&engine)
}

/// The mark of a tree, and its id.
fn mark(engine: &Engine, tree: &str) -> (String, Value) {
    let mut documents = engine.documents("brv").into_iter();
    let found = documents.find(|(_, _, document)| is_mark(document) && document["tree"] == tree);
    let (id, _, mark) = found.unwrap_or_else(|| panic!("{tree} has no mark"));
    (id, mark)
}

/// Change fields of the mark of a tree, as another machine would.
fn change_mark(engine: &Engine, tree: &str, change: impl FnOnce(&mut Value)) {
    let (id, mut mark) = mark(engine, tree);
    change(&mut mark);
    let target = format!("/brv/_doc/{id}?refresh=true");
    let answer = client::ask(&engine.url, "PUT", &target, Some((JSON, &mark.to_string()))).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    engine.forget_calls();
}

/// The requests that change documents.
fn writes(engine: &Engine) -> Vec<Call> {
    engine.calls().into_iter().filter(Call::is_write).collect()
}

/// How many documents were sent, in bulk requests that were read.
fn bulks(calls: &[Call]) -> usize {
    calls.iter().filter(|call| call.path.ends_with("/_bulk")).count()
}

/// The mirrors in the cache of this machine.
fn mirrors(env: &Env) -> Vec<PathBuf> {
    let folder = env.path("home/.cache/brv/mirrors-1");
    let found = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    found
        .filter(|path| path.extension().is_some_and(|end| end == "git") && !path.ends_with("desk.git"))
        .collect()
}

/// An entry that a test adds.
fn entry(title: &str, text: &str) -> String {
    format!("---\ntitle: {title}\n---\n## Facts\n- **{title}**: {text}\n")
}

/// What a mark has before and after everything went well.
fn is_settled(engine: &Engine, team: &Team, commit: &str) -> bool {
    let (_, mark) = mark(engine, &team.tree());
    mark["commit"] == commit && mark["pending"] == json!([])
}
