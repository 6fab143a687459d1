//! Property tests for every pair of documents.

use super::*;
use crate::doc::Document;
use proptest::prelude::*;

/// The spots of all elements of the model.
fn spots(knowledge: &Knowledge) -> Vec<&Spot> {
    let fields = knowledge.fields.iter().map(|field| &field.spot);
    let facts = knowledge.facts.iter().map(|fact| &fact.spot);
    let is_told = |section: &&SectionChange| section.change != How::Kept;
    let headings = knowledge.sections.iter().filter(is_told).map(|section| &section.spot);
    let blocks = knowledge.sections.iter().flat_map(|section| &section.blocks).map(|block| &block.spot);
    let folds = knowledge.folded.iter().map(|fold| &fold.spot);
    fields.chain(facts).chain(headings).chain(blocks).chain(folds).collect()
}

/// The lines of `text` that no spot of its side covers, except blank ones.
fn untold<'a>(text: &'a str, spots: &[Option<&Range<usize>>]) -> Vec<&'a str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text
        .split_inclusive('\n')
        .flat_map(|line| {
            let ended = line.strip_suffix("\r\n").or(line.strip_suffix('\n'));
            match ended {
                Some(line) => line.split('\r').collect::<Vec<_>>(),
                None => line.split('\r').collect::<Vec<_>>(),
            }
        })
        .collect();
    let is_told = |number: &usize| spots.iter().flatten().any(|spot| spot.contains(number));
    (0..lines.len())
        .filter(|number| !is_told(number))
        .map(|number| lines[number].trim_end())
        .filter(|line| !line.trim().is_empty())
        .collect()
}

fn knowledge(before: &str, after: &str) -> Knowledge {
    match compare(before.as_bytes(), after.as_bytes()) {
        Content::Knowledge(knowledge) => *knowledge,
        Content::Lines(why) => panic!("{why:?}"),
    }
}

fn what_is_not_told_is_the_same(before: &str, after: &str) -> Result<(), TestCaseError> {
    let found = knowledge(before, after);
    let spots = spots(&found);
    let old: Vec<_> = spots.iter().map(|spot| spot.before.as_ref()).collect();
    let new: Vec<_> = spots.iter().map(|spot| spot.after.as_ref()).collect();
    prop_assert_eq!(untold(before, &old), untold(after, &new), "{:#?}", found);
    prop_assert_eq!(found.is_empty(), before == after, "{:#?}", found);
    Ok(())
}

/// The comparison is the same if nothing that both sides share is known as such.
fn what_is_shared_changes_nothing(before: &str, after: &str) -> Result<(), TestCaseError> {
    let (old, new) = (Document::parse(before), Document::parse(after));
    let whole = compare::documents(&old, &new, side::both(&old, &new, None));
    let expected = if before == after { Knowledge { folded: Vec::new(), ..whole } } else { whole };
    prop_assert_eq!(knowledge(before, after), expected);
    Ok(())
}

/// A text between two that both sides share.
fn enclosed() -> impl Strategy<Value = (String, String)> {
    let some = |most| prop::collection::vec(piece(), 0..most).prop_map(|pieces| pieces.concat());
    (some(8), some(5), some(5), some(8))
        .prop_map(|(head, old, new, tail)| (format!("{head}{old}{tail}"), format!("{head}{new}{tail}")))
        .prop_filter("a file in conflict is compared by line", |(before, after)| {
            is_decided(before) && is_decided(after)
        })
}

/// The removed and the added texts of a model; text that is the same on both sides counts as neither.
fn gone_and_come(knowledge: &Knowledge) -> (Vec<String>, Vec<String>, usize) {
    let (mut gone, mut come, mut both) = (Vec::new(), Vec::new(), 0);
    for field in &knowledge.fields {
        gone.extend(field.before.iter().chain(&field.removed).cloned());
        come.extend(field.after.iter().chain(&field.added).cloned());
        both += usize::from(field.kind == FieldKind::Unreadable);
    }
    for fact in &knowledge.facts {
        if fact.change == How::Moved {
            both += 1;
            continue;
        }
        gone.extend(fact.before.iter().map(|claim| claim.statement.clone()));
        come.extend(fact.after.iter().map(|claim| claim.statement.clone()));
    }
    for section in &knowledge.sections {
        match section.change {
            How::Added => come.push(section.path.join("/")),
            How::Removed => gone.push(section.path.join("/")),
            change => both += usize::from(change != How::Kept),
        }
        for block in &section.blocks {
            match block.change {
                How::Added => come.extend(block.text.clone()),
                How::Removed => gone.extend(block.text.clone()),
                _ => both += 1,
            }
        }
    }
    gone.sort();
    come.sort();
    (gone, come, both + knowledge.folded.len())
}

/// Pieces of documents: few, so that both sides share some.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "# Title\n",
        "## Facts\n",
        "## Rules\n",
        "### Deep rules\n",
        "## rules\n",
        "Set\n---\n",
        "\n",
        "\n\n",
        "A paragraph of some words that is long enough to be found.\n",
        "A paragraph of some words\nthat is long enough to be found.\n",
        "A paragraph of other words that is long enough to be seen.\n",
        "- one item of a list\n",
        "* one item of a list\n",
        "- another thing to do today\n",
        "  - nested\n",
        "  - nested in an item of some list\n",
        "    - deeper\n",
        "| a | x | b |\n|---|---|---|\n| c | y | d |\n",
        "1. first\n",
        "2. second\n",
        "- **ttl**: 24 hours [project]\n",
        "- **ttl**: 12 hours\n",
        "- **TTL**: 24 hours\n",
        "- **ttl**:   24 hours [project]\n",
        "- no subject at all [team]\n",
        "- no subject here at all\n",
        "```sh\nls\ncd x\n```\n",
        "~~~sh\nls\ncd x\n~~~\n",
        "```\nls\n",
        "| a | b |\n|---|---|\n| c | d |\n",
        "|a|b|\n|-|-|\n|c|d|\n|e|f|\n",
        "> a quote of somebody\n",
        "<div>\nx\n</div>\n",
        "[r]: http://x\n",
        "<<<<<<< ours\n",
        "=======\n",
        ">>>>>>> theirs\n",
        "***\n",
        "    code by indent\n",
        "x\ry\n",
        "\u{1}\u{2}\n",
    ])
}

fn field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "title: A\n",
        "title: \"A\"\n",
        "title: B\n",
        "tags: [a, b]\n",
        "tags:\n  - a\n  - b\n",
        "tags: [b, c]\n",
        "updatedAt: 2026-01-01\n",
        "updatedAt: 2026-01-02\n",
        "x: 1 # why\n",
        "x: 1 # because\n",
        "# comment\n",
        "\n",
        "text: |\n  a\n\n  # b\n",
        "m: {a: 1}\n",
        "m:\n  a: 2\n",
        "broken: a: b\n",
        "disputed: [ttl]\n",
        "not a field\n",
    ])
}

fn text() -> impl Strategy<Value = String> {
    let head = prop_oneof![
        2 => Just(String::new()),
        3 => prop::collection::vec(field(), 0..5).prop_map(|fields| format!("---\n{}---\n", fields.concat())),
        1 => prop::collection::vec(field(), 0..3).prop_map(|fields| format!("---\n{}", fields.concat())),
    ];
    let end = prop::sample::select(vec!["", "", "end", "\r\n"]);
    let mark = prop::sample::select(vec!["", "", "", "\u{feff}"]);
    let crlf = prop::bool::weighted(0.1);
    (mark, head, prop::collection::vec(piece(), 0..14), end, crlf)
        .prop_map(|(mark, head, pieces, end, crlf)| {
            let text = format!("{mark}{head}{}{end}", pieces.concat());
            if crlf { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
        })
        .prop_filter("a file in conflict is compared by line", |text| is_decided(text))
}

fn is_decided(text: &str) -> bool {
    Document::parse(text).conflicts().is_empty()
}

/// A text, and a copy with some pieces removed, inserted or swapped.
fn versions() -> impl Strategy<Value = (String, String)> {
    let pieces = prop::collection::vec(piece(), 1..16);
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, piece()), 0..5);
    (pieces, edits)
        .prop_map(|(pieces, edits)| {
            let mut after = pieces.clone();
            for (index, kind, piece) in edits {
                if after.is_empty() {
                    after.push(piece);
                }
                let at = index.index(after.len());
                match kind {
                    0 => {
                        after.remove(at);
                    }
                    1 => after.insert(at, piece),
                    2 => after[at] = piece,
                    _ => {
                        let one = after.remove(at);
                        after.insert(index.index(after.len() + 1), one);
                    }
                }
            }
            (pieces.concat(), after.concat())
        })
        .prop_filter("a file in conflict is compared by line", |(before, after)| {
            is_decided(before) && is_decided(after)
        })
}

proptest! {
    #![proptest_config(crate::cases::held_to(1_000))]

    #[test]
    fn every_changed_line_is_told_or_folded((before, after) in versions()) {
        what_is_not_told_is_the_same(&before, &after)?;
    }

    #[test]
    fn what_both_sides_share_changes_nothing((before, after) in versions()) {
        what_is_shared_changes_nothing(&before, &after)?;
    }

    #[test]
    fn a_shared_beginning_and_end_change_nothing((before, after) in enclosed()) {
        what_is_shared_changes_nothing(&before, &after)?;
    }

    #[test]
    fn every_changed_line_of_unlike_texts_is_told_or_folded(before in text(), after in text()) {
        what_is_not_told_is_the_same(&before, &after)?;
    }

    #[test]
    fn with_the_sides_swapped_what_was_added_is_removed(before in text(), after in text()) {
        let (gone, come, both) = gone_and_come(&knowledge(&before, &after));
        let (come_back, gone_back, both_back) = gone_and_come(&knowledge(&after, &before));
        prop_assert_eq!((gone, come, both), (gone_back, come_back, both_back));
    }

    #[test]
    fn a_document_does_not_differ_from_itself(text in text()) {
        prop_assert!(knowledge(&text, &text).is_empty());
    }

    #[test]
    fn any_bytes_are_compared(before in prop::collection::vec(any::<u8>(), 0..80), after in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = compare(&before, &after);
    }

    #[test]
    fn any_text_is_compared(before in "[-#*|>`~ \\[\\]:\n\r\ta1.\u{7f}<&\\\\]{0,60}", after in "[-#*|>`~ \\[\\]:\n\r\ta1.\u{7f}<&\\\\]{0,60}") {
        what_is_not_told_is_the_same(&before, &after)?;
    }
}

/// The texts of an element contain the words of the lines it covers.
#[test]
fn texts_are_those_of_the_lines() {
    let before = "---\ntitle: A\n---\n## Rules\n- one thing\n- two things here\n";
    let after = "---\ntitle: B\n---\n## Rules\n- one thing\n- three things here\n";
    let found = knowledge(before, after);
    assert_eq!(found.fields[0].spot, Spot { before: Some(1..2), after: Some(1..2) });
    assert_eq!(found.sections[0].blocks[0].spot, Spot { before: Some(5..6), after: Some(5..6) });
    assert!(Document::parse(after).facts().is_empty());
}
