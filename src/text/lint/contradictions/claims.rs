//! What an entry claims, in as little memory as possible: a check of a whole tree holds the claims of every entry.

use super::relation::NormalStatement;
use crate::doc::{Category, Document, disputes, normal};
use brv_base::sorting;
use std::collections::BTreeSet;

/// What an entry says about its subjects, as far as others may contradict it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The texts of the claims, one after the other.
    text: Box<str>,
    /// By key, each once.
    by_subject: Box<[PackedClaim]>,
    /// The statements of the claims.
    statements: Box<[PackedStatement]>,
    /// Subjects that the entry itself lists as disputed, as written, with the line of a claim.
    pub disputed: Box<[(String, usize)]>,
    /// The files and folders that the entry says it is about, sorted, each once.
    pub(super) files: Box<[Box<str>]>,
}

/// A claim whose texts stand in one text of all: the subject in the form in which subjects are compared, the subject as it is
/// written, and the statements.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PackedClaim {
    /// Where its texts begin.
    at: u32,
    subject: u32,
    /// How long the subject is as it is written first; 0 if that is its form above.
    written: u32,
    /// The line of its first statement, from 1.
    line: u32,
    /// Its statements: the first one, and how many.
    statements: (u32, u32),
    category: Option<Category>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedStatement {
    words: u32,
    is_rejected: bool,
}

/// What an entry says about one subject.
#[derive(Debug, Clone, Copy)]
pub(super) struct SubjectClaim<'c> {
    claims: &'c Claims,
    packed: &'c PackedClaim,
}

/// A fact, before all of one key are one claim.
struct ClaimDraft {
    subject: String,
    category: Option<Category>,
    /// The subject as written, if that is not its form above.
    written: Option<String>,
    line: usize,
    said: NormalStatement,
}

/// A subject in the form in which subjects are compared, and category: what claims are found by.
pub(super) type ClaimKey<'a> = (&'a str, Option<Category>);

impl Claims {
    pub fn of(document: &Document) -> Self {
        Self::about(document, |_| true)
    }

    /// What it says about some subjects, told by the form in which they are compared.
    pub fn about(document: &Document, is_wanted: impl Fn(&str) -> bool) -> Self {
        let mut drafts: Vec<ClaimDraft> = Vec::new();
        for fact in document.facts() {
            let Some(subject) = &fact.subject else { continue };
            let key = normal(subject);
            let said = is_wanted(&key).then(|| NormalStatement::of(&fact.statement)).flatten();
            let Some(said) = said else { continue };
            drafts.push(ClaimDraft {
                written: (key != *subject).then(|| subject.clone()),
                subject: key,
                category: fact.category,
                line: document.line_of_body(fact.span.start),
                said,
            });
        }
        sorting::sort_by(&mut drafts, |one, other| one.key().cmp(&other.key()));
        let disputed = disputes(document).into_iter().map(|dispute| {
            let place = dispute.claims.first().and_then(|claim| claim.spans.first());
            (dispute.subject, place.map_or(1, |span| document.line_of_body(span.start)))
        });
        let disputed = disputed.collect();
        let files: BTreeSet<Box<str>> = match drafts.is_empty() {
            true => BTreeSet::new(),
            false => document.concept().files.iter().map(|file| file.trim_matches('/').into()).collect(),
        };
        Self { disputed, files: files.into_iter().collect(), ..packed(&drafts) }
    }

    /// Forget what is claimed about other subjects than these, in the form in which they are compared.
    pub fn keep(&mut self, subjects: &BTreeSet<String>) {
        let kept = self.all().filter(|claim| subjects.contains(claim.subject()));
        let drafts: Vec<ClaimDraft> = kept.flat_map(SubjectClaim::drafts).collect();
        let Self { text, by_subject, statements, .. } = packed(&drafts);
        (self.text, self.by_subject, self.statements) = (text, by_subject, statements);
    }

    /// Forget what is stated about the subjects at these places of [`Claims::keys`]; that something is stays known.
    pub(super) fn forget(&mut self, places: &BTreeSet<usize>) {
        if places.is_empty() {
            return;
        }
        let (mut text, mut statements) = (String::new(), Vec::new());
        let short = |length: usize| u32::try_from(length).unwrap_or_default();
        let kept = self.all().enumerate().map(|(place, claim)| {
            let (at, first) = (short(text.len()), short(statements.len()));
            text += claim.subject();
            if places.contains(&place) {
                return PackedClaim { at, written: 0, statements: (first, 0), ..claim.packed.clone() };
            }
            text += claim.text((claim.packed.at + claim.packed.subject) as usize, claim.packed.written);
            claim.statements().for_each(|(_, words)| text += words);
            statements.extend_from_slice(claim.packed_statements());
            PackedClaim { at, statements: (first, claim.packed.statements.1), ..claim.packed.clone() }
        });
        self.by_subject = kept.collect();
        (self.text, self.statements) = (text.into(), statements.into());
    }

    /// The subjects, in the form in which they are compared; one with several categories more than once.
    pub fn subjects(&self) -> impl Iterator<Item = &str> {
        self.all().map(SubjectClaim::subject)
    }

    /// What its claims are found by, sorted, each once.
    pub(super) fn keys(&self) -> impl Iterator<Item = ClaimKey<'_>> {
        self.all().map(SubjectClaim::key)
    }

    pub(super) fn claim(&self, key: ClaimKey<'_>) -> Option<SubjectClaim<'_>> {
        let of = |packed| SubjectClaim { claims: self, packed };
        let place = self.by_subject.binary_search_by(|packed| of(packed).key().cmp(&key));
        place.ok().map(|place| of(&self.by_subject[place]))
    }

    fn all(&self) -> impl Iterator<Item = SubjectClaim<'_>> {
        self.by_subject.iter().map(|packed| SubjectClaim { claims: self, packed })
    }
}

/// All statements of one key in one claim: as the first one writes the subject, at its line. `drafts` are sorted by key, and
/// those of one key in the order of the entry. Of a text that is too long for the places the rest is left out.
fn packed(drafts: &[ClaimDraft]) -> Claims {
    let (mut text, mut by_subject, mut statements) = (String::new(), Vec::new(), Vec::new());
    let short = |length: usize| u32::try_from(length).ok();
    for same in drafts.chunk_by(|one, other| one.key() == other.key()) {
        let said: BTreeSet<&NormalStatement> = same.iter().map(|draft| &draft.said).collect();
        let ClaimDraft { subject, written, category, line, .. } = &same[0];
        let written = written.as_deref().unwrap_or_default();
        let size: usize = said.iter().map(|said| said.words.len()).sum();
        let (Some(at), Some(_)) =
            (short(text.len()), short(text.len() + subject.len() + written.len() + size))
        else {
            break;
        };
        let length = |text: &str| short(text.len()).unwrap_or_default();
        by_subject.push(PackedClaim {
            at,
            subject: length(subject),
            written: length(written),
            line: short(*line).unwrap_or(u32::MAX),
            statements: (short(statements.len()).unwrap_or_default(), short(said.len()).unwrap_or_default()),
            category: *category,
        });
        text += subject;
        text += written;
        for NormalStatement { is_rejected, words } in said {
            text += words;
            statements.push(PackedStatement { words: length(words), is_rejected: *is_rejected });
        }
    }
    Claims {
        text: text.into(),
        by_subject: by_subject.into(),
        statements: statements.into(),
        ..Claims::default()
    }
}

impl ClaimDraft {
    fn key(&self) -> ClaimKey<'_> {
        (&self.subject, self.category)
    }
}

impl<'c> SubjectClaim<'c> {
    fn text(self, from: usize, length: u32) -> &'c str {
        &self.claims.text[from..from + length as usize]
    }

    fn subject(self) -> &'c str {
        self.text(self.packed.at as usize, self.packed.subject)
    }

    fn key(self) -> ClaimKey<'c> {
        (self.subject(), self.packed.category)
    }

    /// A fact for each statement.
    fn drafts(self) -> impl Iterator<Item = ClaimDraft> {
        self.statements().map(move |(is_rejected, words)| ClaimDraft {
            subject: self.subject().to_owned(),
            category: self.packed.category,
            written: (self.packed.written > 0).then(|| self.written().to_owned()),
            line: self.line(),
            said: NormalStatement { is_rejected, words: words.into() },
        })
    }

    /// The line of its first statement, from 1.
    pub const fn line(self) -> usize {
        self.packed.line as usize
    }

    /// The subject as the entry writes it first.
    pub fn written(self) -> &'c str {
        match self.packed.written {
            0 => self.subject(),
            length => self.text((self.packed.at + self.packed.subject) as usize, length),
        }
    }

    /// What it states, sorted: whether it is rejected, and the words.
    pub fn statements(self) -> impl Iterator<Item = (bool, &'c str)> {
        let PackedClaim { at, subject, written, .. } = self.packed;
        let mut at = (at + subject + written) as usize;
        self.packed_statements().iter().map(move |PackedStatement { words, is_rejected }| {
            let found = self.text(at, *words);
            at += *words as usize;
            (*is_rejected, found)
        })
    }

    fn packed_statements(self) -> &'c [PackedStatement] {
        let (first, count) = self.packed.statements;
        &self.claims.statements[first as usize..][..count as usize]
    }

    /// Whether both have a statement in common.
    pub fn agrees(self, other: Self) -> bool {
        self.statements().any(|said| other.statements().any(|other| other == said))
    }
}

/// Whether two lists of files, sorted, have one in common, or a folder that the other has a file of.
pub(super) fn cite_common(one: &[Box<str>], other: &[Box<str>]) -> bool {
    let holds = |folder: &str, all: &[Box<str>]| {
        let inside = format!("{folder}/");
        let from = |first: &str| all.get(all.partition_point(|file| **file < *first));
        from(folder).is_some_and(|file| **file == *folder)
            || from(&inside).is_some_and(|file| file.starts_with(&inside))
    };
    one.iter().any(|path| holds(path, other)) || other.iter().any(|path| holds(path, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(text: &str) -> Claims {
        Claims::of(&Document::parse(text))
    }

    #[test]
    fn statements_of_one_subject_and_category_are_one_claim_at_the_first_line() {
        let found = claims(
            "## Facts\n\n- **Port**: 2 [team]\n- **a**: x\n- **port**: 1 [team]\n- **PORT**: 2. [team]\n- **port**: 3\n",
        );
        let keys: Vec<ClaimKey<'_>> = found.keys().collect();
        assert_eq!(keys, [("a", None), ("port", None), ("port", Some(Category::Team))]);
        let port = found.claim(("port", Some(Category::Team))).unwrap();
        let said: Vec<(bool, &str)> = port.statements().collect();
        assert_eq!((port.written(), port.line(), said), ("Port", 3, vec![(false, "1"), (false, "2")]));
        assert!(found.claim(("port", Some(Category::Project))).is_none());
        assert!(port.agrees(port) && !port.agrees(found.claim(("port", None)).unwrap()));
    }

    #[test]
    fn of_some_subjects_it_says_what_is_left_when_the_rest_is_forgotten() {
        let text = "## Facts\n\n- **a**: 1\n- **B**: 2 [team]\n- **c**: 3\n\nFiles:\n- `src/a.rs`\n";
        let mut kept = claims(text);
        kept.keep(&BTreeSet::from(["b".to_owned()]));
        assert_eq!(Claims::about(&Document::parse(text), |subject| subject == "b"), kept);
    }

    #[test]
    fn what_is_not_kept_is_forgotten() {
        let mut found = claims("## Facts\n\n- **a**: 1\n- **b**: 2 [team]\n- **b**: 3\n");
        found.keep(&BTreeSet::from(["b".to_owned()]));
        assert_eq!(found.subjects().collect::<Vec<_>>(), ["b", "b"]);
        let mut less = found.clone();
        less.forget(&BTreeSet::from([0]));
        assert!(less.keys().eq(found.keys()) && less.text.len() < found.text.len());
        let left = |category| less.claim(("b", category)).unwrap().statements().collect::<Vec<_>>();
        assert_eq!([None, Some(Category::Team)].map(left), [vec![], vec![(false, "2")]]);
        let said = |category| found.claim(("b", category)).unwrap().statements().collect::<Vec<_>>();
        assert_eq!([None, Some(Category::Team)].map(said), [[(false, "3")], [(false, "2")]]);
    }

    #[test]
    fn a_folder_holds_what_is_below_it_and_no_name_that_begins_alike() {
        let files = |paths: &[&str]| paths.iter().map(|path| (*path).into()).collect::<Vec<Box<str>>>();
        for (one, other, expected) in [
            (&["src/a"][..], &["src/a/x.rs"][..], true),
            (&["src/a"], &["src/a-b", "src/a.rs"], false),
            (&["src/a"], &["src/a-b", "src/a/x.rs"], true),
            (&["b", "src/a.rs"], &["src/a.rs"], true),
            (&[], &["src"], false),
        ] {
            let (one, other) = (files(one), files(other));
            assert_eq!(cite_common(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(cite_common(&other, &one), expected, "{one:?} {other:?}");
        }
    }
}
