//! Add, change and remove items of Narrative › Highlights. All other lines stay as they are.

use super::{Plan, Unrevised, Unwritable};
use crate::doc::content::unified;
use crate::doc::edit::Effect;
use crate::doc::{Document, EntryBody, Item, Narrative};
use std::ops::Range;

/// What becomes of items. An item is found by all that it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemChange {
    /// Those that go; one that is not there is gone already.
    pub remove: Vec<Item>,
    /// Those with new words from now on.
    pub turn: Vec<(Item, Item)>,
    /// New ones: each stands before the first that is not newer.
    pub add: Vec<Item>,
}

impl ItemChange {
    pub const fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.turn.is_empty() && self.add.is_empty()
    }
}

impl Document {
    /// Change items.
    ///
    /// # Errors
    /// [`Unrevised`]; the document is unchanged.
    pub fn change_items(&mut self, change: &ItemChange) -> Result<Effect, Unrevised> {
        let mut after = self.clone();
        for item in &change.remove {
            after = after.without_item(item)?;
        }
        for (old, new) in &change.turn {
            after = after.with_item_turned(old, new)?;
        }
        for item in &change.add {
            after = after.with_item(item)?;
        }
        self.keep(after)
    }

    fn without_item(&self, item: &Item) -> Result<Self, Unrevised> {
        let Some(found) = self.items().into_iter().find(|one| one.says_as(item)) else {
            return Ok(self.clone());
        };
        let mut plan = Plan::of(self);
        let line = whole_lines(plan.body, &found.span);
        let emptied = emptied(self, &line);
        plan.splice(emptied.unwrap_or(line), "");
        plan.done()
    }

    fn with_item_turned(&self, old: &Item, new: &Item) -> Result<Self, Unrevised> {
        let Some(found) = self.items().into_iter().find(|one| one.says_as(old)) else {
            return Ok(self.clone());
        };
        let mut plan = Plan::of(self);
        let line = new.line();
        plan.splice(found.span, line.strip_prefix("- ").map_or(line.clone(), |text| marked(self, old, text)));
        let after = plan.done()?;
        checked(after, new)
    }

    fn with_item(&self, item: &Item) -> Result<Self, Unrevised> {
        let line = item.line();
        let Some(at) = self.outline().find(&["Narrative", "Highlights"]) else {
            let narrative = Narrative { highlights: Some(line), ..Narrative::default() };
            let mut after = self.clone();
            let _ = after.revise(&EntryBody { narrative, ..EntryBody::default() })?;
            return checked(after, item);
        };
        let section = self.outline().sections()[at].content.clone();
        let mut plan = Plan::of(self);
        let known: Vec<Item> =
            self.items().into_iter().filter(|one| section.contains(&one.span.start)).collect();
        match known.iter().find(|one| one.month <= item.month).map(|one| one.span.start) {
            Some(start) => {
                let start = whole_lines(plan.body, &(start..start)).start;
                plan.splice(start..start, format!("{line}\n"));
            }
            None => match known.last() {
                Some(last) => {
                    let end = whole_lines(plan.body, &last.span).end;
                    let before = if plan.body[..end].ends_with('\n') { "" } else { "\n" };
                    plan.splice(end..end, format!("{before}{line}\n"));
                }
                None => plan.insert(section.end, line),
            },
        }
        checked(plan.done()?, item)
    }
}

/// The document, if it has the item.
fn checked(after: Document, item: &Item) -> Result<Document, Unrevised> {
    match after.items().iter().any(|one| one.says_as(item)) {
        true => Ok(after),
        false => Err(Unwritable { part: "items" }.into()),
    }
}

/// The text of an item behind the marker that it has now.
fn marked(document: &Document, old: &Item, text: &str) -> String {
    let found = document.items().into_iter().find(|one| one.says_as(old));
    let lines = found.map(|one| document.body()[one.span].to_owned()).unwrap_or_default();
    let bare = lines.trim_start();
    let indent = &lines[..lines.len() - bare.len()];
    let marker = bare.split_inclusive(char::is_whitespace).next().unwrap_or("- ");
    format!("{indent}{marker}{text}")
}

/// From the start of the first line to the end of the last one.
fn whole_lines(body: &str, span: &Range<usize>) -> Range<usize> {
    let start = body[..span.start].rfind('\n').map_or(0, |end| end + 1);
    let end = span.end.max(start);
    let end = if body[start..end].ends_with('\n') {
        end
    } else {
        body[end..].find('\n').map_or(body.len(), |at| end + at + 1)
    };
    start..end
}

/// The section that has nothing left without these lines, and the one around it if that has no more.
fn emptied(document: &Document, line: &Range<usize>) -> Option<Range<usize>> {
    let (body, outline) = (document.body(), document.outline());
    let is_bare = |at: usize| {
        let content = outline.sections()[at].content.start..outline.span(at).end;
        let rest = [
            &body[content.start..line.start.max(content.start)],
            &body[line.end.min(content.end)..content.end],
        ];
        rest.iter()
            .all(|text| unified(text).lines().all(|line| line.trim().is_empty() || line.starts_with('#')))
    };
    let inner =
        outline.find(&["Narrative", "Highlights"]).filter(|at| outline.span(*at).contains(&line.start))?;
    let outer = outline.find(&["Narrative"]);
    let has_others = |at: usize| outline.with_nested(at).len() > 2;
    [outer.filter(|at| !has_others(*at)), Some(inner)]
        .into_iter()
        .flatten()
        .find(|at| is_bare(*at))
        .map(|at| outline.span(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "---\ntitle: T\n---\n\n## Raw Concept\n\n**Files:**\n- a.rs\n\n## Narrative\n### Highlights\n- **C**: c (2026-03)\n- **A**: a (2026-01)\n\n## Facts\n- **x**: y\n";

    fn item(line: &str) -> Item {
        Item::read(line).unwrap()
    }

    fn changed(text: &str, change: &ItemChange) -> String {
        let mut document = Document::parse(text);
        let _ = document.change_items(change).unwrap();
        document.text().to_owned()
    }

    fn added(text: &str, line: &str) -> String {
        changed(text, &ItemChange { add: vec![item(line)], ..ItemChange::default() })
    }

    fn removed(text: &str, line: &str) -> String {
        changed(text, &ItemChange { remove: vec![item(line)], ..ItemChange::default() })
    }

    #[test]
    fn a_new_item_stands_before_the_first_that_is_not_newer() {
        for (line, before) in [
            ("- **B**: b (2026-02)", "- **A**: a"),
            ("- **D**: d (2026-03)", "- **C**: c"),
            ("- **E**: e (2026-04)", "- **C**: c"),
        ] {
            let after = added(ENTRY, line);
            assert_eq!(after, ENTRY.replace(before, &format!("{line}\n{before}")), "{line}");
            assert_eq!(removed(&after, line), ENTRY);
        }
        let oldest = "- **Z**: z (2025-01)";
        assert_eq!(added(ENTRY, oldest), ENTRY.replace("(2026-01)\n", &format!("(2026-01)\n{oldest}\n")));
    }

    #[test]
    fn a_first_item_makes_its_section_and_the_last_takes_it_away() {
        let bare = "---\ntitle: T\n---\n\n## Raw Concept\n\n**Files:**\n- a.rs\n\n## Facts\n- **x**: y\n";
        let line = "- **A**: a (2026-01)";
        let one = added(bare, line);
        assert!(one.contains("## Narrative\n\n### Highlights\n- **A**: a (2026-01)\n\n## Facts"), "{one}");
        assert_eq!(removed(&one, line), bare);
        let prose = "## Narrative\n### Highlights\nProse.\n\n### Rules\n- r\n";
        let after = added(prose, line);
        assert!(after.contains("Prose.\n\n- **A**: a (2026-01)\n\n### Rules"), "{after}");
        assert!(removed(&after, line).contains("Prose.\n"));
    }

    #[test]
    fn an_item_is_turned_in_its_place_and_line_ends_stay() {
        let text = ENTRY.replace('\n', "\r\n").replace("- **C**: c", "* **C**: c");
        let turn = vec![(item("- **C**: c (2026-03)"), item("- **C**: reverted 2026-04-01: c (2026-03)"))];
        let after = changed(&text, &ItemChange { turn, ..ItemChange::default() });
        assert_eq!(after, text.replace("**C**: c", "**C**: reverted 2026-04-01: c"));
        let unknown = vec![(item("- **Q**: q"), item("- **Q**: r"))];
        assert_eq!(changed(ENTRY, &ItemChange { turn: unknown, ..ItemChange::default() }), ENTRY);
        assert_eq!(removed(ENTRY, "- **C**: other (2026-03)"), ENTRY);
    }
}
