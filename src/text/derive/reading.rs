//! Read a document for summarising: its statements with their roles, and the names in it.
//!
//! Knows the sections of an entry and of a node overview, bold labels such as `**Task:**`, lists, tables and quotes.
//! Does not judge which statement matters.

use super::inline::{BOXES, code, cut, flat};
use super::roles::{HeadingTreatment, Role, place_of};
use super::sentences;
use crate::doc::{Block, BlockKind, Document, Meta};

/// The longest statement kept, in characters.
pub(super) const LONGEST: usize = 280;

/// A statement has at least so many letters and digits.
const LEAST_SAID: usize = 8;

/// The maximum number of statements taken from one document.
const MOST: usize = 240;

/// A statement of a document, as safe inline markdown on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DigestStatement {
    pub role: Role,
    /// The section it is in, as an index into the outline.
    pub section: usize,
    pub text: String,
}

#[derive(Debug, Default)]
pub(super) struct DocumentReading {
    pub meta: Meta,
    /// The title field, else the first heading, without `Domain:` and the like.
    pub title: Option<String>,
    /// The purpose of a node overview, sentence by sentence.
    pub purpose: Vec<String>,
    pub statements: Vec<DigestStatement>,
    /// All headings, as text to compare with.
    pub headings: String,
    pub subjects: Vec<String>,
    /// Source files named under `Files`.
    pub files: Vec<String>,
    /// The first code block: the words after its fence, and its first line with content.
    pub code: Option<(String, String)>,
}

/// Read `document`.
pub(super) fn read(document: &Document) -> DocumentReading {
    let meta = document.meta();
    let title = meta.title.as_deref().or_else(|| document.first_heading()).map(without_level);
    let title = title.map(|title| cut(&flat(title), 120)).filter(|title| !title.is_empty());
    let mut reader = DocumentReader {
        body: document.body(),
        reading: DocumentReading { meta, title, ..DocumentReading::default() },
        label: None,
    };
    let outline = document.outline();
    for (at, section) in outline.sections().iter().enumerate() {
        let place = outline.path(at).into_iter().rev().find_map(place_of);
        reader.label = None;
        if place_of(&section.title).is_none() {
            reader.reading.headings.push_str(&section.title);
            reader.reading.headings.push(' ');
        }
        if place == Some(HeadingTreatment::Of(Role::Fact)) {
            continue;
        }
        for block in &outline.blocks()[section.blocks.clone()] {
            reader.block(at, place, block);
        }
    }
    reader.facts(document);
    reader.rows(document);
    reader.reading
}

/// The heading without its level: `Domain: auth` is about `auth`.
fn without_level(heading: &str) -> &str {
    let prefixes = ["Domain:", "Topic:", "Subtopic:"];
    prefixes.iter().find_map(|prefix| heading.strip_prefix(prefix)).unwrap_or(heading).trim()
}

struct DocumentReader<'a> {
    body: &'a str,
    reading: DocumentReading,
    /// The bold label that applies to the next blocks, up to the next heading.
    label: Option<HeadingTreatment>,
}

impl DocumentReader<'_> {
    fn block(&mut self, section: usize, place: Option<HeadingTreatment>, block: &Block) {
        let text = &self.body[block.content.clone()];
        match &block.kind {
            BlockKind::Paragraph => self.paragraph(section, place, text),
            BlockKind::Item { .. } => self.item(section, self.label.or(place), text),
            BlockKind::Quote => {
                let lines = text.lines().map(|line| line.trim_start().trim_start_matches('>').trim_start());
                let quoted: Vec<&str> = lines.filter(|line| !line.starts_with("[!")).collect();
                self.prose(section, self.label.or(place), &quoted.join("\n"));
            }
            BlockKind::Fence { info, .. } if self.reading.code.is_none() => {
                let mut lines = text.lines().skip(1).map(str::trim);
                let says = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).count() > 2;
                let language = info.split_whitespace().next().unwrap_or_default();
                let language =
                    language.chars().filter(|c| c.is_alphanumeric() || "+#-.".contains(*c)).take(20);
                self.reading.code =
                    Some((language.collect(), lines.find(says).unwrap_or_default().to_owned()));
            }
            _ => {}
        }
    }

    /// A paragraph may hold several labels, each on a line of its own.
    fn paragraph(&mut self, section: usize, place: Option<HeadingTreatment>, text: &str) {
        let (mut start, mut at) = (0, 0);
        for line in text.split_inclusive('\n') {
            if at > start && line.starts_with("**") && split_label(line).is_some() {
                self.labelled(section, place, &text[start..at]);
                start = at;
            }
            at += line.len();
        }
        self.labelled(section, place, &text[start..]);
    }

    fn labelled(&mut self, section: usize, place: Option<HeadingTreatment>, text: &str) {
        let Some((label, rest)) = split_label(text) else {
            return self.prose(section, self.label.or(place), text);
        };
        match place_of(label) {
            Some(known) => {
                self.label = Some(known);
                self.prose(section, self.label, rest);
            }
            None if rest.is_empty() => self.label = None,
            None => self.prose(section, self.label.or(place), text),
        }
    }

    fn prose(&mut self, section: usize, place: Option<HeadingTreatment>, text: &str) {
        match place {
            Some(HeadingTreatment::Skip) => {}
            Some(HeadingTreatment::Files) => self.files(text),
            Some(HeadingTreatment::Purpose) => {
                let text = flat(text);
                self.reading.purpose.extend(sentences::split(&text).into_iter().map(str::to_owned));
            }
            Some(HeadingTreatment::Of(Role::Pattern)) => self.push(section, Role::Pattern, &flat(text)),
            Some(HeadingTreatment::Of(role)) => self.sentences(section, role, &flat(text)),
            None => self.sentences(section, Role::Statement, &flat(text)),
        }
    }

    fn sentences(&mut self, section: usize, role: Role, text: &str) {
        for sentence in sentences::split(text) {
            self.push(section, role, sentence);
        }
    }

    fn item(&mut self, section: usize, place: Option<HeadingTreatment>, text: &str) {
        let item = without_marker(text);
        let (head, nested) = split_nested(item);
        match place {
            Some(HeadingTreatment::Skip) => {}
            Some(HeadingTreatment::Files) => self.files(head),
            Some(HeadingTreatment::Purpose) => self.reading.purpose.push(flat_item(head)),
            Some(HeadingTreatment::Of(role)) => self.whole(section, role, head, nested),
            None => self.whole(section, Role::Statement, head, nested),
        }
    }

    /// An item is one statement; an item that only announces its nested list is joined with that list.
    fn whole(&mut self, section: usize, role: Role, head: &str, nested: &str) {
        let (mark, said) = split_box(head);
        let mut role = if mark.is_empty() { role } else { Role::Todo };
        let mut text = flat(said);
        if text.ends_with(':') && !nested.is_empty() {
            let parts: Vec<String> = nested.lines().map(|line| flat_item(without_marker(line))).collect();
            if parts.iter().any(|part| BOXES.iter().any(|mark| part.starts_with(mark))) {
                role = Role::Todo;
            }
            text = format!("{text} {}", parts.join("; "));
        }
        // a bold subject is set apart again, as in a fact
        if let Some((subject, statement)) = bold_subject(said) {
            text = with_subject(&flat(subject), &flat(statement));
        }
        self.push(section, role, &[mark, &text].concat());
    }

    fn files(&mut self, text: &str) {
        for line in text.lines() {
            let path = split_box(without_marker(line)).1.trim().trim_matches('`').trim();
            let path =
                path.split([' ', '\t']).next().unwrap_or_default().trim_end_matches(['`', ',', ':', ';']);
            if !path.is_empty() && path.len() <= 100 && self.reading.files.len() < 40 {
                self.reading.files.push(path.to_owned());
            }
        }
    }

    fn facts(&mut self, document: &Document) {
        let section = document.outline().titled("facts").next().unwrap_or(0);
        for fact in document.facts() {
            self.reading.subjects.extend(fact.subject.as_deref().map(flat));
            if !split_box(&fact.statement).0.is_empty() {
                self.push(section, Role::Todo, &flat_item(&fact.statement));
                continue;
            }
            let statement = flat(&fact.statement);
            let text = match &fact.subject {
                Some(subject) => with_subject(&flat(subject), &statement),
                None => statement,
            };
            let disputed =
                fact.subject.as_ref().is_some_and(|subject| self.reading.meta.disputed.contains(subject));
            self.push(section, Role::Fact, &if disputed { format!("{text} (disputed)") } else { text });
        }
    }

    /// Read tables only if there is little else.
    fn rows(&mut self, document: &Document) {
        if self.reading.statements.len() >= 3 {
            return;
        }
        let sections = document.outline().sections();
        let blocks = sections
            .iter()
            .enumerate()
            .flat_map(|(at, section)| section.blocks.clone().map(move |block| (at, block)));
        for (section, block) in blocks {
            let block = &document.blocks()[block];
            if block.kind != BlockKind::Table {
                continue;
            }
            for row in self.body[block.content.clone()].lines().skip(2) {
                let cells = row.trim().trim_matches('|').split('|').map(flat).filter(|cell| !cell.is_empty());
                let cells: Vec<String> = cells.collect();
                self.push(section, Role::Row, &cells.join(" – "));
            }
        }
    }

    fn push(&mut self, section: usize, role: Role, text: &str) {
        let text = text.trim();
        let says = text.chars().filter(|c| c.is_alphanumeric()).take(LEAST_SAID).count();
        let dangles = text.ends_with([':', '：']);
        if self.reading.statements.len() < MOST && says >= LEAST_SAID && !dangles && !is_marker(text) {
            self.reading.statements.push(DigestStatement { role, section, text: shortened(text) });
        }
    }
}

/// A statement within the limit: whole sentences if the first fits, else cut between words.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let (mut kept, mut chars) = (0, 0);
    for sentence in sentences::split(text) {
        let end = sentence.as_ptr() as usize - text.as_ptr() as usize + sentence.len();
        chars += sentence.chars().count() + 1;
        if chars > LONGEST {
            break;
        }
        kept = end;
    }
    if kept > 0 { text[..kept].to_owned() } else { cut(text, LONGEST) }
}

/// A line that git writes into a conflicted file.
fn is_marker(text: &str) -> bool {
    ["<<<<<<<", "\\<<<<<<<", ">>>>>>>", "=======", "\\|\\|\\|\\|"]
        .iter()
        .any(|marker| text.starts_with(marker))
}

/// `**subject**: statement`, in inline markdown.
fn with_subject(subject: &str, statement: &str) -> String {
    // a subject with an escape in it is not set in bold, since it could leave the bold open
    let bold = !subject.contains(['*', '\\']) && !subject.is_empty();
    let mark = if bold { "**" } else { "" };
    [mark, subject, mark, ": ", statement].concat()
}

fn bold_subject(text: &str) -> Option<(&str, &str)> {
    let (subject, rest) = text.strip_prefix("**")?.split_once("**")?;
    let colons = [':', '：'];
    let statement = rest.strip_prefix(colons).or_else(|| subject.ends_with(colons).then_some(rest))?;
    let short = !subject.trim().is_empty() && subject.chars().count() <= 60 && !statement.trim().is_empty();
    short.then_some((subject.trim_end_matches(colons).trim(), statement.trim()))
}

/// `**Label:** rest` or `**Label**: rest`, also with the rest on the next lines; or a line that is a known label.
fn split_label(text: &str) -> Option<(&str, &str)> {
    let short = |label: &&str| !label.is_empty() && label.len() <= 60 && !label.contains('\n');
    let Some((label, rest)) = text.strip_prefix("**").and_then(|text| text.split_once("**")) else {
        let label = text.trim().strip_suffix([':', '：']).filter(short)?;
        return place_of(label).is_some().then_some((label, ""));
    };
    let rest = if label.ends_with(':') { rest } else { rest.strip_prefix(':')? };
    Some((label.trim_end_matches(':').trim(), rest.trim())).filter(|(label, _)| short(label))
}

/// A [`flat`] item with the box that it begins with.
fn flat_item(item: &str) -> String {
    let (mark, said) = split_box(item);
    [mark, &flat(said)].concat()
}

/// The box at the start of an item, as shown, and the text after it; empty without a box.
fn split_box(item: &str) -> (&'static str, &str) {
    let boxed = |(mark, shown): (&str, &'static str)| {
        let rest = item.strip_prefix(mark)?;
        rest.starts_with([' ', '\t', '\n']).then(|| (shown, rest.trim_start()))
    };
    let [open, done] = BOXES;
    [("[ ]", open), ("[x]", done), ("[X]", done)].into_iter().find_map(boxed).unwrap_or(("", item))
}

/// The text of a list item after its marker.
fn without_marker(item: &str) -> &str {
    let item = item.trim_start();
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match item.as_bytes() {
        [b'-' | b'*' | b'+', b' ' | b'\t', ..] => &item[1..],
        _ if digits > 0 && item[digits..].starts_with(['.', ')']) => &item[digits + 1..],
        _ => item,
    };
    rest.trim_start()
}

/// The item's own first paragraph, and the list nested in it if there is one.
fn split_nested(item: &str) -> (&str, &str) {
    let mut at = 0;
    for line in item.split_inclusive('\n') {
        let start = line.trim_start();
        let marked = start.len() < line.len() && without_marker(start).len() < start.trim_end().len();
        let ends =
            at > 0 && (marked || start.is_empty() || start.starts_with("```") || start.starts_with("~~~"));
        if ends {
            let nested = if marked { item[at..].split("\n\n").next().unwrap_or_default() } else { "" };
            return (item[..at].trim_end(), nested.trim_end());
        }
        at += line.len();
    }
    (item.trim_end(), "")
}

impl DocumentReading {
    /// The gist of a document without any statement: a line of its code.
    pub(super) fn code_gist(&self) -> Option<String> {
        let (language, line) = self.code.as_ref()?;
        let line: String = line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(100).collect();
        let what = if language.is_empty() { "Code".to_owned() } else { format!("Code ({language})") };
        Some(if line.is_empty() { what } else { format!("{what}: {}", code(&line)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(body: &str) -> Vec<(Role, String)> {
        read(&Document::parse(body)).statements.into_iter().map(|found| (found.role, found.text)).collect()
    }

    #[test]
    fn sections_and_labels_give_roles() {
        let body = "---\ntitle: T\n---\n## Raw Concept\n\n**Task:**\nRotate refresh tokens\n\n**Files:**\n- src/a.rs\n- `src/b.rs`: more\n\n**Flow:**\none → two → three\n\n## Narrative\n\n### Structure\nTokens come in pairs. They expire.\n\n### Rules\n- Tokens must rotate\n  on every use\n- Two parts:\n  - first half\n  - second half\n\n### Examples\nNot this one here.\n\n## Facts\n- **ttl**: Tokens live one day [convention]\n- No subject at all\n";
        let expected = [
            (Role::Task, "Rotate refresh tokens"),
            (Role::Pattern, "one → two → three"),
            (Role::Statement, "Tokens come in pairs."),
            (Role::Statement, "They expire."),
            (Role::Rule, "Tokens must rotate on every use"),
            (Role::Rule, "Two parts: first half; second half"),
            (Role::Fact, "**ttl**: Tokens live one day"),
            (Role::Fact, "No subject at all"),
        ];
        assert_eq!(statements(body), expected.map(|(role, text)| (role, text.to_owned())));
        assert_eq!(read(&Document::parse(body)).files, ["src/a.rs", "src/b.rs"]);
    }

    #[test]
    fn labels_may_follow_each_other_line_by_line() {
        let body = "## Raw Concept\n**Task:** Key the cache by lock file\n**Files:** ci/cache.yml\n**Author:** an agent of ours\n**Note**: Kept with its label here\n";
        let expected = [(Role::Task, "Key the cache by lock file".to_owned())];
        assert_eq!(statements(body), expected);
        let body = body.replace("**Author:** an agent of ours\n", "\n## Narrative\n");
        assert_eq!(statements(&body)[1], (Role::Statement, "Note: Kept with its label here".to_owned()));
    }

    #[test]
    fn items_with_a_box_are_work_to_do_wherever_they_stand() {
        let body = "## Rules\n- [ ] Say so in the guide\n- Before a release:\n  - [X] run the tests\n  - [ ] tag the tree\n- [x](a.md) is a link\n\n## Facts\n1. [x] **ttl**: Look up the day\n\n## TODO\n- Write it all down\n";
        let expected = [
            (Role::Todo, "[ ] Say so in the guide"),
            (Role::Todo, "Before a release: [x] run the tests; [ ] tag the tree"),
            (Role::Rule, "x is a link"),
            (Role::Todo, "Write it all down"),
            (Role::Todo, "[x] ttl: Look up the day"),
        ];
        assert_eq!(statements(body), expected.map(|(role, text)| (role, text.to_owned())));
    }

    #[test]
    fn a_node_overview_gives_purpose_and_concepts() {
        let body = "# Domain: auth\n\n## Purpose\nCovers login. And more of it.\n\n## Scope\nIncluded in this domain:\n- Token generation\n\nExcluded from this domain:\n- Rate limiting of callers\n\n## Ownership\nThe backend team\n";
        let reading = read(&Document::parse(body));
        assert_eq!(reading.title.as_deref(), Some("auth"));
        assert_eq!(reading.purpose, ["Covers login.", "And more of it."]);
        assert_eq!(statements(body), [(Role::Part, "Token generation".to_owned())]);
    }

    #[test]
    fn what_is_no_prose_is_passed_over_and_tables_speak_alone() {
        assert_eq!(
            statements(
                "```\nlet x = 1; // not prose\n```\n\n    indented code here\n\n<div>html html</div>\n"
            ),
            []
        );
        let table = "| room | knows |\n|---|---|\n| path | the portable grammar |\n";
        assert_eq!(statements(table), [(Role::Row, "path – the portable grammar".to_owned())]);
        let reading = read(&Document::parse("```rust\n// ---\nfn main() {}\n```\n"));
        assert_eq!(reading.code_gist().as_deref(), Some("Code (rust): `fn main() {}`"));
    }
}
