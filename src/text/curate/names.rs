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
