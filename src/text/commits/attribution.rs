//! Who stated something, and when, written behind it: `(2026-07, by Ann)`. A tree that is a folder of the code has no commit
//! of its own that could say so.

/// A statement with its author behind it, and the month in which it was made, as in `2026-07`.
pub fn with(statement: &str, month: &str, name: &str) -> String {
    let name: String = name.chars().filter(|c| !matches!(c, '(' | ')' | '[' | ']')).collect();
    format!("{} ({month}, by {})", statement.trim_end(), name.trim())
}

/// The statement without that.
pub fn without(statement: &str) -> &str {
    let attributed = || {
        let (text, rest) = statement.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
        let (month, name) = rest.split_once(", by ")?;
        let (year, month) = month.split_once('-')?;
        let is_number = |text: &str, digits: usize| {
            text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        (is_number(year, 4) && is_number(month, 2) && !name.is_empty()).then_some(text)
    };
    attributed().unwrap_or(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_behind_a_statement_is_taken_away_again_and_nothing_else_is() {
        for (statement, name) in [("10 MB", "Ann"), ("10 MB (each)", "A (b) [c]"), ("", "x")] {
            let with = with(statement, "2026-07", name);
            assert_eq!(without(&with), statement, "{with}");
        }
        assert_eq!(with("10 MB", "2026-07", "Ann (x)"), "10 MB (2026-07, by Ann x)");
        for text in ["10 MB", "10 MB (2026-07)", "10 MB (by Ann)", "a (26-7, by x)", "a (2026-07, by )"] {
            assert_eq!(without(text), text);
        }
    }
}
