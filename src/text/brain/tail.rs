//! What comes after the layers: the passages that a task needs, and what changed since an earlier document.

use super::left::MARK;
use super::lines::code;
use super::outcome::{Since, SinceComment, Stale};
use super::room::chars;
use crate::stale::Freshness;
use std::fmt::Write as _;

/// The most that the passages of a task may have, in tokens.
pub const MOST_OF_TASK: u64 = 1_800;

/// How much of the task is repeated above them, in characters.
const ECHO: usize = 100;

/// What a task needs.
#[derive(Debug, Clone, Copy)]
pub struct BrainTask<'a> {
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
    /// What became of the code that its entry cites.
    pub freshness: Option<Freshness>,
    /// Why a change of its entry waits for review.
    pub pending: Vec<String>,
    /// The branch that its commit was made on, if known; `None` if the commit is on a branch.
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

/// The passages that fit, best first, each between fences that its text does not contain, and their places. One that does not
/// fit is cut at a line end, or left out if only its headings would stand.
pub fn task(task: &BrainTask<'_>, room: usize) -> (String, Vec<usize>) {
    let room = room.min(chars(MOST_OF_TASK));
    let mut text =
        format!("## For the task\n\n{}\n", super::one_line::cut(&super::one_line::flat(task.words), ECHO));
    if task.passages.is_empty() {
        text.push_str("\nNo entry covers this task.\n");
    }
    let Some(mut left) = room.checked_sub(text.chars().count()) else { return Default::default() };
    let mut shown = Vec::new();
    for (at, passage) in task.passages.iter().enumerate() {
        let Some(block) = fitting(passage, left) else { continue };
        left -= block.chars().count();
        text.push_str(&block);
        shown.push(at);
    }
    (text, shown)
}

/// A passage, or as many of its lines as fit; `None` if these say nothing.
fn fitting(passage: &Passage, left: usize) -> Option<String> {
    let mut lines: Vec<&str> = passage.text.lines().collect();
    let says = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && !line.starts_with("```");
    while lines.iter().any(says) {
        let block = fenced(passage, &lines);
        if block.chars().count() <= left {
            return Some(block);
        }
        lines.pop();
    }
    None
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

/// Who said what is left to the command, which masks it.
fn comment(SinceComment { id, path }: &SinceComment) -> String {
    format!("- comment {id} on {}: `brv review comments {id}`\n", code(path))
}

/// What changed, in lines that fit.
pub fn since(since: &Since, room: usize) -> String {
    let mut text = format!("## Changed since {}\n\n", super::one_line::flat(&since.from));
    let rows = [("added", &since.added), ("changed", &since.changed), ("removed", &since.removed)];
    let of_path = rows
        .iter()
        .flat_map(|(word, paths)| paths.iter().map(move |path| format!("- {word} {}\n", code(path))));
    // what is shown above is not to be believed: that comes first
    let said = since.comments.iter().map(comment);
    let all: Vec<String> = since.stale.iter().map(stale).chain(said).chain(of_path).collect();
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
