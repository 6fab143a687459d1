//! Decide which changes a person should look at.
//!
//! Knows the two versions of the entry only: what depends on signals is decided elsewhere.

use std::collections::{HashMap, HashSet};

use super::Act;
use crate::doc::{Document, is_same_subject, normal};

/// Why a person should look at a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    Deleted,
    /// Two entries were made one.
    Merged,
    /// A fact was removed and nothing took its place.
    FactRemoved,
    /// More than 30 % of the body was removed.
    BodyRemoved,
    Pinned,
    /// It is relied on, by its use on this machine.
    Core,
    /// A model wrote it, and nobody has looked at it.
    Model,
    /// It states what the text that it was made of does not say.
    Unsupported,
    /// It instructs whoever reads it, and no person wrote it.
    Instructions,
    /// Earlier rules wrote it, and what it came from was filed anew.
    Again,
}

impl Why {
    /// The word in the output and in trailers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Merged => "merged",
            Self::FactRemoved => "fact_removed",
            Self::BodyRemoved => "body_removed",
            Self::Pinned => "pinned",
            Self::Core => "core",
            Self::Model => "model",
            Self::Unsupported => "unsupported",
            Self::Instructions => "instructions",
            Self::Again => "again",
        }
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

brv_base::json_text!(Why);

/// The share of the body, in percent, above which a removal is reviewed.
const MUCH: usize = 30;

pub(super) fn deleted(before: &Document) -> Vec<Why> {
    let pinned = before.meta().pinned.then_some(Why::Pinned);
    [Why::Deleted].into_iter().chain(pinned).collect()
}

pub(super) fn changed(act: Act, before: &Document, after: &Document) -> Vec<Why> {
    if before == after {
        return Vec::new();
    }
    let pinned = before.meta().pinned;
    let all = [
        (Why::Merged, act == Act::Merged),
        (Why::FactRemoved, has_lost_fact(before, after)),
        (Why::BodyRemoved, removed_percent(before, after) > MUCH),
        (Why::Pinned, pinned),
    ];
    all.into_iter().filter_map(|(why, holds)| holds.then_some(why)).collect()
}

/// Whether only marks of statements came or went: both have the same statements, in any order.
pub(super) fn only_marks(before: &Document, after: &Document) -> bool {
    let said = |document: &Document| {
        let (mut rest, mut end) = (Vec::new(), 0);
        let (body, sayings) = (document.body(), document.sayings());
        for one in &sayings {
            rest.extend(body.get(end..one.span.start).unwrap_or_default().lines());
            end = one.span.end.max(end);
        }
        rest.extend(body[end..].lines());
        let mut lines: Vec<String> = rest.iter().map(|line| line.trim().to_owned()).collect();
        lines.retain(|line| !line.is_empty());
        lines.extend(sayings.into_iter().map(|one| format!("{:?}{:?}{}", one.form, one.title, one.text)));
        lines.sort_unstable();
        lines
    };
    before != after && said(before) == said(after)
}

/// Whether a subject, or a statement without a subject, is gone.
fn has_lost_fact(before: &Document, after: &Document) -> bool {
    let left = after.facts();
    before.facts().iter().any(|fact| {
        !left.iter().any(|one| match (&fact.subject, &one.subject) {
            (Some(subject), Some(other)) => is_same_subject(subject, other),
            _ => normal(&fact.statement) == normal(&one.statement),
        })
    })
}

/// How much of the text of `before` is not in `after`, by line. A fact that another one replaced is not gone.
fn removed_percent(before: &Document, after: &Document) -> usize {
    let replaced = replaced_lines(before, after);
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in after.body().lines() {
        *left.entry(line.trim()).or_default() += 1;
    }
    let (mut all, mut gone) = (0, 0);
    for (at, line) in before.body().lines().map(str::trim).enumerate() {
        let size = line.chars().count();
        all += size;
        if replaced.contains(&at) {
            continue;
        }
        match left.get_mut(line).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => gone += size,
        }
    }
    (gone * 100).checked_div(all).unwrap_or(0)
}

/// The lines of the body of `before`, from 0, with facts whose subject `after` still has.
fn replaced_lines(before: &Document, after: &Document) -> HashSet<usize> {
    let left = after.facts();
    let is_there = |subject: &String| {
        left.iter().any(|fact| fact.subject.as_ref().is_some_and(|one| is_same_subject(one, subject)))
    };
    let body = before.body();
    let line = |at: usize| body[..at].matches('\n').count();
    let facts = before.facts().into_iter().filter(|fact| fact.subject.as_ref().is_some_and(is_there));
    facts.flat_map(|fact| line(fact.span.start)..=line(fact.span.end.saturating_sub(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(before: &str, after: &str) -> Vec<Why> {
        changed(Act::Updated, &Document::parse(before), &Document::parse(after))
    }

    #[test]
    fn a_fact_that_is_replaced_needs_no_review_and_one_that_is_gone_does() {
        let before = "A long paragraph that stays as it is, whatever happens.\n\n## Facts\n- **a**: 1\n- b\n";
        assert_eq!(why(before, &before.replace(": 1", ": 2")), []);
        assert_eq!(why("## Facts\n- **a**: one long statement\n", "## Facts\n- **a**: another\n"), []);
        assert_eq!(why(before, &before.replace("- **a**: 1\n", "")), [Why::FactRemoved]);
        assert_eq!(why(before, &before.replace("- b\n", "")), [Why::FactRemoved]);
    }

    #[test]
    fn marks_are_told_from_everything_else() {
        let before = "---\npinned: true\n---\n# T\n\n## Narrative\n### Highlights\n- **a**: rule: b (2026-01)\n\n## Facts\n- **c**: d [team]\n- **e**: f\n";
        let only = |before: &str, after: &str| only_marks(&Document::parse(before), &Document::parse(after));
        let marked = before.replace("rule: b", "reverted 2026-02-04: slow; was: rule: b");
        let both = marked.replace(
            "- **c**: d [team]\n- **e**: f\n",
            "- **e**: f\n- **c**: superseded 2026-02-04: d [team]\n",
        );
        assert!(only(before, &marked) && only(&marked, before) && only(before, &both));
        for other in [
            before.to_owned(),
            both.replace("rule: b", "rule: bb"),
            both.replace("- **e**: f\n", ""),
            both.replace("# T\n", "# T\n\nMore.\n"),
        ] {
            assert!(!only(before, &other), "{other}");
        }
    }

    #[test]
    fn much_that_is_gone_and_pinned_entries_are_reviewed() {
        assert_eq!(why("one\n\ntwo\n\nthree\n", "one\n\ntwo\n"), [Why::BodyRemoved]);
        assert_eq!(
            why("---\npinned: true\n---\nlong text here\n", "---\npinned: true\n---\nlong text here\nx\n"),
            [Why::Pinned]
        );
        assert_eq!(deleted(&Document::parse("x")), [Why::Deleted]);
    }
}
