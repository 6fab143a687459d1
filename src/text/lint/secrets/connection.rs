//! Passwords in connection strings: `scheme://user:password@host`, and lists of settings (ADO.NET, ODBC, JDBC, libpq).

use super::shapes::before;
use brv_base::english::list;
use std::ops::Range;

/// The password of `scheme://user:password@host`, given the `://`. Words that stand for one, variables and other templates
/// are none.
pub(super) fn authority(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(c, '/' | '"' | '\'' | '`' | '<' | '>' | '?' | '#' | ')' | '|' | ',' | '\\')
    };
    let scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
    let rest = &text[mark.end..];
    let end = rest.find(is_end).unwrap_or(rest.len());
    let (user_info, host) = rest[..end].rsplit_once('@')?;
    let (user, password) = user_info.split_once(':')?;
    let start = mark.end + user_info.len() - password.len();
    // a mail client's request to the server follows it (RFC 5092)
    let password =
        password.split(";AUTH=").next().and_then(|one| one.split(";auth=").next()).unwrap_or(password);
    // `fred:fredpassword`
    let own = password.strip_prefix(user).unwrap_or(password);
    let is_address = mark.start - before(text, mark.start, scheme, 32) >= 2 && !host.is_empty();
    (is_address && password.len() >= 6 && !is_template(password) && !is_word_for_a_password(own))
        .then_some(start..start + password.len())
}

/// Whether something else is put in its place: `${NAME}`, `$NAME`, `{name}`, `[name]`, `%s`, `%NAME%`, `***`, `...`. A
/// percent sign may also begin an encoded byte.
pub(super) fn is_template(password: &str) -> bool {
    let is_byte = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    password.starts_with(['$', '['])
        || password.contains(['{', '}', '…'])
        || ["**", "..", "$("].iter().any(|mark| password.contains(mark))
        || password.split('%').skip(1).any(|rest| !is_byte(rest))
}

/// Words that examples have where a password would stand, alone or several.
pub(super) fn is_word_for_a_password(text: &str) -> bool {
    static WORDS: list::Set = list::Set::of_words(include_str!("lists/password_words.txt"));
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        match WORDS.iter().find_map(|word| rest.strip_prefix(word)) {
            Some(after) => rest = after,
            None => return rest.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_password_are_none() {
        for text in
            ["password", "my-secret-password", "mysecretpassword", "Password123!", "dbpass", "top_secret"]
        {
            assert!(is_word_for_a_password(text), "{text}");
        }
        for text in ["passion-fruit", "p9Vd2kQx", "secretariat", "K7-password"] {
            assert!(!is_word_for_a_password(text), "{text}");
        }
    }

    #[test]
    fn a_template_is_no_password_and_an_encoded_byte_is_no_template() {
        for text in ["${PASS}", "$PASS", "{{pass}}", "[pass]", "%s", "%PASS%", "****", "..."] {
            assert!(is_template(text), "{text}");
        }
        assert!(!is_template("x%40y$z"));
    }
}
