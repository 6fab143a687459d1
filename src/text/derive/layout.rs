//! Lay out an index: heading, purpose, a line or a section for each item, statements under them, within the available
//! room.
//!
//! Does not choose the statements.

use super::abstract_::status;
use super::inline::{cut, flat, link, opening};
use super::outline::TitleOutline;
use super::{Condensate, CondensatePart, Digest};

/// An entry or a child folder, as shown in an index.
pub(super) struct Item<'a> {
    kind: ItemKind,
    pub title: String,
    /// The link target, relative to the folder.
    path: String,
    link: String,
    note: String,
    pub gist: String,
    /// The content of a folder; empty for an entry.
    pub parts: &'a [CondensatePart],
    worth: u32,
    entries: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Entry,
    Folder,
}

/// The items of a folder: entries first, then child folders, each in the given order.
pub(super) fn items<'a>(
    entries: impl Iterator<Item = (&'a str, &'a Digest)>,
    folders: &[(&str, &'a Condensate)],
) -> Vec<Item<'a>> {
    let entries = entries.map(|(name, digest)| (name, title_of(name, digest), digest));
    let entries = entries.map(|(name, title, digest)| Item {
        kind: ItemKind::Entry,
        link: link(&title, name),
        title,
        path: name.to_owned(),
        note: status(digest),
        gist: if digest.title.as_ref() == Some(&digest.gist) { String::new() } else { digest.gist.clone() },
        parts: &[],
        worth: digest.worth(),
        entries: 1,
    });
    let folders = folders.iter().map(|(name, child)| (flat(name), format!("{name}/_index.md"), child));
    let folders = folders.map(|(title, path, child)| Item {
        kind: ItemKind::Folder,
        link: link(&title, &path),
        title,
        path,
        note: String::new(),
        gist: child.gist.clone(),
        parts: &child.parts,
        worth: child.gems.first().map_or(0, |gem| gem.worth),
        entries: child.entries,
    });
    entries.chain(folders).collect()
}

/// The title of an entry, or its file name as words.
pub(super) fn title_of(name: &str, digest: &Digest) -> String {
    digest.title.clone().unwrap_or_else(|| words(name.strip_suffix(".md").unwrap_or(name)))
}

pub(super) fn words(name: &str) -> String {
    flat(&name.replace(['_', '-'], " "))
}

/// How much to show of each item.
#[derive(Clone, Copy)]
struct Shape {
    gist: usize,
    folders: FolderStyle,
    /// The share of the room that the items may take in this shape without the titles inside them, in hundredths: with
    /// little room, the topic of each item matters more than statements under a few.
    share: usize,
    /// The share of those titles that must fit, in hundredths.
    titles: usize,
}

impl Shape {
    const fn new(gist: usize, folders: FolderStyle, share: usize, titles: usize) -> Self {
        Self { gist, folders, share, titles }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderStyle {
    Section,
    Line,
}

/// From the richest shape to the barest.
const SHAPES: [Shape; 9] = [
    Shape::new(240, FolderStyle::Section, 60, 100),
    Shape::new(180, FolderStyle::Section, 65, 100),
    Shape::new(140, FolderStyle::Section, 65, 90),
    Shape::new(140, FolderStyle::Line, 70, 80),
    Shape::new(100, FolderStyle::Line, 80, 70),
    Shape::new(80, FolderStyle::Line, 85, 60),
    Shape::new(60, FolderStyle::Line, 90, 50),
    Shape::new(40, FolderStyle::Line, 95, 30),
    BAREST,
];

const BAREST: Shape = Shape::new(0, FolderStyle::Line, 100, 0);

/// The share of the room for the purpose, in hundredths.
const PURPOSE_SHARE: usize = 20;

/// The share of the remaining room for titles, in hundredths; the rest is for statements.
const TITLES_SHARE: usize = 75;

/// With less room than this, in characters, titles may take all that remains.
const SMALL: usize = 800;

/// The longest purpose if there is hardly room for names, in characters.
const BARE_PURPOSE: usize = 160;

/// A statement under an item.
pub(super) struct PageStatement<'a> {
    /// 0 for the folder itself, else the item's number plus 1.
    pub group: usize,
    pub text: &'a str,
    pub title: &'a str,
    /// How much of the title is shown with it.
    pub style: Style,
    /// The path of its entry, relative to the folder.
    pub path: &'a str,
}

/// How a statement is shown with its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The gist of the whole entry, shown after its title.
    Whole,
    /// Shown without a title.
    Alone,
    /// It does not name its subject: the title is shown with the link.
    Titled,
}

/// The body of an index while it is being filled.
pub(super) struct IndexPage<'a> {
    items: &'a [Item<'a>],
    head: String,
    purpose: String,
    /// The text of each item; `None` if there is no room for it.
    texts: Vec<Option<String>>,
    /// The titles inside each item.
    outline: TitleOutline<'a>,
    shape: Shape,
    said: Vec<Vec<String>>,
    /// How many of them are gists of whole entries.
    whole: Vec<usize>,
    left: usize,
}

/// The minimum length of an index in characters: its heading, the counts, the linked names of its items, the titles
/// inside them.
pub(super) fn least(path: &str, overview: Option<&Digest>, items: &[Item]) -> usize {
    let (head, _) = head(path, overview, items, BARE_PURPOSE);
    let names: usize = items.iter().map(|item| item_text(item, BAREST).chars().count()).sum();
    head.chars().count() + 4 + names + outline(items, FolderStyle::Line).whole()
}

/// Everything before the items, and the purpose in it.
fn head(path: &str, overview: Option<&Digest>, items: &[Item], purpose: usize) -> (String, String) {
    let title = overview.and_then(|digest| digest.title.clone());
    let title =
        title.unwrap_or_else(|| if path.is_empty() { "Context tree".to_owned() } else { name_of(path) });
    let text = overview.map(|digest| format!("{} {}", digest.gist, digest.purpose)).unwrap_or_default();
    let purpose = if text.trim() == title { String::new() } else { cut(text.trim(), purpose) };
    let mut head = format!("# {title}\n");
    if !purpose.is_empty() {
        head = format!("{head}\n{}\n", opening(&purpose));
    }
    if path.is_empty() {
        head.push_str(&counts(items));
    }
    (head, purpose)
}

fn outline<'a>(items: &'a [Item<'a>], style: FolderStyle) -> TitleOutline<'a> {
    let indent = if style == FolderStyle::Line { "  " } else { "" };
    TitleOutline::new(items.iter().map(|item| (item.path.as_str(), item.parts)).collect(), indent)
}

impl<'a> IndexPage<'a> {
    /// Lay out everything except the statements.
    pub fn new(path: &str, overview: Option<&Digest>, items: &'a [Item<'a>], room: usize) -> Self {
        let (head, purpose) =
            head(path, overview, items, (room * PURPOSE_SHARE / 100).max(BARE_PURPOSE.min(room / 2)));
        let mut page = Self {
            items,
            head,
            purpose,
            texts: Vec::new(),
            outline: outline(items, BAREST.folders),
            shape: BAREST,
            said: vec![Vec::new(); items.len() + 1],
            whole: vec![0; items.len() + 1],
            left: 0,
        };
        page.set(room);
        page
    }

    fn set(&mut self, room: usize) {
        let head = self.head.chars().count() + 2;
        // a section has a blank line before it and before its content
        let gaps = |item: &Item, shape: &Shape| match (item.kind, shape.folders) {
            (ItemKind::Folder, FolderStyle::Section) => 2,
            _ => 0,
        };
        // `None` if it is more than `most`
        let bare = |shape: &Shape, most: usize| {
            let chars = |item| item_text(item, *shape).chars().count() + gaps(item, shape);
            let add = |sum: usize, item| Some(sum + chars(item)).filter(|sum| *sum <= most);
            Some(head).filter(|sum| *sum <= most).and_then(|head| self.items.iter().try_fold(head, add))
        };
        let titles = outline(self.items, FolderStyle::Line).whole().min(room * 3 / 4);
        let fitting = |shape: &Shape| {
            let bare = bare(shape, room * shape.share / 100)?;
            (bare + titles * shape.titles / 100 <= room).then_some((*shape, bare))
        };
        let Some((shape, bare)) = SHAPES.iter().find_map(fitting) else {
            return self.set_some(room.saturating_sub(head + 24));
        };
        let left = room - bare;
        self.shape = shape;
        self.texts = self.items.iter().map(|item| Some(item_text(item, shape))).collect();
        self.outline = outline(self.items, shape.folders);
        // a page of names only has no statements
        let titles = if room < SMALL { left } else { left * TITLES_SHARE / 100 };
        self.left = left - titles + self.outline.fill(titles);
    }

    /// If there are too many items, show only those most worth reading.
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

    /// The texts of the page before any statement.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let gists = if self.shape.gist > 60 { self.items } else { &[] };
        std::iter::once(self.purpose.as_str()).chain(gists.iter().map(|item| item.gist.as_str()))
    }

    pub fn left(&self) -> usize {
        self.left
    }

    /// The characters that a statement takes.
    pub fn cost(&self, said: &PageStatement<'_>) -> u32 {
        let refund = if let (Style::Whole, Some(item)) = (said.style, own_entry(said)) {
            self.outline.refund(item, said.title)
        } else {
            0
        };
        (self.line(said).chars().count() + 1).saturating_sub(refund).max(1) as u32
    }

    /// Add a statement, which must fit.
    pub fn say(&mut self, said: &PageStatement<'_>) {
        let line = self.line(said);
        let lines = &mut self.said[said.group];
        // gists of whole entries first, then single statements
        match said.style {
            Style::Whole => {
                lines.insert(self.whole[said.group], line);
                self.whole[said.group] += 1;
                if let Some(item) = own_entry(said) {
                    self.outline.say_elsewhere(item, said.title);
                }
            }
            Style::Alone | Style::Titled => lines.push(line),
        }
    }

    fn line(&self, said: &PageStatement<'_>) -> String {
        let item = said.group.checked_sub(1).map(|at| &self.items[at]);
        let nested =
            item.is_some_and(|item| item.kind == ItemKind::Entry || self.shape.folders == FolderStyle::Line);
        let indent = if nested { "  " } else { "" };
        let folder = item.is_some_and(|item| item.kind == ItemKind::Folder);
        match said.style {
            Style::Whole => [indent, "- ", &link(said.title, said.path), ": ", said.text, "\n"].concat(),
            Style::Alone if folder => {
                [indent, "- ", &opening(said.text), " ", &link("→", said.path), "\n"].concat()
            }
            Style::Titled if folder => {
                let link = link(&[said.title, " →"].concat(), said.path);
                [indent, "- ", &opening(said.text), " ", &link, "\n"].concat()
            }
            Style::Alone | Style::Titled => [indent, "- ", &opening(said.text), "\n"].concat(),
        }
    }

    pub fn finish(self) -> String {
        let mut body = String::new();
        if !self.said[0].is_empty() {
            body.push('\n');
            self.said[0].iter().for_each(|line| body.push_str(line));
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
            let under = self.under(at);
            if section && !under.is_empty() {
                body.push('\n');
            }
            body.push_str(&under);
            in_list = !section;
        }
        let missing = self.texts.iter().filter(|text| text.is_none()).count();
        if missing > 0 {
            body.push_str(&format!("- and {missing} more\n"));
        }
        self.head + &body
    }

    /// The text under an item: its folders with their entries, its own entries, statements.
    fn under(&self, at: usize) -> String {
        let (whole, statements) = self.said[at + 1].split_at(self.whole[at + 1]);
        let mut under = self.outline.folders(at);
        under.extend(whole.iter().map(String::as_str));
        under.push_str(&self.outline.own_entries(at));
        under.extend(statements.iter().map(String::as_str));
        under
    }
}

/// The folder whose own entry the statement is about, as the number of an item.
fn own_entry(said: &PageStatement<'_>) -> Option<usize> {
    let at = said.group.checked_sub(1)?;
    (said.path.matches('/').count() == 1).then_some(at)
}

fn name_of(path: &str) -> String {
    let words = words(path.rsplit('/').next().unwrap_or(path));
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The counts for the whole tree, on one line.
fn counts(items: &[Item]) -> String {
    let folders = items.iter().filter(|item| item.kind == ItemKind::Folder).count();
    let entries: u64 = items.iter().map(|item| item.entries).sum();
    let count = |count: u64, one: &str, many: &str| {
        if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
    };
    let entries = count(entries, "entry", "entries");
    if folders == 0 {
        return format!("\n{entries}.\n");
    }
    format!(
        "\n{entries} in {}. Folder names link to their index; → links to the entry.\n",
        count(folders as u64, "domain", "domains")
    )
}

/// An item without statements, ending with a line break.
fn item_text(item: &Item, shape: Shape) -> String {
    let name = &item.link;
    let gist = cut(&item.gist, shape.gist);
    if item.kind == ItemKind::Entry {
        let colon = if gist.is_empty() { "" } else { ": " };
        return ["- ", name, &item.note, colon, &gist, "\n"].concat();
    }
    let entries = match item.entries {
        _ if shape.gist == 0 => String::new(),
        0 => String::new(),
        1 => "1 entry".to_owned(),
        many => format!("{many} entries"),
    };
    let about = match (gist.is_empty(), entries.is_empty()) {
        (false, false) => [gist.as_str(), " (", &entries, ")"].concat(),
        _ => gist + &entries,
    };
    match shape.folders {
        FolderStyle::Section if about.is_empty() => ["## ", name, "\n"].concat(),
        FolderStyle::Section => ["## ", name, "\n\n", &opening(&about), "\n"].concat(),
        FolderStyle::Line if about.is_empty() => ["- ", name, "\n"].concat(),
        FolderStyle::Line => ["- ", name, ": ", &about, "\n"].concat(),
    }
}
