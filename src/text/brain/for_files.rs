//! What is known of files of the code: the statements of the entries that are about them, the most urgent first, as many as
//! fit.
//!
//! A statement is a fact, a rule, another item of a list or a paragraph; it is shown whole or not at all. Entries come in with
//! the reason why they are about the files; who found them, and how fresh they are, is not known here.

use super::room::tokens;
use crate::doc::{self, BlockKind, Category, Document, Fact, Status};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_base::sorting;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The most that the document has, in tokens of four characters.
pub const MOST_TOKENS: u64 = 800;

/// The longest paragraph that is shown, in characters.
const MOST_PROSE: usize = 600;

/// Why an entry is about a file, the strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WhyForFile")]
pub enum Why {
    /// It cites the file.
    CitesFile,
    /// A commit of the code that it learned from changed the file.
    SourceCommit,
    /// It cites the nearest folder above the file that any entry cites.
    CitesFolder,
}

/// An entry that is about the files.
pub struct Known {
    pub path: TreePath,
    pub blob: ContentId,
    pub why: Why,
    pub document: Document,
    /// What a reader is told if the code moved on.
    pub stale: Option<String>,
    /// Why a change of it waits for review.
    pub pending: Vec<String>,
}

/// The paths that an entry cites, files and folders, as written.
pub fn cited(document: &Document) -> Vec<String> {
    let found = crate::stale::cited_and_spans(document);
    let mut paths: BTreeSet<String> = found.paths.into_iter().collect();
    let folders = |written: &str| {
        let written = written.trim().strip_prefix("./").unwrap_or(written.trim());
        let folder = written.strip_suffix('/')?;
        let is_plain =
            !folder.contains(['*', '?', ' ', '\\', ':', '<', '>', '\t', '\n']) && !folder.starts_with('/');
        let has_parts = folder.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        (is_plain && has_parts).then(|| folder.to_owned())
    };
    paths.extend(found.names.iter().filter_map(|name| folders(name)));
    paths.into_iter().collect()
}

/// Whether nobody should rely on an entry any more.
pub fn is_retired(document: &Document) -> bool {
    matches!(document.meta().status, Some(Status::Superseded | Status::Deprecated))
}

/// How soon a statement has to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    Warning,
    /// A way that was tried or weighed, and is not to be taken.
    Rejected,
    Constraint,
    Disputed,
    Plain,
    /// What the entry is about, if nothing of it is said otherwise.
    Gist,
    /// What else it says, while there is room.
    Prose,
}

struct Statement {
    text: String,
    urgency: Urgency,
    /// Whether it names one of the files.
    names_file: bool,
}

/// What is shown: the text, and the entries in it by their places, in order.
pub struct Shown {
    pub document: String,
    pub entries: Vec<usize>,
}

/// The document about `files`, with as much of the entries as fits into the budget; empty without entries.
pub fn document(files: &[String], known: &[Known], budget: u64) -> Shown {
    let all: Vec<Vec<Statement>> = known.iter().map(|entry| statements(&entry.document, files)).collect();
    let mut order: Vec<(usize, usize)> =
        all.iter().enumerate().flat_map(|(at, of)| (0..of.len()).map(move |number| (at, number))).collect();
    sorting::sort_by_key(&mut order, |(at, number)| {
        let (statement, why) = (&all[*at][*number], known[*at].why);
        // what names the file counts, wherever it stands
        let why = if statement.names_file { Why::CitesFile } else { why };
        (statement.urgency >= Urgency::Gist, why, statement.urgency, !statement.names_file, *at, *number)
    });
    let head = format!("# Known of {}\n", shown_files(files));
    let mut left = (budget as usize * 4).saturating_sub(head.chars().count());
    let mut chosen: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, number) in order {
        let statement = &all[at][number];
        let place = chosen.iter().position(|(entry, _)| *entry == at);
        if statement.urgency == Urgency::Gist && place.is_some() {
            continue;
        }
        let heading = if place.is_none() { heading(&known[at]).chars().count() } else { 0 };
        let cost = heading + statement.text.chars().count() + 3;
        if cost > left {
            continue;
        }
        left -= cost;
        match place {
            Some(place) => chosen[place].1.push(number),
            None => chosen.push((at, vec![number])),
        }
    }
    if chosen.is_empty() {
        return Shown { document: String::new(), entries: Vec::new() };
    }
    let mut text = head;
    for (at, numbers) in &chosen {
        text.push_str(&heading(&known[*at]));
        for statement in numbers.iter().map(|number| &all[*at][*number]) {
            text.push_str(&format!("- {}\n", statement.text));
        }
    }
    debug_assert!(tokens(&text) <= budget);
    Shown { document: text, entries: chosen.into_iter().map(|(at, _)| at).collect() }
}

fn shown_files(files: &[String]) -> String {
    let first: Vec<String> = files.iter().take(3).map(|file| format!("`{file}`")).collect();
    let rest = if files.len() > 3 { format!(" and {} more", files.len() - 3) } else { String::new() };
    format!("{}{rest}", first.join(", "))
}

fn heading(entry: &Known) -> String {
    let title = entry.document.title().map(|title| flat(&title)).unwrap_or_default();
    let mut text = format!("\n## {title} (`{}`)\n", entry.path).replace("##  (", "## (");
    if let Some(stale) = &entry.stale {
        text.push_str(&format!("{stale}\n"));
    }
    if !entry.pending.is_empty() {
        text.push_str(&format!("pending review: {}\n", entry.pending.join(", ")));
    }
    text.push('\n');
    text
}

/// What an entry states, in its order; the gist last.
fn statements(document: &Document, files: &[String]) -> Vec<Statement> {
    let names: Vec<&str> = files.iter().map(|file| file.rsplit('/').next().unwrap_or(file)).collect();
    let names_file = |text: &str| names.iter().any(|name| text.contains(name));
    let mut found = disputes(document);
    let disputed: Vec<String> = doc::disputes(document).into_iter().map(|dispute| dispute.subject).collect();
    for (fact, place) in stated(document) {
        let is_disputed = |subject: &String| disputed.iter().any(|one| doc::is_same_subject(one, subject));
        if place == Place::Facts && fact.subject.as_ref().is_some_and(is_disputed) {
            continue;
        }
        let (text, urgency) = (text_of(&fact), urgency(&fact, place));
        let names_file = names_file(&text);
        let is_prose = urgency == Urgency::Plain && place != Place::Facts && !names_file;
        found.push(Statement { text, urgency: if is_prose { Urgency::Prose } else { urgency }, names_file });
    }
    for statement in &mut found {
        statement.names_file |= names_file(&statement.text);
    }
    let summary = document.meta().summary.map(|summary| flat(&summary)).filter(|summary| !summary.is_empty());
    if let Some(text) = summary.or_else(|| stated(document).next().map(|(fact, _)| text_of(&fact))) {
        found.push(Statement { text, urgency: Urgency::Gist, names_file: false });
    }
    found
}

/// Each disputed subject with all of its claims.
fn disputes(document: &Document) -> Vec<Statement> {
    let statement = |dispute: doc::Dispute| {
        let claims: Vec<String> = dispute.claims.iter().map(|claim| flat(&claim.statement)).collect();
        let text = format!("disputed **{}**: {}", flat(&dispute.subject), claims.join(" · or · "));
        Statement { text, urgency: Urgency::Disputed, names_file: false }
    };
    doc::disputes(document).into_iter().map(statement).collect()
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Facts,
    Rules,
    Elsewhere,
}

/// The list items and short paragraphs outside of the Raw Concept, each read as a fact.
fn stated(document: &Document) -> impl Iterator<Item = (Fact, Place)> + '_ {
    let (outline, body) = (document.outline(), document.body());
    let sections = outline.sections().iter().enumerate();
    sections.flat_map(move |(at, section)| {
        let path = outline.path(at);
        let has = |title: &str| path.iter().any(|one| doc::bare_title(one).eq_ignore_ascii_case(title));
        let place = match () {
            () if has("facts") => Some(Place::Facts),
            () if has("raw concept") => None,
            () if has("rules") => Some(Place::Rules),
            () => Some(Place::Elsewhere),
        };
        let blocks = outline.blocks()[section.blocks.clone()].iter();
        blocks.filter_map(move |block| {
            let place = place?;
            let text = &body[block.content.clone()];
            let fact = match block.kind {
                BlockKind::Item { .. } => doc::fact(text)?,
                BlockKind::Paragraph if text.chars().count() <= MOST_PROSE => doc::fact(text)?,
                _ => return None,
            };
            Some((fact, if matches!(block.kind, BlockKind::Paragraph) { Place::Elsewhere } else { place }))
        })
    })
}

fn text_of(fact: &Fact) -> String {
    let category = fact.category.map(|category| format!(" [{}]", category.as_str())).unwrap_or_default();
    match &fact.subject {
        Some(subject) => format!("**{}**: {}{category}", flat(subject), flat(&fact.statement)),
        None => format!("{}{category}", flat(&fact.statement)),
    }
}

fn urgency(fact: &Fact, place: Place) -> Urgency {
    let statement = fact.statement.to_lowercase();
    let subject = fact.subject.as_deref().unwrap_or_default().to_lowercase();
    let begins = |words: &[&str]| {
        let has =
            |text: &str| words.iter().any(|word| text.trim_start_matches(['*', '_', '`']).starts_with(word));
        has(&statement) || has(&subject)
    };
    if begins(&["warning", "warn:", "caution", "danger", "beware"]) {
        return Urgency::Warning;
    }
    if begins(&["rejected", "ruled out", "ruled-out"]) {
        return Urgency::Rejected;
    }
    let mut words = statement.split(|char: char| !char.is_alphanumeric() && char != '\'');
    let is_strict = words
        .any(|word| ["must", "never", "always", "forbidden", "don't", "cannot"].contains(&word))
        || statement.contains("do not ")
        || statement.contains("not allowed");
    match is_strict || place == Place::Rules || fact.category == Some(Category::Environment) {
        true => Urgency::Constraint,
        false => Urgency::Plain,
    }
}

/// A text on one line, without control characters.
fn flat(text: &str) -> String {
    let visible = |char: char| if char.is_control() { ' ' } else { char };
    text.chars().map(visible).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(path: &str, why: Why, text: &str) -> Known {
        Known {
            path: TreePath::parse(path.as_bytes()).unwrap(),
            blob: ContentId::of(text.as_bytes()),
            why,
            document: Document::parse(text),
            stale: None,
            pending: Vec::new(),
        }
    }

    fn shown(entries: &[Known]) -> Shown {
        document(&["src/net/retry.rs".to_owned()], entries, MOST_TOKENS)
    }

    #[test]
    fn the_most_urgent_comes_first_and_all_claims_of_a_dispute_stand_together() {
        let text = "---\ntitle: Retries\ndisputed: [most]\n---\n## Narrative\n### Rules\n- one at a time\n## Facts\n- **plain**: blue\n- **most**: 3\n- **port**: 80 [environment]\n- **most**: 5\n- **way**: rejected: a queue\n- **load**: warning: doubles it\n";
        let found = shown(&[known("net/a.md", Why::CitesFile, text)]);
        let lines: Vec<&str> = found.document.lines().filter(|line| line.starts_with('-')).collect();
        assert_eq!(
            lines,
            [
                "- **load**: warning: doubles it",
                "- **way**: rejected: a queue",
                "- one at a time",
                "- **port**: 80 [environment]",
                "- disputed **most**: 3 · or · 5",
                "- **plain**: blue",
            ]
        );
        assert!(found.document.starts_with("# Known of `src/net/retry.rs`\n\n## Retries (`net/a.md`)\n\n- "));
    }

    #[test]
    fn what_cites_the_file_comes_before_its_commit_and_its_folder_and_nothing_is_cut() {
        let many = |word: &str| {
            let facts: String =
                (0..60).map(|at| format!("- **{word} {at}**: must be so, number {at}\n")).collect();
            format!("# {word}\n\n## Facts\n{facts}")
        };
        let entries = [
            known("c.md", Why::CitesFolder, &many("folder")),
            known("b.md", Why::SourceCommit, &format!("{}- **x**: retry.rs is slow\n", many("commit"))),
            known("a.md", Why::CitesFile, &many("file")),
        ];
        let found = shown(&entries);
        assert!(tokens(&found.document) <= MOST_TOKENS);
        assert_eq!(found.entries, [2, 1], "the folder has no room");
        assert!(found.document.contains("retry.rs is slow"), "{}", found.document);
        for line in found.document.lines().filter(|line| line.starts_with("- **file")) {
            let number = line.rsplit(' ').next().unwrap();
            assert!(line.starts_with(&format!("- **file {number}**")), "{line}");
        }
    }

    #[test]
    fn an_entry_without_facts_is_shown_by_its_summary_and_nothing_known_is_empty() {
        let entry =
            known("a.md", Why::CitesFolder, "---\ntitle: A\nsummary: what it is\n---\nSee `src/net/`.\n");
        let mut stale = known("b.md", Why::CitesFile, "# B\n\nAbout retry.rs only.\n");
        (stale.stale, stale.pending) = (Some("gone since 1234567: x".into()), vec!["pinned".into()]);
        let text = shown(&[entry, stale]).document;
        assert!(text.ends_with("\n## A (`a.md`)\n\n- what it is\n- See `src/net/`.\n"), "{text}");
        assert!(text.contains(
            "## B (`b.md`)\ngone since 1234567: x\npending review: pinned\n\n- About retry.rs only.\n"
        ));
        assert_eq!(shown(&[]).document, "");
    }

    #[test]
    fn files_and_folders_are_cited() {
        let text = "## Raw Concept\n**Files:**\n- src/a.rs\n- src/net/\n\n## Facts\n- see `./docs/` and `lib/b.rs:12`, not `*/x/`\n";
        assert_eq!(cited(&Document::parse(text)), ["docs", "lib/b.rs", "src/a.rs", "src/net"]);
        assert!(is_retired(&Document::parse("---\nstatus: superseded\n---\n")));
    }
}
