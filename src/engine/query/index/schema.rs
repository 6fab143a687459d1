//! The fields of documents and marks in the index, their ids, and whether an index is ours.

use super::engine::{EngineBody, SearchEngine, error_type};
use crate::{FailureKind, Stop};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The version of the fields. An index of another one is not touched.
pub const FIELDS_FORMAT: u64 = 1;

/// How many shards a new index has if nothing else is asked for.
pub const SHARDS: u32 = 1;

/// An engine and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineVersion {
    /// `opensearch` or `elasticsearch`
    pub name: String,
    pub version: String,
}

/// The id of the document of an entry: the first 32 hex digits of the SHA-256 of tree, NUL and path.
pub fn document_id(tree: &str, path: &str) -> String {
    digest(&[tree.as_bytes(), b"\0", path.as_bytes()].concat())
}

/// The id of the mark of a tree.
pub fn mark_id(tree: &str) -> String {
    format!("mark-{}", digest(tree.as_bytes()))
}

/// The value of the field `folder`, by which neighbours are found.
pub fn folder_key(tree: &str, path: &str) -> String {
    format!("{tree}\n{}", path.rsplit_once('/').map_or("", |(folder, _)| folder))
}

fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().take(16).fold(String::with_capacity(32), |text, byte| format!("{text}{byte:02x}"))
}

/// The body that creates the index.
fn definition(shards: u32) -> Value {
    let keyword = json!({ "type": "keyword" });
    let stored = json!({ "type": "keyword", "index": false, "doc_values": false });
    // frequencies without positions: phrases are looked for in the text
    let tokens = json!({ "type": "text", "analyzer": "whitespace", "index_options": "freqs" });
    let figure = json!({ "type": "integer", "index": false });
    let time = json!({ "type": "date", "format": "epoch_second" });
    json!({
        "settings": { "index": { "number_of_shards": shards } },
        "mappings": {
            "dynamic": "strict",
            "_meta": { "brv": { "format": FIELDS_FORMAT } },
            "_source": { "excludes": ["terms_*"] },
            "properties": {
                "kind": keyword, "tree": keyword, "remote": keyword, "branch": stored, "prefix": stored,
                "path": keyword, "folder": keyword, "blob": stored, "commit": stored, "actor": stored,
                "terms_title": tokens, "terms_path": tokens, "terms_body": tokens,
                "text": stored, "rest": stored,
                "len": figure, "items": figure, "pieces": figure, "title_words": figure, "meta_words": figure,
                "languages": { "type": "integer" }, "day": { "type": "integer" },
                "updated_at": { "type": "long" }, "sent_at": time, "swept_from": time,
                "disputed": { "type": "boolean" }, "gone": { "type": "boolean" },
                "pending": stored, "number": { "type": "long" }, "tokens_version": { "type": "integer" }
            }
        }
    })
}

/// Who answers at the address.
///
/// # Errors
/// It is no search engine, or cannot be reached.
pub fn engine_version(engine: &SearchEngine) -> Result<EngineVersion, Stop> {
    let reply = engine.ask_engine("GET", "/", EngineBody::None, &[403])?;
    if reply.status == 403 {
        // who may write one index need not be allowed to ask about the cluster
        return Ok(EngineVersion { name: "unknown".into(), version: "unknown".into() });
    }
    let version = &reply.body["version"];
    let number = version["number"].as_str().ok_or_else(|| engine.unusable("a version"))?;
    let name = version["distribution"].as_str().unwrap_or("elasticsearch");
    Ok(EngineVersion { name: engine.shown(name.as_bytes()), version: engine.shown(number.as_bytes()) })
}

/// Whether the fields of the index must be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingRights {
    /// Before anything is written.
    Needed,
    /// A key that may only search need not be allowed to read them.
    Optional,
}

/// Whether the index is there.
///
/// # Errors
/// It is somebody else's, or of another version of brv; the engine.
pub fn is_there(engine: &SearchEngine, readable: MappingRights) -> Result<bool, Stop> {
    let reply = engine.ask("GET", "/_mapping", EngineBody::None, &[403, 404])?;
    if reply.status == 403 && readable == MappingRights::Optional {
        return Ok(true);
    }
    if reply.status == 403 {
        return Err(engine.refusal(&reply, None));
    }
    if reply.status == 404 {
        return match error_type(&reply.body) {
            "index_not_found_exception" => Ok(false),
            _ => Err(engine.unusable("a mapping")),
        };
    }
    // an alias is answered with the name of the index behind it
    let indices = reply.body.as_object().filter(|indices| !indices.is_empty());
    let indices = indices.ok_or_else(|| engine.unusable("a mapping"))?;
    for index in indices.values() {
        let own = &index["mappings"]["_meta"]["brv"]["format"];
        let name = engine.index();
        match own.as_u64() {
            Some(FIELDS_FORMAT) => {}
            Some(other) if other > FIELDS_FORMAT => {
                let message = format!("the index `{name}` was made by a newer brv");
                return Err(Stop::refused(message).hint("install the newer brv"));
            }
            Some(_) => {
                return Err(Stop::refused(format!("the index `{name}` was made by another version of brv")));
            }
            None => {
                let message = format!("the index `{name}` is not one of brv's, and is not touched");
                // engines make an index of what is written where none is
                let hint = match index["mappings"]["properties"]["terms_body"].is_null() {
                    true => "`--index NAME` names another one",
                    false => {
                        "the engine created it during a push, after the index was removed: remove it, and push again"
                    }
                };
                return Err(Stop::refused(message).hint(hint));
            }
        }
    }
    Ok(true)
}

/// Create the index if it is not there.
///
/// # Errors
/// As [`is_there`]; nobody may create it.
pub fn ensure(engine: &SearchEngine, shards: u32) -> Result<(), Stop> {
    if is_there(engine, MappingRights::Needed)? { Ok(()) } else { create(engine, shards) }
}

/// Create the index, which is not there.
///
/// # Errors
/// As [`ensure`].
pub fn create(engine: &SearchEngine, shards: u32) -> Result<(), Stop> {
    let reply = engine.ask("PUT", "", EngineBody::Json(&definition(shards)), &[400])?;
    match (reply.status, error_type(&reply.body)) {
        // another push was faster
        (400, "resource_already_exists_exception") => is_there(engine, MappingRights::Needed).map(drop),
        (400, _) => Err(engine.refusal(&reply, None)),
        _ => Ok(()),
    }
}

/// Remove the index: only one that this process made.
///
/// # Errors
/// The engine.
pub fn remove(engine: &SearchEngine) -> Result<(), Stop> {
    engine.ask("DELETE", "", EngineBody::None, &[404]).map(drop)
}

/// Stop where something is newer than this brv.
///
/// # Errors
/// `found` is a newer version of the terms.
pub fn check_tokens(found: u32) -> Result<(), Stop> {
    if found <= brv_search::TOKENS_VERSION {
        return Ok(());
    }
    let message = format!(
        "the index has terms of version {found}, made by a newer brv: this one knows version {}",
        brv_search::TOKENS_VERSION
    );
    Err(Stop::new(FailureKind::Refused, message).code("tokens_newer").hint("install the newer brv"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_tree_and_path_apart() {
        assert_eq!(document_id("a", "b").len(), 32);
        assert_ne!(document_id("a", "b/c"), document_id("a/b", "c"));
        assert_eq!(mark_id("a").strip_prefix("mark-").map(str::len), Some(32));
        assert_eq!((folder_key("t", "a/b/c.md"), folder_key("t", "c.md")), ("t\na/b".into(), "t\n".into()));
    }
}
