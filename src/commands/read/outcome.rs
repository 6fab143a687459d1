//! The JSON of `brv read`.

use super::parts::EntryParts;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::derive::Origin;
use brv_engine::open::signals::GivenEntry;
use brv_engine::outcome::json;
use brv_git::CommitId;
use brv_text::derive;
use brv_text::doc::Dispute;
use brv_text::stale::Freshness;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.read/1`; paths are relative to the tree.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Read")]
pub struct Outcome {
    /// With `--at`: the commit that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// The entries and folders that were found, in the order of the arguments.
    pub pieces: Vec<ReadPiece>,
    /// Names that were not found, or are withheld.
    pub missing: Vec<MissingName>,
    /// For an agent: how many entries are left out because nobody here has accepted them.
    #[serde(skip_serializing_if = "json::is_none")]
    #[schemars(with = "Option<usize>")]
    pub withheld: usize,
}

pub use brv_text::brain::LastChange;

/// One entry or folder.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Piece")]
pub struct ReadPiece {
    /// Its path; empty for the root of the tree.
    pub path: String,
    #[serde(rename = "kind")]
    pub subject: PieceKind,
    /// The length of `text`.
    pub level: Level,
    /// The requested length, and why it is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    pub origin: PieceOrigin,
    /// `model` if a model wrote the text: an overview that only this machine has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maker: Option<TextMaker>,
    pub title: Option<String>,
    /// Estimated tokens of `text`: characters divided by four.
    pub tokens: u64,
    /// For an archived entry: the command that restores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// The file that this is, or that it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<PieceSource>,
    /// What in it may steer an agent and came from elsewhere: `instructions`, `hidden`. Agents do not get it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<String>,
    /// Whether the code that it cites is still as it was; `null` if it cites nothing, or a commit is read.
    pub freshness: Option<Freshness>,
    /// For an agent: who changed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change: Option<LastChange>,
    /// The parsed file, for the full length.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub parts: Option<EntryParts>,
    /// The text; `null` if it is not UTF-8.
    #[serde(serialize_with = "json::utf8")]
    #[schemars(with = "Option<String>")]
    pub text: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PieceKind")]
pub enum PieceKind {
    Entry,
    /// The `context.md` of a folder.
    NodeOverview,
    Folder,
    /// A tracked file that is not an entry.
    Other,
    /// An archived entry; `text` is its stub.
    Archived,
}

/// How much of an entry is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Length")]
pub enum Level {
    /// The abstract: one line.
    #[serde(rename = "l0")]
    Abstract,
    /// The overview: key points; for a folder, its index.
    #[serde(rename = "l1")]
    Overview,
    /// The full text.
    #[serde(rename = "full")]
    Full,
}

impl Level {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Abstract => "l0",
            Self::Overview => "l1",
            Self::Full => "full",
        }
    }
}

/// Why another length is given than requested.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fallback {
    /// The requested length.
    pub asked: Level,
    /// Why it is not available.
    pub reason: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "From")]
pub enum PieceOrigin {
    /// The file itself.
    File,
    /// A derived file on disk that is up to date.
    Derived,
    /// Derived in memory, because the file on disk is missing or out of date.
    Memory,
    /// Kept on this machine, beside the tree.
    Cache,
}

/// Who wrote a text that stands for an entry, if brv did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Maker")]
#[serde(rename_all = "snake_case")]
pub enum TextMaker {
    Model,
}

impl From<Origin> for PieceOrigin {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Disk => Self::Derived,
            Origin::Memory => Self::Memory,
        }
    }
}

/// The file that a piece is, or that it was made from.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Source")]
pub struct PieceSource {
    /// The git blob id of its bytes.
    pub id: ContentId,
    /// Estimated tokens of the whole file.
    pub tokens: u64,
    /// Whether it is in conflict; only our side is then given.
    #[serde(
        rename = "in_conflict",
        serialize_with = "json::is_some",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "bool")]
    pub conflict: Option<InConflict>,
    /// Disputed subjects: do not rely on any of their claims until settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<Dispute>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InConflict {
    /// A merge is in progress and the conflict is unresolved.
    Unmerged,
    Recorded,
}

/// A name that was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MissingName")]
pub struct MissingName {
    /// The name as typed.
    pub name: String,
    /// Why it was not found.
    #[serde(rename = "reason")]
    #[schemars(with = "String")]
    pub why: Absence,
    /// Suggested names, best first.
    pub nearest: Vec<String>,
    /// Why the entry is withheld, what may steer an agent: `instructions` or `hidden`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<String>,
}

impl MissingName {
    pub fn new(name: &str, why: Absence) -> Self {
        Self { name: name.to_owned(), why, nearest: Vec::new(), flagged: Vec::new() }
    }
}

/// Why a name matches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Absence {
    #[serde(rename = "not in the context tree")]
    NotThere,
    #[serde(rename = "not managed by brv")]
    NotKnowledge,
    #[serde(rename = "a folder without entries")]
    Empty,
    #[serde(rename = "archived, and its content is not in this clone")]
    Elsewhere,
    #[serde(rename = "kept off this disk by a sparse checkout, or by the flag skip-worktree")]
    OffDisk,
    /// The caller is an agent.
    #[serde(rename = "withheld: it came from elsewhere, and nobody here has accepted it")]
    Withheld,
}

impl Outcome {
    /// The entries that served the caller, at whatever length; those of a commit are not the ones in the tree.
    pub(super) fn served(&self) -> Vec<TreePath> {
        let entries =
            self.pieces.iter().filter(|piece| piece.subject == PieceKind::Entry && self.commit.is_none());
        entries.filter_map(|piece| TreePath::parse(piece.path.as_bytes()).ok()).collect()
    }

    /// The entries whose content was given, and at which length and revision.
    pub(super) fn given(&self) -> Vec<GivenEntry> {
        let of = |piece: &ReadPiece| {
            let source = piece.source.as_ref().filter(|_| piece.subject != PieceKind::Folder)?;
            let at = self.commit.map(|commit| format!(" at {commit}")).unwrap_or_default();
            let why = format!("read {}{at}", piece.level.word());
            Some(GivenEntry { path: piece.path.clone(), blob: Some(source.id), why })
        };
        self.pieces.iter().filter_map(of).collect()
    }
}

impl ReadPiece {
    /// A piece that is not made from a file of its own.
    pub fn new(path: &str, subject: PieceKind, level: Level, (origin, text): (PieceOrigin, Vec<u8>)) -> Self {
        Self {
            path: path.to_owned(),
            subject,
            level,
            fallback: None,
            origin,
            maker: None,
            title: None,
            tokens: derive::tokens_of_bytes(&text),
            restore: None,
            source: None,
            flagged: Vec::new(),
            freshness: None,
            last_change: None,
            parts: None,
            text,
        }
    }
}
