//! Read statements: the value of a trailer, or the text of a bullet, as a fact.
//!
//! Knows which keys state something and in which category. Does not decide whether a commit is worth filing.

use super::trailers::Trailer;
use super::{Stated, signals};
use crate::doc::{self, Category, Content, Statement, render, split_category};

/// A subject is cut from its statement at the first of these.
const SEPARATORS: [&str; 3] = [": ", " = ", " | "];

/// Keys that state a fact: the key in lower case, the category unless the value ends with one, and how the statement
/// begins.
const KEYS: [(&str, Category, &str); 11] = [
    ("fact", Category::Project, ""),
    ("decision", Category::Project, ""),
    ("learned", Category::Project, ""),
    ("convention", Category::Convention, ""),
    ("directive", Category::Convention, ""),
    ("constraint", Category::Environment, ""),
    ("limit", Category::Environment, ""),
    ("rejected", Category::Project, "rejected: "),
    ("ruled-out", Category::Project, "rejected: "),
    ("warn", Category::Project, "warning: "),
    ("warning", Category::Project, "warning: "),
];

/// The fact of a trailer, if its key states one and its value has a statement.
pub(super) fn of_trailer(trailer: &Trailer) -> Option<Stated> {
    let (_, category, start) = KEYS.iter().find(|(key, ..)| trailer.key.eq_ignore_ascii_case(key))?;
    let (subject, statement, written) = parts(&trailer.value)?;
    let begins = statement.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    let start = if begins { "" } else { start };
    writable(subject, format!("{start}{statement}"), written.unwrap_or(*category))
}

/// The fact of a bullet: a short subject, a separator, and a statement that tells no step.
pub(super) fn of_bullet(text: &str) -> Option<Stated> {
    let text = super::one_line(text);
    let (subject, statement, written) = parts(&text)?;
    let subject = subject?;
    let is_reference = statement.split_whitespace().all(|word| word.contains("://") || word.contains('#'));
    let is_statement = signals::is_subject(&subject) && !signals::is_step(&statement) && !is_reference;
    is_statement.then(|| writable(Some(subject), statement, written.unwrap_or(Category::Project)))?
}

/// Subject, statement and category of a value, if it has a statement.
fn parts(value: &str) -> Option<(Option<String>, String, Option<Category>)> {
    let value = value.trim();
    let (text, category) = split_category(value);
    // a category alone
    if split_category(&format!("x {text}")).0 == "x" {
        return None;
    }
    let first = SEPARATORS.iter().filter_map(|one| Some((text.find(one)?, one.len()))).min();
    let as_in_entry = doc::fact(&format!("- {text}")).and_then(|fact| Some((fact.subject?, fact.statement)));
    let (subject, statement) = match (as_in_entry, first) {
        (Some((subject, statement)), _) => (subject, statement),
        (None, Some((at, length))) => (bare(&text[..at]), text[at + length..].trim().to_owned()),
        // a subject alone
        (None, None) if SEPARATORS.iter().any(|one| text.ends_with(one.trim_end())) => return None,
        (None, None) => (String::new(), text.to_owned()),
    };
    let states = statement.contains(char::is_alphanumeric);
    states.then(|| (Some(subject).filter(|one| !one.is_empty()), statement, category))
}

/// A subject without the marks of bold text.
fn bare(subject: &str) -> String {
    super::one_line(&subject.replace("**", ""))
}

/// The statement as a fact of an entry reads back. One that would read as something else is escaped; a subject that cannot
/// stand in bold, such as `gen/*`, begins the statement.
fn writable(subject: Option<String>, statement: String, category: Category) -> Option<Stated> {
    let joined = subject.as_ref().map(|subject| format!("{subject}: {statement}"));
    written(subject, statement, category).or_else(|| written(None, joined?, category))
}

fn written(subject: Option<String>, statement: String, category: Category) -> Option<Stated> {
    let escaped = format!("\\{statement}");
    [statement, escaped].into_iter().find_map(|statement| {
        let fact = Statement { subject: subject.clone(), statement, category: Some(category) };
        let content = Content { facts: vec![fact], ..Content::default() };
        render::body(&content).ok()?;
        let [Statement { subject, statement, category }] = content.normal().ok()?.facts.try_into().ok()?;
        Some(Stated { subject, statement, category, settles: false })
    })
}

/// The subjects that the trailers supersede, each once.
pub(super) fn superseded(trailers: &[Trailer]) -> Vec<String> {
    let mut subjects: Vec<String> = Vec::new();
    for trailer in trailers.iter().filter(|one| one.key.eq_ignore_ascii_case("supersedes")) {
        let subject = bare(split_category(&trailer.value).0);
        if !subject.is_empty() && !subjects.iter().any(|one| doc::is_same_subject(one, &subject)) {
            subjects.push(subject);
        }
    }
    subjects
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Option<(Option<String>, String, &'static str)> {
        let (key, value) = line.split_once(": ").unwrap();
        let stated = of_trailer(&Trailer { key: key.into(), value: value.trim().into() })?;
        Some((stated.subject, stated.statement, stated.category?.as_str()))
    }

    #[test]
    fn a_subject_that_cannot_be_bold_begins_the_statement() {
        let stated = said("Decision: gen/*: is generated").unwrap();
        assert_eq!(stated.0, None);
        assert!(stated.1.ends_with("gen/*: is generated"), "{stated:?}");
    }

    #[test]
    fn each_key_has_its_category_and_its_beginning() {
        for (line, subject, statement, category) in [
            ("Decision: errors: end with a stop", "errors", "end with a stop", "project"),
            ("Fact: pool size: 12 per core", "pool size", "12 per core", "project"),
            ("decision: cache = kept in memory", "cache", "kept in memory", "project"),
            ("LEARNED: proxy | drops idle sockets", "proxy", "drops idle sockets", "project"),
            ("Convention: tests: named by what holds", "tests", "named by what holds", "convention"),
            ("Directive: errors: lower case", "errors", "lower case", "convention"),
            ("Constraint: kernel: 5.4 or newer", "kernel", "5.4 or newer", "environment"),
            ("Limit: upload: 20 MB", "upload", "20 MB", "environment"),
            ("Rejected: queue | needs a broker", "queue", "rejected: needs a broker", "project"),
            ("Ruled-out: queue: rejected: slow", "queue", "rejected: slow", "project"),
            ("Warn: clock: jumps on resume", "clock", "warning: jumps on resume", "project"),
            ("Warning: clock: jumps [team]", "clock", "warning: jumps", "team"),
            ("Limit: upload: 20 MB [Other]", "upload", "20 MB", "other"),
            ("Fact: url = http://a: b | c", "url", "http://a: b | c", "project"),
            ("Fact: **bold**: x", "bold", "x", "project"),
            ("Fact: **bold:** x [team]", "bold", "x", "team"),
            ("Fact: a: [draft]", "a", "[draft]", "project"),
        ] {
            let expected = (Some(subject.to_owned()), statement.to_owned(), category);
            assert_eq!(said(line), Some(expected), "{line}");
        }
        assert_eq!(said("Fact: builds are offline"), Some((None, "builds are offline".into(), "project")));
        assert_eq!(said("Warn: slow"), Some((None, "warning: slow".into(), "project")));
        assert_eq!(said("Fact: : x"), Some((None, "x".into(), "project")));
    }

    #[test]
    fn other_keys_and_empty_values_are_no_facts() {
        for line in [
            "Signed-off-by: A <a@b>",
            "Tested: by hand",
            "Fixes: 12",
            "Change-Id: I12",
            "Facts: a: b",
            "Fact: ",
            "Fact: ttl:",
            "Fact: ttl =",
            "Fact: [team]",
            "Fact: ttl: [team]",
            "Fact: --",
            "Fact: ttl: ...",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }

    #[test]
    fn a_statement_reads_back_as_it_is() {
        for value in ["- item", "# heading", "> quote", "<!-- open", "1. one", "a **b** c", "```", "x\\"] {
            let Some((_, statement, _)) = said(&format!("Fact: {value}")) else { continue };
            let facts = vec![Statement { subject: None, statement, category: None }];
            let content = Content { facts, ..Content::default() };
            assert!(render::body(&content).is_ok(), "{value}");
        }
        assert!(said("Fact: <!-- open").is_some() && said("Fact: - item").is_some());
    }

    #[test]
    fn a_bullet_with_a_short_subject_is_a_fact_unless_it_tells_a_step() {
        let said = |text: &str| of_bullet(text).map(|one| (one.subject.unwrap(), one.statement));
        let some = |subject: &str, statement: &str| Some((subject.to_owned(), statement.to_owned()));
        assert_eq!(said("retry limit: 5 per\n  request"), some("retry limit", "5 per request"));
        assert_eq!(said("`ttl` = one day"), some("`ttl`", "one day"));
        assert_eq!(said("**Region:** stays in Europe"), some("Region", "stays in Europe"));
        for text in [
            "parser: fix a leak",
            "docs: better wording",
            "cache: added a lock",
            "no separator",
            "When the server is slow, clients wait for long and then: they fail",
            "home page: https://a.b/c",
            "timer: ([#12])",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }

    #[test]
    fn superseded_subjects_are_listed_once() {
        let trailer = |value: &str| Trailer { key: "SUPERSEDES".into(), value: value.into() };
        let trailers = ["Token lifetime", "token  lifetime", "", "**b** [team]"].map(trailer);
        assert_eq!(superseded(&trailers), ["Token lifetime", "b"]);
    }
}
