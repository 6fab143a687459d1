//! Draws one entry on the HTML page.

use super::marks::{self, Extent, Shown};
use super::sheet::{Sheet, anchor};
use super::{draw_tally, sign};
use crate::say::knowledge;
use crate::say::page::phrases::{self, Kind};
use crate::say::page::{Item, Page};
use brv_text::diff::knowledge::{
    BlockChange, BlockEdit, Claim, Content, Dispute, FactChange, FactEdit, Fate, FieldChange, FieldEdit,
    FieldKind, HeadingEdit, Knowledge, SectionChange, What,
};
use brv_text::diff::{FileDiff, LineKind, Word};
use std::collections::{HashMap, HashSet};

/// The anchors of the entries on the page.
pub(super) struct Places<'a> {
    /// The anchor of every path after the change, and of every path that exists only before it.
    known: HashMap<&'a [u8], String>,
    /// Paths that two items have: one that was deleted, and one that replaced it.
    twice: HashSet<&'a [u8]>,
}

impl<'a> Places<'a> {
    pub(super) fn new(page: &Page<'a>) -> Self {
        let (mut known, mut twice) = (HashMap::new(), HashSet::new());
        for item in &page.items {
            if known.insert(item.path(), anchor(item.path())).is_some() {
                twice.insert(item.path());
            }
        }
        Places { known, twice }
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

pub(super) fn draw(sheet: &mut Sheet, item: &Item<'_>, places: &Places<'_>) {
    let kind = Kind::of(item.entry);
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
            alerts(sheet, item, knowledge, places);
            inside(sheet, item, knowledge, places);
        }
        None => {
            sheet.own("</header>\n");
            by_line(sheet, item);
        }
    }
    sheet.own("</article>\n");
}

const fn badge(kind: Kind) -> &'static str {
    match kind {
        Kind::New => "<span class=\"badge new\">new</span> ",
        Kind::Changed => "<span class=\"badge chg\">changed</span> ",
        Kind::Moved => "<span class=\"badge mov\">moved</span> ",
        Kind::Merged => "<span class=\"badge mer\">merged</span> ",
        Kind::Archived => "<span class=\"badge mer\">archived</span> ",
        Kind::Deleted => "<span class=\"badge gone\">deleted</span> ",
    }
}

/// Draw where the entry was, where it moved, and what was merged into it.
fn history(sheet: &mut Sheet, item: &Item<'_>, places: &Places<'_>) {
    if let Some(old) = item.moved_from() {
        sheet.own("<p class=\"past\">was <code>").value(old).own("</code></p>\n");
    }
    if let (Some(before), Some(after)) = (&item.entry.before, &item.entry.after)
        && before.title != after.title
        && let Some(title) = &before.title
    {
        sheet.own("<p class=\"past\">was called <bdi>").value(title).own("</bdi></p>\n");
    }
    if let What::MergedInto(target) = &item.entry.what {
        sheet.own("<p class=\"past\">merged into ");
        places.link(sheet, target);
        sheet.own("</p>\n");
    }
    for source in &item.entry.sources {
        sheet.own("<p class=\"past\">has ").number(usize::from(source.percent)).own(" % of ");
        places.link(sheet, &source.path);
        sheet.own(match source.fate {
            Fate::Gone => ", merged here</p>\n",
            Fate::Stays => ", split off</p>\n",
        });
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
fn alerts(sheet: &mut Sheet, item: &Item<'_>, knowledge: &Knowledge, places: &Places<'_>) {
    for dispute in &knowledge.disputes {
        draw_dispute(sheet, dispute);
    }
    if !item.entry.dangling.is_empty() {
        sheet.own("<div class=\"alert\"><p><b>Points to deleted files:</b></p><ul>\n");
        for path in &item.entry.dangling {
            sheet.own("<li>");
            places.link(sheet, path.as_bytes());
            sheet.own("</li>\n");
        }
        sheet.own("</ul></div>\n");
    }
}

fn draw_dispute(sheet: &mut Sheet, dispute: &Dispute) {
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

fn inside(sheet: &mut Sheet, item: &Item<'_>, knowledge: &Knowledge, places: &Places<'_>) {
    let kind = Kind::of(item.entry);
    fields(sheet, knowledge, kind);
    facts(sheet, &knowledge.facts, kind, places);
    let mut sections = phrases::sections(knowledge, kind).peekable();
    let is_folded = kind.is_gone() && sections.peek().is_some();
    if is_folded {
        let summary = if kind == Kind::Archived { "Archived text" } else { "Deleted text" };
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
fn form(sheet: &mut Sheet, knowledge: &Knowledge, kind: Kind) {
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
fn table(sheet: &mut Sheet, kind: Kind, title: &'static str, first: &'static str) {
    sheet.own("<h4>").own(title).own("</h4>\n");
    if kind.is_one_sided() {
        sheet.own("<table class=\"one\"><thead><tr><th scope=\"col\">").own(first);
        sheet.own("</th><th scope=\"col\">").own(if kind == Kind::New { "After" } else { "Before" });
    } else {
        sheet.own("<table><thead><tr><th scope=\"col\">").own(first);
        sheet.own("</th><th scope=\"col\">Before</th><th scope=\"col\">After");
    }
    sheet.own("</th></tr></thead><tbody>\n");
}

/// Draw a row, with the cells before and after.
fn row(
    sheet: &mut Sheet,
    kind: Kind,
    before: Option<impl FnOnce(&mut Sheet)>,
    after: Option<impl FnOnce(&mut Sheet)>,
) {
    if kind != Kind::New {
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

fn fields(sheet: &mut Sheet, knowledge: &Knowledge, kind: Kind) {
    let all = phrases::fields(knowledge, kind);
    if all.is_empty() {
        return;
    }
    let is_table = |field: &&FieldChange| !matches!(field.edit, FieldEdit::Lines(_));
    if all.iter().copied().any(|field| is_table(&field)) {
        table(sheet, kind, "Frontmatter", "Field");
        for change in all.iter().copied().filter(is_table) {
            field(sheet, change, kind);
        }
        sheet.own("</tbody></table>\n");
    } else {
        sheet.own("<h4>Frontmatter</h4>\n");
    }
    for change in all {
        if let FieldEdit::Lines(hunks) = &change.edit {
            marks::lines(sheet, hunks);
        }
    }
}

fn field(sheet: &mut Sheet, change: &FieldChange, kind: Kind) {
    sheet.own("<tr><th scope=\"row\">");
    if change.kind == FieldKind::Comment || change.key.is_empty() {
        sheet.own("<i>").own(phrases::nameless(change.kind)).own("</i>");
    } else {
        sheet.value(&change.key);
    }
    sheet.own("</th>");
    let removed = |text: &str| {
        let text = text.to_owned();
        move |sheet: &mut Sheet| one_sided(sheet, kind, LineKind::Removed, &text)
    };
    let added = |text: &str| {
        let text = text.to_owned();
        move |sheet: &mut Sheet| one_sided(sheet, kind, LineKind::Added, &text)
    };
    match &change.edit {
        FieldEdit::Added(text) => row(sheet, kind, None::<fn(&mut Sheet)>, Some(added(text))),
        FieldEdit::Removed(text) => row(sheet, kind, Some(removed(text)), None::<fn(&mut Sheet)>),
        FieldEdit::Changed { words, .. } => both(sheet, kind, words),
        FieldEdit::Items { added, removed } => row(
            sheet,
            kind,
            (!removed.is_empty())
                .then_some(|sheet: &mut Sheet| items(sheet, kind, LineKind::Removed, removed)),
            (!added.is_empty()).then_some(|sheet: &mut Sheet| items(sheet, kind, LineKind::Added, added)),
        ),
        FieldEdit::Lines(_) => {}
    }
}

/// Draw the cells for a text that both sides have.
fn both(sheet: &mut Sheet, kind: Kind, words: &[Word]) {
    row(
        sheet,
        kind,
        Some(|sheet: &mut Sheet| marks::words(sheet, words, Shown::Without(LineKind::Added))),
        Some(|sheet: &mut Sheet| marks::words(sheet, words, Shown::Without(LineKind::Removed))),
    );
}

/// Draw a text of one side: marked, unless the whole entry is new or deleted.
fn one_sided(sheet: &mut Sheet, kind: Kind, side: LineKind, text: &str) {
    let (open, close) = match side {
        _ if kind.is_one_sided() => ("", ""),
        LineKind::Removed => ("<del>", "</del>"),
        _ => ("<ins>", "</ins>"),
    };
    sheet.own(open).value(text).own(close);
}

fn items(sheet: &mut Sheet, kind: Kind, side: LineKind, items: &[String]) {
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            sheet.own(", ");
        }
        one_sided(sheet, kind, side, item);
    }
}

fn facts(sheet: &mut Sheet, changes: &[FactChange], kind: Kind, places: &Places<'_>) {
    if changes.is_empty() {
        return;
    }
    table(sheet, kind, "Facts", "Subject");
    for change in changes {
        sheet.own("<tr><th scope=\"row\" dir=\"auto\">");
        match change.edit.subject() {
            Some(subject) => sheet.value(subject),
            None => sheet.own("<i>no subject</i>"),
        };
        sheet.own("</th>");
        fact(sheet, &change.edit, kind, places);
    }
    sheet.own("</tbody></table>\n");
}

fn fact(sheet: &mut Sheet, edit: &FactEdit, kind: Kind, places: &Places<'_>) {
    let nothing = None::<fn(&mut Sheet)>;
    match edit {
        FactEdit::Added { claim, from } => {
            let after = |sheet: &mut Sheet| {
                one_sided(sheet, kind, LineKind::Added, &claim.statement);
                category(sheet, claim);
                passage(sheet, "from ", from.as_deref().map(|path| &**path), places);
            };
            row(sheet, kind, nothing, Some(after));
        }
        FactEdit::Removed { claim, to } => {
            let before = |sheet: &mut Sheet| {
                one_sided(sheet, kind, LineKind::Removed, &claim.statement);
                category(sheet, claim);
                passage(sheet, "now in ", to.as_deref().map(|path| &**path), places);
            };
            row(sheet, kind, Some(before), nothing);
        }
        FactEdit::Changed { before, after, words } => {
            let is_renamed = before.subject != after.subject;
            let (same, name) = (before.category == after.category, before.subject.as_deref());
            let was = |sheet: &mut Sheet| {
                if let (true, Some(name)) = (is_renamed, name) {
                    sheet.own("<del>").value(name).own("</del>: ");
                }
                marks::words(sheet, words, Shown::Without(LineKind::Added));
                if !same {
                    category(sheet, before);
                }
            };
            let is = |sheet: &mut Sheet| {
                marks::words(sheet, words, Shown::Without(LineKind::Removed));
                if !same {
                    category(sheet, after);
                }
            };
            row(sheet, kind, Some(was), Some(is));
        }
        FactEdit::Moved { claim, from, to } => {
            let under = |path: &Vec<String>| {
                let path = path.clone();
                move |sheet: &mut Sheet| {
                    sheet.value(&claim.statement);
                    category(sheet, claim);
                    sheet.own(" <span class=\"via\">in ");
                    trail(sheet, &path);
                    sheet.own("</span>");
                }
            };
            row(sheet, kind, Some(under(from)), Some(under(to)));
        }
    }
}

fn category(sheet: &mut Sheet, claim: &Claim) {
    if let Some(category) = claim.category {
        sheet.own(" <span class=\"cat\">").own(category).own("</span>");
    }
}

/// Draw the other entry that it moved to or from.
fn passage(sheet: &mut Sheet, words: &'static str, path: Option<&[u8]>, places: &Places<'_>) {
    if let Some(path) = path {
        sheet.own(" <span class=\"via\">").own(words);
        places.link(sheet, path);
        sheet.own("</span>");
    }
}

fn section(sheet: &mut Sheet, change: &SectionChange, kind: Kind, places: &Places<'_>) {
    heading(sheet, change, kind);
    for block in &change.blocks {
        self::block(sheet, (block, &change.path), kind, places);
    }
}

fn heading(sheet: &mut Sheet, change: &SectionChange, kind: Kind) {
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
        match &change.heading {
            HeadingEdit::Kept => {}
            HeadingEdit::Added => {
                sheet.own(" <span class=\"badge new\">new section</span>");
            }
            HeadingEdit::Removed => {
                sheet.own(" <span class=\"badge gone\">section removed</span>");
            }
            HeadingEdit::Renamed { before } => {
                sheet.own(" <span class=\"was\">was <del>").value(before).own("</del></span>");
            }
            HeadingEdit::Moved { from } => {
                sheet.own(" <span class=\"badge mov\">moved</span> <span class=\"was\">from ");
                trail(sheet, from);
                sheet.own("</span>");
            }
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

fn block(sheet: &mut Sheet, (change, section): (&BlockChange, &[String]), kind: Kind, places: &Places<'_>) {
    let (opening, closing) = match change.edit {
        _ if kind.is_one_sided() => ("<div class=\"k\">", "</div>\n"),
        BlockEdit::Added { .. } => ("<ins class=\"k\">", "</ins>\n"),
        BlockEdit::Removed { .. } => ("<del class=\"k\">", "</del>\n"),
        BlockEdit::Edited(_) => ("<div class=\"k chg\">", "</div>\n"),
        BlockEdit::Moved { .. } => ("<div class=\"k mov\">", "</div>\n"),
    };
    sheet.own(opening);
    match &change.edit {
        BlockEdit::Added { text, from } => {
            marks::text(sheet, change.kind, text, Extent::Whole);
            passage(sheet, "from ", from.as_deref().map(|path| &**path), places);
        }
        BlockEdit::Removed { text, to } => {
            marks::text(sheet, change.kind, text, Extent::Whole);
            passage(sheet, "now in ", to.as_deref().map(|path| &**path), places);
        }
        BlockEdit::Edited(inside) => marks::inside(sheet, change.kind, inside),
        BlockEdit::Moved { from, to, text, inside } => {
            sheet.own("<p class=\"via\">moved here from ");
            trail(sheet, from);
            if let Some((item, _)) = to.strip_prefix(section).and_then(<[String]>::split_last) {
                sheet.own(", now under <bdi>").value(item).own("</bdi>");
            }
            sheet.own("</p>");
            match inside {
                Some(inside) => marks::inside(sheet, change.kind, inside),
                None => marks::text(sheet, change.kind, text, Extent::Beginning),
            }
        }
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
