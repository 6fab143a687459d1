//! Compare every document in `fixtures/docs` with its entry in `expectations.txt`.
//!
//! A failing run prints the whole actual text.

use std::fmt::Write as _;
use std::path::Path;

use super::*;

fn name(kind: &BlockKind) -> &'static str {
    match kind {
        BlockKind::Heading { .. } => "heading",
        BlockKind::Paragraph => "paragraph",
        BlockKind::Item { .. } => "item",
        BlockKind::Fence { closed: true, .. } => "fence",
        BlockKind::Fence { closed: false, .. } => "open-fence",
        BlockKind::Indented => "indented",
        BlockKind::Table => "table",
        BlockKind::Html => "html",
        BlockKind::Quote => "quote",
        BlockKind::Rule => "rule",
        BlockKind::Definition => "definition",
        BlockKind::Blank => "blank",
    }
}

/// Describe a document, one property per line.
fn describe(document: &Document) -> String {
    let mut out = String::new();
    let mut say = |words: String| {
        writeln!(out, "  {}", words.trim_end().replace('\n', " / ")).expect("writing to a string cannot fail")
    };
    let attributes = document.attributes();
    say(match document.frontmatter() {
        Frontmatter::Absent => "frontmatter: absent".to_owned(),
        Frontmatter::Opaque { why, .. } => format!("frontmatter: opaque, it {why}"),
        Frontmatter::Fields(fields) => {
            let names: Vec<_> = fields.iter().filter_map(|(name, _)| name.as_str()).collect();
            format!("frontmatter: {}", names.join(" "))
        }
    });
    say(format!("bytes: {attributes:?}"));
    document.problems().iter().for_each(|problem| say(format!("problem: {problem}")));
    document.title().iter().for_each(|title| say(format!("title: {title}")));
    let meta = document.meta();
    meta.summary.iter().for_each(|summary| say(format!("summary: {summary}")));
    if !meta.tags.is_empty() {
        say(format!("tags: {}", meta.tags.join(" | ")));
    }
    let line = |offset| document.line_of_body(offset);
    let blocks: Vec<_> = document
        .blocks()
        .iter()
        .map(|block| format!("{}@{}", name(&block.kind), line(block.content.start)))
        .collect();
    say(format!("blocks: {}", blocks.join(" ")));
    let outline = document.outline();
    let paths: Vec<_> = (1..outline.sections().len()).map(|at| outline.path(at).join("/")).collect();
    if !paths.is_empty() {
        say(format!("sections: {}", paths.join(" | ")));
    }
    let concept = document.concept();
    if concept != Concept::default() {
        say(format!("concept: {:?} {:?}", concept.task.unwrap_or_default(), concept.files));
    }
    for fact in document.facts() {
        let category = fact.category.map_or("-", Category::as_str);
        say(format!("fact: {} | {} | {category}", fact.subject.as_deref().unwrap_or("-"), fact.statement));
    }
    document.links().iter().for_each(|link| say(format!("link: {:?} {}", link.kind, link.target)));
    for conflict in document.conflicts() {
        say(format!(
            "conflict: line {}, {} and {}",
            conflict.line, conflict.ours_label, conflict.theirs_label
        ));
    }
    let mut edited = document.clone();
    match edited.add_to_list("tags", "added") {
        Ok(effect) => say(format!("adding a tag: {effect:?} {:?}", changed_lines(document, &edited))),
        Err(error) => say(format!("adding a tag: {error}")),
    }
    out
}

/// The lines of `after` that are not in `before`.
fn changed_lines<'a>(before: &Document, after: &'a Document) -> Vec<&'a str> {
    let known: Vec<_> = before.text().split_inclusive('\n').collect();
    after.text().split_inclusive('\n').filter(|line| !known.contains(line)).collect()
}

#[test]
fn every_fixture_reads_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/docs");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let mut seen = String::new();
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let document = Document::parse(bytes.clone());
        let name = path.file_name().unwrap().to_string_lossy();
        write!(seen, "{name}\n{}\n", describe(&document)).unwrap();
        assert_eq!(document.into_bytes(), bytes, "{name}");
    }
    println!("seen now:\n{seen}");
    let expected = std::fs::read_to_string(folder.join("expectations.txt")).unwrap();
    for (line, (seen, expected)) in seen.lines().zip(expected.lines()).enumerate() {
        assert_eq!(seen, expected, "line {} of expectations.txt", line + 1);
    }
    assert_eq!(seen, expected);
}
