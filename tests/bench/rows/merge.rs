//! Merging entries, in this process.

use crate::corpus;
use crate::lab::Lab;
use crate::table::Sample;
use brv_text::merge::{self, Rules, Versions};
use std::time::Instant;

const BOTH: &str = "merge of a 4 KB entry that both sides changed, in memory";
const PROSE: &str = "merge of 4 KB of prose that both sides changed, in memory";

/// So many merges make one sample, which is their mean.
const MERGES: u32 = 200;

pub fn run(lab: &Lab) {
    let near = |text: &str| text.len().abs_diff(4096);
    let files = corpus::files(2000);
    let entries = files.iter().filter(|file| file.text.contains("## Facts\n"));
    let entry = &entries.min_by_key(|file| near(&file.text)).expect("the corpus has entries").text;
    let ours = ours(entry);
    let theirs = theirs(entry);
    measure(lab, BOTH, [entry, &ours, &theirs]);
    let prose: String =
        entry.lines().filter(|line| line.starts_with("The ")).map(|line| format!("{line}\n\n")).collect();
    let edit = |old: &str, new: &str| {
        let at = prose.rfind(old).expect("it has both words");
        format!("{}{new}{}", &prose[..at], &prose[at + old.len()..])
    };
    measure(lab, PROSE, [&prose, &prose.replacen("The ", "This ", 1), &edit("the", "that")]);
}

/// A new fact, a new tag, an edited paragraph, a new time.
fn ours(entry: &str) -> String {
    let entry = corpus::edited(entry.as_bytes(), 1);
    let entry = String::from_utf8(entry).expect("text in, text out");
    let entry = entry.replacen("tags: [", "tags: [first, ", 1).replacen(
        "### Structure\nThe",
        "### Structure\nThis",
        1,
    );
    timed(&entry, "2026-01-01T00:00:00.000Z")
}

/// Another fact, another keyword, one more rule, another time.
fn theirs(entry: &str) -> String {
    let entry = corpus::edited(entry.as_bytes(), 2);
    let entry = String::from_utf8(entry).expect("text in, text out");
    let entry = entry.replacen("keywords: [", "keywords: [second, ", 1).replacen(
        "### Rules\n",
        "### Rules\n- One more rule.\n",
        1,
    );
    timed(&entry, "2026-01-02T00:00:00.000Z")
}

fn timed(entry: &str, time: &str) -> String {
    let start = entry.find("updatedAt: '").expect("every entry has one") + "updatedAt: '".len();
    let end = start + entry[start..].find('\'').expect("it is quoted");
    format!("{}{time}{}", &entry[..start], &entry[end..])
}

fn measure(lab: &Lab, row: &str, [base, ours, theirs]: [&str; 3]) {
    let versions = Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    lab.solo(row, 4 * lab.options.rounds, || {
        let begun = Instant::now();
        for _ in 0..MERGES {
            let outcome = merge::merge(std::hint::black_box(&versions), &Rules::default());
            assert!(std::hint::black_box(&outcome).is_clean());
        }
        Sample::wall(begun.elapsed().as_secs_f64() / f64::from(MERGES))
    });
}
