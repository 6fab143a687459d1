//! What a document says, piece by piece: facts, rules, code blocks, and the sentences of its prose.
//!
//! Marks of form are gone: emphasis, list markers, wrapping. Code spans keep their backticks. Knows no meaning.

use super::event_text::EventText;
use crate::doc::{Document, normal};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a document says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub facts: Vec<Fact>,
    /// The items and paragraphs under headings named `Rules`.
    pub rules: Vec<String>,
    /// The texts of code blocks.
    pub codes: Vec<String>,
    /// Headings and sentences of everything else, in order.
    pub sentences: Vec<ComparedSentence>,
}

/// A fact, in the form in which it is compared and as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub subject: Option<String>,
    pub statement: String,
    pub category: Option<&'static str>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ComparedSentence {
    pub text: String,
    pub place: SentencePlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentencePlace {
    /// A heading of the first level at the start of the body.
    Title,
    Heading,
    Prose,
}

impl Said {
    pub fn of(document: &Document) -> Self {
        let mut walk = ContentWalk::default();
        let parser = Parser::new_ext(document.body(), Options::ENABLE_TABLES);
        parser.for_each(|event| walk.event(event));
        walk.flush();
        let mut said = walk.said;
        said.facts = document.facts().into_iter().map(Fact::of).collect();
        said
    }

    /// The heading that is the title.
    pub fn title(&self) -> Option<&str> {
        let title = self.sentences.first().filter(|sentence| sentence.place == SentencePlace::Title);
        title.map(|sentence| sentence.text.as_str())
    }

    /// Prose, rules and code, without headings and facts.
    pub fn prose(&self) -> String {
        let sentences = self.sentences.iter().filter(|sentence| sentence.place == SentencePlace::Prose);
        let texts = sentences.map(|sentence| &sentence.text).chain(&self.rules).chain(&self.codes);
        texts.map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Each sentence, rule, block of code and fact, without headings.
    pub fn claims(&self) -> impl Iterator<Item = &str> {
        let sentences = self.sentences.iter().filter(|sentence| sentence.place == SentencePlace::Prose);
        let facts = self.facts.iter().map(|fact| &fact.text);
        facts.chain(&self.rules).chain(&self.codes).chain(sentences.map(|one| &one.text)).map(String::as_str)
    }

    /// Prose, rules, code and facts in normal form, without headings.
    pub fn texts_of_claims(&self) -> String {
        let facts = self.facts.iter().map(|fact| fact.text.as_str());
        normal(&facts.chain([self.prose().as_str()]).collect::<Vec<_>>().join(" "))
    }
}

impl Fact {
    fn of(fact: crate::doc::Fact) -> Self {
        let subject = fact.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
        Self {
            text: format!("{subject}{}", fact.statement),
            subject: fact.subject.as_deref().map(normal),
            statement: normal(fact.statement.trim_end_matches('.')),
            category: fact.category.map(crate::doc::Category::as_str),
        }
    }
}

/// The walk through the events of a body.
#[derive(Default)]
struct ContentWalk {
    said: Said,
    so_far: EventText,
    /// The titles of the headings around this place, with their levels.
    headings: Vec<(u8, String)>,
    heading: Option<u8>,
    items: usize,
}

impl ContentWalk {
    fn event(&mut self, event: Event<'_>) {
        let Some(event) = self.so_far.take(event).0 else { return };
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
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
            Tag::Item => {
                self.flush();
                self.items += 1;
            }
            Tag::Paragraph | Tag::List(_) | Tag::BlockQuote(_) | Tag::HtmlBlock => self.flush(),
            Tag::Table(_) => self.flush(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.flush(),
            TagEnd::CodeBlock => self.said.codes.extend(self.so_far.end_code()),
            TagEnd::TableCell => self.so_far.text.push_str(" | "),
            TagEnd::Item => {
                self.flush();
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::TableRow | TagEnd::TableHead => self.flush(),
            _ => {}
        }
    }

    /// File the text so far under what it is.
    fn flush(&mut self) {
        let text = self.so_far.line();
        let heading = self.heading.take();
        if text.is_empty() {
            return;
        }
        if let Some(level) = heading {
            let is_first = level == 1 && self.headings.is_empty() && self.said.sentences.is_empty();
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, text.to_lowercase()));
            let place = if is_first { SentencePlace::Title } else { SentencePlace::Heading };
            self.said.sentences.push(ComparedSentence { text, place });
        } else if self.is_under("rules") {
            self.said.rules.push(text);
        } else if !(self.items > 0 && self.is_under("facts")) {
            let prose = sentences(&text).into_iter();
            self.said
                .sentences
                .extend(prose.map(|text| ComparedSentence { text, place: SentencePlace::Prose }));
        }
    }

    fn is_under(&self, title: &str) -> bool {
        self.headings.iter().any(|(_, one)| crate::doc::bare_title(one) == title)
    }
}

/// The sentences of a text on one line. A full stop ends one before a blank, outside code spans.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let (mut found, mut start, mut is_code) = (Vec::new(), 0, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        is_code ^= c == '`';
        let next = chars.peek().map(|(_, next)| *next);
        let is_end = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace) && !is_short(&text[start..at]),
            _ => false,
        };
        if is_end && !is_code {
            found.push(text[start..at + c.len_utf8()].trim().to_owned());
            start = at + c.len_utf8();
        }
    }
    found.push(text[start..].trim().to_owned());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Whether a full stop after this text may only end an abbreviation or a number of a list: `e.g`, `vs`, `1`.
fn is_short(text: &str) -> bool {
    let last = text.rsplit([' ', '(']).next().unwrap_or(text);
    matches!(last, "e.g" | "i.e" | "vs" | "cf" | "approx" | "no" | "No" | "z.B") || last.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        Said::of(&Document::parse(text))
    }

    #[test]
    fn each_piece_is_filed_under_what_it_is() {
        let said = said(concat!(
            "---\ntitle: T\n---\n\n# Tokens\n\nThey **live**\n15 minutes, e.g. in `a. b`. See [docs](https://x.y/z).\n\n",
            "- one\n  - two\n\n    ```sh\n    make\n    ```\n\n## Rules\n\n1. Never log *them*.\n\n## Facts\n\n",
            "- **ttl**: 15 minutes [project]\n\nLoose.\n\n## Data\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        ));
        let sentences: Vec<_> = said.sentences.iter().map(|one| (one.text.as_str(), one.place)).collect();
        use SentencePlace::{Heading, Prose, Title};
        assert_eq!(
            sentences,
            [
                ("Tokens", Title),
                ("They live 15 minutes, e.g. in `a. b`.", Prose),
                ("See docs (https://x.y/z).", Prose),
                ("one", Prose),
                ("two", Prose),
                ("Rules", Heading),
                ("Facts", Heading),
                ("Loose.", Prose),
                ("Data", Heading),
                ("a | b", Prose),
                ("1 | 2", Prose),
            ]
        );
        assert_eq!((said.rules, said.codes), (vec!["Never log them.".to_owned()], vec!["make".to_owned()]));
        assert_eq!(said.facts[0].text, "ttl: 15 minutes");
        assert_eq!(
            (said.facts[0].subject.as_deref(), said.facts[0].category),
            (Some("ttl"), Some("project"))
        );
    }

    #[test]
    fn sentences_end_at_full_stops_of_any_script() {
        assert_eq!(sentences("A 1.2 b. C!  D"), ["A 1.2 b.", "C!", "D"]);
        assert_eq!(sentences("観測する。計画は無い。"), ["観測する。", "計画は無い。"]);
        assert_eq!(sentences(" `a. b` c. "), ["`a. b` c."]);
        assert_eq!(sentences(""), [""; 0]);
    }
}
