//! What comes after the layers: the passages that a task needs, and what changed since an earlier document.

use super::left::MARK;
use super::lines::code;
use super::outcome::{Since, Stale};
use super::room::chars;
use crate::stale::Freshness;
use std::fmt::Write as _;

/// The most that the passages of a task may have, in tokens.
const TASK: u64 = 1_800;

/// What a task needs.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    pub words: &'a str,
    pub passages: &'a [Passage],
}

/// A piece of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    pub path: String,
    pub line: usize,
    pub text: String,
    pub is_disputed: bool,
    /// Whether it is only named, on one line: it may matter as well.
    pub is_line: bool,
    /// What became of the code that its entry cites.
    pub freshness: Option<Freshness>,
    /// Why a change of its entry waits for review.
    pub pending: Vec<String>,
    /// Of a statement whose commit is on no branch: the branch that it was made on, if that is known.
    pub unmerged: Option<Option<String>>,
}

impl Passage {
    /// What a reader must know before believing it.
    fn marks(&self) -> Vec<String> {
        let pending =
            (!self.pending.is_empty()).then(|| format!("pending review: {}", self.pending.join(", ")));
        let stale = self.freshness.as_ref().and_then(Freshness::line);
        let left = self.unmerged.is_some().then(|| MARK.to_owned());
        let disputed = self.is_disputed.then(|| "disputed".to_owned());
        let all = disputed.into_iter().chain(left).chain(pending).chain(stale);
        all.map(|mark| super::one_line::flat(&mark)).collect()
    }

    /// What is known of its entry, beside its text: for the hash.
    pub fn known(&self) -> String {
        let state = self.freshness.as_ref().map(|known| known.state.word());
        format!("{}:{}:{state:?}:{:?}", self.path, self.line, self.marks())
    }
}

/// The passages that fit, best first, each between fences that its text does not contain. The last one is cut at a line
/// end.
pub fn task(task: &Task<'_>, room: usize) -> String {
    let room = room.min(chars(TASK));
    let mut text =
        format!("## For the task\n\n{}\n", super::one_line::cut(&super::one_line::flat(task.words), 200));
    if task.passages.is_empty() {
        text.push_str("\nNo entry covers this task.\n");
    }
    if text.chars().count() > room {
        return String::new();
    }
    let (lines, whole): (Vec<&Passage>, Vec<&Passage>) = task.passages.iter().partition(|one| one.is_line);
    for passage in whole {
        let left = room - text.chars().count();
        let mut lines: Vec<&str> = passage.text.lines().collect();
        while !lines.is_empty() && fenced(passage, &lines).chars().count() > left {
            lines.pop();
        }
        if lines.is_empty() {
            continue;
        }
        text.push_str(&fenced(passage, &lines));
    }
    named(&lines, room, &mut text);
    text
}

/// Name entries of which no passage is shown, as many as fit.
fn named(passages: &[&Passage], room: usize, text: &mut String) {
    let mut heading = "\nThese may matter as well:\n\n";
    for passage in passages {
        let marks = passage.marks();
        let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join("; ")) };
        let text_of = super::one_line::flat(&passage.text);
        let line = format!("{heading}- {}: {text_of}{marks}\n", code(&passage.path));
        if text.chars().count() + line.chars().count() > room {
            return;
        }
        text.push_str(&line);
        heading = "";
    }
}

fn fenced(passage: &Passage, lines: &[&str]) -> String {
    let body = lines.join("\n");
    let mut fence = "```".to_owned();
    while body.contains(&fence) {
        fence.push('`');
    }
    let marks: String = passage.marks().iter().map(|mark| format!("  {mark}")).collect();
    format!("\n{fence}text {}:{}{marks}\n{body}\n{fence}\n", passage.path, passage.line)
}

fn stale(stale: &Stale) -> String {
    let path = code(&stale.path);
    match &stale.line {
        Some(line) => format!("- now stale {path}: {}\n", super::one_line::flat(line)),
        None => format!("- not stale any more {path}\n"),
    }
}

/// What changed, in lines that fit.
pub fn since(since: &Since, room: usize) -> String {
    let mut text = format!("## Changed since {}\n\n", super::one_line::flat(&since.from));
    let rows = [("added", &since.added), ("changed", &since.changed), ("removed", &since.removed)];
    let of_path = rows
        .iter()
        .flat_map(|(word, paths)| paths.iter().map(move |path| format!("- {word} {}\n", code(path))));
    // what is shown above is not to be believed: that comes first
    let all: Vec<String> = since.stale.iter().map(stale).chain(of_path).collect();
    if all.is_empty() {
        text.push_str("Nothing.\n");
    }
    let Some(mut left) = room.checked_sub(text.chars().count()) else { return String::new() };
    let more = |count: usize| format!("- and {count} more\n");
    for (at, line) in all.iter().enumerate() {
        let rest = all.len() - at - 1;
        let reserve = if rest > 0 { more(rest).chars().count() } else { 0 };
        if line.chars().count() + reserve > left {
            let last = more(all.len() - at);
            if last.chars().count() <= left {
                text.push_str(&last);
            }
            break;
        }
        left -= line.chars().count();
        let _ = write!(text, "{line}");
    }
    text
}
