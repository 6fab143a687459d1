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
    /// What it says where there is room for nothing else.
    brief: String,
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
        brief: if digest.gist.is_empty() { title_of(name, digest) } else { digest.gist.clone() },
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
        brief: match child.gems.first() {
            _ if !child.gist.is_empty() => child.gist.clone(),
            Some(gem) => gem.text.clone(),
            None => child.contents.first().cloned().unwrap_or_default(),
        },
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
    /// How much of the room the items may take in this shape, in hundredths: where there is little room, what each item
    /// is about counts for more than statements under a few.
    share: usize,
}

impl Shape {
    const fn new(gist: usize, contents: usize, folders: FolderStyle, share: usize) -> Self {
        Self { gist, contents, folders, share }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderStyle {
    Section,
    Line,
}

/// From the richest to the barest.
const SHAPES: [Shape; 9] = [
    Shape::new(240, 200, FolderStyle::Section, 60),
    Shape::new(180, 120, FolderStyle::Section, 65),
    Shape::new(140, 80, FolderStyle::Section, 65),
    Shape::new(140, 60, FolderStyle::Line, 70),
    Shape::new(100, 40, FolderStyle::Line, 80),
    Shape::new(80, 0, FolderStyle::Line, 85),
    Shape::new(60, 0, FolderStyle::Line, 90),
    Shape::new(40, 0, FolderStyle::Line, 95),
    Shape::new(0, 0, FolderStyle::Line, 100),
];

/// How much of the room the purpose may take, in hundredths.
const PURPOSE_SHARE: usize = 20;

/// In less than so many characters a line says more than headings and bare names.
const TINY: usize = 800;

/// A statement under an item.
pub(super) struct Said<'a> {
    /// 0 for the folder itself, else the item's number plus 1.
    pub group: usize,
    pub text: &'a str,
    /// The title of its entry if it is what the entry is about.
    pub title: Option<&'a str>,
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
    /// How many of them have a title.
    titled: Vec<usize>,
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
            titled: vec![0; items.len() + 1],
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
        match SHAPES.iter().find(|shape| whole(shape) <= room * shape.share / 100) {
            Some(shape) if shape.gist > 0 || room >= TINY => {
                self.shape = *shape;
                self.left = room - whole(shape);
                self.texts = self.items.iter().map(|item| Some(item_text(item, *shape))).collect();
            }
            None if room >= TINY => self.set_some(room.saturating_sub(head + 24)),
            _ => self.set_tiny(room),
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
        let parts =
            std::iter::once(self.purpose.as_str()).chain(self.items.iter().map(|item| item.brief.as_str()));
        let parts: Vec<&str> =
            parts.map(|part| part.trim_end_matches('.')).filter(|part| !part.is_empty()).collect();
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
        let lines = &mut self.said[said.group];
        // whole entries first, then single statements
        let at = if said.title.is_some() { self.titled[said.group] } else { lines.len() };
        lines.insert(at, line);
        self.titled[said.group] += usize::from(said.title.is_some());
    }

    fn line(&self, said: &Said<'_>) -> String {
        let item = said.group.checked_sub(1).map(|at| &self.items[at]);
        let nested =
            item.is_some_and(|item| item.kind == ItemKind::Entry || self.shape.folders == FolderStyle::Line);
        let indent = if nested { "  " } else { "" };
        let folder = item.is_some_and(|item| item.kind == ItemKind::Folder);
        match said.title {
            Some(title) => format!("{indent}- {}: {}\n", link(title, said.path), said.text),
            None if folder => format!("{indent}- {} {}\n", opening(said.text), link("→", said.path)),
            None => format!("{indent}- {}\n", opening(said.text)),
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
    format!(
        "\n{} in {}. Headings lead to the summaries below, arrows to the sources.\n",
        count(entries, "entry", "entries"),
        count(folders as u64, "domain", "domains")
    )
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
