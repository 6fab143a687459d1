//! What an entry says, for a reader of one file: its statements, and the other items of its lists and short paragraphs. A line
//! that ends with a colon goes with the code below it.

use crate::brain::kind::Kind;
use crate::brain::one_line::flat;
use crate::brain::said::StatementKind;
use crate::brain::statement::{Statement, gist};
use crate::doc::{self, Block, BlockKind, Document, Fact, Item};

/// The longest paragraph or code that is shown, in characters.
const MOST_PROSE: usize = 600;

/// Something that an entry says.
#[derive(Debug, Clone)]
pub(super) struct Spoken {
    pub statement: Statement,
    /// As it is shown: on one line, with its category and month, and the code that goes with it below.
    pub line: String,
    /// Whether it is text around the statements.
    pub is_prose: bool,
}

/// Where something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Facts,
    Highlights,
    Rules,
    Elsewhere,
}

/// What an entry says, in its order; of one that says nothing its summary.
pub(super) fn spoken(path: &str, document: &Document) -> Vec<Spoken> {
    let entry = Kind::named_by(path, document);
    let disputes = doc::disputes(document);
    let claims = disputes.iter().filter(|one| !one.claims.is_empty());
    let mut found: Vec<Spoken> = claims.map(|one| Spoken::plain(Statement::of_dispute(one))).collect();
    let is_disputed =
        |subject: &String| disputes.iter().any(|one| doc::is_same_subject(&one.subject, subject));
    for (block, below, place) in blocks(document) {
        let (text, inner) = parted(&document.body()[block.content.clone()]);
        let is_item = matches!(block.kind, BlockKind::Item { .. });
        if !is_item && text.chars().count() > MOST_PROSE {
            continue;
        }
        // a paragraph may begin with what would mark an item
        let item = if is_item { text.to_owned() } else { format!("- {text}") };
        let Some(fact) = doc::fact(&item) else { continue };
        if place == Place::Facts && fact.subject.as_ref().is_some_and(is_disputed) {
            continue;
        }
        let code = inner.or_else(|| below.filter(|_| text.trim_end().ends_with(':')));
        let place = if is_item { place } else { Place::Elsewhere };
        found.extend(Spoken::of((&item, &fact), place, entry, code.as_deref()));
    }
    if found.is_empty() {
        // its title stands above it
        let gist = gist(path, document, entry).map(|gist| Statement { title: String::new(), ..gist });
        found.extend(gist.map(Spoken::plain));
    }
    found
}

impl Spoken {
    fn plain(statement: Statement) -> Self {
        let line = line(&statement, None);
        Self { statement, line, is_prose: false }
    }

    fn of(
        (item, fact): (&str, &Fact),
        place: Place,
        entry: Option<Kind>,
        code: Option<&str>,
    ) -> Option<Self> {
        let dated = match place {
            Place::Highlights | Place::Rules => Item::read(item),
            Place::Facts | Place::Elsewhere => None,
        };
        let mut statement = match &dated {
            Some(item) => Statement::of_item(item, entry)?,
            None => Statement::of_fact(fact, entry)?,
        };
        if place == Place::Rules && !statement.kind.is_binding() {
            statement.kind = StatementKind::Rule;
        }
        let is_prose = place == Place::Elsewhere || place == Place::Highlights && dated.is_none();
        let mut line = line(&statement, fact.category);
        if let Some(code) = code {
            line.push_str(&fenced(code));
        }
        Some(Self { statement, line, is_prose })
    }
}

fn line(statement: &Statement, category: Option<doc::Category>) -> String {
    let title = if statement.title.is_empty() { String::new() } else { format!("**{}**: ", statement.title) };
    let category = category.map(|category| format!(" [{}]", category.as_str())).unwrap_or_default();
    let month = statement.month.map(|month| format!(" ({month})")).unwrap_or_default();
    format!("{title}{}{category}{month}", statement.text)
}

/// The items and paragraphs outside of the Raw Concept, each with the code right below it.
fn blocks(document: &Document) -> impl Iterator<Item = (&Block, Option<String>, Place)> {
    let (outline, body) = (document.outline(), document.body());
    let sections = outline.sections().iter().enumerate();
    sections.flat_map(move |(at, section)| {
        let path = outline.path(at);
        let has = |title: &str| path.iter().any(|one| doc::bare_title(one).eq_ignore_ascii_case(title));
        let place = match () {
            () if has("facts") => Some(Place::Facts),
            () if has("raw concept") => None,
            () if has("rules") => Some(Place::Rules),
            () if has("highlights") => Some(Place::Highlights),
            () => Some(Place::Elsewhere),
        };
        let blocks = &outline.blocks()[section.blocks.clone()];
        blocks.iter().enumerate().filter_map(move |(at, block)| {
            let is_text = matches!(block.kind, BlockKind::Item { .. } | BlockKind::Paragraph);
            let next = blocks.get(at + 1).filter(|next| matches!(next.kind, BlockKind::Fence { .. }));
            let code = next.and_then(|next| parted(&body[next.content.clone()]).1);
            is_text.then_some((block, code, place?))
        })
    })
}

/// A text without the first block of code in it, and that code if it is short.
fn parted(text: &str) -> (&str, Option<String>) {
    let is_fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let mut start = 0;
    let mut lines = text.split_inclusive('\n');
    let Some(opening) = lines.by_ref().find(|line| {
        let found = is_fence(line);
        start += if found { 0 } else { line.len() };
        found
    }) else {
        return (text, None);
    };
    let indent = opening.len() - opening.trim_start().len();
    let inner = lines.take_while(|line| !is_fence(line));
    let plain = |line: &str| line.get(indent..).unwrap_or_else(|| line.trim_start()).trim_end().to_owned();
    let code = inner.map(plain).collect::<Vec<_>>().join("\n");
    let is_shown = !code.trim().is_empty() && code.chars().count() <= MOST_PROSE;
    (&text[..start], is_shown.then_some(code))
}

/// Code below an item, between fences that it does not contain.
fn fenced(code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    let visible = |line: &str| flat_end(line);
    let lines: String = code.lines().map(|line| format!("  {}\n", visible(line))).collect();
    format!("\n  {fence}\n{lines}  {fence}")
}

/// A line of code without control characters.
fn flat_end(line: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    line.chars().map(visible).collect::<String>().trim_end().to_owned()
}

/// The title of an entry, on one line.
pub(super) fn title(document: &Document) -> String {
    document.title().map(|title| flat(&title)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        spoken("a/b.md", &Document::parse(text)).into_iter().map(|one| one.line).collect()
    }

    #[test]
    fn a_line_that_ends_with_a_colon_goes_with_its_code_and_no_other_does() {
        let text = "# T\n\nRun it so:\n\n```sh\n  make all\n```\n\nIt is fast.\n\n```sh\nmake none\n```\n\n## Facts\n- **build**: run:\n  ````\n  ```\n  ````\n";
        let code = "Run it so:\n  ```\n    make all\n  ```";
        assert_eq!(lines(text)[..2], [code, "It is fast."]);
        assert_eq!(lines(text).len(), 3, "{:?}", lines(text));
        assert!(!lines(text).concat().contains("make none"));
        assert_eq!(fenced("a ``` b"), "\n  ````\n  a ``` b\n  ````");
    }

    #[test]
    fn what_begins_with_a_star_keeps_it_and_an_item_loses_its_mark() {
        assert_eq!(lines("# T\n\n*.snap files are made anew.\n"), ["*.snap files are made anew."]);
        assert_eq!(lines("# T\n\n**Never** call it.\n\n* one\n"), ["**Never** call it.", "one"]);
    }

    #[test]
    fn what_was_reverted_is_not_said_and_the_month_and_the_category_stay() {
        let text = "# T\n\n## Narrative\n### Highlights\n- **a**: reverted 2026-01-02: x (2026-01)\n- **b**: rule: y (2026-02)\n\n## Facts\n- **c**: d [team]\n";
        assert_eq!(lines(text), ["**b**: rule: y (2026-02)", "**c**: d [team]"]);
        assert_eq!(lines("---\ntitle: T\nsummary: of it\n---\n## Raw Concept\n\n- x\n"), ["of it"]);
    }
}
