//! Make `_archived/<path>.stub.md`: what a reader and the search find of an archived entry, in about 220 tokens.
//!
//! Made from the record and the digest of the archived content, so that it is the same on every clone.

use super::inline::{cut, opening};
use super::page::{PageBody, PageFields};
use super::{CHARS_PER_TOKEN, Digest, Key, Made};
use crate::doc::ArchiveRecord;

/// The maximum size of a stub, without its frontmatter.
const TOKENS: usize = 220;

/// The characters kept free for the names of what the entry is about.
const NAMES: usize = 160;

/// Where an archived entry was, and where its stub and its copy are.
#[derive(Debug, Clone, Copy)]
pub struct ArchivedEntry<'a> {
    /// The path of the entry before.
    pub original: &'a str,
    pub full: &'a str,
    pub record: &'a ArchiveRecord,
}

/// The key of the stub of a record: everything that it is made from.
pub fn stub_key(original: &str, record: &ArchiveRecord) -> Key {
    let (importance, time) = (record.importance.to_string(), record.time());
    let parts = [original.as_bytes(), record.blob.as_bytes(), importance.as_bytes(), time.as_bytes()];
    Key::of("stub", &parts)
}

pub fn stub_of(archived: &ArchivedEntry<'_>, digest: &Digest) -> Made {
    let ArchivedEntry { original, full, record } = *archived;
    PageFields::new()
        .quoted("evicted_at", record.time())
        .plain("evicted_importance", record.importance)
        .quoted("original_path", original)
        .plain("original_token_count", digest.tokens)
        .quoted("points_to", full)
        .plain("type", "archive_stub")
        .with_body(stub_key(original, record), &body(original, digest))
}

/// Title, gist, the strongest statements, and the names in the entry.
fn body(original: &str, digest: &Digest) -> String {
    let stem = original.rsplit('/').next().unwrap_or(original);
    let title = digest.title.as_deref().unwrap_or_else(|| stem.strip_suffix(".md").unwrap_or(stem));
    let names = names(digest);
    let room = TOKENS * CHARS_PER_TOKEN;
    let mut page = PageBody::new(room.saturating_sub(names.chars().count() + 2));
    page.block(&format!("# {}", cut(title, 120)));
    if digest.gist != title {
        page.block(&opening(&cut(&digest.gist, page.left.saturating_sub(4))));
    }
    let points = digest.points.iter().filter(|point| point.text != digest.gist);
    let mut items = String::new();
    for point in points {
        let item = format!("{}- {}", if items.is_empty() { "" } else { "\n" }, opening(&point.text));
        if (items.chars().count() + item.chars().count() + 2) <= page.left {
            items.push_str(&item);
        }
    }
    page.block(&items);
    page.left = room.saturating_sub(page.text.chars().count());
    page.block(&names);
    page.text
}

/// One line with as many of the names as fit.
fn names(digest: &Digest) -> String {
    let mut line = String::new();
    for name in &digest.names {
        let next = if line.is_empty() { format!("Key entities: {name}") } else { format!("{line}, {name}") };
        if next.chars().count() > NAMES {
            break;
        }
        line = next;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::digest::tests::{ENTRY, digest};
    use super::super::stamp::{self, Stamp};
    use super::*;
    use crate::doc::Document;
    use brv_base::content::ContentId;

    fn stub(text: &str) -> Made {
        let record = ArchiveRecord {
            name: "old.md".into(),
            blob: ContentId::of(text.as_bytes()),
            importance: 22.4,
            at: 1_700_000_000,
        };
        let archived =
            ArchivedEntry { original: "auth/old.md", full: "_archived/auth/old.full.md", record: &record };
        stub_of(&archived, &digest("auth/old.md", text))
    }

    #[test]
    fn a_stub_has_six_fields_a_stamp_and_what_the_entry_is_about() {
        let made = stub(ENTRY);
        assert_eq!(stamp::read(made.text.as_bytes()), Stamp::Ours { key: made.key });
        let head = format!(
            "---\nevicted_at: \"2023-11-14T22:13:20Z\"\nevicted_importance: 22.4\noriginal_path: \"auth/old.md\"\noriginal_token_count: {}\npoints_to: \"_archived/auth/old.full.md\"\ntype: archive_stub\nstamp: brv/",
            digest("a/b.md", ENTRY).tokens
        );
        assert!(made.text.starts_with(&head), "{}", made.text);
        let document = Document::parse(made.text.clone());
        assert_eq!(document.meta().kind.as_deref(), Some("archive_stub"));
        for part in ["# JWT Token Generation\n", "\nAccess and refresh tokens", "\n- ", "\nKey entities: "] {
            assert!(made.text.contains(part), "{part} in {}", made.text);
        }
    }

    #[test]
    fn a_stub_stays_within_its_tokens_and_poor_entries_have_a_title() {
        let rules: String = (0..400)
            .map(|at| format!("- Rule number {at} about `thing{at}` must hold for part{at}\n"))
            .collect();
        for text in [
            ENTRY,
            "",
            "x",
            "---\ntitle: unclosed\n",
            &format!("# T\n\n## Rules\n{rules}"),
            &"観測".repeat(9000),
        ] {
            let made = stub(text);
            assert!(made.tokens <= TOKENS as u64, "{} {}", made.tokens, made.text);
            assert!(made.text.contains("\n# "), "{}", made.text);
        }
    }

    #[test]
    fn any_other_record_or_path_has_another_key() {
        let record =
            ArchiveRecord::parse(&format!("a.md {} 5 2026-11-20T12:30:00Z", ContentId::of(b"x"))).unwrap();
        let key = stub_key("d/a.md", &record);
        assert_ne!(stub_key("e/a.md", &record), key);
        assert_ne!(stub_key("d/a.md", &ArchiveRecord { importance: 6.0, ..record.clone() }), key);
        assert_ne!(stub_key("d/a.md", &ArchiveRecord { at: 0, ..record.clone() }), key);
        assert_ne!(stub_key("d/a.md", &ArchiveRecord { blob: ContentId::of(b"y"), ..record }), key);
    }
}
