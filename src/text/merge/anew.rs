//! Fields that are the rules' on both sides are made anew from the merged items, without a record.
//!
//! An entry whose summary is what the rules give its items on both sides is one that the rules keep: its summary follows from
//! the merged items; of its keywords, and of the files of its Raw Concept, at most [`MOST`] stay.

use super::{MergePlace, Outcome};
use crate::doc::Document;
use crate::judge;

/// How many keywords and files the rules write.
const MOST: usize = 8;

/// Make anew what the rules wrote; nothing if they did not, or the merge is in conflict elsewhere.
pub(super) fn made(outcome: &mut Outcome, sides: [&Document; 2]) {
    if !sides.into_iter().all(is_of_rules) {
        return;
    }
    let is_elsewhere = |place: &MergePlace| *place != MergePlace::Field { field: "summary".to_owned() };
    if outcome.conflicts.iter().any(|conflict| is_elsewhere(&conflict.place)) {
        return;
    }
    let mut document = Document::parse(std::mem::take(&mut outcome.bytes));
    let is_made = set(&mut document, sides).is_some();
    outcome.bytes = document.into_bytes();
    if is_made {
        outcome.conflicts.clear();
        let own = ["summary", "keywords"].map(|field| MergePlace::Field { field: field.to_owned() });
        outcome.records.retain(|record| !own.contains(&record.place) && !is_of_concept(&record.place));
    }
}

/// Whether a place is in Raw Concept, where the rules write only the files.
fn is_of_concept(place: &MergePlace) -> bool {
    let MergePlace::Block { headings, .. } = place else { return false };
    headings.iter().any(|heading| heading.eq_ignore_ascii_case("raw concept"))
}

/// Whether the summary of an entry is the one that the rules give its items.
fn is_of_rules(document: &Document) -> bool {
    let summary = judge::summary(&document.items());
    summary.is_some() && summary == document.meta().summary
}

fn set(document: &mut Document, sides: [&Document; 2]) -> Option<()> {
    let mut made = document.clone();
    let summary = judge::summary(&made.items())?;
    let _ = made.set_scalar("summary", summary.as_str()).ok()?;
    let keywords = made.meta().keywords;
    if keywords.len() > MOST {
        let of_sides = sides.map(|side| side.meta().keywords);
        let _ = made.set_list("keywords", &best(&keywords, &of_sides)).ok()?;
    }
    *document = with_fewer_files(&made, sides).unwrap_or(made);
    Some(())
}

/// The document without the files of its Raw Concept that are too many; `None` if they are not.
fn with_fewer_files(document: &Document, sides: [&Document; 2]) -> Option<Document> {
    let files = document.concept().files;
    if files.len() <= MOST {
        return None;
    }
    let kept = best(&files, &sides.map(|side| side.concept().files));
    let (body, outline) = (document.body(), document.outline());
    let section = outline.titled("raw concept").next()?;
    let mut text = document.text()[..document.body_start()].to_owned();
    let mut at = 0;
    for block in &outline.blocks()[outline.sections()[section].blocks.clone()] {
        let own = body[block.content.clone()].trim_start_matches(['-', '*', '+', ' ']).trim_matches('`');
        if files.iter().any(|file| file == own) && !kept.iter().any(|file| file == own) {
            // its line: what follows the list stays where it is
            let end =
                body[block.content.end..].find('\n').map_or(body.len(), |end| block.content.end + end + 1);
            text.push_str(&body[at..block.content.start]);
            at = end;
        }
    }
    text.push_str(&body[at..]);
    Some(Document::parse(text))
}

/// The first [`MOST`]: what both sides have comes first.
fn best(all: &[String], sides: &[Vec<String>; 2]) -> Vec<String> {
    let is_common = |word: &&String| sides.iter().all(|side| side.contains(word));
    let (common, rest): (Vec<&String>, Vec<&String>) = all.iter().partition(is_common);
    common.into_iter().chain(rest).take(MOST).cloned().collect()
}

#[cfg(test)]
mod tests {
    use crate::merge::{MergePlace, Outcome, Rules, Versions, merge};
    use proptest::prelude::*;

    fn entry(summary: &str, keywords: &str, files: &str, items: &str) -> String {
        format!(
            "---\ntitle: Net\nsummary: \"{summary}\"\nkeywords: [{keywords}]\n---\n## Raw Concept\n**Files:**\n{files}\n## Narrative\n### Highlights\n{items}"
        )
    }

    /// An entry as the rules write it.
    fn ruled(items: &[String]) -> String {
        let text: String = items.iter().map(|item| format!("{item}\n")).collect();
        let read: Vec<_> = items.iter().filter_map(|item| crate::doc::Item::read(item)).collect();
        entry(&crate::judge::summary(&read).unwrap_or_default(), "net", "- `a.rs`\n", &text)
    }

    fn merged(base: &str, ours: &str, theirs: &str) -> Outcome {
        let versions =
            Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        merge(&versions, &Rules::default())
    }

    fn text(outcome: &Outcome) -> String {
        String::from_utf8_lossy(&outcome.bytes).into_owned()
    }

    const OLD: &str = "- **Old**: It is a note. (2026-01)\n";

    #[test]
    fn a_summary_of_the_rules_is_made_anew_without_a_record() {
        let base = entry("Old: It is a note.", "net", "- `a.rs`\n", OLD);
        let heavy = "- **Lock**: It must never block, because the lock is held. (2026-02)\n";
        let side = |item: &str, summary: &str| entry(summary, "net", "- `a.rs`\n", &format!("{item}{OLD}"));
        let ours = side(heavy, "Lock: It must never block, because the lock is held.");
        let theirs = side("- **New**: It is a note. (2026-03)\n", "New: It is a note.");
        let found = merged(&base, &ours, &theirs);
        assert!(found.is_clean() && found.records.is_empty(), "{found:?}");
        let expected = "Lock: It must never block, because the lock is held.";
        assert!(text(&found).contains(&format!("summary: \"{expected}\"\n")), "{}", text(&found));
        assert!(text(&found).ends_with(&format!("- **New**: It is a note. (2026-03)\n{heavy}{OLD}")));
        let by_hand = ours.replace("summary: \"Lock", "summary: \"By hand: Lock");
        let found = merged(&base, &by_hand, &theirs);
        let of_summary = found
            .records
            .iter()
            .filter(|record| record.place == MergePlace::Field { field: "summary".into() });
        assert_eq!(of_summary.count() + found.conflicts.len(), 1, "{found:?}");
    }

    #[test]
    fn at_most_eight_keywords_and_files_stay_first_those_of_both() {
        let lists = |names: &[&str]| {
            let files: String = names.iter().map(|name| format!("- `src/{name}.rs`\n")).collect();
            (names.join(", "), files)
        };
        let of = |names: &[&str]| {
            let (keywords, files) = lists(names);
            entry("Old: It is a note.", &keywords, &files, OLD)
        };
        let base = of(&["a"]);
        let ours = of(&["a", "b1", "b2", "b3", "b4", "z"]);
        let theirs = of(&["a", "c1", "c2", "c3", "c4", "z"]);
        let document = crate::doc::Document::parse(merged(&base, &ours, &theirs).bytes);
        let (keywords, files) = (document.meta().keywords, document.concept().files);
        assert_eq!((keywords.len(), files.len()), (8, 8), "{}", document.text());
        assert!(keywords.contains(&"z".to_owned()) && files.contains(&"src/z.rs".to_owned()));
        assert_eq!(document.items().len(), 1);
    }

    fn any_side() -> impl Strategy<Value = Vec<String>> {
        let item = (0_usize..5, 0_usize..3).prop_map(|(title, mark)| {
            let mark = ["", "reverted 2026-05-01: ", "superseded 2026-06-01: "][mark];
            format!("- **T{title}**: {mark}It must hold for {title}. (2026-0{})", 1 + title % 3)
        });
        prop::collection::vec(item, 1..6).prop_map(|mut items| {
            let title = |item: &String| item[..6].to_owned();
            items.sort_by_key(title);
            items.dedup_by_key(|item| title(item));
            items.sort_by_key(|item| std::cmp::Reverse(item[item.len() - 9..].to_owned()));
            items
        })
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(64))]

        #[test]
        fn items_merge_the_same_whichever_side_is_ours_and_once(base in any_side(), ours in any_side(), theirs in any_side()) {
            let [base, ours, theirs] = [base, ours, theirs].map(|items| ruled(&items));
            let (one, other) = (merged(&base, &ours, &theirs), merged(&base, &theirs, &ours));
            prop_assert_eq!(one.is_clean(), other.is_clean());
            if one.is_clean() {
                prop_assert_eq!(text(&one), text(&other));
                let again = merged(&base, &text(&one), &theirs);
                prop_assert_eq!(text(&again), text(&one));
            }
        }
    }
}
