//! What an entry says, for a reader of one file: its statements, and the other items of its lists and short paragraphs. A line
//! that ends with a colon goes with what it announces.

use super::announced::{announced, is_label, is_of_concept, is_open, list_length};
use super::code::{MOST_PROSE, fenced, parted};
use crate::brain::kind::EntryKind;
use crate::brain::one_line::flat;
use crate::brain::said::StatementKind;
use crate::brain::statement::{Statement, gist};
use crate::doc::{self, Block, BlockKind, Document, Fact, Item, normal};

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
enum MentionPlace {
    Facts,
    Highlights,
    Rules,
    Elsewhere,
}

/// What an entry says, in its order; of one that says nothing its summary.
pub(super) fn spoken(path: &str, document: &Document) -> Vec<Spoken> {
    let entry = EntryKind::named_by(path, document);
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
        if place == MentionPlace::Facts && fact.subject.as_ref().is_some_and(is_disputed) {
            continue;
        }
        let below = inner.map(|code| fenced(&code)).or(below);
        let place = if is_item { place } else { MentionPlace::Elsewhere };
        found.extend(Spoken::of((&item, &fact), place, entry, below.as_deref()));
    }
    // what announces something that is not shown says nothing
    found.retain(|one| one.line.contains('\n') || !is_open(&one.statement.text));
    leave_repeated(&mut found);
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
        place: MentionPlace,
        entry: Option<EntryKind>,
        below: Option<&str>,
    ) -> Option<Self> {
        let dated = match place {
            MentionPlace::Highlights | MentionPlace::Rules => Item::read(item),
            MentionPlace::Facts | MentionPlace::Elsewhere => None,
        };
        let mut statement = match &dated {
            Some(item) => Statement::of_item(item, entry)?,
            None => Statement::of_fact(fact, entry)?,
        };
        if place == MentionPlace::Rules && !statement.kind.is_binding() {
            statement.kind = StatementKind::Rule;
        }
        let is_prose =
            place == MentionPlace::Elsewhere || place == MentionPlace::Highlights && dated.is_none();
        let mut line = line(&statement, fact.category);
        line.push_str(below.unwrap_or_default());
        Some(Self { statement, line, is_prose })
    }
}

fn line(statement: &Statement, category: Option<doc::Category>) -> String {
    let title = if statement.title.is_empty() { String::new() } else { format!("**{}**: ", statement.title) };
    let category = category.map(|category| format!(" [{}]", category.as_str())).unwrap_or_default();
    let month = statement.month.map(|month| format!(" ({month})")).unwrap_or_default();
    format!("{title}{}{category}{month}", statement.text)
}

/// Leave out prose that other text of the entry has as a part of it.
fn leave_repeated(found: &mut Vec<Spoken>) {
    let said: Vec<String> = found.iter().map(|one| format!(" {} ", normal(&one.statement.text))).collect();
    let is_repeated = |at: usize| {
        let is_longer = |other: usize| said[other].len() > said[at].len() || other < at;
        (0..said.len()).any(|other| other != at && is_longer(other) && said[other].contains(&said[at]))
    };
    let mut at = 0;
    found.retain(|one| {
        at += 1;
        !(one.is_prose && is_repeated(at - 1))
    });
}

/// The items and paragraphs outside of the Raw Concept, each with what it announces. Labels are none of them, and neither is the list
/// below one of the Raw Concept, or an item that is only a path.
fn blocks(document: &Document) -> Vec<(&Block, Option<String>, MentionPlace)> {
    let (outline, body) = (document.outline(), document.body());
    let mut found = Vec::new();
    for (at, section) in outline.sections().iter().enumerate() {
        let path = outline.path(at);
        let has = |title: &str| path.iter().any(|one| doc::bare_title(one).eq_ignore_ascii_case(title));
        let place = match () {
            () if has("facts") => MentionPlace::Facts,
            () if has("raw concept") => continue,
            () if has("rules") => MentionPlace::Rules,
            () if has("highlights") => MentionPlace::Highlights,
            () => MentionPlace::Elsewhere,
        };
        let blocks = &outline.blocks()[section.blocks.clone()];
        let mut next = 0;
        for (at, block) in blocks.iter().enumerate() {
            let (text, after) = (&body[block.content.clone()], &blocks[at + 1..]);
            let is_item = matches!(block.kind, BlockKind::Item { .. });
            if at < next || !is_item && block.kind != BlockKind::Paragraph {
                continue;
            }
            if !is_item && is_label(text) {
                next = at + 1 + if is_of_concept(text) { list_length(after) } else { 0 };
                continue;
            }
            if is_item && is_path(text) {
                continue;
            }
            let below = if is_open(text) { announced(body, after) } else { None };
            found.push((block, below, place));
        }
    }
    found
}

/// Whether an item is a path and nothing else.
fn is_path(item: &str) -> bool {
    let bare = item.trim().trim_start_matches(['-', '*', '+']).trim().trim_matches('`');
    bare.contains('/') && !bare.contains(char::is_whitespace) && !bare.contains("://")
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
        // the code that the last one announces is empty
        assert_eq!(lines(text).len(), 2, "{:?}", lines(text));
        assert!(!lines(text).concat().contains("make none"));
        assert_eq!(fenced("a ``` b"), "\n  ````\n  a ``` b\n  ````");
    }

    #[test]
    fn what_is_announced_goes_with_its_line_or_the_line_goes() {
        let items: String = (0..40).map(|at| format!("- item {at} of a long list of words\n")).collect();
        let text = format!(
            "# T\n\nThe steps:\n\n1. one\n2. two\n\nThe table:\n\n| a | b |\n|---|---|\n| c | d |\n\nAll:\n\n{items}\n\
             It ends with:\n\n## More\n\n- do `x`:\n- see src/a.rs\n- src/a.rs\n"
        );
        let found = lines(&text);
        assert_eq!(found[..3], ["one", "two", "The table:\n  | a | b |\n  |---|---|\n  | c | d |"]);
        assert_eq!((found.len(), &*found[3]), (44, "item 0 of a long list of words"));
        assert_eq!(found[43], "see src/a.rs");
    }

    #[test]
    fn labels_are_not_said_and_the_first_paragraph_is_said_once() {
        let text = "# T\n\nIt is the gate of all. It opens.\n\n**Files:**\n\n- `a.rs` of it\n\n**Task:** mend it\n\n**Modes:**\n\n\
                    - fast\n\n## Narrative\n\nIt is the gate of all.\n\n## Facts\n- **gate**: it opens\n";
        assert_eq!(lines(text), ["It is the gate of all. It opens.", "fast", "**gate**: it opens"]);
        assert_eq!(lines("# T\n\nOnce.\n\n## N\n\nOnce.\n"), ["Once."]);
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
