//! `brv connectors test HOST`: runs what is registered, as the host does, and shows what a model would get.

use super::{ConnectorType, Host, Scope, Selection};
use crate::connectors::agents::Site;
use brv_base::process;
use brv_engine::agents::connectors::{self, Target};
use brv_engine::{Context, FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long the whole test may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most of an answer that is read.
const MOST: u64 = 16 << 20;

/// `brv.connectors.test/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorsTest")]
pub struct Outcome {
    pub host: Host,
    /// Whether brv answered.
    pub fired: bool,
    /// How long it took.
    pub ms: u64,
    /// What a model would get; if brv did not answer, why.
    pub text: String,
}

/// Run what is registered for a host.
///
/// # Errors
/// Nothing is registered.
pub fn run(cx: &Context<'_>, selection: &Selection) -> Result<Outcome, Stop> {
    let site = Site::of(&cx.cwd, &cx.environment)?;
    let Some(host) = selection.hosts.first().copied() else {
        return Err(Stop::usage("name a host"));
    };
    let (target, bytes) = installed(&site, host, selection)?;
    let begun = Instant::now();
    let folder = site.folders.project.clone().unwrap_or_else(|| cx.cwd.clone());
    let got = match target.kind {
        ConnectorType::Hook => {
            let line = connectors::command_in(&target.form, &bytes).unwrap_or_default();
            let program = connectors::hook_program(host, &line).unwrap_or_default();
            let program = program_of(cx, &target, &program)?;
            let mut command = process::command(program, &cx.environment);
            command.args(["agent-hook", host.id()]).current_dir(&folder);
            let id = format!("brv-test-{}-{}", std::process::id(), cx.clock.now().timestamp_micros());
            talk(command, begun, |talk| talk.hook(&folder.display().to_string(), &id))
        }
        _ => {
            let entry = connectors::entry_in(&target.form, &bytes).unwrap_or_default();
            let registered = connectors::registered(&entry)
                .ok_or_else(|| Stop::new(FailureKind::Failed, "the entry has no command"))?;
            let program = program_of(cx, &target, &registered.program)?;
            let mut command = process::command(program, &cx.environment);
            command.current_dir(&folder);
            match target.scope {
                Scope::Project => drop(command.arg("mcp")),
                Scope::User => drop(command.args(&registered.arguments).envs(registered.environment)),
            }
            talk(command, begun, Talk::server)
        }
    };
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (fired, text) = got.map_or_else(|why| (false, why), |text| (true, text));
    Ok(Outcome { host, fired, ms, text })
}

/// What is registered: the server before the hook, the project's before the user's.
fn installed(site: &Site, host: Host, selection: &Selection) -> Result<(Target, Vec<u8>), Stop> {
    let kinds = selection.kinds_of(host);
    if kinds.iter().any(|kind| matches!(kind, ConnectorType::Rules | ConnectorType::Skill)) {
        return Err(Stop::usage("rules and skills are texts; there is nothing to run"));
    }
    let targets = kinds.iter().flat_map(|kind| Scope::ALL.map(|scope| site.targets(host, *kind, scope)));
    for target in targets.flatten() {
        if selection.scope.is_none_or(|scope| scope == target.scope)
            && site.look(&target).state.is_there()
            && let Some(bytes) = site.read(&target)?
        {
            return Ok((target, bytes));
        }
    }
    let message = format!("brv is not registered with {}", host.id());
    Err(Stop::new(FailureKind::Failed, message).hint(format!("run `brv connectors install {}`", host.id())))
}

/// The program to run. A file of the project may name anybody's: from there only the word `brv` counts, which is the one
/// on PATH, with the arguments that brv writes and without variables that the file sets.
fn program_of(cx: &Context<'_>, target: &Target, program: &str) -> Result<PathBuf, Stop> {
    if target.scope == Scope::User {
        return Ok(program.into());
    }
    if program == "brv" {
        let message = "there is no `brv` in a folder of PATH";
        let program = process::find_on_path(program, &cx.environment);
        return program.ok_or_else(|| Stop::new(FailureKind::Failed, message));
    }
    let message = format!("a file of the project names the program `{program}`, which is not run from here");
    Err(Stop::new(FailureKind::Refused, message).hint("run it yourself if you trust it"))
}

/// A program that is talked to, line by line.
struct Talk {
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    end: Instant,
}

/// Start a program, talk to it, and end it.
fn talk(
    mut command: Command,
    begun: Instant,
    act: impl FnOnce(&mut Talk) -> Result<String, String>,
) -> Result<String, String> {
    process::lead_group(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child: Child = command.spawn().map_err(|error| format!("it could not be started: {error}"))?;
    let (sender, lines) = channel();
    if let Some(output) = child.stdout.take() {
        // ends with the program
        std::thread::spawn(move || {
            for line in BufReader::new(output.take(MOST)).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    let mut talk = Talk { input: child.stdin.take(), lines, end: begun + PATIENCE };
    let got = act(&mut talk);
    drop(talk);
    // a server ends by itself when nobody talks to it
    for _ in 0..50 {
        if !matches!(child.try_wait(), Ok(None)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    process::end(&mut child, process::Led::Yes);
    got
}

impl Talk {
    fn say(&mut self, value: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("it does not listen")?;
        writeln!(input, "{value}")
            .and_then(|()| input.flush())
            .map_err(|error| format!("it ended before it answered: {error}"))
    }

    fn hear(&self) -> Result<String, String> {
        let left = self.end.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("it did not answer within {} s", PATIENCE.as_secs()),
            RecvTimeoutError::Disconnected => "it ended without an answer".into(),
        })
    }

    /// Call a method, and wait for its result.
    fn call(&mut self, id: u64, method: &str, params: &Value) -> Result<Value, String> {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.hear()?;
            let Ok(answer) = serde_json::from_str::<Value>(&line) else {
                return Err(format!("it printed something else than JSON: {}", shortened(&line)));
            };
            if answer["id"] != json!(id) || answer.get("method").is_some() {
                continue;
            }
            if let Some(error) = answer.get("error") {
                return Err(format!("it answered {method} with an error: {}", shortened(&error.to_string())));
            }
            return Ok(answer["result"].clone());
        }
    }

    /// As a host does with a server at the start of a session.
    fn server(&mut self) -> Result<String, String> {
        let client = json!({ "name": "brv-connectors-test", "version": env!("CARGO_PKG_VERSION") });
        let hello = self.call(
            1,
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        )?;
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let tools = self.call(2, "tools/list", &json!({}))?;
        let brain = self.call(3, "tools/call", &json!({ "name": "brv-brain", "arguments": {} }))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut parts = vec![text(&hello["instructions"])];
        for tool in tools["tools"].as_array().into_iter().flatten() {
            parts.push(format!("{}: {}", text(&tool["name"]), text(&tool["description"])));
        }
        for block in brain["content"].as_array().into_iter().flatten() {
            parts.push(text(&block["text"]));
        }
        parts.retain(|part| !part.is_empty());
        Ok(parts.join("\n\n"))
    }

    /// As a host does at the start of a session.
    fn hook(&mut self, folder: &str, session: &str) -> Result<String, String> {
        let event = json!({
            "session_id": session, "transcript_path": null, "cwd": folder, "hook_event_name": "SessionStart",
            "source": "startup", "model": "test", "permission_mode": "default",
        });
        // one that reads nothing may answer all the same
        let _ = self.say(&event);
        self.input = None;
        let mut lines = Vec::new();
        loop {
            match self.hear() {
                Ok(line) => lines.push(line),
                Err(_) if !lines.is_empty() => break,
                Err(_) if Instant::now() < self.end => {
                    return Err("it ran, and printed nothing for the model".into());
                }
                Err(why) => return Err(why),
            }
        }
        let whole = lines.join("\n");
        let answer: Value = serde_json::from_str(&whole)
            .map_err(|_| format!("it printed something else than JSON: {}", shortened(&whole)))?;
        match answer["hookSpecificOutput"]["additionalContext"].as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(format!("it gave the model nothing: {}", shortened(&whole))),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(200).collect()
}
