//! Whether one entry says nothing that another one does not say: then, and only then, it may be merged without a writer.
//!
//! Most entries that look alike are not the same: one number, date or `not` differs, or the same template speaks of
//! another thing. So the sentences are compared one by one. A sentence that is not in the other entry may be an addition;
//! one that is nearly there is another claim, and the pair needs a writer.

use super::negations::content_words;
use super::said::{Place, Said, Sentence};
use super::survival::survival;
use super::tokens::{Sort, tokens};
use crate::doc::{Document, Frontmatter, Meta, Value, normal};
use crate::words::Runs;
use brv_base::path::TreePath;
use std::collections::{BTreeMap, BTreeSet};

/// The least share of the runs of the one that the other has.
const CONTAINED: f64 = 0.95;

/// An entry with fewer runs says too little to be told from another one.
const FEWEST: usize = 12;

/// Two sentences with at least this share of their words in common make a claim about the same thing.
const ALIKE: f64 = 0.5;

/// An entry with everything that is compared.
pub(super) struct Side<'a> {
    pub path: &'a TreePath,
    pub document: &'a Document,
    /// The runs of its prose, rules and code: facts are compared one by one, in any order.
    pub runs: Runs,
    said: Said,
    meta: Meta,
    title: String,
}

impl<'a> Side<'a> {
    pub fn of(path: &'a TreePath, document: &'a Document) -> Self {
        let said = Said::of(document);
        let meta = document.meta();
        let title = meta.title.clone().or_else(|| said.title().map(str::to_owned));
        Self { path, document, runs: Runs::of(&said.prose()), said, meta, title: title.unwrap_or_default() }
    }

    /// Subjects about which both have facts.
    pub fn shared_subjects(&self, other: &Self) -> BTreeSet<String> {
        let subjects = |side: &Self| -> BTreeSet<String> {
            side.said.facts.iter().filter_map(|fact| fact.subject.clone()).collect()
        };
        subjects(self).intersection(&subjects(other)).cloned().collect()
    }

    /// How many facts both have, with subject and statement.
    pub fn shared_facts(&self, other: &Self) -> usize {
        let has = |fact: &&super::said::Fact| {
            other.said.facts.iter().any(|own| own.subject == fact.subject && own.statement == fact.statement)
        };
        self.said.facts.iter().filter(has).count()
    }

    /// Whether a relation of this entry leads to the other one.
    pub fn relates_to(&self, other: &Self) -> bool {
        let path = other.path.as_str();
        let leads = |written: &String| {
            crate::doc::relation(written)
                .is_some_and(|found| found == path || Some(found.as_str()) == path.strip_suffix(".md"))
        };
        self.meta.related.iter().any(leads)
    }

    /// Whether it is text without conflicts whose frontmatter can be edited, and which is nobody's special case.
    fn is_plain(&self) -> bool {
        self.document.is_utf8()
            && !matches!(self.document.frontmatter(), Frontmatter::Opaque { .. })
            && self.document.conflicts().is_empty()
            && self.meta.disputed.is_empty()
    }

    /// Which of two entries stays if one does, first: the one that says more, else the older.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let size = |side: &Self| (side.runs.len(), side.said.facts.len(), side.said.codes.len());
        let age = |side: &Self| {
            side.meta.created_at.as_deref().and_then(crate::doc::instant).unwrap_or((i64::MAX, 0))
        };
        let key = |side: &Self| (std::cmp::Reverse(size(side)), age(side));
        (key(self), self.path).cmp(&(key(other), other.path))
    }
}

/// Whether `source` may be merged into `target` without a writer. Returns the share of its runs that stand there.
pub(super) fn contained(source: &Side<'_>, target: &Side<'_>) -> Option<f64> {
    let share = source.runs.contained_in(&target.runs);
    let is_near = source.runs.len() >= FEWEST && share >= CONTAINED;
    let is_same = is_near
        && source.is_plain()
        && target.is_plain()
        && same_state(source, target)
        && same_case(source, target)
        && same_facts(source, target)
        && same_sentences(&source.said.sentences, &target.said.sentences)
        && survival(&[source.document], target.document).dropped.is_empty();
    is_same.then_some(share)
}

/// The fields of which a merge keeps those of the target, joins both, or makes a new one.
const JOINED: [&str; 10] = [
    "title",
    "summary",
    "tags",
    "keywords",
    "related",
    "createdAt",
    "updatedAt",
    "consolidated_at",
    "consolidated_from",
    "verified",
];

/// Whether the fields that say what an entry is agree, and no other field has two values.
fn same_state(source: &Side<'_>, target: &Side<'_>) -> bool {
    let state = |side: &Side<'_>| (side.meta.status, side.meta.kind.clone());
    let is_kept = |(key, value): &(Value, Value)| {
        key.as_str().is_some_and(|key| {
            JOINED.contains(&key) || target.document.field(key).is_none_or(|other| other == value)
        })
    };
    !source.meta.pinned && state(source) == state(target) && source.document.fields().iter().all(is_kept)
}

/// Words that name the case that an entry is about. Entries about different cases are not the same, whatever they say.
pub(super) const CASES: [&str; 31] = [
    "android",
    "backend",
    "beta",
    "client",
    "dev",
    "development",
    "external",
    "frontend",
    "input",
    "internal",
    "ios",
    "legacy",
    "linux",
    "local",
    "macos",
    "mobile",
    "output",
    "primary",
    "private",
    "prod",
    "production",
    "public",
    "replica",
    "secondary",
    "server",
    "staging",
    "test",
    "testing",
    "web",
    "windows",
    "write",
];

/// Whether titles and paths speak of the same case: the same dates, numbers and names in both titles, no `staging` beside
/// `production`, and no word in the place of another one.
fn same_case(source: &Side<'_>, target: &Side<'_>) -> bool {
    let claims = |side: &Side<'_>| -> BTreeSet<String> {
        let tokens = tokens(&side.title).into_iter().filter(|token| token.sort != Sort::Name);
        tokens.map(|token| token.key).collect()
    };
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(normal).collect()
    };
    let cases = |side: &Side<'_>| -> BTreeSet<String> {
        let folders = [side.path.as_str(), &side.title].join(" ");
        words(&folders).into_iter().filter(|word| CASES.contains(&word.as_str())).collect()
    };
    let dates = |side: &Side<'_>| -> BTreeSet<String> {
        let parts = side.path.as_str().trim_end_matches(".md").split(['/', '_', ' ']).flat_map(tokens);
        parts.filter(|token| token.sort == Sort::Date).map(|token| token.key).collect()
    };
    let [one, other] = [source, target].map(|side| words(&side.title));
    claims(source) == claims(target)
        && cases(source) == cases(target)
        && dates(source) == dates(target)
        && !name_others(&one, &other, &target.said)
}

/// Whether two titles name different things of which the text does not speak: `Limits of the mail API` beside `Limits of
/// the search API` or `Limits`, or `Mail` beside `Search` over a template that nobody filled in.
fn name_others(one: &[String], other: &[String], said: &Said) -> bool {
    let same = |a: &[String], b: &[String]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let first = same(one, other);
    let (ends, others): (Vec<String>, Vec<String>) =
        (one[first..].iter().rev().cloned().collect(), other[first..].iter().rev().cloned().collect());
    let last = same(&ends, &others);
    let own = [&one[first..one.len() - last], &other[first..other.len() - last]];
    // one letter is no term, but tells service B from service C
    let says = |word: &&String| !crate::words::terms_of(word).is_empty() || word.len() == 1 && *word != "a";
    let text = said.texts_of_claims();
    let is_spoken_of = |word: &String| speaks_of(&text, word);
    if one[..first].iter().chain(&one[one.len() - last..]).any(|word| says(&word)) {
        let are_short = own.iter().all(|words| words.len() <= SLOT);
        return are_short && !own.iter().all(|words| words.iter().filter(says).all(is_spoken_of));
    }
    let shares = one.iter().filter(says).any(|word| other.contains(word));
    !shares
        && own
            .iter()
            .all(|words| words.iter().any(|word| says(&word)) && !words.iter().filter(says).any(is_spoken_of))
}

/// A word in the place of another one, with the words around it: `of the mail API`.
const SLOT: usize = 4;

/// Whether a text in normal form has the word, or one with the same first four letters: `building` beside `built`.
fn speaks_of(text: &str, word: &str) -> bool {
    let stem: String = word.chars().take(4).collect();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|own| own == word || word.chars().count() > 4 && own.starts_with(&stem))
}

/// Whether both say the same about each subject of the source.
fn same_facts(source: &Side<'_>, target: &Side<'_>) -> bool {
    let by_subject = |side: &Side<'_>| {
        let mut all: BTreeMap<String, BTreeSet<(String, Option<&'static str>)>> = BTreeMap::new();
        for fact in &side.said.facts {
            if let Some(subject) = &fact.subject {
                all.entry(subject.clone()).or_default().insert((fact.statement.clone(), fact.category));
            }
        }
        all
    };
    let theirs = by_subject(target);
    by_subject(source).iter().all(|(subject, own)| theirs.get(subject).is_none_or(|other| own == other))
}

/// Whether each sentence of the source stands in the target, in the same order and place, or is an addition that is like none
/// of it.
fn same_sentences(source: &[Sentence], target: &[Sentence]) -> bool {
    let theirs = placed(target);
    let content: Vec<BTreeSet<u64>> = target.iter().map(|sentence| content_words(&sentence.text)).collect();
    let mut next = 0;
    let own = source.iter().zip(placed(source));
    for (sentence, own) in own.filter(|(sentence, _)| sentence.place != Place::Title) {
        if let Some(at) = theirs[next..].iter().position(|other| *other == own) {
            next += at + 1;
            continue;
        }
        let words = content_words(&sentence.text);
        let is_there = theirs.contains(&own);
        if is_there
            || words.is_empty()
            || sentence.place == Place::Heading
            || content.iter().any(|other| are_alike(&words, other))
        {
            return false;
        }
    }
    true
}

/// The words of each sentence, and those of the heading and of the sentence with a colon that it stands under: a `No.` or a
/// number says nothing without them.
fn placed(sentences: &[Sentence]) -> Vec<String> {
    let (mut heading, mut label) = (String::new(), String::new());
    let mut place = |sentence: &Sentence| {
        let words = words_of(&sentence.text);
        match sentence.place {
            Place::Title => words,
            Place::Heading => {
                heading.clone_from(&words);
                label.clear();
                words
            }
            Place::Prose => {
                let placed = format!("{heading}\n{label}\n{words}");
                if sentence.text.trim_end().ends_with(':') {
                    label = words;
                }
                placed
            }
        }
    };
    sentences.iter().map(&mut place).collect()
}

/// Whether most words of the shorter of two sentences stand in the other.
fn are_alike(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> bool {
    let fewest = one.len().min(other.len());
    fewest > 0 && one.intersection(other).count() as f64 >= ALIKE * fewest as f64
}

/// The words of a sentence in the form in which sentences are compared: in lower case but for code, without punctuation
/// around them. Signs such as `<` and `-` stay, and so does the mark of a question.
pub(super) fn words_of(sentence: &str) -> String {
    const AROUND: [char; 16] =
        ['.', ',', ';', ':', '!', '?', '"', '\'', '(', ')', '[', ']', '“', '”', '‘', '’'];
    let mut is_code = false;
    let mut words: Vec<String> = Vec::new();
    for written in sentence.split_whitespace() {
        let word = written.trim_matches(AROUND);
        let has_code = is_code || word.contains('`');
        is_code ^= word.matches('`').count() % 2 == 1;
        if !matches!(word, "" | "-" | "–" | "—" | "|") {
            words.push(if has_code { word.to_owned() } else { word.to_lowercase() });
        }
    }
    if sentence.trim_end_matches(|c: char| c != '?' && AROUND.contains(&c)).ends_with('?') {
        words.push("?".to_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(source: (&str, &str), target: (&str, &str)) -> Option<f64> {
        let paths = [source.0, target.0].map(|path| TreePath::parse(path.as_bytes()).unwrap());
        let documents = [source.1, target.1].map(Document::parse);
        let [source, target] = [0, 1].map(|at| Side::of(&paths[at], &documents[at]));
        contained(&source, &target)
    }

    const TEXT: &str = "Images are built once and promoted by digest. They are signed with cosign, and the cluster refuses unsigned ones.\n\n- Never install anything at run time.\n- Keep 5 old images.\n\n## Facts\n\n- **base**: debian12\n- **registry**: in the EU\n";

    /// The text with `from` replaced by `to`.
    fn with(from: &str, to: &str) -> String {
        assert!(TEXT.contains(from), "{from}");
        TEXT.replace(from, to)
    }

    #[test]
    fn form_makes_no_difference() {
        for text in [
            TEXT.to_owned(),
            TEXT.replace("\n- ", "\n1. "),
            TEXT.replace(". They", ".\n\n**They**"),
            with("cosign, and", "cosign\nand").replace('\n', "\r\n"),
            format!("---\ntitle: Another title\ntags: [x]\n---\n# Heading\n\n{TEXT}"),
            with(
                "- **base**: debian12\n- **registry**: in the EU\n",
                "* **registry**: in the EU.\n* **base**: debian12\n",
            ),
            TEXT.replace("\n\n## Facts", "\n\nThe weekly job deletes what is older than a year.\n\n## Facts"),
        ] {
            assert!(share(("a/x.md", TEXT), ("a/y.md", &text)).is_some(), "{text}");
        }
    }

    #[test]
    fn one_word_that_matters_makes_all_the_difference() {
        for (from, to) in [
            ("5 old", "6 old"),
            ("5 old images", "five old releases"),
            ("cosign", "notary"),
            ("Never install", "Always install"),
            ("refuses", "accepts"),
            ("are signed", "are not signed"),
            ("once and promoted", "once, never promoted"),
            ("debian12", "debian13"),
            ("in the EU\n", "in the EU\n- **registry**: in the US\n"),
            (
                "- Never install anything at run time.\n- Keep 5 old images.",
                "- Keep 5 old images.\n- Never install anything at run time.",
            ),
            ("- Keep", "## Staging\n\n- Keep"),
            ("## Facts", "## Rules\n\n- Retry.\n\n## Facts"),
        ] {
            let other = with(from, to);
            assert_eq!(share(("a/x.md", &other), ("a/y.md", TEXT)), None, "{from} → {to}");
        }
        assert_eq!(share(("a/x.md", "Keep 5 old images."), ("a/y.md", TEXT)), None, "too short");
    }

    #[test]
    fn a_sentence_counts_where_it_stands() {
        let text = |rest: &str| format!("{TEXT}\n## More\n\n{rest}");
        for (source, target) in [
            (
                "## Staging\n\nWait 30 seconds.",
                "## Staging\n\nIt is small.\n\n## Production\n\nWait 30 seconds.",
            ),
            ("## On Friday?\n\nNo.", "## On Friday?\n\nYes.\n\n## Without review?\n\nNo."),
            ("Never:\n\n- force a push", "Never:\n\n- squash\n\nFirst:\n\n- tag\n- force a push"),
            ("**Staging:**\n\nKeep it.", "**Staging:**\n\nDrop it.\n\n**Production:**\n\nKeep it."),
            ("Backups work there.", "Backups work there?"),
            ("The key rotates weekly.", "## Outdated\n\nThe key rotates weekly."),
        ] {
            assert_eq!(
                share(("a/x.md", &text(source)), ("a/y.md", &text(target))),
                None,
                "{source} → {target}"
            );
            let same = share(
                ("a/x.md", &text(source)),
                ("a/y.md", &text(&format!("{source}\n\nMore is said here."))),
            );
            assert!(same.is_some(), "{source}");
        }
    }

    #[test]
    fn titles_and_paths_may_not_name_another_case() {
        let titled = |title: &str| format!("---\ntitle: {title}\n---\n{TEXT}");
        for (one, other, is_same) in [
            ("Images", "How we build images", true),
            ("Building images", "Promoting images", true),
            ("Images of billing", "Images of search", false),
            ("Images of the billing API", "Images of our partners", false),
            ("Images", "Images of partners", false),
            ("Images of service A", "Images of service B", false),
            ("Billing", "Search", false),
            ("Containers", "Promotion by digest", true),
            ("Images 2026-03", "Images 2026-04", false),
            ("Images (v1.2)", "Images", false),
            ("Staging images", "All images", false),
        ] {
            let found = share(("a/x.md", &titled(one)), ("a/y.md", &titled(other)));
            assert_eq!(found.is_some(), is_same, "{one}, {other}");
        }
        assert_eq!(share(("a/staging/x.md", TEXT), ("a/production/x.md", TEXT)), None);
        assert_eq!(share(("a/2026-03-01.md", TEXT), ("a/2026-03-02.md", TEXT)), None);
        assert!(share(("a/images.md", TEXT), ("a/images_2.md", TEXT)).is_some());
    }

    #[test]
    fn an_entry_with_a_state_of_its_own_is_left_alone() {
        for field in [
            "status: superseded",
            "pinned: true",
            "type: synthesis",
            "disputed: [base]",
            "title: a\ntitle: b",
        ] {
            let text = format!("---\n{field}\n---\n{TEXT}");
            let target = format!("---\nowner: a\n---\n{TEXT}");
            assert_eq!(share(("a/x.md", &text), ("a/y.md", &target)), None, "{field}");
        }
        let text = format!("---\nowner: a\n---\n{TEXT}");
        assert!(share(("a/x.md", &text), ("a/y.md", &text)).is_some());
        assert!(share(("a/x.md", &text), ("a/y.md", TEXT)).is_some());
        let text = format!("{TEXT}\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n");
        assert_eq!(share(("a/x.md", TEXT), ("a/y.md", &text)), None);
    }

    #[test]
    fn a_rule_is_another_one_with_a_word_before_it() {
        let with_rule = |rule: &str| format!("{TEXT}\n## Rules\n\n- {rule}\n");
        let share =
            |one: &str, other: &str| share(("a/x.md", &with_rule(one)), ("a/y.md", &with_rule(other)));
        assert!(share("Retry writes.", "Retry\n  writes").is_some());
        for other in ["Never retry writes.", "Only retry writes.", "Retry writes twice.", "Retry reads."] {
            assert_eq!(share("Retry writes.", other), None, "{other}");
        }
    }

    #[test]
    fn any_other_word_in_its_place_is_another_claim() {
        let words: Vec<(usize, &str)> = TEXT.match_indices(|c: char| c.is_whitespace()).collect();
        let starts =
            words.iter().map(|(at, _)| at + 1).filter(|at| TEXT[*at..].starts_with(char::is_alphanumeric));
        let mut tried = 0;
        for at in starts {
            let end = at + TEXT[at..].find(|c: char| !c.is_alphanumeric()).unwrap();
            let other = [&TEXT[..at], "zebra", &TEXT[end..]].concat();
            assert_eq!(share(("a/x.md", &other), ("a/y.md", TEXT)), None, "{other}");
            assert_eq!(share(("a/x.md", TEXT), ("a/y.md", &other)), None, "{other}");
            tried += 1;
        }
        assert!(tried > 25, "{tried}");
    }
}
