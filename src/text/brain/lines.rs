//! The lines of a document: one for each statement or entry, with what a reader must know before believing it.

use super::detail::EntryDetail;
use super::left;
use super::month::Month;
use super::one_line::cut;
use super::place::Placed;
use super::statement::Statement;
use crate::stale::Freshness;
use std::fmt::Write as _;

/// The longest title of a statement, and the longest line about stale code below an entry, in characters.
const TITLE: usize = 100;
const MARK: usize = 100;

/// The importance if none is given.
const USUAL: u8 = 3;

/// What is known of a statement beside its entry.
pub struct StatementContext<'a> {
    pub freshness: Option<&'a Freshness>,
    /// Whether its commit is on no branch of the code.
    pub is_left: bool,
    /// The entry above that says otherwise.
    pub against: Option<&'a str>,
}

/// A statement: `- **TITLE**: LEAD (2026-07; path)`.
pub fn statement(
    placed: &Placed<'_>,
    detail: &EntryDetail,
    (said, month): (&Statement, Month),
    told: &StatementContext<'_>,
) -> String {
    let mut about = vec![month.to_string(), code(placed.path())];
    about.extend(told.against.map(|path| format!("disputed: {} says otherwise", code(path))));
    about.extend(told.is_left.then(|| left::MARK.to_owned()));
    about.extend(unusual(placed));
    about.extend(waiting(detail, told.freshness));
    titled(&said.title, &said.lead, &about)
}

/// An entry of a tree in which no statement is worth more: `- **TITLE**: LINE (2026-07; path)`.
pub fn entry(placed: &Placed<'_>, detail: &EntryDetail, freshness: Option<&Freshness>) -> String {
    let mut about = vec![placed.changed.to_string(), code(placed.path())];
    about.extend(unusual(placed));
    about.extend(placed.entry.is_disputed.then(|| "disputed".to_owned()));
    about.extend(waiting(detail, freshness));
    titled(&detail.title, &detail.line, &about)
}

fn titled(title: &str, text: &str, about: &[String]) -> String {
    let title = cut(title, TITLE);
    let about = about.join("; ");
    match (title.is_empty(), text.is_empty()) {
        (true, _) => format!("- {text} ({about})\n"),
        (false, true) => format!("- **{title}** ({about})\n"),
        (false, false) => format!("- **{title}**: {text} ({about})\n"),
    }
}

/// What waits for somebody to look at it; the list of entries says what changed.
fn waiting(detail: &EntryDetail, freshness: Option<&Freshness>) -> Vec<String> {
    let pending = (!detail.pending.is_empty()).then(|| "pending review".to_owned());
    let since = |line: String| line.split(": ").next().unwrap_or_default().to_owned();
    let stale = freshness.and_then(Freshness::line).map(since);
    pending.into_iter().chain(stale).collect()
}

/// Importance, confidence and status, where they are not as for any entry.
fn unusual(placed: &Placed<'_>) -> Vec<String> {
    let is_told = placed.is_used && placed.importance != USUAL;
    let importance = is_told.then(|| format!("importance {}", placed.importance));
    let confidence = placed.entry.confidence.map(|own| format!("confidence {}", number(own)));
    let done = placed.entry.is_done().then(|| "done".to_owned());
    importance.into_iter().chain(confidence).chain(done).collect()
}

/// An entry in the list: its path, how much it states, and what it is about, if that is not said already.
pub fn block(
    placed: &Placed<'_>,
    detail: &EntryDetail,
    about: &str,
    similar: usize,
    freshness: Option<&Freshness>,
) -> String {
    let count = placed.entry.stated.count();
    let mut told = vec![if count == 1 { "1 item".to_owned() } else { format!("{count} items") }];
    told.extend((similar > 0).then(|| format!("+{similar} similar")));
    told.extend(unusual(placed));
    let about = if about.is_empty() { String::new() } else { format!(": {about}") };
    let mut text = format!("- {} ({}){about}\n", code(placed.path()), told.join("; "));
    for (subject, claims) in &detail.disputes {
        let _ = writeln!(text, "  - disputed: {subject}: {}", claims.join(" | "));
    }
    if !detail.pending.is_empty() {
        let _ = writeln!(text, "  - pending review: {}", detail.pending.join(", "));
    }
    if let Some(line) = freshness.and_then(Freshness::line) {
        let _ = writeln!(text, "  - {}", cut(&line, MARK));
    }
    text
}

/// A path as inline code.
pub fn code(path: &str) -> String {
    if path.contains('`') { format!("`` {path} ``") } else { format!("`{path}`") }
}

/// With at most two decimals: `0.85`, `0.7`, `1`.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
