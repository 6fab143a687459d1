//! What became of an entry since a page showed it.

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::read::history::changes::{Contents, Detail};
use brv_engine::read::history::knowledge::{self, ChangeReport};
use brv_git::trees::Change;
use brv_git::{BlobId, FileMode, Version, store};

/// An entry that is another one than a page showed.
#[derive(Debug)]
pub struct MovedEntry {
    pub path: String,
    /// The id of what is there now; `None`: nothing.
    pub now: Option<String>,
    /// From what was shown to what is there; `None` where what was shown is not kept.
    pub told: Option<ChangeReport>,
}

/// Compare what was shown, the id of a blob, with what is there now: its id and its bytes.
///
/// # Errors
/// There is no tree, or its repository cannot be read.
pub fn moved(
    cx: &Context<'_>,
    path: &str,
    seen: Option<&str>,
    now: Option<(String, &[u8])>,
) -> Result<MovedEntry, Stop> {
    let scope = cx.open()?.scope;
    let version = |id: &str| Some(Version { mode: FileMode::Regular, id: BlobId::from_hex(id)? });
    let entry =
        |told| MovedEntry { path: path.to_owned(), now: now.as_ref().map(|(id, _)| id.clone()), told };
    let before = seen.and_then(version);
    // what was on disk and never committed is nowhere
    if before.is_some_and(|before| !store::holds(&scope, before.id)) {
        return Ok(entry(None));
    }
    let after = now.as_ref().and_then(|(id, _)| version(id));
    let change = Change { path: path.into(), renamed_from: None, before, after };
    let read = |_: &Change| now.as_ref().map(|(_, bytes)| bytes.to_vec());
    let contents = Contents::with_disk(&read).masked();
    let detail = Detail::Meaning { context: brv_text::diff::CONTEXT };
    Ok(entry(Some(knowledge::tell(&scope, &[change], detail, &contents)?)))
}
