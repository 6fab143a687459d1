//! Which entries are similar to the ones that a list adds: the caller may want to update one of them instead. Nothing is
//! merged by itself.

use super::view::CurateView;
use super::{Applied, Done};
use crate::open::context::Parts;
use crate::outcome::json::to;
use crate::query::search::{HITS, HitKind, Hits, ScanFreshness, SearchSession, Wanted, shown};
use brv_base::path::TreePath;
use brv_search::{COVERS, Each, Hit};
use brv_text::curate::Act;
use brv_text::doc::Document;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The largest number of similar entries of one.
const MOST: usize = 3;

/// For how many new entries of a list similar ones are looked for.
const ENTRIES: usize = 50;

/// The least share of what a new entry says (its weight by idf) that the best match has. Where two trees about other software
/// were compared, strangers had at most .27, and entries that share half of their words at least .86.
const SHARE: f64 = 0.5;

/// An entry that is similar to a new one.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Similar {
    /// Its path.
    pub path: TreePath,
    /// Its title.
    pub title: String,
    /// How well it matches the title and the subjects of the new entry, 0 to 1.
    // as a search for it has it
    #[serde(serialize_with = "four_digits")]
    pub relevance: f64,
}

fn four_digits<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(to(*number, 4))
}

/// Note at each operation that added an entry the entries that are similar to it. A tree that cannot be searched has none.
pub(super) fn note(parts: &Parts<'_>, applied: &mut [Applied], view: &CurateView<'_>, now: i64) {
    let done = applied.iter_mut().filter_map(|one| one.result.as_mut().ok());
    let added: Vec<&mut Done> = done.filter(|done| done.act == Act::Added).take(ENTRIES).collect();
    if added.is_empty() {
        return;
    }
    let Ok(mut sought) = SearchSession::open(parts.opened, ScanFreshness::Window, parts.progress) else {
        return;
    };
    sought.leave_out(added.iter().map(|done| &done.file));
    for done in added {
        let Some(bytes) = view.read(&done.file).ok().flatten() else { continue };
        let document = Document::parse(bytes);
        let wanted = Wanted {
            text: &said(&document),
            limit: HITS,
            scope: None,
            folders: false,
            each: Each::File,
            now,
        };
        done.similar = sought.find(&wanted).map(|hits| similar(&hits)).unwrap_or_default();
    }
}

/// The entries among the hits that cover what was asked, the most similar first.
fn similar(hits: &Hits) -> Vec<Similar> {
    if hits.found.features.coverage < SHARE {
        return Vec::new();
    }
    let is_similar = |hit: &&Hit| HitKind::of(hit) == HitKind::Entry && hit.relevance >= COVERS;
    let mut similar: Vec<&Hit> = hits.found.hits.iter().filter(is_similar).collect();
    similar.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
    let similar = similar.into_iter().take(MOST).map(|hit| {
        let title = shown(hit, hits.bytes_of(hit)).title;
        Similar { path: hit.path.clone(), title, relevance: hit.relevance }
    });
    similar.collect()
}

/// What an entry says, as a question: its title and its facts, else its text.
fn said(document: &Document) -> String {
    let mut words = vec![document.title().unwrap_or_default()];
    let facts = document.facts();
    words
        .extend(facts.iter().flat_map(|fact| [fact.subject.clone(), Some(fact.statement.clone())]).flatten());
    if facts.is_empty() {
        words.push(document.body().to_owned());
    }
    // its quotation marks and tags are text, not what a similar entry must have
    words.join(". ").replace('"', " ").replace("tag:", "tag ")
}
