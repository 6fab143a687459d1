//! Prints changed entries as text: a heading for each, then its fields, facts and sections, with changed words marked.
//!
//! The screen escapes everything from an entry. Nothing is wrapped; long unchanged text inside a changed one is cut.

use crate::cli::patch::{self, File};
use crate::cli::ui::{Colour, Screen, Style};
use crate::say::knowledge::{self, Ends};
use crate::say::words::many;
use brv_base::escape::quote_path;
use brv_commands::vc::diff::FileChange;
use brv_text::diff::knowledge::{
    BlockChange, BlockKind, Category, Claim, Content, Counts, Entry, FactChange, FieldChange, FieldKind, How,
    Knowledge, SectionChange, What,
};
use brv_text::diff::{Hunk, LineKind, Word};
use bstr::{BString, ByteSlice as _};
use std::collections::HashMap;

/// Number of characters of unchanged text kept between two changes.
const CONTEXT: usize = 100;

/// Print the entries; `files` has the lines of those that are not documents.
pub fn text(screen: &mut Screen, entries: &[Entry], files: &[FileChange]) {
    let files: HashMap<&BString, &FileChange> = files.iter().map(|file| (&file.path, file)).collect();
    for (number, entry) in entries.iter().enumerate() {
        if number > 0 {
            screen.end();
        }
        let file = knowledge::place(entry).and_then(|place| files.get(&place.path).copied());
        self::entry(screen, entry, file);
    }
    if entries.len() > 1 {
        screen.end();
        sums(screen, entries);
    }
}

fn entry(screen: &mut Screen, entry: &Entry, file: Option<&FileChange>) {
    heading(screen, entry);
    for source in &entry.sources {
        let words = if source.gone { "merged from " } else { "split off from " };
        screen.plain("    ").plain(words).text(Style::Name, quote_path(&source.path).as_bytes());
        screen.text(Style::Dim, format!(" ({} % of it)", source.percent)).end();
    }
    match &entry.content {
        Content::Knowledge(knowledge) => document(screen, entry, knowledge),
        Content::Lines(_) => {
            if let Some(file) = file {
                patch::content(screen, &File::from(file));
            }
        }
    }
}

/// `~ Token lifetime  auth/sessions/token_lifetime.md`
fn heading(screen: &mut Screen, entry: &Entry) {
    let style = sign_style(entry.what);
    screen.text(style, knowledge::sign(entry.what).to_string()).plain(" ");
    if let Some(title) = knowledge::place(entry).and_then(|place| place.title.as_deref()) {
        screen.word(Style::Strong, title).plain("  ");
    }
    let path = |place: &Option<brv_text::diff::knowledge::DiffPlace>| {
        place.as_ref().map(|place| quote_path(&place.path).into_owned()).unwrap_or_default()
    };
    match entry.what {
        What::Renamed => {
            screen
                .text(Style::Place, path(&entry.before))
                .plain(" -> ")
                .text(Style::Place, path(&entry.after));
        }
        What::Added | What::Modified => {
            screen.text(Style::Place, path(&entry.after));
        }
        What::Deleted => {
            screen.text(Style::Place, path(&entry.before));
        }
        What::Archived => {
            screen.text(Style::Place, path(&entry.before)).plain(", archived");
        }
        What::Merged => {
            screen.text(Style::Place, path(&entry.before)).plain(", merged into ");
            let target = entry.merged_into.clone().unwrap_or_default();
            screen.text(Style::Place, quote_path(&target).as_bytes());
        }
    }
    screen.end();
}

const fn sign_style(what: What) -> Style {
    match what {
        What::Added => Style::Good,
        What::Deleted | What::Archived | What::Merged => Style::Bad,
        What::Modified | What::Renamed => Style::Notable,
    }
}

fn document(screen: &mut Screen, entry: &Entry, knowledge: &Knowledge) {
    // the heading shows the title of an entry that is new or deleted
    let is_told = |field: &&FieldChange| knowledge::is_one_sided(entry) && field.key == "title";
    let fields: Vec<&FieldChange> = knowledge
        .telling_fields()
        .filter(|field| !field.is_vacant(str::is_empty) && !is_told(field))
        .collect();
    if !fields.is_empty() {
        group(screen, "fields");
        let width = fields.iter().map(|field| name(field).chars().count()).max().unwrap_or_default().min(20);
        fields.iter().for_each(|change| field(screen, change, width));
    }
    let facts: Vec<&FactChange> =
        knowledge.facts.iter().filter(|fact| !went_along(entry, fact.moved_to())).collect();
    if !facts.is_empty() {
        group(screen, "facts");
        facts.iter().for_each(|change| fact(screen, entry, change));
    }
    knowledge.sections.iter().for_each(|change| section(screen, entry, change));
    along(screen, entry, knowledge);
    for dispute in &knowledge.disputes {
        warning(screen).word(Style::Strong, &dispute.subject).plain(" ").line(knowledge::dispute(dispute));
        for statement in dispute.statements.iter().filter(|_| dispute.statements.len() > 1) {
            screen.plain("        ").word(Style::Plain, statement).end();
        }
    }
    for target in &knowledge.dangling {
        warning(screen).plain("points to ").text(Style::Name, quote_path(target.as_bytes()).as_bytes());
        screen.line(", which was deleted");
    }
    let notes = knowledge::notes(entry, knowledge);
    if !notes.is_empty() {
        screen.plain("    ").text(Style::Dim, format!("({})", notes.join("; "))).end();
    } else if knowledge.says_the_same() && entry.what == What::Modified {
        screen.plain("    ").text(Style::Dim, "(only the file mode)").end();
    }
}

/// Whether a fact or block went to the same place as the whole entry: such are only counted.
fn went_along(entry: &Entry, to: Option<&BString>) -> bool {
    entry.merged_into.is_some() && entry.merged_into.as_ref() == to
}

/// `3 facts and 1 block are there now`
fn along(screen: &mut Screen, entry: &Entry, knowledge: &Knowledge) {
    let facts = knowledge.facts.iter().filter(|fact| went_along(entry, fact.moved_to())).count();
    let blocks = knowledge.sections.iter().flat_map(|section| &section.blocks);
    let blocks = blocks.filter(|block| went_along(entry, block.moved_to())).count();
    let parts = [(facts, "fact", "facts"), (blocks, "block", "blocks")];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, more)| many(*count, one, more))
        .collect();
    if !parts.is_empty() {
        let verb = if facts + blocks == 1 { "is" } else { "are" };
        screen.plain("    ").text(Style::Dim, format!("{} {verb} there now", parts.join(" and "))).end();
    }
}

fn warning(screen: &mut Screen) -> &mut Screen {
    screen.plain("    ").text(Style::Notable, "!").plain(" ")
}

fn group(screen: &mut Screen, name: &str) {
    screen.plain("    ").text(Style::Name, name).end();
}

/// Begin a line inside a group with its sign.
fn signed(screen: &mut Screen, kind: LineKind) -> &mut Screen {
    let style = style(kind);
    let sign = if kind == LineKind::Context { "~" } else { if kind == LineKind::Added { "+" } else { "-" } };
    screen.plain("      ").text(style, sign).plain(" ")
}

const fn style(kind: LineKind) -> Style {
    match kind {
        LineKind::Context => Style::Notable,
        LineKind::Added => Style::Good,
        LineKind::Removed => Style::Bad,
    }
}

fn name(field: &FieldChange) -> &str {
    match field.kind {
        FieldKind::Comment if field.key.is_empty() => "#",
        FieldKind::Unreadable => "frontmatter",
        _ => &field.key,
    }
}

fn field(screen: &mut Screen, field: &FieldChange, width: usize) {
    let kind = match (field.added.is_empty(), field.removed.is_empty()) {
        (false, true) => LineKind::Added,
        (true, false) => LineKind::Removed,
        _ => field.side(),
    };
    signed(screen, kind).word(Style::Plain, name(field));
    if field.kind == FieldKind::Unreadable {
        screen.end();
        return lines(screen, &field.lines);
    }
    let pad = width.saturating_sub(name(field).chars().count());
    screen.plain(" ".repeat(pad + 2));
    if field.kind == FieldKind::Comment && !field.key.is_empty() {
        screen.plain("# ");
    }
    match (&field.before, &field.after) {
        (None, Some(value)) => screen.word(Style::Good, value),
        (Some(value), None) => screen.word(Style::Bad, value),
        (Some(before), Some(after)) => changed_value(screen, before, after, &field.words),
        (None, None) => items(screen, &field.added, &field.removed),
    };
    screen.end();
}

/// Print two values side by side, or word by word if they are similar.
fn changed_value<'s>(screen: &'s mut Screen, before: &str, after: &str, words: &[Word]) -> &'s mut Screen {
    let kept: usize =
        words.iter().filter(|word| word.kind == LineKind::Context).map(|word| word.text.len()).sum();
    if kept * 2 >= before.len().max(after.len()) && before.len() + after.len() > 40 {
        return marked(screen, words);
    }
    screen.word(Style::Bad, before).plain(" -> ").word(Style::Good, after)
}

fn items<'s>(screen: &'s mut Screen, added: &[String], removed: &[String]) -> &'s mut Screen {
    let removed = removed.iter().map(|item| (LineKind::Removed, '-', item));
    let added = added.iter().map(|item| (LineKind::Added, '+', item));
    for (number, (kind, sign, item)) in removed.chain(added).enumerate() {
        if number > 0 {
            screen.plain("  ");
        }
        screen.text(style(kind), sign.to_string()).word(style(kind), item);
    }
    screen
}

fn fact(screen: &mut Screen, entry: &Entry, change: &FactChange) {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) if change.change == How::Changed => {
            signed(screen, LineKind::Context);
            if before.subject != after.subject {
                let name = |claim: &Claim| claim.subject.clone().unwrap_or_else(|| "(no subject)".into());
                screen
                    .word(Style::Bad, name(before))
                    .plain(" -> ")
                    .word(Style::Good, name(after))
                    .plain(": ");
            } else if let Some(subject) = &after.subject {
                screen.word(Style::Strong, subject).plain(": ");
            }
            marked(screen, &change.words);
            category(screen, before.category, after.category);
        }
        (Some(_), Some(moved)) => {
            claim(screen.plain("      ").text(Style::Notable, ">").plain(" "), moved, Style::Plain);
            let [from, to] = [&change.from, &change.to].map(|path| path.as_deref().unwrap_or_default());
            screen.word(Style::Dim, knowledge::moved(entry, None, from, to));
        }
        (None, Some(added)) => claim(signed(screen, LineKind::Added), added, Style::Good),
        (Some(removed), None) => claim(signed(screen, LineKind::Removed), removed, Style::Bad),
        (None, None) => {}
    }
    elsewhere(screen, entry, change.change, change.elsewhere.as_ref());
    screen.end();
}

/// `ttl: tokens live 24 hours  [project]`
fn claim(screen: &mut Screen, claim: &Claim, style: Style) {
    if let Some(subject) = &claim.subject {
        screen.word(Style::Strong, subject).plain(": ");
    }
    screen.word(style, &claim.statement);
    category(screen, claim.category, claim.category);
}

fn category(screen: &mut Screen, before: Option<Category>, after: Option<Category>) {
    let word = |category: Option<Category>| category.map_or("no category", Category::as_str);
    if before != after {
        screen.text(Style::Notable, format!("  [{} -> {}]", word(before), word(after)));
    } else if let Some(category) = after {
        screen.text(Style::Dim, format!("  [{}]", category.as_str()));
    }
}

/// Whether the heading already says where the text came from.
fn is_only_source(entry: &Entry, path: &BString) -> bool {
    matches!(&entry.sources[..], [source] if source.path == *path)
}

fn elsewhere(screen: &mut Screen, entry: &Entry, change: How, path: Option<&BString>) {
    let way = if change == How::Added { "from" } else { "to" };
    if let Some(path) = path.filter(|path| change != How::Added || !is_only_source(entry, path)) {
        screen.text(Style::Dim, format!("  ({way} {})", quote_path(path)));
    }
}

fn section(screen: &mut Screen, entry: &Entry, section: &SectionChange) {
    let path = knowledge::heading_path(entry, &section.path);
    let blocks: Vec<&BlockChange> =
        section.blocks.iter().filter(|block| !went_along(entry, block.moved_to())).collect();
    if blocks.is_empty() && is_known(entry, section) {
        return;
    }
    screen.plain("    ");
    match section.change {
        How::Kept | How::Changed => &mut *screen,
        How::Added => screen.text(Style::Good, "+ "),
        How::Removed => screen.text(Style::Bad, "- "),
        How::Renamed => screen.text(Style::Notable, "~ "),
        How::Moved => screen.text(Style::Notable, "> "),
    };
    screen.word(Style::Name, &path);
    let from = section.from.as_deref().map(|from| knowledge::heading_path(entry, from));
    if from.as_ref() == Some(&path) {
        screen.text(Style::Dim, ", reordered");
    } else if let Some(was) = section.was.as_ref().or(from.as_ref()) {
        screen.text(Style::Dim, ", was ").word(Style::Dim, was);
    }
    screen.end();
    blocks.into_iter().for_each(|change| block(screen, entry, section, change));
}

/// Whether the heading of a section without blocks adds nothing: it is `Facts` or the title, or everything went
/// elsewhere with the entry.
fn is_known(entry: &Entry, section: &SectionChange) -> bool {
    let last = section.path.last().map_or("", String::as_str);
    let is_told = matches!(section.change, How::Added | How::Removed)
        && (last.eq_ignore_ascii_case("facts") || knowledge::is_title(entry, last));
    is_told || entry.what == What::Merged
}

fn block(screen: &mut Screen, entry: &Entry, section: &SectionChange, change: &BlockChange) {
    let text = change.text.as_deref().unwrap_or_default();
    match change.change {
        How::Added | How::Removed => {
            let style = style(change.change.side());
            body(signed(screen, change.change.side()), without_bullet(change.kind, text), style);
            elsewhere(screen, entry, change.change, change.elsewhere.as_ref());
            screen.end();
        }
        How::Kept | How::Changed | How::Renamed => inside(screen, change),
        How::Moved => {
            screen.plain("      ").text(Style::Notable, ">").plain(" ");
            if change.words.is_empty() {
                let first = without_bullet(change.kind, text.lines().next().unwrap_or_default());
                screen.word(Style::Plain, knowledge::elided(first, CONTEXT, Ends::Last));
            } else {
                words_of(screen, change.kind, &change.words);
            }
            let [from, to] = [&change.from, &change.to].map(|path| path.as_deref().unwrap_or_default());
            screen.word(Style::Dim, knowledge::moved(entry, Some(&section.path), from, to)).end();
            columns_and_lines(screen, change);
        }
    }
}

fn inside(screen: &mut Screen, change: &BlockChange) {
    if !change.words.is_empty() {
        words_of(signed(screen, LineKind::Context), change.kind, &change.words).end();
    }
    columns_and_lines(screen, change);
}

fn columns_and_lines(screen: &mut Screen, change: &BlockChange) {
    for column in &change.columns {
        let cells = knowledge::elided(&column.cells.join(", "), CONTEXT, Ends::Last);
        signed(screen, column.change.side()).plain("column ").word(Style::Strong, &column.name);
        screen.plain(": ").word(style(column.change.side()), cells).end();
    }
    lines(screen, &change.lines);
}

/// Print the words of a block, without the bullet if both sides have it.
fn words_of<'s>(screen: &'s mut Screen, kind: BlockKind, words: &[Word]) -> &'s mut Screen {
    match words {
        [first, rest @ ..] if first.kind == LineKind::Context => {
            let text = first.text.to_str_lossy();
            let first = Word { kind: LineKind::Context, text: without_bullet(kind, &text).into() };
            let words: Vec<Word> = [first].into_iter().chain(rest.iter().cloned()).collect();
            marked(screen, &words)
        }
        words => marked(screen, words),
    }
}

/// Print a text that may have several lines; those after the first are indented below it.
fn body(screen: &mut Screen, text: &str, style: Style) {
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            screen.end().plain(if line.is_empty() { "" } else { "        " });
        }
        screen.word(style, line);
    }
}

/// The text of a list item without its bullet: a dash beside the signs would look like one of them.
fn without_bullet(kind: BlockKind, text: &str) -> &str {
    let rest = || text.trim_start().strip_prefix(['-', '*', '+'])?.strip_prefix([' ', '\t']);
    if kind == BlockKind::Item { rest().map_or(text, str::trim_start) } else { text }
}

fn lines(screen: &mut Screen, hunks: &[Hunk]) {
    for (number, hunk) in hunks.iter().enumerate() {
        if number > 0 {
            screen.plain("        ").text(Style::Dim, "...").end();
        }
        for line in &hunk.lines {
            let style = match line.kind {
                LineKind::Context => Style::Plain,
                kind => style(kind),
            };
            screen.plain("      ").text(style, line.kind.sign().to_string()).plain(" ");
            screen.word(style, line.text.trim_end_with(|char| char == '\n')).end();
        }
    }
}

/// Print both texts in one, with removed and new words marked by colour or by `[-gone-]{+new+}`.
fn marked<'s>(screen: &'s mut Screen, words: &[Word]) -> &'s mut Screen {
    let last = words.len().saturating_sub(1);
    for (number, word) in words.iter().enumerate() {
        let text = word.text.to_str_lossy();
        match word.kind {
            LineKind::Context => {
                let ends = match (number == 0, number == last) {
                    (true, true) | (false, false) => Ends::Both,
                    (true, false) => Ends::First,
                    (false, true) => Ends::Last,
                };
                let text = if text.contains('\n') { few_lines(&text, ends) } else { short(&text, ends) };
                spread(screen, Style::Plain, &text);
            }
            LineKind::Removed => mark(screen, Style::BadWord, ["[-", "-]"], &text),
            LineKind::Added => mark(screen, Style::GoodWord, ["{+", "+}"], &text),
        }
    }
    screen
}

/// Shorten unchanged lines between changes: two are kept at each end that is next to a change.
fn few_lines(text: &str, ends: Ends) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let (head, tail) = (lines.iter().take(2), lines.iter().skip(lines.len().saturating_sub(2)));
    let dots = ["..."];
    let kept: Vec<&str> = match ends {
        _ if lines.len() <= 5 => return text.to_owned(),
        Ends::First => dots.iter().chain(tail).copied().collect(),
        Ends::Last => head.chain(dots.iter()).copied().collect(),
        Ends::Both => head.chain(dots.iter()).chain(tail).copied().collect(),
    };
    kept.join("\n")
}

/// Shorten unchanged text between changes, keeping the blanks at its ends.
fn short(text: &str, ends: Ends) -> String {
    let trimmed = text.trim();
    let from = text.len() - text.trim_start().len();
    let (before, after) = (&text[..from], &text[from + trimmed.len()..]);
    format!("{before}{}{after}", knowledge::elided(trimmed, CONTEXT, ends))
}

fn mark(screen: &mut Screen, style: Style, [open, close]: [&str; 2], text: &str) {
    if screen.colour() == Colour::On {
        return spread(screen, style, text);
    }
    screen.plain(open);
    spread(screen, style, text);
    screen.plain(close);
}

fn spread(screen: &mut Screen, style: Style, text: &str) {
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            screen.end().plain(if line.is_empty() { "" } else { "        " });
        }
        screen.word(style, line);
    }
}

/// `4 entries: 2 edited, 1 new, 1 deleted; 3 facts changed; +118 tokens`
fn sums(screen: &mut Screen, entries: &[Entry]) {
    let count = |of: fn(&What) -> bool| entries.iter().filter(|entry| of(&entry.what)).count();
    let parts = [
        (count(|what| matches!(what, What::Modified)), "edited"),
        (count(|what| matches!(what, What::Added)), "new"),
        (count(|what| matches!(what, What::Renamed)), "renamed"),
        (count(|what| matches!(what, What::Merged)), "merged into others"),
        (count(|what| matches!(what, What::Archived)), "archived"),
        (count(|what| matches!(what, What::Deleted)), "deleted"),
    ];
    let mut facts = Counts::default();
    let mut delta = 0;
    for entry in entries {
        if let Content::Knowledge(knowledge) = &entry.content {
            facts += knowledge.counts();
            delta += knowledge.tokens.delta();
        }
    }
    let mut line = format!("{}: {}", many(entries.len(), "entry", "entries"), knowledge::kinds(&parts));
    for part in
        [knowledge::counted(facts.facts, "fact", "facts"), knowledge::tokens(delta)].into_iter().flatten()
    {
        line += "; ";
        line += &part;
    }
    screen.line(line);
}
