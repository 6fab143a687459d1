//! What an entry states: its facts, and the items of its Highlights and Rules; of an entry without any its summary, else its
//! first sentence. What was reverted or superseded is stated no longer.

use super::kind::EntryKind;
use super::month::Month;
use super::one_line::{cut, flat, name};
use super::said::StatementKind;
use crate::doc::item::{Stated, stated};
use crate::doc::{self, BlockKind, Dispute, Document, Fact, Item, disputes, may_dispute};
use crate::judge;

/// The longest lead, in characters.
pub const LEAD: usize = 200;

/// The weight of what a person or an agent wrote, and the most that counts.
pub const WRITTEN: u8 = 6;
pub const MOST_WEIGHT: u8 = 8;

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is about: the bold lead of an item, the subject of a fact, the title of an entry that its summary stands
    /// for; may be empty.
    pub title: String,
    /// The statement, on one line, with its prefix, without date and category.
    pub text: String,
    /// What of it is shown in a list of many, at most [`LEAD`] characters.
    pub lead: String,
    pub kind: StatementKind,
    /// From 0 to [`MOST_WEIGHT`].
    pub weight: u8,
    /// The weight of its heaviest sentence.
    pub lead_weight: u8,
    /// The month at its end: rules wrote it then.
    pub month: Option<Month>,
}

impl Statement {
    /// Whether rules wrote it from a commit.
    pub const fn is_rule_made(&self) -> bool {
        self.month.is_some()
    }

    /// A fact, or a list item or paragraph that was read as one, as a statement; `None` if it holds no longer.
    pub fn of_fact(fact: &Fact, entry: Option<EntryKind>) -> Option<Self> {
        let said = stated(&fact.statement);
        if said.mark.is_some() {
            return None;
        }
        let title = fact.subject.as_deref().map(flat).unwrap_or_default();
        let kind = StatementKind::written(said.prefix, fact.category, entry);
        Some(Self::written(title, flat(&said.written()), kind))
    }

    /// An item as a statement; `None` if it holds no longer.
    pub fn of_item(item: &Item, entry: Option<EntryKind>) -> Option<Self> {
        if item.mark.is_some() {
            return None;
        }
        let (text, category) = doc::split_category(&item.text);
        let kind = StatementKind::written(item.prefix, category, entry);
        let said = flat(&Stated { mark: None, prefix: item.prefix, text }.written());
        let title = flat(&item.title);
        let Some(month) = item.month.as_deref().and_then(Month::parse) else {
            return Some(Self::written(title, said, kind));
        };
        let noted = judge::note(text);
        let prefix = said.chars().count().saturating_sub(text.chars().count());
        let around = around(text, noted.lead, LEAD.saturating_sub(prefix));
        let lead = Stated { mark: None, prefix: item.prefix, text: &around }.written();
        Some(Self {
            title,
            lead: short(&lead),
            text: said,
            kind: kind.unwrap_or(StatementKind::of_words(noted.kind)),
            weight: small(noted.weight).min(MOST_WEIGHT),
            lead_weight: small(noted.lead_weight),
            month: Some(month),
        })
    }

    /// All claims of a disputed subject.
    pub fn of_dispute(dispute: &Dispute) -> Self {
        let claims: Vec<String> = dispute.claims.iter().map(|claim| flat(&claim.statement)).collect();
        let text = format!("disputed: {}", claims.join(" | "));
        Self::written(flat(&dispute.subject), text, Some(StatementKind::Disputed))
    }

    /// What a person or an agent wrote.
    fn written(title: String, text: String, kind: Option<StatementKind>) -> Self {
        let by_words = || StatementKind::of_words(judge::kind_of(&text));
        let (kind, lead) = (kind.unwrap_or_else(by_words), short(&text));
        Self { title, lead, text, kind, weight: WRITTEN, lead_weight: WRITTEN, month: None }
    }
}

/// What an entry states.
pub fn statements(path: &str, document: &Document) -> Vec<Statement> {
    let entry = EntryKind::named_by(path, document);
    statements_of((path, entry), document, &document.facts())
}

/// As [`statements`], for an entry of this kind (see [`EntryKind::named_by`]) with these facts.
pub(super) fn statements_of(
    (path, entry): (&str, Option<EntryKind>),
    document: &Document,
    facts: &[Fact],
) -> Vec<Statement> {
    if EntryKind::is_code_map(document) {
        return Vec::new();
    }
    let disputed = if may_dispute(document.as_bytes()) { disputes(document) } else { Vec::new() };
    let is_disputed = |fact: &Fact| {
        let about = |one: &Dispute| {
            fact.subject.as_ref().is_some_and(|subject| doc::is_same_subject(subject, &one.subject))
        };
        disputed.iter().any(about)
    };
    let items = document.items();
    if facts.is_empty() && items.is_empty() {
        return gist(path, document, entry).into_iter().collect();
    }
    let facts = facts.iter().filter(|fact| !is_disputed(fact));
    let claims = disputed.iter().filter(|one| !one.claims.is_empty()).map(Statement::of_dispute);
    let all = claims.chain(facts.filter_map(|fact| Statement::of_fact(fact, entry)));
    let all = all.chain(items.iter().filter_map(|item| Statement::of_item(item, entry)));
    all.filter(|one| !is_its_title(&one.text, &one.title)).collect()
}

/// The summary of an entry, else its first sentence, whichever says more than its title.
pub fn gist(path: &str, document: &Document, entry: Option<EntryKind>) -> Option<Statement> {
    let title = document.title().map(|title| flat(&title)).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| name(path));
    let summary = document.meta().summary.map(|summary| flat(&summary));
    let first = || first_sentence(document);
    let says = |text: &String| !text.is_empty() && !is_its_title(text, &title);
    let text = summary.filter(says).or_else(|| first().filter(says))?;
    let kind = StatementKind::written(stated(&text).prefix, None, entry);
    Some(Statement::written(title, text, kind))
}

/// Outside of the Raw Concept.
fn first_sentence(document: &Document) -> Option<String> {
    let (body, outline) = (document.body(), document.outline());
    let is_concept = |at: usize| {
        outline.path(at).iter().any(|title| doc::bare_title(title).eq_ignore_ascii_case("raw concept"))
    };
    let outside = (0..outline.sections().len()).filter(|at| !is_concept(*at));
    let blocks = outside.flat_map(|at| &outline.blocks()[outline.sections()[at].blocks.clone()]);
    let texts = blocks.filter_map(|block| {
        let text = &body[block.content.clone()];
        match block.kind {
            BlockKind::Paragraph => Some(flat(text)),
            BlockKind::Item { .. } => said(text),
            _ => None,
        }
    });
    let text = texts.into_iter().find(|text| !text.is_empty())?;
    judge::sentences(&text).first().map(|first| (*first).to_owned())
}

/// The lead with the sentences before it and then those after it that fit within `most` characters: it may lean on them.
fn around(text: &str, lead: &str, most: usize) -> String {
    let all = judge::sentences(text);
    let Some(at) = all.iter().position(|one| *one == lead) else { return text.to_owned() };
    let length = |range: std::ops::RangeInclusive<usize>| {
        all[range.clone()].iter().map(|one| one.chars().count() + 1).sum::<usize>() - 1
    };
    let first = (0..=at).find(|first| length(*first..=at) <= most).unwrap_or(at);
    let last = (at..all.len()).rev().find(|last| length(first..=*last) <= most).unwrap_or(at);
    all[first..=last].join(" ")
}

/// What a list item says, without its lead, its date and its category; nothing of what holds no longer.
fn said(text: &str) -> Option<String> {
    if let Some(item) = Item::read(text) {
        let (text, _) = doc::split_category(&item.text);
        let said = Stated { mark: None, prefix: item.prefix, text };
        return item.mark.is_none().then(|| flat(&said.written()));
    }
    let fact = doc::fact(text)?;
    let said = stated(&fact.statement);
    said.mark.is_none().then(|| flat(&said.written()))
}

/// Whether a text says no more than the title above it.
fn is_its_title(text: &str, title: &str) -> bool {
    let [text, title] = [text, title].map(|text| text.trim_matches(|c: char| !c.is_alphanumeric()));
    doc::is_same_normal(text, title)
}

/// At most [`LEAD`] characters, without code blocks, and without a code span that is cut.
fn short(text: &str) -> String {
    let before = if text.contains('`') { text.split("```").next().unwrap_or_default() } else { text }.trim();
    let text = if before.is_empty() { text } else { before };
    let short = cut(text, LEAD);
    if short.matches('`').count().is_multiple_of(2) {
        return short;
    }
    let Some(at) = short.rfind('`') else { return short };
    match short == text {
        true => format!("{}{}", &short[..at], &short[at + 1..]),
        false => format!("{}…", short[..at].trim_end()),
    }
}

/// A weight that is kept in half a byte.
fn small(weight: i32) -> u8 {
    u8::try_from(weight.clamp(0, 15)).unwrap_or_default()
}
