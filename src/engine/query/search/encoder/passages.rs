//! The passages of an entry that an encoder gets: where it is, its title, and as many of its blocks as an encoder reads well
//! at once.
//!
//! Of 321 questions about two trees of documentation the right entry came first for .63 by words alone, .71 with the title
//! before each passage, .72 with the folders as well, .69 with 1,200 characters in place of 600, and .67 with the first 1,500
//! characters of the entry as its only passage. The encoder was all-MiniLM-L6-v2.

use crate::query::item;
use brv_search::Hit;
use brv_text::doc::Document;
use brv_text::lint::secrets;
use std::ops::Range;

/// The most characters of a passage beside the title: small encoders read 256 tokens, some 1,000 characters of prose and fewer
/// of code.
const MOST_CHARS: usize = 600;

/// The most passages of an entry, from its beginning.
const MOST: usize = 12;

/// All passages of an entry, without secrets: those of its text, and each item of Highlights and Rules.
pub(super) fn all(path: &str, document: &Document) -> Vec<String> {
    let items = document.items();
    let lead = lead(path, document);
    let items = items.iter().map(|item| passage(&lead, &item.line()));
    texts(path, document).into_iter().chain(items).collect()
}

/// The passages by which a hit is compared with a question: that of the item that it is, else those of the entry.
pub(super) fn of_hit(hit: &Hit, document: &Document) -> Vec<String> {
    let line = hit.passage.filter(|passage| passage.is_highlight).map(|passage| passage.line);
    match line.and_then(|line| item(document, line)) {
        Some(item) => vec![passage(&lead(hit.path.as_str(), document), &item.line())],
        None => texts(hit.path.as_str(), document),
    }
}

fn texts(path: &str, document: &Document) -> Vec<String> {
    let (lead, body) = (lead(path, document), document.body());
    let runs = runs(body, document.blocks().iter().map(|block| block.content.clone()));
    runs.iter().take(MOST).map(|run| passage(&lead, &body[run.clone()])).collect()
}

/// The folders of an entry as words, and its title.
fn lead(path: &str, document: &Document) -> String {
    let folders =
        path.rsplit_once('/').map_or("", |(folders, _)| folders).replace('_', " ").replace('/', " / ");
    let title = document.title().unwrap_or_default();
    if folders.is_empty() { title } else { format!("{folders}: {title}") }
}

fn passage(lead: &str, text: &str) -> String {
    secrets::masked(&format!("{lead}\n{}", text.trim())).trim().to_owned()
}

/// Runs of whole blocks of at most [`MOST_CHARS`]; a longer block is cut at line ends, and a longer line within it.
fn runs(body: &str, blocks: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
    for piece in blocks.flat_map(|block| pieces(body, block)) {
        let chars = body[piece.clone()].chars().count();
        match runs.last_mut() {
            Some((run, held)) if *held + chars <= MOST_CHARS => (run.end, *held) = (piece.end, *held + chars),
            _ => runs.push((piece, chars)),
        }
    }
    runs.into_iter()
        .map(|(run, _)| run)
        .filter(|run| body[run.clone()].contains(char::is_alphanumeric))
        .collect()
}

/// A block, or as much of its lines as fits.
fn pieces(body: &str, block: Range<usize>) -> Vec<Range<usize>> {
    if body[block.clone()].chars().count() <= MOST_CHARS {
        return vec![block];
    }
    let mut start = block.start;
    body[block]
        .split_inclusive('\n')
        .flat_map(|line| {
            let from = start;
            start += line.len();
            cut(body, from..start)
        })
        .collect()
}

fn cut(body: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (Vec::new(), line.start);
    while let Some((at, _)) = body[start..line.end].char_indices().nth(MOST_CHARS) {
        parts.push(start..start + at);
        start += at;
    }
    parts.push(start..line.end);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages(text: &str) -> Vec<String> {
        all("auth/signing_keys/keys.md", &Document::parse(text))
    }

    #[test]
    fn blocks_are_packed_and_each_passage_tells_what_it_is_of() {
        let one = "word ".repeat(100);
        let text = format!("---\ntitle: Keys\n---\n# Keys\n\nFirst.\n\n{one}\n\n{one}\n\n---\n");
        let found = passages(&text);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|passage| passage.starts_with("auth / signing keys: Keys\n")), "{found:?}");
        assert!(found[0].contains("First.") && found[0].contains("word word"));
        assert_eq!(passages("---\ntitle: Keys\n---\n"), Vec::<String>::new());
    }

    #[test]
    fn nothing_is_longer_than_an_encoder_reads_and_an_entry_has_not_endless_passages() {
        let long = format!(
            "---\ntitle: t\n---\n{}\n\n```\n{}```\n",
            "x".repeat(1_500),
            "a line of code\n".repeat(100)
        );
        let found = passages(&long);
        assert!(found.len() >= 5, "{}", found.len());
        assert!(found.iter().all(|passage| passage.chars().count() <= MOST_CHARS + 30), "{found:?}");
        assert_eq!(passages(&"a paragraph of many words\n\n".repeat(1_000)).len(), MOST);
    }

    #[test]
    fn items_are_passages_of_their_own_and_secrets_are_in_none() {
        let key = ["ghp_", "0123456789abcdefghij0123456789abcdef"].concat();
        let text = format!(
            "---\ntitle: Net\n---\n## Narrative\n### Highlights\n- **Retry twice**: rule: one is too few (2026-01)\n\nThe key is {key}.\n"
        );
        let found = passages(&text);
        assert!(found.iter().any(|passage| passage.contains(": Net\n") && passage.contains("Retry twice")));
        assert!(!found.concat().contains(&key) && found.concat().contains("The key is"), "{found:?}");
    }
}
