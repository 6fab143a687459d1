//! Tests of the merge rule for each field.

use super::*;
use crate::doc::LineEnding;
use crate::merge::{Choice, Unfit, Versions};

const NOTHING: &str = "";

fn documents(texts: [&str; 3]) -> [Document; 3] {
    texts.map(|text| Document::parse(format!("---\n{text}---\nbody\n")))
}

fn head(texts: [&str; 3]) -> Head {
    let [base, ours, theirs] = documents(texts);
    merge(&Sides { base: Some(&base), ours: &ours, theirs: &theirs }, &Rules::default(), None)
}

/// The fields of the result, checked to be the same both ways round, with its records.
#[track_caller]
fn merged(texts: [&str; 3]) -> (String, Vec<Record>) {
    let [base, ours, theirs] = texts;
    let one = head([base, ours, theirs]);
    let other = head([base, theirs, ours]);
    assert_eq!(one.bytes.to_str(), other.bytes.to_str(), "swapped");
    assert_eq!(one.conflicts, []);
    let text = String::from_utf8(one.bytes).unwrap();
    let inside = text.strip_prefix("---\n").unwrap().strip_suffix("---\n").unwrap();
    (inside.to_owned(), one.records)
}

#[track_caller]
fn quiet(texts: [&str; 3]) -> String {
    let (text, records) = merged(texts);
    assert_eq!(records, []);
    text
}

#[test]
fn what_one_side_changed_is_taken_byte_for_byte() {
    assert_eq!(quiet(["a: 1\nb: 2\n", "a:   '1'\nb: 2\n", "a: 1\nb: 3 # c\n"]), "a:   '1'\nb: 3 # c\n");
    assert_eq!(quiet(["a: 1\nb: 2\nc: 3\n", "b: 2\nc: 3\n", "a: 1\nb: 2\nc: 4\n"]), "b: 2\nc: 4\n");
    assert_eq!(quiet(["a: 1\n", "a: 1\nx: 1\n", "n: 1\na: 1\n"]), "n: 1\na: 1\nx: 1\n");
}

#[test]
fn a_field_one_side_removed_and_the_other_changed_stays_on_record() {
    let (text, records) = merged(["a: 1\nb: 2\n", "b: 2\n", "a: 5\nb: 2\n"]);
    assert_eq!(text, "a: 5\nb: 2\n");
    let texts = Texts { base: Some("1".into()), ours: None, theirs: Some("5".into()) };
    let settled = Settled::ChangeKept(Side::Theirs);
    assert_eq!(records, [Record { place: MergePlace::Field { field: "a".into() }, settled, texts }]);
}

#[test]
fn sets_take_the_additions_and_honour_the_removals_of_both() {
    assert_eq!(quiet(["tags: [a, b]\n", "tags: [a, b, c]\n", "tags: [b, d]\n"]), "tags: [b, c, d]\n");
    assert_eq!(quiet(["tags: [a]\n", "tags: [z, y, a]\n", "tags: [m, a]\n"]), "tags: [m, z, y, a]\n");
    assert_eq!(quiet(["tags: []\n", "tags: [a]\n", "tags: [b]\n"]), "tags: [a, b]\n");
    assert_eq!(quiet(["tags: [a, b]\n", "tags: [a]\n", "tags: [b]\n"]), "tags: []\n");
    assert_eq!(quiet(["x: 1\n", "tags: [a]\nx: 1\n", "tags: [b]\nx: 1\n"]), "tags: [a, b]\nx: 1\n");
}

#[test]
fn a_set_keeps_the_style_of_a_side() {
    assert_eq!(
        quiet(["tags: [\"a\"]\n", "tags: [\"a\", \"b\"]\n", "tags: [\"a\", \"c d\"]\n"]),
        "tags: [\"a\", \"b\", \"c d\"]\n"
    );
    assert_eq!(
        quiet(["tags:\n  - a\n", "tags:\n  - a\n  - b\n", "tags:\n  - a\n  - 'c, d'\n"]),
        "tags:\n  - a\n  - b\n  - 'c, d'\n"
    );
    assert_eq!(
        quiet(["related: [a,\n  b]\n", "related: [a,\n  b,\n  c]\n", "related: [a,\n  b, d]\n"]),
        "related: [a,\n  b, c, d]\n"
    );
    assert_eq!(quiet(["tags: a\n", "tags: a, b\n", "tags: [a, c]\n"]), "tags: [a, b, c]\n");
}

#[test]
fn a_set_is_written_as_the_side_has_it_that_alone_changed_how() {
    let block = "tags:\n  - a\n  - b\n";
    assert_eq!(quiet(["tags: [a, b]\n", block, "tags: [a, b, c]\n"]), "tags:\n  - a\n  - b\n  - c\n");
    assert_eq!(quiet([block, "tags: [a, b]\n", "tags:\n  - a\n  - b\n  - c\n"]), "tags: [a, b, c]\n");
    assert_eq!(quiet(["tags: [a, b]\n", block, "tags: [a]\n"]), "tags:\n  - a\n");
    assert_eq!(quiet(["tags: [a]\n", block, "tags: [a, b]\n"]), block, "also where the items are the same");
}

#[test]
fn a_merged_set_is_not_written_anew() {
    let texts = ["tags: [a,  b]\n", "tags: [a,  b, \u{1f501}, .net]\n", "tags: [a,  \u{62a}]\n"];
    let merged = quiet(texts);
    assert_eq!(merged, "tags: [a,  \u{62a},  \u{1f501},  .net]\n");
    for side in &texts[1..] {
        assert_eq!(quiet([texts[0], &merged, side]), merged);
    }
}

#[test]
fn times_go_to_the_first_creation_and_the_last_change() {
    let text = quiet([
        "createdAt: 2025-02-01\nupdatedAt: 2025-02-01\n",
        "createdAt: 2025-01-01T12:00:00+02:00\nupdatedAt: 2025-03-01T12:00:00+02:00\n",
        "createdAt: 2025-01-01T11:00:00Z\nupdatedAt: 2025-03-01T11:00:00Z\n",
    ]);
    assert_eq!(text, "createdAt: 2025-01-01T12:00:00+02:00\nupdatedAt: 2025-03-01T11:00:00Z\n");
}

#[test]
fn a_scalar_changed_on_both_sides_is_settled_by_updated_at() {
    let (text, records) = merged([
        "title: a\nupdatedAt: 2025-01-01\n",
        "title: z\nupdatedAt: 2025-01-02\n",
        "title: \"b\"\nupdatedAt: 2025-01-03\n",
    ]);
    assert_eq!(text, "title: \"b\"\nupdatedAt: 2025-01-03\n");
    let texts = Texts { base: Some("a".into()), ours: Some("z".into()), theirs: Some("b".into()) };
    let settled = Settled::Chosen(Side::Theirs);
    assert_eq!(records, [Record { place: MergePlace::Field { field: "title".into() }, settled, texts }]);
    let (text, _) = merged(["title: a\n", "title: 'b'\n", "title: c\n"]);
    assert_eq!(text, "title: c\n", "a tie goes to the greater bytes of the value");
}

#[test]
fn a_side_that_left_updated_at_counts_with_its_commit_time() {
    let [base, ours, theirs] = documents([
        "t: a\nupdatedAt: 2025-01-01\n",
        "t: b\nupdatedAt: 2025-01-01\n",
        "t: c\nupdatedAt: 2025-01-02\n",
    ]);
    let sides = Sides { base: Some(&base), ours: &ours, theirs: &theirs };
    let at = |committed| merge(&sides, &Rules { committed, ..Rules::default() }, None).bytes;
    let day = 86_400 * 365 * 55;
    assert!(at([day * 2, 0]).contains_str("t: b"));
    assert!(at([0, day * 2]).contains_str("t: c"));
}

#[test]
fn the_same_value_written_twice_is_no_loss() {
    assert_eq!(quiet(["t: a\n", "t: 'b'\n", "t: b\n"]), "t: b\n");
    assert_eq!(quiet(["t: a\n", "t: \"a\"\n", "t: b\n"]), "t: b\n");
    assert_eq!(quiet(["tags: [a]\n", "tags: [a, b]\n", "tags: [a,b]\n"]), "tags: [a,b]\n");
    let (text, records) = merged(["t: a\n", "t: b # why\n", "t: b # because\n"]);
    assert_eq!((text.as_str(), records.len()), ("t: b # why\n", 1), "a comment is");
}

#[test]
fn mappings_are_merged_by_key() {
    let (text, records) = merged([
        "m:\n  a: 1\n  b: 2\n  n:\n    x: 1\n",
        "m:\n  a: 3\n  b: 2\n  n:\n    x: 2\n",
        "m:\n  # why\n  a: 1\n  b: 4\n  c: 5\n  n:\n    x: 3\n",
    ]);
    assert_eq!(text, "m:\n  # why\n  a: 3\n  b: 4\n  c: 5\n  n:\n    x: 3\n");
    assert_eq!(
        records.iter().map(|r| &r.place).collect::<Vec<_>>(),
        [&MergePlace::Field { field: "m.n.x".into() }]
    );
}

#[test]
fn mappings_in_braces_are_merged_by_key_and_stay_in_braces() {
    assert_eq!(
        quiet(["m: {a: 1, b: '2'}\n", "m: {a: 3, b: '2'}\n", "m: {a: 1, b: '4'}\n"]),
        "m: {a: 3, b: '4'}\n"
    );
    assert_eq!(
        quiet(["m: { a: 1 } # c\n", "m: { a: 1, b: [x, \"}, y\"] } # c\n", "m: { a: 1, n: {z: 1} } # c\n"]),
        "m: { a: 1, b: [x, \"}, y\"], n: {z: 1} } # c\n"
    );
    assert_eq!(
        quiet(["m: {a: {x: 1}}\n", "m: {a: {x: 1, y: 2}}\n", "m: {a: {z: 3, x: 1}}\n"]),
        "m: {a: {z: 3, x: 1, y: 2}}\n"
    );
    assert_eq!(quiet(["m: {a: 1, b: 2}\n", "m: {a: 1}\n", "m: {b: 2}\n"]), "m: {}\n");
    let (text, records) = merged(["m: {a: 1}\n", "m: {a: 2}\n", "m: {a: 3}\n"]);
    assert_eq!(
        (text.as_str(), &records[0].place),
        ("m: {a: 3}\n", &MergePlace::Field { field: "m.a".into() })
    );
}

#[test]
fn a_mapping_that_one_side_emptied_keeps_what_the_other_put_in() {
    assert_eq!(quiet(["m:\n  a: 1\n", "m:\n", "m:\n  a: 1\n  b: 2\n"]), "m:\n  b: 2\n");
    let (text, records) = merged(["m:\n  a: 1\n", "m:\n", "m:\n  a: 2\n"]);
    assert_eq!(
        (text.as_str(), &records[0].place),
        ("m:\n  a: 2\n", &MergePlace::Field { field: "m.a".into() })
    );
}

#[test]
fn a_comment_that_stays_with_a_kept_field_stands_once() {
    let (text, _) = merged(["# c\na: 1\nb: 1\n", "# c\nb: 1\n", "# c\na: 2\nb: 1\n"]);
    assert_eq!(text, "# c\na: 2\nb: 1\n");
    let (text, _) = merged(["# c\na: 1\n", "# c\n", "# c\na: 2\n"]);
    assert_eq!(text, "# c\na: 2\n");
    assert_eq!(quiet(["# c\nb: 1\n", "# c\nx: 1\nb: 1\n", "# c\ny: 1\nb: 1\n"]), "# c\nx: 1\ny: 1\nb: 1\n");
    assert_eq!(
        quiet(["m:\n  # c\n  b: 1\n", "m:\n  # c\n  x: 1\n  b: 1\n", "m:\n  # c\n  y: 1\n  b: 1\n"]),
        "m:\n  # c\n  x: 1\n  y: 1\n  b: 1\n"
    );
    assert_eq!(
        quiet(["a: 1\nb: 1\n", "# c\na: 1\nb: 1\n", "a: 1\n# c\nb: 1\n"]),
        "# c\na: 1\n# c\nb: 1\n",
        "both are new"
    );
}

/// The conflicts of a merge that leaves our version of each contested field, both ways round.
#[track_caller]
fn contested([base, ours, theirs]: [&str; 3]) -> Vec<(MergePlace, Texts)> {
    let one = head([base, ours, theirs]);
    assert_eq!(one.bytes.to_str(), Ok(&*format!("---\n{ours}---\n")));
    assert_eq!(head([base, theirs, ours]).bytes.to_str(), Ok(&*format!("---\n{theirs}---\n")));
    assert!(one.conflicts.iter().all(|conflict| conflict.reason == Reason::Field && conflict.span.is_none()));
    one.conflicts.into_iter().map(|conflict| (conflict.place, conflict.texts)).collect()
}

#[test]
fn a_field_without_a_rule_is_merged_by_line_where_git_does_so() {
    let notes = |first: &str, last: &str| format!("notes: |\n  {first}\n  two\n  three\n  {last}\n");
    let text = quiet([&notes("one", "four"), &notes("ONE", "four"), &notes("one", "FOUR")]);
    assert_eq!(text, notes("ONE", "FOUR"));
    let people = |role: &str, tail: &str| {
        format!("authors:\n  - name: A\n    role: {role}\n  - name: B\n    role: z\n{tail}")
    };
    let text = quiet([&people("x", ""), &people("y", ""), &people("x", "  - name: C\n")]);
    assert_eq!(text, people("y", "  - name: C\n"));
    let flow = |first: &str, last: &str| format!("deps: [\n  {first}\n  b,\n  c,\n  {last}\n]\n");
    let text = quiet([&flow("a,", "d"), &flow("A,", "d"), &flow("a,", "d, e")]);
    assert_eq!(text, flow("A,", "d, e"));
}

#[test]
fn a_list_without_a_rule_takes_the_additions_and_honours_the_removals_of_both() {
    assert_eq!(quiet(["l: [a]\n", "l: [a, b]\n", "l: [a, c]\n"]), "l: [a, b, c]\n");
    assert_eq!(quiet(["l: [a, b, c]\n", "l: [b, c, x]\n", "l: [a, b, y]\n"]), "l: [b, x, y]\n");
    assert_eq!(quiet(["l: [1, 1]\n", "l: [1, 1, 1]\n", "l: [1, 1, 2]\n"]), "l: [1, 1, 1, 2]\n");
    assert_eq!(quiet(["l:\n- a\n", "l:\n- a\n- b\n", "l:\n- a\n- c\n"]), "l:\n- a\n- b\n- c\n");
    assert_eq!(quiet(["l: a\n", "l: [a, b]\n", "l: [a, c]\n"]), "l: [a, b, c]\n", "a text became a list");
    assert_eq!(quiet(["x: 1\n", "l: [a]\nx: 1\n", "l: [b]\nx: 1\n"]), "l: [a, b]\nx: 1\n");
    assert_eq!(quiet(["l: [a, b]\n", "l: [a]\n", "l: [b]\n"]), "l: []\n");
    assert_eq!(
        quiet(["l: [\n  a,\n]\n", "l: [\n  a,\n  b,\n]\n", "l: [\n  a,\n  c,\n]\n"]),
        "l: [\n  a,\n  b,\n  c,\n]\n"
    );
    assert_eq!(
        quiet(["m:\n  l: [a]\n  k: 1\n", "m:\n  l: [a, b]\n  k: 1\n", "m:\n  l: [c, a]\n  k: 2\n"]),
        "m:\n  l: [c, a, b]\n  k: 2\n"
    );
    let people = |rest: &str| format!("authors:\n  - name: A\n    tel: 1\n{rest}x: 1\n");
    assert_eq!(
        quiet([&people(""), &people("  - name: B\n    tel: 2\n"), &people("  # new\n  - name: C\n")]),
        people("  - name: B\n    tel: 2\n  # new\n  - name: C\n")
    );
    let styles = ["l:\n  - a\n", "l: [a, b]\n", "l:\n  - a\n  - c\n"];
    assert_eq!(quiet(styles), "l: [a, b, c]\n", "in the style that one side changed");
}

#[test]
fn an_item_that_one_side_removed_and_the_other_replaced_stays_on_record() {
    let (text, records) = merged(["l:\n  - a: 1\n  - b: 1\n", "l:\n  - b: 1\n", "l:\n  - a: 2\n  - b: 1\n"]);
    assert_eq!(text, "l:\n  - a: 2\n  - b: 1\n");
    assert_eq!(records[0].settled, Settled::ChangeKept(Side::Theirs));
}

#[test]
fn what_cannot_be_combined_is_a_conflict_that_leaves_ours() {
    let field = |key: &str| MergePlace::Field { field: key.into() };
    let [(place, texts)] = &contested(["n: |\n  a\n", "n: |\n  b\n", "n: |\n  c\n"])[..] else { panic!() };
    assert_eq!(place, &field("n"));
    let text = |word: &str| Some(format!("{word}\n"));
    assert_eq!(*texts, Texts { base: text("a"), ours: text("b"), theirs: text("c") });
    for texts in [
        ["l: [a]\n", "l: [b]\n", "l: [c]\n"],
        ["l:\n  - a: 1\n", "l:\n  - a: 2\n", "l:\n  - a: 3\n"],
        ["l: 1\n", "l: [2]\n", "l: {a: 3}\n"],
        ["l: x\n", "l: y\n", "l:\n  a: 3\n"],
        ["l: x\n", "l: >-\n  y\n  z\n", "l: w\n"],
        ["x: 1\n", "x: 1\nl: |\n  y\n", "x: 1\nl: |\n  z\n"],
    ] {
        assert_eq!(contested(texts)[0].0, field("l"));
    }
    assert_eq!(
        contested(["m:\n  n: |\n    a\n", "m:\n  n: |\n    b\n", "m:\n  n: |\n    c\n"])[0].0,
        field("m.n")
    );
}

#[test]
fn a_contested_field_can_be_decided_beforehand() {
    let decided = |texts, undecided| {
        let [base, ours, theirs] = documents(texts);
        let sides = Sides { base: Some(&base), ours: &ours, theirs: &theirs };
        let head = merge(&sides, &Rules { undecided, ..Rules::default() }, None);
        assert_eq!(head.conflicts, []);
        let text = String::from_utf8(head.bytes).unwrap();
        (text.replace("---\n", ""), head.records[0].settled)
    };
    let texts = ["l:\n  - a: 1\n", "l:\n  - a: 2\n", "l:\n  - a: 3\n"];
    assert_eq!(decided(texts, Undecided::Ours), (texts[1].into(), Settled::Chosen(Side::Ours)));
    assert_eq!(decided(texts, Undecided::Theirs), (texts[2].into(), Settled::Chosen(Side::Theirs)));
    assert_eq!(decided(texts, Undecided::Base), (texts[0].into(), Settled::BaseTaken));
    let both = "l:\n  - a: 2\n  - a: 3\n".to_owned();
    assert_eq!(decided(texts, Undecided::Both), (both, Settled::BothKept));
    let texts = ["n: |\n  a\n", "n: |\n  b\n", "n: |\n  c\n"];
    assert_eq!(decided(texts, Undecided::Both), ("n: |\n  b\n  c\n".into(), Settled::BothKept));
    let texts = ["l: 1\n", "l: [2]\n", "l: {a: 3}\n"];
    assert_eq!(decided(texts, Undecided::Both).1, Settled::Chosen(Side::Theirs), "they cannot both stand");
    let new = ["x: 1\n", "x: 1\nl: |\n  y\n", "x: 1\nl: |\n  z\n"];
    assert_eq!(decided(new, Undecided::Base).0, "x: 1\n");
}

#[test]
fn a_choice_takes_the_place_of_a_field_and_of_nothing_else() {
    let file = |fields: &str| format!("---\na: 1\n{fields}z: hand edited\n---\nbody\n");
    let [base, ours, theirs] = ["a", "b", "c"].map(|word| file(&format!("m:\n  n: |\n    {word}\n")));
    let versions = Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let text = ours.replace("a: 1", "a: 7");
    assert!(has_field(text.as_bytes(), ours.as_bytes(), "m.n"));
    assert!(!has_field(theirs.as_bytes(), ours.as_bytes(), "m.n"), "it was edited");
    let decided = |choice| {
        let bytes = decide_field(text.as_bytes(), &versions, "m.n", choice).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(decided(Choice::Ours), text);
    assert_eq!(decided(Choice::Theirs), text.replace("    b\n", "    c\n"));
    assert_eq!(decided(Choice::Base), text.replace("    b\n", "    a\n"));
    assert_eq!(decided(Choice::Both), text.replace("    b\n", "    b\n    c\n"));
    let crlf = text.replace('\n', "\r\n");
    let bytes = decide_field(crlf.as_bytes(), &versions, "m.n", Choice::Theirs).unwrap();
    assert_eq!(bytes.to_str(), Ok(&*crlf.replace("    b\r\n", "    c\r\n")));
    let [ours, theirs] = ["[2]", "{a: 3}"].map(|value| file(&format!("l: {value}\n")));
    let versions = Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let decide = |choice| decide_field(ours.as_bytes(), &versions, "l", choice);
    assert_eq!(decide(Choice::Both), Err(Unfit::OnlyOne));
    assert_eq!(decide(Choice::Base).unwrap().to_str(), Ok(&*file("")), "the base has no such field");
}

#[test]
fn comments_travel_with_the_field_below_them() {
    assert_eq!(
        quiet([
            "a: 1\n# of b\nb: 2\n# end\n",
            "a: 1\n# of bb\nb: 2\n# end\n",
            "x: 1\na: 1\n# of b\nb: 3\n# END\n"
        ]),
        "x: 1\na: 1\n# of bb\nb: 3\n# END\n"
    );
    assert_eq!(quiet(["a: 1\n", "# x\na: 1\n", "# y\na: 1\n"]), "# y\n# x\na: 1\n");
}

#[test]
fn both_sides_new_fields_at_one_place_come_by_bytes() {
    assert_eq!(
        quiet(["a: 1\nb: 1\n", "a: 1\nz: 1\ny: 1\nb: 1\n", "a: 1\nm: 1\nb: 1\n"]),
        "a: 1\nm: 1\nz: 1\ny: 1\nb: 1\n"
    );
}

#[test]
fn both_sides_new_known_fields_come_in_the_canonical_order_before_unknown_ones() {
    assert_eq!(
        quiet(["title: a\n", "title: a\nstatus: done\nowner: x\n", "title: a\npinned: true\nbucket: y\n"]),
        "title: a\nstatus: done\npinned: true\nbucket: y\nowner: x\n"
    );
}

#[test]
fn disputed_subjects_are_listed_as_given() {
    let with = |texts: [&str; 3], subjects: &[&str]| {
        let [base, ours, theirs] = documents(texts);
        let subjects: Vec<String> = subjects.iter().map(|s| (*s).to_owned()).collect();
        let sides = Sides { base: Some(&base), ours: &ours, theirs: &theirs };
        String::from_utf8(merge(&sides, &Rules::default(), Some(&subjects)).bytes).unwrap()
    };
    let x = "a: 1\nupdatedAt: 2025-01-01\nz: 1\n";
    let y = "a: 2\nupdatedAt: 2025-01-01\nz: 1\n";
    let z = "a: 1\nupdatedAt: 2025-01-01\nz: 2\n";
    let listed = "---\na: 2\nupdatedAt: 2025-01-01\ndisputed: [s t]\nz: 2\n---\n";
    assert_eq!(with([x, y, z], &["s t"]), listed);
    assert_eq!(with([x, y, x], &["s"]), "---\na: 2\nupdatedAt: 2025-01-01\ndisputed: [s]\nz: 1\n---\n");
    assert_eq!(
        with(["disputed: [s]\n", "disputed: [s, t]\n", "disputed: [s, u]\n"], &["u"]),
        "---\ndisputed: [u]\n---\n"
    );
    assert_eq!(with(["disputed: [s]\na: 1\n"; 3], &[]), "---\na: 1\n---\n");
    assert_eq!(with(["a: 1\ndisputed: []\n"; 3], &[]), "---\na: 1\ndisputed: []\n---\n");
    let bare = Document::parse("body\n");
    let sides = Sides { base: Some(&bare), ours: &bare, theirs: &bare };
    let head = merge(&sides, &Rules::default(), Some(&["s".to_owned()]));
    assert_eq!(head.bytes.to_str(), Ok("---\ndisputed: [s]\n---\n"));
}

#[test]
fn frontmatter_that_one_side_broke_gives_way_to_the_other() {
    let head = head(["a: 1\n", "a: b: c\n", "a: 2\n"]);
    assert_eq!(head.bytes.to_str(), Ok("---\na: 2\n---\n"));
    let [conflict] = head.conflicts.as_slice() else { panic!("{head:?}") };
    assert_eq!((conflict.reason, &conflict.span), (Reason::OurFrontmatter, &None));
    assert_eq!(conflict.texts.of(Side::Ours), Some("---\na: b: c\n---\n"));
}

#[test]
fn broken_frontmatter_on_both_sides_leaves_ours() {
    let one = head(["a: 1\n", "a: b: c\n", "a: 2\na: 3\n"]);
    assert_eq!(one.bytes.to_str(), Ok("---\na: b: c\n---\n"));
    assert_eq!(one.conflicts[0].reason, Reason::BothFrontmatters);
    assert_eq!(head(["a: b: c\n", "a: b: c\n", "a: 2\n"]).bytes.to_str(), Ok("---\na: 2\n---\n"));
    assert_eq!(head(["a: &x 1\nb: *x\n", "a: &x 1\nb: *x\n", "a: &x 2\nb: *x\n"]).conflicts, []);
}

#[test]
fn a_base_that_cannot_be_read_counts_by_its_lines() {
    assert_eq!(quiet(["a: 1\nb: x: y\nc: 1\n", "a: 2\nb: 1\nc: 1\n", "a: 1\nb: 1\n"]), "a: 2\nb: 1\n");
}

#[test]
fn frontmatter_that_one_side_removed_is_gone_unless_the_other_changed_it() {
    let [base, ours] = ["---\na: 1\n---\nx\n", "x\n"].map(Document::parse);
    let theirs = Document::parse("---\na: 2\n---\nx\n");
    let sides = Sides { base: Some(&base), ours: &ours, theirs: &base };
    assert_eq!(merge(&sides, &Rules::default(), None).bytes, b"");
    let head = merge(&Sides { theirs: &theirs, ..sides }, &Rules::default(), None);
    assert_eq!(head.bytes.to_str(), Ok("---\na: 2\n---\n"));
    assert_eq!(head.records[0].settled, Settled::ChangeKept(Side::Theirs));
}

#[test]
fn both_added_is_a_merge_against_nothing() {
    let [ours, theirs] = ["---\na: 1\ntags: [x]\n---\n", "---\ntags: [y]\nb: 1\n---\n"].map(Document::parse);
    let head = merge(&Sides { base: None, ours: &ours, theirs: &theirs }, &Rules::default(), None);
    assert_eq!(head.bytes.to_str(), Ok("---\na: 1\ntags: [x, y]\nb: 1\n---\n"));
}

#[test]
fn a_byte_order_mark_is_one_value() {
    let [bare, marked] = ["a\n", "\u{feff}a\n"].map(Document::parse);
    let merged = |base, ours, theirs| merge(&Sides { base, ours, theirs }, &Rules::default(), None).bytes;
    assert_eq!(merged(Some(&bare), &marked, &bare), BOM);
    assert_eq!(merged(Some(&marked), &marked, &bare), NOTHING.as_bytes());
    assert_eq!(merged(None, &bare, &marked), BOM);
}

#[test]
fn carriage_returns_stay() {
    let documents = ["tags: [a]\nt: 1\n", "tags: [a, b]\nt: 1\n", "tags: [a, c]\nt: 2\n"]
        .map(|text| Document::parse(format!("---\n{text}---\nx\n").replace('\n', "\r\n")));
    let [base, ours, theirs] = &documents;
    let disputed = ["s".to_owned()];
    let head = merge(&Sides { base: Some(base), ours, theirs }, &Rules::default(), Some(&disputed));
    assert_eq!(Document::parse(head.bytes.clone()).attributes().line_ending, LineEnding::CrLf);
    assert_eq!(head.bytes.to_str(), Ok("---\r\ntags: [a, b, c]\r\ndisputed: [s]\r\nt: 2\r\n---\r\n"));
}

#[test]
fn a_fence_without_a_line_ending_gets_one_where_a_body_follows() {
    let [base, ours, theirs] =
        ["---\na: 1\n---\nx\n", "---\na: 2\n---", "---\na: 1\n---\ny\n"].map(Document::parse);
    let head = merge(&Sides { base: Some(&base), ours: &ours, theirs: &theirs }, &Rules::default(), None);
    assert_eq!(head.bytes.to_str(), Ok("---\na: 2\n---\n"));
}

#[test]
fn a_side_taken_as_a_whole_leaves_a_record_of_what_the_other_changed() {
    let texts = ["a: 1\nb: 1\nc: 1\n", "a: 2\nb: 2\nc: 1\n", "a: 1\nb: 3\nd: 1\n"];
    let documents = documents(texts);
    let chunks = documents.each_ref().map(|document| match chunks::read(document) {
        Front::Fields(fields) => fields.chunks,
        other => panic!("{other:?}"),
    });
    let records = differences(chunks.each_ref().map(Vec::as_slice), Side::Ours);
    let places: Vec<_> =
        records.iter().map(|record| (&record.place, record.texts.of(Side::Theirs))).collect();
    let field = |key: &str| MergePlace::Field { field: key.to_owned() };
    assert_eq!(places, [(&field("b"), Some("b: 3\n")), (&field("c"), None), (&field("d"), Some("d: 1\n"))]);
}

#[test]
fn blank_lines_do_not_become_text_of_the_field_above() {
    let text = quiet(["s: x\nz: 1\n", "s: x\n\nn: 1\nz: 1\n", "s: |+\n  t\nz: 1\n"]);
    assert_eq!(text, "s: |+\n  t\nn: 1\nz: 1\n");
}
