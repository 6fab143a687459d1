//! Answer a question: collect evidence, rank, calibrate, cut.

use std::collections::HashMap;

use super::disk::table::{Passage, name_hash};
use super::item::{Field, Searched, link_term};
use super::question::{self, Question};
use super::rank::constants as c;
use super::rank::evidence::Evidence;
use super::rank::order::{self, Scored};
use super::rank::relevance::{Features, Relevance, relevance};
use super::text::stems::Stems;
use super::view::{NOTHING, View};
use crate::path::TreePath;

/// A part of the index on disk turned out to be damaged: build the index anew.
#[derive(Debug, thiserror::Error)]
#[error("the search index is damaged: {0}")]
pub struct Damaged(#[from] std::io::Error);

/// How many items with the words of a phrase are read to look for the phrase itself.
const MOST_READ: usize = 500;

/// What is asked for.
pub struct Request<'a> {
    /// The question: words, `"phrases"`, `tag:name`. Everything else is text.
    pub text: &'a str,
    /// The largest number of hits.
    pub limit: usize,
    /// Only what is in this folder or below it.
    pub scope: Option<&'a str>,
    /// Whether folders are found by their names, too.
    pub folders: bool,
    /// What is known of an entry or overview beside its text; `None` counts as nothing for it. Called for the best items
    /// only.
    pub standing: &'a dyn Fn(&TreePath) -> Option<Standing>,
    /// Reads a file as it is now, to look for phrases.
    pub read: &'a dyn Fn(&TreePath) -> Option<Vec<u8>>,
}

/// What beside its text speaks for an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// 0 to 100.
    pub importance: f64,
    /// 0 to 1.
    pub recency: f64,
    /// The factor of its maturity: 1.0, 1.08 or 1.15.
    pub boost: f64,
}

/// What a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HitKind {
    /// A file.
    File(Searched),
    /// A folder, by its name.
    Folder,
}

/// A hit.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The path of the file or folder.
    pub path: TreePath,
    /// Its kind.
    pub kind: HitKind,
    /// The compound score by which hits are ordered: (0.6 relevance + 0.25 importance/100 + 0.15 recency) × boost.
    pub score: f64,
    /// The relevance of the text alone, 0 to 1.
    pub relevance: f64,
    /// What was known of it; `None` for stubs and folders.
    pub standing: Option<Standing>,
    /// The piece that matches best; a folder has none.
    pub passage: Option<Passage>,
    /// The share of the question's weight (idf) that this piece has by itself, 0 to 1.
    pub passage_share: f64,
    /// By how much it leads the item's next piece, as a share of its own score, 0 to 1.
    pub passage_lead: f64,
    /// The words of the question that it has, in lower case as asked.
    pub words: Vec<String>,
    /// The terms that stand for those words: their stems, or words near to them.
    pub terms: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The hits in the order of their scores; of equal ones the earlier path first.
    pub hits: Vec<Hit>,
    /// The items that match. With phrases only those that were looked at.
    pub total: usize,
    /// The relevance of the item whose text matches best, whatever its place in `hits`.
    pub relevance: f64,
    /// By how much the second best matching item is less relevant.
    pub gap: f64,
    /// The item whose text matches best.
    pub best: Option<TreePath>,
    /// Words of the question, with four letters or more, that no item has.
    pub unmatched: Vec<String>,
    /// What the relevance is made of.
    pub features: Features,
}

impl Found {
    /// Whether the question is inside the scope of what is stored.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.relevance >= c::COVERS && (self.unmatched.is_empty() || self.relevance >= c::DIRECT)
    }

    /// Whether the best item may be given as the answer.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.is_covered()
            && (self.relevance >= c::SURE || (self.relevance >= c::DIRECT && self.gap >= c::GAP))
    }
}

/// An index with changes, ready for any number of searches.
pub struct Snapshot<'a> {
    view: View<'a>,
}

impl<'a> Snapshot<'a> {
    pub(super) fn new(view: View<'a>) -> Self {
        Self { view }
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.view.len() == 0
    }

    /// Whether items are in this folder or below it.
    #[must_use]
    pub fn has_folder(&self, folder: &str) -> bool {
        self.folders().any(|path| path == folder)
    }

    /// The folders with items in them or below them, without the root, in no order.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let living = (0..self.view.folders.len()).filter(|&folder| self.view.folders[folder].items > 0);
        living.map(|folder| self.view.folder_path(folder as u32)).filter(|path| !path.is_empty())
    }

    /// The files with a link to whatever has this [`crate::doc::link_key`], in order.
    ///
    /// # Errors
    /// [`Damaged`]
    pub fn linking(&self, key: &str) -> Result<Vec<TreePath>, Damaged> {
        let found = self.tagged(&link_term(key))?;
        Ok(found.into_iter().filter_map(|item| self.path(item)).collect())
    }

    /// Search.
    ///
    /// # Errors
    /// [`Damaged`]
    pub fn search(&self, request: &Request<'_>) -> Result<Found, Damaged> {
        let view = &self.view;
        let mut question = question::read(request.text, view.languages, &mut Stems::new());
        let evidence = Evidence::collect(view, &mut question)?;
        let question = question;
        let mut scores = order::scores(view, &question, &evidence);
        let inside = request.scope.map(|scope| self.inside(scope));
        if let Some(inside) = &inside {
            scores.items.retain(|one| inside[view.folder[one.item as usize] as usize]);
        }
        for tag in &question.tags {
            let tagged = self.tagged(tag)?;
            if question.words.is_empty() {
                scores.items = tagged.iter().map(|&item| Scored { item, score: 1.0 }).collect();
            }
            scores.items.retain(|one| tagged.binary_search(&one.item).is_ok());
        }
        if !question.phrases.is_empty() {
            self.keep_phrases(&mut scores.items, &question, &evidence, request.read);
        }
        order::best_first(&mut scores.items, 2);
        let (relevance, features) = relevance(view, &question, &evidence, &scores, &scores.items);
        let total = scores.items.len();
        let best = scores.items.first().and_then(|one| self.path(one.item));
        let (mut hits, folder_words) = (Hits::new(request.limit), self.folder_words(&question, &evidence));
        if request.folders {
            self.add_folders(&mut hits, &folder_words, &evidence, &relevance, inside.as_deref());
        }
        self.add_items(&mut hits, &mut scores.items, &relevance, request.standing);
        let words = question.words.iter().zip(&evidence.words);
        let unmatched = words.filter(|(word, found)| word.is_significant && found.items == 0);
        Ok(Found {
            hits: hits.finish(|hit| self.hit(hit, &question, &evidence, &folder_words)),
            total,
            relevance: relevance.first,
            gap: relevance.gap,
            best,
            unmatched: unmatched.map(|(word, _)| word.word.clone()).collect(),
            features,
        })
    }

    fn path(&self, item: u32) -> Option<TreePath> {
        TreePath::parse(self.view.path(item).as_bytes()).ok()
    }

    /// For each folder whether it is `scope` or below it. An archived folder is where it was.
    fn inside(&self, scope: &str) -> Vec<bool> {
        let scope = scope.trim_matches('/');
        let is_inside = |path: &str| {
            scope.is_empty()
                || path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let archive = format!("{}/", crate::path::ARCHIVE);
        (0..self.view.folders.len() as u32)
            .map(|folder| {
                let path = self.view.folder_path(folder);
                is_inside(path) || path.strip_prefix(&archive).is_some_and(is_inside)
            })
            .collect()
    }

    /// The items with the term of a tag or link, in order.
    fn tagged(&self, tag: &str) -> Result<Vec<u32>, Damaged> {
        let mut tagged = Vec::new();
        for (number, segment) in self.view.segments.iter().enumerate() {
            segment.each(tag, Field::Meta as usize, |piece, _| {
                tagged.push(self.view.numbers[number][segment.table.item_of(piece)]);
            })?;
        }
        tagged.retain(|&item| item != NOTHING);
        tagged.sort_unstable();
        Ok(tagged)
    }

    /// Keep the items that have every phrase. The best of those that have its words are read.
    fn keep_phrases(
        &self,
        items: &mut Vec<Scored>,
        question: &Question,
        evidence: &Evidence,
        read: &dyn Fn(&TreePath) -> Option<Vec<u8>>,
    ) {
        let in_phrase = |word: &str| question.phrases.iter().flatten().any(|own| own == word);
        let needed = question.words.iter().enumerate().filter(|(_, word)| in_phrase(&word.word));
        let needed = needed.fold(0_u64, |bits, (number, _)| bits | 1 << number);
        items.retain(|one| evidence.has[one.item as usize] & needed == needed);
        order::best_first(items, MOST_READ);
        items.truncate(MOST_READ);
        items.retain(|one| {
            let bytes = self.path(one.item).and_then(|path| read(&path)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            question.phrases.iter().all(|phrase| question::has_phrase(&text, phrase))
        });
    }

    /// Add items, best first, until no other can have a score among the hits.
    fn add_items(
        &self,
        hits: &mut Hits,
        items: &mut [Scored],
        relevance: &Relevance,
        standing: &dyn Fn(&TreePath) -> Option<Standing>,
    ) {
        let mut done = 0;
        let mut block = 64;
        while done < items.len() {
            let rest = &mut items[done..];
            order::best_first(rest, block);
            for (at, one) in rest.iter().take(block).enumerate() {
                let own = if done + at == 0 { relevance.first } else { relevance.of(one.score) };
                if hits.is_beyond((c::COMPOUND[0] * own + c::COMPOUND[1] + c::COMPOUND[2]) * c::MOST_BOOST) {
                    return;
                }
                let (segment, item) = self.view.place(one.item);
                let is_stub = segment.table.kind(item) == Searched::Stub;
                let Some(path) = self.path(one.item) else { continue };
                let standing = if is_stub { None } else { standing(&path) };
                hits.add(Candidate {
                    path,
                    at: At::Item(one.item),
                    relevance: own,
                    score: compound(own, standing),
                    standing,
                });
            }
            done += block;
            block *= 4;
        }
    }

    /// For each folder the words of the question that are in its name.
    fn folder_words(&self, question: &Question, evidence: &Evidence) -> Vec<(u32, u64)> {
        let mut words: HashMap<u64, u64> = HashMap::new();
        for (number, (word, found)) in question.words.iter().zip(&evidence.words).enumerate() {
            for term in word.stems.iter().chain(&found.terms) {
                *words.entry(name_hash(term)).or_default() |= 1 << number;
            }
        }
        let mut folders = Vec::new();
        for folder in 0..self.view.folders.len() as u32 {
            if self.view.folders[folder as usize].items > 0 && !self.view.folder_path(folder).is_empty() {
                let terms = self.view.folder_terms(folder);
                let has = terms.filter_map(|term| words.get(&term)).fold(0, |all, bits| all | bits);
                if has > 0 {
                    folders.push((folder, has));
                }
            }
        }
        folders
    }

    /// Add the folders whose names have words of the question: a name counts as the title of an item does, by the share
    /// of the question's idf that it has.
    fn add_folders(
        &self,
        hits: &mut Hits,
        folders: &[(u32, u64)],
        evidence: &Evidence,
        relevance: &Relevance,
        inside: Option<&[bool]>,
    ) {
        let archive = format!("{}/", crate::path::ARCHIVE);
        for &(folder, has) in folders {
            let path = self.view.folder_path(folder);
            let is_inside = inside.is_none_or(|inside| inside[folder as usize]);
            if !is_inside || path == crate::path::ARCHIVE || path.starts_with(&archive) {
                continue;
            }
            let words = evidence.words.iter().enumerate().filter(|(word, _)| has >> word & 1 == 1);
            let mass: f64 = words.map(|(_, word)| word.credit.max(c::NEAR_CREDIT) * word.idf).sum();
            let of_question = mass / evidence.mass.max(1e-9);
            let of_name = f64::from(has.count_ones()) / self.view.folder_terms(folder).len().max(1) as f64;
            let own = relevance.first * of_question * of_name.min(1.0);
            let Ok(path) = TreePath::parse(path.as_bytes()) else { continue };
            let score = compound(own, Some(NEUTRAL));
            hits.add(Candidate { path, at: At::Folder(folder), relevance: own, score, standing: None });
        }
    }

    fn hit(&self, found: Candidate, question: &Question, evidence: &Evidence, folders: &[(u32, u64)]) -> Hit {
        let (mut passage, mut share, mut lead) = (None, 0.0, 0.0);
        let (kind, has) = match found.at {
            At::Item(number) => {
                let place = self.view.places[number as usize];
                let table = &self.view.segments[place.segment as usize].table;
                let best = order::best_piece(&self.view, evidence, number);
                passage = Some(table.passage(best.piece));
                share = evidence.piece_coverage(place.segment as usize, best.piece as u32);
                lead = if best.score > 0.0 { 1.0 - best.second / best.score } else { 0.0 };
                (HitKind::File(table.kind(place.item as usize)), evidence.has[number as usize])
            }
            At::Folder(folder) => {
                let has = folders.iter().find(|(number, _)| *number == folder).map_or(0, |(_, has)| *has);
                (HitKind::Folder, has)
            }
        };
        let has = |number: &usize| has >> number & 1 == 1;
        let numbers: Vec<usize> = (0..question.words.len()).filter(has).collect();
        Hit {
            path: found.path,
            kind,
            score: found.score,
            relevance: found.relevance,
            standing: found.standing,
            passage,
            passage_share: share,
            passage_lead: lead,
            words: numbers.iter().map(|&number| question.words[number].word.clone()).collect(),
            terms: numbers.iter().flat_map(|&number| evidence.words[number].terms.clone()).collect(),
        }
    }
}

/// What a folder counts as: neither important nor unimportant, and of no age.
const NEUTRAL: Standing = Standing { importance: 50.0, recency: 0.0, boost: 1.0 };

/// The compound score; what has no standing counts by its relevance alone.
fn compound(relevance: f64, standing: Option<Standing>) -> f64 {
    let [by_relevance, by_importance, by_recency] = c::COMPOUND;
    let standing = standing.unwrap_or(Standing { importance: 0.0, recency: 0.0, boost: 1.0 });
    let sum = by_relevance * relevance
        + by_importance * standing.importance / 100.0
        + by_recency * standing.recency;
    sum * standing.boost
}

/// Where a hit is in the view.
#[derive(Clone, Copy)]
enum At {
    Item(u32),
    Folder(u32),
}

struct Candidate {
    path: TreePath,
    at: At,
    relevance: f64,
    score: f64,
    standing: Option<Standing>,
}

/// The best candidates so far, best first.
struct Hits {
    most: usize,
    best: Vec<Candidate>,
}

impl Hits {
    fn new(most: usize) -> Self {
        Self { most, best: Vec::with_capacity(most.min(64)) }
    }

    /// Whether no candidate of at most this score can be among the best any more.
    fn is_beyond(&self, score: f64) -> bool {
        self.best.len() >= self.most && self.best.last().is_none_or(|last| score < last.score)
    }

    fn add(&mut self, candidate: Candidate) {
        let is_before = |own: &Candidate| {
            own.score
                .total_cmp(&candidate.score)
                .reverse()
                .then_with(|| own.path.cmp(&candidate.path))
                .is_lt()
        };
        let at = self.best.partition_point(is_before);
        if at < self.most {
            self.best.insert(at, candidate);
            self.best.truncate(self.most);
        }
    }

    fn finish(self, hit: impl Fn(Candidate) -> Hit) -> Vec<Hit> {
        self.best.into_iter().map(hit).collect()
    }
}
