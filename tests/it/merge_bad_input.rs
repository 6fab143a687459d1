//! Merges of malformed files: no panic, no lost byte, no excessive time.

use brv_text::merge::{Outcome, Reason, Rules, Versions, merge};
use std::time::{Duration, Instant};

const ENTRY: &str = "---\ntitle: Tokens\ntags: [auth]\n---\n\n# Tokens\n\nThey live a day.\n\n- a rule\n\n## Facts\n\n- **ttl**: a day [project]\n";

/// Merge in both directions: symmetric results must be equal.
fn merged(base: &[u8], ours: &[u8], theirs: &[u8]) -> Outcome {
    let outcome = merge(&Versions { base: Some(base), ours, theirs }, &Rules::default());
    let swapped = merge(&Versions { base: Some(base), ours: theirs, theirs: ours }, &Rules::default());
    assert_eq!(outcome.is_clean(), swapped.is_clean());
    if outcome.is_clean() {
        assert_eq!(outcome.bytes, swapped.bytes);
    }
    outcome
}

fn text(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.bytes).unwrap()
}

/// All new lines of both sides are in the result, in a record or in a conflict.
fn accounted(base: &str, outcome: &Outcome, versions: [&str; 2]) {
    let records = outcome.records.iter().map(|record| &record.texts);
    let told = records.chain(outcome.conflicts.iter().map(|conflict| &conflict.texts));
    let told: Vec<&str> =
        told.flat_map(|texts| [&texts.ours, &texts.theirs]).flatten().map(String::as_str).collect();
    let result = String::from_utf8_lossy(&outcome.bytes);
    for line in versions.iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty()) {
        let is_new = base.lines().all(|known| known.trim() != line);
        let is_there = !is_new || result.lines().any(|found| found.trim() == line);
        assert!(is_there || told.iter().any(|text| text.contains(line)), "{line:?} is gone: {outcome:?}");
    }
}

#[test]
fn frontmatter_that_cannot_be_read_leaves_the_other_sides_and_is_reported_and_the_body_is_merged() {
    let ours =
        ENTRY.replace("title: Tokens", "title: [Tokens").replace("- a rule\n", "- a rule\n- our rule\n");
    let theirs = ENTRY.replace("tags: [auth]", "tags: [auth, api]").replace("a day [", "an hour [");
    for (ours, theirs, broken) in
        [(&ours, &theirs, Reason::OurFrontmatter), (&theirs, &ours, Reason::TheirFrontmatter)]
    {
        let outcome = merged(ENTRY.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        assert_eq!(outcome.conflicts.len(), 1);
        assert_eq!(outcome.conflicts[0].reason, broken);
        assert!(
            text(&outcome).starts_with("---\ntitle: Tokens\ntags: [auth, api]\n---\n"),
            "{}",
            text(&outcome)
        );
        assert!(text(&outcome).contains("- a rule\n- our rule\n"));
        assert!(text(&outcome).contains("an hour [project]"));
        let kept = format!("{:?}", outcome.conflicts[0].texts);
        assert!(kept.contains("title: [Tokens"), "the bytes of the broken side are kept: {kept}");
    }
}

#[test]
fn markers_that_are_there_already_are_lines_and_none_of_them_is_lost() {
    let marked = ENTRY.replace(
        "They live a day.",
        "<<<<<<< ours\nThey live an hour.\n=======\nThey live a week.\n>>>>>>> theirs",
    );
    let theirs = ENTRY.replace("- a rule\n", "- a rule\n- their rule\n");
    let outcome = merged(ENTRY.as_bytes(), marked.as_bytes(), theirs.as_bytes());
    accounted(ENTRY, &outcome, [&marked, &theirs]);
    let both = marked.replace("an hour", "a minute");
    let outcome = merged(marked.as_bytes(), both.as_bytes(), theirs.as_bytes());
    assert!(!outcome.is_clean() || text(&outcome).contains("a minute"));
}

#[test]
fn one_side_has_other_line_endings() {
    let ours = ENTRY.replace('\n', "\r\n");
    let theirs = ENTRY.replace("- a rule\n", "- a rule\n- their rule\n");
    let outcome = merged(ENTRY.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert!(outcome.is_clean(), "{:#?}\n{}", outcome.conflicts, text(&outcome));
    assert_eq!(text(&outcome), theirs.replace('\n', "\r\n"));
    let mixed = ENTRY.replacen('\n', "\r\n", 7);
    let outcome = merged(ENTRY.as_bytes(), mixed.as_bytes(), theirs.as_bytes());
    accounted(ENTRY, &outcome, [&mixed, &theirs]);
}

#[test]
fn the_last_line_may_have_no_end() {
    let bare = ENTRY.trim_end();
    for (base, ours) in [(ENTRY, bare), (bare, ENTRY), (bare, bare)] {
        let ours = ours.replace("a day.", "an hour.");
        let theirs = base.replace("- a rule\n", "- a rule\n- their rule\n");
        let outcome = merged(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        assert!(outcome.is_clean(), "{:#?}\n{}", outcome.conflicts, text(&outcome));
        accounted(base, &outcome, [&ours, &theirs]);
    }
    accounted("a", &merged(b"a", b"b", b"c"), ["b", "c"]);
}

#[test]
fn fences_that_nothing_closes_swallow_no_line() {
    let base = "# T\n\ntext\n\n```sh\nmake\n";
    let ours = "# T\n\ntext\n\nnew\n\n```sh\nmake\n";
    let theirs = "# T\n\ntext\n\n```sh\nmake\nmake install\n## Facts\n- **a**: b\n";
    accounted(base, &merged(base.as_bytes(), ours.as_bytes(), theirs.as_bytes()), [ours, theirs]);
    let opened = base.replace("text", "~~~\ntext");
    accounted(base, &merged(base.as_bytes(), opened.as_bytes(), theirs.as_bytes()), [&opened, theirs]);
}

#[test]
fn headings_underlined_html_and_what_else_markdown_has() {
    let base = "Title\n=====\n\nSub\n---\n\n<div>\nhtml\n</div>\n\n<!-- a\n\ncomment -->\n\n[x]: https://example.org\n\n***\n\n    code\n\n[^1]: note\n";
    let ours =
        base.replace("html", "our html").replace("    code", "    our code").replace("note", "our note");
    let theirs = base
        .replace("Sub\n---", "Section\n-------")
        .replace("comment", "their comment")
        .replace("example.org", "example.com");
    let outcome = merged(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert!(outcome.is_clean(), "{:#?}\n{}", outcome.conflicts, text(&outcome));
    accounted(base, &outcome, [&ours, &theirs]);
    let others = base.replace("html", "their html").replace("Title\n=====", "Name\n====");
    accounted(base, &merged(base.as_bytes(), ours.as_bytes(), others.as_bytes()), [&ours, &others]);
}

#[test]
fn a_part_of_a_document_may_be_all_of_it() {
    let head = "---\ntitle: T\n---\n";
    let cases = [
        (head, "---\ntitle: A\n---\n", "---\ntitle: T\ntags: [x]\n---\n"),
        (head, "", "---\ntitle: T\n---\nbody\n"),
        (ENTRY, "", "---\ntitle: Tokens\n---\n"),
        ("", ENTRY, "---\ntitle: Tokens\n---\n"),
        ("", "\n\n\n", "a\n"),
        ("a\n", "", "b\n"),
        ("---\n", "---\n---\n", "---\na: b\n"),
        ("\u{feff}", "\u{feff}a\n", "b\n"),
    ];
    for (base, ours, theirs) in cases {
        let outcome = merged(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        // fields are merged by value, and a byte order mark is not a character of the first line
        let body = |side: &str| {
            side.lines()
                .filter(|line| !line.contains(": "))
                .collect::<Vec<_>>()
                .join("\n")
                .replace('\u{feff}', "")
        };
        accounted(base, &outcome, [&body(ours), &body(theirs)]);
    }
}

#[test]
fn bytes_that_are_no_text_stand_whole_or_line_by_line() {
    let outcome = merged(b"a\0b\n", b"a\0c\n", b"a\0d\n");
    assert_eq!((&outcome.bytes[..], outcome.conflicts[0].reason), (&b"a\0c\n"[..], Reason::NotText));
    assert_eq!(outcome.conflicts.len(), 1);
    let latin = |text: &str| {
        text.bytes().flat_map(|byte| if byte == b'~' { vec![0xe9] } else { vec![byte] }).collect::<Vec<u8>>()
    };
    let (base, ours, theirs) =
        (latin("caf~\nb\nc\nd\ne\n"), latin("caf~ noir\nb\nc\nd\ne\n"), latin("caf~\nb\nc\nd\n~t~\n"));
    let outcome = merged(&base, &ours, &theirs);
    assert!(outcome.is_clean());
    assert_eq!(outcome.bytes, latin("caf~ noir\nb\nc\nd\n~t~\n"));
}

#[test]
fn characters_that_hide_are_characters() {
    let base = "# T\n\n- one\n- two\n\nwords\n";
    let ours = "# T\n\n- one\u{202e}eno\u{2066}\n- two\n\nwords\n";
    let theirs = "# T\n\n- one\n- two\n- three\u{200b}\n\nwo\u{ad}rds \u{2028} and\u{85} more\n";
    let outcome = merged(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert!(outcome.is_clean(), "{:#?}\n{}", outcome.conflicts, text(&outcome));
    for part in ["\u{202e}eno\u{2066}\n", "three\u{200b}\n", "wo\u{ad}rds \u{2028} and\u{85} more\n"] {
        assert!(text(&outcome).contains(part), "{part:?}");
    }
}

/// A large input: base, ours, theirs, with about this many lines or bytes.
type Shape = fn(usize) -> [String; 3];

/// Each kind of input with the size at which it is tried.
const SHAPES: [(&str, usize, Shape); 9] = [
    ("a line of 1 MiB", 1 << 20, |size| {
        let line = "word ".repeat(size / 5);
        [format!("a\n\n{line}\n\nb\n"), format!("our a\n\n{line}\n\nb\n"), format!("a\n\n{line}more\n\nb\n")]
    }),
    ("a line of 1 MiB that both change", 1 << 20, |size| {
        let line = "word ".repeat(size / 5);
        [format!("{line}\n"), format!("our {line}\n"), format!("{line} their\n")]
    }),
    ("many paragraphs", 33_000, |size| three_of(size, |at| format!("Paragraph {at} says something.\n\n"))),
    ("many items", 100_000, |size| three_of(size, |at| format!("- item {at}\n"))),
    ("many facts", 20_000, |size| {
        three_of(size, |at| format!("- **subject {at}**: so [project]\n"))
            .map(|text| format!("## Facts\n\n{text}"))
    }),
    ("many sections", 20_000, |size| three_of(size, |at| format!("## Section {at}\n\ntext\n\n"))),
    ("many equal lines", 100_000, |size| three_of(size, |_| "- the same\n".to_owned())),
    ("many rows", 50_000, |size| {
        three_of(size, |at| format!("| {at} | b |\n")).map(|rows| format!("| a | b |\n| --- | --- |\n{rows}"))
    }),
    ("a deep list", 2_000, |size| three_of(size, |at| format!("{}- level {at}\n", "  ".repeat(at)))),
];

fn three_of(size: usize, line: fn(usize) -> String) -> [String; 3] {
    let lines: Vec<String> = (0..size).map(line).collect();
    let side = |at: usize, end: &str| {
        let mut lines = lines.clone();
        lines[at] = lines[at].replacen(|c: char| c.is_ascii_digit() || c == 'm', end, 1);
        lines.concat()
    };
    [lines.concat(), side(size / 3, "ours"), side(2 * size / 3, "theirs")]
}

/// The fastest time of a merge of this input.
fn time_of(shape: Shape, size: usize) -> Duration {
    let [base, ours, theirs] = shape(size);
    let once = || {
        let start = Instant::now();
        let outcome = merge(
            &Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() },
            &Rules::default(),
        );
        assert!(outcome.bytes.len() >= base.len());
        start.elapsed()
    };
    once().min(once())
}

#[test]
fn what_is_larger_takes_longer_in_proportion() {
    for (name, size, shape) in SHAPES {
        // a deep list has more than four times the bytes
        let growth = shape(size / 4)[0].len() / shape(size / 16)[0].len();
        let times = || (time_of(shape, size / 16), time_of(shape, size / 4));
        let is_fine = |(small, large): (Duration, Duration)| {
            large < small * u32::try_from(growth * 5 / 2).unwrap() + Duration::from_millis(50)
        };
        // a slow moment of the machine is not a failure
        let (first, second) = (times(), times());
        assert!(
            is_fine(first) || is_fine(second),
            "{name}: {first:?}, then {second:?}, of {growth} times the bytes"
        );
    }
}

#[test]
fn large_files_lose_nothing() {
    for (name, size, shape) in SHAPES {
        let [base, ours, theirs] = shape(size / 4);
        let outcome = merge(
            &Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() },
            &Rules::default(),
        );
        let changed = |side: &str| {
            side.lines()
                .zip(base.lines())
                .filter(|(new, old)| new != old)
                .map(|(new, _)| new.trim().to_owned())
                .collect::<Vec<_>>()
        };
        for line in changed(&ours).into_iter().chain(changed(&theirs)) {
            assert!(text(&outcome).contains(&line), "{name}: {}", &line[..line.len().min(80)]);
        }
    }
}

/// `BRV_TIMES=1 cargo test --release --test it merge_bad_input:: -- --nocapture` prints all times at full size.
#[test]
fn times_can_be_printed() {
    if std::env::var_os("BRV_TIMES").is_some() {
        for (name, size, shape) in SHAPES {
            println!("{name}: {:?}", time_of(shape, size));
        }
    }
}
