//! The tokens of a text that carry a claim: dates, numbers with their units, versions, code, paths, names.
//!
//! Each has a form in which it is compared: `15 minutes`, `15 min` and `900 s` are one, `15 min` and `15 h` two. Knows English
//! dates and units; other languages keep their numbers, names and code.

use super::negations::is_negation;
use brv_base::english::{self, day_of_month, plain_number, spelled_number, unit};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Sort {
    /// A date or a part of one.
    Date,
    /// A number with its unit, or a version.
    Number,
    /// A code span, an identifier, a path, an address: compared with its case.
    Code,
    /// A name: a word with a capital inside a sentence, or all in capitals.
    Name,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub sort: Sort,
    /// The form in which it is compared.
    pub key: String,
    /// As written.
    pub text: String,
}

impl Token {
    /// The number of what happens so many times.
    pub(super) fn times(&self) -> Option<&str> {
        self.key.strip_suffix('x').filter(|_| self.sort == Sort::Number && self.text.ends_with("times"))
    }
}

/// A word without the punctuation around it.
#[derive(Clone, Copy)]
struct BareWord<'a> {
    text: &'a str,
    /// Whether a sentence or a clause may begin with it: then a capital says nothing.
    is_first: bool,
    /// Whether punctuation separates it from the word after it.
    is_last: bool,
}

/// The tokens of a sentence or another piece of text, in order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let (mut tokens, prose) = spans(text);
    // `[the FAQ][faq]`: a link without the line that says where it leads
    let prose = prose.replace("][", "] [");
    let words = words(&prose);
    let mut at = 0;
    while at < words.len() {
        let (token, length) = token(&words[at..]);
        if let Some(token) = token {
            tokens.extend(token);
        }
        at += length.max(1);
    }
    tokens
}

/// The code spans, and the text without them.
fn spans(text: &str) -> (Vec<Token>, String) {
    let (mut tokens, mut prose) = (Vec::new(), String::with_capacity(text.len()));
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, after)) = after.split_once('`') else { break };
        prose.push_str(before);
        prose.push_str(" \u{0} ");
        let code = code.trim();
        if !code.is_empty() {
            tokens.push(Token { sort: Sort::Code, key: code.to_owned(), text: format!("`{code}`") });
        }
        rest = after;
    }
    prose.push_str(rest);
    (tokens, prose)
}

fn words(text: &str) -> Vec<BareWord<'_>> {
    let mut words = Vec::new();
    let mut is_first = true;
    for written in text.split_whitespace().flat_map(|word| word.split(['—', '–', '→'])) {
        let start = written.trim_start_matches(['(', '[', '{', '"', '\'', '“', '‘', '*', '_', '|']);
        let text = start.trim_end_matches([
            '.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '”', '’', '*', '_', '|', '…', '。', '、',
        ]);
        if text.is_empty() {
            is_first |= !written.is_empty();
            continue;
        }
        let is_quoted = start.len() < written.len();
        let is_last = text.len() < start.len();
        words.push(BareWord { text, is_first: is_first || is_quoted, is_last });
        is_first = start[text.len()..].contains([':', '.', '!', '?', '。']);
    }
    words
}

/// The token at the start of these words, and how many of them it takes.
fn token(words: &[BareWord<'_>]) -> (Option<Vec<Token>>, usize) {
    let word = words[0];
    if word.text == "\u{0}" {
        return (None, 1);
    }
    let one = |sort, key: String| (Some(vec![Token { sort, key, text: word.text.to_owned() }]), 1);
    if let Some((key, length)) = date(words) {
        let text = words[..length].iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        return (Some(vec![Token { sort: Sort::Date, key, text }]), length);
    }
    if is_path(word.text) || is_identifier(word.text) {
        let text = word.text.strip_suffix("()").unwrap_or(word.text);
        return one(Sort::Code, text.to_owned());
    }
    if let Some((tokens, length)) = numbers(words) {
        return (Some(tokens), length);
    }
    match name(word) {
        Some(name) => one(Sort::Name, name.to_lowercase()),
        None => (None, 1),
    }
}

/// `2026-03-04`, `2026-03`, `March 4, 2026`, `4 March 2026`, `Mar 2026`, `March 4`, `Q3 2025`, `2025-Q3`.
fn date(words: &[BareWord<'_>]) -> Option<(String, usize)> {
    let text = |at: usize| words.get(at).map(|word| word.text);
    let first = text(0)?;
    if let Some(key) = iso_date(first) {
        return Some((key, 1));
    }
    if let Some(quarter) = quarter(first) {
        return Some(match text(1).and_then(year) {
            Some(year) => (format!("{year}-q{quarter}"), 2),
            None => (format!("q{quarter}"), 1),
        });
    }
    if let Some(month) = month(first) {
        return match (text(1).and_then(day_of_month), text(1).and_then(year), text(2).and_then(year)) {
            (Some(day), _, Some(year)) => Some((format!("{year}-{month:02}-{day:02}"), 3)),
            (Some(day), _, None) => Some((format!("{month:02}-{day:02}"), 2)),
            (None, Some(year), _) => Some((format!("{year}-{month:02}"), 2)),
            (None, None, _) => None,
        };
    }
    let (day, month) = (day_of_month(first)?, month(text(1)?)?);
    Some(match text(2).and_then(year) {
        Some(year) => (format!("{year}-{month:02}-{day:02}"), 3),
        None => (format!("{month:02}-{day:02}"), 2),
    })
}

fn iso_date(text: &str) -> Option<String> {
    let date = text.split(['T', 't']).next()?;
    let mut parts = date.split(['-', '/']);
    let year = year(parts.next()?)?;
    let second = parts.next()?;
    let third = parts.next();
    let is_one_of = |text: &str, most: u32| {
        text.len() <= 2 && text.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    match (quarter(second), third, parts.next()) {
        (Some(quarter), None, None) => Some(format!("{year}-q{quarter}")),
        (None, None, None) if is_one_of(second, 12) => Some(format!("{year}-{second:0>2}")),
        (None, Some(third), None) if is_one_of(second, 12) && is_one_of(third, 31) => {
            let time = text.get(date.len()..).filter(|time| time.len() > 1).unwrap_or_default();
            Some(format!("{year}-{second:0>2}-{third:0>2}{}", time.to_lowercase()))
        }
        _ => None,
    }
}

fn quarter(text: &str) -> Option<u8> {
    let digit = text.strip_prefix(['Q', 'q'])?;
    digit.parse().ok().filter(|quarter| (1..=4).contains(quarter))
}

fn month(text: &str) -> Option<u32> {
    english::month(&text.to_lowercase(), text.starts_with(char::is_uppercase))
}

fn year(text: &str) -> Option<u32> {
    let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    text.parse().ok().filter(|_| is_year)
}

fn is_path(text: &str) -> bool {
    let slashes = text.matches('/').count();
    let (stem, extension) = text.rsplit_once('.').unwrap_or((text, ""));
    let is_file = stem.chars().filter(|c| c.is_alphanumeric()).count() >= 2
        && (1..=5).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && stem.chars().any(char::is_alphabetic);
    let begins = ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start)) && text.len() > 3;
    text.contains("://") || slashes >= 2 || begins || is_file
}

/// `snake_case`, `camelCase`, `SHA256`, `--flag`, `a::b`, `$HOME`, `user@host`, `#12`, `key=value`.
fn is_identifier(text: &str) -> bool {
    let has_letter = text.chars().any(char::is_alphabetic);
    let is_ascii_word = text.is_ascii() && has_letter;
    let has_mark =
        text.contains(['_', '@', '$', '=', '<', '>', '\\']) || text.contains("::") || text.ends_with("()");
    let inner = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let is_camel = text.as_bytes().windows(2).any(inner);
    let starts_with_letter = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let has_digit =
        starts_with_letter && text.bytes().any(|byte| byte.is_ascii_digit()) && version(text).is_none();
    let is_flag = text.starts_with("--") && text.len() > 2;
    let is_issue = text.strip_prefix('#').is_some_and(|rest| rest.parse::<u64>().is_ok());
    is_ascii_word && (has_mark || is_camel || has_digit || is_flag) || is_issue
}

/// `v1.2.3` without its `v`.
fn version(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['v', 'V'])?;
    (rest.contains('.') && rest.starts_with(|c: char| c.is_ascii_digit())).then_some(rest)
}

/// The number or the two numbers of a range at the start of these words, with their unit.
fn numbers(words: &[BareWord<'_>]) -> Option<(Vec<Token>, usize)> {
    let word = words[0];
    let lower = word.text.to_lowercase();
    let (numbers, own) = match spelled_number(&lower) {
        Some(number) => (vec![number.to_string()], ""),
        None => digits(without_genitive(word.text))?,
    };
    let after = words.get(1).filter(|_| own.is_empty() && !word.is_last).and_then(|next| unit(next.text));
    let unit = after.or_else(|| unit(own));
    let length = if after.is_some() { 2 } else { 1 };
    let text = words[..length].iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let key = |number: String| match unit {
        Some(unit) => unit.key(&number),
        None => format!("{number}{}", own.to_lowercase()),
    };
    let token = |number: String| Token { sort: Sort::Number, key: key(number), text: text.clone() };
    Some((numbers.into_iter().map(token).collect(), length))
}

/// The numbers of a word and what is attached to them: `10,000`, `5-10`, `200ms`, `$5`, `v1.2.3`, `14:30`.
fn digits(text: &str) -> Option<(Vec<String>, &str)> {
    let text = version(text).unwrap_or(text);
    let text = text.trim_start_matches(['$', '€', '£', '~', '<', '>', '≤', '≥', '±', '^', '=', '+', '≈']);
    let bare = text.strip_prefix(['-', '−']).unwrap_or(text);
    if !bare.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '_');
    let end = bare.find(|c| !is_number(c)).unwrap_or(bare.len());
    let (first, rest) = (&bare[..end], &bare[end..]);
    let sign = if bare.len() < text.len() { "-" } else { "" };
    if let Some(second) = rest.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        let end = second.find(|c| !is_number(c)).unwrap_or(second.len());
        return Some((
            vec![format!("{sign}{}", plain_number(first)), plain_number(&second[..end])],
            &second[end..],
        ));
    }
    Some((vec![format!("{sign}{}", plain_number(first))], rest.strip_prefix('-').unwrap_or(rest)))
}

/// `Jane` of `Jane's`, `3.6` of `Python 3.6's`.
fn without_genitive(text: &str) -> &str {
    text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text)
}

/// A word with a capital inside a sentence, or in capitals anywhere.
fn name<'a>(word: BareWord<'a>) -> Option<&'a str> {
    let text = without_genitive(word.text);
    let stem = text.strip_suffix('s').filter(|stem| stem.len() > 1).unwrap_or(text);
    let is_capitals = stem.chars().filter(|c| c.is_alphabetic()).count() > 1
        && stem.chars().all(|c| c.is_uppercase() || !c.is_alphabetic());
    let is_capital = text.starts_with(char::is_uppercase) && text.chars().count() > 1 && !word.is_first;
    let is_function_word = crate::words::terms_of(text).is_empty();
    let is_emphasis =
        is_negation(&text.to_lowercase()) || ["MUST", "SHOULD", "ALWAYS", "ONLY"].contains(&text);
    ((is_capitals || is_capital) && !is_function_word && !is_emphasis).then_some(text)
}

/// Whether a text is in a script that has no capitals to tell names by, for the greater part.
pub(super) fn is_other_script(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (mut latin, mut other) = (0, 0);
    for letter in letters {
        *(if letter < '\u{250}' { &mut latin } else { &mut other }) += 1;
    }
    other > latin
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.key).collect()
    }

    #[test]
    fn dates_have_one_form() {
        for (text, key) in [
            ("since 2026-03-04.", "2026-03-04"),
            ("March 4, 2026", "2026-03-04"),
            ("on 4 March 2026", "2026-03-04"),
            ("on Mar 4th", "03-04"),
            ("in March 2026", "2026-03"),
            ("(2026/03)", "2026-03"),
            ("Q3 2025", "2025-q3"),
            ("2025-Q3", "2025-q3"),
            ("at 2026-03-04T10:00Z", "2026-03-04t10:00z"),
        ] {
            assert_eq!(keys(text), [key], "{text}");
        }
        assert_eq!(keys("it may happen in may"), [""; 0]);
    }

    #[test]
    fn numbers_have_their_units() {
        for (text, key) in [
            ("15 minutes", "900s"),
            ("15 min", "900s"),
            ("15min", "900s"),
            ("15 h", "54000s"),
            ("1.5 h", "5400s"),
            ("30 %", "30%"),
            ("30%", "30%"),
            ("4 KB,", "32000bit"),
            ("200 ms", "0.2s"),
            ("three retries", "3"),
            ("at most 10,000 rows", "10000"),
            ("1.2", "1.2"),
            ("v1.2.3", "1.2.3"),
            ("-5", "-5"),
            ("at 14:30", "14:30"),
            ("$5", "5"),
            ("15, minutes", "15"),
        ] {
            assert_eq!(keys(text), [key], "{text}");
        }
        assert_eq!(keys("5-10 s"), ["5s", "10s"]);
    }

    #[test]
    fn code_paths_and_names_are_found() {
        assert_eq!(keys("run `git push --force` and `x`"), ["git push --force", "x"]);
        assert_eq!(
            keys("see src/a/b.rs, config.yaml and https://x.y/z."),
            ["src/a/b.rs", "config.yaml", "https://x.y/z"]
        );
        assert_eq!(
            keys("the max_retries of HttpClient use SHA256 and --fast, #12"),
            ["max_retries", "HttpClient", "SHA256", "--fast", "#12"]
        );
        assert_eq!(keys("As Python 3.6's dict, see [the FAQ][faq]."), ["python", "3.6", "faq"]);
        assert_eq!(keys("We use Redis and the API of Jane's team."), ["redis", "api", "jane"]);
        assert_eq!(keys("Redis is used: Always. It MUST stay read/write and NOT be e.g. deleted."), [""; 0]);
    }

    #[test]
    fn a_script_without_capitals_is_told_by_most_of_its_letters() {
        assert!(is_other_script("観測 plan 計画を立てる") && !is_other_script("Größe 観測"));
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn any_text_has_tokens(text in "\\PC{0,40}|[ -~`\u{e9}\u{4e00}\u{0}]{0,40}|[0-9.,:v%–T-]{0,12}") {
            let _ = tokens(&text);
            let _ = crate::dream::said::sentences(&text);
        }
    }
}
