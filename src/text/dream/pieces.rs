//! The pieces of a body in order, each with where it stands: two entries are compared piece by piece.
//!
//! A piece is a sentence of a paragraph, a whole item of a list, a row of a table or a block of code. Marks of form are
//! gone: emphasis, wrapping, blank lines, which mark a bullet has. What form says is kept: whether a list is numbered,
//! whether a box is ticked, under which headings, label and item a piece stands. Facts are compared elsewhere.

use super::event_text::EventText;
use super::negations::content_words;
use super::said::sentences;
use super::words_of::words_of;
use brv_base::english::list;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What of form is part of the meaning of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PieceForm {
    Prose,
    Bullet,
    Numbered,
    Row,
    Code,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BodyPiece {
    /// The place in [`Pieces::sections`].
    pub section: usize,
    pub form: PieceForm,
    /// The label that it stands below (`Never do this:`), and the quotes, items and the head of the table around it, as words.
    pub context: String,
    /// Its words; of code its lines as they are.
    pub words: String,
    /// Whether its place among the others of its section is part of what it says.
    pub is_ordered: bool,
    /// Whether it announces what follows: it ends in a colon.
    pub is_label: bool,
}

impl BodyPiece {
    /// Its words but for those that say nothing and those that negate.
    pub fn content(&self) -> BTreeSet<u64> {
        content_words(&self.words)
    }

    /// Whether the other one says the same in the same form below the same label; their sections are not compared. A block
    /// of code may have more lines before and behind.
    pub fn is_said_by(&self, other: &Self) -> bool {
        let is_part = || {
            let (own, other) = (format!("\n{}\n", self.words), format!("\n{}\n", other.words));
            self.form == PieceForm::Code && other.contains(&own)
        };
        self.form == other.form && self.context == other.context && (self.words == other.words || is_part())
    }
}

/// The pieces of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    /// The headings of each section as words, those above it first, without the title; the first is the start of the body.
    /// Two places below the same headings are one section.
    pub sections: Vec<Vec<String>>,
    pub all: Vec<BodyPiece>,
}

/// Words of an item or a heading that say that its place among the others matters, in English and German.
static ORDER: list::Set = list::Set::of_words(include_str!("lists/order.txt"));

/// Words that say so in what introduces a list; within an item they are about something else (`keeps the order`).
static LEADING: list::Set = list::Set::of_words(include_str!("lists/leading.txt"));

/// Whether the place of a text among others is part of what it says.
fn says_order(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ORDER.contains(&word.to_lowercase()))
}

/// Whether a text says that the order of what it introduces matters.
fn leads_in_order(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    says_order(text) || words.any(|word| LEADING.contains(&word.to_lowercase()))
}

impl Pieces {
    pub fn of(body: &str) -> Self {
        let mut walk = PieceWalk {
            pieces: Self { sections: vec![Vec::new()], all: Vec::new() },
            ..PieceWalk::default()
        };
        let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
        Parser::new_ext(body, options).for_each(|event| walk.event(event));
        walk.flush();
        walk.pieces
    }

    /// Whether the order of the sections matters: a heading counts or orders.
    pub fn is_numbered(&self) -> bool {
        let heads = self.sections.iter().filter_map(|section| section.last());
        heads.into_iter().any(|head| head.contains(|c: char| c.is_ascii_digit()) || leads_in_order(head))
    }
}

/// An item of a list around the place.
#[derive(Default)]
struct Item {
    words: String,
    is_ticked: Option<bool>,
}

/// A list around the place.
struct EnclosingList {
    is_numbered: bool,
    /// The places of its items in [`Pieces::all`].
    items: Vec<usize>,
}

/// The walk through the events of a body.
#[derive(Default)]
struct PieceWalk {
    pieces: Pieces,
    /// The place of the section in [`Pieces::sections`].
    section: usize,
    so_far: EventText,
    headings: Vec<(u8, String)>,
    heading: Option<u8>,
    is_titled: bool,
    label: String,
    /// Whether the last paragraph of the section says that the order of what follows matters.
    is_ordering: bool,
    /// How many quotes are around the place.
    quotes: usize,
    lists: Vec<EnclosingList>,
    items: Vec<Item>,
    /// The words of the head of the table around the place.
    table: Option<String>,
}

impl PieceWalk {
    fn event(&mut self, event: Event<'_>) {
        let Some(event) = self.so_far.take(event).0 else { return };
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::TaskListMarker(is_ticked) => {
                if let Some(item) = self.items.last_mut() {
                    item.is_ticked = Some(is_ticked);
                }
            }
            Event::Rule => self.flush(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.heading = Some(level as u8);
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.so_far.code = Some(String::new());
            }
            Tag::List(start) => {
                self.flush();
                self.lists.push(EnclosingList { is_numbered: start.is_some(), items: Vec::new() });
            }
            Tag::Item => {
                self.flush();
                self.items.push(Item::default());
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(String::new());
            }
            Tag::Paragraph if self.items.is_empty() => self.flush(),
            // the paragraphs of an item belong together
            Tag::Paragraph => self.so_far.text.push(' '),
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes += 1;
            }
            Tag::HtmlBlock => self.flush(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::TableCell => self.so_far.text.push_str(" | "),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(),
            TagEnd::Table => self.table = None,
            TagEnd::Item => {
                self.flush();
                self.items.pop();
            }
            TagEnd::List(_) => self.end_list(),
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Paragraph if !self.items.is_empty() => {}
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            _ => {}
        }
    }

    fn end_heading(&mut self) {
        let text = self.so_far.line();
        let Some(level) = self.heading.take() else { return };
        let is_title =
            level == 1 && !self.is_titled && self.headings.is_empty() && self.pieces.all.is_empty();
        if is_title {
            self.is_titled = true;
            return;
        }
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, words_of(&text)));
        let section: Vec<String> = self.headings.iter().map(|(_, words)| words.clone()).collect();
        let sections = &mut self.pieces.sections;
        self.section = sections.iter().position(|known| *known == section).unwrap_or(sections.len());
        if self.section == sections.len() {
            sections.push(section);
        }
        self.label.clear();
        self.is_ordering = false;
    }

    fn end_code(&mut self) {
        if let Some(code) = self.so_far.end_code() {
            self.push(PieceForm::Code, code, false);
        }
    }

    fn end_row(&mut self) {
        let words = words_of(&self.so_far.line());
        if let Some(head) = self.table.as_mut().filter(|head| head.is_empty()) {
            head.clone_from(&words);
        }
        if !words.is_empty() {
            self.push(PieceForm::Row, words, false);
        }
    }

    /// Whether the place of an item counts is known when all of its list are known.
    fn end_list(&mut self) {
        self.flush();
        let Some(list) = self.lists.pop() else { return };
        let section = self.headings.last().map_or("", |(_, words)| words.as_str());
        let says = |at: &usize| says_order(&self.pieces.all[*at].words);
        let is_led = self.is_ordering || leads_in_order(&self.label) || leads_in_order(section);
        let is_ordered = list.is_numbered || is_led || list.items.iter().any(says);
        for at in list.items {
            self.pieces.all[at].is_ordered |= is_ordered;
        }
    }

    /// File the text so far: the sentences of a paragraph, or an item as a whole.
    fn flush(&mut self) {
        let text = self.so_far.line();
        if text.is_empty() || self.is_fact() {
            return;
        }
        if self.items.is_empty() {
            self.is_ordering = leads_in_order(&text);
            for sentence in sentences(&text) {
                let is_label = is_label(&sentence);
                let words = words_of(&sentence);
                self.push(PieceForm::Prose, words.clone(), is_label);
                if is_label {
                    self.label = words;
                }
            }
            return;
        }
        let words = sentences(&text).iter().map(|one| words_of(one)).collect::<Vec<_>>().join(". ");
        let is_numbered = self.lists.last().is_some_and(|list| list.is_numbered);
        let form = if is_numbered { PieceForm::Numbered } else { PieceForm::Bullet };
        let at = self.pieces.all.len();
        self.push(form, words.clone(), is_label(&text));
        if let (Some(item), Some(list)) = (self.items.last_mut(), self.lists.last_mut()) {
            item.words = words;
            list.items.push(at);
        }
    }

    fn push(&mut self, form: PieceForm, words: String, is_label: bool) {
        let ticked = self.items.last().and_then(|item| item.is_ticked);
        let mut context = self.label.clone() + &"\n>".repeat(self.quotes);
        for part in self.items.iter().map(|item| item.words.as_str()).chain(self.table.as_deref()) {
            let _ = write!(context, "\n{part}");
        }
        if let Some(ticked) = ticked {
            let _ = write!(context, "\n[{}]", if ticked { 'x' } else { ' ' });
        }
        let (section, is_ordered) = (self.section, form != PieceForm::Bullet);
        self.pieces.all.push(BodyPiece { section, form, context, words, is_ordered, is_label });
    }

    fn is_fact(&self) -> bool {
        let is_facts = |(_, words): &(u8, String)| crate::doc::bare_title(words) == "facts";
        !self.items.is_empty() && self.headings.iter().any(is_facts)
    }
}

fn is_label(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_', '"']).ends_with(':')
}
