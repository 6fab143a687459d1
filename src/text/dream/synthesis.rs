//! Write the file of a synthesis.

use crate::doc::render;
use brv_base::clock::format_utc;

/// What a new synthesis says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct New<'a> {
    /// How certain it is, 0 to 1.
    pub confidence: f64,
    /// The summaries it was made from.
    pub sources: &'a [String],
    /// Its title.
    pub title: &'a str,
    /// One line about it.
    pub summary: &'a str,
    /// Its tags.
    pub tags: &'a [String],
    /// Its keywords.
    pub keywords: &'a [String],
    /// Its text.
    pub body: &'a str,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// The whole file: the four fields of a synthesis, the seven of every entry, then the body.
pub fn rendered(new: &New<'_>) -> String {
    let confidence = (new.confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0;
    let synthesis = render::Synthesis {
        confidence: if confidence.is_nan() { 0.0 } else { confidence },
        sources: &distinct(new.sources),
        title: new.title,
        summary: new.summary,
        tags: &distinct(new.tags),
        keywords: &distinct(new.keywords),
        now: &format_utc(new.now),
    };
    render::synthesis(&synthesis, new.body)
}

/// The items on one line, each once.
fn distinct(items: &[String]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for item in items.iter().map(|item| on_one_line(item)) {
        if !item.is_empty() && !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Document;
    use proptest::prelude::*;

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn the_fields_stand_in_the_order_and_the_style_of_the_sources() {
        let new = New {
            confidence: 0.85,
            sources: &list(&["api/_index.md", "security/_index.md"]),
            title: "Authentication Patterns Across Services",
            summary: "Common \"access-token\" checks",
            tags: &list(&["auth", "cross-domain"]),
            keywords: &list(&["oauth", "a, b"]),
            body: "\n\n# Patterns\n\nText.\n\n",
            now: 1_744_711_200,
        };
        assert_eq!(
            rendered(&new),
            r#"---
confidence: 0.85
sources: [api/_index.md, security/_index.md]
synthesized_at: "2025-04-15T10:00:00Z"
type: synthesis
title: "Authentication Patterns Across Services"
summary: "Common \"access-token\" checks"
tags: [auth, cross-domain]
related: []
keywords: [oauth, "a, b"]
createdAt: "2025-04-15T10:00:00Z"
updatedAt: "2025-04-15T10:00:00Z"
---

# Patterns

Text.
"#
        );
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(64))]

        #[test]
        fn any_text_reads_back(text in "[ -~\u{e9}\u{4e00}\t\u{0}\u{85}\u{2028}]{0,16}", confidence in prop::num::f64::ANY) {
            let items = vec![text.clone()];
            let new = New {
                confidence, sources: &items, title: &text, summary: &text, tags: &items, keywords: &items, body: &text, now: 0,
            };
            let read = Document::parse(rendered(&new));
            let expected = on_one_line(&text);
            prop_assert_eq!(read.field("title").and_then(|value| value.as_str().map(str::to_owned)), Some(expected.clone()));
            let expected = if expected.is_empty() { vec![] } else { vec![expected] };
            prop_assert_eq!(read.field("tags").map(|value| value.to_list()), Some(expected));
            prop_assert!(read.meta().confidence.is_some_and(|one| (0.0..=1.0).contains(&one)));
        }
    }
}
