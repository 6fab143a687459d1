//! Give each label one definition: footnotes `[^1]: …` and links `[name]: …`.
//!
//! Two sides may define one label in two places, where neither their lines nor their blocks collide; a reader would see
//! one of the two texts below the references of both. Equal definitions become one, different ones a conflict. Runs on
//! the merged body, whichever way it was merged. Does not change references.

use super::body::Context;
use super::{Body, Conflict, Method, Place, Reason, Record, Settled, Side, Undecided, markers};
use crate::doc::{BlockKind, Outline, normal};
use std::ops::Range;

/// The definition of a label.
struct Definition {
    label: String,
    /// Its whole lines.
    span: Range<usize>,
}

/// What replaces a definition.
enum Edit {
    Removed,
    Text(String),
    Conflict(Conflict),
}

/// Settle the labels that the merged body defines more often than each side.
pub(super) fn settle(versions: [&str; 3], body: &mut Body, cx: &Context<'_>) {
    if !versions[1..].iter().all(|side| side.contains("]:")) {
        return;
    }
    let Ok(text) = String::from_utf8(std::mem::take(&mut body.bytes)) else {
        unreachable!("a body merged from texts is a text")
    };
    let outline = Outline::of(&text);
    let found = outside(&body.conflicts, definitions(&text, &outline));
    let sides = versions.map(|side| definitions(side, &Outline::of(side)));
    let mut labels: Vec<&str> = found.iter().map(|one| one.label.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    let mut edits = Vec::new();
    for label in labels {
        let here: Vec<&Definition> = found.iter().filter(|one| one.label == label).collect();
        let of = |side: usize| sides[side].iter().filter(|one| one.label == label);
        if here.len() <= of(1).count().max(of(2).count()).max(1) {
            continue;
        }
        let texts = [0, 1, 2].map(|side| {
            let lines: String = of(side).map(|one| &versions[side][one.span.clone()]).collect();
            Some(lines).filter(|lines| !lines.is_empty())
        });
        let is_same =
            here.iter().all(|one| text[one.span.clone()].trim() == text[here[0].span.clone()].trim());
        let first = match is_same {
            true => Some(Edit::Text(text[here[0].span.clone()].to_owned())),
            false => decided(place(&text, &outline, here[0]), &texts, body, cx),
        };
        if let Some(first) = first {
            edits.push((here[0].span.clone(), first));
            edits.extend(here[1..].iter().map(|one| (one.span.clone(), Edit::Removed)));
        }
    }
    edits.sort_by_key(|(span, _)| span.start);
    apply(&text, edits, body, cx);
}

/// What stands in place of different definitions of a label; `None` to keep them all.
fn decided(place: Place, texts: &[Option<String>; 3], body: &mut Body, cx: &Context<'_>) -> Option<Edit> {
    let texts = cx.texts(texts.each_ref().map(Option::as_deref));
    let is_of_both = |record: &Record| {
        let same = |one: &Option<String>, other: &Option<String>| {
            one.as_deref().map(str::trim) == other.as_deref().map(str::trim)
        };
        let is_pair = same(&record.texts.ours, &texts.ours) && same(&record.texts.theirs, &texts.theirs);
        record.settled == Settled::BothKept && is_pair
    };
    body.records.retain(|record| !is_of_both(record));
    let (settled, taken) = match cx.rules.undecided {
        Undecided::Mark => {
            return Some(Edit::Conflict(Conflict { place, reason: Reason::Prose, texts, span: None }));
        }
        Undecided::Ours => (Settled::Chosen(Side::Ours), texts.ours.clone()),
        Undecided::Theirs => (Settled::Chosen(Side::Theirs), texts.theirs.clone()),
        Undecided::Base => (Settled::BaseTaken, texts.base.clone()),
        Undecided::Both => (Settled::BothKept, None),
    };
    body.records.push(Record { place, settled, texts });
    (settled != Settled::BothKept).then(|| taken.map_or(Edit::Removed, Edit::Text))
}

/// Replace definitions, and move the spans of the conflicts behind them.
fn apply(text: &str, edits: Vec<(Range<usize>, Edit)>, body: &mut Body, cx: &Context<'_>) {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut conflicts = std::mem::take(&mut body.conflicts);
    conflicts.sort_by_key(|conflict| conflict.span.as_ref().map(|span| span.start));
    let mut known = conflicts.into_iter().peekable();
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    let ends = edits.iter().map(|(span, _)| span.start).chain([text.len()]).collect::<Vec<_>>();
    let mut edits = edits.into_iter();
    for end in ends {
        while let Some(mut conflict) =
            known.next_if(|conflict| conflict.span.as_ref().is_none_or(|span| span.start < end.max(at + 1)))
        {
            conflict.span = conflict.span.map(|span| span.start - at + out.len()..span.end - at + out.len());
            body.conflicts.push(conflict);
        }
        out.extend_from_slice(&text.as_bytes()[at..end]);
        let Some((span, edit)) = edits.next() else { break };
        body.method = Method::Meaning;
        at = span.end;
        match edit {
            Edit::Text(lines) => out.extend_from_slice(lines.as_bytes()),
            Edit::Removed => {
                at += blank_lines(&out, &text[at..]);
                if at == text.len() {
                    trim_blank_lines(&mut out);
                }
            }
            Edit::Conflict(mut conflict) => {
                let start = out.len();
                let texts = [&conflict.texts.base, &conflict.texts.ours, &conflict.texts.theirs];
                let texts = texts.map(|text| text.as_deref().unwrap_or_default().as_bytes());
                markers::write(&mut out, texts, cx.rules.names, newline);
                conflict.span = Some(start..out.len());
                out.extend_from_slice(newline.as_bytes());
                body.conflicts.push(conflict);
            }
        }
    }
    body.bytes = out;
}

/// The length of the blank lines behind a removed block that stood between blank lines.
fn blank_lines(before: &[u8], after: &str) -> usize {
    let is_alone = before.is_empty() || before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n");
    let lines = after.split_inclusive('\n').take_while(|line| line.trim_ascii().is_empty());
    if is_alone { lines.map(str::len).sum() } else { 0 }
}

/// Remove the blank lines at the end.
fn trim_blank_lines(text: &mut Vec<u8>) {
    let above = |text: &[u8]| {
        let line = text.strip_suffix(b"\n")?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.ends_with(b"\n").then_some(line.len())
    };
    while let Some(end) = above(text) {
        text.truncate(end);
    }
}

/// The definitions that are not between conflict markers.
fn outside(conflicts: &[Conflict], found: Vec<Definition>) -> Vec<Definition> {
    let spans: Vec<&Range<usize>> = conflicts.iter().filter_map(|conflict| conflict.span.as_ref()).collect();
    let clipped = found.into_iter().map(|mut one| {
        let next = spans.iter().map(|span| span.start).filter(|start| *start > one.span.start).min();
        one.span.end = one.span.end.min(next.unwrap_or(one.span.end));
        one
    });
    clipped.filter(|one| !spans.iter().any(|span| span.contains(&one.span.start))).collect()
}

/// All definitions in a text. A link is defined between blocks, a footnote wherever a line begins with its label.
fn definitions(text: &str, outline: &Outline) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    let mut is_open = false;
    for block in outline.blocks() {
        let mut at = block.content.start;
        let most = match &block.kind {
            BlockKind::Fence { .. } | BlockKind::Html | BlockKind::Table | BlockKind::Quote => None,
            BlockKind::Indented => None,
            BlockKind::Item { .. } => Some(0),
            _ => Some(3),
        };
        // the next paragraphs of a footnote are indented
        let goes_on = is_open && block.kind == BlockKind::Indented;
        is_open = goes_on;
        for line in text[block.content.start..].split_inclusive('\n') {
            if at >= block.content.end {
                break;
            }
            let end = at + line.len();
            match most.and_then(|most| label(line, most, block.kind == BlockKind::Definition)) {
                Some(label) => {
                    is_open = label.starts_with('^');
                    found.push(Definition { label, span: at..end });
                }
                None => {
                    let last = found.last_mut().filter(|last| last.span.end == at || goes_on);
                    last.into_iter().for_each(|last| last.span.end = end);
                }
            }
            at = end;
        }
    }
    found
}

/// The label that a line defines: with `links`, that of a link, too.
fn label(line: &str, most: usize, links: bool) -> Option<String> {
    let text = line.trim_start_matches(' ');
    let (label, _) = text.strip_prefix('[')?.split_once("]:")?;
    let is_one = !label.trim().is_empty() && !label.contains(['[', ']']);
    let is_meant = links || label.starts_with('^');
    (line.len() - text.len() <= most && is_one && is_meant).then(|| normal(label))
}

/// The place of a definition, for display.
fn place(text: &str, outline: &Outline, one: &Definition) -> Place {
    let is_above = |at: &usize| outline.sections()[*at].heading.start <= one.span.start;
    let section = (0..outline.sections().len()).rfind(is_above).unwrap_or_default();
    let headings = outline.path(section).into_iter().map(str::to_owned).collect();
    let first = text[one.span.clone()].lines().next().unwrap_or_default();
    Place::Block { headings, starts: first.trim().chars().take(60).collect() }
}

#[cfg(test)]
mod tests {
    use crate::merge::{Outcome, Place, Rules, Settled, Side, Undecided, Versions, merge};

    fn three_by(undecided: Undecided, [base, ours, theirs]: [&str; 3]) -> Outcome {
        let versions =
            Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        merge(&versions, &Rules { undecided, ..Rules::default() })
    }

    fn three(texts: [&str; 3]) -> (String, Outcome) {
        let outcome = three_by(Undecided::Mark, texts);
        (String::from_utf8(outcome.bytes.clone()).unwrap(), outcome)
    }

    fn page(above: &str, below: &str) -> String {
        format!("# A\n\nFirst{above}.\n\nIn between.\n\n# B\n\nSecond{below}.\n")
    }

    #[test]
    fn a_footnote_that_both_sides_define_is_one_conflict() {
        let base = page("", "");
        let ours = page("[^1]", "").replace("# B", "[^1]: by us\n\n    and more\n\n# B");
        let theirs = page("", "[^1]") + "\n[^1]: by them\n";
        let (text, outcome) = three([&base, &ours, &theirs]);
        let wanted = page("[^1]", "[^1]").replace(
            "# B",
            "<<<<<<< ours\n[^1]: by us\n\n    and more\n||||||| base\n=======\n[^1]: by them\n>>>>>>> theirs\n\n# B",
        );
        assert_eq!(text, wanted);
        let [conflict] = &outcome.conflicts[..] else { panic!("{outcome:?}") };
        assert_eq!(&text[conflict.span.clone().unwrap()].lines().next(), &Some("<<<<<<< ours"));
        let headings = vec!["A".to_owned()];
        assert_eq!(conflict.place, Place::Block { headings, starts: "[^1]: by us".into() });
        let (swapped, other) = three([&base, &theirs, &ours]);
        assert_eq!(other.conflicts[0].texts.theirs, conflict.texts.ours);
        assert!(swapped.contains("<<<<<<< ours\n[^1]: by them\n||||||| base\n=======\n[^1]: by us\n"));
    }

    #[test]
    fn footnotes_below_one_another_and_at_one_place_conflict_in_their_line() {
        let base = "One.\n\nTwo.\n\n[^a]: old\n";
        let ours = "One[^1].\n\nTwo.\n\n[^a]: old\n[^1]: by us\n";
        let theirs = "One.\n\nTwo[^1].\n\n[^a]: old\n[^1]: by them\n[^2]: also\n";
        let (text, outcome) = three([base, ours, theirs]);
        assert!(!outcome.is_clean());
        assert_eq!(text.matches("[^1]: by us").count() + text.matches("[^1]: by them").count(), 2, "{text}");
        assert!(text.contains("[^2]: also") && text.contains("[^a]: old"), "{text}");
    }

    #[test]
    fn a_link_that_both_sides_define_in_two_places_is_one_conflict() {
        let base = page("", "");
        let ours = page(" [Plan]", "").replace("# B", "[Plan]: https://a.example\n\n# B");
        let theirs = page("", " [plan]") + "\n[plan]: https://b.example\n";
        let (text, outcome) = three([&base, &ours, &theirs]);
        assert_eq!(outcome.conflicts.len(), 1, "{text}");
        assert!(text.ends_with("Second [plan].\n"), "{text}");
        let code = |text: &str| text.replace("[plan]:", "    [plan]:").replace("[Plan]:", "```\n[Plan]:");
        let (_, outcome) = three([&base, &code(&ours), &code(&theirs)]);
        assert!(outcome.is_clean(), "code defines nothing");
    }

    #[test]
    fn the_same_definition_of_both_stands_once() {
        let base = page("", "");
        let ours = page("[^n]", "").replace("# B", "[^n]: same\n\n# B");
        let theirs = page("", "[^n]") + "\n[^n]: same\n";
        for texts in [[&base, &ours, &theirs], [&base, &theirs, &ours]] {
            let (text, outcome) = three(texts.map(String::as_str));
            assert!(outcome.is_clean());
            assert_eq!(text.matches("[^n]: same").count(), 1, "{text}");
        }
    }

    #[test]
    fn which_definition_stands_can_be_decided_beforehand() {
        let base = page("", "");
        let ours = page("[^1]", "").replace("# B", "[^1]: by us\n\n# B");
        let theirs = page("", "[^1]") + "\n[^1]: by them\n";
        let by = |undecided| {
            let outcome = three_by(undecided, [&base, &ours, &theirs]);
            assert!(outcome.is_clean());
            let settled = outcome.records.iter().map(|record| record.settled).collect::<Vec<_>>();
            (String::from_utf8(outcome.bytes).unwrap(), settled)
        };
        let both = page("[^1]", "[^1]");
        let (text, settled) = by(Undecided::Theirs);
        assert_eq!(text, both.replace("# B", "[^1]: by them\n\n# B"));
        assert_eq!(settled, [Settled::Chosen(Side::Theirs)]);
        assert_eq!(by(Undecided::Base), (both, vec![Settled::BaseTaken]));
        assert_eq!(by(Undecided::Both).1, [Settled::BothKept]);
    }

    #[test]
    fn a_conflict_below_moves_with_the_text_above_it() {
        let below = |text: &str| page("", &format!(" sentence with several words {text}"));
        let ours = below("here").replace("# B", "[^1]: by us\n\n# B");
        let theirs = below("there[^1]") + "\n[^1]: by them\n";
        let (text, outcome) = three([&below("everywhere"), &ours, &theirs]);
        assert!(outcome.conflicts.len() > 1, "{text}");
        for conflict in &outcome.conflicts {
            let marked = &text[conflict.span.clone().unwrap()];
            assert!(
                marked.starts_with("<<<<<<< ours") && marked.trim_end().ends_with(">>>>>>> theirs"),
                "{text}"
            );
        }
    }
}
