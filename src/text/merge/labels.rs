//! Give each label one definition: footnotes `[^1]: …` and links `[name]: …`.
//!
//! Two sides may define one label in two places, where neither their lines nor their blocks collide; a reader would see
//! one of the two texts below the references of both. Equal definitions become one, different ones a conflict. Markers
//! cannot stand in a quote or in a list item, so a definition there is taken out of it. Runs on the merged body,
//! whichever way it was merged. Does not change references.

use super::body::Context;
use super::{Conflict, MergePlace, MergedBody, Method, Reason, Record, Settled, Side, Undecided, markers};
use crate::doc::{Definition, Outline, definitions};
use brv_base::sorting;
use std::ops::Range;

enum LabelEdit {
    Removed,
    Text(String),
    Conflict(Conflict),
}

/// Settle the labels that the merged body defines more often than each side.
pub(super) fn settle(versions: [&str; 3], body: &mut MergedBody, cx: &Context<'_>) {
    if !versions[1..].iter().all(|side| side.contains("]:")) {
        return;
    }
    let Ok(text) = std::str::from_utf8(&body.bytes).map(str::to_owned) else {
        unreachable!("a body merged from texts is a text")
    };
    let merged = UnlabelledBody::of(&text, &body.conflicts);
    let mut labels: Vec<&str> = merged.found.iter().map(|one| one.label.as_str()).collect();
    labels.sort_unstable();
    let twice = labels.chunk_by(|one, other| one == other).filter(|same| same.len() > 1);
    let twice: Vec<&str> = twice.map(|same| same[0]).collect();
    if twice.is_empty() {
        return;
    }
    let sides = versions.map(definitions);
    let mut edits = Vec::new();
    for label in twice {
        let of = |found: &[Definition]| -> Vec<Definition> {
            found.iter().filter(|one| one.label == label).cloned().collect()
        };
        let (here, own) = (of(&merged.found), sides.each_ref().map(|side| of(side)));
        if here.len() > own[1].len().max(own[2].len()).max(1)
            && let Some(texts) = merged.texts(&here, versions, &own)
        {
            edits.extend(merged.one_of(&here, &texts, body, cx).unwrap_or_default());
        }
    }
    sorting::sort_by_key(&mut edits, |(span, _)| (span.start, span.end));
    apply(&text, edits, body, cx);
}

/// The merged body, before its labels are settled.
struct UnlabelledBody<'a> {
    text: &'a str,
    outline: Outline,
    /// The definitions that are not between conflict markers.
    found: Vec<Definition>,
    /// The conflict markers with everything between them.
    marked: Vec<Range<usize>>,
}

impl<'a> UnlabelledBody<'a> {
    fn of(text: &'a str, conflicts: &[Conflict]) -> Self {
        let marked: Vec<Range<usize>> =
            conflicts.iter().filter_map(|conflict| conflict.span.clone()).collect();
        let clipped = definitions(text).into_iter().map(|mut one| {
            let next = marked.iter().map(|span| span.start).filter(|start| *start > one.span.start).min();
            let end = one.span.end.min(next.unwrap_or(one.span.end));
            one.span.end = one.span.start + text[one.span.start..end].trim_end().len();
            one
        });
        let found = clipped.filter(|one| !marked.iter().any(|span| span.contains(&one.span.start))).collect();
        Self { text, outline: Outline::of(text), found, marked }
    }

    /// The definitions of a label on each side, and those of the merged body that were none before: other text around
    /// them, or both sides' words in them, made them so. `None` if that may be due to conflict markers.
    fn texts(
        &self,
        here: &[Definition],
        versions: [&str; 3],
        own: &[Vec<Definition>; 3],
    ) -> Option<[Option<String>; 3]> {
        let texts =
            [0, 1, 2].map(|side| own[side].iter().map(|one| plain(versions[side], one)).collect::<Vec<_>>());
        let is_old = |text: &String| texts[1..].iter().flatten().any(|own| own.trim() == text.trim());
        let new: Vec<String> =
            here.iter().map(|one| plain(self.text, one)).filter(|text| !is_old(text)).collect();
        let has = |side: usize, text: &str| versions[side].contains(text.trim());
        let texts = [0, 1, 2].map(|side| {
            let new = new.iter().filter(|text| side > 0 && (has(side, text) || !has(3 - side, text)));
            let all: String = texts[side].iter().chain(new).map(String::as_str).collect();
            Some(all).filter(|all| !all.is_empty())
        });
        (new.is_empty() || self.marked.is_empty()).then_some(texts)
    }

    /// The edits that leave one of these definitions of a label, or a conflict; `None` to keep them all.
    fn one_of(
        &self,
        here: &[Definition],
        texts: &[Option<String>; 3],
        body: &mut MergedBody,
        cx: &Context<'_>,
    ) -> Option<Vec<(Range<usize>, LabelEdit)>> {
        let text = |at: usize| plain(self.text, &here[at]);
        // one in a footnote may go with it
        let nested =
            || (0..here.len()).filter(|at| here[*at].inside.is_some() && !self.is_in_footnote(&here[*at]));
        let outer = (0..here.len()).find(|at| here[*at].inside.is_none());
        let (stays, placed) = if (1..here.len()).all(|at| text(at).trim() == text(0).trim()) {
            (nested().next().or(outer).or(Some(0)), None)
        } else {
            (None, Some(decided(self.place(&here[0]), texts, body, cx)?))
        };
        let removed =
            (0..here.len()).filter(|at| Some(*at) != stays && (placed.is_none() || Some(*at) != outer));
        let mut edits: Vec<_> = removed.map(|at| (self.taken_out(&here[at]), LabelEdit::Removed)).collect();
        if let Some(edit) = placed {
            let above = self.above(&here[0]);
            edits.push((outer.map_or(above..above, |at| lines(self.text, &here[at])), edit));
        }
        Some(edits)
    }

    /// What is removed with a definition: its lines, or what the marker of its list item leaves of them.
    fn taken_out(&self, one: &Definition) -> Range<usize> {
        let lines = lines(self.text, one);
        let before = &self.text[lines.start..one.span.start];
        if before.chars().all(is_margin) {
            return lines;
        }
        let rest = &self.text[one.span.end..];
        let next = one.span.end + rest.len() - rest.trim_start_matches(is_margin).len();
        // the next text is in the same item if it is as far to the right
        match next - line_start(self.text, next) >= before.len() && next < self.text.len() {
            true => one.span.start..next,
            false => lines,
        }
    }

    /// Whether a footnote that is found, too, has it in its text.
    fn is_in_footnote(&self, one: &Definition) -> bool {
        self.found.iter().any(|other| other.span.start < one.span.start && one.span.start < other.span.end)
    }

    /// The start of the quote, list or footnote around a definition. A last marker reads as the start of a quote.
    fn above(&self, one: &Definition) -> usize {
        let start = line_start(self.text, one.inside.unwrap_or(one.span.start));
        let marked = self.marked.iter().find(|span| span.contains(&start));
        marked.map_or(start, |span| span.end + newline_at(self.text, span.end))
    }

    /// The place of a definition, for display.
    fn place(&self, one: &Definition) -> MergePlace {
        let sections = self.outline.sections();
        let section = sections.iter().rposition(|section| section.heading.start <= one.span.start);
        let headings =
            self.outline.path(section.unwrap_or_default()).into_iter().map(str::to_owned).collect();
        let first = self.text[one.span.clone()].lines().next().unwrap_or_default();
        MergePlace::Block { headings, starts: first.trim().chars().take(60).collect() }
    }
}

/// What stands in place of different definitions of a label; `None` to keep them all.
fn decided(
    place: MergePlace,
    texts: &[Option<String>; 3],
    body: &mut MergedBody,
    cx: &Context<'_>,
) -> Option<LabelEdit> {
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
            return Some(LabelEdit::Conflict(Conflict { place, reason: Reason::Prose, texts, span: None }));
        }
        Undecided::Ours => (Settled::Chosen(Side::Ours), texts.ours.clone()),
        Undecided::Theirs => (Settled::Chosen(Side::Theirs), texts.theirs.clone()),
        Undecided::Base => (Settled::BaseTaken, texts.base.clone()),
        Undecided::Both => (Settled::BothKept, None),
    };
    body.records.push(Record { place, settled, texts });
    (settled != Settled::BothKept).then(|| taken.map_or(LabelEdit::Removed, LabelEdit::Text))
}

/// Replace definitions, and move the spans of the conflicts behind them.
fn apply(text: &str, edits: Vec<(Range<usize>, LabelEdit)>, body: &mut MergedBody, cx: &Context<'_>) {
    let newline = newline(text);
    let mut conflicts = std::mem::take(&mut body.conflicts);
    sorting::sort_by_key(&mut conflicts, |conflict| conflict.span.as_ref().map(|span| span.start));
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
        // a definition in a footnote that is removed goes with it
        out.extend_from_slice(&text.as_bytes()[at..end.max(at)]);
        at = at.max(end);
        let Some((span, edit)) = edits.next() else { break };
        body.method = Method::Meaning;
        // the text between two blocks is a block of its own
        let is_between = span.is_empty() && !matches!(edit, LabelEdit::Removed);
        if is_between && !is_apart(&out) {
            out.extend_from_slice(newline.as_bytes());
        }
        at = at.max(span.end);
        match edit {
            LabelEdit::Text(lines) => out.extend_from_slice(lines.as_bytes()),
            LabelEdit::Removed => {
                at += blank_lines(&out, &text[at..]);
                if at == text.len() {
                    trim_blank_lines(&mut out);
                }
                continue;
            }
            LabelEdit::Conflict(conflict) => body.conflicts.push(write(&mut out, conflict, newline, cx)),
        }
        if is_between {
            out.extend_from_slice(newline.as_bytes());
        }
    }
    body.bytes = out;
}

/// Write a conflict with its markers and a line ending.
fn write(out: &mut Vec<u8>, mut conflict: Conflict, newline: &str, cx: &Context<'_>) -> Conflict {
    let start = out.len();
    let texts = [&conflict.texts.base, &conflict.texts.ours, &conflict.texts.theirs];
    let texts = texts.map(|text| text.as_deref().unwrap_or_default().as_bytes());
    markers::write(out, texts, cx.rules.names, newline);
    conflict.span = Some(start..out.len());
    out.extend_from_slice(newline.as_bytes());
    conflict
}

/// Whether a block may begin here: at the start, or below a blank line.
fn is_apart(before: &[u8]) -> bool {
    before.is_empty() || before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n")
}

/// The length of the blank lines behind a removed block that stood between blank lines.
fn blank_lines(before: &[u8], after: &str) -> usize {
    let lines = after.split_inclusive('\n').take_while(|line| line.trim_ascii().is_empty());
    if is_apart(before) { lines.map(str::len).sum() } else { 0 }
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

/// A definition as it reads outside of a quote or list item, in whole lines.
fn plain(text: &str, one: &Definition) -> String {
    let span = if one.inside.is_some() { one.span.clone() } else { lines(text, one) };
    let margin = one.span.start - line_start(text, one.span.start);
    let mut plain = String::new();
    for (number, line) in text[span].split_inclusive('\n').enumerate() {
        let most = if one.inside.is_some() && number > 0 { margin } else { 0 };
        let outer = line.bytes().take(most).take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
        plain.push_str(&line[outer..]);
    }
    if !plain.ends_with('\n') {
        plain.push_str(newline(text));
    }
    plain
}

fn lines(text: &str, one: &Definition) -> Range<usize> {
    let end = text[one.span.end..].find('\n').map_or(text.len(), |end| one.span.end + end + 1);
    line_start(text, one.span.start)..end
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The length of the line ending at a place, if there is one.
fn newline_at(text: &str, at: usize) -> usize {
    ["\r\n", "\n"].into_iter().find(|ending| text[at..].starts_with(ending)).map_or(0, str::len)
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Whether a character may stand between two texts of one quote or list item.
fn is_margin(c: char) -> bool {
    c.is_whitespace() || c == '>'
}

#[cfg(test)]
mod tests {
    use crate::merge::{MergePlace, Outcome, Rules, Settled, Side, Undecided, Versions, merge};

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
        assert_eq!(conflict.place, MergePlace::Block { headings, starts: "[^1]: by us".into() });
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

    const MARKED: &str = "<<<<<<< ours\nOURS\n||||||| base\n=======\nTHEIRS\n>>>>>>> theirs\n";

    fn marked(ours: &str, theirs: &str) -> String {
        MARKED.replace("OURS", ours).replace("THEIRS", theirs)
    }

    #[test]
    fn a_definition_in_a_quote_or_an_item_conflicts_with_one_outside() {
        let base = page("", "");
        for (kind, text) in [("^n", "two"), ("n", "https://b.example"), ("a\\]b", "https://b.example")] {
            let ours = page("", "").replace("# B", &format!("[{kind}]: one\n\n# B"));
            let marks = marked(&format!("[{kind}]: one"), &format!("[{kind}]: {text}"));
            for (nested, left) in [
                ("> quoted\n>\n> [L]: T\n", "> quoted\n>\n"),
                ("> > [L]: T\n> >\n> > after\n", "> >\n> > after\n"),
                ("- item\n\n  [L]: T\n", "- item\n"),
                ("- [L]: T\n\n  more\n", "- more\n"),
                ("- item\n- [L]: T\n- last\n", "- item\n- last\n"),
            ] {
                let theirs = page("", "") + "\n" + &nested.replace('L', kind).replace('T', text);
                let (text, outcome) = three([&base, &ours, &theirs]);
                assert_eq!(outcome.conflicts.len(), 1, "{text}");
                assert_eq!(text, page("", "").replace("# B", &format!("{marks}\n# B")) + "\n" + left);
            }
        }
    }

    #[test]
    fn definitions_in_two_containers_conflict_above_the_first() {
        let base = page("", "");
        let ours = page("", "").replace("# B", "- item\n- [^1]: by us\n\n# B");
        let theirs = page("", "") + "\n> [^1]: by them\n>\n>     and more\n";
        let (text, outcome) = three([&base, &ours, &theirs]);
        let marks = marked("[^1]: by us", "[^1]: by them\n\n    and more");
        assert_eq!(text, page("", "").replace("# B", &format!("{marks}\n- item\n\n# B")));
        let [conflict] = &outcome.conflicts[..] else { panic!("{outcome:?}") };
        assert_eq!(text[conflict.span.clone().unwrap()], marks);
    }

    #[test]
    fn an_equal_definition_stays_in_its_quote_and_a_chosen_one_is_taken_out() {
        let base = page("", "");
        let with = |url: &str| page("", "").replace("# B", &format!("> quoted\n>\n> [n]: {url}\n\n# B"));
        let (ours, theirs) = (with("https://a.example"), page("", "") + "\n[n]: https://b.example\n");
        let (text, outcome) = three([&base, &with("https://b.example"), &theirs]);
        assert!(outcome.is_clean());
        assert_eq!(text, with("https://b.example"));
        for (undecided, url) in
            [(Undecided::Ours, "https://a.example"), (Undecided::Theirs, "https://b.example")]
        {
            let outcome = three_by(undecided, [&base, &ours, &theirs]);
            let expected = page("", "").replace("# B", "> quoted\n>\n\n# B") + &format!("\n[n]: {url}\n");
            assert_eq!(String::from_utf8(outcome.bytes).unwrap(), expected);
        }
    }

    #[test]
    fn labels_that_differ_in_case_only_are_one() {
        let base = page("", "");
        let ours = page("", "").replace("# B", "[ss]: https://a.example\n\n# B");
        let theirs = page("", "") + "\n[ß]: https://b.example\n";
        let (text, outcome) = three([&base, &ours, &theirs]);
        assert_eq!(outcome.conflicts.len(), 1, "{text}");
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
