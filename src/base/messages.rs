//! Makes messages from outside safe for terminals, cuts them to a readable length, and splits them into lines.
//!
//! Does not know where the text comes from.

/// `text` without anything that a terminal would act on: escape sequences, control characters (tabs become spaces),
/// and marks that reorder what is shown. Bytes that are not UTF-8 become the replacement character.
pub fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_sequence(&mut characters),
            '\u{9b}' => skip_parameters(&mut characters),
            '\t' => shown.push(' '),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            character if character.is_control() => {}
            character => shown.push(character),
        }
    }
    shown
}

/// The longest server text quoted in a message, in characters.
const LONGEST: usize = 400;

/// `text`, cut to a readable length.
pub fn brief(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// `text` with `****` in place of the user and password of each address in it: what is typed or set may have one, and a
/// message quotes it. The user alone stays where the password is elsewhere, as with ssh.
pub fn without_passwords(text: &str) -> String {
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(":/") {
        // an address that was taken for a path has one slash
        let inner = after.trim_start_matches('/');
        let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '<' | '>');
        let address = &inner[..inner.find(is_end).unwrap_or(inner.len())];
        let needs_no_password = inner.len() < after.len() && !before.ends_with("ssh");
        shown.push_str(&rest[..rest.len() - inner.len()]);
        rest = inner;
        if let Some(at) = user_end(needs_no_password, address) {
            shown.push_str("****");
            rest = &inner[at..];
        }
    }
    shown + rest
}

/// The place of the `@` behind a user that is not shown. A password may have `@` and `/` as they are, so that the last one
/// counts.
fn user_end(needs_no_password: bool, address: &str) -> Option<usize> {
    let last = address.rfind('@')?;
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    let is_hidden = match authority.rsplit_once('@') {
        Some((user, _)) => needs_no_password || user.contains(':'),
        // the text before a `/` of the password is not a port
        None => {
            let port = authority.rsplit_once(']').map_or(authority, |(_, port)| port).split_once(':');
            port.is_some_and(|(_, port)| port.bytes().any(|byte| !byte.is_ascii_digit()))
        }
    };
    is_hidden.then_some(last)
}

/// The longest line that is kept, in bytes.
const LONGEST_LINE: usize = 8 << 10;

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips what follows an escape character: `[…m` and its like, `]…BEL` and its like, or one character.
fn skip_sequence(characters: &mut Characters<'_>) {
    match characters.next() {
        Some('[') => skip_parameters(characters),
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(character) = characters.next() {
                match character {
                    '\u{7}' | '\u{9c}' => return,
                    '\u{1b}' => {
                        characters.next_if_eq(&'\\');
                        return;
                    }
                    _ => {}
                }
            }
        }
        Some(' '..='/') => {
            characters.next();
        }
        _ => {}
    }
}

fn skip_parameters(characters: &mut Characters<'_>) {
    while characters.next_if(|character| (' '..='?').contains(character)).is_some() {}
    characters.next_if(|character| ('@'..='~').contains(character));
}

/// Collects the lines of a stream that comes in pieces.
#[derive(Debug, Default)]
pub struct Lines {
    partial: Vec<u8>,
}

impl Lines {
    /// The lines that `piece` completes, made printable; empty ones and those overwritten by a carriage return
    /// (progress) are left out. Only the beginning of an endless line is kept.
    pub fn push(&mut self, piece: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for &byte in piece {
            match byte {
                b'\n' => lines.extend(self.finish()),
                _ => self.push_byte(byte),
            }
        }
        lines
    }

    fn push_byte(&mut self, byte: u8) {
        if self.partial.last() == Some(&b'\r') {
            self.partial.clear();
        }
        if self.partial.len() < LONGEST_LINE || byte == b'\r' {
            self.partial.push(byte);
        }
    }

    /// The last line, if it is incomplete.
    pub fn finish(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.partial);
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        let line = printable(line);
        let line = line.trim_end();
        (!line.is_empty()).then(|| line.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_on_is_left() {
        for (raw, shown) in [
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b]8;;http://x\x1b\\link", "link"),
            ("a\x08\x07b\tc", "ab c"),
            ("\u{9b}2Jx\u{85}", "x"),
            ("\x1b(Bok\x1b", "ok"),
            ("über 日本\u{202e}x", "über 日本x"),
        ] {
            assert_eq!(printable(raw.as_bytes()), shown);
        }
        assert_eq!(printable(b"a\xffb"), "a\u{fffd}b");
    }

    #[test]
    fn an_address_is_quoted_without_its_password() {
        for (text, shown) in [
            ("https://user:p@ss/w@host/v1", "https://****@host/v1"),
            (
                "`http://a:b@h:9/x` and 'ssh://u@h/p', git+ssh://u:p@h",
                "`http://****@h:9/x` and 'ssh://u@h/p', git+ssh://****@h",
            ),
            ("https://user:pa/ss@host/v1", "https://****@host/v1"),
            ("https://token@host/v1 ftp://a@b", "https://****@host/v1 ftp://****@b"),
            ("`http:/a:b@h/x` C:/users@home/x", "`http:/****@h/x` C:/users@home/x"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
        for text in
            ["https://host/@scope/a@1", "http://[::1]:9/a@b", "user@host", "a:b@c:d", "maybe", "", "://"]
        {
            assert_eq!(without_passwords(text), text);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(brief("ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        assert_eq!(brief("ä".repeat(LONGEST + 1)), "ä".repeat(LONGEST) + "…");
    }

    #[test]
    fn lines_are_whole_whatever_the_pieces() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(b"one\ntw"), ["one"]);
        assert_eq!(lines.push(b"o\n\n 10%\r 99%\r100%, done\ndos\r\nrest"), ["two", "100%, done", "dos"]);
        assert_eq!(lines.finish().as_deref(), Some("rest"));
        assert_eq!(lines.finish(), None);
    }

    #[test]
    fn a_line_without_end_takes_no_more_room_than_a_long_one() {
        let mut lines = Lines::default();
        for _ in 0..100 {
            assert_eq!(lines.push(&[b'x'; 4096]), Vec::<String>::new());
        }
        assert!(lines.partial.capacity() <= 2 * LONGEST_LINE);
        assert_eq!(lines.push(b"\nnext\n"), ["x".repeat(LONGEST_LINE), "next".to_owned()]);
        // overwritten text does not count
        let progress = "working\r".repeat(LONGEST_LINE) + "done\n";
        assert_eq!(lines.push(progress.as_bytes()), ["done"]);
    }

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_control_character_survives(text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            proptest::prop_assert!(!printable(&text).chars().any(char::is_control));
        }
    }
}
