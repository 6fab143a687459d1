//! The mark of a tree: which commit the index has, and which pushes are under way.
//!
//! A mark is changed only by who has read its last state (`if_seq_no`), so that two pushes never take one number. A push
//! writes its documents with its number as their version: of two the later one wins, whatever arrives last.

use super::engine::{EngineBody, EngineReply, SearchEngine, error_type};
use super::remote_list::RemoteTree;
use super::schema::mark_id;
use crate::Stop;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How often a mark is read again because another push changed it.
const ATTEMPTS: usize = 20;

/// How many marks are asked for at once.
const PAGE: usize = 500;

/// What is noted of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeMark {
    pub kind: String,
    pub tree: String,
    /// Its URL, without secrets.
    pub remote: String,
    pub branch: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// The commit whose entries the index has, once one was sent as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What pushes were about that began and did not end yet.
    #[serde(default)]
    pub pending: Vec<TreeCommit>,
    /// The number of the last push, not below its time in seconds since 1970.
    pub number: u64,
    /// The version of the terms of its documents.
    pub tokens_version: u32,
    /// When the oldest document was marked as gone that is still kept, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swept_from: Option<i64>,
}

/// A commit of the remote, and the folder of it that is the tree: `1a2b…`, or `1a2b…:docs/tree`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct TreeCommit {
    /// In hex.
    pub commit: String,
    /// Empty if the tree is all of it.
    pub prefix: String,
}

impl From<String> for TreeCommit {
    fn from(text: String) -> Self {
        let (commit, prefix) = text.split_once(':').unwrap_or((&text, ""));
        Self { commit: commit.to_owned(), prefix: prefix.to_owned() }
    }
}

impl From<TreeCommit> for String {
    fn from(tree: TreeCommit) -> Self {
        match tree.prefix.is_empty() {
            true => tree.commit,
            false => format!("{}:{}", tree.commit, tree.prefix),
        }
    }
}

/// A mark, and the state in which it was read.
#[derive(Debug, Clone)]
pub struct ReadMark {
    pub mark: TreeMark,
    /// `_seq_no` and `_primary_term`; `None` if there is none yet.
    state: Option<(u64, u64)>,
}

impl TreeMark {
    /// That of a tree of which nothing was sent yet.
    fn new(tree: &RemoteTree) -> Self {
        Self {
            kind: "mark".into(),
            tree: tree.name.clone(),
            remote: tree.remote.clone(),
            branch: tree.branch.clone(),
            prefix: tree.prefix.clone(),
            commit: None,
            pending: Vec::new(),
            number: 0,
            tokens_version: brv_search::TOKENS_VERSION,
            swept_from: None,
        }
    }

    /// Whether the tree was dropped, and not pushed again: its number is all that is left of it.
    pub fn is_dropped(&self) -> bool {
        self.commit.is_none() && self.pending.is_empty()
    }

    /// Whether no push of the tree has begun, as far as is noted.
    pub fn is_new(&self) -> bool {
        self.number == 0
    }

    /// The commit whose entries the index has.
    pub fn settled(&self) -> Option<TreeCommit> {
        let prefix = self.prefix.clone();
        self.commit.clone().map(|commit| TreeCommit { commit, prefix })
    }

    /// Whether the index has all of this commit.
    pub fn has(&self, commit: &str) -> bool {
        self.commit.as_deref() == Some(commit)
            && self.pending.is_empty()
            && self.tokens_version == brv_search::TOKENS_VERSION
    }
}

/// The mark of a tree.
///
/// # Errors
/// The engine.
pub fn read(engine: &SearchEngine, tree: &RemoteTree) -> Result<ReadMark, Stop> {
    let path = format!("/_doc/{}", mark_id(&tree.name));
    let reply = engine.ask("GET", &path, EngineBody::None, &[404])?;
    if reply.status == 404 && error_type(&reply.body) == "index_not_found_exception" {
        return Err(engine.no_index());
    }
    if reply.status == 404 || reply.body["found"] == false {
        return Ok(ReadMark { mark: TreeMark::new(tree), state: None });
    }
    // another program wrote it: that concerns this tree alone
    of_document(engine, &reply.body).map_err(|_| {
        Stop::failed(format!("the document `{}` of the index is no mark of brv's", mark_id(&tree.name)))
    })
}

fn of_document(engine: &SearchEngine, body: &Value) -> Result<ReadMark, Stop> {
    let state = (body["_seq_no"].as_u64(), body["_primary_term"].as_u64());
    let mark = TreeMark::deserialize(&body["_source"]);
    match (mark, state) {
        (Ok(mark), (Some(number), Some(term))) => Ok(ReadMark { mark, state: Some((number, term)) }),
        _ => Err(engine.unusable("the mark of a tree")),
    }
}

/// Whether a document is at the place of the mark of its tree.
fn is_its(document: &Value, mark: &TreeMark) -> bool {
    document["_id"].as_str() == Some(&*mark_id(&mark.tree))
}

/// Write a mark if it is as it was read; whether it was. Searches see it at once.
fn write(engine: &SearchEngine, read: &ReadMark, mark: &TreeMark) -> Result<Option<ReadMark>, Stop> {
    let id = mark_id(&mark.tree);
    let (path, body) = match read.state {
        None => (format!("/_create/{id}?refresh=true"), json!(mark)),
        Some((number, term)) => {
            (format!("/_doc/{id}?if_seq_no={number}&if_primary_term={term}&refresh=true"), json!(mark))
        }
    };
    let reply = engine.ask("PUT", &path, EngineBody::Json(&body), &[409])?;
    if reply.status == 409 {
        return Ok(None);
    }
    let state = (reply.body["_seq_no"].as_u64(), reply.body["_primary_term"].as_u64());
    let (Some(number), Some(term)) = state else { return Err(engine.unusable("the state of a mark")) };
    Ok(Some(ReadMark { mark: mark.clone(), state: Some((number, term)) }))
}

/// Change the mark of a tree: `change` makes the new one of the last state, or says that nothing is to do. It is called
/// again if another push was faster.
///
/// # Errors
/// The engine; the mark changes all the time.
pub fn change(
    engine: &SearchEngine,
    tree: &RemoteTree,
    known: Option<ReadMark>,
    change: impl Fn(&TreeMark) -> Option<TreeMark>,
) -> Result<Option<ReadMark>, Stop> {
    let mut known = known;
    for _ in 0..ATTEMPTS {
        let found = match known.take() {
            Some(found) => found,
            None => read(engine, tree)?,
        };
        let Some(mark) = change(&found.mark) else { return Ok(None) };
        if let Some(written) = write(engine, &found, &mark)? {
            return Ok(Some(written));
        }
    }
    Err(Stop::failed(format!("others change the mark of `{}` all the time", tree.name)))
}

/// Note that a tree is dropped. Its number stays and grows: engines remember the versions of what was removed, and a push that
/// is under way sees that it was overtaken.
///
/// # Errors
/// The engine.
pub fn drop(engine: &SearchEngine, read: ReadMark) -> Result<(), Stop> {
    let mark = &read.mark;
    let tree = RemoteTree {
        name: mark.tree.clone(),
        remote: mark.remote.clone(),
        branch: mark.branch.clone(),
        prefix: mark.prefix.clone(),
    };
    change(engine, &tree, Some(read), |mark| {
        let number = mark.number + 1;
        Some(TreeMark { commit: None, pending: Vec::new(), number, swept_from: None, ..mark.clone() })
    })?;
    Ok(())
}

/// The marks of these trees, as far as there are any, by the names of the trees.
///
/// # Errors
/// The engine.
pub fn of_trees(engine: &SearchEngine, trees: &[&str]) -> Result<BTreeMap<String, ReadMark>, Stop> {
    let mut marks = BTreeMap::new();
    for page in trees.chunks(PAGE) {
        let ids: Vec<String> = page.iter().map(|tree| mark_id(tree)).collect();
        let reply = engine.ask("POST", "/_mget", EngineBody::Json(&json!({ "ids": ids })), &[])?;
        let documents = reply.body["docs"].as_array().ok_or_else(|| engine.unusable("documents"))?;
        for document in documents.iter().filter(|document| document["found"] == true) {
            // what another program wrote is passed over
            let read = of_document(engine, document).ok().filter(|read| is_its(document, &read.mark));
            marks.extend(read.map(|read| (read.mark.tree.clone(), read)));
        }
    }
    Ok(marks)
}

/// All marks, in the order of the names of their trees.
///
/// # Errors
/// The engine.
pub fn all(engine: &SearchEngine) -> Result<Vec<TreeMark>, Stop> {
    let mut marks = Vec::new();
    let mut last = Value::Null;
    loop {
        let mut body = json!({
            "size": PAGE,
            "query": { "term": { "kind": "mark" } },
            "sort": [{ "tree": "asc" }],
        });
        if !last.is_null() {
            body["search_after"] = last.clone();
        }
        let reply = engine.ask("POST", "/_search", EngineBody::Json(&body), &[])?;
        let page = hits(engine, &reply)?;
        for hit in page {
            marks.extend(TreeMark::deserialize(&hit["_source"]).ok().filter(|mark| is_its(hit, mark)));
        }
        match page.last() {
            Some(hit) if page.len() == PAGE && hit["sort"] != last => last = hit["sort"].clone(),
            _ => return Ok(marks),
        }
    }
}

/// The hits of a search.
///
/// # Errors
/// The answer has none, or not those of all shards.
pub fn hits<'a>(engine: &SearchEngine, reply: &'a EngineReply) -> Result<&'a Vec<Value>, Stop> {
    if reply.body["_shards"]["failed"].as_u64().is_some_and(|failed| failed > 0) {
        return Err(Stop::new(
            crate::FailureKind::Remote,
            format!("shards of the index `{}` did not answer", engine.index()),
        ));
    }
    reply.body["hits"]["hits"].as_array().ok_or_else(|| engine.unusable("hits"))
}
