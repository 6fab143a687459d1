//! The digest of one curated file: everything its companions and the indices above it need.
//!
//! Depends on the file's bytes and on whether it is an entry or a node overview, not on its path, so that it can be
//! cached by content. Knows no other file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::inline::{code, cut, flat};
use super::reading::{DigestStatement, DocumentReading, read};
use super::roles::{Role, cue};
use super::salience::{Room, TermVector, TermWeights, Unit, cosine, select};
use super::tokens::{count, tokens_of, tokens_of_file};
use super::{Input, SOURCE_CHARS};
use crate::doc::{Document, Status, may_archive, without_archive_records};
use crate::words::{Term, is_unspaced, terms_of};
use brv_base::content::ContentId;
use brv_base::path::PathKind;

/// The maximum number of points in a digest: an overview has 3 to 7.
const POINTS: usize = 7;

/// The worth that a statement needs to become a point once there are three.
const FLOOR: f32 = 0.36;

/// The bonus of a pinned entry: more than the worth of any statement.
const PINNED: u32 = 10_000;

/// The longest gist, in characters.
const GIST_CHARS: usize = 240;

/// Everything that is kept of a curated file.
///
/// All texts are one line of inline markdown in which nothing can make structure except at the very beginning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    #[serde(with = "super::condensate::hex")]
    pub id: ContentId,
    /// The title field or first heading, if there is one.
    pub title: Option<String>,
    /// What the file is about: its summary field, a node overview's purpose, else its strongest sentence. Empty if the
    /// file has none.
    pub gist: String,
    /// The rest of a node overview's purpose, after the gist.
    pub purpose: String,
    /// `open`, `done`, `superseded` or `deprecated`, if the entry has a status.
    pub status: Option<String>,
    /// `pinned: true`.
    pub pinned: bool,
    /// The statements that are most worth knowing, best first.
    pub points: Vec<Point>,
    /// Patterns and flows, in document order.
    pub patterns: Vec<String>,
    /// The names in it: subjects, identifiers, files, keywords; most prominent first, as inline markdown.
    pub names: Vec<String>,
    /// The estimated tokens of the whole file, without the records of archived entries.
    pub tokens: u64,
    /// The items of `archived`, as written.
    pub archived: Vec<String>,
}

/// A statement chosen from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub role: Role,
    pub text: String,
    /// Its worth, in thousandths.
    pub worth: u32,
}

impl Digest {
    /// The worth of reading it compared with other entries: that of its strongest statement, in thousandths. Pinned
    /// entries come first, entries that are no longer valid last.
    pub fn worth(&self) -> u32 {
        match self.is_retired() {
            true => 0,
            false => {
                let strongest = self.points.iter().map(|point| point.worth).max().unwrap_or(0);
                1 + strongest + if self.pinned { PINNED } else { 0 }
            }
        }
    }

    /// Whether the status of the entry is that it is no longer valid.
    pub fn is_retired(&self) -> bool {
        [Status::Superseded, Status::Deprecated]
            .iter()
            .any(|word| self.status.as_deref() == Some(word.as_str()))
    }
}

/// Make the digest of a curated file. Only its first [`SOURCE_CHARS`] characters count, without the records of archived
/// entries, which may be many more.
pub fn digest_of(input: &Input<'_>) -> Digest {
    digest_of_document(input, &Document::parse(input.bytes))
}

/// The same of a file that was parsed already; `whole` has the bytes of `input`.
pub fn digest_of_document(input: &Input<'_>, whole: &Document) -> Digest {
    if input.path.kind() == PathKind::NodeOverview && may_archive(input.bytes) {
        let archived = whole.meta().archived;
        if let Some(rest) = without_archive_records(whole) {
            let rest = rest.as_bytes();
            let first = Document::parse(first_lines(rest, SOURCE_CHARS));
            return Digest { archived, ..digest_of_first(&Input { bytes: rest, ..*input }, &first) };
        }
    }
    let first = first_lines(input.bytes, SOURCE_CHARS);
    match first.len() == input.bytes.len() {
        true => digest_of_first(input, whole),
        false => digest_of_first(input, &Document::parse(first)),
    }
}

fn digest_of_first(input: &Input<'_>, first: &Document) -> Digest {
    let reading = read(first);
    let topic = topic_terms(&reading);
    // sorted once, so that what sorts them again is soon done
    let sorted = |text: &str| {
        let mut terms = terms_of(text);
        terms.sort_unstable();
        terms
    };
    let terms: Vec<Vec<Term>> = reading.statements.iter().map(|found| sorted(&found.text)).collect();
    let weights = TermWeights::of(terms.iter().map(Vec::as_slice).chain([topic.as_slice()]));
    let units = units(&reading, &terms, &weights, &topic);
    let gist = gist(&reading, &units);
    let said: Vec<TermVector> = [&gist].iter().map(|text| weights.vector(&terms_of(text))).collect();
    let tokens = tokens_of_file(input.bytes);
    let count = points_for(tokens);
    let open = worthwhile(&reading.statements, &units);
    let worthy: Vec<Unit> = open.iter().map(|at| units[*at].clone()).collect();
    let chosen = select(&worthy, &said, Room { cost: count as u32 * 45, count });
    let point = |at: usize| Point {
        role: reading.statements[at].role,
        text: reading.statements[at].text.clone(),
        worth: (units[at].reward * 1000.0) as u32,
    };
    Digest {
        id: input.id,
        purpose: purpose(&reading, &gist),
        points: chosen.into_iter().map(|at| point(open[at])).collect(),
        patterns: patterns(&reading),
        names: names(&reading),
        status: reading.meta.status.map(|status| status.as_str().to_owned()),
        pinned: reading.meta.pinned,
        title: reading.title,
        gist,
        tokens,
        archived: Vec::new(),
    }
}

/// The statements good enough for a point; all of them if there are few. Patterns have their own section, and tasks are
/// not points beside knowledge.
fn worthwhile(statements: &[DigestStatement], units: &[Unit]) -> Vec<usize> {
    let knows = statements.iter().any(|found| found.role.is_set_apart());
    let may = |role: Role| role != Role::Pattern && !(knows && role.is_work());
    let all: Vec<usize> = (0..units.len()).filter(|at| may(statements[*at].role)).collect();
    let worth: Vec<usize> = all.iter().copied().filter(|at| units[*at].reward >= FLOOR).collect();
    if worth.len() < 3 { all } else { worth }
}

/// The lines within the first `count` characters of bytes that should be UTF-8; whole words of a line that is longer.
fn first_lines(bytes: &[u8], count: usize) -> &[u8] {
    if bytes.len() <= count {
        return bytes;
    }
    let mut starts = bytes.iter().enumerate().filter(|(_, byte)| **byte & 0xc0 != 0x80);
    let Some((end, _)) = starts.nth(count) else { return bytes };
    let first = &bytes[..end];
    let last = |wanted: u8| first.iter().rposition(|byte| *byte == wanted);
    last(b'\n').or_else(|| last(b' ')).map_or(first, |at| &first[..=at])
}

/// The number of points: 3 to 7, more for longer files.
fn points_for(tokens: u64) -> usize {
    (2 + tokens as usize / 90).clamp(3, POINTS)
}

fn topic_terms(reading: &DocumentReading) -> Vec<Term> {
    let meta = &reading.meta;
    let mut topic = reading.headings.clone();
    let title = reading.title.as_deref().into_iter().chain(meta.summary.as_deref());
    for text in title.chain(meta.tags.iter().chain(&meta.keywords).map(String::as_str)) {
        topic.push_str(text);
        topic.push(' ');
    }
    terms_of(&topic)
}

/// Each statement with its vector and its worth: by location, title and cue, as the module's documentation explains.
fn units(reading: &DocumentReading, terms: &[Vec<Term>], weights: &TermWeights, topic: &[Term]) -> Vec<Unit> {
    let topic = weights.vector(topic);
    let mut seen = None;
    let unit = |(statement, terms): (&DigestStatement, &Vec<Term>)| {
        let vector = weights.vector(terms);
        let leads = seen != Some(statement.section);
        seen = Some(statement.section);
        let about = 0.6 + 0.8 * cosine(&vector, &topic);
        let place = if leads && statement.role == Role::Statement { 1.15 } else { 1.0 };
        let reward = statement.role.worth()
            * about
            * place
            * cue(&statement.text)
            * wholeness(statement)
            * fullness(&statement.text, terms.len());
        Unit { vector, cost: (tokens_of(&statement.text) as u32).max(8), reward, group: statement.section }
    };
    reading.statements.iter().zip(terms).map(unit).collect()
}

/// Prose that begins in lower case is a fragment: its sentence began earlier.
fn wholeness(statement: &DigestStatement) -> f32 {
    let fragment = statement.text.chars().next().is_some_and(char::is_lowercase);
    if fragment && matches!(statement.role, Role::Statement | Role::Change) { 0.6 } else { 1.0 }
}

/// Very short statements say little, very long ones too much, and those made of code are hard to read alone.
fn fullness(text: &str, terms: usize) -> f32 {
    // two characters of a script without spaces make a word, and each begins a pair
    let (pairs, chars) = match text.is_ascii() {
        true => (0, text.len()),
        false => (text.chars().filter(|c| is_unspaced(*c)).count().min(terms) / 2, text.chars().count()),
    };
    let length = match terms - pairs {
        0..3 => 0.4,
        3 => 0.6,
        4 => 0.75,
        5 => 0.9,
        _ if chars > 220 => 0.85,
        _ => 1.0,
    };
    let is_tick = |byte: u8| matches!(byte, b'`' | b'{' | b'}' | b'=' | b'/' | b'\\');
    let ticks = count(text.as_bytes(), is_tick);
    if ticks * 12 > chars { length * 0.75 } else { length }
}

fn gist(reading: &DocumentReading, units: &[Unit]) -> String {
    let summary = reading.meta.summary.as_deref().map(flat).filter(|text| !text.is_empty());
    let purpose = || reading.purpose.first().cloned();
    let best = || {
        // the strongest sentence of prose; a rule or fact only if there is none, and a task last
        let better = |speaks: fn(Role) -> bool| {
            let texts = reading.statements.iter().zip(units).filter(|(found, _)| speaks(found.role));
            let best = texts.fold(None::<(&DigestStatement, f32)>, |best, (found, unit)| match best {
                Some((_, worth)) if worth >= unit.reward => best,
                _ => Some((found, unit.reward)),
            });
            best.map(|(found, _)| found.text.clone())
        };
        let prose = better(|role| role == Role::Statement);
        prose.or_else(|| better(|role| !role.is_work())).or_else(|| better(Role::is_work))
    };
    let task = || {
        let mut tasks = reading.statements.iter().filter(|found| found.role == Role::Task);
        tasks.next().map(|found| found.text.clone())
    };
    let gist = summary.or_else(purpose).or_else(task).or_else(best).or_else(|| reading.code_gist());
    gist.or_else(|| reading.title.clone()).map(|text| cut(&text, GIST_CHARS)).unwrap_or_default()
}

fn purpose(reading: &DocumentReading, gist: &str) -> String {
    let rest = reading.purpose.iter().filter(|sentence| *sentence != gist);
    cut(&rest.map(String::as_str).collect::<Vec<_>>().join(" "), 2 * GIST_CHARS)
}

fn patterns(reading: &DocumentReading) -> Vec<String> {
    let found = reading.statements.iter().filter(|found| found.role == Role::Pattern);
    found.map(|found| cut(&found.text, 200)).filter(|text| !text.is_empty()).take(4).collect()
}

/// The most prominent names, by how often and where something is named.
fn names(reading: &DocumentReading) -> Vec<String> {
    let mut found = NameCounts::default();
    for keyword in reading.meta.keywords.iter().chain(&reading.meta.tags) {
        found.add(&flat(keyword), 3);
    }
    for subject in &reading.subjects {
        found.add(subject, 2);
    }
    for file in &reading.files {
        found.add(&code(file), 2);
    }
    for statement in &reading.statements {
        for span in statement.text.split('`').skip(1).step_by(2) {
            if (2..=40).contains(&span.chars().count()) && !span.contains(' ') {
                found.add(&code(span), 2);
            }
        }
    }
    found.most_prominent(12)
}

#[derive(Default)]
struct NameCounts {
    /// By the name in lower case without backticks: weight, order of first occurrence, the name as first written.
    found: BTreeMap<String, (u32, usize, String)>,
}

impl NameCounts {
    fn add(&mut self, name: &str, weight: u32) {
        let key = name.trim_matches('`').to_lowercase();
        if key.is_empty() || name.chars().count() > 60 {
            return;
        }
        let order = self.found.len();
        let entry = self.found.entry(key).or_insert_with(|| (0, order, name.to_owned()));
        entry.0 += weight;
    }

    fn most_prominent(self, count: usize) -> Vec<String> {
        let mut names: Vec<_> = self.found.into_values().collect();
        names.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        names.into_iter().take(count).map(|(_, _, name)| name).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{abstract_of, overview_of};
    use super::*;
    use brv_base::path::TreePath;

    pub(crate) fn digest(path: &str, text: &str) -> Digest {
        let path = TreePath::parse(path.as_bytes()).expect("a portable path");
        digest_of(&Input { path: &path, id: ContentId::of(text.as_bytes()), bytes: text.as_bytes() })
    }

    pub(crate) const ENTRY: &str = "---\ntitle: \"JWT Token Generation\"\nsummary: \"Access and refresh tokens with RS256 signing\"\ntags: [auth]\nkeywords: [token, RS256]\n---\n\n## Raw Concept\n\n**Task:**\nJWT token generation and rotation pattern\n\n**Files:**\n- src/auth/jwt.ts\n\n**Flow:**\nLogin → validate → pair\n\n## Narrative\n\n### Structure\nAccess and refresh tokens are generated as a pair on every login. The weather was nice that day.\n\n### Rules\n- Access tokens must expire after 24 hours\n- Refresh tokens are single-use with rotation\n\n### Examples\n```typescript\nfunction generateTokens(userId: string) {}\n```\n\n## Facts\n- **jwt_secret**: Access tokens are signed with RS256 algorithm [convention]\n- Token pairs are stored in the database for revocation tracking [project]\n";

    #[test]
    fn an_entry_is_told_by_its_summary_rules_and_facts() {
        let digest = digest("auth/jwt.md", ENTRY);
        assert_eq!(digest.title.as_deref(), Some("JWT Token Generation"));
        assert_eq!(digest.gist, "Access and refresh tokens with RS256 signing");
        let texts: Vec<&str> = digest.points.iter().map(|point| point.text.as_str()).collect();
        assert!(texts.contains(&"Access tokens must expire after 24 hours"), "{texts:?}");
        assert!(!texts.iter().any(|text| text.contains("weather")), "{texts:?}");
        assert_eq!(digest.patterns, ["Login → validate → pair"]);
        assert!(digest.names.contains(&"`src/auth/jwt.ts`".to_owned()), "{:?}", digest.names);
    }

    const TASKS: &str = "---\ntitle: Refund rules\n---\n\n## Tasks\n- [ ] Write the runbook for partial refunds\n- [x] Always ask finance about the rounding of refunds\n- Look at gift cards one day\n";

    #[test]
    fn tasks_are_no_points_beside_rules_and_facts_and_keep_their_box_alone() {
        let rules = "\n## Rules\n- Never refund more than was captured\n- Refunds above 500 EUR must be approved by two people\n\n## Facts\n- **refund_window**: Refunds are accepted for 30 days [project]\n- **ledger**: Every refund is booked in the ledger service [project]\n- [ ] check the refund window with the lawyers\n";
        for text in [
            format!("{TASKS}{rules}"),
            format!("{TASKS}\n## Raw Concept\n\n**Highlights:**\n- Refunds stay cheap\n"),
        ] {
            let digest = digest("a/b.md", &text);
            assert!(digest.gist.contains("Refunds"), "{}", digest.gist);
            assert!(!digest.points.is_empty() || digest.gist.contains("cheap"));
            assert!(digest.points.iter().all(|point| !point.role.is_work()), "{:?}", digest.points);
            assert!(
                !overview_of(&digest).text.contains("runbook")
                    && !abstract_of(&digest).text.contains("runbook")
            );
        }
        let alone = digest("a/b.md", TASKS);
        assert!(alone.gist.starts_with("[x] Always ask"), "{}", alone.gist);
        let longer = digest("a/b.md", &format!("{TASKS}\n```\n{}\n```\n", "code ".repeat(90)));
        let overview = overview_of(&longer).text;
        assert!(overview.contains("\n- [ ] Write the runbook for partial refunds\n"), "{overview}");
        assert!(abstract_of(&alone).text.contains("Refund rules: [x] Always ask"));
    }

    #[test]
    fn what_is_read_ends_with_a_whole_line() {
        let long = format!(
            "# T\n\n{}\nThe copy of all objects took 5.3–8.4 s on every host.\n",
            "word ".repeat(3993)
        );
        assert!(long.chars().count() > SOURCE_CHARS);
        assert!(!format!("{:?}", digest("a/b.md", &long)).contains("The copy"));
    }

    #[test]
    fn poor_files_still_say_something() {
        for (text, gist) in [
            ("Just one remark about tokens.", "Just one remark about tokens."),
            ("# Deploy\n\n```sh\nmake deploy\n```\n", "Code (sh): `make deploy`"),
            ("---\nsummary: '# not a heading'\n---\n", "# not a heading"),
            ("# Only a heading\n", "Only a heading"),
            ("", ""),
            ("---\ntitle: unclosed\n", "unclosed"),
            ("天文台では毎晩観測を行う。", "天文台では毎晩観測を行う。"),
        ] {
            assert_eq!(digest("a/b.md", text).gist, gist, "{text}");
        }
    }

    #[test]
    fn only_the_first_characters_count_and_hostile_lengths_end() {
        let long = format!(
            "# T\n\nThe beginning says this here. {}\n\nThe end says that there.\n",
            "x ".repeat(10_000)
        );
        assert!(!format!("{:?}", digest("a/b.md", &long)).contains("The end"));
        for unit in ["`", "[", "<!--", "**", "a. ", "A! ", "(", "- ", "> ", "|", "\u{3042}。"] {
            let text = unit.repeat((1 << 20) / unit.len());
            assert_eq!(digest("a/b.md", &text).tokens, tokens_of(&text));
        }
    }
}
