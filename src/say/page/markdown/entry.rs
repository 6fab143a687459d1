//! Draws one entry in the markdown diff.

use super::paper::{ChangeMark, Paper};
use super::{draw_tally, tokens};
use crate::say::knowledge;
use crate::say::page::Item;
use crate::say::page::elide::{self, Piece, beginning, pieces};
use crate::say::page::phrases::{self, EntryChangeKind, without_bullet};
use brv_text::diff::knowledge::{
    BlockChange, BlockKind, Claim, Content, FactChange, FieldChange, FieldKind, How, Knowledge, SectionChange,
};
use brv_text::diff::{FileDiff, Hunk, LineKind, Word};
use bstr::BString;
use std::borrow::Cow;

pub(super) fn draw(paper: &mut Paper, item: &Item<'_>) {
    let kind = EntryChangeKind::of(item.entry);
    paper
        .own("\n#### ")
        .own(sign(kind))
        .value(item.name())
        .own("\n\n")
        .code(item.path())
        .own(" · ")
        .own(kind.word());
    if let Some(knowledge) = item.knowledge() {
        for tally in phrases::tallies(knowledge.counts()) {
            paper.own(" · ");
            draw_tally(paper, tally);
        }
        tokens(paper, " · ", knowledge.tokens.delta());
    }
    paper.own("\n");
    changes(paper, item);
}

/// Draw what changed in the entry, without its name and its counts.
pub(in crate::say) fn changes(paper: &mut Paper, item: &Item<'_>) {
    let kind = EntryChangeKind::of(item.entry);
    history(paper, item);
    match item.knowledge() {
        Some(knowledge) => {
            alerts(paper, knowledge);
            fields(paper, knowledge, kind);
            facts(paper, knowledge, kind);
            sections(paper, knowledge, kind);
            folds(paper, knowledge, kind);
        }
        None => by_line(paper, item),
    }
}

pub(in crate::say) const fn sign(kind: EntryChangeKind) -> &'static str {
    match kind {
        EntryChangeKind::New => "➕ ",
        EntryChangeKind::Changed => "✏️ ",
        EntryChangeKind::Moved => "↪️ ",
        EntryChangeKind::Merged => "🔀 ",
        EntryChangeKind::Archived => "🗄️ ",
        EntryChangeKind::Deleted => "➖ ",
    }
}

/// Draw where the entry was, where it moved, and what was merged into it.
fn history(paper: &mut Paper, item: &Item<'_>) {
    if let Some(old) = item.moved_from() {
        paper.own("\nwas ").code(old).own("\n");
    }
    if let (Some(before), Some(after)) = (&item.entry.before, &item.entry.after)
        && before.title != after.title
        && let Some(title) = &before.title
    {
        paper.own("\nwas called *").own("“").value(title).own("”*\n");
    }
    if let Some(target) = &item.entry.merged_into {
        paper.own("\nmerged into ").code(target).own("\n");
    }
    for source in &item.entry.sources {
        paper.own("\nhas ").number(usize::from(source.percent)).own(" % of ").code(&source.path);
        paper.own(if source.gone { ", merged here\n" } else { ", split off\n" });
    }
}

/// Draw what needs attention: disputes, and links to deleted entries.
fn alerts(paper: &mut Paper, knowledge: &Knowledge) {
    for dispute in &knowledge.disputes {
        paper.own("\n> ⚠️ ").code(&dispute.subject).own(" ").value(knowledge::dispute(dispute)).own("\n");
        for statement in &dispute.statements {
            paper.own("> - ").value(statement).own("\n");
        }
    }
    if !knowledge.dangling.is_empty() {
        paper.own("\n> ⚠️ points to deleted files\n");
        for path in &knowledge.dangling {
            paper.own("> - ").code(path).own("\n");
        }
    }
}

fn fields(paper: &mut Paper, knowledge: &Knowledge, kind: EntryChangeKind) {
    let all = phrases::fields(knowledge, kind);
    if all.is_empty() {
        return;
    }
    paper.own("\n**Frontmatter**\n\n");
    for change in all {
        field(paper, change, kind);
    }
}

fn field(paper: &mut Paper, change: &FieldChange, kind: EntryChangeKind) {
    if change.key.is_empty() {
        paper.own("- *").own(phrases::nameless(change.kind)).own("*");
    } else {
        paper.own("- ").code(&change.key);
    }
    if change.kind == FieldKind::Unreadable {
        paper.own("\n\n");
        return hunks_as_code(paper, 2, &change.lines);
    }
    match (&change.before, &change.after) {
        (None, Some(value)) => {
            paper.own(if kind.is_one_sided() { ": " } else { ", *new:* " }).value(value);
        }
        (Some(value), None) => {
            paper.own(if kind.is_one_sided() { ": " } else { ", *gone:* " }).value(value);
        }
        (Some(_), Some(_)) => marks(paper.own(": "), &change.words),
        (None, None) => {
            let FieldChange { added, removed, .. } = change;
            paper.own(":");
            let mark = |mark| (!kind.is_one_sided()).then_some(mark);
            items(paper, removed, mark(ChangeMark::Gone));
            paper.own(if added.is_empty() || removed.is_empty() { "" } else { "," });
            items(paper, added, mark(ChangeMark::New));
        }
    }
    paper.own("\n");
}

fn items(paper: &mut Paper, items: &[String], mark: Option<ChangeMark>) {
    for (number, item) in items.iter().enumerate() {
        paper.own(if number > 0 { ", " } else { " " });
        match mark {
            Some(mark) => paper.marked(item.trim().as_bytes(), mark),
            None => paper.value(item.trim()),
        };
    }
}

fn facts(paper: &mut Paper, knowledge: &Knowledge, kind: EntryChangeKind) {
    if knowledge.facts.is_empty() {
        return;
    }
    paper.own("\n**Facts**\n\n");
    for change in &knowledge.facts {
        paper.own("- ");
        fact(paper, change, kind);
        paper.own("\n");
    }
}

fn fact(paper: &mut Paper, change: &FactChange, kind: EntryChangeKind) {
    if let (How::Changed, Some(before), Some(after)) = (change.change, &change.before, &change.after) {
        if before.subject != after.subject {
            subject(paper, before, Some(ChangeMark::Gone));
            paper.own("→ ");
        }
        subject(paper, after, None);
        marks(paper, &change.words);
        if before.category != after.category {
            category(paper, before, Some(ChangeMark::Gone));
            category(paper, after, Some(ChangeMark::New));
        }
        return;
    }
    if let (Some(from), Some(to)) = (&change.from, &change.to) {
        paper.own("*moved from* ");
        trail(paper, from);
        paper.own(" *to* ");
        trail(paper, to);
        paper.own(": ");
    } else if !kind.is_one_sided() {
        paper.own(if change.change == How::Added { "*new:* " } else { "*gone:* " });
    }
    change.claim().into_iter().for_each(|claim| draw_claim(paper, claim));
    passage(paper, if change.change == How::Added { " (from " } else { " (now in " }, &change.elsewhere);
}

fn draw_claim(paper: &mut Paper, claim: &Claim) {
    subject(paper, claim, None);
    paper.value(&claim.statement);
    category(paper, claim, None);
}

fn subject(paper: &mut Paper, claim: &Claim, mark: Option<ChangeMark>) {
    match (&claim.subject, mark) {
        (None, _) => {}
        (Some(subject), Some(mark)) => {
            paper.marked(subject.trim().as_bytes(), mark).own(" ");
        }
        (Some(subject), None) => {
            paper.code(subject).own(": ");
        }
    }
}

fn category(paper: &mut Paper, claim: &Claim, mark: Option<ChangeMark>) {
    match (claim.category, mark) {
        (None, _) => {}
        (Some(category), Some(mark)) => {
            paper.own(" ").marked(category.as_str().as_bytes(), mark);
        }
        (Some(category), None) => {
            paper.own(" \\[").own(category.as_str()).own("\\]");
        }
    }
}

/// Draw the other entry that it moved to or from.
fn passage(paper: &mut Paper, words: &'static str, path: &Option<BString>) {
    if let Some(path) = path {
        paper.own(words).code(path).own(")");
    }
}

fn sections(paper: &mut Paper, knowledge: &Knowledge, kind: EntryChangeKind) {
    let mut sections = phrases::sections(knowledge, kind).peekable();
    let is_gone = kind.is_gone() && sections.peek().is_some();
    if is_gone {
        let summary = if kind == EntryChangeKind::Archived { "Archived text" } else { "Deleted text" };
        paper.own("\n<details>\n<summary>").own(summary).own("</summary>\n");
    }
    for change in sections {
        heading(paper, change, kind);
        for block in &change.blocks {
            self::block(paper, block, &change.path, kind);
        }
    }
    if is_gone {
        paper.own("\n</details>\n");
    }
}

fn heading(paper: &mut Paper, change: &SectionChange, kind: EntryChangeKind) {
    paper.own("\n*Section* ");
    trail(paper, &change.path);
    if !kind.is_one_sided() {
        paper.own(match change.change {
            How::Added => ", *new*",
            How::Removed => ", *removed*",
            _ => "",
        });
        if let Some(was) = &change.was {
            paper.own(", *was* ").value(was.trim());
        }
        if let Some(from) = &change.from {
            paper.own(", *moved from* ");
            trail(paper, from);
        }
    }
    paper.own("\n");
    if !change.blocks.is_empty() {
        paper.own("\n");
    }
}

/// Draw the headings from the top down.
fn trail(paper: &mut Paper, path: &[String]) {
    if path.is_empty() {
        paper.own("before the first heading");
    }
    for (number, name) in path.iter().enumerate() {
        paper.own(if number > 0 { " › " } else { "" }).value(name.trim());
    }
}

fn block(paper: &mut Paper, change: &BlockChange, section: &[String], kind: EntryChangeKind) {
    let (words, way, sign) = match change.change {
        How::Added => ("*new:* ", "(from ", '+'),
        How::Removed => ("*gone:* ", "(now in ", '-'),
        How::Moved => return moved(paper, change, section),
        How::Kept | How::Changed | How::Renamed => return inside(paper.own("- *changed:* "), change),
    };
    paper.own("- ").own(if kind.is_one_sided() { "" } else { words });
    passage(paper, way, &change.elsewhere);
    paper.own(if change.elsewhere.is_some() { " " } else { "" });
    body(paper, change.kind, change.text.as_deref().unwrap_or_default(), sign);
}

fn moved(paper: &mut Paper, change: &BlockChange, section: &[String]) {
    paper.own("- *moved from* ");
    trail(paper, change.from.as_deref().unwrap_or_default());
    if let Some((item, _)) = change.to.as_deref().and_then(|to| to.strip_prefix(section)?.split_last()) {
        paper.own(" *under* ").value(item.trim());
    }
    paper.own(": ");
    if change.is_edited() {
        return inside(paper, change);
    }
    let (shown, is_cut) = beginning(change.text.as_deref().unwrap_or_default());
    let shown = without_bullet(shown.as_bytes());
    paper.value(shown.trim_ascii()).own(if is_cut { " ⋯" } else { "" }).own("\n");
}

fn inside(paper: &mut Paper, change: &BlockChange) {
    if !change.words.is_empty() {
        let mut pieces = pieces(&change.words);
        if let (BlockKind::Item, Some(Piece::Text(LineKind::Context, text))) =
            (change.kind, pieces.first_mut())
        {
            *text = without_bullet(text).into();
        }
        draw_pieces(paper, &pieces);
        paper.own("\n");
        return;
    }
    paper.own(noun(change.kind)).own("\n");
    for column in &change.columns {
        let mark = if column.change == How::Removed { ChangeMark::Gone } else { ChangeMark::New };
        paper.own("  - column ").marked(column.name.as_bytes(), mark).own(": ");
        paper.value(column.cells.join(", ").as_str()).own("\n");
    }
    if !change.lines.is_empty() {
        paper.own("\n");
        hunks_as_code(paper, 2, &change.lines);
    }
}

/// The name of a block that is shown as code.
const fn noun(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Code => "code",
        BlockKind::Table => "a table",
        BlockKind::Html => "HTML",
        BlockKind::Item => "an item",
        BlockKind::Paragraph | BlockKind::Quote | BlockKind::Other => "text",
    }
}

/// Draw the text of a block that only one side has: prose on one line, other text as code, which keeps its lines.
fn body(paper: &mut Paper, kind: BlockKind, text: &str, sign: char) {
    let flows = match kind {
        BlockKind::Paragraph | BlockKind::Quote => true,
        BlockKind::Item | BlockKind::Other => !text.contains('\n'),
        BlockKind::Code | BlockKind::Table | BlockKind::Html => false,
    };
    if flows {
        let text = text.as_bytes();
        let text = if kind == BlockKind::Item { without_bullet(text) } else { text };
        paper.value(text.trim_ascii()).own("\n");
        return;
    }
    let lines = text.lines().map(|line| (sign, Cow::from(line.as_bytes())));
    paper.own(noun(kind)).own("\n\n").fence(2, lines);
}

fn hunks_as_code(paper: &mut Paper, indent: usize, hunks: &[Hunk]) {
    let mut lines: Vec<(char, Cow<'_, [u8]>)> = Vec::new();
    for (number, hunk) in hunks.iter().enumerate() {
        if number > 0 {
            lines.push((' ', Cow::from("⋯".as_bytes())));
        }
        for (number, line) in hunk.lines.iter().enumerate() {
            let mut text = Vec::new();
            for piece in elide::line(hunk, number) {
                match piece {
                    Piece::Gap => text.extend_from_slice(" ⋯ ".as_bytes()),
                    Piece::Text(_, part) => text.extend_from_slice(part),
                }
            }
            lines.push((line.kind.sign(), Cow::from(text)));
        }
    }
    paper.fence(indent, lines);
}

/// Draw a text with its changed words marked.
fn marks(paper: &mut Paper, words: &[Word]) {
    draw_pieces(paper, &pieces(words));
}

fn draw_pieces(paper: &mut Paper, pieces: &[Piece<'_>]) {
    let mut last = LineKind::Context;
    for piece in pieces {
        match *piece {
            Piece::Gap => {
                paper.own(" ⋯ ");
                last = LineKind::Context;
            }
            Piece::Text(kind, text) => {
                // adjacent marks would be parsed as one
                paper.own(if kind != LineKind::Context && last != LineKind::Context { " " } else { "" });
                match kind {
                    LineKind::Context => paper.value(text),
                    LineKind::Removed => paper.marked(text, ChangeMark::Gone),
                    LineKind::Added => paper.marked(text, ChangeMark::New),
                };
                last = kind;
            }
        }
    }
}

fn folds(paper: &mut Paper, knowledge: &Knowledge, kind: EntryChangeKind) {
    if let Some(times) = phrases::times(knowledge, kind) {
        paper.own("\nalso ").value(times).own("\n");
    }
    let folds = phrases::folds(knowledge);
    if kind.is_one_sided() || folds.is_empty() {
        return;
    }
    paper.own("\n<details>\n<summary>In form only</summary>\n\n");
    for fold in folds {
        paper.own("- ").value(fold).own("\n");
    }
    paper.own("\n</details>\n");
}

fn by_line(paper: &mut Paper, item: &Item<'_>) {
    if let Content::Lines(reason) = item.entry.content {
        paper.own("\n").own(phrases::by_line(reason)).own("\n");
    }
    match item.lines {
        Some(FileDiff::Text(hunks)) if !hunks.is_empty() => {
            paper.own("\n");
            hunks_as_code(paper, 0, hunks);
        }
        Some(FileDiff::Binary(_)) => {
            paper.own("\nBinary files differ.\n");
        }
        _ => {}
    }
}
