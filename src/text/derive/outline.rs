//! The titles of a folder's entries, as many as fit, with a fair share for each part.
//!
//! Knows the length of a line of titles, not the rest of the index.

use std::cmp::Reverse;

use super::CondensatePart;
use super::inline::{cut, flat, link, opening};
use super::shares::{ShareList, shares};

/// The maximum number of titles, and of parts, that a folder passes up.
const TITLES: usize = 64;

/// The longest title passed up, in characters.
const TITLE_CHARS: usize = 60;

/// The separator between two titles.
const BETWEEN: &str = " · ";

/// The part for the entries of one folder, with their titles (see [`passed_up`]).
pub(super) fn part(name: String, titles: impl Iterator<Item = String>) -> CondensatePart {
    let titles: Vec<String> = titles.collect();
    CondensatePart { name, entries: titles.len() as u64, titles }
}

/// A title shortened for a [`CondensatePart`], never empty.
pub(super) fn passed_up(title: &str) -> String {
    or_dots(cut(title, TITLE_CHARS))
}

fn or_dots(text: String) -> String {
    if text.is_empty() { "…".to_owned() } else { text }
}

/// The parts of a child folder, joined into one part of its parent.
pub(super) fn flattened(name: &str, parts: &[CondensatePart]) -> CondensatePart {
    CondensatePart {
        name: name.to_owned(),
        titles: parts.iter().flat_map(|part| part.titles.iter().cloned()).collect(),
        entries: parts.iter().map(|part| part.entries).sum(),
    }
}

/// The parts with as many titles as a condensate may hold.
pub(super) fn bounded(mut parts: Vec<CondensatePart>) -> Vec<CondensatePart> {
    parts.retain(|part| part.entries > 0);
    parts.truncate(TITLES);
    let mut left = TITLES;
    let lists =
        parts.iter().map(|part| ShareList { size: part.entries, places: part.titles.len(), first: false });
    let shown = shares(lists.collect(), |_, _| {
        let fits = left > 0;
        left -= usize::from(fits);
        fits
    });
    for (part, shown) in parts.iter_mut().zip(shown) {
        part.titles.truncate(shown);
    }
    parts
}

/// The titles under one item.
#[derive(Debug, Clone)]
struct TitleLine {
    item: usize,
    part: usize,
    /// The part's name as shown; empty for the item's own entries.
    name: String,
    /// The index that lists all of the part's entries, relative to the page.
    index: String,
    /// The number of titles shown, from the first.
    shown: usize,
    /// The titles (of a part without a name) that have a line of their own instead.
    elsewhere: Vec<String>,
}

/// The titles of all items of a page while it is being filled.
pub(super) struct TitleOutline<'a> {
    /// The link target of each item, and its parts.
    items: Vec<(&'a str, &'a [CondensatePart])>,
    /// A line for each part of each item, in order.
    lines: Vec<TitleLine>,
    /// The first line of each item.
    starts: Vec<usize>,
    /// The indentation of a line of titles.
    indent: &'static str,
    /// Whether to name parts without shown titles.
    naming: bool,
}

impl<'a> TitleOutline<'a> {
    /// An outline of these items and their link targets that shows nothing yet.
    pub fn new(items: Vec<(&'a str, &'a [CondensatePart])>, indent: &'static str) -> Self {
        let (mut lines, mut starts) = (Vec::new(), Vec::new());
        for (item, (path, parts)) in items.iter().enumerate() {
            starts.push(lines.len());
            lines.extend(parts.iter().enumerate().map(|(at, part)| TitleLine::new(item, path, at, part)));
        }
        Self { items, lines, starts, indent, naming: false }
    }

    /// The characters that it takes with every title.
    pub fn whole(&self) -> usize {
        let all = |line: &TitleLine| self.width(line, self.part(line).titles.len());
        self.lines.iter().map(all).sum()
    }

    /// Show as many titles as fit, and return the room left.
    pub fn fill(&mut self, room: usize) -> usize {
        let mut left = room;
        let names: usize = self.hidden_width();
        // below this the names of parts would displace titles
        self.naming = names <= room / 3;
        if self.naming {
            left -= names;
        }
        let shown = shares(self.lists(), |at, had| {
            let line = &self.lines[at];
            let name = if self.naming && had == 0 { self.name_width(line) } else { 0 };
            let (before, after) = (self.width(line, had) + name, self.width(line, had + 1));
            let fits = after <= left + before;
            if fits {
                left = left + before - after;
            }
            fits
        });
        for (line, shown) in self.lines.iter_mut().zip(shown) {
            line.shown = shown;
        }
        // the room reserved for naming hidden parts of an item, if none is hidden
        if self.naming {
            let open = (0..self.items.len())
                .filter(|item| !self.items[*item].1.is_empty() && self.hidden(*item).is_none());
            left += open.map(|item| hidden_width(&self.items[item])).sum::<usize>();
        }
        left
    }

    /// The parts as lists of titles to share the room between; the largest part of each item comes first.
    fn lists(&self) -> Vec<ShareList> {
        let largest = |item: usize| {
            let parts = self.items[item].1.iter().enumerate();
            parts.max_by_key(|(at, part)| (part.entries, Reverse(*at))).map(|(at, _)| at)
        };
        let list = |line: &TitleLine| ShareList {
            size: self.part(line).entries,
            places: self.part(line).titles.len(),
            first: largest(line.item) == Some(line.part),
        };
        self.lines.iter().map(list).collect()
    }

    /// The characters saved if the entry with this title gets a line of its own.
    pub fn refund(&self, item: usize, title: &str) -> usize {
        let Some(line) = self.own(item) else { return 0 };
        let shown = &self.part(line).titles[..line.shown];
        let title = passed_up(title);
        if shown.contains(&title) && !line.elsewhere.contains(&title) {
            title.chars().count() + BETWEEN.chars().count()
        } else {
            0
        }
    }

    /// Show the entry with this title, one of the item's own, on a line of its own.
    pub fn say_elsewhere(&mut self, item: usize, title: &str) {
        if self.own(item).is_some() {
            self.lines[self.starts[item]].elsewhere.push(passed_up(title));
        }
    }

    fn lines_of(&self, item: usize) -> &[TitleLine] {
        &self.lines[self.starts[item]..][..self.items[item].1.len()]
    }

    /// The line of an item's own entries, its first line.
    fn own(&self, item: usize) -> Option<&TitleLine> {
        self.lines_of(item).first().filter(|line| line.name.is_empty())
    }

    /// The line of an item's own entries, without those that have a line of their own.
    pub fn own_entries(&self, item: usize) -> String {
        self.own(item).map(|line| self.text(line)).unwrap_or_default()
    }

    pub fn folders(&self, item: usize) -> String {
        let lines = self.lines_of(item).iter().filter(|line| !line.name.is_empty());
        let mut text: String = lines.map(|line| self.text(line)).collect();
        if self.naming
            && let Some(hidden) = self.hidden(item)
        {
            text.push_str(&hidden);
        }
        text
    }

    fn part(&self, line: &TitleLine) -> &'a CondensatePart {
        &self.items[line.item].1[line.part]
    }

    /// The length of the line with this many titles.
    fn width(&self, line: &TitleLine, shown: usize) -> usize {
        if shown == 0 {
            return 0;
        }
        let part = self.part(line);
        let titles: usize = part.titles[..shown].iter().map(|title| title.chars().count()).sum();
        let hidden = part.entries > shown as u64;
        let more = if hidden { BETWEEN.chars().count() + line.more(part.entries).chars().count() } else { 0 };
        // an escape at the beginning takes one more character
        self.indent.len() + self.name_width(line) + titles + BETWEEN.chars().count() * (shown - 1) + more + 4
    }

    fn name_width(&self, line: &TitleLine) -> usize {
        match line.name.chars().count() {
            0 => 0,
            name => name + 3,
        }
    }

    /// The characters for naming all parts of each item on one line.
    fn hidden_width(&self) -> usize {
        let leads = self.items.iter().filter(|(_, parts)| !parts.is_empty()).map(hidden_width);
        leads.sum::<usize>() + self.lines.iter().map(|line| self.name_width(line)).sum::<usize>()
    }

    /// The line for the parts of an item without shown titles.
    fn hidden(&self, item: usize) -> Option<String> {
        let lines = self.lines_of(item);
        let hidden: Vec<&TitleLine> = lines.iter().filter(|line| line.shown == 0).collect();
        let entries: u64 = hidden.iter().map(|line| self.part(line).entries).sum();
        let names: Vec<&str> =
            hidden.iter().map(|line| line.name.as_str()).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return None;
        }
        let names = names.join(BETWEEN);
        let all = lines.len() == hidden.len();
        let text = match all {
            true => opening(&names),
            false => format!("{} in {names}", link(&format!("and {entries} more"), self.items[item].0)),
        };
        Some(format!("{}- {text}\n", self.indent))
    }

    fn text(&self, line: &TitleLine) -> String {
        if line.shown == 0 {
            return String::new();
        }
        let part = self.part(line);
        let mut elsewhere = line.elsewhere.clone();
        let mut titles: Vec<&str> = Vec::new();
        for title in &part.titles[..line.shown] {
            match elsewhere.iter().position(|said| said == title) {
                Some(at) => drop(elsewhere.swap_remove(at)),
                None => titles.push(title),
            }
        }
        let rest = part.entries.saturating_sub((titles.len() + line.elsewhere.len()) as u64);
        let more = (rest > 0).then(|| line.more(rest));
        if titles.is_empty() && more.is_none() {
            return String::new();
        }
        let name = if line.name.is_empty() { String::new() } else { format!("{}: ", line.name) };
        let said = opening(&format!("{name}{}", titles.join(BETWEEN)));
        let between = if titles.is_empty() || more.is_none() { "" } else { BETWEEN };
        format!("{}- {said}{between}{}\n", self.indent, more.unwrap_or_default())
    }
}

impl TitleLine {
    fn new(item: usize, path: &str, at: usize, part: &CondensatePart) -> Self {
        let folder = path.strip_suffix("_index.md").unwrap_or(path);
        let (name, index) = match part.name.is_empty() {
            true => (String::new(), path.to_owned()),
            false => (or_dots(flat(&part.name)), format!("{folder}{}/_index.md", part.name)),
        };
        Self { item, part: at, name, index, shown: 0, elsewhere: Vec::new() }
    }

    /// The link to where this many other entries are listed.
    fn more(&self, rest: u64) -> String {
        link(&format!("and {rest} more"), &self.index)
    }
}

/// The maximum length of a line about hidden parts, apart from their names.
fn hidden_width((path, _): &(&str, &[CondensatePart])) -> usize {
    const WORDS: usize = 32;
    WORDS + path.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(name: &str, count: usize) -> CondensatePart {
        part(name.to_owned(), (0..count).map(|at| format!("Title {at}")))
    }

    #[test]
    fn everything_is_shown_where_there_is_room() {
        let parts = [entries("", 1), entries("flows", 2)];
        let mut outline = TitleOutline::new(vec![("d/_index.md", &parts[..])], "");
        assert!(outline.fill(1000) <= 1000 - outline.whole() + 4);
        assert_eq!(outline.own_entries(0), "- Title 0\n");
        assert_eq!(outline.folders(0), "- flows: Title 0 · Title 1\n");
    }

    #[test]
    fn large_parts_get_more_small_ones_are_heard_and_the_room_holds() {
        let parts = [entries("a", 50), entries("b", 2), entries("c", 8)];
        for room in [0, 30, 90, 150, 200, 250, 500, 900] {
            let mut outline = TitleOutline::new(vec![("d/_index.md", &parts[..])], "  ");
            let left = outline.fill(room);
            let text = outline.folders(0);
            assert!(text.chars().count() + left <= room, "{room}: {text}");
            if room == 250 {
                assert!(
                    ["- a: Title 0 · Title 1", "- b: Title 0", "- c: Title 0"]
                        .iter()
                        .all(|line| text.contains(line)),
                    "{text}"
                );
                assert!(text.contains(" more](d/a/_index.md)\n"), "{text}");
            }
        }
    }

    #[test]
    fn what_is_not_shown_is_linked_where_it_is() {
        let parts = [entries("", 30), entries("flows", 30), entries("x y", 9), entries("z", 9)];
        let mut outline = TitleOutline::new(vec![("d/_index.md", &parts[..])], "  ");
        outline.fill(300);
        assert!(
            outline.own_entries(0).ends_with(" · [and 27 more](d/_index.md)\n"),
            "{}",
            outline.own_entries(0)
        );
        let folders = outline.folders(0);
        assert!(folders.contains(" · [and 27 more](d/flows/_index.md)\n"), "{folders}");
        assert!(folders.contains(" · [and 7 more](<d/x y/_index.md>)\n"), "{folders}");
        let mut outline = TitleOutline::new(vec![("d/_index.md", &parts[..])], "  ");
        outline.fill(200);
        let folders = outline.folders(0);
        assert!(folders.ends_with("  - [and 9 more](d/_index.md) in z\n"), "{folders}");
    }

    #[test]
    fn an_entry_with_a_line_of_its_own_is_not_listed_again() {
        let parts = [entries("", 3)];
        let mut outline = TitleOutline::new(vec![("d/_index.md", &parts[..])], "");
        outline.fill(1000);
        assert_eq!(outline.refund(0, "Title 1"), 10);
        outline.say_elsewhere(0, "Title 1");
        assert_eq!(outline.refund(0, "Title 1"), 0);
        assert_eq!(outline.own_entries(0), "- Title 0 · Title 2\n");
        ["Title 0", "Title 2"].iter().for_each(|title| outline.say_elsewhere(0, title));
        assert_eq!(outline.own_entries(0), "");
    }

    #[test]
    fn what_is_passed_up_is_bounded_and_counts_all() {
        let parts = bounded(vec![entries("a", 300), entries("b", 3)]);
        assert_eq!(parts.iter().map(|part| part.titles.len()).sum::<usize>(), TITLES);
        assert_eq!((parts[0].entries, parts[1].titles.len()), (300, 3));
    }
}
