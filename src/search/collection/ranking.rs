//! A view of the files that an engine found, and search in it.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::disk::segment::Segment;
use super::super::figures::{Collection, FileFigures};
use super::super::item::{Analysed, FIELDS, Field, Item, ItemRole, Searched};
use super::super::snapshot::Snapshot;
use super::super::view::{IndexView, SegmentPlace};
use super::indexed;
use crate::rank::order::Each;
use crate::request::{Damaged, EntryStanding, SearchQuery, SearchResults};
use brv_base::content::ContentId;
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_text::words::stems::{Language, Stems};

/// A file that an engine found.
#[derive(Debug, Clone, Copy)]
pub struct FoundFile<'a> {
    /// The name of its tree.
    pub tree: &'a str,
    /// Its path in the tree.
    pub path: &'a TreePath,
    /// Its text, or the beginning of it.
    pub text: &'a [u8],
    /// The terms of the text's end, if that was cut; see [`super::IndexedFile::rest`].
    pub rest: &'a str,
}

/// A file in the folder of one that was found, of which the figures are known, and which terms of the question it has. It is a
/// neighbour, and a part of its folder; it is never a hit. Files that were found may be among them.
#[derive(Debug, Clone, Copy)]
pub struct FileBeside<'a> {
    pub tree: &'a str,
    pub path: &'a TreePath,
    pub figures: FileFigures,
    /// In title, meta field and body, each followed by a blank.
    pub terms: [&'a str; 3],
}

/// What [`CollectionSnapshot::search`] is asked; see [`SearchQuery`]. Folders are no hits.
pub struct CollectionQuery<'q> {
    pub text: &'q str,
    pub limit: usize,
    pub each: Each,
    /// As [`SearchQuery::standing`], by the place of the file among those that were found.
    pub standing: &'q dyn Fn(usize, Option<i64>) -> Option<EntryStanding>,
}

/// What a search found. The paths of the hits are those in their trees.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionResults {
    pub results: SearchResults,
    /// For each hit the place of its file among those that were found.
    pub files: Vec<usize>,
    /// The same for [`SearchResults::best`].
    pub best: Option<usize>,
}

/// Files that an engine found, ready for any number of searches.
pub struct CollectionSnapshot<'a> {
    snapshot: Snapshot,
    files: &'a [FoundFile<'a>],
    /// The place among `files` of each file of the view; `None` of those beside.
    places: Vec<Option<usize>>,
}

/// A file of the view.
struct ViewFile<'a> {
    /// Its path below the name of its tree, by which files are in order.
    whole: String,
    tree: &'a str,
    folder: &'a str,
    origin: ViewFileOrigin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ViewFileOrigin {
    Found(usize),
    Beside(usize),
}

impl<'a> ViewFile<'a> {
    fn new(tree: &'a str, path: &'a TreePath, origin: ViewFileOrigin) -> Self {
        Self { whole: format!("{tree}/{path}"), tree, folder: path.folder(), origin }
    }

    /// The same for two rows of one file only.
    fn key(&self) -> (&str, &str) {
        (&self.whole, self.tree)
    }
}

impl<'a> CollectionSnapshot<'a> {
    /// The view of files that were found, and of those beside them.
    pub fn new(files: &'a [FoundFile<'a>], beside: &[FileBeside<'_>], collection: &Collection) -> Self {
        let mean = collection.words[1].checked_div(collection.pieces).unwrap_or_default() as usize;
        let mut analysed = parallel::map(files, Stems::default, |stems, file| {
            let mut items = indexed::analysed(file.tree, file.path, file.text, stems);
            if let Some(whole) = items.first_mut().filter(|_| !file.rest.is_empty()) {
                whole.pieces.extend(indexed::pieces_of_rest(file.rest, mean));
            }
            items
        });
        let found = files
            .iter()
            .enumerate()
            .map(|(at, one)| ViewFile::new(one.tree, one.path, ViewFileOrigin::Found(at)));
        let others = beside
            .iter()
            .enumerate()
            .map(|(at, one)| ViewFile::new(one.tree, one.path, ViewFileOrigin::Beside(at)));
        let mut rows: Vec<ViewFile<'_>> = found.chain(others).collect();
        rows.sort_unstable_by(|one, other| one.key().cmp(&other.key()).then(one.origin.cmp(&other.origin)));
        rows.dedup_by(|next, kept| next.key() == kept.key());

        let (mut items, mut folder_of, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut folders: HashMap<(&str, &str), usize> = HashMap::new();
        let mut names: Vec<String> = Vec::new();
        for (rank, row) in rows.iter().enumerate() {
            let folder = *folders.entry((row.tree, row.folder)).or_insert_with(|| {
                names.push(format!("{:08}", names.len()));
                names.len() - 1
            });
            let path = path_of(rank);
            let own = match row.origin {
                ViewFileOrigin::Found(at) => std::mem::take(&mut analysed[at]),
                ViewFileOrigin::Beside(at) => vec![item_of(&beside[at], path.clone())],
            };
            folder_of.resize(folder_of.len() + own.len(), folder);
            items.extend(own.into_iter().map(|item| Item { path: path.clone(), ..item }));
            places.push(match row.origin {
                ViewFileOrigin::Found(at) => Some(at),
                ViewFileOrigin::Beside(_) => None,
            });
        }
        let in_folders = items.iter().zip(folder_of.iter().map(|folder| names[*folder].as_str()));
        let segment = Arc::new(Segment::in_memory(in_folders, &mut Stems::default()));
        let all = (0..items.len() as u32).map(|item| SegmentPlace { segment: 0, item }).collect();
        let view = IndexView::new(vec![segment], all, Some(collection.clone()));
        Self { snapshot: Snapshot::new(view), files, places }
    }

    /// Search as [`Snapshot::search`] does.
    ///
    /// # Errors
    /// Never in memory.
    pub fn search(&self, query: &CollectionQuery<'_>) -> Result<CollectionResults, Damaged> {
        let mut results = self.snapshot.search(&SearchQuery {
            text: query.text,
            limit: query.limit,
            scope: None,
            only: Some(&|path| self.place(path).is_some()),
            folders: false,
            each: query.each,
            standing: &|path, told| (query.standing)(self.place(path)?, told),
            read: &|path| Some(self.files[self.place(path.as_str())?].text.to_vec()),
        })?;
        let best = results.best.as_ref().and_then(|path| self.place(path.as_str()));
        results.best = best.map(|place| self.files[place].path.clone());
        let places = results.hits.iter().map(|hit| self.place(hit.path.as_str()));
        let files: Vec<usize> = places.map(|place| place.expect("what is beside has no terms")).collect();
        for (hit, place) in results.hits.iter_mut().zip(&files) {
            hit.path = self.files[*place].path.clone();
        }
        Ok(CollectionResults { results, files, best })
    }

    /// The place among the files of the one at a path of the view.
    fn place(&self, path: &str) -> Option<usize> {
        let rank: usize = path.strip_suffix(".md")?.parse().ok()?;
        *self.places.get(rank)?
    }
}

/// The path in the view of the file of this rank. A tree's name and a path are together too long for one; such paths are in
/// the same order.
fn path_of(rank: usize) -> TreePath {
    TreePath::parse(format!("{rank:010}.md").as_bytes()).expect("a number is a file's name")
}

/// A file beside.
fn item_of(FileBeside { figures, terms: [title, meta, body], .. }: &FileBeside<'_>, path: TreePath) -> Item {
    let mut terms: [String; FIELDS] = Default::default();
    for (field, text) in [(Field::Title, title), (Field::Meta, meta), (Field::Body, body)] {
        (*text).clone_into(&mut terms[field as usize]);
    }
    let words = figures.body_words as usize;
    Item {
        path,
        role: ItemRole::File,
        id: ContentId::of(b""),
        kind: Searched::Entry,
        language: Language::English,
        day: None,
        changed: None,
        title_terms: 0,
        title_words: figures.title_words as usize,
        meta_words: figures.meta_words as usize,
        pieces: vec![Analysed { terms, words, line: 1, lines: 0, is_fact: false, is_concept: false }],
    }
}
