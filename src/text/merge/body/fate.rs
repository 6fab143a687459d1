//! Decide which blocks and sections survive the merge, and the text of each block.

use super::super::{Reason, Record, Settled, Undecided};
use super::facts::Verdicts;
use super::hunks::{self, Hunk};
use super::rows::{Line, MergedRows};
use super::{Content, Ground, Removed, claim, content};
use crate::doc::BlockKind;
use std::collections::HashSet;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Gone,
    /// Kept, with this text.
    Stands(String),
    /// Both versions are kept, ours first.
    Both(String),
    /// A conflict: markers around its versions.
    Open(Reason),
    /// Its lines, some of them with markers around their versions.
    Rows(Reason, Vec<Hunk>),
}

/// The results for all blocks and sections.
pub(super) struct Fates {
    pub blocks: Vec<Fate>,
    pub section_of: Vec<usize>,
    pub sections: Vec<bool>,
    pub records: Vec<Record>,
    /// Sections with a block that one side changed and the other removed.
    kept: HashSet<usize>,
    /// Headings kept although one side removed them.
    pub revived: Vec<String>,
    pub undecided: Vec<String>,
}

/// Decide the fate of every block.
pub(super) fn decide(ground: &Ground<'_>, verdicts: &Verdicts) -> Fates {
    let mut fates = Fates {
        blocks: Vec::with_capacity(ground.blocks.len()),
        section_of: (0..ground.blocks.len()).map(|number| section_of(ground, number)).collect(),
        sections: Vec::new(),
        records: Vec::new(),
        kept: HashSet::new(),
        revived: Vec::new(),
        undecided: Vec::new(),
    };
    for number in 0..ground.blocks.len() {
        let at = ground.blocks.at[number];
        let is_dropped =
            |version: usize| at[version].is_some_and(|at| verdicts.dropped.contains(&(version, at)));
        let is_open =
            (1..3).any(|version| at[version].is_some_and(|at| verdicts.open.contains(&(version, at))));
        let is_held =
            (1..3).any(|version| at[version].is_some_and(|at| verdicts.held.contains(&(version, at))));
        let fate = match [1, 2].map(is_dropped) {
            _ if is_open => {
                fates.kept.insert(fates.section_of[number]);
                Fate::Open(Reason::Fact)
            }
            [false, false] if is_held && at[1].is_some() != at[2].is_some() => {
                let texts = ground.texts_of(number);
                stands(texts[1].or(texts[2]))
            }
            [false, false] => fate(ground, number, &mut fates),
            [true, true] => stands(ground.texts_of(number)[0]),
            [first, _] => stands(ground.texts_of(number)[if first { 2 } else { 1 }]),
        };
        fates.blocks.push(fate);
    }
    sections(ground, &mut fates);
    fates
}

fn stands(text: Option<&str>) -> Fate {
    text.map_or(Fate::Gone, |text| Fate::Stands(text.to_owned()))
}

/// The section of a block: the one in the side that moved it.
fn section_of(ground: &Ground<'_>, number: usize) -> usize {
    let at = ground.blocks.at[number];
    let in_version = |version: usize| {
        at[version].map(|at| ground.sections.of[version][ground.parts[version].section_of[at]])
    };
    let is_fact = |version: usize| at[version].is_some_and(|at| ground.parts[version].facts[at].is_some());
    match (in_version(0), in_version(1), in_version(2)) {
        (Some(base), Some(first), Some(second)) if first == base => second,
        (Some(base), Some(first), Some(second)) if second == base => first,
        // of two places, take the one where it is a fact: a claim that is a plain item elsewhere has no meaning
        (_, Some(_), Some(second)) if is_fact(2) && !is_fact(1) => second,
        (_, Some(first), _) => first,
        (_, None, Some(second)) => second,
        (Some(base), None, None) => base,
        (None, None, None) => 0,
    }
}

fn fate(ground: &Ground<'_>, number: usize, fates: &mut Fates) -> Fate {
    let texts = ground.texts_of(number);
    let (version, at) = ground.somewhere(number);
    let part = ground.parts[version];
    let is_fact = ground.is_fact(number);
    match texts {
        [_, Some(_), Some(_)] => {
            let content = match is_fact {
                true => fact(ground, number),
                false => content::merge(ground.kind(number), texts, ground.cx),
            };
            both(ground, number, content, fates)
        }
        [None, Some(text), None] | [None, None, Some(text)] => Fate::Stands(text.to_owned()),
        [Some(base), Some(text), None] | [Some(base), None, Some(text)] => {
            let is_numbered = matches!(part.kind(at), BlockKind::Item { ordered: Some(_), .. });
            let same_claim =
                part.facts[at] == ground.parts[0].facts[ground.blocks.at[number][0].unwrap_or(at)];
            let unchanged = match is_fact {
                true => same_claim && content::says_the_same(part.kind(at), base, text),
                false if is_numbered => {
                    content::says_the_same(part.kind(at), without_number(base), without_number(text))
                }
                false => content::says_the_same(part.kind(at), base, text),
            };
            if unchanged {
                return Fate::Gone;
            }
            if !same_claim && part.facts[at].as_ref().is_some_and(|fact| fact.subject.is_some()) {
                // a record about a subject covers all its claims at once
                return Fate::Stands(text.to_owned());
            }
            let fate = if ground.cx.removed() == Removed::Stays {
                let settled = Settled::ChangeKept(ground.cx.side(version - 1));
                let (place, texts) = (ground.place(number), ground.cx.texts(texts));
                fates.records.push(Record { place, settled, texts });
                Fate::Stands(text.to_owned())
            } else {
                both(ground, number, Content::Conflict(reason(part.kind(at), is_fact)), fates)
            };
            if fate != Fate::Gone {
                fates.kept.insert(fates.section_of[number]);
            }
            fate
        }
        [_, None, None] => Fate::Gone,
    }
}

const fn reason(kind: &BlockKind, is_fact: bool) -> Reason {
    match kind {
        _ if is_fact => Reason::Fact,
        BlockKind::Fence { .. } => Reason::Fence,
        BlockKind::Table => Reason::Table,
        BlockKind::Heading { .. } => Reason::Heading,
        _ => Reason::Prose,
    }
}

/// A claim that only one side replaced is replaced; if both sides replaced it, both new claims are kept.
fn fact(ground: &Ground<'_>, number: usize) -> Content {
    let at = ground.blocks.at[number];
    let key = |version: usize| at[version].and_then(|at| ground.parts[version].facts[at].as_ref());
    let [base, Some(first), Some(second)] = ground.texts_of(number) else {
        unreachable!("both sides have the fact")
    };
    if first == second || base == Some(second) {
        return Content::Settled(first.to_owned());
    }
    if base == Some(first) {
        return Content::Settled(second.to_owned());
    }
    if let Some(text) = base.and_then(|base| claim::combined([base, first, second])) {
        return Content::Combined(text);
    }
    let side = match (key(0) == key(1), key(0) == key(2)) {
        _ if key(1) == key(2) => usize::from(second > first),
        (true, false) => 1,
        (false, true) => 0,
        _ if ground.cx.stops_at_disputes() => return Content::Conflict(Reason::Fact),
        _ => {
            let claims = if first < second { [first, second] } else { [second, first] };
            return Content::Claims(claims.join(ground.newline()));
        }
    };
    Content::Chosen { text: [first, second][side].to_owned(), side }
}

fn without_number(item: &str) -> &str {
    item.trim_start_matches(|c: char| c.is_ascii_digit())
}

fn both(ground: &Ground<'_>, number: usize, content: Content, fates: &mut Fates) -> Fate {
    let texts = ground.texts_of(number);
    let mut record = |settled| {
        let (place, texts) = (ground.place(number), ground.cx.texts(texts));
        fates.records.push(Record { place, settled, texts });
    };
    match content {
        Content::Settled(text) => Fate::Stands(text),
        Content::Claims(text) => Fate::Both(text),
        Content::Combined(text) => {
            record(Settled::Combined);
            Fate::Stands(text)
        }
        Content::Chosen { text, side } => {
            record(Settled::Chosen(ground.cx.side(side)));
            Fate::Stands(text)
        }
        Content::Rows(reason, rows) => self::rows(ground, number, (reason, rows), fates),
        Content::Conflict(reason) => {
            let mut named = ground.cx.texts(texts);
            if ground.cx.rules.undecided != Undecided::Both
                && let Some(hunks) = ground.hunks_of(number)
            {
                let taken = [0, 1, 2].map(|version| hunks::taken(&hunks, version));
                named = ground.cx.texts(taken.each_ref().map(|text| Some(text.as_str())));
            }
            let text = |text: Option<String>| text.map_or(Fate::Gone, Fate::Stands);
            match ground.cx.rules.undecided {
                Undecided::Mark => Fate::Open(reason),
                Undecided::Ours => {
                    record(Settled::Chosen(super::Side::Ours));
                    text(named.ours)
                }
                Undecided::Theirs => {
                    record(Settled::Chosen(super::Side::Theirs));
                    text(named.theirs)
                }
                Undecided::Base if named.base.is_none() => {
                    record(Settled::BaseTaken);
                    Fate::Gone
                }
                Undecided::Base => {
                    record(Settled::BaseTaken);
                    text(named.base)
                }
                Undecided::Both => {
                    record(Settled::BothKept);
                    list_heading(ground, number, fates);
                    let (version, at) = ground.somewhere(number);
                    let part = ground.parts[version];
                    let lines = if matches!(part.kind(at), BlockKind::Item { .. }) { 1 } else { 2 };
                    let both: Vec<String> = [named.ours, named.theirs].into_iter().flatten().collect();
                    Fate::Both(both.join(&ground.newline().repeat(lines)))
                }
            }
        }
    }
}

/// List the heading whose section keeps both versions of something.
fn list_heading(ground: &Ground<'_>, number: usize, fates: &mut Fates) {
    let (version, at) = ground.somewhere(number);
    let part = ground.parts[version];
    let heading = &part.outline.sections()[part.section_of[at]].title;
    fates.undecided.extend(Some(heading.clone()).filter(|heading| !heading.is_empty()));
}

/// A block of rows, with the records of what was settled in them.
fn rows(ground: &Ground<'_>, number: usize, (reason, rows): (Reason, MergedRows), fates: &mut Fates) -> Fate {
    for (settled, texts) in rows.settled {
        if settled == Settled::BothKept {
            list_heading(ground, number, fates);
        }
        let texts = texts.each_ref().map(Option::as_deref);
        let (place, texts) = (ground.place_of(number, texts), ground.cx.texts(texts));
        fates.records.push(Record { place, settled, texts });
    }
    let text = |line: &Line| match line {
        Line::Text(text) => Some(text.clone()),
        Line::Open(_) => None,
    };
    match rows.lines.iter().map(text).collect::<Option<Vec<_>>>() {
        Some(lines) if lines.is_empty() => Fate::Gone,
        Some(lines) => Fate::Stands(lines.join(ground.newline())),
        None => {
            let ended = |line: String| line + ground.newline();
            let hunk = |line| match line {
                Line::Text(text) => Hunk::Settled(ended(text)),
                Line::Open(texts) => Hunk::Open(texts.map(|text| text.map(ended).unwrap_or_default())),
            };
            Fate::Rows(reason, rows.lines.into_iter().map(hunk).collect())
        }
    }
}

/// A section is kept if both sides have it, if one side added it, or if any part of it is kept.
fn sections(ground: &Ground<'_>, fates: &mut Fates) {
    let sections = ground.sections;
    let mut stands: Vec<bool> = sections
        .at
        .iter()
        .enumerate()
        .map(|(number, at)| match at {
            [_, Some(_), Some(_)] | [None, _, _] => true,
            _ => number == 0,
        })
        .collect();
    for (block, fate) in fates.blocks.iter().enumerate() {
        if *fate != Fate::Gone {
            stands[fates.section_of[block]] = true;
        }
    }
    // a heading is kept if anything below it is
    for version in [1, 2] {
        let outline = ground.parts[version].outline;
        for at in (0..outline.sections().len()).rev() {
            // a section on both sides is placed where the side that moved it has it
            let number = sections.of[version][at];
            let is_of_both = sections.at[number][1].is_some() && sections.at[number][2].is_some();
            if stands[number]
                && !is_of_both
                && let Some(parent) = outline.sections()[at].parent
            {
                stands[sections.of[version][parent]] = true;
            }
        }
    }
    let mut filled = vec![false; stands.len()];
    for (block, fate) in fates.blocks.iter().enumerate() {
        filled[fates.section_of[block]] |= *fate != Fate::Gone;
    }
    for (number, stands) in stands.iter().enumerate() {
        let heading = heading(ground, number);
        if *stands
            && let Some(block) = heading
            && fates.blocks[block] == Fate::Gone
        {
            let told = fates.kept.contains(&number) || (!filled[number] && !fates.kept.is_empty());
            revive(ground, block, told, fates);
        }
    }
    fates.sections = stands;
}

/// Keep a heading that one side removed, for what the other side has below it.
fn revive(ground: &Ground<'_>, heading: usize, told: bool, fates: &mut Fates) {
    let texts = ground.texts_of(heading);
    let kept = texts[1].or(texts[2]);
    let text = kept.or(texts[0]).unwrap_or_default();
    fates.revived.push(text.to_owned());
    fates.blocks[heading] = Fate::Stands(text.to_owned());
    if !told && kept.is_some() {
        let settled = Settled::ChangeKept(ground.cx.side(usize::from(texts[1].is_none())));
        let (place, texts) = (ground.place_below(heading), ground.cx.texts(texts));
        fates.records.push(Record { place, settled, texts });
    }
}

/// The number of the block that is a section's heading.
pub(super) fn heading(ground: &Ground<'_>, section: usize) -> Option<usize> {
    let at = ground.sections.at[section];
    [1, 2, 0].into_iter().find_map(|version| {
        let block = ground.parts[version].heading_of(at[version]?)?;
        Some(ground.blocks.of[version][block])
    })
}
