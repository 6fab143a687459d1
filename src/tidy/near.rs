//! Whether one entry says nothing that another one does not say: then, and only then, it may be merged without a writer.
//!
//! Most entries that look alike are not the same: one number, date or `not` differs, or the same template speaks of
//! another thing. So the sentences are compared one by one. A sentence that is not in the other entry may be an addition;
//! one that is nearly there is another claim, and the pair needs a writer.

use super::runs::Runs;
use super::said::{Place, Said, Sentence};
use super::survival::survival;
use super::tokens::{Sort, content_words, tokens};
use crate::doc::{Document, Frontmatter, Meta, normal};
use crate::path::TreePath;
use std::collections::{BTreeMap, BTreeSet};

/// The least share of the runs of the one that the other has.
const CONTAINED: f64 = 0.95;

/// An entry with fewer runs says too little to be told from another one.
const FEWEST: usize = 12;

/// Two sentences with at least this share of their words in common make a claim about the same thing.
const ALIKE: f64 = 0.5;

/// An entry with everything that is compared.
pub(super) struct Side<'a> {
    pub path: &'a TreePath,
    pub document: &'a Document,
    pub runs: Runs,
    said: Said,
    meta: Meta,
    title: String,
}

impl<'a> Side<'a> {
    pub fn of(path: &'a TreePath, document: &'a Document) -> Self {
        Self {
            path,
            document,
            runs: Runs::of(document.body()),
            said: Said::of(document),
            meta: document.meta(),
            title: document.title().unwrap_or_default(),
        }
    }

    /// Subjects about which both have facts.
    pub fn shared_subjects(&self, other: &Self) -> BTreeSet<String> {
        let subjects = |side: &Self| -> BTreeSet<String> {
            side.said.facts.iter().filter_map(|fact| fact.subject.clone()).collect()
        };
        subjects(self).intersection(&subjects(other)).cloned().collect()
    }

    /// Whether a relation of this entry leads to the other one.
    pub fn relates_to(&self, other: &Self) -> bool {
        let path = other.path.as_str();
        let leads = |written: &String| {
            crate::doc::relation(written)
                .is_some_and(|found| found == path || Some(found.as_str()) == path.strip_suffix(".md"))
        };
        self.meta.related.iter().any(leads)
    }

    /// Whether it is text without conflicts whose frontmatter can be edited, and which is nobody's special case.
    fn is_plain(&self) -> bool {
        self.document.is_utf8()
            && !matches!(self.document.frontmatter(), Frontmatter::Opaque { .. })
            && self.document.conflicts().is_empty()
            && self.meta.disputed.is_empty()
    }

    /// Whether this entry, and not the other, stays if one of the two does: the one that says more, else the older.
    pub fn holds_more(&self, other: &Self) -> bool {
        let size = |side: &Self| (side.runs.len(), side.said.facts.len(), side.said.codes.len());
        let age = |side: &Self| {
            side.meta.created_at.as_deref().and_then(crate::doc::instant).unwrap_or((i64::MAX, 0))
        };
        let key = |side: &Self| (std::cmp::Reverse(size(side)), age(side));
        (key(self), self.path) < (key(other), other.path)
    }
}

/// Whether `source` may be merged into `target` without a writer. Returns the share of its runs that stand there.
pub(super) fn contained(source: &Side<'_>, target: &Side<'_>) -> Option<f64> {
    let share = source.runs.contained_in(&target.runs);
    let is_near = source.runs.len() >= FEWEST && share >= CONTAINED;
    let is_same = is_near
        && source.is_plain()
        && target.is_plain()
        && same_state(source, target)
        && same_case(source, target)
        && same_facts(source, target)
        && same_sentences(&source.said.sentences, &target.said.sentences)
        && survival(&[source.document], target.document).dropped.is_empty();
    is_same.then_some(share)
}

/// Whether the fields that say what an entry is agree.
fn same_state(source: &Side<'_>, target: &Side<'_>) -> bool {
    let state = |side: &Side<'_>| (side.meta.status, side.meta.kind.clone());
    !source.meta.pinned && state(source) == state(target)
}

/// Words that name the case that an entry is about. Entries about different cases are not the same, whatever they say.
const CASES: [&str; 34] = [
    "android",
    "backend",
    "beta",
    "client",
    "dev",
    "development",
    "external",
    "frontend",
    "input",
    "internal",
    "ios",
    "legacy",
    "linux",
    "local",
    "macos",
    "mobile",
    "new",
    "old",
    "output",
    "previous",
    "primary",
    "private",
    "prod",
    "production",
    "public",
    "replica",
    "secondary",
    "server",
    "staging",
    "test",
    "testing",
    "web",
    "windows",
    "write",
];

/// Whether titles and paths speak of the same case: the same dates, numbers and names in both titles, no `staging` beside
/// `production`, and no word in the place of another one.
fn same_case(source: &Side<'_>, target: &Side<'_>) -> bool {
    let claims = |side: &Side<'_>| -> BTreeSet<String> {
        let tokens = tokens(&side.title).into_iter().filter(|token| token.sort != Sort::Name);
        tokens.map(|token| token.key).collect()
    };
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(normal).collect()
    };
    let cases = |side: &Side<'_>| -> BTreeSet<String> {
        let folders = [side.path.as_str(), &side.title].join(" ");
        words(&folders).into_iter().filter(|word| CASES.contains(&word.as_str())).collect()
    };
    let dates = |side: &Side<'_>| -> BTreeSet<String> {
        let parts = side.path.as_str().trim_end_matches(".md").split(['/', '_', ' ']).flat_map(tokens);
        parts.filter(|token| token.sort == Sort::Date).map(|token| token.key).collect()
    };
    let [one, other] = [source, target].map(|side| words(&side.title));
    let body = |side: &Side<'_>| normal(side.document.body());
    claims(source) == claims(target)
        && cases(source) == cases(target)
        && dates(source) == dates(target)
        && !is_filled_otherwise(&one, &other, &body(target))
}

/// Whether two titles are one pattern with another word in one place, of which the text does not speak.
fn is_filled_otherwise(one: &[String], other: &[String], body: &str) -> bool {
    let differing: Vec<(&String, &String)> = one.iter().zip(other).filter(|(a, b)| a != b).collect();
    let is_pattern = one.len() == other.len() && one.len() > 1 && differing.len() == 1;
    is_pattern && differing.iter().any(|(a, b)| !(body.contains(a.as_str()) && body.contains(b.as_str())))
}

/// Whether both say the same about each subject of the source.
fn same_facts(source: &Side<'_>, target: &Side<'_>) -> bool {
    let by_subject = |side: &Side<'_>| {
        let mut all: BTreeMap<String, BTreeSet<(String, Option<&'static str>)>> = BTreeMap::new();
        for fact in &side.said.facts {
            if let Some(subject) = &fact.subject {
                all.entry(subject.clone()).or_default().insert((fact.statement.clone(), fact.category));
            }
        }
        all
    };
    let theirs = by_subject(target);
    by_subject(source).iter().all(|(subject, own)| theirs.get(subject).is_none_or(|other| own == other))
}

/// Whether each sentence of the source stands in the target, in the same order, or is an addition that is like none of it.
fn same_sentences(source: &[Sentence], target: &[Sentence]) -> bool {
    let theirs: Vec<String> = target.iter().map(|sentence| words_of(&sentence.text)).collect();
    let content: Vec<BTreeSet<u64>> = target.iter().map(|sentence| content_words(&sentence.text)).collect();
    let mut next = 0;
    for sentence in source.iter().filter(|sentence| sentence.place != Place::Title) {
        let own = words_of(&sentence.text);
        if let Some(at) = theirs[next..].iter().position(|other| *other == own) {
            next += at + 1;
            continue;
        }
        let words = content_words(&sentence.text);
        let is_there = theirs.contains(&own);
        if is_there
            || sentence.place == Place::Heading
            || content.iter().any(|other| are_alike(&words, other))
        {
            return false;
        }
    }
    true
}

/// Whether most words of the shorter of two sentences stand in the other.
fn are_alike(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> bool {
    let fewest = one.len().min(other.len());
    fewest > 0 && one.intersection(other).count() as f64 >= ALIKE * fewest as f64
}

/// The words of a sentence in the form in which sentences are compared: in lower case but for code, without punctuation
/// around them. Signs such as `<` and `-` stay.
fn words_of(sentence: &str) -> String {
    const AROUND: [char; 16] =
        ['.', ',', ';', ':', '!', '?', '"', '\'', '(', ')', '[', ']', '“', '”', '‘', '’'];
    let mut is_code = false;
    let mut words: Vec<String> = Vec::new();
    for written in sentence.split_whitespace() {
        let word = written.trim_matches(AROUND);
        let has_code = is_code || word.contains('`');
        is_code ^= word.matches('`').count() % 2 == 1;
        if !matches!(word, "" | "-" | "–" | "—" | "|") {
            words.push(if has_code { word.to_owned() } else { word.to_lowercase() });
        }
    }
    words.join(" ")
}
