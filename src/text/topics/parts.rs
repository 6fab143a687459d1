//! The parts of a path that can name a topic, and when two spellings of a name are the same.

use std::borrow::Cow;

use crate::curate::slug;
use crate::judge::lists::{housekeeping, is_generic};

/// What two spellings of a name have in common: case and plural do not count. A name is lower case with `_` between words.
///
/// Words that are written alike in capitals are the same, so that no two names collide where case does not count.
pub(super) fn stem(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return singular(name);
    }
    let folded = name.to_uppercase().to_lowercase();
    Cow::Owned(singular(&folded).into_owned())
}

fn singular(name: &str) -> Cow<'_, str> {
    for (ending, instead) in [("ies", "y"), ("sses", "ss"), ("s", "")] {
        let Some(stem) = name.strip_suffix(ending) else { continue };
        if name.len() > ending.len() + 3 && (!name.ends_with("ss") || ending == "sses") {
            return if instead.is_empty() {
                Cow::Borrowed(stem)
            } else {
                Cow::Owned(format!("{stem}{instead}"))
            };
        }
    }
    Cow::Borrowed(name)
}

/// The stem of a domain: the housekeeping name, where it has one.
pub(super) fn domain_stem(name: &str) -> Cow<'_, str> {
    let stem = stem(name);
    match housekeeping(name).or_else(|| housekeeping(&stem)) {
        Some(alias) => Cow::Borrowed(alias),
        None => stem,
    }
}

/// The parts of a path that can name a topic, as slugs: no generic part, no extension.
pub(super) fn parts(path: &str) -> Vec<String> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut parts: Vec<String> = folders.split('/').filter_map(folder_part).collect();
    // a file of housekeeping is that of its folder: `crates/ignore/Cargo.toml`
    match slug(name).and_then(|whole| housekeeping(&whole)) {
        Some(called) if parts.is_empty() => parts.push(called.to_owned()),
        Some(_) => {}
        None => parts.extend(file_part(name)),
    }
    parts.dedup();
    parts
}

/// The name of a folder as a part, unless it is generic.
pub(super) fn folder_part(folder: &str) -> Option<String> {
    slug(folder).filter(|part| !is_generic(part))
}

/// The name of a file without extensions as a part, unless it is generic: `walk` of `walk.test.ts`.
fn file_part(name: &str) -> Option<String> {
    let bare = name.trim_start_matches('.');
    folder_part(bare.split('.').next().unwrap_or(bare))
}

/// Without the parts below the first one that only say that there are tests.
pub(super) fn without_tests(parts: &mut Vec<String>) {
    let mut at = 0;
    parts.retain(|part| {
        at += 1;
        at == 1 || housekeeping(part) != Some("tests")
    });
    parts.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_parts_without_generic_ones() {
        for (path, expected) in [
            ("crates/ignore/src/walk.rs", "ignore walk"),
            ("src/lib.rs", ""),
            ("a/__init__.py", "a"),
            ("packages/Web-UI/src/Token List.test.tsx", "web_ui token_list"),
            (".travis.yml", "ci"),
            ("a/package.json", "a"),
            ("package.json", "build"),
            ("a/a.rs", "a"),
            ("src/認証/トークン.rs", "認証 トークン"),
            ("🚀/🚀.rs", ""),
            ("", ""),
            ("//a//b", "a b"),
        ] {
            assert_eq!(parts(path).join(" "), expected, "{path}");
        }
    }

    #[test]
    fn spellings_of_one_name_have_one_stem() {
        for (one, other) in
            [("types", "type"), ("entries", "entry"), ("processes", "process"), ("straße", "strasse")]
        {
            assert_eq!(stem(one), stem(other), "{one}");
        }
        for name in ["args", "class", "ui", "walk", "認証"] {
            assert_eq!(stem(name), name);
        }
        assert_eq!(domain_stem("workflows"), "ci");
        assert_eq!(domain_stem("dependencies"), "build");
        assert_eq!(domain_stem("walks"), "walk");
    }

    #[test]
    fn folders_of_tests_say_nothing_below_the_first_part() {
        let of = |path: &str| {
            let mut parts = parts(path);
            without_tests(&mut parts);
            parts.join(" ")
        };
        assert_eq!(of("crates/globset/tests/glob.rs"), "globset glob");
        assert_eq!(of("tests/glob.rs"), "tests glob");
    }
}
