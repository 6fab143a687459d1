//! Numbered lists whose items a rewrite brings into another order.

use super::super::words_of::words_of;
use crate::doc::Document;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The first item of a numbered list of the rewrite that a list of the entries has behind one that it follows there, as words.
/// Nothing if some list of the entries has the order of the rewrite.
pub fn reordered(written: &Document, entries: &[&Document]) -> Vec<String> {
    let known: Vec<Vec<String>> = entries.iter().flat_map(|entry| lists(entry.body())).collect();
    let misplaced = |list: &Vec<String>| {
        let found: Vec<Option<&String>> = known.iter().map(|own| misplaced(list, own)).collect();
        let are_common = |own: &&Vec<String>| own.iter().filter(|item| list.contains(item)).count() > 1;
        let common = known.iter().filter(are_common).count();
        let turned: Vec<&String> = found.into_iter().flatten().collect();
        (turned.len() == common).then(|| turned.first().map(|item| (*item).clone())).flatten()
    };
    lists(written.body()).iter().filter_map(misplaced).collect()
}

/// The first item of a list that follows its own successor in the other one.
fn misplaced<'l>(list: &'l [String], other: &[String]) -> Option<&'l String> {
    let is_single =
        |item: &&String| [list, other].iter().all(|all| all.iter().filter(|own| own == item).count() == 1);
    let place = |item: &'l String| Some((item, other.iter().position(|own| own == item)?));
    let places: Vec<(&String, usize)> = list.iter().filter(is_single).filter_map(place).collect();
    places.windows(2).find(|pair| pair[0].1 > pair[1].1).map(|pair| pair[0].0)
}

/// The items of the numbered lists of a body that stand in no other list, each with all that stands in it.
fn lists(body: &str) -> Vec<Vec<String>> {
    let (mut found, mut depth, mut is_numbered) = (Vec::<Vec<String>>::new(), 0_usize, false);
    let mut text = String::new();
    for event in Parser::new_ext(body, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::List(first)) => {
                if depth == 0 {
                    is_numbered = first.is_some();
                    found.extend(is_numbered.then(Vec::new));
                }
                depth += 1;
                text.push(' ');
            }
            Event::End(TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::End(TagEnd::Item) if depth == 1 => {
                let item = words_of(&std::mem::take(&mut text));
                if let Some(list) = found.last_mut().filter(|_| is_numbered && !item.is_empty()) {
                    list.push(item);
                }
            }
            Event::Start(Tag::Item) if depth == 1 => text.clear(),
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak | Event::Start(_) | Event::End(TagEnd::Paragraph) => {
                text.push(' ');
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(written: &str, entries: &[&str]) -> Vec<String> {
        let entries: Vec<Document> = entries.iter().map(|entry| Document::parse(*entry)).collect();
        reordered(&Document::parse(written), &entries.iter().collect::<Vec<_>>())
    }

    const ENTRY: &str = "Deploy:\n\n1. Stop it.\n2. Copy *it*.\n   - all of it\n3. Start it.\n\n- a\n- b\n";

    #[test]
    fn steps_in_another_order_are_found() {
        let turned = "1. Copy it.\n   - all of it\n2. Stop it\n3. Start it.\n";
        assert_eq!(found(turned, &[ENTRY]), ["copy it all of it"]);
        assert_eq!(found("1. Start it.\n2. Wait.\n3. Stop it.\n", &["Other.", ENTRY]), ["start it"]);
        assert_eq!(found(turned, &[ENTRY, turned]), [""; 0]);
    }

    #[test]
    fn steps_in_their_order_are_not() {
        for written in
            [ENTRY, "1. Stop it.\n2. Wait.\n3. Start it.\n", "1. b\n2. a\n", "- Start it.\n- Stop it.\n"]
        {
            assert_eq!(found(written, &[ENTRY]), [""; 0], "{written}");
        }
        assert_eq!(found("1. a\n2. b\n3. a\n", &["1. b\n2. a\n"]), [""; 0], "twice");
    }
}
