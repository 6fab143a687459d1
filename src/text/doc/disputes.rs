//! Disputed subjects of a document: list the subjects in `disputed` with their claims, and settle one of them.
//!
//! Does not judge which claim is right, nor which subjects a merge disputes.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::ops::Range;

use super::edit::{self, Effect};
use super::facts::{COLONS, Category, Fact, normal, single_spaced};
use super::{Document, blocks::Block, saying};

/// A disputed subject, or a heading below which both versions of a merge were kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Dispute {
    /// The subject, as listed in `disputed`.
    pub subject: String,
    /// The claims, in the order of the entry; empty for a heading.
    #[serde(serialize_with = "numbered")]
    #[schemars(with = "Vec<NumberedClaim<'_>>")]
    pub claims: Vec<Claim>,
}

/// A claim about a disputed subject.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Claim")]
struct NumberedClaim<'a> {
    /// Its number for `brv vc resolve --fact SUBJECT PATH --keep N`.
    number: usize,
    /// The statement.
    statement: &'a str,
    /// Its category.
    category: Option<&'static str>,
}

fn numbered<S: Serializer>(claims: &[Claim], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(claims.iter().zip(1..).map(|(claim, number)| NumberedClaim {
        number,
        statement: &claim.statement,
        category: claim.category.map(Category::as_str),
    }))
}

/// One of several claims about a subject; each statement counts once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub statement: String,
    pub category: Option<Category>,
    /// The list items that state it, in the body.
    pub spans: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement<'a> {
    /// Keep these claims, counted from 1; remove the others.
    Keep(&'a [usize]),
    /// Keep all claims: they do not exclude each other, or the user has fixed them by hand.
    KeepAll,
    /// Replace all claims with this statement, at the place of the first.
    Text(&'a str),
}

/// Why a dispute was not settled; the document is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettleError(String);

impl SettleError {
    fn number(subject: &str, number: usize, claims: usize) -> Self {
        Self(format!("no claim {number}: `{subject}` has {claims} claims"))
    }

    fn not_faithful(subject: &str) -> Self {
        Self(format!("cannot change the claims about `{subject}` without changing other text"))
    }
}

impl From<edit::Error> for SettleError {
    fn from(error: edit::Error) -> Self {
        Self(error.to_string())
    }
}

/// Whether the bytes can contain a dispute at all: most do not, and need not be parsed.
pub fn may_dispute(bytes: &[u8]) -> bool {
    bstr::ByteSlice::find(bytes, "disputed").is_some()
}

/// The subjects listed in `disputed` that are still disputed, in the order of the list.
pub fn disputes(document: &Document) -> Vec<Dispute> {
    if !may_dispute(document.as_bytes()) {
        return Vec::new();
    }
    let listed = document.meta().disputed;
    if listed.is_empty() {
        return Vec::new();
    }
    let facts = document.facts();
    let mut found: Vec<Dispute> = Vec::new();
    for subject in listed.iter().map(|subject| single_spaced(subject)) {
        let claims = claims(&facts, &subject);
        let is_heading =
            || document.sections().iter().skip(1).any(|section| is_same_subject(&section.title, &subject));
        let is_open = claims.len() > 1 || (claims.is_empty() && is_heading());
        if is_open && !found.iter().any(|known| is_same_subject(&known.subject, &subject)) {
            found.push(Dispute { subject, claims });
        }
    }
    found
}

fn claims(facts: &[Fact], subject: &str) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let is_about = |fact: &&Fact| fact.subject.as_ref().is_some_and(|own| is_same_subject(own, subject));
    // a marked statement claims nothing
    let is_live = |fact: &&Fact| saying::unmarked(&fact.statement).0.is_none();
    for fact in facts.iter().filter(is_about).filter(is_live) {
        let is_repeated =
            |claim: &&mut Claim| claim.statement == fact.statement && claim.category == fact.category;
        match claims.iter_mut().find(is_repeated) {
            Some(claim) => claim.spans.push(fact.span.clone()),
            None => claims.push(Claim {
                statement: fact.statement.clone(),
                category: fact.category,
                spans: vec![fact.span.clone()],
            }),
        }
    }
    claims
}

/// Subjects are compared without regard to case, as in a merge.
pub fn is_same_subject(one: &str, other: &str) -> bool {
    one == other || normal(one) == normal(other)
}

/// Settle a dispute: remove the other claims with their lines, remove the subject from `disputed` (and the field if it
/// is then empty), and set `updatedAt` to `now`. Every other byte is kept.
pub fn settle(
    document: &mut Document,
    subject: &str,
    settlement: Settlement<'_>,
    now: &str,
) -> Result<Effect, SettleError> {
    let subject = single_spaced(subject);
    let dispute = disputes(document).into_iter().find(|dispute| is_same_subject(&dispute.subject, &subject));
    let dispute = dispute.ok_or_else(|| SettleError(format!("`{subject}` is not in dispute")))?;
    if dispute.claims.is_empty() && settlement != Settlement::KeepAll {
        return Err(SettleError(format!(
            "`{subject}` is a heading: edit the text below it by hand, then keep all"
        )));
    }
    let mut after = document.clone();
    let body = match settlement {
        Settlement::KeepAll => None,
        Settlement::Keep(numbers) => Some(without(document, &dispute, numbers)?),
        Settlement::Text(text) => Some(replaced(document, &dispute, text)?),
    };
    if let Some(body) = body {
        check(document, &body, &dispute, settlement)?;
        let _ = after.replace_body(body)?;
    }
    let listed: Vec<String> = document.meta().disputed;
    for item in listed.iter().filter(|item| is_same_subject(item, &subject)) {
        let _ = after.remove_from_list("disputed", item)?;
    }
    if after.meta().disputed.is_empty() {
        let _ = after.remove_field("disputed")?;
    }
    let _ = after.set_scalar("updatedAt", now)?;
    *document = after;
    Ok(Effect::Changed)
}

/// The body without the removed claims.
fn without(document: &Document, dispute: &Dispute, numbers: &[usize]) -> Result<Vec<u8>, SettleError> {
    let claims = dispute.claims.len();
    if let Some(&number) = numbers.iter().find(|number| !(1..=claims).contains(number)) {
        return Err(SettleError::number(&dispute.subject, number, claims));
    }
    if numbers.is_empty() {
        return Err(SettleError::number(&dispute.subject, 0, claims));
    }
    let gone = dispute.claims.iter().enumerate().filter(|(at, _)| !numbers.contains(&(at + 1)));
    Ok(cut(document, gone.flat_map(|(_, claim)| claim.spans.iter())))
}

/// The body with `text` as the only statement.
fn replaced(document: &Document, dispute: &Dispute, text: &str) -> Result<Vec<u8>, SettleError> {
    let text = single_spaced(text);
    let empty = || SettleError("the statement is empty".into());
    let first = dispute.claims.first().filter(|_| !text.is_empty()).ok_or_else(empty)?;
    let place = first.spans.first().ok_or_else(empty)?.clone();
    let (_, named) = super::facts::split_category(&text);
    let category = match (named, first.category) {
        (None, Some(category)) => format!(" [{}]", category.as_str()),
        _ => String::new(),
    };
    let item = &document.body()[place.clone()];
    let head = head_of(item).ok_or_else(|| SettleError::not_faithful(&dispute.subject))?;
    // full-width punctuation brings its own space
    let blank = if head.trim_end_matches("**").ends_with('：') { "" } else { " " };
    let others = dispute.claims.iter().flat_map(|claim| claim.spans.iter()).filter(|span| **span != place);
    let mut body = cut(document, others);
    // all other claims are after the first
    body.splice(place.start + head.len()..place.end, format!("{blank}{text}{category}").into_bytes());
    Ok(body)
}

/// The start of a list item, up to the colon after its subject.
pub(super) fn head_of(item: &str) -> Option<&str> {
    let open = item.find("**")? + 2;
    let close = open + item[open..].find("**")?;
    if item[open..close].trim_end().ends_with(COLONS) {
        return Some(&item[..close + 2]);
    }
    let behind = &item[close + 2..];
    let colon = behind.find(COLONS)?;
    let after = colon + behind[colon..].chars().next().map_or(0, char::len_utf8);
    Some(&item[..close + 2 + after])
}

/// The body without these list items: their lines are removed, and blank lines only where they would meet others.
pub(super) fn cut<'s>(document: &Document, spans: impl Iterator<Item = &'s Range<usize>>) -> Vec<u8> {
    let body = document.body_bytes();
    let mut gone: Vec<Range<usize>> = spans.map(|span| lines_of(document, span)).collect();
    gone.sort_unstable_by_key(|range| range.start);
    let mut kept = Vec::with_capacity(body.len());
    let mut at = 0;
    for range in gone {
        kept.extend_from_slice(&body[at.min(range.start)..range.start]);
        at = range.end;
    }
    if at == body.len() && !body.ends_with(b"\n") {
        // if the last line had no line ending, the new last line gets none
        let end = kept
            .strip_suffix(b"\n")
            .map_or(kept.len(), |rest| rest.strip_suffix(b"\r").unwrap_or(rest).len());
        kept.truncate(end);
    }
    kept.extend_from_slice(&body[at..]);
    kept
}

/// The lines removed with a list item: its own, and the blank lines after it if there are also some before it.
pub(super) fn lines_of(document: &Document, item: &Range<usize>) -> Range<usize> {
    let body = document.body();
    let own_end = body[item.end..].find('\n').map_or(body.len(), |at| item.end + at + 1);
    let blocks = document.blocks();
    let Some(at) = blocks.iter().position(|block| block.content == *item) else { return item.start..own_end };
    let ends_blank = |block: &Block| body[block.content.end..block.span.end].matches('\n').count() > 1;
    let is_apart = at.checked_sub(1).is_some_and(|before| ends_blank(&blocks[before]));
    item.start..if is_apart { blocks[at].span.end } else { own_end }
}

/// Check that only the settled claims have changed among the facts.
fn check(
    before: &Document,
    body: &[u8],
    dispute: &Dispute,
    settlement: Settlement<'_>,
) -> Result<(), SettleError> {
    let after = Document::parse([&before.as_bytes()[..before.body_start()], body].concat());
    let of_others = |document: &Document| {
        let facts = document.facts().into_iter();
        let is_other =
            |fact: &Fact| fact.subject.as_ref().is_none_or(|own| !is_same_subject(own, &dispute.subject));
        let facts = facts.filter(is_other);
        facts.map(|fact| (fact.subject, fact.statement, fact.category)).collect::<Vec<_>>()
    };
    let left = claims(&after.facts(), &dispute.subject);
    let is_left = match settlement {
        Settlement::Keep(numbers) => {
            let kept = dispute.claims.iter().enumerate().filter(|(at, _)| numbers.contains(&(at + 1)));
            let words = |claim: &Claim| (claim.statement.clone(), claim.category);
            left.iter().map(words).eq(kept.map(|(_, claim)| words(claim)))
        }
        Settlement::KeepAll => true,
        Settlement::Text(text) => {
            let text = single_spaced(text);
            let (statement, _) = super::facts::split_category(&text);
            left.len() == 1 && left[0].statement == statement
        }
    };
    let titles = |document: &Document| {
        document.sections().iter().map(|section| section.title.clone()).collect::<Vec<_>>()
    };
    if is_left && of_others(before) == of_others(&after) && titles(before) == titles(&after) {
        Ok(())
    } else {
        Err(SettleError::not_faithful(&dispute.subject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-02-03T04:05:06Z";

    fn entry(disputed: &str, facts: &str) -> String {
        format!(
            "---\ntitle: t # kept\n{disputed}updatedAt: '2026-01-01T00:00:00Z'\n---\n\n## Facts\n{facts}\n## More\n"
        )
    }

    fn settled(text: &str, subject: &str, how: Settlement<'_>) -> Result<String, SettleError> {
        let mut document = Document::parse(text);
        settle(&mut document, subject, how, NOW).map(|_| document.text().to_owned())
    }

    fn found(text: &str) -> Vec<(String, Vec<String>)> {
        let disputes = disputes(&Document::parse(text)).into_iter();
        disputes.map(|d| (d.subject, d.claims.into_iter().map(|claim| claim.statement).collect())).collect()
    }

    #[test]
    fn a_subject_is_disputed_that_is_listed_and_has_two_statements() {
        let facts = "- **a**: one\n- **b**: x\n- **b**: y\n- **a**: two [team]\n- **a**: one\n- **c**: z\n";
        let text = entry("disputed: [a, c, \"no such\", More]\n", facts);
        assert_eq!(
            found(&text),
            [("a".into(), vec!["one".into(), "two".into()]), ("More".into(), Vec::new())],
            "b is not listed, c has one statement, and More is a heading"
        );
        assert!(may_dispute(text.as_bytes()));
        assert_eq!(found(&entry("", facts)), []);
    }

    #[test]
    fn a_marked_statement_is_no_claim() {
        let text =
            entry("disputed: [a]\n", "- **a**: one\n- **a**: two\n- **a**: reverted 2026-02-04: three\n");
        assert_eq!(found(&text), [("a".into(), vec!["one".into(), "two".into()])]);
        let after = settled(&text, "a", Settlement::Keep(&[1])).unwrap();
        assert!(after.contains("- **a**: one\n- **a**: reverted 2026-02-04: three\n"), "{after}");
        assert_eq!(found(&text.replace("two", "reverted 2026-02-04: two")), []);
    }

    #[test]
    fn a_subject_behind_a_full_width_colon_is_settled_like_any_other() {
        let text = entry("disputed: [有效期]\n", "- **有效期**：30 天\n- **有效期**：60 天 [team]\n");
        let after = settled(&text, "有效期", Settlement::Text("90 天")).unwrap();
        assert!(after.contains("- **有效期**：90 天"), "{after}");
        assert!(!after.contains("30 天") && !after.contains("disputed"), "{after}");
    }

    #[test]
    fn the_claims_that_lose_go_with_their_lines_and_nothing_else() {
        let text = entry(
            "disputed: [a]\n",
            "- **a**: one\n- **b**: x\n- **a**: two\n  wrapped [team]\n- **b**: y\n",
        );
        let after = settled(&text, "a", Settlement::Keep(&[1])).unwrap();
        let expected =
            entry("", "- **a**: one\n- **b**: x\n- **b**: y\n").replace("2026-01-01T00:00:00Z", NOW);
        assert_eq!(after, expected);
        let after = settled(&text, " a ", Settlement::Keep(&[2])).unwrap();
        assert!(
            after.contains("## Facts\n- **b**: x\n- **a**: two\n  wrapped [team]\n- **b**: y\n"),
            "{after}"
        );
    }

    #[test]
    fn blank_lines_between_items_stay_single() {
        let text =
            entry("disputed: [a, b]\n", "\n- **a**: one\n\n- **a**: two\n\n- **b**: x\n\n- **b**: y\n");
        let after = settled(&text, "a", Settlement::Keep(&[1])).unwrap();
        assert!(after.contains("## Facts\n\n- **a**: one\n\n- **b**: x\n\n- **b**: y\n\n## More"), "{after}");
        assert!(after.contains("disputed: [b]\n"), "{after}");
        let after = settled(&text, "b", Settlement::Keep(&[1])).unwrap();
        assert!(after.contains("- **b**: x\n\n## More"), "{after}");
    }

    #[test]
    fn carriage_returns_and_a_missing_last_line_feed_stay_as_they_are() {
        let text = "---\r\ndisputed: [a]\r\n---\r\n## Facts\r\n- **a**: one\r\n- **a**: two";
        let head = format!("---\r\nupdatedAt: {NOW}\r\n---\r\n## Facts\r\n");
        let after = settled(text, "a", Settlement::Keep(&[1])).unwrap().replace(['\'', '"'], "");
        assert_eq!(after, format!("{head}- **a**: one"));
        let after = settled(text, "a", Settlement::Text("three")).unwrap().replace(['\'', '"'], "");
        assert_eq!(after, format!("{head}- **a**: three"));
    }

    #[test]
    fn a_new_statement_takes_the_place_of_all_and_keeps_the_category() {
        for item in ["- **a**: one [team]", "* **a:** one [team]", "1. **a** : one\n   more [team]"] {
            let text = entry("disputed: [a]\n", &format!("{item}\n- **b**: x\n- **a**: two\n"));
            let after = settled(&text, "a", Settlement::Text("  both\n and [none] ")).unwrap();
            let facts = Document::parse(after.clone()).facts();
            let own: Vec<_> = facts.iter().filter(|fact| fact.subject.as_deref() == Some("a")).collect();
            assert_eq!((own.len(), own[0].statement.as_str()), (1, "both and [none]"), "{after}");
            assert_eq!(own[0].category, Some(Category::Team), "{after}");
            let after = settled(&text, "a", Settlement::Text("new [project]")).unwrap();
            assert!(after.contains(" new [project]\n") && !after.contains("[team]"), "{after}");
        }
    }

    #[test]
    fn all_may_be_kept_and_several() {
        let facts = "- **a**: one\n- **a**: two\n- **a**: three\n";
        let text = entry("disputed:\n  - a\n", facts);
        let after = settled(&text, "a", Settlement::KeepAll).unwrap();
        assert_eq!(after, entry("", facts).replace("2026-01-01T00:00:00Z", NOW));
        let after = settled(&text, "a", Settlement::Keep(&[3, 1])).unwrap();
        assert!(after.contains("- **a**: one\n- **a**: three\n") && !after.contains("two"), "{after}");
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_changes_nothing() {
        let text = entry("disputed: [a, More]\n", "- **a**: one\n- **a**: two\n");
        let refused = |subject: &str, how| settled(&text, subject, how).unwrap_err().to_string();
        assert_eq!(refused("b", Settlement::Keep(&[1])), "`b` is not in dispute");
        assert_eq!(refused("a", Settlement::Keep(&[3])), "no claim 3: `a` has 2 claims");
        assert_eq!(refused("a", Settlement::Keep(&[0])), "no claim 0: `a` has 2 claims");
        assert_eq!(refused("a", Settlement::Text(" \n ")), "the statement is empty");
        assert!(refused("More", Settlement::Keep(&[1])).contains("is a heading"));
        assert!(settled(&text, "More", Settlement::KeepAll).unwrap().contains("disputed: [a]\n"));
    }
}
