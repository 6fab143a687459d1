//! Every case of `fixtures/merge`: three versions in, one out, as `case.yaml` and `expected.md` say.
//!
//! Each case runs as it is and with the sides swapped; its result is merged again, and parsed again. Known wrong
//! results are in `fixtures/merge-known-wrong`; such a case fails here once it is right. `BRV_MERGE=NAME` runs only the
//! cases whose name contains `NAME` and prints their results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use brv_text::doc::Document;
use brv_text::merge::{
    Attribute, Conflict, Disputes, Format, MergePlace, Method, Names, Outcome, Reason, Record, Rules,
    Settled, Side, Undecided, Versions, merge,
};
use serde::Deserialize;

/// The minimum number of cases in the corpus.
const AT_LEAST: usize = 270;

/// `case.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    /// The step of the cascade that makes the result, if that matters.
    method: Option<String>,
    clean: bool,
    #[serde(default)]
    records: Vec<ToldRecord>,
    #[serde(default)]
    conflicts: Vec<ToldConflict>,
    #[serde(default)]
    rules: ToldRules,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToldRecord {
    place: String,
    settled: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToldConflict {
    place: String,
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToldRules {
    #[serde(default)]
    committed: [i64; 2],
    undecided: Option<String>,
    disputes: Option<String>,
    format: Option<String>,
}

/// The direction in which a case is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    AsItIs,
    Swapped,
}

struct Case {
    name: String,
    base: Option<Vec<u8>>,
    ours: Vec<u8>,
    theirs: Vec<u8>,
    expected: Vec<u8>,
    /// The result with swapped sides, if it is not `expected` with its sides swapped.
    swapped: Option<Vec<u8>>,
    told: Told,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn names(corpus: &str) -> BTreeSet<String> {
    let Ok(entries) = std::fs::read_dir(folder(corpus)) else { return BTreeSet::new() };
    let folders = entries.map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

impl Case {
    fn read(corpus: &str, name: &str) -> Case {
        let folder = folder(corpus).join(name);
        let read = |file: &str| std::fs::read(folder.join(file)).ok();
        let must = |file: &str| read(file).unwrap_or_else(|| panic!("{name} has no {file}"));
        let told =
            serde_yaml::from_slice(&must("case.yaml")).unwrap_or_else(|e| panic!("{name}/case.yaml: {e}"));
        Case {
            name: name.to_owned(),
            base: read("base.md"),
            ours: must("ours.md"),
            theirs: must("theirs.md"),
            expected: must("expected.md"),
            swapped: read("swapped.md"),
            told,
        }
    }

    fn merged(&self, turn: Turn) -> Outcome {
        let base = self.base.as_deref();
        let [ours, theirs] = turned([self.ours.as_slice(), self.theirs.as_slice()], turn);
        merge(&Versions { base, ours, theirs }, &self.rules(turn))
    }

    fn rules(&self, turn: Turn) -> Rules<'static> {
        let told = &self.told.rules;
        let [ours, theirs] = turned(["ours", "theirs"], turn);
        let undecided = match told.undecided.as_deref() {
            None => Undecided::Mark,
            Some("ours") => by_turn(turn, Undecided::Ours, Undecided::Theirs),
            Some("theirs") => by_turn(turn, Undecided::Theirs, Undecided::Ours),
            Some("both") => Undecided::Both,
            Some("base") => Undecided::Base,
            Some(other) => panic!("{}: undecided: {other}", self.name),
        };
        let disputes = match told.disputes.as_deref() {
            None => Disputes::Keep,
            Some("conflict") => Disputes::Conflict,
            Some(other) => panic!("{}: disputes: {other}", self.name),
        };
        let format = match told.format.as_deref() {
            None => Format::Document,
            Some("lines") => Format::Lines,
            Some(other) => panic!("{}: format: {other}", self.name),
        };
        let committed = turned(told.committed, turn);
        Rules {
            names: Names { base: "base", ours, theirs },
            committed,
            undecided,
            disputes,
            format,
            ..Rules::default()
        }
    }

    fn wanted(&self, turn: Turn) -> Vec<u8> {
        match (turn, &self.swapped) {
            (Turn::AsItIs, _) => self.expected.clone(),
            (Turn::Swapped, Some(swapped)) => swapped.clone(),
            (Turn::Swapped, None) => exchanged(&self.expected),
        }
    }

    /// Everything that is wrong with the case; empty if nothing is.
    fn wrong(&self) -> String {
        let mut wrong = String::new();
        for turn in [Turn::AsItIs, Turn::Swapped] {
            let outcome = self.merged(turn);
            let mut found = String::new();
            self.compare(&outcome, turn, &mut found);
            self.laws(&outcome, turn, &mut found);
            if !found.is_empty() {
                writeln!(wrong, "  {}:\n{found}", by_turn(turn, "as it is", "swapped")).unwrap();
                // a case that is wrong in one direction is seldom right in the other
                break;
            }
        }
        wrong
    }

    fn compare(&self, outcome: &Outcome, turn: Turn, found: &mut String) {
        let wanted = self.wanted(turn);
        if outcome.bytes != wanted {
            writeln!(found, "    bytes (- expected, + merged):\n{}", difference(&wanted, &outcome.bytes))
                .unwrap();
        }
        if outcome.is_clean() != self.told.clean {
            writeln!(found, "    clean is {}", outcome.is_clean()).unwrap();
        }
        if let Some(method) = &self.told.method
            && *method != method_name(outcome.method)
        {
            writeln!(found, "    method is {:?}, not {method}", outcome.method).unwrap();
        }
        let told = self.told.records.iter().map(|r| format!("{}: {}", r.place, swap_word(&r.settled, turn)));
        differ(
            "records",
            told,
            outcome.records.iter().filter(|r| !is_time(&r.place)).map(record_name),
            found,
        );
        let told = self.told.conflicts.iter().map(|c| format!("{}: {}", c.place, swap_word(&c.reason, turn)));
        differ("conflicts", told, outcome.conflicts.iter().map(conflict_name), found);
    }

    /// A rule that takes one side gives the same as taking that side between all markers.
    fn decided(&self, outcome: &Outcome, turn: Turn, found: &mut String) {
        if outcome.conflicts.is_empty() || outcome.conflicts.iter().any(|conflict| conflict.span.is_none()) {
            return;
        }
        let [ours, theirs] = turned([self.ours.as_slice(), self.theirs.as_slice()], turn);
        let rules = self.rules(turn);
        for (taken, undecided) in
            [Undecided::Ours, Undecided::Base, Undecided::Theirs].into_iter().enumerate()
        {
            let ruled = Rules { undecided, ..rules };
            let ruled = merge(&Versions { base: self.base.as_deref(), ours, theirs }, &ruled).bytes;
            let picked = parts(&outcome.bytes, |_, parts| parts[taken].clone());
            if words(&ruled) != words(&picked) {
                let difference = difference(&picked, &ruled);
                writeln!(
                    found,
                    "    {undecided:?} (- taken between the markers, + merged so):\n{difference}"
                )
                .unwrap();
            }
        }
    }

    /// Check what holds for every result.
    fn laws(&self, outcome: &Outcome, turn: Turn, found: &mut String) {
        let rules = self.rules(turn);
        let [ours, theirs] = turned([self.ours.as_slice(), self.theirs.as_slice()], turn);
        let base = self.base.as_deref();
        let result = outcome.bytes.as_slice();
        let mut again = |base, ours, theirs, words: &str| {
            let again = merge(&Versions { base, ours, theirs }, &rules);
            if again.bytes != result {
                writeln!(found, "    {words} changes it:\n{}", difference(result, &again.bytes)).unwrap();
            }
        };
        again(Some(theirs), result, theirs, "merging theirs, which is in the history by now,");
        again(base, result, result, "merging it with itself");
        // commit times and the rule for conflicts must not show in the result
        let told = &self.told.rules;
        if outcome.is_clean() && told.committed == [0, 0] && told.undecided.is_none() {
            again(base, result, theirs, "merging theirs again");
            again(base, ours, result, "merging it into ours");
        }
        self.decided(outcome, turn, found);
        for conflict in &outcome.conflicts {
            let Some(span) = conflict.span.clone() else { continue };
            let marked = result.get(span).unwrap_or_default().trim_ascii_end();
            let last = marked.split(|&byte| byte == b'\n').next_back().unwrap_or_default();
            if !(marked.starts_with(b"<<<<<<< ") && last.starts_with(b">>>>>>> ")) {
                writeln!(found, "    a span is not that of markers: {:?}", String::from_utf8_lossy(marked))
                    .unwrap();
            }
        }
        let well_formed = |bytes: &[u8]| Document::parse(bytes).problems().is_empty();
        let sides = [base.unwrap_or_default(), ours, theirs];
        if rules.format == Format::Document && sides.into_iter().all(well_formed) && !well_formed(result) {
            writeln!(found, "    it is not well-formed: {:?}", Document::parse(result).problems()).unwrap();
        }
    }
}

/// The lines that are not blank: an empty side may leave one more blank line between the markers.
fn words(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty()).collect()
}

fn by_turn<T>(turn: Turn, as_it_is: T, swapped: T) -> T {
    match turn {
        Turn::AsItIs => as_it_is,
        Turn::Swapped => swapped,
    }
}

fn turned<T>([ours, theirs]: [T; 2], turn: Turn) -> [T; 2] {
    match turn {
        Turn::AsItIs => [ours, theirs],
        Turn::Swapped => [theirs, ours],
    }
}

/// The text with each conflict between `ours` and `theirs`, in either order, replaced: the closure gets the line ending
/// and the texts of the first side, the base and the second side.
fn parts(text: &[u8], put: impl Fn(&[u8], [Vec<u8>; 3]) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    while let Some(line) = lines.next() {
        let last: &[u8] = match line.trim_ascii_end() {
            b"<<<<<<< ours" => b">>>>>>> theirs",
            b"<<<<<<< theirs" => b">>>>>>> ours",
            _ => {
                out.extend_from_slice(line);
                continue;
            }
        };
        let mut until = |marker: &[u8]| {
            lines.by_ref().take_while(|line| line.trim_ascii_end() != marker).collect::<Vec<_>>().concat()
        };
        let all = [until(b"||||||| base"), until(b"======="), until(last)];
        out.extend_from_slice(&put(&line[line.trim_ascii_end().len()..], all));
    }
    out
}

/// Swap the sides of all conflicts between `ours` and `theirs`, with their labels.
fn exchanged(text: &[u8]) -> Vec<u8> {
    parts(text, |ending, [ours, base, theirs]| {
        let marker = |words: &str| [words.as_bytes(), ending].concat();
        let [start, middle, last] = ["<<<<<<< theirs", "||||||| base", "======="].map(marker);
        [start, theirs, middle, base, last, ours, marker(">>>>>>> ours")].concat()
    })
}

/// Swap `ours` and `theirs` at the end of the text.
fn swap_word(words: &str, turn: Turn) -> String {
    let swap = |from: &str, to: &str| words.strip_suffix(from).map(|rest| format!("{rest}{to}"));
    match turn {
        Turn::AsItIs => words.to_owned(),
        Turn::Swapped => {
            swap(" ours", " theirs").or_else(|| swap(" theirs", " ours")).unwrap_or_else(|| words.to_owned())
        }
    }
}

fn differ(
    what: &str,
    told: impl Iterator<Item = String>,
    seen: impl Iterator<Item = String>,
    found: &mut String,
) {
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    let (told, seen) = (sorted(told.collect()), sorted(seen.collect()));
    if told != seen {
        writeln!(found, "    {what}: expected {told:#?}, found {seen:#?}").unwrap();
    }
}

/// A record that the later time was taken is not interesting.
fn is_time(place: &MergePlace) -> bool {
    const TIMES: [&str; 5] = ["createdAt", "updatedAt", "synthesized_at", "consolidated_at", "verified"];
    matches!(place, MergePlace::Field { field: name } if TIMES.contains(&name.as_str()))
}

fn method_name(method: Method) -> String {
    match method {
        Method::Equal => "equal".to_owned(),
        Method::OneSided(side) => format!("one-sided {}", side_name(side)),
        Method::Lines => "lines".to_owned(),
        Method::Meaning => "meaning".to_owned(),
        Method::Markers => "markers".to_owned(),
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Ours => "ours",
        Side::Theirs => "theirs",
    }
}

fn place_name(place: &MergePlace) -> String {
    match place {
        MergePlace::Field { field: name } => format!("field {name}"),
        MergePlace::Fact { subject: name } => format!("fact {name}"),
        MergePlace::Block { headings, .. } => format!("block {}", headings.join(" > ")).trim_end().to_owned(),
        MergePlace::Attribute { attribute: Attribute::LineEnding } => "line ending".to_owned(),
        MergePlace::Attribute { attribute: Attribute::ByteOrderMark } => "byte order mark".to_owned(),
        MergePlace::Attribute { attribute: Attribute::FinalNewline } => "final newline".to_owned(),
        MergePlace::Whole => "whole".to_owned(),
    }
}

fn record_name(record: &Record) -> String {
    let settled = match record.settled {
        Settled::Chosen(side) => format!("chosen {}", side_name(side)),
        Settled::Disputed => "disputed".to_owned(),
        Settled::ChangeKept(side) => format!("change kept {}", side_name(side)),
        Settled::BothKept => "both kept".to_owned(),
        Settled::Combined => "combined".to_owned(),
        Settled::BaseTaken => "base taken".to_owned(),
    };
    format!("{}: {settled}", place_name(&record.place))
}

fn conflict_name(conflict: &Conflict) -> String {
    let reason = match conflict.reason {
        Reason::Prose => "prose".to_owned(),
        Reason::Heading => "heading".to_owned(),
        Reason::Fence => "fence".to_owned(),
        Reason::Table => "table".to_owned(),
        Reason::NumberedList => "numbered list".to_owned(),
        Reason::Fact => "fact".to_owned(),
        Reason::Field => "field".to_owned(),
        Reason::OurFrontmatter => format!("frontmatter of {}", side_name(Side::Ours)),
        Reason::TheirFrontmatter => format!("frontmatter of {}", side_name(Side::Theirs)),
        Reason::BothFrontmatters => "both frontmatters".to_owned(),
        Reason::Lines => "lines".to_owned(),
        Reason::NotText => "not text".to_owned(),
        Reason::Unrelated => "unrelated".to_owned(),
        Reason::DeletedByUs | Reason::DeletedByThem | Reason::Renamed | Reason::FolderInItsPlace => {
            unreachable!("one file is in all versions")
        }
    };
    format!("{}: {reason}", place_name(&conflict.place))
}

/// The lines that differ, without common lines before and after.
fn difference(expected: &[u8], merged: &[u8]) -> String {
    let lines = |text: &[u8]| -> Vec<String> {
        text.split_inclusive(|&byte| byte == b'\n')
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect()
    };
    let (expected, merged) = (lines(expected), lines(merged));
    let before = expected.iter().zip(&merged).take_while(|(a, b)| a == b).count();
    let [expected, merged] = [&expected[before..], &merged[before..]];
    let after = expected.iter().rev().zip(merged.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut out = format!("      @ line {}\n", before + 1);
    for (sign, lines) in [('-', &expected[..expected.len() - after]), ('+', &merged[..merged.len() - after])]
    {
        for line in lines.iter().take(40) {
            let line = line.chars().take(160).collect::<String>();
            writeln!(out, "      {sign}{}", line.strip_suffix('\n').unwrap_or(&format!("{line}⏎ missing")))
                .unwrap();
        }
    }
    out
}

fn chosen() -> Option<String> {
    std::env::var("BRV_MERGE").ok().filter(|name| !name.is_empty())
}

#[test]
fn every_case_merges_as_expected_whichever_side_is_ours() {
    let wanted = chosen();
    let names = names("merge");
    assert!(names.len() >= AT_LEAST, "only {} cases", names.len());
    let mut failed = Vec::new();
    for name in names.iter().filter(|name| wanted.as_ref().is_none_or(|wanted| name.contains(wanted))) {
        let case = Case::read("merge", name);
        if wanted.is_some() {
            let outcome = case.merged(Turn::AsItIs);
            println!("{name}: {outcome:#?}\n{}", String::from_utf8_lossy(&outcome.bytes));
        }
        let wrong = case.wrong();
        if !wrong.is_empty() {
            failed.push(format!("{name}\n{wrong}"));
        }
    }
    assert!(failed.is_empty(), "{} of {} cases:\n{}", failed.len(), names.len(), failed.join("\n"));
}

/// Pairs of edits of one base in the corpus that no case combines: there is no expected result, but both directions
/// must give the same, with everything both sides added.
#[test]
fn any_two_edits_of_one_base_lose_nothing_and_merge_alike_both_ways() {
    let mut edits: BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, String>> = BTreeMap::new();
    for name in names("merge") {
        let case = Case::read("merge", &name);
        let Some(base) = case.base.filter(|_| case.told.rules.format.is_none()) else { continue };
        let of_base = edits.entry(base).or_default();
        of_base.entry(case.ours).or_insert_with(|| format!("{name}/ours"));
        of_base.entry(case.theirs).or_insert_with(|| format!("{name}/theirs"));
    }
    let mut wrong = Vec::new();
    let mut pairs = 0;
    for (base, edits) in &edits {
        for (at, (ours, first)) in edits.iter().enumerate() {
            // every third pair: all of them take a quarter of a minute
            for (theirs, second) in edits.iter().skip(at + 1 + at % 3).step_by(3) {
                pairs += 1;
                let found = pair(base, ours, theirs);
                if !found.is_empty() {
                    wrong.push(format!("{first} and {second}:\n{found}"));
                }
            }
        }
    }
    assert!(pairs > 900, "only {pairs} pairs");
    assert!(wrong.is_empty(), "{} of {pairs} pairs:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is wrong with the merge of two sides.
fn pair(base: &[u8], ours: &[u8], theirs: &[u8]) -> String {
    let mut found = String::new();
    let names = |ours, theirs| Rules { names: Names { base: "base", ours, theirs }, ..Rules::default() };
    let one = merge(&Versions { base: Some(base), ours, theirs }, &names("ours", "theirs"));
    let other = merge(&Versions { base: Some(base), ours: theirs, theirs: ours }, &names("theirs", "ours"));
    let no_markers = one.conflicts.iter().any(|conflict| conflict.span.is_none());
    if exchanged(&one.bytes) != other.bytes && !no_markers {
        let difference = difference(&exchanged(&one.bytes), &other.bytes);
        writeln!(found, "    swapped (- wanted, + merged):\n{difference}").unwrap();
    }
    let told = one.records.iter().map(|record| &record.texts).chain(one.conflicts.iter().map(|c| &c.texts));
    let told =
        told.flat_map(|texts| [&texts.ours, &texts.theirs]).flatten().cloned().collect::<Vec<_>>().join("\n");
    let body = |bytes: &[u8]| Document::parse(bytes).body().to_owned();
    let (result, base_body) = (body(&one.bytes), body(base));
    // numbered steps are renumbered after an insertion
    let bare = |line: &str| {
        let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit());
        // a definition may be taken out of its quote or item
        let text = line.trim_start_matches(['>', '-', ' ']);
        if text.starts_with('[') && text.contains("]:") { text.to_owned() } else { line.to_owned() }
    };
    let has = |text: &str, line: &str| text.lines().any(|other| bare(other) == line);
    for (side, text) in [("ours", body(ours)), ("theirs", body(theirs))] {
        let time = brv_text::doc::timestamp(&text).map(|range| &text[range]);
        // a record that the later of two times was taken is not interesting
        let is_time = |line: &&str| time.is_some_and(|time| line.contains(time));
        for line in text.lines().filter(|line| !is_time(line)).map(bare).filter(|line| !has(&base_body, line))
        {
            let line = line.as_str();
            if !has(&result, line) && !has(&told, line) {
                writeln!(found, "    lost of {side}: {line}").unwrap();
            }
            let times = |text: &str| text.lines().filter(|other| bare(other) == line).count();
            if one.is_clean()
                && line.len() > 12
                && times(&result) > times(&body(ours)).max(times(&body(theirs)))
            {
                writeln!(found, "    doubled: {line}").unwrap();
            }
        }
    }
    found
}

#[test]
fn what_is_known_to_be_wrong_still_is() {
    let right: Vec<String> = names("merge-known-wrong")
        .into_iter()
        .filter(|name| Case::read("merge-known-wrong", name).wrong().is_empty())
        .collect();
    assert!(right.is_empty(), "these are right now and belong into fixtures/merge: {}", right.join(", "));
}

#[test]
fn a_line_of_a_mebibyte_is_merged_like_any_other() {
    let long = "a word and ".repeat((1 << 20) / 11);
    let text = |first: &str, tag: &str, end: &str| {
        format!(
            "---\ntitle: Log\ntags: [a{tag}]\n---\n\n# Log\n\n{first}\n\n{long}{end}\n\n## Facts\n\n- **size**: one line\n"
        )
    };
    let merged = |base: &str, ours: &str, theirs: &str| {
        let sides = [base, ours, theirs].map(str::as_bytes);
        merge(&Versions { base: Some(sides[0]), ours: sides[1], theirs: sides[2] }, &Rules::default())
    };
    let clean = merged(&text("One.", "", ""), &text("Two.", ", b", ""), &text("One.", ", c", "more"));
    assert!(
        clean.is_clean(),
        "{:?}",
        clean.conflicts.iter().map(|conflict| &conflict.place).collect::<Vec<_>>()
    );
    assert!(clean.bytes == text("Two.", ", b, c", "more").into_bytes());
    let torn = merged(&text("One.", "", ""), &text("One.", ", b", "less"), &text("One.", ", c", "more"));
    assert_eq!(torn.conflicts.len(), 1);
    let kept = String::from_utf8(torn.bytes).unwrap();
    assert!([format!("\n{long}less\n"), format!("\n{long}more\n")].iter().all(|line| kept.contains(line)));
}

#[test]
fn every_case_has_its_line_in_the_list() {
    for corpus in ["merge", "merge-known-wrong"] {
        let text = std::fs::read_to_string(folder(corpus).join("README.md")).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("- `")?.split_once("`: "));
        let (listed, words): (Vec<&str>, Vec<&str>) = lines.unzip();
        assert!(words.iter().all(|words| words.len() > 20), "a case that is not described in {corpus}");
        let listed_once: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(listed_once.len(), listed.len(), "a case is listed twice in {corpus}");
        assert_eq!(listed_once, names(corpus), "the list in {corpus} and its folders");
    }
}

#[test]
fn only_the_markers_of_the_merge_have_their_sides_swapped() {
    let text = b"a\r\n<<<<<<< ours\r\no\r\n||||||| base\r\n=======\r\nt\r\n>>>>>>> theirs\r\nb\r\n";
    let swapped = exchanged(text);
    assert_eq!(swapped, b"a\r\n<<<<<<< theirs\r\nt\r\n||||||| base\r\n=======\r\no\r\n>>>>>>> ours\r\nb\r\n");
    let foreign = b"<<<<<<< HEAD\no\n=======\nt\n>>>>>>> main\n";
    assert_eq!(exchanged(foreign), foreign);
}
