//! Emoji and their codes (`:bug:`) before a subject: they say what kind of change it is, and are not part of its text.

use super::characters::is_word;

/// The most characters of a code, and of a scope in brackets.
const MOST: usize = 40;

/// The scope in brackets that stands between emoji and the text of a subject, if one does, and the text behind both:
/// `:bug: (db) x` is `x` of `db`.
pub fn after_emoji(subject: &str) -> (Option<&str>, &str) {
    let text = without(subject);
    let has_emoji = text.len() < subject.trim_start().len();
    match in_brackets(text).filter(|_| has_emoji) {
        Some((scope, rest)) => (Some(scope), without(rest)),
        None => (None, text),
    }
}

fn without(subject: &str) -> &str {
    let mut text = subject;
    loop {
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || is_emoji(c));
        let rest = after_code(rest).unwrap_or(rest);
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// Symbols, dashes and dots of no word, and what joins and colours emoji; no quotes, no brackets.
fn is_emoji(char: char) -> bool {
    let is_symbol = matches!(char,
        '\u{200d}' | '\u{2010}'..='\u{2017}' | '\u{2020}'..='\u{2027}' | '\u{203c}' | '\u{2049}' | '\u{20e3}'
        | '\u{2100}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{1f000}'..='\u{1fbff}' | '\u{e0020}'..='\u{e007f}');
    is_symbol && !is_word(char)
}

/// The text behind a code: `:bug:`, `:+1:`.
fn after_code(text: &str) -> Option<&str> {
    let (code, rest) = text.strip_prefix(':')?.split_once(':')?;
    let belongs = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_+-".contains(c);
    let is_code = matches!(code, "+1" | "-1") || code.contains(|c: char| c.is_ascii_lowercase());
    (is_code && code.len() <= MOST && code.chars().all(belongs)).then_some(rest)
}

/// `(db) x`, `(db)!: x`; `(a, b): x` only with a colon.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    let (scope, rest) = text.strip_prefix('(')?.split_once(')')?;
    let rest = rest.strip_prefix('!').unwrap_or(rest);
    let (has_colon, rest) = rest.strip_prefix(':').map_or((false, rest), |rest| (true, rest));
    let belongs = |c: char| c.is_alphanumeric() || "_./@+-,".contains(c) || has_colon && c == ' ';
    let is_scope = scope.starts_with(|c: char| c.is_alphabetic() || c == '@' || c == '.')
        && scope.chars().all(belongs)
        && scope.chars().count() <= MOST;
    let is_text = rest.starts_with(char::is_whitespace) && !rest.trim().is_empty();
    (is_scope && is_text).then_some((scope, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_and_codes_go_with_a_scope_behind_them() {
        for (subject, scope, text) in [
            ("\u{2728} feat(net): x", None, "feat(net): x"),
            ("\u{1f41b}ui: x", None, "ui: x"),
            ("\u{2728}(net)!: x", Some("net"), "x"),
            (":bug: (db) x", Some("db"), "x"),
            (":memo::+1: x", None, "x"),
            ("\u{2728} (a, b): x", Some("a, b"), "x"),
            ("\u{2728} (a b) x", None, "(a b) x"),
            (":bug: (#12) x", None, "(#12) x"),
            ("(db) x", None, "(db) x"),
            (":80: x", None, ":80: x"),
            ("\u{300c}x\u{300d} y", None, "\u{300c}x\u{300d} y"),
            ("\u{1f389}", None, ""),
            ("", None, ""),
        ] {
            assert_eq!(after_emoji(subject), (scope, text), "{subject}");
        }
    }
}
