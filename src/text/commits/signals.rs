//! The words by which a text states something lasting, or only tells a step: all lists of the rules are here.
//!
//! English only. A text in another language has no signals, so of its body nothing is filed but bullets that are facts.

/// Words that give a reason.
const REASONS: &[&str] = &[
    "as a result",
    "because",
    "caused by",
    "causes",
    "due to",
    "hence",
    "in order to",
    "leads to",
    "otherwise",
    "rather than",
    "since",
    "so that",
    "the idea is",
    "the problem is",
    "the reason",
    "therefore",
    "this means",
    "thus",
    "turns out",
    "which means",
    "would lead to",
];

/// Words that state a rule, a limit, a default, or how something behaves.
const RULES: &[&str] = &[
    "always",
    "are not",
    "aren't",
    "assumes",
    "at least",
    "at most",
    "by default",
    "can only",
    "can't",
    "cannot",
    "could not",
    "does not",
    "doesn't",
    "even if",
    "even though",
    "even when",
    "expects",
    "guarantee",
    "guarantees",
    "in general",
    "instead",
    "invariant",
    "is not",
    "isn't",
    "must",
    "need to",
    "needs to",
    "never",
    "no longer",
    "not allowed",
    "only",
    "requires",
    "should",
    "unless",
    "unsupported",
    "until",
    "whenever",
    "will not",
    "without",
    "won't",
];

/// Words of a writer who is not sure, or who tells how the work went.
const DOUBTS: &[&str] = &[
    "hopefully",
    "i believe",
    "i couldn't",
    "i don't know",
    "i guess",
    "i suppose",
    "i suspect",
    "i think",
    "maybe",
    "my bad",
    "not sure",
    "oops",
    "perhaps",
    "probably",
    "thanks",
    "typo",
    "typos",
];

/// Verbs that begin the subject of a commit, in their plain form.
const STEPS: &[&str] = &[
    "add",
    "adjust",
    "allow",
    "apply",
    "avoid",
    "bump",
    "change",
    "check",
    "clarify",
    "clean",
    "cleanup",
    "correct",
    "create",
    "delete",
    "document",
    "drop",
    "enable",
    "enhance",
    "ensure",
    "expand",
    "extract",
    "fix",
    "format",
    "hide",
    "implement",
    "improve",
    "include",
    "introduce",
    "make",
    "mark",
    "merge",
    "move",
    "optimize",
    "pass",
    "polish",
    "prepare",
    "print",
    "refactor",
    "remove",
    "rename",
    "replace",
    "revert",
    "rework",
    "rewrite",
    "set",
    "simplify",
    "sort",
    "split",
    "support",
    "switch",
    "sync",
    "test",
    "tweak",
    "uncomment",
    "update",
    "upgrade",
    "use",
    "wrap",
    "write",
];

/// The types of conventional commits, and words that introduce an example or a link: no subjects of a fact.
const NO_SUBJECTS: &[&str] = &[
    "build",
    "cc",
    "changelog",
    "chore",
    "ci",
    "closes",
    "doc",
    "docs",
    "e.g",
    "example",
    "feat",
    "fix",
    "fixes",
    "for example",
    "i.e",
    "link",
    "note",
    "perf",
    "ref",
    "refactor",
    "refs",
    "revert",
    "see",
    "see also",
    "style",
    "test",
    "tests",
    "todo",
    "wip",
];

/// The types of conventional commits.
const TYPES: &[&str] = &[
    "build", "chore", "ci", "doc", "docs", "feat", "feature", "fix", "perf", "refactor", "revert", "style",
    "test", "tests",
];

/// How much a sentence states: one for a reason, one for a rule, less one for a doubt.
pub(super) fn weight(sentence: &str) -> i32 {
    let words = spaced(sentence);
    let has = |list: &[&str]| i32::from(list.iter().any(|one| words.contains(&format!(" {one} "))));
    has(REASONS) + has(RULES) - has(DOUBTS)
}

/// The words in lower case with one blank around each.
fn spaced(text: &str) -> String {
    let mut out = String::from(" ");
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            out.push_str(&word.to_lowercase().replace('\u{2019}', "'"));
            out.push(' ');
        }
    }
    out
}

/// Whether a text begins as the subject of a commit does: with a verb of [`STEPS`] in any form.
pub(super) fn is_step(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let endings = ["", "s", "es", "d", "ed", "ing"];
    let is_form = |verb: &str| {
        let stem = verb.strip_suffix('e').unwrap_or(verb);
        let stem = stem.strip_suffix('y').map_or_else(|| stem.to_owned(), |stem| format!("{stem}i"));
        let last = verb.chars().last().unwrap_or_default();
        let rest = |start: &str| first.strip_prefix(start).is_some_and(|rest| endings.contains(&rest));
        rest(verb) || rest(&stem) && first != stem || rest(&format!("{verb}{last}"))
    };
    !first.is_empty() && STEPS.iter().any(|verb| is_form(verb))
}

/// Whether a text may be the subject of a fact: few words, one phrase, and no type of commit.
pub(super) fn is_subject(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let is_phrase = !text.contains([',', ';', '?', '!', '(']) && !text.contains(". ") && text.len() <= 60;
    let lower = text.trim_end_matches('.').to_lowercase();
    let kind = lower.split(['(', '/']).next().unwrap_or_default();
    (1..=5).contains(&words) && is_phrase && !NO_SUBJECTS.contains(&kind) && !is_step(text)
}

/// The part of a subject after the type of a conventional commit: `feat(x)!: `.
pub(super) fn without_type(subject: &str) -> (Option<&str>, &str) {
    let Some((start, rest)) = subject.split_once(": ") else { return (None, subject) };
    let kind = start.strip_suffix('!').unwrap_or(start);
    let (kind, scope) = kind.split_once('(').unwrap_or((kind, ")"));
    let is_type = TYPES.iter().any(|one| kind.eq_ignore_ascii_case(one)) && scope.ends_with(')');
    if is_type { (Some(kind), rest.trim_start()) } else { (None, subject) }
}
