//! The title of what a commit teaches: its subject without type, scope and issue numbers.

use super::patterns::compiled;
use crate::judge::after_emoji;
use regex::Regex;
use std::sync::LazyLock;

/// The most characters of a title.
const MOST: usize = 80;

/// Types of conventional commits: a word before a colon that is not a scope.
const NO_SCOPES: [&str; 5] = ["bug", "closes", "fixes", "issue", "warning"];

/// `[tag] `, then a type or a scope before a colon: `feat(x)!: `, `lib/net: `, `a, b: `.
static SCOPE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^(?:\[[^\]]{1,20}\] )?([A-Za-z@.][\w./@+-]{0,30}(?:(?:, ?| ?& ?| ?\+ ?)[\w./@+-]{1,30}){0,3})(?:\([^)]{1,40}\))?!?: +(\S)",
    )
});

/// Issue numbers at the end.
static NUMBERS_LAST: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)(?:\s*\((?:#|GH-|!)?\d+(?:, ?#\d+)*\)|\s*\[(?:#\d+|(?-i:[A-Z][A-Z0-9]{1,9})-\d{1,6})\]|\s*\(?\b(?:fix(?:es)?|closes?|resolves?|see|refs?)[: ]*#\d+\)?|\s*#\d+|\s*\br=\w+)+\s*\.?$",
    )
});

/// Issue numbers before something else in brackets at the end: `(#12) (again)`.
static NUMBERS_INSIDE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?:\s*(?:\(#\d+(?:, ?#\d+)*\)|\[(?:#\d+|[A-Z][A-Z0-9]{1,9}-\d{1,6})\]))+(\s+(?:\([^()]*\)|\[[^\[\]]*\]))$",
    )
});

/// Issue numbers at the start.
static NUMBERS_FIRST: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"^(?:Bug \d+ - |\[?#\d+\]?[:,]? +|\(#\d+\) +)+"));

/// Issue numbers before a text that can have none as its first word: `fix #12: `, `[ABC-123] `.
static NUMBERS_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^(?:(?i:(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|bug|issue)[: ] *)?(?:#|GH-)\d+: +)|\(#\d+(?:, ?#\d+)*\):? +|\[(?:#\d+|[A-Z][A-Z0-9]{1,9}-\d{1,6})\]:? +)+",
    )
});

/// The title, on one line, written so that it can stand in bold; `None` if no letter or digit is left, as of a subject of
/// emoji.
pub(super) fn title(subject: &str) -> Option<String> {
    let (_, subject) = after_emoji(subject);
    let subject = NUMBERS_FIRST.replace(subject, "");
    let subject = NUMBERS_BEFORE.replace(&subject, "");
    let found = SCOPE.captures(&subject).filter(|found| {
        let word = found.get(1).map_or("", |word| word.as_str());
        !NO_SCOPES.iter().any(|one| word.eq_ignore_ascii_case(one))
    });
    let start = found.and_then(|found| found.get(2)).map_or(0, |rest| rest.start());
    let rest = NUMBERS_BEFORE.replace(after_emoji(&subject[start..]).1, "");
    let rest = NUMBERS_LAST.replace(&rest, "");
    let rest = NUMBERS_INSIDE.replace(&rest, "$1");
    let title = in_bold(cut(rest.trim()));
    title.contains(char::is_alphanumeric).then_some(title)
}

/// The clauses that fit, if they are most of a title; else as many words as fit, without those at the end that begin
/// something.
fn cut(text: &str) -> &str {
    let Some((end, _)) = text.char_indices().nth(MOST) else { return text };
    let clause =
        [", ", "; ", " - ", " \u{2014} ", " ("].iter().filter_map(|mark| text[..end].rfind(mark)).max();
    if let Some(clause) = clause.filter(|at| text[..*at].chars().count() * 2 >= MOST) {
        return trimmed(&text[..clause]);
    }
    let is_whole = text[end..].starts_with(' ');
    let words = text[..end].rsplit_once(' ').filter(|_| !is_whole).map_or(&text[..end], |(words, _)| words);
    let mut cut = trimmed(words);
    while let Some((before, last)) = cut.rsplit_once(' ')
        && BEGINNING.iter().any(|word| last.eq_ignore_ascii_case(word))
    {
        cut = trimmed(before);
    }
    cut
}

/// Words that begin something: a title does not end with one.
const BEGINNING: [&str; 45] = [
    "a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "from", "with", "without", "into", "as",
    "and", "or", "but", "nor", "not", "just", "only", "that", "which", "who", "whose", "when", "where", "if",
    "while", "because", "since", "so", "than", "is", "are", "be", "its", "their", "via", "after", "before",
    "about", "between", "during",
];

fn trimmed(text: &str) -> &str {
    text.trim_end_matches([' ', ',', ';', ':', '-', '('])
}

/// A text that can stand in bold before a colon: nothing that ends bold, no code span that does not end.
fn in_bold(text: &str) -> String {
    let mut text = text.to_owned();
    while text.contains("**") {
        text = text.replace("**", "*");
    }
    if text.matches('`').count() % 2 == 1
        && let Some(last) = text.rfind('`')
    {
        text.remove(last);
    }
    const ENDS: [char; 4] = ['*', ':', ' ', '\u{ff1a}'];
    text.trim_start_matches(ENDS)
        .trim_end_matches(|c| ENDS.contains(&c) || ['.', '\\'].contains(&c))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_subject_without_type_scope_and_numbers() {
        for (subject, expected) in [
            ("feat(pool)!: hold twelve (#12)", "hold twelve"),
            ("pool: hold twelve", "hold twelve"),
            ("lib/net, cli: hold twelve.", "hold twelve"),
            ("[pool] net: hold twelve", "hold twelve"),
            ("fix: a (b) (#1) (!23)", "a (b)"),
            ("hold twelve (fixes #3)", "hold twelve"),
            ("hold twelve fixes #3, closes#4", "hold twelve fixes #3,"),
            ("hold twelve (GH-3) r=ann", "hold twelve"),
            ("#12: hold twelve", "hold twelve"),
            ("fix #12: hold twelve", "hold twelve"),
            ("fix(a/b): (2026-01) dated (#12) [ABC-123]", "(2026-01) dated"),
            ("[ABC-123] feat(a): hold twelve", "hold twelve"),
            ("feat: [ABC-123] #12: hold (#1, #2)", "hold"),
            ("fix: hold twelve (#12) (again)", "hold twelve (again)"),
            ("fix: #12 is not closed", "#12 is not closed"),
            ("hold (#12) and [ABC-123] apart", "hold (#12) and [ABC-123] apart"),
            ("Fixes #12 in the pool", "Fixes #12 in the pool"),
            ("Bug 12 - hold twelve", "hold twelve"),
            ("\u{1f389}\u{fe0f} feat: hold twelve", "hold twelve"),
            (":sparkles: hold twelve", "hold twelve"),
            ("\u{2728}(net): hold twelve", "hold twelve"),
            (":bug: (db) hold twelve", "hold twelve"),
            ("fix(db): \u{1f41b} hold twelve", "hold twelve"),
            ("Fix bug: hold twelve", "Fix bug: hold twelve"),
            ("warning: hold twelve", "warning: hold twelve"),
            ("Hold a: b", "Hold a: b"),
            ("Revert \"feat: x\"", "Revert \"feat: x\""),
            ("fix(#12):", "fix(#12)"),
            ("use ** and `a", "use * and a"),
            ("**bold**:", "bold"),
            ("hold twelve \\", "hold twelve"),
            ("hold twelve: .", "hold twelve"),
            ("\u{65e5}\u{672c}\u{8a9e}", "\u{65e5}\u{672c}\u{8a9e}"),
        ] {
            assert_eq!(title(subject).as_deref(), Some(expected), "{subject}");
        }
        for subject in ["\u{1f389}", "---", "", "(#12)", ":", "**"] {
            assert_eq!(title(subject), None, "{subject}");
        }
    }

    #[test]
    fn a_long_title_is_cut_at_a_word() {
        let words = |count: usize| "1234567 ".repeat(count);
        assert_eq!(title(&words(10)).unwrap().len(), 79);
        assert_eq!(title(&words(11)).unwrap().len(), 79);
        assert_eq!(title(&format!("{}0123456789 x", "1234567890".repeat(7))).unwrap().len(), 80);
        for (subject, cut) in [
            (
                "flag any pattern containing a path separator, not just ones that name a directory (#12)",
                "flag any pattern containing a path separator",
            ),
            (
                "keep the lock of the store while the child that reads from it waits for the writer",
                "keep the lock of the store while the child that reads from it waits",
            ),
            (
                "pool, keep every connection that was idle for less than one minute after a request ended",
                "pool, keep every connection that was idle for less than one minute",
            ),
        ] {
            assert_eq!(title(subject).as_deref(), Some(cut), "{subject}");
        }
        assert_eq!(title(&"x".repeat(100)).unwrap().len(), 80);
        assert_eq!(title(&"\u{6f22}".repeat(100)).unwrap().chars().count(), 80);
    }
}
