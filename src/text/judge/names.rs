//! Names of code in a sentence, and references to issues at its start.

use super::characters::{before, is_edge, is_word, run};
use super::scanner::{Border, List, Scanner};
use std::sync::OnceLock;

/// Whether a sentence names something of the code: a code span, a path of names, `snake_case`, `camelCase`, an option, a
/// file. With case.
pub(super) fn has_name(sentence: &str) -> bool {
    has_span(sentence)
        || has_path(sentence)
        || has_option(sentence)
        || words(sentence).any(|word| is_snake_case(word) || is_camel_case(word))
        || has_file(sentence)
}

/// Whether two backticks have something between them.
fn has_span(sentence: &str) -> bool {
    let Some((_, rest)) = sentence.split_once('`') else {
        return false;
    };
    rest.trim_start_matches('`').contains('`')
}

fn words(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split(|char| !is_word(char)).filter(|word| !word.is_empty())
}

/// `name::name`.
fn has_path(sentence: &str) -> bool {
    sentence.match_indices("::").any(|(at, mark)| {
        before(sentence, at).is_some_and(is_word) && sentence[at + mark.len()..].starts_with(is_word)
    })
}

/// `--option`.
fn has_option(sentence: &str) -> bool {
    let hyphens = sentence.match_indices('-').filter(|(at, _)| sentence[..*at].ends_with('-'));
    hyphens.map(|(at, mark)| &sentence[at + mark.len()..]).any(|name| {
        name.starts_with(|char: char| char.is_ascii_lowercase())
            && name.chars().nth(1).is_some_and(|char| char == '-' || is_word(char))
    })
}

/// Lower case of ASCII with an underscore between.
fn is_snake_case(word: &str) -> bool {
    let Some((first, rest)) = word.split_once('_') else {
        return false;
    };
    let is_lower = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    !first.is_empty() && !rest.is_empty() && is_lower(first) && is_lower(rest)
}

/// Lower case of ASCII, a capital, and more.
fn is_camel_case(word: &str) -> bool {
    let rest = word.trim_start_matches(|char: char| char.is_ascii_lowercase());
    rest.len() < word.len() && rest.starts_with(|char: char| char.is_ascii_uppercase()) && rest.len() > 1
}

/// The name of a file, by its ending.
fn has_file(sentence: &str) -> bool {
    static ENDINGS: OnceLock<Scanner> = OnceLock::new();
    let list = List { cased: true, ..List::new(0, Border::Finish, include_str!("lists/extensions.txt")) };
    let endings = || ENDINGS.get_or_init(|| Scanner::new([list]));
    sentence.match_indices('.').any(|(at, _)| {
        let name = sentence[..at].trim_end_matches('/');
        name.ends_with(is_word) && endings().is_at(sentence, at + 1)
    })
}

/// Whether a sentence begins as `Fixes #12` does, with at most twelve characters before the number.
pub(super) fn begins_with_reference(sentence: &str) -> bool {
    static WORDS: OnceLock<Scanner> = OnceLock::new();
    if !sentence.contains('#') {
        return false;
    }
    let list = List::new(0, Border::Finish, include_str!("lists/references.txt"));
    let words = WORDS.get_or_init(|| Scanner::new([list]));
    words.at(sentence, 0).into_iter().any(|(_, end)| {
        let between = sentence[end..].char_indices().take(13).take_while(|(_, char)| *char != '.');
        let mut marks = between.filter(|(_, char)| *char == '#');
        marks.any(|(at, mark)| {
            let number = &sentence[end + at + mark.len_utf8()..];
            run(number, |char| char.is_ascii_digit()) > 0
        })
    }) && is_edge(sentence, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_are_seen() {
        for text in [
            "a `b` c",
            "``x`",
            "std::fs x",
            "in get_line now",
            "a_b__",
            "iterMut",
            "--no-x",
            "src/a.rs",
            "a//.toml!",
            "x.c-d",
            "--ax",
            "it---ax",
        ] {
            assert!(has_name(text), "{text}");
        }
        for text in [
            "a `b c",
            "``",
            ":: x::",
            "_x x_",
            "Get_line",
            "get_Line",
            "get_l1",
            "IterMut",
            "iterM",
            "--X",
            "-x",
            "--a",
            " /.rs",
            "a.rsx",
            "a.RS",
            "e.g. this",
            "-- x",
        ] {
            assert!(!has_name(text), "{text}");
        }
    }

    #[test]
    fn references_are_at_the_start_and_near() {
        for text in
            ["Fixes #12", "fixed #1 fix #2: x", "Part of the old #7", "See issue #123 for more", "Close: #4"]
        {
            assert_eq!(begins_with_reference(text), text != "fixed #1 fix #2: x", "{text}");
        }
        for text in
            ["It fixes #12", "Fixes v1.2 #12", "Fixes the other bug #12", "Fixes #x", "Fixing #12", "Fixes"]
        {
            assert!(!begins_with_reference(text), "{text}");
        }
    }
}
