//! Find the links of a document: `related`, old `@path.md` relations, markdown links to `.md` files.
//!
//! Does not know whether a target exists, nor the folder of the document.

use brv_base::sorting;
use std::ops::Range;

use bstr::ByteSlice as _;
use pulldown_cmark::{Event, Options, Parser, Tag};
use schemars::JsonSchema;
use serde::Serialize;

use super::Document;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub kind: LinkKind,
    /// Its target, with `/` separators and without `#fragment`. For relations a path from the root of the tree
    /// (`domain/topic`, `domain/topic/title` or `domain/topic/title.md`); for markdown links as written, relative to
    /// the folder of the document unless it starts with `/`.
    pub target: String,
    /// Its bytes in the body; `None` if it is in the frontmatter.
    pub span: Option<Range<usize>>,
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Form")]
pub enum LinkKind {
    // an item of `related`
    Related,
    // an `@path` line under `## Relations`
    Relation,
    // `[text](path.md)` or a link reference
    Markdown,
}

/// All links: those of the frontmatter first, then those of the body in order.
pub(super) fn read(document: &Document) -> Vec<Link> {
    let related = document.meta().related;
    let mut links: Vec<Link> = related
        .iter()
        .filter_map(|written| Some(Link { kind: LinkKind::Related, target: relation(written)?, span: None }))
        .collect();
    let mut in_body = relations(document);
    in_body.extend(markdown(document.body()));
    sorting::sort_by_key(&mut in_body, |link| link.span.as_ref().map(|span| span.start));
    links.extend(in_body);
    links
}

/// The path a relation points to: without `@`, quotes, leading `./` or `/`, the folder of the tree, and `#fragment`.
/// `None` if nothing is left, or if it is a URL or points upwards.
///
/// Accepts `domain/topic`, `domain/topic/title` and `domain/topic/title.md`, each with or without `@`.
pub fn relation(written: &str) -> Option<String> {
    core(written).map(|range| written[range].replace('\\', "/"))
}

/// The range of [`relation`]'s path in the written form.
pub(super) fn core(written: &str) -> Option<Range<usize>> {
    let whole = written.replace('\\', "/");
    let path = whole.trim().trim_matches(['"', '\'', '`']).trim_start_matches('@');
    let path = path.split('#').next().unwrap_or("").trim();
    let path = path.trim_start_matches("./").trim_start_matches('/');
    let path = path.strip_prefix(".brv/context-tree/").unwrap_or(path).trim_end_matches('/');
    let parts = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    // every step above only narrowed the text
    let start = path.as_ptr() as usize - whole.as_ptr() as usize;
    (parts && !path.contains("://")).then(|| start..start + path.len())
}

/// Whether the bytes may contain a link: `false` is certain, and far cheaper than searching for one.
pub fn may_link(bytes: &[u8]) -> bool {
    let relates = |at: usize| {
        let rest = bytes[at + b"related".len()..].trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let value = rest.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        // an empty list, as most entries have it, or the word in running text is not a link
        value.is_some_and(|value| !value.strip_prefix(b"[]").is_some_and(ends_line))
    };
    bytes.find(".md").is_some()
        || bytes.find_iter("related").any(relates)
        || (bytes.contains(&b'@') && bytes.to_ascii_lowercase().find("relations").is_some())
}

fn ends_line(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.trim_ascii().is_empty()
}

/// `@path` lines, also as list items, in sections titled `Relations`.
fn relations(document: &Document) -> Vec<Link> {
    let lines = relation_lines(document).into_iter();
    let link = |span: Range<usize>| {
        let target = document.body()[span.clone()].split([' ', '\t', ',']).next().and_then(relation)?;
        Some(Link { kind: LinkKind::Relation, target, span: Some(span) })
    };
    lines.filter_map(link).collect()
}

/// The content of such lines, from the `@` on, as bytes of the body.
pub(super) fn relation_lines(document: &Document) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    // without one it need not be parsed
    if !document.body().contains('@') {
        return lines;
    }
    let outline = document.outline();
    for section in outline.titled("relations") {
        let content = outline.sections()[section].content.clone();
        let mut at = content.start;
        for line in document.body()[content].split_inclusive('\n') {
            let words = line.trim_start().trim_start_matches(['-', '*', '+', ' ']);
            let start = at + line.len() - words.len();
            at += line.len();
            if words.starts_with('@') {
                lines.push(start..start + words.trim_end().len());
            }
        }
    }
    lines
}

fn markdown(body: &str) -> Vec<Link> {
    if !body.contains(".md") {
        return Vec::new();
    }
    let events = Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter();
    let links = events.filter_map(|(event, span)| match event {
        Event::Start(Tag::Link { dest_url, .. }) => {
            let target = file_of(&dest_url)?.to_owned();
            Some(Link { kind: LinkKind::Markdown, target, span: Some(span) })
        }
        _ => None,
    });
    links.collect()
}

/// The markdown file that a destination names, without fragment.
pub(super) fn file_of(destination: &str) -> Option<&str> {
    place_of(destination).filter(|target| target.ends_with(".md"))
}

/// The file of any kind that a destination names, without fragment; `None` for a URL or a fragment alone.
pub(super) fn place_of(destination: &str) -> Option<&str> {
    let target = destination.split(['#', '?']).next().unwrap_or("");
    (!target.is_empty() && !target.contains(':') && !target.starts_with("//")).then_some(target)
}

/// Whether the bytes may contain a markdown link or image with any target: `false` is certain.
pub fn may_show(bytes: &[u8]) -> bool {
    bytes.find("](").is_some() || bytes.find("]:").is_some()
}

/// The path from the root that a link means, written in a document of `folder`; `None` if it is outside the tree.
pub fn link_target(folder: &str, kind: LinkKind, written: &str) -> Option<String> {
    let (folder, written) = match (kind, written.strip_prefix('/')) {
        (LinkKind::Markdown, None) => (folder, written),
        (_, rest) => ("", rest.unwrap_or(written)),
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What all paths have in common that lead to one entry or folder: `a/b` for `a/b.md`, `a/b`, `a/b/context.md`,
/// `a/b/_index.md` and `a/b.abstract.md`. An entry and a folder of one name are not told apart.
pub fn link_key(path: &str) -> &str {
    let path = path.strip_suffix(".md").unwrap_or(path);
    let path = path.strip_suffix(".abstract").or_else(|| path.strip_suffix(".overview")).unwrap_or(path);
    match path {
        "context" | "_index" => "",
        path => path.strip_suffix("/context").or_else(|| path.strip_suffix("/_index")).unwrap_or(path),
    }
}

/// The [`link_key`] of everything that a document of `folder` may link to, sorted. Whether it is there does not matter.
pub fn link_keys(document: &Document, folder: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for link in document.links() {
        let decoded = percent_decoded(&link.target).filter(|_| link.kind == LinkKind::Markdown);
        let written = [Some(link.target), decoded].into_iter().flatten();
        let targets = written.filter_map(|written| link_target(folder, link.kind, &written));
        keys.extend(targets.map(|target| link_key(&target).to_owned()));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// `my%20note.md` as `my note.md`; `None` if nothing is encoded, or the encoding is invalid.
pub fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut bytes = Vec::new();
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn relations_of_the_old_and_the_new_form_are_read() {
        let text = "---\nrelated: [a/b, \"@c/d/e.md\", ../x, https://x/y]\n---\n## Relations\n@f/g/h.md\n- @i/j (why)\nnot this @k/l.md\n\n## Else\n@m/n.md\n";
        let document = Document::parse(text);
        let links = read(&document);
        let all: Vec<_> = links.iter().map(|link| (link.kind, link.target.as_str())).collect();
        let expected = [
            (LinkKind::Related, "a/b"),
            (LinkKind::Related, "c/d/e.md"),
            (LinkKind::Relation, "f/g/h.md"),
            (LinkKind::Relation, "i/j"),
        ];
        assert_eq!(all, expected);
        let span = links[2].span.clone().unwrap();
        assert_eq!(&document.body()[span], "@f/g/h.md");
    }

    #[test]
    fn markdown_links_to_entries_are_read() {
        let text = "See [a](../x/y.md#part) and [b][r], not [c](https://e.org/z.md), [f](//e.org/z.md) nor `[d](d.md)` nor [e](e.png).\n\n[r]: /t/u.md\n";
        let links = read(&Document::parse(text));
        assert_eq!(
            links.iter().map(|link| link.target.as_str()).collect::<Vec<_>>(),
            ["../x/y.md", "/t/u.md"]
        );
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn what_links_is_never_passed_over(parts in prop::collection::vec(prop::sample::select(vec![
            "---\n", "related", ":", " ", "[]", "[a/b]", "\n", "- a/b\n", "'", "\"", "# Relations\n", "@a/b", "[t](a.md)",
            "title: x\n", "\r\n", "<a.md>", "[r]: /b.md\n", "[r]", "#", "Relations\n===\n",
        ]), 0..14)) {
            let text = parts.concat();
            prop_assert!(may_link(text.as_bytes()) || read(&Document::parse(text.clone())).is_empty(), "{:?}", text);
        }
    }

    #[test]
    fn what_cannot_link_is_told_from_its_bytes() {
        for text in [
            "",
            "---\ntitle: a\nrelated: []\n---\nrelated work\n",
            "related: [ ]? no: related: []\n",
            "mail a@b\n",
        ] {
            let sure = !may_link(text.as_bytes());
            assert!(sure || text.contains("[ ]"), "{text}");
            assert_eq!(read(&Document::parse(text)), [], "{text}");
        }
        for text in ["related: [a]", "\"related\" :\n  - a", "related: a", "x.md", "## RELATIONS\n@a/b"] {
            assert!(may_link(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_relation_is_brought_to_one_form() {
        for written in [
            "a/b.md",
            "@a/b.md",
            "./a/b.md",
            "/a/b.md",
            "a\\b.md",
            ".brv/context-tree/a/b.md",
            "a/b.md#c",
            " `a/b.md` ",
        ] {
            assert_eq!(relation(written).as_deref(), Some("a/b.md"), "{written}");
        }
        for written in ["", "@", "a//b", "a/../b", "http://a/b"] {
            assert_eq!(relation(written), None, "{written}");
        }
    }

    #[test]
    fn only_what_is_encoded_is_decoded() {
        assert_eq!(percent_decoded("a%20b%C3%A9").as_deref(), Some("a bé"));
        for text in ["a b", "a%2", "a%zz", "%ff"] {
            assert_eq!(percent_decoded(text), None, "{text}");
        }
    }
}
