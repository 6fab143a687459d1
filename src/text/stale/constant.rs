//! The value of a constant or a setting, as far as it is compared: its literals and what it refers to. Its type, and what only
//! wraps a literal (`NonZeroUsize::new(100).unwrap()`), are another way to write the same value.

use super::citations::is_word_char;
use super::modifiers::parted;
use super::said::{ModifierKind, Said};
use brv_base::english::list;
use std::collections::BTreeSet;

/// Methods that change nothing of the value that they are called on.
static HARMLESS: list::Set = list::Set::of_words(include_str!("lists/harmless_methods.txt"));

/// The value behind the `=` of a declaration; it has at least one literal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Constant {
    /// In their order: texts, numbers, `true` and `null`.
    literals: Vec<String>,
    /// What else makes the value: names, functions, signs.
    rest: Vec<String>,
    wrappers: Vec<String>,
    /// Words of its type and its wrappers that the entry's line has.
    told: BTreeSet<String>,
}

impl Constant {
    /// The constant that a declaration introduces, where the name stands in it at this byte.
    pub fn of(declaration: &str, at: usize, name: &str, said: &Said) -> Option<Self> {
        let behind = declaration.get(at + name.len()..)?;
        let (annotation, value) = split(behind)?;
        let mut constant = Self::default();
        let (kept, before) = parted(declaration.get(..at)?, said);
        let types = [before, annotation].into_iter().flat_map(|text| text.split(|c| !is_word_char(c)));
        constant.told.extend(types.filter(|word| said.names(word)).map(str::to_owned).chain([kept]));
        constant.read(&tokens(value), said);
        (!constant.literals.is_empty()).then_some(constant)
    }

    /// Whether both have one value.
    pub fn is(&self, other: &Self) -> bool {
        let within = |one: &[String], other: &[String]| one.iter().all(|wrapper| other.contains(wrapper));
        self.literals == other.literals
            && self.rest == other.rest
            && self.told == other.told
            && (within(&self.wrappers, &other.wrappers) || within(&other.wrappers, &self.wrappers))
    }

    fn read(&mut self, tokens: &[&str], said: &Said) {
        let mut at = 0;
        while let Some(token) = tokens.get(at).copied() {
            let (before, next) =
                (at.checked_sub(1).and_then(|at| tokens.get(at)), tokens.get(at + 1).copied());
            at += 1;
            let is_called = matches!(next, Some("(" | "{" | "!"));
            match token {
                "as" => at += 1,
                "<" if before.is_some_and(|before| before.ends_with("::")) => at += group(&tokens[at..]),
                "await" | ".await" if !said.is_about(ModifierKind::Async) => {}
                "?" if !said.is_about(ModifierKind::Fallible) => {}
                "&" | "(" | ")" | "," | ";" | "!" | "new" | "{" | "}" | "const" => {}
                _ if is_literal(token) => self.literals.push(plain(token)),
                _ if !token.starts_with(is_word_char) && !token.starts_with('.') => {
                    self.rest.push(token.to_owned())
                }
                _ if is_called && is_wrapper(token) => {
                    let words = token.split(|c| !is_word_char(c)).filter(|word| said.names(word));
                    self.told.extend(words.map(str::to_owned));
                    self.wrappers.push(token.to_owned());
                }
                _ if is_called && token.strip_prefix('.').is_some_and(|word| HARMLESS.contains(word)) => {
                    // the message of `expect` is not part of the value
                    at += usize::from(token == ".expect") * 2;
                }
                _ => self.rest.push(token.to_owned()),
            }
        }
    }
}

/// What stands between a name and its value, and the value; `None` if no value follows.
fn split(behind: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let bytes = behind.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'[' => depth += 1,
            b'>' | b']' => depth = depth.saturating_sub(1),
            b'(' | b'{' | b'"' | b';' => return None,
            b'=' if depth == 0 => {
                let is_sign = matches!(bytes.get(at + 1), Some(b'=' | b'>' | b'~'));
                return (!is_sign).then(|| (&behind[..at], &behind[at + 1..]));
            }
            _ => {}
        }
    }
    None
}

/// How many tokens a group in angle brackets goes on for.
fn group(tokens: &[&str]) -> usize {
    let mut depth = 1_usize;
    for (at, token) in tokens.iter().enumerate() {
        depth = match *token {
            "<" => depth + 1,
            ">" => depth - 1,
            _ => depth,
        };
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Whether what is called only wraps: a type, or a function of one.
fn is_wrapper(token: &str) -> bool {
    let bare = token.trim_start_matches('.');
    bare.len() == token.len() && bare.split("::").any(|part| part.starts_with(char::is_uppercase))
}

fn is_literal(token: &str) -> bool {
    token.starts_with(['"', '\'', '`'])
        || token.starts_with(|c: char| c.is_ascii_digit())
        || matches!(token, "true" | "false" | "null" | "nil" | "None" | "True" | "False" | "undefined")
}

/// A literal without the marks that only its reader needs: `900_000u32` is `900000`, and quotes are quotes.
fn plain(token: &str) -> String {
    if token.starts_with(|c: char| c.is_ascii_digit()) {
        let number = token.replace('_', "");
        let radix = number.starts_with("0x") || number.starts_with("0b") || number.starts_with("0o");
        let suffix = if radix { None } else { number.find(['u', 'i', 'f', 'n', 'L']) };
        return number[..suffix.unwrap_or(number.len())].to_owned();
    }
    token.trim_matches(['"', '\'', '`']).to_owned()
}

/// The words, literals and signs of a value. A path is one word, and a method is one with the dot before it.
fn tokens(value: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = value.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '`' => quoted(rest, first).unwrap_or(1),
            '\'' => quoted(rest, first).unwrap_or_else(|| 1 + word(&rest[1..])),
            '.' if rest[1..].starts_with(is_word_char) => 1 + word(&rest[1..]),
            _ if first.is_ascii_digit() => number(rest),
            _ if is_word_char(first) => word(rest),
            _ => first.len_utf8(),
        };
        // a lifetime is not a literal
        let is_lifetime = first == '\'' && !rest[1..length].ends_with('\'');
        if !is_lifetime {
            tokens.push(&rest[..length]);
        }
        rest = rest[length..].trim_start();
    }
    tokens
}

fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut before = quote;
    for (at, char) in text.char_indices().skip(1) {
        if char == quote && before != '\\' {
            return Some(at + 1);
        }
        before = if before == '\\' && char == '\\' { ' ' } else { char };
    }
    None
}

/// The length of a path: `a::B`.
fn word(text: &str) -> usize {
    let mut end = 0;
    loop {
        end += text[end..].find(|char| !is_word_char(char)).unwrap_or(text.len() - end);
        match text[end..].strip_prefix("::") {
            Some(_) => end += 2,
            None => return end,
        }
    }
}

fn number(text: &str) -> usize {
    let is_part = |(at, char): (usize, char)| {
        is_word_char(char) || char == '.' && text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
    };
    text.char_indices().find(|found| !is_part(*found)).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(before: &str, after: &str, said: &str) -> bool {
        let said = Said::of(said);
        let read = |text: &str| Constant::of(text, text.find("MAX").unwrap(), "MAX", &said);
        matches!((read(before), read(after)), (Some(before), Some(after)) if before.is(&after))
    }

    #[test]
    fn another_type_or_wrapper_is_the_same_value() {
        for (before, after) in [
            ("MAX: usize = 100;", "MAX: NonZeroUsize = NonZeroUsize::new(100).unwrap();"),
            ("MAX: &'static str = \"a\";", "MAX: &RemoteName = RemoteName::new(\"a\");"),
            ("MAX = 2048", "MAX: Final[int] = 2048"),
            ("MAX = 96;", "MAX: Pixels = 96 as Pixels;"),
            ("MAX = 10", "MAX int = 10"),
            ("MAX: u32 = 900_000;", "MAX: u64 = 900000u64;"),
            ("MAX: u64 = 45;", "MAX: Duration = Duration::from_secs(45);"),
            (
                "static MAX: A = A::new(\"x\")",
                "static MAX: B<A> = Lazy::new(A::new(\"x\").expect(\"a pattern\"))",
            ),
            ("MAX = 'a'", "MAX = \"a\""),
        ] {
            assert!(is_same(before, after, "what it is"), "{after}");
            assert!(is_same(after, before, "what it is"), "{before}");
        }
    }

    #[test]
    fn another_value_is_not() {
        for (before, after) in [
            ("MAX: usize = 100;", "MAX: NonZeroUsize = NonZeroUsize::new(400).unwrap();"),
            ("MAX: D = Duration::from_secs(5);", "MAX: D = Duration::from_millis(5);"),
            ("MAX: L = Level::of(FIRST, 3);", "MAX: L = Level::of(SECOND, 3);"),
            ("MAX: u32 = 2 * 3;", "MAX: u32 = 2 + 3;"),
            ("MAX: u32 = min(2, 3);", "MAX: u32 = max(2, 3);"),
            ("MAX: u32 = A;", "MAX: u32 = A;"),
            ("fn MAX(a: u8 = 1)", "fn MAX(a: u8 = 1)"),
            ("MAX == 1", "MAX == 1"),
            ("MAX = \"a b\"", "MAX = \"a  b\""),
        ] {
            assert!(!is_same(before, after, "what it is"), "{after}");
        }
    }

    #[test]
    fn the_type_counts_where_the_line_names_it() {
        assert!(!is_same("MAX: u32 = 1;", "MAX: u64 = 1;", "a `u32`"));
        assert!(!is_same("MAX: u32 = 1;", "MAX: N = N::new(1);", "made by `N::new`"));
        assert!(is_same("MAX: u32 = 1;", "MAX: u64 = 1;", "a `u16`"));
    }

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(2_000))]

        #[test]
        fn any_text_is_read(text in "[ a\"'`.:0x_=<>\\\\(é&]{0,24}") {
            let _ = Constant::of(&format!("MAX{text}"), 0, "MAX", &Said::default());
        }
    }
}
