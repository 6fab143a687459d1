//! Merge lists that are sets three ways, and write them in the style of one side.
//!
//! Knows items and their bytes. Does not decide whose style is kept.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::super::Side;
use super::chunks::{Chunk, Node};
use super::plain::{self, ListStyle, Plain, PlainList};
use crate::doc::{ArchiveRecord, Document, Frontmatter};
use brv_base::content::ContentId;

/// The items of a field that is a set: a lone text is one item, or several separated by commas.
pub(super) fn items<'a>(chunk: &'a Chunk<'_>) -> Option<Vec<&'a str>> {
    let items = match chunk.value.scalar() {
        Some(text) if chunk.key == "archived" || chunk.key == "disputed" => vec![text],
        Some(text) => text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect(),
        None => chunk.value.list()?,
    };
    let mut seen = HashSet::with_capacity(items.len());
    Some(items.into_iter().filter(|item| seen.insert(*item)).collect())
}

/// The items of `archived` without those that another one of the same name and blob precedes: two machines that archive
/// one entry leave one record.
pub(super) fn one_for_each_key(items: Vec<&str>) -> Vec<&str> {
    let mut first: HashMap<(String, ContentId), (ArchiveRecord, &str)> = HashMap::new();
    let mut preceded = HashSet::new();
    for item in &items {
        let Some(record) = ArchiveRecord::parse(item) else { continue };
        let (key, found) = ((record.name.clone(), record.blob), (record, *item));
        let later = match first.get(&key) {
            Some(known) if known.0.precedes(&found.0).then_with(|| known.1.cmp(found.1)).is_le() => {
                Some(found.1)
            }
            _ => first.insert(key, found).map(|known| known.1),
        };
        preceded.extend(later);
    }
    items.into_iter().filter(|item| !preceded.contains(item)).collect()
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SetStyle {
    Flow,
    /// One item per line.
    Block,
    Text,
}

impl SetStyle {
    /// `None` for an empty list: there is only one way to write it.
    fn of(chunk: &Chunk<'_>) -> Option<SetStyle> {
        if chunk.value.scalar().is_some() {
            return Some(SetStyle::Text);
        }
        chunk.value.list().filter(|items| !items.is_empty())?;
        let value = chunk.lines.split_once(':').map_or("", |(_, value)| value);
        Some(if value.trim_ascii_start().starts_with('[') { SetStyle::Flow } else { SetStyle::Block })
    }
}

/// The side that alone changed how the list is written, if one did.
pub(super) fn restyled(base: Option<&Chunk<'_>>, ours: &Chunk<'_>, theirs: &Chunk<'_>) -> Option<Side> {
    let before = base.and_then(SetStyle::of)?;
    match [ours, theirs]
        .map(|side| SetStyle::of(side).is_some_and(|style| style != before && style != SetStyle::Text))
    {
        [true, false] => Some(Side::Ours),
        [false, true] => Some(Side::Theirs),
        _ => None,
    }
}

/// The lines of a field that holds exactly `wanted`: those of `template`, changed as little as possible. New items are
/// written as in `other` if that means the same here. `None` if they cannot be written.
pub(super) fn write(template: &Chunk<'_>, other: Option<&Chunk<'_>>, wanted: &[&str]) -> Option<String> {
    let quick = match &template.value {
        Node::Plain(Plain::List(list)) => written(template, list, other, wanted),
        _ => None,
    };
    quick.or_else(|| edited(template.lines, &template.key, wanted))
}

pub(super) fn write_new(key: &str, wanted: &[&str], newline: &str) -> Option<String> {
    if wanted.iter().all(|item| is_word(item)) {
        return Some(format!("{key}: [{}]{newline}", wanted.join(", ")));
    }
    edited(newline, key, wanted).map(|lines| lines.trim_start_matches(['\r', '\n']).to_owned())
}

fn written(
    template: &Chunk<'_>,
    list: &PlainList<'_>,
    other: Option<&Chunk<'_>>,
    wanted: &[&str],
) -> Option<String> {
    let lines = template.lines;
    let quoted = list.items.iter().all(|item| lines[item.written.clone()].starts_with('"'));
    let item = |text: &&str| {
        let own = list.items.iter().find(|item| item.value == *text).map(|item| &lines[item.written.clone()]);
        own.map(Cow::Borrowed).or_else(|| new_item(other, text, quoted && !list.items.is_empty()))
    };
    let texts = wanted.iter().map(item).collect::<Option<Vec<_>>>()?;
    match &list.style {
        ListStyle::Flow(inside) => {
            let inner = match (list.items.first(), list.items.last()) {
                (Some(first), Some(last)) if !wanted.is_empty() => first.written.start..last.written.end,
                _ => inside.clone(),
            };
            let gap = match list.items.as_slice() {
                [first, second, ..] => &lines[first.written.end..second.written.start],
                _ => ", ",
            };
            Some([&lines[..inner.start], &texts.join(gap), &lines[inner.end..]].concat())
        }
        ListStyle::Block => block(lines, list, wanted, &texts),
    }
}

fn block(lines: &str, list: &PlainList<'_>, wanted: &[&str], texts: &[Cow<'_, str>]) -> Option<String> {
    let line_of = |at: usize| {
        let start = lines[..at].rfind('\n').map_or(0, |end| end + 1);
        start..lines[at..].find('\n').map_or(lines.len(), |end| at + end + 1)
    };
    let first = list.items.first().filter(|_| !wanted.is_empty())?;
    let line = line_of(first.written.start);
    let dash = &lines[line.start..first.written.start];
    let newline = if lines[line.clone()].ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut out = lines[..line.start].to_owned();
    for (value, text) in wanted.iter().zip(texts) {
        match list.items.iter().find(|item| item.value == *value) {
            Some(item) => out.push_str(&lines[line_of(item.written.start)]),
            None => [dash, text, newline].iter().for_each(|part| out.push_str(part)),
        }
    }
    Some(out)
}

/// An item as the other side has it, in double quotes if all others are quoted and it stays the same text. An item that
/// the other side does not have is written only if it needs no quotes.
fn new_item<'a>(other: Option<&Chunk<'a>>, text: &str, quoted: bool) -> Option<Cow<'a, str>> {
    let found = other.and_then(|other| match &other.value {
        Node::Plain(Plain::List(list)) => {
            let item = list.items.iter().find(|item| item.value == text)?;
            Some(&other.lines[item.written.clone()])
        }
        _ => None,
    });
    match found {
        Some(written) if quoted && is_word(written) => Some(Cow::Owned(format!("\"{written}\""))),
        Some(written) => plain::fits_flow(written).then_some(Cow::Borrowed(written)),
        None if !is_word(text) => None,
        None if quoted => Some(Cow::Owned(format!("\"{text}\""))),
        None => Some(Cow::Owned(text.to_owned())),
    }
}

/// True for a text that every reader takes for the same with and without quotes.
fn is_word(text: &str) -> bool {
    const RESERVED: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b' ');
    text.bytes().all(plain)
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && !RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The slow way, for lists that are not written plainly: edit a document with this one field.
fn edited(lines: &str, key: &str, wanted: &[&str]) -> Option<String> {
    let newline = if lines.ends_with("\r\n") { "\r\n" } else { "\n" };
    let fence = format!("---{newline}");
    let set = |lines: &str| {
        let mut document = Document::parse([&fence, lines, &fence].concat());
        let _ = document.set_list(key, wanted).ok()?;
        let Frontmatter::Fields([_]) = document.frontmatter() else { return None };
        let text = document.text();
        Some(text[fence.len()..text.len() - fence.len()].to_owned())
    };
    set(lines).or_else(|| set(""))
}
