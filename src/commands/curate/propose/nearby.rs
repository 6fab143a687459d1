//! What the tree has near a text: its folders, and the entries that a model should update rather than repeat.

use super::SourceText;
use super::reading::Proposal;
use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath};
use brv_engine::agents::model::fence::{DATA, fenced};
use brv_engine::open::context::Parts;
use brv_engine::query::cut_to;
use brv_engine::query::search::{HitKind, Hits, ScanFreshness, SearchSession, Wanted, text_of};
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_search::{Each, Hit};
use brv_text::doc::Document;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most entries that are shown.
const ENTRIES: usize = 8;

/// How much of a text is searched for, in characters.
const ASKED: usize = 1_500;

/// The most characters of an entry, of all entries, of the folders, and of what was proposed before.
const OF_ENTRY: usize = 500;
const OF_ENTRIES: usize = 3_000;
const OF_FOLDERS: usize = 1_200;
const OF_PROPOSED: usize = 1_000;

/// What a request shows of the tree.
#[derive(Debug, Default)]
pub(super) struct TreeExcerpt {
    folders: String,
    entries: String,
    /// The entries that earlier texts of the same list led to.
    proposed: String,
    /// The versions of the entries that are shown.
    pub(super) versions: BTreeMap<TreePath, ContentId>,
}

/// What the tree has near these texts. A tree that cannot be searched has nothing.
pub(super) fn of(parts: &Parts<'_>, sources: &[SourceText], before: &Proposal) -> TreeExcerpt {
    let proposed = proposed(before);
    let Ok(mut session) = SearchSession::open(parts.opened, ScanFreshness::Window, parts.progress) else {
        return TreeExcerpt { proposed, ..TreeExcerpt::default() };
    };
    let folders = folders(&session.paths());
    let mut versions = BTreeMap::new();
    let entries = entries(parts, &mut session, sources, &mut versions);
    TreeExcerpt { folders, entries, proposed, versions }
}

impl TreeExcerpt {
    pub(super) fn told(&self) -> String {
        let mut told = String::new();
        for (what, text) in [
            ("The folders that there are, each with the number of its entries.", &self.folders),
            ("Entries that may have the subject already.", &self.entries),
            ("Entries that you proposed for other texts of the same list.", &self.proposed),
        ] {
            if !text.is_empty() {
                told.push_str(&fenced(&format!("{what} {DATA}"), text));
                told.push('\n');
            }
        }
        told
    }
}

/// The entries nearest to the texts, the nearest first.
fn entries(
    parts: &Parts<'_>,
    session: &mut SearchSession<'_>,
    sources: &[SourceText],
    versions: &mut BTreeMap<TreePath, ContentId>,
) -> String {
    let mut found: BTreeMap<TreePath, (f64, String)> = BTreeMap::new();
    let trust = Trust::of(parts.opened);
    for source in sources {
        // quotation marks and tags of the text are nothing that an entry must have
        let text = cut_to(&source.text, ASKED).replace('"', " ").replace("tag:", "tag ");
        if !text.contains(char::is_alphanumeric) {
            continue;
        }
        let wanted = Wanted {
            text: &text,
            limit: ENTRIES,
            scope: None,
            folders: false,
            each: Each::File,
            now: parts.clock.seconds(),
        };
        let Ok(hits) = session.find(&wanted) else { continue };
        for hit in hits.found.hits.iter().filter(|hit| HitKind::of(hit) == HitKind::Entry) {
            // no model gets what agents do not get
            if !trust.judge(hit.path.as_str(), hits.bytes_of(hit), EntryBytesSource::Disk).is_none() {
                continue;
            }
            let one = found.entry(hit.path.clone()).or_insert_with(|| (0.0, entry(&hits, hit)));
            one.0 = one.0.max(hit.relevance);
            versions.entry(hit.path.clone()).or_insert_with(|| ContentId::of(hits.bytes_of(hit)));
        }
    }
    let mut found: Vec<(f64, String)> = found.into_values().collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    bounded(found.into_iter().take(ENTRIES).map(|(_, text)| text), OF_ENTRIES)
}

/// An entry in short: its path, title, summary and facts; without facts what it says.
fn entry(hits: &Hits, hit: &Hit) -> String {
    let document = Document::parse(hits.bytes_of(hit));
    let mut text = format!("{}\n", hit.path);
    let meta = document.meta();
    for line in [document.title(), meta.summary].into_iter().flatten() {
        let _ = writeln!(text, "  {line}");
    }
    let facts = document.facts();
    for fact in &facts {
        let subject = fact.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
        let _ = writeln!(text, "  - {subject}{}", fact.statement);
    }
    if facts.is_empty() {
        let _ = writeln!(text, "  {}", text_of(&document, hit, OF_ENTRY, OF_ENTRY).replace('\n', "\n  "));
    }
    cut_to(&text, OF_ENTRY)
}

/// The folders that have entries, with how many.
fn folders(paths: &[TreePath]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.kind() == PathKind::Entry) {
        if let Some((folder, _)) = path.as_str().rsplit_once('/') {
            *counts.entry(folder).or_default() += 1;
        }
    }
    // of many the biggest
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    bounded(counts.into_iter().map(|(folder, count)| format!("{folder} ({count})\n")), OF_FOLDERS)
}

/// Where earlier texts led to.
fn proposed(before: &Proposal) -> String {
    let line = |value: &serde_json::Value| {
        let word = |name| value.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        format!("{} {} {}\n", word("type"), word("path"), word("title"))
    };
    bounded(before.values.iter().rev().map(line), OF_PROPOSED)
}

/// As many texts as have at most `most` characters together.
fn bounded(texts: impl Iterator<Item = String>, most: usize) -> String {
    let mut all = String::new();
    for text in texts {
        if all.chars().count() + text.chars().count() > most {
            break;
        }
        all.push_str(&text);
    }
    all
}
