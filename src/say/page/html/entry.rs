//! Draws one entry on the HTML page.

use super::marks::{self, MarkFilter, TextExtent};
use super::{draw_tally, sign};
use crate::say::knowledge;
use crate::say::page::phrases::{self, EntryChangeKind};
use crate::say::page::{Item, Page};
use crate::say::sheet::{Sheet, anchor};
use brv_text::diff::knowledge::{
    BlockChange, Claim, Content, DisputeChange, FactChange, FieldChange, FieldKind, How, Knowledge,
    SectionChange,
};
use brv_text::diff::{FileDiff, LineKind};
use bstr::BString;
use std::collections::{HashMap, HashSet};

/// The anchors of the entries on the page.
pub(super) struct EntryAnchors<'a> {
    /// The anchor of every path after the change, and of every path that exists only before it.
    known: HashMap<&'a [u8], String>,
    /// Paths that two items have: one that was deleted, and one that replaced it.
    twice: HashSet<&'a [u8]>,
}

impl<'a> EntryAnchors<'a> {
    pub(super) fn new(page: &Page<'a>) -> Self {
        let (mut known, mut twice) = (HashMap::new(), HashSet::new());
        for item in &page.items {
            if known.insert(item.path(), anchor(item.path())).is_some() {
                twice.insert(item.path());
            }
        }
        EntryAnchors { known, twice }
    }

    pub(super) fn of(&self, item: &Item<'_>) -> String {
        let name = anchor(item.path());
        let is_second = item.entry.after.is_none() && self.twice.contains(item.path());
        if is_second { format!("{name}:gone") } else { name }
    }

    /// Write the path as code, linked if the entry is on this page.
    fn link(&self, sheet: &mut Sheet, path: &[u8]) {
        match self.known.get(path) {
            Some(place) => {
                sheet.own("<a href=\"#").anchor(place).own("\"><code>").value(path).own("</code></a>");
            }
            None => {
                sheet.own("<code>").value(path).own("</code>");
            }
        }
    }
}

pub(super) fn draw(sheet: &mut Sheet, item: &Item<'_>, places: &EntryAnchors<'_>) {
    let kind = EntryChangeKind::of(item.entry);
    let place = places.of(item);
    sheet
        .own("<article id=\"")
        .anchor(&place)
        .own("\" aria-labelledby=\"")
        .anchor(&place)
        .own(":t\">\n<header>\n");
    sheet.own("<h3 id=\"").anchor(&place).own(":t\"><a href=\"#").anchor(&place).own("\">").own(sign(kind));
    sheet.own("<bdi>").value(item.name()).own("</bdi></a></h3>\n<p class=\"where\">");
    sheet.own(badge(kind)).own("<code>").value(item.path()).own("</code></p>\n");
    history(sheet, item, places);
    match item.knowledge() {
        Some(knowledge) => {
            totals(sheet, knowledge);
            sheet.own("</header>\n");
            alerts(sheet, knowledge, places);
            inside(sheet, item, knowledge, places);
        }
        None => {
            sheet.own("</header>\n");
            by_line(sheet, item);
        }
    }
    sheet.own("</article>\n");
}

const fn badge(kind: EntryChangeKind) -> &'static str {
    match kind {
        EntryChangeKind::New => "<span class=\"badge new\">new</span> ",
        EntryChangeKind::Changed => "<span class=\"badge chg\">changed</span> ",
        EntryChangeKind::Moved => "<span class=\"badge mov\">moved</span> ",
        EntryChangeKind::Merged => "<span class=\"badge mer\">merged</span> ",
        EntryChangeKind::Archived => "<span class=\"badge mer\">archived</span> ",
        EntryChangeKind::Deleted => "<span class=\"badge gone\">deleted</span> ",
    }
}

/// Draw where the entry was, where it moved, and what was merged into it.
fn history(sheet: &mut Sheet, item: &Item<'_>, places: &EntryAnchors<'_>) {
    if let Some(old) = item.moved_from() {
        sheet.own("<p class=\"past\">was <code>").value(old).own("</code></p>\n");
    }
    if let (Some(before), Some(after)) = (&item.entry.before, &item.entry.after)
        && before.title != after.title
        && let Some(title) = &before.title
    {
        sheet.own("<p class=\"past\">was called <bdi>").value(title).own("</bdi></p>\n");
    }
    if let Some(target) = &item.entry.merged_into {
        sheet.own("<p class=\"past\">merged into ");
        places.link(sheet, target);
        sheet.own("</p>\n");
    }
    for source in &item.entry.sources {
        sheet.own("<p class=\"past\">has ").number(usize::from(source.percent)).own(" % of ");
        places.link(sheet, &source.path);
        sheet.own(if source.gone { ", merged here</p>\n" } else { ", split off</p>\n" });
    }
}

fn totals(sheet: &mut Sheet, knowledge: &Knowledge) {
    sheet.own("<p class=\"tally\">");
    for tally in phrases::tallies(knowledge.counts()) {
        draw_tally(sheet, tally);
        sheet.own(" ");
    }
    let delta = knowledge.tokens.delta();
    if delta != 0 {
        sheet.own("<span class=\"n\">tokens ").value(phrases::signed(delta)).own("</span>");
    }
    sheet.own("</p>\n");
}

/// Draw what needs attention: disputes, and links to deleted entries.
fn alerts(sheet: &mut Sheet, knowledge: &Knowledge, places: &EntryAnchors<'_>) {
    for dispute in &knowledge.disputes {
        draw_dispute(sheet, dispute);
    }
    if !knowledge.dangling.is_empty() {
        sheet.own("<div class=\"alert\"><p><b>Points to deleted files:</b></p><ul>\n");
        for path in &knowledge.dangling {
            sheet.own("<li>");
            places.link(sheet, path.as_bytes());
            sheet.own("</li>\n");
        }
        sheet.own("</ul></div>\n");
    }
}

fn draw_dispute(sheet: &mut Sheet, dispute: &DisputeChange) {
    sheet.own("<div class=\"alert\"><p><b><bdi>").value(&dispute.subject).own("</bdi></b> ");
    sheet.value(knowledge::dispute(dispute)).own("</p>");
    if !dispute.statements.is_empty() {
        sheet.own("<ol>\n");
        for statement in &dispute.statements {
            sheet.own("<li dir=\"auto\">").value(statement).own("</li>\n");
        }
        sheet.own("</ol>");
    }
    sheet.own("</div>\n");
}

fn inside(sheet: &mut Sheet, item: &Item<'_>, knowledge: &Knowledge, places: &EntryAnchors<'_>) {
    let kind = EntryChangeKind::of(item.entry);
    fields(sheet, knowledge, kind);
    facts(sheet, &knowledge.facts, kind, places);
    let mut sections = phrases::sections(knowledge, kind).peekable();
    let is_folded = kind.is_gone() && sections.peek().is_some();
    if is_folded {
        let summary = if kind == EntryChangeKind::Archived { "Archived text" } else { "Deleted text" };
        sheet.own("<details class=\"fold\"><summary>").own(summary).own("</summary>\n");
    }
    for change in sections {
        section(sheet, change, kind, places);
    }
    if is_folded {
        sheet.own("</details>\n");
    }
    form(sheet, knowledge, kind);
}

/// Draw what a reader may skip: changed times, and differences in form only.
fn form(sheet: &mut Sheet, knowledge: &Knowledge, kind: EntryChangeKind) {
    if let Some(times) = phrases::times(knowledge, kind) {
        sheet.own("<p class=\"also\">also ").value(times).own("</p>\n");
    }
    let folds = phrases::folds(knowledge);
    if kind.is_one_sided() || folds.is_empty() {
        return;
    }
    sheet.own("<details class=\"fold\"><summary>In form only</summary>\n<ul>\n");
    for fold in folds {
        sheet.own("<li>").value(fold).own("</li>\n");
    }
    sheet.own("</ul></details>\n");
}

/// Draw the head of a before-and-after table; for a new or deleted entry it has only one column of values.
fn table(sheet: &mut Sheet, kind: EntryChangeKind, title: &'static str, first: &'static str) {
    sheet.own("<h4>").own(title).own("</h4>\n");
    if kind.is_one_sided() {
        sheet.own("<table class=\"one\"><thead><tr><th scope=\"col\">").own(first);
        sheet.own("</th><th scope=\"col\">").own(if kind == EntryChangeKind::New {
            "After"
        } else {
            "Before"
        });
    } else {
        sheet.own("<table><thead><tr><th scope=\"col\">").own(first);
        sheet.own("</th><th scope=\"col\">Before</th><th scope=\"col\">After");
    }
    sheet.own("</th></tr></thead><tbody>\n");
}

/// Draw a row, with the cells before and after.
fn row(
    sheet: &mut Sheet,
    kind: EntryChangeKind,
    before: Option<impl FnOnce(&mut Sheet)>,
    after: Option<impl FnOnce(&mut Sheet)>,
) {
    if kind != EntryChangeKind::New {
        cell(sheet, "<td class=\"b\" dir=\"auto\">", "<td class=\"b none\">", before);
    }
    if !kind.is_gone() {
        cell(sheet, "<td class=\"a\" dir=\"auto\">", "<td class=\"a none\">", after);
    }
    sheet.own("</tr>\n");
}

fn cell(sheet: &mut Sheet, full: &'static str, empty: &'static str, draw: Option<impl FnOnce(&mut Sheet)>) {
    match draw {
        Some(draw) => {
            sheet.own(full);
            draw(sheet);
        }
        None => {
            sheet.own(empty).own("–");
        }
    }
    sheet.own("</td>");
}

fn fields(sheet: &mut Sheet, knowledge: &Knowledge, kind: EntryChangeKind) {
    let all = phrases::fields(knowledge, kind);
    if all.is_empty() {
        return;
    }
    let is_table = |field: &&FieldChange| field.kind != FieldKind::Unreadable;
    if all.iter().copied().any(|field| is_table(&field)) {
        table(sheet, kind, "Frontmatter", "Field");
        for change in all.iter().copied().filter(is_table) {
            field(sheet, change, kind);
        }
        sheet.own("</tbody></table>\n");
    } else {
        sheet.own("<h4>Frontmatter</h4>\n");
    }
    for change in all.iter().filter(|field| !is_table(field)) {
        marks::lines(sheet, &change.lines);
    }
}

fn field(sheet: &mut Sheet, change: &FieldChange, kind: EntryChangeKind) {
    sheet.own("<tr><th scope=\"row\">");
    if change.kind == FieldKind::Comment || change.key.is_empty() {
        sheet.own("<i>").own(phrases::nameless(change.kind)).own("</i>");
    } else {
        sheet.value(&change.key);
    }
    sheet.own("</th>");
    let cell = |side: LineKind, value: Option<&String>| {
        let values = match side {
            LineKind::Removed => &change.removed,
            _ => &change.added,
        };
        let value = value.cloned();
        (value.is_some() || !values.is_empty()).then_some(move |sheet: &mut Sheet| match value {
            Some(_) if change.side() == LineKind::Context => {
                marks::words(sheet, &change.words, MarkFilter::Of(side))
            }
            Some(value) => one_sided(sheet, kind, side, &value),
            None => items(sheet, kind, side, values),
        })
    };
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    row(sheet, kind, cell(LineKind::Removed, before), cell(LineKind::Added, after));
}

/// Draw a text of one side: marked, unless the whole entry is new or deleted.
fn one_sided(sheet: &mut Sheet, kind: EntryChangeKind, side: LineKind, text: &str) {
    let (open, close) = match side {
        _ if kind.is_one_sided() => ("", ""),
        LineKind::Removed => ("<del>", "</del>"),
        _ => ("<ins>", "</ins>"),
    };
    sheet.own(open).value(text).own(close);
}

fn items(sheet: &mut Sheet, kind: EntryChangeKind, side: LineKind, items: &[String]) {
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            sheet.own(", ");
        }
        one_sided(sheet, kind, side, item);
    }
}

fn facts(sheet: &mut Sheet, changes: &[FactChange], kind: EntryChangeKind, places: &EntryAnchors<'_>) {
    if changes.is_empty() {
        return;
    }
    table(sheet, kind, "Facts", "Subject");
    for change in changes {
        sheet.own("<tr><th scope=\"row\" dir=\"auto\">");
        match change.subject() {
            Some(subject) => sheet.value(subject),
            None => sheet.own("<i>no subject</i>"),
        };
        sheet.own("</th>");
        fact(sheet, change, kind, places);
    }
    sheet.own("</tbody></table>\n");
}

fn fact(sheet: &mut Sheet, change: &FactChange, kind: EntryChangeKind, places: &EntryAnchors<'_>) {
    let cell = |side: LineKind, claim: Option<&Claim>| {
        let claim = claim.cloned();
        claim.map(|claim| move |sheet: &mut Sheet| one_claim(sheet, change, (side, &claim), kind, places))
    };
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    row(sheet, kind, cell(LineKind::Removed, before), cell(LineKind::Added, after));
}

/// Draw what a fact says on one side.
fn one_claim(
    sheet: &mut Sheet,
    change: &FactChange,
    (side, claim): (LineKind, &Claim),
    kind: EntryChangeKind,
    places: &EntryAnchors<'_>,
) {
    let is_before = side == LineKind::Removed;
    match (change.change, &change.after) {
        (How::Moved, _) => {
            sheet.value(&claim.statement);
            category(sheet, claim);
            sheet.own(" <span class=\"via\">in ");
            trail(sheet, if is_before { &change.from } else { &change.to }.as_deref().unwrap_or_default());
            sheet.own("</span>");
        }
        (How::Changed, Some(after)) => {
            if let (true, Some(name)) = (is_before && claim.subject != after.subject, &claim.subject) {
                sheet.own("<del>").value(name).own("</del>: ");
            }
            marks::words(sheet, &change.words, MarkFilter::Of(side));
            if change.before.as_ref().is_some_and(|before| before.category != after.category) {
                category(sheet, claim);
            }
        }
        _ => {
            one_sided(sheet, kind, side, &claim.statement);
            category(sheet, claim);
            passage(sheet, change.change, change.elsewhere.as_ref(), places);
        }
    }
}

fn category(sheet: &mut Sheet, claim: &Claim) {
    if let Some(category) = claim.category {
        sheet.own(" <span class=\"cat\">").own(category.as_str()).own("</span>");
    }
}

/// Draw the other entry that it moved to or from.
fn passage(sheet: &mut Sheet, change: How, path: Option<&BString>, places: &EntryAnchors<'_>) {
    if let Some(path) = path {
        let words = if change == How::Removed { "now in " } else { "from " };
        sheet.own(" <span class=\"via\">").own(words);
        places.link(sheet, path);
        sheet.own("</span>");
    }
}

fn section(sheet: &mut Sheet, change: &SectionChange, kind: EntryChangeKind, places: &EntryAnchors<'_>) {
    heading(sheet, change, kind);
    for block in &change.blocks {
        self::block(sheet, (block, &change.path), kind, places);
    }
}

fn heading(sheet: &mut Sheet, change: &SectionChange, kind: EntryChangeKind) {
    sheet.own("<h4>");
    match change.path.split_last() {
        None => {
            sheet.own("<i>before the first heading</i>");
        }
        Some((last, above)) => {
            for name in above {
                sheet.own("<span class=\"crumb\"><bdi>").value(name).own("</bdi> › </span>");
            }
            sheet.own("<bdi>").value(last).own("</bdi>");
        }
    }
    if !kind.is_one_sided() {
        match change.change {
            How::Added => {
                sheet.own(" <span class=\"badge new\">new section</span>");
            }
            How::Removed => {
                sheet.own(" <span class=\"badge gone\">section removed</span>");
            }
            _ => {}
        }
        if let Some(was) = &change.was {
            sheet.own(" <span class=\"was\">was <del>").value(was).own("</del></span>");
        }
        if let Some(from) = &change.from {
            sheet.own(" <span class=\"badge mov\">moved</span> <span class=\"was\">from ");
            trail(sheet, from);
            sheet.own("</span>");
        }
    }
    sheet.own("</h4>\n");
}

/// Draw the headings from the top down.
fn trail(sheet: &mut Sheet, path: &[String]) {
    if path.is_empty() {
        sheet.own("the top");
    }
    for (number, name) in path.iter().enumerate() {
        sheet.own(if number > 0 { " › <bdi>" } else { "<bdi>" }).value(name).own("</bdi>");
    }
}

fn block(
    sheet: &mut Sheet,
    (change, section): (&BlockChange, &[String]),
    kind: EntryChangeKind,
    places: &EntryAnchors<'_>,
) {
    let (opening, closing) = match change.change {
        _ if kind.is_one_sided() => ("<div class=\"k\">", "</div>\n"),
        How::Added => ("<ins class=\"k\">", "</ins>\n"),
        How::Removed => ("<del class=\"k\">", "</del>\n"),
        How::Moved => ("<div class=\"k mov\">", "</div>\n"),
        How::Kept | How::Changed | How::Renamed => ("<div class=\"k chg\">", "</div>\n"),
    };
    sheet.own(opening);
    if let Some(from) = &change.from {
        sheet.own("<p class=\"via\">moved here from ");
        trail(sheet, from);
        let under = change.to.as_deref().and_then(|to| to.strip_prefix(section)?.split_last());
        if let Some((item, _)) = under {
            sheet.own(", now under <bdi>").value(item).own("</bdi>");
        }
        sheet.own("</p>");
    }
    match &change.text {
        Some(text) if !change.is_edited() => {
            let extent = if change.change == How::Moved { TextExtent::Beginning } else { TextExtent::Whole };
            marks::text(sheet, change.kind, text, extent);
            passage(sheet, change.change, change.elsewhere.as_ref(), places);
        }
        _ => marks::inside(sheet, change),
    }
    sheet.own(closing);
}

fn by_line(sheet: &mut Sheet, item: &Item<'_>) {
    if let Content::Lines(reason) = item.entry.content {
        sheet.own("<p class=\"why\">").own(phrases::by_line(reason)).own("</p>\n");
    }
    match item.lines {
        Some(FileDiff::Text(hunks)) if !hunks.is_empty() => marks::lines(sheet, hunks),
        Some(FileDiff::Binary(_)) => {
            sheet.own("<p class=\"why\">Binary files differ.</p>\n");
        }
        _ => {}
    }
}
