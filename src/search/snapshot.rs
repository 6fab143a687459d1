//! A snapshot of the index with changes, and search in it: collect evidence, rank, calibrate, cut.

use std::collections::HashMap;

use super::anchors;
use super::disk::table::{Passage, name_hash};
use super::hits::{At, HitCandidate, NEUTRAL, TopHits, compound};
use super::item::{Field, Searched, link_term, title_term};
use super::missing;
use super::question::{self, Question};
use super::rank::evidence::Evidence;
use super::rank::order::{self, Scored};
use super::rank::relevance::{Relevance, relevance};
use super::view::{IndexView, NOTHING};
use super::weights::Weights;
use crate::constants as c;
use crate::request::{Damaged, EntryStanding, Hit, HitKind, SearchQuery, SearchResults};
use brv_base::path::TreePath;
use brv_text::words::stems::Stems;

/// How many items, best first by their text, are ordered by the compound score. What has a thousand better matches
/// before it is not a hit, however important it is.
const MOST_ORDERED: usize = 1000;

/// How many items with the words of a phrase are read to look for the phrase itself.
const MOST_READ: usize = 500;

/// An index with changes, ready for any number of searches.
pub struct Snapshot {
    view: IndexView,
}

/// The words of a question with all that stands for them.
fn weights(question: &Question, evidence: &Evidence) -> Weights {
    let words = question.words.iter().zip(&evidence.words);
    Weights::new(words.map(|(word, found)| {
        let mut terms = word.stems.clone();
        terms.extend(found.terms.iter().filter(|term| !word.stems.contains(term)).cloned());
        (terms, found.credit * found.idf)
    }))
}

/// The items with all words of a code of the question, beside the best: a long text has many other words, which bring more
/// to other items. A code that many items have tells nothing.
fn with_codes<'a>(
    text: &'a str,
    question: &'a Question,
    evidence: &'a Evidence,
    items: &'a [Scored],
) -> impl Iterator<Item = Scored> + 'a {
    let rest = items.get(MOST_QUOTED..).unwrap_or_default();
    anchors::codes(text).take(MOST_QUOTED).flat_map(move |code| {
        let needed = question.words_of(code);
        let has = move |one: &&Scored| needed != 0 && evidence.has[one.item as usize] & needed == needed;
        let few = rest.iter().filter(has).nth(MOST_QUOTED).is_none();
        rest.iter().filter(has).filter(move |_| few).copied()
    })
}

/// The relevance of so many of the best items is judged each by itself.
const COMPARED: usize = 16;

/// So many of these are ordered anew. With 16 turns of a conversation would lose .02 of R@5, since their titles say little.
const RECONSIDERED: usize = 5;

/// In so many of them is looked for what the question quotes.
const MOST_QUOTED: usize = 32;

/// At most so many marked highlights are hits.
const MARKED: usize = 50;

/// The most relevance of a marked highlight: below [`c::NEAR`], so that it is near to no question.
const MARKED_MOST: f64 = 0.15;

/// What its score is of its relevance: less than that of any other hit.
const MARKED_SCORE: f64 = 0.001;

impl Snapshot {
    pub(super) fn new(view: IndexView) -> Self {
        Self { view }
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.view.files
    }

    pub fn is_empty(&self) -> bool {
        self.view.len() == 0
    }

    /// The folders with items in them or below them, without the root, in no order.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let living = (0..self.view.folders.len()).filter(|&folder| self.view.folders[folder].items > 0);
        living.map(|folder| self.view.folder_path(folder as u32)).filter(|path| !path.is_empty())
    }

    /// The files with a link to whatever has this [`brv_text::doc::link_key`], in order.
    pub fn linking(&self, key: &str) -> Result<Vec<TreePath>, Damaged> {
        let found = self.tagged(&link_term(key))?;
        Ok(found.into_iter().filter_map(|item| self.path(item)).collect())
    }

    /// Whether an item has this title, whatever its case and signs.
    pub fn has_title(&self, title: &str) -> Result<bool, Damaged> {
        let titled = title_term(title).map(|term| self.tagged(&term)).transpose()?;
        Ok(titled.is_some_and(|items| !items.is_empty()))
    }

    pub fn search(&self, request: &SearchQuery<'_>) -> Result<SearchResults, Damaged> {
        let view = &self.view;
        let mut stems = Stems::default();
        let mut question = question::read(request.text, view.languages, &mut stems);
        let mut evidence = Evidence::collect(view, &mut question, &mut stems)?;
        let text = |item| self.text(item, request.read);
        let identifiers = missing::identifiers(request.text, &question, &evidence, &text);
        evidence.add_unknown(identifiers.len());
        question.unknown.extend(identifiers);
        let (question, evidence) = (question, evidence);
        let titled = match &question.title {
            Some(term) => self.tagged(term)?,
            None => Vec::new(),
        };
        let mut scores = order::scores(view, &question, &evidence, (&titled, request.each));
        let is_tags_only = question.words.is_empty() && !question.tags.is_empty();
        if is_tags_only {
            scores.items = (0..view.len() as u32).map(|item| Scored { item, score: 1.0 }).collect();
        }
        let inside = request.scope.map(|scope| self.inside(scope));
        if let Some(inside) = &inside {
            scores.items.retain(|one| inside[view.folder[one.item as usize] as usize]);
        }
        if let Some(only) = request.only {
            scores.items.retain(|one| only(view.path(one.item)));
        }
        for tag in &question.tags {
            let tagged = self.tagged(tag)?;
            scores.items.retain(|one| tagged.binary_search(&one.item).is_ok());
        }
        let mut without_phrases = false;
        if !question.phrases.is_empty() {
            let kept = self.with_phrases(&scores.items, &question, &evidence, request.read);
            without_phrases = kept.is_empty();
            if !without_phrases {
                scores.items = kept;
            }
        }
        let total = scores.items.len();
        let marked = order::take_marked(view, &mut scores.items, request.each);
        order::keep_of_files(view, &evidence, &mut scores.items, request.each, &titled);
        order::best_first(&mut scores.items, COMPARED);
        // a task has no one right answer, and its passages are kept by their share of the best score
        if request.each != order::Each::ForTask {
            let first = RECONSIDERED.min(scores.items.len());
            order::reconsider(view, &evidence, &mut scores.items[..first]);
        }
        let best = &scores.items[..COMPARED.min(scores.items.len())];
        let relevance = match is_tags_only && !best.is_empty() {
            true => Relevance::alike(),
            false => {
                let first = best.first().map_or(NOTHING, |one| one.item);
                let is_rival = |one: &Scored| {
                    let is_rest = view.role(one.item).is_file() && one.item != first;
                    let is_own = is_rest && order::is_of_one_file(view, one.item, first);
                    !order::is_overview(view, one.item) && !is_own
                };
                relevance(view, &question, &evidence, &scores, best, &is_rival)
            }
        };
        let (anchors, quoted) = match relevance.first() < c::COVERS {
            true => {
                order::best_first(&mut scores.items, MOST_QUOTED);
                let mut looked = scores.items[..MOST_QUOTED.min(scores.items.len())].to_vec();
                looked.extend(with_codes(request.text, &question, &evidence, &scores.items));
                self.anchors(request, &looked)
            }
            false => Default::default(),
        };
        // these are the first hits
        let mut firsts = [titled, quoted.clone()].concat();
        firsts.sort_unstable();
        let first = scores.items.first().map(|one| one.item);
        let best = first.and_then(|item| self.path(item));
        let (mut hits, folder_words) = (TopHits::new(request.limit), self.folder_words(&question, &evidence));
        if request.folders {
            self.add_folders(&mut hits, &folder_words, &evidence, &relevance, inside.as_deref());
        }
        self.add_items(&mut hits, &mut scores.items, &firsts, &relevance, request.standing);
        if request.each.is_single() {
            self.add_marked(&mut hits, marked, &evidence);
        }
        let words = question.words.iter().zip(&evidence.words);
        let unmatched = words.filter(|(word, found)| word.is_significant && found.items == 0);
        Ok(SearchResults {
            hits: hits.finish(|hit| {
                let is_quoted = matches!(hit.at, At::Item(item) if quoted.binary_search(&item).is_ok());
                let is_best = matches!(hit.at, At::Item(item) if Some(item) == first);
                Hit { is_quoted, is_best, ..self.hit(hit, &question, &evidence, &folder_words) }
            }),
            total,
            relevance: relevance.first(),
            gap: relevance.gap,
            is_tie: relevance.is_tie,
            best,
            unmatched: unmatched.map(|(word, _)| word.word.clone()).collect(),
            missing: missing::missing(request.text, &question, &evidence),
            without_phrases,
            features: relevance.features,
            weights: weights(&question, &evidence),
            anchors,
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
        let archive = format!("{}/", brv_base::path::ARCHIVE);
        (0..self.view.folders.len() as u32)
            .map(|folder| {
                let path = self.view.folder_path(folder);
                is_inside(path) || path.strip_prefix(&archive).is_some_and(is_inside)
            })
            .collect()
    }

    /// What the question quotes that one of the best items has exactly, and these items, in order.
    fn anchors(&self, request: &SearchQuery<'_>, best: &[Scored]) -> (Vec<String>, Vec<u32>) {
        let mut anchors = anchors::of(request.text);
        if anchors.is_empty() {
            return Default::default();
        }
        let text = |one: &Scored| Some((one.item, self.text(one.item, request.read)?));
        let texts: Vec<(u32, String)> = best.iter().filter_map(text).collect();
        let has = |text: &str| anchors.iter().any(|anchor| anchors::stands_in(anchor, text));
        let mut items: Vec<u32> = texts.iter().filter(|(_, text)| has(text)).map(|(item, _)| *item).collect();
        items.sort_unstable();
        anchors.retain(|anchor| texts.iter().any(|(_, text)| anchors::stands_in(anchor, text)));
        (anchors, items)
    }

    /// The text of an item: the whole file, or the lines of the highlight.
    fn text(&self, item: u32, read: &dyn Fn(&TreePath) -> Option<Vec<u8>>) -> Option<String> {
        let bytes = read(&self.path(item)?)?;
        let text = String::from_utf8_lossy(&bytes);
        if self.view.role(item).is_file() {
            return Some(text.into_owned());
        }
        let (segment, at) = self.view.place(item);
        let Passage { line, lines, .. } = segment.table.passage(segment.table.pieces_of(at).start);
        let own: Vec<&str> = text.lines().skip(line.saturating_sub(1)).take(lines).collect();
        Some(own.join("\n"))
    }

    /// The items with the term of a tag, link or title, in order.
    fn tagged(&self, tag: &str) -> Result<Vec<u32>, Damaged> {
        let mut tagged = Vec::new();
        for (number, segment) in self.view.segments.iter().enumerate() {
            let mut pieces = Vec::new();
            segment.read(tag, Field::Meta as usize, &mut pieces)?;
            let numbers = &self.view.numbers[number];
            tagged.extend(pieces.iter().map(|(piece, _)| numbers[segment.table.item_of(*piece)]));
        }
        tagged.retain(|&item| item != NOTHING);
        tagged.sort_unstable();
        Ok(tagged)
    }

    /// The items that have every phrase. The best of those that have its words are read.
    fn with_phrases(
        &self,
        items: &[Scored],
        question: &Question,
        evidence: &Evidence,
        read: &dyn Fn(&TreePath) -> Option<Vec<u8>>,
    ) -> Vec<Scored> {
        let in_phrase = |word: &str| question.phrases.iter().flatten().any(|own| own == word);
        let needed = question.words.iter().enumerate().filter(|(_, word)| in_phrase(&word.word));
        let needed = needed.fold(0_u64, |bits, (number, _)| bits | 1 << number);
        let has_words = |one: &&Scored| evidence.has[one.item as usize] & needed == needed;
        let mut kept: Vec<Scored> = items.iter().filter(has_words).copied().collect();
        order::best_first(&mut kept, MOST_READ);
        kept.truncate(MOST_READ);
        kept.retain(|one| {
            let text = self.text(one.item, read).unwrap_or_default();
            question.phrases.iter().all(|phrase| question::has_phrase(&text, phrase))
        });
        kept
    }

    /// Add items, best first, until no other can have a score among the hits, or [`MOST_ORDERED`] were looked at; those in
    /// `titled` in any case.
    fn add_items(
        &self,
        hits: &mut TopHits,
        items: &mut [Scored],
        titled: &[u32],
        relevance: &Relevance,
        standing: &dyn Fn(&str, Option<i64>) -> Option<EntryStanding>,
    ) {
        order::best_first(items, MOST_ORDERED);
        let mut is_full = false;
        for (at, one) in items.iter().enumerate() {
            let is_titled = titled.binary_search(&one.item).is_ok();
            if !is_titled && (is_full || at >= MOST_ORDERED) {
                continue;
            }
            let own = relevance.of(at, one.score);
            let [by_relevance, by_importance, by_recency] = c::COMPOUND;
            let most = (by_relevance * own + by_importance + by_recency) * c::MOST_BOOST;
            if !is_titled && hits.is_beyond(most) {
                is_full = true;
                continue;
            }
            let (segment, item) = self.view.place(one.item);
            let is_stub = segment.table.kind(item) == Searched::Stub;
            let told = segment.table.changed(item);
            let standing = if is_stub { None } else { standing(segment.table.path(item), told) };
            let score = compound(own, standing);
            if (is_titled || !hits.is_beyond(score))
                && let Some(path) = self.path(one.item)
            {
                let at = At::Item(one.item);
                hits.add(HitCandidate {
                    path,
                    at,
                    relevance: own,
                    text: one.score,
                    score,
                    standing,
                    is_titled,
                });
            }
        }
    }

    /// Add the best of the highlights that were reverted or superseded, below all other hits.
    fn add_marked(&self, hits: &mut TopHits, mut marked: Vec<Scored>, evidence: &Evidence) {
        order::best_first(&mut marked, MARKED);
        for one in marked.iter().take(MARKED) {
            let Some(path) = self.path(one.item) else { continue };
            let relevance = MARKED_MOST * (one.score / evidence.most.max(1e-9)).min(1.0);
            let (at, score) = (At::Item(one.item), relevance * MARKED_SCORE);
            hits.add(HitCandidate {
                path,
                at,
                relevance,
                text: one.score,
                score,
                standing: None,
                is_titled: false,
            });
        }
    }

    fn folder_words(&self, question: &Question, evidence: &Evidence) -> Vec<(u32, u64)> {
        let mut words: HashMap<u64, u64> = HashMap::new();
        for (number, (word, found)) in question.words.iter().zip(&evidence.words).enumerate() {
            for term in word.stems.iter().chain(&found.terms) {
                *words.entry(name_hash(term)).or_default() |= 1 << number;
            }
        }
        let mut folders = Vec::new();
        for folder in 0..self.view.folders.len() as u32 {
            let terms = self.view.folder_terms(folder);
            let has = terms.filter_map(|term| words.get(&term)).fold(0, |all, bits| all | bits);
            if has > 0 && self.view.folders[folder as usize].items > 0 {
                folders.push((folder, has));
            }
        }
        folders
    }

    /// Add the folders whose names have words of the question: a name counts as the title of an item does, by the share
    /// of the question's idf that it has.
    fn add_folders(
        &self,
        hits: &mut TopHits,
        folders: &[(u32, u64)],
        evidence: &Evidence,
        relevance: &Relevance,
        inside: Option<&[bool]>,
    ) {
        let archive = format!("{}/", brv_base::path::ARCHIVE);
        for &(folder, has) in folders {
            let path = self.view.folder_path(folder);
            let is_inside = inside.is_none_or(|inside| inside[folder as usize]);
            if !is_inside || path == brv_base::path::ARCHIVE || path.starts_with(&archive) {
                continue;
            }
            let words = evidence.words.iter().enumerate().filter(|(word, _)| has >> word & 1 == 1);
            let mass: f64 = words.map(|(_, word)| word.credit.max(c::NEAR_CREDIT) * word.idf).sum();
            let of_question = mass / evidence.mass.max(1e-9);
            let of_name = f64::from(has.count_ones()) / self.view.folder_terms(folder).len().max(1) as f64;
            let own = relevance.first() * of_question * of_name.min(1.0);
            let Ok(path) = TreePath::parse(path.as_bytes()) else { continue };
            let score = compound(own, Some(NEUTRAL));
            let at = At::Folder(folder);
            hits.add(HitCandidate {
                path,
                at,
                relevance: own,
                text: 0.0,
                score,
                standing: None,
                is_titled: false,
            });
        }
    }

    fn hit(
        &self,
        found: HitCandidate,
        question: &Question,
        evidence: &Evidence,
        folders: &[(u32, u64)],
    ) -> Hit {
        let (mut passage, mut share, mut lead) = (None, 0.0, 0.0);
        let (kind, has) = match found.at {
            At::Item(number) => {
                let place = self.view.places[number as usize];
                let table = &self.view.segments[place.segment as usize].table;
                let best = order::best_shown(&self.view, evidence, number);
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
            ratio: (found.text / evidence.most.max(1e-9)).min(1.0),
            standing: found.standing,
            passage,
            passage_share: share,
            passage_lead: lead,
            is_best: false,
            is_first: found.is_titled,
            is_quoted: false,
            words: numbers.iter().map(|&number| question.words[number].word.clone()).collect(),
            terms: numbers.iter().flat_map(|&number| evidence.words[number].terms.clone()).collect(),
        }
    }
}
