//! Merge one block in three versions, line by line.

use crate::merge::lines::{self, Piece};

/// Some lines of a block, each with its line ending.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hunk {
    Settled(String),
    /// The lines in base, first and second.
    Open([String; 3]),
}

/// Split a block into merged hunks by line.
pub(super) fn hunks(versions: [&str; 3]) -> Option<Vec<Hunk>> {
    let newline = newline(versions);
    let [base, first, second] = versions.map(|text| ended(text, newline));
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    let pieces = lines::merge(base.as_bytes(), first.as_bytes(), second.as_bytes());
    let hunks = pieces.into_iter().map(|piece| match piece {
        Piece::Clean(lines) => text(lines).map(Hunk::Settled),
        Piece::Conflict { base, ours, theirs } => Some(Hunk::Open([text(base)?, text(ours)?, text(theirs)?])),
    });
    hunks.collect()
}

/// The block with one version taken (0: the base) wherever both sides changed lines.
pub(super) fn taken(hunks: &[Hunk], version: usize) -> String {
    let texts = hunks.iter().map(|hunk| match hunk {
        Hunk::Settled(text) => text.as_str(),
        Hunk::Open(texts) => texts[version].as_str(),
    });
    let text = texts.collect::<String>();
    let content = text.strip_suffix('\n').unwrap_or(&text);
    content.strip_suffix('\r').unwrap_or(content).to_owned()
}

/// The line ending of a block.
fn newline(versions: [&str; 3]) -> &'static str {
    if versions.iter().any(|text| text.contains("\r\n")) { "\r\n" } else { "\n" }
}

fn ended(text: &str, newline: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}{newline}") }
}

/// Merge lines within the block, if the changes do not overlap.
pub(super) fn by_lines(base: &str, first: &str, second: &str) -> Option<String> {
    let newline = newline([base, first, second]);
    let [base, first, second] = [base, first, second].map(|text| ended(text, newline));
    let mut text = String::with_capacity(first.len());
    for piece in lines::merge(base.as_bytes(), first.as_bytes(), second.as_bytes()) {
        match piece {
            Piece::Clean(lines) => text.push_str(std::str::from_utf8(lines).ok()?),
            Piece::Conflict { .. } => return None,
        }
    }
    text.truncate(text.len().saturating_sub(newline.len()));
    (!text.trim().is_empty()).then_some(text)
}

/// The merged value, if at most one side changed it.
pub(super) fn three<'a>(base: &'a str, first: &'a str, second: &'a str) -> Option<&'a str> {
    match (base == first, base == second) {
        _ if first == second => Some(first),
        (true, _) => Some(second),
        (_, true) => Some(first),
        _ => None,
    }
}
