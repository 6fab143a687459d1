//! The lines of a document: one for each entry, with what a reader must know before believing it below it.

use super::detail::{Detail, cut};
use super::kind::Kind;
use super::place::Placed;
use crate::stale::Freshness;
use std::fmt::Write as _;

/// The longest piece of a line of the brief, in characters.
const SHORT: usize = 120;

/// How many files and tags a line names.
const FEW: usize = 4;

/// What is told of an entry on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Confidence, importance, tags, files and age.
    Active,
    /// Confidence and files.
    Reference,
}

/// An entry as lines.
pub fn block(placed: &Placed<'_>, detail: &Detail, freshness: Option<&Freshness>, form: Form) -> String {
    let mut about = vec![code(placed.path())];
    if form == Form::Active {
        about.push(format!("importance {}", placed.importance));
    }
    about.push(format!("confidence {}", number(placed.confidence)));
    if placed.entry.is_done() {
        about.push("done".to_owned());
    }
    let files: Vec<String> = detail.files.iter().map(|file| code(file)).collect();
    if form == Form::Active {
        about.extend(listed("tags", &detail.tags));
    }
    about.extend(listed("files", &files));
    if form == Form::Active {
        about.push(age(placed.days));
    }
    let title = if form == Form::Active { format!("**{}**", detail.title) } else { detail.title.clone() };
    let line = if detail.line.is_empty() { String::new() } else { format!(": {}", detail.line) };
    let mut text = format!("- {title}{line} ({})\n", about.join("; "));
    for (subject, claims) in &detail.disputes {
        let _ = writeln!(text, "  - disputed: {subject}: {}", claims.join(" | "));
    }
    if !detail.pending.is_empty() {
        let _ = writeln!(text, "  - pending review: {}", detail.pending.join(", "));
    }
    if let Some(line) = freshness.and_then(Freshness::line) {
        let _ = writeln!(text, "  - {line}");
    }
    text
}

/// An entry as a piece of a line of the brief.
pub fn piece(placed: &Placed<'_>, detail: &Detail, freshness: Option<&Freshness>) -> String {
    let text = match detail.line.is_empty() {
        true => cut(&detail.title, SHORT),
        false => cut(&format!("{}: {}", detail.title, detail.line), SHORT),
    };
    let mut about = vec![code(placed.path())];
    about.extend(placed.entry.is_disputed.then(|| "disputed".to_owned()));
    about.extend((!detail.pending.is_empty()).then(|| "pending review".to_owned()));
    about.extend(freshness.and_then(Freshness::line));
    format!("{text} ({})", about.join("; "))
}

/// The groups of layer 1, in their order.
pub const fn group(kind: Kind, is_done: bool) -> (usize, &'static str) {
    match kind {
        Kind::Decision => (0, "Key decisions"),
        Kind::Bug => (1, "Recent fixes and known issues"),
        Kind::Todo if !is_done => (2, "Pending tasks"),
        Kind::Convention => (3, "Conventions"),
        Kind::Implementation | Kind::Todo | Kind::CodeMap => (4, "Recent work"),
        Kind::Architecture => (5, "Architecture"),
    }
}

/// A path as inline code.
pub fn code(path: &str) -> String {
    if path.contains('`') { format!("`` {path} ``") } else { format!("`{path}`") }
}

fn listed(what: &str, items: &[String]) -> Option<String> {
    if items.is_empty() {
        return None;
    }
    let more = items.len().saturating_sub(FEW);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{what} {}{rest}", items[..items.len().min(FEW)].join(", ")))
}

fn age(days: i64) -> String {
    match days {
        0 => "today".to_owned(),
        1 => "1 day old".to_owned(),
        days => format!("{days} days old"),
    }
}

/// With at most two digits behind the point: `0.85`, `0.7`, `1`.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
