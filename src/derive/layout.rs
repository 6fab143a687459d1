//! How an index is set: heading, purpose, a line or a section for each item, statements under them, never more than
//! there is room for.
//!
//! Does not choose which statements are said.

use super::abstract_::status;
use super::inline::{cut, flat, link, opening};
use super::{Condensate, Digest};

/// An entry or a child folder, as it is shown.
pub(super) struct Item {
    kind: ItemKind,
    pub title: String,
    /// What is linked, relative to the folder.
    path: String,
    note: String,
    pub gist: String,
    /// What is in a folder, as one text; empty for an entry.
    pub contents: String,
    worth: u32,
    entries: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Entry,
    Folder,
}

/// The items of a folder: entries first, then child folders, each in the order given.
pub(super) fn items<'a>(
    entries: impl Iterator<Item = (&'a str, &'a Digest)>,
    folders: &[(&str, &Condensate)],
) -> Vec<Item> {
    let entries = entries.map(|(name, digest)| Item {
        kind: ItemKind::Entry,
        title: title_of(name, digest),
        path: name.to_owned(),
        note: status(digest),
        gist: if digest.title.as_ref() == Some(&digest.gist) { String::new() } else { digest.gist.clone() },
        contents: String::new(),
        worth: digest.points.first().map_or(0, |point| point.worth) + if digest.pinned { 1000 } else { 0 },
        entries: 1,
    });
    let folders = folders.iter().map(|(name, child)| Item {
        kind: ItemKind::Folder,
        title: flat(name),
        path: format!("{name}/_index.md"),
        note: String::new(),
        gist: child.gist.clone(),
        contents: contents(child),
        worth: child.gems.first().map_or(0, |gem| gem.worth),
        entries: child.entries,
    });
    entries.chain(folders).collect()
}

fn contents(child: &Condensate) -> String {
    let count = match child.entries {
        0 => return String::new(),
        1 => "1 entry".to_owned(),
        many => format!("{many} entries"),
    };
    if child.contents.is_empty() { count } else { format!("{count}: {}", child.contents.join(" · ")) }
}

/// The title of an entry, or its file name as words.
pub(super) fn title_of(name: &str, digest: &Digest) -> String {
    digest.title.clone().unwrap_or_else(|| words(name.strip_suffix(".md").unwrap_or(name)))
}

/// A file name as words.
pub(super) fn words(name: &str) -> String {
    flat(&name.replace(['_', '-'], " "))
}

/// How much each item shows.
#[derive(Clone, Copy)]
struct Shape {
    gist: usize,
    contents: usize,
    folders: FolderStyle,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderStyle {
    Section,
    Line,
}

/// From the richest to the barest.
const SHAPES: [Shape; 8] = [
    Shape { gist: 240, contents: 200, folders: FolderStyle::Section },
    Shape { gist: 180, contents: 120, folders: FolderStyle::Section },
    Shape { gist: 140, contents: 80, folders: FolderStyle::Section },
    Shape { gist: 140, contents: 60, folders: FolderStyle::Line },
    Shape { gist: 100, contents: 0, folders: FolderStyle::Line },
    Shape { gist: 60, contents: 0, folders: FolderStyle::Line },
    Shape { gist: 40, contents: 0, folders: FolderStyle::Line },
    Shape { gist: 0, contents: 0, folders: FolderStyle::Line },
];

/// Parts of the room, in hundredths: what purpose and items may take before statements come.
const PURPOSE_SHARE: usize = 20;
const ITEMS_SHARE: usize = 65;

/// Below so many characters there are no headings, only a line.
const TINY: usize = 200;

/// A statement under an item.
pub(super) struct Said<'a> {
    /// 0 for the folder itself, else the item's number plus 1.
    pub group: usize,
    pub text: &'a str,
    /// Where it stands, relative to the folder.
    pub path: &'a str,
}

/// The body of an index while it is filled.
pub(super) struct Page<'a> {
    items: &'a [Item],
    head: String,
    purpose: String,
    /// The text of each item; `None` for those that there is no room for.
    texts: Vec<Option<String>>,
    shape: Shape,
    /// Statements by group.
    said: Vec<Vec<String>>,
    left: usize,
}

impl<'a> Page<'a> {
    /// Sets all but the statements.
    pub fn new(path: &str, overview: Option<&Digest>, items: &'a [Item], room: usize) -> Self {
        let title = overview.and_then(|digest| digest.title.clone());
        let title =
            title.unwrap_or_else(|| if path.is_empty() { "Context tree".to_owned() } else { name_of(path) });
        let purpose =
            overview.map(|digest| format!("{} {}", digest.gist, digest.purpose)).unwrap_or_default();
        let purpose = cut(purpose.trim(), room * PURPOSE_SHARE / 100);
        let mut page = Self {
            items,
            head: format!("# {title}\n"),
            purpose,
            texts: Vec::new(),
            shape: SHAPES[SHAPES.len() - 1],
            said: vec![Vec::new(); items.len() + 1],
            left: 0,
        };
        if !page.purpose.is_empty() {
            page.head = format!("{}\n{}\n", page.head, opening(&page.purpose));
        }
        if path.is_empty() {
            page.head.push_str(&counts(items));
        }
        page.set(room);
        page
    }

    fn set(&mut self, room: usize) {
        let head = self.head.chars().count() + 2;
        let whole = |shape: &Shape| {
            let chars: usize =
                self.items.iter().map(|item| item_text(item, *shape).chars().count() + 1).sum();
            head + chars
        };
        let fits = SHAPES.iter().find(|shape| whole(shape) <= room * ITEMS_SHARE / 100);
        let fits = fits.or_else(|| SHAPES.iter().find(|shape| whole(shape) <= room));
        match fits {
            Some(shape) => {
                self.shape = *shape;
                self.left = room - whole(shape);
                self.texts = self.items.iter().map(|item| Some(item_text(item, *shape))).collect();
            }
            None if room < TINY => self.set_tiny(room),
            None => self.set_some(room.saturating_sub(head + 24)),
        }
    }

    /// Only what is most worth reading of too many items.
    fn set_some(&mut self, mut room: usize) {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.items[*at].worth));
        self.texts = vec![None; self.items.len()];
        for at in order {
            let text = item_text(&self.items[at], self.shape);
            let chars = text.chars().count() + 1;
            if chars <= room {
                room -= chars;
                self.texts[at] = Some(text);
            }
        }
    }

    /// A line where there is no room for headings.
    fn set_tiny(&mut self, room: usize) {
        let titles = self.items.iter().map(|item| match item.gist.as_str() {
            "" => item.title.clone(),
            gist => gist.to_owned(),
        });
        let parts: Vec<String> =
            std::iter::once(self.purpose.clone()).chain(titles).filter(|part| !part.is_empty()).collect();
        let line = opening(&cut(&parts.join("; "), room.saturating_sub(3)));
        self.head = if line.is_empty() { String::new() } else { format!("{line}\n") };
        self.texts = Vec::new();
    }

    /// What the page says before any statement.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let gists = if self.shape.gist > 60 { self.items } else { &[] };
        std::iter::once(self.purpose.as_str()).chain(gists.iter().map(|item| item.gist.as_str()))
    }

    /// How many characters are left for statements.
    pub fn left(&self) -> usize {
        self.left
    }

    /// How many characters a statement takes.
    pub fn cost(&self, said: &Said<'_>) -> u32 {
        self.line(said).chars().count() as u32 + 1
    }

    /// Adds a statement that there is room for.
    pub fn say(&mut self, said: &Said<'_>) {
        let line = self.line(said);
        self.said[said.group].push(line);
    }

    fn line(&self, said: &Said<'_>) -> String {
        let item = said.group.checked_sub(1).map(|at| &self.items[at]);
        let text = opening(said.text);
        match item {
            None => format!("- {text}\n"),
            Some(item) if item.kind == ItemKind::Entry => format!("  - {text}\n"),
            Some(_) if self.shape.folders == FolderStyle::Section => {
                format!("- {text} {}\n", link("→", said.path))
            }
            Some(_) => format!("  - {text} {}\n", link("→", said.path)),
        }
    }

    /// The whole body.
    pub fn finish(self) -> String {
        let mut body = self.head;
        let push_said =
            |body: &mut String, group: usize| self.said[group].iter().for_each(|line| body.push_str(line));
        if !self.said[0].is_empty() {
            body.push('\n');
            push_said(&mut body, 0);
        }
        let mut in_list = false;
        for (at, text) in self.texts.iter().enumerate() {
            let Some(text) = text else { continue };
            let section =
                self.items[at].kind == ItemKind::Folder && self.shape.folders == FolderStyle::Section;
            if section || !in_list {
                body.push('\n');
            }
            body.push_str(text);
            if section && !self.said[at + 1].is_empty() {
                body.push('\n');
            }
            push_said(&mut body, at + 1);
            in_list = !section;
        }
        let missing = self.texts.iter().filter(|text| text.is_none()).count();
        if missing > 0 {
            body.push_str(&format!("- and {missing} more\n"));
        }
        body
    }
}

fn name_of(path: &str) -> String {
    let words = words(path.rsplit('/').next().unwrap_or(path));
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// What the whole tree holds, in a line.
fn counts(items: &[Item]) -> String {
    let folders = items.iter().filter(|item| item.kind == ItemKind::Folder).count();
    let entries: u64 = items.iter().map(|item| item.entries).sum();
    let count = |count: u64, one: &str, many: &str| {
        if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
    };
    format!("\n{} in {}.\n", count(entries, "entry", "entries"), count(folders as u64, "domain", "domains"))
}

/// An item without statements, ending with a line break.
fn item_text(item: &Item, shape: Shape) -> String {
    let name = link(&item.title, &item.path);
    if item.kind == ItemKind::Entry {
        let gist = cut(&item.gist, shape.gist);
        let colon = if gist.is_empty() { "" } else { ": " };
        return format!("- {name}{}{colon}{gist}\n", item.note);
    }
    // a folder without a purpose has more room for what is in it
    let gist = cut(&item.gist, shape.gist);
    let contents = if gist.is_empty() { shape.contents + shape.gist } else { shape.contents };
    let contents = cut(&item.contents, contents);
    let about = match (gist.is_empty(), contents.is_empty()) {
        (false, false) => format!("{gist} ({contents})"),
        _ => format!("{gist}{contents}"),
    };
    match shape.folders {
        FolderStyle::Section if about.is_empty() => format!("## {name}\n"),
        FolderStyle::Section => format!("## {name}\n\n{}\n", opening(&about)),
        FolderStyle::Line if about.is_empty() => format!("- {name}\n"),
        FolderStyle::Line => format!("- {name}: {about}\n"),
    }
}
