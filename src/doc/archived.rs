//! The records of archived entries: the items of the set field `archived` in the `context.md` of their folder.
//!
//! An item is `<name>.md <blob id> <importance> <time>`. Its key is the name and the blob: of two items with one key the
//! earlier is the record. Does not know which entries are there, nor where blobs are kept.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, SecondsFormat};

use super::{Document, Frontmatter};
use crate::content::ContentId;

/// The name of the field.
pub const FIELD: &str = "archived";

/// An archived entry.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveRecord {
    /// The file name, with `.md`.
    pub name: String,
    /// Its content.
    pub blob: ContentId,
    /// Its importance when it was archived, 0 to 100, with at most two decimals.
    pub importance: f64,
    /// When it was archived, in seconds since 1970.
    pub at: i64,
}

impl ArchiveRecord {
    /// Read an item; `None` if it is malformed.
    #[must_use]
    pub fn parse(item: &str) -> Option<Self> {
        // a name may have spaces, the other parts may not
        let mut parts = item.rsplitn(4, ' ');
        let (time, importance, blob, name) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_name = name.ends_with(".md") && name.len() > ".md".len() && name == name.trim();
        let importance: f64 = importance.parse().ok().filter(|value| (0.0..=100.0).contains(value))?;
        let at = DateTime::parse_from_rfc3339(time).ok()?.timestamp();
        let blob = ContentId::from_hex(blob)?;
        (is_name && !name.contains(['/', '\\'])).then(|| Self {
            name: name.to_owned(),
            blob,
            importance: (importance * 100.0).round() / 100.0,
            at,
        })
    }

    /// The time as written: `2026-11-20T12:30:00Z`.
    #[must_use]
    pub fn time(&self) -> String {
        let moment = DateTime::from_timestamp(self.at, 0).unwrap_or_default();
        moment.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// Whether both are records of one archived version: name and blob are the same.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.name == other.name && self.blob == other.blob
    }

    /// The order of two records with one key: the earlier first.
    #[must_use]
    pub fn precedes(&self, other: &Self) -> Ordering {
        self.at.cmp(&other.at).then_with(|| self.importance.total_cmp(&other.importance))
    }
}

impl fmt::Display for ArchiveRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.name, self.blob, self.importance, self.time())
    }
}

/// The items of a folder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArchiveRecords {
    /// The records, one for each key, by name, and of one name the latest first.
    pub records: Vec<ArchiveRecord>,
    /// Items that are no records, as written: kept, and of no effect.
    pub malformed: Vec<String>,
}

impl ArchiveRecords {
    /// Read the items of a list.
    #[must_use]
    pub fn of<T: AsRef<str>>(items: &[T]) -> Self {
        let mut earliest: BTreeMap<(String, ContentId), ArchiveRecord> = BTreeMap::new();
        let mut malformed = Vec::new();
        for item in items.iter().map(AsRef::as_ref) {
            let Some(record) = ArchiveRecord::parse(item) else {
                malformed.push(item.to_owned());
                continue;
            };
            let key = (record.name.clone(), record.blob);
            let known = earliest.get(&key);
            if known.is_none_or(|known| record.precedes(known).is_lt()) {
                earliest.insert(key, record);
            }
        }
        let mut records: Vec<_> = earliest.into_values().collect();
        records.sort_by(|one, other| {
            one.name
                .cmp(&other.name)
                .then_with(|| other.precedes(one))
                .then_with(|| one.blob.cmp(&other.blob))
        });
        Self { records, malformed }
    }

    /// The record of a name: of several versions the one archived last.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&ArchiveRecord> {
        self.records.iter().find(|record| record.name == name)
    }
}

/// Whether the bytes may have the field; `false` is certain.
#[must_use]
pub fn may_archive(bytes: &[u8]) -> bool {
    use bstr::ByteSlice as _;
    bytes.contains_str(FIELD)
}

/// The records of a `context.md`.
#[must_use]
pub fn archive_records(document: &Document) -> ArchiveRecords {
    ArchiveRecords::of(&document.meta().archived)
}

/// The document without its records, as summaries see it; `None` if it has none.
#[must_use]
pub fn without_archive_records(document: &Document) -> Option<Document> {
    document.field(FIELD)?;
    let mut rest = document.clone();
    match rest.remove_field(FIELD) {
        Ok(_) if matches!(rest.frontmatter(), Frontmatter::Fields([])) => {
            Some(Document::parse(rest.body_bytes()))
        }
        Ok(_) => Some(rest),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00112233445566778899aabbccddeeff00112233";

    #[test]
    fn an_item_reads_back_also_where_the_name_has_spaces() {
        for item in [
            format!("old_draft.md {ID} 22.4 2026-11-20T12:30:00Z"),
            format!("an old draft.md {ID} 50 1999-01-01T00:00:00Z"),
            format!("観測 計画.md {ID} 0.05 2026-11-20T12:30:00Z"),
        ] {
            assert_eq!(ArchiveRecord::parse(&item).map(|record| record.to_string()), Some(item));
        }
        let other = format!("a.md {ID} 22.456 2026-11-20T13:30:00+01:00");
        let record = ArchiveRecord::parse(&other).map(|record| record.to_string());
        assert_eq!(record, Some(format!("a.md {ID} 22.46 2026-11-20T12:30:00Z")));
    }

    #[test]
    fn a_malformed_item_is_no_record_and_is_kept() {
        let bad = [
            String::new(),
            "a.md".into(),
            format!("a.md {ID} 50"),
            format!("a.md {ID} 50 yesterday"),
            format!("a.md {ID} 101 2026-11-20T12:30:00Z"),
            format!("a.md {ID} NaN 2026-11-20T12:30:00Z"),
            format!("a.md {} 50 2026-11-20T12:30:00Z", &ID[1..]),
            format!("a.txt {ID} 50 2026-11-20T12:30:00Z"),
            format!(".md {ID} 50 2026-11-20T12:30:00Z"),
            format!("b/a.md {ID} 50 2026-11-20T12:30:00Z"),
        ];
        let read = ArchiveRecords::of(&bad);
        assert!(read.records.is_empty());
        assert_eq!(read.malformed, bad);
    }

    #[test]
    fn of_one_version_the_earliest_counts_and_of_one_name_the_latest_comes_first() {
        let other = ID.replace('0', "f");
        let items = [
            format!("a.md {ID} 30 2026-02-01T00:00:00Z"),
            format!("b.md {ID} 30 2026-01-01T00:00:00Z"),
            format!("a.md {ID} 40 2026-01-01T00:00:00Z"),
            format!("a.md {other} 10 2026-03-01T00:00:00Z"),
        ];
        let read = ArchiveRecords::of(&items);
        let texts: Vec<String> = read.records.iter().map(ToString::to_string).collect();
        assert_eq!(texts, [items[3].clone(), items[2].clone(), items[1].clone()]);
        assert_eq!(read.named("a.md").map(|record| record.blob), ContentId::from_hex(&other));
        assert_eq!(read.named("c.md"), None);
    }

    #[test]
    fn a_summary_sees_no_records() {
        let field = format!("archived:\n  - a.md {ID} 30 2026-02-01T00:00:00Z\n");
        for (text, rest) in [
            (format!("---\n{field}---\n"), ""),
            (format!("---\n{field}---\n\n# Topic: x\n"), "\n# Topic: x\n"),
            (format!("---\ntitle: T\n{field}---\n# T\n"), "---\ntitle: T\n---\n# T\n"),
        ] {
            let document = Document::parse(text);
            assert_eq!(archive_records(&document).records.len(), 1);
            assert_eq!(without_archive_records(&document).unwrap().as_bytes(), rest.as_bytes());
        }
        assert!(without_archive_records(&Document::parse("# archived\n")).is_none());
    }
}
