//! The content of an entry by its parts: raw concept, narrative, snippets, facts.
//!
//! Reads the parts of a document and brings given parts into the form in which they are written, so that what is
//! written reads back as the same parts. Does not know the frontmatter.

use super::{BlockKind, Category, Concept, Document, LineEnding, Outline, fact, single_spaced};
use schemars::JsonSchema;
use serde::Deserialize;

/// The body of an entry by its parts.
// missing parts are `None` or empty
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ContentWritten")]
pub struct EntryBody {
    /// Where the knowledge is from.
    // `## Raw Concept`
    #[serde(rename = "raw_concept")]
    pub concept: Concept,
    /// What it means, as markdown.
    // `## Narrative`
    pub narrative: Narrative,
    /// Code, formulas, raw data.
    // `## Snippets`, one block each
    pub snippets: Vec<String>,
    /// Single statements.
    // `## Facts`
    pub facts: Vec<Statement>,
}

/// What the knowledge means, as markdown.
// the parts of `## Narrative`, each below a heading of its own: `### Structure`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "NarrativeWritten")]
pub struct Narrative {
    pub structure: Option<String>,
    pub dependencies: Option<String>,
    pub highlights: Option<String>,
    pub rules: Option<String>,
    pub examples: Option<String>,
    pub diagrams: Option<String>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FactWritten")]
pub struct Statement {
    /// What it is about. A fact replaces the other facts of its subject.
    pub subject: Option<String>,
    /// The statement.
    pub statement: String,
    /// Its category.
    pub category: Option<Category>,
}

/// A part that would not read back as it was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` cannot be written so that it reads back the same")]
pub struct Unwritable {
    pub part: &'static str,
}

impl Narrative {
    /// The headings of the parts, in the order in which they are written.
    pub const TITLES: [&'static str; 6] =
        ["Structure", "Dependencies", "Highlights", "Rules", "Examples", "Diagrams"];

    /// The parts, in the order of [`Narrative::TITLES`].
    pub fn parts(&self) -> [Option<&str>; 6] {
        let parts = [
            &self.structure,
            &self.dependencies,
            &self.highlights,
            &self.rules,
            &self.examples,
            &self.diagrams,
        ];
        parts.map(Option::as_deref)
    }

    pub(crate) fn of_parts(parts: [Option<String>; 6]) -> Self {
        let [structure, dependencies, highlights, rules, examples, diagrams] = parts;
        Self { structure, dependencies, highlights, rules, examples, diagrams }
    }
}

impl Statement {
    /// The list item without its marker: `**subject**: statement [category]`.
    pub fn text(&self) -> String {
        let subject = self.subject.as_ref().map_or_else(String::new, |subject| format!("**{subject}**: "));
        let category = self.category.map_or_else(String::new, |one| format!(" [{}]", one.as_str()));
        format!("{subject}{}{category}", self.statement)
    }

    fn normal(&self) -> Result<Self, Unwritable> {
        let subject = self.subject.as_deref().map(single_spaced).filter(|subject| !subject.is_empty());
        let statement = single_spaced(&self.statement);
        let given = Self { subject, statement, category: self.category };
        let wrong = Unwritable { part: "facts" };
        let read = fact(&format!("- {}", given.text())).ok_or_else(|| wrong.clone())?;
        let is_same = given.subject.is_none() || given.subject == read.subject;
        let read = Self { subject: read.subject, statement: read.statement, category: read.category };
        let is_kept = given.category.is_none() || given.category == read.category;
        if is_same && is_kept && !given.statement.is_empty() { Ok(read) } else { Err(wrong) }
    }
}

impl EntryBody {
    /// The parts of a document, with `\n` as line ending.
    pub fn of(document: &Document) -> Self {
        let outline = document.outline();
        let text = |at: usize| {
            let range = outline.sections()[at].content.start..outline.span(at).end;
            Some(unified(trimmed(&document.body()[range]))).filter(|text| !text.is_empty())
        };
        let narrative = Narrative::TITLES.map(|title| outline.find(&["Narrative", title]).and_then(text));
        let facts = document.facts().into_iter();
        Self {
            concept: document.concept(),
            narrative: Narrative::of_parts(narrative),
            snippets: snippets(document),
            facts: facts
                .map(|one| Statement {
                    subject: one.subject,
                    statement: one.statement,
                    category: one.category,
                })
                .collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The content as it reads back once it is written: white space collapsed within a line, headings below
    /// those of the parts, code in fences, fences closed.
    ///
    /// # Errors
    /// [`Unwritable`] for a fact that would read as another.
    pub fn normal(&self) -> Result<Self, Unwritable> {
        let facts = self.facts.iter().map(Statement::normal).collect::<Result<_, _>>()?;
        Ok(Self { facts, ..self.normal_texts() })
    }

    /// The same for all but the facts, which stay: two contents that differ in form only become equal.
    pub(super) fn normal_texts(&self) -> Self {
        let narrative = self
            .narrative
            .parts()
            .map(|part| part.map(|text| below(&unified(trimmed(text)), 3)).filter(|text| !text.is_empty()));
        let snippets = self.snippets.iter().map(|text| unified(trimmed(text)));
        Self {
            concept: normal_concept(&self.concept),
            narrative: Narrative::of_parts(narrative),
            snippets: snippets.filter(|text| !text.is_empty()).map(|text| fenced(&text)).collect(),
            facts: self.facts.clone(),
        }
    }
}

fn normal_concept(concept: &Concept) -> Concept {
    let line = |text: &Option<String>| text.as_deref().map(single_spaced).filter(|text| !text.is_empty());
    let lines = |items: &[String]| -> Vec<String> {
        items.iter().map(|item| single_spaced(item)).filter(|item| !item.is_empty()).collect()
    };
    let bare = |path: String| path.trim_matches('`').trim().to_owned();
    Concept {
        task: line(&concept.task),
        changes: lines(&concept.changes),
        files: lines(&concept.files).into_iter().map(bare).filter(|path| !path.is_empty()).collect(),
        flow: line(&concept.flow),
        timestamp: line(&concept.timestamp),
        author: line(&concept.author),
        patterns: lines(&concept.patterns),
    }
}

/// The blocks of the first section titled `Snippets`, without its headings.
fn snippets(document: &Document) -> Vec<String> {
    let outline = document.outline();
    let Some(section) = outline.titled("snippets").next() else { return Vec::new() };
    let nested = outline.with_nested(section);
    let blocks = nested.flat_map(|at| &outline.blocks()[outline.sections()[at].blocks.clone()]);
    let texts = blocks.map(|block| unified(&document.body()[block.content.clone()]));
    texts.filter(|text| !text.trim().is_empty()).collect()
}

/// A snippet in a fence, unless it is one fence or one table.
fn fenced(text: &str) -> String {
    let outline = Outline::of(text);
    let is_block = matches!(
        outline.blocks(),
        [one] if matches!(one.kind, BlockKind::Fence { closed: true, .. } | BlockKind::Table)
    );
    if is_block && !text.starts_with([' ', '\t']) {
        return text.to_owned();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

/// Markdown whose headings are all deeper than `level`, and whose last fence is closed.
fn below(text: &str, level: u8) -> String {
    let outline = Outline::of(text);
    let highest = outline.sections().iter().skip(1).map(|section| section.level).min();
    let shift = highest.map_or(0, |highest| (level + 1).saturating_sub(highest));
    let mut out = String::with_capacity(text.len() + 8);
    let mut at = 0;
    for section in outline.sections().iter().skip(1).filter(|_| shift > 0) {
        out.push_str(&text[at..section.heading.start]);
        let heading = &text[section.heading.clone()];
        out.push_str(&relevelled(heading, (section.level + shift).min(6)));
        out.push_str(&heading[heading.trim_end().len()..]);
        at = section.heading.end;
    }
    out.push_str(&text[at..]);
    if let Some(block) = outline.blocks().last()
        && matches!(block.kind, BlockKind::Fence { closed: false, .. })
    {
        let opening = text[block.content.clone()].trim_start();
        let mark = opening.chars().next().unwrap_or('`');
        let width = opening.chars().take_while(|c| *c == mark).count();
        out.push('\n');
        out.extend(std::iter::repeat_n(mark, width));
    }
    out
}

/// A heading as one `#` line of this level, with its markup and without the blank lines after it.
pub(super) fn relevelled(heading: &str, level: u8) -> String {
    let heading = heading.trim();
    let text = match heading.strip_prefix('#') {
        Some(_) => heading.trim_start_matches('#').trim().to_owned(),
        None => {
            let lines: Vec<&str> = heading.lines().collect();
            lines[..lines.len().saturating_sub(1)]
                .iter()
                .map(|line| line.trim())
                .collect::<Vec<_>>()
                .join(" ")
        }
    };
    format!("{} {text}", "#".repeat(usize::from(level))).trim_end().to_owned()
}

/// The text without blank lines at its start and white space at its end.
pub(super) fn trimmed(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let start = text[..blank].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    &text[start..]
}

/// The text with `\n` for `\r\n`. A lone `\r` stays: in an entry it may be anything.
pub(super) fn unified(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The text with this line ending in place of `\n`.
pub(super) fn ended(text: &str, ending: LineEnding) -> String {
    match ending {
        LineEnding::CrLf => text.replace('\n', "\r\n"),
        LineEnding::Lf | LineEnding::Mixed => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(subject: Option<&str>, statement: &str) -> Statement {
        Statement { subject: subject.map(str::to_owned), statement: statement.to_owned(), category: None }
    }

    #[test]
    fn headings_in_a_part_are_moved_below_it_and_fences_are_closed() {
        assert_eq!(below("# A\nx\n\n## B\n\ny", 3), "#### A\nx\n\n##### B\n\ny");
        assert_eq!(below("Title\n===\nx", 3), "#### Title\nx");
        assert_eq!(below("#### deep\nx", 3), "#### deep\nx");
        assert_eq!(below("```\n# no heading", 3), "```\n# no heading\n```");
        assert_eq!(below("~~~~\nx", 3), "~~~~\nx\n~~~~");
    }

    #[test]
    fn code_is_put_in_a_fence_that_is_long_enough() {
        assert_eq!(fenced("let x = 1;"), "```\nlet x = 1;\n```");
        assert_eq!(fenced("```rust\nx\n```"), "```rust\nx\n```");
        assert_eq!(fenced("a ```` b"), "`````\na ```` b\n`````");
        assert_eq!(fenced("| a |\n|---|\n| b |"), "| a |\n|---|\n| b |");
        assert_eq!(fenced("```\na\n```\n\nb"), "````\n```\na\n```\n\nb\n````");
    }

    #[test]
    fn a_fact_reads_back_or_is_rejected() {
        assert_eq!(said(Some(" a  b "), "x\ny").normal(), Ok(said(Some("a b"), "x y")));
        let read = said(None, "lives in Berlin [personal]").normal().unwrap();
        assert_eq!((read.statement.as_str(), read.category), ("lives in Berlin", Some(Category::Personal)));
        assert_eq!(said(None, "**ttl**: 1 h").normal(), Ok(said(Some("ttl"), "1 h")));
        for wrong in [said(Some("a**b"), "x"), said(Some("a"), " "), said(None, "")] {
            assert_eq!(wrong.normal(), Err(Unwritable { part: "facts" }), "{wrong:?}");
        }
    }

    #[test]
    fn the_parts_of_a_document_are_read() {
        let text = "## Raw Concept\n**Task:** t\n\n## Narrative\n### Rules\n\n- a\n\n#### More\nb\n\n### Examples\n\n## Snippets\n\n```\nx\n```\n\ny\n\n## Facts\n- **s**: v [team]\n";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let content = EntryBody::of(&Document::parse(text));
            assert_eq!(content.concept.task.as_deref(), Some("t"));
            assert_eq!(content.narrative.rules.as_deref(), Some("- a\n\n#### More\nb"));
            assert_eq!(content.narrative.examples, None);
            assert_eq!(content.snippets, ["```\nx\n```", "y"]);
            assert_eq!(content.facts, [Statement { category: Some(Category::Team), ..said(Some("s"), "v") }]);
        }
    }

    #[test]
    fn indentation_of_the_first_line_is_kept() {
        assert_eq!(trimmed("\n \n    code\n\n"), "    code");
        assert_eq!(trimmed(" \n"), "");
    }
}
