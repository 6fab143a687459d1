//! Read the value of a trailer: a fact, if it has a subject, or an item.
//!
//! Knows which keys state something, in which category and with which prefix. Does not decide whether a commit is worth
//! filing.

use super::message::Trailer;
use super::{CommitFact, keys};
use crate::doc::item::{self, Prefix};
use crate::doc::{self, Category, EntryBody, Statement, render, split_category};

/// A subject is cut from its statement at the first of these.
const SEPARATORS: [&str; 3] = [": ", " = ", " | "];

/// What a trailer states.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TrailerStatement {
    /// Something about a subject.
    Fact(CommitFact),
    /// Something without a subject.
    Item { prefix: Option<Prefix>, text: String },
}

/// What a trailer states, if its key states something and its value has a statement.
pub(super) fn of_trailer(trailer: &Trailer) -> Option<TrailerStatement> {
    let (category, prefix) = keys::states(&trailer.key)?;
    let (subject, statement, named) = parts(&trailer.value)?;
    let category = named.unwrap_or(category);
    let Some(subject) = subject else { return Some(of_item(prefix, &statement, category)) };
    let fact = written(subject.clone(), prefixed(prefix, &statement), category);
    // a subject that cannot stand in bold, such as `gen/*`, begins the statement
    Some(fact.map_or_else(
        || of_item(prefix, &format!("{subject}: {statement}"), category),
        TrailerStatement::Fact,
    ))
}

/// A statement with the prefix of its kind, unless its category says that or it has one already.
fn prefixed(prefix: Option<Prefix>, statement: &str) -> String {
    let written = item::stated(statement).prefix;
    match prefix {
        None | Some(Prefix::Rule | Prefix::Limit) => statement.to_owned(),
        Some(Prefix::Decision) if written.is_some() => statement.to_owned(),
        Some(prefix) if written == Some(prefix) => statement.to_owned(),
        Some(prefix) => format!("{}: {statement}", prefix.as_str()),
    }
}

/// An item. Its category, which it cannot have, is its kind where the key has none.
fn of_item(prefix: Option<Prefix>, text: &str, category: Category) -> TrailerStatement {
    let stated = item::stated(text);
    let of_category = match category {
        Category::Convention => Some(Prefix::Rule),
        Category::Environment => Some(Prefix::Limit),
        _ => None,
    };
    TrailerStatement::Item { prefix: prefix.or(stated.prefix).or(of_category), text: stated.text.to_owned() }
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

/// The fact as one of an entry reads back. A statement that would read as something else is escaped.
fn written(subject: String, statement: String, category: Category) -> Option<CommitFact> {
    let escaped = format!("\\{statement}");
    [statement, escaped].into_iter().find_map(|statement| {
        let fact = Statement { subject: Some(subject.clone()), statement, category: Some(category) };
        let content = EntryBody { facts: vec![fact], ..EntryBody::default() };
        render::body(&content).ok()?;
        let [Statement { subject, statement, category }] = content.normal().ok()?.facts.try_into().ok()?;
        let subject = Some(subject?);
        Some(CommitFact { subject, statement, category, settles: false })
    })
}

/// The subjects that the trailers supersede, each once.
pub(super) fn superseded(trailers: &[&Trailer]) -> Vec<String> {
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

    fn of(line: &str) -> Option<TrailerStatement> {
        let (key, value) = line.split_once(": ").unwrap();
        of_trailer(&Trailer { key: key.into(), value: value.trim().into() })
    }

    fn said(line: &str) -> Option<(String, String, &'static str)> {
        match of(line)? {
            TrailerStatement::Fact(stated) => {
                Some((stated.subject?, stated.statement, stated.category?.as_str()))
            }
            TrailerStatement::Item { .. } => None,
        }
    }

    #[test]
    fn what_has_no_subject_is_an_item_with_the_prefix_of_its_kind() {
        for (line, prefix, text) in [
            ("Fact: builds are offline", None, "builds are offline"),
            ("Fact: builds are offline [environment]", Some(Prefix::Limit), "builds are offline"),
            ("Learned: builds are offline [Convention]", Some(Prefix::Rule), "builds are offline"),
            ("Decision: no queue [team]", Some(Prefix::Decision), "no queue"),
            ("Convention: lower case", Some(Prefix::Rule), "lower case"),
            ("Limit: 20 MB", Some(Prefix::Limit), "20 MB"),
            ("Ruled-out: a queue", Some(Prefix::Rejected), "a queue"),
            ("Warn: slow", Some(Prefix::Warning), "slow"),
            ("Fact: : x", None, "x"),
            // a subject that cannot be bold begins the text
            ("Decision: gen/*: is generated", Some(Prefix::Decision), "gen/*: is generated"),
        ] {
            assert_eq!(of(line), Some(TrailerStatement::Item { prefix, text: text.to_owned() }), "{line}");
        }
    }

    #[test]
    fn each_key_has_its_category_and_its_beginning() {
        for (line, subject, statement, category) in [
            ("Decision: errors: end with a stop", "errors", "decision: end with a stop", "project"),
            ("Fact: pool size: 12 per core", "pool size", "12 per core", "project"),
            ("decision: cache = kept in memory", "cache", "decision: kept in memory", "project"),
            ("LEARNED: proxy | drops idle sockets", "proxy", "drops idle sockets", "project"),
            ("Convention: tests: named by what holds", "tests", "named by what holds", "convention"),
            ("Directive: errors: lower case", "errors", "lower case", "convention"),
            ("Constraint: kernel: 5.4 or newer", "kernel", "5.4 or newer", "environment"),
            ("Limit: upload: 20 MB", "upload", "20 MB", "environment"),
            ("Rejected: queue | needs a broker", "queue", "rejected: needs a broker", "project"),
            ("Ruled-out: queue: rejected: slow", "queue", "rejected: slow", "project"),
            ("Decision: cache: rejected: redis", "cache", "rejected: redis", "project"),
            ("Rejected: cache: limit: too slow", "cache", "rejected: limit: too slow", "project"),
            ("Warn: clock: jumps on resume", "clock", "warning: jumps on resume", "project"),
            ("Warning: clock: jumps [team]", "clock", "warning: jumps", "team"),
            ("Limit: upload: 20 MB [Other]", "upload", "20 MB", "other"),
            ("Fact: url = http://a: b | c", "url", "http://a: b | c", "project"),
            ("Fact: **bold**: x", "bold", "x", "project"),
            ("Fact: **bold:** x [team]", "bold", "x", "team"),
            ("Fact: a: [draft]", "a", "[draft]", "project"),
        ] {
            let expected = (subject.to_owned(), statement.to_owned(), category);
            assert_eq!(said(line), Some(expected), "{line}");
        }
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
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn a_statement_reads_back_as_it_is() {
        for value in ["- item", "# heading", "> quote", "<!-- open", "1. one", "a **b** c", "```", "x\\"] {
            let Some((subject, statement, _)) = said(&format!("Fact: a: {value}")) else { continue };
            let facts = vec![Statement { subject: Some(subject), statement, category: None }];
            let content = EntryBody { facts, ..EntryBody::default() };
            assert!(render::body(&content).is_ok(), "{value}");
        }
        assert!(said("Fact: a: <!-- open").is_some() && said("Fact: a: - item").is_some());
    }

    #[test]
    fn superseded_subjects_are_listed_once() {
        let trailer = |value: &str| Trailer { key: "SUPERSEDES".into(), value: value.into() };
        let trailers = ["Token lifetime", "token  lifetime", "", "**b** [team]"].map(trailer);
        assert_eq!(superseded(&trailers.iter().collect::<Vec<_>>()), ["Token lifetime", "b"]);
    }
}
