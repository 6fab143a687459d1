//! Rewrite links to point to another target, each in the style in which it is written: with or without `@`, quotes, a
//! leading `/`, `\` for `/`, `<>`, encoded or escaped, with its fragment.
//!
//! The text is parsed again after each edit: unless exactly that link changed, to exactly the wanted target, the edit
//! fails and changes nothing. Does not know whether a target exists, nor the folder of the document.

use super::links::{LinkKind, core, may_show, percent_decoded, place_of, relation, relation_lines};
use super::{Document, Value};
use brv_base::sorting;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A place in a document that names a link's target. Several markdown links may share a link reference definition,
/// which is one pointer. Unlike [`Link`](super::Link), pointers include links to other kinds of files, and images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    pub kind: LinkKind,
    /// Its target, in the form of [`Link::target`](super::Link::target).
    pub target: String,
    /// Its line, counted from 1; `None` in frontmatter.
    pub line: Option<usize>,
    place: PointerLocation,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PointerLocation {
    /// The item of `related` at this position.
    Item(usize),
    /// These bytes of the body.
    Body(Range<usize>),
}

/// The link cannot be changed without changing other text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot change the link without changing other text")]
pub struct NotTurned;

/// All pointers: those of the frontmatter first, then those of the body in order.
pub(super) fn read(document: &Document) -> Vec<Pointer> {
    let related = document.meta().related;
    let mut pointers: Vec<Pointer> = related
        .iter()
        .enumerate()
        .filter_map(|(at, written)| {
            let (kind, place) = (LinkKind::Related, PointerLocation::Item(at));
            Some(Pointer { kind, target: relation(written)?, line: None, place })
        })
        .collect();
    let body = document.body();
    let mut found: Vec<(LinkKind, Range<usize>, String)> =
        markdown(body).into_iter().map(|(range, target)| (LinkKind::Markdown, range, target)).collect();
    for line in relation_lines(document) {
        let token = body[line.clone()].split([' ', '\t', ',']).next().unwrap_or_default();
        let range = line.start..line.start + token.len();
        found.extend(relation(token).map(|target| (LinkKind::Relation, range, target)));
    }
    sorting::sort_by_key(&mut found, |(_, range, _)| range.start);
    pointers.extend(found.into_iter().map(|(kind, range, target)| {
        let line = Some(document.line_of_body(range.start));
        Pointer { kind, target, line, place: PointerLocation::Body(range) }
    }));
    pointers
}

/// Change the pointer at a position of [`read`] to `target`, which is not encoded.
pub(super) fn turn(document: &mut Document, position: usize, target: &str) -> Result<(), NotTurned> {
    let before = read(document);
    let pointer = before.get(position).ok_or(NotTurned)?;
    let mut turned = document.clone();
    match &pointer.place {
        PointerLocation::Item(at) => turn_item(&mut turned, *at, target)?,
        PointerLocation::Body(range) => {
            let written = &document.body()[range.clone()];
            let written = match pointer.kind {
                LinkKind::Markdown => destination_to(written, target),
                _ => relation_to(written, target).ok_or(NotTurned)?,
            };
            let start = document.envelope.body_start;
            turned = document.with(start + range.start..start + range.end, &written);
        }
    }
    let after = read(&turned);
    let others = |pointers: &[Pointer]| -> Vec<(LinkKind, String)> {
        let others = pointers.iter().enumerate().filter(|(at, _)| *at != position);
        others.map(|(_, pointer)| (pointer.kind, pointer.target.clone())).collect()
    };
    let leads_there = after.get(position).is_some_and(|now| {
        let decoded = percent_decoded(&now.target).filter(|_| now.kind == LinkKind::Markdown);
        now.kind == pointer.kind && (now.target == target || decoded.is_some_and(|now| now == target))
    });
    if !leads_there || others(&before) != others(&after) {
        return Err(NotTurned);
    }
    *document = turned;
    Ok(())
}

fn turn_item(document: &mut Document, at: usize, target: &str) -> Result<(), NotTurned> {
    let related = document.meta().related;
    let item = relation_to(related.get(at).ok_or(NotTurned)?, target).ok_or(NotTurned)?;
    let scalar = match document.field("related") {
        Some(Value::Scalar(text)) => Some(text.clone()),
        _ => None,
    };
    let done = match scalar {
        // a lone text, split at commas
        Some(text) => {
            let mut words: Vec<&str> = text.split(',').collect();
            let filled = (0..words.len()).filter(|word| !words[*word].trim().is_empty());
            let word = filled.clone().nth(at).ok_or(NotTurned)?;
            let blank = &words[word][..words[word].len() - words[word].trim_start().len()];
            let item = format!("{blank}{item}");
            words[word] = &item;
            document.set_scalar("related", words.join(",").as_str())
        }
        None => document.replace_in_list("related", at, &item),
    };
    done.map(|_| ()).map_err(|_| NotTurned)
}

/// A relation as written, with another path.
fn relation_to(written: &str, target: &str) -> Option<String> {
    let range = core(written)?;
    let old = &written[range.clone()];
    let target = if old.contains('\\') { target.replace('/', "\\") } else { target.to_owned() };
    Some(format!("{}{target}{}", &written[..range.start], &written[range.end..]))
}

/// The destination of a markdown link as written, without `<>`, with another path.
fn destination_to(written: &str, target: &str) -> String {
    let path = written.split(['#', '?']).next().unwrap_or_default();
    let rest = &written[path.len()..];
    let is_encoded = percent_decoded(path).is_some();
    let needs = |c: char| match c {
        '#' | '?' | '<' | '>' => true,
        ' ' | '(' | ')' => is_encoded || !path.contains(c),
        c => c.is_control(),
    };
    let mut out = String::with_capacity(target.len() + rest.len());
    for c in target.chars() {
        if needs(c) {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        } else if c == '_' && path.contains("\\_") {
            out.push_str("\\_");
        } else {
            out.push(c);
        }
    }
    out.push_str(rest);
    out
}

/// A link or image that has begun.
struct OpenLink {
    /// Its target, if that is a file.
    target: Option<String>,
    /// The end of its visible text.
    shown: usize,
}

/// The range of each destination of a markdown link or image that is a file, and its target.
fn markdown(body: &str) -> Vec<(Range<usize>, String)> {
    if !may_show(body.as_bytes()) {
        return Vec::new();
    }
    let parser = Parser::new_ext(body, Options::ENABLE_TABLES);
    let mut found = Vec::new();
    for (_, definition) in parser.reference_definitions().iter() {
        let Some(target) = place_of(&definition.dest) else { continue };
        let start = after(body, definition.span.clone(), "]:");
        found.extend(start.map(|start| (destination(body, start..definition.span.end), target.to_owned())));
    }
    let mut open: Vec<OpenLink> = Vec::new();
    for (event, span) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                open.push(OpenLink::of(link_type, &dest_url, span.start + "[".len()));
            }
            Event::Start(Tag::Image { link_type, dest_url, .. }) => {
                open.push(OpenLink::of(link_type, &dest_url, span.start + "![".len()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some(OpenLink { target: Some(target), shown }) = open.pop()
                    && let Some(start) = after(body, shown..span.end, "](")
                {
                    found.push((destination(body, start..span.end), target));
                }
                if let Some(around) = open.last_mut() {
                    around.shown = span.end.max(around.shown);
                }
            }
            _ => {
                if let Some(inner) = open.last_mut() {
                    inner.shown = span.end.max(inner.shown);
                }
            }
        }
    }
    found
}

impl OpenLink {
    fn of(link_type: LinkType, destination: &str, shown: usize) -> Self {
        // for other link types, the destination is in the link definition
        let target = place_of(destination).filter(|_| link_type == LinkType::Inline);
        Self { target: target.map(str::to_owned), shown }
    }
}

/// The end of `mark` in a range.
fn after(body: &str, range: Range<usize>, mark: &str) -> Option<usize> {
    body.get(range.clone())?.find(mark).map(|at| range.start + at + mark.len())
}

/// The destination at the start of a range, without blanks and `<>`.
fn destination(body: &str, range: Range<usize>) -> Range<usize> {
    let text = &body[range.clone()];
    let mut start = range.start + text.len() - text.trim_start().len();
    let is_angled = body[start..range.end].starts_with('<');
    start += usize::from(is_angled);
    let (mut depth, mut is_escaped) = (0_usize, false);
    for (at, c) in body[start..range.end].char_indices() {
        let is_end = match c {
            _ if is_escaped => false,
            '>' => is_angled,
            ')' if !is_angled => depth == 0,
            c => !is_angled && c.is_whitespace(),
        };
        if is_end {
            return start..start + at;
        }
        match c {
            '(' if !is_escaped => depth += 1,
            ')' if !is_escaped => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    start..range.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text with its only pointer changed.
    fn turned(text: &str, target: &str) -> Result<String, NotTurned> {
        let mut document = Document::parse(text);
        assert_eq!(read(&document).len(), 1, "{text}");
        turn(&mut document, 0, target)?;
        Ok(document.text().to_owned())
    }

    #[test]
    fn a_link_keeps_its_style() {
        for (text, target, expected) in [
            ("---\nrelated: [a/b]\n---\n", "x/y", "---\nrelated: [x/y]\n---\n"),
            ("---\nrelated: ['@a/b.md'] # why\n---\n", "x/y.md", "---\nrelated: ['@x/y.md'] # why\n---\n"),
            ("---\nrelated:\n  - \"/a/b#part\"\n---\n", "x/y", "---\nrelated:\n  - \"/x/y#part\"\n---\n"),
            ("---\nrelated: a\\b\n---\n", "x/y", "---\nrelated: x\\y\n---\n"),
            (
                "---\nrelated: [./a/b.md]\n---\n",
                "x/it's, so.md",
                "---\nrelated: [\"./x/it's, so.md\"]\n---\n",
            ),
            ("## Relations\n- @a/b.md (why a/b)\n", "x/y.md", "## Relations\n- @x/y.md (why a/b)\n"),
            ("## Relations\r\n@.brv/context-tree/v\r\n", "x", "## Relations\r\n@.brv/context-tree/x\r\n"),
            ("[a.md](a.md \"a.md\")", "x/y.md", "[a.md](x/y.md \"a.md\")"),
            ("[t](<my note.md#p>)", "x/your note.md", "[t](<x/your note.md#p>)"),
            ("[t](my%20note.md?p)", "x/your note.md", "[t](x/your%20note.md?p)"),
            ("[t](my\\_note.md)", "x_y.md", "[t](x\\_y.md)"),
            ("[t](a.md)", "your (note)#1.md", "[t](your%20%28note%29%231.md)"),
            ("[`](`![i](http://i.png)](a.md)", "b.md", "[`](`![i](http://i.png)](b.md)"),
            ("[t](http://x/y) ![a](i.png \"t\")", "x/i.png", "[t](http://x/y) ![a](x/i.png \"t\")"),
            ("[t](//x/y) [u](#p) [v](data.csv#row=2)", "x.csv", "[t](//x/y) [u](#p) [v](x.csv#row=2)"),
            ("![t][i]\n\n[i]: i.svg\n", "x/i.svg", "![t][i]\n\n[i]: x/i.svg\n"),
            ("[](a.md)", "b.md", "[](b.md)"),
            ("[t][r] [r]\n\n[r]: </a.md> 'a.md'\n", "/b.md", "[t][r] [r]\n\n[r]: </b.md> 'a.md'\n"),
            ("> [t]\n>\n> [t]: a.md\n", "b.md", "> [t]\n>\n> [t]: b.md\n"),
        ] {
            assert_eq!(turned(text, target).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_said_in_the_style_is_left() {
        for (text, target) in
            [("## Relations\n@a/b\n", "x/my note"), ("---\nrelated: [a/b]\nrelated: [a/b]\n---\n", "x")]
        {
            let mut document = Document::parse(text);
            if !read(&document).is_empty() {
                assert_eq!(turn(&mut document, 0, target), Err(NotTurned), "{text}");
            }
            assert_eq!(document.text(), text);
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn every_link_has_a_pointer_and_a_turned_one_leads_where_it_was_sent(
            parts in prop::collection::vec(prop::sample::select(vec![
                "---\n", "related: ", "[a/b, c]", "\n", "- a/b\n", "- '@c.md'\n", "# Relations\n", "@a/b", " why\n", "[t](a.md)",
                "[t](<b c.md> \"t\")", "![i](i.png)", "[r]: /b.md\n", "[r]", "> ", "\\", "`", "](", "[x ![i](i.md) y](../z.md#f)", "\n\n", "(", "\r\n",
                "<", "é", "| [t](a.md) |\n|--|\n",
            ]), 0..14),
            at in 0..4_usize,
            target in prop::sample::select(vec!["x", "x/y.md", "my note.md", "/x/(y).md", "é_*[].md", "a#b.md"]),
        ) {
            let text = parts.concat();
            let mut document = Document::parse(text.clone());
            let (links, pointers) = (document.links(), read(&document));
            for link in &links {
                let is_there = pointers.iter().any(|one| (one.kind, &one.target) == (link.kind, &link.target));
                prop_assert!(is_there, "{:?} {:?} {:?}", text, link, pointers);
            }
            let turned = turn(&mut document, at, target);
            if turned.is_err() {
                prop_assert_eq!(document.text(), text);
            } else {
                prop_assert_eq!(read(&document).len(), pointers.len());
            }
        }
    }
}
