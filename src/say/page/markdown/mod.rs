//! Markdown diff: for a comment on a pull request, and for a terminal without colours.
//!
//! Has the layout; `paper` escapes untrusted text, and `entry` draws an entry.

pub(in crate::say) mod entry;
pub(in crate::say) mod paper;

use super::phrases::{self, EntryChangeKind, Tally};
use super::{Page, PageFront};
use paper::Paper;

pub fn render(page: &Page<'_>) -> String {
    let mut paper = Paper::default();
    front(&mut paper, page);
    summary(&mut paper, page);
    if !page.unmerged.is_empty() {
        paper.own("\n**In conflict**\n\n");
        for path in page.unmerged {
            paper.own("- ").code(path).own("\n");
        }
    }
    for group in page.groups() {
        paper.own("\n### ");
        if group.folder.is_empty() {
            paper.own("At the root");
        } else {
            paper.value(group.folder);
        }
        paper.own("\n");
        let (drawn, named) = group.items.split_at(group.drawn);
        for item in drawn {
            entry::draw(&mut paper, item);
        }
        for (number, item) in named.iter().enumerate() {
            paper.own(if number == 0 { "\n- " } else { "- " }).code(item.path());
            paper.own(" · ").own(EntryChangeKind::of(item.entry).word()).own("\n");
        }
    }
    form_only(&mut paper, page);
    paper.finish()
}

fn front(paper: &mut Paper, page: &Page<'_>) {
    match &page.front {
        PageFront::Between { before, after } => {
            paper.own("## Knowledge diff: ").value(before).own(" → ").value(after).own("\n");
        }
        PageFront::Commit { body, id, author, date, .. } => {
            paper.own("## Knowledge diff: ").value(phrases::title(&page.front)).own("\n\n");
            paper.code(id).own(" · ").value(author).own(" · ").value(date).own("\n");
            if !body.trim().is_empty() {
                paper.own("\n> ").value(body.trim()).own("\n");
            }
        }
    }
}

/// Draw the line of counts.
fn summary(paper: &mut Paper, page: &Page<'_>) {
    paper.own("\n");
    if page.items.is_empty() && page.unmerged.is_empty() {
        paper.own("No differences.\n");
        return;
    }
    let mut separator = "";
    for (kind, count) in phrases::kinds(page) {
        paper.own(separator).own("**").number(count).own("** ").own(kind.word());
        separator = " · ";
    }
    let form_only = page.form_only().len();
    if form_only > 0 {
        paper.own(separator).own("**").number(form_only).own("** in form only");
        separator = " · ";
    }
    for tally in phrases::tallies(phrases::sum(&page.items)) {
        paper.own(separator);
        draw_tally(paper, tally);
        separator = " · ";
    }
    tokens(paper, separator, phrases::tokens(&page.items).delta());
    paper.own("\n");
}

/// Draw `facts +2 −1`.
fn draw_tally(paper: &mut Paper, tally: Tally) {
    paper.own(tally.noun);
    for (sign, count) in tally.signs() {
        paper.own(match sign {
            '+' => " +",
            '−' => " −",
            '→' => " →",
            _ => " \\~",
        });
        paper.number(count);
    }
}

/// Draw `tokens +12`, if the number changed.
fn tokens(paper: &mut Paper, separator: &'static str, delta: i64) {
    if delta != 0 {
        paper.own(separator).own("tokens ").own(if delta < 0 { "−" } else { "+" });
        paper.value(phrases::grouped(delta.unsigned_abs()));
    }
}

fn form_only(paper: &mut Paper, page: &Page<'_>) {
    let items = page.form_only();
    if items.is_empty() {
        return;
    }
    paper.own("\n<details>\n<summary>In form only: ").number(items.len());
    paper.own(if items.len() == 1 { " entry" } else { " entries" }).own("</summary>\n\n");
    for item in items {
        paper.own("- ").code(item.path());
        if let Some(knowledge) = item.knowledge() {
            paper.own(": ").value(phrases::folds(knowledge).join(", "));
        }
        paper.own("\n");
    }
    paper.own("\n</details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::page::samples::Sample;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    fn rendered(files: &[(&str, Option<&str>, Option<&str>)]) -> String {
        render(&Sample::new(files).page())
    }

    #[test]
    fn an_entry_is_told_by_field_fact_and_block() {
        let before = "---\ntitle: Tokens\ntags: [auth, jwt]\nupdatedAt: 2025-01-01\n---\n## Rules\n\nKeys live for 24 hours.\n\n- Old rule here\n\n## Facts\n\n- **ttl**: 24 hours [project]\n";
        let after = "---\ntitle: Tokens\ntags: [auth, oauth]\nupdatedAt: 2025-02-01\n---\n## Rules\n\nKeys live for 12 hours, see https://x.example.\n\n## Limits\n\n```sh\nrun\n```\n\n## Facts\n\n- **ttl**: 12 hours [project]\n- **skew**: at most 30 s, says @ada\n";
        let text = rendered(&[("auth/jwt/tokens.md", Some(before), Some(after))]);
        assert!(
            text.starts_with("## Knowledge diff: HEAD\\~1 → HEAD\n\n**1** changed · facts +1 \\~1 · "),
            "{text}"
        );
        for part in [
            "### auth/jwt\n\n#### ✏️ Tokens\n\n`auth/jwt/tokens.md` · changed",
            "- `tags`: ~~jwt~~, **oauth**\n",
            "- `ttl`: ~~24~~ **12** hours\n",
            "- *new:* `skew`: at most 30 s, says `@ada`\n",
            "*Section* Rules\n\n- *changed:* Keys live for ~~24~~ **12** hours",
            "<ins>, see `https://x.example`</ins>",
            "- *gone:* Old rule here\n",
            "*Section* Limits, *new*\n\n- *new:* code\n\n  ````diff\n  + ```sh\n  + run\n  + ```\n  ````\n",
            "\nalso updatedAt\n",
        ] {
            assert!(text.contains(part), "{part:?} in\n{text}");
        }
    }

    #[test]
    fn nothing_from_the_tree_acts() {
        let text = "---\ntitle: '<script>@all #1 ![x](y)'\n---\n## [h](javascript:1) <img src=x>\n\n</details> <b>a</b> \u{202e}x @ada\n\n    @code\n\n- item\n  - @nested\n\n- **@s**: <https://x.example> \u{200b}f\n";
        let page = rendered(&[
            ("a/`<b>`@x.md", None, Some(text)),
            ("b/c.md", Some(text), None),
            ("d.txt", Some("@a\n"), Some("```\n@b\n")),
        ]);
        assert!(!page.contains(['\u{202e}', '\u{200b}', '\u{1b}']), "{page:?}");
        let own = ["<details>", "<summary>", "</details>", "<del>", "</del>", "<ins>", "</ins>"];
        let mut is_code = false;
        for event in Parser::new_ext(&page, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    assert!(own.iter().any(|tag| html.starts_with(tag)), "{html}\n{page}");
                }
                Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic!("a link in\n{page}"),
                Event::Start(Tag::CodeBlock(_)) => is_code = true,
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => is_code = false,
                Event::Text(text) if !is_code => {
                    assert!(!text.contains(['@', '#']) && !text.contains("://"), "{text}\n{page}");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn of_more_entries_than_anybody_reads_the_names_are_listed() {
        let texts: Vec<(String, String)> = (0..230)
            .map(|at| (format!("d{}/e{at:03}.md", at % 2), format!("# Entry {at}\n\nText of number {at}.\n")))
            .collect();
        let files: Vec<_> = texts.iter().map(|(path, text)| (&**path, None, Some(&**text))).collect();
        let text = rendered(&files);
        assert!(text.contains("**230** new"), "{text}");
        let drawn = texts.iter().filter(|(path, _)| text.contains(&format!("\n\n`{path}` · new"))).count();
        let named = texts.iter().filter(|(path, _)| text.contains(&format!("\n- `{path}` · new\n"))).count();
        assert_eq!((drawn, named, text.matches("Text of number").count()), (200, 30, 200), "{text}");
    }

    #[test]
    fn what_is_gone_is_folded_and_nothing_is_said_of_nothing() {
        let page = rendered(&[
            ("a.md", Some("# A\n\nSome words.\n"), None),
            ("b.md", Some("a\nb\n"), Some("a b\n")),
        ]);
        assert!(page.contains("#### ➖ A\n\n`a.md` · deleted"), "{page}");
        assert!(
            page.contains("<summary>Deleted text</summary>\n\n*Section* A\n\n- Some words.\n\n</details>"),
            "{page}"
        );
        assert!(page.contains("<summary>In form only: 1 entry</summary>\n\n- `b.md`: 1 block"), "{page}");
        assert_eq!(rendered(&[]).lines().last(), Some("No differences."));
    }
}
