//! Changed entries in a line or two each: what `pull` and `merge` say about what they brought.
//!
//! Shows no words of the entries but titles, headings and subjects.

use super::phrases;
use crate::cli::ui::{Screen, Style, quote_path, width};
use crate::diff::knowledge::{
    BlockEdit, Content, Entry, FactEdit, Fate, FieldEdit, HeadingEdit, Knowledge, What,
};

/// The widest path after which the phrases of all lines still stand below each other.
const WIDEST: usize = 40;

/// How many headings or subjects are named before the rest is counted.
const NAMED: usize = 3;

/// `~ auth/tokens  2 facts changed, 1 added; Rules edited`, a line for each entry, and one for each warning below it.
pub fn summary(screen: &mut Screen, entries: &[Entry]) {
    let rows: Vec<(String, &Entry)> = entries.iter().map(|entry| (path(entry), entry)).collect();
    let widest =
        rows.iter().map(|(path, _)| width(path)).filter(|width| *width <= WIDEST).max().unwrap_or_default();
    for (path, entry) in rows {
        let sign = phrases::sign(&entry.what);
        let style = match entry.what {
            What::Added => Style::Good,
            What::Deleted | What::MergedInto(_) => Style::Bad,
            What::Modified | What::Renamed => Style::Notable,
        };
        screen.plain(" ").text(style, sign.to_string()).plain(" ").text(Style::Plain, &path);
        let phrases = phrases_of(entry);
        if !phrases.is_empty() {
            screen
                .plain(" ".repeat(widest.saturating_sub(width(&path)) + 2))
                .word(Style::Dim, phrases.join("; "));
        }
        screen.end();
        warnings(screen, entry);
    }
}

fn path(entry: &Entry) -> String {
    let path = phrases::place(entry).map(|place| quote_path(phrases::short(&place.path)).into_owned());
    path.unwrap_or_default()
}

fn warnings(screen: &mut Screen, entry: &Entry) {
    let Content::Knowledge(knowledge) = &entry.content else { return };
    for dispute in &knowledge.disputes {
        let (subject, words) = phrases::dispute(dispute);
        screen.plain("   ").text(Style::Notable, "!").plain(" ").word(Style::Plain, subject);
        screen.plain(" ").line(words);
    }
    for target in &entry.dangling {
        screen.plain("   ").text(Style::Notable, "!").plain(" points to ");
        screen.text(Style::Plain, quote_path(target.as_bytes()).as_bytes()).line(", which is gone");
    }
}

fn phrases_of(entry: &Entry) -> Vec<String> {
    let mut phrases = Vec::new();
    match &entry.what {
        What::MergedInto(target) => {
            return vec![format!("merged into {}", phrases::lossy(phrases::short(target)))];
        }
        What::Renamed => {
            let before = entry.before.as_ref().map(|place| phrases::lossy(phrases::short(&place.path)));
            phrases.extend(before.map(|path| format!("was {path}")));
        }
        What::Added | What::Deleted => {
            let title = phrases::place(entry).and_then(|place| place.title.as_deref());
            phrases.extend(title.map(|title| format!("\"{title}\"")));
        }
        What::Modified => {}
    }
    let from = |fate: Fate| -> Vec<String> {
        let of = entry.sources.iter().filter(|source| source.fate == fate);
        of.map(|source| phrases::lossy(phrases::short(&source.path))).collect()
    };
    for (fate, words) in [(Fate::Gone, "merged from"), (Fate::Stays, "split off from")] {
        let paths = from(fate);
        if !paths.is_empty() {
            phrases.push(format!("{words} {}", named(&paths)));
        }
    }
    match &entry.content {
        Content::Knowledge(knowledge) if entry.what == What::Added => phrases.extend(size(knowledge)),
        Content::Knowledge(knowledge) if entry.what != What::Deleted => phrases.extend(inside(knowledge)),
        _ => {}
    }
    phrases
}

/// `4 facts`
fn size(knowledge: &Knowledge) -> Option<String> {
    let facts = knowledge.facts.len();
    (facts > 0).then(|| crate::cli::words::many(facts, "fact", "facts"))
}

fn inside(knowledge: &Knowledge) -> Vec<String> {
    let mut phrases = Vec::new();
    phrases.extend(phrases::counted(knowledge.counts().facts, "fact", "facts"));
    let subject = |edit: &FactEdit| edit.subject().map(str::to_owned);
    if let ([one], Some(last)) = (&knowledge.facts[..], phrases.last_mut())
        && let Some(subject) = subject(&one.edit)
    {
        *last = format!("{last} ({subject})");
    }
    phrases.extend(sections(knowledge));
    let fields: Vec<String> = knowledge.telling_fields().map(|field| field.key.clone()).collect();
    let fields: Vec<String> = fields.into_iter().filter(|key| !key.is_empty()).collect();
    if !fields.is_empty() {
        phrases.push(format!("{} changed", named(&fields)));
    } else if knowledge.fields.iter().any(|field| matches!(field.edit, FieldEdit::Lines(_))) {
        phrases.push("frontmatter changed".into());
    }
    if phrases.is_empty() && !knowledge.folded.is_empty() {
        phrases.push(format!("in form only: {}", phrases::folds(&knowledge.folded).join(", ")));
    } else if phrases.is_empty() && knowledge.times().next().is_some() {
        phrases.push("times only".into());
    }
    phrases
}

/// `Rules edited, Flow added`
fn sections(knowledge: &Knowledge) -> Vec<String> {
    let title = |path: &[String]| path.last().cloned().unwrap_or_else(|| "introduction".into());
    let of = |fits: &dyn Fn(&HeadingEdit, usize, usize) -> bool| -> Vec<String> {
        let told = knowledge.sections.iter().filter(|section| {
            let moved =
                section.blocks.iter().filter(|block| matches!(block.edit, BlockEdit::Moved { .. })).count();
            fits(&section.heading, section.blocks.len(), moved)
        });
        told.map(|section| title(&section.path)).collect()
    };
    let groups = [
        (of(&|heading, blocks, moved| matches!(heading, HeadingEdit::Kept) && blocks > moved), "edited"),
        (of(&|heading, blocks, moved| matches!(heading, HeadingEdit::Kept) && blocks == moved), "rearranged"),
        (of(&|heading, _, _| matches!(heading, HeadingEdit::Added)), "added"),
        (of(&|heading, _, _| matches!(heading, HeadingEdit::Removed)), "removed"),
        (of(&|heading, _, _| matches!(heading, HeadingEdit::Renamed { .. })), "renamed"),
        (of(&|heading, _, _| matches!(heading, HeadingEdit::Moved { .. })), "moved"),
    ];
    groups
        .into_iter()
        .filter(|(titles, _)| !titles.is_empty())
        .map(|(titles, word)| format!("{} {word}", named(&titles)))
        .collect()
}

/// `a, b, c and 4 more`
fn named(names: &[String]) -> String {
    if names.len() <= NAMED {
        return names.join(", ");
    }
    format!("{} and {} more", names[..NAMED].join(", "), names.len() - NAMED)
}
