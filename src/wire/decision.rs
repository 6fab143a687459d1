//! JSON for conflicts and for differences that a merge settled: parts of several commands' data.

use brv_engine::merge::reconcile::{self, ConflictKind, Event};
use brv_engine::outcome::bytes::text;
use brv_text::merge::{self, Attribute, Reason, Side, Texts};
use schemars::JsonSchema;
use serde::Serialize;

/// A file in conflict.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Conflict {
    /// Its path.
    pub path: String,
    /// The kind of conflict, in git's words if git has it: `both modified`, …
    pub kind: &'static str,
    /// The other path of a file that both sides moved, or the original path of a file whose place a folder took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The conflicts in the file; empty if the file as a whole is in conflict.
    pub decisions: Vec<Decision>,
}

/// A conflict in a file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Decision {
    /// Its place in the file.
    pub place: Place,
    /// Why it could not be settled.
    pub reason: Why,
    /// The base version of the text.
    pub base: Option<String>,
    /// Our version.
    pub ours: Option<String>,
    /// Their version.
    pub theirs: Option<String>,
}

/// A difference that was settled automatically.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Record {
    /// The path of the file.
    pub path: String,
    /// Its place in the file.
    pub place: Place,
    /// How it was settled.
    pub settled: Done,
    /// The side that was taken or that made the change, if it is one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Party>,
    /// The old path of the file, or its other path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Whether the other side archived the file instead of only deleting it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// The base version of the text.
    pub base: Option<String>,
    /// Our version.
    pub ours: Option<String>,
    /// Their version.
    pub theirs: Option<String>,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Place {
    /// A field of the frontmatter.
    Field {
        /// Its name: `tags`, `a.b`
        field: String,
    },
    /// A fact.
    Fact {
        /// Its subject, or its statement if it has no subject.
        subject: String,
    },
    /// A block of text.
    Block {
        /// The headings above it, from the top down.
        headings: Vec<String>,
        /// The start of its text.
        starts: String,
    },
    /// An attribute of the whole file.
    Attribute {
        /// `line_ending`, `byte_order_mark` or `final_newline`.
        attribute: &'static str,
    },
    /// The whole file.
    File,
}

/// How a difference was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// Both sides changed it; one side was taken.
    Chosen,
    /// Both sides make claims about one subject; all claims are kept.
    Disputed,
    /// One side removed what the other changed; the change is kept.
    ChangeKept,
    /// Both sides added something in one place; both are kept.
    BothKept,
    /// The two values were combined into one.
    Combined,
    /// The base version was taken.
    BaseTaken,
    /// One side moved the file; the other side's changes were applied at the new path.
    Followed,
    /// The file was renamed, because a folder is in its place.
    Renamed,
}

/// The reason of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Both sides changed the same block of text.
    Prose,
    /// Both sides changed the same heading.
    Heading,
    /// Both sides changed the same code block.
    Fence,
    /// Both sides changed the same table.
    Table,
    /// Both sides changed the same numbered list.
    NumberedList,
    /// Both sides make claims about one subject.
    Fact,
    /// Both sides changed the same field of the frontmatter; ours is kept.
    Field,
    /// Our frontmatter cannot be read; theirs is kept.
    OurFrontmatter,
    /// Their frontmatter cannot be read; ours is kept.
    TheirFrontmatter,
    /// Neither frontmatter can be read; ours is kept.
    BothFrontmatters,
    /// Both sides changed the same lines of a file that is not an entry.
    Lines,
    /// The file is not text; ours is kept.
    NotText,
    /// Both sides added an entry with this name, with little in common; ours is kept.
    Unrelated,
    /// We deleted what they changed.
    DeletedByUs,
    /// They deleted what we changed.
    DeletedByThem,
    /// One side renamed the file.
    Renamed,
    /// A folder is in the file's place, so the file was renamed.
    FolderInItsPlace,
}

/// A side of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// The side that the merge went into.
    Ours,
    /// The side that was merged in.
    Theirs,
}

impl From<Side> for Party {
    fn from(side: Side) -> Self {
        match side {
            Side::Ours => Self::Ours,
            Side::Theirs => Self::Theirs,
        }
    }
}

impl From<&merge::Place> for Place {
    fn from(place: &merge::Place) -> Self {
        match place {
            merge::Place::Field(field) => Self::Field { field: field.clone() },
            merge::Place::Fact(subject) => Self::Fact { subject: subject.clone() },
            merge::Place::Block { headings, starts } => {
                Self::Block { headings: headings.clone(), starts: starts.clone() }
            }
            merge::Place::Attribute(attribute) => Self::Attribute {
                attribute: match attribute {
                    Attribute::LineEnding => "line_ending",
                    Attribute::ByteOrderMark => "byte_order_mark",
                    Attribute::FinalNewline => "final_newline",
                },
            },
            merge::Place::Whole => Self::File,
        }
    }
}

impl From<Reason> for Why {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Prose => Self::Prose,
            Reason::Heading => Self::Heading,
            Reason::Fence => Self::Fence,
            Reason::Table => Self::Table,
            Reason::NumberedList => Self::NumberedList,
            Reason::Fact => Self::Fact,
            Reason::Field => Self::Field,
            Reason::Frontmatter(Side::Ours) => Self::OurFrontmatter,
            Reason::Frontmatter(Side::Theirs) => Self::TheirFrontmatter,
            Reason::BothFrontmatters => Self::BothFrontmatters,
            Reason::Lines => Self::Lines,
            Reason::NotText => Self::NotText,
            Reason::Unrelated => Self::Unrelated,
        }
    }
}

impl From<&merge::Conflict> for Decision {
    fn from(conflict: &merge::Conflict) -> Self {
        let Texts { base, ours, theirs } = conflict.texts.clone();
        Self { place: (&conflict.place).into(), reason: conflict.reason.into(), base, ours, theirs }
    }
}

impl From<&reconcile::Conflict> for Conflict {
    fn from(conflict: &reconcile::Conflict) -> Self {
        let (kind, other) = match &conflict.kind {
            ConflictKind::BothModified => ("both modified", None),
            ConflictKind::BothAdded => ("both added", None),
            ConflictKind::DeletedByUs => ("deleted by us", None),
            ConflictKind::DeletedByThem => ("deleted by them", None),
            ConflictKind::MovedApart { other } => ("moved to two places", Some(other)),
            ConflictKind::FileAndFolder { wanted } => ("file and folder", Some(wanted)),
            ConflictKind::NotAFile => ("not a file", None),
        };
        Self {
            path: text(&conflict.path),
            kind,
            other: other.map(|path| text(path)),
            decisions: conflict.decisions.iter().map(Decision::from).collect(),
        }
    }
}

/// The settled differences, one record each.
pub(super) fn records(settled: &[reconcile::Settled]) -> Vec<Record> {
    settled.iter().flat_map(of_file).collect()
}

fn of_file(file: &reconcile::Settled) -> impl Iterator<Item = Record> {
    let path = text(&file.path);
    let inside = file.records.iter().map({
        let path = path.clone();
        move |record| inside(&path, record)
    });
    file.event.as_ref().map(|event| whole(&path, event)).into_iter().chain(inside)
}

/// The record for a difference that was settled inside a file.
pub(super) fn inside(path: &str, record: &merge::Record) -> Record {
    let (settled, side) = match record.settled {
        merge::Settled::Chosen(side) => (Done::Chosen, Some(side)),
        merge::Settled::Disputed => (Done::Disputed, None),
        merge::Settled::ChangeKept(side) => (Done::ChangeKept, Some(side)),
        merge::Settled::BothKept => (Done::BothKept, None),
        merge::Settled::Combined => (Done::Combined, None),
        merge::Settled::BaseTaken => (Done::BaseTaken, None),
    };
    let Texts { base, ours, theirs } = record.texts.clone();
    let place = (&record.place).into();
    Record {
        path: path.to_owned(),
        place,
        settled,
        side: side.map(Party::from),
        other: None,
        archived: false,
        base,
        ours,
        theirs,
    }
}

fn whole(path: &str, event: &Event) -> Record {
    let (settled, side, other) = match event {
        Event::ChangeKept { by, from, .. } => (Done::ChangeKept, by, from.as_ref()),
        Event::Followed { from, by } => (Done::Followed, by, Some(from)),
        Event::OneNameKept { from, by } => (Done::Chosen, by, Some(from)),
        Event::BothNamesKept { other, by, .. } => (Done::BothKept, by, Some(other)),
        Event::Renamed { wanted, by } => (Done::Renamed, by, Some(wanted)),
        Event::OneSideTaken(by) => (Done::Chosen, by, None),
    };
    Record {
        path: path.to_owned(),
        place: Place::File,
        settled,
        side: Some((*side).into()),
        other: other.map(|path| text(path)),
        archived: matches!(event, Event::ChangeKept { is_archived: true, .. }),
        base: None,
        ours: None,
        theirs: None,
    }
}
