//! What an entry claims, in as little memory as possible: a check of a whole tree holds the claims of every entry.

use super::relation::NormalStatement;
use crate::doc::{Category, Document, disputes, normal};
use brv_base::sorting;
use std::collections::BTreeSet;

/// What an entry says about its subjects, as far as others may contradict it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// By key, each once.
    by_subject: Box<[SubjectClaim]>,
    /// Subjects that the entry itself lists as disputed, as written, with the line of a claim.
    pub disputed: Vec<(String, usize)>,
    /// The files and folders that the entry says it is about, sorted, each once.
    pub(super) files: Box<[Box<str>]>,
}

/// What an entry says about one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SubjectClaim {
    /// In the form in which subjects are compared.
    subject: Box<str>,
    category: Option<Category>,
    /// The subject as it is written first, if that is not its form above.
    written: Option<Box<str>>,
    /// The line of its first statement, from 1.
    pub line: usize,
    /// Sorted, each once.
    statements: Box<[NormalStatement]>,
}

/// A subject in the form in which subjects are compared, and category: what claims are found by.
pub(super) type ClaimKey<'a> = (&'a str, Option<Category>);

impl Claims {
    pub fn of(document: &Document) -> Self {
        Self::about(document, |_| true)
    }

    /// What it says about some subjects, told by the form in which they are compared.
    pub fn about(document: &Document, is_wanted: impl Fn(&str) -> bool) -> Self {
        let mut claims: Vec<SubjectClaim> = Vec::new();
        for fact in document.facts() {
            let Some(subject) = &fact.subject else { continue };
            let key = normal(subject);
            let said = is_wanted(&key).then(|| NormalStatement::of(&fact.statement)).flatten();
            let Some(said) = said else { continue };
            claims.push(SubjectClaim {
                written: (key != *subject).then(|| subject.as_str().into()),
                subject: key.into(),
                category: fact.category,
                line: document.line_of_body(fact.span.start),
                statements: Box::new([said]),
            });
        }
        sorting::sort_by(&mut claims, |one, other| one.key().cmp(&other.key()));
        let disputed = disputes(document).into_iter().map(|dispute| {
            let place = dispute.claims.first().and_then(|claim| claim.spans.first());
            (dispute.subject, place.map_or(1, |span| document.line_of_body(span.start)))
        });
        let disputed = disputed.collect();
        let files: BTreeSet<Box<str>> = match claims.is_empty() {
            true => BTreeSet::new(),
            false => document.concept().files.iter().map(|file| file.trim_matches('/').into()).collect(),
        };
        Self { by_subject: joined(claims), disputed, files: files.into_iter().collect() }
    }

    /// Forget what is claimed about other subjects than these, in the form in which they are compared.
    pub fn keep(&mut self, subjects: &BTreeSet<String>) {
        let kept = std::mem::take(&mut self.by_subject).into_iter();
        self.by_subject = kept.filter(|claim| subjects.contains(&*claim.subject)).collect();
    }

    /// The subjects, in the form in which they are compared; one with several categories more than once.
    pub fn subjects(&self) -> impl Iterator<Item = &str> {
        self.by_subject.iter().map(|claim| &*claim.subject)
    }

    /// What its claims are found by, sorted, each once.
    pub(super) fn keys(&self) -> impl Iterator<Item = ClaimKey<'_>> {
        self.by_subject.iter().map(SubjectClaim::key)
    }

    pub(super) fn claim(&self, key: ClaimKey<'_>) -> Option<&SubjectClaim> {
        let place = self.by_subject.binary_search_by(|claim| claim.key().cmp(&key));
        place.ok().map(|place| &self.by_subject[place])
    }
}

/// All statements of one key in one claim: as the first one writes the subject, at its line. `claims` are sorted by key, and
/// those of one key in the order of the entry.
fn joined(claims: Vec<SubjectClaim>) -> Box<[SubjectClaim]> {
    let mut all: Vec<SubjectClaim> = Vec::with_capacity(claims.len());
    for claim in claims {
        match all.last_mut().filter(|last| last.key() == claim.key()) {
            Some(last) => {
                let statements: BTreeSet<NormalStatement> =
                    std::mem::take(&mut last.statements).into_iter().chain(claim.statements).collect();
                last.statements = statements.into_iter().collect();
            }
            None => all.push(claim),
        }
    }
    all.into()
}

impl SubjectClaim {
    fn key(&self) -> ClaimKey<'_> {
        (&self.subject, self.category)
    }

    /// The subject as the entry writes it first.
    pub fn written(&self) -> &str {
        self.written.as_deref().unwrap_or(&self.subject)
    }

    /// What it states, sorted.
    pub fn statements(&self) -> &[NormalStatement] {
        &self.statements
    }

    /// Whether both have a statement in common.
    pub fn agrees(&self, other: &Self) -> bool {
        self.statements.iter().any(|said| other.statements.binary_search(said).is_ok())
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
        let said: Vec<&str> = port.statements().iter().map(|said| &*said.words).collect();
        assert_eq!((port.written(), port.line, said), ("Port", 3, vec!["1", "2"]));
        assert_eq!(found.claim(("port", Some(Category::Project))), None);
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
