//! The order of the statements about files: the score of a statement, times how much of it is about them.

use super::names::{FileNameSet, Symbols};
use super::spoken::{Spoken, spoken};
use super::{ForFilesRequest, LearnedCommit, Left, RelevanceReason, RelevantEntry, cited};
use crate::brain::left::{LAST, MARK};
use crate::brain::score;
use crate::doc::normal;
use brv_base::sorting;
use std::cmp::Reverse;

/// How much counts of text around the statements, unless it names a file.
const PROSE: f64 = 0.5;

/// How much counts of an entry that cites the folder of a file.
const FOLDER: f64 = 0.5;

/// What says what to do or not to do counts more before an edit.
const BINDING: f64 = 1.3;

/// What names a file counts more.
const NAMED: f64 = 2.0;

/// What names something that a file introduces counts more, so that of a long list it comes first, even before what is binding.
const SYMBOL: f64 = 1.5;

/// A commit or entry about more files than this says nothing about one that changes beside others.
const FEW: usize = 3;

/// Something to show.
pub(super) struct RankedLine {
    /// The place of its entry.
    pub at: usize,
    pub line: String,
    /// The text, to find statements that occur twice.
    pub text: String,
    /// The branch that its commit was made on, if known; `None` if the commit is on a branch.
    pub unmerged: Option<Option<String>>,
    score: f64,
}

/// All statements about the files, the best first.
pub(super) fn ranked(asked: &ForFilesRequest<'_>, is_side: bool, known: &[RelevantEntry]) -> Vec<RankedLine> {
    let named = FileNameSet::of(asked.files);
    let mut symbols = Symbols::of(asked.code);
    let mut found: Vec<(RankedLine, crate::brain::Month, usize)> = Vec::new();
    for (at, entry) in known.iter().enumerate() {
        let listed = cited(&entry.document).len().max(1);
        let state = score::state(entry.freshness.as_ref(), entry.importance);
        for (number, one) in spoken(entry.path.as_str(), &entry.document).into_iter().enumerate() {
            let left = Left::titled(&entry.left, &one.statement.title);
            if left.is_some_and(|left| left.is_hidden) {
                continue;
            }
            let is_named = named.is_in(&one.line);
            let Some((share, files)) = share(entry, &one, listed, is_named) else { continue };
            let month = one.statement.month.unwrap_or(entry.changed).min(asked.newest);
            let factors = [
                weight(&one) * score::recency(month, asked.newest) * state * share,
                if is_named { NAMED } else { 1.0 },
                if symbols.are_in(&one.line) { SYMBOL } else { 1.0 },
                if left.is_some() { LAST } else { 1.0 },
                if one.statement.kind.is_binding() { BINDING } else { 1.0 },
                if one.is_prose && !is_named { PROSE } else { 1.0 },
            ];
            let score: f64 = factors.iter().product();
            if score > 0.0 && (!is_side || is_named || files <= FEW) {
                let line = if left.is_some() { marked(&one.line) } else { one.line };
                let unmerged = left.map(|left| left.branch.clone());
                found.push((
                    RankedLine { at, line, text: one.statement.text, unmerged, score },
                    month,
                    number,
                ));
            }
        }
    }
    let path = |one: &RankedLine| &known[one.at].path;
    sorting::sort_by(&mut found, |(one, month, number), (other, other_month, other_number)| {
        let by_month = Reverse(month).cmp(&Reverse(other_month));
        let by_place = (path(one), number).cmp(&(path(other), other_number));
        other.score.total_cmp(&one.score).then(by_month).then(by_place)
    });
    found.into_iter().map(|(one, _, _)| one).collect()
}

/// With a mark before the code below it.
fn marked(line: &str) -> String {
    let at = line.find('\n').unwrap_or(line.len());
    format!("{} ({MARK}){}", &line[..at], &line[at..])
}

fn weight(one: &Spoken) -> f64 {
    let statement = &one.statement;
    score::weight(statement.kind, statement.weight, statement.is_rule_made())
}

/// How much of a statement is about the files, from 0 to 1, and about how many files it is. `None`: it is known to be about
/// others.
fn share(entry: &RelevantEntry, one: &Spoken, listed: usize, is_named: bool) -> Option<(f64, usize)> {
    let title = normal(&one.statement.title);
    let has = |learned: &&LearnedCommit| learned.titles.iter().any(|other| normal(other) == title);
    let own = entry.learned.iter().find(|learned| !title.is_empty() && has(learned));
    let of_commit =
        |learned: &LearnedCommit| ((learned.files.max(1) as f64).powf(-0.7), learned.files.max(1));
    let of_entry = |share: f64| (share / (listed as f64).sqrt(), listed);
    match (own, entry.why) {
        (Some(learned), _) if learned.is_about => Some(of_commit(learned)),
        (Some(_), _) if one.statement.is_rule_made() && !is_named => None,
        _ if is_named => Some(of_entry(1.0)),
        (_, RelevanceReason::CitesFile) => Some(of_entry(1.0)),
        (_, RelevanceReason::CitesFolder) => Some(of_entry(FOLDER)),
        (_, RelevanceReason::SourceCommit) => {
            let about = entry.learned.iter().filter(|learned| learned.is_about);
            Some(about.min_by_key(|learned| learned.files).map_or_else(|| of_entry(FOLDER), of_commit))
        }
    }
}
