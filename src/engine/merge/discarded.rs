//! The values that a merge discards, as the operation log, the merge commit message and the merge driver's log show
//! them.

use crate::journal::Discarded;
use crate::merge::reconcile;
use brv_text::merge::{MergePlace, Record, Settled};
use bstr::{BStr, ByteSlice as _};

/// The discarded values, in path order. Everything else is in the result.
pub fn of(settled: &[reconcile::Settled]) -> Vec<Discarded> {
    settled.iter().flat_map(|file| of_file(file.path.as_bstr(), &file.records)).collect()
}

pub fn of_file(path: &BStr, records: &[Record]) -> impl Iterator<Item = Discarded> {
    records.iter().filter_map(move |record| lost(path, record))
}

fn lost(path: &BStr, record: &Record) -> Option<Discarded> {
    let Settled::Chosen(side) = record.settled else { return None };
    let value = record.texts.of(side.other())?.to_owned();
    Some(Discarded { path: path.to_owned(), field: name(&record.place), value })
}

/// The place in one line: a field by its name, a block by its headings.
fn name(place: &MergePlace) -> String {
    match place {
        MergePlace::Field { field } => field.clone(),
        MergePlace::Fact { subject } => format!("fact {subject}"),
        MergePlace::Block { headings, .. } if headings.is_empty() => "text".into(),
        MergePlace::Block { headings, .. } => format!("text below {}", headings.join(" > ")),
        MergePlace::Attribute { attribute } => attribute.words().into(),
        MergePlace::Whole => "file".into(),
    }
}
