//! A careful person's merge of two versions: everything that either side added, nothing that either removed.
//!
//! Independent of the merges that it checks: a text is a sequence of statements, without any further structure.

use std::collections::{BTreeMap, BTreeSet};

/// How a statement follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Glue {
    Space,
    Line,
    Blank,
}

/// A sentence, list item, table row, field, heading or line of code.
#[derive(Debug, Clone)]
struct Statement {
    glue: Glue,
    /// The text as written.
    text: String,
    /// Its identity, without check box and number.
    key: String,
}

/// Merge the changes of both sides to `base`.
pub fn merged(base: &str, ours: &str, theirs: &str) -> String {
    let [base, ours, theirs] = [base, ours, theirs].map(statements);
    let keys = |side: &[Statement]| side.iter().map(|one| one.key.clone()).collect::<BTreeSet<_>>();
    let (known, mine, others) = (keys(&base), keys(&ours), keys(&theirs));
    let other: BTreeMap<&str, &Statement> = theirs.iter().map(|one| (one.key.as_str(), one)).collect();
    let before: BTreeMap<&str, &Statement> = base.iter().map(|one| (one.key.as_str(), one)).collect();
    let mut result: Vec<Statement> = Vec::new();
    let mut carried = None;
    for mut one in ours {
        if known.contains(&one.key) && !others.contains(&one.key) {
            // the first statement of a paragraph is gone: the next one begins it
            carried = carried.max(Some(one.glue));
            continue;
        }
        if let Some(other) = other.get(one.key.as_str()) {
            one.text = same(before.get(one.key.as_str()).map(|one| &one.text), &one.text, &other.text);
        }
        one.glue = one.glue.max(carried.take().unwrap_or(Glue::Space));
        result.push(one);
    }
    // whether ours has something else in place of what was before
    let (mut at, mut is_replaced) = (0, false);
    for mut one in theirs {
        if mine.contains(&one.key) {
            at = result.iter().position(|other| other.key == one.key).map_or(at, |at| at + 1);
            is_replaced = false;
        } else if known.contains(&one.key) {
            is_replaced = true;
        } else {
            let is_new = |other: &Statement| !known.contains(&other.key);
            if is_replaced && one.glue == Glue::Space && result.get(at).is_some_and(is_new) {
                at += 1;
                while result.get(at).is_some_and(|other| is_new(other) && other.glue == Glue::Space) {
                    at += 1;
                }
            }
            is_replaced = false;
            let follows_prose = at > 0 && is_prose_line(&result[at - 1].text);
            one.glue = if follows_prose { one.glue } else { one.glue.max(Glue::Line) };
            result.insert(at, one);
            at += 1;
        }
    }
    written(&result)
}

/// Merge one statement that both sides have, perhaps in other words.
fn same(base: Option<&String>, ours: &str, theirs: &str) -> String {
    if base.is_some_and(|base| base == ours) {
        return theirs.to_owned();
    }
    if ours == theirs || base.is_some_and(|base| base == theirs) {
        return ours.to_owned();
    }
    match (ours.split_once(": ["), theirs.split_once(": [")) {
        (Some((key, mine)), Some((_, others))) => {
            let items = |list: &str| -> Vec<String> {
                list.trim_end_matches(']')
                    .split(", ")
                    .filter(|item| !item.is_empty())
                    .map(str::to_owned)
                    .collect()
            };
            let old =
                base.and_then(|base| base.split_once(": [")).map(|(_, list)| items(list)).unwrap_or_default();
            let (mine, others) = (items(mine), items(others));
            let kept = mine.iter().filter(|item| others.contains(item) || !old.contains(item));
            let new = others.iter().filter(|item| !mine.contains(item) && !old.contains(item));
            format!("{key}: [{}]", kept.chain(new).cloned().collect::<Vec<_>>().join(", "))
        }
        // the later time, the ticked box, and one of two summaries
        _ => ours.max(theirs).to_owned(),
    }
}

fn written(statements: &[Statement]) -> String {
    let mut text = String::new();
    for one in statements {
        if !text.is_empty() {
            text.push_str(match one.glue {
                Glue::Space => " ",
                Glue::Line => "\n",
                Glue::Blank => "\n\n",
            });
        }
        text.push_str(&one.text);
    }
    text + "\n"
}

fn statements(text: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let (mut glue, mut rules, mut fences) = (Glue::Line, 0, 0);
    let is_entry = text.starts_with("---\n");
    for line in text.lines().chain([""]) {
        let in_fields = is_entry && rules < 2;
        let is_fence = line.starts_with("```");
        if !in_fields && !is_fence && fences % 2 == 0 && is_prose_line(line) {
            paragraph.push(line);
            continue;
        }
        if !paragraph.is_empty() {
            for sentence in sentences(&paragraph.join(" ")) {
                found.push(Statement { glue, key: sentence.clone(), text: sentence });
                glue = Glue::Space;
            }
            paragraph.clear();
            glue = Glue::Line;
        }
        if line.is_empty() {
            glue = Glue::Blank;
            continue;
        }
        rules += usize::from(line == "---");
        fences += usize::from(is_fence);
        let key = match line {
            "---" => format!("rule {rules}"),
            _ if is_fence => format!("fence {fences}"),
            _ if in_fields => line.split_once(": ").map_or(line, |(key, _)| key).to_owned(),
            _ => key(line),
        };
        found.push(Statement { glue, text: line.to_owned(), key });
        glue = Glue::Line;
    }
    found
}

/// The sentences of a paragraph, each with its full stop.
pub fn sentences(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(". ").collect();
    let last = parts.len() - 1;
    parts
        .iter()
        .enumerate()
        .map(|(at, part)| if at < last { format!("{part}.") } else { (*part).to_owned() })
        .collect()
}

/// Whether a line belongs to a paragraph.
pub fn is_prose_line(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(char::is_alphanumeric) && !digits.starts_with(". ") && !line.contains(" -> ")
}

/// The identity of a line: without check box and number.
pub fn key(line: &str) -> String {
    let bare = line.trim_start_matches("- [ ] ").trim_start_matches("- [x] ").trim_start_matches("- ");
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.strip_prefix(". ").unwrap_or(bare).to_owned()
}

/// A text with markers, with every conflict resolved.
pub fn resolved(text: &str) -> String {
    let mut result = String::new();
    let mut sides: Option<(usize, [String; 3])> = None;
    for line in text.split_inclusive('\n') {
        let marker =
            ["<<<<<<< ", "||||||| ", "=======", ">>>>>>> "].iter().position(|mark| line.starts_with(mark));
        match (marker, &mut sides) {
            (Some(0), _) => sides = Some((1, Default::default())),
            (Some(1), Some((side, _))) => *side = 0,
            (Some(2), Some((side, _))) => *side = 2,
            (Some(3), Some((_, [base, ours, theirs]))) => {
                result.push_str(&merged(base, ours, theirs));
                sides = None;
            }
            (None, Some((side, texts))) => texts[*side].push_str(line),
            (_, None) => result.push_str(line),
            (Some(_), Some(_)) => unreachable!("there are four markers"),
        }
    }
    result
}

/// The virtual base that git makes of several, with its unresolved conflicts: keep both sides.
pub fn without_markers(text: &str) -> String {
    let is_marker = |line: &&str| {
        ["<<<<<<< ", "||||||| ", "=======", ">>>>>>> ", "<<<<<<<<", "||||||||", "========", ">>>>>>>>"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    text.split_inclusive('\n').filter(|line| !is_marker(line)).collect()
}
