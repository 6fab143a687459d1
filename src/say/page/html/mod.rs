//! HTML diff page: one self-contained page without scripts or requests, with its style inside.
//!
//! Has the layout of the page; its look is in `style.css`. `entry` draws an entry.

mod entry;
mod marks;

use super::phrases::{self, EntryChangeKind, Tally};
use super::{Item, Page, PageFront};
use crate::say::sheet::Sheet;
use bstr::ByteSlice as _;
use entry::EntryAnchors;

const STYLE: &str = concat!(include_str!("../../palette.css"), include_str!("style.css"));

/// The style of [`write`], below the palette.
pub(in crate::say) const OWN_STYLE: &str = include_str!("style.css");

/// The SHA-256 of [`STYLE`]: the page's content security policy allows only this style. A test computes it.
const STYLE_HASH: &str = "sha256-V7xXfAAZgu/na2l4GkVtZltww58bakZFvE9rB3Oj/Bg=";

/// With more entries than this, the folders in the list at the top are closed.
const MANY: usize = 40;

pub fn render(page: &Page<'_>) -> String {
    let mut sheet = Sheet::default();
    head(&mut sheet, page);
    sheet.own("<body>\n<a class=\"skip\" href=\"#:changes\">Skip to the changes</a>\n");
    write(&mut sheet, page, ["<main id=\":changes\" class=\"changes\">\n", "</main>\n"]);
    sheet.own("</body>\n</html>\n");
    sheet.finish()
}

/// Write what the page shows: what is compared, the list of the entries, and the changes in an element with these tags.
pub(in crate::say) fn write(sheet: &mut Sheet, page: &Page<'_>, [start, end]: [&'static str; 2]) {
    let places = EntryAnchors::new(page);
    sheet.own("<div class=\"page\">\n");
    banner(sheet, page);
    contents(sheet, page, &places);
    sheet.own(start);
    changes(sheet, page, &places, 0);
    sheet.own(end).own("</div>\n");
}

/// Write the changes alone; `first` is the number of their first group, which is another one for each part of a page.
pub(in crate::say) fn write_changes(sheet: &mut Sheet, page: &Page<'_>, first: usize) {
    changes(sheet, page, &EntryAnchors::new(page), first);
}

fn changes(sheet: &mut Sheet, page: &Page<'_>, places: &EntryAnchors<'_>, first: usize) {
    if page.items.is_empty() && page.unmerged.is_empty() {
        sheet.own("<p class=\"nothing\">No differences.</p>\n");
    }
    unmerged(sheet, page);
    for (number, group) in (first..).zip(page.groups().iter()) {
        sheet
            .own("<section aria-labelledby=\":g")
            .number(number)
            .own("\">\n<h2 id=\":g")
            .number(number)
            .own("\">");
        folder(sheet, group.folder);
        sheet.own("</h2>\n");
        let (drawn, named) = group.items.split_at(group.drawn);
        for item in drawn {
            entry::draw(sheet, item, places);
        }
        names(sheet, named, places);
        sheet.own("</section>\n");
    }
    form_only(sheet, page, places);
}

fn head(sheet: &mut Sheet, page: &Page<'_>) {
    sheet
        .own("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .own("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '")
        .own(STYLE_HASH)
        .own("'; base-uri 'none'; form-action 'none'\">\n")
        .own("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .own("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
        .own("<title>")
        .bare(phrases::title(&page.front))
        .own(" · knowledge diff</title>\n<style>")
        .own(STYLE)
        .own("</style>\n</head>\n");
}

/// Draw the title of the page, and the counts.
fn banner(sheet: &mut Sheet, page: &Page<'_>) {
    sheet.own("<header class=\"banner\">\n<p class=\"kicker\">Knowledge diff</p>\n<h1>");
    match &page.front {
        PageFront::Between { before, after } => {
            sheet.own("<span class=\"state\">").value(before).own("</span> <span class=\"to\">→</span> ");
            sheet.own("<span class=\"state\">").value(after).own("</span></h1>\n");
        }
        PageFront::Commit { body, id, author, date, .. } => {
            sheet.own("<bdi>").value(phrases::title(&page.front)).own("</bdi></h1>\n<p class=\"by\"><code>");
            sheet.value(id).own("</code> <bdi>").value(author).own("</bdi> ").value(date).own("</p>\n");
            if !body.trim().is_empty() {
                sheet.own("<p class=\"message\" dir=\"auto\">").value(body.trim()).own("</p>\n");
            }
        }
    }
    sheet.own("<ul class=\"sums\">\n");
    for (kind, count) in phrases::kinds(page) {
        sheet.own("<li><b>").number(count).own("</b> ").own(kind.word()).own("</li>\n");
    }
    let form_only = page.form_only().len();
    if form_only > 0 {
        sheet.own("<li><b>").number(form_only).own("</b> in form only</li>\n");
    }
    sheet.own("</ul>\n<p class=\"cost\">");
    for tally in phrases::tallies(phrases::sum(&page.items)) {
        draw_tally(sheet, tally);
        sheet.own(" ");
    }
    let tokens = phrases::tokens(&page.items);
    if tokens.before != tokens.after {
        sheet.own("<span class=\"n\">tokens ").value(phrases::signed(tokens.delta())).own("</span>");
    }
    sheet.own("</p>\n</header>\n");
}

/// Draw `facts +2 −1`, each part in its colour.
fn draw_tally(sheet: &mut Sheet, tally: Tally) {
    sheet.own("<span class=\"n\">").own(tally.noun);
    for (sign, count) in tally.signs() {
        sheet.own(match sign {
            '+' => " <span class=\"plus\">+",
            '−' => " <span class=\"minus\">−",
            '→' => " <span>→",
            _ => " <span>~",
        });
        sheet.number(count).own("</span>");
    }
    sheet.own("</span>");
}

/// Draw the entries as a list of links.
fn contents(sheet: &mut Sheet, page: &Page<'_>, places: &EntryAnchors<'_>) {
    let groups = page.groups();
    let form_only = page.form_only().len();
    let all: usize = groups.iter().map(|group| group.items.len()).sum();
    if all + form_only < 2 {
        return;
    }
    sheet.own("<nav aria-labelledby=\":list\">\n<h2 id=\":list\">Entries <span class=\"count\">").number(all);
    sheet.own("</span></h2>\n");
    for group in &groups {
        sheet.own(if all > MANY { "<details>" } else { "<details open>" }).own("<summary>");
        folder(sheet, group.folder);
        sheet.own(" <span class=\"count\">").number(group.items.len()).own("</span></summary>\n<ul>\n");
        for item in &group.items {
            link(sheet, item, places);
        }
        sheet.own("</ul></details>\n");
    }
    if form_only > 0 {
        sheet.own("<p class=\"last\"><a href=\"#:form\">In form only</a> <span class=\"count\">");
        sheet.number(form_only).own("</span></p>\n");
    }
    sheet.own("</nav>\n");
}

fn link(sheet: &mut Sheet, item: &Item<'_>, places: &EntryAnchors<'_>) {
    let kind = EntryChangeKind::of(item.entry);
    sheet.own("<li><a href=\"#").anchor(&places.of(item)).own("\">").own(sign(kind)).own("<bdi>");
    sheet.value(item.name()).own("</bdi></a></li>\n");
}

/// The sign for what happened to an entry, with a word for screen readers.
const fn sign(kind: EntryChangeKind) -> &'static str {
    match kind {
        EntryChangeKind::New => {
            "<span class=\"s new\" aria-hidden=\"true\">+</span><span class=\"sr\">new: </span>"
        }
        EntryChangeKind::Changed => {
            "<span class=\"s chg\" aria-hidden=\"true\">~</span><span class=\"sr\">changed: </span>"
        }
        EntryChangeKind::Moved => {
            "<span class=\"s mov\" aria-hidden=\"true\">→</span><span class=\"sr\">moved: </span>"
        }
        EntryChangeKind::Merged => {
            "<span class=\"s mer\" aria-hidden=\"true\">⇒</span><span class=\"sr\">merged: </span>"
        }
        EntryChangeKind::Archived => {
            "<span class=\"s mer\" aria-hidden=\"true\">−</span><span class=\"sr\">archived: </span>"
        }
        EntryChangeKind::Deleted => {
            "<span class=\"s gone\" aria-hidden=\"true\">−</span><span class=\"sr\">deleted: </span>"
        }
    }
}

/// Draw the folders of a path, spaced.
fn folder(sheet: &mut Sheet, folder: &[u8]) {
    if folder.is_empty() {
        sheet.own("<span class=\"folder\">At the root</span>");
        return;
    }
    sheet.own("<span class=\"folder\">");
    for (number, part) in folder.split_str("/").enumerate() {
        if number > 0 {
            sheet.own(" <span class=\"slash\">/</span> ");
        }
        sheet.own("<bdi>").value(part).own("</bdi>");
    }
    sheet.own("</span>");
}

fn unmerged(sheet: &mut Sheet, page: &Page<'_>) {
    if page.unmerged.is_empty() {
        return;
    }
    sheet.own("<section class=\"alert\" aria-labelledby=\":conflicts\">\n<h2 id=\":conflicts\">In conflict</h2>\n<ul>\n");
    for path in page.unmerged {
        sheet.own("<li><code>").value(path).own("</code></li>\n");
    }
    sheet.own("</ul>\n</section>\n");
}

/// Draw the names of the entries that there are too many of.
fn names(sheet: &mut Sheet, items: &[&Item<'_>], places: &EntryAnchors<'_>) {
    if items.is_empty() {
        return;
    }
    sheet.own("<ul>\n");
    for item in items {
        sheet.own("<li id=\"").anchor(&places.of(item)).own("\">").own(sign(EntryChangeKind::of(item.entry)));
        sheet.own("<bdi>").value(item.name()).own("</bdi> <code>").value(item.path()).own("</code></li>\n");
    }
    sheet.own("</ul>\n");
}

/// Draw the list of entries that differ in form only.
fn form_only(sheet: &mut Sheet, page: &Page<'_>, places: &EntryAnchors<'_>) {
    let items = page.form_only();
    if items.is_empty() {
        return;
    }
    sheet.own("<section aria-labelledby=\":form\">\n<h2 id=\":form\">In form only</h2>\n<details class=\"fold\"><summary>");
    sheet.number(items.len()).own(if items.len() == 1 { " entry has" } else { " entries have" });
    sheet.own(" the same content as before</summary>\n<ul>\n");
    for item in items {
        sheet
            .own("<li id=\"")
            .anchor(&places.of(item))
            .own("\"><bdi>")
            .value(item.name())
            .own("</bdi> <code>");
        sheet.value(item.path()).own("</code>");
        if let Some(knowledge) = item.knowledge() {
            sheet.own("<br>").value(phrases::folds(knowledge).join(" · "));
        }
        sheet.own("</li>\n");
    }
    sheet.own("</ul></details>\n</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::page::samples::Sample;
    use std::collections::HashSet;

    const BEFORE: &str = "---\ntitle: Tokens\ntags: [auth, jwt]\nupdatedAt: 2025-01-01\n---\n## Rules\n\nKeys live\nfor 24 hours.\n\nKept.\n\n## Facts\n\n- **ttl**: 24 hours [project]\n";
    const AFTER: &str = "---\ntitle: Tokens\ntags: [auth, oauth]\nupdatedAt: 2025-02-01\n---\n## Rules\n\nKeys live for\n12 hours.\n\nKept.\n\n## Facts\n\n- **ttl**: 12 hours [project]\n";

    fn rendered(files: &[(&str, Option<&str>, Option<&str>)]) -> String {
        render(&Sample::new(files).page())
    }

    /// The text between `start` and `end`.
    fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
        let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}"));
        rest.split_once(end).unwrap_or_else(|| panic!("no {end} in {rest}")).0
    }

    fn base64(bytes: &[u8]) -> String {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        bytes
            .chunks(3)
            .flat_map(|chunk| {
                let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
                let group = byte(0) << 16 | byte(1) << 8 | byte(2);
                (0..4).map(move |at| match at <= chunk.len() {
                    true => char::from(digits[(group >> (18 - 6 * at)) as usize & 63]),
                    false => '=',
                })
            })
            .collect()
    }

    #[test]
    fn the_policy_allows_the_own_style_and_nothing_else() {
        let rustls::SupportedCipherSuite::Tls13(suite) =
            rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256
        else {
            panic!("a suite of TLS 1.3")
        };
        let hash = suite.common.hash_provider.hash(STYLE.as_bytes());
        assert_eq!(STYLE_HASH, format!("sha256-{}", base64(hash.as_ref())));
        let page = rendered(&[]);
        assert_eq!(between(&page, "<style>", "</style>"), STYLE);
        assert!(page.contains("content=\"default-src 'none'; style-src 'sha256-"), "{page}");
    }

    #[test]
    fn of_more_entries_than_anybody_reads_the_names_are_listed() {
        let texts: Vec<(String, String)> = (0..230)
            .map(|at| (format!("d{}/e{at:03}.md", at % 2), format!("# Entry {at}\n\nText of number {at}.\n")))
            .collect();
        let files: Vec<_> = texts.iter().map(|(path, text)| (&**path, None, Some(&**text))).collect();
        let page = rendered(&files);
        assert!(page.contains("<b>230</b> new"), "{page}");
        assert_eq!((page.matches("<article ").count(), page.matches("Text of number").count()), (200, 200));
        for (path, _) in &texts {
            assert!(page.contains(&format!("href=\"#{path}\"")), "{path}");
            assert_eq!(page.matches(&format!("id=\"{path}\"")).count(), 1, "{path}");
        }
    }

    #[test]
    fn an_entry_is_told_by_field_fact_and_block() {
        let page = rendered(&[("auth/jwt/tokens.md", Some(BEFORE), Some(AFTER))]);
        assert!(page.contains("<article id=\"auth/jwt/tokens.md\""), "{page}");
        let tags = between(&page, "<th scope=\"row\">tags</th>", "</tr>");
        assert_eq!(
            tags,
            "<td class=\"b\" dir=\"auto\"><del>jwt</del></td><td class=\"a\" dir=\"auto\"><ins>oauth</ins></td>"
        );
        let ttl = between(&page, "<th scope=\"row\" dir=\"auto\">ttl</th>", "</tr>");
        assert_eq!(
            ttl,
            "<td class=\"b\" dir=\"auto\"><del>24</del> hours</td><td class=\"a\" dir=\"auto\"><ins>12</ins> hours</td>"
        );
        let block = between(&page, "<div class=\"k chg\">", "</div>");
        assert_eq!(block, "<p dir=\"auto\">Keys live for <del>24</del><ins>12</ins> hours.</p>\n");
        assert!(page.contains("<p class=\"also\">also updatedAt</p>"), "{page}");
        assert!(!page.contains("Kept."), "what stayed is not shown");
    }

    #[test]
    fn nothing_from_the_tree_acts() {
        let text = "---\ntitle: '<script>alert(1)</script> \"&'\n---\n## <img src=x onerror=y>\n\n<b onclick='z'>a</b> \u{202e}x\u{1b}[31m [l](javascript:1) \u{0}\n\n- **<i>s</i>**: \u{200b}f\n";
        let path = "a\"><script>/b'<x>&.md";
        let page = rendered(&[
            (path, None, Some(text)),
            ("b/c.md", Some(text), None),
            ("d.txt", Some("<s>"), Some("<t>")),
        ]);
        let body = between(&page, "<body>", "</body>");
        for tag in ["<script", "<img", "<b onclick", "<i>s", "<x>", "<s>", "<t>", "javascript:1\""] {
            assert!(!body.contains(tag), "{tag} in {body}");
        }
        assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{200b}', '\0']), "{page:?}");
        assert!(page.contains("<code class=\"x\">\\u{202e}</code>"), "{page}");
        let own = [
            "a", "article", "b", "bdi", "body", "code", "del", "details", "div", "h1", "h2", "h3", "h4",
            "head", "header", "html", "i", "ins", "li", "main", "mark", "meta", "nav", "ol", "p", "pre",
            "section", "span", "style", "summary", "table", "tbody", "td", "th", "thead", "title", "tr",
            "ul", "!doctype",
        ];
        for tag in page.split('<').skip(1) {
            let name = tag.trim_start_matches('/').split([' ', '>', '\n']).next().unwrap();
            assert!(own.contains(&name), "<{tag}");
        }
    }

    #[test]
    fn every_link_leads_to_a_place_on_the_page() {
        let long =
            "The login cookie is set after the second factor and is scoped to the identity host only.\n";
        let page = Sample::new(&[
            ("a/one.md", Some(long), None),
            ("a/two.md", Some("# Two\n"), Some(&format!("# Two\n\n{long}"))),
            ("a/wrapped.md", Some("one\ntwo\n"), Some("one two\n")),
            ("b~ c.md", None, Some("related\n")),
        ])
        .renamed(("x/old.md", "# T\n\nsame\n"), ("x/new.md", "# T\n\nsame\n"))
        .merged("a/one.md", "a/two.md");
        let page = render(&page.page());
        let ids: Vec<&str> =
            page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "{ids:?}");
        let links: Vec<&str> =
            page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(links.len() > 10, "{links:?}");
        for link in links {
            assert!(link.strip_prefix('#').is_some_and(|place| ids.contains(&place)), "{link}: {ids:?}");
        }
        assert!(
            page.contains("merged into <a href=\"#a/two.md\">") && page.contains("In form only"),
            "{page}"
        );
    }

    #[test]
    fn a_page_grows_with_what_changed_and_not_with_what_stayed() {
        let stayed = "Nothing of this paragraph changes at all. ".repeat(2_000);
        let file = |hours: &str| format!("# A\n\n{stayed}\n\nTokens live {hours} hours. {stayed}\n");
        let (before, after) = (file("24"), file("12"));
        let page = rendered(&[("a.md", Some(&before), Some(&after))]);
        assert!(page.len() < STYLE.len() + 8_000, "{}", page.len());
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert!(rendered(&[]).contains("No differences."));
    }
}
