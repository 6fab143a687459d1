//! An item of Highlights or Rules as an answer.

use super::asking::asks;
use super::cutting::cut_to;
use super::lines::Lines;
use brv_search::Weights;
use brv_text::doc::{self, Document};

/// The item on a line of an entry, counted from 1.
pub fn item(document: &Document, line: usize) -> Option<doc::Item> {
    document.items().into_iter().find(|item| document.line_of_body(item.span.start) == line)
}

/// An item as it is shown, at most so many characters: `title: statement (2026-07)`. What is too long is cut before the
/// month.
pub fn shown_item(item: &doc::Item, most: usize) -> String {
    let month = item.month.as_ref().map_or_else(String::new, |month| format!(" ({month})"));
    let said = doc::Item { month: None, by: None, ..item.clone() }.statement();
    let room = most.saturating_sub(month.chars().count());
    format!("{}{month}", cut_to(&format!("{}: {said}", item.title), room))
}

/// The item on a line as the answer to a question with these weights; `None` without one there, and if it only asks.
pub fn item_lines(document: &Document, line: usize, weights: &Weights, most: usize) -> Option<Lines> {
    let item = item(document, line).filter(|item| !asks(&item.text))?;
    let text = shown_item(&item, most);
    let counts = weights.counter(document.body()).counts(&text);
    Some(Lines { line, text, is_whole: true, counts })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "---\ntitle: Net\n---\n## Narrative\n### Highlights\n- **Retry twice**: rule: one attempt is too few on a slow link \
        (2026-01)\n- **Open**: who decides? (2026-01)\n- plain\n";

    #[test]
    fn an_item_is_shown_with_its_title_and_month_and_fits() {
        let document = Document::parse(ENTRY);
        let found = item(&document, 6).unwrap();
        assert_eq!(
            shown_item(&found, 600),
            "Retry twice: rule: one attempt is too few on a slow link (2026-01)"
        );
        let short = shown_item(&found, 40);
        assert!(short.ends_with("… (2026-01)") && short.chars().count() <= 40, "{short}");
        assert!(item(&document, 8).is_none() && item(&document, 5).is_none());
    }

    #[test]
    fn an_item_that_asks_answers_nothing() {
        let document = Document::parse(ENTRY);
        let weights = Weights::new([(vec!["retri".to_owned()], 1.0)]);
        assert_eq!(item_lines(&document, 6, &weights, 600).map(|lines| lines.counts), Some(vec![1.0]));
        assert!(item_lines(&document, 7, &weights, 600).is_none());
    }
}
