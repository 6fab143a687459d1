//! Names of files and folders from titles.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The `snake_case` form of a title or name: letters and digits of any script in lower case, with `_` between words.
/// `None` if nothing is left.
pub fn slug(name: &str) -> Option<String> {
    if name.is_ascii() {
        return slug_of(name.chars().map(|c| c.to_ascii_lowercase()), name.len());
    }
    let composed: String = name.nfc().collect();
    let slug = slug_of(composed.chars().flat_map(char::to_lowercase), name.len())?;
    Some(slug.nfc().collect())
}

fn slug_of(chars: impl Iterator<Item = char>, length: usize) -> Option<String> {
    let mut slug = String::with_capacity(length);
    for c in chars {
        let belongs = c.is_alphanumeric()
            || (!c.is_ascii() && is_combining_mark(c) && !slug.is_empty() && !slug.ends_with('_'));
        match c {
            _ if belongs => slug.push(c),
            // it's → its
            '\'' | '\u{2019}' => {}
            _ if slug.is_empty() || slug.ends_with('_') => {}
            _ => slug.push('_'),
        }
    }
    slug.truncate(slug.trim_end_matches('_').len());
    (!slug.is_empty()).then_some(slug)
}

/// Whether two titles are the same one: they may differ in case, in the spelling of characters, in quotation marks, and
/// in what stands between two words.
pub(super) fn is_same_title(one: &str, other: &str) -> bool {
    one == other || folded(one) == folded(other)
}

fn folded(title: &str) -> String {
    let lower: String = title.nfc().flat_map(char::to_lowercase).nfc().collect();
    let mut folded = String::with_capacity(lower.len());
    let mut chars = lower.trim().chars().filter(|c| *c != '`').peekable();
    while let Some(c) = chars.next() {
        let in_word = |c: char| c.is_alphanumeric() || is_combining_mark(c);
        let is_joint = folded.ends_with(in_word) && chars.peek().copied().is_some_and(in_word);
        match c {
            '\u{2019}' => folded.push('\''),
            '\u{201c}' | '\u{201d}' => folded.push('"'),
            _ if c.is_whitespace() && folded.ends_with(' ') => {}
            _ if c.is_whitespace() => folded.push(' '),
            '_' | '-' | '\u{2010}' | '\u{2011}' if is_joint => folded.push(' '),
            _ => folded.push(c),
        }
    }
    folded
}

/// How symbols are called in the name of an entry where another one has the name without them. Longer ones first.
const CALLED: [(&str, &str); 12] = [
    ("->", "to"),
    ("=>", "to"),
    (">=", "at_least"),
    ("<=", "at_most"),
    ("!=", "not"),
    ("<", "less_than"),
    (">", "greater_than"),
    ("=", "equals"),
    ("+", "plus"),
    ("#", "sharp"),
    ("&", "and"),
    ("%", "percent"),
];

/// The slug of a title with its symbols in words, if that is another one: `c_plus_plus`, `c_sharp`.
pub(super) fn spelled_out(title: &str) -> Option<String> {
    let mut words = title.to_owned();
    for (symbol, word) in CALLED {
        words = words.replace(symbol, &format!(" {word} "));
    }
    slug(&words).filter(|clear| slug(title).is_some_and(|short| short != *clear))
}

/// The form with `-` between words, which other tools use.
pub(super) fn dashed(slug: &str) -> String {
    slug.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn titles_become_snake_case() {
        for (title, name) in [
            ("Token lifetime", "token_lifetime"),
            ("  JWT: access & refresh!  ", "jwt_access_refresh"),
            ("it's  O\u{2019}Brien", "its_obrien"),
            ("snake_case-already", "snake_case_already"),
            ("Cafe\u{301} Ä", "caf\u{e9}_\u{e4}"),
            ("観測 計画", "観測_計画"),
            ("हिन्दी", "हिन्दी"),
            ("v1.10", "v1_10"),
            ("__x__", "x"),
        ] {
            assert_eq!(slug(title).as_deref(), Some(name), "{title}");
        }
    }

    #[test]
    fn titles_that_differ_in_case_or_between_words_are_the_same() {
        for (one, other) in [
            ("SSO login", "SSO Login"),
            ("SSO  login", " sso\tlogin "),
            ("Cafe\u{301}", "CAF\u{c9}"),
            ("Token-lifetime", "token_lifetime"),
            ("The user\u{2019}s `--ops`", "the user's --ops"),
        ] {
            assert!(is_same_title(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("C++", "C#"),
            ("C", "C++"),
            (">= 5", "< 5"),
            ("-5", "5"),
            ("A/B: C?", "A B C"),
            ("v1.10", "v1 10"),
            ("it's", "its"),
            ("a-", "a"),
        ] {
            assert!(!is_same_title(one, other), "{one} {other}");
            assert_eq!(slug(one), slug(other), "{one} {other}");
        }
    }

    #[test]
    fn symbols_have_names() {
        for (title, name) in [
            ("C++", Some("c_plus_plus")),
            ("C#", Some("c_sharp")),
            (">= 5", Some("at_least_5")),
            ("< 5", Some("less_than_5")),
            ("A -> B", Some("a_to_b")),
            ("A/B: C?", None),
            ("C", None),
            ("++", None),
        ] {
            assert_eq!(spelled_out(title).as_deref(), name, "{title}");
        }
    }

    #[test]
    fn a_title_without_letters_has_no_name() {
        for title in ["", " ", "!?", "🚀", "_", "\u{301}", "'"] {
            assert_eq!(slug(title), None, "{title:?}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn a_slug_is_its_own_slug_and_portable(title in ".{0,24}") {
            if let Some(name) = slug(&title) {
                prop_assert_eq!(slug(&name), Some(name.clone()));
                let checked = brv_base::path::check(name.as_bytes());
                let is_known = matches!(checked, Ok(_) | Err(brv_base::path::Unportable::DeviceName));
                prop_assert!(is_known, "{:?} {:?}", name, checked);
            }
        }
    }
}
