//! The merge cascade for one file: from the cheapest way to the last resort.

use super::body::{self, Context, Merged, VersionBody};
use super::fields::{self, Head};
use super::lines::{self, Piece};
use super::verify::LineVerdict;
use super::{
    Conflict, Format, MergePlace, MergedBody, Method, Outcome, Reason, Record, Rules, Settled, Side, Texts,
    Undecided, Versions, alike, anew, attributes, labels, markers, unrelated, verify,
};
use crate::doc::{Document, Outline};

/// A file above this size, in bytes, is merged by line.
const MAX_BYTES: usize = 4 << 20;

/// Merge three versions of one file.
pub fn merge(versions: &Versions<'_>, rules: &Rules<'_>) -> Outcome {
    let Versions { base, ours, theirs } = *versions;
    if ours == theirs {
        return settled(ours, Method::Equal);
    }
    if base == Some(ours) {
        return settled(theirs, Method::OneSided(Side::Theirs));
    }
    if base == Some(theirs) {
        return settled(ours, Method::OneSided(Side::Ours));
    }
    let all = [base.unwrap_or_default(), ours, theirs];
    if all.iter().any(|bytes| bytes.contains(&0)) {
        return undecided_whole(all, Reason::NotText, rules);
    }
    let is_document = rules.format == Format::Document && all.iter().all(|bytes| bytes.len() <= MAX_BYTES);
    if is_document { document(versions, rules) } else { by_lines(all, Reason::Lines, rules) }
}

fn settled(bytes: &[u8], method: Method) -> Outcome {
    Outcome { bytes: bytes.to_vec(), method, records: Vec::new(), conflicts: Vec::new() }
}

/// Merge documents: head and body separately.
fn document(versions: &Versions<'_>, rules: &Rules<'_>) -> Outcome {
    let parsed = [versions.base.unwrap_or_default(), versions.ours, versions.theirs].map(Document::parse);
    let ending =
        |at: usize| (at > 0 || versions.base.is_some()).then(|| attributes::of(&parsed[at])).flatten();
    let endings = attributes::unify(parsed.each_ref().map(Document::as_bytes), [0, 1, 2].map(ending));
    let read;
    let documents = match &endings.versions {
        [std::borrow::Cow::Borrowed(_), std::borrow::Cow::Borrowed(_), std::borrow::Cow::Borrowed(_)] => {
            &parsed
        }
        changed => {
            read = changed.each_ref().map(|bytes| Document::parse(bytes.as_ref()));
            &read
        }
    };
    let base = versions.base.is_some().then_some(&documents[0]);
    if base.is_none()
        && rules.undecided != Undecided::Both
        && unrelated::are_unrelated(&documents[1], &documents[2])
    {
        return undecided_whole([b"", versions.ours, versions.theirs], Reason::Unrelated, rules);
    }
    let mut outcome = head_and_body(base, documents, rules);
    outcome.records.extend(endings.record.clone());
    outcome.bytes = endings.restore(outcome.bytes, &mut outcome.conflicts);
    outcome
}

fn head_and_body(base: Option<&Document>, documents: &[Document; 3], rules: &Rules<'_>) -> Outcome {
    let [empty, ours, theirs] = documents;
    let swapped = ours.as_bytes() > theirs.as_bytes();
    let sorted = if swapped { [empty, theirs, ours] } else { [empty, ours, theirs] };
    let cx = Context { rules, swapped, depth: 0 };
    let mut body = merge_body(sorted, &cx);
    if sorted.iter().all(is_plain) {
        labels::settle(sorted.map(Document::body), &mut body, &cx);
    }
    let mut head = fields::merge(&fields::Sides { base, ours, theirs }, rules, body.disputed.as_deref());
    if rules.undecided != Undecided::Mark {
        settle(&mut head);
    }
    let mut outcome = joined(head, body, documents, rules);
    anew::made(&mut outcome, [ours, theirs]);
    outcome
}

/// Settle unreadable frontmatter without a conflict: the other side's is taken, or ours.
fn settle(head: &mut Head) {
    head.records.extend(head.conflicts.drain(..).map(|conflict| {
        let side = match conflict.reason {
            Reason::OurFrontmatter => Side::Theirs,
            _ => Side::Ours,
        };
        Record { place: conflict.place, settled: Settled::Chosen(side), texts: conflict.texts }
    }));
}

/// Join head and body, and check them as one document.
fn joined(head: Head, body: MergedBody, documents: &[Document; 3], rules: &Rules<'_>) -> Outcome {
    let Head { mut bytes, mut records, mut conflicts } = head;
    let start = bytes.len();
    bytes.extend_from_slice(&body.bytes);
    let read = Document::parse(bytes);
    let is_one = read.body_start() == start;
    let bytes = read.into_bytes();
    if !is_one {
        return undecided_whole(documents.each_ref().map(Document::as_bytes), Reason::NotText, rules);
    }
    records.extend(body.records);
    conflicts.extend(body.conflicts.into_iter().map(|mut conflict| {
        conflict.span = conflict.span.map(|span| span.start + start..line_end(&bytes, span.end + start));
        conflict
    }));
    Outcome { bytes, method: body.method, records, conflicts }
}

/// The end of the line in which the text ends, after its line feed.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let ending = [&b"\r\n"[..], b"\n"].into_iter().find(|ending| bytes[at..].starts_with(ending));
    at + ending.map_or(0, <[u8]>::len)
}

/// Whether a document is a text without conflict markers.
fn is_plain(document: &&Document) -> bool {
    document.is_utf8() && document.conflicts().is_empty()
}

fn merge_body(documents: [&Document; 3], cx: &Context<'_>) -> MergedBody {
    if !documents.iter().all(is_plain) {
        return lines_of(documents, cx, Vec::new(), None);
    }
    let alike = alike::alike(documents.map(Document::body));
    let read = alike.map(|bodies| bodies.map(Document::parse));
    let bodies = read.as_ref().map_or(documents, |read| read.each_ref());
    let [base, first, second] = bodies.map(Document::body_bytes);
    let parts = body::parts(bodies);
    let parts = parts.each_ref();
    let facts = body::facts::look(parts, cx);
    if first == second || base == first || base == second {
        let taken = if base == first { second } else { first };
        return MergedBody::whole(taken.to_vec(), Method::Meaning, facts.listed(documents, &[]));
    }
    let by_lines = clean_lines(parts).filter(|_| facts.records.is_empty() && facts.conflicts.is_empty());
    let by_lines = by_lines.map(|text| (verify::lines_fit(parts, &text), text));
    let by_lines = match by_lines {
        Some((LineVerdict::Fit, text)) => return whole_lines(text, facts.listed(documents, &[])),
        Some((LineVerdict::Misplaced, text)) => Some(text),
        Some((LineVerdict::Odd, _)) | None => None,
    };
    let merged = body::merge_parts(parts, &facts.verdicts, cx);
    let outline = Outline::of(&merged.text);
    let result = VersionBody::plain(&merged.text, &outline);
    let disputed = facts.listed(documents, &merged.undecided);
    let checked = verify::holds(parts, &merged, &result, [&facts.records, &merged.records]);
    let Some(twice) = checked.filter(|_| !parts.into_iter().any(verify::has_open_fence)) else {
        return lines_of(bodies, cx, facts.records, disputed);
    };
    if let Some(text) = by_lines.filter(|_| !merged.conflicts.is_empty()) {
        return whole_lines(text, disputed);
    }
    let Merged { text, mut records, mut conflicts, .. } = merged;
    records.extend(facts.records);
    records.extend(twice);
    let marked: Vec<MergePlace> = conflicts.iter().map(|conflict| conflict.place.clone()).collect();
    conflicts.extend(facts.conflicts.into_iter().filter(|conflict| !marked.contains(&conflict.place)));
    MergedBody { bytes: text.into_bytes(), records, conflicts, method: Method::Meaning, disputed }
}

impl MergedBody {
    /// A body without records and conflicts.
    fn whole(bytes: Vec<u8>, method: Method, disputed: Option<Vec<String>>) -> MergedBody {
        MergedBody { bytes, records: Vec::new(), conflicts: Vec::new(), method, disputed }
    }
}

fn whole_lines(text: String, disputed: Option<Vec<String>>) -> MergedBody {
    MergedBody::whole(text.into_bytes(), Method::Lines, disputed)
}

/// Git's merge of the lines, if their changes do not overlap.
fn clean_lines(parts: [&VersionBody<'_>; 3]) -> Option<String> {
    let [base, first, second] = parts.map(|part| part.text.as_bytes());
    let mut text = String::with_capacity(first.len());
    for piece in lines::merge(base, first, second) {
        match piece {
            Piece::Clean(lines) => text.push_str(std::str::from_utf8(lines).ok()?),
            Piece::Conflict { .. } => return None,
        }
    }
    Some(text)
}

/// The last resort: merge the lines of the body, with markers where changes overlap.
fn lines_of(
    documents: [&Document; 3],
    cx: &Context<'_>,
    mut records: Vec<Record>,
    disputed: Option<Vec<String>>,
) -> MergedBody {
    let [base, first, second] = documents.map(Document::body_bytes);
    let (ours, theirs) = if cx.swapped { (second, first) } else { (first, second) };
    let versions = [base, ours, theirs];
    let ended = versions.map(attributes::ended);
    let mut outcome = by_lines(ended.each_ref().map(AsRef::as_ref), Reason::Prose, cx.rules);
    let end = outcome.bytes.len();
    // after a marker the line ends, whatever the sides did
    if !outcome.conflicts.iter().any(|conflict| conflict.span.as_ref().is_some_and(|span| span.end == end)) {
        attributes::put_back_end(versions, &mut outcome.bytes);
    }
    records.extend(outcome.records);
    MergedBody {
        bytes: outcome.bytes,
        records,
        conflicts: outcome.conflicts,
        method: outcome.method,
        disputed,
    }
}

/// Merge the lines of a whole text, with markers where changes overlap.
fn by_lines(versions: [&[u8]; 3], reason: Reason, rules: &Rules<'_>) -> Outcome {
    let [base, ours, theirs] = versions;
    let mut outcome = settled(b"", Method::Lines);
    for piece in lines::merge(base, ours, theirs) {
        match piece {
            Piece::Clean(lines) => outcome.bytes.extend_from_slice(lines),
            Piece::Conflict { base, ours, theirs } => {
                decide(&mut outcome, [base, ours, theirs], reason, rules)
            }
        }
    }
    outcome
}

fn decide(outcome: &mut Outcome, versions: [&[u8]; 3], reason: Reason, rules: &Rules<'_>) {
    let texts = texts(versions);
    let [base, ours, theirs] = versions;
    outcome.method = Method::Markers;
    let settled = match rules.undecided {
        Undecided::Mark => return mark(outcome, versions, reason, rules),
        Undecided::Ours => Settled::Chosen(Side::Ours),
        Undecided::Theirs => Settled::Chosen(Side::Theirs),
        Undecided::Both => Settled::BothKept,
        Undecided::Base => Settled::BaseTaken,
    };
    outcome.bytes.extend_from_slice(match rules.undecided {
        Undecided::Ours | Undecided::Both | Undecided::Mark => ours,
        Undecided::Theirs => theirs,
        Undecided::Base => base,
    });
    if rules.undecided == Undecided::Both {
        if !ours.is_empty() && !ours.ends_with(b"\n") {
            outcome.bytes.push(b'\n');
        }
        outcome.bytes.extend_from_slice(theirs);
    }
    outcome.records.push(Record { place: MergePlace::Whole, settled, texts });
}

fn mark(outcome: &mut Outcome, versions: [&[u8]; 3], reason: Reason, rules: &Rules<'_>) {
    // markers must be at the start of a line
    if outcome.bytes.last().is_some_and(|byte| *byte != b'\n') {
        outcome.bytes.push(b'\n');
    }
    let start = outcome.bytes.len();
    let newline = if bstr::ByteSlice::find(versions[1], "\r\n").is_some() { "\r\n" } else { "\n" };
    markers::write(&mut outcome.bytes, versions, rules.names, newline);
    outcome.bytes.extend_from_slice(newline.as_bytes());
    let span = Some(start..outcome.bytes.len());
    outcome.conflicts.push(Conflict { place: MergePlace::Whole, reason, texts: texts(versions), span });
}

fn texts([base, ours, theirs]: [&[u8]; 3]) -> Texts {
    let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
    Texts { base: text(base), ours: text(ours), theirs: text(theirs) }
}

/// A file that cannot be split into parts: one side is taken whole.
fn undecided_whole(versions: [&[u8]; 3], reason: Reason, rules: &Rules<'_>) -> Outcome {
    let [base, ours, theirs] = versions;
    let (bytes, taken) = match rules.undecided {
        Undecided::Mark => (ours, None),
        Undecided::Ours | Undecided::Both => (ours, Some(Settled::Chosen(Side::Ours))),
        Undecided::Theirs => (theirs, Some(Settled::Chosen(Side::Theirs))),
        Undecided::Base => (base, Some(Settled::BaseTaken)),
    };
    let mut outcome = settled(bytes, Method::Markers);
    let (place, texts) = (MergePlace::Whole, texts(versions));
    match taken {
        Some(settled) => outcome.records.push(Record { place, settled, texts }),
        None => outcome.conflicts.push(Conflict { place, reason, texts, span: None }),
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three(base: &str, ours: &str, theirs: &str) -> Outcome {
        let versions =
            Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let outcome = merge(&versions, &Rules::default());
        let swapped = Versions { ours: theirs.as_bytes(), theirs: ours.as_bytes(), ..versions };
        let other = merge(&swapped, &Rules::default());
        assert_eq!(outcome.is_clean(), other.is_clean());
        if outcome.is_clean() {
            assert_eq!(outcome.bytes, other.bytes);
        }
        outcome
    }

    fn clean(base: &str, ours: &str, theirs: &str) -> String {
        let outcome = three(base, ours, theirs);
        assert!(outcome.is_clean(), "{outcome:#?}");
        String::from_utf8(outcome.bytes).unwrap()
    }

    #[test]
    fn facts_of_both_sides_stand_behind_what_precedes_them() {
        let base = "## Facts\n- **a**: one\n- **b**: two\n";
        let ours = "## Facts\n- **a**: one\n- **b**: two\n- **c**: three\n";
        let theirs = "## Facts\n- **a**: one\n- **d**: four\n- **b**: 2\n";
        assert_eq!(
            clean(base, ours, theirs),
            "## Facts\n- **a**: one\n- **d**: four\n- **b**: 2\n- **c**: three\n"
        );
    }

    #[test]
    fn two_claims_about_one_subject_both_stand() {
        let outcome = three("## Facts\n- **a**: 1\n", "## Facts\n- **a**: 2\n", "## Facts\n- **a**: 3\n");
        assert_eq!(outcome.records[0].settled, Settled::Disputed);
        assert!(String::from_utf8_lossy(&outcome.bytes).ends_with("## Facts\n- **a**: 2\n- **a**: 3\n"));
    }

    #[test]
    fn one_paragraph_changed_twice_is_marked_and_nothing_else() {
        let base = "# T\n\none\n\n- x\n\n## Facts\n- f\n";
        let outcome = three(
            base,
            &base.replace("one", "ours"),
            &base.replace("one", "theirs").replace("- f", "- f\n- g"),
        );
        let text = String::from_utf8_lossy(&outcome.bytes);
        assert_eq!(
            text,
            "# T\n\n<<<<<<< ours\nours\n||||||| base\none\n=======\ntheirs\n>>>>>>> theirs\n\n- x\n\n## Facts\n- f\n- g\n"
        );
        assert_eq!(outcome.conflicts.len(), 1);
        let span = outcome.conflicts[0].span.clone().unwrap();
        assert!(text[span.clone()].starts_with("<<<<<<<") && text[span].ends_with(">>>>>>> theirs\n"));
    }

    #[test]
    fn what_both_added_in_two_places_stands_where_it_is_a_fact() {
        let base = "# A\n## B\n## Facts\n";
        let ours = "# A\n## B\n## Facts\n- **a**: one\n";
        let theirs = "# A\n- **a**: one\n## B\n## Facts\n";
        assert_eq!(clean(base, ours, theirs), ours);
    }

    #[test]
    fn an_item_that_one_side_changed_takes_the_change_to_where_the_other_made_it_a_fact() {
        let base = "- **a**: one\n- [ ] b\n# T\n## Facts\n- **a**: two\n";
        let ours = "- **a**: one\nSetext\n======\n- [ ] b\n# T\n## Facts\n- **a**: two\n";
        let theirs = "- [ ] b\n# T\n## Facts\n- **a**: one\n- **a**: two\n";
        assert_eq!(
            clean(base, ours, theirs),
            "- [ ] b\n# T\n## Facts\n- **a**: one\nSetext\n======\n- **a**: two\n"
        );
    }

    #[test]
    fn of_two_places_an_item_goes_to_that_where_it_is_a_fact() {
        let base = "# A\n\nText.\n- **a**: one\n- **b**: two\n## Facts\n";
        let ours = "# A\n# A\n\nText.\n- **a**: one\n- **b**: two\n## Facts\n";
        let theirs = "# A\n## Facts\n\nText.\n- **a**: one\n- **b**: two\n";
        let merged = clean(base, ours, theirs);
        let document = Document::parse(merged.as_str());
        let subjects: Vec<_> = document.facts().iter().filter_map(|fact| fact.subject.clone()).collect();
        assert_eq!(subjects, ["a", "b"], "{merged}");
    }

    #[test]
    fn a_last_line_without_its_end_is_the_same_line_where_lines_are_merged() {
        let open = "# T\n~~~\nx\n";
        assert_eq!(
            clean(&format!("{open}\n"), open.trim_end(), &format!("\n{open}")),
            format!("\n{}", open.trim_end())
        );
    }

    #[test]
    fn a_moved_section_takes_what_the_other_side_added_to_it() {
        let base = "## A\n\na\n\n## B\n\n- b\n\n## C\n\nc\n";
        let ours = "## B\n\n- b\n\n## C\n\nc\n\n## A\n\na\n";
        let theirs = "## A\n\na\n\nmore\n\n## B\n\n- b\n- b2\n\n## C\n\nc\n";
        assert_eq!(clean(base, ours, theirs), "## B\n\n- b\n- b2\n\n## C\n\nc\n\n## A\n\na\n\nmore\n");
    }

    #[test]
    fn paragraphs_that_both_put_into_one_place_stand_apart() {
        let base = "# T\n\n- l\n\nend\n";
        let merged = clean(base, "# T\n\n- l\n\nnew b\n\nend\n", "# T\n\n- l\n\nnew a\n\nend\n");
        assert_eq!(merged, "# T\n\n- l\n\nnew a\n\nnew b\n\nend\n");
    }

    #[test]
    fn a_numbered_list_counts_on() {
        let base = "1. a\n2. b\n3. c\n";
        let merged = clean(base, "1. a\n2. x\n3. b\n4. c\n", "1. a\n2. b\n3. c\n4. y\n");
        assert_eq!(merged, "1. a\n2. x\n3. b\n4. c\n5. y\n");
        assert_eq!(
            three(base, "1. a\n2. b\n3. c\n4. x\n", "1. a\n2. b\n3. c\n4. y\n").conflicts[0].reason,
            Reason::NumberedList
        );
    }

    #[test]
    fn line_endings_of_one_side_are_taken() {
        let base = "# T\n\n- a\n- b\n";
        let merged = clean(base, &base.replace('\n', "\r\n"), "# T\n\n- a\n- b\n- c\n");
        assert_eq!(merged, "# T\r\n\r\n- a\r\n- b\r\n- c\r\n");
    }

    #[test]
    fn bytes_that_are_no_text_survive_markers() {
        let versions = Versions { base: Some(b"a\n"), ours: b"\xff\n", theirs: b"\xfe\n" };
        let outcome = merge(&versions, &Rules { format: Format::Lines, ..Rules::default() });
        assert_eq!(outcome.bytes, b"<<<<<<< ours\n\xff\n||||||| base\na\n=======\n\xfe\n>>>>>>> theirs\n");
    }

    #[test]
    fn two_paragraphs_exchanged_come_out_the_same_every_time() {
        let base = "Para one is here.\n\nThe old block stands.\n\n- q\n";
        let ours =
            "Para one is here.\n\nXray words are entirely new.\n\n- q\n\nYankee speaks of other things.\n";
        let theirs =
            "Para one is here.\n\nYankee speaks of other things.\n\n- q\n\nXray words are entirely new.\n";
        let first = three(base, ours, theirs);
        for _ in 0..20 {
            assert_eq!(three(base, ours, theirs), first);
        }
    }

    #[test]
    fn code_that_is_indented_anew_is_an_edit_and_stays() {
        let base = "# A\n\n- l\n\n```py\nif x:\n    a()\nb()\n```\n\n## B\n\nb\n";
        let ours = base.replace("\nb()", "\n    b()");
        let theirs = "# A\n\n- l\n\n## B\n\nb\n";
        let outcome = three(base, &ours, theirs);
        assert!(matches!(outcome.records[0].settled, Settled::ChangeKept(Side::Ours)));
        assert_eq!(String::from_utf8(outcome.bytes).unwrap(), ours);
    }

    #[test]
    fn an_item_that_one_side_nests_and_the_other_edits_is_edited_where_it_is_nested() {
        let merged = clean("- a\n- b word\n", "- a\n  - b word\n", "- a\n- b other word\n");
        assert_eq!(merged, "- a\n  - b other word\n");
    }

    #[test]
    fn a_heading_without_text_of_its_own_that_was_renamed_does_not_come_back() {
        let base = "# T\n\n## Narrative\n\n### Rules\n\n- use tabs\n- ask first\n\nEnd.\n";
        let ours = base.replace("Narrative", "Story");
        let theirs = base.replace("use tabs", "use four tabs");
        let merged = clean(base, &ours, &theirs);
        assert_eq!(merged, ours.replace("use tabs", "use four tabs"));
        // where the edits touch, too
        let touched = "# T\n\n## Narrative\n### Rules\n- use tabs\n- ask first\n";
        let ours = touched.replace("Narrative", "Story");
        let theirs = touched.replace("### Rules\n- use tabs", "### The rules\n- use tabs always");
        let merged = clean(touched, &ours, &theirs);
        assert_eq!(merged, "# T\n\n## Story\n### The rules\n- use tabs always\n- ask first\n");
    }

    #[test]
    fn a_heading_of_which_the_line_alone_was_removed_does_not_come_back() {
        let base = "# T\n\n## A\n\n- one\n\n## B\n- two\n- three\n";
        let ours = base.replace("## B\n", "");
        let theirs = base.replace("- two", "- two and more").replace("- three", "- three\n- four");
        let merged = clean(base, &ours, &theirs);
        assert_eq!(merged, "# T\n\n## A\n\n- one\n\n- two and more\n- three\n- four\n");
    }

    #[test]
    fn one_heading_renamed_differently_by_both_is_a_conflict() {
        let base = "# T\n\n## Narrative\n\n### Rules\n\n- use tabs\n";
        let outcome = three(base, &base.replace("Narrative", "Story"), &base.replace("Narrative", "Tale"));
        assert_eq!(outcome.conflicts[0].reason, Reason::Heading);
        let outcome = three("# T\n\n## A\n", "# T\n\n## B\n", "# T\n\n## C\n");
        assert_eq!(outcome.conflicts[0].reason, Reason::Heading, "even with nothing below it");
    }

    #[test]
    fn a_block_that_its_neighbour_absorbed_is_not_removed() {
        let base = "# T\n\n- one item\n- another item\n\nWords below.\n";
        let unmarked = base.replace("- another", "another");
        let outcome = three(base, &unmarked, &base.replace("another item", "another item now"));
        let text = String::from_utf8(outcome.bytes).unwrap();
        assert!(!outcome.conflicts.is_empty() && text.matches("another item now").count() == 1, "{text}");
        let joined = base.replace("item\n\nWords", "item\nWords");
        let outcome = three(base, &joined, &base.replace("Words below.", "Words far below."));
        assert!(!outcome.conflicts.is_empty());
    }

    #[test]
    fn two_far_edits_of_a_long_fence_are_merged_and_near_ones_marked_alone() {
        let lines: String = (0..70).map(|at| format!("line {at}\n")).collect();
        let base = format!("# T\n\n- l\n\n```\n{lines}```\n");
        let edit =
            |text: &str, line: &str, word: &str| text.replace(&format!("{line}\n"), &format!("{word}\n"));
        let far = clean(&base, &edit(&base, "line 3", "ours"), &edit(&base, "line 60", "theirs"));
        assert_eq!(far, edit(&edit(&base, "line 3", "ours"), "line 60", "theirs"));
        let both = |line: &str, word: &str| edit(&edit(&base, line, word), "- l", &format!("- l {word}"));
        let outcome = three(&base, &both("line 30", "ours"), &edit(&base, "line 30", "theirs"));
        let [conflict] = &outcome.conflicts[..] else { panic!("{outcome:#?}") };
        assert_eq!((conflict.reason, conflict.texts.ours.as_deref()), (Reason::Fence, Some("ours\n")));
        assert_eq!(Document::parse(outcome.bytes).conflicts().len(), 1, "it is found in the fence");
    }

    #[test]
    fn thousands_of_claims_on_both_sides_all_stand() {
        let facts = |word: &str| {
            let lines: String = (0..4000).map(|at| format!("- **s{at}**: {word} {at}\n")).collect();
            format!("## Facts\n{lines}")
        };
        let merged = clean(&facts("one"), &facts("two"), &facts("three"));
        assert_eq!(merged.matches("two ").count(), 4000);
    }

    #[test]
    fn a_subject_of_which_each_side_removed_the_others_claim_is_in_dispute() {
        let base = "## Facts\n- **db**: a\n- **db**: b\n";
        let outcome = three(base, "## Facts\n- **db**: a\n", "## Facts\n- **db**: b\n");
        assert_eq!(outcome.records.len(), 1);
        assert_eq!(outcome.records[0].settled, Settled::Disputed);
        assert_eq!(String::from_utf8(outcome.bytes).unwrap(), format!("---\ndisputed: [db]\n---\n{base}"));
    }

    #[test]
    fn a_category_changed_against_a_removal_stays() {
        let base = "## Facts\n- **a**: x [team]\n- **b**: y\n";
        let outcome = three(base, &base.replace("[team]", "[project]"), "## Facts\n- **b**: y\n");
        assert_eq!(outcome.records[0].settled, Settled::ChangeKept(Side::Ours));
        assert!(outcome.is_clean() && String::from_utf8_lossy(&outcome.bytes).contains("x [project]"));
    }

    #[test]
    fn a_numbered_item_moved_and_edited_stands_once() {
        let base = "1. stop the writers\n2. copy the file\n3. start them again\n";
        let ours = "1. copy the file\n2. start them again\n3. stop the writers\n";
        let theirs = "1. stop all the writers\n2. copy the file\n3. start them again\n";
        let merged = clean(base, ours, theirs);
        assert_eq!(merged.matches("writers").count(), 1, "{merged}");
    }
}
