//! The records of archived entries: the items of the set field `archived` in the `context.md` of their folder.
//!
//! An item is `<name>.md <blob id> <importance> <time>`. Its key is the name and the blob: of two items with one key the
//! earlier is the record. Does not know which entries are there, nor where blobs are kept.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use bstr::ByteSlice as _;
use chrono::{DateTime, SecondsFormat};

use super::scalar::{self, Context, Style};
use super::{Document, Frontmatter, edit};
use brv_base::content::ContentId;
use brv_base::sorting;

/// The byte order mark of UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

pub const FIELD: &str = "archived";

#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveRecord {
    /// The file name, with `.md`.
    pub name: String,
    pub blob: ContentId,
    /// Its importance when it was archived, 0 to 100, with at most two decimals.
    pub importance: f64,
    /// When it was archived, in seconds since 1970.
    pub at: i64,
}

impl ArchiveRecord {
    /// Read an item; `None` if it is malformed.
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
    pub fn time(&self) -> String {
        let moment = DateTime::from_timestamp(self.at, 0).unwrap_or_default();
        moment.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// Whether both are records of one archived version: name and blob are the same.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.name == other.name && self.blob == other.blob
    }

    /// The order of two records with one key: the earlier first.
    pub fn precedes(&self, other: &Self) -> Ordering {
        self.at.cmp(&other.at).then_with(|| self.importance.total_cmp(&other.importance))
    }
}

impl fmt::Display for ArchiveRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.name, self.blob, self.importance, self.time())
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArchiveRecords {
    /// The records, one for each key, by name, and of one name the latest first.
    pub records: Vec<ArchiveRecord>,
    /// Items that are not records, as written: kept, and of no effect.
    pub malformed: Vec<String>,
}

impl ArchiveRecords {
    /// Read the items of a list.
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
        sorting::sort_by(&mut records, |one, other| {
            one.name
                .cmp(&other.name)
                .then_with(|| other.precedes(one))
                .then_with(|| one.blob.cmp(&other.blob))
        });
        Self { records, malformed }
    }

    /// The record of a name: of several versions the one archived last.
    pub fn named(&self, name: &str) -> Option<&ArchiveRecord> {
        self.records.iter().find(|record| record.name == name)
    }
}

/// Whether the bytes may have the field; `false` is certain.
pub fn may_archive(bytes: &[u8]) -> bool {
    bytes.contains_str(FIELD)
}

/// The blobs that the records of a `context.md` with these bytes name.
pub fn archived_blobs(bytes: &[u8]) -> Vec<ContentId> {
    if !may_archive(bytes) {
        return Vec::new();
    }
    let read = archive_records(&Document::parse(bytes));
    read.records.into_iter().map(|record| record.blob).collect()
}

/// The records of a `context.md`.
pub fn archive_records(document: &Document) -> ArchiveRecords {
    ArchiveRecords::of(&document.meta().archived)
}

/// The document without its records, as summaries see it; `None` if it has none.
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

/// From how many records on a list that brv wrote is written anew in one go, not edited record by record.
const AT_ONCE: usize = 8;

/// The bytes of a `context.md` with these records, and without older ones of the same versions: an entry that was there
/// voided those. Records of other versions of the same names stay. `None`: there is no such file yet, and the new one has nothing but the field.
///
/// # Errors
/// Frontmatter that cannot be edited.
pub fn add_archive_records(bytes: Option<&[u8]>, records: &[ArchiveRecord]) -> Result<Vec<u8>, edit::Error> {
    let mut document = Document::parse(bytes.unwrap_or_default());
    let is_replaced = |item: &String| {
        let known = ArchiveRecord::parse(item);
        known.is_some_and(|known| records.iter().any(|record| record.is_same_as(&known)))
    };
    let (old, mut items): (Vec<_>, Vec<_>) = document.meta().archived.into_iter().partition(is_replaced);
    let new: Vec<String> = records.iter().map(ToString::to_string).collect();
    if items.is_empty() || new.len() >= AT_ONCE && is_one_a_line(&document) {
        items.extend(new);
        let _ = document.copy_field(FIELD, &one_a_line(&items))?;
        return Ok(document.into_bytes());
    }
    for item in &old {
        let _ = document.remove_from_list(FIELD, item)?;
    }
    for item in &new {
        let _ = document.add_to_list(FIELD, item)?;
    }
    Ok(document.into_bytes())
}

/// Whether the list is written as brv writes it, so that writing it anew loses neither a style nor a comment.
fn is_one_a_line(document: &Document) -> bool {
    let own = one_a_line(&document.meta().archived);
    let lines = |document: &Document| {
        document.field_lines(FIELD).ok().flatten().map(|text| text.replace("\r\n", "\n"))
    };
    lines(document) == lines(&own)
}

/// A document with nothing but these items.
fn one_a_line(items: &[String]) -> Document {
    let write = |item: &String| scalar::write(item, Style::Plain, Style::Double, Context::Block);
    let lines: String = items.iter().map(|item| format!("  - {}\n", write(item))).collect();
    Document::parse(format!("---\n{FIELD}:\n{lines}---\n"))
}

/// The bytes of a `context.md` without the records with these keys; `None` if nothing is left of it.
///
/// # Errors
/// Frontmatter that cannot be edited.
pub fn remove_archive_records(
    bytes: &[u8],
    keys: &[(&str, ContentId)],
) -> Result<Option<Vec<u8>>, edit::Error> {
    let mut document = Document::parse(bytes);
    let goes = |item: &String| {
        let record = ArchiveRecord::parse(item);
        record.is_some_and(|record| keys.contains(&(record.name.as_str(), record.blob)))
    };
    let (gone, left): (Vec<_>, Vec<_>) = document.meta().archived.into_iter().partition(goes);
    if gone.is_empty() {
        return Ok(Some(bytes.to_vec()));
    }
    if !left.is_empty() {
        match gone.len() >= AT_ONCE && is_one_a_line(&document) {
            true => drop(document.copy_field(FIELD, &one_a_line(&left))?),
            false => {
                for item in &gone {
                    let _ = document.remove_from_list(FIELD, item)?;
                }
            }
        }
        return Ok(Some(document.into_bytes()));
    }
    let _ = document.remove_field(FIELD)?;
    // what is not fences, such as a comment, was there before
    let head = document.as_bytes()[..document.body_start()].strip_prefix(BOM);
    let head = head.unwrap_or(&document.as_bytes()[..document.body_start()]);
    let is_fences = head.lines().all(|line| matches!(line.trim_ascii(), b"---" | b"..." | b""));
    if !is_fences {
        return Ok(Some(document.into_bytes()));
    }
    let mark = document.as_bytes().strip_prefix(BOM).map_or(&b""[..], |_| BOM);
    let rest = [mark, document.body_bytes()].concat();
    Ok((rest.len() > mark.len()).then_some(rest))
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

    fn record(name: &str, at: i64) -> ArchiveRecord {
        let blob = ContentId::of(name.as_bytes());
        ArchiveRecord { name: name.into(), blob, importance: 22.4, at }
    }

    #[test]
    fn what_was_added_reads_back_and_removing_it_gives_the_bytes() {
        let names = [
            "a.md",
            "an old one.md",
            "- dash.md",
            "#hash.md",
            "it's [x].md",
            "観測.md",
            "no.md",
            "~.md",
            "9.md",
        ];
        let wrote = "---\ntitle: T\narchived: [a.txt]\ntags: [x]\n---\n\n# T\n";
        for text in [
            "",
            "# Topic: x\n",
            "# Topic: x",
            "\n\nText\r\n",
            "---\ntitle: T\n---\n\n# T\n",
            "---\r\ntitle: T\r\n---\r\n# T\r\n",
            "\u{feff}# Topic\n",
            "\u{feff}---\ntitle: T\n---\n",
            "---\n# only a comment\n---\nText\n",
            wrote,
        ] {
            for count in [1, 2, names.len()] {
                let records: Vec<_> = names[..count].iter().map(|name| record(name, 1_700_000_000)).collect();
                let before = Some(text.as_bytes()).filter(|bytes| !bytes.is_empty());
                let with = add_archive_records(before, &records).unwrap();
                let read = archive_records(&Document::parse(with.clone()));
                assert_eq!(read.records.len(), count, "{}", String::from_utf8_lossy(&with));
                let keys: Vec<_> = records.iter().map(|record| (record.name.as_str(), record.blob)).collect();
                let after = remove_archive_records(&with, &keys).unwrap();
                assert_eq!(
                    after.as_deref().map(String::from_utf8_lossy),
                    before.map(String::from_utf8_lossy)
                );
            }
        }
        let new = add_archive_records(None, &[record("a.md", 0)]).unwrap();
        let line =
            format!("---\narchived:\n  - a.md {} 22.4 1970-01-01T00:00:00Z\n---\n", ContentId::of(b"a.md"));
        assert_eq!(String::from_utf8_lossy(&new), line);
        assert!(add_archive_records(Some(b"---\na: [\n---\n"), &[record("a.md", 0)]).is_err());
    }

    #[test]
    fn a_new_record_replaces_that_of_its_version_and_leaves_all_others() {
        let old = add_archive_records(None, &[record("a.md", 5), record("b.md", 5)]).unwrap();
        let newer = ArchiveRecord { blob: ContentId::of(b"newer"), ..record("a.md", 9) };
        let both = add_archive_records(Some(&old), std::slice::from_ref(&newer)).unwrap();
        let read = archive_records(&Document::parse(both));
        assert_eq!(read.records, [newer.clone(), record("a.md", 5), record("b.md", 5)]);
        let again = ArchiveRecord { at: 12, ..newer.clone() };
        let both = add_archive_records(Some(&old), &[newer]).unwrap();
        let after = add_archive_records(Some(&both), std::slice::from_ref(&again)).unwrap();
        let read = archive_records(&Document::parse(after));
        assert_eq!(read.records, [again, record("a.md", 5), record("b.md", 5)]);
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
