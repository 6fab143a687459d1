//! What a merge settled and what it leaves to decide: parts of the data of several commands.

use super::text;
use crate::merge::{self, Attribute, Reason, Side, Texts};
use crate::ops::steps::merging::reconcile::{self, ConflictKind, Event};
use schemars::JsonSchema;
use serde::Serialize;

/// A file that somebody must decide.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Conflict {
    /// Where it is.
    pub path: String,
    /// `both modified`, …: git's words where git has them.
    pub kind: &'static str,
    /// The other place of a file that both sides moved, or the name that this one had where there is a folder now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// What in the file must be decided; empty where it is about the file as a whole.
    pub decisions: Vec<Decision>,
}

/// Something in a file that must be decided.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Decision {
    /// Where.
    pub place: Place,
    /// Why it could not be settled.
    pub reason: Why,
    /// What stood there before both sides changed it.
    pub base: Option<String>,
    /// What we have there.
    pub ours: Option<String>,
    /// What they have there.
    pub theirs: Option<String>,
}

/// Something that was settled without a person.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Record {
    /// In which file.
    pub path: String,
    /// Where in it.
    pub place: Place,
    /// What was done.
    pub settled: Done,
    /// By which side, or in favour of which, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Party>,
    /// Where the file was, or where else it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// What stood there before both sides changed it.
    pub base: Option<String>,
    /// What we had there.
    pub ours: Option<String>,
    /// What they had there.
    pub theirs: Option<String>,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Place {
    /// A field of the frontmatter.
    Field {
        /// `tags`, `a.b`
        field: String,
    },
    /// A fact.
    Fact {
        /// Its subject, or its statement where it has none.
        subject: String,
    },
    /// A block of text.
    Block {
        /// The headings above it, from the top down.
        headings: Vec<String>,
        /// How it starts.
        starts: String,
    },
    /// Line ending, byte order mark or final newline.
    Attribute {
        /// Which.
        attribute: &'static str,
    },
    /// The file.
    File,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// Both sides changed it, and one was taken.
    Chosen,
    /// Both sides claim something about one subject, and all claims are kept.
    Disputed,
    /// The other side removed what this one changed: the change stays.
    ChangeKept,
    /// Both sides brought something to one place, and both are kept.
    BothKept,
    /// Two values became one that is neither side's alone.
    Combined,
    /// What stood there before was taken.
    BaseTaken,
    /// The file moved, and the other side's changes went along.
    Followed,
    /// The file has another name, because there is a folder where it was.
    Renamed,
}

/// Why something could not be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Both sides changed one block of text.
    Prose,
    /// Both sides changed one heading.
    Heading,
    /// Both sides changed one fenced block.
    Fence,
    /// Both sides changed one table.
    Table,
    /// Both sides changed a numbered list.
    NumberedList,
    /// Both sides claim something about one subject.
    Fact,
    /// The frontmatter of ours cannot be read; that of theirs stands.
    OurFrontmatter,
    /// The frontmatter of theirs cannot be read; that of ours stands.
    TheirFrontmatter,
    /// Neither frontmatter can be read; ours stands.
    BothFrontmatters,
    /// Both sides changed lines of a file that is no entry.
    Lines,
    /// The file is not text; ours stands.
    NotText,
    /// Both sides added an entry of this name, and the two have little in common; ours stands.
    Unrelated,
    /// Ours deleted what theirs changed.
    DeletedByUs,
    /// Theirs deleted what ours changed.
    DeletedByThem,
    /// One side gave it another name.
    Renamed,
    /// There is a folder where the file was, so it has another name.
    FolderInItsPlace,
}

/// A side of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// The side that the merge went into.
    Ours,
    /// The side that was merged.
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

/// What was settled, a record for each thing.
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

/// Something that was settled inside the file of this path.
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
        base,
        ours,
        theirs,
    }
}

fn whole(path: &str, event: &Event) -> Record {
    let (settled, side, other) = match event {
        Event::ChangeKept { by, from } => (Done::ChangeKept, by, from.as_ref()),
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
        base: None,
        ours: None,
        theirs: None,
    }
}
