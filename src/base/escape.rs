//! Escapes untrusted text for output: control, bidirectional and invisible characters are made visible.
//!
//! Knows nothing of colours, which are added after escaping.

use bstr::ByteSlice;
use std::borrow::Cow;
use std::fmt::Write as _;

/// `bytes` as text that is safe to print: control characters, bidirectional and invisible ones and broken UTF-8 are
/// shown as escapes (`\x1b`, `\u{202e}`, `\xff`). Tabs and line feeds stay.
pub fn escape(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = bytes.to_str()
        && !text.chars().any(is_unsafe)
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    each_seen(bytes, |seen| match seen {
        EscapedPart::Text(text) => out.push_str(text),
        EscapedPart::Escape(escape) => out.push_str(&escape),
    });
    Cow::Owned(out)
}

/// A part of an untrusted text, safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EscapedPart<'a> {
    /// A run of characters shown unchanged.
    Text(&'a str),
    /// The escape of an unsafe character or an invalid byte.
    Escape(String),
}

/// Call `visit` with the parts of `bytes` in order; joined, they are what [`escape`] returns.
pub fn each_seen(bytes: &[u8], mut visit: impl FnMut(EscapedPart<'_>)) {
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        let mut start = 0;
        for (at, char) in text.char_indices().filter(|(_, char)| is_unsafe(*char)) {
            if start < at {
                visit(EscapedPart::Text(&text[start..at]));
            }
            visit(EscapedPart::Escape(escape_of(char)));
            start = at + char.len_utf8();
        }
        if start < text.len() {
            visit(EscapedPart::Text(&text[start..]));
        }
        for byte in chunk.invalid() {
            visit(EscapedPart::Escape(format!("\\x{byte:02x}")));
        }
    }
}

fn escape_of(char: char) -> String {
    match char {
        '\r' => "\\r".to_owned(),
        char if (char as u32) < 0x100 => format!("\\x{:02x}", char as u32),
        char => char.escape_unicode().to_string(),
    }
}

/// As [`escape`], and on one line: line feeds and tabs are escaped, too.
pub fn escape_line(bytes: &[u8]) -> Cow<'_, str> {
    match escape(bytes) {
        text if !text.contains(['\n', '\t']) => text,
        text => Cow::Owned(text.replace('\n', "\\n").replace('\t', "\\t")),
    }
}

/// Escape the same characters in JSON with JSON's own escapes: parsers see no difference, and a terminal does not act.
pub fn escape_json(json: String) -> String {
    if !json.chars().any(is_unsafe) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for char in json.chars() {
        if is_unsafe(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("memory takes all text");
            }
        } else {
            out.push(char);
        }
    }
    out
}

/// Append text as it is written inside an HTML element or an attribute: `&lt;` for `<`.
pub fn entities(out: &mut String, text: &str) {
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.push_str(&text[start..at]);
        out.push_str(entity);
        start = at + 1;
    }
    out.push_str(&text[start..]);
}

/// Whether the text is safe to print on one line of a terminal without escaping.
pub fn is_harmless(text: &str) -> bool {
    !text.chars().any(|char| is_unsafe(char) || matches!(char, '\n' | '\t'))
}

/// Whether a character is escaped: controls (C0 except tab and line feed, DEL, C1), the marks and overrides of the
/// bidirectional algorithm, line and paragraph separators, and characters without width or use for a reader. Joiners
/// are safe: scripts and emoji need them.
const fn is_unsafe(char: char) -> bool {
    matches!(char,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{2028}' | '\u{2029}'
        | '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Quote a path as git does: in double quotes with C escapes if it has a quote, a backslash or a control character,
/// else unchanged. (As with `core.quotePath=false`: letters of all scripts stay readable.)
pub fn quote_path(path: &[u8]) -> Cow<'_, str> {
    let plain = path.to_str().is_ok_and(|text| {
        !text.chars().any(|char| is_unsafe(char) || matches!(char, '"' | '\\' | '\n' | '\t'))
    });
    if plain { Cow::Borrowed(path.to_str().unwrap_or_default()) } else { Cow::Owned(quoted(path)) }
}

/// A word as it is typed in a shell: in single quotes, unless it is plain.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |char: char| char.is_alphanumeric() || "-_./@:+%,=".contains(char);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', "'\\''"))),
    }
}

fn quoted(path: &[u8]) -> String {
    let mut out = String::from("\"");
    let octal = |out: &mut String, bytes: &[u8]| {
        for byte in bytes {
            write!(out, "\\{byte:03o}").expect("memory takes all text");
        }
    };
    for chunk in path.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                char if is_unsafe(char) => octal(&mut out, char.encode_utf8(&mut [0; 4]).as_bytes()),
                char => out.push(char),
            }
        }
        octal(&mut out, chunk.invalid());
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(escape(b"a\x1b[31mred\x07"), "a\\x1b[31mred\\x07");
        assert_eq!(escape("\u{202e}gnp.exe".as_bytes()), "\\u{202e}gnp.exe");
        assert_eq!(escape("\u{9b}31m".as_bytes()), "\\x9b31m");
        assert_eq!(escape(b"\xffa\r\n"), "\\xffa\\r\n");
        assert_eq!(escape_line(b"a\nb\tc"), "a\\nb\\tc");
    }

    #[test]
    fn letters_of_all_scripts_stay() {
        for text in ["令牌 ok", "नमस्ते", "می\u{200c}خواهم", "👩\u{200d}👧", "a\tb\n"]
        {
            assert!(matches!(escape(text.as_bytes()), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn paths_are_quoted_as_git_does() {
        assert_eq!(quote_path(b"auth/jwt.md"), "auth/jwt.md");
        assert_eq!(quote_path("令牌/a b.md".as_bytes()), "令牌/a b.md");
        assert_eq!(quote_path(b"a\"b\\\n\x1b\xff"), "\"a\\\"b\\\\\\n\\033\\377\"");
    }

    #[test]
    fn json_means_the_same_after_escaping() {
        let text = "a\u{9b}\u{202e}\u{e0041}令";
        let json = escape_json(serde_json::to_string(text).unwrap());
        assert_eq!(json, "\"a\\u009b\\u202e\\udb40\\udc41令\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn nothing_that_acts_gets_through(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            for text in [escape(&bytes), quote_path(&bytes)] {
                prop_assert!(!text.chars().any(is_unsafe), "{:?}", text);
            }
            prop_assert!(!escape_line(&bytes).contains('\n'));
        }

        #[test]
        fn nothing_that_acts_gets_through_as_text(text in "\\PC{0,20}[\u{0}-\u{ff}\u{2000}-\u{2070}]{0,20}") {
            prop_assert!(!escape(text.as_bytes()).chars().any(is_unsafe));
        }
    }

    #[test]
    fn a_word_is_quoted_for_the_shell_if_need_be() {
        assert_eq!(shell_word("origin/tokens-2"), "origin/tokens-2");
        assert_eq!(shell_word("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(shell_word(""), "''");
    }
}
