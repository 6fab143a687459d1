//! Find the folder for a new entry, by search.

use super::covering::covering_entries;
use super::{HostCommit, Intake};
use brv_engine::Stop;
use brv_engine::query::search::SearchSession;
use brv_text::commits::{Lesson, place};
use brv_text::doc::Document;
use std::collections::BTreeMap;

/// How many entries speak for their folders.
const ENTRIES: usize = 12;

/// How many words of a lesson are searched for.
const WORDS: usize = 60;

/// How many files of a commit are compared with those that entries name.
const FILES: usize = 40;

/// The folder that fits a commit best.
pub(super) fn folder(
    intake: &Intake<'_>,
    session: &mut SearchSession<'_>,
    commit: &HostCommit,
    lesson: &Lesson,
) -> Result<String, Stop> {
    let changed: Vec<&str> = commit.files.iter().map(|file| file.path.as_str()).take(FILES).collect();
    let mut candidates: BTreeMap<String, place::Candidate> = BTreeMap::new();
    for text in [words(lesson), names(&changed)] {
        let found = covering_entries(intake, session, &text, ENTRIES)?;
        let most = found.iter().map(|entry| entry.ratio).fold(0.0, f64::max);
        let fit = place::fit(most, text.split_whitespace().count());
        for entry in found {
            let named = Document::parse(entry.bytes).concept().files;
            let folder = entry.path.folder().to_owned();
            let nearness = place::nearness(&named, &changed);
            let known = candidates.entry(entry.path.to_string());
            known.or_insert(place::Candidate {
                folder,
                likeness: fit * entry.ratio / most.max(1e-9),
                nearness,
            });
        }
    }
    let candidates: Vec<place::Candidate> = candidates.into_values().collect();
    Ok(place::choose(&candidates).unwrap_or_else(|| place::GENERAL.to_owned()))
}

/// The first words of what a lesson says.
pub(super) fn words(lesson: &Lesson) -> String {
    let facts = lesson.facts.iter().flat_map(|fact| fact.subject.iter().chain([&fact.statement]));
    let notes = lesson.notes.iter().map(|note| &note.text);
    let texts = lesson.title.iter().chain(facts).chain(notes);
    let words = texts.flat_map(|text| text.split_whitespace()).take(WORDS);
    // what is in quotes would be searched for as a phrase
    words.map(|word| word.replace('"', "")).collect::<Vec<_>>().join(" ")
}

/// The words of file names.
fn names(changed: &[&str]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in changed.iter().flat_map(|path| path.split(['/', '.', '_', '-'])) {
        if word.len() > 2 && !words.contains(&word) && words.len() < WORDS {
            words.push(word);
        }
    }
    words.join(" ")
}
