//! What a merge settled, as JSON has it: one record for each difference.

use super::outcome::{Event, Settled};
use crate::outcome::bytes::text;
use brv_text::merge::{self, MergePlace, Side, Texts};
use schemars::JsonSchema;
use serde::Serialize;

/// A difference that was settled automatically.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Record {
    /// The path of the file.
    pub path: String,
    /// Its place in the file.
    pub place: MergePlace,
    /// How it was settled.
    pub settled: Done,
    /// The side that was taken or that made the change, if it is one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The old path of the file, or its other path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Whether the other side archived the file instead of only deleting it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    #[serde(flatten)]
    pub texts: Texts,
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

impl Record {
    /// The records of all files.
    pub fn all(settled: &[Settled]) -> Vec<Self> {
        settled.iter().flat_map(of_file).collect()
    }

    /// A difference that was settled inside the file with this path.
    pub fn inside(path: &[u8], record: &merge::Record) -> Self {
        let (settled, side) = match record.settled {
            merge::Settled::Chosen(side) => (Done::Chosen, Some(side)),
            merge::Settled::Disputed => (Done::Disputed, None),
            merge::Settled::ChangeKept(side) => (Done::ChangeKept, Some(side)),
            merge::Settled::BothKept => (Done::BothKept, None),
            merge::Settled::Combined => (Done::Combined, None),
            merge::Settled::BaseTaken => (Done::BaseTaken, None),
        };
        let (place, texts) = (record.place.clone(), record.texts.clone());
        Self { path: text(path), place, settled, side, other: None, archived: false, texts }
    }
}

fn of_file(file: &Settled) -> impl Iterator<Item = Record> {
    let inside = file.records.iter().map(|record| Record::inside(&file.path, record));
    file.event.as_ref().map(|event| whole(&file.path, event)).into_iter().chain(inside)
}

fn whole(path: &[u8], event: &Event) -> Record {
    let (settled, side, other) = match event {
        Event::ChangeKept { by, from, .. } => (Done::ChangeKept, by, from.as_ref()),
        Event::Followed { from, by } => (Done::Followed, by, Some(from)),
        Event::OneNameKept { from, by } => (Done::Chosen, by, Some(from)),
        Event::BothNamesKept { other, by, .. } => (Done::BothKept, by, Some(other)),
        Event::Renamed { wanted, by } => (Done::Renamed, by, Some(wanted)),
        Event::OneSideTaken(by) => (Done::Chosen, by, None),
    };
    Record {
        path: text(path),
        place: MergePlace::Whole,
        settled,
        side: Some(*side),
        other: other.map(|path| text(path)),
        archived: matches!(event, Event::ChangeKept { is_archived: true, .. }),
        texts: Texts::default(),
    }
}
