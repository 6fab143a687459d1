//! Carries out what a form asks for: each act is one command, so that it is one operation with one undo.

use super::keys::Visitor;
use crate::say::site::form::{ActDone, SiteAct};
use crate::say::site::refused::RefusedAct;
use crate::say::{CommandCall, Commands, Failure, Reply};
use brv_commands::read;
use brv_commands::review::branch;
use brv_commands::ui::moved::{MovedEntry, moved};
use brv_engine::{Context, FailureKind};
use hyper::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The fields of a form.
pub struct ActFields(pub Vec<(String, String)>);

/// A command with its input, as an act calls it.
struct ActCall {
    command: &'static str,
    input: Value,
    /// What it reads from its standard input.
    read: Vec<u8>,
}

impl ActFields {
    /// What the form is about.
    pub fn own(self) -> Self {
        let is_own = |name: &str| name != "secret" && name != "from";
        Self(self.0.into_iter().filter(|(name, _)| is_own(name)).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn must(&self, name: &str) -> Result<&str, Failure> {
        let value = self.get(name).filter(|value| !value.trim().is_empty());
        value.ok_or_else(|| Failure::usage(format!("`{name}` is missing")))
    }

    /// The reason, which says where it was given.
    fn reason(&self) -> String {
        match self.get("text").map(str::trim) {
            Some(text) if !text.is_empty() => format!("{text} (ui)"),
            _ => "(ui)".to_owned(),
        }
    }

    /// The versions that the page showed: a blob, or none, and a path.
    fn seen(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        self.all("seen").filter_map(|seen| {
            let (blob, path) = seen.split_once(' ')?;
            Some(((blob != "-").then_some(blob), path))
        })
    }
}

/// Do it.
///
/// # Errors
/// Nothing was done: the status to answer with, and what is shown.
pub fn act(
    commands: &dyn Commands,
    cx: &mut Context<'static>,
    (visitor, act): (&Visitor, SiteAct),
    fields: ActFields,
) -> Result<ActDone, Box<(StatusCode, RefusedAct)>> {
    let refused = |fields: ActFields, status, failure, moved| {
        Err(Box::new((status, RefusedAct { act, fields: fields.0, failure, moved })))
    };
    if visitor.rights < act.needs() {
        return refused(fields, StatusCode::FORBIDDEN, forbidden(visitor), Vec::new());
    }
    match others(cx, &fields) {
        Ok(others) if others.is_empty() => {}
        Ok(others) => {
            let said = "The text has changed since the page was shown: nothing was written.";
            let failure = Failure::new(FailureKind::Conflict, said);
            return refused(fields, StatusCode::CONFLICT, failure, others);
        }
        Err(failure) => return refused(fields, status(failure.stop.kind), failure, Vec::new()),
    }
    carry_out(commands, cx, act, &fields)
        .or_else(|failure| refused(fields, status(failure.stop.kind), *failure, Vec::new()))
}

fn forbidden(visitor: &Visitor) -> Failure {
    let is_agent = visitor.actor.name.is_some() || visitor.actor.session.is_some();
    let why = match is_agent {
        true => "an agent signed in here: start `brv ui` yourself",
        false => "these pages only read: `brv ui` was started with --read-only",
    };
    Failure::new(FailureKind::Refused, why)
}

/// Run the command of an act, about what is as the page showed it.
fn carry_out(
    commands: &dyn Commands,
    cx: &mut Context<'static>,
    act: SiteAct,
    fields: &ActFields,
) -> Result<ActDone, Box<Failure>> {
    branch_is_as_shown(cx, fields)?;
    let call = call(act, fields)?;
    cx.input = Some(call.read);
    let run = |input: &Value| {
        let mut reply = None;
        let asked = CommandCall { command: call.command, input, format: None };
        commands.reply(&asked, cx, &mut |one| reply = Some(one));
        reply.unwrap_or_else(|| Reply::refusing(Failure::new(FailureKind::Failed, "there is no answer")))
    };
    if act == SiteAct::Merge {
        // a merge that a person must decide is begun where it can be finished
        let mut tried = call.input.clone();
        tried["dry_run"] = true.into();
        if let Some(failure) = run(&tried).failure {
            let hint = "nothing was written; `brv vc merge` in a terminal begins it";
            return Err(Box::new(failure.hinting(Some(hint))));
        }
    }
    let reply = run(&call.input);
    let data = serde_json::from_str::<Value>(&reply.json).unwrap_or_default()["data"].take();
    match failed(&data, reply.failure) {
        Some(failure) => Err(Box::new(failure)),
        None => Ok(ActDone { act, warnings: reply.warnings, undo: undo(act, fields, &data) }),
    }
}

/// The version of an entry that is there now.
pub struct EntryNow {
    /// The id of its bytes.
    pub id: String,
    bytes: Vec<u8>,
}

/// The versions that are there now, by path.
pub fn versions(cx: &Context<'_>, paths: &[&str]) -> Result<BTreeMap<String, EntryNow>, Failure> {
    if paths.is_empty() {
        return Ok(BTreeMap::new());
    }
    let names = paths.iter().map(|path| (*path).to_owned()).collect();
    let (outcome, _) = read::run(cx, &read::Options { names, level: None, at: None })?;
    let now = outcome.pieces.into_iter().filter_map(|piece| {
        let id = piece.source.as_ref()?.id.to_string();
        Some((piece.path, EntryNow { id, bytes: piece.text }))
    });
    Ok(now.collect())
}

/// The entries that are others than the page showed.
fn others(cx: &Context<'_>, fields: &ActFields) -> Result<Vec<MovedEntry>, Failure> {
    let shown: Vec<_> = fields.seen().collect();
    let paths: Vec<&str> = shown.iter().map(|(_, path)| *path).collect();
    let now = versions(cx, &paths)?;
    let mut found = Vec::new();
    for (seen, path) in shown {
        let now = now.get(path);
        if now.map(|now| &*now.id) != seen {
            found.push(moved(cx, path, seen, now.map(|now| (now.id.clone(), &*now.bytes)))?);
        }
    }
    Ok(found)
}

/// Whether a branch is one that a dream made for review: others are not merged or deleted by a page.
pub fn is_dream(branch: &str) -> bool {
    branch.starts_with("dream/")
}

/// Whether the branch that a form is about, if it is about one, has the commits that the page showed.
fn branch_is_as_shown(cx: &Context<'_>, fields: &ActFields) -> Result<(), Failure> {
    let Some((name, tip)) = fields.get("branch").zip(fields.get("tip")) else { return Ok(()) };
    match branch::run(cx, name)?.tip.to_string() == tip {
        true => Ok(()),
        false => {
            let said = "The branch has other commits since the page was shown: nothing was done.";
            Err(Failure::new(FailureKind::Conflict, said))
        }
    }
}

/// The command of an act.
fn call(act: SiteAct, fields: &ActFields) -> Result<ActCall, Failure> {
    let (command, input) = match act {
        SiteAct::Approve => ("review approve", decision(fields, fields.reason())?),
        SiteAct::Reject => ("review reject", decision(fields, fields.reason())?),
        SiteAct::Reopen => (
            "review reopen",
            json!({ "id": fields.must("id")?, "paths": fields.all("path").collect::<Vec<_>>() }),
        ),
        SiteAct::Comment => ("review comment", comment(fields)?),
        SiteAct::Answer => {
            ("review answer", json!({ "id": fields.must("id")?, "message": fields.must("text")? }))
        }
        SiteAct::Settle => ("vc resolve", settlement(fields)?),
        SiteAct::Fix => {
            let read = serde_json::to_vec(&fixing(fields)?).unwrap_or_default();
            return Ok(ActCall { command: "curate", input: json!({ "ops": "-" }), read });
        }
        SiteAct::Confirm => {
            ("stale confirm", json!({ "paths": [fields.must("path")?], "reason": fields.reason() }))
        }
        SiteAct::Archive => ("archive run", json!({ "paths": [fields.must("path")?] })),
        SiteAct::Merge => ("vc merge", json!({ "revisions": [dream(fields)?] })),
        SiteAct::Delete => ("vc branch", json!({ "names": [dream(fields)?], "delete": true, "force": true })),
        SiteAct::Undo => ("undo", json!({ "operation": fields.must("id")? })),
    };
    Ok(ActCall { command, input, read: Vec::new() })
}

fn dream(fields: &ActFields) -> Result<&str, Failure> {
    let branch = fields.must("branch")?;
    match is_dream(branch) {
        true => Ok(branch),
        false => Err(Failure::usage("only branches `dream/…` are merged or deleted here")),
    }
}

fn decision(fields: &ActFields, reason: String) -> Result<Value, Failure> {
    let paths: Vec<&str> = fields.all("path").collect();
    Ok(json!({ "id": fields.must("id")?, "paths": paths, "comment": reason }))
}

fn comment(fields: &ActFields) -> Result<Value, Failure> {
    let mut input = json!({ "id": fields.must("id")?, "message": fields.must("text")? });
    if let Some(subject) = fields.get("fact").filter(|subject| !subject.is_empty()) {
        input["fact"] = subject.into();
    } else if let Some(line) = fields.get("line").and_then(|line| line.parse::<usize>().ok()) {
        input["line"] = line.into();
    }
    Ok(input)
}

fn settlement(fields: &ActFields) -> Result<Value, Failure> {
    let mut input = json!({ "paths": [fields.must("path")?], "fact": fields.must("fact")? });
    match fields.must("keep")? {
        "text" => input["text"] = fields.must("text")?.trim().into(),
        keep => input["keep"] = json!([keep]),
    }
    Ok(input)
}

/// The operation that replaces one fact, of the version that was shown.
fn fixing(fields: &ActFields) -> Result<Value, Failure> {
    let path = fields.must("path")?;
    let mut fact = json!({ "subject": fields.must("fact")?, "statement": fields.must("text")?.trim() });
    if let Some(category) = fields.get("category") {
        fact["category"] = category.into();
    }
    let expect = fields.seen().find(|(_, known)| *known == path).and_then(|(seen, _)| seen);
    let expect = expect.ok_or_else(|| Failure::usage("`seen` is missing"))?;
    let content = json!({ "facts": [fact] });
    Ok(json!([{
        "type": "UPDATE", "path": path, "reason": "fixed a fact (ui)", "content": content, "expect": expect
    }]))
}

/// Why it did not work; of commands that answer for each of several, what is said of the one.
fn failed(data: &Value, failure: Option<Failure>) -> Option<Failure> {
    let failure = failure?;
    let refused = &data["applied"][0];
    if let Some(why) = data["skipped"][0]["why"].as_str() {
        let message = format!("{}: {}", failure.stop.message, why.replace('_', " "));
        return Some(Failure::new(failure.stop.kind, message).hinting(failure.stop.hint));
    }
    let (Some(code), Some(message)) = (refused["code"].as_str(), refused["message"].as_str()) else {
        return Some(failure);
    };
    let kind = match code {
        "changed" | "conflict" => FailureKind::Conflict,
        "invalid" | "not_found" | "over_limit" => FailureKind::Usage,
        _ => failure.stop.kind,
    };
    Some(Failure::new(kind, message))
}

/// What takes it back.
fn undo(act: SiteAct, fields: &ActFields, data: &Value) -> Option<(SiteAct, Vec<(String, String)>)> {
    if act == SiteAct::Approve {
        let about = fields.0.iter().filter(|(name, _)| name == "id" || name == "path");
        return Some((SiteAct::Reopen, about.cloned().collect()));
    }
    let operation = data["operation"].as_str()?;
    Some((SiteAct::Undo, vec![("id".to_owned(), operation.to_owned())]))
}

/// The status of the page or the JSON that says why a command failed.
pub const fn status(kind: FailureKind) -> StatusCode {
    match kind {
        FailureKind::Usage => StatusCode::BAD_REQUEST,
        FailureKind::Conflict | FailureKind::Changed => StatusCode::CONFLICT,
        FailureKind::Refused | FailureKind::Blocked => StatusCode::UNPROCESSABLE_ENTITY,
        FailureKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
