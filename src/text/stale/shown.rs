//! Lines of code as they are shown beside a name: a stranger wrote them.

use crate::lint::secrets;
use brv_base::messages::printable;

/// The longest line that is shown, in characters.
const LONGEST: usize = 120;

/// How much of what both lines begin with stays where they are cut.
const KEPT: usize = 40;

const CUT: char = '…';

/// A line of then and of now without secrets and control characters, each at most [`LONGEST`] characters. Where they are
/// longer, what both begin with is cut first, so that the difference is seen.
pub(super) fn pair(before: Option<&str>, after: Option<&str>) -> (Option<String>, Option<String>) {
    let clean = |line: &str| printable(secrets::masked(line).as_bytes()).trim().to_owned();
    let (before, after) = (before.map(clean), after.map(clean));
    let mut from = 0;
    if let (Some(before), Some(after)) = (&before, &after) {
        let is_long = |line: &str| line.chars().count() > LONGEST;
        let same = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
        if (is_long(before) || is_long(after)) && same + KEPT > LONGEST {
            from = same - KEPT;
        }
    }
    (before.map(|line| cut(&line, from)), after.map(|line| cut(&line, from)))
}

/// A line from its `from`th character on, with a sign for what is left out.
fn cut(line: &str, from: usize) -> String {
    let mut chars: Vec<char> = line.chars().skip(from).collect();
    if let Some(first) = chars.first_mut().filter(|_| from > 0) {
        *first = CUT;
    }
    if chars.len() > LONGEST {
        chars.truncate(LONGEST - 1);
        chars.push(CUT);
    }
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(before: &str, after: &str) -> (String, String) {
        let (before, after) = pair(Some(before), Some(after));
        (before.unwrap(), after.unwrap())
    }

    #[test]
    fn a_line_is_shown_without_what_a_terminal_acts_on_and_without_secrets() {
        let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let (before, after) = both(&format!("  key = \"{secret}\""), "a\u{1b}[31mb\u{7}\u{202e}c");
        assert!(before.contains("****") && !before.contains(&secret), "{before}");
        assert_eq!(after, "abc");
    }

    #[test]
    fn the_difference_of_long_lines_is_seen() {
        let start = "é".repeat(200);
        let (before, after) = both(&format!("{start}one"), &format!("{start}two"));
        assert!(before.starts_with('…') && before.ends_with("éone"), "{before}");
        assert!(after.ends_with("étwo"));
        let (long, none) = pair(Some(&"a".repeat(300)), None);
        assert_eq!((long.as_ref().unwrap().chars().count(), none), (LONGEST, None));
        assert!(long.unwrap().ends_with('…'));
        assert_eq!(both("a", "b"), ("a".to_owned(), "b".to_owned()));
    }

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(500))]

        #[test]
        fn nothing_is_longer_than_it_may_be(before in ".{0,200}", after in "[aé]{0,200}", more in "[aé]{0,40}") {
            let (one, other) = both(&format!("{after}{before}"), &format!("{after}{more}"));
            proptest::prop_assert!(one.chars().count() <= LONGEST && other.chars().count() <= LONGEST);
        }
    }
}
