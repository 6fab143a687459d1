//! `brv served`: which entries agents were given, when, by which way, for what and why. Only what this clone remembers.

use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::moments::moment;
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::open::signals;
use brv_engine::open::state::{ServedFilter, StoredReceipt};
use brv_engine::outcome::json;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// How many receipts are shown unless the caller says.
pub const USUAL: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those of this entry, or of what is in this folder, as typed.
    pub path: Option<String>,
    /// Only those since this date, as typed.
    pub since: Option<String>,
    /// The most that are shown.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { session: None, path: None, since: None, limit: USUAL }
    }
}

/// `brv.served/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Served")]
pub struct Outcome {
    /// Newest first; the entries of one answer in its order.
    pub served: Vec<Receipt>,
}

/// An entry that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ServedReceipt")]
pub struct Receipt {
    /// When.
    #[serde(serialize_with = "json::time")]
    #[schemars(with = "String")]
    pub time: i64,
    /// The session that it was given to; `null` if the caller named none.
    pub session: Option<String>,
    /// The agent that it was given to; `null` if the caller named none.
    pub actor: Option<String>,
    /// The way by which the call came: `mcp`, `hook` or `cli`.
    pub door: String,
    /// The command that answered.
    pub command: String,
    /// What was asked for, such as the question; at most 200 characters, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The entry, relative to the tree.
    pub path: String,
    /// The id of what was given, as git knows it.
    pub blob: String,
    /// Why this entry, as the command knows it.
    pub why: String,
    /// Whether the entry has other content now, or is gone.
    pub changed_since: bool,
}

/// Find what agents were given.
///
/// # Errors
/// A date that is none; a path that is not in the tree and was not given to anyone; the state cannot be read.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let since = options.since.as_ref().map(|text| moment(text, cx.clock)).transpose()?;
    let path = options.path.as_ref().map(|typed| path(cx, &opened, typed)).transpose()?;
    let filter = ServedFilter { session: options.session.clone(), path, since, limit: options.limit };
    let found = signals::receipts(&opened, &filter)?;
    let mut files = HashMap::new();
    for one in &found {
        files.entry(one.entry.path.clone()).or_insert_with_key(|path| current(&opened, path));
    }
    let receipt = |StoredReceipt { call, entry }| Receipt {
        time: call.time,
        session: call.session,
        actor: call.actor,
        door: call.door,
        command: call.command,
        asked: call.asked,
        changed_since: !files.get(&entry.path).is_some_and(|now| now.contains(&entry.blob)),
        path: entry.path,
        blob: entry.blob,
        why: entry.why,
    };
    Ok(Outcome { served: found.into_iter().map(receipt).collect() })
}

/// The path of the tree that is meant; of what is gone the one that was given.
fn path(cx: &Context<'_>, opened: &Opened, typed: &str) -> Result<String, Stop> {
    let named = resolve::resolve(&opened.scope.root(), &cx.cwd, typed)?;
    match named {
        Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path)) => {
            return Ok(path.to_string());
        }
        Some(Named::Folder(path)) => return Ok(path),
        Some(Named::NotKnowledge(_)) | None => {}
    }
    let plain = typed.trim_start_matches("./").trim_end_matches('/');
    for path in [plain.to_owned(), format!("{plain}.md")] {
        let filter = ServedFilter { path: Some(path.clone()), limit: 1, ..ServedFilter::default() };
        if !signals::receipts(opened, &filter)?.is_empty() {
            return Ok(path);
        }
    }
    Err(Stop::usage(format!("`{typed}` is not in the context tree, and nobody was given it")))
}

/// The ids of a file as it is now, also with the line endings that git gives it; none if it is gone.
fn current(opened: &Opened, path: &str) -> Vec<String> {
    let root = opened.scope.root();
    let read = |path: TreePath| fs::read_below(&root, &path.on_disk(&root)).ok().flatten();
    let Some(bytes) = TreePath::parse(path.as_bytes()).ok().and_then(read) else { return Vec::new() };
    let id = |bytes: &[u8]| ContentId::of(bytes).to_string();
    let mut ids = vec![id(&bytes)];
    if bytes.contains_str("\r\n") {
        ids.push(id(&bytes.replace("\r\n", "\n")));
    }
    ids
}
