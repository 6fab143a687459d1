//! Parse the labelled parts of `## Raw Concept`.
//!
//! Does not judge their content.

use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;

use super::facts::{COLONS, single_spaced};
use super::{Document, Outline};

/// Where the knowledge is from.
// the parts of `## Raw Concept`, each under a bold label: `**Task:**`. Lists have an item per list item; else `files` has
// one between commas, and the others have one per line. Missing parts are `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ConceptWritten")]
pub struct Concept {
    pub task: Option<String>,
    pub changes: Vec<String>,
    pub files: Vec<String>,
    pub flow: Option<String>,
    // as written
    pub timestamp: Option<String>,
    pub author: Option<String>,
    pub patterns: Vec<String>,
}

/// Parse the first section titled `Raw Concept`.
pub(super) fn read(document: &Document) -> Concept {
    let mut concept = Concept::default();
    let outline = document.outline();
    let Some(section) = outline.titled("raw concept").next() else { return concept };
    let nested = outline.with_nested(section);
    let start = outline.sections()[section].content.start;
    let end = outline.sections()[nested.end - 1].content.end;
    for (label, lines) in labelled(&document.body()[start..end]) {
        match label.to_lowercase().as_str() {
            "task" => concept.task = joined(&lines),
            "changes" => concept.changes = items(&lines),
            "files" => concept.files = paths(&lines),
            "flow" => concept.flow = joined(&lines),
            "timestamp" => concept.timestamp = joined(&lines),
            "author" => concept.author = joined(&lines),
            "patterns" => concept.patterns = items(&lines),
            _ => {}
        }
    }
    concept
}

/// The range of the value of `**Timestamp:**` in the first section titled `Raw Concept`: after the label or alone on
/// the next line, in bytes of `body`.
pub fn timestamp(body: &str) -> Option<Range<usize>> {
    if !body.contains("imestamp") {
        return None;
    }
    let outline = Outline::of(body);
    let section = outline.titled("raw concept").next()?;
    let last = outline.with_nested(section).end - 1;
    let mut at = outline.sections()[section].content.start;
    let text = &body[at..outline.sections()[last].content.end];
    let mut is_below = false;
    for line in text.split_inclusive('\n') {
        let value = match label(line) {
            Some((label, rest)) if label.eq_ignore_ascii_case("timestamp") => Some(rest),
            None if is_below => Some(line),
            _ => None,
        };
        is_below = value.is_some();
        if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
            let start = at + line.find(value)?;
            return Some(start..start + value.len());
        }
        at += line.len();
    }
    None
}

/// The lines under each `**Label:**` or `**Label**:`, starting with the rest of the label's own line.
fn labelled(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut parts: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some((label, rest)) = label(line) {
            parts.push((label, vec![rest]));
        } else if let Some((_, lines)) = parts.last_mut() {
            lines.push(line);
        }
    }
    parts
}

pub(super) fn label(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.trim_start().strip_prefix("**")?.split_once("**")?;
    match label.strip_suffix(COLONS) {
        Some(label) => Some((label.trim(), rest)),
        None => Some((label.trim(), rest.trim_start().strip_prefix(COLONS)?)),
    }
}

fn joined(lines: &[&str]) -> Option<String> {
    Some(single_spaced(&lines.join(" "))).filter(|text| !text.is_empty())
}

/// List items with their continuation lines; text before the first item is one item per line.
fn items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut listed = false;
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        let item = line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with([' ', '\t']));
        match (item, items.last_mut()) {
            (Some(item), _) => {
                listed = true;
                items.push(item.trim().to_owned());
            }
            (None, Some(last)) if listed => {
                last.push(' ');
                last.push_str(line);
            }
            (None, _) => items.push(line.to_owned()),
        }
    }
    items
}

/// List items, or the parts between commas, without backticks.
fn paths(lines: &[&str]) -> Vec<String> {
    let bare = |path: &str| path.trim().trim_matches('`').trim().to_owned();
    let listed = lines.iter().any(|line| line.trim_start().starts_with(['-', '*', '+']));
    let paths: Vec<String> = if listed {
        items(lines).iter().map(|path| bare(path)).collect()
    } else {
        lines.iter().flat_map(|line| line.split(',')).map(bare).collect()
    };
    paths.into_iter().filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_write_a_raw_concept_are_read() {
        let below = "## Raw Concept\n\n**Task:**\nRotate\ntokens\n\n**Changes:**\n- a\n  b\n- c\n\n**Files:**\n- `src/a.rs`\n- src/b.rs\n\n**Flow:**\nx -> y\n";
        let concept = read(&Document::parse(below));
        assert_eq!(concept.task.as_deref(), Some("Rotate tokens"));
        assert_eq!(concept.changes, ["a b", "c"]);
        assert_eq!(concept.files, ["src/a.rs", "src/b.rs"]);
        assert_eq!(concept.flow.as_deref(), Some("x -> y"));

        let beside = "## Raw Concept\r\n**Task:** Map\r\n**Files**: a.ts, b.ts\r\n**Timestamp:** 2026-02-03\r\n**Author:** me\r\n**Patterns:**\r\none\r\n";
        let concept = read(&Document::parse(beside));
        assert_eq!((concept.task.as_deref(), concept.author.as_deref()), (Some("Map"), Some("me")));
        assert_eq!(concept.files, ["a.ts", "b.ts"]);
        assert_eq!((concept.timestamp.as_deref(), concept.patterns.len()), (Some("2026-02-03"), 1));
    }

    #[test]
    fn a_time_is_found_behind_its_label_or_below_it() {
        let found = |text: &str| timestamp(text).map(|range| text[range].to_owned());
        let beside = "# T\n## Raw Concept\n**Task:** x\n**Timestamp:** 2026-02-03 \n**Author:** me\n";
        assert_eq!(found(beside).as_deref(), Some("2026-02-03"));
        let below = "## Raw Concept\n\n**Timestamp**:\n\n2026-02-03T10:00:00Z\n\n**Author:** me\n";
        assert_eq!(found(below).as_deref(), Some("2026-02-03T10:00:00Z"));
        assert_eq!(found("## Raw Concept\n**Timestamp:**\n**Author:** me\n"), None);
        assert_eq!(found("## Other\n**Timestamp:** 2026-02-03\n"), None);
    }
}
