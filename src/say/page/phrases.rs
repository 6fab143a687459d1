//! Phrases shared by the HTML and markdown pages.

use super::{Item, Page, PageFront};
use crate::say::knowledge::fold;
use brv_text::diff::knowledge::{
    ByLine, Count, Counts, Entry, FieldChange, FieldKind, Fold, FoldKind, Knowledge, SectionChange, Spot,
    TokenCounts, What,
};
use std::collections::BTreeMap;

/// What happened to an entry, in a reader's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::say) enum EntryChangeKind {
    New,
    Changed,
    Moved,
    Merged,
    Archived,
    Deleted,
}

impl EntryChangeKind {
    pub(super) const ALL: [EntryChangeKind; 6] =
        [Self::New, Self::Changed, Self::Moved, Self::Merged, Self::Archived, Self::Deleted];

    pub(in crate::say) const fn of(entry: &Entry) -> EntryChangeKind {
        match entry.what {
            What::Added => Self::New,
            What::Modified => Self::Changed,
            What::Renamed => Self::Moved,
            What::Merged => Self::Merged,
            What::Archived => Self::Archived,
            What::Deleted => Self::Deleted,
        }
    }

    pub(in crate::say) const fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Moved => "moved",
            Self::Merged => "merged",
            Self::Archived => "archived",
            Self::Deleted => "deleted",
        }
    }

    /// Whether all of the entry is on one side.
    pub(super) const fn is_one_sided(self) -> bool {
        matches!(self, Self::New) || self.is_gone()
    }

    /// Whether the entry is no longer in the tree.
    pub(super) const fn is_gone(self) -> bool {
        matches!(self, Self::Merged | Self::Archived | Self::Deleted)
    }
}

/// Number of entries by what happened to them; zeros are left out.
pub(super) fn kinds(page: &Page<'_>) -> Vec<(EntryChangeKind, usize)> {
    let telling: Vec<EntryChangeKind> = page
        .items
        .iter()
        .filter(|item| !item.differs_in_form_only())
        .map(|item| EntryChangeKind::of(item.entry))
        .collect();
    EntryChangeKind::ALL
        .into_iter()
        .map(|kind| (kind, telling.iter().filter(|other| **other == kind).count()))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The title of the page, on one line, not escaped.
pub(super) fn title(front: &PageFront) -> String {
    match front {
        PageFront::Between { before, after } => format!("{before} → {after}"),
        PageFront::Commit { subject, id, .. } if subject.is_empty() => id.clone(),
        PageFront::Commit { subject, .. } => subject.clone(),
    }
}

/// The counts of one kind of element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) noun: &'static str,
    pub(super) count: Count,
}

impl Tally {
    /// `+2 −1 ~3`, with `→` for moved; zeros are left out.
    pub(super) fn signs(self) -> Vec<(char, usize)> {
        let Count { added, removed, changed, moved } = self.count;
        let all = [('+', added), ('−', removed), ('~', changed), ('→', moved)];
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

/// The counts of one or more entries; zeros are left out.
pub(super) fn tallies(counts: Counts) -> Vec<Tally> {
    [
        ("facts", counts.facts),
        ("sections", counts.sections),
        ("blocks", counts.blocks),
        ("fields", counts.fields),
    ]
    .into_iter()
    .filter(|(_, count)| !count.is_empty())
    .map(|(noun, count)| Tally { noun, count })
    .collect()
}

pub(super) fn sum(items: &[Item<'_>]) -> Counts {
    let mut sum = Counts::default();
    for counts in items.iter().filter_map(|item| item.knowledge()).map(Knowledge::counts) {
        sum += counts;
    }
    sum
}

pub(super) fn tokens(items: &[Item<'_>]) -> TokenCounts {
    items.iter().filter_map(|item| item.knowledge()).fold(TokenCounts::default(), |sum, knowledge| {
        TokenCounts {
            before: sum.before + knowledge.tokens.before,
            after: sum.after + knowledge.tokens.after,
        }
    })
}

/// `+1,204`, `−12`
pub(in crate::say) fn signed(number: i64) -> String {
    let sign = if number < 0 { '−' } else { '+' };
    format!("{sign}{}", grouped(number.unsigned_abs()))
}

/// `12,345`
pub(in crate::say) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The differences in form only: how many of each kind, and on which lines.
pub(super) fn folds(knowledge: &Knowledge) -> Vec<String> {
    let mut kinds: BTreeMap<FoldKind, Vec<String>> = BTreeMap::new();
    for Fold { what, spot } in knowledge.folded.iter().filter(|fold| fold.what != FoldKind::Fence) {
        kinds.entry(*what).or_default().extend(lines(spot));
    }
    let counts = |kind| knowledge.folded.iter().filter(|fold| fold.what == kind).count();
    let phrase = |(kind, lines): (FoldKind, Vec<String>)| {
        let mut phrase = fold(kind, counts(kind));
        let shown = lines.len().min(MAX_SPOTS);
        if shown > 0 {
            phrase = format!("{phrase}: {}", lines[..shown].join(", "));
        }
        if lines.len() > shown {
            phrase.push_str(", …");
        }
        phrase
    };
    kinds.into_iter().map(phrase).collect()
}

/// Number of places whose lines are listed.
const MAX_SPOTS: usize = 12;

/// `lines 5–6`, from 1, in the version after.
fn lines(spot: &Spot) -> Option<String> {
    let lines = spot.after.as_ref().or(spot.before.as_ref())?;
    let (first, last) = (lines.start + 1, lines.end);
    Some(if last <= first { format!("line {first}") } else { format!("lines {first}–{last}") })
}

/// The names of the changed times, unless the entry is new or deleted.
pub(super) fn times(knowledge: &Knowledge, kind: EntryChangeKind) -> Option<String> {
    let times: Vec<&str> = knowledge.times().map(|field| field.key.as_str()).collect();
    (!kind.is_one_sided() && !times.is_empty()).then(|| times.join(", "))
}

/// The fields to show: for a new or deleted entry, only those with a value.
pub(super) fn fields(knowledge: &Knowledge, kind: EntryChangeKind) -> Vec<&FieldChange> {
    let is_told =
        |field: &&FieldChange| !kind.is_one_sided() || !field.is_vacant(|text| text.trim().is_empty());
    knowledge.telling_fields().filter(is_told).collect()
}

/// The sections to show: for a new or deleted entry, only those with text of their own.
pub(super) fn sections(knowledge: &Knowledge, kind: EntryChangeKind) -> impl Iterator<Item = &SectionChange> {
    knowledge.sections.iter().filter(move |section| !kind.is_one_sided() || !section.blocks.is_empty())
}

/// A list item without its bullet; a number is kept, since it has a meaning.
pub(super) fn without_bullet(text: &[u8]) -> &[u8] {
    let rest = text.trim_ascii_start();
    [b"- ", b"* ", b"+ "].iter().find_map(|bullet| rest.strip_prefix(*bullet)).unwrap_or(text)
}

/// Why a file is shown by line.
pub(super) const fn by_line(reason: ByLine) -> &'static str {
    match reason {
        ByLine::NotADocument => "Not markdown: shown by line.",
        ByLine::NotUtf8 => "Not UTF-8: shown by line.",
        ByLine::InConflict => "In conflict: shown by line.",
        ByLine::TooLarge => "Too large to compare by meaning: shown by line.",
    }
}

/// The name of a field without a name of its own.
pub(super) const fn nameless(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Comment => "comment",
        _ => "frontmatter",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([signed(-1_200), signed(0)], ["−1,200", "+0"]);
    }
}
