//! Diff pages: changes by meaning as a document, in markdown for a pull request or in HTML for a browser.
//!
//! Pure: the model in, text out. [`html`] and [`markdown`] escape everything from the tree, each in its own way.

mod elide;
pub mod html;
pub mod markdown;
pub(in crate::say) mod phrases;
#[cfg(test)]
pub(in crate::say) mod samples;

use brv_base::clock::format_git;
use brv_base::sorting;
use brv_commands::vc::diff::FileChange;
use brv_commands::vc::log::ShownCommit;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::read::history::states::Endpoint;
use brv_text::diff::FileDiff;
use brv_text::diff::knowledge::{Content, Entry, Knowledge, What};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, HashMap};

/// Number of digits shown of a commit's id.
pub(in crate::say) const ID_DIGITS: usize = 7;

/// The number of entries that a page draws; of those after them it has the names. Nobody reads more, and a browser would
/// have to hold all of it.
const DRAWN: usize = 200;

#[derive(Debug, Clone)]
pub struct Page<'a> {
    pub front: PageFront,
    pub items: Vec<Item<'a>>,
    /// Files in conflict, which are only listed.
    pub unmerged: &'a [Bytes],
    /// How many items are drawn.
    most: usize,
}

#[derive(Debug, Clone)]
pub enum PageFront {
    /// The difference between two states of the tree.
    Between { before: String, after: String },
    /// A commit compared to its first parent.
    Commit {
        /// The first line of its message.
        subject: String,
        body: String,
        id: String,
        /// Its author, without the address.
        author: String,
        /// Its date, formatted as in `vc log`.
        date: String,
    },
}

impl PageFront {
    pub fn of_commit(commit: &ShownCommit) -> PageFront {
        let message = commit.message.to_str_lossy();
        let (subject, body) = message.trim().split_once('\n').unwrap_or((message.trim(), ""));
        PageFront::Commit {
            subject: subject.trim().to_owned(),
            body: body.trim().to_owned(),
            id: commit.id[..ID_DIGITS].to_owned(),
            author: commit.author.name.to_str_lossy().into_owned(),
            date: format_git(commit.author.seconds, commit.author.offset),
        }
    }

    /// The front for two compared states.
    pub fn between(before: &Endpoint, after: &Endpoint) -> PageFront {
        PageFront::Between { before: state(before), after: state(after) }
    }
}

/// The name of a state: `main (1a2b3c4)`, `1a2b3c4`, `work tree`.
pub(in crate::say) fn state(state: &Endpoint) -> String {
    match (state.kind, &state.commit, &state.name) {
        ("commit", Some(id), Some(name)) if !id.starts_with(name) => {
            format!("{name} ({})", &id[..ID_DIGITS])
        }
        ("commit", Some(id), _) => id[..ID_DIGITS].to_owned(),
        ("commit", None, _) => "nothing".to_owned(),
        ("index", ..) => "index".to_owned(),
        _ => "work tree".to_owned(),
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    pub entry: &'a Entry,
    /// Its changed lines, shown if it cannot be compared by meaning.
    pub lines: Option<&'a FileDiff>,
}

impl<'a> Item<'a> {
    /// Its path; the last one if it was deleted.
    pub(in crate::say) fn path(&self) -> &'a [u8] {
        let place = self.entry.after.as_ref().or(self.entry.before.as_ref());
        place.map_or(b"", |place| place.path.as_slice())
    }

    fn folder(&self) -> &'a [u8] {
        let place = self.entry.after.as_ref().or(self.entry.before.as_ref());
        place.map_or(b"", |place| place.folder())
    }

    /// Its title, else the name of its file.
    pub(in crate::say) fn name(&self) -> BString {
        let place = self.entry.after.as_ref().or(self.entry.before.as_ref());
        place.map(|place| place.name()).unwrap_or_default()
    }

    /// Its old path, if it was renamed.
    fn moved_from(&self) -> Option<&'a [u8]> {
        match (&self.entry.before, &self.entry.after) {
            (Some(before), Some(after)) if before.path != after.path => Some(before.path.as_slice()),
            _ => None,
        }
    }

    /// Its changes by meaning; `None` if it is compared by line.
    pub(in crate::say) fn knowledge(&self) -> Option<&'a Knowledge> {
        match &self.entry.content {
            Content::Knowledge(knowledge) => Some(knowledge),
            Content::Lines(_) => None,
        }
    }

    /// Whether it was neither renamed nor changed in content.
    pub(in crate::say) fn differs_in_form_only(&self) -> bool {
        let is_quiet = |knowledge: &Knowledge| {
            knowledge.says_the_same() && knowledge.disputes.is_empty() && knowledge.dangling.is_empty()
        };
        self.entry.what == What::Modified
            && self.knowledge().is_some_and(is_quiet)
            && self.entry.sources.is_empty()
    }
}

struct PageGroup<'p, 'a> {
    folder: &'a [u8],
    items: Vec<&'p Item<'a>>,
    /// How many of the items are drawn; the others are named.
    drawn: usize,
}

impl<'a> Page<'a> {
    /// Make the page for a command's result.
    pub fn new(
        front: PageFront,
        entries: &'a [Entry],
        files: &'a [FileChange],
        unmerged: &'a [Bytes],
    ) -> Page<'a> {
        let lines: HashMap<&[u8], &FileDiff> =
            files.iter().filter_map(|file| Some((file.path.as_slice(), file.diff.as_ref()?))).collect();
        let item = |entry: &'a Entry| {
            let item = Item { entry, lines: None };
            Item { lines: lines.get(item.path()).copied(), ..item }
        };
        Page { front, items: entries.iter().map(item).collect(), unmerged, most: DRAWN }
    }

    /// The same with at most so many items drawn; of the others the names are listed.
    pub const fn drawing(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// The items with changed content, by folder; folders and items are ordered by path.
    fn groups(&self) -> Vec<PageGroup<'_, 'a>> {
        let mut groups: BTreeMap<&[u8], Vec<&Item<'a>>> = BTreeMap::new();
        for item in self.items.iter().filter(|item| !item.differs_in_form_only()) {
            groups.entry(item.folder()).or_default().push(item);
        }
        let mut groups: Vec<PageGroup<'_, 'a>> =
            groups.into_iter().map(|(folder, items)| PageGroup { folder, items, drawn: 0 }).collect();
        let mut left = self.most;
        for group in &mut groups {
            sorting::sort_by_key(&mut group.items, |item| item.path());
            group.drawn = group.items.len().min(left);
            left -= group.drawn;
        }
        groups
    }

    /// The items that differ in form only, ordered by path.
    fn form_only(&self) -> Vec<&Item<'a>> {
        let mut items: Vec<&Item<'a>> =
            self.items.iter().filter(|item| item.differs_in_form_only()).collect();
        sorting::sort_by_key(&mut items, |item| item.path());
        items
    }
}
