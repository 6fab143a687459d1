//! What a body says, piece by piece, and where: each sentence, item, row, fact and code block with its headings.
//!
//! A piece knows which bytes of the body go with it, so that what another text says already can be taken out. Marks of
//! form are gone from its text: emphasis, list markers, wrapping. Code spans keep their backticks.

use super::super::event_text::EventText;
use super::super::said::sentences;
use super::super::words_of::words_of;
use crate::doc::{Document, Fact, bare_title, single_spaced};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// What a piece is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewritePieceKind {
    /// A heading of the first level at the start of the body.
    Title,
    Heading,
    /// A sentence of a paragraph, an item, a quote or anything else.
    Sentence,
    /// A sentence that ends with a colon, and introduces what follows.
    Label,
    /// An item or a paragraph below a heading named `Rules`.
    Rule,
    /// The names of the columns of a table.
    Head,
    Row,
    Code,
    Fact(Fact),
}

/// A statement, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewritePiece {
    pub kind: RewritePieceKind,
    /// On one line but for code.
    pub text: String,
    /// The words of the headings above it, the title left out; of a heading its own, too.
    pub headings: Vec<String>,
    /// The sentence with a colon, or the names of the columns, that it stands under.
    pub label: Option<String>,
    /// Where its links lead.
    pub links: Vec<String>,
    /// The bytes of the body that go if all pieces with these bytes go.
    pub bytes: Range<usize>,
    /// The number of its paragraph, item or row.
    pub block: usize,
}

/// The pieces of a document in their order.
pub fn pieces(document: &Document) -> Vec<RewritePiece> {
    let body = document.body();
    let mut walk = RewriteWalk { body, facts: document.facts(), ..RewriteWalk::default() };
    let parser = Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter();
    parser.for_each(|(event, bytes)| walk.event(event, bytes));
    walk.pieces
}

/// The walk through the events of a body.
#[derive(Default)]
struct RewriteWalk<'a> {
    body: &'a str,
    facts: Vec<Fact>,
    pieces: Vec<RewritePiece>,
    /// The text of the block so far, and at which byte of the body parts of it begin.
    so_far: EventText,
    places: Vec<(usize, usize)>,
    headings: Vec<(u8, String)>,
    label: Option<String>,
    /// Where the links of the text so far lead.
    targets: Vec<String>,
    /// How many lists are open, and how many blocks of any kind.
    lists: usize,
    depth: usize,
    /// The bytes that go as a whole: an item of an outer list, a quote.
    whole: Option<Range<usize>>,
    block: usize,
    is_behind_paragraph: bool,
}

impl RewriteWalk<'_> {
    fn event(&mut self, event: Event<'_>, bytes: Range<usize>) {
        let start = if matches!(event, Event::End(_)) { bytes.end } else { bytes.start };
        let length = self.so_far.text.len();
        let (event, target) = self.so_far.take(event);
        if self.so_far.text.len() > length {
            self.places.push((length, start));
        }
        self.targets.extend(target);
        match event {
            Some(Event::Start(tag)) => self.start(tag, bytes),
            Some(Event::End(tag)) => self.end(tag, bytes),
            _ => {}
        }
    }

    /// The open end of a paragraph before a list is its label, as if it had a colon: `It is **not**`.
    fn lead(&mut self) {
        if self.is_behind_paragraph
            && let Some(last) = self.pieces.last_mut()
            && last.kind == RewritePieceKind::Sentence
            && last.text.ends_with(char::is_alphanumeric)
        {
            last.kind = RewritePieceKind::Label;
            self.label = Some(last.text.clone());
        }
    }

    fn start(&mut self, tag: Tag<'_>, bytes: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => return,
            Tag::CodeBlock(_) => {
                self.flush(bytes.clone());
                self.so_far.code = Some(String::new());
            }
            Tag::List(_) => {
                self.flush(bytes.clone());
                self.lead();
                self.lists += 1;
            }
            Tag::Item => {
                self.flush(bytes.clone());
                if self.lists == 1 && self.whole.is_none() {
                    self.whole = Some(bytes.clone());
                }
            }
            Tag::BlockQuote(_) if self.depth == 0 => self.whole = Some(bytes.clone()),
            _ => {}
        }
        if self.depth == 0 && !matches!(tag, Tag::List(_) | Tag::CodeBlock(_) | Tag::Table(_)) {
            self.label = None;
        }
        self.depth += 1;
    }

    fn end(&mut self, tag: TagEnd, bytes: Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => return,
            TagEnd::TableCell => {
                self.places.push((self.so_far.text.len(), bytes.end));
                self.so_far.text.push_str(" | ");
            }
            TagEnd::Heading(level) => self.heading(level as u8, bytes),
            TagEnd::CodeBlock => self.code(bytes),
            TagEnd::TableHead => self.row(RewritePieceKind::Head, bytes),
            TagEnd::TableRow => self.row(RewritePieceKind::Row, bytes),
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(bytes),
            TagEnd::Item => {
                self.flush(bytes);
                if self.lists == 1 {
                    self.whole = None;
                }
            }
            TagEnd::List(_) => self.lists = self.lists.saturating_sub(1),
            TagEnd::BlockQuote(_) if self.depth == 1 => self.whole = None,
            _ => {}
        }
        self.depth = self.depth.saturating_sub(1);
        self.is_behind_paragraph = self.depth == 0 && tag == TagEnd::Paragraph;
        if self.depth == 0 && matches!(tag, TagEnd::List(_) | TagEnd::CodeBlock | TagEnd::Table) {
            self.label = None;
        }
    }

    fn add(&mut self, kind: RewritePieceKind, text: String, bytes: Range<usize>) {
        let headings = self.headings.iter().map(|(_, words)| words.clone()).collect();
        let (label, block) = (self.label.clone(), self.block);
        let bytes = self.whole.clone().unwrap_or(bytes);
        let links: Vec<String> = match kind {
            RewritePieceKind::Code => Vec::new(),
            _ => self.targets.extract_if(.., |target| text.contains(target.as_str())).collect(),
        };
        self.pieces.push(RewritePiece { kind, text, headings, label, links, bytes, block });
    }

    fn heading(&mut self, level: u8, bytes: Range<usize>) {
        let text = self.take_text();
        let is_title = level == 1 && self.pieces.is_empty();
        self.block += 1;
        self.headings.retain(|(above, _)| *above < level);
        if !is_title {
            self.headings.push((level, words_of(&text)));
        }
        self.add(if is_title { RewritePieceKind::Title } else { RewritePieceKind::Heading }, text, bytes);
    }

    fn code(&mut self, bytes: Range<usize>) {
        self.block += 1;
        if let Some(code) = self.so_far.end_code() {
            self.add(RewritePieceKind::Code, code, bytes);
        }
    }

    fn row(&mut self, kind: RewritePieceKind, bytes: Range<usize>) {
        let text = self.take_text();
        self.block += 1;
        let label = (kind == RewritePieceKind::Head).then(|| text.clone());
        self.add(kind, text, bytes);
        self.label = label.or(self.label.take());
    }

    fn take_text(&mut self) -> String {
        self.places.clear();
        self.so_far.line()
    }

    /// File the text so far, which is all or the beginning of these bytes.
    fn flush(&mut self, bytes: Range<usize>) {
        if self.so_far.text.trim().is_empty() || self.so_far.code.is_some() {
            return;
        }
        self.block += 1;
        let is_under = |title: &str| self.headings.iter().any(|(_, words)| bare_title(words) == title);
        let around = self.whole.clone().unwrap_or(bytes.clone());
        if self.lists > 0
            && is_under("facts")
            && let Some(fact) = self.facts.iter().find(|fact| around.contains(&fact.span.start)).cloned()
        {
            self.facts.retain(|one| one.span != fact.span);
            self.take_text();
            let subject = fact.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
            let text = format!("{subject}{}", fact.statement);
            return self.add(RewritePieceKind::Fact(fact), text, bytes);
        }
        let is_rule = is_under("rules");
        let cut = self.cut(&bytes);
        self.take_text();
        for (text, bytes) in cut {
            let is_label = text.trim_end().ends_with(':');
            let kind = match () {
                () if is_label => RewritePieceKind::Label,
                () if is_rule => RewritePieceKind::Rule,
                () => RewritePieceKind::Sentence,
            };
            self.add(kind, text.clone(), bytes);
            if is_label && self.depth <= 1 {
                self.label = Some(text);
            }
        }
    }

    /// The sentences of the text so far, each with its bytes, or all of them with those of the whole if they cannot be
    /// told apart there.
    fn cut(&self, bytes: &Range<usize>) -> Vec<(String, Range<usize>)> {
        let found = sentences(&self.so_far.text);
        let (mut at, mut starts) = (0, Vec::with_capacity(found.len()));
        for sentence in &found {
            let Some(offset) = self.so_far.text[at..].find(sentence.as_str()) else { break };
            starts.push(self.place(at + offset, bytes));
            at += offset + sentence.len();
        }
        if let Some(first) = starts.first_mut() {
            *first = bytes.start;
        }
        let ends = starts.iter().skip(1).copied().chain([bytes.end]);
        let ranges: Vec<Range<usize>> =
            starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
        let is_whole = |range: &Range<usize>| {
            let text = self.body.get(range.clone()).unwrap_or_default();
            let prose: Vec<&str> = text.split('`').step_by(2).collect();
            let is_even = |mark: &str| {
                prose.iter().map(|part| part.matches(mark).count()).sum::<usize>().is_multiple_of(2)
            };
            !text.trim().is_empty()
                && text.matches('`').count().is_multiple_of(2)
                && is_even("**")
                && is_even("__")
        };
        let can_be_cut = ranges.len() == found.len() && ranges.iter().all(is_whole);
        let parts = found.iter().map(|text| single_spaced(text));
        match can_be_cut {
            true => parts.zip(ranges).collect(),
            false => parts.map(|text| (text, bytes.clone())).collect(),
        }
    }

    /// The byte of the body at which the word begins that this byte of the text is in.
    fn place(&self, at: usize, bytes: &Range<usize>) -> usize {
        let chunk = self.places.partition_point(|(start, _)| *start <= at).checked_sub(1);
        let found = chunk.map_or(bytes.start, |chunk| self.places[chunk].1 + at - self.places[chunk].0);
        let before = self.body.get(bytes.start..found).unwrap_or_default();
        bytes.start + before.rfind(char::is_whitespace).map_or(0, |at| at + 1)
    }
}
