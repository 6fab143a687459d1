//! Plain BM25 with the values of the textbooks, and English stop words.

use std::collections::{BTreeMap, BTreeSet};

/// How fast repeated words stop to count, and how much long entries lose.
const K1: f64 = 1.2;
const B: f64 = 0.75;

const STOP_WORDS: &str = "a about after all also an and any are as at be because been before being but by can could did do \
    does doing for from had has have having he her here him his how i if in into is it its just may me might more most must \
    my no not of off on once only or other our out over own same shall she should so some such than that the their them \
    then there these they this those through to too under until up very was we were what when where which while who whom \
    whose why will with would you your";

/// Entries, ready to be ranked.
pub struct Bm25 {
    entries: Vec<Entry>,
    /// In how many entries a word is.
    frequency: BTreeMap<String, usize>,
    mean_length: f64,
}

struct Entry {
    path: String,
    words: BTreeMap<String, usize>,
    length: usize,
}

impl Bm25 {
    /// The entries by their paths.
    pub fn new(texts: &BTreeMap<String, String>) -> Self {
        let entry = |(path, text): (&String, &String)| {
            let mut counts = BTreeMap::new();
            let all = words(text);
            for word in &all {
                *counts.entry(word.clone()).or_default() += 1;
            }
            Entry { path: path.clone(), words: counts, length: all.len() }
        };
        let entries: Vec<Entry> = texts.iter().map(entry).collect();
        let mut frequency = BTreeMap::new();
        for word in entries.iter().flat_map(|entry| entry.words.keys()) {
            *frequency.entry(word.clone()).or_default() += 1;
        }
        let length: usize = entries.iter().map(|entry| entry.length).sum();
        let mean_length = length as f64 / entries.len() as f64;
        Self { entries, frequency, mean_length }
    }

    /// The entries that match, with their scores, the best first.
    pub fn ranked(&self, question: &str) -> Vec<(String, f64)> {
        let asked: BTreeSet<String> = words(question).into_iter().collect();
        let score = |entry: &Entry| -> f64 {
            let norm = K1 * (1.0 - B + B * entry.length as f64 / self.mean_length);
            let gain = |word: &String| {
                let count = entry.words.get(word).copied().unwrap_or_default() as f64;
                self.idf(word) * count * (K1 + 1.0) / (count + norm)
            };
            asked.iter().map(gain).sum()
        };
        let all = self.entries.iter().map(|entry| (entry.path.clone(), score(entry)));
        let mut ranked: Vec<(String, f64)> = all.filter(|(_, score)| *score > 0.0).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        ranked
    }

    /// The share of a question's weight (idf) that an entry has.
    pub fn covered(&self, question: &str, path: &str) -> f64 {
        let asked: BTreeSet<String> = words(question).into_iter().collect();
        let entry = self.entries.iter().find(|entry| entry.path == path);
        let has = |word: &&String| entry.is_some_and(|entry| entry.words.contains_key(*word));
        let all: f64 = asked.iter().map(|word| self.idf(word)).sum();
        let had: f64 = asked.iter().filter(has).map(|word| self.idf(word)).sum();
        if all > 0.0 { had / all } else { 0.0 }
    }

    fn idf(&self, word: &str) -> f64 {
        let with = self.frequency.get(word).copied().unwrap_or_default() as f64;
        (1.0 + (self.entries.len() as f64 - with + 0.5) / (with + 0.5)).ln()
    }
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let all = lower.split(|letter: char| !letter.is_alphanumeric());
    let is_stop_word = |word: &str| STOP_WORDS.split_whitespace().any(|stop| stop == word);
    all.filter(|word| !word.is_empty() && !is_stop_word(word)).map(str::to_owned).collect()
}
