//! Values that try to be more than text: from every place of the data into every format, where none of them acts.
//!
//! The form for a terminal is tested beside its code.

use super::samples::{Sampled as _, check as sample, commit, finding};
use super::{MARKER, annotations, code_quality, comment, sarif};
use brv_base::escape::escape;
use brv_commands::vc::check::{
    BrokenLink, Cited, Consequences, Finding, Flagged, Outcome as Check, RangeCommit,
};
use brv_text::diff::knowledge::{Claim, Content, DisputeChange, DisputeState, Entry, How};
use pulldown_cmark::{Event, Options, Parser, Tag, TextMergeStream};
use serde_json::Value;
use std::borrow::Cow;

pub(crate) fn values() -> Vec<String> {
    let lines = include_str!("../../../fixtures/nasty.txt").lines();
    lines.filter(|line| !line.starts_with("# ")).map(decoded).collect()
}

fn decoded(line: &str) -> String {
    let mut parts = line.split("\\u");
    let mut units: Vec<u16> = parts.next().unwrap().encode_utf16().collect();
    for part in parts {
        units.push(u16::from_str_radix(&part[..4], 16).unwrap());
        units.extend(part[4..].encode_utf16());
    }
    String::from_utf16(&units).unwrap()
}

/// A check that has the value wherever the data has a text.
pub(crate) fn check(value: &str) -> Check {
    let before = "---\ntags: [a]\n---\n## Rules\n\nSome words.\n\n## Facts\n\n- **x**: one thing\n";
    let after = "---\ntags: [b]\n---\n## Rules\n\nSome words.\n\nOther words.\n\n## Facts\n\n- **x**: one thing\n- **y**: another thing\n";
    let found = |rule: &'static str, severity| Finding {
        severity,
        path: value.into(),
        line: 3,
        subject: Some(value.into()),
        message: value.into(),
        fix: Some(value.into()),
        ..finding(rule, "")
    };
    let corrected =
        Finding { standing: "corrected", commit: Some("3".repeat(40)), ..found("BRV006", "error") };
    let mut check = sample(&[
        ("a.md", Some(before), Some(after)),
        ("b.md", None, Some(after)),
        ("c.txt", None, Some("x\n")),
    ])
    .finding(vec![found("BRV008", "error"), corrected, found("BRV004", "warning")]);
    check.told.entries.iter_mut().for_each(|entry| infect(entry, value));
    check.told.files.iter_mut().for_each(|file| file.path = value.into());
    let link = || vec![BrokenLink { path: value.into(), target: value.into() }];
    let cited = vec![Cited { path: value.into(), by: vec![value.into(); 2] }];
    check.consequences = Consequences { broken: link(), mended: link(), cited };
    check.flagged = vec![Flagged {
        operation: value.into(),
        path: value.into(),
        why: value.into(),
        reason: Some(value.into()),
    }];
    let own = || Some(value.to_owned());
    check.commits = vec![RangeCommit {
        author: value.into(),
        actor: own(),
        session: own(),
        operation: own(),
        source_commit: own(),
        source_author: own(),
        ..commit("4", value)
    }];
    (check.before.name, check.after.name) = (own(), own());
    check
}

fn infect(entry: &mut Entry, value: &str) {
    for place in [&mut entry.before, &mut entry.after].into_iter().flatten() {
        (place.path, place.title) = (value.into(), Some(value.to_owned()));
    }
    let Content::Knowledge(knowledge) = &mut entry.content else { return };
    knowledge.dangling = vec![value.to_owned()];
    for fact in &mut knowledge.facts {
        let claim = Claim { subject: Some(value.into()), statement: value.into(), category: None };
        (fact.change, fact.before, fact.after) = (How::Added, None, Some(claim));
        (fact.from, fact.to, fact.elsewhere) = (None, None, Some(value.into()));
    }
    for section in &mut knowledge.sections {
        section.path = vec![value.to_owned()];
        for block in &mut section.blocks {
            (block.change, block.text) = (How::Added, Some(value.to_owned()));
            (block.from, block.to, block.elsewhere) = (None, None, Some(value.into()));
            (block.words, block.lines, block.columns) = Default::default();
        }
    }
    let statements = vec![value.to_owned(); 2];
    knowledge.disputes =
        vec![DisputeChange { subject: value.to_owned(), state: DisputeState::Opened, statements }];
}

/// Whether nothing in the text acts on a terminal, reorders it, or is hidden.
pub(super) fn is_safe(text: &str) -> bool {
    matches!(escape(text.as_bytes()), Cow::Borrowed(_))
}

/// The blocks of a markdown text, in order.
fn blocks(markdown: &str) -> Vec<String> {
    Parser::new_ext(markdown, Options::all())
        .filter_map(|event| match event {
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => None,
            Event::Start(tag) => Some(format!("{tag:?}")),
            Event::Rule | Event::HardBreak => Some(format!("{event:?}")),
            _ => None,
        })
        .collect()
}

/// Assert that a text outside of code is nothing that GitHub would turn into a link, a mention or a picture.
fn assert_calls_nobody(text: &str, whole: &str) {
    let lower = text.to_ascii_lowercase();
    let has = |part: &str| lower.contains(part);
    assert!(
        !has("@") && !has("#") && !has("://") && !has("www.") && !has("$") && !has("gh-1"),
        "{text:?} in\n{whole}"
    );
    assert!(!has("mailto:") && !has(":smile:") && !has("1a2b3c4"), "{text:?} in\n{whole}");
}

/// The text of HTML outside of `<code>`, where all tags are brv's own.
fn text_of(html: &str) -> String {
    let mut text = html.to_owned();
    while let Some((start, rest)) = text.split_once("<code>") {
        let (_, end) = rest.split_once("</code>").expect("code is closed in its block");
        text = format!("{start}{end}");
    }
    for tag in ["details", "summary", "b", "p", "del", "ins"] {
        text = text.replace(&format!("<{tag}>"), "").replace(&format!("</{tag}>"), "");
    }
    assert!(!text.contains(['<', '>']), "a tag in {html:?}");
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, char)| text.replace(entity, char))
}

/// Assert that values of a comment, which has `make` of a value, are text: the same blocks, whatever they are.
pub(super) fn assert_text_only(marker: &str, make: impl Fn(&str) -> String) {
    let harmless = blocks(&make("word"));
    for value in values() {
        let comment = make(&value);
        assert!(is_safe(&comment), "{comment:?}");
        let body = comment.strip_prefix(marker).unwrap();
        assert_eq!(blocks(&comment), harmless, "{value:?}: {comment}");
        let mut html = String::new();
        let mut is_code = false;
        for event in TextMergeStream::new(Parser::new_ext(body, Options::all())) {
            match event {
                Event::Html(part) | Event::InlineHtml(part) => html.push_str(&part),
                Event::Start(Tag::CodeBlock(_)) => is_code = true,
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => is_code = false,
                Event::Text(text) if !is_code => assert_calls_nobody(&text, &comment),
                Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::FootnoteReference(_)
                | Event::TaskListMarker(_) => {
                    panic!("{event:?} in\n{comment}")
                }
                _ => {}
            }
        }
        assert_calls_nobody(&text_of(&html), &comment);
    }
}

#[test]
fn in_the_comment_every_value_is_text() {
    assert_text_only(MARKER, |value| comment(&check(value)));
}

#[test]
fn in_annotations_every_command_is_of_brv() {
    for value in values() {
        let text = annotations(&check(&value), ".brv/context-tree/");
        assert!(is_safe(&text), "{text:?}");
        let lines: Vec<&str> = text.split(['\n', '\r']).collect();
        let (commands, rest) = lines.split_at(3);
        for command in commands {
            let (properties, _) = command[2..].split_once("::").unwrap();
            let (severity, properties) = properties.split_once(' ').unwrap();
            assert!(matches!(severity, "error" | "warning"), "{command}");
            let names: Vec<&str> = properties.split(',').map(|one| one.split_once('=').unwrap().0).collect();
            assert!(names == ["file", "line", "col", "title"] || names == ["title"], "{command}");
            assert!(command.starts_with("::") && !properties.contains("::"), "{command}");
        }
        assert_eq!(rest, ["Knowledge check failed: 2 errors, 1 warning", ""], "{value:?}");
    }
}

#[test]
fn in_json_every_value_is_read_back() {
    for value in values() {
        let check = check(&value);
        let (rows, log) = (code_quality(&check, "p/"), sarif(&check, "p/"));
        assert!(is_safe(&rows) && is_safe(&log), "{rows:?}\n{log:?}");
        let rows: Value = serde_json::from_str(&rows).unwrap();
        assert_eq!(rows[0]["location"]["path"], format!("p/{value}"));
        assert_eq!(rows[2]["description"], format!("broken link: {value}"));
        let prints: Vec<&str> = (0..3).map(|row: usize| rows[row]["fingerprint"].as_str().unwrap()).collect();
        assert_eq!(prints, ["00112233445566ff", "00112233445566ff-2", "00112233445566ff-3"]);
        let log: Value = serde_json::from_str(&log).unwrap();
        let result = &log["runs"][0]["results"][2];
        assert_eq!(result["message"]["text"], value.as_str());
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        assert_eq!(unquoted(uri), format!("p/{value}").as_bytes());
    }
}

/// The bytes of a percent-encoded path, which has no character with a meaning in a URI.
fn unquoted(uri: &str) -> Vec<u8> {
    assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"%-._~/".contains(&byte)), "{uri}");
    let mut bytes = Vec::new();
    let mut parts = uri.split('%');
    bytes.extend(parts.next().unwrap().bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    bytes
}

#[test]
fn what_is_read_from_json_is_text_in_the_comment() {
    assert_text_only(MARKER, |value| {
        let mut check = check(value);
        check.findings.iter_mut().for_each(|found| found.path = "a.md".into());
        let page = comment(&check.printed());
        assert!(page.encode_utf16().count() <= super::MAX_LENGTH);
        page
    });
}
