//! What is known of files of the code: the statements of the entries that are about them, the best first, at most nine.
//!
//! A statement counts more the fewer files the commit changed that it was learned from, or else the fewer files its entry
//! cites. It is shown whole or not at all. Entries come in with the reason why they are about the files; who found them, and
//! how fresh they are, is not known here.

mod announced;
mod code;
mod links;
mod names;
mod rank;
mod spoken;

use super::left::Left;
use super::month::Month;
use super::room::tokens;
use crate::doc::Document;
use crate::judge::lists::is_side;
use crate::stale::Freshness;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// What has no more words than this is not left out as a part of something longer.
const FEW_WORDS: usize = 6;

/// The most that the document has, in tokens of four characters.
pub const MOST_TOKENS: u64 = 800;

/// The most about files that change beside others, such as a change log.
const MOST_OF_SIDE: u64 = 300;

/// The most statements.
const MOST: usize = 9;

/// Why an entry is about a file, the strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WhyForFile")]
pub enum RelevanceReason {
    /// It cites the file.
    CitesFile,
    /// A commit of the code that it learned from changed the file.
    SourceCommit,
    /// It cites the nearest folder above the file that any entry cites.
    CitesFolder,
}

impl RelevanceReason {
    /// As in a sentence.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CitesFile => "cites the file",
            Self::SourceCommit => "learned from a commit of the file",
            Self::CitesFolder => "cites a folder above the file",
        }
    }
}

/// An entry that is about the files.
pub struct RelevantEntry {
    pub path: TreePath,
    pub blob: ContentId,
    pub why: RelevanceReason,
    pub document: Document,
    /// When it changed last.
    pub changed: Month,
    /// From 1 to 5.
    pub importance: u8,
    /// The commits that it learned from, the newest first.
    pub learned: Vec<LearnedCommit>,
    /// What became of the code that it cites, once that was looked at.
    pub freshness: Option<Freshness>,
    /// Why a change of it waits for review.
    pub pending: Vec<String>,
    /// Its statements whose commits are on no branch of the code.
    pub left: Vec<Left>,
}

/// What an entry learned from a commit of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedCommit {
    /// The titles of the statements that came with it.
    pub titles: Vec<String>,
    /// How many files the commit changed.
    pub files: usize,
    /// Whether one of the requested files is among them.
    pub is_about: bool,
}

impl RelevantEntry {
    /// The line shown if the code moved on.
    pub fn stale(&self) -> Option<String> {
        self.freshness.as_ref().and_then(Freshness::line)
    }
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
    paths.extend(links::linked(document.body()));
    paths.into_iter().collect()
}

/// What is shown: the text, and the entries in it by their places, in order.
#[derive(Debug, Default)]
pub struct ForFilesPage {
    pub document: String,
    pub entries: Vec<usize>,
    /// For each entry the branch of its first shown statement whose commit is on no branch of the code.
    pub unmerged: Vec<Option<Option<String>>>,
}

/// The request.
#[derive(Debug, Clone, Copy)]
pub struct ForFilesRequest<'a> {
    pub files: &'a [String],
    /// The texts of these files, as far as they can be read: what names something that they introduce comes first.
    pub code: &'a [String],
    /// The newest month of the tree.
    pub newest: Month,
    /// In tokens; less is shown about files that change beside others.
    pub budget: u64,
}

/// The document, with as much of the entries as fits into the budget; empty without entries.
pub fn document(asked: &ForFilesRequest<'_>, known: &[RelevantEntry]) -> ForFilesPage {
    let head = format!("# Known about {}\n", shown_files(asked.files));
    let is_side = asked.files.iter().all(|file| is_side(file));
    let budget = if is_side { asked.budget.min(MOST_OF_SIDE) } else { asked.budget };
    let mut left = (budget as usize * 4).saturating_sub(head.chars().count());
    let (mut chosen, mut seen, mut count) =
        (Vec::<(usize, Vec<rank::RankedLine>)>::new(), super::seen::ShownTexts::default(), 0);
    // with what is part of another
    let mut said: Vec<String> = Vec::new();
    for one in rank::ranked(asked, is_side, known) {
        if count == MOST {
            break;
        }
        let place = chosen.iter().position(|(entry, _)| *entry == one.at);
        let heading = if place.is_none() { heading(&known[one.at]).chars().count() } else { 0 };
        let cost = heading + one.line.chars().count() + 3;
        let normal = format!(" {} ", crate::doc::normal(&one.text));
        // a few words may stand anywhere by chance
        let is_long = normal.split_whitespace().nth(FEW_WORDS).is_some();
        let is_part = is_long && said.iter().any(|said| said.contains(&normal));
        if cost > left || is_part || !seen.add("", &one.text) {
            continue;
        }
        said.push(normal);
        (left, count) = (left - cost, count + 1);
        match place {
            Some(place) => chosen[place].1.push(one),
            None => chosen.push((one.at, vec![one])),
        }
    }
    if chosen.is_empty() {
        return ForFilesPage::default();
    }
    let mut text = head;
    for (at, lines) in &chosen {
        text.push_str(&heading(&known[*at]));
        lines.iter().for_each(|one| text.push_str(&format!("- {}\n", one.line)));
    }
    debug_assert!(tokens(&text) <= asked.budget);
    let unmerged = chosen.iter().map(|(_, lines)| lines.iter().find_map(|one| one.unmerged.clone()));
    let (unmerged, entries) = (unmerged.collect(), chosen.iter().map(|(at, _)| *at).collect());
    ForFilesPage { document: text, entries, unmerged }
}

fn shown_files(files: &[String]) -> String {
    let first: Vec<String> = files.iter().take(3).map(|file| format!("`{file}`")).collect();
    let rest = if files.len() > 3 { format!(" and {} more", files.len() - 3) } else { String::new() };
    format!("{}{rest}", first.join(", "))
}

fn heading(entry: &RelevantEntry) -> String {
    let mut text =
        format!("\n## {} (`{}`)\n", spoken::title(&entry.document), entry.path).replace("##  (", "## (");
    if let Some(stale) = entry.stale() {
        text.push_str(&format!("{stale}\n"));
    }
    if !entry.pending.is_empty() {
        text.push_str(&format!("pending review: {}\n", entry.pending.join(", ")));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month(text: &str) -> Month {
        Month::parse(text).unwrap()
    }

    fn known(path: &str, why: RelevanceReason, text: &str) -> RelevantEntry {
        RelevantEntry {
            path: TreePath::parse(path.as_bytes()).unwrap(),
            blob: ContentId::of(text.as_bytes()),
            why,
            document: Document::parse(text),
            changed: month("2026-01"),
            importance: 3,
            learned: Vec::new(),
            freshness: None,
            pending: Vec::new(),
            left: Vec::new(),
        }
    }

    fn shown_of(file: &str, entries: &[RelevantEntry]) -> ForFilesPage {
        let files = [file.to_owned()];
        document(
            &ForFilesRequest { files: &files, code: &[], newest: month("2026-01"), budget: MOST_TOKENS },
            entries,
        )
    }

    fn shown(entries: &[RelevantEntry]) -> ForFilesPage {
        shown_of("src/net/retry.rs", entries)
    }

    fn lines(found: &ForFilesPage) -> Vec<&str> {
        found.document.lines().filter(|line| line.starts_with('-')).collect()
    }

    #[test]
    fn the_most_urgent_comes_first_and_all_claims_of_a_dispute_stand_together() {
        let text = "---\ntitle: Retries\ndisputed: [most]\n---\n## Narrative\n### Rules\n- one at a time\n## Facts\n- **plain**: blue\n- **most**: 3\n- **port**: 80 [environment]\n- **most**: 5\n- **way**: rejected: a queue\n- **load**: warning: doubles it\n";
        let found = shown(&[known("net/a.md", RelevanceReason::CitesFile, text)]);
        assert_eq!(
            lines(&found),
            [
                "- **load**: warning: doubles it",
                "- **most**: disputed: 3 | 5",
                "- **way**: rejected: a queue",
                "- one at a time",
                "- **port**: 80 [environment]",
                "- **plain**: blue",
            ]
        );
        assert!(
            found.document.starts_with("# Known about `src/net/retry.rs`\n\n## Retries (`net/a.md`)\n\n- ")
        );
    }

    #[test]
    fn nine_are_shown_whole_and_what_names_the_file_comes_first() {
        let many = |word: &str, count: usize| {
            let facts: String =
                (0..count).map(|at| format!("- **{word} {at}**: it must be {word} as {at}\n")).collect();
            format!("# {word}\n\n## Facts\n{facts}")
        };
        let entries = [
            known("c.md", RelevanceReason::CitesFolder, &many("folder", 30)),
            known(
                "b.md",
                RelevanceReason::CitesFolder,
                &format!("{}- **x**: retry.rs must be slow\n", many("near", 30)),
            ),
            known("a.md", RelevanceReason::CitesFile, &many("file", 30)),
        ];
        let found = shown(&entries);
        assert!(tokens(&found.document) <= MOST_TOKENS);
        assert_eq!((lines(&found).len(), &found.entries[..]), (MOST, &[1, 2][..]));
        assert_eq!(lines(&found)[0], "- **x**: retry.rs must be slow");
        let long = known(
            "a.md",
            RelevanceReason::CitesFile,
            &format!("# T\n\n## Facts\n- a: {}\n- b\n", "long ".repeat(900)),
        );
        assert_eq!(lines(&shown(&[long])), ["- b"], "nothing is cut");
    }

    #[test]
    fn a_small_commit_says_more_about_a_file_than_a_large_one_and_one_elsewhere_nothing() {
        let items = ["one", "two", "three"].map(|word| {
            format!(
                "- **{word}**: rule: The {word} must never be another, because it would break (2026-01)\n"
            )
        });
        let text = format!("# T\n\n## Narrative\n### Highlights\n{}", items.concat());
        let learned =
            |title: &str, files, is_about| LearnedCommit { titles: vec![title.into()], files, is_about };
        let all = vec![learned("one", 20, true), learned("two", 1, true), learned("three", 1, false)];
        let entry = |why| RelevantEntry { learned: all.clone(), ..known("a.md", why, &text) };
        for why in [RelevanceReason::CitesFile, RelevanceReason::SourceCommit] {
            let found = shown(&[entry(why)]);
            let titles: Vec<&str> =
                lines(&found).into_iter().filter_map(|line| line.split("**").nth(1)).collect();
            assert_eq!(titles, ["two", "one"]);
        }
        let left = |is_hidden| {
            let left = vec![Left { title: "Two".into(), branch: Some("side".into()), is_hidden }];
            lines(&shown(&[RelevantEntry { left, ..entry(RelevanceReason::CitesFile) }]))
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert!(
            left(false).last().is_some_and(|line| line.ends_with("(not on this branch)")),
            "{:?}",
            left(false)
        );
        assert!(!left(true).iter().any(|line| line.contains("**two**")), "{:?}", left(true));
        let side = |files| {
            let learned =
                vec![learned("one", files, true), learned("two", 1, false), learned("three", 1, false)];
            lines(&shown_of(
                "CHANGELOG.md",
                &[RelevantEntry { learned, ..known("a.md", RelevanceReason::SourceCommit, &text) }],
            ))
            .len()
        };
        assert_eq!([side(3), side(4)], [1, 0]);
    }

    #[test]
    fn what_two_entries_state_is_said_once_and_the_summary_only_where_there_is_nothing_else() {
        let facts = "---\ntitle: A\nsummary: what it is\n---\n## Facts\n- it tries five times and no more\n";
        let entry = known("a.md", RelevanceReason::CitesFile, facts);
        let again = known("b.md", RelevanceReason::CitesFile, &facts.replace("title: A", "title: B"));
        assert_eq!(lines(&shown(&[entry, again])), ["- it tries five times and no more"]);
        let mut stale = known("b.md", RelevanceReason::CitesFile, "---\nsummary: of retries\n---\n# B\n");
        let gone = Freshness {
            state: crate::stale::State::Changed,
            base: Some("1234567".into()),
            ..Freshness::unknown()
        };
        (stale.freshness, stale.pending) = (Some(gone), vec!["pinned".into()]);
        let text = shown(&[stale]).document;
        assert!(
            text.ends_with(
                "## B (`b.md`)\nchanged since 1234567: \npending review: pinned\n\n- of retries\n"
            ),
            "{text}"
        );
        assert_eq!(shown(&[]).document, "");
    }

    #[test]
    fn files_and_folders_are_cited() {
        let text = "## Raw Concept\n**Files:**\n- src/a.rs\n- src/net/\n\n## Facts\n- see `./docs/` and `lib/b.rs:12`, not `*/x/`\n";
        assert_eq!(cited(&Document::parse(text)), ["docs", "lib/b.rs", "src/a.rs", "src/net"]);
    }
}
