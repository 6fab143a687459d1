//! What is in a folder by title, in as many titles as there is room for, each part with a fair share.
//!
//! Knows how long a line of titles becomes, not what an index says besides.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Part;
use super::inline::{cut, opening};

/// How many titles a folder passes up, and of how many parts.
const TITLES: usize = 64;

/// The longest title that is passed up, in characters.
const TITLE_CHARS: usize = 60;

/// What stands between two titles.
const BETWEEN: &str = " · ";

/// The titles as they are passed up: short, and none empty.
pub(super) fn part(name: String, titles: impl Iterator<Item = String>) -> Part {
    let titles: Vec<String> = titles.map(|title| passed_up(&title)).collect();
    Part { name, entries: titles.len() as u64, titles }
}

/// A title as it stands in a [`Part`].
pub(super) fn passed_up(title: &str) -> String {
    let title = cut(title, TITLE_CHARS);
    if title.is_empty() { "…".to_owned() } else { title }
}

/// The parts of a child folder as one part of the folder above.
pub(super) fn flattened(name: &str, parts: &[Part]) -> Part {
    Part {
        name: name.to_owned(),
        titles: parts.iter().flat_map(|part| part.titles.iter().cloned()).collect(),
        entries: parts.iter().map(|part| part.entries).sum(),
    }
}

/// As many titles of each part as a condensate may hold.
pub(super) fn bounded(mut parts: Vec<Part>) -> Vec<Part> {
    parts.retain(|part| part.entries > 0);
    parts.truncate(TITLES);
    let mut left = TITLES;
    let lists = parts.iter().map(|part| List { size: part.entries, titles: part.titles.len(), first: false });
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

/// A list that places are handed out to.
struct List {
    /// What its share depends on.
    size: u64,
    /// How many places it can use.
    titles: usize,
    /// Whether its first place comes before all shares.
    first: bool,
}

/// Hands out places one by one: the next goes to the list with the greatest `size / (had + 1)²`, the first of equals, so
/// that a list four times as long has twice as many. A list whose next `take(list, had)` finds no room gets no more.
///
/// Source: a highest averages method (as D'Hondt's) over the square roots of the sizes; proportional shares would leave
/// small folders without a voice.
fn shares(lists: Vec<List>, mut take: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
    let claim = |at: usize, had: usize| {
        let list = &lists[at];
        let quotient = (list.size.min(1 << 32) << 24) / ((had + 1) * (had + 1)) as u64;
        (if list.first && had == 0 { u64::MAX } else { quotient }, Reverse(at))
    };
    let mut given = vec![0; lists.len()];
    let mut claims: BinaryHeap<_> =
        (0..lists.len()).filter(|at| lists[*at].titles > 0).map(|at| claim(at, 0)).collect();
    while let Some((_, Reverse(at))) = claims.pop() {
        if take(at, given[at]) {
            given[at] += 1;
            if given[at] < lists[at].titles {
                claims.push(claim(at, given[at]));
            }
        }
    }
    given
}

/// The titles under one item.
#[derive(Debug, Clone)]
struct Line {
    /// The item and its part.
    item: usize,
    part: usize,
    /// The first so many titles are shown.
    shown: usize,
    /// The titles (of a part without a name) that stand on a line of their own instead.
    elsewhere: Vec<String>,
}

/// The titles of all items of a page while it is filled.
pub(super) struct Outline<'a> {
    /// The parts of each item.
    items: Vec<&'a [Part]>,
    /// A line for each part of each item, in order.
    lines: Vec<Line>,
    /// Where the lines of each item begin.
    starts: Vec<usize>,
    /// What stands before a line of titles.
    indent: &'static str,
    /// Whether parts of which no title is shown are named.
    naming: bool,
}

impl<'a> Outline<'a> {
    /// An outline that shows nothing yet.
    pub fn new(items: Vec<&'a [Part]>, indent: &'static str) -> Self {
        let lines = items
            .iter()
            .enumerate()
            .flat_map(|(item, parts)| {
                (0..parts.len()).map(move |part| Line { item, part, shown: 0, elsewhere: Vec::new() })
            })
            .collect();
        let starts = items.iter().scan(0, |next, parts| Some(std::mem::replace(next, *next + parts.len())));
        let starts = starts.collect();
        Self { items, lines, starts, indent, naming: false }
    }

    /// How many characters it takes with every title.
    pub fn whole(&self) -> usize {
        let all = |line: &Line| self.width(line, self.part(line).titles.len());
        self.lines.iter().map(all).sum()
    }

    /// Shows as many titles as there is room for, and returns how much room is left.
    pub fn fill(&mut self, room: usize) -> usize {
        let mut left = room;
        let names: usize = self.hidden_width();
        // below this the names of parts would take the place of titles
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
        // what was kept free for naming hidden parts of an item, where none is hidden
        if self.naming {
            let open = (0..self.items.len())
                .filter(|item| !self.items[*item].is_empty() && self.hidden(*item).is_none());
            left += open.count() * HIDDEN;
        }
        left
    }

    /// The parts as lists that titles are shown of; the largest part of each item comes first.
    fn lists(&self) -> Vec<List> {
        let largest = |item: usize| {
            let parts = self.items[item].iter().enumerate();
            parts.max_by_key(|(at, part)| (part.entries, Reverse(*at))).map(|(at, _)| at)
        };
        let list = |line: &Line| List {
            size: self.part(line).entries,
            titles: self.part(line).titles.len(),
            first: largest(line.item) == Some(line.part),
        };
        self.lines.iter().map(list).collect()
    }

    /// How many characters less the outline takes once the entry of this title has a line of its own.
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

    /// The entry of this title, of an item's own entries, is said on a line of its own.
    pub fn say_elsewhere(&mut self, item: usize, title: &str) {
        if self.own(item).is_some() {
            self.lines[self.starts[item]].elsewhere.push(passed_up(title));
        }
    }

    fn lines_of(&self, item: usize) -> &[Line] {
        &self.lines[self.starts[item]..][..self.items[item].len()]
    }

    /// The line of an item's own entries, which is its first.
    fn own(&self, item: usize) -> Option<&Line> {
        self.lines_of(item).first().filter(|line| self.part(line).name.is_empty())
    }

    /// The lines of an item's own entries: those that have no line of their own.
    pub fn own_entries(&self, item: usize) -> String {
        self.own(item).map(|line| self.text(line)).unwrap_or_default()
    }

    /// The lines of an item's folders.
    pub fn folders(&self, item: usize) -> String {
        let lines = self.lines_of(item).iter().filter(|line| !self.part(line).name.is_empty());
        let mut text: String = lines.map(|line| self.text(line)).collect();
        if self.naming
            && let Some(hidden) = self.hidden(item)
        {
            text.push_str(&hidden);
        }
        text
    }

    fn part(&self, line: &Line) -> &'a Part {
        &self.items[line.item][line.part]
    }

    /// How long the line is with so many titles.
    fn width(&self, line: &Line, shown: usize) -> usize {
        if shown == 0 {
            return 0;
        }
        let part = self.part(line);
        let titles: usize = part.titles[..shown].iter().map(|title| title.chars().count()).sum();
        let more = if part.entries > shown as u64 { " · and  more".len() + digits(part.entries) } else { 0 };
        // an escape at the beginning is one character more
        self.indent.len() + self.name_width(line) + titles + BETWEEN.chars().count() * (shown - 1) + more + 4
    }

    fn name_width(&self, line: &Line) -> usize {
        match self.part(line).name.chars().count() {
            0 => 0,
            name => name + 3,
        }
    }

    /// What naming all parts in one line for each item takes.
    fn hidden_width(&self) -> usize {
        let lines = self.items.iter().filter(|parts| !parts.is_empty()).count();
        lines * HIDDEN + self.lines.iter().map(|line| self.name_width(line)).sum::<usize>()
    }

    /// The line for the parts of an item of which no title is shown.
    fn hidden(&self, item: usize) -> Option<String> {
        let lines = self.lines_of(item);
        let hidden: Vec<&Part> =
            lines.iter().filter(|line| line.shown == 0).map(|line| self.part(line)).collect();
        let entries: u64 = hidden.iter().map(|part| part.entries).sum();
        let names: Vec<&str> =
            hidden.iter().map(|part| part.name.as_str()).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return None;
        }
        let names = names.join(BETWEEN);
        let all = lines.len() == hidden.len();
        let lead = if all { String::new() } else { format!("and {entries} more in ") };
        Some(format!("{}- {}\n", self.indent, opening(&format!("{lead}{names}"))))
    }

    fn text(&self, line: &Line) -> String {
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
        let more = match (rest, titles.is_empty()) {
            (0, true) => return String::new(),
            (0, false) => String::new(),
            (rest, true) => format!("and {rest} more"),
            (rest, false) => format!("{BETWEEN}and {rest} more"),
        };
        let name = if part.name.is_empty() { String::new() } else { format!("{}: ", part.name) };
        format!("{}- {}\n", self.indent, opening(&format!("{name}{}{more}", titles.join(BETWEEN))))
    }
}

/// What a line about hidden parts takes besides their names.
const HIDDEN: usize = 32;

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(name: &str, count: usize) -> Part {
        part(name.to_owned(), (0..count).map(|at| format!("Title {at}")))
    }

    #[test]
    fn everything_is_shown_where_there_is_room() {
        let parts = [entries("", 1), entries("flows", 2)];
        let mut outline = Outline::new(vec![&parts], "");
        assert!(outline.fill(1000) <= 1000 - outline.whole() + 4);
        assert_eq!(outline.own_entries(0), "- Title 0\n");
        assert_eq!(outline.folders(0), "- flows: Title 0 · Title 1\n");
    }

    #[test]
    fn large_parts_get_more_small_ones_are_heard_and_the_room_holds() {
        let parts = [entries("a", 50), entries("b", 2), entries("c", 8)];
        for room in [0, 30, 90, 150, 200, 300, 500, 900] {
            let mut outline = Outline::new(vec![&parts], "  ");
            let left = outline.fill(room);
            let text = outline.folders(0);
            assert!(text.chars().count() + left <= room, "{room}: {text}");
            if room == 200 {
                assert!(
                    ["- a: Title 0 · Title 1", "- b: Title 0", "- c: Title 0"]
                        .iter()
                        .all(|line| text.contains(line)),
                    "{text}"
                );
                assert!(text.contains(" more\n"), "{text}");
            }
        }
    }

    #[test]
    fn an_entry_with_a_line_of_its_own_is_not_listed_again() {
        let parts = [entries("", 3)];
        let mut outline = Outline::new(vec![&parts], "");
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
