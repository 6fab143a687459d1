//! The weights and kinds of many sentences agree with those of the prototype, and every pattern is in one of them.

use super::scanner::{Border, List, Scanner};
use super::weigh::LISTS;
use super::{kind, weigh};
use brv_base::english::list::lines;

/// Written for these tests: each pattern with borders that fit and borders that do not.
const SENTENCES: &str = include_str!("agreement.tsv");

/// `weight TAB kind TAB sentence`.
fn rows(text: &str) -> impl Iterator<Item = (i32, &str, &str)> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut parts = line.splitn(3, '\t');
        let weight = parts.next().unwrap().parse().unwrap();
        (weight, parts.next().unwrap(), parts.next().unwrap())
    })
}

fn assert_all_agree(text: &str) {
    let mut differences = Vec::new();
    let mut count = 0;
    for (weight, expected, sentence) in rows(text) {
        let weighed = weigh(sentence);
        let own = (weighed.weight, kind(weighed.marks).as_str());
        if own != (weight, expected) {
            differences.push(format!("{sentence}\n  {own:?} for {:?}", (weight, expected)));
        }
        count += 1;
    }
    assert!(differences.is_empty(), "{} of {count}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn weights_and_kinds_are_those_of_the_prototype() {
    assert!(rows(SENTENCES).count() > 1500);
    assert_all_agree(SENTENCES);
}

/// The lists for the start of a sentence, which no automaton of all lists has.
const AT_START: [&str; 5] = [
    include_str!("lists/references.txt"),
    include_str!("lists/step_leads.txt"),
    include_str!("lists/step_subjects.txt"),
    include_str!("lists/test_reports.txt"),
    include_str!("lists/test_openings.txt"),
];

/// The lists for some place that code finds.
const INSIDE: [&str; 3] = [
    include_str!("lists/extensions.txt"),
    include_str!("lists/measure.txt"),
    include_str!("lists/test_things.txt"),
];

#[test]
fn every_pattern_is_in_a_sentence() {
    let sentences: Vec<&str> = rows(SENTENCES).map(|(_, _, sentence)| sentence).collect();
    let text = sentences.join("\n");
    let starts = AT_START.map(|text| List::new(0, Border::Line, text));
    let inside = INSIDE.map(|text| List::new(0, Border::Finish, text));
    for list in LISTS.into_iter().chain(starts).chain(inside) {
        let all: Vec<&str> = lines(list.text).collect();
        for some in all.chunks(32) {
            let scanner = Scanner::new((0..).zip(some).map(|(id, text)| List { text, id, ..list }));
            let found = scanner.found(&text);
            let missing = (0..some.len()).find(|id| found & (1 << id) == 0).map(|id| some[id]);
            assert_eq!(missing, None);
        }
    }
    let lower = text.to_ascii_lowercase();
    for verb in lines(include_str!("lists/steps.txt")) {
        let stem = &verb[..verb.len() - 1];
        assert!(lower.lines().any(|sentence| sentence.starts_with(stem)), "{verb}");
    }
}
