//! The lines of an entry that answer a question: a run of whole blocks with the most of the question's words.
//!
//! Blocks of code count little, and are left out where the text around them says more: of an entry too long to be an
//! answer, the sentence that answers mostly stands in the text. Blocks that only ask belong to the block after them.
//!
//! Of 161 questions with a known answer in the right entry, half of them in other words than the entry, the lines held
//! the words that answer for .62 with the best piece of the index alone, .76 with the run that has the most weight of the
//! question's words, .81 if the counts of words matter as well, .84 if code may be left out, and .85 with words that
//! only begin alike. Choosing blocks apart from each other gave .82, weighing words by the blocks that have them .83,
//! and sentences in place of blocks .83.

use super::asking::asks;
use super::cutting::cut_to;
use brv_search::Weights;
use brv_text::doc::{Block, BlockKind, Document};
use std::cmp::Ordering;
use std::ops::Range;

/// The most characters of the lines.
pub const MOST_OF_ENTRY: usize = 600;

/// What a word in code counts.
const IN_CODE: f64 = 0.2;

/// What stands for code that is left out.
const LEFT_OUT: &str = "…\n\n";

/// The lines of an entry that answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// The first of them in the file, counted from 1.
    pub line: usize,
    pub text: String,
    /// Whether they are all that the entry says.
    pub is_whole: bool,
    /// How often they have each word of the question.
    pub counts: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerUnitKind {
    Prose,
    Code,
    Heading,
    /// It only asks.
    Asking,
    /// Anchors and images: nothing to read.
    Empty,
    /// It is shown elsewhere.
    Taken,
}

/// A block, or a line of a block that is too long.
struct Unit {
    kind: AnswerUnitKind,
    fence: Option<UnitFence>,
    /// Its lines with the blank ones after it, in bytes of the body.
    span: Range<usize>,
    /// The same without them.
    content: Range<usize>,
    /// Their lengths in characters.
    chars: [usize; 2],
    counts: Vec<f64>,
}

/// The fence around a unit of code.
#[derive(Clone)]
struct UnitFence {
    /// Its backticks or tildes, in bytes of the body.
    mark: Range<usize>,
    /// Whether it opens above the unit, and whether it is still open below.
    is_above: bool,
    is_below: bool,
}

/// A run of units.
struct UnitRun {
    units: Range<usize>,
    code: CodeTreatment,
    worth: f64,
    /// How many sections it goes into after the first.
    sections: usize,
    /// How many characters are not code.
    prose: usize,
    chars: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeTreatment {
    Kept,
    LeftOut,
}

impl UnitRun {
    fn is_better_than(&self, other: &Self) -> bool {
        let more = self.worth - other.worth;
        let is_tighter = || match self.sections.cmp(&other.sections) {
            Ordering::Equal => self.prose > other.prose,
            order => order == Ordering::Less,
        };
        more > 1e-9 || more > -1e-9 && is_tighter()
    }
}

/// The lines that answer the question with these weights, at most `most` characters; `None` if nothing in the entry
/// answers anything.
pub fn lines(document: &Document, weights: &Weights, most: usize) -> Option<Lines> {
    lines_beside(document, weights, most, &[]).map(|(lines, _)| lines)
}

/// The same of what is not `taken`, and where in the body they are: both in bytes of the body.
pub fn lines_beside(
    document: &Document,
    weights: &Weights,
    most: usize,
    taken: &[Range<usize>],
) -> Option<(Lines, Range<usize>)> {
    let body = document.body();
    let mut counter = weights.counter(body);
    let concept = concept(document);
    let mut units = units(document, &concept, most, &mut |text| counter.counts(text));
    take(&mut units, taken);
    let answers = |unit: &Unit| matches!(unit.kind, AnswerUnitKind::Prose | AnswerUnitKind::Code);
    if !units.iter().any(answers) || only_asks(&units, weights) {
        return None;
    }
    let whole = body.trim();
    if concept.is_empty() && taken.is_empty() && whole.chars().count() <= most {
        let counts = counter.counts(whole);
        let line = document.line_of_body(body.len() - body.trim_start().len());
        return Some((Lines { line, text: whole.to_owned(), is_whole: true, counts }, 0..body.len()));
    }
    let room = most.saturating_sub(room_for_fences(&units));
    let Some(mut run) = best_run(&units, weights, room) else {
        // a line longer than all that is wanted
        let by_worth =
            |one: &&Unit, other: &&Unit| weights.worth(&one.counts).total_cmp(&weights.worth(&other.counts));
        let unit = units.iter().filter(|unit| answers(unit)).rev().max_by(by_worth)?;
        let (line, text) =
            (document.line_of_body(unit.content.start), cut_to(&body[unit.content.clone()], most));
        let lines = Lines { line, text, is_whole: false, counts: unit.counts.clone() };
        return Some((lines, unit.content.clone()));
    };
    with_headings(&mut run, &units, room);
    let (first, text) = (&units[run.units.start], shown(&run, &units, body));
    let counts = counter.counts(&text);
    let (line, end) = (document.line_of_body(first.content.start), units[run.units.end - 1].content.end);
    Some((Lines { line, text, is_whole: false, counts }, first.content.start..end))
}

/// Mark the units that are taken in part or whole.
fn take(units: &mut [Unit], taken: &[Range<usize>]) {
    for unit in units {
        if taken.iter().any(|one| one.start < unit.content.end && unit.content.start < one.end) {
            unit.kind = AnswerUnitKind::Taken;
            unit.counts.fill(0.0);
        }
    }
}

/// Whether what has the most of the question's words is itself a question, or an open task, and nothing answers it.
fn only_asks(units: &[Unit], weights: &Weights) -> bool {
    let worth = |unit: &Unit| weights.worth(&unit.counts);
    let most = units.iter().map(worth).fold(0.0, f64::max);
    let mut best = units.iter().enumerate().filter(|(_, unit)| most > 0.0 && worth(unit) >= most);
    best.all(|(at, unit)| {
        let next = units[at + 1..].iter().find(|unit| unit.kind != AnswerUnitKind::Empty);
        let is_answered =
            next.is_some_and(|next| matches!(next.kind, AnswerUnitKind::Prose | AnswerUnitKind::Code));
        unit.kind == AnswerUnitKind::Asking && !is_answered
    }) && most > 0.0
}

/// Where `## Raw Concept` is, which tells where an entry comes from and answers nothing.
fn concept(document: &Document) -> Vec<Range<usize>> {
    let outline = document.outline();
    let whole = |at: usize| {
        let sections = outline.with_nested(at);
        outline.sections()[at].heading.start..outline.sections()[sections.end - 1].content.end
    };
    outline.titled("raw concept").map(whole).collect()
}

fn units(
    document: &Document,
    concept: &[Range<usize>],
    most: usize,
    counts: &mut dyn FnMut(&str) -> Vec<f64>,
) -> Vec<Unit> {
    let body = document.body();
    let mut units = Vec::new();
    let is_shown = |block: &&Block| concept.iter().all(|range| !range.contains(&block.span.start));
    for block in document.blocks().iter().filter(is_shown) {
        let text = &body[block.content.clone()];
        let kind = match block.kind {
            BlockKind::Heading { .. } => AnswerUnitKind::Heading,
            BlockKind::Fence { .. } | BlockKind::Indented => AnswerUnitKind::Code,
            BlockKind::Blank | BlockKind::Rule | BlockKind::Definition => AnswerUnitKind::Empty,
            _ if is_empty(text) => AnswerUnitKind::Empty,
            _ if asks(text) => AnswerUnitKind::Asking,
            _ => AnswerUnitKind::Prose,
        };
        let open = match block.kind {
            BlockKind::Fence { closed, .. } => Some((mark(body, &block.content), closed)),
            _ => None,
        };
        let mut unit = |span: Range<usize>, content: Range<usize>| {
            let fence = open.clone().map(|(mark, closed)| UnitFence {
                mark,
                is_above: content.start > block.content.start,
                is_below: !(closed && body[content.end..block.content.end].trim().is_empty()),
            });
            let chars = [&span, &content].map(|range| body[range.clone()].chars().count());
            let mut counts = counts(&body[content.clone()]);
            if kind == AnswerUnitKind::Code {
                counts.iter_mut().for_each(|count| *count *= IN_CODE);
            }
            units.push(Unit { kind, fence, span, content, chars, counts });
        };
        if text.chars().count() <= most {
            unit(block.span.clone(), block.content.clone());
            continue;
        }
        for (span, content) in split(body, block.span.clone()) {
            unit(span, content);
        }
    }
    units
}

/// The backticks or tildes that open a block of code.
fn mark(body: &str, block: &Range<usize>) -> Range<usize> {
    let text = &body[block.clone()];
    let start = text.find(['`', '~']).unwrap_or(0);
    let width = text[start..].bytes().take_while(|byte| *byte == text.as_bytes()[start]).count();
    block.start + start..block.start + start + width
}

/// The characters that fences take which are put around code that is cut, or that nobody closed.
fn room_for_fences(units: &[Unit]) -> usize {
    let added =
        units.iter().filter_map(|unit| unit.fence.as_ref()).filter(|fence| fence.is_above || fence.is_below);
    added.map(|fence| 2 * (fence.mark.len() + 1)).max().unwrap_or(0)
}

/// The lines of a block, each with the blank lines after it, and without them.
fn split(body: &str, block: Range<usize>) -> Vec<(Range<usize>, Range<usize>)> {
    let mut lines: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut start = block.start;
    for line in body[block].split_inclusive('\n') {
        let end = start + line.len();
        let content = start..start + line.trim_end().len();
        match lines.last_mut() {
            Some((span, _)) if content.is_empty() => span.end = end,
            _ if content.is_empty() => {}
            _ => lines.push((start..end, content)),
        }
        start = end;
    }
    lines
}

/// Whether a block shows nothing that can be read: anchors, images, tags.
fn is_empty(text: &str) -> bool {
    let (mut inside, mut before) = (0_usize, ' ');
    for c in text.chars() {
        match c {
            '<' => inside += 1,
            '[' if before == '!' => inside += 1,
            '(' if before == ']' => inside += 1,
            '>' | ']' | ')' => inside = inside.saturating_sub(1),
            '!' | '[' => {}
            c if inside == 0 && !c.is_whitespace() => return false,
            _ => {}
        }
        before = c;
    }
    true
}

/// The best of all runs that fit: from each unit on, with the code between and without it.
fn best_run(units: &[Unit], weights: &Weights, most: usize) -> Option<UnitRun> {
    let mut best: Option<UnitRun> = None;
    for start in 0..units.len() {
        for code in [CodeTreatment::Kept, CodeTreatment::LeftOut] {
            let begins = match units[start].kind {
                AnswerUnitKind::Empty | AnswerUnitKind::Taken => false,
                AnswerUnitKind::Code => code == CodeTreatment::Kept,
                _ => true,
            };
            if begins {
                runs_from(start, code, units, weights, most, &mut best);
            }
        }
    }
    best
}

/// The runs from one unit on. Each ends with a unit that answers.
fn runs_from(
    start: usize,
    code: CodeTreatment,
    units: &[Unit],
    weights: &Weights,
    most: usize,
    best: &mut Option<UnitRun>,
) {
    let mut counts = vec![0.0; units[start].counts.len()];
    let (mut chars, mut sections, mut prose, mut is_left_out) = (0, 0, 0, false);
    for (at, unit) in units.iter().enumerate().skip(start) {
        match unit.kind {
            AnswerUnitKind::Empty => continue,
            AnswerUnitKind::Taken => return,
            AnswerUnitKind::Code if code == CodeTreatment::LeftOut => {
                chars += if is_left_out { 0 } else { LEFT_OUT.chars().count() };
                is_left_out = true;
                continue;
            }
            _ => is_left_out = false,
        }
        let [span, content] = unit.chars;
        if chars + content > most {
            return;
        }
        counts.iter_mut().zip(&unit.counts).for_each(|(sum, count)| *sum += count);
        sections += usize::from(at > start && unit.kind == AnswerUnitKind::Heading);
        prose += if unit.kind == AnswerUnitKind::Code { 0 } else { content };
        if matches!(unit.kind, AnswerUnitKind::Prose | AnswerUnitKind::Code) {
            let worth = weights.worth(&counts);
            let run = UnitRun { units: start..at + 1, code, worth, sections, prose, chars: chars + content };
            if best.as_ref().is_none_or(|best| run.is_better_than(best)) {
                *best = Some(run);
            }
        }
        chars += span;
    }
}

/// Put the headings right above a run before it, as far as they fit.
fn with_headings(run: &mut UnitRun, units: &[Unit], most: usize) {
    for at in (0..run.units.start).rev() {
        match units[at].kind {
            AnswerUnitKind::Empty => {}
            AnswerUnitKind::Heading if run.chars + units[at].chars[0] <= most => {
                run.chars += units[at].chars[0];
                run.units.start = at;
            }
            _ => return,
        }
    }
}

fn shown(run: &UnitRun, units: &[Unit], body: &str) -> String {
    let mut text = String::new();
    for unit in &units[run.units.clone()] {
        match unit.kind {
            AnswerUnitKind::Empty => {}
            AnswerUnitKind::Code if run.code == CodeTreatment::LeftOut => {
                text.push_str(if text.ends_with(LEFT_OUT) { "" } else { LEFT_OUT });
            }
            _ => text.push_str(&body[unit.span.clone()]),
        }
    }
    let shown = &units[run.units.clone()];
    let first = shown.first().and_then(|unit| unit.fence.as_ref()).filter(|fence| fence.is_above);
    let last = shown.last().and_then(|unit| unit.fence.as_ref()).filter(|fence| fence.is_below);
    let mark = |fence: &UnitFence| &body[fence.mark.clone()];
    let open = first.map_or_else(String::new, |fence| format!("{}\n", mark(fence)));
    let close = last.map_or_else(String::new, |fence| format!("\n{}", mark(fence)));
    format!("{open}{}{close}", text.trim_start_matches(['\n', '\r']).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(words: &[&str]) -> Weights {
        Weights::new(words.iter().map(|word| (vec![brv_text::words::stems::stem(word)], 1.0)))
    }

    fn found(body: &str, words: &[&str], most: usize) -> Option<Lines> {
        lines(&Document::parse(format!("---\ntitle: T\n---\n{body}")), &weights(words), most)
    }

    const LONG: &str = "# Keys\n\nThe gateway signs what it sends.\n\n## Rotation\n\n<a id=\"rotation\"></a>\n\n\
        Signing keys rotate every ninety days:\n\n```sh\ngateway keys rotate --now\ngateway keys list\n```\n\n\
        The old pair stays for a week.\n\n## Storage\n\nNothing of this is kept on disk.\n";

    #[test]
    fn a_short_entry_answers_as_a_whole() {
        let whole = found("# Keys\n\nThey rotate.\n", &["rotate"], 600).unwrap();
        assert_eq!((whole.line, whole.text.as_str(), whole.is_whole), (4, "# Keys\n\nThey rotate.", true));
        assert_eq!(whole.counts, [1.0]);
    }

    #[test]
    fn a_long_one_answers_with_the_blocks_that_have_the_words_below_their_heading() {
        let found = |most| found(LONG, &["old", "keys", "rotate"], most).unwrap();
        let short = found(110);
        assert_eq!(short.line, 8);
        assert_eq!(
            short.text,
            "## Rotation\n\nSigning keys rotate every ninety days:\n\n…\n\nThe old pair stays for a week."
        );
        let long = found(200).text;
        assert!(long.contains("keys list\n```\n\nThe old pair") && !long.contains("<a id"), "{long}");
    }

    #[test]
    fn what_is_taken_is_not_shown_again_and_parts_what_is_around_it() {
        let document = Document::parse(LONG);
        let weights = weights(&["old", "rotate"]);
        let (first, taken) = lines_beside(&document, &weights, 60, &[]).unwrap();
        assert_eq!(first.text, "## Rotation\n\nSigning keys rotate every ninety days:");
        let (next, more) = lines_beside(&document, &weights, 60, std::slice::from_ref(&taken)).unwrap();
        assert_eq!(next.text, "The old pair stays for a week.");
        let all = lines_beside(&document, &weights, 600, &[taken, more]).unwrap().0.text;
        assert!(!all.contains("every ninety days") && !all.contains("old pair"), "{all}");
        let whole = 0..document.body().len();
        assert_eq!(lines_beside(&document, &weights, 600, &[whole]), None);
    }

    #[test]
    fn the_raw_concept_answers_nothing() {
        let body = "## Raw Concept\n**Files:**\n- `src/keys.rs`\n\n## Narrative\nKeys rotate.\n";
        assert_eq!(found(body, &["keys"], 600).unwrap().text, "## Narrative\nKeys rotate.");
        assert_eq!(found("## Raw Concept\n**Task:** rotate keys\n", &["keys"], 600), None);
    }

    #[test]
    fn what_asks_is_answered_by_what_follows_or_by_nothing() {
        let asked = "How often do the signing keys rotate?\n\nEvery ninety days.\n\n";
        let padding = "The gateway has a log of its own.\n\n".repeat(20);
        let text =
            found(&format!("{padding}## Keys\n\n{asked}{padding}"), &["signing", "keys", "rotate"], 80)
                .unwrap()
                .text;
        assert_eq!(text, "## Keys\n\nHow often do the signing keys rotate?\n\nEvery ninety days.");
        for open in
            ["# How often do keys rotate?\n", "# Keys\n\n- Who rotates keys?\n- TODO: find out when\n", ""]
        {
            assert_eq!(found(open, &["keys", "rotate"], 600), None, "{open}");
        }
    }

    #[test]
    fn code_that_is_cut_is_fenced_at_both_ends() {
        let code: String = (0..40).map(|at| format!("step_{at} --now\n")).collect();
        let text = found(&format!("# Deploy\n\n```sh\n{code}```\n"), &["17"], 60).unwrap().text;
        assert!(text.starts_with("```\n") && text.ends_with("\n```") && text.contains("step_17"), "{text}");
    }

    #[test]
    fn lines_too_long_are_cut_and_tables_at_their_rows() {
        let text = found(&"key rotates ".repeat(100), &["key"], 50).unwrap().text;
        assert!(text.ends_with('…') && text.chars().count() <= 50, "{text}");
        let rows: String = (0..40).map(|at| format!("| E{at} | the cause of number {at} |\n")).collect();
        let table = format!("| code | cause |\n|---|---|\n{rows}");
        let text = found(&table, &["e17"], 100).unwrap().text;
        assert!(text.lines().all(|row| row.starts_with("| E") && row.ends_with('|')), "{text}");
        assert!(text.contains("| E17 |"), "{text}");
    }

    #[test]
    fn a_fence_of_any_kind_is_closed_by_its_own_and_fits() {
        let code: String = (0..40).map(|at| format!("step_{at} --now\n")).collect();
        for mark in ["~~~", "````", "```"] {
            let text = found(&format!("# Deploy\n\n{mark}sh\n{code}{mark}\n"), &["17"], 60).unwrap().text;
            assert!(text.starts_with(&format!("{mark}\n")) && text.ends_with(&format!("\n{mark}")), "{text}");
        }
        let open = found("A line above.\n\n```\n\n\nkey a key\n\na\na.", &["key"], 30).unwrap().text;
        assert_eq!(open, "```\n\n\nkey a key\n\na\na.\n```");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(128))]

        #[test]
        fn lines_fit_and_begin_where_they_say(body in "([a-z]{1,6}[ .?\n]|\n\n|# |- |```\n|<a>|é){0,120}", most in 20_usize..90) {
            let document = Document::parse(body.as_str());
            if let Some(lines) = lines(&document, &weights(&["key", "a"]), most) {
                prop_assert!(lines.text.chars().count() <= most.max(1), "{:?}", lines);
                let first = document.text().lines().nth(lines.line - 1).unwrap_or_default();
                let shown = lines.text.lines().next().unwrap_or_default().trim_end_matches('…');
                let is_put_there = shown == "```" && first != shown;
                prop_assert!(is_put_there || first.trim().starts_with(shown.trim()), "{:?} {:?}", first, lines);
            }
        }
    }
}
