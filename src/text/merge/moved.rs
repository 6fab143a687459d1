//! Follow list items that one side moved to another parent while the other edited them: the edit moves along.
//!
//! Knows the items of three bodies, at every depth. The merge itself then sees the edit where the item is now, and no
//! edit where it was; nothing else in the bodies changes.

use crate::diff::Bag;
use crate::doc::{self, ListItem};
use brv_base::sorting;
use std::collections::HashMap;
use std::ops::Range;

/// The share of words that two items must have in common to be paired by their words alone.
const EDITED: f64 = 0.5;

/// With more items than this in a version, moves are not followed.
const MAX_ITEMS: usize = 2_000;

/// With more pairs than this below one parent, words are not compared.
const MAX_COMPARED: usize = 4096;

/// The bodies of base, first and second with moved items made equal; `None` if nothing was both moved and edited.
pub(super) fn follow(bodies: [&str; 3]) -> Option<[String; 3]> {
    let has_nested = |text: &&str| {
        text.lines().any(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with(is_marker))
    };
    if !bodies.iter().any(has_nested) {
        return None;
    }
    let lists = bodies.map(MovedList::of);
    if lists.iter().any(|list| list.items.len() > MAX_ITEMS) {
        return None;
    }
    let [base, first, second] = &lists;
    let mut found = [base.pair(first), base.pair(second)];
    agree(&lists, &mut found);
    let mut edits: [Vec<(Range<usize>, String)>; 2] = [Vec::new(), Vec::new()];
    for at in 0..base.items.len() {
        let (Some(one), Some(other)) = (found[0][at], found[1][at]) else { continue };
        let moved = [base.is_moved(at, first, one, &found[0]), base.is_moved(at, second, other, &found[1])];
        if moved == [false, false] {
            continue;
        }
        let texts = [base.text(at), first.text(one), second.text(other)];
        let Some(merged) = three(texts.each_ref().map(String::as_str)) else { continue };
        for (side, (list, own)) in [(first, one), (second, other)].into_iter().enumerate() {
            let wanted = if moved[side] { merged } else { &texts[0] };
            list.replace(own, wanted, &mut edits[side]);
        }
    }
    if edits.iter().all(Vec::is_empty) {
        return None;
    }
    let [in_first, in_second] = edits;
    Some([bodies[0].to_owned(), edited(bodies[1], in_first), edited(bodies[2], in_second)])
}

fn is_marker(c: char) -> bool {
    matches!(c, '-' | '*' | '+') || c.is_ascii_digit()
}

fn three([base, first, second]: [&str; 3]) -> Option<&str> {
    match (base == first, base == second) {
        (true, _) => Some(second),
        (_, true) => Some(first),
        _ => (first == second).then_some(first),
    }
}

struct MovedList<'a> {
    text: &'a str,
    items: Vec<ListItem>,
    words: Vec<String>,
}

impl<'a> MovedList<'a> {
    fn of(text: &'a str) -> MovedList<'a> {
        let items = doc::items(text);
        let head = |item: &ListItem| text[item.head.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let words = items.iter().map(head).collect();
        MovedList { text, items, words }
    }

    /// The item with everything nested in it, with its indentation removed from each line.
    fn text(&self, at: usize) -> String {
        let item = &self.text[self.items[at].span.clone()];
        let indent = indent_of(item);
        let lines = item.split('\n').map(|line| line.get(indent.min(indent_of(line))..).unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Replace an item with another text, unless it is inside one that is already replaced.
    fn replace(&self, at: usize, wanted: &str, edits: &mut Vec<(Range<usize>, String)>) {
        let span = self.items[at].span.clone();
        if self.text(at) == wanted
            || edits.iter().any(|(known, _)| known.start < span.end && span.start < known.end)
        {
            return;
        }
        let indent = &self.text[span.start..span.start + indent_of(&self.text[span.clone()])];
        let lines = wanted.split('\n');
        let lines = lines
            .map(|line| if line.trim().is_empty() { line.to_owned() } else { format!("{indent}{line}") });
        edits.push((span, lines.collect::<Vec<_>>().join("\n")));
    }

    /// For each item its counterpart in a side: the same words if they are unique, else an edit below the same parent.
    fn pair(&self, side: &MovedList<'_>) -> Vec<Option<usize>> {
        let mut found = vec![None; self.items.len()];
        let known = side.once(|_| true);
        for (words, at) in self.once(|_| true) {
            found[at] = known.get(words).copied();
        }
        for parent in std::iter::once(None).chain((0..self.items.len()).map(Some)) {
            let partner = match parent {
                None => None,
                Some(parent) => match found[parent] {
                    Some(partner) => Some(partner),
                    None => continue,
                },
            };
            self.pair_nested(side, [parent, partner], &mut found);
        }
        found
    }

    fn pair_nested(&self, side: &MovedList<'_>, parents: [Option<usize>; 2], found: &mut [Option<usize>]) {
        let mut after: Vec<usize> =
            side.nested(parents[1]).filter(|at| !found.contains(&Some(*at))).collect();
        let mut before: Vec<usize> = self.nested(parents[0]).filter(|at| found[*at].is_none()).collect();
        before.retain(|at| {
            let same = after.iter().position(|own| side.words[*own] == self.words[*at]);
            found[*at] = same.map(|same| after.remove(same));
            same.is_none()
        });
        if before.len() * after.len() > MAX_COMPARED {
            return;
        }
        let mut pairs = Vec::new();
        let bags: Vec<Bag> = after.iter().map(|at| Bag::of_text(&side.words[*at])).collect();
        for at in &before {
            let bag = Bag::of_text(&self.words[*at]);
            pairs.extend(bags.iter().zip(&after).map(|(own, after)| (bag.likeness(own), *at, *after)));
        }
        // if each has only one item left below a parent, the one became the other
        let is_alone = before.len() == 1 && after.len() == 1 && parents[0].is_some();
        pairs.retain(|(likeness, ..)| is_alone || *likeness >= EDITED);
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, at, own) in pairs {
            if found[at].is_none() && !found.contains(&Some(own)) {
                found[at] = Some(own);
            }
        }
    }

    fn nested(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        (0..self.items.len()).filter(move |at| self.items[*at].parent == parent)
    }

    /// The items whose words no other item has.
    fn once(&self, is_meant: impl Fn(usize) -> bool) -> HashMap<&str, usize> {
        let mut found: HashMap<&str, Option<usize>> = HashMap::new();
        for at in (0..self.items.len()).filter(|at| is_meant(*at)) {
            found.entry(&self.words[at]).and_modify(|at| *at = None).or_insert(Some(at));
        }
        found.into_iter().filter_map(|(words, at)| Some((words, at?))).collect()
    }

    /// Whether an item, which is `own` in `side`, has another parent there.
    fn is_moved(&self, at: usize, side: &MovedList<'_>, own: usize, found: &[Option<usize>]) -> bool {
        match (self.items[at].parent, side.items[own].parent) {
            (None, None) => false,
            (Some(parent), Some(other)) => found[parent] != Some(other),
            _ => true,
        }
    }
}

/// Pair items that one side edited in place and the other moved with the same edit, and items that both moved below one
/// parent and one of them edited there.
fn agree(lists: &[MovedList<'_>; 3], found: &mut [Vec<Option<usize>>; 2]) {
    for (own, other) in [(0, 1), (1, 0)] {
        let (list, side) = (&lists[own + 1], &lists[other + 1]);
        let same = list.once(|at| !found[own].contains(&Some(at)));
        for at in 0..found[own].len() {
            let (None, Some(there)) = (found[own][at], found[other][at]) else { continue };
            let below = || {
                let parent = side.items[there].parent?;
                let before = found[other].iter().position(|partner| *partner == Some(parent));
                let partner = before.and_then(|before| found[own][before]);
                let partner =
                    partner.or_else(|| list.once(|_| true).get(side.words[parent].as_str()).copied())?;
                let bag = Bag::of_text(&side.words[there]);
                let likeness = |at: &usize| Bag::of_text(&list.words[*at]).likeness(&bag);
                let left = list.nested(Some(partner)).filter(|at| !found[own].contains(&Some(*at)));
                let nearest = left.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
                (likeness(&nearest) >= EDITED).then_some(nearest)
            };
            found[own][at] = same.get(side.words[there].as_str()).copied().or_else(below);
        }
    }
}

fn indent_of(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    sorting::sort_by_key(&mut edits, |(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, wanted) in edits {
        out.push_str(&text[at..span.start]);
        out.push_str(&wanted);
        at = span.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "- Build\n  - compile\n  - sign the package\n- Release\n  - upload\n";
    const MOVED: &str = "- Build\n  - compile\n- Release\n  - upload\n  - sign the package\n";

    #[test]
    fn an_edit_goes_where_the_item_went() {
        let edited = BASE.replace("the package", "the package twice");
        let [_, first, second] = follow([BASE, MOVED, &edited]).unwrap();
        assert_eq!(first, MOVED.replace("the package", "the package twice"));
        assert_eq!(second, BASE);
    }

    #[test]
    fn what_was_only_moved_or_only_edited_stays_as_it_is() {
        assert_eq!(follow([BASE, MOVED, BASE]), None);
        assert_eq!(follow([BASE, BASE, &BASE.replace("sign", "seal")]), None);
    }

    #[test]
    fn an_item_takes_what_is_nested_in_it_along() {
        let base = "- a\n  - b\n    - c\n- d\n";
        let moved = "- a\n- d\n- b\n  - c\n";
        let [_, first, _] = follow([base, moved, "- a\n  - b\n    - c more\n- d\n"]).unwrap();
        assert_eq!(first, "- a\n- d\n- b\n  - c more\n");
    }
}
