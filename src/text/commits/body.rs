//! Read the text of a commit message above its trailers: what of it states something, and why the rest does not.

use super::lines::{Kind, Line, bullet, lines};
use super::{Lacks, Reason, Stated, signals, statement};
use crate::doc::{Content, Narrative, render};

/// A text without bullets needs this many words of prose.
pub(super) const WORDS: usize = 40;

/// The weight of all sentences that a text needs to be filed.
const WEIGHT: i32 = 1;

/// The most characters of a text that are filed.
pub(super) const MOST: usize = 2_000;

/// What a text states.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub facts: Vec<Stated>,
    pub prose: Option<String>,
}

/// A paragraph of prose, or a list item.
struct Unit {
    is_bullet: bool,
    text: String,
    /// The first of its lines, and the one after its last.
    lines: (usize, usize),
}

/// Read a text.
///
/// # Errors
/// The reason why it teaches nothing.
pub(super) fn read(text: &str) -> Result<Text, Reason> {
    let lines = lines(text);
    let units = units(&lines);
    if is_generated(&units) {
        return Err(Reason::Template);
    }
    let words: usize = units.iter().map(|unit| words(&unit.text)).sum();
    let has_bullets = units.iter().any(|unit| unit.is_bullet);
    if words < WORDS && !has_bullets {
        let is_form = lines.iter().any(|line| line.kind == Kind::Form);
        return Err(if is_form { Reason::Template } else { Reason::StatesNothing(lacks(&lines, words)) });
    }
    let is_squash = is_squash(&lines);
    let stating: Vec<&Unit> = units.iter().filter(|unit| !is_commit(unit, is_squash)).collect();
    if stating.is_empty() {
        return Err(Reason::Template);
    }
    let mut kept = lines;
    let mut facts = Vec::new();
    for unit in stating.iter().filter(|unit| unit.is_bullet) {
        if let Some(fact) = statement::of_bullet(&unit.text) {
            facts.push(fact);
            kept[unit.lines.0..unit.lines.1].iter_mut().for_each(|line| line.kind = Kind::Dropped);
        }
    }
    if facts.is_empty() && weight(&stating) < WEIGHT {
        return Err(Reason::OnlySteps);
    }
    let prose = prose(&kept);
    if facts.is_empty() && prose.is_none() {
        Err(Reason::StatesNothing(Lacks::Prose))
    } else {
        Ok(Text { facts, prose })
    }
}

fn lacks(lines: &[Line], words: usize) -> Lacks {
    match words {
        0 if lines.iter().all(|line| line.kind == Kind::Blank) => Lacks::Text,
        0 => Lacks::Prose,
        _ => Lacks::Words,
    }
}

fn units(lines: &[Line]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut goes_on = false;
    for (at, line) in lines.iter().enumerate() {
        match line.kind {
            Kind::Bullet => {
                let text = bullet(&line.text).unwrap_or_default().to_owned();
                units.push(Unit { is_bullet: true, text, lines: (at, at + 1) });
                goes_on = true;
            }
            Kind::Prose if goes_on => {
                if let Some(last) = units.last_mut() {
                    last.text.push(' ');
                    last.text.push_str(line.text.trim());
                    last.lines.1 = at + 1;
                }
            }
            Kind::Prose => {
                units.push(Unit { is_bullet: false, text: line.text.trim().to_owned(), lines: (at, at + 1) });
                goes_on = true;
            }
            _ => goes_on = false,
        }
    }
    units
}

/// Words with a letter or a digit that are no address and no name of a commit.
fn words(text: &str) -> usize {
    let is_word = |word: &&str| word.contains(char::is_alphanumeric) && !word.contains("://");
    text.split_whitespace().filter(is_word).count()
}

/// The subject of a commit without what stands before its colon.
fn subject_of(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, rest)| rest)
}

/// Whether a program wrote the text: a squash merge, an updater of dependencies, a change log.
fn is_generated(units: &[Unit]) -> bool {
    let Some(Unit { text, .. }) = units.first() else { return false };
    let updates = text.starts_with("Bumps ") && text.contains(" from ") && text.contains(" to ");
    let is_version = |word: &str| {
        let word = word.trim_start_matches(['v', '[']);
        word.starts_with(|c: char| c.is_ascii_digit()) && word.matches('.').count() >= 2
    };
    updates
        || is_squash_subject(text)
        || text.starts_with("This PR contains the following updates")
        || text.split_whitespace().next().is_some_and(is_version)
}

/// Whether git wrote this line above the commits that it squashed.
pub(super) fn is_squash_subject(text: &str) -> bool {
    text.starts_with("Squashed commit of the following:")
}

/// Whether the text is made as a squash merge makes it: from its start a list of `*` with blank lines between the items.
fn is_squash(lines: &[Line]) -> bool {
    let mut before = Kind::Blank;
    let mut items = 0;
    for line in lines.iter().filter(|line| !matches!(line.kind, Kind::Dropped | Kind::Form)) {
        let is_item = line.kind == Kind::Bullet && line.text.starts_with('*');
        if is_item && before != Kind::Blank || items == 0 && !is_item && line.kind != Kind::Blank {
            return false;
        }
        items += usize::from(is_item);
        before = line.kind;
    }
    items > 1
}

/// Whether a list item reads as the subject of a commit.
fn is_commit(unit: &Unit, is_squash: bool) -> bool {
    let is_line = unit.text.len() <= 100 && !unit.text.ends_with('.');
    unit.is_bullet && (signals::is_step(subject_of(&unit.text)) || is_squash && is_line)
}

fn weight(units: &[&Unit]) -> i32 {
    units.iter().flat_map(|unit| sentences(&unit.text)).map(signals::weight).sum()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(". ")
        .flat_map(|text| text.split_inclusive("; "))
        .filter(|text| !text.trim().is_empty())
}

/// The lines that are kept, as markdown for an entry.
fn prose(lines: &[Line]) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    for line in lines.iter().filter(|line| !matches!(line.kind, Kind::Dropped | Kind::Form)) {
        let is_blank = line.kind == Kind::Blank;
        if !is_blank || kept.last().is_some_and(|last| !last.is_empty()) {
            kept.push(if is_blank { "" } else { &line.text });
        }
    }
    while kept.last().is_some_and(|last| last.is_empty()) {
        kept.pop();
    }
    let has_prose = lines.iter().any(|line| matches!(line.kind, Kind::Prose | Kind::Bullet));
    let prose = Some(cut(&kept)).filter(|text| has_prose && !text.is_empty())?;
    let narrative = Narrative { highlights: Some(prose), ..Narrative::default() };
    let content = Content { narrative, ..Content::default() };
    // what would read back as something else is not filed
    render::body(&content).ok()?;
    content.normal().ok()?.narrative.highlights
}

/// As many lines as fit, with `…` on a line of its own where lines are left out.
fn cut(lines: &[&str]) -> String {
    let all = lines.join("\n");
    if all.chars().count() <= MOST {
        return all;
    }
    let mut text = String::new();
    let mut left = MOST - "\n…".chars().count();
    let mut fence: Option<&str> = None;
    for line in lines {
        let opens = open_fence(fence, line);
        let closing = opens.map_or(0, |mark| mark.len() + 1);
        let size = line.chars().count() + 1;
        if size + closing > left {
            // a single line that is too long
            if text.is_empty() {
                text.extend(line.chars().take(left));
            }
            break;
        }
        left -= size;
        text.push_str(line);
        text.push('\n');
        fence = opens;
    }
    let text = text.trim_end();
    let closing = fence.map_or_else(String::new, |mark| format!("\n{mark}"));
    format!("{text}{closing}\n…")
}

/// The mark of the fence that is open after this line.
fn open_fence<'a>(fence: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    let bare = line.trim();
    let mark = |one: char| &bare[..bare.len() - bare.trim_start_matches(one).len()];
    match fence {
        Some(open) => {
            (!(bare.starts_with(open) && bare.trim_start_matches(&open[..1]).is_empty())).then_some(open)
        }
        None => [mark('`'), mark('~')].into_iter().find(|mark| mark.len() >= 3),
    }
}
