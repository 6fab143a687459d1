//! Write one YAML scalar so that every reader gets the same text back.
//!
//! Does not know where the scalar goes, except whether brackets enclose it.

/// How a text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Unquoted, where that is safe.
    Plain,
    /// `'it''s'`, where that is possible.
    Single,
    /// `"say \"so\""`.
    Double,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// The scalar follows a colon or a dash.
    Block,
    /// The scalar is an item between brackets.
    Flow,
}

impl Style {
    /// The style of a scalar as written; block scalars count as double-quoted, since that style can hold any text.
    pub fn of(written: &str) -> Style {
        match written.bytes().next() {
            Some(b'\'') => Style::Single,
            Some(b'"' | b'|' | b'>') => Style::Double,
            _ => Style::Plain,
        }
    }
}

/// `text` as a scalar in the given style, or in `fallback` and then in double quotes if that is not possible.
pub(super) fn write(text: &str, style: Style, fallback: Style, context: Context) -> String {
    match style {
        Style::Plain if is_plain(text, context) => text.to_owned(),
        Style::Plain if fallback != Style::Plain => write(text, fallback, Style::Double, context),
        Style::Single if text.chars().all(is_printable) => format!("'{}'", text.replace('\'', "''")),
        Style::Plain | Style::Single | Style::Double => double(text),
    }
}

/// True if the text reads as the same string without quotes, under YAML 1.1 and 1.2 alike. Stricter than YAML: words
/// that some reader takes for a boolean, a null, a number or a time are not plain.
fn is_plain(text: &str, context: Context) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let flow = |c: char| context == Context::Flow && matches!(c, ',' | '[' | ']' | '{' | '}');
    text.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '/')
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        && text
            .chars()
            .all(|c| is_printable(c) && !flow(c) && (c.is_alphanumeric() || c.is_ascii() || c > '\u{a0}'))
        && !(context == Context::Flow && text.contains(':'))
}

/// True for characters allowed unescaped in a scalar on one line.
fn is_printable(c: char) -> bool {
    let line_breaks = matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
    let special =
        matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
    !c.is_control() && !line_breaks && !special
}

fn double(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xff => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_that_read_as_something_else_are_quoted() {
        for text in
            ["", " a", "a ", "null", "NO", "y", "0012", "1.0", "~", "a: b", "a #b", "- a", "@a", "2025-01-01"]
        {
            let written = write(text, Style::Plain, Style::Single, Context::Block);
            assert_eq!(written, format!("'{text}'"));
        }
        assert_eq!(write("it's", Style::Plain, Style::Plain, Context::Block), "it's");
        assert_eq!(write("a, b", Style::Plain, Style::Plain, Context::Block), "a, b");
        assert_eq!(write("a, b", Style::Plain, Style::Plain, Context::Flow), "\"a, b\"");
    }

    #[test]
    fn a_style_is_left_only_where_it_cannot_say_the_text() {
        assert_eq!(write("it's", Style::Single, Style::Plain, Context::Block), "'it''s'");
        assert_eq!(write("a\nb\u{7}", Style::Single, Style::Plain, Context::Block), "\"a\\nb\\x07\"");
        assert_eq!(write("a\"\\", Style::Double, Style::Plain, Context::Flow), "\"a\\\"\\\\\"");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn every_text_reads_back(text in ".{0,12}|[ -~]{0,6}|[-:#,\\[\\]{}'\"\\\\ \n\t!&*?|>%@`~a1]{0,8}", styles in 0..9) {
            let of = |n| [Style::Plain, Style::Single, Style::Double][n as usize];
            let (style, fallback) = (of(styles % 3), of(styles / 3));
            let block = format!("k: {}\n", write(&text, style, fallback, Context::Block));
            let flow = format!("k: [{}, x]\n", write(&text, style, fallback, Context::Flow));
            let block: serde_yaml::Value = serde_yaml::from_str(&block).unwrap();
            let flow: serde_yaml::Value = serde_yaml::from_str(&flow).unwrap();
            prop_assert_eq!(block["k"].as_str(), Some(text.as_str()));
            prop_assert_eq!(flow["k"][0].as_str(), Some(text.as_str()));
        }
    }
}
