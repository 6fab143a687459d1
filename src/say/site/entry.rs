//! An entry: what must be known before believing it, its facts with who stated them, its text, and the parts that take longer.

use super::form::SiteAct;
use super::frame::{PageFrame, crumbs};
use super::view::EntryView;
use super::{SiteAddresses, comments, facts, links, markdown, stem};
use crate::say::sheet::Sheet;
use brv_base::path::{PathKind, TreePath};
use brv_commands::read::{InConflict, PieceKind, ReadPiece, steering};
use brv_text::doc::{Document, LinkKind, link_target, percent_decoded};
use brv_text::lint::secrets;

/// The page of an entry.
pub fn page(frame: &PageFrame<'_>, view: &EntryView<'_>) -> String {
    let piece = view.piece;
    frame.page(|sheet| {
        crumbs(sheet, frame.addresses, &piece.path);
        sheet.own("<div class=\"head\"><h1 dir=\"auto\">").value(frame.title).own("</h1>\n");
        acts(sheet, frame, view);
        sheet.own("</div>\n<p class=\"soft\"><code>").value(&piece.path);
        sheet.own("</code>");
        marks(sheet, frame, view);
        if let Some(day) = view.written.and_then(|written| written.changed) {
            sheet.own(" last changed <time>").value(day).own("</time>");
        }
        sheet.own("</p>\n");
        if let Some(at) = view.at {
            sheet.own("<p class=\"note\">As it was at <code>").value(at).own("</code>. <a href=\"");
            sheet.bare(frame.addresses.entry(&piece.path)).own("\">As it is now</a></p>\n");
        }
        if view.written.is_some_and(|written| written.is_earlier) {
            sheet.own("<p class=\"note\">A change waits for review. This is the text from before it.</p>\n");
        }
        notes(sheet, piece);
        // a secret is told by what stands around it: the whole text is masked before it is taken apart
        let bytes = secrets::masked_bytes(piece.text.clone());
        let document = Document::parse(bytes);
        facts::disputes(sheet, frame, view, &document);
        if std::str::from_utf8(&piece.text).is_err() {
            sheet.own("<p class=\"note\">The file is not UTF-8; its bytes are shown.</p>\n<pre tabindex=\"0\"><code>");
            sheet.value(document.into_bytes()).own("</code></pre>\n");
            return;
        }
        if let Some(summary) = document.meta().summary {
            sheet.own("<p class=\"lead\" dir=\"auto\">").value(summary).own("</p>\n");
        }
        // of another text the lines are others
        let is_numbered = newlines(document.text()) == newlines(&String::from_utf8_lossy(&piece.text));
        sheet.own("<div class=\"beside\">\n<div>\n");
        facts::facts(sheet, frame, view, &document, view.blame.filter(|_| is_numbered));
        sheet.own("<section class=\"text\" dir=\"auto\" aria-label=\"Text\">\n");
        let body = facts::without(document.body(), &document.facts());
        let body = without_title(&body, frame.title);
        markdown::write(sheet, body, &|destination| address(frame.addresses, &piece.path, destination));
        sheet.own("</section>\n");
        if let Some(seen) = view.seen() {
            let facts = facts::subjects(&document);
            let facts: Vec<&str> = facts.iter().map(|subject| &**subject).collect();
            let about = [("id", &*piece.path), ("seen", &seen)];
            comments::comments(sheet, frame, &view.comments, (&about, &facts));
        }
        sheet.own("</div>\n<aside>\n");
        match view.written {
            Some(written) => links::draw(sheet, frame.addresses, written.links),
            None if view.at.is_none() => parts(sheet, frame.addresses, piece),
            None => {}
        }
        if let (count @ 1.., is_more) = view.given {
            sheet.own("<p><a href=\"").bare(frame.addresses.given(&piece.path)).own("\">Given to agents ").number(count);
            sheet.own(if is_more { "+ times</a></p>\n" } else if count == 1 { " time</a></p>\n" } else { " times</a></p>\n" });
        }
        sheet.own("</aside>\n</div>\n");
    })
}

/// What can be done with the whole entry.
fn acts(sheet: &mut Sheet, frame: &PageFrame<'_>, view: &EntryView<'_>) {
    if view.editor.is_none() && !frame.forms.may(SiteAct::Archive) {
        return;
    }
    sheet.own("<div class=\"acts\">");
    if let Some(seen) = view.seen() {
        let about = [("path", &*view.piece.path), ("seen", &seen)];
        if view.piece.freshness.as_ref().is_some_and(|freshness| freshness.line().is_some()) {
            frame.forms.button(sheet, SiteAct::Confirm, &about);
        }
        frame.forms.button(sheet, SiteAct::Archive, &about);
    }
    if let Some(editor) = &view.editor {
        sheet.own("<a class=\"button\" href=\"").bare(editor).own("\">Editor</a>");
    }
    sheet.own("</div>\n");
}

/// The title of an entry.
pub fn title(piece: &ReadPiece) -> &str {
    piece.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or_else(|| stem(&piece.path))
}

fn marks(sheet: &mut Sheet, frame: &PageFrame<'_>, view: &EntryView<'_>) {
    let piece = view.piece;
    for row in &view.waiting {
        sheet
            .own(" <a class=\"mark warn\" href=\"")
            .bare(frame.addresses.reviewed(&row.id))
            .own("\">? pending (");
        sheet.value(&row.kind).own(" ").value(row.id.get(..7).unwrap_or(&row.id)).own(")</a>");
    }
    let source = piece.source.as_ref();
    let is_disputed = source.is_some_and(|source| !source.disputed.is_empty());
    let stale = piece.freshness.as_ref().filter(|freshness| freshness.line().is_some());
    if let Some(freshness) = stale {
        sheet.own(" <span class=\"mark warn\">! ").own(freshness.state.word()).own("</span>");
    }
    for (is_so, mark) in [
        (piece.subject == PieceKind::Archived, " <span class=\"mark\">archived</span>"),
        (is_disputed, " <span class=\"mark warn\">! disputed</span>"),
        (!piece.flagged.is_empty(), " <span class=\"mark bad\">! flagged</span>"),
    ] {
        if is_so {
            sheet.own(mark);
        }
    }
}

/// What a reader must know first.
fn notes(sheet: &mut Sheet, piece: &ReadPiece) {
    if !piece.flagged.is_empty() {
        let words: Vec<&str> = piece.flagged.iter().map(|word| steering(word)).collect();
        sheet.own("<p class=\"note bad\"><strong>Withheld from agents:</strong> this text came from elsewhere and has ");
        sheet.value(words.join(" and ")).own(". Hidden characters are shown.</p>\n");
    }
    if let Some(line) = piece.freshness.as_ref().and_then(|freshness| freshness.line()) {
        sheet.own("<p class=\"note\"><strong>The code has changed:</strong> ").value(line).own("</p>\n");
    }
    let Some(source) = &piece.source else { return };
    match source.conflict {
        Some(InConflict::Unmerged) => {
            sheet.own(
                "<p class=\"note bad\">In conflict: this is our side of a merge that is not finished.</p>\n",
            );
        }
        Some(InConflict::Recorded) => {
            sheet.own("<p class=\"note bad\">In conflict: this is our side of conflict markers that were committed.</p>\n");
        }
        None => {}
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The parts of the page that the script fetches when it is there; each is a page of its own, too.
fn parts(sheet: &mut Sheet, addresses: &SiteAddresses, piece: &ReadPiece) {
    if piece.subject == PieceKind::Archived {
        return;
    }
    for (part, name) in [("links", "Links"), ("history", "History")] {
        let address = addresses.entry_part(&piece.path, part);
        sheet.own("<section class=\"part\" aria-label=\"").own(name).own("\" data-part=\"").bare(&address);
        sheet.own("\"><a href=\"").bare(&address).own("\">").own(name).own("</a></section>\n");
    }
}

/// The text without a first heading that only repeats the title.
fn without_title<'t>(body: &'t str, title: &str) -> &'t str {
    let rest = body.trim_start();
    let Some(line) = rest.strip_prefix("# ") else { return body };
    let (heading, after) = line.split_once('\n').unwrap_or((line, ""));
    if heading.trim() == title.trim() { after } else { body }
}

/// The page that a destination in an entry means; `None` if none shows it.
fn address(addresses: &SiteAddresses, path: &str, destination: &str) -> Option<String> {
    let written = destination.split(['#', '?']).next().unwrap_or_default();
    if written.is_empty() || written.contains(':') || written.starts_with("//") {
        return None;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let written = percent_decoded(written).unwrap_or_else(|| written.to_owned());
    let target = link_target(folder, LinkKind::Markdown, &written)?;
    let known = TreePath::parse(target.as_bytes()).ok()?;
    match known.kind() {
        PathKind::NodeOverview => addresses.tree_if_shown(known.folder()),
        kind => addresses.entry_if_shown(known.as_str()).filter(|_| kind.is_curated()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_the_page_of_what_it_means() {
        let addresses = SiteAddresses::of_run("r");
        let leads = |destination: &str| address(&addresses, "auth/tokens/life.md", destination);
        for (destination, expected) in [
            ("keys.md", Some("/r/entry/auth/tokens/keys.md")),
            ("../gate.md#x", Some("/r/entry/auth/gate.md")),
            ("/ops/a%20b.md", Some("/r/entry/ops/a%20b.md")),
            ("../context.md", Some("/r/tree/auth")),
            ("../../../etc.md", None),
            ("//evil.example/a.md", None),
            ("x:y.md", None),
            ("a.png", None),
            ("#part", None),
        ] {
            assert_eq!(leads(destination).as_deref(), expected, "{destination}");
        }
    }

    #[test]
    fn a_heading_that_repeats_the_title_is_left_out() {
        assert_eq!(without_title("\n# Tokens\n\nText\n", "Tokens"), "\nText\n");
        assert_eq!(without_title("# Other\n\nText\n", "Tokens"), "# Other\n\nText\n");
        assert_eq!(without_title("Text\n# Tokens\n", "Tokens"), "Text\n# Tokens\n");
    }
}
