//! `brv read`: print an entry, or a folder, at the length that the reader has room for.
//!
//! The result always matches the current curated files: a derived file that is missing or out of date is generated in
//! memory and not written.

use super::Stop;
use super::context::{Context, Opened};
use super::steps::archived;
use super::steps::merging::decisions;
use super::steps::refresh::{self, Companion, Current, Origin};
use crate::content::ContentId;
use crate::derive::{self, Input};
use crate::doc::{self, Dispute, Document};
use crate::fs;
use crate::git::{self, CommitId, trees};
use crate::merge::{self, Choice};
use crate::ops::steps::history::source::{self, Reading};
use crate::ops::steps::naming::resolve::{self, Named};
use crate::path::{Derived, Kind, TreePath};
use bstr::ByteSlice as _;
use std::path::Path;

#[derive(Debug, Clone)]
pub struct Options {
    /// Names as typed; empty: the root of the tree.
    pub names: Vec<String>,
    /// At which length; `None`: in full, or as the suffix of a companion's name says.
    pub level: Option<Level>,
    /// The revision to read; `None`: the files on disk.
    pub at: Option<String>,
}

/// How much of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// L0: one line of about 80 tokens.
    Abstract,
    /// L1: its key points; of a folder, its index.
    Overview,
    Full,
}

/// What was read, and what was not found, both in the order of the names.
#[derive(Debug)]
pub struct Outcome {
    /// The commit that was read; `None`: the files on disk.
    pub commit: Option<CommitId>,
    /// The entries and folders that were found.
    pub pieces: Vec<Piece>,
    /// The names that match nothing.
    pub missing: Vec<Missing>,
}

/// One entry or folder, at the requested length.
#[derive(Debug)]
pub struct Piece {
    /// Its path in the tree; empty for the root.
    pub path: String,
    pub subject: Subject,
    pub asked: Level,
    pub given: Level,
    /// Why the returned length differs from the requested one.
    pub fallback: Option<Fallback>,
    /// Where the bytes come from.
    pub origin: Provenance,
    /// What to read: the file byte for byte, or the text of its derived file without the frontmatter.
    pub bytes: Vec<u8>,
    /// The file itself, if there is one.
    pub source: Option<Source>,
    /// Whether it is archived and its content can be restored here.
    pub restorable: bool,
}

/// The file that a piece is, or is derived from.
#[derive(Debug)]
pub struct Source {
    pub id: ContentId,
    /// Its bytes, parsed.
    pub document: Document,
    /// Whether it is in conflict, and how; the piece then shows our side.
    pub conflict: Option<InConflict>,
    /// Subjects with more than one claim, and headings under which both versions were kept.
    pub disputes: Vec<Dispute>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InConflict {
    /// A merge is in progress and the conflict is unresolved.
    Unmerged,
    Recorded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Entry,
    /// The `context.md` of a folder.
    NodeOverview,
    /// A folder, read by its index.
    Folder,
    /// A versioned file that brv does not manage as knowledge.
    Other,
    /// An archived entry, read by its stub.
    Archived,
}

/// Where the bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    File,
    Derived(Origin),
}

/// Why the returned length differs from the requested one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fallback {
    #[error("the entry is too short for a summary")]
    TooShort,
    #[error("only entries have summaries")]
    NotAnEntry,
    /// An abstract of a folder is made from its `context.md`.
    #[error("the abstract of a folder comes from its context.md, and this folder has none")]
    NoNodeOverview,
    /// A folder has no text of its own beyond what is in it.
    #[error("a folder has no text of its own, only its index")]
    IsAFolder,
    #[error("the entry is archived; this is its stub")]
    IsArchived,
}

/// A name that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub name: String,
    pub why: Absence,
    /// Similar names, best match first.
    pub nearest: Vec<String>,
}

/// Why a name matches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// Nothing exists at that path.
    NotThere,
    /// The file there is not managed by brv.
    NotKnowledge,
    /// The folder contains no curated file.
    Empty,
    /// It is archived, and its content is not in this clone.
    Elsewhere,
}

/// Read what the names refer to.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let reading = Reading::open(&opened.scope, options.at.as_deref())?;
    let mut outcome = Outcome { commit: reading.commit(), pieces: Vec::new(), missing: Vec::new() };
    let whole = [String::from(".")];
    for typed in if options.names.is_empty() { &whole[..] } else { &options.names } {
        let name = if options.names.is_empty() {
            Some(Named::Folder(String::new()))
        } else {
            reading.resolve(&cx.cwd, typed)?
        };
        let level = options.level.unwrap_or(Level::Full);
        let found = match name {
            Some(Named::File(path)) if path.kind() == Kind::Derived(Derived::Stub) => {
                match archived(&opened, &reading, &cx.cwd, (typed, level))? {
                    Some(Ok(piece)) => Ok(piece),
                    _ => Ok(file(&opened, &reading, &path, level)?),
                }
            }
            Some(Named::File(path)) => Ok(file(&opened, &reading, &path, level)?),
            Some(Named::Abstract(path)) => {
                Ok(file(&opened, &reading, &path, options.level.unwrap_or(Level::Abstract))?)
            }
            Some(Named::Overview(path)) => {
                Ok(file(&opened, &reading, &path, options.level.unwrap_or(Level::Overview))?)
            }
            Some(Named::Folder(path)) => folder(&opened, &reading, &path, level)?.ok_or(Absence::Empty),
            Some(Named::NotKnowledge(_)) => Err(Absence::NotKnowledge),
            None => archived(&opened, &reading, &cx.cwd, (typed, level))?.unwrap_or(Err(Absence::NotThere)),
        };
        match found {
            Ok(piece) => outcome.pieces.push(piece),
            Err(why) => outcome.missing.push(Missing { name: typed.clone(), why, nearest: Vec::new() }),
        }
    }
    if outcome.missing.iter().any(|missing| missing.why == Absence::NotThere) {
        suggest(&opened, &reading, &mut outcome.missing)?;
    }
    Ok(outcome)
}

/// The stub of the archived entry that is meant, from its file or made in memory; `None` if no such entry is archived.
fn archived(
    opened: &Opened,
    reading: &Reading,
    cwd: &Path,
    (typed, asked): (&str, Level),
) -> Result<Option<Result<Piece, Absence>>, Stop> {
    let scope = &opened.scope;
    let sought = archived::TypedName::of(scope, cwd, typed);
    let Some(item) = archived::found(scope, reading, &sought)? else { return Ok(None) };
    let Some(stub) = item.stub_text(scope)? else { return Ok(Some(Err(Absence::Elsewhere))) };
    let text = String::from_utf8_lossy(&stub);
    Ok(Some(Ok(Piece {
        path: item.path.to_string(),
        subject: Subject::Archived,
        asked,
        given: Level::Overview,
        fallback: Some(Fallback::IsArchived),
        origin: Provenance::Derived(if item.stub.is_some() { Origin::Disk } else { Origin::Memory }),
        bytes: body(&text).into(),
        source: None,
        restorable: item.is_here(),
    })))
}

fn suggest(opened: &Opened, reading: &Reading, missing: &mut [Missing]) -> Result<(), Stop> {
    let paths: Vec<TreePath> = match reading.curated() {
        Some(curated) => curated.into_iter().map(|file| file.path).collect(),
        None => {
            let survey = refresh::quick_survey(opened, git::index::read(&opened.scope)?)?;
            refresh::curated_paths(&opened.scope, &survey)?
        }
    };
    for missing in missing.iter_mut().filter(|missing| missing.why == Absence::NotThere) {
        missing.nearest = resolve::meant(&missing.name, paths.iter().map(TreePath::as_str));
    }
    Ok(())
}

fn file(opened: &Opened, reading: &Reading, path: &TreePath, asked: Level) -> Result<Piece, Stop> {
    let bytes = match reading.commit() {
        Some(_) => reading.read(path)?.unwrap_or_default(),
        None => fs::read(&path.on_disk(reading.root()))?,
    };
    let document = Document::parse(bytes.clone());
    let subject = match path.kind() {
        Kind::Entry => Subject::Entry,
        Kind::NodeOverview => Subject::NodeOverview,
        _ => Subject::Other,
    };
    let id = ContentId::of(&bytes);
    let (document, conflict) = our_side(opened, reading, path, document)?;
    let disputes = doc::disputes(&document);
    let bytes = document.as_bytes().to_vec();
    let source = Source { id, document, conflict, disputes };
    let mut piece = Piece {
        path: path.to_string(),
        subject,
        asked,
        given: Level::Full,
        fallback: None,
        origin: Provenance::File,
        source: Some(source),
        bytes,
        restorable: false,
    };
    let which = match asked {
        Level::Full => return Ok(piece),
        Level::Abstract => Companion::Abstract,
        Level::Overview => Companion::Overview,
    };
    if subject == Subject::Other {
        piece.fallback = Some(Fallback::NotAnEntry);
        return Ok(piece);
    }
    let current = companion(reading, path, &piece.bytes, which)?;
    let text = body(&current.text);
    if text.trim().is_empty() {
        piece.fallback = Some(Fallback::TooShort);
        return Ok(piece);
    }
    Ok(Piece { given: asked, origin: Provenance::Derived(current.origin), bytes: text.into(), ..piece })
}

/// The companion of a file with content `bytes`, which may have line endings that git converted for this machine.
fn companion(
    reading: &Reading,
    path: &TreePath,
    bytes: &[u8],
    which: Companion,
) -> Result<Current, fs::Error> {
    if reading.commit().is_some() {
        return Ok(refresh::companion_of(&Input { path, id: ContentId::of(bytes), bytes }, which));
    }
    let root = reading.root();
    let make =
        |bytes: &[u8]| refresh::companion(root, &Input { path, id: ContentId::of(bytes), bytes }, which);
    let current = make(bytes)?;
    if current.origin == Origin::Memory && bytes.contains_str("\r\n") {
        let recorded = make(&bytes.replace("\r\n", "\n"))?;
        if recorded.origin == Origin::Disk {
            return Ok(recorded);
        }
    }
    Ok(current)
}

/// The version of a file that is shown: our side if it is in conflict, even if a host has committed its markers.
fn our_side(
    opened: &Opened,
    reading: &Reading,
    path: &TreePath,
    document: Document,
) -> Result<(Document, Option<InConflict>), Stop> {
    let scope = &opened.scope;
    let is_merging = reading.commit().is_none() && git::merge_state::is_under_way(scope);
    if document.conflicts().is_empty() && !is_merging {
        return Ok((document, None));
    }
    let full = scope.full(path.as_bytes().as_bstr());
    let stages = match reading.commit() {
        Some(_) => [None; 3],
        None => git::index::read(scope)?.stages(full.as_ref()),
    };
    let document = match stages {
        [_, Some(ours), Some(_)] => Document::parse(trees::blob(scope, ours.id)?),
        _ => document,
    };
    let conflict = match (stages.iter().any(Option::is_some), document.conflicts().is_empty()) {
        (true, _) => Some(InConflict::Unmerged),
        (false, false) => Some(InConflict::Recorded),
        (false, true) => None,
    };
    if document.conflicts().is_empty() {
        return Ok((document, conflict));
    }
    let format = decisions::format_of(path.as_bytes().as_bstr());
    let ours = merge::decide(document.as_bytes(), format, &|_| Some(Choice::Ours));
    Ok((Document::parse(ours.bytes), conflict))
}

fn folder(opened: &Opened, reading: &Reading, path: &str, asked: Level) -> Result<Option<Piece>, Stop> {
    let mut fallback = (asked == Level::Full).then_some(Fallback::IsAFolder);
    if asked == Level::Abstract {
        let overview = if path.is_empty() { "context.md".to_owned() } else { format!("{path}/context.md") };
        match reading.named(&overview)? {
            Some(Named::File(file_path)) => {
                let piece = file(opened, reading, &file_path, asked)?;
                return Ok(Some(Piece { path: path.to_owned(), subject: Subject::Folder, ..piece }));
            }
            _ => fallback = Some(Fallback::NoNodeOverview),
        }
    }
    let current = match reading.curated() {
        Some(curated) => {
            let read = |path: &TreePath| Ok::<_, source::Error>(reading.read(path)?.unwrap_or_default());
            refresh::index_of(&curated, path, read)?
        }
        None => refresh::current_index(opened, path)?,
    };
    let Some(current) = current else { return Ok(None) };
    Ok(Some(Piece {
        path: path.to_owned(),
        subject: Subject::Folder,
        asked,
        given: Level::Overview,
        fallback,
        origin: Provenance::Derived(current.origin),
        bytes: body(&current.text).into(),
        source: None,
        restorable: false,
    }))
}

/// The text of a derived file after its frontmatter, which is for brv.
fn body(text: &str) -> &str {
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    rest.map_or(text, |(_, body)| body).trim_start_matches('\n')
}

impl Piece {
    /// The estimated number of tokens in the returned text.
    pub fn tokens(&self) -> u64 {
        derive::tokens_of_bytes(&self.bytes)
    }
}

impl Source {
    /// The estimated number of tokens in the whole file.
    pub fn tokens(&self) -> u64 {
        derive::tokens_of_bytes(self.document.as_bytes())
    }
}
