//! What a question quotes literally: identifiers, error codes, flags, paths, phrases in quotes. An entry that has one of
//! them exactly is near, whatever else the question says. Pure.

/// At most so many count.
const MOST: usize = 64;

/// The shortest one, in bytes.
const SHORTEST: usize = 4;

/// The longest one, in bytes.
const LONGEST: usize = 200;

/// The anchors of a question: its quoted phrases, then its codes, then what else names something, each in order. A pasted
/// log has many names, and mostly one code that tells what it is about.
pub fn of(question: &str) -> Vec<String> {
    let mut anchors: Vec<String> = quoted(question).map(str::to_owned).collect();
    let (codes, names): (Vec<&str>, Vec<&str>) = identifiers(question).partition(|one| is_code(one));
    anchors.extend(codes.into_iter().chain(names).map(str::to_owned));
    anchors.retain(|anchor| is_of_length(anchor));
    let mut seen = std::collections::HashSet::new();
    anchors.retain(|anchor| seen.insert(anchor.clone()));
    anchors.truncate(MOST);
    anchors
}

/// The codes of a question: `E0308`, `PAY-4417`, `0x80070005`.
pub fn codes(question: &str) -> impl Iterator<Item = &str> {
    identifiers(question).filter(|one| is_code(one) && is_of_length(one))
}

/// The identifiers of several words that `_` or `-` joins: `max_age`, `--max-age`, `X-Max-Age`. What is joined by a hyphen is
/// one only as a flag, or with capital letters on both sides of it (`pre-commit` is none).
pub fn joined(question: &str) -> impl Iterator<Item = &str> {
    let words = question.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    words.filter_map(|word| {
        let inner = word.trim_matches(['-', '_']);
        let parts = || inner.split(['-', '_']).filter(|part| part.chars().any(char::is_alphabetic));
        let capitals = parts().filter(|part| part.starts_with(char::is_uppercase)).count();
        let is_name = inner.contains('_') || word.starts_with("--") || capitals > 1;
        (is_name && parts().nth(1).is_some() && inner.len() <= LONGEST).then_some(inner)
    })
}

const fn is_of_length(anchor: &str) -> bool {
    SHORTEST <= anchor.len() && anchor.len() <= LONGEST
}

/// The identifiers of a text: its words, and the text between the marks of a word, as in `{"code":"E0308"}`.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    const MARKS: &[char] =
        &['`', '"', '\'', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '?', '!', '=', '|'];
    let words = text.split_whitespace().flat_map(|chunk| {
        let chunk = chunk.trim_matches(MARKS).trim_end_matches([':', '.']);
        let pieces = chunk.split(MARKS).flat_map(|piece| {
            // `a::b` is one name
            let parts = (!piece.contains("::")).then(|| piece.split(':')).into_iter().flatten();
            std::iter::once(piece).chain(parts).map(|part| part.trim_end_matches('.'))
        });
        std::iter::once(chunk).chain(pieces)
    });
    words.filter(|word| is_identifier(word) && !is_moment(word))
}

/// Whether a word is a date or a moment, such as `2026-01-02T03:04:05.678Z`: of a log each line has one.
fn is_moment(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', ':', '.', 'T', 'Z', '+', '/']).collect();
    parts.len() > 2 && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether an identifier is one in capitals with a digit, or a number in hex.
fn is_code(identifier: &str) -> bool {
    is_hex(identifier)
        || identifier.contains(|c: char| c.is_ascii_digit())
            && identifier.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase)
}

fn is_hex(word: &str) -> bool {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or_default();
    digits.len() > 3 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Phrases of at least two words in backticks or double quotes.
fn quoted(question: &str) -> impl Iterator<Item = &str> {
    ['`', '"'].into_iter().flat_map(move |mark| {
        let pieces: Vec<&str> = question.split(mark).collect();
        let closed = (pieces.len() - 1) / 2 * 2;
        let inside: Vec<&str> =
            pieces[..closed].iter().skip(1).step_by(2).map(|piece| piece.trim()).collect();
        inside.into_iter().filter(|piece| piece.contains(char::is_whitespace))
    })
}

/// `max_age`, `--max-age`, `a::b`, `src/a.rs`, `refreshToken`, `E0308`, `EADDRINUSE`; neither a sentence's word nor a number.
fn is_identifier(chunk: &str) -> bool {
    let has = |is: fn(char) -> bool| chunk.contains(is);
    if !has(char::is_alphabetic) {
        return false;
    }
    let inner = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    let is_flag = chunk.starts_with("--") && inner.len() > 1;
    let is_joined = inner.contains('_') || inner.contains("::") || inner.contains('/') || is_dotted(inner);
    let letters = || chunk.chars().filter(|c| c.is_alphabetic());
    let shouts = letters().all(char::is_uppercase) && letters().count() > 5;
    let mut before = ' ';
    let humps = inner
        .chars()
        .filter(|&c| std::mem::replace(&mut before, c).is_lowercase() && c.is_uppercase())
        .count();
    // `GitHub` is a name
    let is_camel = humps > usize::from(inner.starts_with(char::is_uppercase));
    is_flag || is_joined || is_code(chunk) || shouts || is_camel
}

/// A name with a dot in it, and letters on both sides: `package.json`, `reply.send`.
fn is_dotted(inner: &str) -> bool {
    inner.split('.').count() > 1 && inner.split('.').all(|part| part.contains(char::is_alphabetic))
}

/// Whether a text has one of a question's identifiers, in any case of its letters, or the question has none. Paths are the
/// asker's own.
pub fn has_identifiers(question: &str, text: &str) -> bool {
    let is_own = |anchor: &String| !anchor.contains('/') && !anchor.contains(char::is_whitespace);
    let named: Vec<String> = of(question).into_iter().filter(is_own).collect();
    let text = text.to_lowercase();
    named.is_empty() || named.iter().any(|anchor| stands_in(&anchor.to_lowercase(), &text))
}

/// Whether a text has an anchor exactly, not as a part of a longer word.
pub fn stands_in(anchor: &str, text: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(anchor).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + anchor.len()..].chars().next());
        let (first, last) = (anchor.chars().next(), anchor.chars().next_back());
        let is_longer = is_word(before) && is_word(first) || is_word(after) && is_word(last);
        !is_longer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_literally_is_an_anchor() {
        let anchors = of(
            "Why `error TS2345: x` in src/lib.rs? --max-age, maxAge (E0308) and EADDRINUSE; a::b or e.g. it's 3.14.",
        );
        let expected =
            ["error TS2345: x", "TS2345", "E0308", "src/lib.rs", "--max-age", "maxAge", "EADDRINUSE", "a::b"];
        assert_eq!(anchors, expected);
        assert!(of("How does the HTTP server, e.g. ours, log well-known things?").is_empty());
    }

    #[test]
    fn the_code_of_a_log_is_an_anchor_wherever_it_stands_and_moments_are_none() {
        let line = |at: usize| {
            format!("2026-11-20T12:{at:02}:07.{at:03}Z INFO [w-{at}] acme.http.H{at}x at a_{at}.rs:{at}\n")
        };
        let log: String = (10..60).map(line).collect();
        for (text, code) in [
            ("declined code=PAY-4417 closed", "PAY-4417"),
            ("{\"ts\":\"2026-11-20T12:00:00Z\",\"code\":\"PAY-4417\"}", "PAY-4417"),
            ("SQLSTATE[42P01]: no table", "42P01"),
            ("error:E0308:mismatch", "E0308"),
            ("failed with 0x80070005.", "0x80070005"),
        ] {
            let pasted = format!("{log}{text}\n{log}");
            assert_eq!(codes(&pasted).last(), Some(code), "{text}");
            assert!(of(&pasted).contains(&code.to_owned()), "{text}");
        }
        assert_eq!(codes(&log).count(), 0);
        assert!(of("at 2026-11-20T12:00:00+02:00, 20/11/2026 and 12:00:00.123").is_empty());
    }

    #[test]
    fn what_marks_join_is_one_identifier() {
        let found: Vec<&str> = joined(
            "g:black_timeout or --indent-width of X-Max-Age? A pre-commit hook, --check, DNS-over-HTTPS, _a_, 2026-11-20 and src/a_b.rs",
        )
        .collect();
        assert_eq!(found, ["black_timeout", "indent-width", "X-Max-Age", "DNS-over-HTTPS", "a_b"]);
    }

    #[test]
    fn an_anchor_is_no_part_of_a_longer_word() {
        assert!(stands_in("--max-age", "use `--max-age=3`") && stands_in("E0308", "(E0308)"));
        assert!(!stands_in("E0308", "E03081") && !stands_in("max_age", "max_ages"));
        assert!(has_identifiers("what does MAX_AGE do in /etc/x.toml?", "`max_age` is a day"));
        assert!(!has_identifiers("what does MAX_AGES do?", "`max_age` is a day"));
    }
}
