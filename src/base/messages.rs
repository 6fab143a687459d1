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
