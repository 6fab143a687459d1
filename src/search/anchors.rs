//! What a question quotes literally: identifiers, error codes, flags, paths, phrases in quotes. An entry that has one of
//! them exactly is near, whatever else the question says. Pure.

/// At most so many count.
const MOST: usize = 16;

/// The shortest one, in bytes.
const SHORTEST: usize = 4;

/// The longest one, in bytes.
const LONGEST: usize = 200;

/// The anchors of a question, in order.
pub fn of(question: &str) -> Vec<String> {
    let mut anchors: Vec<String> = quoted(question).map(str::to_owned).collect();
    for chunk in question.split_whitespace() {
        let outer = |c: char| {
            matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '?' | '!' | '=')
        };
        let chunk = chunk.trim_matches(outer).trim_end_matches([':', '.']);
        if is_identifier(chunk) {
            anchors.push(chunk.to_owned());
        }
    }
    anchors.retain(|anchor| (SHORTEST..=LONGEST).contains(&anchor.len()));
    let mut seen = std::collections::HashSet::new();
    anchors.retain(|anchor| seen.insert(anchor.clone()));
    anchors.truncate(MOST);
    anchors
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
    let is_code = letters().all(char::is_uppercase) && (has(|c| c.is_ascii_digit()) || letters().count() > 5);
    let mut before = ' ';
    let humps = inner
        .chars()
        .filter(|&c| std::mem::replace(&mut before, c).is_lowercase() && c.is_uppercase())
        .count();
    // `GitHub` is a name
    let is_camel = humps > usize::from(inner.starts_with(char::is_uppercase));
    is_flag || is_joined || is_code || is_camel
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
            ["error TS2345: x", "TS2345", "src/lib.rs", "--max-age", "maxAge", "E0308", "EADDRINUSE", "a::b"];
        assert_eq!(anchors, expected);
        assert!(of("How does the HTTP server, e.g. ours, log well-known things?").is_empty());
    }

    #[test]
    fn an_anchor_is_no_part_of_a_longer_word() {
        assert!(stands_in("--max-age", "use `--max-age=3`") && stands_in("E0308", "(E0308)"));
        assert!(!stands_in("E0308", "E03081") && !stands_in("max_age", "max_ages"));
        assert!(has_identifiers("what does MAX_AGE do in /etc/x.toml?", "`max_age` is a day"));
        assert!(!has_identifiers("what does MAX_AGES do?", "`max_age` is a day"));
    }
}
