//! What kind of knowledge an entry is: by its tags and its path, the categories of its facts, its headings.

use crate::doc::{Category, Document, Fact};
use std::cell::LazyCell;

/// The kinds; the order is that in which their words are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    Decision,
    Convention,
    Bug,
    Todo,
    Architecture,
    Implementation,
    /// Nothing but the files that something is in: search finds them, and so does the code.
    CodeMap,
}

impl EntryKind {
    pub const ALL: [Self; 7] = [
        Self::Decision,
        Self::Convention,
        Self::Bug,
        Self::Todo,
        Self::Architecture,
        Self::Implementation,
        Self::CodeMap,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Convention => "convention",
            Self::Bug => "bug",
            Self::Todo => "todo",
            Self::Architecture => "architecture",
            Self::Implementation => "implementation",
            Self::CodeMap => "code_map",
        }
    }

    /// The words that name it.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Decision => &["decision", "adr"],
            Self::Convention => &["convention", "style"],
            Self::Bug => &["bug", "incident", "fix"],
            Self::Todo => &["todo", "task"],
            Self::Architecture => &["architecture", "stack"],
            Self::Implementation | Self::CodeMap => &[],
        }
    }

    /// The kind of an entry with these tags and facts, and the kind that tags, path or headings name. Of the kind the first rule
    /// that says something counts.
    pub(super) fn both(
        path: &str,
        document: &Document,
        tags: &[String],
        facts: &[Fact],
    ) -> (Self, Option<Self>) {
        let (names, headings) = (by_names(path, tags), LazyCell::new(|| by_headings(document)));
        let of =
            || names.or_else(|| by_categories(facts)).or_else(|| *headings).unwrap_or(Self::Implementation);
        let kind = if Self::is_code_map(document) { Self::CodeMap } else { of() };
        (kind, names.or_else(|| *headings))
    }

    /// The kind that tags, path or headings name.
    pub fn named_by(path: &str, document: &Document) -> Option<Self> {
        by_names(path, &document.meta().tags).or_else(|| by_headings(document))
    }

    /// Whether the Raw Concept is all it has, and that names files.
    pub fn is_code_map(document: &Document) -> bool {
        let outline = document.outline();
        let Some(concept) = outline.titled("raw concept").next() else { return false };
        let own = outline.with_nested(concept);
        let has_text =
            |at: &usize| !document.body()[outline.sections()[*at].content.clone()].trim().is_empty();
        let others = (0..outline.sections().len()).filter(|at| !own.contains(at));
        !others.into_iter().any(|at| has_text(&at)) && !document.concept().files.is_empty()
    }

    /// The first kind that one of these names is a word of.
    fn named<'n>(names: impl Iterator<Item = &'n str>) -> Option<Self> {
        names.filter_map(Self::of_name).min()
    }

    /// The first kind that has a name among its words, in any case, one or many, numbered or not: `decisions`, `ADR-12`.
    fn of_name(name: &str) -> Option<Self> {
        let name = name.trim().trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_'));
        let is_it = |word: &&str| {
            let rest = name.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
            rest.is_some_and(|_| matches!(&*name[word.len()..].to_ascii_lowercase(), "" | "s" | "es"))
        };
        Self::ALL.into_iter().find(|kind| kind.words().iter().any(&is_it))
    }
}

fn by_names(path: &str, tags: &[String]) -> Option<EntryKind> {
    let parts = path.strip_suffix(".md").unwrap_or(path).split('/');
    EntryKind::named(tags.iter().map(String::as_str).chain(parts))
}

/// The kind that more than half of the facts with a category belong to.
fn by_categories(facts: &[Fact]) -> Option<EntryKind> {
    let kinds: Vec<EntryKind> = facts.iter().filter_map(|fact| fact.category).map(of_category).collect();
    let is_most = |kind: &EntryKind| kinds.iter().filter(|other| *other == kind).count() * 2 > kinds.len();
    kinds.iter().copied().find(is_most)
}

const fn of_category(category: Category) -> EntryKind {
    match category {
        Category::Convention | Category::Preference | Category::Personal => EntryKind::Convention,
        Category::Environment | Category::Team => EntryKind::Architecture,
        Category::Project | Category::Other => EntryKind::Implementation,
    }
}

/// By the words of its headings. The heading that is its title does not count: it says what the entry is about.
fn by_headings(document: &Document) -> Option<EntryKind> {
    let below = document.sections().iter().filter(|section| section.level > 1);
    let words = below.flat_map(|section| section.title.split(|c: char| !c.is_alphanumeric()));
    EntryKind::named(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str, text: &str) -> EntryKind {
        let document = Document::parse(text);
        let (kind, named) = EntryKind::both(path, &document, &document.meta().tags, &document.facts());
        assert_eq!(named, EntryKind::named_by(path, &document));
        kind
    }

    #[test]
    fn the_first_rule_that_says_something_decides() {
        let facts = |category: &str| format!("## Facts\n- a: b [{category}]\n- c: d [{category}]\n- e\n");
        let tagged = |tags: &str| format!("---\ntags: [{tags}]\n---\n# T\n");
        let cases: &[(&str, &str, EntryKind)] = &[
            ("a/decisions/b.md", "", EntryKind::Decision),
            ("a/adr-0012.md", "", EntryKind::Decision),
            ("a/b.md", &tagged("x, ADR"), EntryKind::Decision),
            ("style/b.md", "", EntryKind::Convention),
            ("a/b.md", &tagged("convention"), EntryKind::Convention),
            ("a/fixes/b.md", "", EntryKind::Bug),
            ("incidents/b.md", "", EntryKind::Bug),
            ("a/b.md", &tagged("bug"), EntryKind::Bug),
            ("a/todo.md", "", EntryKind::Todo),
            ("tasks/a.md", "", EntryKind::Todo),
            ("architecture/a.md", "", EntryKind::Architecture),
            ("a/b.md", &tagged("stack"), EntryKind::Architecture),
            ("bugs/a.md", &tagged("decision"), EntryKind::Decision),
            ("a/task_queue.md", "# Task queue\n", EntryKind::Implementation),
            ("a/fixtures/b.md", "", EntryKind::Implementation),
            ("a/b.md", &facts("convention"), EntryKind::Convention),
            ("a/b.md", &facts("preference"), EntryKind::Convention),
            ("a/b.md", &facts("personal"), EntryKind::Convention),
            ("a/b.md", &facts("environment"), EntryKind::Architecture),
            ("a/b.md", &facts("team"), EntryKind::Architecture),
            ("a/b.md", &facts("project"), EntryKind::Implementation),
            ("a/b.md", &facts("other"), EntryKind::Implementation),
            ("a/b.md", &format!("{}\n## Decision\n\nx\n", facts("project")), EntryKind::Implementation),
            ("a/b.md", "## Facts\n- a [team]\n- b [convention]\n", EntryKind::Implementation),
            ("a/b.md", "# T\n\n## Known bugs\n\nx\n", EntryKind::Bug),
            ("a/b.md", "# T\n\n## The decision\n\nx\n", EntryKind::Decision),
            ("a/b.md", "# T\n\nplain\n", EntryKind::Implementation),
        ];
        for (path, text, expected) in cases {
            assert_eq!(kind(path, text), *expected, "{path}: {text}");
        }
    }

    #[test]
    fn a_code_map_has_a_raw_concept_with_files_and_nothing_else() {
        let of = |text: &str| kind("decisions/a.md", text);
        let map = "# T\n\n## Raw Concept\n\n**Files:**\n- src/a.rs\n";
        assert_eq!(of(map), EntryKind::CodeMap);
        assert_eq!(of(&format!("{map}\n## Narrative\n\n## Facts\n")), EntryKind::CodeMap);
        assert_eq!(of(&format!("{map}\n## Facts\n\n- a\n")), EntryKind::Decision);
        assert_eq!(of("# T\n\n## Raw Concept\n\n**Task:** x\n"), EntryKind::Decision);
        assert_eq!(of("plain\n"), EntryKind::Decision);
    }
}
