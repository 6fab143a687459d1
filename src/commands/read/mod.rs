//! `brv read`: print an entry, or a folder, at the length that the reader has room for.
//!
//! The result always matches the current curated files: a derived file that is missing or out of date is generated in
//! memory and not written.

mod outcome;
mod parts;
mod withheld;

pub use brv_engine::review::steering;
pub use outcome::{
    Absence, Fallback, InConflict, LastChange, Level, MissingName, Outcome, PieceKind, PieceOrigin,
    PieceSource, ReadPiece, TextMaker,
};
pub use parts::{EntryParts, ReadFact, ReadSection};

use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{Derived, PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::derive::{self, Companion, Current, Origin};
use brv_engine::merge::decisions;
use brv_engine::open::context::{Audience, Context, Opened};
use brv_engine::open::models;
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::open::signals::{self, ServedAnswer};
use brv_engine::query::search;
use brv_engine::read::history::source::Reading;
use brv_engine::read::{archive, stale};
use brv_engine::review::trust::Trust;
use brv_git as git;
use brv_git::trees;
use brv_text::derive::{Input, tokens_of_file};
use brv_text::doc::{self, Document};
use brv_text::merge::{self, Choice};
use bstr::ByteSlice as _;
use std::path::Path;
use withheld::{Judge, Withheld};

/// Why an entry has neither an abstract nor an overview.
const TOO_SHORT: &str = "the entry is too short for a summary";

#[derive(Debug, Clone)]
pub struct Options {
    /// Names as typed; empty: the root of the tree.
    pub names: Vec<String>,
    /// At which length; `None`: in full, or as the suffix of a companion's name says.
    pub level: Option<Level>,
    /// The revision to read; `None`: the files on disk.
    pub at: Option<String>,
}

/// Read what the names refer to. The last part is work that nobody waits for: it notes that the entries served.
pub fn run<'a>(cx: &'a Context<'_>, options: &Options) -> Result<(Outcome, impl FnOnce() + 'a), Stop> {
    let opened = cx.keep_open()?;
    let outcome = outcome(cx, opened, options)?;
    let asked = Some(options.names.join(" ")).filter(|names| !names.is_empty());
    let served = ServedAnswer { command: "read", asked, hits: outcome.served(), given: outcome.given() };
    // what goes wrong is reported by commands that are about signals
    let after = move || {
        let _ = signals::note_served(opened, &cx.actor, &served, cx.clock.seconds());
    };
    Ok((outcome, after))
}

fn outcome(cx: &Context<'_>, opened: &Opened, options: &Options) -> Result<Outcome, Stop> {
    let reading = Reading::open(&opened.scope, options.at.as_deref())?;
    let mut outcome = Outcome { commit: reading.commit(), ..Outcome::default() };
    let trust = Trust::of(opened);
    let judge = Judge::of(cx, opened, &reading, &trust);
    let whole = [String::from(".")];
    for typed in if options.names.is_empty() { &whole[..] } else { &options.names } {
        let name = if options.names.is_empty() {
            Some(Named::Folder(String::new()))
        } else {
            reading.resolve(&cx.cwd, typed)?
        };
        let level = options.level.unwrap_or(Level::Full);
        let found = match name {
            Some(Named::File(path)) if path.kind() == PathKind::Derived(Derived::Stub) => {
                match archived(&judge, &cx.cwd, (typed, level))? {
                    Some(Ok(piece)) => Ok(piece),
                    _ => Ok(file(&judge, &path, level)?),
                }
            }
            Some(Named::File(path)) => Ok(file(&judge, &path, level)?),
            Some(Named::Abstract(path)) => Ok(file(&judge, &path, options.level.unwrap_or(Level::Abstract))?),
            Some(Named::Overview(path)) => Ok(file(&judge, &path, options.level.unwrap_or(Level::Overview))?),
            Some(Named::Folder(path)) => {
                let withheld = judge.folder(&path)?;
                outcome.withheld += withheld.count;
                folder(&judge, (&path, &withheld), level)?.ok_or(Absence::Empty)
            }
            Some(Named::NotKnowledge(_)) => Err(Absence::NotKnowledge),
            None => archived(&judge, &cx.cwd, (typed, level))?.unwrap_or(Err(Absence::NotThere)),
        };
        match found {
            Ok(piece) if judge.is_withheld(&piece) => {
                outcome.withheld += 1;
                let missing = MissingName::new(typed, Absence::Withheld);
                outcome.missing.push(MissingName { flagged: piece.flagged, ..missing });
            }
            Ok(piece) => outcome.pieces.push(piece),
            Err(why) => outcome.missing.push(MissingName::new(typed, why)),
        }
    }
    if outcome.commit.is_none() {
        let paths = outcome.pieces.iter().map(|piece| piece.path.as_str());
        let found = stale::of_files(opened, &cx.cwd, paths, None);
        outcome.pieces.iter_mut().zip(found).for_each(|(piece, freshness)| piece.freshness = freshness);
        if cx.audience == Audience::Agent {
            for piece in &mut outcome.pieces {
                let path = std::slice::from_ref(&piece.path);
                piece.last_change = search::grouped(opened, cx.clock, path).pop();
            }
        }
    }
    if outcome.missing.iter().any(|missing| missing.why == Absence::NotThere) {
        suggest(cx, opened, &reading, &mut outcome.missing)?;
    }
    Ok(outcome)
}

/// The stub of the archived entry that is meant, from its file or made in memory; `None` if no such entry is archived.
fn archived(
    judge: &Judge<'_>,
    cwd: &Path,
    (typed, asked): (&str, Level),
) -> Result<Option<Result<ReadPiece, Absence>>, Stop> {
    let scope = &judge.opened.scope;
    let sought = archive::TypedName::of(scope, cwd, typed);
    let Some(item) = archive::found(scope, judge.reading, &sought)? else { return Ok(None) };
    let Some(stub) = item.stub_text(scope)? else { return Ok(Some(Err(Absence::Elsewhere))) };
    let text = String::from_utf8_lossy(&stub);
    let origin = if item.stub.is_some() { PieceOrigin::Derived } else { PieceOrigin::Memory };
    let path = item.path.as_str();
    Ok(Some(Ok(ReadPiece {
        fallback: Some(Fallback { asked, reason: "the entry is archived; this is its stub" }),
        restore: item.is_here().then(|| format!("brv archive restore {}", shell_word(path))),
        flagged: judge.archived(item.blob, &stub),
        ..ReadPiece::new(path, PieceKind::Archived, Level::Overview, (origin, body(&text).into()))
    })))
}

/// A path as an argument of a command.
fn shell_word(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    match path.bytes().all(is_plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// Say of names that were not found what is known: that their files are kept off this disk, or else which names are like
/// them.
fn suggest(
    cx: &Context<'_>,
    opened: &Opened,
    reading: &Reading,
    missing: &mut [MissingName],
) -> Result<(), Stop> {
    let paths = reading.curated_paths(opened)?;
    let absent = match reading.commit() {
        Some(_) => Vec::new(),
        None => derive::absent_paths(&opened.scope, &git::index::read(&opened.scope)?),
    };
    for missing in missing.iter_mut().filter(|missing| missing.why == Absence::NotThere) {
        if resolve::resolve_among(reading.root(), &cx.cwd, &missing.name, &absent)?.is_some() {
            missing.why = Absence::OffDisk;
            continue;
        }
        missing.nearest = resolve::meant(&missing.name, paths.iter().map(TreePath::as_str));
    }
    Ok(())
}

fn file(judge: &Judge<'_>, path: &TreePath, asked: Level) -> Result<ReadPiece, Stop> {
    let Judge { opened, reading, .. } = *judge;
    let bytes = match reading.commit() {
        Some(_) => reading.read(path)?.unwrap_or_default(),
        None => fs::read(&path.on_disk(reading.root()))?,
    };
    let reviewed = judge.reviewed(path, &bytes);
    let is_reviewed = reviewed.is_some();
    let bytes = reviewed.unwrap_or(bytes);
    let document = Document::parse(bytes.clone());
    let subject = match path.kind() {
        PathKind::Entry => PieceKind::Entry,
        PathKind::NodeOverview => PieceKind::NodeOverview,
        _ => PieceKind::Other,
    };
    let id = ContentId::of(&bytes);
    let (document, conflict) = our_side(opened, reading, path, document)?;
    let bytes = document.as_bytes();
    let shown = match (asked, subject) {
        (Level::Full, _) => Err(None),
        (_, PieceKind::Other) => Err(Some("only entries have summaries")),
        (Level::Abstract, _) => summary(reading, path, bytes, Companion::Abstract)?.ok_or(Some(TOO_SHORT)),
        (Level::Overview, _) => match models::overview_of(opened, ContentId::of(bytes)) {
            Some(text) => Ok((PieceOrigin::Cache, text.into_bytes())),
            None => summary(reading, path, bytes, Companion::Overview)?.ok_or(Some(TOO_SHORT)),
        },
    };
    let (level, text, reason) = match shown {
        Ok(summary) => (asked, summary, None),
        Err(reason) => (Level::Full, (PieceOrigin::File, bytes.to_vec()), reason),
    };
    let tokens = tokens_of_file(bytes);
    let is_whole = level == Level::Full && subject != PieceKind::Other;
    let is_of_model = matches!(text.0, PieceOrigin::Cache);
    Ok(ReadPiece {
        fallback: reason.map(|reason| Fallback { asked, reason }),
        maker: is_of_model.then_some(TextMaker::Model),
        title: document.title(),
        flagged: if is_reviewed { Vec::new() } else { judge.file(path, bytes) },
        source: Some(PieceSource { id, tokens, conflict, disputed: doc::disputes(&document) }),
        parts: is_whole.then(|| EntryParts::of(&document)),
        ..ReadPiece::new(path.as_str(), subject, level, text)
    })
}

/// The text of a companion, and where it comes from; `None` if the file is too short for one.
fn summary(
    reading: &Reading,
    path: &TreePath,
    bytes: &[u8],
    which: Companion,
) -> Result<Option<(PieceOrigin, Vec<u8>)>, fs::Error> {
    let current = companion(reading, path, bytes, which)?;
    let text = body(&current.text);
    Ok((!text.trim().is_empty()).then(|| (current.origin.into(), text.into())))
}

/// The companion of a file with content `bytes`, which may have line endings that git converted for this machine.
fn companion(
    reading: &Reading,
    path: &TreePath,
    bytes: &[u8],
    which: Companion,
) -> Result<Current, fs::Error> {
    if reading.commit().is_some() {
        return Ok(derive::companion_of(&Input { path, id: ContentId::of(bytes), bytes }, which));
    }
    let root = reading.root();
    let make =
        |bytes: &[u8]| derive::companion(root, &Input { path, id: ContentId::of(bytes), bytes }, which);
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

fn folder(
    judge: &Judge<'_>,
    (path, withheld): (&str, &Withheld),
    asked: Level,
) -> Result<Option<ReadPiece>, Stop> {
    let Judge { opened, reading, .. } = *judge;
    let mut reason = (asked == Level::Full).then_some("a folder has no text of its own, only its index");
    if asked == Level::Abstract {
        let overview = if path.is_empty() { "context.md".to_owned() } else { format!("{path}/context.md") };
        match reading.named(&overview)? {
            Some(Named::File(file_path)) => {
                let piece = file(judge, &file_path, asked)?;
                return Ok(Some(ReadPiece { path: path.to_owned(), subject: PieceKind::Folder, ..piece }));
            }
            _ => {
                reason = Some("the abstract of a folder comes from its context.md, and this folder has none")
            }
        }
    }
    let current = match withheld.rest.clone().or_else(|| reading.curated()) {
        Some(curated) => {
            let read = |path: &TreePath| match withheld.reviewed.get(path) {
                Some(bytes) => Ok::<_, Stop>(bytes.clone()),
                None => Ok(reading.read(path)?.unwrap_or_default()),
            };
            derive::index_of(&curated, path, read)?
        }
        None => derive::current_index(opened, path)?,
    };
    let Some(current) = current else { return Ok(None) };
    let text = (current.origin.into(), body(&current.text).into());
    Ok(Some(ReadPiece {
        fallback: reason.map(|reason| Fallback { asked, reason }),
        ..ReadPiece::new(path, PieceKind::Folder, Level::Overview, text)
    }))
}

/// The text of a derived file after its frontmatter, which is for brv.
fn body(text: &str) -> &str {
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    rest.map_or(text, |(_, body)| body).trim_start_matches('\n')
}
