//! Write the file of a synthesis.

use crate::curate::distinct_lines;
use crate::doc::render::{self, Synthesis};

/// The whole file: the four fields of a synthesis, the seven of every entry, then the body.
pub fn rendered(new: &Synthesis<'_>, body: &str) -> String {
    let confidence = (new.confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0;
    let synthesis = Synthesis {
        confidence: if confidence.is_nan() { 0.0 } else { confidence },
        sources: &distinct_lines(new.sources),
        tags: &distinct_lines(new.tags),
        keywords: &distinct_lines(new.keywords),
        ..*new
    };
    render::synthesis(&synthesis, body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Document, single_spaced};
    use proptest::prelude::*;

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn the_fields_stand_in_the_order_and_the_style_of_the_sources() {
        let new = Synthesis {
            confidence: 0.85,
            sources: &list(&["api/_index.md", "security/_index.md"]),
            title: "Authentication Patterns Across Services",
            summary: "Common \"access-token\" checks",
            tags: &list(&["auth", "cross-domain"]),
            keywords: &list(&["oauth", "a, b"]),
            now: "2025-04-15T10:00:00Z",
        };
        assert_eq!(
            rendered(&new, "\n\n# Patterns\n\nText.\n\n"),
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
            let new = Synthesis {
                confidence, sources: &items, title: &text, summary: &text, tags: &items, keywords: &items, now: "2025-04-15T10:00:00Z",
            };
            let read = Document::parse(rendered(&new, &text));
            let expected = single_spaced(&text);
            prop_assert_eq!(read.field("title").and_then(|value| value.as_str().map(str::to_owned)), Some(expected.clone()));
            let expected = if expected.is_empty() { vec![] } else { vec![expected] };
            prop_assert_eq!(read.field("tags").map(|value| value.to_list()), Some(expected));
            prop_assert!(read.meta().confidence.is_some_and(|one| (0.0..=1.0).contains(&one)));
        }
    }
}
